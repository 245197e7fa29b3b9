//! Files that the user chooses or drops, as text.

use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DragEvent, File, HtmlInputElement};
use yew::prelude::*;

use super::array_files::is_array_file;
use crate::app::context::Context;
use crate::i18n::Message;
use crate::state::program::MAX_FILE_BYTES;

/// Maximum bytes of a file.
const MAX_BYTES: f64 = MAX_FILE_BYTES as f64;

/// Why a file was not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileProblem {
    /// It cannot be read.
    Unreadable,
    /// It is too large.
    TooLarge,
    /// It is a file of arrays, not of a program.
    Array,
}

impl FileProblem {
    /// The sentence in the page's language.
    pub fn text(self, context: &Context) -> AttrValue {
        context.text(&Message::program(match self {
            Self::Unreadable => "program-file-unreadable",
            Self::TooLarge => "program-file-too-large",
            Self::Array => "program-file-opened-as-text",
        }))
    }
}

/// Reads a file as text, and reports it.
pub fn read_text(file: &File, report: Callback<Result<String, FileProblem>>) {
    if is_array_file(file) {
        return report.emit(Err(FileProblem::Array));
    }
    if file.size() > MAX_BYTES {
        return report.emit(Err(FileProblem::TooLarge));
    }
    let text = file.text();
    spawn_local(async move {
        let text = JsFuture::from(text).await.ok().and_then(|text| text.as_string());
        // Reported in a separate task: handling some megabytes of text takes as long as a frame.
        Timeout::new(0, move || report.emit(text.ok_or(FileProblem::Unreadable))).forget();
    });
}

/// The first file of a drop.
pub fn dropped_file(event: &DragEvent) -> Option<File> {
    event.data_transfer()?.files()?.get(0)
}

/// Maximum files of a drop or a choice: a compiler runs some hundred passes.
const MAX_FILES: u32 = 2_000;

fn listed(files: &web_sys::FileList) -> Vec<File> {
    (0..files.length().min(MAX_FILES)).filter_map(|number| files.get(number)).collect()
}

/// Takes all chosen files from an input.
pub fn take_chosen_files(event: &Event) -> Vec<File> {
    let input: Option<HtmlInputElement> = event.target().and_then(|target| target.dyn_into().ok());
    let Some(input) = input else { return Vec::new() };
    let files = input.files().map(|files| listed(&files)).unwrap_or_default();
    input.set_value("");
    files
}

/// Takes the chosen file from an input.
pub fn take_chosen_file(event: &Event) -> Option<File> {
    let input: HtmlInputElement = event.target()?.dyn_into().ok()?;
    let file = input.files()?.get(0);
    // Choosing the same file again is a change again.
    input.set_value("");
    file
}
