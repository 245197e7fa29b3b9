//! The controls that choose the program, dumps or arrays to compare with.

use web_sys::{DragEvent, File};
use yew::prelude::*;

use super::series::use_dumps;
use crate::app::context::use_app_context;
use crate::app::program::array_files::dropped_files;
use crate::app::program::file_input::{FileProblem, read_text, take_chosen_files};
use crate::app::program::paste_field::PasteField;
use crate::files::Format;
use crate::i18n::Message;
use crate::state::program::samples::SAMPLES;
use crate::state::program::session::{Action, Session, Source, own_source};
use crate::state::program::source_text::SourceText;
use crate::worker::program::tab_files;
use crate::worker::program::wire::FileArgument;

use super::series::Dumps;

/// Properties of [`Chooser`].
#[derive(Clone, PartialEq, Properties)]
pub struct ChooserProps {
    /// The session.
    pub session: std::rc::Rc<Session>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
    /// Returns to the comparison that was shown last, if there was one.
    pub resume: Option<Callback<()>>,
    /// Opens a series of dumps.
    pub open_dumps: Callback<Dumps>,
    /// Compares the values with the arrays of an archive.
    pub open_archive: Callback<FileArgument>,
}

/// The controls.
#[component]
pub fn Chooser(props: &ChooserProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    let problem = use_state_eq(|| None::<FileProblem>);
    let choose = {
        let dispatch = props.dispatch.clone();
        Callback::from(move |text: String| {
            dispatch.emit(Action::CompareWith(own_source(SourceText::new(text))));
        })
    };
    let read_dumps = use_dumps(&props.open_dumps, &problem.setter());
    let open_files = {
        let (choose, problem, read_dumps) = (choose.clone(), problem.setter(), read_dumps);
        let open_archive = props.open_archive.clone();
        Callback::from(move |files: Vec<File>| match &files[..] {
            [] => {}
            [file] if Format::of_name(&file.name()) == Some(Format::Npz) => {
                let number = Some(tab_files::keep(file.clone()));
                open_archive.emit(FileArgument { file: file.name(), member: None, number });
            }
            [file] => {
                let (choose, problem) = (choose.clone(), problem.clone());
                read_text(
                    file,
                    Callback::from(move |read: Result<String, FileProblem>| match read {
                        Ok(text) => choose.emit(text),
                        Err(why) => problem.set(Some(why)),
                    }),
                );
            }
            _ => read_dumps.emit(files),
        })
    };
    let ondrop = {
        let open_files = open_files.clone();
        Callback::from(move |event: DragEvent| {
            let files = dropped_files(&event);
            if !files.is_empty() {
                event.prevent_default();
                // The page would open the dropped file instead.
                event.stop_propagation();
                open_files.emit(files);
            }
        })
    };
    let onchange = open_files.reform(|event: Event| take_chosen_files(&event));
    let unedited = props.session.unedited.clone().map(|unedited| {
        let onclick = props.dispatch.reform(move |_: MouseEvent| Action::CompareWith(unedited.clone()));
        html! { <button class="btn" id="compare-unedited" {onclick}>{text("program-compare-unedited")}</button> }
    });
    let samples = SAMPLES.iter().map(|sample| {
        let onclick = props.dispatch.reform(move |_: MouseEvent| Action::CompareWith(Source::Sample(sample)));
        html! { <li key={sample.name}><button class="btn small" id={format!("compare-sample-{}", sample.name)} {onclick}>{text(sample.title)}</button></li> }
    });
    let problem = problem.as_ref().map(|problem| problem.text(&context));
    html! {
        <div class="compare-chooser" id="compare-chooser" ondragover={Callback::from(|event: DragEvent| event.prevent_default())} {ondrop}>
            <h2>{text("program-compare-title")}</h2>
            if let Some(resume) = &props.resume {
                <p><button class="btn" id="compare-resume" onclick={resume.reform(|_: MouseEvent| ())}>{text("program-compare-resume")}</button></p>
            }
            <p class="dim">{text("program-compare-about")}</p>
            <PasteField id="compare-paste" button_id="compare-open" rows={6} label={text("program-compare-paste")}
                button={text("program-compare-choose")} on_text={choose}>
                {unedited.unwrap_or_default()}
                <label class="btn file" for="compare-file">{text("program-compare-files")}</label>
                <input type="file" class="sr-only" id="compare-file" multiple=true accept=".hlo,.txt,.mlir,.npz,text/plain" onchange={onchange.clone()} />
                <label class="btn file" for="compare-folder">{text("program-compare-folder")}</label>
                <input type="file" class="sr-only" id="compare-folder" webkitdirectory={true} {onchange} />
                <span class="dim">{text("program-compare-drop")}</span>
            </PasteField>
            if let Some(problem) = problem { <p class="error-line" role="alert" id="compare-file-problem">{problem}</p> }
            <h3>{text("program-samples")}</h3>
            <ul class="row wrap">{for samples}</ul>
        </div>
    }
}
