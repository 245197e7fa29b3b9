//! `pad`: see [`Pad`].

use super::attrs::{AttrValue, PaddingDim, WindowDim};
use super::base_area::{BaseArea, BaseAxis};
use super::export::tuple;
use super::tasks::{self, Fallback, PlannedTask, TaskContext};
use super::{
    AttrKind, AttrSpec, Category, Example, ExportContext, Expression, Formula, History, Language, OpContext,
    OpDef, OpError, OpMeta, OpPart, Operands, Role, Rule, Semantics,
};
use xla_array::{Dims, Shape};
use xla_kernels::Task;
use xla_kernels::task::Move;
use xla_messages::i18n::Message;

/// Pads an array with a value, at its edges and between its elements.
///
/// Interior padding is inserted first, then edge padding, which crops where it is negative. Source: XLA's operation
/// semantics, "Pad"; `ShapeInference::InferPadShape`.
pub struct Pad;

static META: OpMeta = OpMeta {
    opcode: "pad",
    title: "Pad",
    search_terms: &[],
    sections: &["Pad"],
    category: Category::Movement,
    history: History::UNCHANGED,
    summary: "op-pad",
    formula: Formula::Words("formula-pad"),
    operands: Operands::exactly(&["operand", "padding value"]),
    inline_attr: None,
    attrs: &[AttrSpec::required("padding", AttrKind::Padding, "attr-padding")],
    rules: &[
        Rule {
            identifier: "pad-1",
            description: "rule-scalar",
            violated_by: "x = f32[3] parameter(0) v = f32[1] parameter(1) ROOT r = pad(x, v), padding=1_1",
        },
        Rule {
            identifier: "pad-2",
            description: "rule-same-type",
            violated_by: "x = f32[3] parameter(0) v = s32[] parameter(1) ROOT r = pad(x, v), padding=1_1",
        },
        Rule {
            identifier: "pad-3",
            description: "rule-entry-a-dimension",
            violated_by: "x = f32[2,3] parameter(0) v = f32[] parameter(1) ROOT r = pad(x, v), padding=1_1",
        },
        Rule {
            identifier: "pad-4",
            description: "rule-pad-interior",
            violated_by: "x = f32[3] parameter(0) v = f32[] parameter(1) ROOT r = pad(x, v), padding=0_0_-1",
        },
        Rule {
            identifier: "pad-5",
            description: "rule-pad-size",
            violated_by: "x = f32[3] parameter(0) v = f32[] parameter(1) ROOT r = pad(x, v), padding=-4_0",
        },
    ],
    examples: &[
        Example {
            title: "shows-edges",
            hlo: "x = s32[2,3] constant({{1,2,3},{4,5,6}}) v = s32[] constant(0)
                  ROOT r = pad(x, v), padding=1_1x2_2",
            result: "s32[4,7] { {0, 0, 0, 0, 0, 0, 0}, {0, 0, 1, 2, 3, 0, 0}, {0, 0, 4, 5, 6, 0, 0},
                     {0, 0, 0, 0, 0, 0, 0} }",
        },
        Example {
            title: "shows-between",
            hlo: "x = s32[2,3] constant({{1,2,3},{4,5,6}}) v = s32[] constant(0)
                  ROOT r = pad(x, v), padding=0_0_1x0_0_1",
            result: "s32[3,5] { {1, 0, 2, 0, 3}, {0, 0, 0, 0, 0}, {4, 0, 5, 0, 6} }",
        },
        Example {
            title: "shows-cropped",
            hlo: "x = s32[2,3] constant({{1,2,3},{4,5,6}}) v = s32[] constant(0)
                  ROOT r = pad(x, v), padding=0_0x-1_-1",
            result: "s32[2,1] { {2}, {5} }",
        },
        Example {
            title: "shows-edges-between-cropped",
            hlo: "x = s32[2,3] constant({{1,2,3},{4,5,6}}) v = s32[] constant(0)
                  ROOT r = pad(x, v), padding=0_0_2x-1_0_1",
            result: "s32[4,4] { {0, 2, 0, 3}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 5, 0, 6} }",
        },
        Example {
            title: "shows-shifted",
            hlo: "x = s32[2,3] constant({{1,2,3},{4,5,6}}) v = s32[] constant(0)
                  ROOT r = pad(x, v), padding=-1_1x0_-1",
            result: "s32[2,2] { {4, 5}, {0, 0} }",
        },
    ],
};

/// The padded size of a dimension; `None` if it does not fit.
fn padded_size(size: i64, p: &PaddingDim) -> Option<i64> {
    let between = size.saturating_sub(1).max(0).checked_mul(p.interior)?;
    size.checked_add(between)?.checked_add(p.low)?.checked_add(p.high)
}

impl OpDef for Pad {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (operand, value, padding) = (cx.array(0)?, cx.array(1)?, cx.padding("padding")?);
        if value.rank() != 0 {
            let message =
                Message::ops("op-scalar").with("operand", cx.label(1)).with("shape", value.human_string());
            return Err(cx.error("pad-1", message).at_operand(1));
        }
        if value.element_type != operand.element_type {
            return Err(cx.type_mismatch("pad-2", 1));
        }
        if padding.len() != operand.rank() {
            let message = Message::ops("op-entries")
                .with("name", "padding")
                .with("found", padding.len())
                .with("rank", operand.rank());
            let error = cx.error("pad-3", message).at_attr("padding");
            if operand.rank() == 0 {
                return Err(error);
            }
            let valid = (0..operand.rank()).map(|d| padding.get(d).copied().unwrap_or_default());
            let fix = AttrValue::Padding(valid.collect()).to_string();
            return Err(error.with_fix(OpPart::Attr("padding"), fix));
        }
        let mut sizes = Dims::new();
        for (d, (p, size)) in padding.iter().zip(&operand.dimensions).enumerate() {
            if p.interior < 0 {
                let message =
                    Message::ops("op-pad-interior").with("dimension", d).with("interior", p.interior);
                return Err(cx.error("pad-4", message).at_attr("padding"));
            }
            match padded_size(*size, p) {
                Some(size) if size >= 0 => sizes.push(size),
                _ => {
                    let message = Message::ops("op-pad-size").with("dimension", d).with("size", *size);
                    return Err(cx.error("pad-5", message).at_attr("padding"));
                }
            }
        }
        cx.result(operand.element_type, sizes)
    }

    fn task(&self, context: &TaskContext) -> Result<PlannedTask, Fallback> {
        let (mut from, mut to) = (context.view(0)?, context.out_view()?);
        let padding = context.cx.padding("padding").map_err(|_| Fallback::NoKernel)?;
        let sizes = (from.sizes.clone(), to.sizes.clone());
        for (d, p) in padding.iter().enumerate() {
            let (size, padded_size) = (sizes.0[d].cast_signed() as i64, sizes.1[d].cast_signed() as i64);
            let step = p.interior.checked_add(1).ok_or(Fallback::NoKernel)?;
            // The elements that are not cropped, and the offset of the first of them.
            let first = p.low.min(0).unsigned_abs().div_ceil(step.unsigned_abs());
            let first = i64::try_from(first).map_err(|_| Fallback::NoKernel)?.min(size);
            let last = (padded_size - p.low + step - 1).div_euclid(step).clamp(first, size);
            let start = p.low.saturating_add(first.saturating_mul(step));
            if last > first {
                from.offset += tasks::to_usize(first)? * from.strides[d].unsigned_abs();
                to.offset += tasks::to_usize(start)? * to.strides[d].unsigned_abs();
            }
            let count = tasks::to_usize(last - first)?;
            (from.sizes[d], to.sizes[d]) = (count, count);
            to.strides[d] *= isize::try_from(step).map_err(|_| Fallback::NoKernel)?;
        }
        if from.elements() == 0 {
            (from.offset, to.offset) = (0, 0);
        }
        let parts = vec![(from, to)];
        let task = Task::Move(Move { ty: context.copy_type(0)?, parts, has_fill: true });
        Ok(PlannedTask { task, reads: vec![0, 1] })
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let sizes = cx.array(0)?.dimensions.clone();
        let padding = cx.padding("padding")?.to_vec();
        Ok(Semantics::per_element(move |out, read| {
            let mut index = Dims::new();
            for ((o, p), size) in out.iter().zip(&padding).zip(&sizes) {
                let offset = o - p.low;
                let step = p.interior.saturating_add(1);
                if offset < 0 || offset % step != 0 || offset / step >= *size {
                    return read.get(1, &[], Role::Fill);
                }
                index.push(offset / step);
            }
            read.get(0, &index, Role::Value)
        }))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let (x, value, dims) = (to.name(0), to.name(1), to.cx.padding("padding").ok()?);
        match to.language {
            Language::Rust => None,
            Language::Jax => {
                let config = tuple(dims.iter().map(|d| tuple([d.low, d.high, d.interior])));
                Some(format!("lax.pad({x}, {value}, {config})").into())
            }
            Language::NumPy => {
                let is_edge_padding = dims.iter().all(|d| d.low >= 0 && d.high >= 0 && d.interior == 0);
                let widths = tuple(dims.iter().map(|d| tuple([d.low, d.high])));
                (is_edge_padding && !dims.is_empty())
                    .then(|| format!("np.pad({x}, {widths}, constant_values={value})").into())
            }
        }
    }

    /// A window of one cell over the padded operand: the cell itself.
    fn base_area(&self, cx: &OpContext) -> Option<BaseArea> {
        let (operand, padding) = (cx.array(0).ok()?, cx.padding("padding").ok()?);
        let axis = |(d, (size, p)): (usize, (&i64, &PaddingDim))| {
            let base_dilation = p.interior.saturating_add(1);
            let window =
                WindowDim { pad_low: p.low, pad_high: p.high, base_dilation, ..WindowDim::default() };
            BaseAxis::sliding(*size, window, d)
        };
        let dimensions = operand.dimensions.iter().zip(padding).enumerate();
        Some(BaseArea {
            operand: 0,
            axes: dimensions.map(axis).collect(),
            window_index_operand: None,
            fill: Some(1),
        })
    }
}
