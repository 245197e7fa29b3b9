//! The form of an instruction: an editor per attribute of the op, chosen by the attribute's kind.

use std::rc::Rc;

use yew::prelude::*;

use super::builder_forms::{argument_fields, padding_buttons};
use super::constants::constant_fields;
use super::draft_field::DraftField;
use super::editors::{NumberTable, Permutation, as_permutation, choice, table};
use super::field_problem::{FieldProblem, described_by};
use super::fields::Fields;
use super::in_text::edit_in_text;
use super::meta::Meta;
use crate::app::context::{Context, use_app_context};
use crate::array::ArrayShape;
use crate::array::Edition;
use crate::hlo::{InstructionId, Module};
use crate::i18n::Message;
use crate::ops::{
    self, AttrKind, AttrSpec, AttrValue as OpAttrValue, Attrs, Category, Computations, OpContext,
};
use crate::state::experiment::session::{Action, FieldState};

/// A module compared by identity.
#[derive(Clone)]
pub struct SharedModule(pub Rc<Module>);

impl PartialEq for SharedModule {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// Properties of [`Attributes`].
#[derive(Clone, PartialEq, Properties)]
pub struct AttributesProps {
    /// The metadata of the op.
    pub meta: Meta,
    /// The module of the form, without edits of the form that caused errors.
    pub module: SharedModule,
    /// The text of that module.
    pub text: AttrValue,
    /// The instruction whose attributes are edited.
    pub instruction: InstructionId,
    /// The module with those edits, as far as it could be parsed.
    pub draft: SharedModule,
    /// The entered text of each field, and its error.
    pub fields: Rc<Fields>,
    /// The edition of the text.
    pub edition: Edition,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// The form for an instruction's attributes.
#[component]
pub fn Attributes(props: &AttributesProps) -> Html {
    let context = use_app_context();
    let meta = props.meta.0;
    let Some(instruction) = props.module.0.entry_computation().and_then(|e| e.get(props.instruction)) else {
        return Html::default();
    };
    let first = instruction.operands.first().and_then(|id| props.module.0.entry_computation()?.get(*id));
    let rank = first.and_then(|operand| operand.shape.as_array()).map(ArrayShape::rank);
    let is_set = |spec: &&AttrSpec| spec.required || instruction.attrs.get(spec.name).is_some();
    let (shown, more): (Vec<&AttrSpec>, Vec<&AttrSpec>) =
        meta.attrs.iter().chain(&meta.inline_attr).partition(|spec| is_set(spec));
    let field = |spec: &AttrSpec| {
        let span = instruction.spans.attrs.iter().find(|(name, _)| *name == spec.name).map(|(_, span)| *span);
        let text = span.and_then(|span| props.text.get(span.range())).unwrap_or_default();
        let (dispatch, name) = (props.dispatch.clone(), spec.name);
        let commit = Callback::from(move |text: String| dispatch.emit(Action::SetAttribute(name, text)));
        let state = props.fields.attributes.get(spec.name).cloned().unwrap_or_default();
        let last_valid = instruction.attrs.get(spec.name);
        // The entered text may be valid even if the program has errors elsewhere.
        let draft = state.entered.as_ref().map(|_| {
            let entry = props.draft.0.entry_computation();
            entry.and_then(|entry| entry.get(entry.find(&instruction.name)?)?.attrs.get(spec.name))
        });
        let module = if draft.is_some() { &props.draft.0 } else { &props.module.0 };
        let field = Field {
            context: &context,
            program: &props.text,
            spec,
            text: state.entered.as_deref().unwrap_or(text),
            value: draft.unwrap_or(last_valid),
            last_valid,
            commit,
            rank,
            state: &state,
            dispatch: &props.dispatch,
        };
        let buttons = match spec.kind {
            AttrKind::Window => padding_buttons(&context, &props.module.0, instruction, &field.commit),
            AttrKind::Computation => match last_valid {
                Some(OpAttrValue::Computation(callee)) => {
                    let form = (props.text.as_str(), &*props.fields);
                    constant_fields(&context, &props.module.0, form, *callee, &props.dispatch)
                }
                _ => Html::default(),
            },
            _ => Html::default(),
        };
        html! { <>{field.view(module)}{buttons}</> }
    };
    let arguments =
        argument_fields(&context, instruction, (&props.text, &props.fields), props.edition, &props.dispatch);
    let has_problem = |spec: &&AttrSpec| {
        props.fields.attributes.get(spec.name).is_some_and(|state| state.problem.is_some())
    };
    let is_open = more.iter().any(has_problem);
    if meta.attrs.is_empty() && meta.inline_attr.is_none() {
        return html! { <><p class="dim">{context.text(&Message::ops("no-attributes"))}</p>{arguments}</> };
    }
    html! {
        <div class="fields attributes">
            {for shown.into_iter().map(field)}
            if !more.is_empty() {
                <details open={is_open}>
                    <summary>{context.text(&Message::ops("more-attributes").with("count", more.len()))}</summary>
                    <div class="fields">{for more.into_iter().map(field)}</div>
                </details>
            }
            {arguments}
        </div>
    }
}

struct Field<'a> {
    context: &'a Context,
    /// The text of the whole program.
    program: &'a AttrValue,
    spec: &'a AttrSpec,
    text: &'a str,
    value: Option<&'a OpAttrValue>,
    /// The value before edits of the form that caused errors.
    last_valid: Option<&'a OpAttrValue>,
    commit: Callback<String>,
    /// The rank of the first operand.
    rank: Option<usize>,
    /// The entered text, and its error.
    state: &'a FieldState,
    dispatch: &'a Callback<Action>,
}

impl Field<'_> {
    fn view(&self, module: &Module) -> Html {
        let description = self.context.text(&Message::ops(self.spec.description));
        let id = format!("attr-{}", self.spec.name);
        html! {
            <div class="attribute" key={self.spec.name}>
                <p class="name"><label for={id.clone()}><code>{self.spec.name}</code></label>{" "}<span class="dim">{description}</span></p>
                {self.editor(module, &id)}
            </div>
        }
    }

    fn editor(&self, module: &Module, id: &str) -> Html {
        let label = Message::ops(self.spec.description);
        if let Some((rows, columns, text)) = self.value.or(self.last_valid).and_then(table) {
            let (is_current, problem) = (self.value.is_some(), self.problem_id(id).map(AttrValue::from));
            let change = self.commit.reform(move |rows: Vec<Vec<i64>>| text(&rows));
            let rows_are_dimensions = self.rank == Some(rows.len());
            return html! {
                <>
                    <NumberTable id={id.to_owned()} {rows} {is_current} {problem} {columns} {rows_are_dimensions} {change} />
                    {self.line(id, &label)}
                </>
            };
        }
        match self.spec.kind {
            AttrKind::Keyword(words) => {
                let mut options: Vec<(String, String)> =
                    words.iter().map(|word| ((*word).to_owned(), (*word).to_owned())).collect();
                self.add_absent_option(&mut options);
                self.choice(id, &options, self.text, &label)
            }
            AttrKind::Bool => {
                let mut options: Vec<(String, String)> =
                    ["false", "true"].iter().map(|word| ((*word).to_owned(), (*word).to_owned())).collect();
                self.add_absent_option(&mut options);
                self.choice(id, &options, self.text, &label)
            }
            AttrKind::Computation => self.computation(module, id, &label),
            AttrKind::Ints => {
                let order = self.value.and_then(as_permutation);
                let change = self
                    .commit
                    .reform(|order: Vec<i64>| OpAttrValue::Ints(order.into_iter().collect()).to_string());
                html! {
                    <>
                        if let Some(order) = order { <Permutation id={id.to_owned()} {order} {change} /> }
                        {self.line(id, &label)}
                    </>
                }
            }
            _ => self.line(id, &label),
        }
    }

    /// A text field, committed on blur or Enter.
    fn line(&self, id: &str, label: &Message) -> Html {
        // The table names its columns; the text needs an explanation of its format.
        let format = matches!(self.spec.kind, AttrKind::Padding)
            .then(|| self.context.text(&Message::ops("padding-form").with("example", "1_2x0_1_0")));
        html! {
            <DraftField id={id.to_owned()} {format} class="text mono" value={self.text.to_owned()} label={self.context.text(label)}
                commit={self.commit.clone()} state={self.state.clone()} dispatch={self.dispatch.clone()} />
        }
    }

    fn add_absent_option(&self, options: &mut Vec<(String, String)>) {
        if !self.spec.required {
            let absent = self.context.text(&Message::ops("attribute-absent")).to_string();
            options.insert(0, (String::new(), absent));
        }
        if !options.iter().any(|(value, _)| *value == self.text) {
            options.insert(0, (self.text.to_owned(), self.text.to_owned()));
        }
    }

    /// The choice of a computation of two scalars with the right signature, including the current one.
    fn computation(&self, module: &Module, id: &str, label: &Message) -> Html {
        let Some(OpAttrValue::Computation(callee)) = self.value else {
            return self.line(id, label);
        };
        let options = alternatives(module, *callee);
        let computation = module.get(*callee);
        let root = computation.and_then(|c| c.root_instruction());
        // A body that only applies an op to both parameters equals an alternative, even if it is written differently.
        let applies_root_to_parameters = computation
            .zip(root)
            .is_some_and(|(c, root)| root.operands.as_slice() == c.parameters.as_slice());
        let word = root.map(|root| {
            root.attrs.iter().find_map(|(_, v)| if let OpAttrValue::Keyword(w) = v { Some(*w) } else { None })
        });
        let matching = root.filter(|_| applies_root_to_parameters).and_then(|root| {
            options.iter().find(|o| (o.opcode, Some(o.word)) == (root.opcode.as_str(), word))
        });
        let matching = matching.map(|option| option.text.clone());
        let mut options: Vec<(String, String)> = options.into_iter().map(|o| (o.text, o.name)).collect();
        let current = matching.unwrap_or_else(|| {
            let name = root.map(|r| r.opcode.clone()).unwrap_or_default();
            options.insert(0, (self.text.to_owned(), format!("{name} …")));
            self.text.to_owned()
        });
        if options.len() < 2 {
            let first = computation.and_then(|c| c.instructions.first()).cloned();
            let program = self.program.clone();
            let onclick = Callback::from(move |_: MouseEvent| {
                if let Some(first) = &first {
                    edit_in_text(&program, first);
                }
            });
            let button_text = self.context.text(&Message::ops("computation-in-text"));
            let label = Message::ops("computation-in-text-of").with("name", self.spec.name);
            return html! {
                <button type="button" class="btn small" id={id.to_owned()} {onclick} aria-label={self.context.text(&label)}>
                    {button_text}
                </button>
            };
        }
        self.choice(id, &options, &current, label)
    }

    /// A choice, with the error below.
    fn choice(&self, id: &str, options: &[(String, String)], current: &str, label: &Message) -> Html {
        html! {
            <>
                {choice(self.context, id, options, current, label, (&self.commit, self.problem_id(id)))}
                <FieldProblem field={id.to_owned()} problem={self.state.problem.clone()} place={self.state.place.clone()} dispatch={self.dispatch.clone()} />
            </>
        }
    }

    fn problem_id(&self, id: &str) -> Option<String> {
        described_by(id, self.state.problem.as_ref())
    }
}

/// A computation that can replace the called one.
struct Alternative {
    opcode: &'static str,
    word: Option<&'static str>,
    text: String,
    name: String,
}

/// Every binary op on scalars, with each of its words, that has the signature of `callee`.
fn alternatives(module: &Module, callee: ops::ComputationId) -> Vec<Alternative> {
    let Some((_, signature)) = module.signature(callee) else { return Vec::new() };
    let [a, b] = signature.parameters.as_slice() else { return Vec::new() };
    let scalar = |shape: &crate::array::Shape| shape.as_array().is_some_and(|array| array.rank() == 0);
    if !scalar(a) || a != b {
        return Vec::new();
    }
    let shapes = [a, b];
    let mut found = Vec::new();
    for op in ops::all().filter(|op| op.meta().operands.fixed.len() == 2 && op.meta().operands.rest.is_none())
    {
        let meta = op.meta();
        if meta.category != Category::Binary {
            continue;
        }
        let required = meta.attrs.iter().find(|spec| spec.required);
        let words: Vec<Option<&'static str>> = match required.map(|spec| spec.kind) {
            None => vec![None],
            Some(AttrKind::Keyword(words)) => words.iter().copied().map(Some).collect(),
            Some(_) => continue,
        };
        for word in words {
            let mut attrs = Attrs::new();
            let mut tail = String::new();
            if let (Some(spec), Some(word)) = (required, word) {
                attrs.set(spec.name, OpAttrValue::Keyword(word));
                tail = format!(", {}={word}", spec.name);
            }
            let (written, edition) = (None, Edition::Current);
            let cx =
                OpContext { meta, operands: &shapes, attrs: &attrs, written, computations: module, edition };
            if ops::check(op, &cx).ok().as_ref() != Some(&signature.result) {
                continue;
            }
            let text = format!(
                "{{ a = {a} parameter(0) b = {b} parameter(1) ROOT c = {}(a, b){tail} }}",
                meta.opcode
            );
            let name = word.map_or_else(|| meta.title.to_owned(), |word| format!("{} {word}", meta.title));
            found.push(Alternative { opcode: meta.opcode, word, text, name });
        }
    }
    found
}
