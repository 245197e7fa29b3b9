//! The steps of one output cell's computation: applications of a scalar computation, else products, else reads, in
//! order.
//!
//! The steps come from the trace of the op's body; only their text is computed here.

use xla_array::value::Value;
use xla_array::{ElementType, Shape};
use xla_experiment::run::FinishedRun;
use xla_hlo::{Instruction, InstructionId, Module};
use xla_ops::{AttrValue, ComputationId, OpDef, Role, ScalarCall, Source};

/// The kind of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// A scalar computation was applied.
    Application,
    /// Two cells were multiplied.
    Product,
    /// A cell was read.
    Read,
}

/// One step in the computation of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The step with its numbers, e.g. `max(5, 7) = 7`; empty unless requested.
    pub text: String,
    /// The cells it read, as indices in the list of sources.
    pub sources: Vec<usize>,
}

/// The steps of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    /// What each step does.
    pub kind: StepKind,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// Bound on the characters of a number.
const MAX_NUMBER_CHARS: usize = 9;

fn short(value: Value, element_type: ElementType) -> String {
    value.short(element_type, MAX_NUMBER_CHARS)
}

/// The steps of a cell; `None` if there is only one read, which the derivation already shows. Only the step `at` has a
/// text, because only one of many steps is displayed.
pub fn steps(
    finished: &FinishedRun,
    id: InstructionId,
    sources: &[Source],
    calls: &[ScalarCall],
    at: Option<usize>,
) -> Option<Steps> {
    let module = finished.module();
    let instruction = module.entry_computation()?.get(id)?;
    let (kind, steps): (StepKind, Vec<Step>) = if !calls.is_empty() {
        let step = |(i, call): (usize, &ScalarCall)| {
            let text = if at == Some(i) { application(module, call) } else { None };
            Step { text: text.unwrap_or_default(), sources: call.sources.to_vec() }
        };
        (StepKind::Application, calls.iter().enumerate().map(step).collect())
    } else if sources.len() > 2 && sources.chunks(2).all(is_product) {
        let step = |i: usize| {
            let text = if at == Some(i) { product(finished, instruction, &sources[2 * i..]) } else { None };
            Step { text: text.unwrap_or_default(), sources: vec![2 * i, 2 * i + 1] }
        };
        (StepKind::Product, (0..sources.len() / 2).map(step).collect())
    } else {
        let step = |(i, source): (usize, &Source)| {
            let text = if at == Some(i) { value(finished, instruction, source) } else { None };
            let text = text.map(|value| format!("{} = {value}", indexed_operand(instruction, source)));
            Step { text: text.unwrap_or_default(), sources: vec![i] }
        };
        (StepKind::Read, sources.iter().enumerate().map(step).collect())
    };
    (steps.len() > 1 || kind == StepKind::Application && !steps.is_empty()).then_some(Steps { kind, steps })
}

fn is_product(pair: &[Source]) -> bool {
    matches!(pair, [a, b] if (a.role, b.role) == (Role::Lhs, Role::Rhs))
}

/// `lhs[0,1]`.
fn indexed_operand(instruction: &Instruction, source: &Source) -> String {
    let count = instruction.operands.len();
    let name = instruction.op.map(|op| op.meta().operands.symbol(source.operand, count));
    let name = name.unwrap_or_else(|| "operand".to_owned());
    let index: Vec<String> = source.cell.index.iter().map(i64::to_string).collect();
    if index.is_empty() { name } else { format!("{name}[{}]", index.join(",")) }
}

fn value(finished: &FinishedRun, instruction: &Instruction, source: &Source) -> Option<String> {
    let data = finished.value(*instruction.operands.get(source.operand)?)?.part(&source.cell.path)?;
    let array: &xla_array::ArrayLiteral = data.as_array()?;
    Some(short(array.get(&source.cell.index)?, array.element_type()))
}

/// The product of the first two cells.
fn product(finished: &FinishedRun, instruction: &Instruction, sources: &[Source]) -> Option<String> {
    let [a, b, ..] = sources else { return None };
    let (left, right) = (value(finished, instruction, a)?, value(finished, instruction, b)?);
    Some(format!(
        "{} · {} = {left} · {right}",
        indexed_operand(instruction, a),
        indexed_operand(instruction, b)
    ))
}

fn application(module: &Module, call: &ScalarCall) -> Option<String> {
    let computation = module.get(call.computation)?;
    let signature = computation.signature()?;
    let element_type = |shape: &Shape| shape.as_array().map(|array| array.element_type);
    let arguments: Vec<String> = call
        .arguments
        .iter()
        .zip(&signature.parameters)
        .map(|(value, shape)| element_type(shape).map_or_else(String::new, |t| short(*value, t)))
        .collect();
    let types: Vec<Option<ElementType>> = match &signature.result {
        Shape::Tuple(elements) => elements.iter().map(element_type).collect(),
        other => vec![element_type(other)],
    };
    let results: Vec<String> = call
        .results
        .iter()
        .zip(types)
        .map(|(value, t)| t.map_or_else(String::new, |t| short(*value, t)))
        .collect();
    let result =
        if let [result] = results.as_slice() { result.clone() } else { format!("({})", results.join(", ")) };
    Some(format!("{} = {result}", call_text(module, call.computation, &arguments)))
}

/// A call with its numbers, written as the formula of the computation's op if it applies a single op, otherwise with the
/// computation's name.
fn call_text(module: &Module, id: ComputationId, arguments: &[String]) -> String {
    let call = |name: &str| format!("{name}({})", arguments.join(", "));
    let Some(computation) = module.get(id) else { return call("") };
    let by_name = || if computation.name.is_empty() { call("to_apply") } else { call(&computation.name) };
    let Some(root) = computation.root_instruction() else { return by_name() };
    let Some(meta) = root.op.map(OpDef::meta) else { return by_name() };
    let Some((_, formula)) = meta.formula.symbols().and_then(|f| f.split_once(" = ")) else {
        return by_name();
    };
    let mut text = formula.to_owned();
    for (name, value) in root.attrs.iter() {
        if let AttrValue::Keyword(word) = value {
            text = text.replace(&format!(" {name} "), &format!(" {word} "));
        }
    }
    for (number, operand) in root.operands.iter().enumerate() {
        let Some(parameter) = computation.parameters.iter().position(|p| p == operand) else {
            return by_name();
        };
        let name = format!("{}[i]", meta.operands.name(number));
        if text.matches(&name).count() != 1 {
            return by_name();
        }
        let argument = arguments.get(parameter).map_or("", String::as_str);
        // A negative number after an operator is in parentheses.
        let start = text.find(&name).unwrap_or(0);
        let needs_no_parentheses = !argument.starts_with('-')
            || start == 0
            || text[..start].ends_with(['(', ','])
            || text[..start].ends_with(", ");
        let argument = if needs_no_parentheses { argument.to_owned() } else { format!("({argument})") };
        text = text.replacen(&name, &argument, 1);
    }
    if text.contains("[i]") || text.contains(" where ") { by_name() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;
    use xla_experiment::Experiment;
    use xla_hlo::Limits;
    use xla_ops::CellAt;

    fn steps_of(text: &str, index: &[i64]) -> (Steps, Vec<Source>) {
        let source = format!("HloModule m\nENTRY e {{ {text} }}");
        let module = Rc::new(xla_hlo::parse(&source).into_module().unwrap());
        let root = module.entry_computation().unwrap().root.unwrap();
        let finished = FinishedRun::new(&Experiment::from_text(source), &module, Limits::default()).unwrap();
        let (sources, calls) = finished.sources_and_calls(root, &CellAt::array(index)).unwrap();
        let at = |i| steps(&finished, root, &sources, &calls, Some(i)).unwrap();
        let count = at(0).steps.len();
        let steps = (0..count).map(|i| at(i).steps.swap_remove(i)).collect();
        (Steps { steps, ..at(0) }, sources)
    }

    fn texts(steps: &Steps) -> Vec<&str> {
        steps.steps.iter().map(|step| step.text.as_str()).collect()
    }

    fn reducer(op: &str) -> String {
        format!("{{ a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = {op} }}")
    }

    #[test]
    fn a_reduction_is_a_sequence_of_applications() {
        let text = format!(
            "x = s32[2,3] constant({{{{5,-7,6}},{{1,2,3}}}}) z = s32[] constant(0)
             ROOT r = reduce(x, z), dimensions={{1}}, to_apply={}",
            reducer("add(a, b)")
        );
        let (steps, sources) = steps_of(&text, &[0]);
        assert_eq!(steps.kind, StepKind::Application);
        assert_eq!(texts(&steps), ["0 + 5 = 5", "5 + (-7) = -2", "-2 + 6 = 4"]);
        let read = |i: usize| {
            steps.steps[i].sources.iter().map(|s| sources[*s].cell.index.to_vec()).collect::<Vec<_>>()
        };
        assert_eq!(read(0), [vec![], vec![0, 0]], "the initial value belongs to the first");
        assert_eq!(read(2), [vec![0, 2]]);
    }

    #[test]
    fn a_window_is_a_sequence_of_applications() {
        let text = format!(
            "x = s32[4] constant({{5,7,6,1}}) z = s32[] constant(-9)
             ROOT r = reduce-window(x, z), window={{size=2 stride=2}}, to_apply={}",
            reducer("maximum(a, b)")
        );
        assert_eq!(texts(&steps_of(&text, &[1]).0), ["max(-9, 6) = 6", "max(6, 1) = 6"]);
    }

    #[test]
    fn select_and_scatter_has_both_computations() {
        let text = "x = s32[4] constant({5,7,6,1}) s = s32[2] constant({10,20}) z = s32[] constant(0)
            ROOT r = select-and-scatter(x, s, z), window={size=2 stride=2}, select={
              a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = compare(a, b), direction=GE }, scatter={
              a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = add(a, b) }";
        assert_eq!(texts(&steps_of(text, &[1]).0), ["5 GE 7 = false", "0 + 10 = 10"]);
    }

    #[test]
    fn a_sort_has_its_comparisons() {
        let text = "x = s32[3] constant({3,1,2}) ROOT r = sort(x), dimensions={0}, to_apply={
              a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = compare(a, b), direction=LT }";
        let (steps, sources) = steps_of(text, &[0]);
        assert!(texts(&steps).contains(&"1 LT 3 = true"), "{:?}", texts(&steps));
        for step in &steps.steps {
            assert_eq!(step.sources.len(), 2, "two elements are compared");
            assert!(step.sources.iter().all(|s| *s < sources.len()));
        }
    }

    #[test]
    fn ops_without_computations_have_products_or_reads() {
        let text = "a = s32[2,2] constant({{1,2},{3,4}}) b = s32[2,2] constant({{5,6},{7,8}})
            ROOT r = dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
        let (steps, _) = steps_of(text, &[1, 0]);
        assert_eq!(steps.kind, StepKind::Product);
        assert_eq!(texts(&steps), ["lhs[1,0] · rhs[0,0] = 3 · 5", "lhs[1,1] · rhs[1,0] = 4 · 7"]);
        let (steps, _) =
            steps_of("a = s32[2] constant({1,2}) b = s32[2] constant({5,6}) ROOT r = add(a, b)", &[1]);
        assert_eq!((steps.kind, texts(&steps)), (StepKind::Read, vec!["lhs[1] = 2", "rhs[1] = 6"]));
    }
}
