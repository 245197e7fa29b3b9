//! The program that a task produced: its text, and buttons that copy, save and open it.

use std::rc::Rc;

use yew::prelude::*;

use crate::app::components::files::{copy, download};
use crate::app::components::link_field::use_status;
use crate::app::context::use_app_context;
use crate::app::link;
use crate::app::program::code_line::code_line;
use crate::i18n::Message;
use crate::state::program::link as permalink;
use crate::state::program::session::{Action, Session, own_source};
use crate::state::program::source_text::SourceText;
use crate::worker::program::wire::ResultProgram;

/// Maximum lines that are shown.
const MAX_LINES: usize = 200;

/// Properties of [`ResultView`].
#[derive(Clone, PartialEq, Properties)]
pub struct ResultViewProps {
    /// The program.
    pub program: Rc<ResultProgram>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// The program.
#[component]
pub fn ResultView(props: &ResultViewProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    let ResultViewProps { program, dispatch } = props;
    let (status, set_status) = use_status();
    let source = use_memo(program.clone(), |program| SourceText::new(program.text.clone()));
    let fragment = {
        let (source, arguments) = (source.clone(), program.arguments.clone());
        use_memo(program.clone(), move |_| {
            let is_stored = permalink::is_stored(&source);
            let session = Session { source: own_source((*source).clone()), arguments, ..Session::default() };
            (!is_stored).then(|| permalink::write(&session))
        })
    };
    let open = {
        let (source, arguments) = (source.clone(), program.arguments.clone());
        dispatch.reform(move |_: MouseEvent| Action::OpenProgram((*source).clone(), arguments.clone()))
    };
    let copy_text = {
        let (program, set_status) = (program.clone(), set_status.clone());
        Callback::from(move |_: MouseEvent| {
            let set_status = set_status.clone();
            copy(&program.with_comments(), move |key| set_status.emit(key));
        })
    };
    let save = {
        let program = program.clone();
        Callback::from(move |_: MouseEvent| download("cut-out.hlo", "text/plain", &program.with_comments()))
    };
    let copy_link = (*fragment).clone().map(|fragment| {
        let onclick = Callback::from(move |_: MouseEvent| {
            let set_status = set_status.clone();
            copy(&link::full_url(&fragment), move |key| set_status.emit(key));
        });
        html! { <button class="btn small" id="result-link" {onclick}>{text("program-cut-link")}</button> }
    });
    let folded = text("program-folded");
    let lines = (0..source.line_count().min(MAX_LINES)).map(|line| {
        html! { <div class="line" key={line}>{code_line(source.line(line), &folded)}</div> }
    });
    let omitted = source.line_count().saturating_sub(MAX_LINES);
    let note = |count: usize, key: &'static str| {
        (count > 0).then(|| {
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            html! { <p class="warning">{context.text(&Message::program(key).with("count", count))}</p> }
        })
    };
    html! {
        <>
            <div class="row wrap">
                <button class="btn primary" id="result-open" onclick={open}>{text("program-cut-open")}</button>
                <button class="btn small" id="result-copy" onclick={copy_text}>{text("program-cut-copy")}</button>
                <button class="btn small" id="result-save" onclick={save}>{text("program-save")}</button>
                {copy_link.unwrap_or_default()}
                <span role="status" class="good">{status.map(|key| context.text_of_key(key))}</span>
            </div>
            <p class="dim">{text("program-cut-back")}</p>
            {note(program.unknown_arguments, "program-cut-unknown-values").unwrap_or_default()}
            {note(program.long_arguments, "program-cut-long-values").unwrap_or_default()}
            <div class="result-text" id="result-text" role="group" aria-label={text("program-cut-result")} tabindex="0"><code>{for lines}</code>
                if omitted > 0 { <p class="dim">{context.text(&Message::new("problems-more").with("count", omitted))}</p> }
            </div>
        </>
    }
}
