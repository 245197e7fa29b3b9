//! The simulated devices: how many the program runs on, and which one's values are shown.

use std::rc::Rc;

use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::reading::Reading;
use crate::app::context::{Context, grouped, use_app_context};
use crate::i18n::Message;
use crate::state::program::link::MAX_DEVICES;
use crate::state::program::session::{Action, Session};
use crate::worker::program::wire::DeviceCounts;

/// The name of a device beside a cell that it has.
pub fn device_name(context: &Context, device: u32) -> AttrValue {
    let number = device.saturating_add(1);
    context.text(&Message::program("program-on-device").with("number", u64::from(number)))
}

/// Says that a run of another view uses one device, if the program runs on several.
pub fn single_device_note(context: &Context, reading: &Reading, session: &Session) -> Html {
    if reading.devices(session) == 1 {
        return Html::default();
    }
    html! { <p class="dim single-device">{context.text(&Message::program("program-devices-single"))}</p> }
}

/// Properties of [`DevicesField`].
#[derive(Clone, PartialEq, Properties)]
struct DevicesFieldProps {
    counts: DeviceCounts,
    /// The number of devices that the program runs on.
    devices: u32,
    has_parameters: bool,
    dispatch: Callback<Action>,
}

/// The number of devices, and what each of them gets.
#[component]
fn DevicesField(props: &DevicesFieldProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    let problem = use_state_eq(|| None::<Message>);
    let node = use_node_ref();
    {
        let (node, problem) = (node.clone(), problem.setter());
        // The field keeps what was typed last, also when the history has restored another number.
        use_effect_with(props.devices, move |devices| {
            problem.set(None);
            if let Some(input) = node.cast::<HtmlInputElement>() {
                input.set_value(&devices.to_string());
            }
        });
    }
    let onchange = {
        let (dispatch, counts, problem) = (props.dispatch.clone(), props.counts, problem.setter());
        Callback::from(move |event: Event| {
            let typed = event.target_unchecked_into::<HtmlInputElement>().value();
            match chosen_devices(&typed, counts) {
                Ok(devices) => {
                    problem.set(None);
                    dispatch
                        .emit(Action::SetDevices(Some(devices).filter(|count| *count != counts.declared)));
                }
                Err(message) => problem.set(Some(message)),
            }
        })
    };
    let problem_id = problem.is_some().then_some("program-devices-problem");
    let note_id = props.has_parameters.then_some("program-devices-note");
    let described: Vec<&str> = problem_id.into_iter().chain(note_id).collect();
    html! {
        <div class="devices">
            <p class="field row">
                <label for="program-devices">{text("program-devices")}</label>
                <input type="number" class="step" id="program-devices" ref={node} min="1" max={MAX_DEVICES.to_string()} {onchange}
                    aria-describedby={described.join(" ")} aria-invalid={problem.is_some().then_some("true")} />
            </p>
            if let Some(problem) = &*problem { <p class="error-line" role="alert" id={problem_id}>{context.text(problem)}</p> }
            if props.has_parameters { <p class="dim" id={note_id}>{text("program-devices-note")}</p> }
        </div>
    }
}

/// The number of devices that was typed.
fn chosen_devices(typed: &str, counts: DeviceCounts) -> Result<u32, Message> {
    let devices: Option<u32> = typed.trim().parse().ok().filter(|count| (1..=MAX_DEVICES).contains(count));
    match devices {
        None => Err(Message::program("program-devices-range").with("limit", grouped(MAX_DEVICES.into()))),
        Some(devices) if devices > 1 && !devices.is_multiple_of(counts.partitions) => {
            Err(Message::program("program-devices-multiple").with("partitions", u64::from(counts.partitions)))
        }
        Some(devices) => Ok(devices),
    }
}

/// The field of the number of devices, if the program can differ between devices.
pub fn devices_field(reading: &Reading, session: &Session, dispatch: &Callback<Action>) -> Html {
    let counts = reading.device_counts();
    let devices = reading.devices(session);
    if !counts.concerns_several() && devices == 1 {
        return Html::default();
    }
    let has_parameters = reading.opened.as_ref().is_some_and(|opened| !opened.parameters.is_empty());
    html! { <DevicesField {counts} {devices} {has_parameters} dispatch={dispatch.clone()} /> }
}

/// The choice of the device whose values are shown, if there are several.
pub fn device_selector(
    context: &Context,
    reading: &Reading,
    session: &Rc<Session>,
    dispatch: &Callback<Action>,
) -> Html {
    let text = |key: &'static str| context.text(&Message::program(key));
    let (devices, device) = (reading.devices(session), reading.device(session));
    if devices == 1 {
        return Html::default();
    }
    // As the evaluator numbers them: by replica, then by partition.
    let partitions = reading.device_counts().partitions;
    let position = Message::program("program-device-position")
        .with("device", u64::from(device))
        .with("replica", u64::from(device / partitions))
        .with("partition", u64::from(device % partitions));
    let label = Message::program("program-device")
        .with("number", u64::from(device) + 1)
        .with("count", u64::from(devices));
    let onchange = {
        let dispatch = dispatch.clone();
        Callback::from(move |event: Event| {
            if let Ok(device) = event.target_unchecked_into::<HtmlInputElement>().value().parse() {
                dispatch.emit(Action::SelectDevice(device));
            }
        })
    };
    let button = |id: &'static str, key: &'static str, arrow: &'static str, to: Option<u32>| {
        let dispatch = dispatch.clone();
        let onclick = Callback::from(move |_: MouseEvent| {
            if let Some(device) = to {
                dispatch.emit(Action::SelectDevice(device));
            }
        });
        html! { <button class="btn tiny" {id} aria-label={text(key)} title={text(key)} disabled={to.is_none()} {onclick}>{arrow}</button> }
    };
    let next = device.checked_add(1).filter(|next| *next < devices);
    html! {
        <div class="device" id="device-selector">
            <p class="field row slider">
                <label for="program-device">{context.text(&label)}</label>
                {button("device-back", "program-device-back", "◂", device.checked_sub(1))}
                <input type="range" id="program-device" min="0" max={(devices - 1).to_string()} value={device.to_string()} {onchange}
                    aria-valuetext={context.text(&label)} aria-describedby="program-device-position" />
                {button("device-on", "program-device-on", "▸", next)}
            </p>
            <p class="dim" id="program-device-position">{context.text(&position)}</p>
        </div>
    }
}
