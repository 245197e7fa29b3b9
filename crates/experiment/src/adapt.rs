//! Adapts the examples of an op to a value that the op is applied to: the operand gets the value's shape, and the other
//! operands and attributes get shapes and numbers that fit.
//!
//! A candidate may still violate a rule, as not every op supports the value's type: the caller must parse it.

use std::fmt::Write as _;

use crate::{Experiment, preset};
use xla_array::values::ValueRule;
use xla_array::{ArrayShape, ElementType, Shape};
use xla_hlo::{Instruction, Module, parse};
use xla_ops::{AttrKind, OpDef};

/// A candidate: an experiment, and the operand of its root that the value replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// An experiment whose root applies the op.
    pub experiment: Experiment,
    /// The index of the operand that the value replaces.
    pub operand: usize,
}

/// The candidates for applying an op to a value, best first.
pub fn candidates(op: &'static dyn OpDef, value: &Shape) -> Vec<Candidate> {
    let examples: Vec<Experiment> = preset::for_op(op.meta()).map(|preset| preset.experiment()).collect();
    let opcode = op.meta().opcode;
    let adapted = value.as_array().into_iter().flat_map(|array| {
        examples.iter().filter_map(|example| adapt_example(opcode, example, array)).collect::<Vec<_>>()
    });
    let unadapted = examples.iter().filter(|example| example.focus.is_empty()).cloned();
    adapted.chain(unadapted.map(|experiment| Candidate { experiment, operand: 0 })).collect()
}

/// Writes the adapted shapes, values and attributes of an example as HLO text.
struct Adapter<'a> {
    opcode: &'a str,
    /// The shape of the replaced operand in the example.
    old: &'a ArrayShape,
    /// The shape of the value that replaces it.
    new: &'a ArrayShape,
}

/// Adapts an example to a value of shape `new`. `None` if the example is not an op of arrays.
fn adapt_example(opcode: &str, example: &Experiment, new: &ArrayShape) -> Option<Candidate> {
    let module = parse(&example.text).into_module().ok()?;
    let entry = module.entry_computation()?;
    let instruction = entry.find(&example.focus).or(entry.root).and_then(|id| entry.get(id))?;
    let shapes = Module::operand_shapes(entry, instruction);
    let operand = match opcode {
        "clamp" => 1,
        "select" if new.element_type != ElementType::Pred => 1,
        _ => 0,
    };
    let old = shapes.get(operand)?.as_array()?;
    let adapter = Adapter { opcode, old, new };
    let mut parameters = String::new();
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for (number, shape) in shapes.iter().enumerate() {
        let original = shape.as_array()?;
        let shape = if number == operand {
            shape_text(new.element_type, &new.dimensions)
        } else {
            adapter.operand_shape_text(number, original)
        };
        let name = format!("p{number}");
        let example_values = instruction.operands.get(number).and_then(|id| {
            let parameter_number = entry.parameters.iter().position(|parameter| parameter == id)?;
            Some(example.values(parameter_number))
        });
        values.push(adapter.operand_values(number, original, &shape, example_values));
        let _ = writeln!(parameters, "  {name} = {shape} parameter({number})");
        names.push(name);
    }
    let result_shape = adapter.result_shape_text(instruction);
    let mut attributes = String::new();
    for (name, span) in &instruction.spans.attrs {
        let original = example.text.get(span.range())?;
        let kind = instruction.op?.meta().attr(name)?.kind;
        let _ = write!(attributes, ", {name}={}", adapter.attribute_text(name, kind, original));
    }
    let text = format!(
        "HloModule {}\n\nENTRY next {{\n{parameters}  ROOT next = {result_shape}{opcode}({}){attributes}\n}}\n",
        opcode.replace('-', "_"),
        names.join(", ")
    );
    Some(Candidate { experiment: Experiment { values, ..Experiment::from_text(text) }, operand })
}

fn braces(numbers: impl IntoIterator<Item = i64>) -> String {
    let numbers: Vec<String> = numbers.into_iter().map(|n| n.to_string()).collect();
    format!("{{{}}}", numbers.join(","))
}

/// The text of a shape without its layout.
fn array_shape_text(shape: &ArrayShape) -> String {
    shape_text(shape.element_type, &shape.dimensions)
}

/// Half of a size, at least 1 unless the size is 0.
fn half(size: i64) -> i64 {
    (size / 2).max(size.min(1))
}

impl Adapter<'_> {
    fn rank(&self) -> usize {
        self.new.dimensions.len()
    }

    fn last_dimension(&self) -> i64 {
        i64::try_from(self.rank()).unwrap_or(0) - 1
    }

    fn sizes(&self) -> Vec<i64> {
        self.new.dimensions.to_vec()
    }

    /// The element type that replaces one of the example.
    fn element_type(&self, original: ElementType) -> ElementType {
        if original == self.old.element_type { self.new.element_type } else { original }
    }

    /// The text of the shape of operand `number`, which is not the replaced one and has the shape `original` in the example.
    fn operand_shape_text(&self, number: usize, original: &ArrayShape) -> String {
        let element_type = self.element_type(original.element_type);
        let mut sizes = self.sizes();
        match (self.opcode, number) {
            ("dot", 1) => {
                let contracted = sizes.last().copied().unwrap_or(1);
                let rhs: &[i64] = if self.rank() > 1 { &[contracted, 2] } else { &[contracted] };
                return shape_text(element_type, rhs);
            }
            ("convolution", 1) if self.rank() > 2 => {
                let kernel = [1, sizes[1]].into_iter().chain(sizes[2..].iter().map(|size| 2.min(*size)));
                return shape_text(element_type, &kernel.collect::<Vec<_>>());
            }
            ("dynamic-update-slice", 1) => {
                return shape_text(element_type, &sizes.iter().map(|size| half(*size)).collect::<Vec<_>>());
            }
            ("scatter", 2) if !sizes.is_empty() => {
                sizes[0] = 2;
                return shape_text(element_type, &sizes);
            }
            ("dynamic-slice", 1) | ("dynamic-update-slice", 2) if original.dimensions.len() == 1 => {
                return shape_text(original.element_type, &[self.last_dimension() + 1]);
            }
            ("gather" | "scatter", 1) => return shape_text(original.element_type, &[2]),
            ("select-and-scatter", 1) => {
                // One source element per window position: a window of size 2 has `size - 1` positions.
                let position_counts = sizes.iter().map(|size| (size - 1).max((*size).min(1)));
                return shape_text(element_type, &position_counts.collect::<Vec<_>>());
            }
            ("triangular-solve", 1) if !sizes.is_empty() => {
                let last = sizes.len() - 1;
                sizes[last] = 1;
                return shape_text(element_type, &sizes);
            }
            _ => {}
        }
        // Such as the scale and offset of a batch normalization: a vector with one element per feature.
        let is_per_feature = original.dimensions.len() == 1 && self.old.dimensions.len() > 1;
        if original.dimensions == self.old.dimensions {
            shape_text(element_type, &sizes)
        } else if is_per_feature
            && original.dimensions.last() == self.old.dimensions.last()
            && !sizes.is_empty()
        {
            shape_text(element_type, &sizes[sizes.len() - 1..])
        } else {
            shape_text(element_type, &original.dimensions)
        }
    }

    /// The values of an operand of shape `shape`: those of the example if they fit, else counting from 0.
    fn operand_values(
        &self,
        number: usize,
        original: &ArrayShape,
        shape: &str,
        example_values: Option<ValueRule>,
    ) -> ValueRule {
        if matches!(self.opcode, "gather" | "scatter") && number == 1 {
            let last = self.new.dimensions.first().map_or(0, |size| (size - 1).max(0));
            return ValueRule::Text(format!("{{{last}, 0}}"));
        }
        if (self.opcode, number) == ("set-dimension-size", 1) {
            return ValueRule::Text(self.new.dimensions.last().map_or(0, |size| half(*size)).to_string());
        }
        let is_same = shape == array_shape_text(original);
        match example_values {
            Some(ValueRule::Text(text)) if is_same || original.dimensions.is_empty() => ValueRule::Text(text),
            _ => ValueRule::Iota,
        }
    }

    /// The text of the result's shape, followed by a space; empty if the shape is to be inferred, as in the example.
    fn result_shape_text(&self, instruction: &Instruction) -> String {
        let sizes = self.sizes();
        let element_type = self.new.element_type;
        let shape_span = instruction.spans.shape;
        let shape = match self.opcode {
            "reshape" => shape_text(element_type, &[sizes.iter().product()]),
            "broadcast" => {
                shape_text(element_type, &[2].into_iter().chain(sizes.iter().copied()).collect::<Vec<_>>())
            }
            "slice" | "dynamic-slice" => {
                shape_text(element_type, &sizes.iter().map(|size| half(*size)).collect::<Vec<_>>())
            }
            // Converts to another type than the value's.
            "convert" if element_type == ElementType::S32 => shape_text(ElementType::F32, &sizes),
            "convert" => shape_text(ElementType::S32, &sizes),
            _ if shape_span.start == shape_span.end => return String::new(),
            _ => match instruction.shape.as_array() {
                Some(original) if original.dimensions == self.old.dimensions => {
                    shape_text(self.element_type(original.element_type), &sizes)
                }
                // A candidate with wrong sizes is rejected by the caller, which parses it.
                Some(original) => shape_text(self.element_type(original.element_type), &original.dimensions),
                None => return String::new(),
            },
        };
        shape + " "
    }

    /// The text of an attribute's value, which is `original` in the example.
    fn attribute_text(&self, name: &str, kind: AttrKind, original: &str) -> String {
        let sizes = self.sizes();
        let all_dimensions = || 0..=self.last_dimension();
        let padding = || vec!["1_1"; sizes.len()].join("x");
        let window = |sizes: &[i64]| {
            let sizes: Vec<String> = sizes.iter().map(|size| 2.min(*size).max(1).to_string()).collect();
            if sizes.is_empty() { "{}".to_owned() } else { format!("{{size={}}}", sizes.join("x")) }
        };
        match (self.opcode, name) {
            ("transpose", "dimensions") => return braces(all_dimensions().rev()),
            ("map", "dimensions") => return braces(all_dimensions()),
            ("broadcast", "dimensions") => return braces(1..=self.last_dimension() + 1),
            ("dot", "lhs_contracting_dims") => return braces([self.last_dimension()]),
            ("dot", "rhs_contracting_dims") => return braces([0]),
            ("gather", "offset_dims") | ("scatter", "update_window_dims") => {
                return braces(1..=self.last_dimension());
            }
            ("gather", "slice_sizes") => {
                return braces([1].into_iter().chain(sizes.iter().skip(1).copied()));
            }
            ("convolution", "window") if sizes.len() > 2 => return window(&sizes[2..]),
            ("convolution", "dim_labels") if sizes.len() > 2 => {
                let spatial: String = (0..sizes.len() - 2).map(|d| d.to_string()).collect();
                return format!("bf{spatial}_oi{spatial}->bf{spatial}");
            }
            ("fft", "fft_length") => return braces(sizes.last().copied()),
            (_, "dynamic_slice_sizes") => return braces(sizes.iter().map(|size| half(*size))),
            (_, "feature_index") => return self.last_dimension().max(0).to_string(),
            (_, "k") => return sizes.last().map_or(1, |size| 2.min(*size)).to_string(),
            (
                "set-dimension-size" | "get-dimension-size" | "reduce" | "reverse" | "sort" | "scan",
                "dimensions",
            ) => {
                return braces([self.last_dimension()]);
            }
            _ => {}
        }
        match kind {
            AttrKind::Padding => padding(),
            AttrKind::Slice => {
                let ranges: Vec<String> = sizes.iter().map(|size| format!("[0:{}]", half(*size))).collect();
                format!("{{{}}}", ranges.join(", "))
            }
            AttrKind::Window => window(&sizes),
            AttrKind::Computation | AttrKind::Computations => {
                let text = original.replace(&array_shape_text(self.old), &array_shape_text(self.new));
                let prefix = |element_type: ElementType| format!("{element_type}[");
                text.replace(&prefix(self.old.element_type), &prefix(self.new.element_type))
            }
            _ => original.to_owned(),
        }
    }
}

/// The text of a shape of these sizes, without a layout.
fn shape_text(element_type: ElementType, sizes: &[i64]) -> String {
    let sizes: Vec<String> = sizes.iter().map(i64::to_string).collect();
    format!("{element_type}[{}]", sizes.join(","))
}
