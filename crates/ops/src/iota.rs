//! `iota`: see [`Iota`].

use super::code::tuple;
use super::{
    At, AttrKind, AttrSpec, Body, Category, Code, Coding, Example, Language, OpContext, OpDef, OpError,
    OpMeta, Operands, Rule,
};
use xla_array::{Class, Shape, Value};
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// Counts along a dimension: every element is its own index there.
///
/// A type too narrow wraps; complex numbers count in their real part. The shape must be written. Source:
/// `HloIotaInstruction` of XLA.
pub struct Iota;

static META: OpMeta = OpMeta {
    opcode: "iota",
    title: "Iota",
    names: &[],
    sections: &["Iota"],
    category: Category::Source,
    summary: "op-iota",
    formula: "out[o] = o[iota_dimension]",
    operands: Operands::exactly(&[]),
    argument: None,
    attrs: &[AttrSpec::required("iota_dimension", AttrKind::Int, "attr-iota-dimension")],
    rules: &[
        Rule {
            label: "iota-1",
            description: "rule-iota-type",
            broken_by: "ROOT r = pred[3] iota(), iota_dimension=0",
        },
        Rule {
            label: "iota-2",
            description: "rule-dimension-range",
            broken_by: "ROOT r = s32[2,3] iota(), iota_dimension=2",
        },
    ],
    examples: &[Example {
        hlo: "ROOT r = s32[2,3] iota(), iota_dimension=1",
        result: "s32[2,3] { {0, 1, 2}, {0, 1, 2} }",
    }],
};

impl OpDef for Iota {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (result, d) = (cx.written_array()?, cx.int("iota_dimension")?);
        if result.element_type.class() == Class::Boolean {
            let message = Message::engine("op-iota-type").with("found", result.element_type.name());
            return Err(cx.error("iota-1", message).at(At::Result));
        }
        if usize::try_from(d).map_or(true, |d| d >= result.rank()) {
            return Err(cx.out_of_range("iota-2", "iota_dimension", d, result.rank()));
        }
        Ok(Shape::Array(result.clone()))
    }

    fn bind(&self, cx: &OpContext) -> Result<Body, OpError> {
        let d = usize::try_from(cx.int("iota_dimension")?).or_bug(0, "a negative iota_dimension");
        Ok(Body::cell(move |out, _| Value::Int(out[d])))
    }

    fn code(&self, to: &Coding) -> Option<Code> {
        let (of, d) = (to.result()?, to.cx.int("iota_dimension").ok()?);
        let (name, sizes) = (to.dtype(of.element_type)?, tuple(&of.dimensions));
        let size = of.dimensions.get(usize::try_from(d).ok()?)?;
        match to.language {
            Language::Rust => None,
            Language::Jax => Some(format!("lax.broadcasted_iota({name}, {sizes}, {d})").into()),
            Language::NumPy if of.rank() == 1 => Some(format!("np.arange({size}, dtype={name})").into()),
            Language::NumPy => {
                let wide = tuple((0..).zip(&of.dimensions).map(|(e, size)| if e == d { *size } else { 1 }));
                let row = format!("np.reshape(np.arange({size}, dtype={name}), {wide})");
                Some(format!("np.broadcast_to({row}, {sizes})").into())
            }
        }
    }
}
