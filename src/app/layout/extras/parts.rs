//! The functions of the split module. Only the split point in `src/main.rs` may name [`EXTRAS`]: any other reference would move
//! these functions into the page's module.

use std::rc::Rc;

use yew::prelude::*;

use super::interface::{Extras, OpenDialog};
use crate::app::components::compare::{ComparePanelProps, SecondGrid, SecondStrip};
use crate::app::components::dialogs::{GoTo, examples, layout_help};
use crate::app::components::header::Dialog;
use crate::app::components::share::Share;
use crate::app::components::tuple_tabs::TupleTabs;
use crate::array::values::read_user_text;
use crate::state::compression::COMPRESSION;
use crate::state::document::Document;
use crate::state::session::Action;

/// All functions of the split module.
pub static EXTRAS: Extras =
    Extras { compression: &COMPRESSION, read_user_text, dialog, second_grid, second_strip, tuple_tabs };

fn dialog(open: &OpenDialog<'_>) -> Html {
    let OpenDialog { dialog, context, array, document, dispatch, close } = *open;
    let close = close.clone();
    match (dialog, array) {
        (Dialog::Examples, _) => examples(context, dispatch, &close),
        (Dialog::Help, _) => layout_help(context, close),
        (Dialog::Share, _) => {
            html! { <Share array={array.cloned()} document={document.clone()} {close} /> }
        }
        (Dialog::GoTo, Some(array)) => {
            html! { <GoTo array={array.clone()} dispatch={dispatch.clone()} {close} /> }
        }
        (Dialog::GoTo, None) => Html::default(),
    }
}

fn second_grid(props: ComparePanelProps) -> Html {
    html! { <SecondGrid ..props /> }
}

fn second_strip(props: ComparePanelProps) -> Html {
    html! { <SecondStrip ..props /> }
}

fn tuple_tabs(document: Rc<Document>, dispatch: Callback<Action>) -> Html {
    html! { <TupleTabs {document} {dispatch} /> }
}
