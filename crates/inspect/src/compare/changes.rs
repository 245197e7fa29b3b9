//! The differences between two matched modules, described, ranked and grouped.

use std::collections::BTreeMap;

use super::matching::Matching;
use super::order::is_in_longest_increasing;
use crate::instruction_at::InstructionAt;
use xla_array::literal::slots_of;
use xla_hlo::{Computation, Instruction, InstructionId, Module};
use xla_ops::{AttrValue, ComputationId};

/// The kind of a difference, the one that matters most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// The operation changed: opcode, shape, attributes or operands.
    Changed,
    /// Only the first module has it.
    Deleted,
    /// Only the second module has it.
    Inserted,
    /// It is in another computation.
    Moved,
    /// Only the layouts of its shape changed.
    LayoutChanged,
    /// Only annotations changed, which do not affect values: metadata, sharding, `backend_config`.
    AnnotationsChanged,
    /// Only the name changed.
    Renamed,
    /// Only its position among the instructions of its computation changed.
    Reordered,
}

/// A property of an instruction that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detail {
    /// The opcode.
    Opcode,
    /// The element type or the sizes.
    Shape,
    /// The layouts.
    Layout,
    /// An attribute, with its texts; `None` where it is missing. Long texts are cut.
    Attribute {
        /// Its name.
        name: String,
        /// Its text in each module.
        texts: [Option<String>; 2],
    },
    /// An operand, by position: the instructions in each module; `None` where there are fewer operands.
    Operand(usize, [Option<InstructionId>; 2]),
    /// An annotation, by name.
    Annotation(String),
    /// The name.
    Name,
    /// The computation.
    Computation,
}

impl Detail {
    /// The name of the property, for grouping: `shape`, `dimensions=`, `operand 1`.
    pub fn property(&self) -> String {
        match self {
            Self::Opcode => "opcode".to_owned(),
            Self::Shape => "shape".to_owned(),
            Self::Layout => "layout".to_owned(),
            Self::Attribute { name, .. } => format!("{name}="),
            Self::Operand(position, _) => format!("operand {position}"),
            Self::Annotation(name) => name.clone(),
            Self::Name => "name".to_owned(),
            Self::Computation => "computation".to_owned(),
        }
    }
}

/// A difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The kind.
    pub kind: ChangeKind,
    /// The instruction in the first module; `None` if it was inserted.
    pub a: Option<InstructionAt>,
    /// The instruction in the second module; `None` if it was deleted.
    pub b: Option<InstructionAt>,
    /// The changed properties, including those of lower-ranked kinds.
    pub details: Vec<Detail>,
}

/// Differences of one kind, opcode and set of properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The kind.
    pub kind: ChangeKind,
    /// The opcode, in the first module if both have the instruction.
    pub opcode: String,
    /// The names of the changed properties, see [`Detail::property`].
    pub properties: Vec<String>,
    /// Indices in [`Diff::changes`], ascending.
    pub changes: Vec<usize>,
}

/// The comparison of two modules.
#[derive(Clone, Debug)]
pub struct Diff {
    /// The matching instructions and computations.
    pub matching: Matching,
    /// The differences by rank, then callers before callees, in the order of the data flow. Instructions of computations
    /// that were deleted or inserted as a whole are not repeated.
    pub changes: Vec<Change>,
    /// The differences in groups, by rank and then by size.
    pub groups: Vec<Group>,
    /// The computations that only the first module has.
    pub deleted_computations: Vec<ComputationId>,
    /// The computations that only the second module has.
    pub inserted_computations: Vec<ComputationId>,
    /// Number of matched instructions.
    pub matched: usize,
    /// Number of matched instructions without any difference.
    pub unchanged: usize,
}

impl Diff {
    /// Number of differences of each kind.
    pub fn counts(&self) -> BTreeMap<ChangeKind, usize> {
        let mut counts = BTreeMap::new();
        for change in &self.changes {
            *counts.entry(change.kind).or_default() += 1;
        }
        counts
    }

    /// Whether the modules compute the same with the same operations; names, annotations, layouts and the order of the
    /// instructions may differ.
    pub fn is_equivalent(&self) -> bool {
        let is_minor = |change: &Change| change.kind >= ChangeKind::LayoutChanged;
        self.deleted_computations.is_empty()
            && self.inserted_computations.is_empty()
            && self.changes.iter().all(is_minor)
    }
}

/// Compares two modules.
///
/// ```
/// use xla_inspect::compare::{ChangeKind, diff};
///
/// let parse = |body: &str| xla_hlo::parse(&format!("HloModule m ENTRY e {{ {body} }}")).into_module().unwrap();
/// let a = parse("x = f32[2] parameter(0) y = negate(x) ROOT z = add(y, x)");
/// let b = parse("p = f32[2] parameter(0) q = negate(p) c = copy(q) ROOT r = add(c, p)");
/// let found = diff(&a, &b);
/// let kinds: Vec<ChangeKind> = found.changes.iter().map(|change| change.kind).collect();
/// assert_eq!(kinds[..2], [ChangeKind::Changed, ChangeKind::Inserted]);
/// ```
pub fn diff(a: &Module, b: &Module) -> Diff {
    let matching = Matching::new(a, b);
    let side = Sides { a, b, matching: &matching };
    let (mut changes, mut matched, mut unchanged) = (Vec::new(), 0, 0);
    let mut deleted_computations = Vec::new();
    for (id, computation) in computations(a) {
        let pair = matching.computation_in_b(id);
        if pair.is_none() {
            deleted_computations.push(id);
        }
        let reordered = pair.map_or_else(Vec::new, |to| reordered(&matching, id, to, computation));
        for (instruction, node) in computation.iter() {
            let at = InstructionAt { computation: id, instruction };
            let Some(other) = matching.instruction_in_b(at) else {
                if pair.is_some() {
                    let details = Vec::new();
                    changes.push(Change { kind: ChangeKind::Deleted, a: Some(at), b: None, details });
                }
                continue;
            };
            matched += 1;
            let is_reordered = reordered.get(instruction.index()) == Some(&true);
            match side.change(at, node, other, is_reordered) {
                Some(change) => changes.push(change),
                None => unchanged += 1,
            }
        }
    }
    let mut inserted_computations = Vec::new();
    for (id, computation) in computations(b) {
        if matching.computation_in_a(id).is_none() {
            inserted_computations.push(id);
            continue;
        }
        let entries =
            computation.iter().map(|(instruction, _)| InstructionAt { computation: id, instruction });
        let inserted = entries.filter(|at| matching.instruction_in_a(*at).is_none()).map(|at| Change {
            kind: ChangeKind::Inserted,
            a: None,
            b: Some(at),
            details: Vec::new(),
        });
        changes.extend(inserted);
    }
    // Callees precede callers in a module.
    let rank = |change: &Change| {
        let at = change.a.or(change.b);
        (change.kind, at.map(|at| (std::cmp::Reverse(at.computation), at.instruction)))
    };
    changes.sort_by_key(rank);
    let groups = groups(&changes, a, b);
    Diff { matching, changes, groups, deleted_computations, inserted_computations, matched, unchanged }
}

fn computations(module: &Module) -> impl Iterator<Item = (ComputationId, &Computation)> {
    (0..).map(ComputationId).zip(&module.computations)
}

/// Whether each instruction of a computation changed its position among those that are matched within the pair.
fn reordered(
    matching: &Matching,
    id: ComputationId,
    to: ComputationId,
    computation: &Computation,
) -> Vec<bool> {
    let mut positions = Vec::new();
    for (instruction, _) in computation.iter() {
        let other = matching.instruction_in_b(InstructionAt { computation: id, instruction });
        if let Some(other) = other.filter(|other| other.computation == to) {
            positions.push((instruction, other.instruction.index()));
        }
    }
    let numbers: Vec<usize> = positions.iter().map(|(_, position)| *position).collect();
    let mut reordered = vec![false; computation.instructions.len()];
    for ((instruction, _), is_in_order) in positions.iter().zip(is_in_longest_increasing(&numbers)) {
        reordered[instruction.index()] = !is_in_order;
    }
    reordered
}

struct Sides<'m> {
    a: &'m Module,
    b: &'m Module,
    matching: &'m Matching,
}

/// Maximum number of characters of an attribute's text.
const MAX_TEXT_CHARS: usize = 200;
/// Maximum number of elements of a literal that is printed.
const MAX_TEXT_ELEMENTS: i64 = 32;

impl Sides<'_> {
    /// The difference between two matched instructions.
    fn change(
        &self,
        a: InstructionAt,
        node: &Instruction,
        b: InstructionAt,
        is_reordered: bool,
    ) -> Option<Change> {
        let other = self.b.get(b.computation)?.get(b.instruction)?;
        let mut details = Vec::new();
        let mut kind = None;
        let mut add = |of: ChangeKind, detail: Detail| {
            kind = Some(kind.map_or(of, |kind: ChangeKind| kind.min(of)));
            details.push(detail);
        };
        if node.opcode != other.opcode {
            add(ChangeKind::Changed, Detail::Opcode);
        }
        if node.shape != other.shape {
            if xla_array::shape_util::compatible(&node.shape, &other.shape) {
                add(ChangeKind::LayoutChanged, Detail::Layout);
            } else {
                add(ChangeKind::Changed, Detail::Shape);
            }
        }
        for detail in self.attributes(node, other) {
            add(ChangeKind::Changed, detail);
        }
        for detail in self.operands(a.computation, node, b.computation, other) {
            add(ChangeKind::Changed, detail);
        }
        if self.matching.computation_in_b(a.computation) != Some(b.computation) {
            add(ChangeKind::Moved, Detail::Computation);
        }
        for detail in annotations(node, other) {
            add(ChangeKind::AnnotationsChanged, detail);
        }
        if node.name != other.name {
            add(ChangeKind::Renamed, Detail::Name);
        }
        let kind = kind.or(is_reordered.then_some(ChangeKind::Reordered))?;
        Some(Change { kind, a: Some(a), b: Some(b), details })
    }

    fn attributes(&self, a: &Instruction, b: &Instruction) -> Vec<Detail> {
        let names: std::collections::BTreeSet<&str> =
            a.attrs.iter().chain(b.attrs.iter()).map(|(name, _)| name).collect();
        let changed = names.into_iter().filter(|name| !self.is_same(a.attrs.get(name), b.attrs.get(name)));
        let detail = |name: &str| {
            let texts =
                [attribute_text(self.a, a.attrs.get(name)), attribute_text(self.b, b.attrs.get(name))];
            Detail::Attribute { name: name.to_owned(), texts }
        };
        changed.map(detail).collect()
    }

    fn is_same(&self, a: Option<&AttrValue>, b: Option<&AttrValue>) -> bool {
        let is_pair = |a: &ComputationId, b: &ComputationId| self.matching.computation_in_b(*a) == Some(*b);
        match (a, b) {
            (Some(AttrValue::Computation(a)), Some(AttrValue::Computation(b))) => is_pair(a, b),
            (Some(AttrValue::Computations(a)), Some(AttrValue::Computations(b))) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_pair(a, b))
            }
            // The layout of a literal is that of the shape.
            (Some(AttrValue::Literal(a)), Some(AttrValue::Literal(b))) => {
                a.equals(b, xla_array::literal::Equality::Bits)
            }
            (a, b) => a == b,
        }
    }

    /// The operands that are not matched with each other, where an operand stays in its computation.
    fn operands(
        &self,
        in_a: ComputationId,
        a: &Instruction,
        in_b: ComputationId,
        b: &Instruction,
    ) -> Vec<Detail> {
        let count = a.operands.len().max(b.operands.len());
        let pair = |n: usize| [a.operands.get(n).copied(), b.operands.get(n).copied()];
        let is_matched = |pair: &[Option<InstructionId>; 2]| match pair {
            [Some(from), Some(to)] => {
                let at = |computation, id: &InstructionId| InstructionAt { computation, instruction: *id };
                self.matching.instruction_in_b(at(in_a, from)) == Some(at(in_b, to))
            }
            _ => false,
        };
        let pairs = (0..count).map(|n| (n, pair(n)));
        // An instruction that moved has the operands of its new computation.
        let is_moved =
            self.matching.computation_in_b(in_a) != Some(in_b) && a.operands.len() == b.operands.len();
        pairs.filter(|(_, p)| !is_moved && !is_matched(p)).map(|(n, p)| Detail::Operand(n, p)).collect()
    }
}

fn annotations(a: &Instruction, b: &Instruction) -> Vec<Detail> {
    let names: std::collections::BTreeSet<&String> =
        a.annotations.iter().chain(&b.annotations).map(|(name, _)| name).collect();
    let changed = names.into_iter().filter(|name| a.annotation(name) != b.annotation(name));
    changed.map(|name| Detail::Annotation(name.clone())).collect()
}

/// The text of an attribute's value, cut if it is long.
pub(super) fn attribute_text(module: &Module, value: Option<&AttrValue>) -> Option<String> {
    let name = |id: &ComputationId| module.get(*id).map(|c| c.name.clone()).unwrap_or_default();
    let full = match value? {
        AttrValue::Computation(id) => name(id),
        AttrValue::Computations(ids) => ids.iter().map(name).collect::<Vec<_>>().join(", "),
        AttrValue::Literal(literal) if slots_of(&literal.shape()) > MAX_TEXT_ELEMENTS => {
            AttrValue::Elided.to_string()
        }
        value => value.to_string(),
    };
    match full.char_indices().nth(MAX_TEXT_CHARS) {
        Some((end, _)) => Some(format!("{}…", full.get(..end)?)),
        None => Some(full),
    }
}

fn groups(changes: &[Change], a: &Module, b: &Module) -> Vec<Group> {
    let mut groups: BTreeMap<(ChangeKind, String, Vec<String>), Vec<usize>> = BTreeMap::new();
    for (index, change) in changes.iter().enumerate() {
        let opcode = |module: &Module, at: InstructionAt| {
            Some(module.get(at.computation)?.get(at.instruction)?.opcode.clone())
        };
        let first = change.a.and_then(|at| opcode(a, at));
        let opcode = first.or_else(|| opcode(b, change.b?)).unwrap_or_default();
        let properties = change.details.iter().map(Detail::property).collect();
        groups.entry((change.kind, opcode, properties)).or_default().push(index);
    }
    let group = |((kind, opcode, properties), changes)| Group { kind, opcode, properties, changes };
    let mut groups: Vec<Group> = groups.into_iter().map(group).collect();
    groups.sort_by_key(|group| (group.kind, std::cmp::Reverse(group.changes.len())));
    groups
}
