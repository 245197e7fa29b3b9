//! Prints values: each of a run as soon as it is computed, and the result.

use std::fmt;
use std::io::{self, Write};
use std::ops::ControlFlow;

use serde::Serialize;

use super::output::{Failure, json_line};
use crate::array::Literal;
use crate::array::value::text::Exactness;
use crate::hlo::{Frame, InstructionId, Module, Observer};
use crate::ops::Data;
use crate::wire::literal::AsJson;

/// Adapts an [`io::Write`] to [`fmt::Write`] and keeps its error.
struct IoAdapter<'a, W> {
    out: &'a mut W,
    result: io::Result<()>,
}

impl<W: Write> fmt::Write for IoAdapter<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.result = self.out.write_all(text.as_bytes());
        self.result.as_ref().map_err(|_| fmt::Error).copied()
    }
}

/// Prints a shape followed by a value, on one line.
pub(super) fn print_value(out: &mut impl Write, literal: &Literal) -> io::Result<()> {
    write!(out, "{} ", literal.shape())?;
    let mut text = IoAdapter { out, result: Ok(()) };
    if literal.write(&mut text, Exactness::RoundTrip).is_err() {
        return text.result;
    }
    writeln!(out)
}

/// Prints every value as soon as it is computed.
pub(super) struct Tracer<'a, W> {
    module: &'a Module,
    out: &'a mut W,
    is_json: bool,
    result: Result<(), Failure>,
}

/// A traced value as JSON.
#[derive(Serialize)]
struct TracedValue<'a> {
    computation: &'a str,
    /// The index of the call in the run; 0 is the entry.
    call: u64,
    /// The number of enclosing calls.
    depth: usize,
    instruction: &'a str,
    value: AsJson<'a>,
}

impl<'a, W: Write> Tracer<'a, W> {
    /// Traces the values of this module, as text or as JSON.
    pub fn new(module: &'a Module, out: &'a mut W, is_json: bool) -> Self {
        Self { module, out, is_json, result: Ok(()) }
    }

    /// The first error in printing, if any.
    pub fn finish(self) -> Result<(), Failure> {
        self.result
    }

    fn print(&mut self, frame: Frame, id: InstructionId, value: &Data) -> Result<(), Failure> {
        let Some(computation) = self.module.get(frame.computation) else { return Ok(()) };
        let Some(instruction) = computation.get(id) else { return Ok(()) };
        let name_or =
            |name: &str, default: &str| if name.is_empty() { default.to_owned() } else { name.to_owned() };
        let name = name_or(&instruction.name, &instruction.opcode);
        let computation_name = name_or(&computation.name, "region");
        let literal = value.to_literal();
        if self.is_json {
            let value = AsJson(&literal);
            let traced = TracedValue {
                computation: &computation_name,
                call: frame.call,
                depth: frame.depth,
                instruction: &name,
                value,
            };
            return json_line(self.out, &traced);
        }
        let indent = "  ".repeat(frame.depth);
        let call =
            if frame.depth == 0 { String::new() } else { format!("{computation_name}#{} ", frame.call) };
        let root = if computation.root == Some(id) { "ROOT " } else { "" };
        write!(self.out, "{indent}{call}{root}{name} = ")?;
        Ok(print_value(self.out, &literal)?)
    }
}

impl<W: Write> Observer for Tracer<'_, W> {
    fn value(&mut self, frame: Frame, instruction: InstructionId, value: &Data) -> ControlFlow<()> {
        self.result = self.print(frame, instruction, value);
        if self.result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
