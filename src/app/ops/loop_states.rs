//! What a loop carries: a scrub bar over its iterations and a table of the values around the present one.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use js_sys::Date;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::attributes::SharedModule;
use crate::app::context::{grouped, use_say};
use crate::hlo::{InstructionId, Limits};
use crate::i18n::Message;
use crate::state::experiment::Experiment;
use crate::state::experiment::run::iterations::{Iterations, LoopAnswer, is_loop, iterations};
use crate::state::experiment::run::summary::{MAX_PARTS, parts};

/// Rows of the table above and below the present iteration.
const AROUND: usize = 3;

/// What is run to see a loop: some milliseconds.
const AT_ONCE: Limits = Limits { steps: 400_000, bytes: 16 << 20 };

/// Milliseconds after which the iterations until then are all that is shown, until the experiment has been run.
const PAGE_RUN_MS: f64 = 20.0;

/// Properties of [`LoopStates`].
#[derive(Clone, PartialEq, Properties)]
pub struct LoopStatesProps {
    /// What runs.
    pub experiment: Rc<Experiment>,
    /// Its module.
    pub module: SharedModule,
    /// The instruction that is looked at.
    pub focus: InstructionId,
    /// What was seen of the loop in the run itself, once that is there.
    pub whole: Option<Rc<Iterations>>,
}

/// The loop: its module and the instruction.
type Key = (SharedModule, InstructionId);

/// The table; nothing where the instruction is no loop.
#[component]
pub fn LoopStates(props: &LoopStatesProps) -> Html {
    let context = use_say();
    let tell = |key: &'static str| context.tell(&Message::engine(key));
    let run = Experiment { cursor: 0, leaf: 0, ..(*props.experiment).clone() };
    // Another loop begins anew.
    let key = (props.module.clone(), props.focus);
    let is_loop = use_memo(key.clone(), |(module, focus)| is_loop(&module.0, *focus));
    let found = use_state(|| None::<Rc<(Key, LoopAnswer)>>);
    {
        let (found, is_wanted) = (found.setter(), *is_loop && props.whole.is_none());
        use_effect_with((run, key.clone(), is_wanted), move |(experiment, key, is_wanted)| {
            let (experiment, key) = (experiment.clone(), key.clone());
            // In a task of its own: the experiment itself has just been tried.
            let timer = is_wanted.then(|| {
                Timeout::new(0, move || {
                    let end = Date::now() + PAGE_RUN_MS;
                    let is_over = || Date::now() >= end;
                    let asked = iterations(&experiment, &key.0.0, key.1, (AT_ONCE, &is_over), parts);
                    found.set(asked.map(|asked| Rc::new((key, asked))));
                })
            });
            move || drop(timer)
        });
    }
    let chosen = use_state_eq(|| (key.clone(), 0_usize));
    let node = use_node_ref();
    let asked = (*found).as_ref().filter(|_| *is_loop);
    let carried = props.whole.as_deref().or(match asked.map(|of| &of.1) {
        Some(LoopAnswer::Carried(found)) => Some(found),
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
    let Some(found) = carried else {
        return html! {
            if asked.is_some() {
                <section class="iterations" aria-labelledby="h-iterations">
                    <h2 id="h-iterations">{tell("iterations")}</h2>
                    <p class="dim" id="iterations-call">{tell("iterations-call")}</p>
                </section>
            }
        };
    };
    // Until this loop has been looked at, it is the one before.
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
    let number = |n: usize| grouped(i64::try_from(n).unwrap_or(i64::MAX));
    let said = context
        .tell(&Message::engine("iteration-of").with("number", number(at)).with("count", number(count)));
    let columns = found.states.first().map_or(0, Vec::len);
    let head = (0..columns).map(|i| html! { <th scope="col">{format!("out.{i}")}</th> });
    // As many rows as there are around the middle, also at the ends.
    let first = at.saturating_sub(AROUND).min(count.saturating_sub(2 * AROUND));
    let rows = found.states.iter().enumerate().skip(first).take(2 * AROUND + 1).map(|(i, state)| {
        let go = go.clone();
        let before = i.checked_sub(1).and_then(|i| found.states.get(i));
        let cells = state.iter().enumerate().map(|(c, text)| {
            let same = before.is_some_and(|before| before.get(c) == Some(text));
            html! { <td class={classes!("mono", same.then_some("dim"))}>{text}</td> }
        });
        html! {
            <tr key={i} aria-current={(i == at).then_some("step")} onclick={Callback::from(move |_: MouseEvent| go.emit(i))}>
                <th scope="row">{number(i)}</th>{for cells}
            </tr>
        }
    });
    html! {
        <section class="iterations" aria-labelledby="h-iterations" aria-busy={is_busy.to_string()}>
            <h2 id="h-iterations">{tell("iterations")}</h2>
            <div class="inner">
                <button class="btn tiny" id="iteration-previous" onclick={step(at.checked_sub(1))} disabled={at == 0}
                    aria-label={tell("iteration-previous")} title={tell("iteration-previous")}>{"‹"}</button>
                <input type="range" id="iteration" ref={node} min="0" max={count.to_string()} {oninput}
                    aria-label={tell("iteration")} aria-valuetext={said.clone()} />
                <button class="btn tiny" id="iteration-next" onclick={step(Some(at + 1))} disabled={at == count}
                    aria-label={tell("iteration-next")} title={tell("iteration-next")}>{"›"}</button>
                <output class="mono" id="iteration-said" for="iteration">{said}</output>
            </div>
            <div class="scrolls" tabindex="0" role="group" aria-label={tell("iterations")}>
                <table class="states" id="states">
                    <thead><tr><th scope="col">{tell("iteration")}</th>{for head}</tr></thead>
                    <tbody>{for rows}</tbody>
                </table>
            </div>
            if columns == MAX_PARTS { <p class="dim">{context.tell(&Message::engine("iterations-first").with("count", MAX_PARTS))}</p> }
            if found.is_cut { <p class="dim" id="iterations-cut">{tell("iterations-cut")}</p> }
        </section>
    }
}
