//! The dumps of a compiler's passes: read from files, ordered by name, each compared with the one before.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{File, HtmlElement, HtmlInputElement};
use yew::prelude::*;

use super::compared::Compared;
use super::list::{kind_key, sign};
use crate::app::components::select::BareSelect;
use crate::app::context::{Context, use_app_context};
use crate::app::program::file_input::{FileProblem, read_text};
use crate::i18n::Message;
use crate::inspect::compare::series::order_dumps;
use crate::state::program::MAX_FILE_BYTES;
use crate::state::program::source_text::SourceText;
use crate::worker::program::wire::{CompareQuery, Counts, Kind, Query};

/// Maximum bytes of all files together.
const MAX_BYTES: f64 = 4.0 * MAX_FILE_BYTES as f64;

/// Maximum steps of one folder: the numbers of its steps start at a multiple of this.
const MAX_STEPS: u32 = 100_000;

/// A dump.
#[derive(Clone, Debug, PartialEq)]
pub struct Pass {
    /// The name of the pass, or the part of the file's name in its place.
    pub label: String,
    /// The pipeline; empty if it is unknown.
    pub pipeline: String,
    /// The text.
    pub text: SourceText,
}

/// The dumps of one module, the earliest first.
#[derive(Clone, Debug, PartialEq)]
pub struct PassSeries {
    /// The name that the files have in common.
    pub module: String,
    /// The dumps.
    pub passes: Vec<Pass>,
}

/// The dumps of several modules.
#[derive(Clone, Debug)]
pub struct Dumps {
    /// The series.
    pub series: Rc<Vec<PassSeries>>,
    /// The number of their first step.
    first_step: u32,
}

impl PartialEq for Dumps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.series, &other.series)
    }
}

thread_local! {
    /// The number of folders that were opened.
    static FOLDERS: RefCell<u32> = const { RefCell::new(0) };
}

impl Dumps {
    fn new(files: Vec<(String, SourceText)>) -> Self {
        let (names, texts): (Vec<String>, Vec<SourceText>) = files.into_iter().unzip();
        let series = order_dumps(&names).into_iter().map(|series| PassSeries {
            module: series.module,
            passes: series
                .dumps
                .into_iter()
                .filter_map(|dump| {
                    let text = texts.get(dump.file)?.clone();
                    Some(Pass { label: dump.label, pipeline: dump.pipeline.unwrap_or_default(), text })
                })
                .collect(),
        });
        let folder = FOLDERS.with_borrow_mut(|folders| {
            *folders = (*folders + 1) % 1_000;
            *folders
        });
        Self { series: Rc::new(series.collect()), first_step: folder * MAX_STEPS }
    }

    /// The index of the step from the previous dump of a series to this one.
    fn step_id(&self, series: usize, pass: usize) -> u32 {
        let before: usize = self.series.iter().take(series).map(|series| series.passes.len()).sum();
        self.first_step + u32::try_from(before + pass).unwrap_or(0) % MAX_STEPS
    }
}

/// Reads files and opens them as dumps.
#[hook]
pub fn use_dumps(
    open: &Callback<Dumps>,
    problem: &UseStateSetter<Option<FileProblem>>,
) -> Callback<Vec<File>> {
    let (open, problem) = (open.clone(), problem.clone());
    use_callback((), move |files: Vec<File>, ()| {
        if files.iter().map(|file| file.size()).sum::<f64>() > MAX_BYTES {
            return problem.set(Some(FileProblem::TooLarge));
        }
        let count = files.len();
        let read = Rc::new(RefCell::new(vec![None::<(String, SourceText)>; count]));
        let remaining = Rc::new(RefCell::new(count));
        for (number, file) in files.iter().enumerate() {
            let (read, remaining) = (read.clone(), remaining.clone());
            let (open, problem, name) = (open.clone(), problem.clone(), file.name());
            let done = move |text: Result<String, FileProblem>| {
                match text {
                    // A folder of dumps also has other files.
                    Ok(text) if is_program(&text) => {
                        read.borrow_mut()[number] = Some((name.clone(), SourceText::new(text)));
                    }
                    Ok(_) => {}
                    Err(why) => problem.set(Some(why)),
                }
                *remaining.borrow_mut() -= 1;
                if *remaining.borrow() == 0 {
                    let found: Vec<_> = read.borrow_mut().drain(..).flatten().collect();
                    if found.is_empty() {
                        problem.set(Some(FileProblem::Unreadable));
                    } else {
                        open.emit(Dumps::new(found));
                    }
                }
            };
            read_text(file, Callback::from(done));
        }
    })
}

/// Whether the text looks like a program.
fn is_program(text: &str) -> bool {
    let start = text.get(..text.floor_char_boundary(4_000)).unwrap_or_default();
    ["HloModule", "ENTRY", "func.func", "stablehlo.", "module @"].iter().any(|word| start.contains(word))
}

/// A dump of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The series.
    pub series: usize,
    /// The dump, which is compared with the one before; at least 1, unless there is one only.
    pub pass: usize,
}

impl Position {
    /// The texts to compare.
    pub fn texts(self, dumps: &Dumps) -> Option<[SourceText; 2]> {
        let passes = &dumps.series.get(self.series)?.passes;
        let second = passes.get(self.pass)?.text.clone();
        Some([passes.get(self.pass.saturating_sub(1))?.text.clone(), second])
    }
}

/// Properties of [`SeriesPanel`].
#[derive(Clone, PartialEq, Properties)]
pub struct SeriesPanelProps {
    /// The dumps.
    pub dumps: Dumps,
    /// The compared dump.
    pub position: Position,
    /// Compares another dump.
    pub select: Callback<Position>,
    /// The answers of the query worker.
    pub compared: Rc<Compared>,
    /// Asks the query worker.
    pub ask: Callback<Query>,
}

/// The passes with what changed in each, and a slider.
#[component]
pub fn SeriesPanel(props: &SeriesPanelProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    let SeriesPanelProps { dumps, position, select, compared, .. } = props;
    let at = *position;
    use_counts(props);
    {
        // The list follows the slider.
        use_effect_with(at.pass, move |pass| {
            let row = gloo::utils::document().get_element_by_id(&format!("pass-{pass}"));
            let row = row.and_then(|row| row.dyn_into::<HtmlElement>().ok());
            if let Some((row, list)) = row.and_then(|row| Some((row.clone(), row.closest("ol").ok()??))) {
                list.set_scroll_top(row.offset_top() - list.client_height() / 2);
            }
        });
    }
    let Some(series) = dumps.series.get(at.series) else { return Html::default() };
    let last = series.passes.len().saturating_sub(1);
    let modules: Vec<(AttrValue, AttrValue)> = dumps
        .series
        .iter()
        .enumerate()
        .map(|(number, series)| {
            let name = if series.module.is_empty() {
                text("program-series-unnamed")
            } else {
                series.module.clone().into()
            };
            (number.to_string().into(), name)
        })
        .collect();
    let set_module =
        select.reform(|chosen: AttrValue| Position { series: chosen.parse().unwrap_or(0), pass: 1 });
    let oninput = {
        let select = select.clone();
        Callback::from(move |event: InputEvent| {
            if let Ok(pass) = event.target_unchecked_into::<HtmlInputElement>().value().parse() {
                select.emit(Position { pass, ..at });
            }
        })
    };
    let rows = series.passes.iter().enumerate().skip(1).map(|(number, pass)| {
        let onclick = select.reform(move |_: MouseEvent| Position { pass: number, ..at });
        let counts = compared.steps.get(&dumps.step_id(at.series, number));
        let class = classes!("pass", (number == at.pass).then_some("selected"));
        let current = (number == at.pass).then_some("step");
        html! {
            <li key={number}><button {class} {onclick} aria-current={current} id={format!("pass-{number}")}>
                <span class="number">{number}</span><b>{&pass.label}</b>
                if !pass.pipeline.is_empty() { <span class="dim">{&pass.pipeline}</span> }
                <span class="end counts">{counts_text(&context, counts)}</span>
            </button></li>
        }
    });
    let before =
        series.passes.get(at.pass.saturating_sub(1)).map(|pass| pass.label.clone()).unwrap_or_default();
    let label = Message::program("program-series-step").with("number", at.pass).with("count", last);
    let label = label.with("before", before);
    html! {
        <section class="series" aria-label={text("program-series")}>
            <div class="row wrap">
                if modules.len() > 1 {
                    <BareSelect id="series-module" label={text("program-series-module")} options={modules} value={at.series.to_string()} onchange={set_module} />
                }
                <label for="series-slider">{context.text(&label)}</label>
                <input type="range" id="series-slider" min={last.min(1).to_string()} max={last.to_string()} value={at.pass.to_string()} {oninput}
                    aria-valuetext={series.passes.get(at.pass).map(|pass| pass.label.clone())} />
            </div>
            <ol class="passes" id="passes">{for rows}</ol>
        </section>
    }
}

/// Asks for the differences of the steps, one after another.
#[hook]
fn use_counts(props: &SeriesPanelProps) {
    let SeriesPanelProps { dumps, position, compared, ask, .. } = props;
    let series = position.series;
    let passes = dumps.series.get(series).map_or(0, |series| series.passes.len());
    let next = (1..passes).find(|pass| !compared.steps.contains_key(&dumps.step_id(series, *pass)));
    let (dumps, ask) = (dumps.clone(), ask.clone());
    use_effect_with((dumps, series, next), move |(dumps, series, next)| {
        let Some(pass) = *next else { return };
        if let Some([first, second]) = (Position { series: *series, pass }).texts(dumps) {
            ask.emit(Query::Compare(CompareQuery::Count {
                id: dumps.step_id(*series, pass),
                first: first.text().to_string(),
                second: second.text().to_string(),
            }));
        }
    });
}

/// The number of differences of a step, as text.
fn counts_text(context: &Context, counts: Option<&Option<Counts>>) -> Html {
    let text = |key: &'static str| context.text(&Message::program(key));
    match counts {
        None => html! { <span class="dim">{"…"}</span> },
        Some(None) => html! { <span class="error-line">{text("program-series-unreadable")}</span> },
        Some(Some(counts)) if counts.iter().all(|count| *count == 0) => {
            html! { <span class="dim">{text("program-series-same")}</span> }
        }
        Some(Some(counts)) => {
            let kinds = Kind::ALL.into_iter().filter(|kind| counts[kind.index()] > 0).map(|kind| {
                let label = text(kind_key(Some(kind)));
                html! { <span class="count" title={label.clone()}><span aria-hidden="true">{sign(Some(kind))}</span><span class="sr-only">{label}{" "}</span>{counts[kind.index()]}</span> }
            });
            html! { <>{for kinds}</> }
        }
    }
}
