//! The text in a plain field, with a panel below it about the token at the caret: its meaning, its definition, and the
//! candidates for completion.

use std::rc::Rc;

use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlDocument, HtmlTextAreaElement};
use yew::prelude::*;

use super::handle::link_label;
use super::props::{EditorProps, TYPING_PAUSE_MS, offset_of, position_of};
use super::requests;
use crate::app::context::use_app_context;
use crate::i18n::Message;
use crate::state::program::session::Action;
use crate::state::program::source_text::SourceText;
use crate::worker::program::editing::{Candidate, Hover, Position, Question, Reply, WireHoverLink};
use crate::worker::program::wire::{InstructionPath, Query};

/// Maximum candidates that are shown.
const MAX_CANDIDATES: usize = 12;

/// Converts a number of UTF-16 units from the start of the text to an offset in bytes.
fn bytes_of_units(text: &str, units: u32) -> usize {
    let mut counted = 0;
    let found = text.char_indices().find(|(_, c)| {
        let is_reached = counted >= units;
        counted += u32::try_from(c.len_utf16()).unwrap_or(1);
        is_reached
    });
    found.map_or(text.len(), |(at, _)| at)
}

/// Moves the caret of the field to a byte of its text.
fn set_caret(area: &HtmlTextAreaElement, text: &str, offset: usize) {
    let units = text.get(..offset).unwrap_or_default().encode_utf16().count();
    let units = u32::try_from(units).unwrap_or(u32::MAX);
    // It fails only for fields without a selection.
    let _ = area.set_selection_range(units, units);
}

/// The byte of the text at which the caret is, if the user is in the field.
fn caret(area: &HtmlTextAreaElement, text: &str) -> Option<usize> {
    let focused = web_sys::window()?.document()?.active_element()?;
    let units =
        area.selection_start().ok().flatten().filter(|_| focused == *area.unchecked_ref::<Element>())?;
    Some(bytes_of_units(text, units))
}

/// The end of the word at the caret, and what replaces it: without a bracket or a sign at its end that follows already.
fn completion<'a>(text: &str, caret: usize, candidate: &'a str) -> (usize, &'a str) {
    let rest = text.get(caret..).unwrap_or_default();
    let is_in_word = |c: char| c.is_alphanumeric() || "_.%-".contains(c);
    let end = caret + rest.find(|c| !is_in_word(c)).unwrap_or(rest.len());
    let next = text.get(end..).and_then(|rest| rest.chars().next());
    let shorter = next.and_then(|next| candidate.strip_suffix(next));
    (end, shorter.unwrap_or(candidate))
}

/// Replaces a part of the text as if it was typed, so that the browser's own undo takes it back; returns whether the field reports it as
/// input.
fn replace(area: &HtmlTextAreaElement, text: &str, (from, to): (usize, usize), inserted: &str) -> bool {
    let units = |offset: usize| {
        let count = text.get(..offset).unwrap_or_default().encode_utf16().count();
        u32::try_from(count).unwrap_or(u32::MAX)
    };
    let document = gloo::utils::document().dyn_into::<HtmlDocument>().ok();
    let typed = area.focus().and_then(|()| area.set_selection_range(units(from), units(to))).and_then(|()| {
        document.map_or(Ok(false), |document| {
            document.exec_command_with_show_ui_and_value("insertText", false, inserted)
        })
    });
    if typed == Ok(true) {
        return true;
    }
    // It fails only for a range that is not in the text.
    let _ = area.set_range_text_with_start_and_end(inserted, units(from), units(to));
    false
}

/// Moves the caret to a byte of the text, and scrolls there.
fn reveal(area: &HtmlTextAreaElement, source: &SourceText, offset: usize) {
    set_caret(area, source.text(), offset);
    // Lines are not wrapped: all are equally high.
    let line = f64::from(u32::try_from(source.line_of(offset)).unwrap_or(u32::MAX));
    let count = f64::from(u32::try_from(source.line_count()).unwrap_or(u32::MAX));
    let top = f64::from(area.scroll_height()) * line / count - f64::from(area.client_height()) / 2.0;
    #[allow(clippy::cast_possible_truncation, reason = "pixels")]
    area.set_scroll_top(top.max(0.0) as i32);
}

/// The field with its panel.
#[component]
pub fn PlainEditor(props: &EditorProps) -> Html {
    let context = use_app_context();
    let node = use_node_ref();
    let timer = use_mut_ref(|| None::<Timeout>);
    let hover = use_state_eq(|| None::<Hover>);
    let candidates = use_state_eq(|| (0_usize, 0_usize, Vec::<Candidate>::new()));
    // The panel is about the text before the last letters: it keeps its place, empty, until it is about the new one.
    let is_stale = use_state_eq(|| false);
    let source = &props.reading.text;
    // The text that the page took from the field last, or set: what was typed since then stays when that text comes back.
    let taken = use_mut_ref(SourceText::default);
    {
        let (node, taken) = (node.clone(), taken.clone());
        use_effect_with(source.clone(), move |source| {
            let Some(area) = node.cast::<HtmlTextAreaElement>() else { return };
            if taken.borrow().text() == source.text() {
                return;
            }
            let before = taken.replace(source.clone());
            let caret = caret(&area, before.text());
            area.set_value(source.text());
            if let Some(offset) = caret {
                set_caret(&area, source.text(), before.offset_after_edit(source, offset));
            }
        });
    }
    let edit = {
        let (node, dispatch, taken) = (node.clone(), props.dispatch.clone(), taken.clone());
        Callback::from(move |()| {
            let Some(area) = node.cast::<HtmlTextAreaElement>() else { return };
            let text = SourceText::new(area.value());
            let caret = caret(&area, text.text());
            taken.replace(text.clone());
            dispatch.emit(Action::Edit(text, caret));
        })
    };
    {
        let (node, source) = (node.clone(), source.clone());
        let start_line = use_mut_ref(|| props.start_line);
        use_effect_with(props.selected, move |selected| {
            let Some(area) = node.cast::<HtmlTextAreaElement>() else { return };
            if caret(&area, source.text()).is_some() {
                return;
            }
            let start = start_line.take().map(|line| source.line_start(line));
            if let Some(offset) = start.or(selected.map(|(start, _)| start)) {
                reveal(&area, &source, offset);
            }
        });
    }
    let oninput = {
        let (edit, timer) = (edit.clone(), timer.clone());
        let is_stale = is_stale.setter();
        Callback::from(move |_: InputEvent| {
            is_stale.set(true);
            let edit = edit.clone();
            timer.replace(Some(Timeout::new(TYPING_PAUSE_MS, move || edit.emit(()))));
        })
    };
    // Asks about the caret: for the panel, once the page has read the text.
    let look = {
        let (node, ask, source, language) =
            (node.clone(), props.ask.clone(), source.clone(), context.language);
        let (hover, candidates, is_stale) = (hover.clone(), candidates.clone(), is_stale.setter());
        Callback::from(move |()| {
            let Some(area) = node.cast::<HtmlTextAreaElement>() else { return };
            let is_read = area.value() == **source.text();
            let Some(offset) = caret(&area, source.text()).filter(|_| is_read) else { return };
            let at = position_of(&source, offset);
            let hover = hover.clone();
            requests::ask(&ask, language, Question::Hover(at), move |reply| {
                hover.set(if let Reply::Hover(found) = reply { Some(found) } else { None });
            });
            let (candidates, source, is_stale) = (candidates.clone(), source.clone(), is_stale.clone());
            requests::ask(&ask, language, Question::Completion(at), move |reply| {
                if area.value() == **source.text() {
                    is_stale.set(false);
                }
                candidates.set(match reply {
                    Reply::Completion { from, candidates } => (offset_of(&source, from), offset, candidates),
                    _ => (0, 0, Vec::new()),
                });
            });
        })
    };
    {
        let look = look.clone();
        let opened = props.reading.opened.clone();
        // Another text may be found to be alike.
        let reading_of = opened.as_ref().map(|opened| Rc::as_ptr(opened).addr());
        use_effect_with((opened, reading_of), move |_| look.emit(()));
    }
    let move_caret = {
        let (node, ask, source, look) = (node.clone(), props.ask.clone(), source.clone(), look.clone());
        Callback::from(move |()| {
            let Some(area) = node.cast::<HtmlTextAreaElement>() else { return };
            if area.value() != **source.text() {
                return;
            }
            look.emit(());
            if let Some(offset) = caret(&area, source.text()) {
                ask.emit(Query::Locate(vec![offset]));
            }
        })
    };
    let go_to = {
        let (node, source) = (node.clone(), source.clone());
        Callback::from(move |at: Position| {
            if let Some(area) = node.cast::<HtmlTextAreaElement>() {
                reveal(&area, &source, offset_of(&source, at));
                // It fails only for what cannot have the focus.
                let _ = area.focus();
            }
        })
    };
    let link = |link: &WireHoverLink| {
        let label = context.text(&link_label(link));
        match link {
            WireHoverLink::Layout(fragment) => {
                html! { <a class="btn tiny" href={format!("#{fragment}")}>{label}</a> }
            }
            WireHoverLink::Instruction(at) => {
                let (dispatch, at) = (props.dispatch.clone(), *at);
                let onclick = Callback::from(move |_: MouseEvent| {
                    dispatch.emit(Action::Select(InstructionPath { at, calls: Vec::new() }));
                });
                html! { <button class="btn tiny" {onclick}>{label}</button> }
            }
            WireHoverLink::Definition(at) => {
                let at = *at;
                let onclick = go_to.reform(move |_: MouseEvent| at);
                html! { <button class="btn tiny" {onclick}>{label}</button> }
            }
        }
    };
    let offer = |candidate: &Candidate| {
        let (node, source, edit) = (node.clone(), source.clone(), edit.clone());
        let (from, to, candidate_text) = (candidates.0, candidates.1, candidate.text.clone());
        let onclick = Callback::from(move |_: MouseEvent| {
            let Some(area) = node.cast::<HtmlTextAreaElement>() else { return };
            let (to, inserted) = completion(source.text(), to, &candidate_text);
            if area.value() == **source.text() {
                let is_reported = replace(&area, source.text(), (from, to), inserted);
                if !is_reported {
                    edit.emit(());
                }
            }
        });
        html! {
            <li key={candidate.text.clone()}>
                <button class="btn tiny mono" {onclick} title={candidate.description.clone()}>{&candidate.text}</button>
                <span class="dim">{&candidate.detail}</span>
            </li>
        }
    };
    let has_errors = props.reading.has_errors();
    let text = |key: &'static str| context.text(&Message::program(key));
    html! {
        <div class="plain-editor">
            <textarea class={classes!("text", "hlo", "fill", has_errors.then_some("bad"))} id="program-field" ref={node.clone()} {oninput}
                onkeyup={move_caret.reform(|_: KeyboardEvent| ())} onclick={move_caret.reform(|_: MouseEvent| ())}
                spellcheck="false" autocomplete="off" autocapitalize="off" wrap="off" aria-label={text("program-text")}
                aria-invalid={has_errors.to_string()} aria-describedby="program-problems" />
            <div class={classes!("text-help", is_stale.then_some("unread"))} id="program-help">
                if let Some(found) = &*hover {
                    <section aria-live="polite" id="token-help" aria-label={text("program-token-help")}>
                        <h3>{&found.title}</h3>
                        {for found.sentences.iter().map(|sentence| html! { <p>{sentence}</p> })}
                        <p class="row wrap">{for found.links.iter().map(link)}</p>
                    </section>
                }
                if !candidates.2.is_empty() {
                    <section id="token-candidates" aria-label={text("editor-completions")}>
                        <ul>{for candidates.2.iter().take(MAX_CANDIDATES).map(offer)}</ul>
                    </section>
                }
            </div>
        </div>
    }
}
