//! `reduce`: see [`Reduce`].

use super::export::tuple;
use super::read::UNSET;
use super::tasks::{Fallback, PlannedTask, TaskContext};
use super::{
    AttrKind, AttrSpec, Category, Change, DimensionsOf, EditionExample, Example, ExampleOutcome,
    ExportContext, Expression, Formula, History, Language, OpContext, OpDef, OpError, OpMeta, OpPart,
    Operands, Role, Rule, Semantics,
};
use xla_array::index::Indices;
use xla_array::{Dims, Edition, ElementType, Shape, Value};
use xla_kernels::{Task, task as kernels};
use xla_messages::i18n::Message;

/// Reduces dimensions of an array, or of several arrays together, by a computation, starting from `init`.
///
/// The order is not specified; here it is row-major. Several operands need as many inits and a computation with twice
/// as many parameters (accumulators first), and the result is a tuple. A duplicate dimension is an error in current XLA
/// and has no effect in 2017. Source: XLA's operation semantics, "Reduce"; `ShapeInference::InferReduceShape`.
pub struct Reduce;

/// An example: the sum of an array over these dimensions. `CUBE` is the array of rank 3 in the 2017 documentation.
macro_rules! documented {
    ($title:literal, CUBE, $dimensions:literal => $result:literal) => {
        documented!(
            $title,
            "s32[4,2,3] constant({{{1,2,3},{4,5,6}},{{1,2,3},{4,5,6}},{{1,2,3},{4,5,6}},{{1,2,3},{4,5,6}}})",
            $dimensions => $result
        )
    };
    ($title:literal, $operand:literal, $dimensions:literal => $result:literal) => {
        Example {
            title: $title,
            hlo: concat!(
                "x = ", $operand, " i = s32[] constant(0) ROOT r = reduce(x, i), dimensions=", $dimensions,
                ", to_apply={ a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = add(a, b) }"
            ),
            result: $result,
        }
    };
}

/// The difference in XLA 2017.
static CHANGE: Change = Change {
    formula: None,
    v2017: "then-reduce",
    current: "now-reduce",
    example: EditionExample {
        title: "difference-reduce",
        hlo: "x = s32[2,2] constant({{1,2},{3,4}}) i = s32[] constant(0)
              ROOT r = reduce(x, i), dimensions={1,1}, to_apply={
                a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = add(a, b) }",
        v2017: ExampleOutcome::Value("s32[2] {3, 7}"),
        current: ExampleOutcome::Error("reduce-4"),
    },
};

static META: OpMeta = OpMeta {
    opcode: "reduce",
    title: "Reduce",
    search_terms: &[],
    sections: &["Reduce"],
    category: Category::Reduction,
    history: History::changed(&CHANGE),
    summary: "op-reduce",
    formula: Formula::Words("formula-reduce"),
    operands: Operands::variadic_in_current(&["operand", "init"], "operand or init"),
    inline_attr: None,
    attrs: &[
        AttrSpec::required("dimensions", AttrKind::Ints, "attr-dimensions").dimensions_of(DimensionsOf::Operand(0)),
        AttrSpec::required("to_apply", AttrKind::Computation, "attr-reducer"),
    ],
    rules: &[
        Rule {
            identifier: "reduce-1",
            description: "rule-reduce-pairs",
            violated_by: "x = f32[2] parameter(0) i = f32[] parameter(1) ROOT r = reduce(x, x, i), dimensions={0}, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        },
        Rule {
            identifier: "reduce-2",
            description: "rule-same-sizes",
            violated_by: "x = f32[2] parameter(0) y = f32[3] parameter(1) i = f32[] parameter(2)
                        ROOT r = reduce(x, y, i, i), dimensions={0}, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] parameter(2) d = f32[] parameter(3)
                        ROOT t = tuple(a, b) }",
        },
        Rule {
            identifier: "reduce-3",
            description: "rule-dimension-range",
            violated_by: "x = f32[2] parameter(0) i = f32[] parameter(1) ROOT r = reduce(x, i), dimensions={1}, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        },
        Rule {
            identifier: "reduce-4",
            description: "rule-dimension-once",
            violated_by: "x = f32[2] parameter(0) i = f32[] parameter(1) ROOT r = reduce(x, i), dimensions={0,0}, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        },
        Rule {
            identifier: "reduce-5",
            description: "rule-reducer-parameters",
            violated_by: "x = f32[2] parameter(0) i = f32[] parameter(1) ROOT r = reduce(x, i), dimensions={0}, to_apply={
                        a = f32[] parameter(0) ROOT c = negate(a) }",
        },
        Rule {
            identifier: "reduce-6",
            description: "rule-reducer-types",
            violated_by: "x = f32[2] parameter(0) i = s32[] parameter(1) ROOT r = reduce(x, i), dimensions={0}, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        },
    ],
    examples: &[
        documented!("shows-column-sums", "s32[2,3] constant({{1,2,3},{4,5,6}})", "{0}" => "s32[3] {5, 7, 9}"),
        documented!("shows-row-sums", "s32[2,3] constant({{1,2,3},{4,5,6}})", "{1}" => "s32[2] {6, 15}"),
        documented!("shows-cube-front", CUBE, "{0}" => "s32[2,3] { {4, 8, 12}, {16, 20, 24} }"),
        documented!("shows-cube-rows", CUBE, "{2}" => "s32[4,2] { {6, 15}, {6, 15}, {6, 15}, {6, 15} }"),
        documented!("shows-cube-two", CUBE, "{0,1}" => "s32[3] {20, 28, 36}"),
        documented!("shows-cube-all", CUBE, "{0,1,2}" => "s32[] 84"),
    ],
};

/// The shape of the reduced arrays: arrays of these sizes, in a tuple if the reducer returns one. Shared by
/// all ops that reduce.
pub(super) fn result_shape(cx: &OpContext, types: &[ElementType], sizes: &[i64]) -> Result<Shape, OpError> {
    let arrays = types.iter().map(|t| cx.result(*t, sizes.iter().copied()));
    let mut arrays = arrays.collect::<Result<Vec<_>, _>>()?;
    match &cx.signature("to_apply")?.1.result {
        Shape::Tuple(_) => Ok(Shape::Tuple(arrays.into())),
        _ => Ok(arrays.swap_remove(0)),
    }
}

/// Checks that parameters (accumulators first) and results of a reducer are scalars of these types. `rules`: the
/// identifiers for the number of parameters and for the shapes. Shared by all ops that reduce.
pub(super) fn check_reducer(
    cx: &OpContext,
    attr: &'static str,
    types: &[ElementType],
    rules: [&'static str; 2],
) -> Result<(), OpError> {
    let (name, signature) = cx.signature(attr)?;
    if signature.parameters.len() != 2 * types.len() {
        let message = Message::ops("op-reducer-parameters")
            .with("name", name)
            .with("expected", 2 * types.len())
            .with("found", signature.parameters.len());
        return Err(cx.error(rules[0], message).at_attr(attr));
    }
    let is_scalar_of = |shape: &Shape, t: ElementType| {
        shape.as_array().is_some_and(|array| array.rank() == 0 && array.element_type == t)
    };
    let results = match &signature.result {
        Shape::Tuple(elements) => &elements[..],
        // A single result is not in a tuple.
        other => std::slice::from_ref(other),
    };
    let parameters = signature.parameters.iter().zip(types.iter().cycle());
    let matches = results.len() == types.len()
        && parameters.clone().all(|(shape, t)| is_scalar_of(shape, *t))
        && results.iter().zip(types).all(|(shape, t)| is_scalar_of(shape, *t));
    if matches {
        return Ok(());
    }
    let names = types.iter().map(|t| format!("{t}[]")).collect::<Vec<_>>().join(", ");
    let found = signature.parameters.iter().map(Shape::human_string).collect::<Vec<_>>().join(", ");
    let message = Message::ops("op-reducer-types")
        .with("name", name)
        .with("expected", names)
        .with("found", found)
        .with("result", signature.result.human_string());
    let error = cx.error(rules[1], message).at_attr(attr);
    Err(match types {
        [only] => with_retyped_reducer(cx, error, attr, *only),
        _ => error,
    })
}

/// The binary ops that take every type but `pred`.
const NUMERIC_REDUCERS: [&str; 4] = ["add", "multiply", "maximum", "minimum"];

/// Adds the fix that gives a reducer of a single binary op another element type, if the op takes it.
fn with_retyped_reducer(cx: &OpContext, error: OpError, attr: &'static str, t: ElementType) -> OpError {
    let Ok(id) = cx.computation(attr) else { return error };
    let Some(single) = cx.computations.single_binary_op(id) else { return error };
    if t == ElementType::Pred || !NUMERIC_REDUCERS.contains(&single.opcode) {
        return error;
    }
    let [first, second] = single.parameters.map(|parameter| if parameter == 0 { "a" } else { "b" });
    let text = format!(
        "{{ a = {t}[] parameter(0) b = {t}[] parameter(1) ROOT r = {t}[] {}({first}, {second}) }}",
        single.opcode
    );
    let message = Message::ops("op-hint-operand-shape").with("operand", attr).with("shape", format!("{t}[]"));
    error.with_described_fix(message, OpPart::Attr(attr), text)
}

/// Checks that operand `i` is a scalar init of type `element_type`.
pub(super) fn check_init(
    cx: &OpContext,
    rule: &'static str,
    i: usize,
    element_type: ElementType,
) -> Result<(), OpError> {
    let init = cx.array(i)?;
    if init.rank() == 0 && init.element_type == element_type {
        return Ok(());
    }
    let message = Message::ops("op-init")
        .with("found", init.human_string())
        .with("expected", format!("{element_type}[]"));
    let error = cx.error(rule, message).at_operand(i);
    Err(if init.rank() == 0 {
        cx.with_conversion(cx.with_type_fix(error, i, element_type), i, element_type)
    } else {
        error
    })
}

/// The dimensions that are reduced.
fn reduced_dimensions(cx: &OpContext, rank: usize) -> Result<Vec<usize>, OpError> {
    if cx.edition == Edition::Current {
        return cx.dimensions("dimensions", rank, ["reduce-3", "reduce-4"]);
    }
    let mut found = Vec::new();
    for &d in cx.ints("dimensions") {
        match usize::try_from(d).ok().filter(|d| *d < rank) {
            Some(d) if found.contains(&d) => {}
            Some(d) => found.push(d),
            None => return Err(cx.out_of_range("reduce-3", "dimensions", d, rank)),
        }
    }
    Ok(found)
}

/// The number of reduced arrays.
fn input_count(cx: &OpContext) -> usize {
    cx.operands.len() / 2
}

impl OpDef for Reduce {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        if !cx.operands.len().is_multiple_of(2) {
            let message = Message::ops("op-reduce-pairs").with("found", cx.operands.len());
            return Err(cx.error("reduce-1", message));
        }
        let (arrays, first) = (cx.arrays()?, cx.array(0)?);
        let count = input_count(cx);
        for (i, array) in arrays.iter().enumerate().take(count) {
            if array.dimensions != first.dimensions {
                return Err(cx.size_mismatch("reduce-2", i, 0));
            }
        }
        let reduced = reduced_dimensions(cx, first.rank())?;
        let types: Vec<ElementType> = arrays[..count].iter().map(|array| array.element_type).collect();
        check_reducer(cx, "to_apply", &types, ["reduce-5", "reduce-6"])?;
        for (i, t) in types.iter().enumerate() {
            check_init(cx, "reduce-6", count + i, *t)?;
        }
        let kept = (0..first.rank()).filter(|d| !reduced.contains(d));
        let sizes: Dims = kept.map(|d| first.dimensions[d]).collect();
        result_shape(cx, &types, &sizes)
    }

    fn task(&self, context: &TaskContext) -> Result<PlannedTask, Fallback> {
        context.require_current_edition()?;
        let (operand, out) = (context.array(0)?, context.out()?);
        if context.operands.len() != 2 {
            return Err(Fallback::UnsupportedComputation);
        }
        let reducer = context.reducer("to_apply", operand.ty)?;
        let dimensions =
            reduced_dimensions(context.cx, operand.view.rank()).map_err(|_| Fallback::NoKernel)?;
        Ok(PlannedTask {
            task: Task::Reduce(kernels::Reduce { operand, out, dimensions, reducer }),
            reads: vec![0, 1],
        })
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let sizes = cx.array(0)?.dimensions.clone();
        let mut reduced = reduced_dimensions(cx, sizes.len())?;
        // Row-major order does not depend on the order of the attribute's dimensions.
        reduced.sort_unstable();
        let kept: Vec<usize> = (0..sizes.len()).filter(|d| !reduced.contains(d)).collect();
        let (count, region) = (input_count(cx), cx.region("to_apply")?);
        let is_tuple = matches!(cx.signature("to_apply")?.1.result, Shape::Tuple(_));
        let reduce = move |out: &[i64], read: &mut dyn super::Read, results: &mut [Value]| {
            let mut arguments = vec![UNSET; 2 * count];
            for (k, result) in results.iter_mut().enumerate() {
                *result = read.get(count + k, &[], Role::Init);
            }
            let mut first = Dims::from_elem(0, sizes.len());
            for (o, d) in out.iter().zip(&kept) {
                first[*d] = *o;
            }
            let mut indices = Indices::along(&first, &sizes, reduced.iter().copied());
            while let Some(index) = indices.advance() {
                arguments[..count].copy_from_slice(results);
                for (k, argument) in arguments[count..].iter_mut().enumerate() {
                    *argument = read.get(k, index, Role::Value);
                }
                if !read.apply(&region, &arguments, results) {
                    return;
                }
            }
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
        let (f, dims, arrays) = (to.function("to_apply")?, to.cx.ints("dimensions"), to.names.len() / 2);
        match to.language {
            Language::Rust if arrays == 1 => {
                Some(format!("b.reduce({}, {f}, &{dims:?})", to.joined_names()).into())
            }
            Language::Rust => None,
            Language::Jax if arrays == 1 => {
                Some(format!("lax.reduce({}, {f}, {})", to.joined_names(), tuple(dims)).into())
            }
            Language::Jax => {
                let (arrays, inits) = to.names.split_at(arrays);
                let f = format!("lambda left, right: {f}(*left, *right)");
                Some(format!("lax.reduce({}, {}, {f}, {})", tuple(arrays), tuple(inits), tuple(dims)).into())
            }
            Language::NumPy => {
                let (f, element_type) = (to.ufunc("to_apply")?, to.result()?.element_type);
                let (name, dims) = (to.dtype(element_type)?, tuple(dims));
                let (x, init) = (to.name(0), to.name(1));
                Some(format!("{f}.reduce({x}, axis={dims}, dtype={name}, initial={init})").into())
            }
        }
    }
}
