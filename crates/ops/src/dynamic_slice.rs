//! `dynamic-slice` and `dynamic-update-slice`: see [`DynamicSlice`] and [`DynamicUpdateSlice`].

use super::attrs::AttrValue;
use super::copied_slice::CopiedSlice;
use super::export::tuple;
use super::readers::ValueReader;
use super::tasks::{self, Fallback, PlannedTask, TaskContext};
use super::{
    AttrKind, AttrSpec, Category, Change, EditionExample, Example, ExampleOutcome, ExportContext, Expression,
    Formula, History, Language, OpContext, OpDef, OpError, OpMeta, OpPart, Operands, Read, Role, Rule,
    Semantics,
};
use xla_array::{ArrayShape, Dims, Edition, Shape};
use xla_kernels::Task;
use xla_kernels::View;
use xla_kernels::task::Move;
use xla_messages::bug::OrBug as _;
use xla_messages::i18n::Message;

/// Extracts a slice of an array at start indices given by operands.
///
/// Starts are a scalar per dimension, or one array of rank 1 with an entry per dimension, the only form of 2017.
/// Current XLA clamps a start to `0 ..= size - slice size` in each dimension; in XLA 2017 starts were unsigned and
/// indices wrapped around. The shape must be written. Source: XLA's operation semantics, `DynamicSlice`;
/// `ShapeInference::InferDynamicSliceShape`.
pub struct DynamicSlice;

/// Writes an array into another at start indices given by operands.
///
/// Current XLA clamps a start to `0 ..= size - update size` in each dimension; in XLA 2017 cells past the end were
/// dropped, and a negative start wrote nothing. Source: XLA's operation semantics, `DynamicUpdateSlice`;
/// `ShapeInference::InferDynamicUpdateSliceShape`.
pub struct DynamicUpdateSlice;

/// The difference in XLA 2017.
static SLICE_CHANGE: Change = Change {
    formula: Some(Formula::Symbols("out[i] = operand[(start + i) mod size]")),
    v2017: "then-start",
    current: "now-start",
    example: EditionExample {
        title: "difference-start",
        hlo: "a = s32[8] constant({0,1,2,3,4,5,6,7}) s = s32[1] constant({6})
              ROOT r = s32[4] dynamic-slice(a, s), dynamic_slice_sizes={4}",
        v2017: ExampleOutcome::Value("s32[4] {6, 7, 0, 1}"),
        current: ExampleOutcome::Value("s32[4] {4, 5, 6, 7}"),
    },
};

static SLICE: OpMeta = OpMeta {
    opcode: "dynamic-slice",
    title: "DynamicSlice",
    search_terms: &[],
    sections: &["DynamicSlice"],
    category: Category::Movement,
    history: History::changed(&SLICE_CHANGE),
    summary: "op-dynamic-slice",
    formula: Formula::Symbols("out[i] = operand[clamp(0, start, size - slice size) + i]"),
    operands: Operands::at_least(&["operand", "start"], "start"),
    inline_attr: None,
    attrs: &[AttrSpec::required("dynamic_slice_sizes", AttrKind::Ints, "attr-dynamic-slice-sizes")],
    rules: &[
        Rule {
            identifier: "dynamic-slice-1",
            description: "rule-start-count",
            violated_by: "x = f32[2,2] parameter(0) i = s32[] parameter(1)
                        ROOT r = f32[1,1] dynamic-slice(x, i), dynamic_slice_sizes={1,1}",
        },
        Rule {
            identifier: "dynamic-slice-2",
            description: "rule-start-type",
            violated_by: "x = f32[2] parameter(0) i = f32[] parameter(1)
                        ROOT r = f32[1] dynamic-slice(x, i), dynamic_slice_sizes={1}",
        },
        Rule {
            identifier: "dynamic-slice-3",
            description: "rule-entry-a-dimension",
            violated_by: "x = f32[2] parameter(0) i = s32[] parameter(1)
                        ROOT r = f32[1,1] dynamic-slice(x, i), dynamic_slice_sizes={1,1}",
        },
        Rule {
            identifier: "dynamic-slice-4",
            description: "rule-slice-fits",
            violated_by: "x = f32[2] parameter(0) i = s32[] parameter(1)
                        ROOT r = f32[3] dynamic-slice(x, i), dynamic_slice_sizes={3}",
        },
    ],
    examples: &[
Example {
 title: "shows-from-start",
            hlo: "a = f32[5] constant({0, 1, 2, 3, 4}) s = s32[] constant(2)
                  ROOT r = f32[2] dynamic-slice(a, s), dynamic_slice_sizes={2}",
            result: "f32[2] {2, 3}",
        },
Example {
 title: "shows-block",
            hlo: "b = f32[4,3] constant({{0,1,2},{3,4,5},{6,7,8},{9,10,11}}) i = s32[] constant(2) j = s32[] constant(1)
                  ROOT r = f32[2,2] dynamic-slice(b, i, j), dynamic_slice_sizes={2,2}",
            result: "f32[2,2] { {7, 8}, {10, 11} }",
        },
Example {
 title: "shows-starts-in-vector",
            hlo: "b = f32[4,3] constant({{0,1,2},{3,4,5},{6,7,8},{9,10,11}}) s = s32[2] constant({2, 1})
                  ROOT r = f32[2,2] dynamic-slice(b, s), dynamic_slice_sizes={2,2}",
            result: "f32[2,2] { {7, 8}, {10, 11} }",
        },
Example {
 title: "shows-clamped-start",
 hlo: "a = f32[5] constant({0, 1, 2, 3, 4}) s = s32[] constant(4)
                  ROOT r = f32[2] dynamic-slice(a, s), dynamic_slice_sizes={2}",
 result: "f32[2] {3, 4}",
 },
],
};

/// The difference in XLA 2017.
static UPDATE_CHANGE: Change = Change {
    formula: Some(Formula::Words("formula-dynamic-update-slice-2017")),
    v2017: "then-update",
    current: "now-update",
    example: EditionExample {
        title: "difference-start",
        hlo: "a = s32[5] constant({0,1,2,3,4}) u = s32[3] constant({7,8,9}) s = s32[1] constant({3})
              ROOT r = s32[5] dynamic-update-slice(a, u, s)",
        v2017: ExampleOutcome::Value("s32[5] {0, 1, 2, 7, 8}"),
        current: ExampleOutcome::Value("s32[5] {0, 1, 7, 8, 9}"),
    },
};

static UPDATE: OpMeta = OpMeta {
    opcode: "dynamic-update-slice",
    title: "DynamicUpdateSlice",
    search_terms: &[],
    sections: &["DynamicUpdateSlice"],
    category: Category::Movement,
    history: History::changed(&UPDATE_CHANGE),
    summary: "op-dynamic-update-slice",
    formula: Formula::Words("formula-dynamic-update-slice"),
    operands: Operands::at_least(&["operand", "update"], "start"),
    inline_attr: None,
    attrs: &[],
    rules: &[
        Rule {
            identifier: "dynamic-slice-1",
            description: "rule-start-count",
            violated_by: "x = f32[2] parameter(0) ROOT r = f32[2] dynamic-update-slice(x, x)",
        },
        Rule {
            identifier: "dynamic-slice-2",
            description: "rule-start-type",
            violated_by: "x = f32[2] parameter(0) i = pred[] parameter(1) ROOT r = f32[2] dynamic-update-slice(x, x, i)",
        },
        Rule {
            identifier: "dynamic-slice-5",
            description: "rule-same-type",
            violated_by: "x = f32[2] parameter(0) u = s32[2] parameter(1) i = s32[] parameter(2)
                        ROOT r = f32[2] dynamic-update-slice(x, u, i)",
        },
        Rule {
            identifier: "dynamic-slice-4",
            description: "rule-slice-fits",
            violated_by: "x = f32[2] parameter(0) u = f32[3] parameter(1) i = s32[] parameter(2)
                        ROOT r = f32[2] dynamic-update-slice(x, u, i)",
        },
    ],
    examples: &[
        Example {
            title: "shows-written-from-start",
            hlo: "a = f32[5] constant({0, 1, 2, 3, 4}) u = f32[2] constant({5, 6}) s = s32[] constant(2)
                  ROOT r = f32[5] dynamic-update-slice(a, u, s)",
            result: "f32[5] {0, 1, 5, 6, 4}",
        },
        Example {
            title: "shows-written-block",
            hlo: "b = f32[4,3] constant({{0,1,2},{3,4,5},{6,7,8},{9,10,11}})
                  u = f32[3,2] constant({{12,13},{14,15},{16,17}}) i = s32[] constant(1) j = s32[] constant(1)
                  ROOT r = f32[4,3] dynamic-update-slice(b, u, i, j)",
            result: "f32[4,3] { {0, 1, 2}, {3, 12, 13}, {6, 14, 15}, {9, 16, 17} }",
        },
        Example {
            title: "shows-starts-in-vector",
            hlo: "a = f32[5] constant({0, 1, 2, 3, 4}) u = f32[2] constant({5, 6}) s = s32[1] constant({2})
                  ROOT r = f32[5] dynamic-update-slice(a, u, s)",
            result: "f32[5] {0, 1, 5, 6, 4}",
        },
        Example {
            title: "shows-clamped-start",
            hlo: "a = f32[5] constant({0, 1, 2, 3, 4}) u = f32[2] constant({5, 6}) s = s32[] constant(4)
                  ROOT r = f32[5] dynamic-update-slice(a, u, s)",
            result: "f32[5] {0, 1, 2, 5, 6}",
        },
    ],
};

/// Checks the start indices, the operands from `from` on: a scalar per dimension, or one array of rank 1.
fn check_starts(cx: &OpContext, operand: &ArrayShape, from: usize) -> Result<(), OpError> {
    let mut count = cx.operands.len() - from;
    let vector = start_vector(cx, from);
    if let Some(vector) = vector {
        // An unbounded size counts as 0, and is reported as the wrong number of starts.
        count = vector.dimensions.first().and_then(|size| usize::try_from(*size).ok()).unwrap_or(0);
    }
    for i in from..cx.operands.len() {
        let start = cx.array(i)?;
        let has_expected_rank = start.rank() == usize::from(vector.is_some());
        if !has_expected_rank || !start.element_type.is_integral() || cx.operand(i)? != cx.operand(from)? {
            let message = Message::ops("op-start-type").with("shape", start.human_string());
            return Err(cx.error("dynamic-slice-2", message).at_operand(i));
        }
    }
    if count != operand.rank() {
        let message = Message::ops("op-start-count").with("found", count).with("rank", operand.rank());
        return Err(cx.error("dynamic-slice-1", message));
    }
    if vector.is_none() && operand.rank() > 0 && cx.edition == Edition::V2017 {
        let message = Message::ops("op-dynamic-slice-starts-2017");
        return Err(cx.error("dynamic-slice-2017", message).at_operand(from));
    }
    Ok(())
}

/// The operand that has all start indices, in the form of 2017.
fn start_vector<'a>(cx: &OpContext<'a>, from: usize) -> Option<&'a ArrayShape> {
    let only = cx.operands.get(from).filter(|_| cx.operands.len() == from + 1)?;
    only.as_array().filter(|array| array.rank() == 1)
}

/// Checks that a slice of these sizes fits into the operand.
fn check_sizes(cx: &OpContext, operand: &ArrayShape, sizes: &[i64]) -> Result<(), OpError> {
    for (d, (size, operand_size)) in sizes.iter().zip(&operand.dimensions).enumerate() {
        if *size < 0 || size > operand_size {
            let message = Message::ops("op-slice-fits")
                .with("dimension", d)
                .with("found", *size)
                .with("size", *operand_size);
            return Err(cx.error("dynamic-slice-4", message));
        }
        if *size == 0 && cx.edition == Edition::V2017 {
            let message = Message::ops("op-dynamic-slice-2017").with("dimension", d);
            return Err(cx.error("dynamic-slice-2017", message));
        }
    }
    Ok(())
}

/// The operands of the start indices.
#[derive(Clone, Copy)]
struct Starts {
    /// The operand with the first start index, or with all.
    first_operand: usize,
    /// Whether all are in that operand.
    is_vector: bool,
    edition: Edition,
}

impl Starts {
    fn new(cx: &OpContext, from: usize) -> Self {
        Self { first_operand: from, is_vector: start_vector(cx, from).is_some(), edition: cx.edition }
    }

    /// The start index in dimension `d`; in current XLA clamped to `0..=last`.
    fn read(self, read: &mut dyn Read, d: usize, last: i64) -> i64 {
        let value = if self.is_vector {
            read.get(self.first_operand, &[i64::try_from(d).or_bug(0, "a rank exceeds i64")], Role::Start)
        } else {
            read.get(self.first_operand + d, &[], Role::Start)
        };
        let raw = value.as_index();
        if self.edition == Edition::Current { raw.clamp(0, last.max(0)) } else { raw }
    }
}

/// The offset of a slice of these sizes in a view, with clamped starts as in current XLA; 0 if their values are
/// unknown.
fn offset(context: &TaskContext, first: usize, view: &View, sizes: &[usize]) -> Result<usize, Fallback> {
    let starts = Starts::new(context.cx, first);
    let Some(values) = context.values else { return Ok(0) };
    let mut read = ValueReader::new(values);
    let mut offset = 0;
    for (d, (size, stride)) in sizes.iter().zip(&view.strides).enumerate() {
        let last = i64::try_from(view.sizes[d].saturating_sub(*size)).map_err(|_| Fallback::NoKernel)?;
        offset += tasks::to_usize(starts.read(&mut read, d, last))? * stride.unsigned_abs();
    }
    Ok(offset)
}

impl OpDef for DynamicSlice {
    fn meta(&self) -> &'static OpMeta {
        &SLICE
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (operand, sizes) = (cx.array(0)?, cx.ints("dynamic_slice_sizes"));
        cx.require_result_shape()?;
        check_starts(cx, operand, 1)?;
        if sizes.len() != operand.rank() {
            let message = Message::ops("op-entries")
                .with("name", "dynamic_slice_sizes")
                .with("found", sizes.len())
                .with("rank", operand.rank());
            let valid_sizes = (0..operand.rank()).map(|d| {
                sizes.get(d).map_or(operand.dimensions[d], |size| (*size).min(operand.dimensions[d]))
            });
            let fix = AttrValue::Ints(valid_sizes.collect()).to_string();
            let error = cx.error("dynamic-slice-3", message).at_attr("dynamic_slice_sizes");
            return Err(error.with_fix(OpPart::Attr("dynamic_slice_sizes"), fix));
        }
        check_sizes(cx, operand, sizes).map_err(|error| error.at_attr("dynamic_slice_sizes"))?;
        cx.result(operand.element_type, sizes.iter().copied())
    }

    fn task(&self, context: &TaskContext) -> Result<PlannedTask, Fallback> {
        context.require_current_edition()?;
        let (mut from, to) = (context.view(0)?, context.out_view()?);
        from.offset += offset(context, 1, &from, &to.sizes)?;
        from.sizes.clone_from(&to.sizes);
        context.copy_task(0, from, to)
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let operand = cx.array(0)?.dimensions.clone();
        let slice: Dims = cx.ints("dynamic_slice_sizes").into();
        let starts = Starts::new(cx, 1);
        // In 2017 the start is read as unsigned, in its own width.
        let bits = cx.arrays()?.get(1).map_or(64, |start| u32::from(start.element_type.bits()));
        Ok(Semantics::per_element(move |out, read| {
            let mut index = Dims::new();
            for (d, o) in out.iter().enumerate() {
                let first = starts.read(read, d, operand[d] - slice[d]);
                index.push(if starts.edition == Edition::Current {
                    first + o
                } else {
                    let unsigned =
                        if first < 0 { i128::from(first) + (1_i128 << bits) } else { first.into() };
                    i64::try_from((unsigned + i128::from(*o)) % i128::from(operand[d]))
                        .or_bug(0, "a remainder is not below its divisor")
                });
            }
            read.get(0, &index, Role::Value)
        }))
    }

    fn copied_slice(&self, cx: &OpContext, out: &[i64]) -> Option<CopiedSlice> {
        let sizes: Dims = cx.ints("dynamic_slice_sizes").into();
        (!sizes.contains(&0)).then(|| CopiedSlice { operand: 0, offset: out.into(), sizes })
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let (x, starts, sizes) = (to.name(0), to.names.get(1..)?, to.cx.ints("dynamic_slice_sizes"));
        // In the older form the starts are one vector.
        let is_vector = to.array(1).is_some_and(|start| start.rank() == 1);
        let starts = if is_vector { to.name(1).to_owned() } else { tuple(starts) };
        match to.language {
            Language::Rust if is_vector => None,
            Language::Rust => {
                Some(format!("b.dynamic_slice({x}, &[{}], &{sizes:?})", to.names[1..].join(", ")).into())
            }
            Language::Jax => {
                let sizes = tuple(sizes);
                Some(
                    format!("lax.dynamic_slice({x}, {starts}, {sizes}, allow_negative_indices=False)").into(),
                )
            }
            Language::NumPy => {
                let last =
                    to.array(0)?.dimensions.iter().zip(sizes).map(|(size, slice_size)| size - slice_size);
                // NumPy promotes u64 starts to floats if the limits are signed.
                let clipped = format!("np.clip({starts}, 0, {}).astype(int)", tuple(last));
                let ranges = format!("slice(s, s + n) for s, n in zip({clipped}, {})", tuple(sizes));
                Some(format!("{x}[tuple({ranges})]").into())
            }
        }
    }
}

impl OpDef for DynamicUpdateSlice {
    fn meta(&self) -> &'static OpMeta {
        &UPDATE
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (operand, update) = (cx.array(0)?, cx.array(1)?);
        cx.require_result_shape()?;
        check_starts(cx, operand, 2)?;
        if update.element_type != operand.element_type {
            return Err(cx.type_mismatch("dynamic-slice-5", 1));
        }
        if update.rank() != operand.rank() {
            return Err(cx.size_mismatch("dynamic-slice-4", 1, 0));
        }
        check_sizes(cx, operand, &update.dimensions).map_err(|error| error.at_operand(1))?;
        Ok(Shape::Array(operand.clone()))
    }

    fn task(&self, context: &TaskContext) -> Result<PlannedTask, Fallback> {
        context.require_current_edition()?;
        let (to, update) = (context.out_view()?, context.view(1)?);
        let offset = offset(context, 2, &to, &update.sizes)?;
        let part =
            View { offset: to.offset + offset, sizes: update.sizes.clone(), strides: to.strides.clone() };
        let parts = vec![(context.view(0)?, to), (update, part)];
        let task = Task::Move(Move { ty: context.copy_type(0)?, parts, has_fill: false });
        Ok(PlannedTask { task, reads: vec![0, 1] })
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let (operand, update) = (cx.array(0)?.dimensions.clone(), cx.array(1)?.dimensions.clone());
        let starts = Starts::new(cx, 2);
        Ok(Semantics::per_element(move |out, read| {
            let mut index = Dims::new();
            let mut is_inside = true;
            for (d, o) in out.iter().enumerate() {
                let first = starts.read(read, d, operand[d] - update[d]);
                let offset =
                    o.checked_sub(first).filter(|offset| first >= 0 && (0..update[d]).contains(offset));
                is_inside &= offset.is_some();
                // Outside, the index is not used.
                index.push(offset.unwrap_or(0));
            }
            if is_inside { read.get(1, &index, Role::Update) } else { read.get(0, out, Role::Value) }
        }))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let (x, update, starts) = (to.name(0), to.name(1), to.names.get(2..)?);
        let is_vector = to.array(2).is_some_and(|start| start.rank() == 1);
        match to.language {
            Language::Rust if is_vector => None,
            Language::Rust => {
                Some(format!("b.dynamic_update_slice({x}, {update}, &[{}])", starts.join(", ")).into())
            }
            Language::Jax => {
                let starts = if is_vector { to.name(2).to_owned() } else { tuple(starts) };
                let arguments = format!("{x}, {update}, {starts}");
                Some(format!("lax.dynamic_update_slice({arguments}, allow_negative_indices=False)").into())
            }
            Language::NumPy => None,
        }
    }
}
