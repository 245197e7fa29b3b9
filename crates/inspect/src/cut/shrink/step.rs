//! The order of the candidates of a search.

use std::collections::BTreeSet;

use super::parts::{operations, results};
use super::state::{Phase, State, Step};
use super::{bypass, inline, literals, sizes};
use crate::cut::types::Program;
use xla_hlo::InstructionId;

impl State {
    /// The candidate of the current phase.
    pub fn step(&mut self) -> Step {
        let candidate =
            |program: Option<Program>| program.map_or(Step::Skip, |program| Step::Try(Box::new(program)));
        loop {
            match self.phase.clone() {
                Phase::Original(_) => return Step::Try(Box::new(self.current.clone())),
                Phase::Alone(focus) => return candidate(self.cut_to(&[focus].into(), [focus].into())),
                Phase::Ancestors(focus) => return candidate(self.ancestors(focus)),
                Phase::Remove { chunk, first, has_removed } => {
                    if first < operations(&self.current).len() {
                        return candidate(self.without(first, chunk));
                    }
                    self.phase = if chunk > 1 {
                        Phase::Remove { chunk: chunk.div_ceil(2), first: 0, has_removed: false }
                    } else if has_removed {
                        Phase::Remove { chunk: 1, first: 0, has_removed: false }
                    } else {
                        Phase::Bypass { operation: 0, operand: 0 }
                    };
                }
                Phase::Bypass { operation, operand } => {
                    let Some(id) = operations(&self.current).get(operation).copied() else {
                        self.phase = Phase::Result(0);
                        continue;
                    };
                    match bypass::operands(&self.current, id).get(operand) {
                        Some(with) => return candidate(self.bypass(id, *with)),
                        None => self.phase = Phase::Bypass { operation: operation + 1, operand: 0 },
                    }
                }
                Phase::Result(index) => {
                    let all = results(&self.current);
                    match all.iter().nth(index) {
                        Some(dropped) => return candidate(self.without_result(*dropped)),
                        None => self.phase = Phase::Inline { operation: 0, callee: 0 },
                    }
                }
                Phase::Inline { operation, callee } => {
                    let Some(id) = operations(&self.current).get(operation).copied() else {
                        self.phase = Phase::Size { size: 0, replacement: 0 };
                        continue;
                    };
                    match inline::callees(&self.current, id).get(callee) {
                        Some(call) => {
                            let limit = self.options.max_inlined_instructions;
                            return candidate(inline::inlined(&self.current, id, call, limit));
                        }
                        None => self.phase = Phase::Inline { operation: operation + 1, callee: 0 },
                    }
                }
                Phase::Size { size, replacement } => {
                    let Some(from) = sizes::sizes(&self.current).get(size).copied() else {
                        self.phase = Phase::Value { source: 0, replacement: 0 };
                        continue;
                    };
                    match sizes::replacements(from).get(replacement) {
                        Some(to) => return candidate(sizes::resized(&self.current, from, *to)),
                        None => self.phase = Phase::Size { size: size + 1, replacement: 0 },
                    }
                }
                Phase::Value { source, replacement } => {
                    if source < literals::count(&self.current) {
                        if replacement < literals::REPLACEMENTS_PER_SOURCE {
                            return candidate(literals::simplified(&self.current, source, replacement));
                        }
                        self.phase = Phase::Value { source: source + 1, replacement: 0 };
                    } else if std::mem::take(&mut self.has_progress) {
                        self.phase = self.remove_from_half();
                    } else {
                        return Step::End;
                    }
                }
            }
        }
    }

    /// The removal of operations, initially half of them.
    fn remove_from_half(&self) -> Phase {
        let chunk = operations(&self.current).len().div_ceil(2).max(1);
        Phase::Remove { chunk, first: 0, has_removed: false }
    }

    /// Moves on after a candidate, which was kept or not.
    pub fn advance(&mut self, is_kept: bool) {
        self.phase = match self.phase {
            Phase::Original(Some(focus)) => Phase::Alone(focus),
            Phase::Alone(focus) if !is_kept => Phase::Ancestors(focus),
            Phase::Original(None) | Phase::Alone(_) | Phase::Ancestors(_) => self.remove_from_half(),
            Phase::Remove { chunk, first, .. } if is_kept => {
                Phase::Remove { chunk, first, has_removed: true }
            }
            Phase::Remove { chunk, first, has_removed } => {
                Phase::Remove { chunk, first: first + chunk, has_removed }
            }
            _ => {
                self.has_progress |= is_kept;
                // After a success, the same position has another candidate.
                match self.phase.clone() {
                    Phase::Bypass { operation, .. } if is_kept => Phase::Bypass { operation, operand: 0 },
                    Phase::Bypass { operation, operand } => Phase::Bypass { operation, operand: operand + 1 },
                    Phase::Result(index) => Phase::Result(if is_kept { index } else { index + 1 }),
                    Phase::Inline { operation, .. } if is_kept => Phase::Inline { operation, callee: 0 },
                    Phase::Inline { operation, callee } => Phase::Inline { operation, callee: callee + 1 },
                    Phase::Size { size, .. } if is_kept => Phase::Size { size, replacement: 0 },
                    Phase::Size { size, replacement } => Phase::Size { size, replacement: replacement + 1 },
                    Phase::Value { source, .. } if is_kept => {
                        Phase::Value { source: source + 1, replacement: 0 }
                    }
                    Phase::Value { source, replacement } => {
                        Phase::Value { source, replacement: replacement + 1 }
                    }
                    phase => phase,
                }
            }
        };
    }

    /// The ancestors of an instruction, and itself.
    fn ancestors(&self, focus: InstructionId) -> Option<Program> {
        let entry = self.current.module.entry_computation()?;
        let mut kept = BTreeSet::new();
        let mut worklist = vec![focus];
        while let Some(id) = worklist.pop() {
            if kept.insert(id) {
                worklist.extend(entry.get(id)?.operands.iter().copied());
            }
        }
        self.cut_to(&kept, [focus].into())
    }

    /// The program without some consecutive operations; their values are captured.
    fn without(&self, first: usize, chunk: usize) -> Option<Program> {
        let all = operations(&self.current);
        let (before, rest) = all.split_at_checked(first)?;
        let after = rest.get(chunk.min(rest.len())..)?;
        let kept: BTreeSet<InstructionId> = before.iter().chain(after).copied().collect();
        let found = self.cut_to(&kept, results(&self.current))?;
        // The closure of the kept instructions may contain removed ones again.
        (operations(&found).len() < all.len()).then_some(found)
    }

    /// The program without a result, whose instruction others use.
    fn without_result(&self, dropped: InstructionId) -> Option<Program> {
        let all = results(&self.current);
        let mut left = all.clone();
        left.remove(&dropped);
        let kept: BTreeSet<InstructionId> = operations(&self.current).into_iter().collect();
        let found = self.cut_to(&kept, left)?;
        (results(&found).len() < all.len()).then_some(found)
    }

    fn bypass(&self, id: InstructionId, with: InstructionId) -> Option<Program> {
        bypass::bypassed(&self.current, id, with)
    }
}
