//! A run of a module: as a plan where one expresses it, else by the evaluator; both have the same bits.

use std::rc::Rc;

use js_sys::{Array, Function, Promise, Reflect};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::future_to_promise;

use xla_array::{Edition, Literal};
use xla_hlo::eval::kernel::{InProcess, MIN_KERNEL_WORK};
use xla_hlo::{EvalError, Evaluator, Host, Limits, SimulatedDevices};
use xla_messages::i18n::Message;
use xla_plan::{Options, Plan, RunError, Runner};
use xla_wire::diagnostic_record::{DiagnosticRecord, ErrorKind};

use crate::host::{outfeed, read_host, result_record};
use crate::module::ParsedModule;
use crate::record::exception;
use crate::run_observer::RunObserver;
use crate::values::{read_literals, record};

/// The options of a run, which the package has checked.
pub struct RunOptions {
    pub limits: Limits,
    pub seed: u64,
    pub replicas: Option<usize>,
    pub on_progress: Option<Function>,
    /// Returns a promise that lets the event loop run, and resolves to whether to continue.
    pub pause: Option<Function>,
    pub host: Host,
    /// Whether it has a function for custom calls, or an infeed value.
    pub uses_host: bool,
}

fn field(options: &JsValue, name: &str) -> JsValue {
    Reflect::get(options, &name.into()).unwrap_or(JsValue::UNDEFINED)
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an integer that the package has checked"
)]
fn integer(options: &JsValue, name: &str) -> Option<u64> {
    field(options, name).as_f64().map(|number| number as u64)
}

impl RunOptions {
    /// Reads the options from a record.
    ///
    /// # Errors
    ///
    /// An invalid infeed value.
    pub fn read(options: &JsValue) -> Result<Self, DiagnosticRecord> {
        let defaults = Limits::default();
        let length = |name: &str| field(options, name).dyn_into::<Array>().map_or(0, |list| list.length());
        Ok(Self {
            limits: Limits {
                steps: integer(options, "maxSteps").unwrap_or(defaults.steps),
                bytes: integer(options, "maxBytes").unwrap_or(defaults.bytes),
            },
            seed: integer(options, "seed").unwrap_or_default(),
            replicas: integer(options, "replicas").and_then(|count| usize::try_from(count).ok()),
            on_progress: field(options, "onProgress").dyn_into().ok(),
            pause: field(options, "pause").dyn_into().ok(),
            host: read_host(options)?,
            uses_host: length("calls") + length("infeed") > 0,
        })
    }
}

/// The error that ends a run by a plan; `None` if the evaluator has to run the module.
pub fn error_without_fallback(error: RunError) -> Option<EvalError> {
    match error {
        // The evaluator may need less memory, because it does not copy the result.
        RunError::Failed(error) => (error.error.rule != "budget-bytes").then_some(error),
        RunError::Rejected => None,
    }
}

/// Runs a module by the evaluator, for modules that plans do not support, and to report invalid arguments.
pub fn run_by_evaluator(
    program: &ParsedModule,
    arguments: &[Literal],
    options: &RunOptions,
) -> Result<Literal, DiagnosticRecord> {
    let mut observer = RunObserver::new(program.module.clone(), options.on_progress.clone());
    let mut evaluator = Evaluator::new(&program.module).edition(program.edition).limits(options.limits);
    evaluator = evaluator.seed(options.seed);
    evaluator = evaluator.kernels(Rc::new(InProcess::default()), MIN_KERNEL_WORK).observer(&mut observer);
    evaluator.run(arguments).map_err(|error| program.run_error(&error))
}

/// Runs a module once on one device.
async fn run_on_one_device(
    program: &ParsedModule,
    arguments: Vec<Literal>,
    options: &RunOptions,
) -> Result<Literal, DiagnosticRecord> {
    let mut observer = RunObserver::new(program.module.clone(), options.on_progress.clone());
    // A plan cannot pause.
    let may_plan = options.pause.is_none() && !options.uses_host && program.edition == Edition::Current;
    if may_plan && let Ok(plan) = Plan::compile(&program.module, Options::default()) {
        let references: Vec<&Literal> = arguments.iter().collect();
        let run = Runner::new(Rc::new(plan)).seed(options.seed).run(
            &references,
            options.limits,
            Some(&mut observer),
        );
        match run {
            Ok(literal) => return Ok(literal),
            Err(error) => {
                if let Some(error) = error_without_fallback(error) {
                    return Err(program.run_error(&error));
                }
            }
        }
    }
    let pauses = options.pause.clone().map(|pause| observer.pauses(pause));
    let mut evaluator = Evaluator::new(&program.module).edition(program.edition).limits(options.limits);
    evaluator = evaluator.seed(options.seed).host(&options.host).observer(&mut observer);
    evaluator = evaluator.kernels(Rc::new(InProcess::default()), MIN_KERNEL_WORK);
    if let Some(pauses) = pauses {
        evaluator = evaluator.pauses(pauses);
    }
    if options.uses_host {
        return evaluator.run_async(&arguments).await.map_err(|error| program.run_error(&error));
    }
    // Without a host, the only reason to run asynchronously is a pause.
    let result = if options.pause.is_some() {
        evaluator.run_async(&arguments).await
    } else {
        evaluator.run_owned(arguments)
    };
    result.map_err(|error| program.run_error(&error))
}

/// The arguments of each replica. They are passed once, for all replicas, or for every replica in order.
fn arguments_by_replica(
    program: &ParsedModule,
    count: usize,
    arguments: Vec<Literal>,
) -> Result<Vec<Vec<Literal>>, DiagnosticRecord> {
    let parameters = program.module.entry_computation().map_or(0, |entry| entry.parameters.len());
    if arguments.len() == parameters {
        return Ok(vec![arguments; count]);
    }
    let needed = parameters.saturating_mul(count);
    if arguments.len() == needed {
        return Ok(arguments.chunks(parameters.max(1)).map(<[Literal]>::to_vec).collect());
    }
    let message = Message::terminal("cli-replica-arguments")
        .with("found", arguments.len())
        .with("parameters", parameters)
        .with("all", needed);
    Err(DiagnosticRecord::new(ErrorKind::Argument, "replicas", &message))
}

/// Runs a module on several devices.
fn run_on_replicas(
    program: &ParsedModule,
    count: usize,
    arguments: Vec<Literal>,
    options: &RunOptions,
) -> Result<Vec<Literal>, DiagnosticRecord> {
    let arguments = arguments_by_replica(program, count, arguments)?;
    let mut observer = RunObserver::new(program.module.clone(), options.on_progress.clone());
    let devices =
        SimulatedDevices::new(&program.module, count).edition(program.edition).limits(options.limits);
    let mut devices = devices.seed(options.seed).observer(0, &mut observer);
    devices.run(&arguments).map_err(|failed| program.run_error(&failed.error))
}

async fn run(program: ParsedModule, arguments: Array, options: JsValue) -> Result<JsValue, DiagnosticRecord> {
    let options = RunOptions::read(&options)?;
    let arguments = read_literals(&arguments)?;
    let value = match options.replicas {
        Some(count) => {
            let values = run_on_replicas(&program, count, arguments, &options)?;
            let records: Result<Vec<JsValue>, DiagnosticRecord> = values.iter().map(record).collect();
            records?.into_iter().collect::<Array>().into()
        }
        None => record(&run_on_one_device(&program, arguments, &options).await?)?,
    };
    Ok(result_record(&value, &outfeed(&options.host)?))
}

#[wasm_bindgen]
impl ParsedModule {
    /// Runs the module on records of literals; resolves to `{value, outfeed}`, where `value` is a list of records if there are
    /// replicas.
    pub fn evaluate(&self, arguments: Array, options: JsValue) -> Promise {
        let program = self.clone();
        future_to_promise(
            async move { run(program, arguments, options).await.map_err(|error| exception(&error)) },
        )
    }
}
