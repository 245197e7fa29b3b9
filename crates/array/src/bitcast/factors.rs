//! The dimensions that a reshape merges, splits or leaves alone: two lists of sizes with the same product, divided into
//! the smallest groups with equal products.

use smallvec::SmallVec;

use crate::ArrayShape;

/// Cut points (i, j): the sizes before i in the first list and before j in the second have equal products.
pub type Cuts = SmallVec<[(usize, usize); 8]>;

/// The product of sizes; `None` if the product of the non-zero sizes overflows, and for a negative size.
fn checked_product(sizes: &[i64]) -> Option<i64> {
    let nonzero = sizes.iter().filter(|s| **s != 0);
    let product = nonzero.copied().try_fold(1_i64, |a, b| if b < 0 { None } else { a.checked_mul(b) })?;
    Some(if sizes.contains(&0) { 0 } else { product })
}

/// XLA's `CommonFactors`: all cut points (i, j), from (0, 0) to both ends, at which the sizes of `a` before i and of
/// `b` before j have equal products. Sizes of 1 form groups of their own if they can. With a size of 0, the sizes after
/// the equal leading ones form one group; if their products differ, everything is one group. `None` if the products
/// differ or overflow.
///
/// ```
/// # use xla_array::bitcast::common_factors;
/// assert_eq!(common_factors(&[2, 3, 4], &[2, 12]).unwrap().to_vec(), [(0, 0), (1, 1), (3, 2)]);
/// ```
pub fn common_factors(a: &[i64], b: &[i64]) -> Option<Cuts> {
    let ends = (a.len(), b.len());
    if checked_product(a)? != checked_product(b)? {
        return None;
    }
    let equal = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let mut cuts: Cuts = (0..equal).map(|i| (i, i)).collect();
    if a == b {
        cuts.push(ends);
        return Some(cuts);
    }
    let rest = checked_product(&a[equal..])?;
    if rest != checked_product(&b[equal..])? {
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
        // The smaller product advances. If both are equal, the smaller next size does, or both if those are equal.
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

/// Pairs (i, j) of dimensions that a reshape from `a` to `b` leaves unmodified: groups of one dimension on both sides.
/// `None` if the element counts differ or overflow.
pub fn dimensions_unmodified_by_reshape(a: &ArrayShape, b: &ArrayShape) -> Option<Cuts> {
    let cuts = common_factors(&a.dimensions, &b.dimensions)?;
    Some(cuts.windows(2).filter(|w| w[1] == (w[0].0 + 1, w[0].1 + 1)).map(|w| w[0]).collect())
}

/// Dimensions of size 1 (or 0) that a reshape deletes and inserts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InsertedOrDeleted {
    /// Dimensions of the input.
    pub deleted: Vec<usize>,
    /// Dimensions of the output.
    pub inserted: Vec<usize>,
}

/// `InsertedOrDeleted1SizedDimensions`: the dimensions of size 1 or 0 that a reshape deletes and inserts; `Some(None)`
/// if it changes other dimensions too. `None` if the element counts differ or overflow.
#[allow(clippy::option_option, reason = "\"not such a reshape\" and \"not a reshape\" are different results")]
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
