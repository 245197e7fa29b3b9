//! `eval`: one module on the arguments of the command line.

use std::io::{self, Write};
use std::ops::ControlFlow;

use serde::Serialize;

use super::module::{read, tell};
use super::{EvalArgs, Failure, json_line};
use crate::array::Literal;
use crate::array::literal::shaped::parse_shaped;
use crate::array::value::text::Exactness;
use crate::diagnostic::{Diagnostic, Hint, Severity, Span};
use crate::hlo::parser::parse_as;
use crate::hlo::{Evaluator, Frame, InstructionId, Limits, Module, Observer};
use crate::i18n::{Language, Message};
use crate::ops::Data;
use crate::wire::Problem;
use crate::wire::literal::{self, AsJson};

/// What ends a run, as JSON.
#[derive(Serialize)]
struct Failed {
    error: Problem,
}

/// Says what is wrong: in words on standard error, or as JSON on standard output.
fn refuse(out: &mut impl Write, json: bool, diagnostic: &Diagnostic, source: &str) -> Failure {
    if json {
        let mut error = Problem::of(diagnostic, source, Language::ENGLISH);
        if source.is_empty() {
            (error.line, error.column) = (None, None);
        }
        return problem(out, error);
    }
    eprintln!("{}", diagnostic.render(source, Language::ENGLISH));
    Failure::Told
}

fn problem(out: &mut impl Write, error: Problem) -> Failure {
    json_line(out, &Failed { error }).err().unwrap_or(Failure::Told)
}

/// Runs the module and prints its result, or every value.
pub(super) fn run(out: &mut impl Write, args: &EvalArgs) -> Result<(), Failure> {
    let file = args.file.as_deref().unwrap_or("-");
    let source = read(file).map_err(|error| refuse(out, args.json, &error, ""))?;
    let edition = args.edition.into();
    let parsed = parse_as(&source, edition);
    if args.json {
        if let Some(error) = parsed.error() {
            return Err(refuse(out, true, error, &source));
        }
    } else {
        tell(&mut io::stderr().lock(), &parsed, &source)?;
        if parsed.error().is_some() {
            return Err(Failure::Told);
        }
    }
    let module = parsed.module;
    let mut arguments = Vec::new();
    for (number, text) in args.args.iter().enumerate() {
        arguments.push(argument(out, args.json, number, text)?);
    }
    let mut limits = Limits::default();
    limits.steps = args.steps.unwrap_or(limits.steps);
    let mut tracer = Tracer { module: &module, out, json: args.json, result: Ok(()) };
    let mut evaluator = Evaluator::new(&module).edition(edition).limits(limits);
    if args.trace {
        evaluator = evaluator.observer(&mut tracer);
    }
    let result = evaluator.run(&arguments);
    drop(evaluator);
    tracer.result?;
    match result {
        Ok(literal) if args.json => json_line(out, &AsJson(&literal)),
        // The root's value was the last to be printed.
        Ok(_) if args.trace => Ok(()),
        Ok(literal) => Ok(writeln!(out, "{}", literal.text_with_shape(Exactness::RoundTrip))?),
        Err(error) if args.json => {
            Err(problem(out, Problem::of_run(&error, &module, &source, Language::ENGLISH)))
        }
        Err(error) => {
            let source = if error.at.is_some() { source.as_str() } else { "" };
            Err(refuse(out, false, &error.diagnostic(&module), source))
        }
    }
}

/// An argument: a literal behind its shape, or the JSON form of one.
fn argument(out: &mut impl Write, json: bool, number: usize, text: &str) -> Result<Literal, Failure> {
    if text.trim_start().starts_with("{\"") {
        return literal::parse(text).map_err(|error| {
            let message =
                Message::terminal("cli-argument").with("number", number).with("error", error.message);
            let mut diagnostic = Diagnostic::error(Span::default(), error.rule, message);
            diagnostic.hints.extend(error.hint.map(Hint::advice));
            refuse(out, json, &diagnostic, "")
        });
    }
    let parsed = parse_shaped(text);
    let is_error = |d: &&Diagnostic| d.severity == Severity::Error || d.rule == "literal-elided";
    match (parsed.diagnostics.iter().find(is_error), parsed.value) {
        (None, Some(literal)) => Ok(literal),
        (Some(error), _) => Err(refuse(out, json, error, text)),
        (None, None) => {
            let message = Message::new("literal-expected").with("expected", "f32[2] {1, 2}");
            let error = Diagnostic::error(Span::default(), "literal-syntax", message);
            Err(refuse(out, json, &error, text))
        }
    }
}

/// Prints every value as soon as it is there.
struct Tracer<'a, W> {
    module: &'a Module,
    out: &'a mut W,
    json: bool,
    result: Result<(), Failure>,
}

/// A value, as JSON.
#[derive(Serialize)]
struct Traced<'a> {
    computation: &'a str,
    /// Which call since the run began; 0 is the entry.
    call: u64,
    /// How many calls are around it.
    depth: usize,
    instruction: &'a str,
    value: AsJson<'a>,
}

impl<W: Write> Tracer<'_, W> {
    fn print(&mut self, frame: Frame, id: InstructionId, value: &Data) -> Result<(), Failure> {
        let Some(computation) = self.module.get(frame.computation) else { return Ok(()) };
        let Some(instruction) = computation.get(id) else { return Ok(()) };
        let or = |name: &'_ str, stem: &str| if name.is_empty() { stem.to_owned() } else { name.to_owned() };
        let name = or(&instruction.name, &instruction.opcode);
        let of = or(&computation.name, "region");
        let literal = value.to_literal();
        if self.json {
            let value = AsJson(&literal);
            let traced =
                Traced { computation: &of, call: frame.call, depth: frame.depth, instruction: &name, value };
            return json_line(self.out, &traced);
        }
        let indent = "  ".repeat(frame.depth);
        let call = if frame.depth == 0 { String::new() } else { format!("{of}#{} ", frame.call) };
        let root = if computation.root == Some(id) { "ROOT " } else { "" };
        let text = literal.text_with_shape(Exactness::RoundTrip);
        Ok(writeln!(self.out, "{indent}{call}{root}{name} = {text}")?)
    }
}

impl<W: Write> Observer for Tracer<'_, W> {
    fn value(&mut self, frame: Frame, instruction: InstructionId, value: &Data) -> ControlFlow<()> {
        self.result = self.print(frame, instruction, value);
        if self.result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
