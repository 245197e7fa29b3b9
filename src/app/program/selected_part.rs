//! The selected instruction: its breadcrumb, the bodies it calls, its neighbours and its properties.

use std::rc::Rc;

use yew::prelude::*;

use super::breadcrumb::breadcrumb;
use super::details_view::{bodies, details};
use super::neighbourhood::Neighbourhood;
use crate::app::context::Context;
use crate::i18n::Message;
use crate::state::program::session::Action;
use crate::state::program::view::View;
use crate::worker::program::wire::Details;

/// The selected instruction; empty until its details are known. In a view without values, `leads_to_value` adds a button that shows its
/// value.
pub fn selected_part(
    context: &Context,
    shown: Option<&Rc<Details>>,
    leads_to_value: bool,
    dispatch: &Callback<Action>,
) -> Html {
    let label = context.text(&Message::program("program-selected"));
    let show_value = dispatch.reform(|_: MouseEvent| Action::Show(View::Read));
    html! {
        <section class="selected-part" id="program-selected" aria-label={label} data-name={shown.map(|details| details.row.name.clone())}>
            if let Some(shown) = shown {
                {breadcrumb(context, shown, dispatch)}
                if leads_to_value {
                    <button class="btn small" id="program-show-value" onclick={show_value}>{context.text(&Message::program("program-show-value"))}</button>
                }
                {bodies(context, shown, dispatch)}
                <Neighbourhood details={shown.clone()} dispatch={dispatch.clone()} />
                {details(context, shown)}
            }
        </section>
    }
}
