//! The view: the summary, both programs aligned, the selected difference, and the values.

use std::rc::Rc;

use yew::prelude::*;

use super::chooser::Chooser;
use super::compared::{Compared, Matched};
use super::list::{AlignedList, kind_key, next_row, sign};
use super::pair::pair;
use super::second::{Second, use_second};
use super::series::{Dumps, Position, SeriesPanel};
use super::values::{CompareValues, OtherValues};
use crate::app::context::{Context, grouped, use_app_context};
use crate::app::keys::PageKeys;
use crate::app::program::reading::{ReadStatus, Reading};
use crate::app::program::tasks::TaskHandle;
use crate::cause::Part;
use crate::i18n::Message;
use crate::interaction::keys::Command;
use crate::state::program::session::{Action, Session, Source};
use crate::state::program::source_text::SourceText;
use crate::worker::program::wire::{
    CompareQuery, CompareSummary, FileArgument, InstructionPath, Kind, Query, Shown,
};

/// Properties of [`CompareView`].
#[derive(Clone, PartialEq, Properties)]
pub struct CompareViewProps {
    /// The program.
    pub reading: Rc<Reading>,
    /// The session.
    pub session: Rc<Session>,
    /// The dumps that are open, and the compared one; kept by the page.
    pub dumps: UseStateHandle<Option<(Dumps, Position)>>,
    /// The archive whose arrays the values are compared with; kept by the page.
    pub archive: UseStateHandle<Option<FileArgument>>,
    /// The task that compares values.
    pub task: TaskHandle,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
    /// Asks the query worker.
    pub ask: Callback<Query>,
    /// Shows an instruction in the text.
    pub show: Callback<InstructionPath>,
}

/// What the program was compared with.
#[derive(Clone)]
enum Counterpart {
    Program(Source),
    Dumps(Dumps, Position),
    Archive(FileArgument),
}

/// Callbacks that end the comparison, and resume the one that was ended last.
struct EndAndResume {
    end: Callback<()>,
    /// `None` if none was ended.
    resume: Option<Callback<()>>,
}

#[hook]
fn use_end_and_resume(props: &CompareViewProps) -> EndAndResume {
    let ended = use_state(|| None::<Counterpart>);
    let (dumps, archive) = (props.dumps.setter(), props.archive.setter());
    let current = match ((*props.dumps).clone(), (*props.archive).clone()) {
        (Some((opened, position)), _) => Some(Counterpart::Dumps(opened, position)),
        (None, _) if props.session.other != Source::Empty => {
            Some(Counterpart::Program(props.session.other.clone()))
        }
        (None, archive) => archive.map(Counterpart::Archive),
    };
    let end = {
        let (ended, dumps, archive) = (ended.setter(), dumps.clone(), archive.clone());
        let dispatch = props.dispatch.clone();
        Callback::from(move |()| {
            match &current {
                Some(Counterpart::Program(_)) => dispatch.emit(Action::CompareWith(Source::Empty)),
                Some(Counterpart::Dumps(..)) => dumps.set(None),
                Some(Counterpart::Archive(_)) => archive.set(None),
                None => {}
            }
            ended.set(current.clone());
        })
    };
    let resume = (*ended).clone().map(|ended| {
        let dispatch = props.dispatch.clone();
        Callback::from(move |()| match ended.clone() {
            Counterpart::Program(other) => dispatch.emit(Action::CompareWith(other)),
            Counterpart::Dumps(opened, position) => dumps.set(Some((opened, position))),
            Counterpart::Archive(file) => archive.set(Some(file)),
        })
    });
    EndAndResume { end, resume }
}

/// The view.
#[component]
pub fn CompareView(props: &CompareViewProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::program(key));
    let CompareViewProps { reading, session, dumps, .. } = props;
    let second = use_second(session);
    let EndAndResume { end, resume } = use_end_and_resume(props);
    let of_series = dumps.as_ref().and_then(|(dumps, position)| position.texts(dumps));
    let texts = match (&of_series, &second) {
        (Some(texts), _) => Some(texts.clone()),
        (None, Second::Text(second)) => Some([reading.text.clone(), second.clone()]),
        (None, _) => None,
    };
    let id = use_opened(props, texts.as_ref(), of_series.is_some());
    let open_dumps = {
        let dumps = dumps.setter();
        Callback::from(move |opened: Dumps| dumps.set(Some((opened, Position { series: 0, pass: 1 }))))
    };
    let status = match &second {
        _ if texts.is_some() => None,
        Second::Fetching => Some(text("program-fetching")),
        Second::Missing => Some(text("program-compare-text-missing")),
        Second::Failed(cause) => Some(context.text(&cause.message(Part::Worker))),
        Second::Empty | Second::Text(_) => None,
    };
    if let (None, Some(archive)) = (&texts, (*props.archive).clone()) {
        return against_archive(&context, props, archive, &end);
    }
    let open_archive = {
        let archive = props.archive.setter();
        Callback::from(move |file: FileArgument| archive.set(Some(file)))
    };
    let Some(texts) = texts else {
        return html! {
            <div class="compare-view" data-compare="empty">
                if let Some(status) = status { <p role="status" class="notice">{status}</p> }
                <Chooser session={session.clone()} dispatch={props.dispatch.clone()} {resume} {open_dumps} {open_archive} />
            </div>
        };
    };
    let compared = reading.compared.clone();
    let matched = compared.matched.clone().filter(|_| compared.id == id);
    let series = (**dumps).as_ref().map(|(opened, position)| {
        let (setter, opened_again) = (dumps.setter(), opened.clone());
        let select = Callback::from(move |to: Position| setter.set(Some((opened_again.clone(), to))));
        html! { <SeriesPanel dumps={opened.clone()} position={*position} {select} compared={compared.clone()} ask={props.ask.clone()} /> }
    });
    let body = match &matched {
        None => html! { <p role="status" class="dim compare-wait">{text("program-compare-matching")}</p> },
        Some(Matched::Rejected(rejection)) => {
            let key = if rejection.is_second {
                "program-compare-second-rejected"
            } else {
                "program-compare-first-rejected"
            };
            let message = Message::program(key)
                .with("line", rejection.line)
                .with("message", rejection.message.as_str());
            html! { <p class="error-line compare-wait" role="alert" id="compare-refused">{context.text(&message)}</p> }
        }
        Some(Matched::Summary(summary)) => {
            let summary = summary.clone();
            html! { <Matching view={props.clone()} {summary} {compared} {texts} key={id} /> }
        }
    };
    let state = match matched {
        None => "matching",
        Some(Matched::Rejected(_)) => "rejected",
        Some(Matched::Summary(_)) => "matched",
    };
    html! {
        <div class="compare-view" data-compare={state}>
            <div class="compare-tools row wrap">{tools(&context, props, &end)}</div>
            {series.unwrap_or_default()}
            {body}
        </div>
    }
}

/// The values of the program beside those of an archive.
fn against_archive(
    context: &Context,
    props: &CompareViewProps,
    archive: FileArgument,
    end: &Callback<()>,
) -> Html {
    let text = |key: &'static str| context.text(&Message::program(key));
    let end = end.reform(|_: MouseEvent| ());
    let about = Message::program("program-compare-archive-about").with("file", archive.file.as_str());
    html! {
        <div class="compare-view" data-compare="archive">
            <div class="compare-tools row wrap">
                <span>{context.text(&about)}</span>
                <button class="btn small end" id="compare-end" onclick={end}>{text("program-compare-other")}</button>
            </div>
            <div class="compare-archive">
                <CompareValues reading={props.reading.clone()} session={props.session.clone()} text={props.reading.text.clone()}
                    other={OtherValues::Archive(archive)} task={props.task.clone()} show={props.show.clone()}
                    dispatch={props.dispatch.clone()} ask={props.ask.clone()} />
            </div>
        </div>
    }
}

/// Asks the query worker to compare the texts whenever they change; returns the id of the comparison.
#[hook]
fn use_opened(props: &CompareViewProps, texts: Option<&[SourceText; 2]>, is_of_series: bool) -> u32 {
    let id = use_state_eq(|| 0_u32);
    let newest = use_mut_ref(|| props.reading.compared.id);
    let language = use_app_context().language.tag();
    let is_ready = props.reading.status == ReadStatus::Ready;
    // The query worker ends the comparison when it reads text again.
    let opened = props.reading.answer();
    let (setter, ask) = (id.setter(), props.ask.clone());
    let dependencies = (texts.cloned(), opened, is_ready, language);
    use_effect_with(dependencies, move |(texts, _, is_ready, language)| {
        let Some([first, second]) = texts.clone().filter(|_| *is_ready) else { return };
        let number = {
            let mut newest = newest.borrow_mut();
            *newest = newest.wrapping_add(1);
            *newest
        };
        setter.set(number);
        ask.emit(Query::Compare(CompareQuery::Open {
            id: number,
            first: is_of_series.then(|| first.text().to_string()),
            second: second.text().to_string(),
            language: (*language).to_owned(),
        }));
    });
    *id
}

/// Buttons that exchange the programs and end the comparison.
fn tools(context: &Context, props: &CompareViewProps, end: &Callback<()>) -> Html {
    let text = |key: &'static str| context.text(&Message::program(key));
    let is_series = props.dumps.is_some();
    let end = end.reform(|_: MouseEvent| ());
    let exchange = props.dispatch.reform(|_: MouseEvent| Action::Exchange);
    let open_pass = (*props.dumps).as_ref().and_then(|(dumps, position)| {
        let [_, second] = position.texts(dumps)?;
        let onclick = props.dispatch.reform(move |_: MouseEvent| Action::OpenText(second.clone()));
        Some(html! { <button class="btn small" id="series-open" {onclick}>{text("program-series-open")}</button> })
    });
    html! {
        <>
            if !is_series { <button class="btn small" id="compare-exchange" onclick={exchange}>{text("program-compare-exchange")}</button> }
            {open_pass.unwrap_or_default()}
            <button class="btn small end" id="compare-end" onclick={end}>{text("program-compare-other")}</button>
        </>
    }
}

/// Properties of [`Matching`].
#[derive(Clone, PartialEq, Properties)]
struct MatchingProps {
    view: CompareViewProps,
    summary: Rc<CompareSummary>,
    compared: Rc<Compared>,
    texts: [SourceText; 2],
}

/// Two programs that were matched.
#[component]
fn Matching(props: &MatchingProps) -> Html {
    let context = use_app_context();
    let MatchingProps { view, summary, compared, texts } = props;
    let shown = use_state_eq(Shown::default);
    let selected = use_state_eq(|| None::<usize>);
    // The first row is a header, not a difference.
    let count = compared.total.filter(|_| compared.shown == *shown).unwrap_or(0);
    let row = selected.unwrap_or_else(|| next_row(compared, 0, 1, count).unwrap_or(0));
    let select = {
        let selected = selected.setter();
        Callback::from(move |row: usize| selected.set(Some(row)))
    };
    let seek = {
        let (ask, id, shown) = (view.ask.clone(), compared.id, *shown);
        Callback::from(move |is_forward: bool| {
            ask.emit(Query::Compare(CompareQuery::Seek { id, shown, from: row, is_forward }));
        })
    };
    {
        let select = select.clone();
        use_effect_with(compared.sought, move |sought| {
            if let Some((Some(row), _)) = sought {
                select.emit(*row);
            }
        });
    }
    use_difference_keys(&context, &seek);
    let toggle = {
        let (shown, selected) = (shown.clone(), selected.setter());
        Callback::from(move |kind: Option<Kind>| {
            shown.set(shown.toggled(kind));
            selected.set(None);
        })
    };
    let is_series = view.dumps.is_some();
    let show = (!is_series).then(|| view.show.clone());
    let details = compared.row(row).filter(|_| count > 0).map(|row| pair(&context, row, show.as_ref()));
    let reading = (!is_series).then(|| view.reading.clone());
    let [first, second] = texts.clone();
    html! {
        <>
            {summary_bar(&context, summary, *shown, &toggle, &seek)}
            <div class="compare-panes">
                <section class="pane compare-list-pane" aria-label={context.text(&Message::program("program-compare-list"))}>
                    <AlignedList compared={compared.clone()} summary={summary.clone()} shown={*shown} selected={row} {select} ask={view.ask.clone()} />
                </section>
                <section class="pane compare-side" aria-label={context.text(&Message::program("program-compare-details"))}>
                    <div class="pane-body">
                        {details.unwrap_or_default()}
                        <CompareValues {reading} session={view.session.clone()} text={first} other={OtherValues::Program(second)}
                            task={view.task.clone()} {show} dispatch={view.dispatch.clone()} ask={view.ask.clone()} />
                    </div>
                </section>
            </div>
        </>
    }
}

/// `[` and `]` select the previous and the next difference.
#[hook]
fn use_difference_keys(context: &Context, seek: &Callback<bool>) {
    let letters = context.preferences.letter_keys;
    use_effect_with((letters, seek.clone()), move |(letters, seek)| {
        let seek = seek.clone();
        let keys = PageKeys::listen(*letters, move |command| match command {
            Command::Step(step) => {
                seek.emit(step > 0);
                true
            }
            _ => false,
        });
        move || drop(keys)
    });
}

/// The summary, the choice of shown kinds, and the buttons that select the next difference.
fn summary_bar(
    context: &Context,
    summary: &CompareSummary,
    shown: Shown,
    toggle: &Callback<Option<Kind>>,
    seek: &Callback<bool>,
) -> Html {
    let text = |key: &'static str| context.text(&Message::program(key));
    let number = |count: usize| grouped(i64::try_from(count).unwrap_or(i64::MAX));
    let total: usize = summary.counts.iter().sum();
    let [only_first, only_second] = summary.one_sided_computations;
    let sentence = if total + only_first + only_second == 0 {
        Message::program("program-compare-same")
    } else if summary.is_equivalent {
        Message::program("program-compare-equivalent").with("count", number(total))
    } else {
        Message::program("program-compare-summary")
            .with("count", total)
            .with("unchanged", number(summary.unchanged))
    };
    let computations = (only_first + only_second > 0).then(|| {
        let message = Message::program("program-compare-computations");
        context.text(&message.with("first", number(only_first)).with("second", number(only_second)))
    });
    let kinds = Kind::ALL.into_iter().map(|kind| (Some(kind), summary.counts[kind.index()]));
    let kinds = kinds.filter(|(_, count)| *count > 0).chain([(None, summary.unchanged)]);
    let chips = kinds.map(|(kind, count)| {
        let onclick = toggle.reform(move |_: MouseEvent| kind);
        let id = format!("show-{}", super::list::kind_name(kind));
        html! {
            <button class={classes!("btn", "small", "kind", super::list::kind_name(kind))} {id} {onclick} aria-pressed={shown.has(kind).to_string()}>
                <span class="sign" aria-hidden="true">{sign(kind)}</span>{text(kind_key(kind))}{" "}<b>{number(count)}</b>
            </button>
        }
    });
    let step = |is_forward: bool, id: &'static str, key: &'static str| {
        let onclick = seek.reform(move |_: MouseEvent| is_forward);
        let keys = if is_forward { "]" } else { "[" };
        html! { <button class="btn small" {id} {onclick} title={format!("{} ({keys})", text(key))}>{text(key)}</button> }
    };
    html! {
        <div class="compare-summary">
            <p role="status" id="compare-summary"><b>{context.text(&sentence)}</b>{" "}{computations}</p>
            <div class="row wrap" role="group" aria-label={text("program-compare-shown")}>{for chips}
                <span class="end row">{step(false, "compare-previous", "program-compare-previous")}{step(true, "compare-next", "program-compare-next")}</span>
            </div>
        </div>
    }
}
