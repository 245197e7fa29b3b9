//! What an op is: its name, a sentence, its formula, its rules, and its examples.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::documents::Sections;
use super::meta::Meta;
use crate::app::components::select::use_chosen;
use crate::app::context::use_app_context;
use crate::i18n::Message;
use crate::state::experiment::preset;
use crate::state::experiment::session::Action;

/// Properties of [`About`].
#[derive(Clone, PartialEq, Properties)]
pub struct AboutProps {
    /// The op.
    pub meta: Meta,
    /// The instruction in one line.
    pub signature: AttrValue,
}

/// The op's name, a sentence and the signature of the instruction.
#[component]
pub fn About(props: &AboutProps) -> Html {
    let context = use_app_context();
    let meta = props.meta.0;
    let text = |key: &'static str| context.text(&Message::engine(key));
    html! {
        <section class="about" aria-labelledby="op-title">
            <div class="about-head">
                <h2 id="op-title">{meta.title}{" "}<code class="dim">{meta.opcode}</code></h2>
                <Sections meta={props.meta} />
            </div>
            <p class="summary">{text(meta.summary)}</p>
            <p class="signature" tabindex="0"><code>{&props.signature}</code></p>
        </section>
    }
}

/// Properties of [`Presets`].
#[derive(Clone, PartialEq, Properties)]
pub struct PresetsProps {
    /// The op.
    pub meta: Meta,
    /// The text of the experiment, which identifies the selected example.
    pub text: AttrValue,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// The choice of an example, if there are several.
#[component]
pub fn Presets(props: &PresetsProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::engine(key));
    let presets = use_memo(props.meta, |meta| {
        let plain = preset::of_op(meta.0).map(|preset| (preset.number, preset.label(), preset.experiment()));
        // Examples with host and devices are labelled by their module's name.
        let label = |text: &str| crate::hlo::parse(text).module.name.replace('_', " ");
        let op = crate::ops::all().find(|op| op.meta().opcode == meta.0.opcode);
        let staged = op.into_iter().flat_map(preset::staged_examples);
        let staged = (meta.0.examples.len()..).zip(staged).map(|(number, e)| (number, label(&e.text), e));
        plain.chain(staged).collect::<Vec<_>>()
    });
    let present = presets.iter().position(|(_, _, experiment)| experiment.text == props.text.as_str());
    let node = use_chosen(present.map(|i| i.to_string()).unwrap_or_default());
    if presets.len() < 2 {
        return Html::default();
    }
    let onchange = {
        let (dispatch, presets) = (props.dispatch.clone(), presets.clone());
        Callback::from(move |event: Event| {
            let chosen = event.target_unchecked_into::<HtmlSelectElement>().value().parse::<usize>();
            if let Some((_, _, experiment)) = chosen.ok().and_then(|i| presets.get(i)) {
                dispatch.emit(Action::Load(Box::new(experiment.clone())));
            }
        })
    };
    let options = presets.iter().enumerate().map(|(i, (number, label, _))| {
        let text = format!("{}. {label}", number + 1);
        html! { <option value={i.to_string()} selected={present == Some(i)}>{text}</option> }
    });
    html! {
        <select class="btn small presets" id="presets" ref={node} {onchange} aria-label={text("op-examples")}>
            <option value="" selected={present.is_none()}>{text("op-examples")}</option>
            {for options}
        </select>
    }
}

/// Properties of [`Rules`].
#[derive(Clone, PartialEq, Properties)]
pub struct RulesProps {
    /// The op.
    pub meta: Meta,
}

/// The op's formula and the rules it checks.
#[component]
pub fn Rules(props: &RulesProps) -> Html {
    let context = use_app_context();
    let meta = props.meta.0;
    let text = |key: &'static str| context.text(&Message::engine(key));
    let rules = meta.rules.iter().map(|rule| {
        html! { <li><span class="rule">{rule.label}</span>{" "}{text(rule.description)}</li> }
    });
    // Formulas without words need no translation.
    let formula = Message::engine_named(&format!("formula-{}", meta.opcode))
        .map_or_else(|| meta.formula.into(), |formula| context.text(&formula));
    html! {
        <section class="rules" aria-labelledby="h-rules">
            <h2 id="h-rules">{text("op-definition")}</h2>
            <p class="formula"><span>{formula}</span></p>
            <ul>{for rules}</ul>
        </section>
    }
}
