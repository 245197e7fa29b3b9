//! The arithmetic of one output cell, with the actual numbers: `out[1,2] = 1·7 + 2·9 = 25`.
//!
//! It is derived from the metadata of the op (its formula, and the roles of the cells it read), without op-specific code:
//! products of lhs and rhs cells are summed, reductions are written as the computation they call, and for the other
//! ops the numbers are substituted into the formula.

use std::collections::BTreeSet;

use xla_array::value::Value;
use xla_array::{Edition, ElementType, Shape};
use xla_experiment::run::FinishedRun;
use xla_hlo::{Instruction, InstructionId, Module};
use xla_ops::{AttrValue, Category, CellAt, Data, OpDef, Role, Source};

/// A part of a derivation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text between the numbers.
    Plain(String),
    /// A number that was read.
    Read {
        /// The number as text.
        text: String,
        /// Its index in the list of sources.
        source: usize,
        /// The role of the cell that it was read from.
        role: Role,
    },
    /// The number of omitted entries.
    Omitted(usize),
    /// The value of the output cell.
    Result(String),
}

/// The arithmetic of one output cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Derivation {
    /// The parts, from left to right.
    pub parts: Vec<Part>,
    /// Number of different cells that were read.
    pub reads: usize,
    /// Their roles, those of omitted numbers included, in the order of the first reads.
    pub roles: Vec<Role>,
    /// The label of the operand whose cells have the role [`Role::Update`]; empty if none has it.
    pub update_label: String,
}

/// Maximum number of entries of a list; the middle of longer lists is omitted.
const MAX_LISTED_ENTRIES: usize = 12;

/// A cell that was read. Its text is formatted only when it is written, since most of a long list is omitted.
struct ReadCell<'a> {
    /// Its index in the list of sources.
    source: usize,
    value: Value,
    element_type: ElementType,
    role: Role,
    operand: usize,
    index: &'a [i64],
}

/// Reads the source of this index; `None` if its value is not available.
fn read<'a>(
    finished: &FinishedRun,
    instruction: &Instruction,
    (source_index, source): (usize, &'a Source),
) -> Option<ReadCell<'a>> {
    let data = finished.value(*instruction.operands.get(source.operand)?)?.part(&source.cell.path)?;
    let array = data.as_array()?;
    let value = array.get(&source.cell.index)?;
    let (role, operand, index) = (source.role, source.operand, &source.cell.index[..]);
    Some(ReadCell { source: source_index, value, element_type: array.element_type(), role, operand, index })
}

fn number(value: Value, element_type: ElementType) -> String {
    value.short(element_type, 9)
}

/// An index as text: `[1,2]`; nothing for a scalar.
pub fn index_text(index: &[i64]) -> String {
    if index.is_empty() {
        return String::new();
    }
    format!("[{}]", index.iter().map(i64::to_string).collect::<Vec<_>>().join(","))
}

/// The distinct roles, in order of their first occurrence.
pub(super) fn roles(read: impl Iterator<Item = Role>) -> Vec<Role> {
    let mut roles = Vec::new();
    for role in read {
        if !roles.contains(&role) {
            roles.push(role);
        }
    }
    roles
}

/// The derivation of one output cell; `None` if the cell does not exist.
pub fn derivation(
    finished: &FinishedRun,
    id: InstructionId,
    cell: &CellAt,
    sources: &[Source],
) -> Option<Derivation> {
    let module = finished.module();
    let instruction = module.entry_computation()?.get(id)?;
    let meta = instruction.op?.meta();
    let result = finished.value(id)?.part(&cell.path).and_then(Data::as_array)?;
    let value = number(result.get(&cell.index)?, result.element_type());
    let reads: Vec<ReadCell> =
        sources.iter().enumerate().filter_map(|source| read(finished, instruction, source)).collect();
    // Windows that overlap read a cell several times.
    let cells: BTreeSet<_> = sources.iter().map(|source| (source.operand, &source.cell)).collect();
    let mut out = Derivation { reads: cells.len(), ..Derivation::default() };
    out.roles = roles(sources.iter().map(|source| source.role));
    if let Some(update) = sources.iter().find(|source| source.role == Role::Update) {
        out.update_label = meta.operands.label(update.operand, instruction.operands.len());
    }
    let path = cell.path.iter().fold(String::new(), |path, i| path + "." + &i.to_string());
    out.plain(format!("out{path}{} = ", index_text(&cell.index)));
    let products = meta.category == Category::Contraction;
    if reads.is_empty() {
        out.parts.push(Part::Result(value));
        return Some(out);
    }
    // Factors are paired by position: without the value of one, there are no pairs.
    let is_complete = reads.len() == sources.len();
    if products && is_complete && reads.iter().all(|r| matches!(r.role, Role::Lhs | Role::Rhs)) {
        out.list(reads.len() / 2, " + ", |out, i| {
            out.read(&reads, 2 * i);
            out.plain("·");
            out.read(&reads, 2 * i + 1);
        });
    } else if let Some(notation) = reduction_notation(module, instruction, &reads) {
        out.reduction(&notation, &reads);
    } else if reads.len() == 1 && meta.category == Category::Movement {
        let name = meta.operands.symbol(reads[0].operand, instruction.operands.len());
        out.plain(format!("{name}{} = ", index_text(reads[0].index)));
        out.read(&reads, 0);
        return Some(out);
    } else if let Some(moved) = moved_read(&reads) {
        let symbol = |read: &ReadCell| meta.operands.symbol(read.operand, instruction.operands.len());
        out.plain(format!("{}{} = ", symbol(&reads[moved]), index_text(reads[moved].index)));
        out.read(&reads, moved);
        // The start indices, which determine the source.
        let starts: Vec<usize> = (0..reads.len()).filter(|i| *i != moved).collect();
        let has_start_per_dimension = meta.operands.rest.is_some();
        out.plain(", ");
        if !has_start_per_dimension {
            out.plain(format!("{} = ", symbol(&reads[starts[0]])));
        }
        out.list(starts.len(), ", ", |out, i| {
            if has_start_per_dimension {
                out.plain(format!("{} = ", symbol(&reads[starts[i]])));
            }
            out.read(&reads, starts[i]);
        });
        return Some(out);
    } else if !out.substitute(instruction, &reads, finished.edition()) {
        out.plain(format!("{}(", meta.opcode));
        out.list(reads.len(), ", ", |out, i| out.read(&reads, i));
        out.plain(")");
    }
    // If nothing was reduced, the initial value is the result.
    if matches!(out.parts.as_slice(), [Part::Plain(_), Part::Read { text, .. }] if *text == value) {
        return Some(out);
    }
    out.plain(" = ");
    out.parts.push(Part::Result(value));
    Some(out)
}

/// The index of the only read besides start indices, if there are start indices.
fn moved_read(reads: &[ReadCell]) -> Option<usize> {
    let is_start = |read: &&ReadCell| read.role == Role::Start;
    let moved = reads.iter().position(|read| matches!(read.role, Role::Value | Role::Update))?;
    (reads.len() > 1 && reads.iter().filter(is_start).count() == reads.len() - 1).then_some(moved)
}

/// The notation of a reduction: `a + b + c` or `max(a, b, c)`.
enum Notation {
    Infix(String),
    Prefix(String),
}

/// The notation of an instruction that reduces values, starting with an initial value.
fn reduction_notation(module: &Module, instruction: &Instruction, reads: &[ReadCell]) -> Option<Notation> {
    if !reads.iter().any(|r| r.role == Role::Init) || instruction.shape.as_tuple().is_some() {
        return None;
    }
    computation_notation(module, instruction)
}

/// The text before, between and after the numbers that an instruction combines: the notation of its computation if it
/// has one, else its opcode as a function.
pub(super) fn delimiters(
    module: &Module,
    instruction: &Instruction,
    reads: usize,
) -> (String, String, String) {
    match computation_notation(module, instruction) {
        Some(Notation::Infix(operator)) => (String::new(), operator, String::new()),
        Some(Notation::Prefix(name)) => (format!("{name}("), ", ".to_owned(), ")".to_owned()),
        None if reads == 1 => (String::new(), String::new(), String::new()),
        None => (format!("{}(", instruction.opcode), ", ".to_owned(), ")".to_owned()),
    }
}

/// The notation of the computation that an instruction applies.
fn computation_notation(module: &Module, instruction: &Instruction) -> Option<Notation> {
    let callee = instruction.attrs.computations().last()?;
    let computation = module.get(callee)?;
    let root = computation.root_instruction()?;
    // The accumulated value is the first parameter: `add(a, a)` and `subtract(b, a)` have no such notation.
    let applies_op_to_parameters =
        root.operands.len() == 2 && root.operands[..] == computation.parameters[..];
    let formula = root
        .op
        .filter(|_| applies_op_to_parameters)
        .and_then(|op| op.meta().formula.symbols()?.strip_prefix("out[i] = "));
    Some(match formula.and_then(|f| Some((f.split_once("lhs[i]")?, f.strip_suffix("rhs[i]")))) {
        Some((("", _), Some(head))) => Notation::Infix(head.trim_start_matches("lhs[i]").to_owned()),
        Some(((head, _), None)) if head.ends_with('(') => {
            Notation::Prefix(head.trim_end_matches('(').to_owned())
        }
        _ if computation.name.is_empty() && applies_op_to_parameters => Notation::Prefix(root.opcode.clone()),
        _ if computation.name.is_empty() => Notation::Prefix(instruction.opcode.clone()),
        _ => Notation::Prefix(computation.name.clone()),
    })
}

impl Derivation {
    fn plain(&mut self, text: impl Into<String>) {
        match (self.parts.last_mut(), text.into()) {
            (Some(Part::Plain(before)), text) => before.push_str(&text),
            (_, text) => self.parts.push(Part::Plain(text)),
        }
    }

    fn read(&mut self, reads: &[ReadCell], i: usize) {
        if let Some(ReadCell { source, value, element_type, role, .. }) = reads.get(i) {
            let text = number(*value, *element_type);
            // Put a negative number after an operator, such as the sign of `negate`, in parentheses.
            let after_operator = matches!(self.parts.last(), Some(Part::Plain(p)) if p.ends_with(['·', ' ', '-']) && !p.ends_with("= ") && !p.ends_with(", "));
            let text = if after_operator && text.starts_with('-') { format!("({text})") } else { text };
            self.parts.push(Part::Read { text, source: *source, role: *role });
        }
    }

    /// Writes `count` entries; long lists are elided to the first ones and the last.
    fn list(&mut self, count: usize, between: &str, mut entry: impl FnMut(&mut Self, usize)) {
        for i in 0..count {
            if count > MAX_LISTED_ENTRIES && (MAX_LISTED_ENTRIES - 2..count - 1).contains(&i) {
                if i == MAX_LISTED_ENTRIES - 2 {
                    self.plain(between);
                    self.parts.push(Part::Omitted(count - MAX_LISTED_ENTRIES + 1));
                }
                continue;
            }
            if i > 0 {
                self.plain(between);
            }
            entry(self, i);
        }
    }

    /// Writes a reduction, with the initial value first.
    fn reduction(&mut self, notation: &Notation, reads: &[ReadCell]) {
        let is_reduced = |i: &usize| matches!(reads[*i].role, Role::Init | Role::Value | Role::Update);
        let mut order: Vec<usize> = (0..reads.len()).filter(is_reduced).collect();
        order.sort_by_key(|i| reads[*i].role != Role::Init);
        match notation {
            Notation::Infix(operator) => self.list(order.len(), operator, |out, i| out.read(reads, order[i])),
            Notation::Prefix(name) => {
                self.plain(format!("{name}("));
                self.list(order.len(), ", ", |out, i| out.read(reads, order[i]));
                self.plain(")");
            }
        }
    }

    /// Writes the op's formula with numbers in place of operands, if each operand was read once. Returns whether it
    /// did.
    fn substitute(&mut self, instruction: &Instruction, reads: &[ReadCell], edition: Edition) -> bool {
        let Some(meta) = instruction.op.map(OpDef::meta) else { return false };
        let symbols = meta.formula_in(edition).symbols();
        let Some((_, formula)) = symbols.and_then(|f| f.split_once(" = ")) else { return false };
        let formula = match instruction.attrs.iter().find(|(name, _)| formula.contains(&format!(" {name} ")))
        {
            // An attribute in the formula: the direction of a comparison.
            Some((name, AttrValue::Keyword(word))) => {
                formula.replace(&format!(" {name} "), &format!(" {word} "))
            }
            _ => formula.to_owned(),
        };
        let mut substitutions = Vec::new();
        for (i, r) in reads.iter().enumerate() {
            let name = format!("{}[i]", meta.operands.name(r.operand));
            match formula.find(&name) {
                Some(start) if formula.matches(&name).count() == 1 => {
                    substitutions.push((start, name.len(), i));
                }
                _ => return false,
            }
        }
        substitutions.sort_unstable();
        if substitutions.windows(2).any(|pair| pair[0].0 == pair[1].0) || formula.contains(" where ") {
            return false;
        }
        // Operands that were not read, such as the branch that `select` does not take, have no number.
        let plain = |text: &str| {
            let names = meta.operands.fixed.iter().map(|name| format!("{name}[i]"));
            names.fold(text.to_owned(), |text, name| text.replace(&name, "…"))
        };
        let mut written_to = 0;
        for (start, length, i) in substitutions {
            self.plain(plain(&formula[written_to..start]));
            self.read(reads, i);
            written_to = start + length;
        }
        self.plain(plain(&formula[written_to..]));
        true
    }

    /// The derivation as text, for screen readers and for copying.
    pub fn text(&self) -> String {
        self.parts
            .iter()
            .map(|part| match part {
                Part::Plain(text) | Part::Read { text, .. } | Part::Result(text) => text.clone(),
                Part::Omitted(count) => format!("… ({count})"),
            })
            .collect()
    }
}

/// The array at a tuple path of a shape.
pub fn array_at<'a>(shape: &'a Shape, path: &[usize]) -> Option<&'a xla_array::ArrayShape> {
    path.iter().try_fold(shape, |shape, i| shape.as_tuple()?.get(*i))?.as_array()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;
    use xla_experiment::Experiment;
    use xla_hlo::Limits;

    fn derivation_text(text: &str, index: &[i64]) -> String {
        let source = format!("HloModule m\nENTRY e {{ {text} }}");
        let module = Rc::new(xla_hlo::parse(&source).into_module().unwrap());
        let root = module.entry_computation().unwrap().root.unwrap();
        let finished = FinishedRun::run(&Experiment::from_text(source), &module, Limits::default()).unwrap();
        let cell = CellAt::array(index);
        let sources = finished.sources(root, &cell).unwrap();
        derivation(&finished, root, &cell, &sources).unwrap().text()
    }

    #[test]
    fn numbers_are_substituted_into_the_formula() {
        let text = "a = s32[2,2] constant({{1,2},{3,-4}}) b = s32[2,2] constant({{7,8},{9,10}}) ROOT r = ";
        let derive = |rest: &str| derivation_text(&format!("{text}{rest}"), &[1, 0]);
        assert_eq!(
            derive("dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
            "out[1,0] = 3·7 + (-4)·9 = -15"
        );
        assert_eq!(derive("add(a, b)"), "out[1,0] = 3 + 9 = 12");
        assert_eq!(derive("maximum(a, b)"), "out[1,0] = max(3, 9) = 9");
        assert_eq!(derive("compare(a, b), direction=LT"), "out[1,0] = 3 LT 9 = true");
        assert_eq!(derive("negate(a)"), "out[1,0] = -3 = -3");
        assert_eq!(derivation_text(&format!("{text}negate(a)"), &[1, 1]), "out[1,1] = -(-4) = 4");
        assert_eq!(derive("transpose(a), dimensions={1,0}"), "out[1,0] = operand[0,1] = 2");
    }

    #[test]
    fn a_moved_cell_shows_its_source_and_the_start_indices() {
        let x = "x = s32[5] constant({0,1,2,3,4}) i = s32[] constant(4)";
        assert_eq!(
            derivation_text(
                &format!("{x} ROOT r = s32[2] dynamic-slice(x, i), dynamic_slice_sizes={{2}}"),
                &[0]
            ),
            "out[0] = operand[3] = 3, start = 4"
        );
    }

    #[test]
    fn a_select_of_tuples_shows_the_selected_value() {
        let source = "HloModule m ENTRY e { p = pred[] constant(false) x = s32[2] constant({1, 2})
            y = s32[2] constant({3, 4}) t = tuple(x, y) u = tuple(y, x) ROOT r = select(p, t, u) }";
        let module = xla_hlo::parser::parse_edition(source, Edition::V2017).into_module().unwrap();
        let (module, root) = (Rc::new(module.clone()), module.entry_computation().unwrap().root.unwrap());
        let experiment = Experiment { edition: Edition::V2017, ..Experiment::from_text(source) };
        let finished = FinishedRun::run(&experiment, &module, Limits::default()).unwrap();
        let cell = CellAt::array(&[1]).in_tuple(0);
        let sources = finished.sources(root, &cell).unwrap();
        let found = derivation(&finished, root, &cell, &sources).unwrap().text();
        assert_eq!(found, "out.0[1] = false ? … : 4 = 4");
        let text = "p = pred[2] constant({1, 0}) a = s32[2] constant({1, 2}) ROOT r = select(p, a, a)";
        assert_eq!(derivation_text(text, &[0]), "out[0] = true ? 1 : … = 1");
    }

    #[test]
    fn reductions_are_written_as_the_computation_they_call() {
        let text = "a = s32[3] constant({1,2,3}) z = s32[] constant(0) ROOT r = reduce(a, z), dimensions={0}, to_apply={";
        let body = "x = s32[] parameter(0) y = s32[] parameter(1) ROOT s =";
        assert_eq!(derivation_text(&format!("{text}{body} add(x, y) }}"), &[]), "out = 0 + 1 + 2 + 3 = 6");
        assert_eq!(
            derivation_text(&format!("{text}{body} maximum(x, y) }}"), &[]),
            "out = max(0, 1, 2, 3) = 3"
        );
        // Not sums or differences of all elements.
        assert_eq!(
            derivation_text(&format!("{text}{body} add(y, y) }}"), &[]),
            "out = reduce(0, 1, 2, 3) = 6"
        );
        assert_eq!(
            derivation_text(&format!("{text}{body} subtract(y, x) }}"), &[]),
            "out = reduce(0, 1, 2, 3) = 2"
        );
    }

    #[test]
    fn the_middle_of_long_lists_is_omitted() {
        let text = "i = s32[40] iota(), iota_dimension=0 z = s32[] constant(0)
            ROOT r = reduce(i, z), dimensions={0}, to_apply={
              x = s32[] parameter(0) y = s32[] parameter(1) ROOT s = add(x, y) }";
        let text = derivation_text(text, &[]);
        assert!(text.starts_with("out = 0 + 0 + 1 + 2") && text.ends_with("+ … (30) + 39 = 780"), "{text}");
    }
}
