//! `gather`: see [`Gather`].

use std::fmt::Write;

use super::copied_slice::CopiedSlice;
use super::export::tuple;
use super::indexing::{AttrNames, DimensionNumbers};
use super::infer::comma_separated;
use super::tasks::{self, Fallback, PlannedTask, TaskContext};
use super::{
    AttrKind, AttrSpec, AttrValue, Category, DimensionsOf, Example, ExportContext, Expression, Formula,
    History, Language, OpContext, OpDef, OpError, OpMeta, OpPart, Operands, Role, Rule, Semantics,
};
use xla_array::{ArrayShape, Dims, Shape, Value};
use xla_kernels::Task;
use xla_kernels::task::{self as kernels, Array};
use xla_messages::i18n::Message;

/// Gathers slices of an array at the start indices.
///
/// The result has a batch dimension per dimension of the start indices except `index_vector_dim`, and the dimensions
/// of a slice of `slice_sizes` as `offset_dims`. Collapsed and batching dimensions of the slice, which have size 1,
/// are omitted. A start index is clamped to `[0, size - slice size]`. If a collapsed dimension has slice size 0, the
/// slice is empty and the result elements are zero. Source: "Gather" of XLA's operation semantics;
/// `ShapeInference::InferGatherShape`, XLA's `GatherExpander`.
pub struct Gather;

static META: OpMeta = OpMeta {
    opcode: "gather",
    title: "Gather",
    search_terms: &["take", "index_select", "embedding lookup"],
    sections: &["Gather"],
    category: Category::Movement,
    history: History::not_in_2017("instead-gather"),
    summary: "op-gather",
    formula: Formula::Symbols("out[batch, offset] = operand[clamp(0, start(batch), size - slice size) + offset]"),
    operands: Operands::exactly(&["operand", "start indices"]),
    inline_attr: None,
    attrs: &[
        AttrSpec::required("offset_dims", AttrKind::Ints, "attr-offset-dims").dimensions_of(DimensionsOf::Result),
        AttrSpec::required("collapsed_slice_dims", AttrKind::Ints, "attr-collapsed-slice-dims").dimensions_of(DimensionsOf::Operand(0)),
        AttrSpec::required("start_index_map", AttrKind::Ints, "attr-index-map").dimensions_of(DimensionsOf::Operand(0)),
        AttrSpec::optional("operand_batching_dims", AttrKind::Ints, "attr-operand-batching-dims").dimensions_of(DimensionsOf::Operand(0)),
        AttrSpec::optional("start_indices_batching_dims", AttrKind::Ints, "attr-indices-batching-dims").dimensions_of(DimensionsOf::Operand(1)),
        AttrSpec::required("index_vector_dim", AttrKind::Int, "attr-index-vector-dim").dimensions_of(DimensionsOf::Operand(1)),
        AttrSpec::required("slice_sizes", AttrKind::Ints, "attr-slice-sizes"),
        AttrSpec::optional("indices_are_sorted", AttrKind::Bool, "attr-indices-are-sorted"),
    ],
    rules: &[
        Rule {
            identifier: "gather-1",
            description: "rule-indices-type",
            violated_by: "x = f32[4,3] parameter(0) i = f32[2] parameter(1) ROOT r = gather(x, i), offset_dims={1},
                        collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}",
        },
        Rule {
            identifier: "gather-2",
            description: "rule-index-vector-dim",
            violated_by: "x = f32[4,3] parameter(0) i = s32[2] parameter(1) ROOT r = gather(x, i), offset_dims={1},
                        collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2, slice_sizes={1,3}",
        },
        Rule {
            identifier: "gather-3",
            description: "rule-window-dims-order",
            violated_by: "x = f32[4,3] parameter(0) i = s32[2] parameter(1) ROOT r = gather(x, i), offset_dims={1,0},
                        collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}",
        },
        Rule {
            identifier: "gather-4",
            description: "rule-window-dims-range",
            violated_by: "x = f32[4,3] parameter(0) i = s32[2] parameter(1) ROOT r = gather(x, i), offset_dims={2},
                        collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}",
        },
        Rule {
            identifier: "gather-5",
            description: "rule-index-components",
            violated_by: "x = f32[4,3] parameter(0) i = s32[2] parameter(1) ROOT r = gather(x, i), offset_dims={1},
                        collapsed_slice_dims={0}, start_index_map={0,1}, index_vector_dim=1, slice_sizes={1,3}",
        },
        Rule {
            identifier: "gather-6",
            description: "rule-index-map",
            violated_by: "x = f32[4,3] parameter(0) i = s32[2,2] parameter(1) ROOT r = gather(x, i), offset_dims={1},
                        collapsed_slice_dims={0}, start_index_map={0,0}, index_vector_dim=1, slice_sizes={1,3}",
        },
        Rule {
            identifier: "gather-7",
            description: "rule-dropped-dims",
            violated_by: "x = f32[4,3] parameter(0) i = s32[2] parameter(1) ROOT r = gather(x, i), offset_dims={},
                        collapsed_slice_dims={1,0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,1}",
        },
        Rule {
            identifier: "gather-8",
            description: "rule-batching-dims",
            violated_by: "x = f32[4,3] parameter(0) i = s32[4] parameter(1) ROOT r = gather(x, i), offset_dims={1},
                        collapsed_slice_dims={}, start_index_map={0}, operand_batching_dims={0},
                        start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,3}",
        },
        Rule {
            identifier: "gather-9",
            description: "rule-batching-sizes",
            violated_by: "x = f32[4,3] parameter(0) i = s32[2] parameter(1) ROOT r = gather(x, i), offset_dims={},
                        collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0},
                        start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,1}",
        },
        Rule {
            identifier: "gather-10",
            description: "rule-entry-a-dimension",
            violated_by: "x = f32[4,3] parameter(0) i = s32[2] parameter(1) ROOT r = gather(x, i), offset_dims={1},
                        collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}",
        },
        Rule {
            identifier: "gather-11",
            description: "rule-gather-window",
            violated_by: "x = f32[4,3] parameter(0) i = s32[2] parameter(1) ROOT r = gather(x, i), offset_dims={1},
                        collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}",
        },
        Rule {
            identifier: "gather-12",
            description: "rule-slice-fits",
            violated_by: "x = f32[4,3] parameter(0) i = s32[2] parameter(1) ROOT r = gather(x, i), offset_dims={1},
                        collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}",
        },
        Rule {
            identifier: "gather-13",
            description: "rule-gather-collapsed",
            violated_by: "x = f32[4,3] parameter(0) i = s32[2] parameter(1) ROOT r = gather(x, i), offset_dims={1},
                        collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={2,3}",
        },
    ],
    examples: &[
Example {
 title: "shows-rows",
            hlo: "x = s32[3,2] constant({{1,2},{3,4},{5,6}}) i = s32[2] constant({2, 0})
                  ROOT r = gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0},
                  index_vector_dim=1, slice_sizes={1,2}",
            result: "s32[2,2] { {5, 6}, {1, 2} }",
        },
Example {
 title: "shows-one-per-row",
            hlo: "x = s32[2,3] constant({{1,2,3},{4,5,6}}) i = s32[2] constant({2, 1})
                  ROOT r = gather(x, i), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1},
                  operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,1}",
            result: "s32[2] {3, 5}",
        },
Example {
 title: "shows-clamped-index",
            hlo: "x = f32[5] constant({10, 11, 12, 13, 14}) i = s32[4,1] constant({{-1}, {0}, {4}, {9}})
                  ROOT r = gather(x, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0},
                  index_vector_dim=1, slice_sizes={1}",
            result: "f32[4] {10, 10, 14, 14}",
        },
],
};

static NAMES: AttrNames = AttrNames {
    window: "offset_dims",
    dropped: "collapsed_slice_dims",
    map: "start_index_map",
    operand_batching: "operand_batching_dims",
    indices_batching: "start_indices_batching_dims",
    rules: [
        "gather-1", "gather-2", "gather-3", "gather-4", "gather-5", "gather-6", "gather-7", "gather-8",
        "gather-9",
    ],
};

/// Checks the dimension numbers.
fn check_dimension_numbers(cx: &OpContext) -> Result<DimensionNumbers, OpError> {
    let (operand, indices) = (cx.array(0)?, cx.array(1)?);
    let vector_dim = DimensionNumbers::check_vector_dim(cx, 1, &NAMES)?;
    DimensionNumbers::check(cx, operand, indices, vector_dim, &NAMES)
}

/// Checks `slice_sizes`.
fn check_slices(cx: &OpContext, operand: &ArrayShape, numbers: &DimensionNumbers) -> Result<(), OpError> {
    let sizes = cx.ints("slice_sizes");
    if sizes.len() != operand.rank() {
        let message = Message::ops("op-entries")
            .with("name", "slice_sizes")
            .with("found", sizes.len())
            .with("rank", operand.rank());
        return Err(cx.error("gather-10", message).at_attr("slice_sizes"));
    }
    let (offset_rank, window_rank) = (numbers.window.len(), numbers.operand_window.len());
    if offset_rank != window_rank {
        let message = Message::ops("op-gather-window").with("found", offset_rank).with("kept", window_rank);
        return Err(cx.error("gather-11", message).at_attr("offset_dims"));
    }
    for (d, (size, operand_size)) in sizes.iter().zip(&operand.dimensions).enumerate() {
        let is_collapsed = !numbers.operand_window.contains(&d);
        if *size >= 0 && size <= operand_size && !(is_collapsed && *size > 1) {
            continue;
        }
        let mut valid_sizes = sizes.to_vec();
        // An unbounded size is negative.
        valid_sizes[d] = if is_collapsed { 1 } else { *size }.min(*operand_size).max(0);
        let (rule, key) = if *size < 0 || size > operand_size {
            ("gather-12", "op-slice-fits")
        } else {
            ("gather-13", "op-gather-collapsed")
        };
        let message = Message::ops(key).with("dimension", d).with("found", *size).with("size", *operand_size);
        let fix = format!("{{{}}}", comma_separated(&valid_sizes));
        return Err(cx
            .error(rule, message)
            .at_attr("slice_sizes")
            .with_fix(OpPart::Attr("slice_sizes"), fix));
    }
    Ok(())
}

impl OpDef for Gather {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn is_default_attr(&self, name: &str, cx: &OpContext) -> bool {
        match cx.attrs.get(name) {
            Some(AttrValue::Ints(numbers)) => name.ends_with("batching_dims") && numbers.is_empty(),
            Some(AttrValue::Bool(flag)) => !flag,
            _ => false,
        }
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (operand, numbers) = (cx.array(0)?, check_dimension_numbers(cx)?);
        check_slices(cx, operand, &numbers)?;
        let slices = cx.ints("slice_sizes");
        let mut sizes = Dims::from_elem(0, numbers.batch.len() + numbers.window.len());
        for (d, size) in numbers.batch.iter().zip(&numbers.batch_sizes) {
            sizes[*d] = *size;
        }
        for (d, operand_dim) in numbers.window.iter().zip(&numbers.operand_window) {
            sizes[*d] = slices[*operand_dim];
        }
        cx.result(operand.element_type, sizes)
    }

    fn task(&self, context: &TaskContext) -> Result<PlannedTask, Fallback> {
        let numbers = check_dimension_numbers(context.cx).map_err(|_| Fallback::NoKernel)?;
        if !numbers.batching.is_empty() {
            return Err(Fallback::NoKernel);
        }
        let slices: Vec<usize> = context
            .cx
            .ints("slice_sizes")
            .iter()
            .map(|size| tasks::to_usize(*size))
            .collect::<Result<_, _>>()?;
        // The result of empty slices is zero, which is not an element that a kernel could read.
        if slices.contains(&0) {
            return Err(Fallback::NoKernel);
        }
        // Indexed dimensions first.
        let mut order = numbers.map.clone();
        order.extend((0..slices.len()).filter(|d| !numbers.map.contains(d)));
        let ty = context.copy_type(0)?;
        let operand = Array { ty, view: context.view(0)?.permuted(&order) };
        let mut indices = context.array(1)?;
        indices.view = numbers.vectors_last(&indices.view);
        // The result has the batch dimensions, then those of a slice in the permuted order.
        let window_dims: Vec<usize> =
            order.iter().copied().filter(|d| numbers.operand_window.contains(d)).collect();
        let offset_dim =
            |d: &usize| numbers.operand_window.iter().position(|other| other == d).map(|i| numbers.window[i]);
        let offset_dims =
            window_dims.iter().map(offset_dim).collect::<Option<Vec<_>>>().ok_or(Fallback::NoKernel)?;
        let out_order: Vec<usize> = numbers.batch.iter().copied().chain(offset_dims).collect();
        let task = kernels::Gather {
            operand,
            indices,
            out: Array { ty, view: context.out_view()?.permuted(&out_order) },
            slice_sizes: order.iter().map(|d| slices[*d]).collect(),
            collapsed: (0..order.len()).filter(|i| !numbers.operand_window.contains(&order[*i])).collect(),
        };
        Ok(PlannedTask { task: Task::Gather(task), reads: vec![0, 1] })
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let (numbers, slices) = (check_dimension_numbers(cx)?, Dims::from(cx.ints("slice_sizes")));
        let sizes = cx.array(0)?.dimensions.clone();
        let is_empty = slices.contains(&0);
        Ok(Semantics::per_element(move |out, read| {
            if is_empty {
                // XLA's result for an empty slice.
                return Value::Int(0);
            }
            let batch = numbers.batch_index(out);
            let mut index = numbers.window_offset(out);
            for (k, d) in numbers.map.iter().enumerate() {
                let start = read.get(1, &numbers.component_index(&batch, k), Role::Start).as_index();
                index[*d] += start.clamp(0, sizes[*d] - slices[*d]);
            }
            read.get(0, &index, Role::Value)
        }))
    }

    fn copied_slice(&self, cx: &OpContext, out: &[i64]) -> Option<CopiedSlice> {
        let (numbers, sizes) = (check_dimension_numbers(cx).ok()?, Dims::from(cx.ints("slice_sizes")));
        // Along batching dimensions, whose slice size is 1, the batch index is the start.
        let offsets = numbers.window_offset(out).into_iter().zip(&sizes);
        let offset = offsets.map(|(offset, size)| offset.min(size - 1)).collect();
        (!sizes.contains(&0)).then_some(CopiedSlice { operand: 0, offset, sizes })
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        // JAX rejects empty slices.
        if to.language != Language::Jax || to.cx.ints("slice_sizes").contains(&0) {
            return None;
        }
        let ints = |name: &'static str| tuple(to.cx.ints(name));
        let (indices, batching) = super::indexing::vectors_last(to, 1, "start_indices_batching_dims")?;
        let mut numbers = format!(
            "lax.GatherDimensionNumbers({}, {}, {}",
            ints("offset_dims"),
            ints("collapsed_slice_dims"),
            ints("start_index_map")
        );
        if !batching.is_empty() {
            let _ = write!(numbers, ", {}, {}", ints("operand_batching_dims"), tuple(batching));
        }
        let sizes = ints("slice_sizes");
        Some(format!("lax.gather({}, {indices}, {numbers}), {sizes}, mode=\"clip\")", to.name(0)).into())
    }
}
