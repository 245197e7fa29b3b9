//! The rule code of a diagnostic, folded away.

use yew::prelude::*;

use crate::app::context::Context;

/// The code, which a click or a key shows.
pub fn rule_code(context: &Context, rule: &str) -> Html {
    html! { <details class="rule"><summary>{context.text_of_key("rule-title")}</summary>{rule.to_owned()}</details> }
}
