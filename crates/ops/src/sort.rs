//! `sort`: see [`Sort`].

use std::collections::BTreeSet;
use std::sync::Arc;

use smallvec::SmallVec;

use super::code::tuple;
use super::sort_order;
use super::tasks::{Fallback, PlannedTask, TaskContext};
use super::{
    Applied, At, AttrKind, AttrSpec, AttrValue, Body, Category, CellAt, Code, Coding, Data, Example,
    Language, OpContext, OpDef, OpError, OpMeta, Operands, Region, Role, Rule, Run, Source, WholeOp,
};
use xla_array::index::Indices;
use xla_array::{ArrayLiteral, ArrayShape, Dims, Edition, Shape, Value};
use xla_kernels::Task;
use xla_kernels::task::{self as kernels, Array, Direction};
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// Sorts along a dimension, several arrays alike: a computation says which of two comes first.
///
/// The comparator takes a left and a right scalar an operand. It should be a strict weak order; what comes of another
/// one, such as `LT` on floats with NaN, and of ties where `is_stable` is not asked for, is what XLA's CPU gives. In the edition of 2017 there is one operand and no comparator: it is sorted ascending
/// along the last dimension, floats by their total order. A cell's value comes from one cell; which one, every cell of
/// the row decides that the comparator looks at. Source: "Sort" of the documents; `ShapeInference::InferVariadicOpShape`,
/// XLA's `SortThunk`.
pub struct Sort;

static META: OpMeta = OpMeta {
    opcode: "sort",
    title: "Sort",
    names: &[],
    sections: &["Sort"],
    category: Category::Movement,
    summary: "op-sort",
    formula: "out[.., i, ..] = operand[.., p(i), ..] where p sorts the row",
    operands: Operands { fixed: &["operand"], rest: Some("operand") },
    argument: None,
    attrs: &[
        AttrSpec::optional("dimensions", AttrKind::Ints, "attr-sort-dimension"),
        AttrSpec::optional("is_stable", AttrKind::Bool, "attr-is-stable"),
        AttrSpec::optional("to_apply", AttrKind::Computation, "attr-comparator"),
    ],
    rules: &[
        Rule {
            label: "sort-1",
            description: "rule-same-sizes",
            broken_by: "x = f32[3] parameter(0) y = f32[4] parameter(1) ROOT r = sort(x, y), dimensions={0}, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] parameter(2) d = f32[] parameter(3)
                        ROOT p = compare(a, b), direction=LT }",
        },
        Rule {
            label: "sort-2",
            description: "rule-one-dimension",
            broken_by: "x = f32[3,3] parameter(0) ROOT r = sort(x), dimensions={0,1}, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT p = compare(a, b), direction=LT }",
        },
        Rule {
            label: "sort-3",
            description: "rule-dimension-range",
            broken_by: "x = f32[3] parameter(0) ROOT r = sort(x), dimensions={1}, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT p = compare(a, b), direction=LT }",
        },
        Rule {
            label: "sort-4",
            description: "rule-comparator",
            broken_by: "x = s32[3] parameter(0) ROOT r = sort(x), dimensions={0}, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT p = compare(a, b), direction=LT }",
        },
        Rule {
            label: "sort-5",
            description: "rule-sort-comparator",
            broken_by: "x = f32[3] parameter(0) ROOT r = sort(x), dimensions={0}",
        },
    ],
    examples: &[
        Example {
            hlo: "x = f32[7] constant({3, nan, -1, 0, -0.0, inf, 2}) ROOT r = sort(x), dimensions={0}, to_apply={
                  a = f32[] parameter(0) b = f32[] parameter(1)
                  ROOT p = compare(a, b), direction=LT, type=TOTALORDER }",
            result: "f32[7] {-1, -0.0, 0, 2, 3, inf, nan}",
        },
        Example {
            hlo: "x = s32[3,2] constant({{3,1},{2,4},{1,9}}) ROOT r = sort(x), dimensions={0}, to_apply={
                  a = s32[] parameter(0) b = s32[] parameter(1) ROOT p = compare(a, b), direction=GT }",
            result: "s32[3,2] { {3, 9}, {2, 4}, {1, 1} }",
        },
        Example {
            hlo: "k = s32[4] constant({2, 1, 2, 1}) v = f32[4] constant({10, 20, 30, 40})
                  s = sort(k, v), dimensions={0}, is_stable=true, to_apply={
                  a = s32[] parameter(0) b = s32[] parameter(1) c = f32[] parameter(2) d = f32[] parameter(3)
                  ROOT p = compare(a, b), direction=LT }
                  ROOT r = get-tuple-element(s), index=1",
            result: "f32[4] {20, 40, 10, 30}",
        },
    ],
};

/// Which of two rows' places comes first.
enum Comparator {
    /// A computation, which takes a left and a right scalar an operand.
    Region(Arc<Region>),
    /// Ascending, as in 2017.
    Ascending,
}

struct Rows {
    comparator: Comparator,
    is_stable: bool,
    dimension: usize,
    is_tuple: bool,
}

/// Which of two values comes first in ascending order; floats by their total order.
pub(super) fn ascending(a: Value, b: Value) -> std::cmp::Ordering {
    match (a, b) {
        (Value::Pred(a), Value::Pred(b)) => a.cmp(&b),
        (Value::Int(a), Value::Int(b)) => a.cmp(&b),
        (Value::Uint(a), Value::Uint(b)) => a.cmp(&b),
        (Value::Float(a), Value::Float(b)) => a.total_cmp(&b),
        _ => std::cmp::Ordering::Equal,
    }
}

/// A comparison of two elements of a row, by their places before the sort.
struct Compared {
    pair: [usize; 2],
    arguments: SmallVec<[Value; 2]>,
    answer: Value,
}

/// The most arguments of comparisons of one row that are reported.
const MAX_REPORTED_ARGUMENTS: usize = 1 << 18;

impl Rows {
    /// The operands that the comparator reads.
    fn keys(&self, count: usize) -> Vec<usize> {
        match &self.comparator {
            Comparator::Region(region) => {
                let uses: BTreeSet<usize> = region.uses(0).into_iter().collect();
                (0..count).filter(|k| uses.contains(&(2 * k)) || uses.contains(&(2 * k + 1))).collect()
            }
            Comparator::Ascending => vec![0],
        }
    }

    /// Where the elements of a row come from; `index` is any of it.
    fn order(
        &self,
        arrays: &[&ArrayLiteral],
        index: &[i64],
        run: &mut dyn Run,
        mut watch: Option<&mut Vec<Compared>>,
    ) -> Result<Vec<usize>, OpError> {
        let mut index: Dims = index.into();
        let length = arrays.first().and_then(|array| array.map().sizes().get(self.dimension)).copied();
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
                Ok(ascending(rows[0][a], rows[0][b]).is_lt())
            }),
            Comparator::Region(region) => {
                let mut arguments = vec![Value::Int(0); 2 * arrays.len()];
                let cost = 1 + region.cost();
                let mut before = |a: usize, b: usize| {
                    run.spend(cost)?;
                    for (pair, row) in arguments.chunks_exact_mut(2).zip(&rows) {
                        pair.copy_from_slice(&[row[a], row[b]]);
                    }
                    let answer = region.one(&arguments);
                    if let Some(watch) = watch.as_mut()
                        && watch.len().saturating_mul(arguments.len()) < MAX_REPORTED_ARGUMENTS
                    {
                        watch.push(Compared { pair: [a, b], arguments: arguments.as_slice().into(), answer });
                    }
                    Ok(answer == Value::Pred(true))
                };
                let sort = if self.is_stable { sort_order::stable } else { sort_order::unstable };
                sort(length, &mut before)
            }
        }
    }
}

impl Rows {
    /// The bytes of a row, its order, and the copy of it that is merged into.
    fn scratch_bytes(&self, arrays: &[&ArrayLiteral]) -> u64 {
        let length = arrays.first().and_then(|array| array.map().sizes().get(self.dimension)).copied();
        let each = arrays.len() * size_of::<Value>() + 2 * size_of::<usize>();
        length.or_bug(0, "no dimension to sort").unsigned_abs().saturating_mul(each as u64)
    }
}

impl WholeOp for Rows {
    fn evaluate(&self, operands: &[Data], run: &mut dyn Run) -> Result<Data, OpError> {
        let arrays: Vec<&ArrayLiteral> = operands.iter().filter_map(Data::as_array).collect();
        run.reserve_bytes(self.scratch_bytes(&arrays))?;
        let mut results: Vec<ArrayLiteral> = arrays.iter().map(|array| (*array).clone()).collect();
        let sizes = arrays.first().map(|array| Dims::from(array.map().sizes())).unwrap_or_default();
        if !sizes.contains(&0) {
            let mut rows = sizes.clone();
            rows[self.dimension] = 1;
            let mut indices = Indices::row_major(&rows);
            while let Some(row) = indices.advance() {
                let order = self.order(&arrays, row, run, None)?;
                for (array, result) in arrays.iter().zip(&mut results) {
                    let (mut from, mut to) = (Dims::from_slice(row), Dims::from_slice(row));
                    for (i, source) in (0_i64..).zip(&order) {
                        from[self.dimension] = i64::try_from(*source).or_bug(0, "a place beyond any array");
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
        let mut compared = Vec::new();
        run.reserve_bytes(self.scratch_bytes(&arrays))?;
        let order = self.order(&arrays, &cell.index, run, Some(&mut compared))?;
        let place = usize::try_from(cell.index[self.dimension]).ok().and_then(|i| order.get(i));
        let from = place.and_then(|place| i64::try_from(*place).ok()).or_bug(0, "a cell outside its row");
        let at = |i: i64| {
            let mut index = cell.index.clone();
            index[self.dimension] = i;
            CellAt::array(&index)
        };
        // An array, not a tuple, is the only result.
        let value = cell.path.first().copied().unwrap_or(0);
        let mut found = vec![Source { operand: value, cell: at(from), role: Role::Value }];
        // In a row of one there is nothing to decide.
        if order.len() > 1 {
            for operand in self.keys(arrays.len()) {
                for i in (0_i64..).take(order.len()).filter(|i| operand != value || *i != from) {
                    found.push(Source { operand, cell: at(i), role: Role::Choice });
                }
            }
        }
        if let Comparator::Region(region) = &self.comparator {
            // The source cells of each of the row's elements.
            let mut at_place: Vec<SmallVec<[usize; 2]>> = vec![SmallVec::new(); order.len()];
            for (number, source) in found.iter().enumerate() {
                let i = usize::try_from(source.cell.index[self.dimension]).or_bug(0, "a negative index");
                at_place[i].push(number);
            }
            let applied = compared.into_iter().map(|Compared { pair, arguments, answer }| Applied {
                sources: pair.iter().flat_map(|i| at_place[*i].iter().copied()).collect(),
                computation: region.computation(),
                arguments,
                results: SmallVec::from_slice(&[answer]),
            });
            run.applied(applied.collect());
        }
        Ok(found)
    }
}

impl Sort {
    /// Whether it is the sort of 2017, which says no more than what is sorted.
    fn is_plain(cx: &OpContext) -> bool {
        cx.edition == Edition::V2017
            && cx.operands.len() == 1
            && cx.attrs.get("to_apply").is_none()
            && cx.array(0).is_ok_and(|operand| !operand.element_type.is_complex())
    }

    /// The dimension that is sorted along.
    fn dimension(cx: &OpContext, operand: &ArrayShape) -> Result<usize, OpError> {
        let found = cx.ints("dimensions");
        if Self::is_plain(cx) && found.is_empty() && operand.rank() > 0 {
            return Ok(operand.rank() - 1);
        }
        let last = i64::try_from(operand.rank()).unwrap_or(0) - 1;
        let fix = format!("{{{}}}", last.max(0));
        let &[d] = found else {
            let message = Message::engine("op-one-dimension").with("found", found.len());
            let error = cx.error("sort-2", message).at_attr("dimensions");
            return Err(error.write(At::Attr("dimensions"), fix));
        };
        usize::try_from(d).ok().filter(|d| *d < operand.rank()).ok_or_else(|| {
            let error = cx.out_of_range("sort-3", "dimensions", d, operand.rank());
            if operand.rank() > 0 { error.write(At::Attr("dimensions"), fix) } else { error }
        })
    }

    /// That the comparator takes two scalars an operand and gives `pred[]`.
    fn check_comparator(cx: &OpContext, arrays: &[&ArrayShape]) -> Result<(), OpError> {
        let (name, signature) = cx.signature("to_apply")?;
        let wanted: Vec<String> = arrays
            .iter()
            .flat_map(|array| [format!("{}[]", array.element_type), format!("{}[]", array.element_type)])
            .collect();
        let found: Vec<String> = signature.parameters.iter().map(Shape::human_string).collect();
        let result = signature.result.human_string();
        if found == wanted && result == "pred[]" {
            return Ok(());
        }
        let message = Message::engine("op-comparator")
            .with("name", name)
            .with("expected", wanted.join(", "))
            .with("found", found.join(", "))
            .with("result", result);
        Err(cx.error("sort-4", message).at_attr("to_apply"))
    }
}

impl OpDef for Sort {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn omits(&self, name: &str, cx: &OpContext) -> bool {
        name == "is_stable" && cx.attrs.get(name) == Some(&AttrValue::Bool(false))
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (arrays, first) = (cx.arrays()?, cx.array(0)?);
        if let Some(i) = arrays.iter().position(|array| array.dimensions != first.dimensions) {
            return Err(cx.other_sizes("sort-1", i, 0));
        }
        let is_plain = Self::is_plain(cx);
        if !is_plain && cx.attrs.get("to_apply").is_none() {
            return Err(cx.error("sort-5", Message::engine("op-sort-comparator")).at(At::Opcode));
        }
        Self::dimension(cx, first)?;
        if !is_plain {
            Self::check_comparator(cx, &arrays)?;
        }
        let mut results: Vec<Shape> = arrays.iter().map(|of| Shape::Array((*of).clone())).collect();
        if let [result] = results.as_mut_slice() {
            return Ok(std::mem::replace(result, Shape::Token));
        }
        Ok(Shape::Tuple(results.into()))
    }

    fn task(&self, context: &TaskContext) -> Result<PlannedTask, Fallback> {
        context.is_now()?;
        let count = context.operands.len();
        let (direction, is_total) = context.compares("to_apply")?;
        let is_descending = match direction {
            Direction::Lt => false,
            Direction::Gt => true,
            _ => return Err(Fallback::Computation),
        };
        let key = context.array(0)?;
        let moved = |i| Ok(Array { ty: context.moved(i)?, view: context.view(i)? });
        let mut operands = vec![key];
        operands.extend((1..count).map(moved).collect::<Result<Vec<_>, _>>()?);
        let outs = (0..count).map(|i| context.result_view(i)).collect::<Result<Vec<_>, _>>()?;
        let dimension = context.cx.array(0).and_then(|array| Self::dimension(context.cx, array));
        let task = kernels::Sort {
            operands,
            outs,
            dimension: dimension.map_err(|_| Fallback::NoKernel)?,
            is_descending,
            is_total,
            is_stable: context.cx.flag("is_stable"),
        };
        Ok(PlannedTask { task: Task::Sort(task), reads: (0..count).collect() })
    }

    fn bind(&self, cx: &OpContext) -> Result<Body, OpError> {
        let comparator = if Self::is_plain(cx) {
            Comparator::Ascending
        } else {
            Comparator::Region(cx.region("to_apply")?)
        };
        let dimension = Self::dimension(cx, cx.array(0)?)?;
        let is_stable = cx.flag("is_stable");
        Ok(Body::Whole(Box::new(Rows { comparator, dimension, is_stable, is_tuple: cx.operands.len() > 1 })))
    }

    fn code(&self, to: &Coding) -> Option<Code> {
        let d = to.cx.ints("dimensions").first().copied().unwrap_or(0);
        let parameters: Vec<String> = (0..2 * to.names.len()).map(|i| format!("p{i}")).collect();
        let names: Vec<&str> = parameters.iter().map(String::as_str).collect();
        let (less, greater) = match to.language {
            Language::Rust => return None,
            Language::Jax => ("lax.lt(p0, p1)", "lax.gt(p0, p1)"),
            Language::NumPy => ("np.less(p0, p1)", "np.greater(p0, p1)"),
        };
        // Only the plain comparisons of the first array have a counterpart.
        let comparison = if to.cx.attrs.get("to_apply").is_some() {
            to.expression("to_apply", &names)?
        } else {
            less.to_owned()
        };
        let x = to.name(0);
        let one = to.names.len() == 1;
        match to.language {
            Language::Jax if comparison == less && one => Some(format!("lax.sort({x}, {d})").into()),
            Language::Jax if comparison == less => Some(format!("lax.sort({}, {d})", tuple(to.names)).into()),
            Language::Jax if comparison == greater && one => {
                Some(format!("lax.rev(lax.sort({x}, {d}), ({d},))").into())
            }
            Language::NumPy if comparison == less && one => Some(format!("np.sort({x}, {d})").into()),
            Language::NumPy if comparison == greater && one => {
                Some(format!("np.flip(np.sort({x}, {d}), {d})").into())
            }
            _ => None,
        }
    }
}
