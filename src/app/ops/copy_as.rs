//! "Copy as": the experiment as HLO, as a program, as a picture, as an animation of the stepping.
//!
//! Every row is a format with its actions, or the reason why it is not available. [`crate::hlo::export`] and
//! [`crate::view`] produce the files; only pixels are painted here. Read [`super::animation`] for the GIF.

use std::rc::Rc;

use yew::prelude::*;

use super::animation::{self, Progress};
use super::running::Values;
use crate::app::components::files::{copy, download, save_png};
use crate::app::context::{Context, use_app_context};
use crate::hlo::export::{ExportError, Exported, export, hlo_text};
use crate::i18n::Message;
use crate::ops::Language;
use crate::state::experiment::Experiment;
use crate::state::experiment::arguments::{ArgumentError, arguments, unreadable_error};
use crate::view::colour_map::ColourMap;
use crate::view::gif;
use crate::view::op_picture::{MAX_ARRAYS, OpPicture};
use crate::view::tikz::{MAX_CELLS, tikz};

/// The experiment to export.
#[derive(Clone, PartialEq)]
pub struct Subject {
    /// The experiment.
    pub experiment: Rc<Experiment>,
    /// Its values and the selected instruction; `None` if it has no complete run.
    pub values: Option<Values>,
    /// The colour map of values.
    pub map: ColourMap,
}

/// Properties of [`CopyAs`].
#[derive(Clone, PartialEq, Properties)]
pub struct CopyAsProps {
    /// The experiment to export.
    pub subject: Subject,
    /// Reports the outcome, by a message key.
    pub report: Callback<&'static str>,
}

/// The languages: id, file and media type, and the message key of the name.
const LANGUAGES: [(Language, &str, &str, &str, &str); 3] = [
    (Language::Rust, "rust", "experiment.rs", "text/x-rust", "as-rust"),
    (Language::Jax, "jax", "experiment_jax.py", "text/x-python", "as-jax"),
    (Language::NumPy, "numpy", "experiment_numpy.py", "text/x-python", "as-numpy"),
];

/// A row of the list.
struct Row {
    /// Suffix of the ids.
    id: &'static str,
    name: AttrValue,
    /// Returns the text to copy.
    copied: Option<Rc<dyn Fn() -> String>>,
    /// Saves a file.
    saved: Option<Callback<MouseEvent>>,
    /// Why the format is not available, or what it lacks.
    note: Option<AttrValue>,
}

impl Row {
    fn html(self, context: &Context, report: &Callback<&'static str>) -> Html {
        let Self { id, name, copied, saved, note } = self;
        let about = format!("about-{id}");
        let described = note.as_ref().map(|_| about.clone());
        let copy_it = copied.map(|text| {
            let report = report.clone();
            let onclick = Callback::from(move |_: MouseEvent| {
                let report = report.clone();
                copy(&text(), move |key| report.emit(key));
            });
            let label = Message::ops("copy-format").with("format", name.to_string());
            html! {
                <button class="btn small" id={format!("copy-{id}")} {onclick} aria-label={context.text(&label)}
                    aria-describedby={described.clone()}>{context.text_of_key("copy")}</button>
            }
        });
        let disabled = saved.is_none();
        let label = Message::ops("save-format").with("format", name.to_string());
        html! {
            <li key={id}>
                <span class="name">{&name}</span>
                <span class="row">
                    {copy_it}
                    <button class="btn small" id={format!("save-{id}")} onclick={saved} {disabled}
                        aria-label={context.text(&label)} aria-describedby={described}>
                        {context.text(&Message::ops("save-as-file"))}
                    </button>
                </span>
                if let Some(note) = note { <span class="dim note" id={about}>{note}</span> }
            </li>
        }
    }
}

fn saved(name: &'static str, kind: &'static str, text: Rc<dyn Fn() -> String>) -> Callback<MouseEvent> {
    Callback::from(move |_: MouseEvent| download(name, kind, &text()))
}

/// The formats.
#[component]
pub fn CopyAs(props: &CopyAsProps) -> Html {
    let context = use_app_context();
    let subject = &props.subject;
    let programs = use_memo(subject.clone(), programs);
    let picture = use_memo(subject.clone(), |subject| {
        let Values { ran, focus } = subject.values.as_ref()?;
        OpPicture::new(ran, *focus, subject.experiment.leaf, subject.map).map(Rc::new)
    });
    let progress = use_state_eq(|| Progress::None);
    let running = use_mut_ref(|| None::<animation::Running>);
    {
        // Closing the dialog cancels the animation.
        let running = running.clone();
        use_effect_with((), move |()| move || drop(running.take()));
    }
    let mut texts = vec![hlo_row(&context, &subject.experiment)];
    texts.extend(LANGUAGES.iter().zip(&*programs).map(|((_, id, file, kind, key), exported)| {
        let text = exported.as_ref().ok().map(|exported| {
            let text = exported.text.clone();
            Rc::new(move || text.clone()) as Rc<dyn Fn() -> String>
        });
        let note = match exported {
            Ok(exported) if exported.unsupported.is_empty() => None,
            Ok(exported) => Some(Message::ops("export-missing").with("ops", exported.unsupported.join(", "))),
            Err(why) => Some(why.clone()),
        };
        let name = context.text(&Message::ops(key));
        let note = note.map(|note| context.text(&note));
        Row { id, name, saved: text.clone().map(|text| saved(file, kind, text)), copied: text, note }
    }));
    let cell = picture
        .as_ref()
        .as_ref()
        .map_or(0, |p| subject.experiment.cursor.clamp(0, (p.cell_count() - 1).max(0)));
    let arrays =
        subject.values.as_ref().map_or(0, |Values { ran, focus }| OpPicture::array_count(ran, *focus));
    let none = if arrays > MAX_ARRAYS {
        Message::ops("export-many-arrays").with("arrays", arrays).with("most", MAX_ARRAYS)
    } else {
        Message::ops("export-no-array")
    };
    let mut pictures = drawings(&context, picture.as_ref().clone(), cell, &none);
    let start = picture.as_ref().clone().map(|picture| {
        let (context, report) = (context.clone(), props.report.clone());
        let (progress, running) = (progress.clone(), running.clone());
        Callback::from(move |_: MouseEvent| {
            let (progress, report) = (progress.clone(), report.clone());
            let on_progress = Callback::from(move |now: Progress| {
                match now {
                    Progress::Done => report.emit("export-saved"),
                    Progress::Failed => report.emit("export-failed"),
                    Progress::None | Progress::At(..) => {}
                }
                progress.set(now);
            });
            *running.borrow_mut() =
                Some(animation::start(picture.clone(), more(&context), context.theme(), on_progress));
        })
    });
    pictures.push(gif_row(&context, picture.as_ref().as_deref(), start, *progress, none));
    let cancel = {
        let (progress, running) = (progress.clone(), running.clone());
        Callback::from(move |_: MouseEvent| {
            drop(running.take());
            progress.set(Progress::None);
        })
    };
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
            {group("formats-picture", &Message::ops("export-picture").with("cell", cell), pictures)}
            if let Progress::At(done, all) = *progress {
                <div class="row making">
                    <label for="gif-progress">{context.text(&Message::ops("gif-making").with("frame", done).with("frames", all))}</label>
                    <progress id="gif-progress" max={all.to_string()} value={done.to_string()} />
                    <button class="btn small" id="cancel-gif" onclick={cancel}>{context.text(&Message::ops("gif-cancel"))}</button>
                </div>
            }
        </>
    }
}

/// The program in each language.
fn programs(subject: &Subject) -> Vec<Result<Exported, Message>> {
    let parsed;
    let module = if let Some(values) = &subject.values {
        values.ran.module().as_ref()
    } else {
        parsed =
            crate::hlo::parser::parse_edition(&subject.experiment.text, subject.experiment.edition).module;
        &parsed
    };
    let arguments = arguments(&subject.experiment, module);
    let of = |language| match &arguments {
        Ok(arguments) => export(module, arguments, language, subject.experiment.edition).map_err(reason),
        Err(ArgumentError::Memory) => Err(reason(ExportError::TooLarge)),
        Err(ArgumentError::Unreadable(unreadable)) => Err(unreadable_error(unreadable).error.message.clone()),
    };
    LANGUAGES.iter().map(|(language, ..)| of(*language)).collect()
}

fn reason(error: ExportError) -> Message {
    Message::ops(match error {
        ExportError::Unknown => "export-unknown",
        ExportError::TooLarge => "export-too-large",
    })
}

/// The text for omitted numbers.
fn more(context: &Context) -> Rc<dyn Fn(usize) -> String> {
    let context = context.clone();
    Rc::new(move |count| context.text(&Message::ops("working-more").with("count", count)).to_string())
}

fn hlo_row(context: &Context, experiment: &Rc<Experiment>) -> Row {
    let experiment = experiment.clone();
    let text: Rc<dyn Fn() -> String> = Rc::new(move || hlo_text(&experiment.text));
    let name = context.text(&Message::ops("hlo-text"));
    Row {
        id: "hlo",
        name,
        saved: Some(saved("experiment.hlo", "text/plain", text.clone())),
        copied: Some(text),
        note: None,
    }
}

/// SVG, PNG and `TikZ` of the current output cell.
fn drawings(context: &Context, picture: Option<Rc<OpPicture>>, cell: i64, none: &Message) -> Vec<Row> {
    let none = picture.is_none().then(|| context.text(none));
    let svg = picture.clone().map(|picture| {
        let (more, theme) = (more(context), context.theme());
        let about = context.text(&Message::ops("picture-of-op"));
        Rc::new(move || picture.svg(cell, &*more, &theme, &about)) as Rc<dyn Fn() -> String>
    });
    let png = picture.clone().map(|picture| {
        let (more, theme) = (more(context), context.theme());
        Callback::from(move |_: MouseEvent| save_png("experiment.png", picture.scene(cell, &*more), &theme))
    });
    let fits = picture.as_ref().is_some_and(|picture| picture.total_cells() <= MAX_CELLS);
    let tex = picture.filter(|_| fits).map(|picture| {
        let (more, theme) = (more(context), context.theme());
        Rc::new(move || tikz(&picture, cell, &*more, &theme).unwrap_or_default()) as Rc<dyn Fn() -> String>
    });
    let too_large = || Some(context.text(&Message::ops("tikz-too-large").with("cells", MAX_CELLS)));
    vec![
        Row {
            id: "svg",
            name: "SVG".into(),
            saved: svg.clone().map(|text| saved("experiment.svg", "image/svg+xml", text)),
            copied: svg,
            note: none.clone(),
        },
        Row { id: "png", name: "PNG".into(), copied: None, saved: png, note: none.clone() },
        Row {
            id: "tikz",
            name: context.text(&Message::ops("as-tikz")),
            saved: tex.clone().map(|text| saved("experiment.tex", "application/x-tex", text)),
            copied: tex,
            note: none.or_else(|| if fits { None } else { too_large() }),
        },
    ]
}

fn gif_row(
    context: &Context,
    picture: Option<&OpPicture>,
    start: Option<Callback<MouseEvent>>,
    progress: Progress,
    missing: Message,
) -> Row {
    let size = picture.map(|picture| {
        let scene = picture.frame(0, &|count| count.to_string());
        let ratio = animation::ratio(&scene, picture.cell_count());
        (scene.width * ratio, scene.height * ratio, picture.cell_count())
    });
    let fits = size.is_some_and(|(width, height, frames)| gif::fits(width, height, frames));
    let note = match size {
        None => Some(missing),
        Some((_, _, 0)) => Some(Message::ops("export-no-array")),
        Some((_, _, frames)) if !fits => {
            Some(Message::ops("gif-too-large").with("frames", frames).with("most", gif::MAX_FRAMES))
        }
        Some((_, _, frames)) => Some(Message::ops("gif-frames").with("frames", frames)),
    };
    let is_idle = !matches!(progress, Progress::At(..));
    Row {
        id: "gif",
        name: context.text(&Message::ops("as-gif")),
        copied: None,
        saved: start.filter(|_| fits && is_idle),
        note: note.map(|note| context.text(&note)),
    }
}
