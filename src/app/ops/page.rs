//! The Ops screen: holds the session, runs the experiment, and composes the panels.

use std::rc::Rc;

use yew::prelude::*;

use super::about::{About, Presets, Rules};
use super::attributes::{Attributes, SharedModule};
use super::builder_forms::lowered_notes;
use super::catalogue::{Catalogue, use_order};
use super::chain::Chain;
use super::copy_as::ExportInput;
use super::dialogs::{OpsHelp, OpsShare};
use super::editions::{Comparison, EditionChoice};
use super::entry_edition::entry_edition;
use super::facts::Facts;
use super::fields::fields;
use super::gallery::{Gallery, ShareGallery};
use super::hlo_editor::HloEditor;
use super::host::run::{Approved, use_host_run};
use super::host::{HostPanels, HostSide};
use super::instruction_view::InstructionView;
use super::layout_array::UseLayoutArray;
use super::lists::Order;
use super::loop_play::{LoopPlay, use_loop};
use super::loop_states::{ITERATIONS, loop_states};
use super::meta::{EntryRef, Meta};
use super::op_opener::{self, OpOpener, use_op_opener};
use super::pictures::{self, use_base_area_picture, use_cell_step, use_difference};
use super::program_graph::ProgramGraph;
use super::run_section::RunSection;
use super::running::{Run, RunStatus, RunValues, use_run, use_traced_uses};
use super::selection::Selection;
use super::signature::signature;
use super::stage::{CellOnScreen, DisplayedArray, highlight};
use super::stepping::{Stepping, use_keys};
use crate::app;
use crate::app::components::frame::Frame;
use crate::app::components::header::{Dialog, Dialogs, Header, use_dialogs};
use crate::app::components::hover::use_hover;
use crate::app::components::player::{Player, PlayerLabels};
use crate::app::components::skip_link::skip_link;
use crate::app::components::window::use_window;
use crate::app::context::{Context, use_app_context};
use crate::app::link;
use crate::app::linked::{Linked, problems, use_linked};
use crate::diagnostic::Severity;
use crate::hlo::{Instruction, InstructionId};
use crate::i18n::{Domain, Message};
use crate::ops::{OpDef, OpMeta};
use crate::state::experiment::Experiment;
use crate::state::experiment::link as permalink;
use crate::state::experiment::needs::Needs;
use crate::state::experiment::run::editions::Difference;
use crate::state::experiment::session::{Action, Session};
use crate::state::screens;
use crate::state::session::LinkChange;
use crate::state::stored_history::History;
use crate::view::cell_steps;

/// Mounts the app with the Ops screen.
pub fn mount() {
    app::mount(&[Domain::CORE, Domain::DOCUMENTS, Domain::OPS], html! { <OpsPage /> });
}

impl Linked for Session {
    type LinkState = Experiment;
    type Action = Action;

    const HAS_HISTORY: bool = true;
    const SCREEN: screens::Screen = screens::OPS;

    fn is_own_link(fragment: &str) -> bool {
        permalink::is_own_link(fragment)
    }

    fn read(fragment: &str) -> (Experiment, Vec<Message>) {
        let loaded = permalink::read(fragment);
        (loaded.experiment, loaded.problems)
    }

    fn write(experiment: &Experiment) -> String {
        permalink::write(experiment)
    }

    fn new(experiment: Experiment, fragment: &str) -> Self {
        // An embed shows the default experiment instead of the gallery.
        let is_empty_embed = link::is_embed() && experiment.is_empty();
        let mut session = Self::new(if is_empty_embed { Experiment::default() } else { experiment.clone() });
        if permalink::names_example(fragment) {
            session.set_opened_example(experiment);
        }
        session.with_saved_experiments(op_opener::stored_experiments())
    }

    fn link_state(&self) -> &Experiment {
        static EMPTY: Experiment = Experiment::empty();
        if self.is_gallery() { &EMPTY } else { self.experiment() }
    }

    fn apply(&mut self, action: Action) -> LinkChange {
        self.apply(action)
    }

    fn load(&mut self, experiment: Experiment, fragment: &str) {
        self.apply(Action::Load(Box::new(experiment.clone())));
        if permalink::names_example(fragment) {
            self.set_opened_example(experiment);
        }
    }

    fn history(&self) -> History<&Experiment> {
        self.history()
    }

    fn restore_history(&mut self, history: History<Experiment>) {
        self.restore_history(history);
    }
}

/// The Ops screen.
#[component]
fn OpsPage() -> Html {
    let context = use_app_context();
    let (page, dispatch) = use_linked::<Session>();
    let playing = use_state_eq(|| false);
    let Dialogs { dialog, open, close } = use_dialogs();
    let pinned = use_state_eq(|| None::<CellOnScreen>);
    let session = &page.state;
    let opener = use_op_opener(session, &dispatch);
    let order = use_order(session.document_entry().is_some());
    let experiment = use_memo(session.experiment().clone(), Clone::clone);
    let hover =
        use_hover::<CellOnScreen, _>((experiment.cursor, experiment.leaf, session.focus().map(|(id, _)| id)));
    let approved = use_state(Approved::default);
    let needs = use_memo(SharedModule(session.module().clone()), |module| Needs::new(&module.0));
    let host = use_host_run(session, &context, &needs, &approved);
    let run = use_run(session, &context, host.as_ref());
    let Some((focus, instruction)) = session.focus() else { return Html::default() };
    let meta = instruction.op.map(OpDef::meta);
    let shows_previous_run = run.values.is_some() && run.status != RunStatus::Done;
    let is_stale = shows_previous_run || run.values.is_some() && session.has_invalid_text();
    let displayed: &[DisplayedArray] = &run.displayed;
    let selection = Selection::new(displayed, &experiment, hover.as_ref(), pinned.as_ref());
    let Selection { inputs, results, cells, cursor, current, hovered, .. } = &selection;
    let (cells, cursor) = (*cells, *cursor);
    let highlighting = run.values.as_ref().map(|values| {
        highlight(&values.finished, values.focus, displayed, hovered.as_ref(), current.as_ref())
    });
    let highlighting = highlighting.unwrap_or_default();
    use_traced_uses(run.values.as_ref(), selection.hovered_input(displayed));
    let module = run.values.as_ref().map_or(session.module(), |values| values.finished.module());
    let at = selection.output(displayed);
    let finished = run.values.as_ref().map(|values| &values.finished);
    // The displayed values may predate the current experiment.
    let displayed_focus = run.values.as_ref().map_or(focus, |values| values.focus);
    let mut cell_step = use_cell_step(at, current.as_ref(), experiment.cell_step, &dispatch);
    let number = usize::try_from(cell_step.current - 1).ok();
    let steps_of_cell = finished
        .and_then(|finished| {
            cell_steps::steps(finished, displayed_focus, &highlighting.sources, &highlighting.calls, number)
        })
        .map(Rc::new);
    let picture = use_base_area_picture(finished, displayed_focus, displayed);
    let windows =
        (*picture).as_ref().and_then(|p| p.windows(displayed, hovered.as_ref(), at, &highlighting.sources));
    let winners = match ((*picture).as_ref(), finished, &windows) {
        (Some(picture), Some(finished), Some(windows)) => {
            picture.shown.selected_cells(finished, displayed_focus, windows)
        }
        _ => Vec::new(),
    };
    let on_drag =
        pictures::on_drag(&picture, finished, displayed_focus, selection.result_sizes(displayed), &dispatch);
    let difference = use_difference(finished, &experiment, displayed_focus, experiment.compares_editions);
    let steps = steps_of_cell.as_ref().map_or(0, |steps| steps.steps.len());
    let steps = i64::try_from(steps).unwrap_or(i64::MAX);
    // A link, or an edit since then, may name a step that the cell does not have.
    cell_step.current = cell_step.current.min(steps);
    let loop_play = use_loop(&experiment, SharedModule(session.module().clone()), focus, run.carried.clone());
    let move_to = use_callback(dispatch.clone(), |to, dispatch| dispatch.emit(Action::MoveCursor(to)));
    // The player steps through the iterations of a loop, except in an embed, which has no table of them.
    let iterations = loop_play
        .as_ref()
        .filter(|_| !link::is_embed())
        .and_then(|play| Some((play.cells()?, play.move_to.clone())));
    let (cells, position, move_to, labels) = match iterations {
        Some(((count, at), move_to)) => (count, at, move_to, ITERATIONS),
        None => (cells, cursor, move_to, PlayerLabels::OUTPUTS),
    };
    let stepping = Stepping {
        cursor: position,
        cells,
        move_to: move_to.clone(),
        result: cursor,
        steps,
        step: cell_step.clone(),
    };
    use_keys(&context, &dispatch, &stepping, &playing, &pinned, &dialog);

    // The operand that a cell was read from is always displayed.
    let read = inputs.iter().position(|i| highlighting.cells.get(*i).is_some_and(|cells| !cells.is_empty()));
    let operand_window = use_window(inputs.len(), read);
    let result_window = use_window(results.len(), Some(experiment.leaf));
    if session.is_gallery() {
        let catalogue = html! {
            <Catalogue current="" entry={None::<&'static str>} order={order.clone()} opener={opener.clone()} />
        };
        let exhibits = html! { <Gallery order={*order} {opener} dispatch={dispatch.clone()} /> };
        return gallery(&context, &open, (catalogue, exhibits), problems(&context, &page), (*dialog, &close));
    }
    let flow = InstructionView {
        context: &context,
        session,
        experiment: &experiment,
        run: &run,
        focus: displayed_focus,
        meta,
        selection: &selection,
        list_windows: (&operand_window, &result_window),
        hover: &hover,
        pinned: &pinned,
        highlighting: &highlighting,
        cell_steps: steps_of_cell.as_ref(),
        cell_step: &cell_step,
        picture: picture.as_ref().as_ref(),
        windows,
        winners,
        on_drag,
        difference: difference.as_ref().as_ref(),
        shows_previous_run,
        is_stale,
        dispatch: &dispatch,
    };
    let flow = flow.html();
    let player = html! { <Player {cells} cursor={position} is_playing={*playing} play={play(&playing)} {move_to} {labels} /> };
    let screen_reader_text =
        html! { <p class="sr-only" role="status" id="spoken">{highlighting.screen_reader_text.clone()}</p> };
    if link::is_embed() {
        let title = embed_title(meta, instruction);
        let (index, slot) = selection.current_address(displayed).unzip();
        let screen_reader_text = html! {
            <p class="sr-only" role="status" id="spoken" data-index={index} data-slot={slot}>{highlighting.screen_reader_text.clone()}</p>
        };
        return html! {
            <>
                <Frame {title} fragment={permalink::write(&experiment)}>
                    {problems(&context, &page)}
                    {embed_header(&context, session, focus, &run.status)}
                    {flow}
                </Frame>
                {player}
                {screen_reader_text}
            </>
        };
    }
    let cell = at.map(|at| displayed[at.array].cell(&at.index));
    let host_panels = |side| {
        html! {
            <HostPanels {side} needs={(*needs).clone()} experiment={experiment.clone()} run={host.clone()}
                finished={finished.filter(|_| !shows_previous_run).cloned()} module={SharedModule(module.clone())} focus={displayed_focus} at={cell.clone()}
                approved={approved.clone()} dispatch={dispatch.clone()} />
        }
    };
    let main = Main {
        context: &context,
        session,
        order: &order,
        opener,
        run: &run,
        loop_play: loop_play.as_ref(),
        experiment: &experiment,
        focus,
        meta,
        is_stale,
        difference: &difference,
        dispatch: &dispatch,
    };
    let main = main.html(host_panels(HostSide::Inputs), flow, host_panels(HostSide::Outputs));
    html! {
        <>
            {skip_link(&context)}
            <Header screen={screens::OPS} {open} />
            {problems(&context, &page)}
            {main}
            {player}
            {screen_reader_text}
            {dialogs(&context, *dialog, (&experiment, session.has_invalid_text()), (meta, instruction), run.values.as_ref().filter(|_| !shows_previous_run), &close)}
        </>
    }
}

/// The screen without an op. It has the same sequence of elements as with one, so that Yew keeps the catalogue.
fn gallery(
    context: &Context,
    open: &Callback<Dialog>,
    (catalogue, exhibits): (Html, Html),
    problems: Html,
    (dialog, close): (Option<Dialog>, &Callback<()>),
) -> Html {
    html! {
        <>
            {skip_link(context)}
            <Header screen={screens::OPS} open={open.clone()} />
            {problems}
            <main class="ops open">
                <aside>{catalogue}</aside>
                {exhibits}
                {Html::default()}
                {Html::default()}
            </main>
            {Html::default()}
            {Html::default()}
            {match dialog {
                Some(Dialog::Share) => html! { <ShareGallery close={close.clone()} /> },
                Some(Dialog::Help) => html! { <OpsHelp close={close.clone()} /> },
                Some(Dialog::Examples | Dialog::GoTo) | None => Html::default(),
            }}
        </>
    }
}

/// The main part of the screen: the catalogue, the instruction, and its form.
struct Main<'a> {
    context: &'a Context,
    session: &'a Session,
    order: &'a UseStateHandle<Order>,
    opener: OpOpener,
    run: &'a Run,
    loop_play: Option<&'a LoopPlay>,
    experiment: &'a Rc<Experiment>,
    focus: InstructionId,
    meta: Option<&'static OpMeta>,
    is_stale: bool,
    difference: &'a Rc<Option<Difference>>,
    dispatch: &'a Callback<Action>,
}

impl Main<'_> {
    /// The flow between the host's input and output panels.
    fn html(&self, before: Html, flow: Html, after: Html) -> Html {
        let session = self.session;
        let entry = session.document_entry();
        let parameters = session.module().entry_computation().map_or(0, |entry| entry.parameters.len());
        html! {
            <main class="ops">
                <aside><Catalogue current={self.meta.map_or("", |meta| meta.opcode)} entry={entry.map(|entry| entry.name)}
                    order={self.order.clone()} opener={self.opener.clone()} /></aside>
                <div class="stage" id="stage" tabindex="-1">
                    if let Some(meta) = self.meta {
                        <About meta={Meta(meta)} entry={entry.map(EntryRef)} signature={signature(self.context, session, self.focus)} />
                    }
                    {entry_edition(self.context, session, self.dispatch)}
                    <div class="row wrap">
                        if let Some(meta) = self.meta {
                            <Presets meta={Meta(meta)} entry={entry.map(EntryRef)} experiment={self.experiment.clone()}
                                start={session.opened_example().map(|example| Rc::new(example.original.clone()))} is_edited={session.is_edited()}
                                dispatch={self.dispatch.clone()} />
                        }
                        if let Some(meta) = self.meta {
                            <UseLayoutArray meta={Meta(meta)} module={SharedModule(session.module().clone())} dispatch={self.dispatch.clone()} />
                        }
                        <Chain experiment={self.experiment.clone()} module={SharedModule(session.module().clone())} focus={self.focus} dispatch={self.dispatch.clone()} />
                    </div>
                    {before}
                    {loop_states(self.context, self.loop_play, session.focus().map(|(_, i)| &i.shape), self.is_stale)}
                    {flow}
                    {after}
                </div>
                {self.form()}
                <div class="stage program">
                    <ProgramGraph module={SharedModule(session.module().clone())} text={session.text().to_owned()} focus={self.focus}
                        dispatch={self.dispatch.clone()} />
                    <section aria-labelledby="h-hlo">
                        <h2 id="h-hlo">{self.context.text(&Message::ops("hlo-text"))}</h2>
                        <HloEditor text={session.text().to_owned()} diagnostics={session.diagnostics().clone()}
                            parameter_values={Rc::new(session.experiment().values.clone())} parameter_count={parameters}
                            shows_earlier_result={session.has_invalid_text()} dispatch={self.dispatch.clone()} />
                        {lowered_notes(self.context, session.notes())}
                    </section>
                    if let Some(meta) = self.meta {
                        <Rules meta={Meta(meta)} edition={session.edition()} dispatch={self.dispatch.clone()} />
                    }
                </div>
            </main>
        }
    }

    /// The column with the edition, the parameters, the result as text, and the settings of the run.
    fn form(&self) -> Html {
        let Self { session, run, dispatch, .. } = self;
        let label = |key: &'static str| self.context.text(&Message::ops(key));
        html! {
            <aside class="form" aria-label={label("parameters")}>
                <div class="form-head">
                    {undo_buttons(self.context, session, dispatch)}
                    <EditionChoice edition={session.edition()} rejected={edition_error(session)} note={session.edition_note().cloned()} dispatch={(*dispatch).clone()} />
                    <Comparison edition={session.edition()} is_enabled={self.experiment.compares_editions} set={dispatch.reform(Action::CompareEditions)}
                        difference={self.difference.clone()} meta={self.meta.map(Meta)} dispatch={(*dispatch).clone()} />
                </div>
                if let (Some(meta), Some((text, module, instruction))) = (self.meta, session.form()) {
                    <section>
                        <h2>{label("parameters")}</h2>
                        <Attributes meta={Meta(meta)} module={SharedModule(module.clone())} text={text.to_owned()} {instruction}
                            draft={SharedModule(session.draft().clone())} fields={fields(session, meta)}
                            edition={session.edition()} dispatch={(*dispatch).clone()} />
                    </section>
                }
                if let Some(values) = run.values.clone() {
                    <Facts {values} is_stale={self.is_stale} />
                }
                <RunSection values={run.values.clone()} kernel_comparison={run.kernel_comparison.clone()} rerun={run.rerun.clone()} />
            </aside>
        }
    }
}

/// The reason why the selected edition rejects text that the experiment's edition accepts.
fn edition_error(session: &Session) -> Option<Message> {
    let errors = || session.diagnostics().iter().filter(|d| d.severity == Severity::Error);
    let is_other_edition = session.edition() != session.experiment().edition;
    errors().next().filter(|_| is_other_edition).map(|error| error.message.clone())
}

/// The open dialog.
fn dialogs(
    context: &Context,
    dialog: Option<Dialog>,
    (experiment, has_invalid_text): (&Rc<Experiment>, bool),
    (meta, instruction): (Option<&'static OpMeta>, &Instruction),
    values: Option<&RunValues>,
    close: &Callback<()>,
) -> Html {
    match dialog {
        Some(Dialog::Share) => html! {
            <OpsShare fragment={permalink::write(experiment)} title={embed_title(meta, instruction)} close={close.clone()}
                {has_invalid_text} input={ExportInput {
                    experiment: experiment.clone(),
                    values: values.cloned(),
                    map: context.preferences.colour_map.colours(),
                }} />
        },
        Some(Dialog::Help) => html! { <OpsHelp close={close.clone()} /> },
        Some(Dialog::Examples | Dialog::GoTo) | None => Html::default(),
    }
}

/// The header of an embed, above the flow.
fn embed_header(context: &Context, session: &Session, focus: InstructionId, status: &RunStatus) -> Html {
    html! {
        <>
            <h2 class="frame-about mono">{signature(context, session, focus)}</h2>
            if *status == RunStatus::AwaitingApproval {
                <p class="dim" id="run-held">{context.text(&Message::ops("run-held"))}</p>
            }
        </>
    }
}

/// The title of an embed of the instruction.
fn embed_title(meta: Option<&'static OpMeta>, instruction: &Instruction) -> String {
    meta.map_or_else(|| instruction.opcode.clone(), |meta| meta.title.to_owned())
}

fn undo_buttons(context: &Context, session: &Session, dispatch: &Callback<Action>) -> Html {
    let undo = dispatch.reform(|_: MouseEvent| Action::Undo);
    let redo = dispatch.reform(|_: MouseEvent| Action::Redo);
    html! {
        <div class="row">
            <button class="btn small" id="undo" onclick={undo} disabled={!session.can_undo()}>{context.text_of_key("undo")}</button>
            <button class="btn small" id="redo" onclick={redo} disabled={!session.can_redo()}>{context.text_of_key("redo")}</button>
        </div>
    }
}

fn play(playing: &UseStateHandle<bool>) -> Callback<bool> {
    let playing = playing.clone();
    Callback::from(move |on: bool| playing.set(on))
}
