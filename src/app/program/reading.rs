//! The text of the program, and the query worker's answers about it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use gloo::timers::callback::Timeout;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::answers::Answers;
use super::compare::compared::Compared;
use super::editor::requests;
use crate::app::link as storage;
use crate::cause::Cause;
use crate::i18n::Language;
use crate::state::program::link;
use crate::state::program::session::{Action, LastEdit, Session, Source};
use crate::state::program::source_text::SourceText;
use crate::worker::program::query_client::{Asked, QueryClient, QueryEvent};
use crate::worker::program::wire::{
    Answer, Argument, AssignedArguments, Details, DeviceCounts, FoundRow, InstructionKey, InstructionPath,
    Opened, OutlineRow, OutlineState, Query, SourceIndex,
};
use crate::worker::site::{fetch, files};

/// Rows of one query of the outline.
pub const CHUNK_ROWS: usize = 128;

/// Maximum results of a search.
pub const MAX_SEARCH_RESULTS: usize = 200;

/// Maximum files of arguments that are reported.
const MAX_ARGUMENT_FILES: usize = 4;

/// The status of the program's text.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ReadStatus {
    /// There is no program.
    #[default]
    Empty,
    /// The text is being fetched.
    Fetching,
    /// The text is being parsed.
    Reading,
    /// The query worker answers queries about it.
    Ready,
    /// The tab does not have the text of the link.
    Missing,
    /// The query worker has not started yet, but still may.
    Delayed(Cause),
    /// The text could not be fetched, or the query worker has ended.
    Failed(Cause),
}

/// The results of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The text that was searched for.
    pub needle: String,
    /// The first results.
    pub rows: Vec<FoundRow>,
    /// The total number of results.
    pub total: usize,
}

/// The instructions of a source line.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceLineRows {
    /// The line, from 1.
    pub line: u32,
    /// The first instructions.
    pub rows: Vec<FoundRow>,
}

/// The program, with the answers received so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// Its status.
    pub status: ReadStatus,
    /// Its text.
    pub text: SourceText,
    /// The query worker's description of it; while it reads an edited text, that of the previous one.
    pub opened: Option<Rc<Opened>>,
    /// Where the instruction that was selected before the text was edited is in the edited text.
    pub kept_offset: Option<usize>,
    /// The state of the outline.
    pub outline: OutlineState,
    /// The rows of this state that were asked for, by chunk.
    rows: Rc<BTreeMap<usize, Rc<Vec<OutlineRow>>>>,
    /// The row of the selected instruction, and a counter, so that revealing the same row again is a change.
    pub revealed: Option<(u64, u32)>,
    /// The selected instruction.
    pub details: Option<Rc<Details>>,
    /// The results of the newest search.
    pub found: Option<Rc<Found>>,
    /// The files and lines that instructions come from, once they were asked for.
    pub sources: Option<Rc<SourceIndex>>,
    /// The instructions of the chosen source line.
    pub source_line: Option<Rc<SourceLineRows>>,
    /// The comparison with another program.
    pub compared: Rc<Compared>,
    /// The files of arguments that were chosen last, by name.
    pub assigned: Vec<(String, Rc<AssignedArguments>)>,
}

impl Reading {
    /// A row of the outline, if it has been loaded.
    pub fn row(&self, row: usize) -> Option<&OutlineRow> {
        self.rows.get(&(row / CHUNK_ROWS))?.get(row % CHUNK_ROWS)
    }

    /// The row of an instruction among those that are known; of several, the nearest to `near`.
    pub fn nearest_row(&self, at: InstructionKey, near: usize) -> Option<usize> {
        let numbered = self.rows.iter().flat_map(|(chunk, rows)| (chunk * CHUNK_ROWS..).zip(rows.iter()));
        let of_instruction = numbered.filter(|(_, row)| row.at() == Some(at)).map(|(number, _)| number);
        of_instruction.min_by_key(|number| number.abs_diff(near))
    }

    /// The devices that the program is for.
    pub fn device_counts(&self) -> DeviceCounts {
        self.opened.as_ref().map_or(DeviceCounts::SINGLE, |opened| opened.devices)
    }

    /// The number of devices to run on: that of the session, else what the module states.
    pub fn devices(&self, session: &Session) -> u32 {
        session.devices.unwrap_or(self.device_counts().declared)
    }

    /// The device to show: that of the session, unless there are fewer.
    pub fn device(&self, session: &Session) -> u32 {
        session.device.min(self.devices(session).saturating_sub(1))
    }

    /// The selected instruction: that of the session, else the root of the program.
    pub fn selected(&self, session: &Session) -> Option<InstructionPath> {
        let root = || Some(InstructionPath { at: self.opened.as_ref()?.root?, calls: Vec::new() });
        session.selected.clone().or_else(root)
    }

    /// Replaces the state of the outline; rows of another version are forgotten.
    fn set_outline(&mut self, outline: OutlineState) {
        if self.outline.version != outline.version {
            self.rows = Rc::default();
        }
        self.outline = outline;
    }

    /// Where the selected instruction is in a text that replaces this one.
    fn offset_to_keep(&self, text: &SourceText, edit: Option<LastEdit>) -> Option<usize> {
        let was_selected = edit?.was_selected;
        // Before an edited text is read, the details are those of the previous one; and while it lacks the selected instruction because
        // of an error, they are those of its root.
        let selected = self.details.as_ref().filter(|_| was_selected && self.status == ReadStatus::Ready);
        let offset = selected.map(|details| details.span.0).or(self.kept_offset)?;
        Some(self.text.offset_after_edit(text, offset))
    }

    /// The answer that described the text, as a dependency of effects: another text may be found to be alike.
    pub fn answer(&self) -> OpenedAnswer {
        OpenedAnswer(self.opened.clone())
    }

    /// The details of an instruction, if they are loaded.
    pub fn details_of(&self, at: Option<InstructionKey>) -> Option<&Rc<Details>> {
        self.details.as_ref().filter(|details| Some(details.at) == at)
    }

    /// The details that arrived last; while those of another instruction are on their way, they are not of the selected one.
    pub fn newest_details(&self) -> Option<&Rc<Details>> {
        self.details.as_ref()
    }

    /// Whether the program has errors.
    pub fn has_errors(&self) -> bool {
        self.opened.as_ref().is_some_and(|opened| opened.error_count > 0)
    }
}

/// An answer that described a text, compared by identity.
#[derive(Clone)]
pub struct OpenedAnswer(Option<Rc<Opened>>);

impl OpenedAnswer {
    /// Whether a text has been described.
    pub fn is_known(&self) -> bool {
        self.0.is_some()
    }
}

impl PartialEq for OpenedAnswer {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_ref().map(Rc::as_ptr) == other.0.as_ref().map(Rc::as_ptr)
    }
}

/// A change of [`Reading`].
pub enum Change {
    /// Sets the status.
    Status(ReadStatus),
    /// Shows text that the query worker reads, with the edit that made it of the previous one.
    Text(SourceText, Option<LastEdit>),
    /// Stores an answer.
    Answer(Query, Box<Answer>),
    /// Ends the search.
    ClearSearch,
}

impl Reducible for Reading {
    type Action = Change;

    fn reduce(self: Rc<Self>, change: Change) -> Rc<Self> {
        let mut next = (*self).clone();
        match change {
            Change::Status(ReadStatus::Empty) => return Rc::default(),
            Change::Status(status) => next.status = status,
            Change::Text(text, edit) => {
                next.kept_offset = self.offset_to_keep(&text, edit);
                (next.text, next.status) = (text, ReadStatus::Reading);
                next.found = None;
            }
            Change::ClearSearch => next.found = None,
            Change::Answer(query, answer) => match *answer {
                Answer::Opened(opened) => {
                    (next.outline, next.rows) = (opened.outline, Rc::default());
                    next.opened = Some(Rc::new(*opened));
                    (next.details, next.revealed) = (None, None);
                    next.assigned.clear();
                    (next.sources, next.source_line) = (None, None);
                    next.status = ReadStatus::Ready;
                }
                Answer::Outline { outline, start, rows } => {
                    next.set_outline(outline);
                    Rc::make_mut(&mut next.rows).insert(start / CHUNK_ROWS, Rc::new(rows));
                }
                Answer::Folded(outline) => {
                    next.set_outline(outline);
                    next.revealed = None;
                }
                Answer::Revealed(outline, row) => {
                    next.set_outline(outline);
                    let times = next.revealed.map_or(0, |(_, times)| times.wrapping_add(1));
                    next.revealed = row.map(|row| (row, times));
                }
                Answer::Details(details) => next.details = details.map(|details| Rc::new(*details)),
                Answer::Found { rows, total } => {
                    if let Query::Find { needle, .. } = query {
                        next.found = Some(Rc::new(Found { needle, rows, total }));
                    }
                }
                Answer::Sources(index) => next.sources = Some(Rc::new(index)),
                Answer::SourceLine(rows, _) => {
                    if let Query::SourceLine { line, .. } = query {
                        next.source_line = Some(Rc::new(SourceLineRows { line, rows }));
                    }
                }
                Answer::Compare(answer) => next.compared = Rc::new(next.compared.with_answer(answer)),
                Answer::Assigned(assigned) => {
                    if let Query::Assign(request) = query {
                        next.assigned.retain(|(file, _)| *file != request.file);
                        next.assigned.push((request.file, Rc::new(assigned)));
                        let surplus = next.assigned.len().saturating_sub(MAX_ARGUMENT_FILES);
                        next.assigned.drain(..surplus);
                    }
                }
                Answer::Located(_)
                | Answer::WrittenOut(..)
                | Answer::Editing(..)
                | Answer::Graph(_)
                | Answer::Costs(_) => return self,
            },
        }
        Rc::new(next)
    }
}

/// The program, and the queries about it.
#[derive(Clone)]
pub struct Program {
    /// The state of the program.
    pub reading: UseReducerHandle<Reading>,
    /// Asks the query worker.
    pub ask: Callback<Query>,
    /// Searches; an empty text ends the search.
    pub search: Callback<String>,
    /// Reads the text again after a failure.
    pub retry: Callback<()>,
    /// The answers to the queries of the shown view.
    pub answers: Answers,
}

/// Maximum long texts that the page keeps for the browser's back button; the tab stores only one.
const MAX_RECENT: usize = 3;

thread_local! {
    static RECENT: RefCell<Vec<SourceText>> = const { RefCell::new(Vec::new()) };
}

fn remember(text: &SourceText) {
    RECENT.with_borrow_mut(|recent| {
        recent.retain(|other| other.key() != text.key());
        recent.insert(0, text.clone());
        recent.truncate(MAX_RECENT);
    });
}

/// The text of a source that is available without a fetch; `None` if it is not.
pub fn text_of(source: &Source) -> Option<SourceText> {
    match source {
        Source::Own(text, _) => Some(text.clone()),
        Source::Stored(key) => {
            if let Some(text) =
                RECENT.with_borrow(|recent| recent.iter().find(|text| text.key() == *key).cloned())
            {
                return Some(text);
            }
            let text = SourceText::new(storage::stored_program_text(key)?);
            (text.key() == *key).then_some(text)
        }
        Source::Empty | Source::Sample(_) => None,
    }
}

/// The program of the session.
#[hook]
pub fn use_program(session: &Session, language: Language, dispatch: &Callback<Action>) -> Program {
    let reading = use_reducer(Reading::default);
    let dispatcher = reading.dispatcher();
    let answers = (*use_memo((), |()| Answers::default())).clone();
    let client = {
        let (dispatcher, dispatch, answers) = (dispatcher.clone(), dispatch.clone(), answers.clone());
        use_memo((), move |()| {
            QueryClient::new(move |event| match event {
                QueryEvent::Answer(asked, Answer::Located(Some(at))) => {
                    let select = Action::Select(InstructionPath { at, calls: Vec::new() });
                    dispatch.emit(Action::OfProgram(asked.program, Box::new(select)));
                }
                QueryEvent::Answer(asked, Answer::WrittenOut(number, text)) => {
                    let set = Action::SetArgument(number, Argument::Text(text));
                    dispatch.emit(Action::OfProgram(asked.program, Box::new(set)));
                }
                QueryEvent::Answer(_, Answer::Editing(id, reply)) => requests::deliver(id, reply),
                QueryEvent::Answer(_, answer @ (Answer::Graph(_) | Answer::Costs(_))) => {
                    answers.pass(answer);
                }
                QueryEvent::Answer(Asked { query, program }, answer) => {
                    if let Answer::Assigned(assigned) = &answer {
                        let assign = Action::Assign(assigned.arguments.clone());
                        dispatch.emit(Action::OfProgram(program, Box::new(assign)));
                    }
                    dispatcher.dispatch(Change::Answer(query, Box::new(answer)));
                }
                QueryEvent::Delayed(cause) => {
                    dispatcher.dispatch(Change::Status(ReadStatus::Delayed(cause)));
                }
                QueryEvent::Ended(cause) => {
                    dispatcher.dispatch(Change::Status(ReadStatus::Failed(cause)));
                }
            })
        })
    };
    let attempt = use_state_eq(|| 0_u32);
    {
        // The id of the newest source, so that text that arrives for an earlier one is ignored.
        let newest = use_mut_ref(|| 0_u32);
        let (client, dispatcher, opened) = (client.clone(), dispatcher.clone(), session.opened().clone());
        let last_edit = session.last_edit;
        let dependencies = (session.source.clone(), language, *attempt);
        use_effect_with(dependencies, move |(source, language, _)| {
            let request = {
                let mut newest = newest.borrow_mut();
                *newest += 1;
                *newest
            };
            let tag = language.tag();
            let open = {
                let (client, dispatcher) = (client.clone(), dispatcher.clone());
                let opened = opened.clone();
                move |text: SourceText| {
                    client.open(&opened, text.text(), tag);
                    dispatcher.dispatch(Change::Text(text, last_edit));
                }
            };
            match source {
                Source::Empty => dispatcher.dispatch(Change::Status(ReadStatus::Empty)),
                Source::Sample(sample) => {
                    dispatcher.dispatch(Change::Status(ReadStatus::Fetching));
                    let (dispatcher, address) = (dispatcher.clone(), files::address(sample.file));
                    spawn_local(async move {
                        let fetched = fetch::bytes(&address).await;
                        if *newest.borrow() != request {
                            return;
                        }
                        match fetched {
                            Ok(bytes) => {
                                open(SourceText::new(String::from_utf8_lossy(&bytes).into_owned()));
                            }
                            Err(cause) => dispatcher.dispatch(Change::Status(ReadStatus::Failed(cause))),
                        }
                    });
                }
                own => match text_of(own) {
                    Some(text) => {
                        if link::is_stored(&text) {
                            remember(&text);
                            // In a separate task: some megabytes take as long as several frames.
                            let text = text.clone();
                            let store = move || storage::store_program_text(&text.key(), text.text());
                            Timeout::new(0, store).forget();
                        }
                        open(text);
                    }
                    None => dispatcher.dispatch(Change::Status(ReadStatus::Missing)),
                },
            }
        });
    }
    let ask = {
        let client = client.clone();
        use_callback((), move |query: Query, ()| client.ask(query))
    };
    {
        // Of an edited text, what the user edits is selected, else what was selected before.
        let caret = session.last_edit.and_then(|edit| edit.caret);
        let places: Vec<usize> = caret.into_iter().chain(reading.kept_offset).collect();
        let (ask, is_selected) = (ask.clone(), session.selected.is_some());
        use_effect_with(reading.answer(), move |_| {
            if !is_selected && !places.is_empty() {
                ask.emit(Query::Locate(places));
            }
        });
    }
    let search = {
        let dispatcher = dispatcher.clone();
        use_callback((), move |needle: String, ()| {
            if needle.trim().is_empty() {
                dispatcher.dispatch(Change::ClearSearch);
            } else {
                client.ask(Query::Find { needle, limit: MAX_SEARCH_RESULTS });
            }
        })
    };
    let retry = {
        let attempt = attempt.clone();
        Callback::from(move |()| attempt.set(*attempt + 1))
    };
    Program { reading, ask, search, retry, answers }
}
