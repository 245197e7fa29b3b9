//! Pairs of equal keys of two lists, and the longest increasing subsequence.

/// Pairs the items with equal keys of two lists, in order; with `only_unique`, only those whose key occurs once in each.
/// The result is in the order of the keys.
pub(super) fn pair_groups<K: Ord, T: Copy + Ord>(
    mut a: Vec<(K, T)>,
    mut b: Vec<(K, T)>,
    only_unique: bool,
) -> Vec<(T, T)> {
    a.sort();
    b.sort();
    let mut pairs = Vec::new();
    let (mut rest_a, mut rest_b) = (a.as_slice(), b.as_slice());
    while let (Some((key_a, _)), Some((key_b, _))) = (rest_a.first(), rest_b.first()) {
        let end_a = rest_a.partition_point(|(key, _)| key <= key_a.min(key_b));
        let end_b = rest_b.partition_point(|(key, _)| key <= key_a.min(key_b));
        let (group_of_a, after_a) = rest_a.split_at(end_a);
        let (group_of_b, after_b) = rest_b.split_at(end_b);
        if !only_unique || group_of_a.len() == 1 && group_of_b.len() == 1 {
            pairs.extend(group_of_a.iter().zip(group_of_b).map(|((_, a), (_, b))| (*a, *b)));
        }
        (rest_a, rest_b) = (after_a, after_b);
    }
    pairs
}

/// Whether each number is in a longest strictly increasing subsequence.
pub(super) fn is_in_longest_increasing(numbers: &[usize]) -> Vec<bool> {
    // The index of the smallest last number of a subsequence of each length, and the predecessor of each number.
    let (mut ends, mut before): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    for (index, number) in numbers.iter().enumerate() {
        let length = ends.partition_point(|end| numbers.get(*end).is_some_and(|last| last < number));
        before.push(length.checked_sub(1).and_then(|shorter| ends.get(shorter)).copied());
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut is_in = vec![false; numbers.len()];
    let mut next = ends.last().copied();
    while let Some(index) = next {
        is_in[index] = true;
        next = before.get(index).copied().flatten();
    }
    is_in
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_keys_are_paired_in_order() {
        let a = vec![("x", 1), ("y", 2), ("x", 3), ("z", 4)];
        let b = vec![("x", 10), ("z", 11), ("x", 12), ("x", 13), ("w", 14)];
        assert_eq!(pair_groups(a.clone(), b.clone(), false), [(1, 10), (3, 12), (4, 11)]);
        assert_eq!(pair_groups(a, b, true), [(4, 11)]);
    }

    #[test]
    fn one_moved_number_is_outside_of_the_subsequence() {
        assert_eq!(is_in_longest_increasing(&[0, 1, 5, 2, 3, 4]), [true, true, false, true, true, true]);
        assert_eq!(is_in_longest_increasing(&[]), [] as [bool; 0]);
        assert_eq!(is_in_longest_increasing(&[3, 2, 1]).iter().filter(|is_in| **is_in).count(), 1);
    }
}
