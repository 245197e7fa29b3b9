//! The spec bar: the shape in XLA's syntax, coloured by dimension, with carets under errors.

use gloo::timers::callback::Timeout;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::rule_code::rule_code;
use crate::app::context::{Context, dimension_class, use_app_context};
use crate::array::text::Parsed;
use crate::diagnostic::{Diagnostic, Span, sort_by_span};
use crate::i18n::Message;
use crate::state::session::Action;

/// Milliseconds without typing after which errors are displayed: an incomplete shape is not an error yet.
const ERROR_DELAY_MS: u32 = 400;

/// Maximum errors that are displayed.
const MAX_DISPLAYED_ERRORS: usize = 3;

/// Properties of [`SpecBar`].
#[derive(Clone, PartialEq, Properties)]
pub struct SpecBarProps {
    /// The text in the bar.
    pub text: AttrValue,
    /// The parsed text.
    pub parsed: Parsed,
    /// Why the last edit by another control was rejected.
    pub rejection: Option<Message>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// The spec bar.
#[component]
pub fn SpecBar(props: &SpecBarProps) -> Html {
    let context = use_app_context();
    let input = use_node_ref();
    let scroll = use_state_eq(|| 0);
    let oninput = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |event: InputEvent| {
            dispatch.emit(Action::Type(event.target_unchecked_into::<HtmlInputElement>().value()));
        })
    };
    let onchange = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |_: Event| dispatch.emit(Action::CommitText))
    };
    let onscroll = {
        let scroll = scroll.clone();
        Callback::from(move |event: Event| {
            scroll.set(event.target_unchecked_into::<HtmlInputElement>().scroll_left());
        })
    };
    let errors = &props.parsed.diagnostics;
    let shows_errors = use_pause(props.text.clone());
    let rejection = props.rejection.as_ref().map(|message| {
        html! { <p class="error-line" id="refusal" role="alert">{context.text(message)}</p> }
    });
    html! {
        <div class="spec-main">
            <label class="sr-only" for="spec">{context.text_of_key("spec-label")}</label>
            <div class={classes!("specline", (!errors.is_empty()).then_some("bad"))}>
                <pre class="paint" aria-hidden="true" style={format!("transform:translateX({}px)", -*scroll)}>
                    {for coloured_pieces(&props.text, &props.parsed)}
                </pre>
                <input id="spec" ref={input} type="text" value={props.text.clone()} {oninput} {onchange} {onscroll}
                    title={context.text_of_key("spec-label")} spellcheck="false" autocomplete="off" autocapitalize="off" maxlength="65536"
                    aria-invalid={(!errors.is_empty()).to_string()} aria-describedby="spec-errors" />
            </div>
            <div id="spec-errors" aria-live="polite">
                if shows_errors {
                    {for errors.iter().take(MAX_DISPLAYED_ERRORS).map(|d| problem(&context, &props.text, d, &props.dispatch))}
                }
                {for rejection}
            </div>
        </div>
    }
}

/// Whether the text has not changed for [`ERROR_DELAY_MS`].
#[hook]
fn use_pause(text: AttrValue) -> bool {
    let paused_text = use_state_eq(|| None::<AttrValue>);
    let is_paused = paused_text.as_ref() == Some(&text);
    use_effect_with(text, move |text| {
        let text = text.clone();
        let timer = Timeout::new(ERROR_DELAY_MS, move || paused_text.set(Some(text)));
        move || drop(timer)
    });
    is_paused
}

/// Maximum coloured numbers. Each needs two elements, and further ones are outside the visible part of the field.
const MAX_COLOURED: usize = 256;

/// The text in pieces, its first numbers in the colours of their dimensions.
fn coloured_pieces(text: &str, parsed: &Parsed) -> Vec<Html> {
    let mut coloured: Vec<(Span, String)> = Vec::new();
    for array in &parsed.spans.arrays {
        for (d, span) in array.dimensions.iter().enumerate() {
            coloured.push((*span, dimension_class(d)));
        }
        for span in &array.minor_to_major {
            if let Some(d) = text.get(span.range()).and_then(|t| t.trim().parse::<usize>().ok()) {
                coloured.push((*span, dimension_class(d)));
            }
        }
        for (d, span) in array.padded.iter().enumerate() {
            coloured.push((*span, dimension_class(d)));
        }
    }
    sort_by_span(&mut coloured, |(span, _)| *span);
    coloured.truncate(MAX_COLOURED);
    let mut out = Vec::new();
    let mut at = 0;
    for (span, class) in coloured {
        if span.start < at || span.end > text.len() {
            continue;
        }
        if let (Some(before), Some(piece)) = (text.get(at..span.start), text.get(span.range())) {
            out.push(html! { <span>{before.to_owned()}</span> });
            out.push(html! { <b class={class}>{piece.to_owned()}</b> });
            at = span.end;
        }
    }
    out.push(html! { <span>{text.get(at..).unwrap_or_default().to_owned()}</span> });
    out
}

/// A diagnostic: carets under the text, the message, its rule, and clickable fixes.
fn problem(context: &Context, text: &str, diagnostic: &Diagnostic, dispatch: &Callback<Action>) -> Html {
    let Diagnostic { span, rule, message, hints, .. } = diagnostic;
    let before = text.get(..span.start.min(text.len())).map_or(0, |s| s.chars().count());
    let width = text.get(span.range()).map_or(1, |s| s.chars().count()).max(1);
    let carets = format!("{}{}", " ".repeat(before), "^".repeat(width.min(80)));
    let hints = hints.iter().enumerate().map(|(i, hint)| {
        let fixed = hint.apply(text);
        let sentence = context.text(&hint.message);
        match fixed {
            None => html! { <span class="advice">{sentence}</span> },
            Some(fixed) => {
                let hint = hint.clone();
                let onclick = dispatch.reform(move |_: MouseEvent| Action::ApplyHint(hint.clone()));
                html! {
                    <button class="fix" id={(i == 0).then_some("fix")} {onclick}>
                        {sentence}{" "}<code>{shorten(&fixed)}</code>
                    </button>
                }
            }
        }
    });
    html! {
        <div class="problem">
            <pre class="caret" aria-hidden="true">{carets}</pre>
            <p class="error-line">{context.text(message)}</p>
            <div class="hints">
                {for hints}
                {rule_code(context, rule)}
            </div>
        </div>
    }
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= 60 { text.to_owned() } else { text.chars().take(59).chain(['…']).collect() }
}
