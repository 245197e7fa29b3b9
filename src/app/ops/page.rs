//! The Ops screen: holds the session, runs the experiment, and lays the panels out.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::KeyboardEvent;
use yew::prelude::*;

use super::about::{About, Meta, Rules};
use super::attributes::{Attributes, SharedModule};
use super::catalogue::Catalogue;
use super::chain::Chain;
use super::copy_as::Subject;
use super::dialogs::{OpsHelp, OpsShare};
use super::program::Program;
use super::stage::{PanelView, Place, Pointed, Shown, arrays, lit};
use super::working_line::WorkingLine;
use crate::app::components::header::{Dialog, Header, Screen};
use crate::app::components::player::{Player, PlayerWords};
use crate::app::context::{Context, grouped, use_say};
use crate::app::keys::{self, Command};
use crate::app::link::{self, Arrivals};
use crate::app::prefs::ValueMap;
use crate::app::shell::Shell;
use crate::hlo::{EvalError, Instruction, InstructionId, Limits, Module};
use crate::i18n::Message;
use crate::ops::OpDef;
use crate::state::experiment::run::{Ran, index_of, leaves};
use crate::state::experiment::session::{Action, Session};
use crate::state::experiment::{Experiment, link as permalink};
use crate::state::session::LinkChange;
use crate::view::colour_map::ColourMap;
use crate::view::sources::Lights;

/// What is run on the page itself: some milliseconds. More goes to the worker.
const AT_ONCE: Limits = Limits { steps: 400_000, cells: 1 << 18 };

/// The app: the shell with the Ops screen in it.
#[component]
pub fn App() -> Html {
    html! { <Shell><OpsPage /></Shell> }
}

enum Step {
    Act(Action),
    /// A fragment that arrived; it is in the address bar already.
    Arrive(String),
    Dismiss,
}

#[derive(Clone, PartialEq)]
struct Page {
    session: Session,
    change: LinkChange,
    problems: Vec<Message>,
}

impl Page {
    fn start() -> Self {
        let loaded = permalink::read(&link::fragment());
        Self { session: Session::new(loaded.experiment), change: LinkChange::Keep, problems: loaded.problems }
    }
}

impl Reducible for Page {
    type Action = Step;

    fn reduce(self: Rc<Self>, step: Step) -> Rc<Self> {
        let mut next = (*self).clone();
        match step {
            Step::Act(action) => next.change = next.session.apply(action),
            Step::Arrive(fragment) => {
                // Our own changes of the address come back as events too.
                if permalink::write(next.session.experiment()) == fragment {
                    return self;
                }
                let loaded = permalink::read(&fragment);
                next.problems = loaded.problems;
                next.session.apply(Action::Load(Box::new(loaded.experiment)));
                next.change = LinkChange::Keep;
            }
            Step::Dismiss => {
                next.problems.clear();
                next.change = LinkChange::Keep;
            }
        }
        Rc::new(next)
    }
}

/// The Ops screen.
#[component]
fn OpsPage() -> Html {
    let context = use_say();
    let page = use_reducer(Page::start);
    let playing = use_state_eq(|| false);
    let dialog = use_state_eq(|| None::<Dialog>);
    let hover = use_state_eq(|| None::<Pointed>);
    let pinned = use_state_eq(|| None::<Pointed>);
    let dispatch = {
        let dispatcher = page.dispatcher();
        use_callback((), move |action: Action, ()| dispatcher.dispatch(Step::Act(action)))
    };
    {
        let dispatcher = page.dispatcher();
        use_effect_with((), move |()| {
            let arrived = move |fragment| dispatcher.dispatch(Step::Arrive(fragment));
            let arrivals = Arrivals::listen(permalink::is_ours, arrived);
            move || drop(arrivals)
        });
    }
    let session = &page.session;
    let experiment = use_memo(session.experiment().clone(), Clone::clone);
    {
        let change = page.change;
        use_effect_with(experiment.clone(), move |e| link::show(&permalink::write(e), change));
    }
    let outcome = use_run(session, &context);
    let Some((focus, instruction)) = session.focus() else { return Html::default() };
    let meta = instruction.op.map(OpDef::meta);
    let ran = match &*outcome {
        Outcome::Ran(ran, _) => Some(ran),
        Outcome::Failed(_) => None,
    };
    let shown: &[Shown] = match &*outcome {
        Outcome::Ran(_, shown) => shown,
        Outcome::Failed(_) => &[],
    };
    let results: Vec<usize> = (0..shown.len()).filter(|i| shown[*i].place == Place::Result).collect();
    let result = results.get(experiment.leaf).or(results.first()).copied();
    let cells = result.map_or(0, |i| shown[i].array.0.map().elements());
    let cursor = experiment.cursor.clamp(0, (cells - 1).max(0));
    let sizes = |i: usize| shown[i].array.0.shape().dimensions.clone();
    let stepped =
        result.filter(|_| cells > 0).map(|i| Pointed { shown: i, index: index_of(cursor, &sizes(i)) });
    let pointed = (*hover)
        .clone()
        .or_else(|| (*pinned).clone())
        .filter(|p| shown.get(p.shown).is_some_and(|s| s.array.0.shape().rank() == p.index.len()));
    let lit = ran.map(|ran| lit(ran, focus, shown, pointed.as_ref(), stepped.as_ref())).unwrap_or_default();
    use_keys(&context, &dispatch, (cursor, cells), &playing, &pinned, &dialog);

    let panels = shown.iter().enumerate().map(|(i, each)| {
        let lights = Lights {
            cells: lit.cells.get(i).cloned().unwrap_or_default(),
            cursor: stepped.as_ref().filter(|s| s.shown == i).map(|s| s.index.clone()).or_else(|| {
                pinned
                    .as_ref()
                    .filter(|p| p.shown == i && each.place != Place::Result)
                    .map(|p| p.index.clone())
            }),
            hover: hover.as_ref().filter(|p| p.shown == i).map(|p| p.index.clone()),
        };
        let view =
            PanelView { context: &context, session, experiment: &experiment, number: i, shown: each, lights };
        view.panel(&lit.said, result == Some(i), &dispatch, &hover, &pinned)
    });
    let (operands, outputs): (Vec<_>, Vec<_>) =
        panels.enumerate().partition(|(i, _)| shown[*i].place != Place::Result);
    let only = |panels: Vec<(usize, Html)>| panels.into_iter().map(|(_, panel)| panel).collect::<Html>();
    let open = {
        let dialog = dialog.clone();
        Callback::from(move |which: Dialog| dialog.set(Some(which)))
    };
    let close = {
        let dialog = dialog.clone();
        Callback::from(move |()| dialog.set(None))
    };
    html! {
        <>
            <a class="skip" href="#stage" onclick={skip()}>{context.say("skip")}</a>
            <Header screen={Screen::Ops} {open} />
            {problems(&context, &page)}
            <main class="ops">
                <aside><Catalogue current={meta.map_or("", |meta| meta.opcode)} /></aside>
                <div class="stage" id="stage" tabindex="-1">
                    if let Some(meta) = meta { <About meta={Meta(meta)} signature={signature(session, focus)} dispatch={dispatch.clone()} /> }
                    <Chain module={SharedModule(session.module().clone())} {focus} dispatch={dispatch.clone()} />
                    if let Outcome::Failed(error) = &*outcome { {failure(&context, error)} }
                    <div class="flow">
                        <div class="operands">{only(operands)}</div>
                        if !outputs.is_empty() {
                            <div class="arrow" aria-hidden="true"><span>{&instruction.opcode}</span>{"→"}</div>
                            <div class="outputs">{only(outputs)}</div>
                        }
                    </div>
                    if let Some(working) = lit.working.clone() { <WorkingLine {working} /> }
                    if let Some(note) = &lit.note { <p class="dim" id="note">{context.tell(note)}</p> }
                    <section aria-labelledby="h-hlo">
                        <h2 id="h-hlo">{context.tell(&Message::engine("hlo-text"))}</h2>
                        <Program text={session.text().to_owned()} diagnostics={session.diagnostics().clone()}
                            dispatch={dispatch.clone()} />
                    </section>
                    if let Some(meta) = meta { <Rules meta={Meta(meta)} /> }
                </div>
                <aside class="form" aria-label={context.tell(&Message::engine("parameters"))}>
                    {quick(&context, session, &dispatch)}
                    if let (Some(meta), Some((id, _))) = (meta, session.drafted()) {
                        <section>
                            <h2>{context.tell(&Message::engine("parameters"))}</h2>
                            <Attributes meta={Meta(meta)} module={SharedModule(session.draft().clone())}
                                text={session.text().to_owned()} instruction={id} dispatch={dispatch.clone()} />
                        </section>
                    }
                    if let Some(ran) = ran { {facts(&context, ran, focus, instruction)} }
                </aside>
            </main>
            <Player {cells} {cursor} playing={*playing} play={play(&playing)} go={dispatch.reform(Action::Cursor)}
                words={OUTPUTS} />
            <p class="sr-only" role="status" id="spoken">{lit.said.clone()}</p>
            {match *dialog {
                Some(Dialog::Share) => html! {
                    <OpsShare fragment={permalink::write(&experiment)} {close}
                        subject={Subject { experiment: experiment.clone(), ran: ran.cloned(), focus, map: values_map(&context) }} />
                },
                Some(Dialog::Help) => html! { <OpsHelp {close} /> },
                _ => Html::default(),
            }}
        </>
    }
}

/// What the player steps through here.
const OUTPUTS: PlayerWords = PlayerWords {
    previous: || Message::engine("previous-output"),
    next: || Message::engine("next-output"),
    what: || Message::engine("output-cell"),
    place: |cell, last| Message::engine("output-of").with("cell", cell).with("last", last),
};

/// What came of a run.
enum Outcome {
    Ran(Ran, Vec<Shown>),
    Failed(EvalError),
}

/// The instruction that is looked at in one line, with shapes in place of names.
fn signature(session: &Session, id: InstructionId) -> String {
    let text = &session.experiment().text;
    let Some(entry) = session.module().entry_computation() else { return String::new() };
    let Some(instruction) = entry.get(id) else { return String::new() };
    let shapes = Module::operand_shapes(entry, instruction);
    let operands = shapes.iter().map(|shape| shape.human_string()).collect::<Vec<_>>().join(", ");
    let mut parts =
        vec![format!("{} = {}({operands})", instruction.shape.human_string(), instruction.opcode)];
    for (name, span) in
        instruction.spans.attrs.iter().filter(|(name, _)| {
            instruction.op.is_some_and(|op| op.meta().attrs.iter().any(|a| a.name == *name))
        })
    {
        let value = text.get(span.range()).unwrap_or_default();
        let short = if value.len() > 40 && value.contains(" parameter(") { "{…}" } else { value };
        parts.push(format!("{name}={short}"));
    }
    parts.join(", ")
}

/// How values are coloured.
fn values_map(context: &Context) -> ColourMap {
    match context.preferences.map {
        ValueMap::Viridis => ColourMap::Viridis,
        ValueMap::Cividis => ColourMap::Cividis,
    }
}

/// Runs the experiment whenever it changes.
#[hook]
fn use_run(session: &Session, context: &Context) -> Rc<Outcome> {
    let experiment = session.experiment();
    let map = values_map(context);
    // Where the step is changes nothing that is run.
    let run = Experiment { cursor: 0, leaf: 0, ..experiment.clone() };
    let (module, focus) = (session.module().clone(), session.focus().map(|(id, _)| id));
    use_memo((run, map), move |(experiment, map)| match Ran::new(experiment, &module, AT_ONCE) {
        Ok(ran) => {
            let shown = focus.map(|focus| arrays(&ran, focus, *map)).unwrap_or_default();
            Outcome::Ran(ran, shown)
        }
        Err(error) => Outcome::Failed(error),
    })
}

fn problems(context: &Context, page: &UseReducerHandle<Page>) -> Html {
    let dispatcher = page.dispatcher();
    let dismiss = Callback::from(move |_: MouseEvent| dispatcher.dispatch(Step::Dismiss));
    html! {
        if !page.problems.is_empty() {
            <div class="notice" id="link-problems" role="alert">
                <p>{context.say("link-problems")}</p>
                <ul>{for page.problems.iter().map(|m| html! { <li>{context.tell(m)}</li> })}</ul>
                <button class="btn small" onclick={dismiss}>{context.say("close")}</button>
            </div>
        }
    }
}

fn failure(context: &Context, error: &EvalError) -> Html {
    let hints = error.error.hints.iter().map(|hint| html! { <li>{context.tell(&hint.message)}</li> });
    html! {
        <div class="notice" id="run-failed" role="alert">
            <p>{context.tell(&error.error.message)}{" "}<span class="rule">{error.error.rule}</span></p>
            <ul>{for hints}</ul>
        </div>
    }
}

fn quick(context: &Context, session: &Session, dispatch: &Callback<Action>) -> Html {
    let undo = dispatch.reform(|_: MouseEvent| Action::Undo);
    let redo = dispatch.reform(|_: MouseEvent| Action::Redo);
    html! {
        <div class="row">
            <button class="btn small" id="undo" onclick={undo} disabled={!session.can_undo()}>{context.say("undo")}</button>
            <button class="btn small" id="redo" onclick={redo} disabled={!session.can_redo()}>{context.say("redo")}</button>
        </div>
    }
}

/// Results of up to so many elements are written out.
const WRITTEN: i64 = 4_096;

fn facts(context: &Context, ran: &Ran, focus: InstructionId, instruction: &Instruction) -> Html {
    let value = ran
        .value(focus)
        .filter(|value| leaves(value).iter().map(|(_, a)| a.map().elements()).sum::<i64>() <= WRITTEN);
    let value = value.map(|value| value.to_literal().text(crate::array::value::text::Exactness::Xla));
    let tell = |key: &'static str| context.tell(&Message::engine(key));
    html! {
        <section>
            <h2>{tell("result")}</h2>
            <dl class="kv">
                <dt>{tell("result-shape")}</dt><dd id="result-shape">{instruction.shape.to_string()}</dd>
                if let Some(value) = value {
                    <dt>{tell("result-value")}</dt>
                    <dd><pre class="strip-text" id="result-value" tabindex="0">{value}</pre></dd>
                }
                <dt>{tell("steps")}</dt><dd>{grouped(i64::try_from(ran.steps).unwrap_or(i64::MAX))}</dd>
            </dl>
        </section>
    }
}

fn play(playing: &UseStateHandle<bool>) -> Callback<bool> {
    let playing = playing.clone();
    Callback::from(move |on: bool| playing.set(on))
}

/// The skip link moves the focus without touching the address, which holds the experiment.
fn skip() -> Callback<MouseEvent> {
    Callback::from(|event: MouseEvent| {
        event.prevent_default();
        let stage = gloo::utils::document().get_element_by_id("stage");
        if let Some(stage) = stage.and_then(|e| e.dyn_into::<web_sys::HtmlElement>().ok()) {
            let _ = stage.focus();
        }
    })
}

/// Listens to the keys of the whole page.
#[hook]
fn use_keys(
    context: &Context,
    dispatch: &Callback<Action>,
    at: (i64, i64),
    playing: &UseStateHandle<bool>,
    pinned: &UseStateHandle<Option<Pointed>>,
    dialog: &UseStateHandle<Option<Dialog>>,
) {
    let letters = context.preferences.letter_keys;
    let (dispatch, playing, pinned, dialog) =
        (dispatch.clone(), playing.clone(), pinned.clone(), dialog.clone());
    let (cursor, cells) = at;
    use_effect_with((letters, cursor, cells, *playing), move |(letters, cursor, cells, on)| {
        let (letters, cursor, last, on) = (*letters, *cursor, (*cells - 1).max(0), *on);
        let listener = Closure::<dyn FnMut(KeyboardEvent)>::new(move |event: KeyboardEvent| {
            match keys::command(&event, letters) {
                Some(Command::Step(by)) => dispatch.emit(Action::Cursor((cursor + by).clamp(0, last))),
                Some(Command::Play) => playing.set(!on),
                Some(Command::Undo) => dispatch.emit(Action::Undo),
                Some(Command::Redo) => dispatch.emit(Action::Redo),
                Some(Command::Share) => dialog.set(Some(Dialog::Share)),
                Some(Command::Help) => dialog.set(Some(Dialog::Help)),
                Some(Command::Clear) => return pinned.set(None),
                _ => return,
            }
            event.prevent_default();
        });
        let document = gloo::utils::document();
        let _ = document.add_event_listener_with_callback("keydown", listener.as_ref().unchecked_ref());
        move || {
            let _ =
                document.remove_event_listener_with_callback("keydown", listener.as_ref().unchecked_ref());
            drop(listener);
        }
    });
}
