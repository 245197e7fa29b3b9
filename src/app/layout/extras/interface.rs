//! The interface of the split module.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::canvas::SharedArray;
use crate::app::components::compare::ComparePanelProps;
use crate::app::components::header::Dialog;
use crate::app::context::Context;
use crate::array::values::ReadUserText;
use crate::state::compression::Compression;
use crate::state::document::Document;
use crate::state::session::Action;

/// The functions of the split module.
pub struct Extras {
    /// The compression of long links.
    pub compression: &'static Compression,
    /// Reads typed values.
    pub read_user_text: ReadUserText,
    /// Renders an open dialog.
    pub dialog: fn(&OpenDialog<'_>) -> Html,
    /// The grid of the compared layout.
    pub second_grid: fn(ComparePanelProps) -> Html,
    /// The memory of the compared layout.
    pub second_strip: fn(ComparePanelProps) -> Html,
    /// The arrays of a tuple.
    pub tuple_tabs: fn(Rc<Document>, Callback<Action>) -> Html,
}

/// The properties of an open dialog.
pub struct OpenDialog<'a> {
    /// Which dialog is open.
    pub dialog: Dialog,
    /// The app's context.
    pub context: &'a Context,
    /// The array; `None` if the shape has none.
    pub array: Option<&'a SharedArray>,
    /// The state of the Layout screen.
    pub document: &'a Rc<Document>,
    /// Dispatches actions.
    pub dispatch: &'a Callback<Action>,
    /// Closes the dialog.
    pub close: &'a Callback<()>,
}
