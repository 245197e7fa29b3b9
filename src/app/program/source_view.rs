//! The source view: the files and lines that instructions come from, the instructions of a line, and a source file that
//! the user chose, with its lines marked.

use std::collections::BTreeMap;
use std::rc::Rc;

use web_sys::{DragEvent, Event, File};
use yew::prelude::*;

use super::file_input::{FileProblem, dropped_file, read_text, take_chosen_file};
use super::instruction_name::instruction_name;
use super::reading::Reading;
use super::source_mark::mark_letters;
use super::virtual_list::VirtualList;
use crate::app::context::{Context, use_app_context};
use crate::i18n::Message;
use crate::inspect::source::common_components;
use crate::state::program::session::Action;
use crate::state::program::source_text::SourceText;
use crate::worker::program::wire::{
    InstructionKey, InstructionPath, Query, SourceIndexFile, SourceIndexLine,
};

/// The height of a line, pixels; see the style sheet.
const LINE_HEIGHT: u32 = 22;

/// Properties of [`SourceView`].
#[derive(Clone, PartialEq, Properties)]
pub struct SourceViewProps {
    /// The program.
    pub reading: Rc<Reading>,
    /// The selected instruction.
    pub selected: Option<InstructionPath>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
    /// Asks the query worker.
    pub ask: Callback<Query>,
}

/// A source file that the user chose.
#[derive(Clone, PartialEq)]
struct OwnFile {
    name: String,
    text: SourceText,
}

/// The file that a path of the user refers to: that with the most trailing components in common, at least its name.
fn matching<'f>(files: &'f [SourceIndexFile], path: &str) -> Option<&'f SourceIndexFile> {
    let best = files.iter().max_by_key(|file| common_components(&file.name, path))?;
    (common_components(&best.name, path) > 0).then_some(best)
}

/// The view.
#[component]
pub fn SourceView(props: &SourceViewProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    let own = use_state_eq(Vec::<OwnFile>::new);
    let chosen_file = use_state_eq(|| None::<String>);
    let problem = use_state_eq(|| None::<AttrValue>);
    {
        let ask = props.ask.clone();
        let opened = props.reading.answer();
        use_effect_with(opened, move |_| ask.emit(Query::Sources));
    }
    // The line of the selected instruction.
    let details = props.reading.details_of(props.selected.as_ref().map(|selected| selected.at));
    let location = details.and_then(|details| details.source.first().cloned());
    {
        let chosen_file = chosen_file.setter();
        use_effect_with(location.clone(), move |location| {
            if let Some(location) = location {
                chosen_file.set(Some(location.file.clone()));
            }
        });
    }
    let Some(index) = props.reading.sources.clone() else { return Html::default() };
    if index.files.is_empty() {
        return html! { <p class="dim source-none" id="source-none">{text("program-source-none")}</p> };
    }
    let shown = index.files.iter().find(|file| Some(&file.name) == chosen_file.as_ref());
    let Some(shown) = shown.or(index.files.first()) else { return Html::default() };
    let open = {
        let (own, problem, index, chosen_file, context) =
            (own.clone(), problem.setter(), index.clone(), chosen_file.setter(), context.clone());
        Callback::from(move |file: File| {
            let name = file.name();
            let Some(found) = matching(&index.files, &name).map(|found| found.name.clone()) else {
                let message = Message::program("program-source-unmatched").with("file", name.as_str());
                return problem.set(Some(context.text(&message)));
            };
            let (own, problem, chosen_file) = (own.clone(), problem.clone(), chosen_file.clone());
            let unreadable = context.text(&Message::program("program-file-unreadable"));
            let done = move |read: Result<String, FileProblem>| match read {
                Ok(text) => {
                    let mut files = (*own).clone();
                    files.retain(|file| file.name != found);
                    files.push(OwnFile { name: found.clone(), text: SourceText::new(text) });
                    own.set(files);
                    chosen_file.set(Some(found.clone()));
                    problem.set(None);
                }
                Err(_) => problem.set(Some(unreadable.clone())),
            };
            read_text(&file, Callback::from(done));
        })
    };
    let ondrop = {
        let open = open.clone();
        Callback::from(move |event: DragEvent| {
            if let Some(file) = dropped_file(&event) {
                event.prevent_default();
                event.stop_propagation();
                open.emit(file);
            }
        })
    };
    let onchange = Callback::from(move |event: Event| {
        if let Some(file) = take_chosen_file(&event) {
            open.emit(file);
        }
    });
    let own_text = own.iter().find(|file| file.name == shown.name).map(|file| file.text.clone());
    let line = location.filter(|location| location.file == shown.name).map(|location| location.line);
    html! {
        <div class="source-view" id="source-view" {ondrop}>
            <section class="pane" aria-labelledby="h-source-files">
                <div class="pane-head">
                    <h2 id="h-source-files">{text("program-source-files")}</h2>
                    <label class="btn small file end" for="source-file">{text("program-source-choose")}</label>
                    <input type="file" class="sr-only" id="source-file" {onchange} />
                </div>
                {file_list(&context, &index.files, &shown.name, &chosen_file.setter())}
                {notes(&context, shown, own_text.as_ref(), (*problem).clone())}
                {lines(&context, props, shown, own_text.as_ref(), line)}
            </section>
            {instructions(&context, props)}
        </div>
    }
}

fn file_list(
    context: &Context,
    files: &[SourceIndexFile],
    shown: &str,
    choose: &UseStateSetter<Option<String>>,
) -> Html {
    let rows = files.iter().map(|file| {
        let (choose, name) = (choose.clone(), file.name.clone());
        let onclick = Callback::from(move |_: MouseEvent| choose.set(Some(name.clone())));
        let label = Message::program("program-source-file")
            .with("file", file.name.as_str())
            .with("count", file.instructions);
        html! {
            <li key={file.name.clone()}><button class="source" aria-pressed={(file.name == shown).to_string()} {onclick}>{context.text(&label)}</button></li>
        }
    });
    html! { <ul class="sources source-files" id="source-files">{for rows}</ul> }
}

fn notes(
    context: &Context,
    shown: &SourceIndexFile,
    own: Option<&SourceText>,
    problem: Option<AttrValue>,
) -> Html {
    let last = shown.lines.last().map_or(0, |line| line.line);
    let file = shown.name.as_str();
    let sentence = match own {
        None => Message::program("program-source-drop"),
        Some(text) if (last as usize) > text.line_count() => Message::program("program-source-short")
            .with("file", file)
            .with("lines", text.line_count())
            .with("line", u64::from(last)),
        Some(_) => Message::program("program-source-shown").with("file", file),
    };
    html! {
        <>
            <p class="dim source-note" id="source-note">{context.text(&sentence)}</p>
            if let Some(problem) = problem { <p class="error-line source-note" role="alert">{problem}</p> }
        </>
    }
}

/// The lines of a file: all of a file that the user chose, else those with instructions.
fn lines(
    context: &Context,
    props: &SourceViewProps,
    shown: &SourceIndexFile,
    own: Option<&SourceText>,
    selected: Option<u32>,
) -> Html {
    let marked: BTreeMap<u32, SourceIndexLine> =
        shown.lines.iter().map(|line| (line.line, line.clone())).collect();
    let numbers: Rc<Vec<u32>> = Rc::new(match own {
        Some(text) => (1..=u32::try_from(text.line_count()).unwrap_or(u32::MAX)).collect(),
        None => marked.keys().copied().collect(),
    });
    let reveal = selected.and_then(|line| numbers.binary_search(&line).ok()).map(|row| (row, 0));
    let count = numbers.len();
    let row = {
        let (own, ask, file, context) =
            (own.cloned(), props.ask.clone(), shown.name.clone(), context.clone());
        Callback::from(move |row: usize| {
            let Some(number) = numbers.get(row).copied() else { return Html::default() };
            let mark = marked.get(&number);
            let code = own.as_ref().map(|text| text.line(number as usize - 1).to_owned()).unwrap_or_default();
            let columns = html! {
                <>
                    <span class="number">{number}</span>
                    <span class="mark-column">{mark.and_then(|line| line.mark).map(|number| mark_letters(number, None)).unwrap_or_default()}</span>
                    <span class="code">{code}</span>
                </>
            };
            let class = classes!("source-line", (Some(number) == selected).then_some("selected"));
            match mark {
                None => html! { <div {class} key={row}>{columns}</div> },
                Some(line) => {
                    let label = Message::program("program-source-line")
                        .with("file", file.as_str())
                        .with("line", u64::from(number))
                        .with("count", line.instructions);
                    let file = file.clone();
                    let onclick = ask
                        .reform(move |_: MouseEvent| Query::SourceLine { file: file.clone(), line: number });
                    html! {
                        <button {class} {onclick} key={row} id={format!("source-line-{number}")} aria-label={context.text(&label)}>
                            {columns}<span class="count" aria-hidden="true">{line.instructions}</span>
                        </button>
                    }
                }
            }
        })
    };
    html! {
        <VirtualList id="source-lines" class="source-lines" label={context.text(&Message::program("program-source-lines"))} role="group" {count}
            row_height={LINE_HEIGHT} {reveal} {row} />
    }
}

/// The instructions of the chosen line.
fn instructions(context: &Context, props: &SourceViewProps) -> Html {
    let found = props.reading.source_line.as_ref().map(|found| {
        let rows = found.rows.iter().map(|row| {
            let at = InstructionKey { computation: row.computation, instruction: row.row.instruction };
            let is_selected = props.selected.as_ref().is_some_and(|selected| selected.at == at);
            let onclick = props
                .dispatch
                .reform(move |_: MouseEvent| Action::Select(InstructionPath { at, calls: Vec::new() }));
            html! {
                <li key={format!("{}.{}", at.computation, at.instruction)}>
                    <button class="source-instruction" aria-pressed={is_selected.to_string()} {onclick}>
                        {instruction_name(&row.row.name)}<span class="opcode">{&row.row.opcode}</span>
                        <span class="shape">{&row.row.shape}</span><span class="dim">{&row.parent}</span>
                    </button>
                </li>
            }
        });
        let title = Message::program("program-source-instructions").with("line", u64::from(found.line));
        html! {
            <>
                <div class="pane-head"><h2>{context.text(&title)}</h2></div>
                <ul class="source-instructions" id="source-instructions">{for rows}</ul>
            </>
        }
    });
    html! {
        <section class="pane" aria-live="polite">
            {found.unwrap_or_else(|| html! { <p class="dim source-note">{context.text(&Message::program("program-source-select"))}</p> })}
        </section>
    }
}
