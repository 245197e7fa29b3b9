//! The text in a plain field, with a panel below it about the token at the caret: its meaning, its definition, and the
//! candidates for completion.

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use super::field::Field;
use super::handle::link_label;
use super::props::{EditorProps, TYPING_PAUSE_MS, offset_of, position_of};
use super::requests;
use crate::app::context::{Context, use_app_context};
use crate::i18n::{Language, Message};
use crate::state::program::session::Action;
use crate::state::program::source_text::SourceText;
use crate::worker::program::editing::{Candidate, Hover, Question, Reply, WireHoverLink};
use crate::worker::program::wire::{InstructionPath, Query};

/// Maximum candidates that are shown.
const MAX_CANDIDATES: usize = 12;

/// The panel: what the token at the caret means, and what may be there.
#[derive(Clone, PartialEq)]
struct Panel {
    hover: UseStateHandle<Option<Hover>>,
    /// The bytes of the word that a candidate replaces, and the candidates.
    candidates: UseStateHandle<(usize, usize, Vec<Candidate>)>,
    /// Whether it is about the text before the last letters: it keeps its place, empty, until it is about the new text.
    is_stale: UseStateHandle<bool>,
}

#[hook]
fn use_panel() -> Panel {
    let (hover, is_stale) = (use_state_eq(|| None), use_state_eq(|| false));
    Panel { hover, candidates: use_state_eq(|| (0, 0, Vec::new())), is_stale }
}

impl Panel {
    /// Asks about the caret, if the page has read the text of the field; returns the byte at which it is.
    fn ask(
        &self,
        node: &NodeRef,
        source: &SourceText,
        language: Language,
        ask: &Callback<Query>,
    ) -> Option<usize> {
        let field = Field::of(node).filter(|field| field.text() == **source.text())?;
        let offset = field.caret(source.text())?;
        let at = position_of(source, offset);
        let hover = self.hover.setter();
        requests::ask(ask, language, Question::Hover(at), move |reply| {
            hover.set(if let Reply::Hover(found) = reply { Some(found) } else { None });
        });
        let (candidates, is_stale, source) =
            (self.candidates.setter(), self.is_stale.setter(), source.clone());
        requests::ask(ask, language, Question::Completion(at), move |reply| {
            if field.text() == **source.text() {
                is_stale.set(false);
            }
            candidates.set(match reply {
                Reply::Completion { from, to, candidates } => {
                    (offset_of(&source, from), offset_of(&source, to), candidates)
                }
                _ => (0, 0, Vec::new()),
            });
        });
        Some(offset)
    }

    /// The panel, with the links of the explanation and the buttons of the candidates.
    fn view(
        &self,
        context: &Context,
        link: impl Fn(&WireHoverLink) -> Html,
        offer: impl Fn(&Candidate) -> Html,
    ) -> Html {
        let text = |key: &'static str| context.text(&Message::program(key));
        let candidates = &self.candidates.2;
        html! {
            <div class={classes!("text-help", self.is_stale.then_some("unread"))} id="program-help">
                if let Some(found) = &*self.hover {
                    <section aria-live="polite" id="token-help" aria-label={text("program-token-help")}>
                        <h3>{&found.title}</h3>
                        {for found.sentences.iter().map(|sentence| html! { <p>{sentence}</p> })}
                        <p class="row wrap">{for found.links.iter().map(link)}</p>
                    </section>
                }
                if !candidates.is_empty() {
                    <section id="token-candidates" aria-label={text("editor-completions")}>
                        <ul>{for candidates.iter().take(MAX_CANDIDATES).map(offer)}</ul>
                    </section>
                }
            </div>
        }
    }
}

/// Keeps the text of the field and that of the page equal; returns a callback that takes the text of the field.
#[hook]
fn use_taken_text(node: &NodeRef, source: &SourceText, dispatch: &Callback<Action>) -> Callback<()> {
    // The text that the page took from the field last, or set: what was typed since then stays when that text comes back.
    let taken = use_mut_ref(SourceText::default);
    {
        let (node, taken) = (node.clone(), taken.clone());
        use_effect_with(source.clone(), move |source| {
            let Some(field) = Field::of(&node) else { return };
            if taken.borrow().text() == source.text() {
                return;
            }
            let before = taken.replace(source.clone());
            let caret = field.caret(before.text());
            field.set_text(source.text());
            if let Some(offset) = caret {
                field.set_caret(source.text(), before.offset_after_edit(source, offset));
            }
        });
    }
    let (node, dispatch) = (node.clone(), dispatch.clone());
    Callback::from(move |()| {
        let Some(field) = Field::of(&node) else { return };
        let text = SourceText::new(field.text());
        let caret = field.caret(text.text());
        taken.replace(text.clone());
        dispatch.emit(Action::Edit(text, caret));
    })
}

/// The field with its panel.
#[component]
pub fn PlainEditor(props: &EditorProps) -> Html {
    let context = use_app_context();
    let node = use_node_ref();
    let timer = use_mut_ref(|| None::<Timeout>);
    let panel = use_panel();
    let source = &props.reading.text;
    let take = use_taken_text(&node, source, &props.dispatch);
    {
        let (node, source) = (node.clone(), source.clone());
        let start_line = use_mut_ref(|| props.start_line);
        use_effect_with(props.selected, move |selected| {
            // The user's place in the field is not disturbed.
            let Some(field) = Field::of(&node).filter(|field| field.caret(source.text()).is_none()) else {
                return;
            };
            let start = start_line.take().map(|line| source.line_start(line));
            if let Some(offset) = start.or(selected.map(|(start, _)| start)) {
                field.reveal(&source, offset);
            }
        });
    }
    let oninput = {
        let (take, timer, is_stale) = (take.clone(), timer.clone(), panel.is_stale.setter());
        Callback::from(move |_: InputEvent| {
            is_stale.set(true);
            let take = take.clone();
            timer.replace(Some(Timeout::new(TYPING_PAUSE_MS, move || take.emit(()))));
        })
    };
    let ask_at_caret = {
        let (node, ask, source, language) =
            (node.clone(), props.ask.clone(), source.clone(), context.language);
        let panel = panel.clone();
        move || panel.ask(&node, &source, language, &ask)
    };
    {
        let ask_at_caret = ask_at_caret.clone();
        use_effect_with(props.reading.answer(), move |_| {
            ask_at_caret();
        });
    }
    let move_caret = {
        let ask = props.ask.clone();
        Callback::from(move |()| {
            if let Some(offset) = ask_at_caret() {
                ask.emit(Query::Locate(vec![offset]));
            }
        })
    };
    let link = |link: &WireHoverLink| {
        let label = context.text(&link_label(link));
        let (node, source, dispatch) = (node.clone(), source.clone(), props.dispatch.clone());
        let onclick = match link {
            WireHoverLink::Layout(fragment) => {
                return html! { <a class="btn tiny" href={format!("#{fragment}")}>{label}</a> };
            }
            WireHoverLink::Instruction(at) => {
                let at = *at;
                Callback::from(move |_: MouseEvent| {
                    dispatch.emit(Action::Select(InstructionPath { at, calls: Vec::new() }));
                })
            }
            WireHoverLink::Definition(at) => {
                let offset = offset_of(&source, *at);
                Callback::from(move |_: MouseEvent| {
                    if let Some(field) = Field::of(&node) {
                        field.reveal(&source, offset);
                        field.focus();
                    }
                })
            }
        };
        html! { <button class="btn tiny" {onclick}>{label}</button> }
    };
    let offer = |candidate: &Candidate| {
        let (node, source, take) = (node.clone(), source.clone(), take.clone());
        let (from, to, replacement) = (panel.candidates.0, panel.candidates.1, candidate.replacement.clone());
        let onclick = Callback::from(move |_: MouseEvent| {
            let field = Field::of(&node).filter(|field| field.text() == **source.text());
            if field.is_some_and(|field| !field.replace(source.text(), (from, to), &replacement)) {
                take.emit(());
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
    html! {
        <div class="plain-editor">
            <textarea class={classes!("text", "hlo", "fill", has_errors.then_some("bad"))} id="program-field" ref={node.clone()} {oninput}
                onkeyup={move_caret.reform(|_: KeyboardEvent| ())} onclick={move_caret.reform(|_: MouseEvent| ())}
                spellcheck="false" autocomplete="off" autocapitalize="off" wrap="off" aria-label={context.text(&Message::program("program-text"))}
                aria-invalid={has_errors.to_string()} aria-describedby="program-problems" />
            {panel.view(&context, link, offer)}
        </div>
    }
}
