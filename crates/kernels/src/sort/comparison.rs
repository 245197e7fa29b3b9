//! A stable and an unstable sort whose results are defined for any comparator, and equal those of XLA's CPU backend.
//!
//! For a strict weak order there is only one stable result. For any other comparator, and for ties in an unstable sort, the
//! result depends on which pairs are compared, so both take the same steps as the C++ library of XLA's runtime. Stable: each
//! half is sorted by merging runs, the runs by insertion; then the halves are merged, from the end if their lengths differ.
//! Unstable (introsort): quicksort with the median of three, heapsort where it recurses too deep, and a final insertion sort.
//! Invariant: both terminate for every comparator after O(n log n) steps, and the result is a permutation. The op `sort` and
//! the kernel both use them.

/// Maximum number of elements that are sorted by insertion.
const INSERTION_SORT_LENGTH: usize = 7;

/// Stable sort: equivalent elements keep their order. Errors: those of the comparator.
pub fn stable_sort<T: Copy, E>(
    order: &mut [T],
    before: &mut impl FnMut(T, T) -> Result<bool, E>,
) -> Result<(), E> {
    let middle = order.len().div_ceil(2);
    let (first, second) = order.split_at_mut(middle);
    sort_half(first, before)?;
    sort_half(second, before)?;
    let merged = if first.len() == second.len() {
        merge(first, second, before)?
    } else {
        merge_from_end(first, second, before)?
    };
    order.copy_from_slice(&merged);
    Ok(())
}

/// Sorts runs by insertion, then merges them pairwise until there is one.
fn sort_half<T: Copy, E>(order: &mut [T], before: &mut impl FnMut(T, T) -> Result<bool, E>) -> Result<(), E> {
    order.chunks_mut(INSERTION_SORT_LENGTH).try_for_each(|run| insertion_sort(run, before))?;
    let mut sorted = INSERTION_SORT_LENGTH;
    while sorted < order.len() {
        for pair in order.chunks_mut(2 * sorted).filter(|pair| pair.len() > sorted) {
            let (first, second) = pair.split_at(sorted);
            let merged = merge(first, second, before)?;
            pair.copy_from_slice(&merged);
        }
        sorted *= 2;
    }
    Ok(())
}

/// Insertion sort: moves each element to the front if it comes before the first one, else backwards past the elements that it
/// comes before.
fn insertion_sort<T: Copy, E>(
    order: &mut [T],
    before: &mut impl FnMut(T, T) -> Result<bool, E>,
) -> Result<(), E> {
    for i in 1..order.len() {
        let mut position = i;
        if before(order[i], order[0])? {
            position = 0;
        }
        // A comparator that is not an order may not stop before the front.
        while position > 0 && before(order[i], order[position - 1])? {
            position -= 1;
        }
        order[position..=i].rotate_right(1);
    }
    Ok(())
}

/// Merges two sorted parts from the front; ties take from the first.
fn merge<T: Copy, E>(
    first: &[T],
    second: &[T],
    before: &mut impl FnMut(T, T) -> Result<bool, E>,
) -> Result<Vec<T>, E> {
    let (mut a, mut b) = (first, second);
    let mut merged = Vec::with_capacity(a.len() + b.len());
    while let ([x, rest_of_a @ ..], [y, rest_of_b @ ..]) = (a, b) {
        if before(*y, *x)? {
            merged.push(*y);
            b = rest_of_b;
        } else {
            merged.push(*x);
            a = rest_of_a;
        }
    }
    merged.extend_from_slice(a);
    merged.extend_from_slice(b);
    Ok(merged)
}

/// Merges two sorted parts from the end; ties take from the second.
fn merge_from_end<T: Copy, E>(
    first: &[T],
    second: &[T],
    before: &mut impl FnMut(T, T) -> Result<bool, E>,
) -> Result<Vec<T>, E> {
    let (mut a, mut b) = (first, second);
    let mut reversed = Vec::with_capacity(a.len() + b.len());
    while let ([rest_of_a @ .., x], [rest_of_b @ .., y]) = (a, b) {
        if before(*y, *x)? {
            reversed.push(*x);
            a = rest_of_a;
        } else {
            reversed.push(*y);
            b = rest_of_b;
        }
    }
    reversed.extend(a.iter().rev());
    reversed.extend(b.iter().rev());
    reversed.reverse();
    Ok(reversed)
}

/// Maximum number of elements of a part that quicksort leaves to the final insertion sort.
const MAX_UNSORTED_LENGTH: usize = 16;

/// Unstable sort: the order of equivalent elements is that of XLA's CPU backend. Errors: those of the comparator.
pub fn unstable_sort<T: Copy, E>(
    order: &mut [T],
    before: &mut impl FnMut(T, T) -> Result<bool, E>,
) -> Result<(), E> {
    if order.len() > MAX_UNSORTED_LENGTH {
        quicksort(order, 2 * order.len().ilog2(), before)?;
    }
    // The elements are nearly sorted now.
    let (first, rest) = (order.len().min(MAX_UNSORTED_LENGTH), order.len());
    insertion_sort(&mut order[..first], before)?;
    for i in first..rest {
        let mut position = i;
        while position > 0 && before(order[i], order[position - 1])? {
            position -= 1;
        }
        order[position..=i].rotate_right(1);
    }
    Ok(())
}

/// Partitions into parts of at most [`MAX_UNSORTED_LENGTH`] elements, in the order of the parts.
fn quicksort<T: Copy, E>(
    order: &mut [T],
    mut depth: u32,
    before: &mut impl FnMut(T, T) -> Result<bool, E>,
) -> Result<(), E> {
    let mut end = order.len();
    while end > MAX_UNSORTED_LENGTH {
        if depth == 0 {
            return heapsort(&mut order[..end], before);
        }
        depth -= 1;
        median_to_front(&mut order[..end], before)?;
        let middle = partition(&mut order[..end], before)?;
        quicksort(&mut order[middle..end], depth, before)?;
        end = middle;
    }
    Ok(())
}

/// Exchanges the first element with the median of the second, the middle and the last.
fn median_to_front<T: Copy, E>(
    order: &mut [T],
    before: &mut impl FnMut(T, T) -> Result<bool, E>,
) -> Result<(), E> {
    let (a, b, c) = (1, order.len() / 2, order.len() - 1);
    let mut is_before = |i: usize, j: usize| before(order[i], order[j]);
    let median = if is_before(a, b)? {
        if is_before(b, c)? {
            b
        } else if is_before(a, c)? {
            c
        } else {
            a
        }
    } else if is_before(a, c)? {
        a
    } else if is_before(b, c)? {
        c
    } else {
        b
    };
    order.swap(0, median);
    Ok(())
}

/// Partitions by the first element: moves those before it to the front. Returns the index where the others begin.
fn partition<T: Copy, E>(
    order: &mut [T],
    before: &mut impl FnMut(T, T) -> Result<bool, E>,
) -> Result<usize, E> {
    let pivot = order[0];
    let (mut low, mut high) = (1, order.len());
    loop {
        // A comparator that is not an order may not stop at the ends.
        while low < order.len() && before(order[low], pivot)? {
            low += 1;
        }
        high = high.saturating_sub(1);
        while high > 0 && before(pivot, order[high])? {
            high -= 1;
        }
        if low >= high {
            return Ok(low);
        }
        order.swap(low, high);
        low += 1;
    }
}

fn heapsort<T: Copy, E>(order: &mut [T], before: &mut impl FnMut(T, T) -> Result<bool, E>) -> Result<(), E> {
    for top in (0..order.len() / 2).rev() {
        let element = order[top];
        sift(order, top, element, before)?;
    }
    for end in (1..order.len()).rev() {
        let element = order[end];
        order[end] = order[0];
        sift(&mut order[..end], 0, element, before)?;
    }
    Ok(())
}

/// Fills the hole at `top` of a heap: moves the path of greater children up to a leaf, then sifts the element up from there.
fn sift<T: Copy, E>(
    heap: &mut [T],
    top: usize,
    element: T,
    before: &mut impl FnMut(T, T) -> Result<bool, E>,
) -> Result<(), E> {
    let mut hole = top;
    while 2 * hole + 1 < heap.len() {
        let right = 2 * hole + 2;
        let child =
            if right == heap.len() || before(heap[right], heap[right - 1])? { right - 1 } else { right };
        heap[hole] = heap[child];
        hole = child;
    }
    while hole > top && before(heap[(hole - 1) / 2], element)? {
        heap[hole] = heap[(hole - 1) / 2];
        hole = (hole - 1) / 2;
    }
    heap[hole] = element;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn stably_sorted(length: usize, mut before: impl FnMut(usize, usize) -> bool) -> Vec<usize> {
        let mut order: Vec<usize> = (0..length).collect();
        let Ok(()) = stable_sort(&mut order, &mut |a, b| Ok::<_, Infallible>(before(a, b)));
        order
    }

    fn unstably_sorted(length: usize, mut before: impl FnMut(usize, usize) -> bool) -> Vec<usize> {
        let mut order: Vec<usize> = (0..length).collect();
        let Ok(()) = unstable_sort(&mut order, &mut |a, b| Ok::<_, Infallible>(before(a, b)));
        order
    }

    #[test]
    fn distinct_elements_have_one_order() {
        for length in [0, 1, 2, 16, 17, 18, 40, 257, 1000] {
            for step in [1, 7919, 104_729] {
                let keys: Vec<usize> = (0..length).map(|i| i * step % 1_000_003).collect();
                let mut expected: Vec<usize> = (0..length).collect();
                expected.sort_by_key(|i| keys[*i]);
                assert_eq!(unstably_sorted(length, |a, b| keys[a] < keys[b]), expected);
            }
        }
        let mut heap: Vec<usize> = (0..100).map(|i| i * 37 % 101).collect();
        let Ok(()) = heapsort(&mut heap, &mut |a: usize, b: usize| Ok::<_, Infallible>(a < b));
        assert!(heap.is_sorted());
    }

    #[test]
    fn strict_weak_orders_are_sorted_stably() {
        for length in [0, 1, 2, 3, 14, 15, 16, 31, 100, 257] {
            let keys: Vec<usize> = (0..length).map(|i| i * 7919 % 13).collect();
            let mut expected: Vec<usize> = (0..length).collect();
            expected.sort_by_key(|i| keys[*i]);
            assert_eq!(stably_sorted(length, |a, b| keys[a] < keys[b]), expected);
        }
    }

    #[test]
    fn any_comparator_terminates_with_a_permutation() {
        let mut noise = 1_u32;
        let mut comparisons = 0_usize;
        let mut random_comparator = |_: usize, _: usize| {
            comparisons += 1;
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            noise >> 31 == 1
        };
        for length in [5, 40, 300] {
            for mut order in [
                stably_sorted(length, &mut random_comparator),
                unstably_sorted(length, &mut random_comparator),
            ] {
                order.sort_unstable();
                assert!(order.into_iter().eq(0..length));
            }
        }
        assert!(comparisons < 345 * 60, "{comparisons}");
        for always in [true, false] {
            let mut order = unstably_sorted(300, |_, _| always);
            order.sort_unstable();
            assert!(order.into_iter().eq(0..300));
        }
        // If every element comes before every other, the CPU backend of XLA reverses the row.
        for length in [5, 9, 20, 40] {
            assert!(stably_sorted(length, |_, _| true).into_iter().eq((0..length).rev()));
        }
    }
}
