//! The arrays of a tuple.

use std::rc::Rc;

use yew::prelude::*;

use super::window::{use_window, window_bar};
use crate::app::context::use_app_context;
use crate::state::document::Document;
use crate::state::session::Action;

/// Properties of [`TupleTabs`].
#[derive(Clone, PartialEq, Properties)]
pub struct TupleTabsProps {
    /// The document with the tuple.
    pub document: Rc<Document>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// The tabs for the arrays of a tuple; nothing for a single array.
#[component]
pub fn TupleTabs(props: &TupleTabsProps) -> Html {
    let context = use_app_context();
    let leaves = props.document.leaves();
    let window = use_window(leaves.len(), Some(props.document.leaf));
    if leaves.first().is_none_or(|(path, _)| path.is_empty()) {
        return Html::default();
    }
    let shown = leaves.iter().enumerate().skip(window.range.start).take(window.range.len());
    let tabs = shown.map(|(i, (path, array))| {
        let dispatch = props.dispatch.clone();
        let onclick = Callback::from(move |_: MouseEvent| dispatch.emit(Action::SelectLeaf(i)));
        let path: Vec<String> = path.iter().map(usize::to_string).collect();
        html! {
            <button class="leaf" id={format!("leaf-{i}")} aria-pressed={(i == props.document.leaf).to_string()}
                {onclick}><span class="dim">{format!("{{{}}}", path.join(","))}</span>{" "}<code>{array.to_string()}</code>
            </button>
        }
    });
    html! {
        <>
            {window_bar(&context, "leaves", context.text_of_key("tuple-elements"), &window)}
            <div class="leaves" role="group" aria-label={context.text_of_key("tuple-elements")}>{for tabs}</div>
        </>
    }
}
