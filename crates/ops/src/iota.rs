//! `iota`: see [`Iota`].

use super::export::tuple;
use super::{
    AttrKind, AttrSpec, Category, DimensionsOf, Example, ExportContext, Expression, Formula, History,
    Language, OpContext, OpDef, OpError, OpMeta, OpPart, Operands, Rule, Semantics,
};
use xla_array::{Class, Shape, Value};
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// Counts along a dimension: each element is its index in that dimension.
///
/// Integers wrap around the element type; complex numbers count in the real part. The shape must be written. Source:
/// `HloIotaInstruction` of XLA.
pub struct Iota;

static META: OpMeta = OpMeta {
    opcode: "iota",
    title: "Iota",
    search_terms: &["arange", "range", "position"],
    sections: &["Iota"],
    category: Category::Source,
    history: History::not_in_2017("instead-iota"),
    summary: "op-iota",
    formula: Formula::Symbols("out[o] = o[iota_dimension]"),
    operands: Operands::exactly(&[]),
    inline_attr: None,
    attrs: &[AttrSpec::required("iota_dimension", AttrKind::Int, "attr-iota-dimension")
        .dimensions_of(DimensionsOf::Result)],
    rules: &[
        Rule {
            identifier: "iota-1",
            description: "rule-iota-type",
            violated_by: "ROOT r = pred[3] iota(), iota_dimension=0",
        },
        Rule {
            identifier: "iota-2",
            description: "rule-dimension-range",
            violated_by: "ROOT r = s32[2,3] iota(), iota_dimension=2",
        },
    ],
    examples: &[Example {
        title: "shows-count-along-rows",
        hlo: "ROOT r = s32[2,3] iota(), iota_dimension=1",
        result: "s32[2,3] { {0, 1, 2}, {0, 1, 2} }",
    }],
};

/// Bound on the elements of the constant that a fix offers for XLA 2017.
const MAX_WRITTEN_ELEMENTS: i64 = 256;

/// A literal that counts along dimension `d`; `number` is the index in that dimension, once it is known.
fn nested(sizes: &[i64], d: usize, number: i64) -> String {
    let Some((size, rest)) = sizes.split_first() else { return number.to_string() };
    let slices = (0..*size).map(|i| match d.checked_sub(1) {
        None => nested(rest, usize::MAX, i),
        // The iota dimension is further inside; after it, `d` is out of range and `number` stays.
        Some(deeper) => nested(rest, deeper, number),
    });
    format!("{{{}}}", slices.collect::<Vec<_>>().join(","))
}

impl OpDef for Iota {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (result, d) = (cx.explicit_result_array()?, cx.int("iota_dimension")?);
        if result.element_type.class() == Class::Boolean {
            let message = Message::ops("op-iota-type").with("found", result.element_type.name());
            return Err(cx.error("iota-1", message).at(OpPart::Result));
        }
        if usize::try_from(d).map_or(true, |d| d >= result.rank()) {
            return Err(cx.out_of_range("iota-2", "iota_dimension", d, result.rank()));
        }
        Ok(Shape::Array(result.clone()))
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let d = usize::try_from(cx.int("iota_dimension")?).or_bug(0, "a negative iota_dimension");
        Ok(Semantics::per_element(move |out, _| Value::Int(out[d])))
    }

    fn in_2017(&self, cx: &OpContext) -> Option<String> {
        let (array, d) =
            (cx.explicit_result_array().ok()?, usize::try_from(cx.int("iota_dimension").ok()?).ok()?);
        if array.first_newer_feature().is_some()
            || array.elements()? > MAX_WRITTEN_ELEMENTS
            || d >= array.rank()
        {
            return None;
        }
        Some(format!("constant({})", nested(&array.dimensions, d, 0)))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let (array, d) = (to.result()?, to.cx.int("iota_dimension").ok()?);
        let (name, sizes) = (to.dtype(array.element_type)?, tuple(&array.dimensions));
        let size = array.dimensions.get(usize::try_from(d).ok()?)?;
        match to.language {
            Language::Rust => None,
            Language::Jax => Some(format!("lax.broadcasted_iota({name}, {sizes}, {d})").into()),
            Language::NumPy if array.rank() == 1 => Some(format!("np.arange({size}, dtype={name})").into()),
            Language::NumPy => {
                let wide =
                    tuple((0..).zip(&array.dimensions).map(|(e, size)| if e == d { *size } else { 1 }));
                let row = format!("np.reshape(np.arange({size}, dtype={name}), {wide})");
                Some(format!("np.broadcast_to({row}, {sizes})").into())
            }
        }
    }
}
