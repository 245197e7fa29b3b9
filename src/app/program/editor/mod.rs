//! The editor of the text: `CodeMirror` where it loads and suits the device, else a plain field with the same functions.
//!
//! [`handle`] is the bundled editor (`static/editor/`), loaded on demand; [`requests`] pairs questions to the query worker with its
//! answers; [`plain`] is the field with its panel, for phones, screen readers, and a bundle that does not load, and [`field`] its element.

mod field;
mod handle;
mod phrases;
mod plain;
mod props;
pub mod requests;

use gloo::timers::callback::Timeout;
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlElement;
use yew::prelude::*;

use self::handle::{EditorOptions, Handle};
use self::plain::PlainEditor;
pub use self::props::EditorProps;
use self::props::{TYPING_PAUSE_MS, offset_of, position_of};
use crate::app::context::use_app_context;
use crate::i18n::Message;
use crate::inspect::text::Lines;
use crate::state::program::session::Action;
use crate::state::program::source_text::SourceText;
use crate::worker::program::editing::{Position, Question, Reply};
use crate::worker::program::wire::{InstructionPath, Query};

/// Whether a finger is the main pointer: a text field then is better than an editor, whose selection is its own.
fn is_touch_device() -> bool {
    let media = web_sys::window().and_then(|window| window.match_media("(pointer: coarse)").ok().flatten());
    media.is_some_and(|media| media.matches())
}

/// The editor.
#[component]
pub fn Editor(props: &EditorProps) -> Html {
    let context = use_app_context();
    let host = use_node_ref();
    let is_plain_text = use_state_eq(is_touch_device);
    let has_failed = use_state_eq(|| false);
    let handle = use_mut_ref(|| None::<Handle>);
    let is_loaded = use_state_eq(|| false);
    let timer = use_mut_ref(|| None::<Timeout>);
    let start_line = use_mut_ref(|| props.start_line);
    // The callbacks of the editor use the newest properties.
    let current = use_mut_ref(|| props.clone());
    current.replace(props.clone());
    {
        let (host, handle, current, is_loaded, has_failed) =
            (host.clone(), handle.clone(), current.clone(), is_loaded.clone(), has_failed.clone());
        use_effect_with((*is_plain_text, context.language), move |(is_plain_text, language)| {
            let language = *language;
            if !*is_plain_text && let Some(parent) = host.cast::<HtmlElement>() {
                let change = {
                    let (handle, current) = (handle.clone(), current.clone());
                    Callback::from(move |()| {
                        let (handle, dispatch) = (handle.clone(), current.borrow().dispatch.clone());
                        let read = move || {
                            let handle = handle.borrow();
                            let Some(handle) = handle.as_ref() else { return };
                            let Some(text) = handle.text().map(SourceText::new) else { return };
                            let caret = handle.caret().map(|caret| offset_of(&text, caret));
                            dispatch.emit(Action::Edit(text, caret));
                        };
                        timer.replace(Some(Timeout::new(TYPING_PAUSE_MS, read)));
                    })
                };
                let moved = {
                    let current = current.clone();
                    Callback::from(move |position: Position| {
                        let props = current.borrow();
                        props.ask.emit(Query::Locate(vec![offset_of(&props.reading.text, position)]));
                    })
                };
                let ask = {
                    let current = current.clone();
                    Callback::from(move |query: Query| current.borrow().ask.emit(query))
                };
                let select = {
                    let current = current.clone();
                    Callback::from(move |at| {
                        current
                            .borrow()
                            .dispatch
                            .emit(Action::Select(InstructionPath { at, calls: Vec::new() }));
                    })
                };
                let options = EditorOptions {
                    text: current.borrow().reading.text.text().to_string(),
                    language,
                    change,
                    moved,
                    ask,
                    select,
                };
                let (handle, is_loaded) = (handle.clone(), is_loaded.clone());
                spawn_local(async move {
                    match Handle::create(&parent, options).await {
                        Some(created) => {
                            handle.replace(Some(created));
                            is_loaded.set(true);
                        }
                        None => has_failed.set(true),
                    }
                });
            }
            move || {
                handle.replace(None);
                is_loaded.set(false);
            }
        });
    }
    {
        let handle = handle.clone();
        use_effect_with((props.reading.text.clone(), *is_loaded), move |(source, _)| {
            if let Some(handle) = handle.borrow().as_ref() {
                handle.set_text(source.text());
            }
        });
    }
    {
        // Diagnostics and folds belong to the text that was read.
        let (handle, ask, language) = (handle.clone(), props.ask.clone(), context.language);
        let opened = props.reading.opened.clone();
        let source = props.reading.text.clone();
        let is_known = *is_loaded;
        use_effect_with((props.reading.answer(), is_known), move |_| {
            if let (Some(opened), true) = (opened, is_known) {
                let lines = Lines::new(source.text());
                if let Some(handle) = handle.borrow().as_ref() {
                    handle.set_problems(&opened.problems, &lines);
                }
                let handle = handle.clone();
                requests::ask(&ask, language, Question::FoldingRanges, move |reply| {
                    if let (Reply::FoldingRanges(folds), Some(handle)) = (reply, handle.borrow().as_ref()) {
                        handle.set_folds(&folds);
                    }
                });
            }
        });
    }
    {
        let (handle, source) = (handle.clone(), props.reading.text.clone());
        let start_line = start_line.clone();
        use_effect_with((props.selected, *is_loaded), move |(selected, _)| {
            let handle = handle.borrow();
            let Some(handle) = handle.as_ref() else { return };
            if let Some(line) = start_line.take() {
                let start = Position { line, column: 0 };
                handle.reveal(start, start);
            } else if let Some((start, end)) = selected {
                handle.reveal(position_of(&source, *start), position_of(&source, *end));
            }
        });
    }
    let toggle = {
        let (is_plain_text, start_line) = (is_plain_text.clone(), start_line.clone());
        Callback::from(move |_: MouseEvent| {
            start_line.take();
            is_plain_text.set(!*is_plain_text);
        })
    };
    let shows_plain_text = *is_plain_text || *has_failed;
    let text = |key: &'static str| context.text(&Message::program(key));
    html! {
        <>
            <div class="editor-tools">
                <button class="btn tiny" id="plain-text" onclick={toggle} aria-pressed={shows_plain_text.to_string()} disabled={*has_failed}>
                    {text("program-plain-field")}
                </button>
                if *has_failed { <span class="dim" role="status">{text("program-editor-failed")}</span> }
            </div>
            <div class="editor-host" id="program-editor" ref={host} hidden={shows_plain_text} />
            if shows_plain_text {
                <PlainEditor ..EditorProps { start_line: *start_line.borrow(), ..props.clone() } />
            }
        </>
    }
}
