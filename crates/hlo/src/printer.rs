//! Module → text, as XLA prints it.
//!
//! Instructions stand in XLA's post-order, or, where the module is scheduled, in their own.
//! The short form is XLA's short parsable one: names without `%`, no signatures, no annotations. The long form is
//! that of compiled modules. What has no name (nested operands, bodies within attributes) gets one.

use std::fmt::{self, Write};

use super::lexer::is_reserved;
use super::module::{Computation, EntryLayout, Instruction, InstructionId, Module};
use super::order::{called_first, operands_first, unique_names};
use super::parser::is_annotation;
use xla_array::{Edition, Shape};
use xla_ops::{AttrValue, ComputationId};

/// What is printed of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintOptions {
    /// `%` before names, and signatures behind those of computations.
    pub percent: bool,
    /// Layouts of shapes.
    pub layouts: bool,
    /// What changes no value: metadata, sharding, tables of source locations.
    pub annotations: bool,
}

impl PrintOptions {
    /// XLA's short parsable form.
    pub const SHORT: Self = Self { percent: false, layouts: true, annotations: false };
    /// The form of compiled modules.
    pub const LONG: Self = Self { percent: true, layouts: true, annotations: true };
}

/// The order in which annotations are printed; others come first.
const ORDER: [&str; 5] =
    ["sharding", "frontend_attributes", "control-predecessors", "metadata", "backend_config"];

impl Module {
    /// The module as text.
    pub fn text(&self, options: PrintOptions) -> String {
        let mut out = String::new();
        // Writing to a `String` cannot fail.
        let _ = Printer::new(self, options).module(&mut out);
        out
    }
}

impl fmt::Display for Module {
    /// In XLA's short form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(PrintOptions::SHORT))
    }
}

/// Prints single instructions of a module in the short form.
pub(super) struct InstructionPrinter<'m>(Printer<'m>);

impl<'m> InstructionPrinter<'m> {
    pub fn new(module: &'m Module) -> Self {
        Self(Printer::new(module, PrintOptions::SHORT))
    }

    /// An instruction of a computation.
    pub fn text(&self, computation: ComputationId, id: InstructionId) -> String {
        let mut out = String::new();
        let Self(printer) = self;
        let names = printer.instructions.get(computation.0 as usize);
        let of = printer.module.get(computation);
        if let (Some(names), Some(of)) = (names, of)
            && let Some(instruction) = of.get(id)
        {
            // Writing to a `String` cannot fail.
            let _ = printer.instruction(&mut out, of, id, instruction, names);
        }
        out
    }
}

struct Printer<'m> {
    module: &'m Module,
    options: PrintOptions,
    computations: Vec<String>,
    /// The names of each computation's instructions.
    instructions: Vec<Vec<String>>,
}

/// A list with commas; where it is numbered, every fifth entry says its number.
fn counted(items: impl Iterator<Item = String>, is_numbered: bool) -> String {
    let mut out = String::new();
    for (i, item) in items.enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        if is_numbered && i > 0 && i % 5 == 0 {
            // Writing to a `String` cannot fail.
            let _ = write!(out, "/*index={i}*/");
        }
        out.push_str(&item);
    }
    out
}

impl<'m> Printer<'m> {
    fn new(module: &'m Module, options: PrintOptions) -> Self {
        let computations = unique_names(module.computations.iter().map(|c| (c.name.as_str(), "region")));
        let all = module.computations.iter().flat_map(|c| &c.instructions);
        let mut names = unique_names(all.map(|i| (i.name.as_str(), i.opcode.as_str()))).into_iter();
        let of = |c: &Computation| names.by_ref().take(c.instructions.len()).collect();
        let instructions = module.computations.iter().map(of).collect();
        Self { module, options, computations, instructions }
    }

    fn shape(&self, shape: &Shape) -> String {
        if self.options.layouts { shape.to_string() } else { shape.human_string() }
    }

    /// What stands before a name: `%` where that is wanted, or where it would be no name without.
    fn percent(&self, name: &str) -> &'static str {
        if self.options.percent || is_reserved(name) { "%" } else { "" }
    }

    fn callee(&self, id: ComputationId) -> String {
        let name = self.computations.get(id.0 as usize).map(String::as_str).unwrap_or_default();
        format!("{}{name}", self.percent(name))
    }

    /// Whether the order of the instructions is one to run them in.
    fn is_scheduled(&self) -> bool {
        self.module.header.iter().any(|(name, value)| name == "is_scheduled" && value == "true")
    }

    fn module(&self, out: &mut String) -> fmt::Result {
        let name = &self.module.name;
        write!(out, "HloModule {}{name}", if is_reserved(name) { "%" } else { "" })?;
        let interface = self.module.interface();
        for at in 0..=self.module.header.len() {
            if at == self.module.entry_layout_at
                && let Some(EntryLayout { parameters, result }) = &interface
            {
                let shapes = counted(parameters.iter().map(|shape| self.shape(shape)), true);
                write!(out, ", entry_computation_layout={{({shapes})->{}}}", self.shape(result))?;
            }
            if let Some((name, value)) = self.module.header.get(at) {
                write!(out, ", {name}={value}")?;
            }
        }
        out.push_str("\n\n");
        if self.options.annotations && !self.module.tables.is_empty() {
            write!(out, "{}\n\n\n", self.module.tables)?;
        }
        // What an unknown op calls is not known.
        let is_known = self.module.computations.iter().flat_map(|c| &c.instructions).all(|i| i.op.is_some());
        let order = if self.is_scheduled() || !is_known {
            (0..self.module.computations.len()).collect()
        } else {
            called_first(self.module)
        };
        for (place, number) in order.into_iter().enumerate() {
            if place > 0 {
                out.push('\n');
            }
            self.computation(out, number, &self.module.computations[number])?;
        }
        Ok(())
    }

    fn computation(&self, out: &mut String, number: usize, of: &Computation) -> fmt::Result {
        let (name, names) = (&self.computations[number], &self.instructions[number]);
        let is_entry = self.module.entry.is_some_and(|entry| entry.0 as usize == number);
        write!(out, "{}{}{name}", if is_entry { "ENTRY " } else { "" }, self.percent(name))?;
        if self.options.percent
            && let Some(signature) = of.signature()
        {
            let parameters = of.parameters.iter().zip(&signature.parameters);
            let texts: Vec<String> = parameters
                .map(|(id, shape)| format!("{}: {}", names[id.index()], shape.human_string()))
                .collect();
            write!(out, " ({}) -> {}", texts.join(", "), signature.result.human_string())?;
        }
        out.push_str(" {\n");
        let order =
            if self.is_scheduled() { of.iter().map(|(id, _)| id).collect() } else { operands_first(of) };
        for (id, instruction) in order.into_iter().filter_map(|id| Some((id, of.get(id)?))) {
            out.push_str(if of.root == Some(id) { "  ROOT " } else { "  " });
            self.instruction(out, of, id, instruction, names)?;
            out.push('\n');
        }
        out.push('}');
        for (name, value) in &of.annotations {
            write!(out, ", {name}={value}")?;
        }
        out.push('\n');
        Ok(())
    }

    fn instruction(
        &self,
        out: &mut String,
        computation: &Computation,
        id: InstructionId,
        of: &Instruction,
        names: &[String],
    ) -> fmt::Result {
        let name = &names[id.index()];
        write!(out, "{}{name} = {} {}(", self.percent(name), self.shape(&of.shape), of.opcode)?;
        let argument = of.op.and_then(|op| op.meta().argument.as_ref());
        if let Some(spec) = argument {
            let value = of.attrs.get(spec.name).map(AttrValue::to_string);
            out.push_str(&value.unwrap_or_default());
        } else {
            let names = of.operands.iter().map(|operand| &names[operand.index()]);
            let operands = names.map(|name| format!("{}{name}", self.percent(name)));
            out.push_str(&counted(operands, self.options.percent));
        }
        out.push(')');
        self.attributes(out, computation, of)?;
        self.annotations(out, of)
    }

    /// The op's own attributes, in its order.
    fn attributes(&self, out: &mut String, computation: &Computation, of: &Instruction) -> fmt::Result {
        let Some(op) = of.op else { return Ok(()) };
        let operands = Module::operand_shapes(computation, of);
        let cx = self.module.infer(of, &operands, Some(&of.shape), Edition::Now);
        for spec in op.meta().attrs {
            let Some(value) = of.attrs.get(spec.name) else { continue };
            if cx.as_ref().is_some_and(|cx| op.omits(spec.name, cx)) {
                continue;
            }
            write!(out, ", {}=", spec.name)?;
            match value {
                AttrValue::Computation(id) => out.push_str(&self.callee(*id)),
                AttrValue::Computations(ids) => {
                    let names: Vec<String> = ids.iter().map(|id| self.callee(*id)).collect();
                    write!(out, "{{{}}}", names.join(", "))?;
                }
                value => write!(out, "{value}")?,
            }
        }
        Ok(())
    }

    /// Attributes of an unknown opcode, and what changes no value if that is wanted.
    fn annotations(&self, out: &mut String, of: &Instruction) -> fmt::Result {
        let mut shown: Vec<&(String, String)> = of
            .annotations
            .iter()
            .filter(|(name, _)| self.options.annotations || !is_annotation(name) && of.op.is_none())
            .collect();
        shown.sort_by_key(|(name, _)| ORDER.iter().position(|o| o == name).map_or(0, |at| at + 1));
        shown.into_iter().try_for_each(|(name, value)| write!(out, ", {name}={value}"))
    }
}
