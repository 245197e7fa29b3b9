//! The module of plans (`crates/program`) in the runner: an instance for each program, with its own memory.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Function, Object, Reflect, Uint8Array, Uint32Array, WebAssembly};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};

use super::ids::reference;
use super::planned::{OpenPlan, PlanFailure, PlanObserver, Planned};
use super::wire::At;
use crate::array::{ArrayLiteral, Shape};
use crate::hlo::{InstructionId, Limits};
use crate::ops::{ComputationId, Data};
use crate::plan::{Growth, NonFiniteEvent, RunStatistics};
use crate::worker::kernels::{copy_from_memory, copy_to_memory, file};

thread_local! {
    static COMPILED: RefCell<Option<WebAssembly::Module>> = const { RefCell::new(None) };
}

/// Loads the module; `None` if it is not available.
pub async fn load() -> Option<OpenPlan> {
    let compiled = if let Some(compiled) = COMPILED.with_borrow(Clone::clone) {
        compiled
    } else {
        let compiled = file::compiled_plans().await.ok()?;
        COMPILED.set(Some(compiled.clone()));
        compiled
    };
    Some(Rc::new(move |text: &str, seed, observer| {
        let instance = Instance::new(&compiled, observer)?;
        let address = instance.reserve(text.as_bytes())?;
        (address != 0 && instance.call("compile_observed", &[seed.into()]).ok()? == 0)
            .then(|| Box::new(instance) as Box<dyn Planned>)
    }))
}

/// An instance of the module, with one program.
struct Instance {
    exports: Object,
    memory: WebAssembly::Memory,
    _progress: Closure<dyn FnMut(f64, u32) -> i32>,
}

/// Reads the record of a call, whose format `crates/program/src/exports.rs` documents.
struct RecordReader<'w>(std::slice::Iter<'w, u32>);

impl RecordReader<'_> {
    /// The next word; 0 at the end.
    fn word(&mut self) -> u32 {
        self.0.next().copied().unwrap_or_default()
    }

    /// A number of two words, the low one first.
    fn u64(&mut self) -> u64 {
        u64::from(self.word()) | u64::from(self.word()) << 32
    }

    fn instruction(&mut self) -> (ComputationId, InstructionId) {
        (ComputationId(self.word()), InstructionId(self.word()))
    }

    /// An instruction after a word that is 0 if there is none.
    fn optional_instruction(&mut self) -> Option<(ComputationId, InstructionId)> {
        let (is_some, at) = (self.word() != 0, self.instruction());
        is_some.then_some(at)
    }

    fn event(&mut self) -> Option<NonFiniteEvent> {
        let (at, is_inherited, execution) = (self.optional_instruction(), self.word() != 0, self.u64());
        at.map(|at| NonFiniteEvent { at, is_inherited, execution })
    }

    fn growth(&mut self) -> Option<Growth> {
        let (at, ratio, execution) = (self.optional_instruction(), f64::from_bits(self.u64()), self.u64());
        at.map(|at| Growth { at, ratio, execution })
    }

    fn statistics(&mut self) -> RunStatistics {
        RunStatistics {
            steps: self.u64(),
            first_nan: self.event(),
            first_computed_infinity: self.event(),
            largest_growth: self.growth(),
            executions: (0..self.0.len() / 4).map(|_| (self.instruction(), self.u64())).collect(),
        }
    }
}

impl Instance {
    fn new(compiled: &WebAssembly::Module, observer: PlanObserver) -> Option<Self> {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number of steps")]
        let progress = Closure::<dyn FnMut(f64, u32) -> i32>::new(move |steps: f64, instruction: u32| {
            observer(steps as u64, InstructionId(instruction));
            1
        });
        let (imports, env) = (Object::new(), Object::new());
        Reflect::set(&env, &"progress".into(), progress.as_ref()).ok()?;
        Reflect::set(&imports, &"env".into(), &env).ok()?;
        let exports = file::instantiate_sync(compiled, &imports).ok()?.exports();
        let memory = Reflect::get(&exports, &"memory".into()).ok()?.dyn_into().ok()?;
        Some(Self { exports, memory, _progress: progress })
    }

    /// Calls an export. Its result is an `i32`, which for an address is reinterpreted as unsigned.
    fn call(&self, name: &str, arguments: &[f64]) -> Result<u32, PlanFailure> {
        let export = Reflect::get(&self.exports, &name.into()).ok();
        let export: Function =
            export.and_then(|export| export.dyn_into().ok()).ok_or(PlanFailure::Refused)?;
        let arguments: Array = arguments.iter().copied().map(JsValue::from_f64).collect();
        let returned = export.apply(&JsValue::UNDEFINED, &arguments).map_err(|_| PlanFailure::Refused)?;
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an i32 of the module, reinterpreted"
        )]
        Ok(returned.as_f64().unwrap_or(0.0) as i64 as u32)
    }

    /// Copies the input of the next call into memory that the module reserves for it; returns its address.
    fn reserve(&self, bytes: &[u8]) -> Option<u32> {
        let length = u32::try_from(bytes.len()).ok()?;
        let address = self.call("reserve", &[length.into()]).ok()?;
        Uint8Array::new_with_byte_offset_and_length(&self.memory.buffer(), address, length).copy_from(bytes);
        Some(address)
    }

    /// Calls an export that runs the program; returns the words that it wrote.
    fn run(&self, name: &str, arguments: &[f64]) -> Result<Vec<u32>, PlanFailure> {
        let code = self.call(name, arguments)?;
        let (address, count) = (self.call("record", &[])?, self.call("record_words", &[])?);
        let words =
            Uint32Array::new_with_byte_offset_and_length(&self.memory.buffer(), address, count).to_vec();
        let failed_at = || RecordReader(words.iter()).optional_instruction();
        match code {
            0 => Ok(words),
            2 => Err(PlanFailure::Bytes(failed_at())),
            3 => Err(PlanFailure::Steps(failed_at())),
            _ => Err(PlanFailure::Refused),
        }
    }

    /// The value with this number of the last run. `array` counts its arrays.
    fn value(&self, value: u32, shape: &Shape, array: &mut u32) -> Result<Data, PlanFailure> {
        Ok(match shape {
            Shape::Array(shape) => {
                let mut literal = ArrayLiteral::zeros(shape.clone()).map_err(|_| PlanFailure::Bytes(None))?;
                let number = [value.into(), (*array).into()];
                let (address, bytes) = (self.call("array", &number)?, self.call("array_bytes", &number)?);
                *array += 1;
                let buffer = literal.buffer_mut();
                if address == 0 || buffer.bytes() != u64::from(bytes) {
                    return Err(PlanFailure::Refused);
                }
                let cells = 0..buffer.len();
                copy_from_memory(&self.memory.buffer(), address, buffer, &cells)
                    .ok_or(PlanFailure::Refused)?;
                Data::from(literal)
            }
            Shape::Tuple(shapes) => {
                let elements = shapes.iter().map(|shape| self.value(value, shape, array));
                Data::Tuple(elements.collect::<Result<_, _>>()?)
            }
            Shape::Token => Data::Token,
            Shape::Opaque | Shape::Buffer(_) => return Err(PlanFailure::Refused),
        })
    }
}

#[allow(clippy::cast_precision_loss, reason = "limits are far below 2^53")]
fn limit_arguments(limits: Limits) -> [f64; 2] {
    [limits.steps as f64, limits.bytes as f64]
}

impl Planned for Instance {
    fn write_argument(&self, number: usize, array: &ArrayLiteral) -> Result<(), PlanFailure> {
        let number = f64::from(u32::try_from(number).map_err(|_| PlanFailure::Refused)?);
        let (address, bytes) = (self.call("argument", &[number])?, self.call("argument_bytes", &[number])?);
        if address == 0 || array.buffer().bytes() != u64::from(bytes) {
            return Err(PlanFailure::Refused);
        }
        let cells = 0..array.buffer().len();
        copy_to_memory(array.buffer(), &cells, &self.memory, address).ok_or(PlanFailure::Refused)
    }

    fn run_with_statistics(
        &self,
        result: &Shape,
        limits: Limits,
    ) -> Result<(Data, RunStatistics), PlanFailure> {
        let [steps, bytes] = limit_arguments(limits);
        let words = self.run("run_with_statistics", &[steps, bytes])?;
        Ok((self.value(0, result, &mut 0)?, RecordReader(words.iter()).statistics()))
    }

    fn values(
        &self,
        instructions: &[(At, Shape)],
        execution: u64,
        limits: Limits,
    ) -> Result<Vec<Option<Data>>, PlanFailure> {
        let words = instructions.iter().flat_map(|(at, _)| {
            let (computation, instruction) = reference(*at);
            [computation.0.to_le_bytes(), instruction.0.to_le_bytes()].concat()
        });
        self.reserve(&words.collect::<Vec<u8>>()).ok_or(PlanFailure::Refused)?;
        let [steps, bytes] = limit_arguments(limits);
        let execution = u32::try_from(execution).map_err(|_| PlanFailure::Refused)?;
        self.run("values", &[execution.into(), steps, bytes])?;
        let each = (0_u32..).zip(instructions).map(|(number, (_, shape))| {
            let has_value = self.call("has_value", &[number.into()])? != 0;
            has_value.then(|| self.value(number, shape, &mut 0)).transpose()
        });
        each.collect()
    }
}
