//! "Copy as": the experiment as HLO, as a program, as a picture, or as a GIF that steps through the output cells.
//!
//! Every row is a format with its actions, or the reason why it is not available. [`crate::hlo::export`] and
//! [`crate::view`] produce the files; only PNG and GIF are rasterized here. Read [`super::animation`] for the GIF.

use std::rc::Rc;

use yew::prelude::*;

use super::animation::{self, Progress};
use super::running::RunValues;
use crate::app::components::files::{copy, download, save_png};
use crate::app::context::{Context, use_app_context};
use crate::hlo::export::{ExportError, Exported, export, hlo_text};
use crate::i18n::Message;
use crate::ops::Language;
use crate::state::experiment::Experiment;
use crate::state::experiment::arguments::{ArgumentError, arguments, run_error};
use crate::view::colour_map::ColourMap;
use crate::view::gif;
use crate::view::op_picture::{MAX_ARRAYS, OpPicture};
use crate::view::tikz::{MAX_CELLS, tikz};

/// The input of an export.
#[derive(Clone, PartialEq)]
pub struct ExportInput {
    /// The experiment to export.
    pub experiment: Rc<Experiment>,
    /// Its values and the selected instruction; `None` if it has no finished run.
    pub values: Option<RunValues>,
    /// The colour map of values.
    pub map: ColourMap,
}

/// Properties of [`CopyAs`].
#[derive(Clone, PartialEq, Properties)]
pub struct CopyAsProps {
    /// The experiment to export.
    pub input: ExportInput,
    /// Reports the outcome, by a message key.
    pub report: Callback<&'static str>,
}

/// A language to export programs in.
struct ExportLanguage {
    language: Language,
    /// Suffix of the ids.
    id: &'static str,
    file: &'static str,
    mime_type: &'static str,
    /// The message key of the name.
    name: &'static str,
}

const LANGUAGES: [ExportLanguage; 3] = [
    ExportLanguage {
        language: Language::Rust,
        id: "rust",
        file: "experiment.rs",
        mime_type: "text/x-rust",
        name: "as-rust",
    },
    ExportLanguage {
        language: Language::Jax,
        id: "jax",
        file: "experiment_jax.py",
        mime_type: "text/x-python",
        name: "as-jax",
    },
    ExportLanguage {
        language: Language::NumPy,
        id: "numpy",
        file: "experiment_numpy.py",
        mime_type: "text/x-python",
        name: "as-numpy",
    },
];

/// Produces the text of a file.
type ProduceText = Rc<dyn Fn() -> String>;

/// A row of the list.
struct Row {
    /// Suffix of the ids.
    id: &'static str,
    name: AttrValue,
    /// Produces the text to copy; `None` if it cannot be copied.
    copy_text: Option<ProduceText>,
    /// Saves the file; `None` if it is not available.
    on_save: Option<Callback<MouseEvent>>,
    /// Why the format is not available, or what it lacks.
    note: Option<AttrValue>,
}

impl Row {
    fn html(self, context: &Context, report: &Callback<&'static str>) -> Html {
        let Self { id, name, copy_text, on_save, note } = self;
        let note_id = format!("about-{id}");
        let described_by = note.as_ref().map(|_| note_id.clone());
        let copy_button = copy_text.map(|text| {
            let report = report.clone();
            let onclick = Callback::from(move |_: MouseEvent| {
                let report = report.clone();
                copy(&text(), move |key| report.emit(key));
            });
            let label = Message::ops("copy-format").with("format", name.to_string());
            html! {
                <button class="btn small" id={format!("copy-{id}")} {onclick} aria-label={context.text(&label)}
                    aria-describedby={described_by.clone()}>{context.text_of_key("copy")}</button>
            }
        });
        let disabled = on_save.is_none();
        let label = Message::ops("save-format").with("format", name.to_string());
        html! {
            <li key={id}>
                <span class="name">{&name}</span>
                <span class="row">
                    {copy_button}
                    <button class="btn small" id={format!("save-{id}")} onclick={on_save} {disabled}
                        aria-label={context.text(&label)} aria-describedby={described_by}>
                        {context.text(&Message::ops("save-as-file"))}
                    </button>
                </span>
                if let Some(note) = note { <span class="dim note" id={note_id}>{note}</span> }
            </li>
        }
    }
}

fn save_text(file: &'static str, mime_type: &'static str, text: ProduceText) -> Callback<MouseEvent> {
    Callback::from(move |_: MouseEvent| download(file, mime_type, &text()))
}

/// The formats of the "Copy as" dialog.
#[component]
pub fn CopyAs(props: &CopyAsProps) -> Html {
    let context = use_app_context();
    let input = &props.input;
    let programs = use_memo(input.clone(), programs);
    let picture = use_memo(input.clone(), |input| {
        let RunValues { finished, focus } = input.values.as_ref()?;
        OpPicture::new(finished, *focus, input.experiment.leaf, input.map).map(Rc::new)
    });
    let progress = use_state_eq(|| Progress::None);
    let gif_job = use_mut_ref(|| None::<animation::Job>);
    {
        // Closing the dialog cancels the animation.
        let gif_job = gif_job.clone();
        use_effect_with((), move |()| move || drop(gif_job.take()));
    }
    let mut texts = vec![hlo_row(&context, &input.experiment)];
    texts.extend(LANGUAGES.iter().zip(&*programs).map(|(language, exported)| {
        let text = exported.as_ref().ok().map(|exported| {
            let text = exported.text.clone();
            Rc::new(move || text.clone()) as ProduceText
        });
        let note = match exported {
            Ok(exported) if exported.unsupported.is_empty() => None,
            Ok(exported) => Some(Message::ops("export-missing").with("ops", exported.unsupported.join(", "))),
            Err(reason) => Some(reason.clone()),
        };
        let note = note.map(|note| context.text(&note));
        let ExportLanguage { id, file, mime_type, name, .. } = *language;
        let name = context.text(&Message::ops(name));
        let on_save = text.clone().map(|text| save_text(file, mime_type, text));
        Row { id, name, copy_text: text, on_save, note }
    }));
    let cell = picture
        .as_ref()
        .as_ref()
        .map_or(0, |p| input.experiment.cursor.clamp(0, (p.cell_count() - 1).max(0)));
    let arrays = input
        .values
        .as_ref()
        .map_or(0, |RunValues { finished, focus }| OpPicture::array_count(finished, *focus));
    let no_picture_reason = if arrays > MAX_ARRAYS {
        Message::ops("export-many-arrays").with("arrays", arrays).with("most", MAX_ARRAYS)
    } else {
        Message::ops("export-no-array")
    };
    let mut pictures = drawings(&context, picture.as_ref().clone(), cell, &no_picture_reason);
    let on_start = picture.as_ref().clone().map(|picture| {
        let (context, report) = (context.clone(), props.report.clone());
        let (progress, gif_job) = (progress.clone(), gif_job.clone());
        Callback::from(move |_: MouseEvent| {
            let (progress, report) = (progress.clone(), report.clone());
            let on_progress = Callback::from(move |now: Progress| {
                match now {
                    Progress::Done => report.emit("export-saved"),
                    Progress::Failed => report.emit("export-failed"),
                    Progress::None | Progress::Frame(..) => {}
                }
                progress.set(now);
            });
            *gif_job.borrow_mut() =
                Some(animation::start(picture.clone(), context.language, context.theme(), on_progress));
        })
    });
    pictures.push(gif_row(&context, picture.as_ref().as_deref(), on_start, *progress, no_picture_reason));
    let cancel = {
        let (progress, gif_job) = (progress.clone(), gif_job.clone());
        Callback::from(move |_: MouseEvent| {
            drop(gif_job.take());
            progress.set(Progress::None);
        })
    };
    let title = pictures_title(input.values.as_ref(), picture.as_ref().as_deref(), cell);
    let group = |id: &'static str, title: &Message, rows: Vec<Row>| {
        html! {
            <>
                <h4 class="formats-title" {id}>{context.text(title)}</h4>
                <ul class="formats" aria-labelledby={id}>
                    {for rows.into_iter().map(|row| row.html(&context, &props.report))}
                </ul>
            </>
        }
    };
    html! {
        <>
            <h3>{context.text(&Message::ops("copy-as"))}</h3>
            {group("formats-text", &Message::ops("export-text"), texts)}
            {group("formats-picture", &title, pictures)}
            if let Progress::Frame(done, total) = *progress {
                <div class="row making">
                    <label for="gif-progress">{context.text(&Message::ops("gif-making").with("frame", done).with("frames", total))}</label>
                    <progress id="gif-progress" max={total.to_string()} value={done.to_string()} />
                    <button class="btn small" id="cancel-gif" onclick={cancel}>{context.text(&Message::ops("gif-cancel"))}</button>
                </div>
            }
        </>
    }
}

/// The heading of the pictures. They show one instruction: the heading of a longer chain names it.
fn pictures_title(values: Option<&RunValues>, picture: Option<&OpPicture>, cell: i64) -> Message {
    let cell = picture.map_or_else(|| "out".to_owned(), |picture| picture.cell_name(cell));
    let selected = values.and_then(|RunValues { finished, focus }| {
        let entry = finished.module().entry_computation()?;
        let is_chain = entry.iter().count() > entry.parameters.len() + 1;
        entry.iter().find(|(id, _)| is_chain && id == focus)
    });
    match selected {
        Some((_, instruction)) => {
            Message::ops("export-picture-of").with("instruction", instruction.name.clone()).with("cell", cell)
        }
        None => Message::ops("export-picture").with("cell", cell),
    }
}

/// The program in each language.
fn programs(input: &ExportInput) -> Vec<Result<Exported, Message>> {
    let parsed;
    let module = if let Some(values) = &input.values {
        values.finished.module().as_ref()
    } else {
        parsed = crate::hlo::parser::parse_edition(&input.experiment.text, input.experiment.edition).module;
        &parsed
    };
    let arguments = arguments(&input.experiment, module);
    let program = |language| match &arguments {
        Ok(arguments) => export(module, arguments, language, input.experiment.edition).map_err(reason),
        Err(ArgumentError::Memory) => Err(reason(ExportError::TooLarge)),
        Err(ArgumentError::Values(error)) => Err(run_error(error).error.message.clone()),
    };
    LANGUAGES.iter().map(|row| program(row.language)).collect()
}

fn reason(error: ExportError) -> Message {
    Message::ops(match error {
        ExportError::InvalidModule => "export-unknown",
        ExportError::TooLarge => "export-too-large",
    })
}

fn hlo_row(context: &Context, experiment: &Rc<Experiment>) -> Row {
    let experiment = experiment.clone();
    let text: ProduceText = Rc::new(move || hlo_text(&experiment.text));
    let name = context.text(&Message::ops("hlo-text"));
    Row {
        id: "hlo",
        name,
        on_save: Some(save_text("experiment.hlo", "text/plain", text.clone())),
        copy_text: Some(text),
        note: None,
    }
}

/// SVG, PNG and `TikZ` of the current output cell.
fn drawings(
    context: &Context,
    picture: Option<Rc<OpPicture>>,
    cell: i64,
    no_picture_reason: &Message,
) -> Vec<Row> {
    let missing_note = picture.is_none().then(|| context.text(no_picture_reason));
    let svg = picture.clone().map(|picture| {
        let (language, theme) = (context.language, context.theme());
        let description = context.text(&Message::ops("picture-of-op"));
        Rc::new(move || picture.svg(cell, language, &theme, &description)) as ProduceText
    });
    let png = picture.clone().map(|picture| {
        let (language, theme) = (context.language, context.theme());
        Callback::from(move |_: MouseEvent| {
            save_png("experiment.png", picture.scene(cell, language), &theme);
        })
    });
    let fits = picture.as_ref().is_some_and(|picture| picture.total_cells() <= MAX_CELLS);
    let tex = picture.filter(|_| fits).map(|picture| {
        let (language, theme) = (context.language, context.theme());
        Rc::new(move || tikz(&picture, cell, language, &theme).unwrap_or_default()) as ProduceText
    });
    let too_large = || Some(context.text(&Message::ops("tikz-too-large").with("cells", MAX_CELLS)));
    vec![
        Row {
            id: "svg",
            name: "SVG".into(),
            on_save: svg.clone().map(|text| save_text("experiment.svg", "image/svg+xml", text)),
            copy_text: svg,
            note: missing_note.clone(),
        },
        Row { id: "png", name: "PNG".into(), copy_text: None, on_save: png, note: missing_note.clone() },
        Row {
            id: "tikz",
            name: context.text(&Message::ops("as-tikz")),
            on_save: tex.clone().map(|text| save_text("experiment.tex", "application/x-tex", text)),
            copy_text: tex,
            note: missing_note.or_else(|| if fits { None } else { too_large() }),
        },
    ]
}

fn gif_row(
    context: &Context,
    picture: Option<&OpPicture>,
    on_start: Option<Callback<MouseEvent>>,
    progress: Progress,
    no_picture_reason: Message,
) -> Row {
    let size = picture.map(|picture| {
        let scene = picture.frame(0, context.language);
        let scale = animation::pixel_scale(&scene, picture.cell_count());
        (scene.width * scale, scene.height * scale, picture.cell_count())
    });
    let fits = size.is_some_and(|(width, height, frames)| gif::fits(width, height, frames));
    let note = match size {
        None => Some(no_picture_reason),
        Some((_, _, 0)) => Some(Message::ops("export-no-array")),
        Some((_, _, frames)) if !fits => {
            Some(Message::ops("gif-too-large").with("frames", frames).with("most", gif::MAX_FRAMES))
        }
        Some((_, _, frames)) => Some(Message::ops("gif-frames").with("frames", frames)),
    };
    let is_idle = !matches!(progress, Progress::Frame(..));
    Row {
        id: "gif",
        name: context.text(&Message::ops("as-gif")),
        copy_text: None,
        on_save: on_start.filter(|_| fits && is_idle),
        note: note.map(|note| context.text(&note)),
    }
}
