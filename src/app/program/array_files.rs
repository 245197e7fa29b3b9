//! Files of arguments, chosen or dropped on the values: kept in the tab, and assigned to parameters by the query worker.

use wasm_bindgen::JsCast;
use web_sys::{DragEvent, Event, File, HtmlInputElement};
use yew::prelude::*;

use crate::app::context::Context;
use crate::files::Format;
use crate::i18n::{Language, Message};
use crate::worker::program::tab_files;
use crate::worker::program::wire::{FileRequest, Query};

/// Maximum files of one drop or choice.
const MAX_FILES: u32 = 256;

/// The extensions of files of arguments.
const ACCEPTED: &str = ".npy,.npz,.json,.raw,.bin";

/// Whether a file has arrays, by its name.
pub fn is_array_file(file: &File) -> bool {
    Format::of_name(&file.name()).is_some()
}

/// Converts a list of files.
fn files_of(files: Option<web_sys::FileList>) -> Vec<File> {
    let files = files
        .into_iter()
        .flat_map(|list| (0..list.length().min(MAX_FILES)).filter_map(move |index| list.get(index)));
    files.collect()
}

/// The files of a drop.
pub fn dropped_files(event: &DragEvent) -> Vec<File> {
    files_of(event.data_transfer().and_then(|data| data.files()))
}

/// Keeps files in the tab and asks the query worker to which parameters they belong.
pub fn assign(files: Vec<File>, parameter: Option<usize>, language: Language, ask: &Callback<Query>) {
    for file in files {
        ask.emit(Query::Assign(FileRequest {
            file: file.name(),
            number: tab_files::keep(file),
            parameter,
            language: language.tag().to_owned(),
        }));
    }
}

/// The button that chooses files: for one parameter, or for all.
pub fn file_button(context: &Context, parameter: Option<(usize, &str)>, ask: &Callback<Query>) -> Html {
    let (id, label, name) = match parameter {
        Some((number, name)) => (
            format!("argument-file-{number}"),
            "program-choose-file",
            Some(context.text(&Message::program("program-choose-file-for").with("name", name))),
        ),
        None => ("argument-files".to_owned(), "program-choose-files", None),
    };
    let onchange = {
        let (ask, language) = (ask.clone(), context.language);
        let number = parameter.map(|(number, _)| number);
        Callback::from(move |event: Event| {
            let Some(input) = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok())
            else {
                return;
            };
            assign(files_of(input.files()), number, language, &ask);
            // Without this, choosing the same file again would fire no event.
            input.set_value("");
        })
    };
    let class = classes!("btn", "file", if parameter.is_some() { "tiny" } else { "small" });
    html! {
        <span class="file-choice">
            <label {class} for={id.clone()}>{context.text(&Message::program(label))}</label>
            <input type="file" class="sr-only" {id} accept={ACCEPTED} multiple={parameter.is_none()} aria-label={name} {onchange} />
        </span>
    }
}
