//! What an op is: its name, a sentence, its formula, its rules, and its examples to start from.

use yew::prelude::*;

use crate::app::context::use_say;
use crate::i18n::Message;
use crate::ops::OpMeta;
use crate::state::experiment::preset;
use crate::state::experiment::session::Action;

/// An op's metadata, compared by its opcode.
#[derive(Clone, Copy)]
pub struct Meta(pub &'static OpMeta);

impl PartialEq for Meta {
    fn eq(&self, other: &Self) -> bool {
        self.0.opcode == other.0.opcode
    }
}

/// Properties of [`About`].
#[derive(Clone, PartialEq, Properties)]
pub struct AboutProps {
    /// The op.
    pub meta: Meta,
    /// The instruction in one line.
    pub signature: AttrValue,
    /// Carries out actions.
    pub dispatch: Callback<Action>,
}

/// Name, sentence, formula, examples.
#[component]
pub fn About(props: &AboutProps) -> Html {
    let context = use_say();
    let meta = props.meta.0;
    let tell = |key: &'static str| context.tell(&Message::engine(key));
    let presets: Vec<_> = preset::of(meta).collect();
    let examples = presets.iter().map(|preset| {
        let (dispatch, chosen) = (props.dispatch.clone(), *preset);
        let onclick = Callback::from(move |_: MouseEvent| {
            dispatch.emit(Action::Load(Box::new(chosen.experiment())));
        });
        html! {
            <button class="btn small preset" id={format!("preset-{}", preset.number)} {onclick}>
                {preset.label()}
            </button>
        }
    });
    html! {
        <section class="about" aria-labelledby="op-title">
            <h2 id="op-title">{meta.title}{" "}<code class="dim">{meta.opcode}</code></h2>
            <p class="summary">{tell(meta.summary)}</p>
            <p class="signature"><code>{&props.signature}</code></p>
            if presets.len() > 1 {
                <div class="presets" role="group" aria-label={tell("op-examples")}>{for examples}</div>
            }
        </section>
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
    let context = use_say();
    let meta = props.meta.0;
    let tell = |key: &'static str| context.tell(&Message::engine(key));
    let rules = meta.rules.iter().map(|rule| {
        html! { <li><span class="rule">{rule.label}</span>{" "}{tell(rule.says)}</li> }
    });
    html! {
        <section class="rules" aria-labelledby="h-rules">
            <h2 id="h-rules">{tell("op-definition")}</h2>
            <p class="formula"><span>{meta.formula}</span></p>
            <ul>{for rules}</ul>
        </section>
    }
}
