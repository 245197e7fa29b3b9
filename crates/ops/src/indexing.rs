//! Dimension numbers of gather and scatter: index vectors are the starts of windows of the operand.
//!
//! The windows are in a *windowed* array, the result of gather or the updates of scatter. Its batch dimensions are
//! those of the indices without `index_vector_dim`; its window dimensions are those of the operand that are neither
//! collapsed (gather) or inserted (scatter) nor batching. Invariant: [`DimensionNumbers`] exists only for valid
//! dimension numbers. Source: `ShapeInference::InferGatherShape` and `InferScatterShape`.

use super::infer::{OpContext, comma_separated};
use super::{ExportContext, OpError, OpPart};
use xla_array::{ArrayShape, Dims, ElementType};
use xla_kernels::View;
use xla_messages::bug::OrBug as _;
use xla_messages::i18n::Message;

/// The names of the attributes and rules of gather or scatter.
pub(super) struct AttrNames {
    /// `offset_dims` or `update_window_dims`: the window dimensions of the windowed array.
    pub window: &'static str,
    /// `collapsed_slice_dims` or `inserted_window_dims`: dimensions of the operand that a window lacks.
    pub dropped: &'static str,
    /// `start_index_map` or `scatter_dims_to_operand_dims`: the operand's dimension of each index component.
    pub map: &'static str,
    /// Batching dimensions of the operand.
    pub operand_batching: &'static str,
    /// The corresponding dimensions of the indices.
    pub indices_batching: &'static str,
    /// Rule identifiers: type of the indices, `index_vector_dim`, order of window dimensions, their range, components, map,
    /// dropped dimensions, batching dimensions, their sizes.
    pub rules: [&'static str; 9],
}

/// Valid dimension numbers.
pub(super) struct DimensionNumbers {
    /// Batch dimensions of the windowed array.
    pub batch: Vec<usize>,
    /// Window dimensions of the windowed array.
    pub window: Vec<usize>,
    /// The operand's dimension of each window dimension.
    pub operand_window: Vec<usize>,
    /// The operand's dimension of each component of an index vector.
    pub map: Vec<usize>,
    /// Each batching dimension of the operand, with the position of its batch dimension.
    pub batching: Vec<(usize, usize)>,
    /// `index_vector_dim`.
    vector_dim: usize,
    /// Whether `index_vector_dim` is the rank of the indices: index vectors have one component and no dimension.
    is_implicit: bool,
    /// The sizes of the batch dimensions.
    pub batch_sizes: Dims,
    /// The rank of the operand.
    pub rank: usize,
}

impl DimensionNumbers {
    /// The view of the start indices with the index vector as the last dimension.
    pub fn vectors_last(&self, indices: &View) -> View {
        let mut view = indices.clone();
        if self.is_implicit {
            view.sizes.push(1);
            view.strides.push(1);
            return view;
        }
        let mut order: Vec<usize> = (0..view.rank()).filter(|d| *d != self.vector_dim).collect();
        order.push(self.vector_dim);
        view.permuted(&order)
    }
}

fn to_i64(n: usize) -> i64 {
    i64::try_from(n).or_bug(i64::MAX, "a rank exceeds i64")
}

/// Checks that a list of dimensions is strictly ascending.
fn check_ascending(cx: &OpContext, rule: &'static str, name: &'static str) -> Result<(), OpError> {
    let found = cx.ints(name);
    if found.is_sorted_by(|a, b| a < b) {
        return Ok(());
    }
    let mut sorted = found.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let message = Message::ops("op-ascending").with("name", name).with("found", comma_separated(found));
    Err(cx
        .error(rule, message)
        .at_attr(name)
        .with_fix(OpPart::Attr(name), format!("{{{}}}", comma_separated(&sorted))))
}

/// Checks that two lists have no common dimension.
fn check_disjoint(
    cx: &OpContext,
    rule: &'static str,
    a: &'static str,
    b: &'static str,
) -> Result<(), OpError> {
    match cx.ints(a).iter().find(|d| cx.ints(b).contains(d)) {
        None => Ok(()),
        Some(d) => {
            let message = Message::ops("op-disjoint").with("a", a).with("b", b).with("dimension", *d);
            Err(cx.error(rule, message).at_attr(b))
        }
    }
}

impl DimensionNumbers {
    /// Checks the type of the indices, and returns `index_vector_dim`.
    pub fn check_vector_dim(cx: &OpContext, number: usize, names: &AttrNames) -> Result<usize, OpError> {
        let indices = cx.array(number)?;
        if !indices.element_type.is_integral() {
            let message = Message::ops("op-indices-type").with("found", indices.human_string());
            let error = cx.error(names.rules[0], message).at_operand(number);
            return Err(cx.with_conversion(error, number, ElementType::S32));
        }
        let found = cx.int("index_vector_dim")?;
        usize::try_from(found).ok().filter(|d| *d <= indices.rank()).ok_or_else(|| {
            let message =
                Message::ops("op-index-vector-dim").with("found", found).with("rank", indices.rank());
            let fix = indices.rank().to_string();
            let error = cx.error(names.rules[1], message).at_attr("index_vector_dim");
            error.with_fix(OpPart::Attr("index_vector_dim"), fix)
        })
    }

    /// Checks the dimension numbers. `vector_dim` is the result of [`DimensionNumbers::check_vector_dim`].
    pub fn check(
        cx: &OpContext,
        operand: &ArrayShape,
        indices: &ArrayShape,
        vector_dim: usize,
        names: &AttrNames,
    ) -> Result<Self, OpError> {
        let [_, _, order, range, count, map_rule, dropped_rule, batching_rule, sizes_rule] = names.rules;
        let mut batch_sizes = indices.dimensions.clone();
        let components = if vector_dim < batch_sizes.len() { batch_sizes.remove(vector_dim) } else { 1 };

        check_ascending(cx, order, names.window)?;
        let windowed_rank = batch_sizes.len() + cx.ints(names.window).len();
        let window = cx.dimensions(names.window, windowed_rank, [range, order])?;
        let found = cx.ints(names.map).len();
        if to_i64(found) != components {
            let message = Message::ops("op-index-components")
                .with("name", names.map)
                .with("found", found)
                .with("components", components);
            return Err(cx.error(count, message).at_attr(names.map));
        }
        let map = cx.dimensions(names.map, operand.rank(), [map_rule; 2])?;
        let dropped = cx.dimensions(names.dropped, operand.rank(), [dropped_rule; 2])?;
        check_ascending(cx, dropped_rule, names.dropped)?;

        let batching = cx.dimensions(names.operand_batching, operand.rank(), [batching_rule; 2])?;
        check_ascending(cx, batching_rule, names.operand_batching)?;
        let indices_batching = cx.dimensions(names.indices_batching, indices.rank(), [batching_rule; 2])?;
        check_disjoint(cx, batching_rule, names.dropped, names.operand_batching)?;
        check_disjoint(cx, batching_rule, names.map, names.operand_batching)?;
        if indices_batching.contains(&vector_dim) {
            let message = Message::ops("op-disjoint")
                .with("a", "index_vector_dim")
                .with("b", names.indices_batching)
                .with("dimension", vector_dim);
            return Err(cx.error(batching_rule, message).at_attr(names.indices_batching));
        }
        if batching.len() != indices_batching.len() {
            let message = Message::ops("op-dot-pairs")
                .with("left", names.operand_batching)
                .with("leftcount", batching.len())
                .with("right", names.indices_batching)
                .with("rightcount", indices_batching.len());
            return Err(cx.error(sizes_rule, message).at_attr(names.indices_batching));
        }
        for (operand_dim, indices_dim) in batching.iter().zip(&indices_batching) {
            let (size, found) = (operand.dimensions[*operand_dim], indices.dimensions[*indices_dim]);
            if size != found {
                let message = Message::ops("op-batching-sizes")
                    .with("operand", *operand_dim)
                    .with("size", size)
                    .with("indices", *indices_dim)
                    .with("found", found);
                return Err(cx.error(sizes_rule, message).at_attr(names.indices_batching));
            }
        }
        let batch_position = |d: usize| if d > vector_dim { d - 1 } else { d };
        let batching: Vec<(usize, usize)> = batching
            .into_iter()
            .zip(indices_batching)
            .map(|(operand_dim, indices_dim)| (operand_dim, batch_position(indices_dim)))
            .collect();
        let is_window =
            |d: &usize| !dropped.contains(d) && !batching.iter().any(|(operand_dim, _)| operand_dim == d);
        Ok(Self {
            batch: (0..windowed_rank).filter(|d| !window.contains(d)).collect(),
            operand_window: (0..operand.rank()).filter(is_window).collect(),
            window,
            map,
            batching,
            vector_dim,
            is_implicit: vector_dim == indices.rank(),
            batch_sizes,
            rank: operand.rank(),
        })
    }

    /// The index, in the start indices, of component `k` of the index vector of the window `batch`.
    pub fn component_index(&self, batch: &[i64], k: usize) -> Dims {
        let mut index: Dims = batch.into();
        if !self.is_implicit {
            index.insert(self.vector_dim, to_i64(k));
        }
        index
    }

    /// The batch index of an element of the windowed array.
    pub fn batch_index(&self, windowed: &[i64]) -> Dims {
        self.batch.iter().map(|d| windowed[*d]).collect()
    }

    /// The offset from the start index, in the operand, of an element of the windowed array.
    pub fn window_offset(&self, windowed: &[i64]) -> Dims {
        let mut offset = Dims::from_elem(0, self.rank);
        for (d, operand_dim) in self.window.iter().zip(&self.operand_window) {
            offset[*operand_dim] = windowed[*d];
        }
        for (d, position) in &self.batching {
            offset[*d] = windowed[self.batch[*position]];
        }
        offset
    }
}

/// JAX code of the indices with the index vector as the last dimension, which JAX requires, and the batching
/// dimensions of these indices.
pub(super) fn vectors_last(
    to: &ExportContext,
    number: usize,
    batching: &'static str,
) -> Option<(String, Vec<i64>)> {
    let (x, rank) = (to.name(number), i64::try_from(to.array(number)?.rank()).ok()?);
    let d = to.cx.int("index_vector_dim").ok()?;
    let text = match d {
        d if d == rank => format!("{x}[..., None]"),
        d if d + 1 == rank => x.to_owned(),
        d => format!("jnp.moveaxis({x}, {d}, -1)"),
    };
    Some((text, to.cx.ints(batching).iter().map(|e| if *e > d { e - 1 } else { *e }).collect()))
}
