//! The values of parameters and queue items, read from what the visitor set.
//!
//! Invariant: a run gets exactly what was set or does not begin. Text that is not a value of its shape is
//! [`NoArgument::Unreadable`], never a stand-in; [`unreadable`] lists every such text, for the fields that hold them.

use crate::Experiment;
use crate::needs::Needs;
use crate::state::{MAX_REPLICAS, MAX_VALUES_BYTES};
use xla_array::literal::parse::parse;
use xla_array::value::text::Exactness;
use xla_array::values::Values;
use xla_array::values::{Unreadable, ValueSource, readable};
use xla_array::{ArrayLiteral, Literal, Shape, Value};
use xla_hlo::{EvalError, Module};
use xla_messages::diagnostic::{Diagnostic, Span};
use xla_messages::i18n::Message;
use xla_ops::OpError;

/// Why a parameter or a queue item has no value.
#[derive(Clone, Debug, PartialEq)]
pub enum NoArgument {
    /// Its text cannot be read.
    Unreadable(Unreadable),
    /// There is no memory for it.
    Memory,
}

impl NoArgument {
    /// What is wrong with the text, where it is the text.
    pub fn unreadable(self) -> Option<Unreadable> {
        if let Self::Unreadable(unreadable) = self { Some(unreadable) } else { None }
    }
}

/// The value of a parameter. Errors: its text cannot be read, or there is no memory.
pub fn argument(shape: &Shape, values: &Values) -> Result<Literal, NoArgument> {
    match (shape, values) {
        (Shape::Buffer(array), _) => argument(&Shape::Array((**array).clone()), values),
        (Shape::Array(array), _) => {
            let source = ValueSource::new(values, array).map_err(NoArgument::Unreadable)?;
            let literal = ArrayLiteral::from_fn(array.clone(), |number, _| source.value(number));
            literal.map(Literal::Array).map_err(|_| NoArgument::Memory)
        }
        (Shape::Tuple(_), Values::Typed(text)) => {
            readable(parse(text, shape)).map_err(NoArgument::Unreadable)
        }
        (Shape::Tuple(elements), _) => {
            let elements: Result<Vec<Literal>, _> = elements.iter().map(|e| argument(e, values)).collect();
            elements.map(Literal::Tuple)
        }
        (Shape::Token | Shape::Opaque, _) => Ok(Literal::Token),
    }
}

/// The shapes of the entry computation's parameters.
fn parameters(module: &Module) -> Vec<Shape> {
    let signature = module.entry.and_then(|entry| xla_ops::Computations::signature(module, entry));
    signature.map(|(_, signature)| signature.parameters.clone()).unwrap_or_default()
}

/// The arguments of a module's entry computation. Errors: those of the first parameter that has no value.
pub fn arguments(experiment: &Experiment, module: &Module) -> Result<Vec<Literal>, NoArgument> {
    let shapes = parameters(module);
    shapes.iter().enumerate().map(|(number, shape)| argument(shape, &experiment.values(number))).collect()
}

/// The arguments of a module's entry computation on a replica. Errors: as [`arguments`].
pub fn arguments_of(
    experiment: &Experiment,
    module: &Module,
    replica: usize,
) -> Result<Vec<Literal>, NoArgument> {
    let shapes = parameters(module);
    shapes.iter().enumerate().map(|(number, shape)| argument_of(experiment, shape, replica, number)).collect()
}

/// Which text cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The values of a parameter, by its number, on a replica.
    Parameter {
        /// The replica; 0 is the first, whose values the others start from.
        replica: usize,
        /// The number of the parameter.
        number: usize,
    },
    /// An item of the infeed's queue, by its number.
    Item(usize),
}

/// A text that is not a value of its shape.
#[derive(Clone, Debug, PartialEq)]
pub struct UnreadableField {
    /// Whose text it is.
    pub field: Field,
    /// The name of the parameter; empty for items.
    pub name: String,
    /// The shape it was read as.
    pub shape: Shape,
    /// What was typed.
    pub text: String,
    /// What is wrong with it.
    pub unreadable: Unreadable,
}

/// All texts that cannot be read, in the order of the parameters, then the replicas, then the queue. While there is one,
/// nothing runs.
pub fn unreadable(experiment: &Experiment, module: &Module) -> Vec<UnreadableField> {
    let Some(entry) = module.entry_computation() else { return Vec::new() };
    let parameter = |replica: usize, number: usize, values: &Values| {
        let Values::Typed(text) = values else { return None };
        let instruction = entry.get(*entry.parameters.get(number)?)?;
        let unreadable = argument(&instruction.shape, values).err()?.unreadable()?;
        Some(UnreadableField {
            field: Field::Parameter { replica, number },
            name: instruction.name.clone(),
            shape: instruction.shape.clone(),
            text: text.clone(),
            unreadable,
        })
    };
    let base = experiment.values.iter().enumerate();
    let mut found: Vec<_> = base.filter_map(|(number, values)| parameter(0, number, values)).collect();
    let world = &experiment.environment;
    let replicas = world.replicas.clamp(1, MAX_REPLICAS);
    let own = world.values.iter().filter(|((replica, _), _)| (1..replicas).contains(replica));
    found.extend(own.filter_map(|((replica, number), values)| parameter(*replica, *number, values)));
    if world.infeed.is_empty() {
        return found;
    }
    let needs = Needs::of(module);
    found.extend(world.infeed.iter().enumerate().filter_map(|(number, text)| {
        let shape = needs.item(number)?;
        let unreadable = argument(shape, &Values::Typed(text.clone())).err()?.unreadable()?;
        let (name, text) = (String::new(), text.clone());
        Some(UnreadableField { field: Field::Item(number), name, shape: shape.clone(), text, unreadable })
    }));
    found
}

/// Values of a parameter whose text is longer than [`MAX_VALUES_BYTES`]: they are not read. `None` where the program has no
/// such parameter.
pub fn overlong(module: &Module, field: Field, text: &str) -> Option<UnreadableField> {
    let Field::Parameter { number, .. } = field else { return None };
    let entry = module.entry_computation()?;
    let instruction = entry.get(*entry.parameters.get(number)?)?;
    let message =
        Message::engine("values-too-long").with("bytes", text.len()).with("limit", MAX_VALUES_BYTES);
    let diagnostic = Diagnostic::error(Span::new(0, text.len()), "values-too-long", message);
    Some(UnreadableField {
        field,
        name: instruction.name.clone(),
        shape: instruction.shape.clone(),
        text: text.to_owned(),
        unreadable: Unreadable { diagnostics: vec![diagnostic] },
    })
}

/// The error of a run that may not begin, because a text cannot be read.
pub fn refused(unreadable: &Unreadable) -> EvalError {
    let message = Message::engine("values-unreadable");
    let message = match unreadable.first() {
        Some(first) => message.with("why", first.message.clone()),
        None => message.with("why", ""),
    };
    EvalError { at: None, error: Box::new(OpError::new("parameter", "values-unreadable", message)) }
}

/// How much each replica's values are above those of the one before, where it has none of its own.
pub const REPLICA_STEP: i64 = 10;

/// An item of the queue. Errors: its text cannot be read, or there is no memory.
pub fn item(shape: &Shape, text: &str) -> Result<Literal, NoArgument> {
    argument(shape, &Values::Typed(text.to_owned()))
}

/// What a parameter holds on a replica: its own values, else those of the first replica, random ones from the next seed,
/// all others [`REPLICA_STEP`] higher for each replica. Errors: as [`argument`].
pub fn argument_of(
    experiment: &Experiment,
    shape: &Shape,
    replica: usize,
    parameter: usize,
) -> Result<Literal, NoArgument> {
    if let Some(own) = experiment.environment.values.get(&(replica, parameter)).filter(|_| replica > 0) {
        return argument(shape, own);
    }
    let number = u32::try_from(replica).unwrap_or(u32::MAX);
    match experiment.values(parameter) {
        Values::Random(seed) => argument(shape, &Values::Random(seed.wrapping_add(number))),
        values => argument(shape, &values).map(|literal| raised(literal, replica)),
    }
}

fn raised(literal: Literal, replica: usize) -> Literal {
    match literal {
        other if replica == 0 => other,
        Literal::Array(array) => {
            let by = i64::try_from(replica).unwrap_or(0) * REPLICA_STEP;
            let t = array.element_type();
            let value = |index: &[i64]| match array.get(index).unwrap_or(Value::Int(0)) {
                Value::Pred(x) => Value::Pred(x != (replica % 2 == 1)),
                Value::Int(x) => Value::Int(x.wrapping_add(by)).convert(t),
                Value::Uint(x) => Value::Uint(x.wrapping_add(by.unsigned_abs())).convert(t),
                Value::Float(x) => Value::Float(x + float(by)).convert(t),
                Value::Complex(re, im) => Value::Complex(re + float(by), im).convert(t),
            };
            let made = ArrayLiteral::from_fn(array.shape().clone(), |_, index| value(index));
            Literal::Array(made.unwrap_or(array))
        }
        Literal::Tuple(elements) => {
            Literal::Tuple(elements.into_iter().map(|element| raised(element, replica)).collect())
        }
        Literal::Token => Literal::Token,
    }
}

/// At most 70, so exact.
fn float(by: i64) -> f64 {
    i32::try_from(by).map_or(0.0, f64::from)
}

/// What parameter `number`, of this shape, holds on the replica that is selected, as the visitor would write it.
pub fn values_here(experiment: &Experiment, shape: &Shape, number: usize) -> Values {
    let device = experiment.environment.device;
    let own = experiment.environment.values.get(&(device, number)).cloned();
    match (device, own, experiment.values(number)) {
        (0, _, values) | (_, Some(values), _) => values,
        (_, None, Values::Random(seed)) => {
            Values::Random(seed.wrapping_add(u32::try_from(device).unwrap_or(u32::MAX)))
        }
        (_, None, _) => {
            match argument_of(experiment, shape, device, number) {
                Ok(literal) => Values::Typed(literal.text(Exactness::RoundTrip)),
                // The text that cannot be read is the first replica's.
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

    fn of(values: &[Values]) -> (Experiment, Rc<Module>) {
        let module = Rc::new(xla_hlo::parse(TEXT).into_module().unwrap());
        (Experiment { values: values.to_vec(), ..Experiment::of(TEXT) }, module)
    }

    fn typed(text: &str) -> Values {
        Values::Typed(text.to_owned())
    }

    #[test]
    fn every_unreadable_text_is_listed_and_stops_the_run() {
        let (experiment, module) = of(&[typed("{{1,2},{x}}"), typed("( {1, 300}, 4 )")]);
        let found = unreadable(&experiment, &module);
        let fields: Vec<_> = found.iter().map(|f| (f.field, f.name.as_str(), f.text.as_str())).collect();
        assert_eq!(
            fields,
            [
                (Field::Parameter { replica: 0, number: 0 }, "x", "{{1,2},{x}}"),
                (Field::Parameter { replica: 0, number: 1 }, "y", "( {1, 300}, 4 )")
            ]
        );
        let error = crate::run::FinishedRun::new(&experiment, &module, xla_hlo::Limits::default());
        assert_eq!(error.err().unwrap().error.rule, "values-unreadable");
    }

    #[test]
    fn a_tuple_must_be_all_there() {
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
                matches!(argument(&shape, &typed(text)), Err(NoArgument::Unreadable(_))),
                "{text:?}: {:?}",
                parse_literal(text, &shape)
            );
        }
        assert!(argument(&shape, &typed("( {1, 2}, 3 )")).is_ok());
    }

    #[test]
    fn values_by_a_rule_are_never_unreadable() {
        let (experiment, module) = of(&[Values::Iota, Values::Random(3)]);
        assert_eq!(unreadable(&experiment, &module), []);
        assert!(arguments(&experiment, &module).is_ok());
    }

    #[test]
    fn values_of_replicas_and_queue_items_are_listed_too() {
        let text = "HloModule m ENTRY e { x = f32[2] parameter(0) t = token[] after-all()
            f = (s32[2], token[]) infeed(t) ROOT r = f32[2] all-reduce(x), replica_groups={}, to_apply={
              a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = add(a, b) } }";
        let module = xla_hlo::parse(text).into_module().unwrap();
        let mut experiment = Experiment::of(text);
        experiment.environment.replicas = 2;
        experiment.environment.values.insert((1, 0), typed("1, x"));
        // A replica that is not there does not run.
        experiment.environment.values.insert((5, 0), typed("1, x"));
        experiment.environment.infeed = vec!["{1, 2}".to_owned(), "{1}".to_owned()];
        let fields: Vec<_> = unreadable(&experiment, &module).into_iter().map(|f| f.field).collect();
        assert_eq!(fields, [Field::Parameter { replica: 1, number: 0 }, Field::Item(1)]);
        let stuck = crate::run::devices::run_alone(&experiment, &module, xla_hlo::Limits::default());
        assert_eq!(stuck.err().unwrap().error().error.rule, "values-unreadable");
    }
}
