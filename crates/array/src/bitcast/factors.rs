//! Two lists of sizes with one product, cut into the smallest parts with equal products: what a reshape does to which
//! dimensions.

use smallvec::SmallVec;

use crate::ArrayShape;

/// Cut points: dimensions before the first number and before the second have equal products.
pub type Cuts = SmallVec<[(usize, usize); 8]>;

/// The product of sizes; `None` on overflow, which a 0 does not hide, and for a negative size.
fn product(sizes: &[i64]) -> Option<i64> {
    let nonzero = sizes.iter().filter(|s| **s != 0);
    let product = nonzero.copied().try_fold(1_i64, |a, b| if b < 0 { None } else { a.checked_mul(b) })?;
    Some(if sizes.contains(&0) { 0 } else { product })
}

/// XLA's `CommonFactors`: the cut points (i, j), from (0, 0) to both ends, at which the sizes of `a` before i and of
/// `b` before j have equal products, as many as there are. Sizes of 1 make cuts of their own where they can. Where a
/// size is 0 the cuts stop with the equal sizes in front, and where what remains has different products there is one
/// part only. `None` where the products differ or overflow.
///
/// ```
/// # use xla_array::bitcast::common_factors;
/// assert_eq!(common_factors(&[2, 3, 4], &[2, 12]).unwrap().to_vec(), [(0, 0), (1, 1), (3, 2)]);
/// ```
pub fn common_factors(a: &[i64], b: &[i64]) -> Option<Cuts> {
    let ends = (a.len(), b.len());
    if product(a)? != product(b)? {
        return None;
    }
    let equal = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let mut cuts: Cuts = (0..equal).map(|i| (i, i)).collect();
    if a == b {
        cuts.push(ends);
        return Some(cuts);
    }
    let rest = product(&a[equal..])?;
    if rest != product(&b[equal..])? {
        return Some([(0, 0), ends].into_iter().collect());
    }
    cuts.push((equal, equal));
    if rest == 0 {
        cuts.push(ends);
        return Some(cuts);
    }
    let (mut i, mut j) = (equal, equal);
    let (mut left, mut right) = (1_i64, 1_i64);
    while i < a.len() || j < b.len() {
        // The side that is behind moves on; side by side, the smaller next size does, and both where those are equal.
        let (next_a, next_b) = (a.get(i), b.get(j));
        let smaller = |x: Option<&i64>, y: Option<&i64>| x.is_some_and(|x| y.is_none_or(|y| x <= y));
        let advance_a = left < right || (left == right && smaller(next_a, next_b));
        let advance_b = right < left || (left == right && smaller(next_b, next_a));
        if advance_a {
            left = left.checked_mul(*next_a?)?;
            i += 1;
        }
        if advance_b {
            right = right.checked_mul(*next_b?)?;
            j += 1;
        }
        if left == right {
            cuts.push((i, j));
        }
    }
    Some(cuts)
}

/// Pairs (i, j) of dimensions that a reshape of sizes `a` to sizes `b` carries over unchanged: parts of one dimension
/// on both sides. `None` where the element counts differ or overflow.
pub fn dimensions_unmodified_by_reshape(a: &ArrayShape, b: &ArrayShape) -> Option<Cuts> {
    let cuts = common_factors(&a.dimensions, &b.dimensions)?;
    Some(cuts.windows(2).filter(|w| w[1] == (w[0].0 + 1, w[0].1 + 1)).map(|w| w[0]).collect())
}

/// Dimensions of size 1 (or 0) that a reshape drops and adds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InsertedOrDeleted {
    /// Dimensions of the input that are gone.
    pub deleted: Vec<usize>,
    /// Dimensions of the output that are new.
    pub inserted: Vec<usize>,
}

/// `InsertedOrDeleted1SizedDimensions`: what the reshape deletes and inserts, where that is nothing but dimensions of
/// size 1 or 0; `Some(None)` where it changes more. `None` where the element counts differ or overflow.
#[allow(clippy::option_option, reason = "\"not so\" and \"not defined\" are different answers")]
pub fn inserted_or_deleted_1_sized_dimensions(
    a: &ArrayShape,
    b: &ArrayShape,
) -> Option<Option<InsertedOrDeleted>> {
    let kept = dimensions_unmodified_by_reshape(a, b)?;
    let change = InsertedOrDeleted {
        deleted: (0..a.rank()).filter(|i| kept.iter().all(|k| k.0 != *i)).collect(),
        inserted: (0..b.rank()).filter(|j| kept.iter().all(|k| k.1 != *j)).collect(),
    };
    let small = change.deleted.iter().all(|i| a.dimensions[*i] <= 1)
        && change.inserted.iter().all(|j| b.dimensions[*j] <= 1);
    Some(small.then_some(change))
}
