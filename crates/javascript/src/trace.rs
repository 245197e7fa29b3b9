//! Provenance: the source cells of a cell of a value.

use std::rc::Rc;

use js_sys::{Array, Promise};
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::future_to_promise;

use xla_array::value::text::Exactness;
use xla_hlo::eval::kernel::{InProcess, MIN_KERNEL_WORK};
use xla_hlo::{Evaluator, InstructionId, Outcome};
use xla_messages::i18n::Message;
use xla_ops::{CellAt, Data, Source};
use xla_wire::diagnostic_record::{DiagnosticRecord, ErrorKind};

use crate::evaluate::RunOptions;
use crate::module::{ParsedModule, instruction_name};
use crate::record::{exception, to_object};
use crate::run_observer::RunObserver;
use crate::values::read_literals;

/// The traced cell, which the package has checked.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Query {
    /// The name of an instruction of the entry computation; its root by default.
    instruction: Option<String>,
    path: Vec<usize>,
    index: Vec<i64>,
    max_cells: usize,
}

/// A source cell.
#[derive(Serialize)]
struct SourceRecord {
    /// The index of the operand, or of the parameter for an origin.
    operand: usize,
    /// The name of the operand's instruction, or of the parameter.
    name: String,
    path: Vec<usize>,
    index: Vec<i64>,
    role: &'static str,
    /// Its value as XLA prints it; null if the value is not known.
    value: Option<String>,
}

#[derive(Serialize)]
struct Provenance {
    instruction: String,
    /// The value of the cell.
    value: Option<String>,
    /// The operand cells that were read, in order.
    sources: Vec<SourceRecord>,
    /// The cells of parameters, through all instructions between.
    origins: Vec<SourceRecord>,
}

fn value_text(data: Option<&Data>, cell: &CellAt) -> Option<String> {
    let array = data?.part(&cell.path)?.as_array()?;
    Some(array.get(&cell.index)?.text(array.element_type(), Exactness::RoundTrip))
}

fn find_instruction(program: &ParsedModule, name: Option<&str>) -> Result<InstructionId, DiagnosticRecord> {
    let entry = program.module.entry_computation();
    let instruction = entry.and_then(|entry| match name {
        None => entry.root,
        Some(name) => entry.find(name).or_else(|| {
            entry.iter().map(|(id, _)| id).find(|id| instruction_name(&program.module, *id) == name)
        }),
    });
    instruction.ok_or_else(|| {
        let message = Message::terminal("cli-cut-instruction").with("name", name.unwrap_or("ROOT"));
        DiagnosticRecord::new(ErrorKind::Argument, "cli-cut-instruction", &message)
    })
}

fn trace_cell(
    program: &ParsedModule,
    evaluator: &Evaluator<'_>,
    outcome: &Outcome,
    query: &Query,
) -> Result<Provenance, DiagnosticRecord> {
    let id = find_instruction(program, query.instruction.as_deref())?;
    let cell = CellAt { path: query.path.iter().copied().collect(), index: query.index.as_slice().into() };
    let mut tracer = evaluator.tracer(outcome).max_cells(query.max_cells);
    let sources = tracer.sources(id, &cell).map_err(|error| program.run_error(&error))?;
    let origins = tracer.origins(id, &cell).map_err(|error| program.run_error(&error))?;
    let entry = program.module.entry_computation();
    let record = |id: Option<InstructionId>, source: Source| SourceRecord {
        operand: source.operand,
        name: id.map(|id| instruction_name(&program.module, id)).unwrap_or_default(),
        value: value_text(id.and_then(|id| outcome.values.get(id)), &source.cell),
        path: source.cell.path.to_vec(),
        index: source.cell.index.to_vec(),
        role: source.role.name(),
    };
    let operand = |number: usize| entry?.get(id)?.operands.get(number).copied();
    let parameter = |number: usize| entry?.parameters.get(number).copied();
    Ok(Provenance {
        instruction: instruction_name(&program.module, id),
        value: value_text(outcome.values.get(id), &cell),
        sources: sources.into_iter().map(|source| record(operand(source.operand), source)).collect(),
        origins: origins.into_iter().map(|source| record(parameter(source.operand), source)).collect(),
    })
}

async fn run(
    program: ParsedModule,
    arguments: Array,
    query: JsValue,
    options: JsValue,
) -> Result<JsValue, DiagnosticRecord> {
    let options = RunOptions::read(&options)?;
    let query: Query = serde_wasm_bindgen::from_value(query).map_err(|error| {
        let message = Message::ops("json-error").with("error", error.to_string());
        DiagnosticRecord::new(ErrorKind::Argument, "json-literal", &message)
    })?;
    // Checked before the run, which may take long.
    find_instruction(&program, query.instruction.as_deref())?;
    let arguments = read_literals(&arguments)?;
    let mut observer = RunObserver::new(program.module.clone(), options.on_progress.clone());
    let pauses = options.pause.clone().map(|pause| observer.pauses(pause));
    let mut evaluator = Evaluator::new(&program.module).edition(program.edition).limits(options.limits);
    evaluator = evaluator.seed(options.seed).host(&options.host).observer(&mut observer);
    evaluator = evaluator.kernels(Rc::new(InProcess::default()), MIN_KERNEL_WORK);
    if let Some(pauses) = pauses {
        evaluator = evaluator.pauses(pauses);
    }
    let outcome = if options.uses_host || options.pause.is_some() {
        evaluator.run_with_values_owned_async(arguments).await
    } else {
        evaluator.run_with_values_owned(arguments)
    };
    let outcome = outcome.map_err(|error| program.run_error(&error))?;
    trace_cell(&program, &evaluator, &outcome, &query).map(|provenance| to_object(&provenance))
}

#[wasm_bindgen]
impl ParsedModule {
    /// Runs the module and traces a cell; resolves to its sources.
    pub fn provenance(&self, arguments: Array, query: JsValue, options: JsValue) -> Promise {
        let program = self.clone();
        future_to_promise(async move {
            run(program, arguments, query, options).await.map_err(|error| exception(&error))
        })
    }
}
