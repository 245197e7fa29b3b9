//! Modal dialogs as native `<dialog>` elements: Escape closes them, and they trap the focus.

use web_sys::HtmlDialogElement;
use yew::prelude::*;

use crate::app::context::use_app_context;

/// Properties of [`Modal`].
#[derive(Clone, PartialEq, Properties)]
pub struct ModalProps {
    /// Id of the dialog.
    pub id: AttrValue,
    /// The heading of the dialog.
    pub title: AttrValue,
    /// Closes the dialog.
    pub close: Callback<()>,
    /// The content below the heading.
    pub children: Html,
}

/// A modal dialog.
#[component]
pub fn Modal(props: &ModalProps) -> Html {
    let context = use_app_context();
    let node = use_node_ref();
    {
        let node = node.clone();
        use_effect_with((), move |()| {
            let dialog = node.cast::<HtmlDialogElement>();
            if let Some(dialog) = &dialog {
                // This fails only if the dialog is already open.
                let _ = dialog.show_modal();
            }
            // Only `close` restores the focus; removing an open dialog does not.
            move || {
                if let Some(dialog) = dialog.filter(HtmlDialogElement::open) {
                    dialog.close();
                }
            }
        });
    }
    let onclose = props.close.reform(|_: Event| ());
    let onclick = props.close.reform(|_: MouseEvent| ());
    let close_on_backdrop = {
        let (close, node) = (props.close.clone(), node.clone());
        Callback::from(move |event: MouseEvent| {
            // The target of a click on the backdrop is the dialog itself.
            if event.target().is_some_and(|t| node.get().is_some_and(|n| *t == **n)) {
                close.emit(());
            }
        })
    };
    let heading = format!("{}-title", props.id);
    html! {
        <dialog id={&props.id} ref={node} aria-labelledby={heading.clone()} {onclose} onclick={close_on_backdrop}>
            <div class="sheet">
                <div class="sheet-head">
                    <h2 id={heading}>{&props.title}</h2>
                    <button class="btn icon" {onclick} aria-label={context.text_of_key("close")} title={context.text_of_key("close")}>
                        {"×"}
                    </button>
                </div>
                {props.children.clone()}
            </div>
        </dialog>
    }
}
