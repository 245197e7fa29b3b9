//! The exports to JavaScript: a program, its arguments and its values; and the import, the observer.
//!
//! An instance runs one program. The caller writes text into the memory of [`reserve`], arguments into that of [`argument`], and
//! reads values from that of [`array`]; addresses are valid until the next call. Arrays have the layouts of the text, an element
//! takes the bytes of its native type.

#![allow(
    unsafe_code,
    reason = "the boundary to JavaScript: exported names, and memory that is passed by its address"
)]

use std::cell::RefCell;
use std::ops::ControlFlow;

use xla_array::literal::Buffer;
use xla_array::{ArrayLiteral, Literal};
use xla_hlo::{EvalError, Frame, InstructionId, Limits, Module, Observer, Position, parse};
use xla_ops::{ComputationId, Data};
use xla_plan::{Event, RunError, Session, Survey, Unsupported};

#[link(wasm_import_module = "env")]
unsafe extern "C" {
    /// The observer: called with the steps done and the running instruction of the entry computation; returns whether to continue
    /// (not 0).
    safe fn progress(steps: f64, instruction: u32) -> i32;
}

/// Calls of the run's observer per call of [`progress`]: about a millisecond.
const PROGRESS_INTERVAL: u32 = 1 << 8;

/// The value of [`open`]'s `constant_parameters` for a program that is surveyed.
const SURVEYED: u32 = u32::MAX;

/// Why a call failed; 0 if it did not.
#[derive(Clone, Copy)]
#[repr(i32)]
enum Code {
    Done = 0,
    /// The text has errors, or the plan does not support the program, or it refused the arguments.
    Refused = 1,
    /// The run needs more bytes than the limit, or more than the memory has.
    Bytes = 2,
    /// The run needs more steps than the limit.
    Steps = 3,
    /// An op failed.
    Failed = 4,
}

/// A value of the last call.
enum Outcome {
    Result(Literal),
    Captured(Option<Data>),
}

/// The state of the instance.
#[derive(Default)]
struct State {
    input: Vec<u8>,
    session: Option<Session>,
    outcomes: Vec<Outcome>,
    words: Vec<u32>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// Passes progress on.
#[derive(Default)]
struct Progress {
    instruction: InstructionId,
    calls: u32,
}

impl Observer for Progress {
    fn value(&mut self, _: Frame, _: InstructionId, _: &Data) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn reached(&mut self, position: Position) {
        self.instruction = position.instruction;
    }

    #[allow(clippy::cast_precision_loss, reason = "steps are far below 2^53")]
    fn progress(&mut self, steps: u64) -> ControlFlow<()> {
        self.calls = self.calls.wrapping_add(1);
        if !self.calls.is_multiple_of(PROGRESS_INTERVAL) || progress(steps as f64, self.instruction.0) != 0 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}

/// Allocates bytes, which the caller writes next, and returns their address.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(bytes: usize) -> *mut u8 {
    STATE.with_borrow_mut(|state| {
        state.input = vec![0; bytes];
        state.input.as_mut_ptr()
    })
}

fn session(text: &[u8], constant_parameters: u32, seed: u32) -> Option<Session> {
    let module: Module = parse(std::str::from_utf8(text).ok()?).into_module().ok()?;
    let session: Result<Session, Unsupported> = if constant_parameters == SURVEYED {
        Session::observed(module, seed.into())
    } else {
        Session::new(module, constant_parameters as usize, seed.into())
    };
    session.ok()
}

/// Compiles the HLO text that was written into [`reserve`]. The first `constant_parameters` arguments are the same in every run;
/// 2^32 - 1 if the program is surveyed, and runs once. Returns 0, or 1 if the program cannot be run.
#[unsafe(no_mangle)]
pub extern "C" fn open(constant_parameters: u32, seed: u32) -> i32 {
    STATE.with_borrow_mut(|state| {
        let text = std::mem::take(&mut state.input);
        state.session = session(&text, constant_parameters, seed);
        state.session.as_ref().map_or(Code::Refused, |_| Code::Done) as i32
    })
}

/// The address and the length of a buffer's bytes.
macro_rules! bytes_of {
    ($buffer:expr, $pointer:ident $($variant:ident)*) => {
        match $buffer {
            $(Buffer::$variant(cells) => (cells.$pointer().cast::<u8>(), size_of_val(&cells[..])),)*
        }
    };
}

fn bytes_of(buffer: &Buffer) -> (*const u8, usize) {
    bytes_of!(buffer, as_ptr U8 U16 U32 U64 I8 I16 I32 I64 F32 F64 C64 C128)
}

/// The address of the array with this number, counting the arrays of all arguments one by one; 0 if there is none, or no memory.
/// The array is zero until it is written.
#[unsafe(no_mangle)]
pub extern "C" fn argument(number: usize) -> *mut u8 {
    STATE.with_borrow_mut(|state| {
        let buffer = state.session.as_mut().and_then(|session| session.argument(number));
        buffer.map_or(std::ptr::null_mut(), |buffer| {
            bytes_of!(buffer, as_mut_ptr U8 U16 U32 U64 I8 I16 I32 I64 F32 F64 C64 C128).0
        })
    })
}

/// The length of that array in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn argument_bytes(number: usize) -> usize {
    STATE.with_borrow_mut(|state| {
        let buffer = state.session.as_mut().and_then(|session| session.argument(number));
        buffer.map_or(0, |buffer| bytes_of(buffer).1)
    })
}

/// Appends a number as two words, the lower one first.
#[allow(clippy::cast_possible_truncation, reason = "the two halves")]
fn push_long(words: &mut Vec<u32>, number: u64) {
    words.extend([number as u32, (number >> 32) as u32]);
}

fn push_at(words: &mut Vec<u32>, at: Option<(ComputationId, InstructionId)>) {
    let numbers = at.map(|(computation, instruction)| [1, computation.0, instruction.0]);
    words.extend(numbers.unwrap_or_default());
}

fn push_survey(words: &mut Vec<u32>, survey: &Survey) {
    push_long(words, survey.steps);
    for event in [survey.first_nan, survey.first_infinity] {
        push_at(words, event.map(|event| event.at));
        words.push(event.is_some_and(|event: Event| event.is_given).into());
        push_long(words, event.map_or(0, |event| event.execution));
    }
    push_at(words, survey.largest_jump.map(|jump| jump.at));
    push_long(words, survey.largest_jump.map_or(0, |jump| jump.ratio.to_bits()));
    push_long(words, survey.largest_jump.map_or(0, |jump| jump.execution));
    for ((computation, instruction), executions) in &survey.executions {
        words.extend([computation.0, instruction.0]);
        push_long(words, *executions);
    }
}

/// The code of a failure; the words say where it was.
fn failed(error: &RunError, words: &mut Vec<u32>) -> Code {
    let RunError::Failed(EvalError { at, error }) = error else { return Code::Refused };
    push_at(words, *at);
    match error.rule {
        "budget-bytes" | "literal-memory" => Code::Bytes,
        "budget-steps" => Code::Steps,
        _ => Code::Failed,
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "limits are far below 2^53")]
fn limits(steps: f64, bytes: f64) -> Limits {
    Limits { steps: steps as u64, bytes: bytes as u64 }
}

/// Runs the program on the arguments. Returns 0, or the code of a failure. Then value 0 is the result, and if the program is surveyed, the words
/// are: the steps (2 words); for the first NaN and the first infinity, whether there is one, the computation, the instruction and
/// whether it was given; for the largest jump, whether there is one, the computation, the instruction and the bits of the ratio
/// (2 words); then for each instruction that was executed the computation, the instruction and how often (2 words). After a
/// failure, they are whether an instruction failed, its computation and the instruction.
#[unsafe(no_mangle)]
pub extern "C" fn run(steps: f64, bytes: f64, is_surveyed: i32) -> i32 {
    STATE.with_borrow_mut(|state| {
        let State { session, outcomes, words, .. } = state;
        words.clear();
        outcomes.clear();
        let Some(session) = session else { return Code::Refused as i32 };
        let mut progress = Progress::default();
        let limits = limits(steps, bytes);
        let outcome = if is_surveyed == 0 {
            session.run(limits, Some(&mut progress))
        } else {
            session.survey(limits, Some(&mut progress)).map(|(result, survey)| {
                push_survey(words, &survey);
                result
            })
        };
        let code = match outcome {
            Ok(result) => {
                outcomes.push(Outcome::Result(result));
                Code::Done
            }
            Err(error) => failed(&error, words),
        };
        code as i32
    })
}

/// Computes the values of instructions of one computation in one of their executions, counted from 0. [`reserve`] has the
/// computation and the instruction of each, as words. Returns a [`Code`]; then the values have the numbers of the instructions.
#[unsafe(no_mangle)]
pub extern "C" fn values(execution: u32, steps: f64, bytes: f64) -> i32 {
    STATE.with_borrow_mut(|state| {
        let State { input, session, outcomes, words } = state;
        words.clear();
        outcomes.clear();
        let Some(session) = session else { return Code::Refused as i32 };
        let numbers: Vec<u32> =
            input.as_chunks().0.iter().map(|bytes: &[u8; 4]| u32::from_le_bytes(*bytes)).collect();
        let pairs = numbers.as_chunks().0.iter();
        let instructions: Vec<_> =
            pairs.map(|[of, instruction]| (ComputationId(*of), InstructionId(*instruction))).collect();
        let mut progress = Progress::default();
        let found =
            session.values(&instructions, execution.into(), limits(steps, bytes), Some(&mut progress));
        let code = match found {
            Ok(values) => {
                outcomes.extend(values.into_iter().map(Outcome::Captured));
                Code::Done
            }
            Err(error) => failed(&error, words),
        };
        code as i32
    })
}

/// The address of the words of the last call.
#[unsafe(no_mangle)]
pub extern "C" fn words() -> *const u32 {
    STATE.with_borrow(|state| state.words.as_ptr())
}

/// The number of words of the last call.
#[unsafe(no_mangle)]
pub extern "C" fn word_count() -> usize {
    STATE.with_borrow(|state| state.words.len())
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

/// The arrays of a value of the last call, depth first; `None` if it has no value.
fn arrays(state: &State, value: usize) -> Option<Vec<&ArrayLiteral>> {
    let mut arrays = Vec::new();
    match state.outcomes.get(value)? {
        Outcome::Result(literal) => literal_arrays(literal, &mut arrays),
        Outcome::Captured(data) => data_arrays(data.as_ref()?, &mut arrays),
    }
    Some(arrays)
}

/// Whether the last call has a value with this number (not 0): the instruction was executed.
#[unsafe(no_mangle)]
pub extern "C" fn has_value(value: usize) -> i32 {
    STATE.with_borrow(|state| arrays(state, value).is_some().into())
}

/// The address of an array of a value, counting depth first; 0 if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn array(value: usize, number: usize) -> *const u8 {
    STATE.with_borrow(|state| {
        let arrays = arrays(state, value).unwrap_or_default();
        arrays.get(number).map_or(std::ptr::null(), |array| bytes_of(array.buffer()).0)
    })
}

/// The length of that array in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn array_bytes(value: usize, number: usize) -> usize {
    STATE.with_borrow(|state| {
        let arrays = arrays(state, value).unwrap_or_default();
        arrays.get(number).map_or(0, |array| bytes_of(array.buffer()).1)
    })
}
