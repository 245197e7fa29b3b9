//! Compares an experiment's results in the two editions (current XLA and XLA 2017), cell by cell.

use std::rc::Rc;

use super::devices::run_without_functions;
use super::finished::FinishedRun;
use super::leaves::leaves;
use crate::Experiment;
use crate::needs::Needs;
use crate::start_indices::convert_start_indices;
use xla_array::{Dims, Edition};
use xla_hlo::parser::parse_edition;
use xla_hlo::{InstructionId, Limits};
use xla_messages::i18n::Message;
use xla_ops::Data;

/// The difference between the editions in the value of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// The other edition rejects the text or the run.
    Rejected(Box<Rejection>),
    /// Not compared, because it would repeat the call of a user function.
    NeedsHostCall,
    /// The result has this shape in the other edition, as text.
    Shape(String),
    /// The shapes are equal; the cells that differ, which may be none.
    Cells {
        /// Per array of the result, the cells that differ, with their values in the other edition.
        cells: Vec<Vec<(Dims, String)>>,
        /// Number of elements in all arrays.
        element_count: i64,
    },
}

/// Why the other edition rejects an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Rejection {
    /// The error that the other edition reports.
    pub reason: Message,
    /// Whether the text is rejected, not only a run with these values.
    pub is_parse_error: bool,
    /// What to use instead, if the diagnostic suggests one.
    pub alternative: Option<Message>,
    /// The experiment with fixes for the text, if they make it valid.
    pub rewrite: Option<Rewrite>,
}

/// An experiment whose text was fixed for another edition.
#[derive(Clone, Debug, PartialEq)]
pub struct Rewrite {
    /// The name of the first fix.
    pub first_fix: Message,
    /// The experiment with all fixes applied.
    pub experiment: Experiment,
}

impl Rejection {
    /// The difference if the run failed in the other edition.
    fn of_failed_run(reason: Message) -> Difference {
        Difference::Rejected(Box::new(Self {
            reason,
            is_parse_error: false,
            alternative: None,
            rewrite: None,
        }))
    }
}

impl Difference {
    /// The number of cells that differ.
    pub fn count(&self) -> usize {
        match self {
            Self::Cells { cells, .. } => cells.iter().map(Vec::len).sum(),
            _ => 0,
        }
    }
}

/// The other edition.
pub fn other_edition(edition: Edition) -> Edition {
    match edition {
        Edition::Current => Edition::V2017,
        Edition::V2017 => Edition::Current,
    }
}

/// Runs the experiment in the other edition and compares the value of an instruction of the entry computation. `None`
/// if the value has no arrays, or if either run did not compute it.
pub fn compare(
    experiment: &Experiment,
    finished: &FinishedRun,
    selected: InstructionId,
    limits: Limits,
) -> Option<Difference> {
    let edition = other_edition(experiment.edition);
    let parsed = parse_edition(&experiment.text, edition);
    if let Some(error) = parsed.error() {
        let alternative =
            error.hints.iter().rfind(|hint| hint.edits.is_empty()).map(|hint| hint.message.clone());
        let rewrite = rewrite(experiment, edition);
        let reason = error.message.clone();
        return Some(Difference::Rejected(Box::new(Rejection {
            reason,
            is_parse_error: true,
            alternative,
            rewrite,
        })));
    }
    let module = Rc::new(parsed.module);
    let experiment = Experiment { edition, ..experiment.clone() };
    let needs = Needs::new(&module);
    if !needs.functions.is_empty() {
        return Some(Difference::NeedsHostCall);
    }
    let other = if needs.requires_simulation() {
        let run = match run_without_functions(&experiment, &module, limits) {
            Ok(run) => Rc::new(run),
            Err(unfinished) => {
                return Some(Rejection::of_failed_run(unfinished.error().error.message.clone()));
            }
        };
        FinishedRun::from_replica(&experiment, &module, run, finished.selected_replica())?
    } else {
        match FinishedRun::run(&experiment, &module, limits) {
            Ok(other) => other,
            Err(error) => return Some(Rejection::of_failed_run(error.error.message)),
        }
    };
    compare_values(finished.value(selected)?, other.value(selected)?)
}

/// Maximum number of fixes that are applied to the text, one per error.
const MAX_APPLIED_FIXES: usize = 16;

/// The experiment with the fixes that make its text valid in an edition. Its edition changes
/// only if its own edition rejects the fixed text.
fn rewrite(experiment: &Experiment, edition: Edition) -> Option<Rewrite> {
    if let Some(joined) = convert_start_indices(experiment, edition, &[]) {
        // Both editions accept start indices as one vector.
        let experiment = Experiment { edition: experiment.edition, ..joined.experiment };
        return Some(Rewrite { first_fix: Message::ops("lowering-join-starts"), experiment });
    }
    let (mut text, mut first_fix) = (experiment.text.clone(), None);
    for _ in 0..MAX_APPLIED_FIXES {
        let parsed = parse_edition(&text, edition);
        let Some(error) = parsed.error() else {
            let both_accept = parse_edition(&text, experiment.edition).error().is_none();
            let edition = if both_accept { experiment.edition } else { edition };
            return Some(Rewrite {
                first_fix: first_fix?,
                experiment: Experiment { text, edition, ..experiment.clone() },
            });
        };
        let (hint, fixed) = error.hints.iter().find_map(|hint| Some((hint, hint.apply(&text)?)))?;
        first_fix.get_or_insert_with(|| hint.message.clone());
        text = fixed;
    }
    None
}

/// Compares two values; `None` if the first has no arrays.
fn compare_values(this: &Data, other: &Data) -> Option<Difference> {
    let (these_arrays, other_arrays) = (leaves(this), leaves(other));
    if these_arrays.is_empty() {
        return None;
    }
    let shape = |data: &Data| data.shape().human_string();
    if shape(this) != shape(other) {
        return Some(Difference::Shape(shape(other)));
    }
    let mut element_count = 0;
    let cells = these_arrays.iter().zip(&other_arrays).map(|((_, this), (_, other))| {
        let shape = this.shape();
        element_count += this.memory_map().elements();
        let row_major_indices = 0..this.memory_map().elements();
        let indices = row_major_indices.map(|n| xla_array::index::multi_index(n, &shape.dimensions));
        let differing = indices.filter_map(|index| {
            // Compare the printed text: NaNs with the same sign and payload are equal, and -0 and 0 differ.
            let exact = xla_array::value::text::Exactness::RoundTrip;
            let text = |value: xla_array::Value| value.text(shape.element_type, exact);
            let (this, other) = (text(this.get(&index)?), text(other.get(&index)?));
            (this != other).then_some((index, other))
        });
        differing.collect()
    });
    let cells = cells.collect();
    Some(Difference::Cells { cells, element_count })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare_editions(instructions: &str) -> Option<Difference> {
        let text = format!("HloModule m ENTRY e {{ {instructions} }}");
        let module = Rc::new(xla_hlo::parse(&text).into_module().unwrap());
        let focus = module.entry_computation().unwrap().root.unwrap();
        let experiment = Experiment::from_text(text);
        let finished = FinishedRun::run(&experiment, &module, Limits::default()).unwrap();
        compare(&experiment, &finished, focus, Limits::default())
    }

    #[test]
    fn differing_cells_have_the_value_of_the_other_edition() {
        // Current XLA propagates NaN in `maximum`; XLA 2017 returned the number.
        let found = compare_editions(
            "x = f32[3] constant({nan,2,3}) y = f32[3] constant({1,1,4}) ROOT r = maximum(x, y)",
        );
        let first: Dims = [0_i64].as_slice().into();
        let cells = vec![vec![(first, "1".to_owned())]];
        assert_eq!(found, Some(Difference::Cells { cells, element_count: 3 }));
        let same = compare_editions("x = s32[4] constant({1,2,3,4}) ROOT r = negate(x)").unwrap();
        assert_eq!((same.count(), &same), (0, &Difference::Cells { cells: vec![vec![]], element_count: 4 }));
    }

    #[test]
    fn text_that_the_other_edition_rejects_is_reported() {
        let found = compare_editions(
            "x = f32[4] constant({0,1,2,3}) z = f32[] constant(0)
            ROOT r = reduce-window(x, z), window={size=2 rhs_dilate=2}, to_apply={
              a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
        );
        assert_eq!(rejection(found).alternative, None);
        let newer_op = rejection(compare_editions("ROOT r = f32[4] iota(), iota_dimension=0"));
        assert_eq!(newer_op.reason, Message::ops("edition-op").with("op", "iota"));
        assert_eq!(
            (newer_op.alternative, newer_op.is_parse_error),
            (Some(Message::ops("instead-iota")), true)
        );
    }

    #[track_caller]
    fn rejection(found: Option<Difference>) -> Rejection {
        match found {
            Some(Difference::Rejected(rejection)) => *rejection,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn fixes_make_text_valid_in_both_editions() {
        let found = compare_editions(
            "x = f32[5] constant({0,1,2,3,4}) s = s32[] constant(4)
            a = f32[2] dynamic-slice(x, s), dynamic_slice_sizes={2}
            ROOT r = f32[2] dynamic-slice(x, s), dynamic_slice_sizes={2}",
        );
        let Rewrite { first_fix, experiment: rewritten } = rejection(found).rewrite.unwrap();
        assert_eq!(first_fix, Message::ops("lowering-join-starts"));
        assert_eq!(rewritten.edition, Edition::Current);
        for edition in [Edition::Current, Edition::V2017] {
            assert_eq!(parse_edition(&rewritten.text, edition).error(), None, "{}", rewritten.text);
        }
    }

    #[test]
    fn a_replica_is_compared_with_the_same_replica() {
        let text = "HloModule m
            add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }
            ENTRY e { x = f32[2] parameter(0) y = f32[2] constant({1, 1}) m = maximum(x, y)
            ROOT r = f32[2] all-reduce(m), replica_groups={}, to_apply=add }";
        let module = Rc::new(xla_hlo::parse(text).into_module().unwrap());
        let focus = module.entry_computation().unwrap().root.unwrap();
        let mut experiment = Experiment::from_text(text);
        experiment.values = vec![xla_array::values::ValueRule::Text("nan, 2".to_owned())];
        experiment.environment.replicas = 2;
        let own = xla_array::values::ValueRule::Text("3, 1".to_owned());
        experiment.environment.values = [((1, 0), own)].into();
        let run = Rc::new(run_without_functions(&experiment, &module, Limits::default()).unwrap());
        let finished = FinishedRun::from_replica(&experiment, &module, run, 1).unwrap();
        let first: Dims = [0_i64].as_slice().into();
        let found = compare(&experiment, &finished, focus, Limits::default());
        assert_eq!(
            found,
            Some(Difference::Cells { cells: vec![vec![(first, "4".to_owned())]], element_count: 2 })
        );
    }
}
