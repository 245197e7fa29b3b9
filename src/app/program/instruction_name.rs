//! The name of an instruction in a list.

use yew::prelude::*;

/// The name of an instruction. A long one is shortened before its number, which distinguishes it from others: `fusion….12`.
pub fn instruction_name(name: &str) -> Html {
    let number = name.rfind('.').filter(|dot| name[dot + 1..].bytes().all(|byte| byte.is_ascii_digit()));
    let (stem, number) = name.split_at(number.unwrap_or(name.len()));
    html! { <b class="name" title={name.to_owned()}><span>{stem}</span>{number}</b> }
}
