//! The instructions of two compared modules as one list: matched ones next to each other, the others where they are missing.
//!
//! The order is that of the second module, callers before callees. A deleted instruction follows the one that it follows in
//! the first module; computations that were deleted as a whole come last.

use super::changes::{ChangeKind, Diff};
use crate::instruction_at::InstructionAt;
use xla_hlo::Module;
use xla_ops::ComputationId;

/// A row of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlignedRow {
    /// The header of a computation: its id in each module that has it.
    Computation(Option<ComputationId>, Option<ComputationId>),
    /// An instruction.
    Instruction {
        /// The instruction in the first module.
        a: Option<InstructionAt>,
        /// The instruction in the second module.
        b: Option<InstructionAt>,
        /// The index of its change in [`Diff::changes`]; `None` if there is none, or if the whole computation was
        /// deleted or inserted.
        change: Option<usize>,
    },
}

/// The list.
#[derive(Clone, Debug, Default)]
pub struct Aligned {
    /// The rows.
    pub rows: Vec<AlignedRow>,
    /// The kind of the change of each row; of a header, if the whole computation was deleted or inserted.
    pub kinds: Vec<Option<ChangeKind>>,
}

impl Aligned {
    /// Aligns two modules.
    pub fn new(diff: &Diff, a: &Module, b: &Module) -> Self {
        let mut list =
            Builder { diff, a, b, by_place: ChangesByPlace::new(diff, a, b), out: Self::default() };
        for id in computation_ids(b) {
            list.computation(diff.matching.computation_in_a(id), Some(id));
        }
        for id in computation_ids(a).filter(|id| diff.matching.computation_in_b(*id).is_none()) {
            list.computation(Some(id), None);
        }
        list.out
    }

    /// The numbers of the rows whose kind `is_shown`, with the headers of the computations around them.
    pub fn filtered(&self, is_shown: impl Fn(Option<ChangeKind>) -> bool) -> Vec<u32> {
        let mut shown = Vec::new();
        let mut header = None;
        // The instructions of a deleted or inserted computation are shown with it.
        let mut whole = None;
        for (index, (row, kind)) in (0..).zip(self.rows.iter().zip(&self.kinds)) {
            if matches!(row, AlignedRow::Computation(..)) {
                (header, whole) = (Some(index), *kind);
                if kind.is_some() && is_shown(*kind) {
                    shown.extend(header.take());
                }
            } else if is_shown(kind.or(whole)) {
                shown.extend(header.take());
                shown.push(index);
            }
        }
        shown
    }
}

/// The computations of a module, callers before callees.
fn computation_ids(module: &Module) -> impl Iterator<Item = ComputationId> + use<> {
    let count = u32::try_from(module.computations.len()).unwrap_or(u32::MAX);
    (0..count).rev().map(ComputationId)
}

/// The index of the change of each instruction, by computation, in each module.
struct ChangesByPlace([Vec<Vec<Option<usize>>>; 2]);

impl ChangesByPlace {
    fn new(diff: &Diff, a: &Module, b: &Module) -> Self {
        let empty = |module: &Module| -> Vec<Vec<Option<usize>>> {
            module.computations.iter().map(|c| vec![None; c.instructions.len()]).collect()
        };
        let mut changes = Self([empty(a), empty(b)]);
        for (index, change) in diff.changes.iter().enumerate() {
            for (side, at) in [change.a, change.b].into_iter().enumerate() {
                let Some(at) = at else { continue };
                let slot = changes.0[side].get_mut(at.computation.0 as usize);
                if let Some(slot) = slot.and_then(|entries| entries.get_mut(at.instruction.index())) {
                    *slot = Some(index);
                }
            }
        }
        changes
    }

    fn get(&self, side: usize, at: InstructionAt) -> Option<usize> {
        *self.0.get(side)?.get(at.computation.0 as usize)?.get(at.instruction.index())?
    }
}

struct Builder<'m> {
    diff: &'m Diff,
    a: &'m Module,
    b: &'m Module,
    by_place: ChangesByPlace,
    out: Aligned,
}

impl Builder<'_> {
    fn push(&mut self, row: AlignedRow, kind: Option<ChangeKind>) {
        self.out.rows.push(row);
        self.out.kinds.push(kind);
    }

    fn instruction(&mut self, a: Option<InstructionAt>, b: Option<InstructionAt>) {
        let change = match (a, b) {
            (_, Some(b)) => self.by_place.get(1, b),
            (Some(a), None) => self.by_place.get(0, a),
            (None, None) => None,
        };
        let kind = change.and_then(|index| self.diff.changes.get(index)).map(|change| change.kind);
        self.push(AlignedRow::Instruction { a, b, change }, kind);
    }

    fn computation(&mut self, a: Option<ComputationId>, b: Option<ComputationId>) {
        let kind = match (a, b) {
            (Some(_), None) => Some(ChangeKind::Deleted),
            (None, Some(_)) => Some(ChangeKind::Inserted),
            _ => None,
        };
        self.push(AlignedRow::Computation(a, b), kind);
        let deleted = a.map_or_else(Vec::new, |a| self.deleted(a, b));
        let mut deleted = deleted.into_iter().peekable();
        let Some((b, second)) = b.and_then(|b| Some((b, self.b.get(b)?))) else {
            for (_, at) in deleted {
                self.instruction(Some(at), None);
            }
            return;
        };
        for number in 0..=second.instructions.len() {
            while let Some((_, at)) = deleted.next_if(|(before, _)| *before <= number) {
                self.instruction(Some(at), None);
            }
            if let Ok(id) = u32::try_from(number)
                && number < second.instructions.len()
            {
                let at = InstructionAt { computation: b, instruction: xla_hlo::InstructionId(id) };
                self.instruction(self.diff.matching.instruction_in_a(at), Some(at));
            }
        }
    }

    /// The unmatched instructions of a computation of the first module, each with the number of instructions of the second
    /// that precede it.
    fn deleted(&self, a: ComputationId, b: Option<ComputationId>) -> Vec<(usize, InstructionAt)> {
        let Some(first) = self.a.get(a) else { return Vec::new() };
        let (mut found, mut before) = (Vec::new(), 0);
        for (instruction, _) in first.iter() {
            let at = InstructionAt { computation: a, instruction };
            match self.diff.matching.instruction_in_b(at) {
                Some(other) if Some(other.computation) == b => before = other.instruction.index() + 1,
                // It is shown in the computation that it moved to.
                Some(_) => {}
                None => found.push((before, at)),
            }
        }
        // Reordered instructions make the numbers descend in places.
        found.sort_by_key(|(before, _)| *before);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::super::diff;
    use super::*;

    fn module(text: &str) -> Module {
        xla_hlo::parse(text).into_module().unwrap()
    }

    fn names(module: &Module, at: Option<InstructionAt>) -> &str {
        at.map_or("-", |p| &module.get(p.computation).unwrap().get(p.instruction).unwrap().name)
    }

    #[test]
    fn deleted_instructions_stay_after_their_predecessor() {
        let a = module(
            "HloModule m ENTRY e { x = f32[2] parameter(0) c = cosine(x) s = sine(c) ROOT y = negate(s) }",
        );
        let b = module(
            "HloModule m f { p = f32[2] parameter(0) ROOT q = tanh(p) }
             ENTRY e { x = f32[2] parameter(0) s = sine(x) k = f32[2] call(s), to_apply=f ROOT y = negate(k) }",
        );
        let found = diff(&a, &b);
        let aligned = Aligned::new(&found, &a, &b);
        let rows: Vec<String> = aligned
            .rows
            .iter()
            .map(|row| match row {
                AlignedRow::Computation(x, y) => format!("{}{}", x.is_some(), y.is_some()),
                AlignedRow::Instruction { a: x, b: y, .. } => {
                    format!("{} {}", names(&a, *x), names(&b, *y))
                }
            })
            .collect();
        assert_eq!(rows, ["truetrue", "x x", "c -", "s s", "- k", "y y", "falsetrue", "- p", "- q"]);
        // The inserted computation is shown whole, its instructions with it.
        let shown = aligned.filtered(|kind| kind == Some(ChangeKind::Inserted));
        assert_eq!(shown, [0, 4, 6, 7, 8]);
        assert_eq!(aligned.filtered(|_| true).len(), rows.len());
        assert_eq!(aligned.filtered(|_| false), [0; 0]);
    }

    #[test]
    fn each_instruction_has_exactly_one_row() {
        let a = module(
            "HloModule m ENTRY e { x = f32[2] parameter(0) c = cosine(x) n = negate(x) ROOT y = add(c, n) }",
        );
        let b = module(
            "HloModule m ENTRY e { x = f32[2] parameter(0) n = negate(x) c = cosine(x) ROOT y = add(c, n) }",
        );
        for (a, b) in [(&a, &b), (&b, &a), (&a, &a), (&a, &Module::default()), (&Module::default(), &b)] {
            let aligned = Aligned::new(&diff(a, b), a, b);
            let sides = aligned.rows.iter().filter_map(|row| match row {
                AlignedRow::Instruction { a, b, .. } => Some((a.is_some(), b.is_some())),
                AlignedRow::Computation(..) => None,
            });
            let (first, second): (Vec<bool>, Vec<bool>) = sides.unzip();
            let count =
                |module: &Module| module.computations.iter().map(|c| c.instructions.len()).sum::<usize>();
            let have = |side: &[bool]| side.iter().filter(|has| **has).count();
            assert_eq!((have(&first), have(&second)), (count(a), count(b)));
        }
    }
}
