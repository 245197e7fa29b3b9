//! Parsed modules: their interface, printed texts, and diagnostics.

use std::collections::BTreeSet;
use std::rc::Rc;

use js_sys::Array;
use serde::Serialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use xla_array::Edition;
use xla_hlo::parser::parse_edition;
use xla_hlo::{EvalError, Instruction, InstructionId, Module, Parsed, PrintOptions};
use xla_messages::diagnostic::{Diagnostic, Span};
use xla_ops::AttrValue;
use xla_stablehlo::{Dialect, dialect};
use xla_wire::diagnostic_record::{DiagnosticRecord, ErrorKind, TextPositions};

use crate::record::{exception, to_object};

/// A parsed module with its source text. Clones share it, so that a run keeps it alive.
#[wasm_bindgen]
#[derive(Clone)]
pub struct ParsedModule {
    pub(crate) module: Rc<Module>,
    pub(crate) edition: Edition,
    pub(crate) dialect: Dialect,
    source: Rc<str>,
    diagnostics: Rc<[Diagnostic]>,
}

/// A module as a plain object.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ModuleRecord {
    name: String,
    dialect: &'static str,
    parameters: Vec<Parameter>,
    /// The shape of the result.
    result: String,
    /// Names of the computations, callees first.
    computations: Vec<String>,
    instructions: Vec<InstructionRecord>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Parameter {
    name: String,
    shape: String,
}

/// An instruction of the entry computation.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InstructionRecord {
    name: String,
    opcode: String,
    shape: String,
    /// Names of its operands.
    operands: Vec<String>,
    is_root: bool,
}

/// The name of an instruction of the entry computation; its opcode and id if it has none.
pub fn instruction_name(module: &Module, id: InstructionId) -> String {
    let instruction = module.entry_computation().and_then(|entry| entry.get(id));
    match instruction {
        Some(instruction) if instruction.name.is_empty() => format!("{}.{}", instruction.opcode, id.0),
        Some(instruction) => instruction.name.clone(),
        None => String::new(),
    }
}

/// The edition with this name; the current one for any other text.
pub fn edition_by_name(name: &str) -> Edition {
    if name == "2017" { Edition::V2017 } else { Edition::Current }
}

fn parse_text(source: &str, edition: Edition) -> (Dialect, Parsed) {
    let dialect = dialect(source);
    let parsed = match dialect {
        Dialect::Hlo => parse_edition(source, edition),
        Dialect::StableHlo => xla_stablehlo::parse_edition(source, edition),
    };
    (dialect, parsed)
}

/// The opcode of the instruction that a diagnostic is about.
fn opcode_at(module: &Module, diagnostic: &Diagnostic) -> Option<String> {
    let start = diagnostic.span.start;
    let contains = |span: &Span| span.start <= start && start < span.end;
    let computation = module.computations.iter().find(|computation| contains(&computation.span))?;
    let enclosing = computation.instructions.iter().filter(|instruction| contains(&instruction.spans.whole));
    // The innermost one: an operand may be written as an instruction of its own.
    let innermost =
        enclosing.min_by_key(|instruction| instruction.spans.whole.end - instruction.spans.whole.start);
    innermost.map(|instruction| instruction.opcode.clone())
}

fn diagnostic_records(diagnostics: &[Diagnostic], module: &Module, source: &str) -> JsValue {
    let positions = TextPositions::new(source);
    let record = |diagnostic: &Diagnostic| {
        to_object(&DiagnosticRecord::of_text(diagnostic, &positions, opcode_at(module, diagnostic)))
    };
    diagnostics.iter().map(record).collect::<Array>().into()
}

/// The errors, warnings and notes of the text in either dialect.
#[wasm_bindgen(js_name = checkText)]
pub fn check_text(source: &str, edition: &str) -> JsValue {
    let (_, parsed) = parse_text(source, edition_by_name(edition));
    diagnostic_records(&parsed.diagnostics, &parsed.module, source)
}

#[wasm_bindgen]
impl ParsedModule {
    /// Parses a module in either dialect. Throws its first error.
    #[wasm_bindgen(constructor)]
    pub fn new(source: &str, edition: &str) -> Result<Self, JsValue> {
        let edition = edition_by_name(edition);
        let (dialect, parsed) = parse_text(source, edition);
        if let Some(error) = parsed.error() {
            let op = opcode_at(&parsed.module, error);
            return Err(exception(&DiagnosticRecord::of_text(error, &TextPositions::new(source), op)));
        }
        Ok(Self {
            module: Rc::new(parsed.module),
            edition,
            dialect,
            source: source.into(),
            diagnostics: parsed.diagnostics.into(),
        })
    }

    /// Its warnings, and notes about forms of the 2017 builder that were lowered.
    #[wasm_bindgen(js_name = diagnostics)]
    pub fn diagnostics(&self) -> JsValue {
        diagnostic_records(&self.diagnostics, &self.module, &self.source)
    }

    /// Its name, interface, computations and instructions as a plain object.
    #[wasm_bindgen(js_name = record)]
    pub fn record(&self) -> JsValue {
        let module = &*self.module;
        let entry = module.entry_computation();
        let interface = module.interface();
        let ids = entry.map(|entry| entry.parameters.clone()).unwrap_or_default();
        let shapes = interface.iter().flat_map(|interface| &interface.parameters);
        let parameters = ids.iter().zip(shapes);
        let instructions = entry.map(|entry| {
            let record = |(id, instruction): (InstructionId, &Instruction)| InstructionRecord {
                name: instruction_name(module, id),
                opcode: instruction.opcode.clone(),
                shape: instruction.shape.to_string(),
                operands: instruction.operands.iter().map(|id| instruction_name(module, *id)).collect(),
                is_root: entry.root == Some(id),
            };
            entry.iter().map(record).collect()
        });
        to_object(&ModuleRecord {
            name: module.name.clone(),
            dialect: if self.dialect == Dialect::Hlo { "hlo" } else { "stablehlo" },
            parameters: parameters
                .map(|(id, shape)| Parameter {
                    name: instruction_name(module, *id),
                    shape: shape.to_string(),
                })
                .collect(),
            result: interface.as_ref().map(|interface| interface.result.to_string()).unwrap_or_default(),
            computations: module.computations.iter().map(|computation| computation.name.clone()).collect(),
            instructions: instructions.unwrap_or_default(),
        })
    }

    /// The targets of its custom calls, sorted, without duplicates.
    #[wasm_bindgen(js_name = customCallTargets)]
    pub fn custom_call_targets(&self) -> Vec<String> {
        let instructions = self.module.computations.iter().flat_map(|computation| &computation.instructions);
        let calls = instructions.filter(|instruction| instruction.opcode == "custom-call");
        let target = |instruction: &Instruction| match instruction.attrs.get("custom_call_target") {
            Some(AttrValue::String(target)) => Some(target.clone()),
            _ => None,
        };
        calls.filter_map(target).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The module as XLA prints it; `annotations` adds metadata, sharding and backend configuration.
    pub fn hlo(&self, layouts: bool, annotations: bool) -> String {
        let options = if annotations { PrintOptions::LONG } else { PrintOptions::SHORT };
        self.module.text(PrintOptions { layouts, ..options })
    }

    /// The module as `StableHLO`. Throws an error for the first construct that the dialect cannot express.
    #[wasm_bindgen(js_name = stableHlo)]
    pub fn stable_hlo(&self) -> Result<String, JsValue> {
        xla_stablehlo::print(&self.module).map_err(|errors| match errors.first() {
            Some(error) => {
                let op = opcode_at(&self.module, error);
                let record = DiagnosticRecord::of_text(error, &TextPositions::new(&self.source), op);
                exception(&DiagnosticRecord { kind: ErrorKind::Unsupported, ..record })
            }
            None => JsValue::NULL,
        })
    }
}

impl ParsedModule {
    /// An error of a run of this module.
    pub(crate) fn run_error(&self, error: &EvalError) -> DiagnosticRecord {
        DiagnosticRecord::of_run(error, &self.module, &TextPositions::new(&self.source))
    }
}
