//! The sorting permutation of a row, by the algorithms of libstdc++, which XLA:CPU uses.
//!
//! With a strict weak order, a stable sort has one result. Comparators of HLO need not be one (`LT` on floats with
//! NaN), and an unstable sort may order ties either way: there the result depends on which pairs are compared, so these
//! are the algorithms of `stable_sort` and `sort`. Written independently of the kernel, which is tested against it.
//! Invariant: with any comparator the sort ends with a permutation. [`stable`] makes O(n log n) comparisons, and so
//! does [`unstable`] with a strict weak order. With another comparator, the final insertion of `unstable` may make
//! O(n²), as that of libstdc++; a limit on its distance would change the result of `LT` on floats with NaN.

use std::collections::VecDeque;

use super::OpError;

/// Whether the first of two elements, given by their positions before the sort, precedes the second.
pub(super) type Before<'a> = dyn FnMut(usize, usize) -> Result<bool, OpError> + 'a;

/// The length of the runs that a stable sort builds by insertion.
const MAX_STABLE_RUN: usize = 7;

/// The longest part that an unstable sort leaves to the final insertion.
const MAX_UNSORTED_PART: usize = 16;

/// The sorting permutation; equal elements keep their order. Errors are those of the comparator.
pub(super) fn stable(length: usize, before: &mut Before) -> Result<Vec<usize>, OpError> {
    let positions: Vec<usize> = (0..length).collect();
    let (first, second) = positions.split_at(length.div_ceil(2));
    let (first, second) = (merge_runs(first, before)?, merge_runs(second, before)?);
    if first.len() == second.len() {
        merge(first, second, before)
    } else {
        merge_from_end(first, second, before)
    }
}

/// Sorts short runs by insertion, then merges adjacent runs in pairs until one remains.
fn merge_runs(part: &[usize], before: &mut Before) -> Result<VecDeque<usize>, OpError> {
    let mut runs = Vec::new();
    for run in part.chunks(MAX_STABLE_RUN) {
        let mut sorted = Vec::with_capacity(run.len());
        for element in run {
            insert(&mut sorted, *element, before)?;
        }
        runs.push(VecDeque::from(sorted));
    }
    while runs.len() > 1 {
        let mut longer = Vec::with_capacity(runs.len().div_ceil(2));
        let mut shorter = runs.into_iter();
        while let Some(first) = shorter.next() {
            longer.push(match shorter.next() {
                Some(second) => merge(first, second, before)?.into(),
                None => first,
            });
        }
        runs = longer;
    }
    // Without elements there are no runs.
    Ok(runs.pop().unwrap_or_default())
}

/// Inserts an element into a sorted run: at the front if it precedes the first, else after the last element that it
/// does not precede, searched from the end.
fn insert(sorted: &mut Vec<usize>, element: usize, before: &mut Before) -> Result<(), OpError> {
    let is_first = match sorted.first() {
        Some(first) => before(element, *first)?,
        None => true,
    };
    let position = if is_first { 0 } else { position_from_end(sorted, element, before)? };
    sorted.insert(position, element);
    Ok(())
}

/// The position after the last element that `element` does not precede; 0 if a comparator that is not an order finds
/// none.
fn position_from_end(sorted: &[usize], element: usize, before: &mut Before) -> Result<usize, OpError> {
    for (position, other) in sorted.iter().enumerate().rev() {
        if !before(element, *other)? {
            return Ok(position + 1);
        }
    }
    Ok(0)
}

/// Merges two sorted parts from the front; of equal elements, those of the first part come first.
fn merge(
    mut first: VecDeque<usize>,
    mut second: VecDeque<usize>,
    before: &mut Before,
) -> Result<Vec<usize>, OpError> {
    let mut merged = Vec::with_capacity(first.len() + second.len());
    while let (Some(x), Some(y)) = (first.front(), second.front()) {
        let from = if before(*y, *x)? { &mut second } else { &mut first };
        merged.extend(from.pop_front());
    }
    merged.extend(first);
    merged.extend(second);
    Ok(merged)
}

/// Merges two sorted parts from the end; of equal elements, those of the first part come first.
fn merge_from_end(
    mut first: VecDeque<usize>,
    mut second: VecDeque<usize>,
    before: &mut Before,
) -> Result<Vec<usize>, OpError> {
    let mut merged = VecDeque::with_capacity(first.len() + second.len());
    while let (Some(x), Some(y)) = (first.back(), second.back()) {
        let from = if before(*y, *x)? { &mut first } else { &mut second };
        if let Some(last) = from.pop_back() {
            merged.push_front(last);
        }
    }
    let rest = if first.is_empty() { second } else { first };
    Ok(rest.into_iter().chain(merged).collect())
}

/// The sorting permutation; equal elements are in the order of XLA:CPU.
/// Errors are those of the comparator.
pub(super) fn unstable(length: usize, before: &mut Before) -> Result<Vec<usize>, OpError> {
    let mut order: Vec<usize> = (0..length).collect();
    if length > MAX_UNSORTED_PART {
        quicksort(&mut order, before)?;
    }
    // With a strict weak order, every element is in its final part, so insertion moves it only a short distance.
    let mut sorted = Vec::with_capacity(length);
    for (i, element) in order.into_iter().enumerate() {
        if i < MAX_UNSORTED_PART {
            insert(&mut sorted, element, before)?;
        } else {
            let position = position_from_end(&sorted, element, before)?;
            sorted.insert(position, element);
        }
    }
    Ok(sorted)
}

/// Leaves parts of at most [`MAX_UNSORTED_PART`] elements, with every element in its final part.
fn quicksort(order: &mut [usize], before: &mut Before) -> Result<(), OpError> {
    let mut parts = vec![(0..order.len(), 2 * order.len().ilog2())];
    while let Some((part, depth)) = parts.pop() {
        if part.len() <= MAX_UNSORTED_PART {
            continue;
        }
        let elements = &mut order[part.clone()];
        let Some(depth) = depth.checked_sub(1) else {
            heapsort(elements, before)?;
            continue;
        };
        let median = median_of_three(elements, before)?;
        elements.swap(0, median);
        let cut = part.start + partition(elements, before)?;
        // The right part is sorted first.
        parts.push((part.start..cut, depth));
        parts.push((cut..part.end, depth));
    }
    Ok(())
}

/// The position of the median of the second, the middle and the last element.
fn median_of_three(elements: &[usize], before: &mut Before) -> Result<usize, OpError> {
    let [a, b, c] = [1, elements.len() / 2, elements.len() - 1];
    let mut is_before = |i: usize, j: usize| before(elements[i], elements[j]);
    let (low, high) = if is_before(a, b)? { (a, b) } else { (b, a) };
    Ok(if is_before(high, c)? {
        high
    } else if is_before(low, c)? {
        c
    } else {
        low
    })
}

/// Moves elements that precede the first one to the left, and those that it precedes to the right; returns the start of
/// the right part. The scans stop at the ends, which a comparator that is not an order may reach.
fn partition(elements: &mut [usize], before: &mut Before) -> Result<usize, OpError> {
    let pivot = elements[0];
    let (mut left, mut right) = (1, elements.len());
    loop {
        while left < elements.len() && before(elements[left], pivot)? {
            left += 1;
        }
        right = right.saturating_sub(1);
        while right > 0 && before(pivot, elements[right])? {
            right -= 1;
        }
        if left >= right {
            return Ok(left);
        }
        elements.swap(left, right);
        left += 1;
    }
}

/// Builds a max heap, then repeatedly swaps its root with its last element.
fn heapsort(elements: &mut [usize], before: &mut Before) -> Result<(), OpError> {
    for root in (0..elements.len() / 2).rev() {
        let element = elements[root];
        replace_root(elements, root, element, before)?;
    }
    for end in (1..elements.len()).rev() {
        let element = elements[end];
        elements[end] = elements[0];
        replace_root(&mut elements[..end], 0, element, before)?;
    }
    Ok(())
}

/// Replaces the root of a subtree by `element`: moves the path of greater children up to a leaf, then sifts the element
/// up along it. That takes fewer comparisons than sifting it down.
fn replace_root(heap: &mut [usize], root: usize, element: usize, before: &mut Before) -> Result<(), OpError> {
    let mut path = vec![root];
    let mut node = root;
    while let Some(left) = Some(2 * node + 1).filter(|left| *left < heap.len()) {
        let has_right = left + 1 < heap.len();
        node = if has_right && !before(heap[left + 1], heap[left])? { left + 1 } else { left };
        path.push(node);
    }
    for step in path.windows(2) {
        heap[step[0]] = heap[step[1]];
    }
    for step in path.windows(2).rev() {
        if !before(heap[step[0]], element)? {
            heap[step[1]] = element;
            return Ok(());
        }
        heap[step[1]] = heap[step[0]];
    }
    heap[root] = element;
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "the comparators of these tests do not fail")]
mod tests {
    use super::*;

    type Sort = fn(usize, &mut Before) -> Result<Vec<usize>, OpError>;

    const SORTS: [Sort; 2] = [stable, unstable];

    /// Lengths around the ends of runs and parts.
    const LENGTHS: [usize; 14] = [0, 1, 2, 3, 7, 8, 14, 15, 16, 17, 31, 100, 257, 1000];

    #[test]
    fn distinct_keys_are_sorted() {
        for (length, step) in LENGTHS.into_iter().flat_map(|n| [1, 7919, 104_729].map(|step| (n, step))) {
            let keys: Vec<usize> = (0..length).map(|i| i * step % 1_000_003).collect();
            let mut expected: Vec<usize> = (0..length).collect();
            expected.sort_by_key(|i| keys[*i]);
            for sort in SORTS {
                assert_eq!(sort(length, &mut |a, b| Ok(keys[a] < keys[b])).unwrap(), expected);
            }
        }
    }

    #[test]
    fn a_stable_sort_keeps_the_order_of_equal_elements() {
        for length in LENGTHS {
            let keys: Vec<usize> = (0..length).map(|i| i * 7919 % 13).collect();
            let mut expected: Vec<usize> = (0..length).collect();
            expected.sort_by_key(|i| keys[*i]);
            assert_eq!(stable(length, &mut |a, b| Ok(keys[a] < keys[b])).unwrap(), expected);
        }
    }

    #[test]
    fn heapsort_sorts() {
        for length in [1, 2, 3, 50, 100] {
            let mut elements: Vec<usize> = (0..length).map(|i| i * 37 % 101).collect();
            heapsort(&mut elements, &mut |a, b| Ok(a < b)).unwrap();
            assert!(elements.is_sorted(), "{elements:?}");
        }
    }

    #[test]
    fn any_comparator_ends_with_a_permutation() {
        let (mut noise, mut comparisons) = (1_u32, 0_usize);
        let mut chance = |_: usize, _: usize| {
            comparisons += 1;
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            Ok(noise >> 31 == 1)
        };
        for (length, sort) in [5, 40, 300].into_iter().flat_map(|n| SORTS.map(|sort| (n, sort))) {
            let mut order = sort(length, &mut chance).unwrap();
            order.sort_unstable();
            assert!(order.into_iter().eq(0..length));
        }
        assert!(comparisons < 345 * 60, "{comparisons}");
        for always in [true, false] {
            let mut order = unstable(300, &mut |_, _| Ok(always)).unwrap();
            order.sort_unstable();
            assert!(order.into_iter().eq(0..300));
        }
        // If every element precedes every other, XLA:CPU reverses the row.
        for length in [5, 9, 20, 40] {
            assert!(stable(length, &mut |_, _| Ok(true)).unwrap().into_iter().eq((0..length).rev()));
        }
    }

    #[test]
    fn an_error_of_the_comparator_ends_the_sort() {
        let failure = || OpError::new("sort", "test", xla_messages::i18n::Message::ops("op-ordered"));
        for sort in SORTS {
            let mut left = 20_u32;
            let result = sort(300, &mut |a, b| {
                left -= 1;
                if left == 0 { Err(failure()) } else { Ok(a < b) }
            });
            assert!(result.is_err() && left == 0);
        }
    }
}
