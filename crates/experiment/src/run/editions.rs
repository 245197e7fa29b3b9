//! The same experiment in the other edition, cell by cell.

use std::rc::Rc;

use super::devices::run_alone;
use super::finished::FinishedRun;
use super::leaves::leaves;
use crate::Experiment;
use crate::needs::Needs;
use xla_array::{Dims, Edition};
use xla_hlo::parser::parse_edition;
use xla_hlo::{InstructionId, Limits};
use xla_messages::i18n::Message;
use xla_ops::Data;

/// How the editions differ on an instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// The other edition refuses the text or the run: why.
    Refused(Message),
    /// A function of the visitor would have to be called once more to tell.
    Calls,
    /// The other edition gives another shape.
    Shape(String),
    /// So many cells have another value.
    Cells {
        /// For each array of the result: the cells, with the value of the other edition.
        cells: Vec<Vec<(Dims, String)>>,
        /// How many there are in all, those that differ and those that do not.
        all: i64,
    },
}

impl Difference {
    /// How many cells differ.
    pub fn count(&self) -> usize {
        match self {
            Self::Cells { cells, .. } => cells.iter().map(Vec::len).sum(),
            _ => 0,
        }
    }
}

/// The other one.
pub fn other_edition(edition: Edition) -> Edition {
    match edition {
        Edition::Now => Edition::V2017,
        Edition::V2017 => Edition::Now,
    }
}

/// Runs the experiment in the other edition, and compares the value of an instruction of the entry computation.
pub fn compare(
    experiment: &Experiment,
    ran: &FinishedRun,
    focus: InstructionId,
    limits: Limits,
) -> Option<Difference> {
    let edition = other_edition(experiment.edition);
    let parsed = parse_edition(&experiment.text, edition);
    if let Some(problem) = parsed.error() {
        return Some(Difference::Refused(problem.message.clone()));
    }
    let module = Rc::new(parsed.module);
    let experiment = Experiment { edition, ..experiment.clone() };
    let needs = Needs::of(&module);
    if !needs.functions.is_empty() {
        return Some(Difference::Calls);
    }
    let theirs = if needs.need_host_or_devices() {
        let run = match run_alone(&experiment, &module, limits) {
            Ok(run) => Rc::new(run),
            Err(stuck) => return Some(Difference::Refused(stuck.error().error.message.clone())),
        };
        FinishedRun::of_replica(&experiment, &module, run, ran.device())?
    } else {
        match FinishedRun::new(&experiment, &module, limits) {
            Ok(theirs) => theirs,
            Err(error) => return Some(Difference::Refused(error.error.message)),
        }
    };
    values(ran.value(focus)?, theirs.value(focus)?)
}

/// Compares two values; `None` where there are no arrays in them.
fn values(ours: &Data, theirs: &Data) -> Option<Difference> {
    let (a, b) = (leaves(ours), leaves(theirs));
    if a.is_empty() {
        return None;
    }
    let sizes = |data: &Data| data.shape().human_string();
    if sizes(ours) != sizes(theirs) {
        return Some(Difference::Shape(sizes(theirs)));
    }
    let mut all = 0;
    let cells = a.iter().zip(&b).map(|((_, ours), (_, theirs))| {
        let shape = ours.shape();
        all += ours.map().elements();
        let numbers = 0..ours.map().elements();
        let indices = numbers.map(|number| xla_array::index::index_of(number, &shape.dimensions));
        let differing = indices.filter_map(|index| {
            // By what is written: NaN is NaN, and -0 is not 0.
            let exact = xla_array::value::text::Exactness::RoundTrip;
            let text = |value: xla_array::Value| value.text(shape.element_type, exact);
            let (ours, theirs) = (text(ours.get(&index)?), text(theirs.get(&index)?));
            (ours != theirs).then_some((index, theirs))
        });
        differing.collect()
    });
    let cells = cells.collect();
    Some(Difference::Cells { cells, all })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(instructions: &str) -> Option<Difference> {
        let text = format!("HloModule m ENTRY e {{ {instructions} }}");
        let module = Rc::new(xla_hlo::parse(&text).into_module().unwrap());
        let focus = module.entry_computation().unwrap().root.unwrap();
        let experiment = Experiment::of(text);
        let ran = FinishedRun::new(&experiment, &module, Limits::default()).unwrap();
        compare(&experiment, &ran, focus, Limits::default())
    }

    #[test]
    fn cells_that_differ_are_told_with_the_other_value() {
        // NaN wins today; in 2017 the number did.
        let found = of("x = f32[3] constant({nan,2,3}) y = f32[3] constant({1,1,4}) ROOT r = maximum(x, y)");
        let first: Dims = [0_i64].as_slice().into();
        let cells = vec![vec![(first, "1".to_owned())]];
        assert_eq!(found, Some(Difference::Cells { cells, all: 3 }));
        let same = of("x = s32[4] constant({1,2,3,4}) ROOT r = negate(x)").unwrap();
        assert_eq!((same.count(), &same), (0, &Difference::Cells { cells: vec![vec![]], all: 4 }));
    }

    #[test]
    fn what_the_other_edition_does_not_know_is_said() {
        let found = of("x = f32[4] iota(), iota_dimension=0 z = f32[] constant(0)
            ROOT r = reduce-window(x, z), window={size=2 rhs_dilate=2}, to_apply={
              a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }");
        assert!(matches!(found, Some(Difference::Refused(_))), "{found:?}");
    }

    #[test]
    fn replicas_are_compared_with_replicas() {
        let text = "HloModule m
            max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = maximum(a, b) }
            ENTRY e { x = f32[2] parameter(0) ROOT r = f32[2] all-reduce(x), replica_groups={}, to_apply=max }";
        let module = Rc::new(xla_hlo::parse(text).into_module().unwrap());
        let focus = module.entry_computation().unwrap().root.unwrap();
        let mut experiment = Experiment::of(text);
        experiment.values = vec![xla_array::values::Values::Typed("nan, 2".to_owned())];
        experiment.environment.replicas = 2;
        let own = xla_array::values::Values::Typed("3, 1".to_owned());
        experiment.environment.values = [((1, 0), own)].into();
        let run = Rc::new(run_alone(&experiment, &module, Limits::default()).unwrap());
        let ran = FinishedRun::of_replica(&experiment, &module, run, 1).unwrap();
        let first: Dims = [0_i64].as_slice().into();
        let found = compare(&experiment, &ran, focus, Limits::default());
        assert_eq!(found, Some(Difference::Cells { cells: vec![vec![(first, "3".to_owned())]], all: 2 }));
    }
}
