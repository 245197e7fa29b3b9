//! The selected instruction: its breadcrumb, the bodies it calls, its neighbours and its properties.

use std::rc::Rc;

use yew::prelude::*;

use super::breadcrumb::breadcrumb;
use super::details_view::{bodies, details};
use super::neighbourhood::Neighbourhood;
use crate::app::context::Context;
use crate::i18n::Message;
use crate::state::program::session::Action;
use crate::worker::program::wire::Details;

/// The selected instruction; empty until its details are known.
pub fn selected_part(context: &Context, shown: Option<&Rc<Details>>, dispatch: &Callback<Action>) -> Html {
    let label = context.text(&Message::program("program-selected"));
    html! {
        <section class="selected-part" id="program-selected" aria-label={label} data-name={shown.map(|details| details.row.name.clone())}>
            if let Some(shown) = shown {
                {breadcrumb(context, shown, dispatch)}
                {bodies(context, shown, dispatch)}
                <Neighbourhood details={shown.clone()} dispatch={dispatch.clone()} />
                {details(context, shown)}
            }
        </section>
    }
}
