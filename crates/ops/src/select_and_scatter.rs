//! `select-and-scatter`: see [`SelectAndScatter`].

use std::sync::Arc;

use super::readers::{Charged, Plain, Recording};
use super::reduce::check_reducer;
use super::reduce_window::check_init;
use super::tasks::{self, Fallback, PlannedTask, TaskContext};
use super::window::{self, Axes, rules_with_window};
use super::{
    AttrKind, AttrSpec, Base, Body, Category, CellAt, Data, Example, OpContext, OpDef, OpError, OpMeta,
    Operands, Read, Region, Role, Rule, Run, Source, WholeOp,
};
use xla_array::index::{Indices, for_each_combination};
use xla_array::{ArrayLiteral, ArrayShape, Dims, Shape, Value};
use xla_kernels::{Task, task as kernels};
use xla_messages::bug::OrBug as _;
use xla_messages::i18n::Message;

/// Chooses an element in each window over an array, and brings the source's value for that window there.
///
/// A window is walked in row-major order over its cells that lie on elements: the first is chosen; a later one takes
/// its place if `select(chosen, later)` is false. With `GE` the first of equal ones stays, with `GT` the last one
/// wins. Then `out[chosen] = scatter(out[chosen], source)`; `out` is initialized with `init`; windows that overlap
/// come in row-major order. A window on padding only brings nothing. `rhs_reversal` changes nothing. In 2017 there
/// were neither dilations nor negative padding. Source: XLA's operation semantics, `SelectAndScatter`;
/// `ShapeInference::InferSelectAndScatterShape`.
pub struct SelectAndScatter;

static META: OpMeta = OpMeta {
    opcode: "select-and-scatter",
    title: "SelectAndScatter",
    names: &[],
    sections: &["SelectAndScatter"],
    category: Category::Reduction,
    summary: "op-select-and-scatter",
    formula: "out[i] = fold(init, source[y] for all windows y whose chosen element is i)",
    operands: Operands::exactly(&["operand", "source", "init"]),
    argument: None,
    attrs: &[
        AttrSpec::optional("window", AttrKind::Window, "attr-window"),
        AttrSpec::required("select", AttrKind::Computation, "attr-select"),
        AttrSpec::required("scatter", AttrKind::Computation, "attr-scatter"),
    ],
    rules: rules_with_window!(
        "x = f32[3] parameter(0) s = f32[3] parameter(1) i = f32[] parameter(2)
         ROOT r = select-and-scatter(x, s, i), select={
         a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = compare(a, b), direction=GE }, scatter={
         a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }, window=",
        Rule {
            label: "select-and-scatter-1",
            description: "rule-select-function",
            broken_by: "x = f32[3] parameter(0) i = f32[] parameter(1)
                        ROOT r = select-and-scatter(x, x, i), window={size=1}, select={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }, scatter={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        },
        Rule {
            label: "select-and-scatter-2",
            description: "rule-reducer-parameters",
            broken_by: "x = f32[3] parameter(0) i = f32[] parameter(1)
                        ROOT r = select-and-scatter(x, x, i), window={size=1}, select={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = compare(a, b), direction=GE }, scatter={
                        a = f32[] parameter(0) ROOT c = negate(a) }",
        },
        Rule {
            label: "select-and-scatter-3",
            description: "rule-reducer-types",
            broken_by: "x = f32[3] parameter(0) i = s32[] parameter(1)
                        ROOT r = select-and-scatter(x, x, i), window={size=1}, select={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = compare(a, b), direction=GE }, scatter={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        },
        Rule {
            label: "select-and-scatter-4",
            description: "rule-source-sizes",
            broken_by: "x = f32[3] parameter(0) i = f32[] parameter(1)
                        ROOT r = select-and-scatter(x, x, i), window={size=2}, select={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = compare(a, b), direction=GE }, scatter={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        },
    ),
    examples: &[
        Example {
            hlo: "x = f32[4,6] constant({{7,2,5,3,10,2},{3,8,9,3,4,2},{1,5,7,5,6,1},{0,6,2,7,2,8}})
                  s = f32[2,2] constant({{2,6},{3,1}}) i = f32[] constant(0)
                  ROOT r = select-and-scatter(x, s, i), window={size=2x3 stride=2x3}, select={
                  a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = compare(a, b), direction=GE }, scatter={
                  a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
            result: "f32[4,6] { {0, 0, 0, 0, 6, 0}, {0, 0, 2, 0, 0, 0}, {0, 0, 3, 0, 0, 0}, {0, 0, 0, 0, 0, 1} }",
        },
        Example {
            hlo: "x = f32[4,5] constant({{7,2,5,3,8},{3,8,9,3,4},{1,5,7,5,6},{0,6,2,10,2}})
                  s = f32[2,2] constant({{2,6},{3,1}}) i = f32[] constant(0)
                  ROOT r = select-and-scatter(x, s, i), window={size=2x3 stride=2x2}, select={
                  a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = compare(a, b), direction=GE }, scatter={
                  a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
            result: "f32[4,5] { {0, 0, 0, 0, 0}, {0, 0, 8, 0, 0}, {0, 0, 3, 0, 0}, {0, 0, 0, 1, 0} }",
        },
        Example {
            hlo: "x = f32[4] constant({5,5,5,5}) s = f32[2] constant({1,2}) i = f32[] constant(0)
                  ROOT first = select-and-scatter(x, s, i), window={size=2 stride=2}, select={
                  a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = compare(a, b), direction=GE }, scatter={
                  a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
            result: "f32[4] {1, 0, 2, 0}",
        },
        Example {
            hlo: "x = f32[4] constant({5,5,5,5}) s = f32[2] constant({1,2}) i = f32[] constant(0)
                  ROOT last = select-and-scatter(x, s, i), window={size=2 stride=2}, select={
                  a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = compare(a, b), direction=GT }, scatter={
                  a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
            result: "f32[4] {0, 1, 0, 2}",
        },
    ],
};

/// The most cells that a trace notes.
const MAX_TRACED_CELLS: usize = 1 << 20;

/// The body: values and sources use the same selection within a window.
struct Selecting {
    axes: Axes,
    shape: ArrayShape,
    select: Arc<Region>,
    scatter: Arc<Region>,
}

impl Selecting {
    /// The element that a window chooses; `None` if it covers no element.
    fn choose(&self, window: &[i64], read: &mut dyn Read) -> Option<Dims> {
        let mut chosen: Option<(Dims, Value)> = None;
        for_each_combination(&window::taps(&self.axes, window.iter().copied()), |taps| {
            let index: Dims = taps.iter().map(|tap| tap.base).collect();
            let value = read.get(0, &index, Role::Choice);
            let mut goes_on = true;
            if let Some((_, present)) = &chosen {
                let mut stays = [Value::Pred(false)];
                goes_on = read.apply(&self.select, &[*present, value], &mut stays);
                if stays == [Value::Pred(true)] {
                    return goes_on;
                }
            }
            chosen = Some((index, value));
            goes_on
        });
        chosen.map(|(index, _)| index)
    }

    /// A value with that of the source for a window.
    fn scattered(&self, value: Value, window: &[i64], read: &mut dyn Read) -> Value {
        let source = read.get(1, window, Role::Update);
        let mut result = [value];
        read.apply(&self.scatter, &[value, source], &mut result);
        result[0]
    }

    /// One output cell: of the windows that have it, those that choose it count.
    fn cell(&self, out: &[i64], read: &mut dyn Read) -> Value {
        let mut value = read.get(2, &[], Role::Init);
        let windows: Vec<_> = self.axes.iter().zip(out).map(|(axis, x)| axis.windows_on(*x)).collect();
        for_each_combination(&windows, |window| {
            if self.choose(window, read).is_some_and(|chosen| chosen[..] == *out) {
                value = self.scattered(value, window, read);
            }
            read.charge_steps(0)
        });
        value
    }
}

impl WholeOp for Selecting {
    /// Every window once; element by element would visit each as often as it has elements.
    fn evaluate(&self, operands: &[Data], run: &mut dyn Run) -> Result<Data, OpError> {
        let mut charged = Charged(run);
        let mut read = Plain::metered(operands, &mut charged);
        let init = read.get(2, &[], Role::Init);
        let mut out = ArrayLiteral::filled(self.shape.clone(), init)
            .map_err(|error| OpError::new(META.opcode, error.rule, error.message))?;
        read.charge_steps(out.map().slot_count().unsigned_abs());
        let sizes: Dims = self.axes.iter().map(window::Axis::output).collect();
        let mut windows = Indices::row_major(&sizes);
        while let Some(window) = windows.advance() {
            if let Some(chosen) = self.choose(window, &mut read) {
                let value = out.get(&chosen).or_bug(init, "the chosen element is in the operand");
                out.set(&chosen, self.scattered(value, window, &mut read));
            }
            read.finish_cell()?;
        }
        read.charge()?;
        Ok(out.into())
    }

    fn sources(&self, operands: &[Data], cell: &CellAt, run: &mut dyn Run) -> Result<Vec<Source>, OpError> {
        let mut recording = Recording::new(operands, MAX_TRACED_CELLS);
        self.cell(&cell.index, &mut recording);
        run.spend(recording.reads())?;
        run.applied(recording.take_applied());
        if recording.reads() > MAX_TRACED_CELLS as u64 {
            let message = Message::engine("trace-limit").with("limit", MAX_TRACED_CELLS);
            return Err(OpError::new(META.opcode, "trace-limit", message));
        }
        Ok(recording.into_sources())
    }
}

/// Checks that `select` takes two scalars and returns `pred`.
fn check_select(cx: &OpContext, operand: &ArrayShape) -> Result<(), OpError> {
    let (name, signature) = cx.signature("select")?;
    let (element, pred) = (format!("{}[]", operand.element_type), "pred[]");
    let takes: Vec<String> = signature.parameters.iter().map(Shape::human_string).collect();
    let gives = signature.result.human_string();
    if takes.len() == 2 && takes.iter().all(|of| *of == element) && gives == pred {
        return Ok(());
    }
    let message = Message::engine("op-select-function")
        .with("name", name)
        .with("expected", element)
        .with("found", takes.join(", "))
        .with("result", gives);
    Err(cx.error("select-and-scatter-1", message).at_attr("select"))
}

impl OpDef for SelectAndScatter {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (operand, source) = (cx.array(0)?, cx.array(1)?);
        check_select(cx, operand)?;
        let rules = ["select-and-scatter-2", "select-and-scatter-3"];
        check_reducer(cx, "scatter", &[operand.element_type], rules)?;
        check_init(cx, rules[1], 2, operand.element_type)?;
        if source.element_type != operand.element_type {
            return Err(cx.other_type(rules[1], 1));
        }
        let axes = window::axes(cx, &operand.dimensions, |_| 1)?;
        window::check_2017(cx)?;
        let sizes: Dims = axes.iter().map(window::Axis::output).collect();
        if source.dimensions != sizes {
            let expected = ArrayShape::new(operand.element_type, sizes);
            let message = Message::engine("op-source-sizes")
                .with("found", source.human_string())
                .with("expected", expected.human_string());
            return Err(cx.error("select-and-scatter-4", message).at_operand(1));
        }
        cx.result(operand.element_type, operand.dimensions.iter().copied())
    }

    fn task(&self, context: &TaskContext) -> Result<PlannedTask, Fallback> {
        context.require_current_edition()?;
        let (operand, source, out) = (context.array(0)?, context.array(1)?, context.out()?);
        let (select, is_total) = context.compares("select")?;
        if is_total {
            return Err(Fallback::Computation);
        }
        let scatter = context.reducer("scatter", operand.ty)?;
        let window = tasks::windows(context.cx.window("window"))?;
        let task = kernels::SelectAndScatter { operand, source, out, window, select, scatter };
        Ok(PlannedTask { task: Task::SelectAndScatter(task), reads: vec![0, 1, 2] })
    }

    fn bind(&self, cx: &OpContext) -> Result<Body, OpError> {
        let operand = cx.array(0)?;
        Ok(Body::Whole(Box::new(Selecting {
            axes: window::axes(cx, &operand.dimensions, |_| 1)?,
            shape: ArrayShape::new(operand.element_type, operand.dimensions.iter().copied()),
            select: cx.region("select")?,
            scatter: cx.region("scatter")?,
        })))
    }

    fn base(&self, cx: &OpContext) -> Option<Base> {
        window::base(cx, Some(1))
    }

    fn omits(&self, name: &str, cx: &OpContext) -> bool {
        name == "window" && cx.window(name).is_empty()
    }
}
