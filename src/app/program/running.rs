//! The run of the program, and the shown value.

use std::rc::Rc;
use std::sync::Arc;

use yew::prelude::*;

use super::reading::Reading;
use crate::app::canvas::SharedArray;
use crate::app::components::files::save_bytes;
use crate::app::context::Context;
use crate::array::ArrayLiteral;
use crate::array::value::ValueRange;
use crate::cause::Cause;
use crate::state::document::ColourBy;
use crate::state::program::session::Session;
use crate::state::program::source_text::SourceText;
use crate::view::array_view::ArrayView;
use crate::view::colour_map::ColourMap;
use crate::worker::evaluation::wire::Failure;
use crate::worker::program::runner::{Runner, RunnerEvent};
use crate::worker::program::tab_files;
use crate::worker::program::wire::{
    Argument, Job, Ran, RunProgress, RunRequest, SaveFormat, SourceCell, Timeline, Trace, ValuePage,
    ValueQuery, Window,
};

/// The status of the newest run.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum RunStatus {
    /// Nothing has run.
    #[default]
    Idle,
    /// It runs.
    Running,
    /// It finished.
    Done(Ran),
    /// The user cancelled it.
    Cancelled,
    /// It failed.
    Failed(Failure),
    /// The runner has not started yet, but still may.
    Delayed(Cause),
    /// The runner has ended.
    Ended(Cause),
}

/// The inputs that a run depends on.
#[derive(Clone, PartialEq)]
pub struct Input {
    text: SourceText,
    arguments: Vec<Argument>,
    seed: u32,
    devices: u32,
}

/// A run to start.
#[derive(Clone, PartialEq)]
pub struct Start {
    /// The text of the program.
    pub text: SourceText,
    /// The session, with the arguments.
    pub session: Rc<Session>,
    /// The number of devices.
    pub devices: u32,
}

impl Start {
    /// A run of the program that is read, as the session says.
    pub fn of(reading: &Reading, session: &Rc<Session>) -> Self {
        Self { text: reading.text.clone(), session: session.clone(), devices: reading.devices(session) }
    }
}

/// A value that arrived.
#[derive(Clone, PartialEq)]
pub struct ShownValue {
    /// The value.
    pub page: Rc<ValuePage>,
    /// The cells of its window.
    pub cells: Option<SharedArray>,
}

/// A trace that arrived.
#[derive(Clone, PartialEq)]
pub struct ShownTrace {
    /// The trace.
    pub trace: Trace,
    /// The windows of its pictures.
    pub arrays: Vec<Option<SharedArray>>,
}

/// The run.
#[derive(Clone, Default, PartialEq)]
pub struct Run {
    /// Its status.
    pub status: RunStatus,
    /// Its progress, or that of a run that computes a value again.
    pub progress: Option<RunProgress>,
    input: Option<Input>,
    /// Whether a value is awaited.
    pub awaits_value: bool,
    /// The newest value.
    pub value: Option<ShownValue>,
    /// Why the newest query of a value failed.
    pub problem: Option<Failure>,
    /// The sources of the cell of the newest query.
    pub sources: Option<Rc<Vec<SourceCell>>>,
    /// The cells that it was computed from, in pictures.
    pub back: Option<Rc<ShownTrace>>,
    /// The cells that are computed from it.
    pub on: Option<Rc<ShownTrace>>,
    /// The newest timeline.
    pub timeline: Option<Rc<Timeline>>,
}

/// A change of the run.
pub enum Change {
    /// A run starts.
    Start(Input),
    /// The user cancelled it.
    Cancel,
    /// A value was asked for.
    Await,
    /// The chosen cell was deselected.
    ForgetSources,
    /// The runner reports something; values are coloured by this map.
    Event(RunnerEvent, ColourMap),
}

/// Wraps an array of a run for drawing.
fn to_shared_array(cells: Arc<ArrayLiteral>, range: ValueRange, map: ColourMap) -> SharedArray {
    SharedArray(Rc::new(ArrayView::from_literal_with_range(cells, range, ColourBy::Value, map)))
}

impl Run {
    /// Forgets what is known about a cell.
    pub fn forget_sources(&mut self) {
        (self.sources, self.back, self.on) = (None, None, None);
    }
}

impl Reducible for Run {
    type Action = Change;

    fn reduce(self: Rc<Self>, change: Change) -> Rc<Self> {
        let mut next = (*self).clone();
        match change {
            Change::Start(input) => {
                // The last value stays until there is a newer one.
                next = Self {
                    status: RunStatus::Running,
                    input: Some(input),
                    value: next.value,
                    ..Self::default()
                };
            }
            Change::Cancel => {
                next.progress = None;
                next.awaits_value = false;
                next.status = RunStatus::Cancelled;
            }
            Change::Await => (next.awaits_value, next.problem) = (true, None),
            Change::ForgetSources => next.forget_sources(),
            Change::Event(event, map) => match event {
                RunnerEvent::Progress(progress) => next.progress = Some(progress),
                RunnerEvent::Ran(ran) => (next.status, next.progress) = (RunStatus::Done(ran), None),
                RunnerEvent::Failed(failure) => {
                    (next.status, next.progress) = (RunStatus::Failed(failure), None);
                    next.value = None;
                }
                RunnerEvent::QueryFailed(failure) => {
                    (next.problem, next.awaits_value, next.progress) = (Some(failure), false, None);
                    next.value = None;
                }
                RunnerEvent::Value(page, cells) => {
                    let range = page.window.as_ref().map(Window::range);
                    let cells = cells.zip(range).map(|(cells, range)| to_shared_array(cells, range, map));
                    next.value = Some(ShownValue { page: Rc::new(*page), cells });
                    (next.awaits_value, next.progress) = (false, None);
                    next.forget_sources();
                }
                RunnerEvent::Sources(sources) => next.sources = Some(Rc::new(sources)),
                RunnerEvent::Trace(trace, arrays) => {
                    let windows = trace.pictures.iter().map(|picture| picture.window.range());
                    let arrays = arrays.into_iter().zip(windows);
                    let arrays =
                        arrays.map(|(cells, range)| Some(to_shared_array(cells?, range, map))).collect();
                    let (is_forward, shown) = (trace.is_forward, ShownTrace { trace: *trace, arrays });
                    *(if is_forward { &mut next.on } else { &mut next.back }) = Some(Rc::new(shown));
                }
                RunnerEvent::Timeline(timeline) => next.timeline = Some(Rc::new(timeline)),
                RunnerEvent::Delayed(cause) => next.status = RunStatus::Delayed(cause),
                RunnerEvent::Ended(cause) => {
                    next = Self { status: RunStatus::Ended(cause), ..Self::default() };
                }
            },
        }
        Rc::new(next)
    }
}

/// The run, and callbacks that change it.
#[derive(Clone, PartialEq)]
pub struct Runs {
    /// The run at this rendering.
    pub run: Rc<Run>,
    /// Starts a run of the text with the arguments of the session, and cancels the one before.
    pub start: Callback<Start>,
    /// Cancels the run.
    pub cancel: Callback<()>,
    /// Asks for a value.
    pub show: Callback<ValueQuery>,
    /// Saves a value as a file.
    pub save: Callback<(ValueQuery, SaveFormat)>,
    /// Asks about a cell, or for a timeline; `None` forgets what was known about a cell.
    pub trace: Callback<Option<RunRequest>>,
}

impl Runs {
    /// Whether the newest run is of the program that is read, with the arguments and on the devices of the session.
    pub fn is_current(&self, reading: &Reading, session: &Session) -> bool {
        let input = self.run.input.as_ref();
        input.is_some_and(|input| {
            input.text == reading.text
                && input.arguments == session.arguments
                && input.seed == session.seed
                && input.devices == reading.devices(session)
        })
    }

    /// Whether the newest run is of a program that another one has replaced: not of an earlier state of this one.
    pub fn is_of_other_program(&self, text: &SourceText, session: &Session) -> bool {
        let is_edited = session.unedited.is_some();
        !is_edited && self.run.input.as_ref().is_some_and(|input| input.text != *text)
    }

    /// Whether values of the newest run can be asked for.
    pub fn has_values(&self) -> bool {
        matches!(self.run.status, RunStatus::Done(_))
    }
}

/// Text with the arguments of a session, to run in a worker on one device.
pub fn job_of(text: &SourceText, session: &Session, language: &str) -> Job {
    Job {
        text: text.text().to_string(),
        arguments: session.arguments.clone(),
        seed: session.seed,
        devices: 1,
        files: tab_files::numbers(&session.arguments),
        language: language.to_owned(),
    }
}

/// The runs of this page.
#[hook]
pub fn use_runs(context: &Context) -> Runs {
    let run = use_reducer(Run::default);
    let map = use_mut_ref(ColourMap::default);
    *map.borrow_mut() = context.preferences.colour_map.colours();
    let runner = {
        let (dispatcher, map) = (run.dispatcher(), map);
        use_memo((), move |()| {
            Runner::new(move |event| dispatcher.dispatch(Change::Event(event, *map.borrow())), save_bytes)
        })
    };
    let start = {
        let (runner, dispatcher) = (runner.clone(), run.dispatcher());
        let tag = context.language.tag();
        use_callback(tag, move |Start { text, session, devices }: Start, tag| {
            runner.run(Job { devices, ..job_of(&text, &session, tag) });
            let arguments = session.arguments.clone();
            dispatcher.dispatch(Change::Start(Input { text, arguments, seed: session.seed, devices }));
        })
    };
    let cancel = {
        let (runner, dispatcher) = (runner.clone(), run.dispatcher());
        // A finished run keeps its values.
        let is_running = run.status == RunStatus::Running || run.awaits_value;
        use_callback(is_running, move |(), is_running| {
            if *is_running {
                runner.cancel();
                dispatcher.dispatch(Change::Cancel);
            }
        })
    };
    let show = {
        let (runner, dispatcher) = (runner.clone(), run.dispatcher());
        use_callback((), move |query: ValueQuery, ()| {
            runner.ask(RunRequest::Value(query));
            dispatcher.dispatch(Change::Await);
        })
    };
    let save = {
        let runner = runner.clone();
        use_callback((), move |(query, format), ()| runner.ask(RunRequest::Save(query, format)))
    };
    let trace = {
        let dispatcher = run.dispatcher();
        use_callback((), move |request: Option<RunRequest>, ()| match request {
            Some(request) => runner.ask(request),
            None => dispatcher.dispatch(Change::ForgetSources),
        })
    };
    Runs { run: Rc::new((*run).clone()), start, cancel, show, save, trace }
}
