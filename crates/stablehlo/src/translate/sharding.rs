//! How an array is divided among devices: the shardings of sdy (by the axes of a mesh) and of HLO (`{devices=[2,1]<=[2]}`).

use crate::ast::{Attr, Op};
use crate::lexer::{Kind, Lexer};

/// Bound on devices: each has its own instructions.
pub(super) const MAX_DEVICES: i64 = 64;

/// The parts of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tiling {
    /// The number of parts in each dimension.
    pub counts: Vec<i64>,
    /// The part of each device, one number per dimension.
    pub parts: Vec<Vec<i64>>,
}

/// The digits of a number in a mixed base, the last being the fastest.
fn digits(mut number: i64, base: &[i64]) -> Vec<i64> {
    let mut digits: Vec<i64> = Vec::new();
    for size in base.iter().rev() {
        digits.push(number % size.max(&1));
        number /= size.max(&1);
    }
    digits.reverse();
    digits
}

/// The text of an attribute that is written as a list of shardings or as one attribute.
fn text(op: &Op<'_>, name: &str) -> Option<String> {
    match op.attr(name)? {
        Attr::Text(text) => Some((*text).to_owned()),
        Attr::List(items) => {
            let texts = items.iter().map(|item| match item {
                Attr::Text(text) => Some(*text),
                _ => None,
            });
            Some(texts.collect::<Option<Vec<_>>>()?.join(", "))
        }
        _ => None,
    }
}

/// The names in braces or elsewhere in an attribute: the manual axes.
fn quoted(op: &Op<'_>, name: &str) -> Vec<String> {
    match op.attr(name) {
        Some(Attr::Dict(axes)) => axes.iter().map(|axis| axis.name.to_owned()).collect(),
        Some(Attr::Text(text)) => text.split('"').skip(1).step_by(2).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// A sharding of sdy: the mesh, and the axes of each dimension.
type AxesOf = (String, Vec<Vec<String>>);

/// The shardings in a text: each begins with the symbol of its mesh. `None` for axes that are divided themselves.
fn shardings(text: &str) -> Option<Vec<AxesOf>> {
    let mut lexer = Lexer::new(text, 0);
    let mut found: Vec<AxesOf> = Vec::new();
    // Within the list of dimensions; what follows it (replicated axes) divides nothing.
    let (mut is_open, mut in_dimension) = (false, false);
    loop {
        let token = lexer.bump();
        let text = lexer.text(token.span);
        match token.kind {
            Kind::End => return Some(found),
            Kind::Symbol => {
                found.push((text.trim_start_matches('@').trim_matches('"').to_owned(), Vec::new()));
                is_open = false;
            }
            Kind::Punct('[') => is_open = found.last().is_some_and(|(_, dims)| dims.is_empty()),
            Kind::Punct(']') => is_open = false,
            Kind::Punct('{') if is_open => {
                in_dimension = true;
                found.last_mut()?.1.push(Vec::new());
            }
            Kind::Punct('}') => in_dimension = false,
            Kind::Punct(':') if in_dimension => return None,
            Kind::String if in_dimension => {
                found.last_mut()?.1.last_mut()?.push(text.trim_matches('"').to_owned());
            }
            _ => {}
        }
    }
}

/// The tilings of the operands or results of a manual computation, by a list of shardings.
pub(super) fn of_mesh(
    op: &Op<'_>,
    name: &str,
    meshes: &[(&str, Vec<(&str, i64)>)],
    ranks: &[usize],
) -> Option<Vec<Tiling>> {
    let shardings = shardings(&text(op, name)?)?;
    let manual = quoted(op, "manual_axes");
    if shardings.len() != ranks.len() {
        return None;
    }
    let tiling = |((mesh, dims), rank): (&AxesOf, &usize)| {
        let (_, axes) = meshes.iter().find(|(name, _)| name == mesh)?;
        let sizes: Vec<i64> = axes.iter().map(|(_, size)| *size).collect();
        let devices = sizes.iter().try_fold(1_i64, |all, size| all.checked_mul(*size))?;
        if !(1..=MAX_DEVICES).contains(&devices) || sizes.iter().any(|size| *size < 1) || dims.len() > *rank {
            return None;
        }
        // Of each dimension, the positions of its manual axes in the mesh, major first.
        let mut positions: Vec<Vec<usize>> = Vec::new();
        for dim in dims {
            let of_dim = dim.iter().filter(|axis| manual.contains(axis));
            positions.push(
                of_dim.map(|axis| axes.iter().position(|(name, _)| name == axis)).collect::<Option<_>>()?,
            );
        }
        positions.resize(*rank, Vec::new());
        let count = |of_dim: &Vec<usize>| of_dim.iter().filter_map(|at| sizes.get(*at)).product();
        let counts = positions.iter().map(count).collect();
        let parts = (0..devices).map(|device| {
            let place = digits(device, &sizes);
            let part = |of_dim: &Vec<usize>| {
                of_dim.iter().fold(0, |part, at| {
                    part * sizes.get(*at).copied().unwrap_or(1) + place.get(*at).copied().unwrap_or(0)
                })
            };
            positions.iter().map(part).collect()
        });
        Some(Tiling { counts, parts: parts.collect() })
    };
    shardings.iter().zip(ranks).map(tiling).collect()
}

/// The numbers in the first brackets of a text, and the text after them.
fn numbers(text: &str, open: char, close: char) -> Option<(Vec<i64>, &str)> {
    let (inner, rest) = text.strip_prefix(open)?.split_once(close)?;
    let numbers = inner.split(',').filter(|part| !part.is_empty()).map(|part| part.trim().parse().ok());
    Some((numbers.collect::<Option<_>>()?, rest))
}

/// The tiling of an HLO sharding, `{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}`.
pub(super) fn of_hlo(text: &str, rank: usize, partitions: i64) -> Option<Tiling> {
    let whole = || Tiling { counts: vec![1; rank], parts: (0..partitions).map(|_| vec![0; rank]).collect() };
    if !(1..=MAX_DEVICES).contains(&partitions) {
        return None;
    }
    let inner = text.strip_prefix('{')?.strip_suffix('}')?.trim();
    if inner == "replicated" {
        return Some(whole());
    }
    let (tiles, rest) = numbers(inner.strip_prefix("devices=")?, '[', ']')?;
    let total = tiles.iter().try_fold(1_i64, |all, size| all.checked_mul(*size))?;
    if total != partitions || tiles.len() < rank || tiles.iter().any(|size| *size < 1) {
        return None;
    }
    let order: Vec<i64> = if let Some(rest) = rest.strip_prefix("<=") {
        let (sizes, rest) = numbers(rest, '[', ']')?;
        let permutation = match rest.strip_prefix('T') {
            Some(rest) => numbers(rest, '(', ')')?.0,
            None => (0..).take(sizes.len()).collect(),
        };
        let at = |dim: &i64| usize::try_from(*dim).ok().and_then(|dim| sizes.get(dim)).copied();
        let moved: Vec<i64> = permutation.iter().map(at).collect::<Option<_>>()?;
        let product = sizes.iter().try_fold(1_i64, |all, size| all.checked_mul(*size));
        if product != Some(total) || sizes.iter().any(|size| *size < 1) || moved.len() != sizes.len() {
            return None;
        }
        let device = |position| {
            let place = digits(position, &moved);
            let mut source = vec![0; sizes.len()];
            for (dim, value) in permutation.iter().zip(place) {
                if let Some(slot) = usize::try_from(*dim).ok().and_then(|dim| source.get_mut(dim)) {
                    *slot = value;
                }
            }
            source.iter().zip(&sizes).fold(0, |all, (value, size)| all * size + value)
        };
        (0..total).map(device).collect()
    } else {
        let list = rest.split_whitespace().next()?;
        list.split(',').map(|part| part.parse().ok()).collect::<Option<_>>()?
    };
    let mut parts = vec![vec![0; rank]; usize::try_from(partitions).ok()?];
    for (position, device) in (0..).zip(&order) {
        let mut part = digits(position, &tiles);
        part.truncate(rank);
        *parts.get_mut(usize::try_from(*device).ok()?)? = part;
    }
    Some(Tiling { counts: tiles.into_iter().take(rank).collect(), parts })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hlo_shardings_give_each_device_its_part() {
        let parts = |text: &str, rank| of_hlo(text, rank, 4).map(|tiling| tiling.parts);
        let rows = vec![vec![0, 0], vec![1, 0], vec![2, 0], vec![3, 0]];
        assert_eq!(parts("{devices=[4,1]<=[4]}", 2), Some(rows.clone()));
        assert_eq!(parts("{devices=[4,1]0,1,2,3}", 2), Some(rows));
        let columns = vec![vec![0, 0], vec![0, 1], vec![0, 0], vec![0, 1]];
        assert_eq!(parts("{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}", 2), Some(columns));
        assert_eq!(parts("{replicated}", 1), Some(vec![vec![0]; 4]));
        for text in ["", "{}", "{manual}", "{devices=[3]<=[3]}", "{devices=[4]<=[9]}", "{devices=[4]4,5,6,7}"]
        {
            assert_eq!(parts(text, 1), None, "{text}");
        }
    }
}
