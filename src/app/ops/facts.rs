//! What a run gave, in words: the result's shape, its values where they are few, the steps.

use yew::prelude::*;

use super::running::Values;
use crate::app::context::{grouped, use_say};
use crate::array::value::text::Exactness;
use crate::i18n::Message;
use crate::state::experiment::run::leaves;

/// Results of up to so many elements are written out.
const WRITTEN: i64 = 4_096;

/// Properties of [`Facts`].
#[derive(Clone, PartialEq, Properties)]
pub struct FactsProps {
    /// The values.
    pub values: Values,
}

/// The facts.
#[component]
pub fn Facts(props: &FactsProps) -> Html {
    let context = use_say();
    let tell = |key: &'static str| context.tell(&Message::engine(key));
    let written = use_memo(props.values.clone(), |Values { ran, focus }| {
        let value = ran.value(*focus);
        let elements = |value: &_| leaves(value).iter().map(|(_, array)| array.map().elements()).sum::<i64>();
        let value = value.filter(|value| elements(value) <= WRITTEN);
        value.map(|value| AttrValue::from(value.to_literal().text(Exactness::Xla)))
    });
    let Values { ran, focus } = &props.values;
    let shape = ran.module().entry_computation().and_then(|entry| Some(entry.get(*focus)?.shape.to_string()));
    html! {
        <section>
            <h2>{tell("result")}</h2>
            <dl class="kv">
                <dt>{tell("result-shape")}</dt><dd id="result-shape">{shape.unwrap_or_default()}</dd>
                if let Some(value) = &*written {
                    <dt>{tell("result-value")}</dt>
                    <dd><pre class="strip-text" id="result-value" tabindex="0">{value}</pre></dd>
                }
                <dt>{tell("steps")}</dt><dd id="result-steps">{grouped(i64::try_from(ran.steps).unwrap_or(i64::MAX))}</dd>
            </dl>
            if ran.is_partial() { <p class="dim" id="left-out">{tell("run-left-out")}</p> }
        </section>
    }
}
