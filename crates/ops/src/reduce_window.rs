//! `reduce-window`: see [`ReduceWindow`].

use std::fmt::Write;

use super::attrs::WindowDim;
use super::export::windows::{named_window, window_dim};
use super::export::{padding_pairs, per_dimension, tuple};
use super::read::UNSET;
use super::reduce::{check_init, check_reducer, result_shape};
use super::tasks::{self, Fallback, PlannedTask, TaskContext};
use super::window::{self, rules_with_window};
use super::{
    AttrKind, AttrSpec, BaseArea, Category, Change, EditionExample, Example, ExampleOutcome, ExportContext,
    Expression, Formula, History, Language, OpContext, OpDef, OpError, OpMeta, Operands, Role, Rule,
    Semantics,
};
use xla_array::index::for_each_combination;
use xla_array::{Dims, ElementType, Shape, Value};
use xla_kernels::{Task, task as kernels};
use xla_messages::i18n::Message;

/// Reduces each window over an array, or over several arrays together, by a computation, starting from `init`.
///
/// The order is not specified; here it is row-major. The window has an entry per dimension. Elements in padding or in
/// holes of dilation are skipped; XLA's operation semantics pad with `init`. Both are the same if `init` is the
/// identity; otherwise `init` is applied exactly once here. A window without elements yields `init`. `rhs_reversal`
/// has no effect. Several operands need as many inits, a computation with twice as many parameters (accumulators
/// first) and an explicit result shape, a tuple. XLA 2017 has neither dilations nor negative padding. Source:
/// `ReduceWindow` of XLA's operation semantics; `ShapeInference::InferReduceWindowShape`.
pub struct ReduceWindow;

/// The difference in XLA 2017.
static CHANGE: Change = Change {
    formula: None,
    v2017: "then-window",
    current: "now-window",
    example: EditionExample {
        title: "difference-window",
        hlo: "x = f32[5] constant({1, 2, 3, 4, 5}) z = f32[] constant(0)
              ROOT r = reduce-window(x, z), window={size=3 pad=-1_0}, to_apply={
                a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        v2017: ExampleOutcome::Error("window-2017"),
        current: ExampleOutcome::Value("f32[2] {9, 12}"),
    },
};

static META: OpMeta = OpMeta {
    opcode: "reduce-window",
    title: "ReduceWindow",
    search_terms: &["ReduceWindowWithGeneralPadding"],
    sections: &["ReduceWindow"],
    category: Category::Reduction,
    history: History::changed(&CHANGE),
    summary: "op-reduce-window",
    formula: Formula::Words("formula-reduce-window"),
    operands: Operands::variadic_in_current(&["operand", "init"], "operand or init"),
    inline_attr: None,
    attrs: &[
        AttrSpec::optional("window", AttrKind::Window, "attr-window"),
        AttrSpec::required("to_apply", AttrKind::Computation, "attr-reducer"),
    ],
    rules: rules_with_window!(
        "x = f32[3] parameter(0) i = f32[] parameter(1) ROOT r = reduce-window(x, i), to_apply={
         a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }, window=",
        Rule {
            identifier: "reduce-window-1",
            description: "rule-reduce-pairs",
            violated_by: "x = f32[2] parameter(0) i = f32[] parameter(1) ROOT r = reduce-window(x, x, i), window={size=2},
                        to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        },
        Rule {
            identifier: "reduce-window-2",
            description: "rule-same-sizes",
            violated_by: "x = f32[2] parameter(0) y = f32[3] parameter(1) i = f32[] parameter(2)
                        ROOT r = (f32[1], f32[1]) reduce-window(x, y, i, i), window={size=2}, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] parameter(2) d = f32[] parameter(3)
                        ROOT t = tuple(a, b) }",
        },
        Rule {
            identifier: "reduce-window-3",
            description: "rule-reducer-parameters",
            violated_by: "x = f32[2] parameter(0) i = f32[] parameter(1) ROOT r = reduce-window(x, i), window={size=2},
                        to_apply={ a = f32[] parameter(0) ROOT c = negate(a) }",
        },
        Rule {
            identifier: "reduce-window-4",
            description: "rule-reducer-types",
            violated_by: "x = f32[2] parameter(0) i = s32[] parameter(1) ROOT r = reduce-window(x, i), window={size=2},
                        to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        },
    ),
    examples: &[
Example {
 title: "shows-max-pooling",
            hlo: "x = f32[4,6] constant({{1,2,3,4,5,6},{7,8,9,10,11,12},{13,14,15,16,17,18},{19,20,21,22,23,24}})
                  i = f32[] constant(-inf)
                  ROOT r = reduce-window(x, i), window={size=2x3 stride=2x3}, to_apply={
                  y = f32[] parameter(0) x = f32[] parameter(1) ROOT m = maximum(y, x) }",
            result: "f32[2,2] { {9, 12}, {21, 24} }",
        },
Example {
 title: "shows-overlapping",
            hlo: "x = f32[4,6] constant({{1,2,3,4,5,6},{7,8,9,10,11,12},{13,14,15,16,17,18},{19,20,21,22,23,24}})
                  i = f32[] constant(-inf)
                  ROOT r = reduce-window(x, i), window={size=2x3}, to_apply={
                  y = f32[] parameter(0) x = f32[] parameter(1) ROOT m = maximum(y, x) }",
            result: "f32[3,4] { {9, 10, 11, 12}, {15, 16, 17, 18}, {21, 22, 23, 24} }",
        },
Example {
 title: "shows-padded-sum",
            hlo: "x = f32[5] constant({10,11,12,13,14}) i = f32[] constant(1)
                  ROOT r = reduce-window(x, i), window={size=3 pad=1_1}, to_apply={
                  a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
            result: "f32[5] {22, 34, 37, 40, 28}",
        },
Example {
 title: "shows-running-sum",
            hlo: "x = s32[5] constant({1,2,3,4,5}) i = s32[] constant(0)
                  ROOT cumulative = reduce-window(x, i), window={size=5 pad=4_0}, to_apply={
                  a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = add(a, b) }",
            result: "s32[5] {1, 3, 6, 10, 15}",
        },
Example {
 title: "shows-dilated",
            hlo: "x = f32[5] constant({10,11,12,13,14}) i = f32[] constant(0)
                  ROOT r = reduce-window(x, i), window={size=2 lhs_dilate=2 rhs_dilate=2}, to_apply={
                  a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
            result: "f32[7] {21, 0, 23, 0, 25, 0, 27}",
        },
Example {
 title: "shows-argmax",
            hlo: "x = f32[4] constant({1,3,3,2}) n = s32[4] iota(), iota_dimension=0
                  i = f32[] constant(-inf) j = s32[] constant(-1)
                  ROOT argmax = (f32[3], s32[3]) reduce-window(x, n, i, j), window={size=2}, to_apply={
                  a = f32[] parameter(0) k = s32[] parameter(1) b = f32[] parameter(2) l = s32[] parameter(3)
                  p = compare(a, b), direction=GE m = select(p, a, b) at = select(p, k, l) ROOT t = tuple(m, at) }",
            result: "(f32[3], s32[3]) ( {3, 3, 3}, {1, 1, 2} )",
        },
],
};

impl OpDef for ReduceWindow {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        if !cx.operands.len().is_multiple_of(2) {
            let message = Message::ops("op-reduce-pairs").with("found", cx.operands.len());
            return Err(cx.error("reduce-window-1", message));
        }
        let (arrays, first) = (cx.arrays()?, cx.array(0)?);
        let count = arrays.len() / 2;
        if count > 1 {
            cx.require_result_shape()?;
        }
        for (i, array) in arrays.iter().enumerate().take(count) {
            if array.dimensions != first.dimensions {
                return Err(cx.size_mismatch("reduce-window-2", i, 0));
            }
        }
        let types: Vec<ElementType> = arrays[..count].iter().map(|array| array.element_type).collect();
        check_reducer(cx, "to_apply", &types, ["reduce-window-3", "reduce-window-4"])?;
        for (i, t) in types.iter().enumerate() {
            check_init(cx, "reduce-window-4", count + i, *t)?;
        }
        let axes = window::axes(cx, &first.dimensions, |_| 1)?;
        window::check_2017(cx)?;
        let sizes: Dims = axes.iter().map(window::Axis::window_count).collect();
        result_shape(cx, &types, &sizes)
    }

    fn task(&self, context: &TaskContext) -> Result<PlannedTask, Fallback> {
        context.require_current_edition()?;
        let (operand, out) = (context.array(0)?, context.out()?);
        if context.operands.len() != 2 {
            return Err(Fallback::UnsupportedComputation);
        }
        let reducer = context.reducer("to_apply", operand.ty)?;
        let window = tasks::windows(context.cx.window("window"))?;
        Ok(PlannedTask {
            task: Task::ReduceWindow(kernels::ReduceWindow { operand, out, window, reducer }),
            reads: vec![0, 1],
        })
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let axes = window::axes(cx, &cx.array(0)?.dimensions, |_| 1)?;
        let (count, region) = (cx.operands.len() / 2, cx.region("to_apply")?);
        let is_tuple = matches!(cx.signature("to_apply")?.1.result, Shape::Tuple(_));
        let reduce = move |out: &[i64], read: &mut dyn super::Read, results: &mut [Value]| {
            for (k, result) in results.iter_mut().enumerate() {
                *result = read.get(count + k, &[], Role::Init);
            }
            let mut arguments = vec![UNSET; 2 * count];
            let mut index = Dims::from_elem(0, axes.len());
            for_each_combination(&window::elements(&axes, out.iter().copied()), |elements| {
                for (i, element) in index.iter_mut().zip(elements) {
                    *i = element.base_index;
                }
                arguments[..count].copy_from_slice(results);
                for (k, argument) in arguments[count..].iter_mut().enumerate() {
                    *argument = read.get(k, &index, Role::Value);
                }
                read.apply(&region, &arguments, results)
            });
        };
        if is_tuple {
            return Ok(Semantics::per_element_tuple(reduce));
        }
        Ok(Semantics::per_element(move |out, read| {
            let mut result = [UNSET];
            reduce(out, read, &mut result);
            result[0]
        }))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let (f, dims, arrays) = (to.function("to_apply")?, to.cx.window("window"), to.names.len() / 2);
        // JAX and NumPy have no reversal.
        if to.language != Language::Rust && dims.iter().any(|d| d.reversal) {
            return None;
        }
        let strides = per_dimension(dims, |d| d.stride);
        match to.language {
            Language::Rust if arrays != 1 => None,
            Language::Rust => {
                let all = to.joined_names();
                let named = named_window(dims, &to.array(0)?.dimensions);
                let text = named.map(|window| format!("b.reduce_window({all}, {f}, {window})"));
                let general = || {
                    let dims: Vec<String> = dims.iter().map(window_dim).collect();
                    format!("b.reduce_window_with_general_padding({all}, {f}, &[{}])", dims.join(", "))
                };
                Some(text.unwrap_or_else(general).into())
            }
            Language::Jax => {
                let (arrays, inits) = to.names.split_at(arrays);
                let (operand, init, f) = match (arrays, inits) {
                    ([x], [init]) => ((*x).to_owned(), (*init).to_owned(), f),
                    _ => (tuple(arrays), tuple(inits), format!("lambda left, right: {f}(*left, *right)")),
                };
                let (sizes, pads) = (per_dimension(dims, |d| d.size), padding_pairs(dims));
                let mut text =
                    format!("lax.reduce_window({operand}, {init}, {f}, {sizes}, {strides}, {pads}");
                if dims.iter().any(|d| d.base_dilation != 1 || d.window_dilation != 1) {
                    let (base, window) = (
                        per_dimension(dims, |d| d.base_dilation),
                        per_dimension(dims, |d| d.window_dilation),
                    );
                    let _ = write!(text, ", {base}, {window}");
                }
                Some(format!("{text})").into())
            }
            Language::NumPy => {
                // Padding in NumPy would apply the initial value more than once.
                let is_unpadded_undilated = |d: &WindowDim| {
                    let is_unpadded = (d.pad_low, d.pad_high) == (0, 0);
                    is_unpadded && d.base_dilation == 1 && d.window_dilation == 1
                };
                let has_windows = to.array(0)?.dimensions.iter().zip(dims).all(|(size, d)| d.size <= *size);
                if arrays != 1 || dims.is_empty() || !has_windows || !dims.iter().all(is_unpadded_undilated) {
                    return None;
                }
                let (f, element_type) = (to.ufunc("to_apply")?, to.result()?.element_type);
                let (dtype, x, init) = (to.dtype(element_type)?, to.name(0), to.name(1));
                let view = format!(
                    "np.lib.stride_tricks.sliding_window_view({x}, {})",
                    per_dimension(dims, |d| d.size)
                );
                let steps: Vec<String> = dims.iter().map(|d| format!("::{}", d.stride)).collect();
                let axes = tuple((-i64::try_from(dims.len()).ok()?)..0);
                let steps = steps.join(", ");
                Some(
                    format!("{f}.reduce({view}[{steps}], axis={axes}, dtype={dtype}, initial={init})").into(),
                )
            }
        }
    }

    fn base_area(&self, cx: &OpContext) -> Option<BaseArea> {
        window::base_area(cx, None)
    }

    fn is_default_attr(&self, name: &str, cx: &OpContext) -> bool {
        name == "window" && cx.window(name).is_empty()
    }
}
