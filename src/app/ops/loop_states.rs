//! The iterations of a loop: a scrub bar, and a table of the values around the current iteration.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use js_sys::Date;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::attributes::SharedModule;
use crate::app::context::{grouped, use_app_context};
use crate::array::Shape;
use crate::hlo::{InstructionId, Limits};
use crate::i18n::Message;
use crate::interaction::player::{Effect, Playback};
use crate::state::experiment::Experiment;
use crate::state::experiment::run::iterations::{Iterations, LoopTrace, is_loop, iterations};
use crate::state::experiment::run::summary::{MAX_SUMMARIES, element_summaries};
use crate::view::table_rows::rows_shown;

/// The titles of the columns: the elements of a tuple, or the value.
fn titles(props: &LoopStatesProps, columns: usize) -> Vec<String> {
    let instruction = props.module.0.entry_computation().and_then(|entry| entry.get(props.focus));
    match instruction.map(|instruction| &instruction.shape) {
        Some(Shape::Tuple(_)) => (0..columns).map(|i| format!("out.{i}")).collect(),
        _ => vec!["out".to_owned(); columns],
    }
}

/// The rows of the table.
fn rows(found: &Iterations, at: usize, go: &Callback<usize>) -> Html {
    let row = |(i, state): (usize, &Vec<String>)| {
        let before = i.checked_sub(1).and_then(|i| found.states.get(i));
        let cells = state.iter().enumerate().map(|(c, text)| {
            let same = before.is_some_and(|before| before.get(c) == Some(text));
            html! { <td class={classes!("mono", same.then_some("dim"))}>{text}</td> }
        });
        html! {
            <tr key={i} aria-current={(i == at).then_some("step")} onclick={go.reform(move |_: MouseEvent| i)}>
                <th scope="row">{number(i)}</th>{for cells}
            </tr>
        }
    };
    let (range, has_gap) = rows_shown(at, found.states.len());
    let columns = found.states.first().map_or(0, Vec::len) + 1;
    let all = || found.states.iter().enumerate();
    html! {
        <>
            {for all().skip(range.start).take(range.len()).map(row)}
            if has_gap { <tr class="gap" aria-hidden="true"><td colspan={columns.to_string()}>{"⋮"}</td></tr> }
            {for all().skip(found.count()).filter(|_| has_gap).map(row)}
        </>
    }
}

fn as_cell(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

fn number(n: usize) -> String {
    grouped(as_cell(n))
}

/// The time between two iterations that are played.
const STEP_MS: u32 = 700;

/// The limits of a run that only observes the loop: some milliseconds.
const AT_ONCE: Limits = Limits { steps: 400_000, bytes: 16 << 20 };

/// The time limit of that run on the page; the iterations so far are shown until the experiment's own run has
/// finished.
const PAGE_RUN_MS: f64 = 20.0;

/// Properties of [`LoopStates`].
#[derive(Clone, PartialEq, Properties)]
pub struct LoopStatesProps {
    /// The experiment.
    pub experiment: Rc<Experiment>,
    /// Its module.
    pub module: SharedModule,
    /// The selected instruction.
    pub focus: InstructionId,
    /// The iterations observed in the experiment's own run, once it has finished.
    pub whole: Option<Rc<Iterations>>,
}

/// The loop: its module and the instruction.
type Key = (SharedModule, InstructionId);

/// The table; nothing if the instruction is not a loop.
#[component]
pub fn LoopStates(props: &LoopStatesProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::ops(key));
    let run = Experiment { cursor: 0, leaf: 0, ..(*props.experiment).clone() };
    // Another loop starts at its first iteration.
    let key = (props.module.clone(), props.focus);
    let is_loop = use_memo(key.clone(), |(module, focus)| is_loop(&module.0, *focus));
    let found = use_state(|| None::<Rc<(Key, LoopTrace)>>);
    {
        let (found, is_wanted) = (found.setter(), *is_loop && props.whole.is_none());
        use_effect_with((run, key.clone(), is_wanted), move |(experiment, key, is_wanted)| {
            let (experiment, key) = (experiment.clone(), key.clone());
            // In a separate task: the experiment itself has just run on the page.
            let timer = is_wanted.then(|| {
                Timeout::new(0, move || {
                    let end = Date::now() + PAGE_RUN_MS;
                    let is_over = || Date::now() >= end;
                    let asked =
                        iterations(&experiment, &key.0.0, key.1, (AT_ONCE, &is_over), element_summaries);
                    found.set(asked.map(|asked| Rc::new((key, asked))));
                })
            });
            move || drop(timer)
        });
    }
    let chosen = use_state_eq(|| (key.clone(), 0_usize));
    let playing = use_state_eq(|| false);
    let node = use_node_ref();
    let asked = (*found).as_ref().filter(|_| *is_loop);
    let carried = props.whole.as_deref().or(match asked.map(|of| &of.1) {
        Some(LoopTrace::Carried(found)) => Some(found),
        _ => None,
    });
    let count = carried.map_or(0, Iterations::count);
    let at = if chosen.0 == key { chosen.1.min(count) } else { 0 };
    {
        let node = node.clone();
        use_effect_with((at, count), move |(at, _)| {
            if let Some(input) = node.cast::<HtmlInputElement>() {
                input.set_value(&at.to_string());
            }
        });
    }
    let playback = Playback { cursor: as_cell(at), last: as_cell(count), is_playing: *playing };
    let carry_out = {
        let (chosen, playing, key) = (chosen.setter(), playing.setter(), key.clone());
        move |effect| match effect {
            Effect::Go(to) => chosen.set((key.clone(), usize::try_from(to).unwrap_or(0))),
            Effect::Play(on) => playing.set(on),
        }
    };
    {
        // Each step changes the effect's dependency and so sets the next timer.
        let carry_out = carry_out.clone();
        use_effect_with((playback, key.clone()), move |(playback, _)| {
            let playback = *playback;
            let timer =
                playback.is_playing.then(|| Timeout::new(STEP_MS, move || carry_out(playback.tick())));
            move || drop(timer)
        });
    }
    let Some(found) = carried else {
        return html! {
            if asked.is_some() {
                <section class="iterations" aria-labelledby="h-iterations">
                    <h2 id="h-iterations">{text("iterations")}</h2>
                    <p class="dim" id="iterations-call">{text("iterations-call")}</p>
                </section>
            }
        };
    };
    // Until this loop has been observed, the iterations are those of the previous one.
    let is_busy = props.whole.is_none() && asked.is_some_and(|of| of.0 != key);
    let go = {
        let chosen = chosen.clone();
        Callback::from(move |to: usize| chosen.set((key.clone(), to)))
    };
    let oninput = go.reform(|event: InputEvent| {
        event.target_unchecked_into::<HtmlInputElement>().value().parse().unwrap_or(0)
    });
    let step = |to: Option<usize>| {
        let (go, to) = (go.clone(), to.filter(|to| *to <= count));
        Callback::from(move |_: MouseEvent| {
            if let Some(to) = to {
                go.emit(to);
            }
        })
    };
    let toggle = Callback::from(move |_: MouseEvent| playback.toggle().into_iter().for_each(&carry_out));
    let play = text(if *playing { "iteration-pause" } else { "iteration-play" });
    let status =
        context.text(&Message::ops("iteration-of").with("number", number(at)).with("count", number(count)));
    let columns = found.states.first().map_or(0, Vec::len);
    let head = titles(props, columns).into_iter().map(|title| html! { <th scope="col">{title}</th> });
    html! {
        <section class="iterations" aria-labelledby="h-iterations" aria-busy={is_busy.to_string()}>
            <h2 id="h-iterations">{text("iterations")}</h2>
            <div class="inner">
                <button class="btn tiny" id="iteration-previous" onclick={step(at.checked_sub(1))} disabled={at == 0}
                    aria-label={text("iteration-previous")} title={text("iteration-previous")}>{"‹"}</button>
                <button class="btn tiny" id="iteration-play" onclick={toggle} disabled={count == 0}
                    aria-label={play.clone()} title={play}>
                    {context.text_of_key(if *playing { "pause" } else { "play" })}
                </button>
                <input type="range" id="iteration" ref={node} min="0" max={count.to_string()} {oninput}
                    aria-label={text("iteration")} aria-valuetext={status.clone()} />
                <button class="btn tiny" id="iteration-next" onclick={step(Some(at + 1))} disabled={at == count}
                    aria-label={text("iteration-next")} title={text("iteration-next")}>{"›"}</button>
                <output class="mono" id="iteration-said" for="iteration">{status}</output>
            </div>
            <div class="scrolls" tabindex="0" role="group" aria-label={text("iterations")}>
                <table class="states" id="states">
                    <thead><tr><th scope="col">{text("iteration")}</th>{for head}</tr></thead>
                    <tbody>{rows(found, at, &go)}</tbody>
                </table>
            </div>
            if columns == MAX_SUMMARIES { <p class="dim">{context.text(&Message::ops("iterations-first").with("count", MAX_SUMMARIES))}</p> }
            if found.is_truncated { <p class="dim" id="iterations-cut">{text("iterations-cut")}</p> }
        </section>
    }
}
