//! Dimensions counted from the end, and by letter. Source: "Terminology" of XLA's document "Shapes and layout".
//!
//! `x` is always the last dimension, `y` the one before: a letter is a number from the end that only exists up to rank 4.

use xla_array::Dims;
use xla_array::shape_util::letter;

/// The number from the end that a letter names: -1 for `x`.
pub fn from_letter(word: &str) -> Option<i64> {
    let names = ['x', 'y', 'z', 'p'];
    let mut chars = word.chars();
    let (first, rest) = (chars.next()?, chars.next());
    let position = names.iter().position(|name| *name == first).filter(|_| rest.is_none())?;
    i64::try_from(position).ok().map(|position| -1 - position)
}

/// Dimensions with those from the end counted from 0; `None` if nothing changes, or if one does not exist at this rank.
pub fn numbered(dimensions: &[i64], rank: usize, has_letters: bool) -> Option<Dims> {
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
            ["x", "y", "z", "p", "q", "xy", ""].map(from_letter),
            [Some(-1), Some(-2), Some(-3), Some(-4), None, None, None]
        );
        for rank in 1..=4 {
            for d in 0..rank {
                let name = letter(rank, d).unwrap().to_string();
                let d = i64::try_from(d).unwrap();
                assert_eq!(numbered(&[from_letter(&name).unwrap()], rank, true).unwrap().as_slice(), [d]);
            }
        }
    }

    #[test]
    fn dimension_minus_one_is_the_last() {
        assert_eq!(numbered(&[-1, 0, -3], 3, false).unwrap().as_slice(), [2, 0, 0]);
        assert_eq!(numbered(&[0, 1], 3, false), None);
        assert_eq!(numbered(&[-4], 3, false), None);
        assert_eq!(numbered(&[-1], 5, true), None);
        assert_eq!(numbered(&[i64::MIN], 3, false), None);
    }
}
