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
use crate::worker::program::editing::{Candidate, Hover, Position, Question, Reply, WireHoverLink};
use crate::worker::program::wire::{InstructionKey, Problem, Query};
use crate::worker::site::files;

/// The file of the bundle.
const BUNDLE: &str = "editor.js";

/// The options of a new editor.
pub struct EditorOptions {
    /// The text.
    pub text: String,
    /// The language of the interface.
    pub language: Language,
    /// Called after each change that the user makes.
    pub change: Callback<()>,
    /// Called when the caret moves.
    pub moved: Callback<Position>,
    /// Asks the query worker.
    pub ask: Callback<Query>,
    /// Selects an instruction.
    pub select: Callback<InstructionKey>,
}

/// An editor. Dropping it removes it from the page.
pub struct Handle {
    editor: JsValue,
    /// The callbacks, which live as long as the editor.
    _callbacks: Vec<Box<dyn Any>>,
}

/// Converts a value to a JavaScript object.
fn to_js(value: &impl Serialize) -> JsValue {
    let json = serde_json::to_string(value).unwrap_or_default();
    JSON::parse(&json).unwrap_or(JsValue::NULL)
}

/// Reads a position of the editor.
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

/// An explanation for the editor: targets to read on are the labels of buttons.
#[derive(Serialize)]
struct Shown<'a> {
    id: u32,
    from: Position,
    to: Position,
    title: &'a str,
    sentences: &'a [String],
    links: Vec<String>,
}

/// The label of a link.
pub fn link_label(link: &WireHoverLink) -> Message {
    Message::program(match link {
        WireHoverLink::Layout(_) => "editor-link-layout",
        WireHoverLink::Instruction(_) => "editor-link-instruction",
        WireHoverLink::Definition(_) => "editor-link-definition",
    })
}

#[derive(Serialize)]
struct Completions<'a> {
    from: Position,
    to: Position,
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

/// A highlighted line in the encoding of the editor: see `static/editor/highlighting.js`.
fn encode_highlights(line: &str, state: u32) -> Vec<u32> {
    let found = highlight(line, LineState::from_code(state));
    // In a line of ASCII, bytes and UTF-16 columns are the same.
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
        let Arguments { object, callbacks } = arguments(options);
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

    /// Sets the regions that can be folded.
    pub fn set_folds(&self, folds: &[(Position, Position, bool)]) {
        let folds: Vec<ShownFold> = folds
            .iter()
            .map(|(from, to, is_folded)| ShownFold { from: *from, to: *to, is_folded: *is_folded })
            .collect();
        self.call("setFolds", &[to_js(&folds)]);
    }

    /// The position of the caret while the user is in the editor.
    pub fn caret(&self) -> Option<Position> {
        Some(self.call("caret", &[])).filter(JsValue::is_object).as_ref().map(position)
    }

    /// Selects a part and scrolls to it, unless the caret is there already or the user is in the editor.
    pub fn reveal(&self, from: Position, to: Position) {
        self.call("reveal", &[to_js(&from), to_js(&to)]);
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.call("destroy", &[]);
    }
}

/// The options of the editor as an object, and the callbacks in it.
struct Arguments {
    object: Object,
    callbacks: Vec<Box<dyn Any>>,
}

/// Asks the query worker, in a language.
#[derive(Clone)]
struct Asker {
    ask: Callback<Query>,
    language: Language,
}

impl Asker {
    /// A promise of the answer; `convert` converts it for the editor.
    fn promise(&self, question: &Question, convert: &Rc<dyn Fn(Reply) -> JsValue>) -> Promise {
        Promise::new(&mut |resolve, _| {
            let convert = convert.clone();
            requests::ask(&self.ask, self.language, question.clone(), move |reply| {
                // Resolving a promise cannot throw.
                let _ = resolve.call1(&JsValue::NULL, &convert(reply));
            });
        })
    }
}

impl Arguments {
    fn set(&self, name: &str, value: &JsValue) {
        // Setting a property of a plain object succeeds.
        let _ = Reflect::set(&self.object, &name.into(), value);
    }

    /// Sets a callback, and keeps it as long as the editor.
    fn keep<T: ?Sized + 'static>(&mut self, name: &str, closure: Closure<T>) {
        self.set(name, closure.as_ref());
        self.callbacks.push(Box::new(closure));
    }

    /// Sets a callback that asks about a position.
    fn keep_question(
        &mut self,
        name: &str,
        asker: &Asker,
        question: fn(Position) -> Question,
        shown: impl Fn(Reply) -> JsValue + 'static,
    ) {
        let (asker, shown): (_, Rc<dyn Fn(Reply) -> JsValue>) = (asker.clone(), Rc::new(shown));
        self.keep(
            name,
            Closure::<dyn Fn(JsValue) -> Promise>::new(move |at: JsValue| {
                asker.promise(&question(position(&at)), &shown)
            }),
        );
    }

    /// Sets the callbacks of hovers: the hover itself, and the action of its buttons.
    fn keep_hovers(&mut self, asker: &Asker, select: Callback<InstructionKey>) {
        let newest = Rc::new(RefCell::new((0_u32, Vec::<WireHoverLink>::new())));
        let language = asker.language;
        let shown = {
            let newest = newest.clone();
            move |reply| {
                let Reply::Hover(Hover { from, to, title, sentences, links }) = reply else {
                    return JsValue::NULL;
                };
                let mut newest = newest.borrow_mut();
                let id = newest.0.wrapping_add(1);
                let labels = links.iter().map(|link| link_label(link).localize(language)).collect();
                *newest = (id, links);
                to_js(&Shown { id, from, to, title: &title, sentences: &sentences, links: labels })
            }
        };
        self.keep_question("hover", asker, Question::Hover, shown);
        let follow = move |id: u32, index: u32| {
            let newest = newest.borrow();
            let link = usize::try_from(index).ok().and_then(|index| newest.1.get(index));
            match link.filter(|_| newest.0 == id) {
                Some(WireHoverLink::Layout(fragment)) => {
                    if let Some(window) = web_sys::window() {
                        // It fails only where the page may not navigate itself.
                        let _ = window.location().set_hash(fragment);
                    }
                }
                Some(WireHoverLink::Instruction(at)) => select.emit(*at),
                Some(WireHoverLink::Definition(at)) => return to_js(at),
                None => {}
            }
            JsValue::NULL
        };
        self.keep("followLink", Closure::<dyn Fn(u32, u32) -> JsValue>::new(follow));
    }

    /// Sets the callbacks that change the text: renaming and formatting.
    fn keep_edits(&mut self, asker: &Asker) {
        let edits = |reply| match reply {
            Reply::Edits(edits) => to_js(&edits),
            Reply::Rejected(reason) => reason.into(),
            _ => JsValue::NULL,
        };
        self.keep_question("format", asker, |_| Question::Formatting, edits);
        let prompt = Message::program("editor-new-name").localize(asker.language);
        let (asker, shown): (_, Rc<dyn Fn(Reply) -> JsValue>) = (asker.clone(), Rc::new(edits));
        self.keep(
            "rename",
            Closure::<dyn Fn(JsValue) -> Promise>::new(move |at: JsValue| {
                let name =
                    web_sys::window().and_then(|window| window.prompt_with_message(&prompt).ok().flatten());
                match name.filter(|name| !name.trim().is_empty()) {
                    Some(name) => asker.promise(&Question::Rename(position(&at), name), &shown),
                    None => Promise::resolve(&JsValue::NULL),
                }
            }),
        );
    }
}

/// The options as an object, and the callbacks in it.
fn arguments(options: EditorOptions) -> Arguments {
    let EditorOptions { text, language, change, moved, ask, select } = options;
    let mut arguments = Arguments { object: Object::new(), callbacks: Vec::new() };
    arguments.set("text", &text.into());
    arguments.set("label", &Message::program("program-text").localize(language).into());
    let texts = Object::new();
    for (own, message) in phrases::phrases() {
        // Setting a property of a plain object succeeds.
        let _ = Reflect::set(&texts, &own.into(), &message.localize(language).into());
    }
    arguments.set("phrases", &texts);
    let classes: Array = TokenClass::ALL.iter().map(|class| JsValue::from(class.name())).collect();
    arguments.set("classes", &classes);
    let highlight = |line: String, state: u32| Uint32Array::from(&encode_highlights(&line, state)[..]);
    arguments.keep("highlight", Closure::<dyn Fn(String, u32) -> Uint32Array>::new(highlight));
    arguments.keep("change", Closure::<dyn Fn()>::new(move || change.emit(())));
    arguments.keep("move", Closure::<dyn Fn(JsValue)>::new(move |at: JsValue| moved.emit(position(&at))));
    let asker = Asker { ask, language };
    arguments.keep_hovers(&asker, select);
    arguments.keep_edits(&asker);
    arguments.keep_question("completion", &asker, Question::Completion, |reply| match reply {
        Reply::Completion { from, to, candidates } => {
            to_js(&Completions { from, to, candidates: &candidates })
        }
        _ => JsValue::NULL,
    });
    arguments.keep_question("definition", &asker, Question::Definition, |reply| match reply {
        Reply::Definition(at) => to_js(&at),
        _ => JsValue::NULL,
    });
    arguments
}
