//! HLO module → `StableHLO` text in generic form.
//!
//! - this file: functions, regions and the values of tuples, which are several values here.
//! - `ops`: each instruction as an op; `attributes`: their attributes; `types`: shapes and literals.
//!
//! A computation that an op applies is its region; one that is called is a function.

mod attributes;
mod bitcast;
mod ops;
mod types;

use std::collections::BTreeMap;

use xla_array::Shape;
use xla_hlo::module::{Computation, Instruction, InstructionId, Module};
use xla_messages::diagnostic::{Diagnostic, Hint};
use xla_messages::i18n::Message;
use xla_ops::ComputationId;

/// Maximum depth of nested regions, the same as the parser's.
const MAX_DEPTH: usize = xla_hlo::parser::MAX_NESTING_DEPTH;

/// A value: one result of an op, or a tuple of values.
#[derive(Clone, Debug)]
enum Value {
    Single(String, Box<Shape>),
    Tuple(Vec<Value>),
}

impl Value {
    /// Names and shapes of its arrays and tokens, in depth-first order.
    fn leaves(&self) -> Vec<(String, Shape)> {
        match self {
            Self::Single(name, shape) => vec![(name.clone(), shape.as_ref().clone())],
            Self::Tuple(items) => items.iter().flat_map(Self::leaves).collect(),
        }
    }

    /// The same value with another shape, which may only differ in layouts.
    fn with_shape(&self, shape: &Shape) -> Self {
        match (self, shape) {
            (Self::Tuple(items), Shape::Tuple(shapes)) if items.len() == shapes.len() => {
                Self::Tuple(items.iter().zip(shapes).map(|(item, shape)| item.with_shape(shape)).collect())
            }
            (Self::Single(name, _), _) => Self::Single(name.clone(), Box::new(shape.clone())),
            (Self::Tuple(_), _) => self.clone(),
        }
    }

    /// Builds a value of this shape from the names of its leaves.
    fn from_leaf_names(shape: &Shape, names: &mut impl Iterator<Item = String>) -> Option<Self> {
        match shape.as_tuple() {
            Some(items) => Some(Self::Tuple(
                items.iter().map(|item| Self::from_leaf_names(item, names)).collect::<Option<_>>()?,
            )),
            None => Some(Self::Single(names.next()?, Box::new(shape.clone()))),
        }
    }
}

/// Prints a module as `StableHLO` text.
///
/// # Errors
///
/// The first instruction that `StableHLO` has no op for, or the first shape that it has no type for, with its span.
pub fn print(module: &Module) -> Result<String, Vec<Diagnostic>> {
    let mut printer = Printer::new(module);
    let main = module.entry.and_then(|entry| printer.function(entry, true));
    if main.is_none() && printer.errors.is_empty() {
        let span = module.entry_computation().map(|entry| entry.span).unwrap_or_default();
        printer.reject::<()>(span, "HLO");
    }
    if !printer.errors.is_empty() {
        return Err(printer.errors);
    }
    let functions: String = printer.functions.values().cloned().collect();
    let name = types::string(&module.name);
    let replicas = |field: &str| {
        let found = module.header.iter().find(|(name, _)| name == field);
        found.map_or("1", |(_, count)| count.as_str()).to_owned()
    };
    Ok(format!(
        "\"builtin.module\"() <{{sym_name = {name}}}> ({{\n{functions}}}) {{mhlo.num_partitions = {} : i32, mhlo.num_replicas = {} : i32}} : () -> ()\n",
        replicas("num_partitions"),
        replicas("replica_count"),
    ))
}

/// The text of a computation under construction.
#[derive(Default)]
struct Scope {
    values: BTreeMap<usize, Value>,
    text: String,
    indent: usize,
}

struct Printer<'m> {
    module: &'m Module,
    /// The text of each function, by its computation's ID; empty while it is being printed.
    functions: BTreeMap<u32, String>,
    errors: Vec<Diagnostic>,
    /// The number of value names handed out.
    name_count: usize,
    depth: usize,
}

impl<'m> Printer<'m> {
    fn new(module: &'m Module) -> Self {
        Self { module, functions: BTreeMap::new(), errors: Vec::new(), name_count: 0, depth: 0 }
    }

    /// Reports an opcode or shape that `StableHLO` cannot express; returns `None`.
    fn reject<T>(&mut self, span: xla_messages::diagnostic::Span, what: &str) -> Option<T> {
        let message = Message::stablehlo("stablehlo-unwritable").with("op", what);
        let mut error = Diagnostic::error(span, "stablehlo-unwritable", message);
        error.hints.push(Hint::advice(Message::stablehlo("stablehlo-hint-unwritable")));
        self.errors.push(error);
        None
    }

    /// A new value name: `%0`, `%1`, ….
    fn new_name(&mut self) -> String {
        self.name_count += 1;
        format!("%{}", self.name_count - 1)
    }

    fn function_name(&self, id: ComputationId) -> String {
        if self.module.entry == Some(id) {
            return "main".to_owned();
        }
        let name = self.module.get(id).map(|computation| computation.name.as_str()).unwrap_or_default();
        // Names of functions are symbols of the whole module.
        format!("{name}.{}", id.0)
    }

    /// Prints a function, once.
    fn function(&mut self, id: ComputationId, is_public: bool) -> Option<String> {
        let name = self.function_name(id);
        if self.functions.contains_key(&id.0) {
            return Some(name);
        }
        self.functions.insert(id.0, String::new());
        let computation = self.module.get(id)?;
        let mut scope = Scope { indent: 2, ..Scope::default() };
        let (arguments, parameters) = self.parameters(&mut scope, computation)?;
        let result = self.body(&mut scope, computation)?;
        let results = result.leaves();
        let returned = types::operands(&results);
        let result_types = types::list(&results)?;
        let parameter_types = types::list(&parameters)?;
        let visibility = if is_public { "public" } else { "private" };
        let text = format!(
            "  \"func.func\"() <{{function_type = ({parameter_types}) -> ({result_types}), sym_name = {}, sym_visibility = \"{visibility}\"}}> ({{\n  ^bb0({arguments}):\n{}    \"func.return\"({returned}) : ({result_types}) -> ()\n  }}) : () -> ()\n",
            types::string(&name),
            scope.text,
        );
        self.functions.insert(id.0, text);
        Some(name)
    }

    /// Names the leaves of the parameters; returns the text of the block's arguments, and the leaves.
    fn parameters(
        &mut self,
        scope: &mut Scope,
        computation: &Computation,
    ) -> Option<(String, Vec<(String, Shape)>)> {
        let mut leaves = Vec::new();
        for id in &computation.parameters {
            let shape = &computation.get(*id)?.shape;
            let mut names = std::iter::from_fn(|| Some(self.new_name()));
            let value = Value::from_leaf_names(shape, &mut names)?;
            leaves.extend(value.leaves());
            scope.values.insert(id.index(), value);
        }
        Some((self.arguments(computation, &leaves)?, leaves))
    }

    /// The arguments of a block.
    fn arguments(&mut self, computation: &Computation, leaves: &[(String, Shape)]) -> Option<String> {
        let mut texts = Vec::new();
        for (name, shape) in leaves {
            let Some(ty) = types::mlir_type(shape) else {
                return self.reject(computation.span, &shape.to_string());
            };
            texts.push(format!("{name}: {ty}"));
        }
        Some(texts.join(", "))
    }

    /// Prints the instructions of a computation; returns its result.
    fn body(&mut self, scope: &mut Scope, computation: &Computation) -> Option<Value> {
        for (id, instruction) in computation.iter() {
            if !scope.values.contains_key(&id.index()) {
                let value = self.instruction(scope, instruction)?;
                scope.values.insert(id.index(), value);
            }
        }
        scope.values.get(&computation.root?.index()).cloned()
    }

    /// A computation as a region.
    fn region(&mut self, outer: &Scope, id: ComputationId) -> Option<String> {
        let computation = self.module.get(id)?;
        if self.depth >= MAX_DEPTH {
            return self.reject(computation.span, &computation.name);
        }
        self.depth += 1;
        let mut scope = Scope { indent: outer.indent + 1, ..Scope::default() };
        let parameters = self.parameters(&mut scope, computation);
        let printed = parameters.and_then(|(arguments, _)| {
            let result = self.body(&mut scope, computation)?;
            Self::region_text(&scope, &arguments, &result)
        });
        self.depth -= 1;
        printed
    }

    /// The text of a region: its block with a terminator.
    fn region_text(scope: &Scope, arguments: &str, result: &Value) -> Option<String> {
        let pad = "  ".repeat(scope.indent - 1);
        let results = result.leaves();
        let block = if arguments.is_empty() { String::new() } else { format!("{pad}^bb0({arguments}):\n") };
        Some(format!(
            "{{\n{block}{}{pad}  \"stablehlo.return\"({}) : ({}) -> ()\n{pad}}}",
            scope.text,
            types::operands(&results),
            types::list(&results)?,
        ))
    }

    /// Prints a branch as a region: it captures the value that HLO passes as the branch's operand.
    fn branch(&mut self, outer: &Scope, id: ComputationId, value: &Value) -> Option<String> {
        let computation = self.module.get(id)?;
        if self.depth >= MAX_DEPTH {
            return self.reject(computation.span, &computation.name);
        }
        self.depth += 1;
        let mut scope = Scope { indent: outer.indent + 1, ..Scope::default() };
        if let Some(parameter) = computation.parameters.first() {
            scope.values.insert(parameter.index(), value.clone());
        }
        let result = self.body(&mut scope, computation);
        let printed = result.and_then(|result| Self::region_text(&scope, "", &result));
        self.depth -= 1;
        printed
    }

    fn value(scope: &Scope, id: InstructionId) -> Option<Value> {
        scope.values.get(&id.index()).cloned()
    }

    /// Prints an op with its results, whose shapes are the leaves of a shape.
    fn op(
        &mut self,
        scope: &mut Scope,
        instruction: &Instruction,
        name: &str,
        operands: &[(String, Shape)],
        attributes: &str,
        regions: &[String],
    ) -> Option<Value> {
        self.op_of(scope, instruction, name, operands, attributes, regions, &instruction.shape)
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of an op in generic form")]
    fn op_of(
        &mut self,
        scope: &mut Scope,
        instruction: &Instruction,
        name: &str,
        operands: &[(String, Shape)],
        attributes: &str,
        regions: &[String],
        shape: &Shape,
    ) -> Option<Value> {
        let first = self.new_name();
        let mut placeholder = std::iter::repeat_with(String::new);
        let count = Value::from_leaf_names(shape, &mut placeholder)?.leaves().len();
        let mut names = (0..count).map(|at| if count == 1 { first.clone() } else { format!("{first}#{at}") });
        let value = Value::from_leaf_names(shape, &mut names)?;
        let results = value.leaves();
        let types = types::list(operands).zip(types::list(&results));
        let Some((from, to)) = types else {
            return self.reject(instruction.spans.whole, &instruction.shape.to_string());
        };
        let bound = match count {
            0 => String::new(),
            1 => format!("{first} = "),
            _ => format!("{first}:{count} = "),
        };
        let attributes = if attributes.is_empty() { String::new() } else { format!(" <{{{attributes}}}>") };
        let regions = if regions.is_empty() { String::new() } else { format!(" ({})", regions.join(", ")) };
        let pad = "  ".repeat(scope.indent);
        let operands = types::operands(operands);
        scope.text.push_str(&format!(
            "{pad}{bound}\"{name}\"({operands}){attributes}{regions} : ({from}) -> ({to})\n"
        ));
        Some(value)
    }
}
