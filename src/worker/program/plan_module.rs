//! The module of plans (`crates/program`) in the runner: an instance for each program, with its own memory, and workers that run the
//! program together with this one.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Uint32Array, WebAssembly};

use super::ids::reference;
use super::plan_instance::{EXCHANGE, Instance, limit_arguments};
use super::plan_peers::StartedPeers;
use super::planned::{OpenPlan, PlanFailure, PlanResult, Planned, StatisticsRun};
use super::wire::InstructionKey;
use crate::array::{ArrayLiteral, Shape};
use crate::hlo::{InstructionId, Limits};
use crate::ops::{ComputationId, Data};
use crate::plan::{Growth, NonFiniteEvent, RunStatistics};
use crate::worker::kernels::{copy_from_memory, copy_to_memory, file};

thread_local! {
    static COMPILED: RefCell<Option<WebAssembly::Module>> = const { RefCell::new(None) };
}

/// Loads the module; `None` if it is not available. With `spawn_disabled`, programs run in this worker alone.
pub async fn load(spawn_disabled: bool) -> Option<OpenPlan> {
    let compiled = if let Some(compiled) = COMPILED.with_borrow(Clone::clone) {
        compiled
    } else {
        let compiled = file::compiled_plans().await.ok()?;
        COMPILED.set(Some(compiled.clone()));
        compiled
    };
    Some(Rc::new(move |text: &str, seed, observer| {
        let instance = Instance::new(&compiled, observer)?;
        instance.compile(text, seed)?;
        let peers = if spawn_disabled { None } else { StartedPeers::start(&instance, &compiled) };
        let opened = OpenedPlan { instance, text: text.to_owned(), seed, peers: Cell::new(peers) };
        Some(Box::new(opened) as Box<dyn Planned>)
    }))
}

/// A program that is compiled, with its arguments.
struct OpenedPlan {
    instance: Instance,
    text: String,
    seed: u32,
    /// The workers of its run.
    peers: Cell<Option<StartedPeers>>,
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

impl OpenedPlan {
    /// The words that a call with this status has recorded.
    fn recorded(&self, code: u32) -> Result<Vec<u32>, PlanFailure> {
        let instance = &self.instance;
        let (address, count) = (instance.call("record", &[])?, instance.call("record_words", &[])?);
        let memory = instance.memory.buffer();
        let words = Uint32Array::new_with_byte_offset_and_length(&memory, address, count).to_vec();
        let failed_at = || RecordReader(words.iter()).optional_instruction();
        match code {
            0 => Ok(words),
            2 => Err(PlanFailure::Bytes(failed_at())),
            3 => Err(PlanFailure::Steps(failed_at())),
            _ => Err(PlanFailure::Rejected),
        }
    }

    /// The value with this number of the last run. `array` counts its arrays.
    fn value(&self, value: u32, shape: &Shape, array: &mut u32) -> Result<Data, PlanFailure> {
        Ok(match shape {
            Shape::Array(shape) => {
                let mut literal = ArrayLiteral::zeros(shape.clone()).map_err(|_| PlanFailure::Bytes(None))?;
                let number = [value.into(), (*array).into()];
                let instance = &self.instance;
                let address = instance.call("array", &number)?;
                let bytes = instance.call("array_bytes", &number)?;
                *array += 1;
                let buffer = literal.buffer_mut();
                if address == 0 || buffer.bytes() != u64::from(bytes) {
                    return Err(PlanFailure::Rejected);
                }
                let cells = 0..buffer.len();
                copy_from_memory(&instance.memory.buffer(), address, buffer, &cells)
                    .ok_or(PlanFailure::Rejected)?;
                Data::from(literal)
            }
            Shape::Tuple(shapes) => {
                let elements = shapes.iter().map(|shape| self.value(value, shape, array));
                Data::Tuple(elements.collect::<Result<_, _>>()?)
            }
            Shape::Token => Data::Token,
            Shape::Opaque | Shape::Buffer(_) => return Err(PlanFailure::Rejected),
        })
    }
}

impl OpenedPlan {
    /// Runs the program, together with the other workers if there are any.
    async fn run(&self, result: &Shape, limits: Limits) -> Result<PlanResult, PlanFailure> {
        let peers = self.peers.take();
        let mut peers = match peers {
            Some(peers) => peers.open(&self.instance, &self.text, self.seed, limits).await,
            None => None,
        };
        let mut code = self.instance.call("run_with_statistics", &limit_arguments(limits))?;
        while code == EXCHANGE {
            let exchanged = match &mut peers {
                Some(peers) => peers.exchange(&self.instance).await,
                None => None,
            };
            code = if exchanged.is_some() {
                self.instance.call("resume", &[])?
            } else {
                // Terminates the others.
                peers = None;
                self.instance.call("resume_alone", &[])?
            };
        }
        let words = self.recorded(code)?;
        Ok(PlanResult {
            result: self.value(0, result, &mut 0)?,
            statistics: RecordReader(words.iter()).statistics(),
            workers: 1 + peers.map_or(0, |peers| peers.count()),
        })
    }
}

impl Planned for OpenedPlan {
    fn write_argument(&self, number: usize, array: &ArrayLiteral) -> Result<(), PlanFailure> {
        let number = u32::try_from(number).map_err(|_| PlanFailure::Rejected)?;
        let argument = self.instance.argument(number).ok_or(PlanFailure::Rejected)?;
        if array.buffer().bytes() != u64::from(argument.byte_length()) {
            return Err(PlanFailure::Rejected);
        }
        let cells = 0..array.buffer().len();
        copy_to_memory(array.buffer(), &cells, &self.instance.memory, argument.byte_offset())
            .ok_or(PlanFailure::Rejected)
    }

    fn run_with_statistics<'a>(&'a self, result: &'a Shape, limits: Limits) -> StatisticsRun<'a> {
        Box::pin(self.run(result, limits))
    }

    fn values(
        &self,
        instructions: &[(InstructionKey, Shape)],
        execution: u64,
        limits: Limits,
    ) -> Result<Vec<Option<Data>>, PlanFailure> {
        let words = instructions.iter().flat_map(|(at, _)| {
            let (computation, instruction) = reference(*at);
            [computation.0.to_le_bytes(), instruction.0.to_le_bytes()].concat()
        });
        self.instance.write_input(&words.collect::<Vec<u8>>()).ok_or(PlanFailure::Rejected)?;
        let [steps, bytes] = limit_arguments(limits);
        let execution = u32::try_from(execution).map_err(|_| PlanFailure::Rejected)?;
        let code = self.instance.call("values", &[execution.into(), steps, bytes])?;
        self.recorded(code)?;
        let each = (0_u32..).zip(instructions).map(|(number, (_, shape))| {
            let has_value = self.instance.call("has_value", &[number.into()])? != 0;
            has_value.then(|| self.value(number, shape, &mut 0)).transpose()
        });
        each.collect()
    }
}
