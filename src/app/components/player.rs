//! The player: steps back and forward, plays, with a scrub bar, a choice of speed, and "Go to".

use gloo::timers::callback::Interval;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::select::Select;
use crate::app::context::{grouped, use_app_context};
use crate::i18n::Message;
use crate::interaction::player::{Effect, Playback};

/// The choices of steps per second.
const SPEEDS: [u32; 5] = [1, 2, 5, 15, 60];

/// The default steps per second.
const DEFAULT_SPEED: u32 = 2;

/// Properties of [`Player`].
#[derive(Clone, PartialEq, Properties)]
pub struct PlayerProps {
    /// The number of cells.
    pub cells: i64,
    /// The current cell.
    pub cursor: i64,
    /// Whether it plays.
    pub is_playing: bool,
    /// Starts or stops playing.
    pub play: Callback<bool>,
    /// Moves to a cell.
    pub move_to: Callback<i64>,
    /// Opens "Go to", if it is available.
    #[prop_or_default]
    pub open_goto: Option<Callback<()>>,
    /// Whether "Go to" is being loaded.
    #[prop_or_default]
    pub is_goto_busy: bool,
    /// The messages that label the controls.
    pub labels: PlayerLabels,
}

/// The messages of the labels.
#[derive(Clone, Copy, Debug)]
pub struct PlayerLabels {
    /// The label of the button that steps back.
    pub previous: fn() -> Message,
    /// The label of the button that steps forward.
    pub next: fn() -> Message,
    /// The scrub bar.
    pub scrub_bar: fn() -> Message,
    /// "slot 3 of 14"; arguments `slot` and `last`.
    pub position: fn(String, String) -> Message,
    /// The reason why a single cell cannot be played.
    pub single_cell: Option<fn() -> Message>,
}

impl PartialEq for PlayerLabels {
    /// The labels of a screen never change.
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl PlayerLabels {
    /// The labels for stepping through memory slots.
    pub const SLOTS: Self = Self {
        previous: || Message::new("previous-slot"),
        next: || Message::new("next-slot"),
        scrub_bar: || Message::new("memory-slot"),
        position: |slot, last| Message::new("slot-of").with("slot", slot).with("last", last),
        single_cell: None,
    };

    /// The labels for stepping through the cells of a result.
    pub const OUTPUTS: Self = Self {
        previous: || Message::ops("previous-output"),
        next: || Message::ops("next-output"),
        scrub_bar: || Message::ops("output-cell"),
        position: |cell, last| Message::ops("output-of").with("cell", cell).with("last", last),
        single_cell: Some(|| Message::ops("output-alone")),
    };
}

/// The controls that step through cells, or play them.
#[component]
pub fn Player(props: &PlayerProps) -> Html {
    let context = use_app_context();
    let speed = use_state_eq(|| DEFAULT_SPEED);
    let last = (props.cells - 1).max(0);
    let perform = {
        let (move_to, play) = (props.move_to.clone(), props.play.clone());
        move |effect| match effect {
            Effect::MoveTo(to) => move_to.emit(to),
            Effect::SetPlaying(on) => play.emit(on),
        }
    };
    let playback = Playback { cursor: props.cursor, last, is_playing: props.is_playing };
    {
        // Each step changes the effect's dependency and so sets the next timer.
        let perform = perform.clone();
        use_effect_with((playback, *speed), move |(playback, speed)| {
            let playback = *playback;
            let tick = move || perform(playback.tick());
            let timer = playback.is_playing.then(|| Interval::new(1_000 / (*speed).max(1), tick));
            move || drop(timer)
        });
    }
    let step = |by: i64| {
        let to = playback.step(by);
        props.move_to.reform(move |_: MouseEvent| to)
    };
    let toggle = Callback::from(move |_: MouseEvent| playback.toggle().into_iter().for_each(&perform));
    let scrub = {
        let move_to = props.move_to.clone();
        Callback::from(move |event: InputEvent| {
            let input: HtmlInputElement = event.target_unchecked_into();
            // A slider's value is always a number.
            if let Ok(to) = input.value().parse() {
                move_to.emit(to);
            }
        })
    };
    let node = use_node_ref();
    {
        // The property is set, because the attribute has only the initial value.
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
            (s.to_string().into(), context.text(&Message::new("speed-option").with("steps", i64::from(*s))))
        })
        .collect();
    let choose_speed = {
        let speed = speed.clone();
        Callback::from(move |value: AttrValue| {
            // All options are numbers.
            if let Ok(steps) = value.parse() {
                speed.set(steps);
            }
        })
    };
    let labels = props.labels;
    let position = context.text(&(labels.position)(grouped(props.cursor), grouped(last)));
    let is_empty = props.cells == 0;
    let not_playable =
        (props.cells == 1).then_some(labels.single_cell).flatten().map(|reason| context.text(&reason()));
    let is_playable = !is_empty && not_playable.is_none();
    html! {
        <section class="player" aria-label={context.text_of_key("player")}>
            <button class="btn icon" id="previous" onclick={step(-1)} disabled={is_empty || props.cursor == 0}
                aria-label={context.text(&(labels.previous)())} title={context.text(&(labels.previous)())}>{"‹"}</button>
            <button class="btn play" id="play" onclick={toggle} disabled={!is_playable} title={not_playable} aria-pressed={props.is_playing.to_string()}>
                {context.text_of_key(if props.is_playing { "pause" } else { "play" })}
            </button>
            <button class="btn icon" id="next" onclick={step(1)} disabled={is_empty || props.cursor == last}
                aria-label={context.text(&(labels.next)())} title={context.text(&(labels.next)())}>{"›"}</button>
            <input type="range" id="scrub" ref={node} min="0" max={last.to_string()} step="1" oninput={scrub}
                disabled={is_empty} aria-label={context.text(&(labels.scrub_bar)())} aria-valuetext={position.clone()} />
            <output class="mono" for="scrub">{position}</output>
            <Select id="speed" label={context.text_of_key("speed")} hide_label=true options={speeds}
                value={speed.to_string()} onchange={choose_speed} />
            if let Some(open_goto) = &props.open_goto {
                <button class="btn" id="goto" onclick={open_goto.reform(|_: MouseEvent| ())} disabled={is_empty}
                    aria-busy={props.is_goto_busy.then_some("true")}>
                    {context.text_of_key("go-to")}
                </button>
            }
        </section>
    }
}
