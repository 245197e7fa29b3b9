//! How one output cell was made, in live numbers: `out[1,2] = 1·7 + 2·9 = 25`.
//!
//! It is worked out of what every op says of itself (its formula, the roles of the cells it read), never op by op:
//! products of left and right cells are summed, folds are written as the computation they call, everything else has
//! the numbers put into its formula.

use xla_array::value::Value;
use xla_array::{ElementType, Shape};
use xla_experiment::run::FinishedRun;
use xla_hlo::{Instruction, InstructionId, Module};
use xla_ops::{AttrValue, Category, CellAt, Data, OpDef, Role, Source};

/// A piece of a working.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text between the numbers.
    Plain(String),
    /// A number that was read.
    Read {
        /// The number.
        text: String,
        /// Its place in the list of sources.
        source: usize,
        /// What it means.
        role: Role,
    },
    /// So many more of the same, left out.
    More(usize),
    /// The result.
    Result(String),
}

/// How one output cell was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Derivation {
    /// From left to right.
    pub parts: Vec<Part>,
    /// How many cells were read.
    pub reads: usize,
    /// What they mean, those left out too, in the order of the first reading.
    pub roles: Vec<Role>,
}

/// The most numbers that are written out; of longer lists the middle is left out.
const MOST: usize = 12;

/// A cell that was read; its text is made where it is shown, for of a long list that are few.
struct Read<'a> {
    value: Value,
    element_type: ElementType,
    role: Role,
    operand: usize,
    index: &'a [i64],
}

fn read<'a>(ran: &FinishedRun, instruction: &Instruction, source: &'a Source) -> Option<Read<'a>> {
    let data = ran.value(*instruction.operands.get(source.operand)?)?.part(&source.cell.path)?;
    let array = data.as_array()?;
    let value = array.get(&source.cell.index)?;
    let (role, operand, index) = (source.role, source.operand, &source.cell.index[..]);
    Some(Read { value, element_type: array.element_type(), role, operand, index })
}

fn number(value: Value, element_type: ElementType) -> String {
    value.short(element_type, 9)
}

fn brackets(index: &[i64]) -> String {
    if index.is_empty() {
        return String::new();
    }
    format!("[{}]", index.iter().map(i64::to_string).collect::<Vec<_>>().join(","))
}

/// Each role once, in the order they come.
pub(super) fn roles(read: impl Iterator<Item = Role>) -> Vec<Role> {
    let mut roles = Vec::new();
    for role in read {
        if !roles.contains(&role) {
            roles.push(role);
        }
    }
    roles
}

/// The working of one output cell; `None` where there is no such cell.
pub fn derivation(
    ran: &FinishedRun,
    id: InstructionId,
    cell: &CellAt,
    sources: &[Source],
) -> Option<Derivation> {
    let module = ran.module();
    let instruction = module.entry_computation()?.get(id)?;
    let meta = instruction.op?.meta();
    let result = ran.value(id)?.part(&cell.path).and_then(Data::as_array)?;
    let value = number(result.get(&cell.index)?, result.element_type());
    let reads: Vec<Read> = sources.iter().filter_map(|source| read(ran, instruction, source)).collect();
    let mut out = Derivation { reads: sources.len(), ..Derivation::default() };
    out.roles = roles(sources.iter().map(|source| source.role));
    let path = cell.path.iter().fold(String::new(), |path, i| path + "." + &i.to_string());
    out.plain(format!("out{path}{} = ", brackets(&cell.index)));
    let products = meta.category == Category::Contraction;
    if reads.is_empty() {
        out.parts.push(Part::Result(value));
        return Some(out);
    }
    if products && reads.iter().all(|r| matches!(r.role, Role::Lhs | Role::Rhs)) {
        out.list(reads.len() / 2, " + ", |out, i| {
            out.read(&reads, 2 * i);
            out.plain("·");
            out.read(&reads, 2 * i + 1);
        });
    } else if let Some(fold) = fold(module, instruction, &reads) {
        out.fold(&fold, &reads);
    } else if reads.len() == 1 && meta.category == Category::Movement {
        let name = meta.operands.name(reads[0].operand);
        out.plain(format!("{name}{} = ", brackets(reads[0].index)));
        out.read(&reads, 0);
        return Some(out);
    } else if !out.substituted(instruction, &reads) {
        out.plain(format!("{}(", meta.opcode));
        out.list(reads.len(), ", ", |out, i| out.read(&reads, i));
        out.plain(")");
    }
    // An initial value that nothing was folded into is the result.
    if matches!(out.parts.as_slice(), [Part::Plain(_), Part::Read { text, .. }] if *text == value) {
        return Some(out);
    }
    out.plain(" = ");
    out.parts.push(Part::Result(value));
    Some(out)
}

/// How a fold is written: `a + b + c` or `max(a, b, c)`.
enum Fold {
    Infix(String),
    Prefix(String),
}

/// The computation that folds, where the instruction starts from an initial value.
fn fold(module: &Module, instruction: &Instruction, reads: &[Read]) -> Option<Fold> {
    if !reads.iter().any(|r| r.role == Role::Init) || instruction.shape.as_tuple().is_some() {
        return None;
    }
    applied(module, instruction)
}

/// What stands before, between and after the numbers that an instruction makes one of: its computation where it folds
/// them, else its own name.
pub(super) fn called(module: &Module, instruction: &Instruction, reads: usize) -> (String, String, String) {
    match applied(module, instruction) {
        Some(Fold::Infix(sign)) => (String::new(), sign, String::new()),
        Some(Fold::Prefix(name)) => (format!("{name}("), ", ".to_owned(), ")".to_owned()),
        None if reads == 1 => (String::new(), String::new(), String::new()),
        None => (format!("{}(", instruction.opcode), ", ".to_owned(), ")".to_owned()),
    }
}

/// How what an instruction applies is written.
fn applied(module: &Module, instruction: &Instruction) -> Option<Fold> {
    let callee = instruction.attrs.computations().last()?;
    let computation = module.get(callee)?;
    let root = computation.root_instruction()?;
    let simple =
        root.operands.len() == 2 && root.operands.iter().all(|id| computation.parameters.contains(id));
    let formula =
        root.op.filter(|_| simple).map(|op| op.meta().formula).and_then(|f| f.strip_prefix("out[i] = "));
    Some(match formula.and_then(|f| Some((f.split_once("lhs[i]")?, f.strip_suffix("rhs[i]")))) {
        Some((("", _), Some(head))) => Fold::Infix(head.trim_start_matches("lhs[i]").to_owned()),
        Some(((head, _), None)) if head.ends_with('(') => Fold::Prefix(head.trim_end_matches('(').to_owned()),
        _ if computation.name.is_empty() => Fold::Prefix(root.opcode.clone()),
        _ => Fold::Prefix(computation.name.clone()),
    })
}

impl Derivation {
    fn plain(&mut self, text: impl Into<String>) {
        match (self.parts.last_mut(), text.into()) {
            (Some(Part::Plain(before)), text) => before.push_str(&text),
            (_, text) => self.parts.push(Part::Plain(text)),
        }
    }

    fn read(&mut self, reads: &[Read], i: usize) {
        if let Some(Read { value, element_type, role, .. }) = reads.get(i) {
            let text = number(*value, *element_type);
            // A negative number behind a sign is read in brackets.
            let after_sign = matches!(self.parts.last(), Some(Part::Plain(p)) if p.ends_with(['·', ' ']) && !p.ends_with("= ") && !p.ends_with(", "));
            let text = if after_sign && text.starts_with('-') { format!("({text})") } else { text };
            self.parts.push(Part::Read { text, source: i, role: *role });
        }
    }

    /// `count` entries; of many only the first and the last.
    fn list(&mut self, count: usize, between: &str, mut entry: impl FnMut(&mut Self, usize)) {
        for i in 0..count {
            if count > MOST && (MOST - 2..count - 1).contains(&i) {
                if i == MOST - 2 {
                    self.plain(between);
                    self.parts.push(Part::More(count - MOST + 1));
                }
                continue;
            }
            if i > 0 {
                self.plain(between);
            }
            entry(self, i);
        }
    }

    fn fold(&mut self, fold: &Fold, reads: &[Read]) {
        // The initial value first, as it is folded.
        let folded = |r: &&usize| matches!(reads[**r].role, Role::Init | Role::Value | Role::Update);
        let all: Vec<usize> = (0..reads.len()).collect();
        let mut order: Vec<usize> = all.iter().filter(folded).copied().collect();
        order.sort_by_key(|i| reads[*i].role != Role::Init);
        match fold {
            Fold::Infix(sign) => self.list(order.len(), sign, |out, i| out.read(reads, order[i])),
            Fold::Prefix(name) => {
                self.plain(format!("{name}("));
                self.list(order.len(), ", ", |out, i| out.read(reads, order[i]));
                self.plain(")");
            }
        }
    }

    /// The numbers in place of the operands in the op's formula, where each operand was read once.
    fn substituted(&mut self, instruction: &Instruction, reads: &[Read]) -> bool {
        let Some(meta) = instruction.op.map(OpDef::meta) else { return false };
        let Some((_, formula)) = meta.formula.split_once(" = ") else { return false };
        let formula = match instruction.attrs.iter().find(|(name, _)| formula.contains(&format!(" {name} ")))
        {
            // A word the formula asks for: the direction of a comparison.
            Some((name, AttrValue::Word(word))) => {
                formula.replace(&format!(" {name} "), &format!(" {word} "))
            }
            _ => formula.to_owned(),
        };
        let mut places = Vec::new();
        for (i, r) in reads.iter().enumerate() {
            let name = format!("{}[i]", meta.operands.name(r.operand));
            match formula.find(&name) {
                Some(at) if formula.matches(&name).count() == 1 => places.push((at, name.len(), i)),
                _ => return false,
            }
        }
        places.sort_unstable();
        if places.windows(2).any(|pair| pair[0].0 == pair[1].0) || formula.contains(" where ") {
            return false;
        }
        let mut done = 0;
        for (at, length, i) in places {
            self.plain(&formula[done..at]);
            self.read(reads, i);
            done = at + length;
        }
        let rest = &formula[done..];
        // What was not read was not needed: say nothing of it.
        if meta.operands.fixed.iter().any(|name| rest.contains(&format!("{name}[i]"))) {
            return false;
        }
        self.plain(rest);
        true
    }

    /// As text, for a screen reader and for copying.
    pub fn text(&self) -> String {
        self.parts
            .iter()
            .map(|part| match part {
                Part::Plain(text) | Part::Read { text, .. } | Part::Result(text) => text.clone(),
                Part::More(count) => format!("… ({count})"),
            })
            .collect()
    }
}

/// The sizes of the array that `path` leads to in a shape.
pub fn array_at<'a>(shape: &'a Shape, path: &[usize]) -> Option<&'a xla_array::ArrayShape> {
    path.iter().try_fold(shape, |shape, i| shape.as_tuple()?.get(*i))?.as_array()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;
    use xla_experiment::Experiment;
    use xla_hlo::Limits;

    fn working_of(text: &str, index: &[i64]) -> String {
        let source = format!("HloModule m\nENTRY e {{ {text} }}");
        let module = Rc::new(xla_hlo::parse(&source).into_module().unwrap());
        let root = module.entry_computation().unwrap().root.unwrap();
        let ran = FinishedRun::new(&Experiment::from_text(source), &module, Limits::default()).unwrap();
        let cell = CellAt::array(index);
        let sources = ran.sources(root, &cell).unwrap();
        derivation(&ran, root, &cell, &sources).unwrap().text()
    }

    #[test]
    fn numbers_stand_where_the_formula_has_names() {
        let text = "a = s32[2,2] constant({{1,2},{3,-4}}) b = s32[2,2] constant({{7,8},{9,10}}) ROOT r = ";
        let of = |rest: &str| working_of(&format!("{text}{rest}"), &[1, 0]);
        assert_eq!(
            of("dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
            "out[1,0] = 3·7 + (-4)·9 = -15"
        );
        assert_eq!(of("add(a, b)"), "out[1,0] = 3 + 9 = 12");
        assert_eq!(of("maximum(a, b)"), "out[1,0] = max(3, 9) = 9");
        assert_eq!(of("compare(a, b), direction=LT"), "out[1,0] = 3 LT 9 = true");
        assert_eq!(of("negate(a)"), "out[1,0] = -3 = -3");
        assert_eq!(of("transpose(a), dimensions={1,0}"), "out[1,0] = operand[0,1] = 2");
    }

    #[test]
    fn folds_are_written_as_what_they_call() {
        let text = "a = s32[3] constant({1,2,3}) z = s32[] constant(0) ROOT r = reduce(a, z), dimensions={0}, to_apply={";
        let body = "x = s32[] parameter(0) y = s32[] parameter(1) ROOT s =";
        assert_eq!(working_of(&format!("{text}{body} add(x, y) }}"), &[]), "out = 0 + 1 + 2 + 3 = 6");
        assert_eq!(working_of(&format!("{text}{body} maximum(x, y) }}"), &[]), "out = max(0, 1, 2, 3) = 3");
    }

    #[test]
    fn long_lists_keep_their_ends() {
        let text = "i = s32[40] iota(), iota_dimension=0 z = s32[] constant(0)
            ROOT r = reduce(i, z), dimensions={0}, to_apply={
              x = s32[] parameter(0) y = s32[] parameter(1) ROOT s = add(x, y) }";
        let said = working_of(text, &[]);
        assert!(said.starts_with("out = 0 + 0 + 1 + 2") && said.ends_with("+ … (30) + 39 = 780"), "{said}");
    }
}
