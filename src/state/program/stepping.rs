//! Steps from instruction to instruction: in the order of the text, and through the executions of a body.

use super::references::InstructionKey;

/// An instruction of a computation, and one of its executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The instruction.
    pub at: InstructionKey,
    /// The execution, from 0.
    pub execution: u64,
}

/// The next step, or the previous one if `is_back`, of a computation with `count` instructions that was executed
/// `executions` times. `None` at either end.
pub fn step(from: Step, count: u32, executions: u64, is_back: bool) -> Option<Step> {
    let Step { at, execution } = from;
    let instruction = if is_back {
        at.instruction.checked_sub(1)
    } else {
        at.instruction.checked_add(1).filter(|next| *next < count)
    };
    if let Some(instruction) = instruction {
        return Some(Step { at: InstructionKey { instruction, ..at }, execution });
    }
    let execution = if is_back {
        execution.checked_sub(1)
    } else {
        execution.checked_add(1).filter(|next| *next < executions)
    };
    let instruction = if is_back { count.checked_sub(1)? } else { 0 };
    Some(Step { at: InstructionKey { instruction, ..at }, execution: execution? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_go_through_a_body_and_on_to_its_next_iteration() {
        let at =
            |instruction, execution| Step { at: InstructionKey { computation: 7, instruction }, execution };
        let on = |from| step(from, 3, 2, false);
        let back = |from| step(from, 3, 2, true);
        assert_eq!((on(at(0, 0)), on(at(2, 0))), (Some(at(1, 0)), Some(at(0, 1))));
        assert_eq!((on(at(2, 1)), back(at(0, 0))), (None, None));
        assert_eq!((back(at(0, 1)), back(at(2, 1))), (Some(at(2, 0)), Some(at(1, 1))));
        assert_eq!(step(at(0, 0), 0, 0, true), None);
    }
}
