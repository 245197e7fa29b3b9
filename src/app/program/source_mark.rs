//! The mark of a source line: a colour, and letters that identify it without the colour.

use yew::prelude::*;

use crate::worker::program::wire::SourceMark;

/// The number of colours.
const COLOURS: u32 = 6;

/// Letters for a number: A … Z, AA, AB ….
pub fn letters(number: u32) -> String {
    let mut letters = Vec::new();
    let mut rest = u64::from(number) + 1;
    while rest > 0 {
        rest -= 1;
        letters.push(char::from(b'A' + u8::try_from(rest % 26).unwrap_or(0)));
        rest /= 26;
    }
    letters.iter().rev().collect()
}

/// The mark with a number.
pub fn mark_letters(number: u32, title: Option<AttrValue>) -> Html {
    html! { <span class="source-mark" style={format!("--mark:var(--d{})", number % COLOURS)} {title}>{letters(number)}</span> }
}

/// The mark of an instruction.
pub fn source_mark(mark: &SourceMark) -> Html {
    mark_letters(mark.number, Some(mark.location.clone().into()))
}
