//! A program for repeated runs: a plan that keeps its buffers and packed constant operands, or the evaluator for programs that
//! plans do not support.

use std::rc::Rc;

use js_sys::Array;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use xla_array::{Edition, Literal};
use xla_plan::{Options, Plan, Reason, Runner};

use crate::evaluate::{RunOptions, error_without_fallback, run_by_evaluator};
use crate::module::ParsedModule;
use crate::record::exception;
use crate::run_observer::RunObserver;
use crate::values::{read_literals, record};

const fn reason_name(reason: Reason) -> &'static str {
    match reason {
        Reason::Invalid => "invalid",
        Reason::Effect => "effect",
        Reason::Layout => "layout",
        Reason::Shape => "shape",
        Reason::Length => "length",
    }
}

/// A program with its constant arguments.
#[wasm_bindgen]
pub struct PreparedProgram {
    program: ParsedModule,
    constants: Vec<Literal>,
    /// `None` if the evaluator runs the program.
    runner: Option<Runner>,
    fallback_reason: Option<String>,
}

#[wasm_bindgen]
impl PreparedProgram {
    /// Compiles a program whose first arguments are these records in every run.
    #[wasm_bindgen(constructor)]
    pub fn new(program: &ParsedModule, constants: &Array, seed: f64) -> Result<Self, JsValue> {
        let constants = read_literals(constants).map_err(|error| exception(&error))?;
        let options = Options { constant_parameters: constants.len(), ..Options::default() };
        let compiled = (program.edition == Edition::Current).then(|| Plan::compile(&program.module, options));
        let (runner, fallback_reason) = match compiled {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "an integer that the package has checked"
            )]
            Some(Ok(plan)) => (Some(Runner::new(Rc::new(plan)).seed(seed as u64)), None),
            Some(Err(unsupported)) => (None, Some(reason_name(unsupported.reason).to_owned())),
            None => (None, Some("edition".to_owned())),
        };
        Ok(Self { program: program.clone(), constants, runner, fallback_reason })
    }

    /// Why the evaluator runs the program: `"invalid"`, `"effect"`, `"layout"`, `"shape"`, `"length"` or `"edition"`; undefined
    /// if a plan does.
    #[wasm_bindgen(getter, js_name = fallbackReason)]
    pub fn fallback_reason(&self) -> Option<String> {
        self.fallback_reason.clone()
    }

    /// Runs the program on the remaining arguments; returns the record of the result.
    pub fn run(&mut self, arguments: &Array, options: &JsValue) -> Result<JsValue, JsValue> {
        let options = RunOptions::read(options).map_err(|error| exception(&error))?;
        let arguments = read_literals(arguments).map_err(|error| exception(&error))?;
        let all: Vec<&Literal> = self.constants.iter().chain(&arguments).collect();
        if let Some(runner) = &mut self.runner {
            let mut observer = RunObserver::new(self.program.module.clone(), options.on_progress.clone());
            match runner.run(&all, options.limits, Some(&mut observer)) {
                Ok(literal) => return record(&literal).map_err(|error| exception(&error)),
                Err(error) => {
                    if let Some(error) = error_without_fallback(error) {
                        return Err(exception(&self.program.run_error(&error)));
                    }
                }
            }
        }
        let all: Vec<Literal> = all.into_iter().cloned().collect();
        let result = run_by_evaluator(&self.program, &all, &options);
        result.and_then(|literal| record(&literal)).map_err(|error| exception(&error))
    }
}
