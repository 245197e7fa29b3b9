//! Opens a program on the Program screen: one that was pasted and is too large for this screen, or the shown one.

use web_sys::{ClipboardEvent, DataTransfer, DragEvent};
use yew::prelude::*;

use crate::app::context::{Context, grouped};
use crate::app::link;
use crate::i18n::Message;
use crate::state::document::ValueRule;
use crate::state::program::handoff::{instruction_lines, is_large, to_program};
use crate::state::program::link::is_stored;
use crate::state::program::source_text::SourceText;

/// Opens text, with the values of its parameters as the Ops screen has them.
pub fn open_in_program(text: &str, values: &[ValueRule], parameter_count: usize) {
    let text = SourceText::new(text);
    if is_stored(&text) {
        link::store_program_text(&text.key(), text.text());
    }
    // The page reloads, and loads that screen.
    let _ = gloo::utils::window().location().set_hash(&to_program(text, values, parameter_count));
}

/// The text that is pasted or dropped, if it is too large for this screen. Its insertion into a field is prevented: the
/// browser would lay out, and the page would read, all of it.
fn intercept(event: &Event, data: Option<DataTransfer>) -> Option<AttrValue> {
    let text = data?.get_data("text/plain").ok().filter(|text| is_large(text))?;
    event.prevent_default();
    Some(text.into())
}

/// A large text that is offered to open elsewhere, and the events of a field that it comes from.
#[derive(Clone, PartialEq)]
pub struct LargePaste {
    offered: UseStateHandle<Option<AttrValue>>,
    /// For the field's `onpaste`.
    pub onpaste: Callback<Event>,
    /// For the field's `ondrop`.
    pub ondrop: Callback<DragEvent>,
}

/// The offer of a field.
#[hook]
pub fn use_large_paste() -> LargePaste {
    let offered = use_state_eq(|| None::<AttrValue>);
    let onpaste = {
        let offered = offered.setter();
        use_callback((), move |event: Event, ()| {
            let data = wasm_bindgen::JsCast::dyn_ref::<ClipboardEvent>(&event)
                .and_then(ClipboardEvent::clipboard_data);
            offered.set(intercept(&event, data));
        })
    };
    let ondrop = {
        let offered = offered.setter();
        use_callback((), move |event: DragEvent, ()| offered.set(intercept(&event, event.data_transfer())))
    };
    LargePaste { offered, onpaste, ondrop }
}

impl LargePaste {
    /// Offers text if it is too large; returns whether it is.
    pub fn offer(&self, text: &str) -> bool {
        let is_large = is_large(text);
        self.offered.set(is_large.then(|| text.to_owned().into()));
        is_large
    }

    /// The offer, if there is one.
    pub fn notice(&self, context: &Context) -> Html {
        let Some(text) = (*self.offered).clone() else { return Html::default() };
        let lines = grouped(i64::try_from(instruction_lines(&text)).unwrap_or(i64::MAX));
        let message = Message::ops("large-program").with("instructions", lines);
        let open = Callback::from(move |_: MouseEvent| open_in_program(&text, &[], 0));
        let offered = self.offered.clone();
        let dismiss = Callback::from(move |_: MouseEvent| offered.set(None));
        html! {
            <div class="notice mild" id="large-program" role="alert">
                <p>{context.text(&message)}</p>
                <span class="row wrap">
                    <button type="button" class="btn primary" id="open-large-program" onclick={open}>
                        {context.text(&Message::ops("open-in-program"))}
                    </button>
                    <button type="button" class="btn" onclick={dismiss}>{context.text_of_key("close")}</button>
                </span>
            </div>
        }
    }
}
