//! A stable merge sort whose behaviour is defined for any comparator, and equal to that of XLA's CPU.
//!
//! For a strict weak order there is only one stable result. For any other comparator the result depends on which pairs
//! are compared, so the steps are those that XLA's runtime takes: insertion for short runs, halves, and merging in place
//! by rotation. Invariant: it ends for every comparator, after at most some n (log n)^2 steps, and the result is a
//! permutation. Read [`super::sort`] next.

/// Runs shorter than this are sorted by insertion.
const SHORT: usize = 15;

/// Whether the first element comes before the second.
type Before<'a, E> = dyn FnMut(usize, usize) -> Result<bool, E> + 'a;

/// Sorts, elements of which neither comes first keeping their order. Errors: those of the comparator.
pub(super) fn stable_sort<E>(order: &mut [usize], before: &mut Before<E>) -> Result<(), E> {
    if order.len() < SHORT {
        return insertion(order, before);
    }
    let middle = order.len() / 2;
    stable_sort(&mut order[..middle], before)?;
    stable_sort(&mut order[middle..], before)?;
    merge(order, middle, before)
}

/// Brings each element to its place among those before it: to the front if it comes before the first, else back past
/// its neighbours for as long as it comes before them.
fn insertion<E>(order: &mut [usize], before: &mut Before<E>) -> Result<(), E> {
    for i in 1..order.len() {
        let place = if before(order[i], order[0])? {
            0
        } else {
            let mut place = i;
            // An order that is none may not stop before the front.
            while place > 0 && before(order[i], order[place - 1])? {
                place -= 1;
            }
            place
        };
        order[place..=i].rotate_right(1);
    }
    Ok(())
}

/// Merges two sorted parts, the second of which begins at `middle`: the longer one is cut in half, the other where the
/// cut's element belongs, the inner pieces change places, and both sides are merged in turn.
fn merge<E>(order: &mut [usize], middle: usize, before: &mut Before<E>) -> Result<(), E> {
    let (first, second) = (middle, order.len() - middle);
    if first == 0 || second == 0 {
        return Ok(());
    }
    if first + second == 2 {
        if before(order[1], order[0])? {
            order.swap(0, 1);
        }
        return Ok(());
    }
    let (cut, end) = if first > second {
        let cut = first / 2;
        (cut, middle + partition(&order[middle..], |e| before(e, order[cut]))?)
    } else {
        let end = middle + second / 2;
        (partition(&order[..middle], |e| before(order[end], e).map(|is| !is))?, end)
    };
    order[cut..end].rotate_left(middle - cut);
    let middle_of_all = cut + (end - middle);
    let (left, right) = order.split_at_mut(middle_of_all);
    merge(left, cut, before)?;
    merge(right, middle - cut, before)
}

/// How many elements at the front hold to something, found by bisection.
fn partition<E>(order: &[usize], mut holds: impl FnMut(usize) -> Result<bool, E>) -> Result<usize, E> {
    let (mut start, mut length) = (0, order.len());
    while length > 0 {
        let half = length / 2;
        if holds(order[start + half])? {
            start += half + 1;
            length -= half + 1;
        } else {
            length = half;
        }
    }
    Ok(start)
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
        assert!(asked < 50_000, "{asked}");
        // Always: XLA's CPU turns the row round.
        for length in [5, 9, 20, 40] {
            assert!(sorted(length, |_, _| true).into_iter().eq((0..length).rev()));
        }
    }
}
