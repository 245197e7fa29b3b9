//! The steps within one output cell: calls of a computation in their order, else products, else cells as they are read.
//!
//! All of it is what the op's body did, as the trace noted it; nothing is worked out anew but the text.

use xla_array::value::Value;
use xla_array::{ElementType, Shape};
use xla_experiment::run::FinishedRun;
use xla_hlo::{Instruction, InstructionId, Module};
use xla_ops::{Applied, AttrValue, ComputationId, OpDef, Role, Source};

/// What a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A computation was called on elements.
    Application,
    /// Two cells were multiplied.
    Product,
    /// A cell was read.
    Read,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What was done, in numbers: `max(5, 7) = 7`; empty where it is not looked at.
    pub text: String,
    /// The cells it looked at: places in the list of sources.
    pub sources: Vec<usize>,
}

/// The steps of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    /// What they are.
    pub kind: Kind,
    /// In their order.
    pub steps: Vec<Step>,
}

/// The longest a number gets, letters.
const LETTERS: usize = 9;

fn short(value: Value, of: ElementType) -> String {
    value.short(of, LETTERS)
}

/// The steps of a cell; `None` where there is only one, which the working says already. Of steps other than `at` (of none,
/// without it) the text is left out: of many, one is looked at.
pub fn steps(
    ran: &FinishedRun,
    id: InstructionId,
    sources: &[Source],
    applied: &[Applied],
    at: Option<usize>,
) -> Option<Steps> {
    let module = ran.module();
    let instruction = module.entry_computation()?.get(id)?;
    let (kind, steps): (Kind, Vec<Step>) = if !applied.is_empty() {
        let step = |(i, applied): (usize, &Applied)| {
            let text = if at == Some(i) { application(module, applied) } else { None };
            Step { text: text.unwrap_or_default(), sources: applied.sources.to_vec() }
        };
        (Kind::Application, applied.iter().enumerate().map(step).collect())
    } else if sources.len() > 2 && sources.chunks(2).all(is_product) {
        let step = |i: usize| {
            let text = if at == Some(i) { product(ran, instruction, &sources[2 * i..]) } else { None };
            Step { text: text.unwrap_or_default(), sources: vec![2 * i, 2 * i + 1] }
        };
        (Kind::Product, (0..sources.len() / 2).map(step).collect())
    } else {
        let step = |(i, source): (usize, &Source)| {
            let text = if at == Some(i) { value(ran, instruction, source) } else { None };
            let text = text.map(|value| format!("{} = {value}", place(instruction, source)));
            Step { text: text.unwrap_or_default(), sources: vec![i] }
        };
        (Kind::Read, sources.iter().enumerate().map(step).collect())
    };
    (steps.len() > 1 || kind == Kind::Application && !steps.is_empty()).then_some(Steps { kind, steps })
}

fn is_product(pair: &[Source]) -> bool {
    matches!(pair, [a, b] if (a.role, b.role) == (Role::Lhs, Role::Rhs))
}

/// `lhs[0,1]`.
fn place(instruction: &Instruction, source: &Source) -> String {
    let name = instruction.op.map_or("operand", |op| op.meta().operands.name(source.operand));
    let index: Vec<String> = source.cell.index.iter().map(i64::to_string).collect();
    if index.is_empty() { name.to_owned() } else { format!("{name}[{}]", index.join(",")) }
}

fn value(ran: &FinishedRun, instruction: &Instruction, source: &Source) -> Option<String> {
    let data = ran.value(*instruction.operands.get(source.operand)?)?.part(&source.cell.path)?;
    let array: &xla_array::ArrayLiteral = data.as_array()?;
    Some(short(array.get(&source.cell.index)?, array.element_type()))
}

/// The first two cells multiplied.
fn product(ran: &FinishedRun, instruction: &Instruction, sources: &[Source]) -> Option<String> {
    let [a, b, ..] = sources else { return None };
    let (left, right) = (value(ran, instruction, a)?, value(ran, instruction, b)?);
    Some(format!("{} · {} = {left} · {right}", place(instruction, a), place(instruction, b)))
}

fn application(module: &Module, applied: &Applied) -> Option<String> {
    let computation = module.get(applied.computation)?;
    let signature = computation.signature()?;
    let of = |shape: &Shape| shape.as_array().map(|array| array.element_type);
    let arguments: Vec<String> = applied
        .arguments
        .iter()
        .zip(&signature.parameters)
        .map(|(value, shape)| of(shape).map_or_else(String::new, |of| short(*value, of)))
        .collect();
    let types: Vec<Option<ElementType>> = match &signature.result {
        Shape::Tuple(elements) => elements.iter().map(of).collect(),
        other => vec![of(other)],
    };
    let results: Vec<String> = applied
        .results
        .iter()
        .zip(types)
        .map(|(value, of)| of.map_or_else(String::new, |of| short(*value, of)))
        .collect();
    let result =
        if let [one] = results.as_slice() { one.clone() } else { format!("({})", results.join(", ")) };
    Some(format!("{} = {result}", called(module, applied.computation, &arguments)))
}

/// A call in numbers: by the formula of the op it is, else by the computation's name.
fn called(module: &Module, id: ComputationId, arguments: &[String]) -> String {
    let plain = |name: &str| format!("{name}({})", arguments.join(", "));
    let Some(computation) = module.get(id) else { return plain("") };
    let written = || if computation.name.is_empty() { plain("to_apply") } else { plain(&computation.name) };
    let Some(root) = computation.root_instruction() else { return written() };
    let Some(meta) = root.op.map(OpDef::meta) else { return written() };
    let Some((_, formula)) = meta.formula.split_once(" = ") else { return written() };
    let mut text = formula.to_owned();
    for (name, value) in root.attrs.iter() {
        if let AttrValue::Word(word) = value {
            text = text.replace(&format!(" {name} "), &format!(" {word} "));
        }
    }
    for (number, operand) in root.operands.iter().enumerate() {
        let Some(parameter) = computation.parameters.iter().position(|p| p == operand) else {
            return written();
        };
        let name = format!("{}[i]", meta.operands.name(number));
        if text.matches(&name).count() != 1 {
            return written();
        }
        let argument = arguments.get(parameter).map_or("", String::as_str);
        // A negative number behind a sign is read in brackets.
        let at = text.find(&name).unwrap_or(0);
        let bare = !argument.starts_with('-')
            || at == 0
            || text[..at].ends_with(['(', ','])
            || text[..at].ends_with(", ");
        let argument = if bare { argument.to_owned() } else { format!("({argument})") };
        text = text.replacen(&name, &argument, 1);
    }
    if text.contains("[i]") || text.contains(" where ") { written() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;
    use xla_experiment::Experiment;
    use xla_hlo::Limits;
    use xla_ops::CellAt;

    fn of(text: &str, index: &[i64]) -> (Steps, Vec<Source>) {
        let source = format!("HloModule m\nENTRY e {{ {text} }}");
        let module = Rc::new(xla_hlo::parse(&source).into_module().unwrap());
        let root = module.entry_computation().unwrap().root.unwrap();
        let ran = FinishedRun::new(&Experiment::from_text(source), &module, Limits::default()).unwrap();
        let (sources, applied) = ran.applications(root, &CellAt::array(index)).unwrap();
        let at = |i| steps(&ran, root, &sources, &applied, Some(i)).unwrap();
        let count = at(0).steps.len();
        let all = (0..count).map(|i| at(i).steps.swap_remove(i)).collect();
        (Steps { steps: all, ..at(0) }, sources)
    }

    fn texts(steps: &Steps) -> Vec<&str> {
        steps.steps.iter().map(|step| step.text.as_str()).collect()
    }

    fn reducer(op: &str) -> String {
        format!("{{ a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = {op} }}")
    }

    #[test]
    fn a_fold_is_one_application_after_the_other() {
        let text = format!(
            "x = s32[2,3] constant({{{{5,-7,6}},{{1,2,3}}}}) z = s32[] constant(0)
             ROOT r = reduce(x, z), dimensions={{1}}, to_apply={}",
            reducer("add(a, b)")
        );
        let (steps, sources) = of(&text, &[0]);
        assert_eq!(steps.kind, Kind::Application);
        assert_eq!(texts(&steps), ["0 + 5 = 5", "5 + (-7) = -2", "-2 + 6 = 4"]);
        let read = |i: usize| {
            steps.steps[i].sources.iter().map(|s| sources[*s].cell.index.to_vec()).collect::<Vec<_>>()
        };
        assert_eq!(read(0), [vec![], vec![0, 0]], "the initial value belongs to the first");
        assert_eq!(read(2), [vec![0, 2]]);
    }

    #[test]
    fn windows_apply_in_their_order_too() {
        let text = format!(
            "x = s32[4] constant({{5,7,6,1}}) z = s32[] constant(-9)
             ROOT r = reduce-window(x, z), window={{size=2 stride=2}}, to_apply={}",
            reducer("maximum(a, b)")
        );
        assert_eq!(texts(&of(&text, &[1]).0), ["max(-9, 6) = 6", "max(6, 1) = 6"]);
    }

    #[test]
    fn choosing_and_scattering_are_both_told() {
        let text = "x = s32[4] constant({5,7,6,1}) s = s32[2] constant({10,20}) z = s32[] constant(0)
            ROOT r = select-and-scatter(x, s, z), window={size=2 stride=2}, select={
              a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = compare(a, b), direction=GE }, scatter={
              a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = add(a, b) }";
        assert_eq!(texts(&of(text, &[1]).0), ["5 GE 7 = false", "0 + 10 = 10"]);
    }

    #[test]
    fn a_sort_tells_its_comparisons() {
        let text = "x = s32[3] constant({3,1,2}) ROOT r = sort(x), dimensions={0}, to_apply={
              a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = compare(a, b), direction=LT }";
        let (steps, sources) = of(text, &[0]);
        assert!(texts(&steps).contains(&"1 LT 3 = true"), "{:?}", texts(&steps));
        for step in &steps.steps {
            assert_eq!(step.sources.len(), 2, "two elements are compared");
            assert!(step.sources.iter().all(|s| *s < sources.len()));
        }
    }

    #[test]
    fn products_and_reads_are_steps_where_nothing_is_called() {
        let text = "a = s32[2,2] constant({{1,2},{3,4}}) b = s32[2,2] constant({{5,6},{7,8}})
            ROOT r = dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}";
        let (steps, _) = of(text, &[1, 0]);
        assert_eq!(steps.kind, Kind::Product);
        assert_eq!(texts(&steps), ["lhs[1,0] · rhs[0,0] = 3 · 5", "lhs[1,1] · rhs[1,0] = 4 · 7"]);
        let (steps, _) = of("a = s32[2] constant({1,2}) b = s32[2] constant({5,6}) ROOT r = add(a, b)", &[1]);
        assert_eq!((steps.kind, texts(&steps)), (Kind::Read, vec!["lhs[1] = 2", "rhs[1] = 6"]));
    }
}
