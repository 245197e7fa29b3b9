//! Files that the user chooses or drops, as text.

use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DragEvent, File, HtmlInputElement};
use yew::prelude::*;

use super::array_files::is_array_file;
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
    /// It has arrays.
    Array,
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
        // A task of its own for what is done with the text: copying some megabytes takes as long as a frame.
        Timeout::new(0, move || report.emit(text.ok_or(FileProblem::Unreadable))).forget();
    });
}

/// The first file of a drop.
pub fn dropped(event: &DragEvent) -> Option<File> {
    event.data_transfer()?.files()?.get(0)
}

/// The chosen file of an input.
pub fn chosen(event: &Event) -> Option<File> {
    let input: HtmlInputElement = event.target()?.dyn_into().ok()?;
    let file = input.files()?.get(0);
    // Choosing the same file again is a change again.
    input.set_value("");
    file
}
