//! `select-and-scatter`: see [`SelectAndScatter`].

use std::sync::Arc;

use super::export::windows::named_window;
use super::readers::{MAX_TRACED_CELLS, RunMeter, SourceRecorder, ValueReader};
use super::reduce::{check_init, check_reducer};
use super::tasks::{self, Fallback, PlannedTask, TaskContext};
use super::window::{self, Axes, rules_with_window};
use super::{
    AttrKind, AttrSpec, BaseArea, Category, CellAt, Change, Data, EagerOp, EditionExample, Example,
    ExampleOutcome, ExportContext, Expression, Formula, History, Language, OpContext, OpDef, OpError, OpMeta,
    Operands, Read, Region, Role, Rule, Run, Semantics, Source,
};
use xla_array::index::{Indices, for_each_combination};
use xla_array::{ArrayLiteral, ArrayShape, Dims, Shape, Value};
use xla_kernels::{Task, task as kernels};
use xla_messages::bug::OrBug as _;
use xla_messages::i18n::Message;

/// Selects an element in each window over an array, and combines the source element of the window into the result
/// there.
///
/// The elements that a window covers are visited in row-major order: the first one is selected, and a later one
/// replaces it if `select(selected, later)` is false. So with `GE` the first of equal elements is selected, with `GT`
/// the last. Then `out[selected] = scatter(out[selected], source)`, window by window in row-major order; `out` is
/// initialized with `init`. A window that covers only padding has no effect, nor does `rhs_reversal`. XLA 2017
/// has neither dilations nor negative padding. Reference: XLA's operation semantics, `SelectAndScatter`;
/// `ShapeInference::InferSelectAndScatterShape`.
pub struct SelectAndScatter;

/// The difference in XLA 2017.
static CHANGE: Change = Change {
    formula: None,
    v2017: "then-window",
    current: "now-window",
    example: EditionExample {
        title: "difference-window",
        hlo: "x = f32[4] constant({1, 3, 2, 4}) s = f32[1] constant({5}) z = f32[] constant(0)
              ROOT r = select-and-scatter(x, s, z), window={size=3 pad=-1_0},
              select={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = compare(a, b), direction=GE },
              scatter={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        v2017: ExampleOutcome::Error("window-2017"),
        current: ExampleOutcome::Value("f32[4] {0, 0, 0, 5}"),
    },
};

static META: OpMeta = OpMeta {
    opcode: "select-and-scatter",
    title: "SelectAndScatter",
    search_terms: &[],
    sections: &["SelectAndScatter"],
    category: Category::Reduction,
    history: History::changed(&CHANGE),
    summary: "op-select-and-scatter",
    formula: Formula::Words("formula-select-and-scatter"),
    operands: Operands::exactly(&["operand", "source", "init"]),
    inline_attr: None,
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
            identifier: "select-and-scatter-1",
            description: "rule-select-function",
            violated_by: "x = f32[3] parameter(0) i = f32[] parameter(1)
                        ROOT r = select-and-scatter(x, x, i), window={size=1}, select={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }, scatter={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        },
        Rule {
            identifier: "select-and-scatter-2",
            description: "rule-reducer-parameters",
            violated_by: "x = f32[3] parameter(0) i = f32[] parameter(1)
                        ROOT r = select-and-scatter(x, x, i), window={size=1}, select={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = compare(a, b), direction=GE }, scatter={
                        a = f32[] parameter(0) ROOT c = negate(a) }",
        },
        Rule {
            identifier: "select-and-scatter-3",
            description: "rule-reducer-types",
            violated_by: "x = f32[3] parameter(0) i = s32[] parameter(1)
                        ROOT r = select-and-scatter(x, x, i), window={size=1}, select={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = compare(a, b), direction=GE }, scatter={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        },
        Rule {
            identifier: "select-and-scatter-4",
            description: "rule-source-sizes",
            violated_by: "x = f32[3] parameter(0) i = f32[] parameter(1)
                        ROOT r = select-and-scatter(x, x, i), window={size=2}, select={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = compare(a, b), direction=GE }, scatter={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        },
    ),
    examples: &[
Example {
 title: "shows-pooling-gradient",
            hlo: "x = f32[4,6] constant({{7,2,5,3,10,2},{3,8,9,3,4,2},{1,5,7,5,6,1},{0,6,2,7,2,8}})
                  s = f32[2,2] constant({{2,6},{3,1}}) i = f32[] constant(0)
                  ROOT r = select-and-scatter(x, s, i), window={size=2x3 stride=2x3}, select={
                  a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = compare(a, b), direction=GE }, scatter={
                  a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
            result: "f32[4,6] { {0, 0, 0, 0, 6, 0}, {0, 0, 2, 0, 0, 0}, {0, 0, 3, 0, 0, 0}, {0, 0, 0, 0, 0, 1} }",
        },
Example {
 title: "shows-overlapping",
            hlo: "x = f32[4,5] constant({{7,2,5,3,8},{3,8,9,3,4},{1,5,7,5,6},{0,6,2,10,2}})
                  s = f32[2,2] constant({{2,6},{3,1}}) i = f32[] constant(0)
                  ROOT r = select-and-scatter(x, s, i), window={size=2x3 stride=2x2}, select={
                  a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = compare(a, b), direction=GE }, scatter={
                  a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
            result: "f32[4,5] { {0, 0, 0, 0, 0}, {0, 0, 8, 0, 0}, {0, 0, 3, 0, 0}, {0, 0, 0, 1, 0} }",
        },
Example {
 title: "shows-first-of-equals",
            hlo: "x = f32[4] constant({5,5,5,5}) s = f32[2] constant({1,2}) i = f32[] constant(0)
                  ROOT first = select-and-scatter(x, s, i), window={size=2 stride=2}, select={
                  a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = compare(a, b), direction=GE }, scatter={
                  a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
            result: "f32[4] {1, 0, 2, 0}",
        },
Example {
 title: "shows-last-of-equals",
            hlo: "x = f32[4] constant({5,5,5,5}) s = f32[2] constant({1,2}) i = f32[] constant(0)
                  ROOT last = select-and-scatter(x, s, i), window={size=2 stride=2}, select={
                  a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = compare(a, b), direction=GT }, scatter={
                  a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
            result: "f32[4] {0, 1, 0, 2}",
        },
],
};

/// The bound op; values and provenance share the selection within a window.
struct BoundSelectAndScatter {
    axes: Axes,
    shape: ArrayShape,
    select: Arc<Region>,
    scatter: Arc<Region>,
}

impl BoundSelectAndScatter {
    /// The index of the element that `select` selects in a window; `None` if the window covers no element.
    fn selected_index(&self, window: &[i64], read: &mut dyn Read) -> Option<Dims> {
        let mut selected: Option<(Dims, Value)> = None;
        for_each_combination(&window::elements(&self.axes, window.iter().copied()), |elements| {
            let index: Dims = elements.iter().map(|element| element.base_index).collect();
            let value = read.get(0, &index, Role::Choice);
            let mut should_continue = true;
            if let Some((_, current)) = &selected {
                let mut keeps_current = [Value::Pred(false)];
                should_continue = read.apply(&self.select, &[*current, value], &mut keeps_current);
                if keeps_current == [Value::Pred(true)] {
                    return should_continue;
                }
            }
            selected = Some((index, value));
            should_continue
        });
        selected.map(|(index, _)| index)
    }

    /// Combines an output value with the source element of a window, by `scatter`.
    fn scatter_into(&self, value: Value, window: &[i64], read: &mut dyn Read) -> Value {
        let update = read.get(1, window, Role::Update);
        let mut result = [value];
        read.apply(&self.scatter, &[value, update], &mut result);
        result[0]
    }

    /// An output element: the initial value, combined with the source of every window that selects the element.
    fn element(&self, out: &[i64], read: &mut dyn Read) -> Value {
        let init = |read: &mut dyn Read| read.get(2, &[], Role::Init);
        let mut value = None;
        let windows: Vec<_> = self.axes.iter().zip(out).map(|(axis, x)| axis.windows_covering(*x)).collect();
        for_each_combination(&windows, |window| {
            if self.selected_index(window, read).is_some_and(|selected| selected[..] == *out) {
                // `select` does not read the initial value, so it is a source of the first `scatter`.
                let before = value.unwrap_or_else(|| init(read));
                value = Some(self.scatter_into(before, window, read));
            }
            read.should_continue()
        });
        value.unwrap_or_else(|| init(read))
    }
}

impl EagerOp for BoundSelectAndScatter {
    /// Visits every window once. Calling [`BoundSelectAndScatter::element`] per output element would evaluate `select` over each
    /// window once for every element that the window covers.
    fn evaluate(&self, operands: &[Data], run: &mut dyn Run) -> Result<Data, OpError> {
        let mut meter = RunMeter(run);
        let mut read = ValueReader::metered(operands, &mut meter);
        let init = read.get(2, &[], Role::Init);
        let mut out = ArrayLiteral::filled(self.shape.clone(), init)
            .map_err(|error| OpError::new(META.opcode, error.rule, error.message))?;
        read.charge_steps(out.memory_map().slot_count().unsigned_abs());
        let sizes: Dims = self.axes.iter().map(window::Axis::window_count).collect();
        let mut windows = Indices::row_major(&sizes);
        while let Some(window) = windows.advance() {
            if let Some(selected) = self.selected_index(window, &mut read) {
                let value = out.get(&selected).or_bug(init, "the selected element is outside of the operand");
                out.set(&selected, self.scatter_into(value, window, &mut read));
            }
            // A step and a cancellation check per window.
            read.count_cell()?;
        }
        read.charge_pending()?;
        Ok(out.into())
    }

    fn sources(&self, operands: &[Data], cell: &CellAt, run: &mut dyn Run) -> Result<Vec<Source>, OpError> {
        let mut recorder = SourceRecorder::new(operands, MAX_TRACED_CELLS);
        self.element(&cell.index, &mut recorder);
        run.spend(recorder.steps())?;
        run.report_scalar_calls(recorder.take_scalar_calls());
        if recorder.steps() > MAX_TRACED_CELLS as u64 {
            let message = Message::ops("trace-steps").with("limit", MAX_TRACED_CELLS);
            return Err(OpError::new(META.opcode, "trace-limit", message));
        }
        Ok(recorder.into_sources())
    }
}

/// Checks that `select` takes two scalars and returns `pred`.
fn check_select(cx: &OpContext, operand: &ArrayShape) -> Result<(), OpError> {
    let (name, signature) = cx.signature("select")?;
    let (element, pred) = (format!("{}[]", operand.element_type), "pred[]");
    let parameters: Vec<String> = signature.parameters.iter().map(Shape::human_string).collect();
    let result = signature.result.human_string();
    if parameters.len() == 2 && parameters.iter().all(|parameter| *parameter == element) && result == pred {
        return Ok(());
    }
    let message = Message::ops("op-select-function")
        .with("name", name)
        .with("expected", element)
        .with("found", parameters.join(", "))
        .with("result", result);
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
            return Err(cx.type_mismatch(rules[1], 1));
        }
        let axes = window::axes(cx, &operand.dimensions, |_| 1)?;
        window::check_2017(cx)?;
        let sizes: Dims = axes.iter().map(window::Axis::window_count).collect();
        if source.dimensions != sizes {
            let expected = ArrayShape::new(operand.element_type, sizes);
            let message = Message::ops("op-source-sizes")
                .with("found", source.human_string())
                .with("expected", expected.human_string());
            return Err(cx.error("select-and-scatter-4", message).at_operand(1));
        }
        cx.result(operand.element_type, operand.dimensions.iter().copied())
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        if to.language != Language::Rust {
            return None;
        }
        let [operand, source, init] = to.names else { return None };
        let window = named_window(to.cx.window("window"), &to.array(0)?.dimensions)?;
        let (select, scatter) = (to.function("select")?, to.function("scatter")?);
        Some(
            format!("b.select_and_scatter({operand}, {select}, {window}, {source}, {init}, {scatter})")
                .into(),
        )
    }

    fn task(&self, context: &TaskContext) -> Result<PlannedTask, Fallback> {
        context.require_current_edition()?;
        let (operand, source, out) = (context.array(0)?, context.array(1)?, context.out()?);
        let (select, is_total_order) = context.comparison("select")?;
        if is_total_order {
            return Err(Fallback::UnsupportedComputation);
        }
        let scatter = context.reducer("scatter", operand.ty)?;
        let window = tasks::windows(context.cx.window("window"))?;
        let task = kernels::SelectAndScatter { operand, source, out, window, select, scatter };
        Ok(PlannedTask { task: Task::SelectAndScatter(task), reads: vec![0, 1, 2] })
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let operand = cx.array(0)?;
        Ok(Semantics::Eager(Box::new(BoundSelectAndScatter {
            axes: window::axes(cx, &operand.dimensions, |_| 1)?,
            shape: ArrayShape::new(operand.element_type, operand.dimensions.iter().copied()),
            select: cx.region("select")?,
            scatter: cx.region("scatter")?,
        })))
    }

    fn base_area(&self, cx: &OpContext) -> Option<BaseArea> {
        window::base_area(cx, Some(1))
    }

    fn is_default_attr(&self, name: &str, cx: &OpContext) -> bool {
        name == "window" && cx.window(name).is_empty()
    }
}
