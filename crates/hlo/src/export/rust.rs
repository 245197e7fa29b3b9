//! Programs in Rust: calls of the [`ComputationBuilder`](crate::ComputationBuilder).
//!
//! Where an op has no method of its own, or its method would infer another layout than the text says, it is
//! [`ComputationBuilder::instruction`](crate::ComputationBuilder::instruction), which takes every op.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::super::module::{Computation, Instruction, InstructionId, Module};
use super::program::{Exported, MAX_PROGRAM_BYTES, Program, contains_word};
use xla_array::{Edition, Layout, Shape};
use xla_messages::escape::{byte_literal, comment, rust_string};
use xla_ops::attrs::WindowDim;
use xla_ops::code::literal;
use xla_ops::{AttrValue, ComputationId, Language};

/// The program.
pub(super) fn write(program: &Program) -> Exported {
    let mut body = String::new();
    for (id, name, computation) in program.computations() {
        function(program, &mut body, id, name, computation);
    }
    let mut arguments = Vec::new();
    for argument in program.arguments {
        arguments.push(literal(Language::Rust, argument).unwrap_or_default());
    }
    let edition = if program.edition == Edition::V2017 { ".edition(Edition::V2017)" } else { "" };
    let entry = program.names.computation(program.entry);
    let arguments = arguments.iter().map(|text| format!("\n        {text},")).collect::<Vec<_>>().concat();
    let arguments = if arguments.is_empty() { "[]".to_owned() } else { format!("[{arguments}\n    ]") };
    // Writing to a `String` cannot fail.
    let _ = write!(
        body,
        "\nfn main() -> Result<(), Box<dyn Error>> {{\n    let module = {entry}()?;\n    \
         let result = Evaluator::new(&module){edition}.run(&{arguments})?;\n    \
         println!(\"{{result}}\");\n    Ok(())\n}}\n"
    );
    let mut text = format!("// {} by the ComputationBuilder, from HLO.\n\n", comment(&program.module.name));
    text.push_str("use std::error::Error;\n");
    if body.contains("Arc::new(") {
        text.push_str("use std::sync::Arc;\n");
    }
    text.push('\n');
    for (module, names) in [
        ("array", ["Edition", "ElementType"].as_slice()),
        ("hlo", &["ComputationBuilder", "Evaluator", "Module"]),
        ("ops", &["AttrValue", "Attrs"]),
        ("ops::attrs", &["PaddingDim", "SliceDim", "WindowDim"]),
    ] {
        let is_used = |name: &&&str| contains_word(&body, name);
        let used: Vec<&str> = names.iter().filter(is_used).copied().collect();
        match used.as_slice() {
            [] => {}
            [one] => {
                let _ = writeln!(text, "use xla_playground::{module}::{one};");
            }
            more => {
                let _ = writeln!(text, "use xla_playground::{module}::{{{}}};", more.join(", "));
            }
        }
    }
    text.push_str(&body);
    Exported { text, missing: Vec::new() }
}

fn function(program: &Program, out: &mut String, id: ComputationId, name: &str, of: &Computation) {
    let quoted = rust_string(name);
    let builder = match program.edition {
        Edition::V2017 => format!("ComputationBuilder::with_edition({quoted}, Edition::V2017)"),
        Edition::Now => format!("ComputationBuilder::new({quoted})"),
    };
    // Writing to a `String` cannot fail.
    let _ = writeln!(out, "\nfn {name}() -> Result<Module, Box<dyn Error>> {{\n    let b = {builder};");
    let used: BTreeSet<InstructionId> =
        of.instructions.iter().flat_map(|i| i.operands.iter().copied()).chain(of.root).collect();
    let parameters: BTreeMap<InstructionId, usize> = of.parameters.iter().copied().zip(0..).collect();
    for (number, instruction) in of.iter() {
        if out.len() > MAX_PROGRAM_BYTES {
            return;
        }
        let call = match parameters.get(&number) {
            Some(parameter) => {
                let (shape, name) = (shape(&instruction.shape), rust_string(&instruction.name));
                format!("b.parameter({parameter}, &{shape}.parse()?, {name})")
            }
            None => method(program, id, of, instruction).unwrap_or_else(|| general(program, id, instruction)),
        };
        let _ = if used.contains(&number) {
            writeln!(out, "    let {} = {call}?;", program.names.instruction(id, number))
        } else {
            writeln!(out, "    {call}?;")
        };
    }
    let root = of.root.map(|root| program.names.instruction(id, root)).unwrap_or_default();
    let _ = writeln!(out, "    Ok(b.build_with_root({root})?)\n}}");
}

/// The method of the op's own, where it gives the shape that is written, with its layout.
fn method(
    program: &Program,
    id: ComputationId,
    of: &Computation,
    instruction: &Instruction,
) -> Option<String> {
    let operands = Module::operand_shapes(of, instruction);
    let cx = program.module.infer(instruction, &operands, None, program.edition)?;
    // An op whose shape follows from nothing else cannot do without what is written, and its method says it.
    let inferred = instruction.op?.infer(&cx).ok();
    if inferred.is_some_and(|inferred| laid_out(&inferred) != laid_out(&instruction.shape)) {
        return None;
    }
    program.instruction(id, of, instruction).map(|code| code.text)
}

/// A shape with the layout that it has where none is written.
fn laid_out(shape: &Shape) -> Shape {
    match shape {
        Shape::Array(array) if array.layout.is_none() => {
            Shape::Array(array.clone().with_layout(Layout::descending(array.rank())))
        }
        Shape::Tuple(elements) => Shape::Tuple(elements.iter().map(laid_out).collect()),
        other => other.clone(),
    }
}

/// The call that takes every op.
fn general(program: &Program, id: ComputationId, instruction: &Instruction) -> String {
    let names = |ids: &[InstructionId]| {
        ids.iter().map(|operand| program.names.instruction(id, *operand)).collect::<Vec<_>>().join(", ")
    };
    let mut attrs = String::from("Attrs::new()");
    for (name, value) in instruction.attrs.iter() {
        // Writing to a `String` cannot fail.
        let _ = write!(attrs, ".with({}, {})", rust_string(name), attribute(program, value));
    }
    let (opcode, operands) = (rust_string(&instruction.opcode), names(&instruction.operands));
    format!("b.instruction({opcode}, &[{operands}], {attrs}, Some(&{}.parse()?))", shape(&instruction.shape))
}

/// An attribute as an expression.
fn attribute(program: &Program, value: &AttrValue) -> String {
    let callee = |id: &ComputationId| format!("b.computation(&{}()?)?", program.names.computation(*id));
    let list = |items: Vec<String>| format!("[{}].into_iter().collect()", items.join(", "));
    match value {
        AttrValue::Ints(ints) => format!("AttrValue::Ints(vec!{ints:?}.into())"),
        AttrValue::IntLists(lists) => {
            let lists: Vec<String> = lists.iter().map(|ints| format!("vec!{ints:?}.into()")).collect();
            format!("AttrValue::IntLists(vec![{}])", lists.join(", "))
        }
        AttrValue::Int(n) => format!("AttrValue::Int({n})"),
        AttrValue::Bool(truth) => format!("AttrValue::Bool({truth})"),
        AttrValue::Float(x) if x.is_finite() => format!("AttrValue::Float({x:?})"),
        AttrValue::Float(x) if x.is_nan() => "AttrValue::Float(f64::NAN)".to_owned(),
        AttrValue::Float(x) if *x < 0.0 => "AttrValue::Float(f64::NEG_INFINITY)".to_owned(),
        AttrValue::Float(_) => "AttrValue::Float(f64::INFINITY)".to_owned(),
        AttrValue::Word(word) => format!("AttrValue::Word({})", rust_string(word)),
        AttrValue::Padding(dims) => {
            let of = |d: &xla_ops::attrs::PaddingDim| {
                format!("PaddingDim {{ low: {}, high: {}, interior: {} }}", d.low, d.high, d.interior)
            };
            format!("AttrValue::Padding({})", list(dims.iter().map(of).collect()))
        }
        AttrValue::Window(dims) => format!("AttrValue::Window({})", list(dims.iter().map(window).collect())),
        AttrValue::DimLabels(_) => {
            format!("AttrValue::DimLabels({}.parse()?)", rust_string(&value.to_string()))
        }
        AttrValue::Slice(dims) => {
            let of = |d: &xla_ops::attrs::SliceDim| {
                format!("SliceDim {{ start: {}, limit: {}, stride: {} }}", d.start, d.limit, d.stride)
            };
            format!("AttrValue::Slice({})", list(dims.iter().map(of).collect()))
        }
        AttrValue::Computation(id) => format!("AttrValue::Computation({})", callee(id)),
        AttrValue::Computations(ids) => {
            let ids: Vec<String> = ids.iter().map(callee).collect();
            format!("AttrValue::Computations(vec![{}])", ids.join(", "))
        }
        AttrValue::Literal(of) => {
            let text = literal(Language::Rust, of).unwrap_or_default();
            format!("AttrValue::Literal(Arc::new({text}))")
        }
        AttrValue::Elided => "AttrValue::Elided".to_owned(),
        AttrValue::String(text) => format!("AttrValue::String({}.to_owned())", rust_string(text)),
        AttrValue::Bytes(bytes) => format!("AttrValue::Bytes({}.to_vec())", byte_literal(bytes)),
        AttrValue::Text(text) => format!("AttrValue::Text({}.to_owned())", rust_string(text)),
    }
}

/// A shape as a string literal.
fn shape(of: &Shape) -> String {
    rust_string(&of.to_string())
}

/// A dimension of a window, without what is as usual.
fn window(dim: &WindowDim) -> String {
    let plain = WindowDim::default();
    let fields = [
        ("size", dim.size, plain.size),
        ("stride", dim.stride, plain.stride),
        ("pad_low", dim.pad_low, plain.pad_low),
        ("pad_high", dim.pad_high, plain.pad_high),
        ("base_dilation", dim.base_dilation, plain.base_dilation),
        ("window_dilation", dim.window_dilation, plain.window_dilation),
    ];
    let mut said: Vec<String> =
        fields.iter().filter(|(_, n, usual)| n != usual).map(|(name, n, _)| format!("{name}: {n}")).collect();
    said.extend(dim.reversal.then(|| "reversal: true".to_owned()));
    said.push("..WindowDim::default()".to_owned());
    format!("WindowDim {{ {} }}", said.join(", "))
}
