//! Shardings, which assign tiles of an array to devices: those of sdy (by mesh axes) and of HLO (`{devices=[2,1]<=[2]}`).

use crate::ast::{Attr, Op};
use crate::lexer::{Kind, Lexer};

/// Maximum number of devices: an expanded module has its own instructions for each.
pub(super) const MAX_DEVICES: i64 = 64;

/// The assignment of an array's tiles to devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tiling {
    /// The number of tiles in each dimension.
    pub tile_counts: Vec<i64>,
    /// For each device, the index of its tile, one number per dimension.
    pub device_tiles: Vec<Vec<i64>>,
}

/// The multi-dimensional index of a row-major index.
fn delinearize(mut linear: i64, sizes: &[i64]) -> Vec<i64> {
    let mut index: Vec<i64> = Vec::new();
    for size in sizes.iter().rev() {
        index.push(linear % size.max(&1));
        linear /= size.max(&1);
    }
    index.reverse();
    index
}

/// The text of an attribute, whether it is written as a list of shardings or as one attribute.
fn attribute_text(op: &Op<'_>, name: &str) -> Option<String> {
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

/// The axis names of an attribute, such as `manual_axes`: a dictionary's keys, or quoted in its text.
fn axis_names(op: &Op<'_>, name: &str) -> Vec<String> {
    match op.attr(name) {
        Some(Attr::Dict(axes)) => axes.iter().map(|axis| axis.name.to_owned()).collect(),
        Some(Attr::Text(text)) => text.split('"').skip(1).step_by(2).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// An sdy sharding: the mesh's name, and for each dimension the axes that shard it.
type MeshAxes = (String, Vec<Vec<String>>);

/// Parses sdy shardings, each of which begins with the symbol of its mesh. `None` if one has sub-axes (`"x":(1)2`).
fn parse_sharding_axes(text: &str) -> Option<Vec<MeshAxes>> {
    let mut lexer = Lexer::new(text, 0);
    let mut found: Vec<MeshAxes> = Vec::new();
    // `is_open`: in the list of dimensions. The replicated axes after it do not shard.
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

/// Parses `in_shardings` or `out_shardings` of a manual computation: one tiling per operand or result. Only manual axes count;
/// the region's types keep the others unsharded.
pub(super) fn parse_sdy_shardings(
    op: &Op<'_>,
    name: &str,
    meshes: &[(&str, Vec<(&str, i64)>)],
    ranks: &[usize],
) -> Option<Vec<Tiling>> {
    let shardings = parse_sharding_axes(&attribute_text(op, name)?)?;
    let manual = axis_names(op, "manual_axes");
    if shardings.len() != ranks.len() {
        return None;
    }
    let tiling = |((mesh, dims), rank): (&MeshAxes, &usize)| {
        let (_, axes) = meshes.iter().find(|(name, _)| name == mesh)?;
        let sizes: Vec<i64> = axes.iter().map(|(_, size)| *size).collect();
        let devices = sizes.iter().try_fold(1_i64, |all, size| all.checked_mul(*size))?;
        if !(1..=MAX_DEVICES).contains(&devices) || sizes.iter().any(|size| *size < 1) || dims.len() > *rank {
            return None;
        }
        // For each dimension, the positions of its manual axes in the mesh, major first.
        let mut positions: Vec<Vec<usize>> = Vec::new();
        for dim in dims {
            let manual_axes = dim.iter().filter(|axis| manual.contains(axis));
            let positions_in_mesh = manual_axes.map(|axis| axes.iter().position(|(name, _)| name == axis));
            positions.push(positions_in_mesh.collect::<Option<_>>()?);
        }
        positions.resize(*rank, Vec::new());
        let tile_count = |axes: &Vec<usize>| axes.iter().filter_map(|axis| sizes.get(*axis)).product();
        let tile_counts = positions.iter().map(tile_count).collect();
        let device_tiles = (0..devices).map(|device| {
            let mesh_index = delinearize(device, &sizes);
            let tile_index = |axes: &Vec<usize>| {
                axes.iter().fold(0, |linear, axis| {
                    let size = sizes.get(*axis).copied().unwrap_or(1);
                    linear * size + mesh_index.get(*axis).copied().unwrap_or(0)
                })
            };
            positions.iter().map(tile_index).collect()
        });
        Some(Tiling { tile_counts, device_tiles: device_tiles.collect() })
    };
    shardings.iter().zip(ranks).map(tiling).collect()
}

/// Parses the bracketed numbers that the text starts with; returns the rest of the text too.
fn parse_numbers(text: &str, open: char, close: char) -> Option<(Vec<i64>, &str)> {
    let (inner, rest) = text.strip_prefix(open)?.split_once(close)?;
    let numbers = inner.split(',').filter(|part| !part.is_empty()).map(|part| part.trim().parse().ok());
    Some((numbers.collect::<Option<_>>()?, rest))
}

/// Parses an HLO sharding, `{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}`.
pub(super) fn parse_hlo_sharding(text: &str, rank: usize, device_count: i64) -> Option<Tiling> {
    let replicated = || Tiling {
        tile_counts: vec![1; rank],
        device_tiles: (0..device_count).map(|_| vec![0; rank]).collect(),
    };
    if !(1..=MAX_DEVICES).contains(&device_count) {
        return None;
    }
    let inner = text.strip_prefix('{')?.strip_suffix('}')?.trim();
    if inner == "replicated" {
        return Some(replicated());
    }
    let (tiles, rest) = parse_numbers(inner.strip_prefix("devices=")?, '[', ']')?;
    let total = tiles.iter().try_fold(1_i64, |all, size| all.checked_mul(*size))?;
    if total != device_count || tiles.len() < rank || tiles.iter().any(|size| *size < 1) {
        return None;
    }
    // The devices in row-major order of their tiles.
    let devices: Vec<i64> = if let Some(rest) = rest.strip_prefix("<=") {
        let (sizes, rest) = parse_numbers(rest, '[', ']')?;
        let permutation = match rest.strip_prefix('T') {
            Some(rest) => parse_numbers(rest, '(', ')')?.0,
            None => (0..).take(sizes.len()).collect(),
        };
        let size_at = |dim: &i64| usize::try_from(*dim).ok().and_then(|dim| sizes.get(dim)).copied();
        let permuted_sizes: Vec<i64> = permutation.iter().map(size_at).collect::<Option<_>>()?;
        let product = sizes.iter().try_fold(1_i64, |all, size| all.checked_mul(*size));
        if product != Some(total) || sizes.iter().any(|size| *size < 1) || permuted_sizes.len() != sizes.len()
        {
            return None;
        }
        let device = |position| {
            let permuted_index = delinearize(position, &permuted_sizes);
            let mut index = vec![0; sizes.len()];
            for (dim, value) in permutation.iter().zip(permuted_index) {
                if let Some(slot) = usize::try_from(*dim).ok().and_then(|dim| index.get_mut(dim)) {
                    *slot = value;
                }
            }
            index.iter().zip(&sizes).fold(0, |linear, (value, size)| linear * size + value)
        };
        (0..total).map(device).collect()
    } else {
        let list = rest.split_whitespace().next()?;
        list.split(',').map(|part| part.parse().ok()).collect::<Option<_>>()?
    };
    let mut device_tiles = vec![vec![0; rank]; usize::try_from(device_count).ok()?];
    for (position, device) in (0..).zip(&devices) {
        let mut tile = delinearize(position, &tiles);
        // Dimensions beyond the rank replicate a tile.
        tile.truncate(rank);
        *device_tiles.get_mut(usize::try_from(*device).ok()?)? = tile;
    }
    Some(Tiling { tile_counts: tiles.into_iter().take(rank).collect(), device_tiles })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hlo_shardings_give_each_device_its_tile() {
        let tiles = |text: &str, rank| parse_hlo_sharding(text, rank, 4).map(|tiling| tiling.device_tiles);
        let rows = vec![vec![0, 0], vec![1, 0], vec![2, 0], vec![3, 0]];
        assert_eq!(tiles("{devices=[4,1]<=[4]}", 2), Some(rows.clone()));
        assert_eq!(tiles("{devices=[4,1]0,1,2,3}", 2), Some(rows));
        let columns = vec![vec![0, 0], vec![0, 1], vec![0, 0], vec![0, 1]];
        assert_eq!(tiles("{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}", 2), Some(columns));
        assert_eq!(tiles("{replicated}", 1), Some(vec![vec![0]; 4]));
        for text in ["", "{}", "{manual}", "{devices=[3]<=[3]}", "{devices=[4]<=[9]}", "{devices=[4]4,5,6,7}"]
        {
            assert_eq!(tiles(text, 1), None, "{text}");
        }
    }
}
