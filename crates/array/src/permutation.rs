//! Permutations of dimension numbers, in both of XLA's conventions.
//!
//! In current XLA `Permute(a, p)[i] = a[p[i]]` (gather) and `PermuteInverse(a, p)[p[i]] = a[i]` (scatter). `Permute` of
//! r1.3 is the latter; [`permute_as`] takes the edition. All of them return `None` if `p` is not a permutation of
//! `0..a.len()`, where the C++ CHECK-fails. Source: `permutation_util.h`, `util.h`.

use super::{Dims, Edition};

/// Whether `p` contains each of `0..p.len()` exactly once.
pub fn is_permutation(p: &[i64]) -> bool {
    checked_permutation(p).is_some()
}

/// `p` as `usize`; `None` if it is not a permutation.
pub fn checked_permutation(p: &[i64]) -> Option<Vec<usize>> {
    let mut seen = vec![false; p.len()];
    let mut positions = Vec::with_capacity(p.len());
    for &entry in p {
        let position = usize::try_from(entry).ok()?;
        if std::mem::replace(seen.get_mut(position)?, true) {
            return None;
        }
        positions.push(position);
    }
    Some(positions)
}

/// `Permute` of current XLA: entry `i` of the result is `a[p[i]]`.
///
/// ```
/// # use xla_array::permutation::{permute, permute_inverse};
/// assert_eq!(permute(&[10, 20, 30], &[2, 0, 1]).as_deref(), Some(&[30, 10, 20][..]));
/// assert_eq!(permute_inverse(&[10, 20, 30], &[2, 0, 1]).as_deref(), Some(&[20, 30, 10][..]));
/// ```
pub fn permute(a: &[i64], p: &[i64]) -> Option<Dims> {
    let positions = checked_permutation(p).filter(|p| p.len() == a.len())?;
    Some(positions.into_iter().map(|i| a[i]).collect())
}

/// `PermuteInverse`, and the `Permute` of r1.3: entry `p[i]` of the result is `a[i]`.
pub fn permute_inverse(a: &[i64], p: &[i64]) -> Option<Dims> {
    let positions = checked_permutation(p).filter(|p| p.len() == a.len())?;
    let mut out = Dims::from_elem(0, a.len());
    for (value, position) in a.iter().zip(positions) {
        out[position] = *value;
    }
    Some(out)
}

/// The `Permute` of this edition.
pub fn permute_as(edition: Edition, a: &[i64], p: &[i64]) -> Option<Dims> {
    match edition {
        Edition::V2017 => permute_inverse(a, p),
        Edition::Current => permute(a, p),
    }
}

/// `InversePermutation`: entry `p[i]` of the result is `i`.
pub fn inverse(p: &[i64]) -> Option<Dims> {
    permute_inverse(&identity(p.len()), p)
}

/// `ComposePermutations`: entry `i` of the result is `p[q[i]]`. `p` may be any list, as in XLA.
pub fn compose(p: &[i64], q: &[i64]) -> Option<Dims> {
    permute(p, q)
}

/// `0..n`.
pub fn identity(n: usize) -> Dims {
    (0..).take(n).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_conventions_undo_each_other() {
        let (a, p) = ([7, 8, 9], [1, 2, 0]);
        assert_eq!(permute(&a, &p).unwrap().to_vec(), [8, 9, 7]);
        assert_eq!(permute_inverse(&a, &p).unwrap().to_vec(), [9, 7, 8]);
        assert_eq!(permute_as(Edition::V2017, &a, &p), permute_inverse(&a, &p));
        assert_eq!(permute_as(Edition::Current, &a, &p), permute(&a, &p));
        let there = permute(&a, &p).unwrap();
        assert_eq!(permute_inverse(&there, &p).unwrap().to_vec(), a);
    }

    #[test]
    fn an_inverse_composes_to_the_identity() {
        let p = [2, 0, 3, 1];
        let inverse = inverse(&p).unwrap();
        assert_eq!(compose(&p, &inverse), Some(identity(4)));
        assert_eq!(compose(&inverse, &p), Some(identity(4)));
        assert_eq!(super::inverse(&[]), Some(Dims::new()));
    }

    #[test]
    fn non_permutations_are_rejected() {
        for p in [&[0, 0][..], &[1, 2], &[-1, 0], &[0], &[i64::MAX, 0]] {
            assert_eq!(permute(&[1, 2], p), None);
            assert_eq!(permute_inverse(&[1, 2], p), None);
        }
        assert!(is_permutation(&[1, 0]) && !is_permutation(&[1, 1]));
    }
}
