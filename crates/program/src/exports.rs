//! The interface to JavaScript: exports that compile and run a program, and an import that observes its runs.
//!
//! An instance runs one program. The caller
//!
//! 1. writes HLO text to the address that [`reserve`] returns, and calls [`compile`] or [`compile_observed`],
//! 2. writes each array of the arguments to the address that [`argument`] returns,
//! 3. calls [`run`], [`run_with_statistics`] or [`values`], which return a [`Status`], and
//! 4. reads the arrays of the values at the addresses that [`array`] returns, and the call's record at that of [`record`].
//!
//! An address is valid until the next call. Arrays have the layouts of the text; an element takes the bytes of its native type.
//!
//! # Several workers
//!
//! Instances of several workers can execute a run together. Each has the same text, seed and arguments; the caller
//!
//! 1. calls [`divide`] in each with its index and the instance count, before the first run,
//! 2. calls [`run`] in each, or [`run_with_statistics`] in one of them,
//! 3. while a call returns [`Status::Exchange`], sends the part of each instance, at the address that [`part`] returns, to all others,
//!    writes the parts of the others, in the order of their indices, to the address that [`reserve`] returns, and calls [`resume`],
//! 4. and if a worker is lost, calls [`resume_alone`] in another one.
//!
//! Every instance has the result. Its bits are those of one worker.
//!
//! # Records
//!
//! A record is a sequence of 32-bit words. A 64-bit number takes two words, the low one first. An *instruction* takes three
//! words: 1, its computation and its index; or 0, 0, 0 if there is none.
//!
//! - After a failure: the instruction that failed; if the call was rejected, nothing.
//! - After [`run`] and [`values`]: nothing.
//! - After [`run_with_statistics`]:
//!
//! | words | content |
//! |---|---|
//! | 2 | steps of the run |
//! | 6 | first NaN: instruction (3), 1 if it is inherited (1), execution (2) |
//! | 6 | first computed infinity: the same |
//! | 7 | largest growth: instruction (3), ratio as the bits of an `f64` (2), execution (2) |
//! | 4 each | every executed instruction: computation (1), index (1), number of executions (2) |
//!
//! The fields are those of [`RunStatistics`]; those of a missing event are 0.

#![allow(
    unsafe_code,
    reason = "the JavaScript interface: exported names, and memory that is passed by its address"
)]

use std::cell::RefCell;
use std::ops::ControlFlow;

use xla_array::literal::Buffer;
use xla_array::{ArrayLiteral, Literal};
use xla_hlo::{EvalError, Frame, InstructionId, Limits, Module, Observer, Position, parse};
use xla_ops::{ComputationId, Data};
use xla_plan::{NonFiniteEvent, RunError, RunProgress, RunStatistics, Session, Unsupported, Worker};

#[link(wasm_import_module = "env")]
unsafe extern "C" {
    /// The observer of a run. It gets the steps done and the running instruction of the entry computation, and returns 0 to
    /// cancel the run.
    safe fn progress(steps: f64, instruction: u32) -> i32;
}

/// Calls of the observer per call of [`progress`]; this many take about a millisecond.
const PROGRESS_INTERVAL_CALLS: u32 = 1 << 8;

/// The outcome of a call, as JavaScript gets it.
#[derive(Clone, Copy)]
#[repr(i32)]
enum Status {
    Ok = 0,
    /// No program is compiled (invalid text, or unsupported by plans), or the plan rejected the arguments.
    Rejected = 1,
    /// The run needs more bytes than its limit, or than WebAssembly memory provides.
    OutOfMemory = 2,
    /// The run needs more steps than its limit.
    OutOfSteps = 3,
    /// An op failed, or the observer cancelled the run.
    Failed = 4,
    /// The run waits for the parts of the other workers.
    Exchange = 5,
}

/// A value that the last call computed.
enum ComputedValue {
    /// The result of the program.
    Result(Literal),
    /// The value of an instruction; `None` if it was not executed.
    Captured(Option<Data>),
}

/// The state of the instance.
#[derive(Default)]
struct State {
    /// The input of the next call, which the caller writes.
    input: Vec<u8>,
    session: Option<Session>,
    /// The values that the last call computed.
    values: Vec<ComputedValue>,
    /// The record of the last call.
    record: Vec<u32>,
    progress: ProgressReporter,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// Reports the progress of a run to [`progress`].
#[derive(Default)]
struct ProgressReporter {
    instruction: InstructionId,
    calls: u32,
}

impl Observer for ProgressReporter {
    fn value(&mut self, _: Frame, _: InstructionId, _: &Data) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn reached(&mut self, position: Position) {
        self.instruction = position.instruction;
    }

    #[allow(clippy::cast_precision_loss, reason = "steps are far below 2^53")]
    fn progress(&mut self, steps: u64) -> ControlFlow<()> {
        self.calls = self.calls.wrapping_add(1);
        if !self.calls.is_multiple_of(PROGRESS_INTERVAL_CALLS)
            || progress(steps as f64, self.instruction.0) != 0
        {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}

/// Allocates the input of the next call, and returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(bytes: usize) -> *mut u8 {
    STATE.with_borrow_mut(|state| {
        if bytes > state.input.capacity() {
            state.input = Vec::new();
        }
        // The caller overwrites stale bytes of an earlier call.
        state.input.resize(bytes, 0);
        state.input.as_mut_ptr()
    })
}

/// Compiles the HLO text of the input by `compile`.
fn compile_input(compile: impl FnOnce(Module) -> Result<Session, Unsupported>) -> Status {
    STATE.with_borrow_mut(|state| {
        let text = std::mem::take(&mut state.input);
        let module = std::str::from_utf8(&text).ok().and_then(|text| parse(text).into_module().ok());
        state.session = module.and_then(|module| compile(module).ok());
        state.session.as_ref().map_or(Status::Rejected, |_| Status::Ok)
    })
}

/// Compiles the HLO text in the input for [`run`]. The first `constant_parameters` arguments are the same in every run.
#[unsafe(no_mangle)]
pub extern "C" fn compile(constant_parameters: usize, seed: u32) -> i32 {
    compile_input(|module| Session::new(module, constant_parameters, seed.into())) as i32
}

/// Compiles the HLO text in the input for one call of [`run_with_statistics`] and any number of calls of [`values`].
#[unsafe(no_mangle)]
pub extern "C" fn compile_observed(seed: u32) -> i32 {
    compile_input(|module| Session::with_statistics(module, seed.into())) as i32
}

/// The address and the length of a buffer's bytes.
macro_rules! bytes_of {
    ($buffer:expr, $pointer:ident $($variant:ident)*) => {
        match $buffer {
            $(Buffer::$variant(elements) => (elements.$pointer().cast::<u8>(), size_of_val(&elements[..])),)*
        }
    };
}

fn bytes_of(buffer: &Buffer) -> (*const u8, usize) {
    bytes_of!(buffer, as_ptr U8 U16 U32 U64 I8 I16 I32 I64 F32 F64 C64 C128)
}

/// The address of leaf array `index` of the arguments, flattened depth first; 0 if there is none, or not enough memory for it. The
/// array is zero until it is written.
#[unsafe(no_mangle)]
pub extern "C" fn argument(index: usize) -> *mut u8 {
    STATE.with_borrow_mut(|state| {
        let buffer = state.session.as_mut().and_then(|session| session.argument(index));
        buffer.map_or(std::ptr::null_mut(), |buffer| {
            bytes_of!(buffer, as_mut_ptr U8 U16 U32 U64 I8 I16 I32 I64 F32 F64 C64 C128).0
        })
    })
}

/// The length of that array in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn argument_bytes(index: usize) -> usize {
    STATE.with_borrow_mut(|state| {
        let buffer = state.session.as_mut().and_then(|session| session.argument(index));
        buffer.map_or(0, |buffer| bytes_of(buffer).1)
    })
}

/// Appends a 64-bit number.
#[allow(clippy::cast_possible_truncation, reason = "the two halves")]
fn push_u64(record: &mut Vec<u32>, number: u64) {
    record.extend([number as u32, (number >> 32) as u32]);
}

/// Appends an instruction.
fn push_instruction(record: &mut Vec<u32>, at: Option<(ComputationId, InstructionId)>) {
    let words = at.map(|(computation, instruction)| [1, computation.0, instruction.0]);
    record.extend(words.unwrap_or_default());
}

/// Appends the statistics of a run.
fn push_statistics(record: &mut Vec<u32>, statistics: &RunStatistics) {
    push_u64(record, statistics.steps);
    for event in [statistics.first_nan, statistics.first_computed_infinity] {
        push_instruction(record, event.map(|event| event.at));
        record.push(event.is_some_and(|event: NonFiniteEvent| event.is_inherited).into());
        push_u64(record, event.map_or(0, |event| event.execution));
    }
    push_instruction(record, statistics.largest_growth.map(|growth| growth.at));
    push_u64(record, statistics.largest_growth.map_or(0, |growth| growth.ratio.to_bits()));
    push_u64(record, statistics.largest_growth.map_or(0, |growth| growth.execution));
    for ((computation, instruction), executions) in &statistics.executions {
        record.extend([computation.0, instruction.0]);
        push_u64(record, *executions);
    }
}

/// Appends the instruction that failed to the record, and returns the status.
fn record_failure(error: &RunError, record: &mut Vec<u32>) -> Status {
    let RunError::Failed(EvalError { at, error }) = error else { return Status::Rejected };
    push_instruction(record, *at);
    match error.rule {
        "budget-bytes" | "literal-memory" => Status::OutOfMemory,
        "budget-steps" => Status::OutOfSteps,
        _ => Status::Failed,
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "limits are far below 2^53")]
fn limits(steps: f64, bytes: f64) -> Limits {
    Limits { steps: steps as u64, bytes: bytes as u64 }
}

/// Runs `compute`, which returns the values of a call and writes its record; returns the status.
fn call(
    compute: impl FnOnce(
        &mut Session,
        &[u8],
        &mut ProgressReporter,
        &mut Vec<u32>,
    ) -> Result<(Status, Vec<ComputedValue>), RunError>,
) -> i32 {
    STATE.with_borrow_mut(|state| {
        let State { input, session, values, record, progress } = state;
        record.clear();
        values.clear();
        let Some(session) = session else { return Status::Rejected as i32 };
        let status = match compute(session, input, progress, record) {
            Ok((status, computed)) => {
                *values = computed;
                status
            }
            Err(error) => record_failure(&error, record),
        };
        status as i32
    })
}

/// Starts or resumes a run by `advance`. Value 0 is the result of a run that is complete; its statistics are recorded, if it has any.
fn advance_run(
    advance: impl FnOnce(&mut Session, &[u8], &mut ProgressReporter) -> Result<RunProgress, RunError>,
) -> i32 {
    call(|session, input, progress, record| {
        Ok(match advance(session, input, progress)? {
            RunProgress::Finished(result, statistics) => {
                statistics.iter().for_each(|statistics| push_statistics(record, statistics));
                (Status::Ok, vec![ComputedValue::Result(result)])
            }
            RunProgress::Exchange => (Status::Exchange, Vec::new()),
        })
    })
}

/// Runs the program on the arguments, with limits on its steps and bytes. Value 0 is the result.
#[unsafe(no_mangle)]
pub extern "C" fn run(steps: f64, bytes: f64) -> i32 {
    advance_run(|session, _, progress| session.start(limits(steps, bytes), Some(progress), false))
}

/// Runs an observed program like [`run`], and records its statistics.
#[unsafe(no_mangle)]
pub extern "C" fn run_with_statistics(steps: f64, bytes: f64) -> i32 {
    advance_run(|session, _, progress| session.start(limits(steps, bytes), Some(progress), true))
}

/// Divides further runs among `count` workers, of which this instance is the one with this index, from 0. Returns the milliseconds
/// that this saves in a run, by an estimate; 0 if division does not pay off: runs then never exchange parts. With a count of 1, runs
/// are undivided again.
#[unsafe(no_mangle)]
pub extern "C" fn divide(index: usize, count: usize) -> f64 {
    STATE.with_borrow_mut(|state| {
        let session = state.session.as_mut();
        session.map_or(0.0, |session| session.divide(Worker { index, count }) / 1e6)
    })
}

/// The bytes that a run takes: arguments, buffers and result.
#[allow(clippy::cast_precision_loss, reason = "bytes are far below 2^53")]
#[unsafe(no_mangle)]
pub extern "C" fn run_bytes() -> f64 {
    STATE.with_borrow(|state| state.session.as_ref().map_or(0.0, |session| session.run_bytes() as f64))
}

/// The address of this instance's part, which all others need to resume the run.
#[unsafe(no_mangle)]
pub extern "C" fn part() -> *const u8 {
    STATE.with_borrow(|state| state.session.as_ref().map_or(std::ptr::null(), |s| s.own_part().as_ptr()))
}

/// The length of that part in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn part_bytes() -> usize {
    STATE.with_borrow(|state| state.session.as_ref().map_or(0, |session| session.own_part().len()))
}

/// The length in bytes of the parts of the other instances together.
#[unsafe(no_mangle)]
pub extern "C" fn other_parts_bytes() -> usize {
    STATE.with_borrow(|state| state.session.as_ref().map_or(0, Session::other_parts_bytes))
}

/// Resumes the run with the parts of the other instances, which are in the input. Rejects parts of another length: the run still
/// waits then.
#[unsafe(no_mangle)]
pub extern "C" fn resume() -> i32 {
    advance_run(|session, input, progress| session.resume(input, Some(progress)))
}

/// Starts the waiting run again, undivided, with its limits. Further runs are undivided, too.
#[unsafe(no_mangle)]
pub extern "C" fn resume_alone() -> i32 {
    advance_run(|session, _, progress| session.resume_alone(Some(progress)))
}

/// Computes the values of instructions of one computation in one of their executions, counted from 0. The input has the
/// computation and the index of each, as 32-bit words. The values are in the order of the input.
#[unsafe(no_mangle)]
pub extern "C" fn values(execution: u32, steps: f64, bytes: f64) -> i32 {
    call(|session, input, progress, _| {
        let words: Vec<u32> =
            input.as_chunks().0.iter().map(|bytes: &[u8; 4]| u32::from_le_bytes(*bytes)).collect();
        let pairs = words.as_chunks().0.iter();
        let instructions: Vec<_> = pairs
            .map(|[computation, instruction]| (ComputationId(*computation), InstructionId(*instruction)))
            .collect();
        let limits = limits(steps, bytes);
        let values = session.values(&instructions, execution.into(), limits, Some(progress))?;
        Ok((Status::Ok, values.into_iter().map(ComputedValue::Captured).collect()))
    })
}

/// The address of the record of the last call.
#[unsafe(no_mangle)]
pub extern "C" fn record() -> *const u32 {
    STATE.with_borrow(|state| state.record.as_ptr())
}

/// The number of words of that record.
#[unsafe(no_mangle)]
pub extern "C" fn record_words() -> usize {
    STATE.with_borrow(|state| state.record.len())
}

fn literal_arrays<'a>(literal: &'a Literal, arrays: &mut Vec<&'a ArrayLiteral>) {
    match literal {
        Literal::Array(array) => arrays.push(array),
        Literal::Tuple(elements) => elements.iter().for_each(|element| literal_arrays(element, arrays)),
        Literal::Token => {}
    }
}

fn data_arrays<'a>(data: &'a Data, arrays: &mut Vec<&'a ArrayLiteral>) {
    match data {
        Data::Array(array) => arrays.push(array),
        Data::Tuple(elements) => elements.iter().for_each(|element| data_arrays(element, arrays)),
        Data::Token => {}
    }
}

/// The arrays of a value of the last call, depth first; `None` if the instruction was not executed.
fn arrays(state: &State, value: usize) -> Option<Vec<&ArrayLiteral>> {
    let mut arrays = Vec::new();
    match state.values.get(value)? {
        ComputedValue::Result(literal) => literal_arrays(literal, &mut arrays),
        ComputedValue::Captured(data) => data_arrays(data.as_ref()?, &mut arrays),
    }
    Some(arrays)
}

/// Whether the last call computed the value with this index: 0 if the instruction was not executed.
#[unsafe(no_mangle)]
pub extern "C" fn has_value(value: usize) -> i32 {
    STATE.with_borrow(|state| arrays(state, value).is_some().into())
}

/// The address of leaf array `index` of a value, flattened depth first; 0 if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn array(value: usize, index: usize) -> *const u8 {
    STATE.with_borrow(|state| {
        let arrays = arrays(state, value).unwrap_or_default();
        arrays.get(index).map_or(std::ptr::null(), |array| bytes_of(array.buffer()).0)
    })
}

/// The length of that array in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn array_bytes(value: usize, index: usize) -> usize {
    STATE.with_borrow(|state| {
        let arrays = arrays(state, value).unwrap_or_default();
        arrays.get(index).map_or(0, |array| bytes_of(array.buffer()).1)
    })
}
