//! `map`: see [`Map`].

use super::read::UNSET;
use super::{
    AttrKind, AttrSpec, Category, DimensionsOf, Example, ExportContext, Expression, Formula, History,
    Language, OpContext, OpDef, OpError, OpMeta, OpPart, Operands, Role, Rule, Semantics,
};
use xla_array::{ArrayShape, Edition, Shape, Value};
use xla_messages::bug::OrBug as _;
use xla_messages::i18n::Message;

/// Applies a scalar computation to the elements at each index of arrays of the same sizes.
///
/// A scalar among arrays of its type is broadcast to their sizes.
/// Source: XLA's operation semantics, "Map"; `ShapeInference::InferMapShape`.
pub struct Map;

static META: OpMeta = OpMeta {
    opcode: "map",
    title: "Map",
    search_terms: &[],
    sections: &["Map"],
    category: Category::Control,
    history: History::UNCHANGED,
    summary: "op-map",
    formula: Formula::Symbols("out[i] = to_apply(operand_0[i], operand_1[i], …)"),
    operands: Operands::at_least(&["operand"], "operand"),
    inline_attr: None,
    attrs: &[
        AttrSpec::optional("dimensions", AttrKind::Ints, "attr-map-dimensions").dimensions_of(DimensionsOf::Operand(0)),
        AttrSpec::required("to_apply", AttrKind::Computation, "attr-to-apply"),
    ],
    rules: &[
        Rule {
            identifier: "map-1",
            description: "rule-same-sizes",
            violated_by: "x = f32[2] parameter(0) y = f32[3] parameter(1)
                        ROOT r = map(x, y), dimensions={0}, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        },
        Rule {
            identifier: "map-2",
            description: "rule-map-dimensions",
            violated_by: "x = f32[2,2] parameter(0)
                        ROOT r = map(x), dimensions={1,0}, to_apply={ a = f32[] parameter(0) ROOT c = negate(a) }",
        },
        Rule {
            identifier: "map-3",
            description: "rule-map-scalars",
            violated_by: "x = f32[2] parameter(0)
                        ROOT r = map(x), dimensions={0}, to_apply={ a = s32[] parameter(0) ROOT c = negate(a) }",
        },
        Rule {
            identifier: "map-4",
            description: "rule-map-result",
            violated_by: "x = f32[2] parameter(0)
                        ROOT r = map(x), dimensions={0}, to_apply={ a = f32[] parameter(0) ROOT c = tuple(a) }",
        },
    ],
    examples: &[
Example {
 title: "shows-two-arrays",
            hlo: "x = f32[2] constant({1, 2}) y = f32[2] constant({3, 4})
                  ROOT r = map(x, y), dimensions={0}, to_apply={
                  a = f32[] parameter(0) b = f32[] parameter(1) c = multiply(a, b) ROOT d = add(c, a) }",
            result: "f32[2] {4, 10}",
        },
Example {
 title: "shows-scalar-and-array",
            hlo: "s = f32[] constant(10) x = f32[2] constant({1, 2})
                  ROOT r = map(s, x), dimensions={0}, to_apply={
                  a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = subtract(a, b) }",
            result: "f32[2] {9, 8}",
        },
],
};

/// The first operand that is not a scalar, or the first one if all are.
fn first_non_scalar<'a>(cx: &OpContext<'a>) -> Result<&'a ArrayShape, OpError> {
    let arrays = cx.arrays()?;
    arrays.iter().copied().find(|array| array.rank() > 0).map_or_else(|| cx.array(0), Ok)
}

impl OpDef for Map {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let arrays = cx.arrays()?;
        let first = first_non_scalar(cx)?;
        let is_mappable = |array: &ArrayShape| {
            array.dimensions == first.dimensions
                || array.rank() == 0 && array.element_type == first.element_type
        };
        if let Some(i) = arrays.iter().position(|array| !is_mappable(array)) {
            return Err(cx.size_mismatch("map-1", i, 0));
        }
        let all_dimensions: Vec<i64> =
            (0..i64::try_from(first.rank()).or_bug(0, "a rank exceeds i64")).collect();
        // XLA reads the dimensions only to infer a shape.
        let is_inferred = cx.written.is_none() || cx.edition == Edition::V2017;
        if is_inferred && cx.attrs.get("dimensions").is_some() && cx.ints("dimensions") != all_dimensions {
            let fix = format!("{{{}}}", super::infer::comma_separated(&all_dimensions));
            let message = Message::ops("op-map-dimensions").with("expected", fix.as_str());
            return Err(cx
                .error("map-2", message)
                .at_attr("dimensions")
                .with_fix(OpPart::Attr("dimensions"), fix));
        }
        let (name, signature) = cx.signature("to_apply")?;
        let expected: Vec<Shape> =
            arrays.iter().map(|array| cx.result(array.element_type, [])).collect::<Result<_, _>>()?;
        super::call::check_shapes(cx, "map-3", "to_apply", name, &expected, &signature.parameters)?;
        let Some(result) = signature.result.as_array().filter(|array| array.rank() == 0) else {
            let message = Message::ops("op-map-result")
                .with("name", name)
                .with("found", signature.result.human_string());
            return Err(cx.error("map-4", message).at_attr("to_apply"));
        };
        cx.result(result.element_type, first.dimensions.iter().copied())
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let region = cx.region("to_apply")?;
        let are_scalar: Vec<bool> = cx.arrays()?.iter().map(|array| array.rank() == 0).collect();
        Ok(Semantics::per_element(move |out, read| {
            let at = |is_scalar: bool| if is_scalar { &[] } else { out };
            let cells = are_scalar.iter().enumerate();
            let arguments: Vec<Value> =
                cells.map(|(i, is_scalar)| read.get(i, at(*is_scalar), Role::Value)).collect();
            let mut result = [UNSET];
            read.apply(&region, &arguments, &mut result);
            result[0]
        }))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let (f, operands) = (to.function("to_apply")?, to.joined_names());
        match to.language {
            Language::Rust => Some(format!("b.map(&[{operands}], {f}, &[])").into()),
            Language::Jax if f.starts_with("lax.") => Some(format!("{f}({operands})").into()),
            Language::Jax => Some(format!("jnp.vectorize({f})({operands})").into()),
            // `np.vectorize` calls it with Python numbers, which neither wrap nor round as the element types do.
            Language::NumPy => to.ufunc("to_apply").map(|f| format!("{f}({operands})").into()),
        }
    }
}
