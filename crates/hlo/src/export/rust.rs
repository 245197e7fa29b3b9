//! Writes programs in Rust: calls of the [`ComputationBuilder`](crate::ComputationBuilder).
//!
//! If an op has no method, or its method would infer another layout than the module has, the program calls
//! [`ComputationBuilder::instruction`](crate::ComputationBuilder::instruction), which accepts every op.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::super::module::{Computation, Instruction, InstructionId, Module};
use super::program::{Exported, MAX_PROGRAM_BYTES, Program, contains_word};
use xla_array::{Edition, Layout, Shape};
use xla_messages::bug::OrBug as _;
use xla_messages::escape::{byte_literal, comment, rust_string};
use xla_ops::export::literal;
use xla_ops::export::windows::window_dim;
use xla_ops::{AttrValue, ComputationId, Language};

/// Writes a program.
pub(super) fn write(program: &Program) -> Exported {
    let mut body = String::new();
    for (id, name, computation) in program.computations() {
        function(program, &mut body, id, name, computation);
    }
    let mut arguments = Vec::new();
    for argument in program.arguments {
        arguments.push(
            literal(Language::Rust, argument).or_bug(String::new(), "an element type without a Rust type"),
        );
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
        ("hlo::builder", &["ConvConfig", "Padding"]),
        ("hlo", &["ComputationBuilder", "Evaluator", "Module"]),
        ("ops", &["AttrValue", "Attrs"]),
        ("ops::attrs", &["PaddingDim", "SliceDim", "WindowDim"]),
    ] {
        // `AttrValue::Padding` has the same name.
        let is_used = |name: &&&str| match **name {
            "Padding" => body.contains(" Padding::"),
            name => contains_word(&body, name),
        };
        let used: Vec<&str> = names.iter().filter(is_used).copied().collect();
        match used.as_slice() {
            [] => {}
            [name] => {
                let _ = writeln!(text, "use xla_playground::{module}::{name};");
            }
            names => {
                let _ = writeln!(text, "use xla_playground::{module}::{{{}}};", names.join(", "));
            }
        }
    }
    text.push_str(&body);
    Exported { text, unsupported: Vec::new() }
}

/// Writes a computation as a function that builds it.
fn function(program: &Program, out: &mut String, id: ComputationId, name: &str, computation: &Computation) {
    let quoted = rust_string(name);
    let builder = match program.edition {
        Edition::V2017 => format!("ComputationBuilder::with_edition({quoted}, Edition::V2017)"),
        Edition::Current => format!("ComputationBuilder::new({quoted})"),
    };
    // Writing to a `String` cannot fail.
    let _ = writeln!(out, "\nfn {name}() -> Result<Module, Box<dyn Error>> {{\n    let b = {builder};");
    let operands = computation.instructions.iter().flat_map(|i| i.operands.iter().copied());
    let used: BTreeSet<InstructionId> = operands.chain(computation.root).collect();
    let parameters: BTreeMap<InstructionId, usize> =
        computation.parameters.iter().copied().zip(0..).collect();
    for (instruction_id, instruction) in computation.iter() {
        if out.len() > MAX_PROGRAM_BYTES {
            return;
        }
        let call = match parameters.get(&instruction_id) {
            Some(parameter) => {
                let (shape, name) = (shape(&instruction.shape), rust_string(&instruction.name));
                format!("b.parameter({parameter}, &{shape}.parse()?, {name})")
            }
            None => method_call(program, id, computation, instruction)
                .unwrap_or_else(|| generic_call(program, id, instruction)),
        };
        let _ = if used.contains(&instruction_id) {
            writeln!(out, "    let {} = {call}?;", program.names.instruction(id, instruction_id))
        } else {
            writeln!(out, "    {call}?;")
        };
    }
    let root = computation.root.map(|root| program.names.instruction(id, root)).unwrap_or_default();
    let _ = writeln!(out, "    Ok(b.build_with_root({root})?)\n}}");
}

/// The call of the op's builder method, if that method infers the shape and layout of the instruction.
fn method_call(
    program: &Program,
    id: ComputationId,
    computation: &Computation,
    instruction: &Instruction,
) -> Option<String> {
    let operands = Module::operand_shapes(computation, instruction);
    let cx = program.module.infer(instruction, &operands, None, program.edition)?;
    // If the op cannot infer the shape, its method takes it as an argument.
    let inferred = instruction.op?.infer(&cx).ok();
    if inferred.is_some_and(|inferred| with_layouts(&inferred) != with_layouts(&instruction.shape)) {
        return None;
    }
    program.instruction(id, computation, instruction).map(|code| code.text)
}

/// Adds the default layout to arrays without one.
fn with_layouts(shape: &Shape) -> Shape {
    match shape {
        Shape::Array(array) if array.layout.is_none() => {
            Shape::Array(array.clone().with_layout(Layout::descending(array.rank())))
        }
        Shape::Tuple(elements) => Shape::Tuple(elements.iter().map(with_layouts).collect()),
        other => other.clone(),
    }
}

/// The call of [`ComputationBuilder::instruction`](crate::ComputationBuilder::instruction).
fn generic_call(program: &Program, id: ComputationId, instruction: &Instruction) -> String {
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

/// The expression of an attribute value.
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
        AttrValue::Keyword(word) => format!("AttrValue::Keyword({})", rust_string(word)),
        AttrValue::Padding(dims) => {
            let dim = |d: &xla_ops::attrs::PaddingDim| {
                format!("PaddingDim {{ low: {}, high: {}, interior: {} }}", d.low, d.high, d.interior)
            };
            format!("AttrValue::Padding({})", list(dims.iter().map(dim).collect()))
        }
        AttrValue::Window(dims) => {
            format!("AttrValue::Window({})", list(dims.iter().map(window_dim).collect()))
        }
        AttrValue::DimLabels(_) => {
            format!("AttrValue::DimLabels({}.parse()?)", rust_string(&value.to_string()))
        }
        AttrValue::Slice(dims) => {
            let dim = |d: &xla_ops::attrs::SliceDim| {
                format!("SliceDim {{ start: {}, limit: {}, stride: {} }}", d.start, d.limit, d.stride)
            };
            format!("AttrValue::Slice({})", list(dims.iter().map(dim).collect()))
        }
        AttrValue::Computation(id) => format!("AttrValue::Computation({})", callee(id)),
        AttrValue::Computations(ids) => {
            let ids: Vec<String> = ids.iter().map(callee).collect();
            format!("AttrValue::Computations(vec![{}])", ids.join(", "))
        }
        AttrValue::Literal(value) => {
            let text =
                literal(Language::Rust, value).or_bug(String::new(), "an element type without a Rust type");
            format!("AttrValue::Literal(Arc::new({text}))")
        }
        AttrValue::Elided => "AttrValue::Elided".to_owned(),
        AttrValue::String(text) => format!("AttrValue::String({}.to_owned())", rust_string(text)),
        AttrValue::Bytes(bytes) => format!("AttrValue::Bytes({}.to_vec())", byte_literal(bytes)),
        AttrValue::Text(text) => format!("AttrValue::Text({}.to_owned())", rust_string(text)),
    }
}

/// A shape as a string literal.
fn shape(shape: &Shape) -> String {
    rust_string(&shape.to_string())
}
