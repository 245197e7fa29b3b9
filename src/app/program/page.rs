//! The Program screen: holds the session, and composes the panes.

use std::rc::Rc;

use web_sys::DragEvent;
use yew::prelude::*;

use super::array_files::{assign, dropped_files, is_array_file};
use super::compare::view::CompareView;
use super::costs::CostsView;
use super::cutout::view::CutView;
use super::file_input::{FileProblem, dropped_file, read_text};
use super::graph::GraphView;
use super::opening::Opening;
use super::reading::{Program, ReadStatus, Reading, use_program};
use super::report_view::{ReportView, title_key};
use super::running::{Runs, Start, use_runs};
use super::share::ShareProgram;
use super::stepping::step_action;
use super::structure_pane::StructurePane;
use super::tasks::use_task;
use super::text_pane::TextPane;
use super::value_pane::ValuePane;
use super::view_props::ViewProps;
use super::view_tabs::{tab_id, view_tabs};
use crate::app;
use crate::app::components::focus_keeper::use_focus_keeper;
use crate::app::components::frame::Frame;
use crate::app::components::header::{Dialog, Dialogs, Header, use_dialogs};
use crate::app::components::help::Help;
use crate::app::components::remedies::remedies;
use crate::app::components::skip_link::{focus, skip_link};
use crate::app::context::{Context, grouped, use_app_context};
use crate::app::keys::PageKeys;
use crate::app::link;
use crate::app::linked::{Linked, problems, use_linked};
use crate::cause::Part;
use crate::i18n::{Domain, Message};
use crate::interaction::keys::Command;
use crate::state::program::link as permalink;
use crate::state::program::session::{Action, Session, Source};
use crate::state::program::source_text::SourceText;
use crate::state::program::view::View;
use crate::state::screens;
use crate::state::session::LinkChange;
use crate::worker::program::wire::{InstructionPath, Query};

/// Mounts the app with the Program screen.
pub fn mount() {
    app::mount(&[Domain::CORE, Domain::PROGRAM], html! { <ProgramPage /> });
}

impl Linked for Session {
    type LinkState = Self;
    type Action = Action;

    const SCREEN: screens::Screen = screens::PROGRAM;

    fn is_own_link(fragment: &str) -> bool {
        permalink::is_own_link(fragment)
    }

    fn read(fragment: &str) -> (Self, Vec<Message>) {
        let loaded = permalink::read(fragment);
        (loaded.session, loaded.problems)
    }

    fn write(session: &Self) -> String {
        permalink::write(session)
    }

    fn new(session: Self, _: &str) -> Self {
        session
    }

    fn link_state(&self) -> &Self {
        self
    }

    fn apply(&mut self, action: Action) -> LinkChange {
        Self::apply(self, action)
    }

    fn load(&mut self, session: Self, _: &str) {
        *self = session;
    }
}

/// Where the focus goes if the control that had it disappears.
const FOCUS_HOMES: &[&str] =
    &["#program-grid", "#outline", "#compare-list", "#program-run", "#program-paste", "#stage"];

/// The title of the page: the name of the program.
#[hook]
fn use_title(reading: &Reading) {
    let opened = reading.opened.as_ref().filter(|opened| opened.report.is_none());
    let without_program = use_memo((), |()| gloo::utils::document().title());
    use_effect_with(opened.map(|opened| opened.name.clone()), move |name| {
        let title = name.as_ref().map(|name| format!("{name}: XLA Playground"));
        gloo::utils::document().set_title(title.as_ref().unwrap_or(&without_program));
    });
}

/// The Program screen.
#[component]
fn ProgramPage() -> Html {
    let context = use_app_context();
    let (page, dispatch) = use_linked::<Session>();
    let session = Rc::new(page.state.clone());
    let program = use_program(&session, context.language, &dispatch);
    let runs = use_runs(&context);
    let (comparing, cutting, exporting) = (use_task(), use_task(), use_task());
    let dumps = use_state(|| None);
    let archive = use_state_eq(|| None);
    let Dialogs { dialog, open, close } = use_dialogs();
    let reading = Rc::new((*program.reading).clone());
    use_focus_keeper(FOCUS_HOMES);
    use_title(&reading);
    let selected = reading.selected(&session);
    let shared = selected.clone();
    {
        let (ask, selected) = (program.ask.clone(), selected.clone());
        let is_ready = reading.status == ReadStatus::Ready;
        // Text that was read again has the same selection, but other details.
        let opened = reading.answer();
        use_effect_with((selected, is_ready, opened), move |(selected, is_ready, _)| {
            if let Some(instruction) = selected.clone().filter(|_| *is_ready) {
                ask.emit(Query::Details(instruction.clone()));
                ask.emit(Query::Reveal(instruction));
            }
        });
    }
    use_effect_with(session.source == Source::Empty, |is_empty| {
        // The list of ways to open a program may be scrolled.
        if !is_empty {
            gloo::utils::window().scroll_to_with_x_and_y(0.0, 0.0);
        }
    });
    let start = {
        let (start, input) = (runs.start.clone(), Start::of(&reading, &session));
        Callback::from(move |()| start.emit(input.clone()))
    };
    let can_run = reading.opened.is_some() && !reading.has_errors();
    let steps = step_callback(&reading, selected.as_ref(), &session, &runs, &dispatch);
    use_keys(&context, can_run, (&start, &runs.cancel, &steps), &dialog);
    let ondrop = {
        let (dispatch, ask, language) = (dispatch.clone(), program.ask.clone(), context.language);
        Callback::from(move |event: DragEvent| {
            if let Some(file) = dropped_file(&event) {
                event.prevent_default();
                if can_run && is_array_file(&file) {
                    return assign(dropped_files(&event), None, language, &ask);
                }
                let dispatch = dispatch.clone();
                let open = move |read: Result<String, FileProblem>| {
                    if let Ok(text) = read {
                        dispatch.emit(Action::OpenText(SourceText::new(text)));
                    }
                };
                read_text(&file, Callback::from(open));
            }
        })
    };
    let show = dispatch.reform(Action::ShowInText);
    let shown = match session.view {
        View::Read => read(&program, &session, &reading, selected, &runs, &dispatch),
        View::Costs => html! { <CostsView ..view_props(&program, &reading, selected, &dispatch) /> },
        View::Graph => html! { <GraphView ..view_props(&program, &reading, selected, &dispatch) /> },
        View::Compare => html! {
            <CompareView reading={reading.clone()} session={session.clone()} {dumps} {archive} task={comparing} dispatch={dispatch.clone()}
                ask={program.ask.clone()} {show} />
        },
        View::Cut => html! {
            <CutView reading={reading.clone()} session={session.clone()} {selected} task={cutting} dispatch={dispatch.clone()} />
        },
    };
    let content = match (&session.source, &reading.status) {
        (Source::Empty, _) => html! { <Opening dispatch={dispatch.clone()} /> },
        (_, ReadStatus::Missing) => html! {
            <div class="opening">
                <p class="notice" role="alert" id="program-missing">{context.text(&Message::program("program-missing"))}</p>
                <Opening dispatch={dispatch.clone()} />
            </div>
        },
        _ => match reading.opened.as_ref().and_then(|opened| opened.report.clone()) {
            Some(report) => html! { <ReportView report={Rc::new(*report)} text={reading.text.clone()} /> },
            None => shown,
        },
    };
    if link::is_embed() {
        let title = context.text_of_key("screen-program");
        return html! {
            <Frame {title} fragment={permalink::write(&session)}>
                {problems(&context, &page)}{content}
            </Frame>
        };
    }
    html! {
        <>
            {skip_link(&context)}
            <Header screen={screens::PROGRAM} {open} />
            {problems(&context, &page)}
            <main class="programs" data-status={status_name(&reading)} ondragover={Callback::from(|event: DragEvent| event.prevent_default())} {ondrop}>
                if session.source != Source::Empty { {bar(&context, &session, &reading, &dispatch, &program.retry)} }
                {stage(&session, &reading, content)}
            </main>
            {match *dialog {
                Some(Dialog::Share) => html! { <ShareProgram {reading} {session} selected={shared} task={exporting} {close} /> },
                Some(Dialog::Help) => html! { <ProgramHelp {close} /> },
                _ => Html::default(),
            }}
        </>
    }
}

/// Whether the views have tabs: not without a program, nor for a report, which has one view.
fn has_tabs(session: &Session, reading: &Reading) -> bool {
    let is_report = reading.opened.as_ref().is_some_and(|opened| opened.report.is_some());
    session.source != Source::Empty && !is_report
}

/// The shown view, as the panel of its tab if there are tabs.
fn stage(session: &Session, reading: &Reading, content: Html) -> Html {
    let has_tabs = has_tabs(session, reading);
    let (role, labelledby) = (has_tabs.then_some("tabpanel"), has_tabs.then(|| tab_id(session.view)));
    html! {
        <div class="program-stage" id="stage" tabindex="-1" {role} aria-labelledby={labelledby}>{content}</div>
    }
}

/// The properties of a view.
fn view_props(
    program: &Program,
    reading: &Rc<Reading>,
    selected: Option<InstructionPath>,
    dispatch: &Callback<Action>,
) -> ViewProps {
    ViewProps {
        reading: reading.clone(),
        selected,
        dispatch: dispatch.clone(),
        ask: program.ask.clone(),
        search: program.search.clone(),
        answers: program.answers.clone(),
    }
}

/// Text, structure and values side by side.
fn read(
    program: &Program,
    session: &Rc<Session>,
    reading: &Rc<Reading>,
    selected: Option<InstructionPath>,
    runs: &Runs,
    dispatch: &Callback<Action>,
) -> Html {
    let span = reading.details_of(selected.as_ref().map(|selected| selected.at)).map(|details| details.span);
    html! {
        <div class="panes">
            <TextPane reading={(**reading).clone()} selected={span} dispatch={dispatch.clone()} ask={program.ask.clone()} />
            <StructurePane reading={reading.clone()} selected={selected.clone()} dispatch={dispatch.clone()} ask={program.ask.clone()}
                search={program.search.clone()} />
            <ValuePane reading={reading.clone()} session={session.clone()} {selected} runs={runs.clone()} dispatch={dispatch.clone()} ask={program.ask.clone()} />
        </div>
    }
}

fn status_name(reading: &Reading) -> &'static str {
    match reading.status {
        ReadStatus::Empty => "empty",
        ReadStatus::Fetching => "fetching",
        ReadStatus::Reading => "reading",
        ReadStatus::Ready => "ready",
        ReadStatus::Missing => "missing",
        ReadStatus::Delayed(_) => "delayed",
        ReadStatus::Failed(_) => "failed",
    }
}

/// The name and the size of the program, the tabs of its views, and the button to open another.
fn bar(
    context: &Context,
    session: &Session,
    reading: &Reading,
    dispatch: &Callback<Action>,
    retry: &Callback<()>,
) -> Html {
    let text = |key: &'static str| context.text(&Message::program(key));
    let number = |count: usize| grouped(i64::try_from(count).unwrap_or(i64::MAX));
    let summary = reading.opened.as_ref().map(|opened| {
        if let Some(report) = &opened.report {
            let size = Message::program("program-report-summary").with("count", report.buffer_count);
            return html! {
                <>
                    <h2 class="module" id="program-name">{text(title_key(report.kind))}</h2>
                    <span class="dim">{context.text(&size)}</span>
                </>
            };
        }
        let size = Message::program("program-summary")
            .with("count", opened.instruction_count)
            .with("bodies", opened.computation_count)
            .with("instructions", number(opened.instruction_count))
            .with("computations", number(opened.computation_count));
        html! {
            <>
                <h2 class="module" id="program-name">{&opened.name}</h2>
                <span class="dim">{if opened.is_stablehlo { "StableHLO" } else { "HLO" }}{" · "}{context.text(&size)}</span>
            </>
        }
    });
    let (message, cause) = match &reading.status {
        ReadStatus::Fetching => (Some(text("program-fetching")), None),
        ReadStatus::Reading => (Some(text("program-reading")), None),
        ReadStatus::Delayed(cause) | ReadStatus::Failed(cause) => {
            (Some(context.text(&cause.message(Part::Worker))), Some(cause.clone()))
        }
        ReadStatus::Empty | ReadStatus::Ready | ReadStatus::Missing => (None, None),
    };
    let onclick = dispatch.reform(|_: MouseEvent| Action::Close);
    html! {
        <div class="program-bar">
            {summary.unwrap_or_default()}
            if has_tabs(session, reading) { {view_tabs(context, session.view, dispatch)} }
            <span role="status" class="dim" id="read-status">{message}</span>
            if let Some(cause) = cause { {remedies(context, &cause, "read", retry)} }
            <button class="btn small end" id="program-close" {onclick}>{text("program-open-another")}</button>
        </div>
    }
}

/// Properties of [`ProgramHelp`].
#[derive(Clone, PartialEq, Properties)]
struct ProgramHelpProps {
    close: Callback<()>,
}

/// The help of the Program screen.
#[component]
fn ProgramHelp(props: &ProgramHelpProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    let keys = [
        ("/", "program-key-search"),
        ("↑  ↓", "program-key-move"),
        ("→  ←", "program-key-fold"),
        ("Enter", "program-key-enter"),
        ("↑  ↓  Enter", "program-key-lines"),
        ("Backspace", "program-key-leave"),
        ("Space", "program-key-run"),
        ("[  ]", "program-key-step"),
        ("Esc", "program-key-cancel"),
        ("s  e", "program-key-share"),
        ("?", "program-key-help"),
    ];
    let keys: Vec<_> = keys.into_iter().map(|(keys, key)| (keys, text(key))).collect();
    let notes = ["program-help-edges", "program-help-values", "program-help-large"];
    let notes: Vec<_> = notes.into_iter().map(text).collect();
    html! { <Help {keys} {notes} close={props.close.clone()} /> }
}

/// Steps to the previous instruction, or to the next one.
fn step_callback(
    reading: &Reading,
    selected: Option<&InstructionPath>,
    session: &Session,
    runs: &Runs,
    dispatch: &Callback<Action>,
) -> Callback<bool> {
    let at = selected.map(|selected| selected.at);
    let details = reading.details_of(at).cloned();
    let value = runs.run.value.as_ref().filter(|value| Some(value.page.query.at) == at);
    let executions = value.map_or(0, |value| value.page.executions);
    let (execution, dispatch) = (session.execution, dispatch.clone());
    Callback::from(move |is_back: bool| {
        let action =
            details.as_ref().and_then(|details| step_action(details, execution, executions, is_back));
        if let Some(action) = action {
            dispatch.emit(action);
        }
    })
}

/// A list or a text, which handles Space itself or scrolls.
const WIDGET: &str = "[tabindex='0']";
/// The picture of a value, where Space neither scrolls nor runs.
const GRID: &str = "[role=grid]";

/// Whether an element that matches a selector has the focus.
fn is_focus_in(selector: &str) -> bool {
    let focused = gloo::utils::document().active_element();
    focused.is_some_and(|element| element.closest(selector).is_ok_and(|found| found.is_some()))
}

/// Performs the page's shortcuts.
#[hook]
fn use_keys(
    context: &Context,
    can_run: bool,
    callbacks: (&Callback<()>, &Callback<()>, &Callback<bool>),
    dialog: &UseStateHandle<Option<Dialog>>,
) {
    let letters = context.preferences.letter_keys;
    let (start, cancel, steps) = callbacks;
    let (start, cancel, dialog) = (start.clone(), cancel.clone(), dialog.clone());
    let dependencies = (letters, can_run, start, cancel, steps.clone());
    use_effect_with(dependencies, move |(letters, can_run, start, cancel, steps)| {
        let (can_run, start, cancel, steps) = (*can_run, start.clone(), cancel.clone(), steps.clone());
        let keys = PageKeys::listen(*letters, move |command| {
            match command {
                Command::TogglePlayback if is_focus_in(GRID) => {}
                Command::TogglePlayback if can_run && !is_focus_in(WIDGET) => start.emit(()),
                Command::Step(by @ (1 | -1)) => steps.emit(by < 0),
                Command::ClearHighlights => cancel.emit(()),
                Command::FocusSearch => focus("program-search"),
                Command::Share => dialog.set(Some(Dialog::Share)),
                Command::Help => dialog.set(Some(Dialog::Help)),
                _ => return false,
            }
            true
        });
        move || drop(keys)
    });
}
