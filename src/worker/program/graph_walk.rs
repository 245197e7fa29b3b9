//! Keyboard navigation in the graph: steps along its edges, and to siblings, from the selected instruction.

use super::wire::graph::Window;
use super::wire::{Call, Details, InstructionKey, InstructionPath};
use crate::interaction::graph::Command;

/// The calls that lead to an instruction.
pub fn path_of(details: &Details) -> Vec<Call> {
    details.path.iter().map(|crumb| crumb.call).collect()
}

/// The root of the last body of an instruction that is open in a window.
fn root_of_open_body(details: &Details, window: Option<&Window>) -> Option<InstructionPath> {
    let mut path = path_of(details);
    let node = window?.node(details.at, &path)?;
    let body = node.bodies.iter().rfind(|body| body.is_open)?;
    let at = details.called.iter().find(|called| called.call == body.call)?.root?;
    path.push(body.call);
    Some(InstructionPath { at, calls: path })
}

/// The instruction that calls the body around an instruction, if a window shows both.
fn caller(details: &Details, window: Option<&Window>) -> Option<InstructionPath> {
    let mut calls = path_of(details);
    let at = calls.pop()?.at;
    window?.node(at, &calls)?;
    Some(InstructionPath { at, calls })
}

/// The instruction that a command moves to; `None` if there is none.
pub fn target(command: Command, details: &Details, window: Option<&Window>) -> Option<InstructionPath> {
    match command {
        Command::Up => root_of_open_body(details, window)
            .or_else(|| sibling(Command::Operand(0), details, window))
            .or_else(|| caller(details, window)),
        Command::Down => {
            let user = details.users.first().map(|edge| edge.row.instruction);
            user.map(|user| within(details, user)).or_else(|| caller(details, window))
        }
        _ => sibling(command, details, window),
    }
}

/// An instruction of the same computation.
fn within(details: &Details, instruction: u32) -> InstructionPath {
    let at = InstructionKey { computation: details.at.computation, instruction };
    InstructionPath { at, calls: path_of(details) }
}

/// The instruction of the same computation that a command moves to.
fn sibling(command: Command, details: &Details, window: Option<&Window>) -> Option<InstructionPath> {
    let instruction = match command {
        Command::Operand(number) => {
            let number = u32::try_from(number).ok()?;
            details.operands.iter().find(|edge| edge.number == number)?.row.instruction
        }
        Command::Sibling { is_next } => {
            let window = window?;
            let node = window.node(details.at, &path_of(details))?;
            let rank = window.nodes.iter().filter(|other| {
                (other.frame, other.area.y) == (node.frame, node.area.y) && other.area.x != node.area.x
            });
            let on_side = rank.filter(|other| (other.area.x > node.area.x) == is_next);
            on_side.min_by_key(|other| (other.area.x - node.area.x).abs())?.instruction
        }
        _ => return None,
    };
    Some(within(details, instruction))
}

#[cfg(test)]
mod tests {
    use super::super::queries::Program;
    use super::super::wire::graph::{Answer, Area, Query};
    use super::super::wire::{self};
    use super::*;
    use crate::i18n::Language;

    fn ask(program: &mut Program, query: wire::Query) -> wire::Answer {
        program.answer(query)
    }

    fn details(program: &mut Program, instruction: InstructionPath) -> Details {
        match ask(program, wire::Query::Details(instruction)) {
            wire::Answer::Details(Some(details)) => *details,
            other => panic!("no details: {other:?}"),
        }
    }

    #[test]
    fn keys_lead_to_operands_users_and_siblings() {
        let text = "HloModule m\nENTRY e {\n  a = f32[9] parameter(0)\n  b = f32[9] parameter(1)\n  c = f32[9] add(a, b)\n  ROOT d = f32[9] subtract(c, a)\n}\n";
        let (mut program, opened) = Program::open(text.to_owned(), Language::ENGLISH);
        let root = InstructionPath { at: opened.root.unwrap(), calls: Vec::new() };
        let wire::Answer::Graph(Answer::Drawn(drawing, _)) =
            ask(&mut program, wire::Query::Graph(Query::Show(root.clone())))
        else {
            panic!("a small drawing is made at once")
        };
        let area = Area { x: 0, y: 0, width: drawing.size.0, height: drawing.size.1 };
        let query = Query::Window { version: drawing.version, area, cells: (1, 1) };
        let wire::Answer::Graph(Answer::Window(window)) = ask(&mut program, wire::Query::Graph(query)) else {
            panic!("no window")
        };
        let mut selected = details(&mut program, root);
        let mut walk = |command: Command| {
            let instruction = target(command, &selected, Some(&window))?;
            selected = details(&mut program, instruction);
            Some(selected.row.name.clone())
        };
        assert_eq!(walk(Command::Down), None);
        assert_eq!(walk(Command::Operand(0)).as_deref(), Some("c"));
        assert_eq!(walk(Command::Operand(2)), None);
        assert_eq!(walk(Command::Operand(1)).as_deref(), Some("b"));
        // The parameters have one rank.
        let is_left = walk(Command::Sibling { is_next: false });
        let other = is_left.or_else(|| walk(Command::Sibling { is_next: true }));
        assert_eq!(other.as_deref(), Some("a"));
        assert_eq!(walk(Command::Down).as_deref(), Some("c"));
        assert_eq!(walk(Command::Up).as_deref(), Some("a"));
        // The parameters of the entry computation have no caller.
        assert_eq!(walk(Command::Up), None);
        assert_eq!(walk(Command::Fit), None);
    }
}
