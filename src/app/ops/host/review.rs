//! The code of a link, displayed for review before it may run: all of it, wrapped, with invisible characters as
//! escapes.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{Element, ResizeObserver};
use yew::prelude::*;

use crate::app::context::use_app_context;
use crate::i18n::Message;
use crate::state::experiment::review::{MAX_FUNCTION_BYTES, Part, lines};

/// Whether a function is short enough to be reviewed.
pub fn is_reviewable(code: &str) -> bool {
    code.len() <= MAX_FUNCTION_BYTES
}

/// Properties of [`Review`].
#[derive(Clone, PartialEq, Properties)]
pub struct ReviewProps {
    /// The element's id.
    pub id: String,
    /// The code of the function to review.
    pub code: String,
    /// Called once its end was visible.
    pub on_reviewed: Callback<()>,
}

/// Pixels that rounding may leave between the end of the code and the end of the region.
const ROUNDING_SLACK_PIXELS: i32 = 2;

/// Whether the end of the region is visible. A region without layout shows nothing.
fn shows_end(region: &Element) -> bool {
    let height = region.client_height();
    height > 0 && region.scroll_top() + height + ROUNDING_SLACK_PIXELS >= region.scroll_height()
}

/// The code as a region that can also be scrolled by keys.
#[component]
pub fn Review(props: &ReviewProps) -> Html {
    let context = use_app_context();
    let region = use_node_ref();
    let check_end = {
        let (region, on_reviewed) = (region.clone(), props.on_reviewed.clone());
        Rc::new(move || {
            if region.cast::<Element>().is_some_and(|region| shows_end(&region)) {
                on_reviewed.emit(());
            }
        })
    };
    {
        // After layout, and whenever its size changes.
        let (region, check_end) = (region.clone(), check_end.clone());
        use_effect_with(props.code.clone(), move |_| {
            let callback = Closure::<dyn FnMut()>::new(move || check_end());
            let observer = ResizeObserver::new(callback.as_ref().unchecked_ref()).ok();
            if let (Some(observer), Some(element)) = (&observer, region.cast::<Element>()) {
                element.set_scroll_top(0);
                observer.observe(&element);
            }
            move || {
                if let Some(observer) = observer {
                    observer.disconnect();
                }
                drop(callback);
            }
        });
    }
    let lines = use_memo(props.code.clone(), |code| lines(code));
    let size =
        Message::ops("js-size").with("lines", lines.len()).with("characters", props.code.chars().count());
    let hidden = lines.iter().flatten().filter(|part| matches!(part, Part::Escape(_))).count();
    let label = context.text(&Message::ops("js-review"));
    let size_id = format!("{}-size", props.id);
    let shown = lines.iter().map(|line| {
        let parts = line.iter().map(|part| match part {
            Part::Plain(text) => html! { {text} },
            Part::Escape(text) => html! { <highlight>{text}</highlight> },
        });
        html! { <li><code>{for parts}</code></li> }
    });
    html! {
        <>
            <p class="dim" id={size_id.clone()}>
                {context.text(&size)}
                if hidden > 0 {{" "}<strong>{context.text(&Message::ops("js-hidden").with("count", hidden))}</strong>}
            </p>
            <div class="review" id={props.id.clone()} ref={region} tabindex="0" role="region" aria-label={label}
                aria-describedby={size_id} onscroll={Callback::from(move |_: Event| check_end())}>
                <ol>{for shown}</ol>
            </div>
        </>
    }
}
