//! What a link of the Program screen restores, and the actions that change it.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::references::{Argument, CellRequest, CellTarget, ChosenCell, InstructionPath};
use super::samples::Sample;
use super::source_text::SourceText;
use super::view::View;
use crate::state::session::LinkChange;

/// Where the text comes from.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Source {
    /// No program.
    #[default]
    Empty,
    /// A program of the site, which is fetched.
    Sample(&'static Sample),
    /// The user's own text. Its form in links is computed once.
    Own(SourceText, PackedText),
    /// Text that is too long for its link: the tab keeps it by this key.
    Stored(String),
}

/// The form of the text in links, compared by the text.
#[derive(Clone, Debug)]
pub struct PackedText(pub Rc<str>);

impl PartialEq for PackedText {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The state of the screen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Session {
    /// The program.
    pub source: Source,
    /// The selected instruction; `None` for the root of the entry computation.
    pub selected: Option<InstructionPath>,
    /// The shown execution of the selected instruction, from 0: bodies run several times.
    pub execution: u64,
    /// The cell of the selected instruction's value that a button led to. Not in the link.
    pub cell: Option<CellRequest>,
    /// The chosen cell of the selected instruction's value.
    pub chosen: Option<ChosenCell>,
    /// The values of the parameters; random for those beyond the end.
    pub arguments: Vec<Argument>,
    /// The typed values that other values have replaced, by parameter: typing again starts from them. Not in the link.
    pub replaced_texts: BTreeMap<usize, String>,
    /// The seed of random values.
    pub seed: u32,
    /// The number of simulated devices; `None` for those that the module states.
    pub devices: Option<u32>,
    /// The device whose values are shown, from 0.
    pub device: u32,
    /// The shown view.
    pub view: View,
    /// The program that this one is compared with.
    pub other: Source,
    /// The program before it was edited; `None` if it was not. Not in the link.
    pub unedited: Option<Source>,
    /// The last edit of the text. Not in the link.
    pub last_edit: Option<LastEdit>,
}

/// What the last edit forgot, and where it was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastEdit {
    /// The byte of the edited text at which the caret was, if the user was in the text.
    pub caret: Option<usize>,
    /// Whether an instruction was selected.
    pub was_selected: bool,
}

/// A change of the state.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Shows the list of ways to open a program.
    Close,
    /// Opens a sample.
    OpenSample(&'static Sample),
    /// Opens another text.
    OpenText(SourceText),
    /// Opens another text with the values of its parameters.
    OpenProgram(SourceText, Vec<Argument>),
    /// Sets the program to compare with.
    CompareWith(Source),
    /// Exchanges the program with the one that it is compared with; arguments stay.
    Exchange,
    /// Replaces the text by an edited one, in which the user's caret is at a byte, if it is in the text; arguments stay.
    Edit(SourceText, Option<usize>),
    /// Selects an instruction.
    Select(InstructionPath),
    /// Selects an execution of an instruction.
    SelectExecution(InstructionPath, u64),
    /// Selects a cell of the value of an execution of an instruction.
    SelectCell(InstructionPath, u64, CellTarget),
    /// Remembers the cell that is chosen in the selected instruction's value; `None` if none is.
    ChooseCell(Option<ChosenCell>),
    /// Selects an instruction and shows it in the text.
    ShowInText(InstructionPath),
    /// Sets the value of a parameter.
    SetArgument(usize, Argument),
    /// Sets the values of all parameters.
    SetArguments(Vec<Argument>),
    /// Sets the values of some parameters.
    Assign(Vec<(usize, Argument)>),
    /// Sets the seed.
    SetSeed(u32),
    /// Sets the number of devices; `None` for those that the module states.
    SetDevices(Option<u32>),
    /// Shows the values of a device.
    SelectDevice(u32),
    /// Shows the values of a device, and performs another action.
    OnDevice(u32, Box<Action>),
    /// Performs an action that leads elsewhere in the program: Back returns.
    Jump(Box<Action>),
    /// Performs an action that a worker's answer about an opened program asks for, unless another program has been opened since.
    OfProgram(Source, Box<Action>),
    /// Shows a view.
    Show(View),
}

impl Session {
    /// Replaces the text; what belongs to single instructions is forgotten.
    fn edit(&mut self, text: SourceText, caret: Option<usize>) {
        let before = std::mem::take(self);
        *self = Self {
            source: own_source(text),
            arguments: before.arguments,
            seed: before.seed,
            devices: before.devices,
            device: before.device,
            view: before.view,
            other: before.other,
            unedited: before.unedited.or(Some(before.source)),
            last_edit: Some(LastEdit { caret, was_selected: before.selected.is_some() }),
            ..Self::default()
        };
    }

    /// Applies an action; returns how to update the URL.
    pub fn apply(&mut self, action: Action) -> LinkChange {
        match action {
            Action::Close => *self = Self::default(),
            Action::OpenSample(sample) => *self = Self { source: Source::Sample(sample), ..Self::default() },
            Action::OpenText(text) => *self = Self { source: own_source(text), ..Self::default() },
            Action::Edit(text, caret) => {
                self.edit(text, caret);
                return LinkChange::Replace;
            }
            Action::OpenProgram(text, arguments) => {
                *self = Self { source: own_source(text), arguments, ..Self::default() };
            }
            Action::CompareWith(other) => self.other = other,
            Action::Exchange => {
                std::mem::swap(&mut self.source, &mut self.other);
                (self.selected, self.execution, self.unedited) = (None, 0, None);
                (self.cell, self.chosen) = (None, None);
                (self.devices, self.device) = (None, 0);
            }
            Action::Select(instruction) => {
                // Back returns to a chosen cell.
                let leaves_cell = self.chosen.is_some() && self.selected.as_ref() != Some(&instruction);
                let execution = self.execution_within(&instruction);
                self.select(instruction, execution);
                return if leaves_cell { LinkChange::Push } else { LinkChange::Replace };
            }
            Action::SelectExecution(instruction, execution) => {
                self.select(instruction, execution);
                return LinkChange::Replace;
            }
            Action::SelectCell(instruction, execution, target) => {
                let number = self.cell.as_ref().map_or(0, |cell| cell.number.wrapping_add(1));
                self.select(instruction, execution);
                self.cell = Some(CellRequest { target, number });
                // A jump, unlike steps in a list: Back returns from it.
            }
            Action::ChooseCell(chosen) => {
                self.chosen = chosen;
                return LinkChange::Replace;
            }
            Action::SetArgument(number, argument) => {
                self.set_argument(number, argument);
                return LinkChange::Replace;
            }
            Action::Assign(arguments) => {
                for (number, argument) in arguments {
                    self.set_argument(number, argument);
                }
                return LinkChange::Replace;
            }
            Action::SetArguments(arguments) => {
                self.arguments = arguments;
                return LinkChange::Replace;
            }
            Action::ShowInText(instruction) => {
                let execution = self.execution_within(&instruction);
                self.select(instruction, execution);
                self.view = View::Read;
            }
            Action::Show(view) => self.view = view,
            Action::SetSeed(seed) => {
                self.seed = seed;
                return LinkChange::Replace;
            }
            Action::SetDevices(devices) => {
                self.devices = devices;
                if let Some(devices) = devices {
                    self.device = self.device.min(devices.saturating_sub(1));
                }
            }
            Action::SelectDevice(device) => {
                (self.device, self.cell) = (device, None);
                return LinkChange::Replace;
            }
            Action::OnDevice(device, action) => {
                let change = self.apply(*action);
                self.device = device;
                return change;
            }
            Action::Jump(action) => {
                self.apply(*action);
            }
            Action::OfProgram(opened, action) => {
                let is_open = *self.opened() == opened;
                return if is_open { self.apply(*action) } else { LinkChange::Keep };
            }
        }
        LinkChange::Push
    }

    /// The program as it was opened, before its edits.
    pub fn opened(&self) -> &Source {
        self.unedited.as_ref().unwrap_or(&self.source)
    }

    fn select(&mut self, instruction: InstructionPath, execution: u64) {
        // Of another execution, the same cell stays chosen.
        if self.selected.as_ref() != Some(&instruction) {
            self.chosen = None;
        }
        (self.selected, self.execution, self.cell) = (Some(instruction), execution, None);
    }

    /// The execution to show of an instruction: that of the selected one if both are in the same body.
    fn execution_within(&self, instruction: &InstructionPath) -> u64 {
        let is_same_body = |selected: &InstructionPath| selected.at.computation == instruction.at.computation;
        if self.selected.as_ref().is_some_and(is_same_body) { self.execution } else { 0 }
    }

    fn set_argument(&mut self, number: usize, argument: Argument) {
        if self.arguments.len() <= number {
            self.arguments.resize(number + 1, Argument::Random);
        }
        let is_typed = matches!(argument, Argument::Text(_));
        if let Argument::Text(text) = std::mem::replace(&mut self.arguments[number], argument)
            && !is_typed
        {
            self.replaced_texts.insert(number, text);
        }
    }
}

/// The user's own text; none if it is blank.
pub fn own_source(text: SourceText) -> Source {
    if text.is_blank() {
        return Source::Empty;
    }
    let packed = PackedText(super::packing::pack_text(&text).into());
    Source::Own(text, packed)
}

#[cfg(test)]
mod tests {
    use super::super::references::InstructionKey;
    use super::*;

    #[test]
    fn typed_values_are_kept_after_others() {
        let mut session = Session::default();
        session.apply(Action::SetArgument(1, Argument::Text("{1, 2}".to_owned())));
        session.apply(Action::SetArgument(1, Argument::Text("{1, 3}".to_owned())));
        assert!(session.replaced_texts.is_empty());
        session.apply(Action::SetArgument(1, Argument::Random));
        session.apply(Action::SetArgument(1, Argument::Iota));
        assert_eq!(session.replaced_texts.get(&1).map(String::as_str), Some("{1, 3}"));
    }

    #[test]
    fn an_execution_stays_within_its_body() {
        let path_to = |computation, instruction| InstructionPath {
            at: InstructionKey { computation, instruction },
            calls: Vec::new(),
        };
        let mut session = Session::default();
        session.apply(Action::SelectExecution(path_to(1, 0), 7));
        session.apply(Action::Select(path_to(1, 2)));
        assert_eq!((session.selected.clone(), session.execution), (Some(path_to(1, 2)), 7));
        session.apply(Action::ShowInText(path_to(1, 3)));
        assert_eq!(session.execution, 7);
        session.apply(Action::Select(path_to(2, 2)));
        assert_eq!(session.execution, 0);
    }

    #[test]
    fn the_shown_device_is_one_of_those_that_run() {
        let mut session = Session::default();
        assert_eq!(session.apply(Action::SetDevices(Some(8))), LinkChange::Push);
        assert_eq!(session.apply(Action::SelectDevice(5)), LinkChange::Replace);
        let cell = || Action::SelectCell(InstructionPath::default(), 3, CellTarget::FirstNan);
        assert_eq!(session.apply(Action::OnDevice(7, Box::new(cell()))), LinkChange::Push);
        assert_eq!((session.device, session.execution, session.cell.is_some()), (7, 3, true));
        session.apply(Action::SetDevices(Some(4)));
        assert_eq!((session.devices, session.device), (Some(4), 3));
        // An edit keeps them, another program does not have them.
        session.apply(Action::Edit(SourceText::new("x"), None));
        assert_eq!((session.devices, session.device), (Some(4), 3));
        session.apply(Action::SetDevices(None));
        assert_eq!((session.devices, session.device), (None, 3));
        session.apply(Action::OpenText(SourceText::new("y")));
        assert_eq!((session.devices, session.device), (None, 0));
    }

    #[test]
    fn a_cell_can_be_asked_for_twice() {
        let mut session = Session::default();
        let first_nan = || Action::SelectCell(InstructionPath::default(), 3, CellTarget::FirstNan);
        session.apply(first_nan());
        let asked = session.clone();
        assert_eq!(asked.execution, 3);
        session.apply(first_nan());
        assert_ne!(session.cell, asked.cell);
        session.apply(Action::Select(InstructionPath::default()));
        assert_eq!(session.cell, None);
    }

    #[test]
    fn a_chosen_cell_stays_in_other_executions_of_its_instruction() {
        let path_to = |instruction| InstructionPath {
            at: InstructionKey { computation: 1, instruction },
            calls: Vec::new(),
        };
        let chosen = Some(ChosenCell { path: vec![0], index: vec![2, 3] });
        let mut session = Session::default();
        session.apply(Action::Select(path_to(4)));
        assert_eq!(session.apply(Action::ChooseCell(chosen.clone())), LinkChange::Replace);
        session.apply(Action::SelectExecution(path_to(4), 7));
        assert_eq!(session.chosen, chosen);
        // Back returns to the cell that is left, and not through every step without one.
        assert_eq!(session.apply(Action::Select(path_to(5))), LinkChange::Push);
        assert_eq!(session.chosen, None);
        assert_eq!(session.apply(Action::Select(path_to(6))), LinkChange::Replace);
    }

    #[test]
    fn a_late_answer_changes_no_program_that_was_opened_since() {
        let set = |opened: &Source| {
            let written = Action::SetArgument(0, Argument::Text("{1}".to_owned()));
            Action::OfProgram(opened.clone(), Box::new(written))
        };
        let mut session = Session::default();
        session.apply(Action::OpenText(SourceText::new("x")));
        let first = session.opened().clone();
        for open in [
            Action::OpenText(SourceText::new("y")),
            // The same text again is another program, with its own arguments.
            Action::OpenText(SourceText::new("x")),
            Action::OpenSample(&crate::state::program::samples::SAMPLES[0]),
            Action::Close,
        ] {
            session.apply(open.clone());
            assert_eq!(session.apply(set(&first)), LinkChange::Keep);
            assert_eq!(session.arguments, [], "{open:?}");
        }
        session.apply(Action::OpenText(SourceText::new("z")));
        let opened = session.opened().clone();
        session.apply(Action::Edit(SourceText::new("z1"), None));
        assert_eq!(session.apply(set(&opened)), LinkChange::Replace);
        assert_eq!(session.arguments, [Argument::Text("{1}".to_owned())]);
    }

    #[test]
    fn an_edit_keeps_the_arguments_and_another_text_does_not() {
        let mut session = Session::default();
        session.apply(Action::SetArgument(1, Argument::Iota));
        session.apply(Action::Edit(SourceText::new("x"), None));
        assert_eq!(session.arguments, [Argument::Random, Argument::Iota]);
        session.apply(Action::OpenText(SourceText::new("y")));
        assert_eq!(session.arguments, []);
        session.apply(Action::OpenProgram(SourceText::new("z"), vec![Argument::Iota]));
        assert_eq!(session.arguments, [Argument::Iota]);
        let opened = session.source.clone();
        assert_eq!(session.unedited, None);
        // The program before the first edit is kept, and what it is compared with.
        session.apply(Action::CompareWith(opened.clone()));
        session.apply(Action::Edit(SourceText::new("z1"), None));
        session.apply(Action::Edit(SourceText::new("z2"), None));
        assert_eq!((session.unedited.as_ref(), &session.other), (Some(&opened), &opened));
        session.apply(Action::Edit(SourceText::new(" \n"), None));
        assert_eq!(session.source, Source::Empty);
    }
}
