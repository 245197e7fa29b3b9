//! Device groups by the axes of a mesh: `mesh["a"=2,"b"=4] {"a"}`, also with the devices of the mesh in another order,
//! `mesh["a"=2,"b"=4], device_ids=([4,2]T(1,0)) {"b":(1)2}`.
//!
//! The devices of a group differ in the named axes only. A part of an axis, `"b":(before)size`, is the digit of that
//! size that `before` positions of the axis precede. Source: `MeshAxesReplicaGroupList` of XLA.

use xla_array::validate::MAX_DIMENSIONS;

/// Bound on the devices that attributes may name.
pub(super) const MAX_DEVICES: usize = 1 << 16;

/// The numbers from 0 on, in an array of these sizes that is transposed by `order`. `None` if `order` is no
/// permutation, or there are no or too many devices.
pub(super) fn transposed_iota(sizes: &[usize], order: &[usize]) -> Option<Vec<usize>> {
    let mut is_named = vec![false; order.len()];
    let is_permutation = order.len() == sizes.len()
        && order.len() <= MAX_DIMENSIONS
        && order.iter().all(|d| is_named.get_mut(*d).is_some_and(|named| !std::mem::replace(named, true)));
    let total = sizes.iter().try_fold(1_usize, |total, size| total.checked_mul(*size))?;
    if !is_permutation || total == 0 || total > MAX_DEVICES {
        return None;
    }
    let number = |mut at: usize| {
        // The index in the transposed array, its last dimension first.
        let mut index = vec![0; sizes.len()];
        for d in order.iter().rev() {
            index[*d] = at % sizes[*d];
            at /= sizes[*d];
        }
        index.iter().zip(sizes).fold(0, |number, (i, size)| number * size + i)
    };
    Some((0..total).map(number).collect())
}

/// Reads text from its start.
struct Scanner<'a>(&'a str);

impl<'a> Scanner<'a> {
    fn skip_token(&mut self, token: &str) -> Option<()> {
        self.0 = self.0.trim_start().strip_prefix(token)?;
        Some(())
    }

    fn number(&mut self) -> Option<usize> {
        let rest = self.0.trim_start();
        let (number, after) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()));
        self.0 = after;
        number.parse().ok()
    }

    /// A quoted name, with its escapes.
    fn name(&mut self) -> Option<&'a str> {
        let rest = self.0.trim_start();
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let mut is_escaped = false;
        let end = rest[1..].find(|c| {
            let ends = c == quote && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            ends
        })?;
        self.0 = &rest[end + 2..];
        Some(&rest[1..=end])
    }

    /// Items between brackets, separated by commas.
    fn list<T>(&mut self, [open, close]: [&str; 2], item: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        self.skip_token(open)?;
        let mut items = Vec::new();
        if self.skip_token(close).is_some() {
            return Some(items);
        }
        loop {
            items.push(item(self)?);
            if self.skip_token(close).is_some() {
                return Some(items);
            }
            self.skip_token(",")?;
        }
    }
}

/// A digit of the position in the mesh: its stride in row-major order, and its size.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Digit {
    stride: usize,
    size: usize,
}

/// The devices of the mesh, in row-major order.
fn devices(text: &mut Scanner, total: usize) -> Option<Vec<usize>> {
    text.skip_token("(")?;
    let devices = if text.0.trim_start().starts_with('[') {
        let sizes = text.list(["[", "]"], Scanner::number)?;
        let order = if text.skip_token("T").is_some() {
            text.list(["(", ")"], Scanner::number)?
        } else {
            (0..sizes.len()).collect()
        };
        text.skip_token(")")?;
        transposed_iota(&sizes, &order)?
    } else {
        // The opening bracket is consumed.
        let mut listed = vec![text.number()?];
        while text.skip_token(",").is_some() {
            listed.push(text.number()?);
        }
        text.skip_token(")")?;
        listed
    };
    (devices.len() == total).then_some(devices)
}

/// The digits that no group names, most significant first: the rest of each axis.
fn unnamed_digits(axes: &[Digit], named: &[Digit]) -> Option<Vec<Digit>> {
    let mut unnamed = Vec::new();
    for axis in axes {
        let mut parts: Vec<Digit> = named
            .iter()
            .copied()
            .filter(|d| d.stride >= axis.stride && d.stride < axis.stride * axis.size)
            .collect();
        parts.sort_unstable_by_key(|d| std::cmp::Reverse(d.stride));
        let mut above = axis.stride * axis.size;
        for part in parts {
            let end = part.stride * part.size;
            if end > above || above % end != 0 {
                return None;
            }
            unnamed.push(Digit { stride: end, size: above / end });
            above = part.stride;
        }
        unnamed.push(Digit { stride: axis.stride, size: above / axis.stride });
    }
    Some(unnamed)
}

/// The sums of every combination of digits, the first digit changing last.
fn combinations(digits: &[Digit]) -> Vec<usize> {
    let mut sums = vec![0];
    for digit in digits {
        sums = sums.iter().flat_map(|sum| (0..digit.size).map(move |n| sum + n * digit.stride)).collect();
    }
    sums
}

/// Parses groups by the axes of a mesh. A group has at least two devices.
pub(super) fn parse_mesh_groups(text: &str) -> Option<Vec<Vec<i64>>> {
    let mut text = Scanner(text);
    text.skip_token("mesh")?;
    let axes = text.list(["[", "]"], |text| {
        let name = text.name()?;
        text.skip_token("=")?;
        Some((name, text.number().filter(|size| *size > 0)?))
    })?;
    let total = axes.iter().try_fold(1_usize, |total, (_, size)| total.checked_mul(*size))?;
    if total > MAX_DEVICES {
        return None;
    }
    let mut stride = total;
    let digits: Vec<Digit> = axes
        .iter()
        .map(|(_, size)| {
            stride /= size;
            Digit { stride, size: *size }
        })
        .collect();
    let has_comma = text.skip_token(",").is_some();
    let has_devices = has_comma && text.skip_token("device_ids=").is_some();
    let devices = if has_devices { devices(&mut text, total)? } else { (0..total).collect() };
    if has_devices {
        // Optional, like the one after the mesh.
        let _ = text.skip_token(",");
    }
    let named = text.list(["{", "}"], |text| {
        let name = text.name()?;
        let whole = *digits.get(axes.iter().position(|(axis, _)| *axis == name)?)?;
        if text.skip_token(":").is_none() {
            return Some(whole);
        }
        text.skip_token("(")?;
        let before = text.number()?;
        text.skip_token(")")?;
        let size = text.number()?;
        let part = before.checked_mul(size).filter(|part| *part > 0 && whole.size % part == 0)?;
        Some(Digit { stride: whole.stride * (whole.size / part), size })
    })?;
    if !text.0.trim().is_empty() {
        return None;
    }
    let groups = combinations(&unnamed_digits(&digits, &named)?);
    let members = combinations(&named);
    if members.len() < 2 || groups.len() * members.len() != total {
        return None;
    }
    let to_signed = |group: &usize| -> Option<Vec<i64>> {
        let device = |member: &usize| i64::try_from(*devices.get(group + member)?).ok();
        members.iter().map(device).collect()
    };
    groups.iter().map(to_signed).collect()
}

#[cfg(test)]
mod tests {
    use super::parse_mesh_groups;

    #[test]
    fn groups_vary_in_the_named_axes() {
        let found = |text: &str| parse_mesh_groups(text).unwrap_or_default();
        assert_eq!(found("mesh[\"a\"=2,\"b\"=4] {\"a\"}"), [[0, 4], [1, 5], [2, 6], [3, 7]]);
        assert_eq!(found("mesh['a'=2,'b'=4]{'b'}"), [[0, 1, 2, 3], [4, 5, 6, 7]]);
        assert_eq!(found("mesh['a'=2,'b'=2], {'b','a'}"), [[0, 2, 1, 3]]);
        assert_eq!(found("mesh['a'=2,'b'=4] {'b':(1)2}"), [[0, 2], [1, 3], [4, 6], [5, 7]]);
        assert_eq!(found("mesh['a'=2,'b'=4] {'b':(2)2}"), [[0, 1], [2, 3], [4, 5], [6, 7]]);
        assert_eq!(found("mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0)) {'b'}"), [[0, 2], [1, 3]]);
        assert_eq!(found("mesh['a'=2,'b'=2], device_ids=(3,1,0,2) {'a'}"), [[3, 0], [1, 2]]);
        for broken in [
            "mesh['a'=8] {}",
            "mesh['a'=2] {'b'}",
            "mesh['a'=4] {'a':(1)3}",
            "mesh['a'=2]",
            "mesh['a'=4] {'a','a'}",
            "mesh['a'=4] {'a':(1)2,'a':(1)4}",
            "mesh['a'=2,'b'=2], device_ids=(1,0) {'a'}",
            "mesh['a'=70000] {'a'}",
            "mesh['a",
        ] {
            assert_eq!(parse_mesh_groups(broken), None, "{broken}");
        }
    }
}
