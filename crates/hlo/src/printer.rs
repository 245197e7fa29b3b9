//! Module → text, as XLA prints it.
//!
//! Instructions are in XLA's post-order or, if the module is scheduled, in the order of the schedule.
//! The short form is XLA's "short parsable" one: no `%`, no signatures, no annotations. The long form is that of dumps
//! of compiled modules. Nested operands and inline bodies, which have no names, get generated names.

use std::fmt::{self, Write};

use super::lexer::is_reserved;
use super::module::{Computation, EntryLayout, Instruction, InstructionId, Module, is_annotation};
use super::order::{computation_post_order, post_order, unique_names};
use xla_array::{Edition, Shape};
use xla_ops::{AttrValue, ComputationId};

/// The parts of a module to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintOptions {
    /// `%` before names, and signatures of computations.
    pub percent: bool,
    /// Layouts of shapes.
    pub layouts: bool,
    /// Attributes that do not affect values (metadata, sharding), and the tables of source locations.
    pub annotations: bool,
}

impl PrintOptions {
    /// XLA's short parsable form.
    pub const SHORT: Self = Self { percent: false, layouts: true, annotations: false };
    /// The form of compiled modules.
    pub const LONG: Self = Self { percent: true, layouts: true, annotations: true };
}

/// The order in which XLA prints annotations; all others are printed first.
const ANNOTATION_ORDER: [&str; 5] =
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
    /// Prints XLA's short form.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(PrintOptions::SHORT))
    }
}

/// Prints single instructions of a module in the short form.
pub struct InstructionPrinter<'m>(Printer<'m>);

impl<'m> InstructionPrinter<'m> {
    /// A printer of the instructions of a module.
    pub fn new(module: &'m Module) -> Self {
        Self(Printer::new(module, PrintOptions::SHORT))
    }

    /// The text of an instruction of a computation.
    pub fn text(&self, computation: ComputationId, id: InstructionId) -> String {
        let mut out = String::new();
        let Self(printer) = self;
        let names = printer.instructions.get(computation.0 as usize);
        let parent = printer.module.get(computation);
        if let (Some(names), Some(parent)) = (names, parent)
            && let Some(instruction) = parent.get(id)
        {
            // Writing to a `String` cannot fail.
            let _ = printer.instruction(&mut out, parent, id, instruction, names);
        }
        out
    }

    /// The attributes of an instruction of a computation, without those of the default value.
    pub fn attributes(&self, computation: ComputationId, id: InstructionId) -> String {
        let mut out = String::new();
        let Self(printer) = self;
        if let Some(parent) = printer.module.get(computation)
            && let Some(instruction) = parent.get(id)
        {
            let _ = printer.attributes(&mut out, parent, instruction);
        }
        out.trim_start_matches(", ").to_owned()
    }
}

/// Prints parts of a module with given names, without layouts.
pub(super) struct NamedPrinter<'m>(Printer<'m>);

impl<'m> NamedPrinter<'m> {
    /// Creates a printer with the names of the computations, and of the instructions of each computation.
    pub fn new(module: &'m Module, computations: Vec<String>, instructions: Vec<Vec<String>>) -> Self {
        let options = PrintOptions { layouts: false, ..PrintOptions::SHORT };
        Self(Printer { module, options, computations, instructions })
    }

    /// The text of an instruction; `None` for an unknown id.
    pub fn instruction(&self, computation: ComputationId, id: InstructionId) -> Option<String> {
        let mut out = String::new();
        let Self(printer) = self;
        let names = printer.instructions.get(computation.0 as usize)?;
        let parent = printer.module.get(computation)?;
        printer.instruction(&mut out, parent, id, parent.get(id)?, names).ok()?;
        Some(out)
    }

    /// An instruction from the opcode on.
    pub fn operation(&self, computation: ComputationId, id: InstructionId) -> Option<String> {
        let mut out = String::new();
        let Self(printer) = self;
        let names = printer.instructions.get(computation.0 as usize)?;
        let parent = printer.module.get(computation)?;
        printer.operation(&mut out, parent, parent.get(id)?, names).ok()?;
        Some(out)
    }

    /// The text of a computation; `None` for an unknown id.
    pub fn computation(&self, id: ComputationId) -> Option<String> {
        let mut out = String::new();
        let Self(printer) = self;
        printer.computation(&mut out, id.0 as usize, printer.module.get(id)?).ok()?;
        Some(out)
    }
}

struct Printer<'m> {
    module: &'m Module,
    options: PrintOptions,
    /// The unique name of each computation.
    computations: Vec<String>,
    /// The unique names of each computation's instructions.
    instructions: Vec<Vec<String>>,
}

/// A comma-separated list; if it is numbered, every fifth item is preceded by its index.
fn comma_separated(items: impl Iterator<Item = String>, is_numbered: bool) -> String {
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
        let instructions = module.computations.iter().flat_map(|c| &c.instructions);
        let names = unique_names(instructions.map(|i| (i.name.as_str(), i.opcode.as_str())));
        let mut names = names.into_iter();
        let take_names = |c: &Computation| names.by_ref().take(c.instructions.len()).collect();
        let instructions = module.computations.iter().map(take_names).collect();
        Self { module, options, computations, instructions }
    }

    fn shape(&self, shape: &Shape) -> String {
        if self.options.layouts { shape.to_string() } else { shape.human_string() }
    }

    /// The prefix of a name: `%` if the options want it, or if the name is a reserved word.
    fn percent(&self, name: &str) -> &'static str {
        if self.options.percent || is_reserved(name) { "%" } else { "" }
    }

    fn callee(&self, id: ComputationId) -> String {
        let name = self.computations.get(id.0 as usize).map(String::as_str).unwrap_or_default();
        format!("{}{name}", self.percent(name))
    }

    /// Whether the order of the instructions is a schedule.
    fn is_scheduled(&self) -> bool {
        self.module.header.iter().any(|(name, value)| name == "is_scheduled" && value == "true")
    }

    fn module(&self, out: &mut String) -> fmt::Result {
        let name = &self.module.name;
        write!(out, "HloModule {}{name}", if is_reserved(name) { "%" } else { "" })?;
        let interface = self.module.interface();
        for position in 0..=self.module.header.len() {
            if position == self.module.entry_layout_at
                && let Some(EntryLayout { parameters, result }) = &interface
            {
                let shapes = comma_separated(parameters.iter().map(|shape| self.shape(shape)), true);
                write!(out, ", entry_computation_layout={{({shapes})->{}}}", self.shape(result))?;
            }
            if let Some((name, value)) = self.module.header.get(position) {
                write!(out, ", {name}={value}")?;
            }
        }
        out.push_str("\n\n");
        if self.options.annotations && !self.module.tables.is_empty() {
            write!(out, "{}\n\n\n", self.module.tables)?;
        }
        // The callees of an unknown op are not known, so computations are printed in source order.
        let are_callees_known =
            self.module.computations.iter().flat_map(|c| &c.instructions).all(|i| i.op.is_some());
        let order = if self.is_scheduled() || !are_callees_known {
            (0..self.module.computations.len()).collect()
        } else {
            computation_post_order(self.module)
        };
        for (position, index) in order.into_iter().enumerate() {
            if position > 0 {
                out.push('\n');
            }
            self.computation(out, index, &self.module.computations[index])?;
        }
        Ok(())
    }

    fn computation(&self, out: &mut String, index: usize, computation: &Computation) -> fmt::Result {
        let (name, names) = (&self.computations[index], &self.instructions[index]);
        let is_entry = self.module.entry.is_some_and(|entry| entry.0 as usize == index);
        write!(out, "{}{}{name}", if is_entry { "ENTRY " } else { "" }, self.percent(name))?;
        if self.options.percent
            && let Some(signature) = computation.signature()
        {
            let parameters = computation.parameters.iter().zip(&signature.parameters);
            let texts: Vec<String> = parameters
                .map(|(id, shape)| format!("{}: {}", names[id.index()], shape.human_string()))
                .collect();
            write!(out, " ({}) -> {}", texts.join(", "), signature.result.human_string())?;
        }
        out.push_str(" {\n");
        let order = if self.is_scheduled() {
            computation.iter().map(|(id, _)| id).collect()
        } else {
            post_order(computation)
        };
        for (id, instruction) in order.into_iter().filter_map(|id| Some((id, computation.get(id)?))) {
            out.push_str(if computation.root == Some(id) { "  ROOT " } else { "  " });
            self.instruction(out, computation, id, instruction, names)?;
            out.push('\n');
        }
        out.push('}');
        for (name, value) in &computation.annotations {
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
        instruction: &Instruction,
        names: &[String],
    ) -> fmt::Result {
        let name = &names[id.index()];
        let shape = self.shape(&instruction.shape);
        write!(out, "{}{name} = {shape} ", self.percent(name))?;
        self.operation(out, computation, instruction, names)
    }

    /// Prints an instruction from the opcode on.
    fn operation(
        &self,
        out: &mut String,
        computation: &Computation,
        instruction: &Instruction,
        names: &[String],
    ) -> fmt::Result {
        write!(out, "{}(", instruction.opcode)?;
        let argument = instruction.op.and_then(|op| op.meta().inline_attr.as_ref());
        if let Some(spec) = argument {
            let value = instruction.attrs.get(spec.name).map(AttrValue::to_string);
            out.push_str(&value.unwrap_or_default());
        } else {
            let names = instruction.operands.iter().map(|operand| &names[operand.index()]);
            let operands = names.map(|name| format!("{}{name}", self.percent(name)));
            out.push_str(&comma_separated(operands, self.options.percent));
        }
        out.push(')');
        self.attributes(out, computation, instruction)?;
        self.annotations(out, instruction)
    }

    /// Prints the attributes of the op, in the op's order.
    fn attributes(
        &self,
        out: &mut String,
        computation: &Computation,
        instruction: &Instruction,
    ) -> fmt::Result {
        let Some(op) = instruction.op else { return Ok(()) };
        let operands = Module::operand_shapes(computation, instruction);
        let cx = self.module.infer(instruction, &operands, Some(&instruction.shape), Edition::Current);
        for spec in op.meta().attrs {
            let Some(value) = instruction.attrs.get(spec.name) else { continue };
            if cx.as_ref().is_some_and(|cx| op.is_default_attr(spec.name, cx)) {
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

    /// Prints the attributes of an unknown opcode, and annotations if the options want them.
    fn annotations(&self, out: &mut String, instruction: &Instruction) -> fmt::Result {
        let mut printed: Vec<&(String, String)> = instruction
            .annotations
            .iter()
            .filter(|(name, _)| self.options.annotations || !is_annotation(name) && instruction.op.is_none())
            .collect();
        printed.sort_by_key(|(name, _)| ANNOTATION_ORDER.iter().position(|o| o == name).map_or(0, |i| i + 1));
        printed.into_iter().try_for_each(|(name, value)| write!(out, ", {name}={value}"))
    }
}
