//! The values of parameters and queue items, parsed from the user's input.
//!
//! Invariant: a run gets exactly the values that the user set, or does not start. Text that is not a value of its shape
//! is [`ArgumentError::Values`], never replaced by a default; [`invalid_fields`] lists all such texts.

use crate::Experiment;
use crate::needs::Needs;
use crate::state::{MAX_REPLICAS, MAX_VALUES_BYTES};
use xla_array::literal::parse::parse;
use xla_array::value::text::Exactness;
use xla_array::values::ValueRule;
use xla_array::values::{ValueSource, ValuesError, complete_value};
use xla_array::{ArrayLiteral, Literal, Shape, Value};
use xla_hlo::{EvalError, Module};
use xla_messages::diagnostic::{Diagnostic, Span};
use xla_messages::i18n::Message;
use xla_ops::OpError;

/// The error of a parameter or queue item without a value.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentError {
    /// Its text is not a value of its shape.
    Values(ValuesError),
    /// The allocation failed.
    Memory,
}

impl ArgumentError {
    /// The parse error, if it is one.
    pub fn values_error(self) -> Option<ValuesError> {
        if let Self::Values(error) = self { Some(error) } else { None }
    }
}

/// The literal of a parameter of this shape, by a rule for its values.
pub fn argument(shape: &Shape, values: &ValueRule) -> Result<Literal, ArgumentError> {
    match (shape, values) {
        (Shape::Buffer(array), _) => argument(&Shape::Array((**array).clone()), values),
        (Shape::Array(array), _) => {
            let source = ValueSource::new(values, array).map_err(ArgumentError::Values)?;
            let literal = ArrayLiteral::from_fn(array.clone(), |number, _| source.value(number));
            literal.map(Literal::Array).map_err(|_| ArgumentError::Memory)
        }
        (Shape::Tuple(_), ValueRule::Text(text)) => {
            complete_value(parse(text, shape)).map_err(ArgumentError::Values)
        }
        (Shape::Tuple(elements), _) => {
            let elements: Result<Vec<Literal>, _> = elements.iter().map(|e| argument(e, values)).collect();
            elements.map(Literal::Tuple)
        }
        (Shape::Token | Shape::Opaque, _) => Ok(Literal::Token),
    }
}

/// Maximum number of elements that a text field lists.
pub const MAX_WRITTEN_ELEMENTS: i64 = 1 << 14;

/// The text of a value on one line, as a text field shows it.
pub fn one_line(literal: &Literal) -> String {
    literal.text(Exactness::RoundTrip).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn parameter_shapes(module: &Module) -> Vec<Shape> {
    let signature = module.entry.and_then(|entry| xla_ops::Computations::signature(module, entry));
    signature.map(|(_, signature)| signature.parameters.clone()).unwrap_or_default()
}

/// The arguments of a module's entry computation, or the error of the first parameter without a value.
pub fn arguments(experiment: &Experiment, module: &Module) -> Result<Vec<Literal>, ArgumentError> {
    let shapes = parameter_shapes(module);
    shapes.iter().enumerate().map(|(number, shape)| argument(shape, &experiment.values(number))).collect()
}

/// The arguments of a module's entry computation on a replica, or the error of the first parameter without a value.
pub fn replica_arguments(
    experiment: &Experiment,
    module: &Module,
    replica: usize,
) -> Result<Vec<Literal>, ArgumentError> {
    let shapes = parameter_shapes(module);
    shapes
        .iter()
        .enumerate()
        .map(|(number, shape)| replica_argument(experiment, shape, replica, number))
        .collect()
}

/// A text field of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The values of a parameter on a replica.
    Parameter {
        /// The replica; the values of the others derive from those of replica 0.
        replica: usize,
        /// The number of the parameter.
        number: usize,
    },
    /// An item of the infeed queue, by its position.
    Item(usize),
}

/// Text that is not a value of its shape.
#[derive(Clone, Debug, PartialEq)]
pub struct InvalidField {
    /// The field with the text.
    pub field: Field,
    /// The name of the parameter; empty for items.
    pub name: String,
    /// The shape it was read as.
    pub shape: Shape,
    /// The text as entered.
    pub text: String,
    /// The parse error.
    pub error: ValuesError,
}

/// All fields whose text is invalid: parameters of replica 0, of the other replicas, then the queue. An experiment with any does
/// not run.
pub fn invalid_fields(experiment: &Experiment, module: &Module) -> Vec<InvalidField> {
    let Some(entry) = module.entry_computation() else { return Vec::new() };
    let parameter = |replica: usize, number: usize, values: &ValueRule| {
        let shape = &entry.get(*entry.parameters.get(number)?)?.shape;
        invalid_parameter(module, shape, Field::Parameter { replica, number }, values)
    };
    let base = experiment.values.iter().enumerate();
    let mut found: Vec<_> = base.filter_map(|(number, values)| parameter(0, number, values)).collect();
    let environment = &experiment.environment;
    let replicas = environment.replicas.clamp(1, MAX_REPLICAS);
    let overrides = environment.values.iter().filter(|((replica, _), _)| (1..replicas).contains(replica));
    found.extend(overrides.filter_map(|((replica, number), values)| parameter(*replica, *number, values)));
    if environment.infeed.is_empty() {
        return found;
    }
    let needs = Needs::new(module);
    found.extend(environment.infeed.iter().enumerate().filter_map(|(number, text)| {
        let shape = needs.item(number)?;
        let error = argument(shape, &ValueRule::Text(text.clone())).err()?.values_error()?;
        let (name, text) = (String::new(), text.clone());
        Some(InvalidField { field: Field::Item(number), name, shape: shape.clone(), text, error })
    }));
    found
}

/// The error of a parameter's values, which are to have a shape. `None` if they have it, or if the module has no such
/// parameter.
pub fn invalid_parameter(
    module: &Module,
    shape: &Shape,
    field: Field,
    values: &ValueRule,
) -> Option<InvalidField> {
    let (Field::Parameter { number, .. }, ValueRule::Text(text)) = (field, values) else { return None };
    let entry = module.entry_computation()?;
    let error = argument(shape, values).err()?.values_error()?;
    let name = entry.get(*entry.parameters.get(number)?)?.name.clone();
    Some(InvalidField { field, name, shape: shape.clone(), text: text.clone(), error })
}

/// The error of a parameter whose text is longer than [`MAX_VALUES_BYTES`]. `None` if the module has no such parameter.
pub fn overlong_field(module: &Module, field: Field, text: &str) -> Option<InvalidField> {
    let Field::Parameter { number, .. } = field else { return None };
    let entry = module.entry_computation()?;
    let instruction = entry.get(*entry.parameters.get(number)?)?;
    let message = Message::ops("values-too-long").with("bytes", text.len()).with("limit", MAX_VALUES_BYTES);
    let diagnostic = Diagnostic::error(Span::new(0, text.len()), "values-too-long", message);
    Some(InvalidField {
        field,
        name: instruction.name.clone(),
        shape: instruction.shape.clone(),
        text: text.to_owned(),
        error: ValuesError { diagnostics: vec![diagnostic] },
    })
}

/// The error of a run that does not start because the text cannot be parsed.
pub fn run_error(error: &ValuesError) -> EvalError {
    let message = Message::ops("values-unreadable");
    let message = match error.first() {
        Some(first) => message.with("why", first.message.clone()),
        None => message.with("why", ""),
    };
    EvalError { at: None, error: Box::new(OpError::new("parameter", "values-unreadable", message)) }
}

/// The difference between the values of consecutive replicas, unless a replica overrides them.
pub const REPLICA_STEP: i64 = 10;

/// The value of an item of the infeed queue.
pub fn queue_item(shape: &Shape, text: &str) -> Result<Literal, ArgumentError> {
    argument(shape, &ValueRule::Text(text.to_owned()))
}

/// The value of a parameter on a replica: the replica's own values, else those of replica 0 with the seed increased by
/// the replica number (random values), or with [`REPLICA_STEP`] added per replica (all others).
pub fn replica_argument(
    experiment: &Experiment,
    shape: &Shape,
    replica: usize,
    parameter: usize,
) -> Result<Literal, ArgumentError> {
    if let Some(own) = experiment.environment.values.get(&(replica, parameter)).filter(|_| replica > 0) {
        return argument(shape, own);
    }
    let seed_offset = u32::try_from(replica).unwrap_or(u32::MAX);
    match experiment.values(parameter) {
        ValueRule::Random(seed) => argument(shape, &ValueRule::Random(seed.wrapping_add(seed_offset))),
        values => argument(shape, &values).map(|literal| offset_for_replica(literal, replica)),
    }
}

fn offset_for_replica(literal: Literal, replica: usize) -> Literal {
    match literal {
        other if replica == 0 => other,
        Literal::Array(array) => {
            let offset = i64::try_from(replica).unwrap_or(0) * REPLICA_STEP;
            let element_type = array.element_type();
            let value = |index: &[i64]| match array.get(index).unwrap_or(Value::Int(0)) {
                Value::Pred(x) => Value::Pred(x != (replica % 2 == 1)),
                Value::Int(x) => Value::Int(x.wrapping_add(offset)).convert(element_type),
                Value::Uint(x) => Value::Uint(x.wrapping_add(offset.unsigned_abs())).convert(element_type),
                Value::Float(x) => Value::Float(x + as_f64(offset)).convert(element_type),
                Value::Complex(re, im) => Value::Complex(re + as_f64(offset), im).convert(element_type),
            };
            let with_offset = ArrayLiteral::from_fn(array.shape().clone(), |_, index| value(index));
            Literal::Array(with_offset.unwrap_or(array))
        }
        Literal::Tuple(elements) => {
            Literal::Tuple(elements.into_iter().map(|element| offset_for_replica(element, replica)).collect())
        }
        Literal::Token => Literal::Token,
    }
}

/// Exact: with [`MAX_REPLICAS`], offsets are at most 70.
fn as_f64(offset: i64) -> f64 {
    i32::try_from(offset).map_or(0.0, f64::from)
}

/// The values of parameter `number` on the selected replica, as the user would enter them.
pub fn selected_values(experiment: &Experiment, shape: &Shape, number: usize) -> ValueRule {
    let replica = experiment.environment.selected_replica;
    let own = experiment.environment.values.get(&(replica, number)).cloned();
    match (replica, own, experiment.values(number)) {
        (0, _, values) | (_, Some(values), _) => values,
        (_, None, ValueRule::Random(seed)) => {
            ValueRule::Random(seed.wrapping_add(u32::try_from(replica).unwrap_or(u32::MAX)))
        }
        (_, None, _) => {
            match replica_argument(experiment, shape, replica, number) {
                Ok(literal) => ValueRule::Text(literal.text(Exactness::RoundTrip)),
                // The invalid text is that of replica 0.
                Err(_) => experiment.values(number),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;
    use xla_array::literal::parse::parse as parse_literal;

    const TEXT: &str = "HloModule m ENTRY e { x = f32[2,2] parameter(0) y = (u8[2], s32[]) parameter(1)
        z = get-tuple-element(y), index=1 ROOT n = f32[2,2] negate(x) }";

    fn experiment_with(values: &[ValueRule]) -> (Experiment, Rc<Module>) {
        let module = Rc::new(xla_hlo::parse(TEXT).into_module().unwrap());
        (Experiment { values: values.to_vec(), ..Experiment::from_text(TEXT) }, module)
    }

    fn typed(text: &str) -> ValueRule {
        ValueRule::Text(text.to_owned())
    }

    #[test]
    fn every_invalid_text_is_listed_and_prevents_the_run() {
        let (experiment, module) = experiment_with(&[typed("{{1,2},{x}}"), typed("( {1, 300}, 4 )")]);
        let found = invalid_fields(&experiment, &module);
        let fields: Vec<_> = found.iter().map(|f| (f.field, f.name.as_str(), f.text.as_str())).collect();
        assert_eq!(
            fields,
            [
                (Field::Parameter { replica: 0, number: 0 }, "x", "{{1,2},{x}}"),
                (Field::Parameter { replica: 0, number: 1 }, "y", "( {1, 300}, 4 )")
            ]
        );
        let error = crate::run::FinishedRun::run(&experiment, &module, xla_hlo::Limits::default());
        assert_eq!(error.err().unwrap().error.rule, "values-unreadable");
    }

    #[test]
    fn an_incomplete_tuple_is_invalid() {
        let shape = Shape::tuple([
            Shape::Array(xla_array::ArrayShape::new(xla_array::ElementType::U8, [2])),
            Shape::Array(xla_array::ArrayShape::new(xla_array::ElementType::S32, [])),
        ]);
        for text in [
            "",
            "( {1, 2} )",
            "( {1, 2}, 3",
            "( {1, 2}, 3, 4 )",
            "{1, 2}, 3",
            "( {1}, 3 )",
            "({...}, 3)",
            "({1, 2}, x)",
            "{...}",
        ] {
            assert!(
                matches!(argument(&shape, &typed(text)), Err(ArgumentError::Values(_))),
                "{text:?}: {:?}",
                parse_literal(text, &shape)
            );
        }
        assert!(argument(&shape, &typed("( {1, 2}, 3 )")).is_ok());
    }

    #[test]
    fn generated_values_are_never_invalid() {
        let (experiment, module) = experiment_with(&[ValueRule::Iota, ValueRule::Random(3)]);
        assert_eq!(invalid_fields(&experiment, &module), []);
        assert!(arguments(&experiment, &module).is_ok());
    }

    #[test]
    fn invalid_values_of_replicas_and_queue_items_are_listed() {
        let text = "HloModule m ENTRY e { x = f32[2] parameter(0) t = token[] after-all()
            f = (s32[2], token[]) infeed(t) ROOT r = f32[2] all-reduce(x), replica_groups={}, to_apply={
              a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = add(a, b) } }";
        let module = xla_hlo::parse(text).into_module().unwrap();
        let mut experiment = Experiment::from_text(text);
        experiment.environment.replicas = 2;
        experiment.environment.values.insert((1, 0), typed("1, x"));
        // A replica that does not exist is ignored.
        experiment.environment.values.insert((5, 0), typed("1, x"));
        experiment.environment.infeed = vec!["{1, 2}".to_owned(), "{1}".to_owned()];
        let fields: Vec<_> = invalid_fields(&experiment, &module).into_iter().map(|f| f.field).collect();
        assert_eq!(fields, [Field::Parameter { replica: 1, number: 0 }, Field::Item(1)]);
        let unfinished =
            crate::run::devices::run_without_functions(&experiment, &module, xla_hlo::Limits::default());
        assert_eq!(unfinished.err().unwrap().error().error.rule, "values-unreadable");
    }
}
