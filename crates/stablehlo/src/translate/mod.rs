//! Syntax tree → HLO text.
//!
//! - this file: functions, computations and the names of values.
//! - `ops`: each op as one or a few instructions; `fields` reads their attributes.
//! - `control`: ops with regions, whose captured values become operands.
//! - `devices`: manual regions, expanded for all devices in one module; `per_device`: values that differ between devices;
//!   `sharding`: the tiles of arrays that they have.
//! - `custom_calls`, `lapack`: supported custom calls, by target.
//! - `special`: functions of chlo, as `formula`s.
//! - `literal`: constants; `metadata`: locations.
//!
//! Every value of HLO is a line of a [`Body`]; a computation is complete before the line that calls it.

mod broadcasting;
mod collectives;
mod control;
mod custom_calls;
mod device_loops;
mod devices;
mod dimension_numbers;
mod dynamic;
mod fields;
mod formula;
mod lapack;
mod literal;
mod metadata;
mod ops;
mod per_device;
mod sharding;
mod special;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::ast::{Attr, Function, Module, Named, Op, Region, Type, Use, tuple_shape};
use crate::translation::Translation;
use xla_hlo::lexer::is_reserved;
use xla_hlo::parser::MAX_NESTING_DEPTH;
use xla_messages::diagnostic::{Diagnostic, Hint, Span};
use xla_messages::escape;
use xla_messages::i18n::Message;

/// Maximum number of reported errors.
const MAX_ERRORS: usize = 100;

/// A value of HLO.
#[derive(Clone, Debug)]
struct Value<'a, 's> {
    /// The name of its instruction.
    name: String,
    ty: Type,
    /// The op that defines it, if it may be rematerialized in a nested computation.
    constant: Option<&'a Op<'s>>,
    /// Its value on each device, if it differs between devices.
    per_device: Option<Rc<[Value<'a, 's>]>>,
    /// Its sharding annotation (`custom_call @Sharding`), in HLO syntax.
    sharding: Option<&'s str>,
}

impl Value<'_, '_> {
    /// The value of an instruction.
    fn new(name: String, ty: Type) -> Self {
        Self { name, ty, constant: None, per_device: None, sharding: None }
    }
}

/// An instruction of a computation.
struct Instruction {
    name: String,
    text: String,
    origin: Span,
}

/// A computation under construction.
#[derive(Default)]
struct Body<'a, 's> {
    lines: Vec<Instruction>,
    taken: HashSet<String>,
    values: HashMap<&'s str, Vec<Value<'a, 's>>>,
    parameters: usize,
    /// Whether any of its values differs between devices.
    has_per_device_values: bool,
}

/// Whether a computation is the entry computation, or is called.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ComputationKind {
    Entry,
    Called,
}

/// Translation state of a function; calls of one in progress are recursive.
enum FunctionState {
    InProgress,
    Done(String),
}

struct Translator<'a, 's> {
    module: &'a Module<'s>,
    out: String,
    source_map: Vec<(Span, Span)>,
    diagnostics: Vec<Diagnostic>,
    computations: HashSet<String>,
    functions: HashMap<&'s str, FunctionState>,
    /// Names of the computations of special functions, by function and shape.
    special: HashMap<String, String>,
    aliases: HashMap<&'s str, &'s str>,
    /// The number of devices of one replica.
    partitions: i64,
    /// For each function that was searched: whether it has a collective or `partition_id`.
    device_functions: HashMap<&'s str, bool>,
    /// The number of ops that inlined functions have added.
    inlined_ops: usize,
    depth: usize,
}

/// A valid HLO name, similar to an MLIR name.
fn sanitize_name(name: &str) -> String {
    let sanitized: String = name
        .trim_start_matches(['%', '@'])
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-') { c } else { '_' })
        .collect();
    let has_valid_start = sanitized.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if has_valid_start && !is_reserved(&sanitized) { sanitized } else { format!("v.{sanitized}") }
}

/// Makes a name unique by a numeric suffix, and marks it as taken.
fn unique(taken: &mut HashSet<String>, name: &str) -> String {
    let mut unique = name.to_owned();
    let mut number = taken.len();
    while !taken.insert(unique.clone()) {
        unique = format!("{name}.{number}");
        number += 1;
    }
    unique
}

/// The number of partitions (devices per replica); the translated module computes all of them.
fn partitions(module: &Module<'_>) -> i64 {
    let found = module.attrs.iter().find(|named| named.name == "mhlo.num_partitions");
    let count = match found {
        Some(Named { value: Attr::Word(count), .. }) => count.parse().ok(),
        _ => None,
    };
    count.unwrap_or(1)
}

/// Translates a module.
pub fn module(module: &Module<'_>, source: &str) -> Translation {
    let mut translator = Translator {
        module,
        out: String::new(),
        source_map: Vec::new(),
        diagnostics: Vec::new(),
        computations: HashSet::new(),
        functions: HashMap::new(),
        special: HashMap::new(),
        aliases: module.aliases.iter().copied().collect(),
        partitions: partitions(module),
        device_functions: HashMap::new(),
        inlined_ops: 0,
        depth: 0,
    };
    translator.header();
    let main = module.functions.iter().find(|f| f.name == "main");
    let main = main.or_else(|| module.functions.iter().rfind(|f| f.is_public)).or(module.functions.last());
    if let Some(main) = main {
        translator.function(main, ComputationKind::Entry);
    } else {
        let message = Message::stablehlo("stablehlo-no-function");
        let end = Span::at(source.len());
        translator.diagnostics.push(Diagnostic::error(end, "stablehlo-function", message));
    }
    let Translator { out, source_map, diagnostics, .. } = translator;
    Translation { hlo: out, diagnostics, source_map }
}

impl<'a, 's> Translator<'a, 's> {
    fn header(&mut self) {
        let name =
            if self.module.name.is_empty() { "module".to_owned() } else { sanitize_name(self.module.name) };
        self.out.push_str(&format!("HloModule {name}"));
        // One run of the module computes all partitions; each replica runs the module once.
        let found = self.module.attrs.iter().find(|named| named.name == "mhlo.num_replicas");
        if let Some(Named { value: Attr::Word(count), .. }) = found
            && *count != "1"
        {
            self.out.push_str(&format!(", replica_count={count}"));
        }
        self.out.push('\n');
    }

    fn report(&mut self, span: Span, rule: &'static str, message: Message) {
        if self.diagnostics.len() < MAX_ERRORS {
            self.diagnostics.push(Diagnostic::error(span, rule, message));
        }
    }

    /// Reports an unsupported op, with the reason and advice; returns `None`.
    fn reject<T>(&mut self, op: &Op<'_>, reason: Message, advice: Option<&'static str>) -> Option<T> {
        self.report(op.span, "stablehlo-op", reason);
        if let (Some(advice), Some(error)) = (advice, self.diagnostics.last_mut()) {
            error.hints.push(Hint::advice(Message::stablehlo(advice)));
        }
        None
    }

    /// Reports a missing or malformed attribute; returns `None`.
    fn malformed<T>(&mut self, op: &Op<'_>, attribute: &str) -> Option<T> {
        let message = Message::stablehlo("stablehlo-attribute").with("op", op.name).with("name", attribute);
        self.reject(op, message, None)
    }

    /// Translates a function or region, one nesting level deeper; reports an error at the depth limit.
    fn with_nesting<T>(&mut self, span: Span, translate: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth >= MAX_NESTING_DEPTH {
            let message = Message::stablehlo("stablehlo-too-deep").with("limit", MAX_NESTING_DEPTH);
            self.report(span, "stablehlo-too-deep", message);
            return None;
        }
        self.depth += 1;
        let translated = translate(self);
        self.depth -= 1;
        translated
    }

    /// The name of a function's computation, which is written on the first call.
    fn function(&mut self, function: &'a Function<'s>, kind: ComputationKind) -> Option<String> {
        match self.functions.get(function.name) {
            Some(FunctionState::Done(name)) => return Some(name.clone()),
            Some(FunctionState::InProgress) => {
                let message = Message::stablehlo("stablehlo-recursion").with("name", function.name);
                self.report(function.span, "stablehlo-function", message);
                return None;
            }
            None => {}
        }
        self.functions.insert(function.name, FunctionState::InProgress);
        let name = self.with_nesting(function.span, |this| {
            let mut body = Body::default();
            for argument in &function.body.arguments {
                let mut more = this.location(argument.location);
                let sharding = argument.attrs.iter().find(|named| named.name == "mhlo.sharding");
                if let Some(Named { value: Attr::String(text), .. }) = sharding
                    && text.starts_with('{')
                {
                    more.push_str(&format!(", sharding={text}"));
                }
                body.parameter(argument.name, &argument.ty, argument.span, &more);
            }
            let results = this.ops(&mut body, &function.body.ops)?;
            let root = body.tuple_or_single(&results, function.span);
            Some(this.finish(body, &sanitize_name(function.name), &root, function.span, kind))
        })?;
        self.functions.insert(function.name, FunctionState::Done(name.clone()));
        Some(name)
    }

    /// Writes a computation, and returns its name.
    fn finish(
        &mut self,
        body: Body<'_, '_>,
        name: &str,
        root: &str,
        origin: Span,
        kind: ComputationKind,
    ) -> String {
        let name = unique(&mut self.computations, name);
        let start = self.out.len();
        self.out.push_str(&format!(
            "\n{}{name} {{\n",
            if kind == ComputationKind::Entry { "ENTRY " } else { "" }
        ));
        self.source_map.push((Span::new(start, self.out.len()), origin));
        for line in body.lines {
            let start = self.out.len();
            self.out.push_str(if line.name == root { "  ROOT " } else { "  " });
            self.out.push_str(&line.text);
            self.out.push('\n');
            self.source_map.push((Span::new(start, self.out.len()), line.origin));
        }
        self.out.push_str("}\n");
        name
    }

    /// Translates ops up to the terminator, and returns its operands.
    fn ops(&mut self, body: &mut Body<'a, 's>, ops: &'a [Op<'s>]) -> Option<Vec<Value<'a, 's>>> {
        let mut has_errors = false;
        for op in ops {
            if op.name.ends_with(".return") {
                let values = self.operands(body, op)?;
                return (!has_errors).then_some(values);
            }
            // Translation continues, to report further errors; uses of this op's results are no errors.
            if self.op(body, op).is_none() {
                has_errors = true;
                for (name, count) in &op.results {
                    let ty = op.types.first().cloned().unwrap_or(Type::Token);
                    let unknown = Value::new("unknown".to_owned(), ty);
                    body.values.insert(name, vec![unknown; *count]);
                }
            }
        }
        (!has_errors).then(Vec::new)
    }

    fn operands(&mut self, body: &Body<'a, 's>, op: &Op<'s>) -> Option<Vec<Value<'a, 's>>> {
        op.operands.iter().map(|operand| self.lookup(body, operand)).collect()
    }

    fn lookup(&mut self, body: &Body<'a, 's>, operand: &Use<'s>) -> Option<Value<'a, 's>> {
        let found = body.values.get(operand.name).and_then(|values| values.get(operand.index)).cloned();
        if found.is_none() {
            let message = Message::stablehlo("stablehlo-value").with("name", operand.name);
            self.report(operand.span, "stablehlo-value", message);
        }
        found
    }

    /// Binds the results of an op to values.
    fn bind(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>, values: Vec<Value<'a, 's>>) -> Option<()> {
        let expected: usize = op.results.iter().map(|(_, count)| count).sum();
        if expected != values.len() && expected != 0 {
            let message = Message::stablehlo("stablehlo-results")
                .with("op", op.name)
                .with("found", expected)
                .with("expected", values.len());
            return self.reject(op, message, None);
        }
        let mut values = values.into_iter();
        for (name, count) in &op.results {
            body.values.insert(name, values.by_ref().take(*count).collect());
        }
        Some(())
    }

    /// Emits an instruction whose value is the op's only result.
    fn emit(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>, text: &str) -> Option<()> {
        let [ty] = &op.types[..] else { return self.malformed(op, "type") };
        let name = self.instruction(body, op, &ty.shape(), text);
        let constant = (op.is("constant") || op.is("iota")).then_some(op);
        self.bind(body, op, vec![Value { constant, ..Value::new(name, ty.clone()) }])
    }

    /// Emits an instruction with a shape, the op's annotations and its location; returns its name.
    fn instruction(&mut self, body: &mut Body<'a, 's>, op: &Op<'s>, shape: &str, text: &str) -> String {
        let opcode = text.split('(').next().unwrap_or_default();
        let hint = match op.results.first() {
            Some((name, _)) if name.starts_with('%') => {
                let word = name.trim_start_matches('%');
                if word.starts_with(|c: char| c.is_ascii_digit()) {
                    format!("{opcode}.{word}")
                } else {
                    sanitize_name(word)
                }
            }
            _ => opcode.to_owned(),
        };
        let text = format!("{text}{}{}", annotations(op), self.location(op.location));
        body.line(&hint, shape, &text, op.span)
    }

    /// Emits an instruction for an op with any number of results; several are the elements of a tuple.
    fn emit_tuple(&mut self, body: &mut Body<'a, 's>, op: &'a Op<'s>, text: &str) -> Option<()> {
        if op.types.len() == 1 {
            return self.emit(body, op, text);
        }
        let name = self.instruction(body, op, &tuple_shape(&op.types), text);
        let values = body.elements(&name, &op.types, op.span);
        self.bind(body, op, values)
    }
}

impl<'a, 's> Body<'a, 's> {
    /// Adds a parameter and binds it to its MLIR name.
    fn parameter(&mut self, name: &'s str, ty: &Type, origin: Span, more: &str) -> String {
        let text = format!("parameter({}){more}", self.parameters);
        self.parameters += 1;
        let hlo = self.line(&sanitize_name(name), &ty.shape(), &text, origin);
        self.values.insert(name, vec![Value::new(hlo.clone(), ty.clone())]);
        hlo
    }

    /// The name of the only value, or of a tuple of the values.
    fn tuple_or_single(&mut self, values: &[Value<'a, 's>], origin: Span) -> String {
        if let [only] = values { only.name.clone() } else { self.tuple(values, origin) }
    }

    /// Adds a tuple of these values.
    fn tuple(&mut self, values: &[Value<'a, 's>], origin: Span) -> String {
        let types: Vec<Type> = values.iter().map(|value| value.ty.clone()).collect();
        let names: Vec<&str> = values.iter().map(|value| value.name.as_str()).collect();
        self.line("tuple", &tuple_shape(&types), &format!("tuple({})", names.join(", ")), origin)
    }

    /// Adds a `get-tuple-element` for each element of a tuple.
    fn elements(&mut self, tuple: &str, types: &[Type], origin: Span) -> Vec<Value<'a, 's>> {
        let element = |(index, ty): (usize, &Type)| {
            let text = format!("get-tuple-element({tuple}), index={index}");
            let name = self.line(&format!("{tuple}.{index}"), &ty.shape(), &text, origin);
            Value::new(name, ty.clone())
        };
        types.iter().enumerate().map(element).collect()
    }

    /// Adds a line, and returns its name.
    fn line(&mut self, hint: &str, shape: &str, text: &str, origin: Span) -> String {
        let name = unique(&mut self.taken, hint);
        self.lines.push(Instruction { name: name.clone(), text: format!("{name} = {shape} {text}"), origin });
        name
    }
}

/// The names of values, separated by commas.
fn names(values: &[Value<'_, '_>]) -> String {
    values.iter().map(|value| value.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// The values of enclosing regions that the regions use, in the order of their first use.
fn captured<'s>(regions: &[Region<'s>]) -> Vec<Use<'s>> {
    let mut found: Vec<Use<'s>> = Vec::new();
    let mut seen = HashSet::new();
    for region in regions {
        let mut inner: HashSet<&str> = region.arguments.iter().map(|argument| argument.name).collect();
        for op in &region.ops {
            for operand in op.operands.iter().copied().chain(captured(&op.regions)) {
                if !inner.contains(operand.name) && seen.insert((operand.name, operand.index)) {
                    found.push(operand);
                }
            }
            inner.extend(op.results.iter().map(|(name, _)| *name));
        }
    }
    found
}

/// The HLO attributes for an op's shardings, each after a comma.
fn annotations(op: &Op<'_>) -> String {
    let mut out = String::new();
    if let Some(Attr::String(text)) = op.attr("mhlo.sharding")
        && text.starts_with('{')
    {
        out.push_str(&format!(", sharding={text}"));
    }
    if let Some(Attr::Text(text)) = op.attr("sdy.sharding") {
        let text = escape::c::escape(text.as_bytes());
        out.push_str(&format!(", frontend_attributes={{sdy.sharding=\"{text}\"}}"));
    }
    out
}
