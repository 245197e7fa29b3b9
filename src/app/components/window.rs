//! A window over a long list: only some entries are rendered, with buttons for the previous and next ones and a field
//! for an index.

use std::ops::Range;

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::context::{Context, grouped};
use crate::i18n::Message;

/// The number of entries of a window.
pub const WINDOW_SIZE: usize = 32;

/// The entries in the window.
#[derive(Clone, PartialEq)]
pub struct ListWindow {
    /// The indices of the entries.
    pub range: Range<usize>,
    /// The number of entries.
    pub total: usize,
    /// Moves the window to an entry.
    pub move_to: Callback<usize>,
}

/// A window over `total` entries. Whenever `shows` changes, the window moves to that entry.
#[hook]
pub fn use_window(total: usize, shows: Option<usize>) -> ListWindow {
    let state = use_state_eq(|| (0_usize, None::<usize>));
    let (mut first, last_shown) = *state;
    if let Some(entry) = shows.filter(|_| shows != last_shown)
        && !(first..first.saturating_add(WINDOW_SIZE)).contains(&entry)
    {
        first = entry / WINDOW_SIZE * WINDOW_SIZE;
    }
    // Without an entry to show, the last one is remembered.
    let shows = shows.or(last_shown);
    first = first.min(total.saturating_sub(1) / WINDOW_SIZE * WINDOW_SIZE);
    {
        let state = state.setter();
        use_effect_with((first, shows), move |now| state.set(*now));
    }
    let move_to = {
        let state = state.setter();
        Callback::from(move |entry: usize| {
            state.set((entry.min(total.saturating_sub(1)) / WINDOW_SIZE * WINDOW_SIZE, shows));
        })
    };
    ListWindow { range: first..first.saturating_add(WINDOW_SIZE).min(total), total, move_to }
}

/// The displayed range, and controls that move the window; nothing if all entries are displayed. `id` is the prefix of the
/// element ids, `label` the accessible name of the list.
pub fn window_bar(context: &Context, id: &str, label: AttrValue, window: &ListWindow) -> Html {
    let ListWindow { range, total, move_to } = window;
    if *total <= WINDOW_SIZE {
        return Html::default();
    }
    let number = |n: usize| grouped(i64::try_from(n).unwrap_or(i64::MAX));
    let shown = Message::new("window-shown")
        .with("first", number(range.start))
        .with("last", number(range.end.saturating_sub(1)))
        .with("total", number(*total));
    let step = |direction: &str, to: Option<usize>, key: &'static str, sign: &'static str| {
        let onclick = {
            let move_to = move_to.clone();
            Callback::from(move |_: MouseEvent| {
                if let Some(to) = to {
                    move_to.emit(to);
                }
            })
        };
        let label = context.text(&Message::new(key).with("count", WINDOW_SIZE));
        html! {
            <button class="btn tiny" id={format!("{id}-{direction}")} {onclick} disabled={to.is_none()}
                aria-label={label.clone()} title={label}>{sign}</button>
        }
    };
    let find = {
        let (move_to, last) = (move_to.clone(), total.saturating_sub(1));
        Callback::from(move |event: Event| {
            let input: HtmlInputElement = event.target_unchecked_into();
            if let Ok(entry) = input.value().trim().parse::<usize>() {
                move_to.emit(entry.min(last));
            }
        })
    };
    let field = format!("{id}-find");
    html! {
        <div class="row wrap window" id={id.to_owned()} role="group" aria-label={label}>
            {step("previous", range.start.checked_sub(WINDOW_SIZE), "window-previous", "‹")}
            <span role="status">{context.text(&shown)}</span>
            {step("next", Some(range.end).filter(|end| end < total), "window-next", "›")}
            <label for={field.clone()}>{context.text_of_key("window-find")}</label>
            <input class="step" type="number" id={field} min="0" max={(total - 1).to_string()} onchange={find} />
        </div>
    }
}
