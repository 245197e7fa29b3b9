//! The bundled editor as a Rust value: creates it in an element, calls its methods, answers its callbacks.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Function, JSON, Object, Promise, Reflect, Uint32Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::HtmlElement;
use yew::Callback;

use super::{phrases, requests};
use crate::i18n::{Language, Message};
use crate::inspect::text::{LineState, Lines, TokenClass, highlight};
use crate::worker::program::editing::{Candidate, Explained, Position, Question, Reply, WireLead};
use crate::worker::program::wire::{At, Problem, Query};
use crate::worker::site::files;

/// The file of the bundle.
const BUNDLE: &str = "editor.js";

/// What an editor is created with.
pub struct EditorOptions {
    /// The text.
    pub text: String,
    /// The language of the interface.
    pub language: Language,
    /// Called after each change that the user makes.
    pub change: Callback<()>,
    /// Called when the caret moves.
    pub moved: Callback<Position>,
    /// Asks the reader.
    pub ask: Callback<Query>,
    /// Selects an instruction.
    pub select: Callback<At>,
}

/// An editor. Dropping it removes it from the page.
pub struct Handle {
    editor: JsValue,
    /// The callbacks, which live as long as the editor.
    _callbacks: Vec<Box<dyn Any>>,
}

/// A value as a JavaScript object.
fn to_js(value: &impl Serialize) -> JsValue {
    let json = serde_json::to_string(value).unwrap_or_default();
    JSON::parse(&json).unwrap_or(JsValue::NULL)
}

/// A position of the editor.
fn position(value: &JsValue) -> Position {
    let number = |name: &str| {
        let value = Reflect::get(value, &name.into()).ok().and_then(|value| value.as_f64()).unwrap_or(0.0);
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "lines and columns are small and not negative"
        )]
        let number = value as usize;
        number
    };
    Position { line: number("line"), column: number("column") }
}

/// The explanation as the editor shows it: leads are the labels of buttons.
#[derive(Serialize)]
struct Shown<'a> {
    id: u32,
    from: Position,
    to: Position,
    title: &'a str,
    sentences: &'a [String],
    leads: Vec<String>,
}

/// The label of a lead.
pub fn lead_label(lead: &WireLead) -> Message {
    Message::program(match lead {
        WireLead::Layout(_) => "editor-lead-layout",
        WireLead::Instruction(_) => "editor-lead-instruction",
        WireLead::Definition(_) => "editor-lead-definition",
    })
}

#[derive(Serialize)]
struct Completions<'a> {
    from: Position,
    candidates: &'a [Candidate],
}

#[derive(Serialize)]
struct ShownEdit {
    from: Position,
    to: Position,
    text: String,
}

#[derive(Serialize)]
struct ShownFix {
    label: String,
    edits: Vec<ShownEdit>,
}

#[derive(Serialize)]
struct ShownProblem<'a> {
    from: Position,
    to: Position,
    severity: &'static str,
    message: &'a str,
    fixes: Vec<ShownFix>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownFold {
    from: Position,
    to: Position,
    is_folded: bool,
}

/// A line highlighted as the editor reads it: see `static/editor/highlighting.js`.
fn highlighted(line: &str, state: u32) -> Vec<u32> {
    let found = highlight(line, LineState::from_code(state));
    // Columns of bytes, which are the same in a line of ASCII.
    let is_ascii = line.is_ascii();
    let column = |at: usize| {
        let column = if is_ascii { at } else { line[..line.floor_char_boundary(at)].encode_utf16().count() };
        u32::try_from(column).unwrap_or(u32::MAX)
    };
    let count = u32::try_from(found.tokens.len()).unwrap_or_default();
    let mut out = vec![found.next.to_code(), count];
    for (span, class) in &found.tokens {
        let number = TokenClass::ALL.iter().position(|other| other == class).unwrap_or_default();
        out.extend([column(span.start), column(span.end), u32::try_from(number).unwrap_or_default()]);
    }
    for span in &found.collapsed {
        out.extend([column(span.start), column(span.end)]);
    }
    out
}

/// Imports the bundle, by the function that the page's script provides: only a script can.
async fn import() -> Option<JsValue> {
    let page = Reflect::get(&js_sys::global(), &"xlaPlayground".into()).ok()?;
    let load: Function = Reflect::get(&page, &"load".into()).ok()?.dyn_into().ok()?;
    let promise: Promise = load.call1(&page, &files::address(BUNDLE).into()).ok()?.dyn_into().ok()?;
    JsFuture::from(promise).await.ok()
}

impl Handle {
    /// Loads the bundle and creates an editor in an element; `None` if it does not load.
    pub async fn create(parent: &HtmlElement, options: EditorOptions) -> Option<Self> {
        let module = import().await?;
        let create: Function = Reflect::get(&module, &"create".into()).ok()?.dyn_into().ok()?;
        let (object, callbacks) = arguments(options);
        let editor = create.call2(&module, parent, &object).ok()?;
        Some(Self { editor, _callbacks: callbacks })
    }

    /// Calls a method; its result is `undefined` if it throws, which the console reports.
    fn call(&self, method: &str, arguments: &[JsValue]) -> JsValue {
        let method =
            Reflect::get(&self.editor, &method.into()).ok().and_then(|m| m.dyn_into::<Function>().ok());
        let arguments: Array = arguments.iter().collect();
        method.and_then(|method| method.apply(&self.editor, &arguments).ok()).unwrap_or(JsValue::UNDEFINED)
    }

    /// The text.
    pub fn text(&self) -> Option<String> {
        self.call("getText", &[]).as_string()
    }

    /// Sets the text, if it differs.
    pub fn set_text(&self, text: &str) {
        self.call("setText", &[text.into()]);
    }

    /// Shows the diagnostics of the text.
    pub fn set_problems(&self, problems: &[Problem], lines: &Lines) {
        let at = |offset: usize| {
            let found = lines.position(offset);
            Position { line: found.line, column: found.column }
        };
        let shown: Vec<ShownProblem> = problems
            .iter()
            .map(|problem| ShownProblem {
                from: at(problem.span.0),
                to: at(problem.span.1),
                severity: if problem.is_error { "error" } else { "warning" },
                message: &problem.message,
                fixes: problem
                    .hints
                    .iter()
                    .filter(|hint| !hint.edits.is_empty())
                    .map(|hint| ShownFix {
                        label: hint.message.clone(),
                        edits: hint
                            .edits
                            .iter()
                            .map(|((start, end), text)| ShownEdit {
                                from: at(*start),
                                to: at(*end),
                                text: text.clone(),
                            })
                            .collect(),
                    })
                    .collect(),
            })
            .collect();
        self.call("setDiagnostics", &[to_js(&shown)]);
    }

    /// Sets the parts that can be folded.
    pub fn set_folds(&self, folds: &[(Position, Position, bool)]) {
        let folds: Vec<ShownFold> = folds
            .iter()
            .map(|(from, to, is_folded)| ShownFold { from: *from, to: *to, is_folded: *is_folded })
            .collect();
        self.call("setFolds", &[to_js(&folds)]);
    }

    /// Selects a part and scrolls to it, unless the caret is there already.
    pub fn reveal(&self, from: Position, to: Position) {
        self.call("reveal", &[to_js(&from), to_js(&to)]);
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.call("destroy", &[]);
    }
}

/// The options as an object, and the callbacks in it.
fn arguments(options: EditorOptions) -> (Object, Vec<Box<dyn Any>>) {
    let object = Object::new();
    let mut callbacks: Vec<Box<dyn Any>> = Vec::new();
    // Setting a property of a plain object succeeds.
    let set = |name: &str, value: &JsValue| {
        let _ = Reflect::set(&object, &name.into(), value);
    };
    let EditorOptions { text, language, change, moved, ask, select } = options;
    let said = move |message: &Message| message.localize(language);
    set("text", &text.into());
    set("label", &said(&Message::program("program-text")).into());
    set("describedBy", &"program-problems".into());
    let texts = Object::new();
    for (own, message) in phrases::phrases() {
        let _ = Reflect::set(&texts, &own.into(), &said(&message).into());
    }
    set("phrases", &texts);
    set("classes", &TokenClass::ALL.iter().map(|class| JsValue::from(class.name())).collect::<Array>());
    let mut keep = |name: &str, closure: JsValue, callback: Box<dyn Any>| {
        set(name, &closure);
        callbacks.push(callback);
    };
    let closure = Closure::<dyn Fn(String, u32) -> Uint32Array>::new(|line: String, state: u32| {
        Uint32Array::from(&highlighted(&line, state)[..])
    });
    keep("highlight", closure.as_ref().clone(), Box::new(closure));
    let closure = Closure::<dyn Fn()>::new(move || change.emit(()));
    keep("change", closure.as_ref().clone(), Box::new(closure));
    let closure = Closure::<dyn Fn(JsValue)>::new(move |at: JsValue| moved.emit(position(&at)));
    keep("move", closure.as_ref().clone(), Box::new(closure));

    // A question with a position; the answer becomes what the editor expects.
    let newest = Rc::new(RefCell::new((0_u32, Vec::<WireLead>::new())));
    let asked = move |ask: Callback<Query>,
                      question: fn(Position) -> Question,
                      shown: Rc<dyn Fn(Reply) -> JsValue>| {
        Closure::<dyn Fn(JsValue) -> Promise>::new(move |at: JsValue| {
            let question = question(position(&at));
            Promise::new(&mut |resolve, _| {
                let shown = shown.clone();
                requests::ask(&ask, language, question.clone(), move |reply| {
                    // Resolving a promise cannot throw.
                    let _ = resolve.call1(&JsValue::NULL, &shown(reply));
                });
            })
        })
    };
    let explained = {
        let newest = newest.clone();
        move |reply| {
            let Reply::Explained(Explained { from, to, title, sentences, leads }) = reply else {
                return JsValue::NULL;
            };
            let mut newest = newest.borrow_mut();
            let id = newest.0.wrapping_add(1);
            let labels = leads.iter().map(|lead| said(&lead_label(lead))).collect();
            *newest = (id, leads);
            to_js(&Shown { id, from, to, title: &title, sentences: &sentences, leads: labels })
        }
    };
    let closure = asked(ask.clone(), Question::Explain, Rc::new(explained));
    keep("hover", closure.as_ref().clone(), Box::new(closure));
    let completed = |reply| match reply {
        Reply::Completed { from, candidates } => to_js(&Completions { from, candidates: &candidates }),
        _ => JsValue::NULL,
    };
    let closure = asked(ask.clone(), Question::Complete, Rc::new(completed));
    keep("complete", closure.as_ref().clone(), Box::new(closure));
    let defined = |reply| match reply {
        Reply::Defined(at) => to_js(&at),
        _ => JsValue::NULL,
    };
    let closure = asked(ask.clone(), Question::Define, Rc::new(defined));
    keep("define", closure.as_ref().clone(), Box::new(closure));
    let edits = |reply| match reply {
        Reply::Edits(edits) => to_js(&edits),
        Reply::Refused(reason) => reason.into(),
        _ => JsValue::NULL,
    };
    let closure = asked(ask.clone(), |_| Question::Format, Rc::new(edits));
    keep("format", closure.as_ref().clone(), Box::new(closure));
    let prompt = said(&Message::program("editor-new-name"));
    let closure = Closure::<dyn Fn(JsValue) -> Promise>::new(move |at: JsValue| {
        let name = web_sys::window().and_then(|window| window.prompt_with_message(&prompt).ok().flatten());
        let Some(name) = name.filter(|name| !name.trim().is_empty()) else {
            return Promise::resolve(&JsValue::NULL);
        };
        let question = Question::Rename(position(&at), name);
        Promise::new(&mut |resolve, _| {
            requests::ask(&ask, language, question.clone(), move |reply| {
                // Resolving a promise cannot throw.
                let _ = resolve.call1(&JsValue::NULL, &edits(reply));
            });
        })
    });
    keep("rename", closure.as_ref().clone(), Box::new(closure));
    let closure = Closure::<dyn Fn(u32, u32) -> JsValue>::new(move |id: u32, index: u32| {
        let newest = newest.borrow();
        let lead = usize::try_from(index).ok().and_then(|index| newest.1.get(index));
        match lead.filter(|_| newest.0 == id) {
            Some(WireLead::Layout(fragment)) => {
                if let Some(window) = web_sys::window() {
                    // It fails only where the page may not navigate itself.
                    let _ = window.location().set_hash(fragment);
                }
            }
            Some(WireLead::Instruction(at)) => select.emit(*at),
            Some(WireLead::Definition(at)) => return to_js(at),
            None => {}
        }
        JsValue::NULL
    });
    keep("lead", closure.as_ref().clone(), Box::new(closure));
    (object, callbacks)
}
