//! The diagnostics of the program, each with fixes to click.

use yew::prelude::*;

use super::reading::Reading;
use crate::app::components::rule_code::rule_code;
use crate::app::context::Context;
use crate::i18n::Message;
use crate::state::program::session::Action;
use crate::state::program::source_text::SourceText;
use crate::worker::program::wire::{Problem, WireHint};

/// Maximum diagnostics that are shown.
const MAX_SHOWN: usize = 4;

/// The text with the edits of a suggestion; `None` if they do not belong to this text.
fn apply_hint(text: &str, hint: &WireHint) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for ((start, end), replacement) in &hint.edits {
        out.push_str(text.get(copied..*start)?);
        out.push_str(replacement);
        copied = *end;
    }
    out.push_str(text.get(copied..)?);
    Some(out)
}

fn problem(
    context: &Context,
    reading: &Reading,
    number: usize,
    problem: &Problem,
    dispatch: &Callback<Action>,
    show: &Callback<usize>,
) -> Html {
    let hints = problem.hints.iter().enumerate().map(|(i, hint)| {
        if hint.edits.is_empty() {
            return html! { <span class="advice">{&hint.message}</span> };
        }
        let (text, hint_to_apply, dispatch) = (reading.text.clone(), hint.clone(), dispatch.clone());
        let onclick = Callback::from(move |_: MouseEvent| {
            if let Some(fixed) = apply_hint(text.text(), &hint_to_apply) {
                dispatch.emit(Action::Edit(SourceText::new(fixed), None));
            }
        });
        let id = (number == 0 && i == 0).then_some("program-fix");
        html! { <button class="fix" {id} {onclick}>{&hint.message}</button> }
    });
    let class = if problem.is_error { "error-line" } else { "dim" };
    let line = context.text(&Message::program("program-line").with("line", problem.line));
    let (show, at) = (show.clone(), problem.line);
    let onclick = Callback::from(move |_: MouseEvent| show.emit(at.saturating_sub(1)));
    html! {
        <li class="problem" key={number}>
            <p {class}><button class="as-link" {onclick}>{line}</button>{" "}{&problem.message}</p>
            <div class="hints">{for hints}{rule_code(context, &problem.rule)}</div>
        </li>
    }
}

/// The diagnostics; `show` scrolls to a line.
pub fn problems(
    context: &Context,
    reading: &Reading,
    dispatch: &Callback<Action>,
    show: &Callback<usize>,
) -> Html {
    let Some(opened) = &reading.opened else { return Html::default() };
    let errors = opened.error_count > 0;
    // A compiled program has thousands of instructions that warn alike: its warnings are shown once nothing is wrong.
    let shown = opened.problems.iter().filter(|problem| problem.is_error == errors).take(MAX_SHOWN);
    let list: Vec<Html> = shown
        .enumerate()
        .map(|(number, each)| problem(context, reading, number, each, dispatch, show))
        .collect();
    let total = if errors { opened.error_count } else { opened.problem_count };
    let more = total.saturating_sub(list.len());
    html! {
        <div id="program-problems" aria-live="polite" data-errors={opened.error_count.to_string()}>
            if !list.is_empty() { <ul>{for list}</ul> }
            if more > 0 { <p class="dim">{context.text(&Message::new("problems-more").with("count", more))}</p> }
        </div>
    }
}
