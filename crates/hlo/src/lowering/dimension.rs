//! Dimensions counted from the end, and by letter. Source: "Terminology" of XLA's document "Shapes and layout".
//!
//! `x` is always the last dimension, `y` the one before. So a letter counts from the end; letters exist only up to rank 4.

use xla_array::Dims;
use xla_array::shape_util::letter;

/// The dimension that a letter names, counted from the end: -1 for `x`.
pub fn letter_dimension(word: &str) -> Option<i64> {
    let names = ['x', 'y', 'z', 'p'];
    let mut chars = word.chars();
    let (first, rest) = (chars.next()?, chars.next());
    let position = names.iter().position(|name| *name == first).filter(|_| rest.is_none())?;
    i64::try_from(position).ok().map(|position| -1 - position)
}

/// Replaces dimensions counted from the end (-1) by those counted from 0. `None` if there are none, or if a dimension does not
/// exist at this rank.
pub fn normalize(dimensions: &[i64], rank: usize, has_letters: bool) -> Option<Dims> {
    let signed_rank = i64::try_from(rank).ok()?;
    if !dimensions.iter().any(|d| *d < 0) || has_letters && letter(rank, 0).is_none() {
        return None;
    }
    dimensions
        .iter()
        .map(|d| if *d < 0 { d.checked_add(signed_rank).filter(|d| *d >= 0) } else { Some(*d) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_count_from_the_last_dimension() {
        assert_eq!(
            ["x", "y", "z", "p", "q", "xy", ""].map(letter_dimension),
            [Some(-1), Some(-2), Some(-3), Some(-4), None, None, None]
        );
        for rank in 1..=4 {
            for d in 0..rank {
                let name = letter(rank, d).unwrap().to_string();
                let d = i64::try_from(d).unwrap();
                assert_eq!(
                    normalize(&[letter_dimension(&name).unwrap()], rank, true).unwrap().as_slice(),
                    [d]
                );
            }
        }
    }

    #[test]
    fn dimension_minus_one_is_the_last() {
        assert_eq!(normalize(&[-1, 0, -3], 3, false).unwrap().as_slice(), [2, 0, 0]);
        assert_eq!(normalize(&[0, 1], 3, false), None);
        assert_eq!(normalize(&[-4], 3, false), None);
        assert_eq!(normalize(&[-1], 5, true), None);
        assert_eq!(normalize(&[i64::MIN], 3, false), None);
    }
}
