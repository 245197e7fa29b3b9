//! The experiment as editable HLO text, with its diagnostics and clickable fixes.

use std::rc::Rc;

use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use super::open_in_program::{open_in_program, use_large_paste};
use super::scroll_anchor::use_scroll_anchor;
use crate::app::components::rule_code::rule_code;
use crate::app::context::{Context, use_app_context};
use crate::array::Edition;
use crate::diagnostic::{Diagnostic, LineIndex, Severity};
use crate::i18n::Message;
use crate::state::document::ValueRule;
use crate::state::experiment::session::Action;
use crate::state::program::handoff::instruction_lines;

/// Properties of [`HloEditor`].
#[derive(Clone, PartialEq, Properties)]
pub struct HloEditorProps {
    /// The text that is edited.
    pub text: AttrValue,
    /// The diagnostics of the text.
    pub diagnostics: Rc<Vec<Diagnostic>>,
    /// The values of the parameters; iota for those beyond the end of the list.
    pub parameter_values: Rc<Vec<ValueRule>>,
    /// The number of parameters.
    pub parameter_count: usize,
    /// Whether the displayed result is that of an earlier text without errors.
    pub shows_earlier_result: bool,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// Programs with at least this many instructions get a button that opens them on the Program screen.
const MIN_OFFERED_INSTRUCTIONS: usize = 4;

/// Maximum number of diagnostics displayed at the same time.
const MAX_DISPLAYED_DIAGNOSTICS: usize = 4;

/// The text and its diagnostics.
#[component]
pub fn HloEditor(props: &HloEditorProps) -> Html {
    let context = use_app_context();
    let node = use_node_ref();
    let anchor = use_scroll_anchor(&node);
    {
        // Setting the value moves the caret, so it is only set if it differs.
        let node = node.clone();
        use_effect_with(props.text.clone(), move |text| {
            if let Some(area) = node.cast::<HtmlTextAreaElement>()
                && area.value() != **text
            {
                area.set_value(text);
                // A new program is shown from its top. During typing, the browser keeps the caret in view.
                if !is_focused(&area) {
                    let _ = area.set_selection_range(0, 0);
                    area.set_scroll_top(0);
                    area.set_scroll_left(0);
                }
            }
        });
    }
    let large_paste = use_large_paste();
    let oninput = {
        let (dispatch, large_paste, before) =
            (props.dispatch.clone(), large_paste.clone(), props.text.clone());
        Callback::from(move |event: InputEvent| {
            let area: HtmlTextAreaElement = event.target_unchecked_into();
            let typed = area.value();
            // Reverts a paste or drop whose content could not be read beforehand. Synthetic events have no `inputType`.
            let kind =
                js_sys::Reflect::get(&event, &"inputType".into()).ok().and_then(|kind| kind.as_string());
            let is_inserted = matches!(kind.as_deref(), Some("insertFromPaste" | "insertFromDrop"));
            if is_inserted && large_paste.offer(&typed) {
                area.set_value(&before);
                return;
            }
            anchor.emit(());
            dispatch.emit(Action::Type(typed));
        })
    };
    let open = {
        let (text, values, count) =
            (props.text.clone(), props.parameter_values.clone(), props.parameter_count);
        Callback::from(move |_: MouseEvent| open_in_program(&text, &values, count))
    };
    let onchange = props.dispatch.reform(|_: Event| Action::CommitText);
    let has_errors = props.diagnostics.iter().any(|d| d.severity == Severity::Error);
    let rows = props.text.lines().count().clamp(3, 12).to_string();
    html! {
        <div class="program">
            <textarea class={classes!("text", "hlo", has_errors.then_some("bad"))} id="hlo" ref={node} {oninput} {onchange} onpaste={large_paste.onpaste.clone()} ondrop={large_paste.ondrop.clone()}
                {rows} spellcheck="false" autocomplete="off" autocapitalize="off" wrap="off"
                aria-label={context.text(&Message::ops("hlo-text"))} aria-invalid={has_errors.to_string()}
                aria-describedby="hlo-problems" />
            {large_paste.notice(&context)}
            if instruction_lines(&props.text) >= MIN_OFFERED_INSTRUCTIONS {
                <button type="button" class="btn small" id="open-in-program" onclick={open}>{context.text(&Message::ops("open-in-program"))}</button>
            }
            // Below the text, so that errors do not move it during typing.
            <div id="hlo-problems" aria-live="polite">
                if props.shows_earlier_result { <p class="stale-note" id="result-behind">{context.text(&Message::ops("text-stale"))}</p> }
                {for props.diagnostics.iter().take(MAX_DISPLAYED_DIAGNOSTICS).enumerate().map(|(i, d)| problem(&context, &props.text, i, d, &props.dispatch))}
                if props.diagnostics.len() > MAX_DISPLAYED_DIAGNOSTICS {
                    <p class="dim" id="hlo-more">
                        {context.text(&Message::new("problems-more").with("count", props.diagnostics.len() - MAX_DISPLAYED_DIAGNOSTICS))}
                    </p>
                }
            </div>
        </div>
    }
}

fn is_focused(area: &HtmlTextAreaElement) -> bool {
    gloo::utils::document().active_element().as_ref() == Some(area.as_ref())
}

/// A diagnostic: its line, the message, its rule, and clickable fixes.
fn problem(
    context: &Context,
    text: &str,
    index: usize,
    diagnostic: &Diagnostic,
    dispatch: &Callback<Action>,
) -> Html {
    let Diagnostic { span, rule, message, hints, .. } = diagnostic;
    let lines = LineIndex::new(text);
    let excerpt = lines.excerpt(*span);
    let line = Message::ops("hlo-line").with("line", lines.position(span.start).0);
    let fixes = hints.iter().enumerate().map(|(i, hint)| {
        let sentence = context.text(&hint.message);
        if hint.edits.is_empty() {
            return html! { <span class="advice">{sentence}</span> };
        }
        let (dispatch, hint) = (dispatch.clone(), hint.clone());
        let onclick = Callback::from(move |_: MouseEvent| dispatch.emit(Action::ApplyHint(hint.clone())));
        let id = (index == 0 && i == 0).then_some("fix");
        html! { <button class="fix" {id} {onclick}>{sentence}</button> }
    });
    // An error about the edition is fixed by selecting current XLA.
    let switch_edition = rule.starts_with("edition-").then(|| {
        let onclick = dispatch.reform(|_: MouseEvent| Action::SetEdition(Edition::Current));
        html! { <button class="fix" {onclick}>{context.text(&Message::ops("edition-switch"))}</button> }
    });
    html! {
        <div class="problem" key={index}>
            <pre class="caret lines" aria-hidden="true">{&excerpt.text}{"\n"}{excerpt.carets()}</pre>
            <p class="error-line">{context.text(&line)}{" "}{context.text(message)}</p>
            <div class="hints">{for fixes}{switch_edition}{rule_code(context, rule)}</div>
        </div>
    }
}
