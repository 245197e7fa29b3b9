//! The result as text: its shape, and its values if they are few.

use yew::prelude::*;

use super::running::RunValues;
use crate::app::context::use_app_context;
use crate::array::value::text::Exactness;
use crate::i18n::Message;
use crate::state::experiment::run::leaves;

/// Maximum number of elements of a result that is printed.
const MAX_WRITTEN_ELEMENTS: i64 = 4_096;

/// Properties of [`Facts`].
#[derive(Clone, PartialEq, Properties)]
pub struct FactsProps {
    /// The values of the run.
    pub values: RunValues,
    /// Whether they predate the current experiment.
    pub is_stale: bool,
}

/// The rows of a literal: a line breaks between them rather than inside, if they fit.
fn rows(literal: &str) -> impl Iterator<Item = Html> {
    literal.split_inclusive("}, ").map(|row| html! { <span class="literal-row">{row}</span> })
}

/// The shape and the values of the result as text.
#[component]
pub fn Facts(props: &FactsProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::ops(key));
    let value_text = use_memo(props.values.clone(), |RunValues { finished, focus }| {
        let value = finished.value(*focus);
        let elements =
            |value: &_| leaves(value).iter().map(|(_, array)| array.memory_map().elements()).sum::<i64>();
        let value = value.filter(|value| elements(value) <= MAX_WRITTEN_ELEMENTS);
        value.map(|value| AttrValue::from(value.to_literal().text(Exactness::Xla)))
    });
    let RunValues { finished, focus } = &props.values;
    let shape =
        finished.module().entry_computation().and_then(|entry| Some(entry.get(*focus)?.shape.to_string()));
    html! {
        <section>
            <h2>{text("result")}if props.is_stale { {" "}<span class="stale">{text("stale")}</span> }</h2>
            <dl class="kv">
                <dt>{text("result-shape")}</dt><dd id="result-shape">{shape.unwrap_or_default()}</dd>
                if let Some(value) = &*value_text {
                    <dt>{text("result-value")}</dt>
                    <dd><pre class="strip-text" id="result-value" tabindex="0">{for rows(value)}</pre></dd>
                }
            </dl>
            if finished.is_partial() { <p class="dim" id="left-out">{text("run-left-out")}</p> }
        </section>
    }
}
