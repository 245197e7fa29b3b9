//! The steps by which an op computes one output cell, in evaluation order: calls of a scalar computation if the op has one, else
//! products if it is a contraction, else reads.
//!
//! The steps are those that the evaluator recorded (the cells read, the scalar computations called); here they are only
//! grouped and written as text.

use xla_array::value::Value;
use xla_array::{ElementType, Shape};
use xla_experiment::run::FinishedRun;
use xla_hlo::{Instruction, InstructionId, Module};
use xla_ops::{AttrValue, ComputationId, OpDef, Role, ScalarCall, Source};

/// What each step of a cell does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// Calls a scalar computation.
    Call,
    /// Multiplies two cells.
    Product,
    /// Reads a cell.
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
    /// What they do.
    pub kind: StepKind,
    /// The steps, in order.
    pub steps: Vec<Step>,
}

/// Maximum number of characters of a number.
const MAX_NUMBER_CHARS: usize = 9;

/// Maximum reads of a cell without steps: as many as an elementwise op has operands.
const MAX_PLAIN_READS: usize = 3;

fn number_text(value: Value, element_type: ElementType) -> String {
    value.short(element_type, MAX_NUMBER_CHARS)
}

/// The steps of a cell; `None` if there is one product, or at most three reads, which the cell's arithmetic
/// ([`super::derivation`]) already shows.
///
/// Only step `displayed` gets text: a cell may have many steps, and one of them is displayed.
pub fn steps(
    finished: &FinishedRun,
    id: InstructionId,
    sources: &[Source],
    calls: &[ScalarCall],
    displayed: Option<usize>,
) -> Option<Steps> {
    let module = finished.module();
    let instruction = module.entry_computation()?.get(id)?;
    let (kind, steps): (StepKind, Vec<Step>) = if !calls.is_empty() {
        let step = |(i, call): (usize, &ScalarCall)| {
            let text = if displayed == Some(i) { call_with_result(module, call) } else { None };
            Step { text: text.unwrap_or_default(), sources: call.sources.to_vec() }
        };
        (StepKind::Call, calls.iter().enumerate().map(step).collect())
    } else if (sources.len() > 2 || multiplies(&instruction.opcode)) && sources.chunks(2).all(is_product) {
        // A contraction reads pairs. So does a binary elementwise op, but only one, which is no product.
        let step = |i: usize| {
            let text = if displayed == Some(i) {
                product_text(finished, instruction, &sources[2 * i..])
            } else {
                None
            };
            Step { text: text.unwrap_or_default(), sources: vec![2 * i, 2 * i + 1] }
        };
        (StepKind::Product, (0..sources.len() / 2).map(step).collect())
    } else {
        let step = |(i, source): (usize, &Source)| {
            let text = if displayed == Some(i) { read_text(finished, instruction, source) } else { None };
            Step { text: text.unwrap_or_default(), sources: vec![i] }
        };
        (StepKind::Read, sources.iter().enumerate().map(step).collect())
    };
    let is_shown_at_once = match kind {
        StepKind::Call => steps.is_empty(),
        StepKind::Product => steps.len() == 1,
        StepKind::Read => steps.len() <= MAX_PLAIN_READS,
    };
    (!is_shown_at_once).then_some(Steps { kind, steps })
}

/// Whether an op sums products of cells of its operands.
fn multiplies(opcode: &str) -> bool {
    matches!(opcode, "dot" | "ragged-dot" | "scaled-dot" | "convolution")
}

fn is_product(pair: &[Source]) -> bool {
    matches!(pair, [a, b] if (a.role, b.role) == (Role::Lhs, Role::Rhs))
}

/// An operand with the index of the cell that was read: `lhs[0,1]`.
fn indexed_operand(instruction: &Instruction, source: &Source) -> String {
    let count = instruction.operands.len();
    let name = instruction.op.map(|op| op.meta().operands.symbol(source.operand, count));
    let name = name.unwrap_or_else(|| "operand".to_owned());
    let index: Vec<String> = source.cell.index.iter().map(i64::to_string).collect();
    if index.is_empty() { name } else { format!("{name}[{}]", index.join(",")) }
}

/// The number that was read.
fn read_number(finished: &FinishedRun, instruction: &Instruction, source: &Source) -> Option<String> {
    let data = finished.value(*instruction.operands.get(source.operand)?)?.part(&source.cell.path)?;
    let array: &xla_array::ArrayLiteral = data.as_array()?;
    Some(number_text(array.get(&source.cell.index)?, array.element_type()))
}

/// A read: `lhs[0,1] = 2`.
fn read_text(finished: &FinishedRun, instruction: &Instruction, source: &Source) -> Option<String> {
    let number = read_number(finished, instruction, source)?;
    Some(format!("{} = {number}", indexed_operand(instruction, source)))
}

/// The product of the first two cells: `lhs[1,0] · rhs[0,0] = 3 · 5`.
fn product_text(finished: &FinishedRun, instruction: &Instruction, sources: &[Source]) -> Option<String> {
    let [a, b, ..] = sources else { return None };
    let (left, right) = (read_number(finished, instruction, a)?, read_number(finished, instruction, b)?);
    Some(format!(
        "{} · {} = {left} · {right}",
        indexed_operand(instruction, a),
        indexed_operand(instruction, b)
    ))
}

/// A call and its result: `max(5, 7) = 7`.
fn call_with_result(module: &Module, call: &ScalarCall) -> Option<String> {
    let computation = module.get(call.computation)?;
    let signature = computation.signature()?;
    let element_type = |shape: &Shape| shape.as_array().map(|array| array.element_type);
    let arguments: Vec<String> = call
        .arguments
        .iter()
        .zip(&signature.parameters)
        .map(|(value, shape)| element_type(shape).map_or_else(String::new, |t| number_text(*value, t)))
        .collect();
    let types: Vec<Option<ElementType>> = match &signature.result {
        Shape::Tuple(elements) => elements.iter().map(element_type).collect(),
        other => vec![element_type(other)],
    };
    let results: Vec<String> = call
        .results
        .iter()
        .zip(types)
        .map(|(value, t)| t.map_or_else(String::new, |t| number_text(*value, t)))
        .collect();
    let result =
        if let [result] = results.as_slice() { result.clone() } else { format!("({})", results.join(", ")) };
    Some(format!("{} = {result}", call_text(module, call.computation, &arguments)))
}

/// A call with its numbers. If the computation applies a single op to its parameters, this is the right side of the op's formula
/// ([`OpMeta::formula`](xla_ops::OpMeta::formula)) with numbers for its operands: `out[i] = max(lhs[i], rhs[i])` becomes
/// `max(5, 7)`, and `out[i] = lhs[i] direction rhs[i]` with `direction=LT` becomes `5 LT 7`. Otherwise it is the computation's
/// name with the numbers: `add_and_clamp(5, 7)`.
fn call_text(module: &Module, id: ComputationId, arguments: &[String]) -> String {
    let call = |name: &str| format!("{name}({})", arguments.join(", "));
    let Some(computation) = module.get(id) else { return call("") };
    let by_name = || if computation.name.is_empty() { call("to_apply") } else { call(&computation.name) };
    let Some(root) = computation.root_instruction() else { return by_name() };
    let Some(meta) = root.op.map(OpDef::meta) else { return by_name() };
    let Some((_, right_side)) = meta.formula.symbols().and_then(|f| f.split_once(" = ")) else {
        return by_name();
    };
    let mut text = right_side.to_owned();
    for (name, value) in root.attrs.iter() {
        if let AttrValue::Keyword(word) = value {
            text = text.replace(&format!(" {name} "), &format!(" {word} "));
        }
    }
    for (index, operand) in root.operands.iter().enumerate() {
        let Some(parameter) = computation.parameters.iter().position(|p| p == operand) else {
            return by_name();
        };
        let name = format!("{}[i]", meta.operands.name(index));
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
    // The remainder is not an expression of numbers only.
    if text.contains("[i]") || text.contains(" where ") { by_name() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;
    use xla_experiment::Experiment;
    use xla_hlo::Limits;
    use xla_ops::CellAt;

    fn run_and_list_steps(text: &str, index: &[i64]) -> (Steps, Vec<Source>) {
        steps_of(text, index).unwrap()
    }

    fn steps_of(text: &str, index: &[i64]) -> Option<(Steps, Vec<Source>)> {
        let source = format!("HloModule m\nENTRY e {{ {text} }}");
        let module = Rc::new(xla_hlo::parse(&source).into_module().unwrap());
        let root = module.entry_computation().unwrap().root.unwrap();
        let finished = FinishedRun::run(&Experiment::from_text(source), &module, Limits::default()).unwrap();
        let (sources, calls) = finished.sources_and_calls(root, &CellAt::array(index)).unwrap();
        let with_text = |i| steps(&finished, root, &sources, &calls, Some(i));
        let count = with_text(0)?.steps.len();
        let steps = (0..count).filter_map(|i| Some(with_text(i)?.steps.swap_remove(i))).collect();
        Some((Steps { steps, ..with_text(0)? }, sources))
    }

    fn texts(steps: &Steps) -> Vec<&str> {
        steps.steps.iter().map(|step| step.text.as_str()).collect()
    }

    fn reducer(op: &str) -> String {
        format!("{{ a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = {op} }}")
    }

    #[test]
    fn a_reduction_calls_its_computation_per_element() {
        let text = format!(
            "x = s32[2,3] constant({{{{5,-7,6}},{{1,2,3}}}}) z = s32[] constant(0)
             ROOT r = reduce(x, z), dimensions={{1}}, to_apply={}",
            reducer("add(a, b)")
        );
        let (steps, sources) = run_and_list_steps(&text, &[0]);
        assert_eq!(steps.kind, StepKind::Call);
        assert_eq!(texts(&steps), ["0 + 5 = 5", "5 + (-7) = -2", "-2 + 6 = 4"]);
        let read = |i: usize| {
            steps.steps[i].sources.iter().map(|s| sources[*s].cell.index.to_vec()).collect::<Vec<_>>()
        };
        assert_eq!(read(0), [vec![], vec![0, 0]], "the initial value belongs to the first");
        assert_eq!(read(2), [vec![0, 2]]);
    }

    #[test]
    fn a_window_calls_its_computation_per_element() {
        let text = format!(
            "x = s32[4] constant({{5,7,6,1}}) z = s32[] constant(-9)
             ROOT r = reduce-window(x, z), window={{size=2 stride=2}}, to_apply={}",
            reducer("maximum(a, b)")
        );
        assert_eq!(texts(&run_and_list_steps(&text, &[1]).0), ["max(-9, 6) = 6", "max(6, 1) = 6"]);
    }

    #[test]
    fn select_and_scatter_has_both_computations() {
        let text = "x = s32[4] constant({5,7,6,1}) s = s32[2] constant({10,20}) z = s32[] constant(0)
            ROOT r = select-and-scatter(x, s, z), window={size=2 stride=2}, select={
              a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = compare(a, b), direction=GE }, scatter={
              a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = add(a, b) }";
        assert_eq!(texts(&run_and_list_steps(text, &[1]).0), ["5 GE 7 = false", "0 + 10 = 10"]);
    }

    #[test]
    fn a_sort_has_its_comparisons() {
        let text = "x = s32[3] constant({3,1,2}) ROOT r = sort(x), dimensions={0}, to_apply={
              a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = compare(a, b), direction=LT }";
        let (steps, sources) = run_and_list_steps(text, &[0]);
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
        let (steps, _) = run_and_list_steps(text, &[1, 0]);
        assert_eq!(steps.kind, StepKind::Product);
        assert_eq!(texts(&steps), ["lhs[1,0] · rhs[0,0] = 3 · 5", "lhs[1,1] · rhs[1,0] = 4 · 7"]);
        let (steps, _) = run_and_list_steps(
            "x = c64[4] constant({(1,0),(2,0),(3,0),(4,0)}) ROOT r = fft(x), fft_type=FFT, fft_length={4}",
            &[1],
        );
        assert_eq!((steps.kind, steps.steps.len()), (StepKind::Read, 4));
        assert!(texts(&steps)[1].starts_with("operand[1] = "), "{:?}", texts(&steps));
        // The arithmetic of an elementwise op has all of its reads.
        let sum = "a = s32[2] constant({1,2}) b = s32[2] constant({5,6}) ROOT r = add(a, b)";
        assert_eq!(steps_of(sum, &[1]), None);
        // One product is the cell's arithmetic, and no list of two reads.
        let outer = "a = s32[2,1] constant({{1},{2}}) b = s32[1,2] constant({{5,6}})
            ROOT r = dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
        assert_eq!(steps_of(outer, &[1, 0]), None);
    }
}
