//! The description of an op: name, summary, formula, rules, examples, and differences between the editions. If it was opened
//! by an entry of the documentation, the entry's description.

use std::rc::Rc;

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::documents::{Sections, description, entries_of, headings};
use super::meta::{EntryRef, Meta};
use crate::app::components::select::use_select_value;
use crate::app::context::{Context, use_app_context};
use crate::array::Edition;
use crate::documents::{self, Entry};
use crate::i18n::Message;
use crate::ops::{self, Formula, OpMeta};
use crate::state::experiment::session::Action;
use crate::state::experiment::{Experiment, preset};

/// Properties of [`About`].
#[derive(Clone, PartialEq, Properties)]
pub struct AboutProps {
    /// The metadata of the op.
    pub meta: Meta,
    /// The entry of the documentation that the experiment was opened by, if any.
    pub entry: Option<EntryRef>,
    /// The instruction in one line.
    pub signature: AttrValue,
}

/// The op's name, its summary, and the signature of the instruction.
#[component]
pub fn About(props: &AboutProps) -> Html {
    let context = use_app_context();
    let meta = props.meta.0;
    let entry = props.entry.map(|entry| entry.0);
    let name = entry.map_or(meta.title, |entry| entry.name);
    let text = |key: &'static str| context.text(&Message::ops(key));
    html! {
        <section class="about" aria-labelledby="op-title">
            <div class="about-head">
                <h2 id="op-title">{name}{" "}<code class="dim">{meta.opcode}</code></h2>
                if let Some(entry) = entry { {headings(&context, entry)} } else { <Sections meta={props.meta} /> }
            </div>
            if let Some(entry) = entry {
                {description(&context, entry)}
            } else {
                <p class="summary">{text(meta.summary)}</p>
            }
            <p class="signature" tabindex="0"><code>{&props.signature}</code></p>
        </section>
    }
}

/// Properties of [`Presets`].
#[derive(Clone, PartialEq, Properties)]
pub struct PresetsProps {
    /// The metadata of the op.
    pub meta: Meta,
    /// The entry of the documentation that the experiment was opened by, if any.
    pub entry: Option<EntryRef>,
    /// The experiment, which identifies the selected example.
    pub experiment: Rc<Experiment>,
    /// The example that it started from, if any.
    pub start: Option<Rc<Experiment>>,
    /// Whether it differs from that.
    pub is_edited: Option<bool>,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// An example in the list.
struct ExampleOption {
    /// Its number; for an example of an entry, `name.number`.
    id: String,
    label: String,
    experiment: Experiment,
}

/// The choice of an example, if there are several: those of the documentation under the names of their entries, and
/// those of the op.
#[component]
pub fn Presets(props: &PresetsProps) -> Html {
    let context = use_app_context();
    let text = |key: &'static str| context.text(&Message::ops(key));
    let choices = use_memo((props.meta, props.entry, context.clone()), |(meta, entry, context)| {
        let entries = entries_of(meta.0.opcode, *entry).into_iter();
        (
            examples_of_op(context, meta.0),
            entries.map(|entry| (entry, examples_of_entry(context, entry))).collect::<Vec<_>>(),
        )
    });
    let (of_op, of_entries) = &*choices;
    let all = || of_op.iter().chain(of_entries.iter().flat_map(|(_, choices)| choices));
    let shown = props.start.as_ref().unwrap_or(&props.experiment);
    // Several examples may have the same text and values; the first is selected.
    let is_exact = |choice: &&ExampleOption| {
        choice.experiment.text == shown.text && choice.experiment.values == shown.values
    };
    let started_from =
        all().find(is_exact).or_else(|| all().find(|choice| choice.experiment.text == shown.text));
    let is_edited = props.is_edited.unwrap_or_else(|| !all().any(|choice| is_exact(&choice)));
    let selected = started_from.filter(|_| !is_edited).map(|choice| choice.id.clone()).unwrap_or_default();
    let node = use_select_value(selected.clone());
    let restart = props.dispatch.reform(|_: MouseEvent| Action::Restart);
    // A pasted program was not opened from an example.
    let restart_text = if started_from.is_some() { "example-restart" } else { "example-open" };
    let restart = html! {
        if is_edited { <button class="btn small" id="restart" onclick={restart}>{text(restart_text)}</button> }
    };
    if all().count() < 2 {
        return restart;
    }
    let placeholder = match started_from.filter(|_| is_edited) {
        Some(example) => context.text(&Message::ops("example-edited").with("title", example.label.as_str())),
        None => text("op-examples"),
    };
    let onchange = {
        let (dispatch, opcode) = (props.dispatch.clone(), props.meta.0.opcode);
        Callback::from(move |event: Event| {
            let id = event.target_unchecked_into::<HtmlSelectElement>().value();
            let (name, number) = id.split_once('.').unwrap_or((opcode, &id));
            let example = number.parse().ok().and_then(|number| documents::experiment(name, number));
            if let Some(experiment) = example {
                dispatch.emit(Action::Example(Box::new(experiment)));
            }
        })
    };
    let option = |choice: &ExampleOption| {
        html! { <option value={choice.id.clone()} selected={selected == choice.id}>{&choice.label}</option> }
    };
    let group = |label: String, choices: &[ExampleOption]| html! { <optgroup {label}>{for choices.iter().map(option)}</optgroup> };
    let more = group(text("examples-more").to_string(), of_op);
    let from_documents = of_entries.iter().map(|(entry, choices)| {
        let label = context.text(&Message::ops("examples-documents").with("name", entry.name));
        group(label.to_string(), choices)
    });
    html! {
        <>
        <select class="btn small presets" id="presets" ref={node} {onchange} aria-label={text("op-examples")}>
            <option value="" selected={selected.is_empty()}>{placeholder}</option>
            if props.entry.is_some() {
                {for from_documents}
                {more}
            } else {
                {more}
                {for from_documents}
            }
        </select>
        {restart}
        </>
    }
}

/// The examples of an op, starting with its default example.
fn examples_of_op(context: &Context, meta: &'static OpMeta) -> Vec<ExampleOption> {
    let text = |title: &Message| context.text(title).to_string();
    let plain =
        preset::for_op(meta).map(|preset| (preset.number, text(&preset.title()), preset.experiment()));
    let op = ops::find(meta.opcode);
    let titles = op.into_iter().flat_map(ops::OpDef::host_examples).map(|e| text(&Message::ops(e.title)));
    let with_host = titles.zip(op.into_iter().flat_map(preset::host_examples));
    let with_host = (meta.examples.len()..).zip(with_host).map(|(number, (title, e))| (number, title, e));
    let of_editions = preset::edition_example(meta)
        .map(|(title, experiment)| (preset::EDITION_EXAMPLE, text(&title), experiment));
    let mut all: Vec<_> = plain.chain(with_host).chain(of_editions).collect();
    let first = op.map_or(0, preset::default_example);
    all.sort_by_key(|(number, ..)| *number != first);
    let option = |(position, (number, title, experiment)): (usize, (usize, String, Experiment))| {
        ExampleOption { id: number.to_string(), label: format!("{}. {title}", position + 1), experiment }
    };
    all.into_iter().enumerate().map(option).collect()
}

/// The examples of an entry.
fn examples_of_entry(context: &Context, entry: &'static Entry) -> Vec<ExampleOption> {
    let choice = |(number, example): (usize, &documents::Example)| ExampleOption {
        id: format!("{}.{number}", entry.name),
        label: format!("{} · {}", example.call, context.text(&example.title())),
        experiment: example.experiment(entry),
    };
    entry.examples.iter().enumerate().map(choice).collect()
}

/// Properties of [`Rules`].
#[derive(Clone, PartialEq, Properties)]
pub struct RulesProps {
    /// The metadata of the op.
    pub meta: Meta,
    /// The selected edition.
    pub edition: Edition,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// The differences of the op between the editions, with an example; or a note that XLA 2017 does not have the op.
fn editions(context: &Context, props: &RulesProps) -> Html {
    let text = |key: &'static str| context.text(&Message::ops(key));
    let meta = props.meta.0;
    if let Some(change) = meta.history.change {
        let show = preset::edition_example(meta).map(|(title, experiment)| {
            let onclick =
                props.dispatch.reform(move |_: MouseEvent| Action::Example(Box::new(experiment.clone())));
            html! { <button class="btn small" id="edition-example" {onclick}>{context.text(&title)}</button> }
        });
        return html! {
            <dl class="kv" id="edition-change">
                <dt>{text("edition-2017")}</dt><dd>{text(change.v2017)}</dd>
                <dt>{text("edition-now")}</dt><dd>{text(change.current)}</dd>
                <dt>{text("edition-example")}</dt><dd>{show}</dd>
            </dl>
        };
    }
    let replacement = meta.history.replacement_hint.map(|key| html! { <>{" "}{text(key)}</> });
    html! {
        <p class="dim" id="edition-since">
            if meta.history.since == Edition::V2017 { {text("edition-both")} } else { {text("edition-later")}{replacement} }
        </p>
    }
}

/// The op's formula and the rules it checks.
#[component]
pub fn Rules(props: &RulesProps) -> Html {
    let context = use_app_context();
    let meta = props.meta.0;
    let text = |key: &'static str| context.text(&Message::ops(key));
    let types = ops::find(meta.opcode).and_then(|op| op.element_types(props.edition)).unwrap_or_default();
    let rules = meta.rules.iter().map(|rule| {
        let description = Message::ops(rule.description).with("types", types.as_str());
        html! { <li><span class="rule">{rule.identifier}</span>{" "}{context.text(&description)}</li> }
    });
    let formula = match meta.formula_in(props.edition) {
        Formula::Symbols(text) => text.into(),
        Formula::Words(key) => text(key),
    };
    html! {
        <section class="rules" aria-labelledby="h-rules">
            <h2 id="h-rules">{text("op-definition")}</h2>
            <p class="formula"><span>{formula}</span></p>
            {editions(&context, props)}
            <ul>{for rules}</ul>
        </section>
    }
}
