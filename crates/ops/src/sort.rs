//! `sort`: see [`Sort`].

use std::collections::BTreeSet;
use std::sync::Arc;

use smallvec::SmallVec;

use super::export::tuple;
use super::read::UNSET;
use super::sort_order;
use super::tasks::{Fallback, PlannedTask, TaskContext};
use super::{
    AttrKind, AttrSpec, AttrValue, Category, CellAt, Change, Data, DimensionsOf, EagerOp, EditionExample,
    Example, ExampleOutcome, ExportContext, Expression, Formula, History, Language, OpContext, OpDef,
    OpError, OpMeta, OpPart, Operands, Region, Role, Rule, Run, ScalarCall, Semantics, Source,
};
use xla_array::index::Indices;
use xla_array::{ArrayLiteral, ArrayShape, Dims, Edition, Shape, Value};
use xla_kernels::Task;
use xla_kernels::task::{self as kernels, Array, Direction};
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// Sorts along a dimension by a comparator, and permutes further arrays in the same way.
///
/// The comparator takes a left and a right scalar per operand and should be a strict weak order. With any other one,
/// such as `LT` on floats with NaN, and for equal elements without `is_stable`, the result matches XLA:CPU. XLA 2017
/// has one operand and no comparator, and sorts ascending along the last dimension, floats by their total order. A
/// result element has one source; which one depends on every key that the comparator reads. Source: "Sort" of XLA's
/// operation semantics; `ShapeInference::InferVariadicOpShape`, XLA's `SortThunk`.
pub struct Sort;

/// The difference in XLA 2017.
static CHANGE: Change = Change {
    formula: Some(Formula::Words("formula-sort-2017")),
    v2017: "then-sort",
    current: "now-sort",
    example: EditionExample {
        title: "difference-sort",
        hlo: "x = s32[4] constant({3, 1, 4, 1}) ROOT r = sort(x)",
        v2017: ExampleOutcome::Value("s32[4] {1, 1, 3, 4}"),
        current: ExampleOutcome::Error("sort-5"),
    },
};

static META: OpMeta = OpMeta {
    opcode: "sort",
    title: "Sort",
    search_terms: &[],
    sections: &["Sort"],
    category: Category::Movement,
    history: History::changed(&CHANGE),
    summary: "op-sort",
    formula: Formula::Words("formula-sort"),
    operands: Operands::variadic_in_current(&["operand"], "operand"),
    inline_attr: None,
    attrs: &[
        AttrSpec::optional("dimensions", AttrKind::Ints, "attr-sort-dimension").dimensions_of(DimensionsOf::Operand(0)),
        AttrSpec::optional("is_stable", AttrKind::Bool, "attr-is-stable").current_only(),
        AttrSpec::optional("to_apply", AttrKind::Computation, "attr-comparator").current_only(),
    ],
    rules: &[
        Rule {
            identifier: "sort-1",
            description: "rule-same-sizes",
            violated_by: "x = f32[3] parameter(0) y = f32[4] parameter(1) ROOT r = sort(x, y), dimensions={0}, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] parameter(2) d = f32[] parameter(3)
                        ROOT p = compare(a, b), direction=LT }",
        },
        Rule {
            identifier: "sort-2",
            description: "rule-one-dimension",
            violated_by: "x = f32[3,3] parameter(0) ROOT r = sort(x), dimensions={0,1}, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT p = compare(a, b), direction=LT }",
        },
        Rule {
            identifier: "sort-3",
            description: "rule-dimension-range",
            violated_by: "x = f32[3] parameter(0) ROOT r = sort(x), dimensions={1}, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT p = compare(a, b), direction=LT }",
        },
        Rule {
            identifier: "sort-4",
            description: "rule-comparator",
            violated_by: "x = s32[3] parameter(0) ROOT r = sort(x), dimensions={0}, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT p = compare(a, b), direction=LT }",
        },
        Rule {
            identifier: "sort-5",
            description: "rule-sort-comparator",
            violated_by: "x = f32[3] parameter(0) ROOT r = sort(x), dimensions={0}",
        },
    ],
    examples: &[
Example {
 title: "shows-ascending",
 hlo: "x = s32[5] constant({3, 1, 4, 1, 5}) ROOT r = sort(x), dimensions={0}, to_apply={
                  a = s32[] parameter(0) b = s32[] parameter(1) ROOT p = compare(a, b), direction=LT }",
 result: "s32[5] {1, 1, 3, 4, 5}",
 },
Example {
 title: "shows-columns-descending",
            hlo: "x = s32[3,2] constant({{3,1},{2,4},{1,9}}) ROOT r = sort(x), dimensions={0}, to_apply={
                  a = s32[] parameter(0) b = s32[] parameter(1) ROOT p = compare(a, b), direction=GT }",
            result: "s32[3,2] { {3, 9}, {2, 4}, {1, 1} }",
        },
Example {
 title: "shows-values-by-keys",
            hlo: "k = s32[4] constant({2, 1, 2, 1}) v = f32[4] constant({10, 20, 30, 40})
                  s = sort(k, v), dimensions={0}, is_stable=true, to_apply={
                  a = s32[] parameter(0) b = s32[] parameter(1) c = f32[] parameter(2) d = f32[] parameter(3)
                  ROOT p = compare(a, b), direction=LT }
                  ROOT r = get-tuple-element(s), index=1",
            result: "f32[4] {20, 40, 10, 30}",
        },
Example {
 title: "shows-total-order",
            hlo: "x = f32[7] constant({3, nan, -1, 0, -0.0, inf, 2}) ROOT r = sort(x), dimensions={0}, to_apply={
                  a = f32[] parameter(0) b = f32[] parameter(1)
                  ROOT p = compare(a, b), direction=LT, type=TOTALORDER }",
            result: "f32[7] {-1, -0.0, 0, 2, 3, inf, nan}",
        },
],
};

/// The order of elements.
enum Comparator {
    /// A computation on a left and a right scalar per operand.
    Region(Arc<Region>),
    /// Ascending, as in XLA 2017.
    Ascending,
}

/// A sort with its attributes resolved.
struct BoundSort {
    comparator: Comparator,
    is_stable: bool,
    dimension: usize,
    is_tuple: bool,
}

/// Compares two values of one type; floats by their total order.
pub(super) fn total_order(a: Value, b: Value) -> std::cmp::Ordering {
    match (a, b) {
        (Value::Pred(a), Value::Pred(b)) => a.cmp(&b),
        (Value::Int(a), Value::Int(b)) => a.cmp(&b),
        (Value::Uint(a), Value::Uint(b)) => a.cmp(&b),
        (Value::Float(a), Value::Float(b)) => a.total_cmp(&b),
        _ => std::cmp::Ordering::Equal,
    }
}

/// A recorded call of the comparator.
struct Comparison {
    /// The positions of both elements in the unsorted row.
    pair: [usize; 2],
    arguments: SmallVec<[Value; 2]>,
    result: Value,
}

/// The limit of comparator arguments that are reported for a row, which bounds the memory of its log.
const MAX_REPORTED_ARGUMENTS: usize = 1 << 18;

impl BoundSort {
    /// The operands that the comparator reads.
    fn keys(&self, count: usize) -> Vec<usize> {
        match &self.comparator {
            Comparator::Region(region) => {
                let uses: BTreeSet<usize> = region.parameters_of_result(0).into_iter().collect();
                (0..count).filter(|k| uses.contains(&(2 * k)) || uses.contains(&(2 * k + 1))).collect()
            }
            Comparator::Ascending => vec![0],
        }
    }

    /// The sorting permutation of a row: the position of the source of each result element. `index` is any index in
    /// the row. Calls of the comparator are appended to `log`.
    fn order(
        &self,
        arrays: &[&ArrayLiteral],
        index: &[i64],
        run: &mut dyn Run,
        mut log: Option<&mut Vec<Comparison>>,
    ) -> Result<Vec<usize>, OpError> {
        let mut index: Dims = index.into();
        let length = arrays.first().and_then(|array| array.memory_map().sizes().get(self.dimension)).copied();
        let length = length.and_then(|length| usize::try_from(length).ok()).or_bug(0, "no dimension to sort");
        let mut rows: Vec<Vec<Value>> = Vec::with_capacity(arrays.len());
        for array in arrays {
            let mut row = Vec::with_capacity(length);
            for i in (0_i64..).take(length) {
                if i % 1024 == 0 {
                    run.spend(1024.min(length as u64 - i.unsigned_abs()))?;
                }
                index[self.dimension] = i;
                row.push(array.get(&index).or_bug(Value::Int(0), "no such element"));
            }
            rows.push(row);
        }
        match &self.comparator {
            Comparator::Ascending => sort_order::stable(length, &mut |a, b| {
                run.spend(1)?;
                Ok(total_order(rows[0][a], rows[0][b]).is_lt())
            }),
            Comparator::Region(region) => {
                let mut arguments = vec![UNSET; 2 * arrays.len()];
                let cost = 1 + region.cost();
                let mut before = |a: usize, b: usize| {
                    run.spend(cost)?;
                    for (pair, row) in arguments.chunks_exact_mut(2).zip(&rows) {
                        pair.copy_from_slice(&[row[a], row[b]]);
                    }
                    let result = region.run_scalar(&arguments);
                    if let Some(log) = log.as_mut()
                        && log.len().saturating_mul(arguments.len()) < MAX_REPORTED_ARGUMENTS
                    {
                        log.push(Comparison { pair: [a, b], arguments: arguments.as_slice().into(), result });
                    }
                    Ok(result == Value::Pred(true))
                };
                let sort = if self.is_stable { sort_order::stable } else { sort_order::unstable };
                sort(length, &mut before)
            }
        }
    }
}

impl BoundSort {
    /// Bytes of the values of a row, of its permutation, and of the copy into which runs are merged.
    fn scratch_bytes(&self, arrays: &[&ArrayLiteral]) -> u64 {
        let length = arrays.first().and_then(|array| array.memory_map().sizes().get(self.dimension)).copied();
        let bytes_per_element = arrays.len() * size_of::<Value>() + 2 * size_of::<usize>();
        length.or_bug(0, "no dimension to sort").unsigned_abs().saturating_mul(bytes_per_element as u64)
    }
}

impl EagerOp for BoundSort {
    fn evaluate(&self, operands: &[Data], run: &mut dyn Run) -> Result<Data, OpError> {
        let arrays: Vec<&ArrayLiteral> = operands.iter().filter_map(Data::as_array).collect();
        run.reserve_bytes(self.scratch_bytes(&arrays))?;
        let mut results: Vec<ArrayLiteral> = arrays.iter().map(|array| (*array).clone()).collect();
        let sizes = arrays.first().map(|array| Dims::from(array.memory_map().sizes()));
        let sizes = sizes.or_bug(Dims::new(), "a sort without an operand");
        if !sizes.contains(&0) {
            let mut rows = sizes.clone();
            rows[self.dimension] = 1;
            let mut indices = Indices::row_major(&rows);
            while let Some(row) = indices.advance() {
                let order = self.order(&arrays, row, run, None)?;
                for (array, result) in arrays.iter().zip(&mut results) {
                    let (mut from, mut to) = (Dims::from_slice(row), Dims::from_slice(row));
                    for (i, source) in (0_i64..).zip(&order) {
                        from[self.dimension] =
                            i64::try_from(*source).or_bug(0, "a position beyond any array");
                        to[self.dimension] = i;
                        if let Some(value) = array.get(&from) {
                            result.set(&to, value);
                        }
                    }
                }
            }
        }
        if self.is_tuple {
            return Ok(Data::Tuple(results.into_iter().map(Data::from).collect()));
        }
        Ok(results.pop().map_or(Data::Token, Data::from))
    }

    fn sources(&self, operands: &[Data], cell: &CellAt, run: &mut dyn Run) -> Result<Vec<Source>, OpError> {
        let arrays: Vec<&ArrayLiteral> = operands.iter().filter_map(Data::as_array).collect();
        let mut comparisons = Vec::new();
        run.reserve_bytes(self.scratch_bytes(&arrays))?;
        let order = self.order(&arrays, &cell.index, run, Some(&mut comparisons))?;
        let source = usize::try_from(cell.index[self.dimension]).ok().and_then(|i| order.get(i));
        let from = source.and_then(|source| i64::try_from(*source).ok()).or_bug(0, "a cell outside its row");
        let at = |i: i64| {
            let mut index = cell.index.clone();
            index[self.dimension] = i;
            CellAt::array(&index)
        };
        let value = cell.result();
        let mut found = vec![Source { operand: value, cell: at(from), role: Role::Value }];
        // A row of one element needs no comparison.
        if order.len() > 1 {
            for operand in self.keys(arrays.len()) {
                for i in (0_i64..).take(order.len()).filter(|i| operand != value || *i != from) {
                    found.push(Source { operand, cell: at(i), role: Role::Choice });
                }
            }
        }
        if let Comparator::Region(region) = &self.comparator {
            // The entries of `found` for each position in the row.
            let mut found_at: Vec<SmallVec<[usize; 2]>> = vec![SmallVec::new(); order.len()];
            for (index, source) in found.iter().enumerate() {
                let i = usize::try_from(source.cell.index[self.dimension]).or_bug(0, "a negative index");
                found_at[i].push(index);
            }
            let calls = comparisons.into_iter().map(|Comparison { pair, arguments, result }| ScalarCall {
                sources: pair.iter().flat_map(|i| found_at[*i].iter().copied()).collect(),
                computation: region.computation(),
                arguments,
                results: SmallVec::from_slice(&[result]),
            });
            run.report_scalar_calls(calls.collect());
        }
        Ok(found)
    }
}

impl Sort {
    /// Whether it is the sort of XLA 2017, without comparator.
    fn is_legacy(cx: &OpContext) -> bool {
        cx.edition == Edition::V2017
            && cx.operands.len() == 1
            && cx.attrs.get("to_apply").is_none()
            && cx.array(0).is_ok_and(|operand| !operand.element_type.is_complex())
    }

    /// The dimension to sort along.
    fn dimension(cx: &OpContext, operand: &ArrayShape) -> Result<usize, OpError> {
        let found = cx.ints("dimensions");
        if Self::is_legacy(cx) && found.is_empty() && operand.rank() > 0 {
            return Ok(operand.rank() - 1);
        }
        let last = i64::try_from(operand.rank()).or_bug(1, "a rank exceeds i64") - 1;
        let fix = format!("{{{}}}", last.max(0));
        let &[d] = found else {
            let message = Message::ops("op-one-dimension").with("found", found.len());
            let error = cx.error("sort-2", message).at_attr("dimensions");
            return Err(error.with_fix(OpPart::Attr("dimensions"), fix));
        };
        usize::try_from(d).ok().filter(|d| *d < operand.rank()).ok_or_else(|| {
            let error = cx.out_of_range("sort-3", "dimensions", d, operand.rank());
            if operand.rank() > 0 { error.with_fix(OpPart::Attr("dimensions"), fix) } else { error }
        })
    }

    /// Checks that the comparator takes two scalars per operand and returns `pred[]`.
    fn check_comparator(cx: &OpContext, arrays: &[&ArrayShape]) -> Result<(), OpError> {
        let (name, signature) = cx.signature("to_apply")?;
        let expected: Vec<String> = arrays
            .iter()
            .flat_map(|array| [format!("{}[]", array.element_type), format!("{}[]", array.element_type)])
            .collect();
        let found: Vec<String> = signature.parameters.iter().map(Shape::human_string).collect();
        let result = signature.result.human_string();
        if found == expected && result == "pred[]" {
            return Ok(());
        }
        let message = Message::ops("op-comparator")
            .with("name", name)
            .with("expected", expected.join(", "))
            .with("found", found.join(", "))
            .with("result", result);
        Err(cx.error("sort-4", message).at_attr("to_apply"))
    }
}

impl OpDef for Sort {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn is_default_attr(&self, name: &str, cx: &OpContext) -> bool {
        name == "is_stable" && cx.attrs.get(name) == Some(&AttrValue::Bool(false))
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (arrays, first) = (cx.arrays()?, cx.array(0)?);
        if let Some(i) = arrays.iter().position(|array| array.dimensions != first.dimensions) {
            return Err(cx.size_mismatch("sort-1", i, 0));
        }
        let is_legacy = Self::is_legacy(cx);
        if !is_legacy && cx.attrs.get("to_apply").is_none() {
            return Err(cx.error("sort-5", Message::ops("op-sort-comparator")).at(OpPart::Opcode));
        }
        Self::dimension(cx, first)?;
        if !is_legacy {
            Self::check_comparator(cx, &arrays)?;
        }
        let mut results: Vec<Shape> = arrays.iter().map(|array| Shape::Array((*array).clone())).collect();
        if let [result] = results.as_mut_slice() {
            return Ok(std::mem::replace(result, Shape::Token));
        }
        Ok(Shape::Tuple(results.into()))
    }

    fn task(&self, context: &TaskContext) -> Result<PlannedTask, Fallback> {
        context.require_current_edition()?;
        let count = context.operands.len();
        let (direction, is_total_order) = context.comparison("to_apply")?;
        let is_descending = match direction {
            Direction::Lt => false,
            Direction::Gt => true,
            _ => return Err(Fallback::UnsupportedComputation),
        };
        let key = context.array(0)?;
        let payload = |i| Ok(Array { ty: context.copy_type(i)?, view: context.view(i)? });
        let mut operands = vec![key];
        operands.extend((1..count).map(payload).collect::<Result<Vec<_>, _>>()?);
        let outs = (0..count).map(|i| context.result_view(i)).collect::<Result<Vec<_>, _>>()?;
        let dimension = context.cx.array(0).and_then(|array| Self::dimension(context.cx, array));
        let task = kernels::Sort {
            operands,
            outs,
            dimension: dimension.map_err(|_| Fallback::NoKernel)?,
            is_descending,
            is_total_order,
            is_stable: context.cx.flag("is_stable"),
        };
        Ok(PlannedTask { task: Task::Sort(task), reads: (0..count).collect() })
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let comparator = if Self::is_legacy(cx) {
            Comparator::Ascending
        } else {
            Comparator::Region(cx.region("to_apply")?)
        };
        let dimension = Self::dimension(cx, cx.array(0)?)?;
        let is_stable = cx.flag("is_stable");
        Ok(Semantics::Eager(Box::new(BoundSort {
            comparator,
            dimension,
            is_stable,
            is_tuple: cx.operands.len() > 1,
        })))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        let d = to.cx.ints("dimensions").first().copied().unwrap_or(0);
        let parameters: Vec<String> = (0..2 * to.names.len()).map(|i| format!("p{i}")).collect();
        let names: Vec<&str> = parameters.iter().map(String::as_str).collect();
        let (less, greater) = match to.language {
            Language::Rust => return None,
            Language::Jax => ("lax.lt(p0, p1)", "lax.gt(p0, p1)"),
            Language::NumPy => ("np.less(p0, p1)", "np.greater(p0, p1)"),
        };
        // Only plain comparisons of the first array are expressible.
        let comparison = if to.cx.attrs.get("to_apply").is_some() {
            to.expression("to_apply", &names)?
        } else {
            less.to_owned()
        };
        let x = to.name(0);
        let has_one_array = to.names.len() == 1;
        match to.language {
            Language::Jax if comparison == less && has_one_array => {
                Some(format!("lax.sort({x}, {d})").into())
            }
            Language::Jax if comparison == less => Some(format!("lax.sort({}, {d})", tuple(to.names)).into()),
            Language::Jax if comparison == greater && has_one_array => {
                Some(format!("lax.rev(lax.sort({x}, {d}), ({d},))").into())
            }
            Language::NumPy if comparison == less && has_one_array => {
                Some(format!("np.sort({x}, {d})").into())
            }
            Language::NumPy if comparison == greater && has_one_array => {
                Some(format!("np.flip(np.sort({x}, {d}), {d})").into())
            }
            _ => None,
        }
    }
}
