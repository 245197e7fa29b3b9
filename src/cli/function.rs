//! Functions of custom calls (`eval --call`): JavaScript in Node.js, one child process per function.
//!
//! The function is written as on the Ops screen: the body of a function of `output` and `inputs`. A call is one line of
//! JSON to the process and one back, in which arrays are the bytes of typed arrays in hexadecimal (`function.js`). Node.js
//! was chosen because the same code then runs on the page and here, and nothing has to be compiled or linked.

use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::clock::{Clock, StopReason};
use crate::array::{ArrayShape, Literal, Shape};
use crate::experiment::typed_arrays::{
    arrays_in, element_count, literal_from_arrays, to_typed_array, typed_array_class,
};
use crate::i18n::Message;

/// The program that runs in Node.js.
const PROGRAM: &str = include_str!("function.js");
/// Maximum bytes of arrays of a call, which cross as text of twice their length.
const MAX_CALL_BYTES: u64 = 64 << 20;
/// Maximum bytes of an answer besides its arrays, such as an error.
const MAX_ERROR_BYTES: u64 = 1 << 16;

/// A function in a file.
pub(super) struct Function {
    /// Its target name.
    pub name: String,
    file: String,
    code: String,
    /// The memory of the process, in MiB.
    memory: u64,
    clock: Clock,
    /// Started by the first call.
    process: RefCell<Option<Process>>,
}

/// The processes of all functions, so that they end with a command that is ended from outside.
static RUNNING: Mutex<Vec<Arc<Mutex<Child>>>> = Mutex::new(Vec::new());

/// Locks a mutex even if another thread panicked while it held the lock: processes must be ended all the same.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills the processes of all functions.
pub(super) fn kill_all() {
    let children = std::mem::take(&mut *lock(&RUNNING));
    for child in children {
        // It may have ended already.
        let _ = lock(&child).kill();
    }
}

struct Process {
    child: Arc<Mutex<Child>>,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Drop for Process {
    fn drop(&mut self) {
        {
            let mut child = lock(&self.child);
            // It may have ended already.
            let _ = child.kill();
            let _ = child.wait();
        }
        lock(&RUNNING).retain(|other| !Arc::ptr_eq(other, &self.child));
    }
}

#[derive(Serialize)]
struct Start<'a> {
    code: &'a str,
    file: &'a str,
}

/// A value, or a placeholder for one: a tuple is a list, a token null.
#[derive(Serialize)]
#[serde(untagged)]
enum PackedValue {
    Array {
        r#type: &'static str,
        shape: Vec<i64>,
        class: &'static str,
        /// The number of elements of the typed array.
        length: Option<usize>,
        /// Its bytes; a placeholder has none.
        #[serde(skip_serializing_if = "Option::is_none")]
        hex: Option<String>,
    },
    Tuple(Vec<Self>),
    Token(()),
}

#[derive(Serialize)]
struct Call {
    inputs: Vec<PackedValue>,
    output: PackedValue,
    /// The time that is left; null without a limit.
    milliseconds: Option<u64>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Arrays {
        arrays: Vec<String>,
    },
    Error {
        error: String,
        line: u64,
        #[serde(default)]
        timeout: bool,
    },
}

fn pack_array(shape: &ArrayShape, bytes: Option<&[u8]>) -> PackedValue {
    PackedValue::Array {
        r#type: shape.element_type.name(),
        shape: shape.dimensions.to_vec(),
        class: typed_array_class(shape.element_type).0,
        length: element_count(shape),
        hex: bytes.map(hex),
    }
}

fn pack(literal: &Literal) -> PackedValue {
    match literal {
        Literal::Token => PackedValue::Token(()),
        Literal::Tuple(elements) => PackedValue::Tuple(elements.iter().map(pack).collect()),
        Literal::Array(array) => pack_array(array.shape(), Some(&to_typed_array(array).bytes)),
    }
}

/// The placeholder for a value of this shape.
fn placeholder(shape: &Shape) -> PackedValue {
    match shape {
        Shape::Token | Shape::Opaque => PackedValue::Token(()),
        Shape::Tuple(elements) => PackedValue::Tuple(elements.iter().map(placeholder).collect()),
        Shape::Array(array) => pack_array(array, None),
        Shape::Buffer(array) => pack_array(array, None),
    }
}

/// The bytes of the typed arrays of a shape.
fn typed_bytes(shape: &Shape) -> u64 {
    let bytes = |array: &ArrayShape| {
        let width = typed_array_class(array.element_type).1;
        element_count(array).and_then(|count| count.checked_mul(width)).map_or(u64::MAX, |bytes| bytes as u64)
    };
    arrays_in(shape).into_iter().map(bytes).fold(0, u64::saturating_add)
}

fn hex(bytes: &[u8]) -> String {
    let digit = |four_bits: u8| char::from(b"0123456789abcdef"[usize::from(four_bits)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| char::from(c).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pair = |pair: &[u8]| Some(digit(*pair.first()?)? << 4 | digit(*pair.get(1)?)?);
    hex.as_bytes().chunks(2).map(pair).collect()
}

impl Function {
    /// The function of a target in a file with this code.
    pub fn new(name: &str, file: &str, code: String, memory: u64, clock: &Clock) -> Self {
        let (name, file) = (name.to_owned(), file.to_owned());
        Self { name, file, code, memory, clock: clock.clone(), process: RefCell::default() }
    }

    /// The value of the function; an error is a sentence.
    pub fn call(&self, arguments: &[Literal], shape: &Shape) -> Result<Literal, Message> {
        let answered = typed_bytes(shape);
        let sent =
            arguments.iter().map(|argument| typed_bytes(&argument.shape())).fold(0, u64::saturating_add);
        if answered.saturating_add(sent) > MAX_CALL_BYTES {
            return Err(Message::terminal("cli-call-size").with("limit", (MAX_CALL_BYTES >> 20).to_string()));
        }
        let remaining = self.clock.remaining();
        let milliseconds = remaining.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        let call =
            Call { inputs: arguments.iter().map(pack).collect(), output: placeholder(shape), milliseconds };
        let mut process = self.process.borrow_mut();
        let running = match &mut *process {
            Some(running) => running,
            none => none.insert(self.start()?),
        };
        // Quotes and a comma around each array.
        let marks = (arrays_in(shape).len() as u64).saturating_mul(3);
        let max_bytes = answered.saturating_mul(2).saturating_add(marks).saturating_add(MAX_ERROR_BYTES);
        let answer = match running.ask(&call, max_bytes) {
            Ok(answer) => answer,
            Err(error) => {
                let status = running.status_after(&error);
                *process = None;
                return Err(self.clock.stop_reason().map_or_else(
                    || {
                        Message::terminal("cli-call-ended")
                            .with("status", status)
                            .with("error", error.to_string())
                    },
                    StopReason::message,
                ));
            }
        };
        match answer {
            Answer::Error { timeout: true, .. } => Err(self.clock.limit().map_or_else(
                || Message::terminal("cli-interrupted"),
                |limit| StopReason::TimeLimit(limit).message(),
            )),
            Answer::Error { error, line: 0, .. } => {
                Err(Message::terminal("cli-call-error").with("file", self.file.as_str()).with("error", error))
            }
            Answer::Error { error, line, .. } => Err(Message::terminal("cli-call-line")
                .with("file", self.file.as_str())
                .with("line", line.to_string())
                .with("error", error)),
            Answer::Arrays { arrays: found } => {
                let found: Option<Vec<Vec<u8>>> = found.iter().map(|hex| bytes(hex)).collect();
                let value = found.and_then(|found| literal_from_arrays(shape, &mut found.into_iter()));
                value.ok_or_else(|| Message::terminal("cli-call-shape").with("shape", shape.human_string()))
            }
        }
    }

    /// Starts Node.js with the code.
    fn start(&self) -> Result<Process, Message> {
        let failed = |error: io::Error| Message::terminal("cli-call-node").with("error", error.to_string());
        let mut child = Command::new("node")
            .arg(format!("--max-old-space-size={}", self.memory))
            .args(["--eval", PROGRAM])
            // Options and scripts of the environment are not the function's.
            .env_remove("NODE_OPTIONS")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(io::ErrorKind::BrokenPipe.into()));
        };
        let child = Arc::new(Mutex::new(child));
        lock(&RUNNING).push(child.clone());
        let mut process = Process { child, input, output: BufReader::new(output) };
        let start = Start { code: &self.code, file: &self.file };
        process.send(&start).map_err(failed)?;
        Ok(process)
    }
}

impl Process {
    fn send(&mut self, value: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(value)?;
        line.push(b'\n');
        self.input.write_all(&line).and_then(|()| self.input.flush())
    }

    /// Ends the process after this error; returns its exit status as text.
    fn status_after(&mut self, error: &io::Error) -> String {
        // Of a process that has ended the status says why; one that answers nonsense does not end by itself.
        if !matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe) {
            // It may have ended already.
            let _ = lock(&self.child).kill();
        }
        lock(&self.child).wait().map_or_else(|error| error.to_string(), |status| status.to_string())
    }

    /// Sends a call and reads its answer, of at most this many bytes.
    fn ask(&mut self, call: &Call, max_bytes: u64) -> io::Result<Answer> {
        self.send(call)?;
        let mut line = Vec::new();
        (&mut self.output).take(max_bytes).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(serde_json::from_slice(&line)?)
    }
}
