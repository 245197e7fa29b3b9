//! `slice`: see [`Slice`].

use super::attrs::{AttrValue, SliceDim};
use super::export::tuple;
use super::tasks::{self, Fallback, PlannedTask, TaskContext};
use super::{
    AttrKind, AttrSpec, Category, Change, EditionExample, Example, ExampleOutcome, ExportContext, Expression,
    Formula, History, Language, OpContext, OpDef, OpError, OpMeta, OpPart, Operands, Role, Rule, Semantics,
};
use xla_array::{Dims, Edition, Shape};
use xla_messages::i18n::Message;

/// Extracts a slice: per dimension, the elements from `start` to `limit` in steps of `stride`.
///
/// An empty range (`start = limit`) is legal in current XLA; XLA 2017 required `start < limit`, and had no
/// strides. The shape must be written.
/// Source: XLA's operation semantics, "Slice"; `ShapeInference::InferSliceShape`.
pub struct Slice;

/// The difference in XLA 2017.
static CHANGE: Change = Change {
    formula: Some(Formula::Symbols("out[i] = operand[start + i]")),
    v2017: "then-slice",
    current: "now-slice",
    example: EditionExample {
        title: "difference-slice",
        hlo: "a = s32[5] constant({0, 1, 2, 3, 4}) ROOT r = s32[3] slice(a), slice={[0:5:2]}",
        v2017: ExampleOutcome::Error("slice-2017"),
        current: ExampleOutcome::Value("s32[3] {0, 2, 4}"),
    },
};

static META: OpMeta = OpMeta {
    opcode: "slice",
    title: "Slice",
    search_terms: &["SliceInDim"],
    sections: &["Slice"],
    category: Category::Movement,
    history: History::changed(&CHANGE),
    summary: "op-slice",
    formula: Formula::Symbols("out[i] = operand[start + i·stride]"),
    operands: Operands::exactly(&["operand"]),
    inline_attr: None,
    attrs: &[AttrSpec::required("slice", AttrKind::Slice, "attr-slice")],
    rules: &[
        Rule {
            identifier: "slice-1",
            description: "rule-entry-a-dimension",
            violated_by: "x = f32[5,5] parameter(0) ROOT r = f32[2,5] slice(x), slice={[0:2]}",
        },
        Rule {
            identifier: "slice-2",
            description: "rule-slice-stride",
            violated_by: "x = f32[5] parameter(0) ROOT r = f32[5] slice(x), slice={[0:5:0]}",
        },
        Rule {
            identifier: "slice-3",
            description: "rule-slice-range",
            violated_by: "x = f32[5] parameter(0) ROOT r = f32[6] slice(x), slice={[0:6]}",
        },
    ],
    examples: &[
        Example {
            title: "shows-middle",
            hlo: "a = f32[5] constant({0, 1, 2, 3, 4}) ROOT r = f32[2] slice(a), slice={[2:4]}",
            result: "f32[2] {2, 3}",
        },
        Example {
            title: "shows-block",
            hlo: "b = f32[4,3] constant({{0,1,2},{3,4,5},{6,7,8},{9,10,11}})
                  ROOT r = f32[2,2] slice(b), slice={[2:4], [1:3]}",
            result: "f32[2,2] { {7, 8}, {10, 11} }",
        },
    ],
};

impl OpDef for Slice {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (operand, ranges) = (cx.array(0)?, cx.slice("slice")?);
        cx.require_result_shape()?;
        if ranges.len() != operand.rank() {
            let message = Message::ops("op-entries")
                .with("name", "slice")
                .with("found", ranges.len())
                .with("rank", operand.rank());
            let full_range = |d: usize| SliceDim { start: 0, limit: operand.dimensions[d], stride: 1 };
            let valid = (0..operand.rank()).map(|d| ranges.get(d).copied().unwrap_or_else(|| full_range(d)));
            let fix = AttrValue::Slice(valid.collect()).to_string();
            return Err(cx.error("slice-1", message).at_attr("slice").with_fix(OpPart::Attr("slice"), fix));
        }
        let mut sizes = Dims::new();
        for (d, (range, size)) in ranges.iter().zip(&operand.dimensions).enumerate() {
            let SliceDim { start, limit, stride } = *range;
            if stride <= 0 {
                let message = Message::ops("op-slice-stride").with("dimension", d).with("stride", stride);
                return Err(cx.error("slice-2", message).at_attr("slice"));
            }
            if start < 0 || start > limit || limit > *size {
                let message = Message::ops("op-slice-range")
                    .with("dimension", d)
                    .with("start", start)
                    .with("limit", limit)
                    .with("size", *size);
                let mut fixed = ranges.to_vec();
                let limit = limit.clamp(0, (*size).max(0));
                fixed[d] = SliceDim { start: start.clamp(0, limit), limit, stride };
                let fix = AttrValue::Slice(fixed.into_iter().collect()).to_string();
                return Err(cx
                    .error("slice-3", message)
                    .at_attr("slice")
                    .with_fix(OpPart::Attr("slice"), fix));
            }
            if cx.edition == Edition::V2017 && (start == limit || stride != 1) {
                let key = if stride == 1 { "op-slice-2017-empty" } else { "op-slice-2017-stride" };
                let message = Message::ops(key).with("dimension", d).with("start", start);
                let mut fixed = ranges.to_vec();
                let limit = if start == limit { (start + 1).min(*size) } else { limit };
                fixed[d] = SliceDim { start: start.min(limit - 1), limit, stride: 1 };
                let fix = AttrValue::Slice(fixed.into_iter().collect()).to_string();
                let error = cx.error("slice-2017", message).at_attr("slice");
                return Err(if *size > 0 { error.with_fix(OpPart::Attr("slice"), fix) } else { error });
            }
            // Rounded up, without overflow.
            sizes.push((limit - start) / stride + i64::from((limit - start) % stride != 0));
        }
        cx.result(operand.element_type, sizes)
    }

    fn task(&self, context: &TaskContext) -> Result<PlannedTask, Fallback> {
        let (mut from, to) = (context.view(0)?, context.out_view()?);
        from.sizes.clone_from(&to.sizes);
        let ranges = context.cx.slice("slice").map_err(|_| Fallback::NoKernel)?;
        if to.elements() > 0 {
            for (range, stride) in ranges.iter().zip(&mut from.strides) {
                from.offset += tasks::to_usize(range.start)? * stride.unsigned_abs();
                *stride *= isize::try_from(range.stride).map_err(|_| Fallback::NoKernel)?;
            }
        }
        context.copy_task(0, from, to)
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let ranges = cx.slice("slice")?.to_vec();
        Ok(Semantics::per_element(move |out, read| {
            let index: Dims = out.iter().zip(&ranges).map(|(o, r)| r.start + o * r.stride).collect();
            read.get(0, &index, Role::Value)
        }))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let (x, dims) = (to.name(0), to.cx.slice("slice").ok()?);
        let numbers = |f: fn(&SliceDim) -> i64| dims.iter().map(f).collect::<Vec<_>>();
        let (starts, limits, strides) = (numbers(|d| d.start), numbers(|d| d.limit), numbers(|d| d.stride));
        let text = match to.language {
            Language::Rust if strides.iter().all(|stride| *stride == 1) => {
                format!("b.slice({x}, &{starts:?}, &{limits:?})")
            }
            Language::Rust => format!("b.strided_slice({x}, &{starts:?}, &{limits:?}, &{strides:?})"),
            Language::Jax => {
                format!("lax.slice({x}, {}, {}, {})", tuple(starts), tuple(limits), tuple(strides))
            }
            Language::NumPy if dims.is_empty() => x.to_owned(),
            Language::NumPy => {
                let range = |d: &SliceDim| match d.stride {
                    1 => format!("{}:{}", d.start, d.limit),
                    stride => format!("{}:{}:{stride}", d.start, d.limit),
                };
                format!("{x}[{}]", dims.iter().map(range).collect::<Vec<_>>().join(", "))
            }
        };
        Some(text.into())
    }
}
