//! The Ops screen: holds the session, runs the experiment, and lays the panels out.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use yew::prelude::*;

use super::about::{About, Meta, Presets, Rules};
use super::attributes::{Attributes, SharedModule};
use super::catalogue::Catalogue;
use super::chain::Chain;
use super::copy_as::Subject;
use super::dialogs::{OpsHelp, OpsShare};
use super::editions::Editions;
use super::facts::Facts;
use super::inner_steps::InnerSteps;
use super::loop_states::LoopStates;
use super::pictures::{self, use_difference, use_picture, use_within};
use super::program::Program;
use super::running::Standing;
use super::running::{use_counted, use_run};
use super::stage::{PanelView, Place, Pointed, Shown, lit};
use super::standing::Notice;
use super::stepping::{Stepping, use_keys};
use super::unreadable::UnreadableNotice;
use super::working_line::WorkingLine;
use super::world::run::{Approved, use_world};
use super::world::{Half, WorldPanels};
use crate::app::components::frame::Frame;
use crate::app::components::header::{Dialog, Header, Screen};
use crate::app::components::player::{Player, PlayerWords};
use crate::app::components::window::{WINDOW, WindowBar, use_window};
use crate::app::context::{Context, use_say};
use crate::app::link;
use crate::app::linked::{Linked, problems, use_linked};
use crate::app::shell::Shell;
use crate::array::Shape;
use crate::array::index::index_of;
use crate::hlo::{Instruction, InstructionId, Module};
use crate::i18n::Message;
use crate::ops::{Category, CellAt, OpDef, OpMeta};
use crate::state::experiment::Experiment;
use crate::state::experiment::link as permalink;
use crate::state::experiment::needs::Needs;
use crate::state::experiment::run::FinishedRun;
use crate::state::experiment::session::{Action, Session};
use crate::state::session::LinkChange;
use crate::view::cell_steps;
use crate::view::sources::Lights;

/// The app: the shell with the Ops screen in it.
#[component]
pub fn App() -> Html {
    html! { <Shell><OpsPage /></Shell> }
}

impl Linked for Session {
    type Told = Experiment;
    type Action = Action;

    fn is_ours(fragment: &str) -> bool {
        permalink::is_ours(fragment)
    }

    fn read(fragment: &str) -> (Experiment, Vec<Message>) {
        let loaded = permalink::read(fragment);
        (loaded.experiment, loaded.problems)
    }

    fn write(experiment: &Experiment) -> String {
        permalink::write(experiment)
    }

    fn new(experiment: Experiment) -> Self {
        Self::new(experiment)
    }

    fn told(&self) -> &Experiment {
        self.experiment()
    }

    fn apply(&mut self, action: Action) -> LinkChange {
        self.apply(action)
    }

    fn load(&mut self, experiment: Experiment) {
        self.apply(Action::Load(Box::new(experiment)));
    }
}

/// The Ops screen.
#[component]
fn OpsPage() -> Html {
    let context = use_say();
    let (page, dispatch) = use_linked::<Session>();
    let playing = use_state_eq(|| false);
    let dialog = use_state_eq(|| None::<Dialog>);
    let hover = use_state_eq(|| None::<Pointed>);
    let pinned = use_state_eq(|| None::<Pointed>);
    let session = &page.state;
    let experiment = use_memo(session.experiment().clone(), Clone::clone);
    let approved = use_state(Approved::default);
    let needs = use_memo(SharedModule(session.module().clone()), |module| Needs::of(&module.0));
    let world = use_world(session, &context, &needs, &approved);
    let run = use_run(session, &context, world.as_ref());
    let Some((focus, instruction)) = session.focus() else { return Html::default() };
    let meta = instruction.op.map(OpDef::meta);
    let is_old = run.values.is_some() && run.standing != Standing::Done;
    let is_stale = is_old || run.values.is_some() && session.is_behind();
    let shown: &[Shown] = &run.shown;
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
    let lit = run.values.as_ref().map(|of| lit(&of.ran, of.focus, shown, pointed.as_ref(), stepped.as_ref()));
    let lit = lit.unwrap_or_default();
    let on_operand = |p: &Pointed| matches!(shown[p.shown].place, Place::Operand(_));
    use_counted(run.values.as_ref(), pointed.as_ref().is_some_and(on_operand));
    let module = run.values.as_ref().map_or(session.module(), |of| of.ran.module());
    let at = pointed.as_ref().filter(|p| shown[p.shown].place == Place::Result).or(stepped.as_ref());
    let ran = run.values.as_ref().map(|of| &of.ran);
    // What is shown may still be of before.
    let of = run.values.as_ref().map_or(focus, |of| of.focus);
    let within = use_within(at);
    let number = usize::try_from(within.at - 1).ok();
    let inner =
        ran.and_then(|ran| cell_steps::steps(ran, of, &lit.sources, &lit.applied, number)).map(Rc::new);
    let now_step = inner.as_ref().and_then(|steps| steps.steps.get(number?));
    let picture = use_picture(ran, of, shown);
    let windows = (*picture).as_ref().and_then(|p| p.windows(shown, pointed.as_ref(), at, &lit.sources));
    let slide = pictures::slide(&picture, ran, of, result.map(sizes).unwrap_or_default(), &dispatch);
    let compares = use_state_eq(|| false);
    let difference = use_difference(ran, &experiment, of, *compares);
    let steps = inner.as_ref().map_or(0, |steps| i64::try_from(steps.steps.len()).unwrap_or(0));
    let stepping = Stepping { cursor, cells, steps, within: within.clone() };
    use_keys(&context, &dispatch, &stepping, &playing, &pinned, &dialog);

    let inputs: Vec<usize> = (0..shown.len()).filter(|i| shown[*i].place != Place::Result).collect();
    // The operand that a cell was read from is always among those shown.
    let read = inputs.iter().position(|i| lit.cells.get(*i).is_some_and(|cells| !cells.is_empty()));
    let operand_window = use_window(inputs.len(), read);
    let result_window = use_window(results.len(), Some(experiment.leaf));
    let view = |i: usize| {
        let each = &shown[i];
        let lights = Lights {
            cells: lit.cells.get(i).cloned().unwrap_or_default(),
            cursor: stepped.as_ref().filter(|s| s.shown == i).map(|s| s.index.clone()).or_else(|| {
                pinned
                    .as_ref()
                    .filter(|p| p.shown == i && each.place != Place::Result)
                    .map(|p| p.index.clone())
            }),
            hover: hover.as_ref().filter(|p| p.shown == i).map(|p| p.index.clone()),
            now: pictures::now(each, &lit.sources, now_step),
            differs: pictures::differing(difference.as_ref().as_ref(), &results, i),
            base: windows.clone().filter(|_| (*picture).as_ref().is_some_and(|p| p.shown == i)),
        };
        let counts = (*picture).as_ref().map(|p| p.counts.clone()).unwrap_or_default();
        let view = PanelView {
            context: &context,
            session,
            experiment: &experiment,
            module,
            number: i,
            shown: each,
            lights,
            slide: (counts, slide.clone()),
            is_stale,
        };
        (view.parameter(), view.panel(&lit.said, result == Some(i), &dispatch, &hover, &pinned))
    };
    let (in_panels, operands): (Vec<_>, Vec<_>) =
        inputs[operand_window.range.clone()].iter().map(|i| view(*i)).unzip();
    let outputs: Vec<Html> = results[result_window.range.clone()].iter().map(|i| view(*i).1).collect();
    let in_panels: Vec<usize> = in_panels.into_iter().flatten().filter(|_| !link::is_embed()).collect();
    let has_operands = !operands.is_empty();
    let label = |key: &'static str| context.tell(&Message::engine(key));
    let flow = html! {
        <>
            <UnreadableNotice fields={session.unreadable().clone()} {in_panels} device={experiment.environment.device} {is_old}
                dispatch={dispatch.clone()} />
            <Notice standing={run.standing.clone()} {is_old} is_behind={session.is_behind()} stop={run.stop.clone()}
                again={run.again.clone()} />
            <div class={classes!("flow", is_stale.then_some("old"))}>
                if inputs.len() > WINDOW {
                    <WindowBar id="operands" label={label("operands-window")} window={operand_window.clone()} />
                }
                if has_operands { <div class="operands">{for operands}</div> }
                if let Some((name, shape, why)) = without_array(ran, of) {
                    <div class="outputs">
                        if has_operands { <div class="arrow" aria-hidden="true">{"→"}</div> }
                        <section class="panel none" id="no-array">
                            <div class="panel-head"><h3>{"out "}<span class="dim">{name}</span></h3><code class="shape">{shape}</code></div>
                            <p class="dim">{context.tell(&why)}</p>
                        </section>
                    </div>
                }
                if !outputs.is_empty() {
                    <div class="outputs">
                        if has_operands { <div class="arrow" aria-hidden="true">{"→"}</div> }
                        <div class="results">
                            <WindowBar id="results" label={label("results-window")} window={result_window.clone()} />
                            {for outputs}
                        </div>
                    </div>
                }
            </div>
            if lit.working.is_some() || inner.is_some() {
                <div class="working">
                    if is_stale { <p><span class="stale">{label("stale")}</span></p> }
                    if let Some(working) = lit.working.clone() { <WorkingLine {working} /> }
                    if let Some(steps) = inner.clone() { <InnerSteps {steps} at={within.at} go={within.go.clone()} /> }
                </div>
            }
            if let (Some(ran), Some(Category::Movement)) = (ran, meta.map(|meta| meta.category)) {
                {pictures::moving(ran, of, shown, (stepped.as_ref(), result), &dispatch)}
            }
            if let Some(note) = &lit.note { <p class="dim" id="note">{context.tell(note)}</p> }
        </>
    };
    let player = html! {
        <Player {cells} {cursor} playing={*playing} play={play(&playing)} go={dispatch.reform(Action::Cursor)}
            words={OUTPUTS} />
    };
    let spoken = html! { <p class="sr-only" role="status" id="spoken">{lit.said.clone()}</p> };
    if link::is_embed() {
        return html! {
            <>
                <Frame title={embed_title(meta, instruction)} fragment={permalink::write(&experiment)}>
                    {problems(&context, &page)}
                    <h2 class="frame-about mono">{signature(&context, session, focus)}</h2>
                    if run.standing == Standing::Held {
                        <p class="dim" id="run-held">{context.tell(&Message::engine("run-held"))}</p>
                    }
                    {flow}
                </Frame>
                {player}
                {spoken}
            </>
        };
    }
    let cell = at.map(|at| {
        let path = shown[at.shown].path.iter().copied().collect();
        CellAt { path, index: at.index.clone() }
    });
    let world_panels = |half| {
        html! {
            <WorldPanels {half} needs={(*needs).clone()} experiment={experiment.clone()} run={world.clone()}
                ran={ran.filter(|_| !is_old).cloned()} module={SharedModule(module.clone())} focus={of} at={cell.clone()}
                approved={approved.clone()} dispatch={dispatch.clone()} />
        }
    };
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
                    if let Some(meta) = meta { <About meta={Meta(meta)} signature={signature(&context, session, focus)} /> }
                    <div class="row wrap">
                        if let Some(meta) = meta {
                            <Presets meta={Meta(meta)} text={experiment.text.clone()} dispatch={dispatch.clone()} />
                        }
                        <Chain module={SharedModule(session.module().clone())} {focus} dispatch={dispatch.clone()} />
                    </div>
                    {world_panels(Half::Before)}
                    <LoopStates experiment={experiment.clone()} module={SharedModule(session.module().clone())} {focus}
                        whole={run.carried.clone()} />
                    {flow}
                    {world_panels(Half::Behind)}
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
                                text={session.text().to_owned()} diagnostics={session.diagnostics().clone()} instruction={id} dispatch={dispatch.clone()} />
                        </section>
                    }
                    if let Some(values) = run.values.clone() { <Facts {values} {is_stale} check={run.check.clone()} again={run.again.clone()} /> }
                    <Editions edition={experiment.edition} compares={*compares} compare={play(&compares)}
                        difference={difference.clone()} dispatch={dispatch.clone()} />
                </aside>
            </main>
            {player}
            {spoken}
            {match *dialog {
                Some(Dialog::Share) => html! {
                    <OpsShare fragment={permalink::write(&experiment)} title={embed_title(meta, instruction)} {close}
                        subject={Subject {
                            experiment: experiment.clone(),
                            values: run.values.clone().filter(|_| !is_old),
                            map: context.preferences.map.colours(),
                        }} />
                },
                Some(Dialog::Help) => html! { <OpsHelp {close} /> },
                _ => Html::default(),
            }}
        </>
    }
}

/// The name and the shape of a result of which there is nothing to see, and why.
fn without_array(ran: Option<&FinishedRun>, focus: InstructionId) -> Option<(String, String, Message)> {
    fn has_array(shape: &Shape) -> bool {
        match shape {
            Shape::Array(_) | Shape::Buffer(_) => true,
            Shape::Tuple(elements) => elements.iter().any(has_array),
            Shape::Token | Shape::Opaque => false,
        }
    }
    let instruction = ran?.module().entry_computation()?.get(focus)?;
    let why = match ran?.value(focus) {
        _ if !has_array(&instruction.shape) => "result-without-array",
        // Too large ones are told elsewhere.
        None if !ran?.is_partial() => "result-not-run",
        _ => return None,
    };
    Some((instruction.name.clone(), instruction.shape.to_string(), Message::engine(why)))
}

/// What an embed of the instruction is called.
fn embed_title(meta: Option<&'static OpMeta>, instruction: &Instruction) -> String {
    meta.map_or_else(|| instruction.opcode.clone(), |meta| meta.title.to_owned())
}

/// What the player steps through here.
const OUTPUTS: PlayerWords = PlayerWords {
    previous: || Message::engine("previous-output"),
    next: || Message::engine("next-output"),
    what: || Message::engine("output-cell"),
    place: |cell, last| Message::engine("output-of").with("cell", cell).with("last", last),
};

/// The longest value of an attribute in the line, and the longest line, characters.
const VALUE: usize = 200;
const LINE: usize = 2_000;

/// The start of a long text.
fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The most operands that the line names.
const NAMED: usize = 16;

/// The instruction that is looked at in one line, with shapes in place of names.
fn signature(context: &Context, session: &Session, id: InstructionId) -> String {
    let text = &session.experiment().text;
    let Some(entry) = session.module().entry_computation() else { return String::new() };
    let Some(instruction) = entry.get(id) else { return String::new() };
    let shapes = Module::operand_shapes(entry, instruction);
    let mut operands: Vec<String> = shapes.iter().take(NAMED).map(|shape| shape.human_string()).collect();
    if shapes.len() > NAMED {
        let more = Message::engine("signature-more").with("count", shapes.len() - NAMED);
        operands.push(context.tell(&more).to_string());
    }
    let operands = operands.join(", ");
    let mut parts =
        vec![format!("{} = {}({operands})", instruction.shape.human_string(), instruction.opcode)];
    for (name, span) in
        instruction.spans.attrs.iter().filter(|(name, _)| {
            instruction.op.is_some_and(|op| op.meta().attrs.iter().any(|a| a.name == *name))
        })
    {
        let value = text.get(span.range()).unwrap_or_default();
        let short = if value.len() > 40 && value.contains(" parameter(") { "{…}" } else { value };
        parts.push(format!("{name}={}", cut(short, VALUE)));
    }
    cut(&parts.join(", "), LINE)
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
