//! The ops: names, operands, attributes, formulas and examples.

use serde::Serialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use xla_array::Edition;
use xla_messages::i18n::Message;
use xla_ops::attrs::AttrKind;
use xla_ops::{Category, Formula, OpDef, OpMeta, section_address};

use crate::module::edition_by_name;
use crate::record::to_object;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OpRecord {
    opcode: &'static str,
    title: &'static str,
    category: &'static str,
    summary: String,
    /// The formula of an output cell.
    formula: String,
    /// Names of the required operands.
    operands: Vec<&'static str>,
    /// The name of further operands.
    rest: Option<&'static str>,
    attributes: Vec<AttributeRecord>,
    rules: Vec<RuleRecord>,
    examples: Vec<ExampleRecord>,
    /// Addresses of its sections in the Operation Semantics.
    documents: Vec<String>,
    /// The first edition that has it.
    since: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AttributeRecord {
    name: &'static str,
    kind: String,
    is_required: bool,
    description: String,
}

#[derive(Serialize)]
struct RuleRecord {
    rule: &'static str,
    description: String,
}

#[derive(Serialize)]
struct ExampleRecord {
    title: String,
    /// Instructions of an entry computation without parameters.
    hlo: &'static str,
    result: &'static str,
}

const fn edition_name(edition: Edition) -> &'static str {
    match edition {
        Edition::V2017 => "2017",
        Edition::Current => "current",
    }
}

const fn category_name(category: Category) -> &'static str {
    match category {
        Category::Unary => "unary",
        Category::Binary => "binary",
        Category::Movement => "movement",
        Category::Reduction => "reduction",
        Category::Contraction => "contraction",
        Category::Conversion => "conversion",
        Category::Source => "source",
        Category::Tuple => "tuple",
        Category::Control => "control",
        Category::Collective => "collective",
        Category::Host => "host",
    }
}

/// The name of a kind of attributes; for keywords, their alternatives.
fn kind_name(kind: AttrKind) -> String {
    match kind {
        AttrKind::Keyword(words) => words.join("|"),
        other => format!("{other:?}").to_lowercase(),
    }
}

fn formula_text(formula: Formula) -> String {
    formula
        .symbols()
        .map(str::to_owned)
        .or_else(|| formula.message().map(|message| message.to_string()))
        .unwrap_or_default()
}

fn op_record(meta: &OpMeta, edition: Edition) -> OpRecord {
    let attributes = meta.inline_attr.iter().chain(meta.attrs).filter(|attribute| attribute.since <= edition);
    OpRecord {
        opcode: meta.opcode,
        title: meta.title,
        category: category_name(meta.category),
        summary: Message::ops(meta.summary).to_string(),
        formula: formula_text(meta.formula_in(edition)),
        operands: meta.operands.fixed_in(edition).to_vec(),
        rest: meta.operands.rest.filter(|_| meta.operands.rest_since <= edition),
        attributes: attributes
            .map(|attribute| AttributeRecord {
                name: attribute.name,
                kind: kind_name(attribute.kind),
                is_required: attribute.required,
                description: Message::ops(attribute.description).to_string(),
            })
            .collect(),
        rules: meta
            .rules
            .iter()
            .map(|rule| RuleRecord {
                rule: rule.identifier,
                description: Message::ops(rule.description).to_string(),
            })
            .collect(),
        examples: meta
            .examples
            .iter()
            .map(|example| ExampleRecord {
                title: Message::ops(example.title).to_string(),
                hlo: example.hlo,
                result: example.result,
            })
            .collect(),
        documents: meta.sections.iter().map(|section| section_address(section)).collect(),
        since: edition_name(meta.history.since),
    }
}

/// The ops that an edition has.
#[wasm_bindgen(js_name = opRecords)]
pub fn op_records(edition: &str) -> JsValue {
    let edition = edition_by_name(edition);
    let metas = xla_ops::all().map(OpDef::meta).filter(|meta| meta.history.since <= edition);
    to_object(&metas.map(|meta| op_record(meta, edition)).collect::<Vec<_>>())
}
