//! A stable merge sort whose behaviour is defined for any comparator, and equal to that of XLA's CPU.
//!
//! For a strict weak order there is only one stable result. For any other comparator the result depends on which pairs
//! are compared, so the steps are those that XLA's runtime takes: each half is sorted by merging runs, the runs by
//! insertion; then the halves are merged, from the end where they are not equally long. Invariant: it ends for every
//! comparator after at most n log n steps, and the result is a permutation. Read `sort` next.

/// So many elements are sorted by insertion.
const RUN: usize = 7;

/// Whether the first element comes before the second.
type Before<'a, E> = dyn FnMut(usize, usize) -> Result<bool, E> + 'a;

/// Sorts, elements of which neither comes first keeping their order. Errors: those of the comparator.
pub(super) fn stable_sort<E>(order: &mut [usize], before: &mut Before<E>) -> Result<(), E> {
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

/// Runs by insertion, then two and two merged until there is one.
fn sort_half<E>(order: &mut [usize], before: &mut Before<E>) -> Result<(), E> {
    order.chunks_mut(RUN).try_for_each(|run| insertion(run, before))?;
    let mut sorted = RUN;
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

/// Brings each element to its place among those before it: to the front if it comes before the first, else back past
/// its neighbours for as long as it comes before them.
fn insertion<E>(order: &mut [usize], before: &mut Before<E>) -> Result<(), E> {
    for i in 1..order.len() {
        let mut place = i;
        if before(order[i], order[0])? {
            place = 0;
        }
        // A comparator that is no order may not stop before the front.
        while place > 0 && before(order[i], order[place - 1])? {
            place -= 1;
        }
        order[place..=i].rotate_right(1);
    }
    Ok(())
}

/// Takes the smaller front of two sorted parts, the first's where neither comes before the other.
fn merge<E>(first: &[usize], second: &[usize], before: &mut Before<E>) -> Result<Vec<usize>, E> {
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

/// Takes the greater end of two sorted parts, the second's where neither comes before the other.
fn merge_from_end<E>(first: &[usize], second: &[usize], before: &mut Before<E>) -> Result<Vec<usize>, E> {
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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn sorted(length: usize, mut before: impl FnMut(usize, usize) -> bool) -> Vec<usize> {
        let mut order: Vec<usize> = (0..length).collect();
        let Ok(()) = stable_sort::<Infallible>(&mut order, &mut |a, b| Ok(before(a, b)));
        order
    }

    #[test]
    fn strict_weak_orders_are_sorted_stably() {
        for length in [0, 1, 2, 3, 14, 15, 16, 31, 100, 257] {
            let keys: Vec<usize> = (0..length).map(|i| i * 7919 % 13).collect();
            let mut expected: Vec<usize> = (0..length).collect();
            expected.sort_by_key(|i| keys[*i]);
            assert_eq!(sorted(length, |a, b| keys[a] < keys[b]), expected);
        }
    }

    #[test]
    fn any_comparator_gives_a_permutation_and_ends() {
        let mut noise = 1_u32;
        let mut asked = 0_usize;
        for length in [5, 40, 300] {
            let mut order = sorted(length, |_, _| {
                asked += 1;
                noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                noise >> 31 == 1
            });
            order.sort_unstable();
            assert!(order.into_iter().eq(0..length));
        }
        assert!(asked < 345 * (7 + 9), "{asked}");
        // Always: XLA's CPU turns the row round.
        for length in [5, 9, 20, 40] {
            assert!(sorted(length, |_, _| true).into_iter().eq((0..length).rev()));
        }
    }
}
