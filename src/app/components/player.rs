//! Steps through memory: back, play, on, a scrub bar, speed, and a place to go to.

use gloo::timers::callback::Interval;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::header::Dialog;
use super::select::Select;
use crate::app::context::{grouped, use_say};
use crate::i18n::Message;
use crate::state::session::Action;

/// Steps a second that can be chosen.
const SPEEDS: [u32; 5] = [1, 2, 5, 15, 60];

/// Properties of [`Player`].
#[derive(Clone, PartialEq, Properties)]
pub struct PlayerProps {
    /// Slots in all.
    pub cells: i64,
    /// The slot now.
    pub cursor: i64,
    /// Whether it plays.
    pub playing: bool,
    /// Starts or stops playing.
    pub play: Callback<bool>,
    /// Carries out actions.
    pub dispatch: Callback<Action>,
    /// Opens a dialog.
    pub open: Callback<Dialog>,
}

/// The player.
#[component]
pub fn Player(props: &PlayerProps) -> Html {
    let context = use_say();
    let speed = use_state_eq(|| 2_u32);
    let last = (props.cells - 1).max(0);
    {
        // The interval reads the cursor through the effect's dependency: each step sets the next one.
        let (dispatch, play) = (props.dispatch.clone(), props.play.clone());
        use_effect_with(
            (props.playing, props.cursor, *speed, last),
            move |(playing, cursor, speed, last)| {
                let (cursor, last) = (*cursor, *last);
                let timer = playing.then(|| {
                    Interval::new(1_000 / (*speed).max(1), move || {
                        if cursor >= last {
                            play.emit(false);
                        } else {
                            dispatch.emit(Action::Cursor(cursor + 1));
                        }
                    })
                });
                move || drop(timer)
            },
        );
    }
    let step = |by: i64| {
        let (dispatch, to) = (props.dispatch.clone(), (props.cursor + by).clamp(0, last));
        Callback::from(move |_: MouseEvent| dispatch.emit(Action::Cursor(to)))
    };
    let toggle = {
        let (play, playing) = (props.play.clone(), props.playing);
        let (dispatch, at_end) = (props.dispatch.clone(), props.cursor >= last);
        Callback::from(move |_: MouseEvent| {
            if !playing && at_end {
                dispatch.emit(Action::Cursor(0));
            }
            play.emit(!playing);
        })
    };
    let scrub = props.dispatch.reform(|event: InputEvent| {
        let input: HtmlInputElement = event.target_unchecked_into();
        Action::Cursor(input.value().parse().unwrap_or(0))
    });
    let node = use_node_ref();
    {
        // Set as a property: the attribute only gives the first value.
        let node = node.clone();
        use_effect_with((props.cursor, last), move |(cursor, _)| {
            if let Some(input) = node.cast::<HtmlInputElement>() {
                input.set_value(&cursor.to_string());
            }
        });
    }
    let speeds: Vec<(AttrValue, AttrValue)> = SPEEDS
        .iter()
        .map(|s| {
            (s.to_string().into(), context.tell(&Message::new("speed-option").with("steps", i64::from(*s))))
        })
        .collect();
    let choose_speed = {
        let speed = speed.clone();
        Callback::from(move |value: AttrValue| speed.set(value.parse().unwrap_or(2)))
    };
    let goto = props.open.reform(|_: MouseEvent| Dialog::GoTo);
    let where_now = context
        .tell(&Message::new("slot-of").with("slot", grouped(props.cursor)).with("last", grouped(last)));
    let none = props.cells == 0;
    html! {
        <section class="player" aria-label={context.say("player")}>
            <button class="btn icon" id="previous" onclick={step(-1)} disabled={none || props.cursor == 0}
                aria-label={context.say("previous-slot")} title={context.say("previous-slot")}>{"‹"}</button>
            <button class="btn play" id="play" onclick={toggle} disabled={none} aria-pressed={props.playing.to_string()}>
                {context.say(if props.playing { "pause" } else { "play" })}
            </button>
            <button class="btn icon" id="next" onclick={step(1)} disabled={none || props.cursor == last}
                aria-label={context.say("next-slot")} title={context.say("next-slot")}>{"›"}</button>
            <input type="range" id="scrub" ref={node} min="0" max={last.to_string()} step="1" oninput={scrub}
                disabled={none} aria-label={context.say("memory-slot")} aria-valuetext={where_now.clone()} />
            <output class="mono" for="scrub">{where_now}</output>
            <Select id="speed" label={context.say("speed")} hide_label=true options={speeds}
                value={speed.to_string()} onchange={choose_speed} />
            <button class="btn" id="goto" onclick={goto} disabled={none}>{context.say("go-to")}</button>
        </section>
    }
}
