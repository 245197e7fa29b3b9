//! The wire types of evaluation: never a type of the core, so that the core may change freely.

use serde::{Deserialize, Serialize};

use crate::worker::channel::Service;

/// Evaluation of a module.
pub enum Evaluation {}

impl Service for Evaluation {
    const NAME: &'static str = "evaluate";
    type Request = Job;
    type Progress = Progress;
    type Reply = Reply;
}

/// A share of a large task, which an evaluating worker asks of another one.
pub enum Sharing {}

impl Service for Sharing {
    const NAME: &'static str = "evaluate-share";
    type Request = ShareRequest;
    type Progress = ();
    type Reply = ShareReply;
}

/// A module to run, and on what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The module as HLO text.
    pub text: String,
    /// The values of each parameter of the entry computation; iota where the list ends before it.
    pub values: Vec<ParameterValues>,
    /// Whether it is evaluated as XLA 2017 does.
    pub is_2017: bool,
    /// The initial state of random numbers.
    pub seed: u64,
    /// The number of the observed instruction: its value and those of its operands are transferred first.
    pub focus: usize,
    /// The tag of the language of error messages.
    pub language: String,
    /// Which kernels may compute heavy ops.
    pub kernels: AllowedKernels,
    /// Whether the observed value is compared with that of the reference evaluator.
    pub compares: bool,
    /// The most steps.
    pub max_steps: u64,
    /// The most bytes held at once.
    pub max_bytes: u64,
    /// The most cells, padding included, of all transferred values together.
    pub max_transferred_cells: i64,
}

/// Which kernels may compute heavy ops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AllowedKernels {
    /// None: the reference evaluator computes every op.
    Off,
    /// Strict kernels: the same bits on every machine.
    #[default]
    Strict,
    /// Fast kernels: rounding may differ.
    Fast,
}

/// The values of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ParameterValues {
    /// 0, 1, 2 … in logical order.
    Iota,
    /// Pseudo-random numbers of a seed.
    Random(u32),
    /// Values as text.
    Typed(String),
}

/// The reply to a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// It ended with values.
    Done(Done),
    /// It ended without.
    Failed(Failure),
}

/// How far a job is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Steps taken.
    pub steps: u64,
    /// The name of the instruction of the entry computation that is running.
    pub instruction: String,
    /// The cells of its value that are done, and how many there are, where it is computed cell by cell.
    pub cells: Option<(i64, i64)>,
}

/// The values of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// Steps taken.
    pub steps: u64,
    /// Values of instructions of the entry computation, by their numbers.
    pub values: Vec<(usize, ValueAt)>,
    /// Whether values that the result needs were not transferred, being too large together.
    pub is_partial: bool,
    /// For each instruction of the entry computation what random numbers had been drawn before it ran: executions of `rng`, and
    /// the upper and lower half of what was added to the state.
    pub drawn: Vec<(u64, u64, u64)>,
    /// For each instruction of the entry computation what made its value.
    pub made: Vec<Option<MadeBy>>,
    /// How the observed value differs from that of the reference evaluator, where that was asked.
    pub difference: Option<Difference>,
    /// The number of the observed instruction and its iterations, where it is a loop.
    pub carried: Option<(usize, Iterations)>,
}

/// The values that a loop carried.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iterations {
    /// The value before each iteration, then the value after the last one; each as text, one for each part of it.
    pub states: Vec<Vec<String>>,
    /// Whether the loop went on beyond what is kept.
    pub is_cut: bool,
}

/// How a value that kernels made differs from that of the reference evaluator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// All cells.
    pub all: i64,
    /// Those that differ.
    pub differing: i64,
    /// The index of the cell that differs most, its value by the kernels and by the reference evaluator, and the number of values of
    /// the element type between them.
    pub worst: Option<(Vec<i64>, String, String, Option<u64>)>,
}

/// What made a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MadeBy {
    /// The reference evaluator; the reason by its position in [`crate::ops::Fallback::ALL`].
    Body(usize),
    /// The strict kernel of this name, in so many workers.
    Strict(String, u32),
    /// The fast kernel of this name, in so many workers.
    Fast(String, u32),
    /// The reference evaluator, since a kernel was not available; the [`crate::cause::Cause::code`].
    Unavailable(String),
    /// The strict kernel of this name, whether it is of the scalar module, and the code of why it is not the requested one.
    Substitute(String, bool, String),
}

/// A share of a task. The cells that it reads are beside the frame, transferred.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShareRequest {
    /// Whether the fast module does it.
    pub is_fast: bool,
    /// The task, as numbers.
    pub words: Vec<i32>,
    /// The cells of each buffer that is read.
    pub read: Vec<usize>,
    /// The cells that are written.
    pub written: usize,
}

/// What became of a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ShareReply {
    /// It is done; its result is beside the frame.
    Done,
    /// It failed.
    Failed,
}

/// A value, its arrays in the memory beside the frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ValueAt {
    /// An array.
    Array {
        /// Its shape with its layout, in the text form.
        shape: String,
        /// The number of the memory beside the frame that holds it.
        memory: usize,
        /// Its smallest and largest finite value.
        range: (f64, f64),
    },
    /// A tuple.
    Tuple(Vec<ValueAt>),
    /// A token.
    Token,
}

/// Why a run ended without values, in the language of the job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What happened.
    pub message: String,
    /// The label of the rule or limit.
    pub rule: String,
    /// What to do about it.
    pub hints: Vec<String>,
    /// The names of the computation and the instruction where it happened.
    pub place: Option<(String, String)>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::channel::frame::Body;

    #[test]
    fn requests_round_trip() {
        let job = Job {
            text: "HloModule m\n\nENTRY e { ROOT c = f32[] constant(1) }".to_owned(),
            values: vec![
                ParameterValues::Iota,
                ParameterValues::Random(u32::MAX),
                ParameterValues::Typed("1, \"2\"\n三".to_owned()),
            ],
            is_2017: true,
            seed: u64::MAX,
            focus: 3,
            language: "zh-Hans".to_owned(),
            kernels: AllowedKernels::Fast,
            compares: true,
            max_steps: u64::MAX,
            max_bytes: u64::MAX,
            max_transferred_cells: 1,
        };
        let text = job.to_text().unwrap();
        assert_eq!(Reply::of_text(&text), None, "a request is no reply");
        assert_eq!(Job::of_text(&text), Some(job));
        let share =
            ShareRequest { is_fast: true, words: vec![i32::MIN, 0], read: vec![1, usize::MAX], written: 2 };
        assert_eq!(ShareRequest::of_text(&share.to_text().unwrap()), Some(share));
        for garbage in ["", "[]", "{}", "null", "7"] {
            assert_eq!((Job::of_text(garbage), Reply::of_text(garbage)), (None, None), "{garbage}");
        }
    }

    #[test]
    fn replies_round_trip() {
        let array = ValueAt::Array { shape: "f32[2]{0}".to_owned(), memory: 1, range: (-0.1, 1e300) };
        let failure = Failure {
            message: "zu groß".to_owned(),
            rule: "budget-steps".to_owned(),
            hints: vec!["kleiner".to_owned()],
            place: Some(("main".to_owned(), "dot.1".to_owned())),
        };
        let done = Done {
            steps: u64::MAX,
            values: vec![(0, array.clone()), (9, ValueAt::Tuple(vec![ValueAt::Token, array]))],
            is_partial: true,
            drawn: vec![(0, 0, 0), (1, u64::MAX, 2)],
            made: vec![
                None,
                Some(MadeBy::Fast("dot".into(), 2)),
                Some(MadeBy::Unavailable("status 404".into())),
                Some(MadeBy::Substitute("dot".into(), true, "no-simd".into())),
            ],
            difference: Some(Difference {
                all: 4,
                differing: 1,
                worst: Some((vec![3], "1".into(), "nan".into(), None)),
            }),
            carried: Some((2, Iterations { states: vec![vec!["0".into(), "{1, 2}".into()]], is_cut: true })),
        };
        for reply in [Reply::Done(done), Reply::Failed(failure)] {
            assert_eq!(Reply::of_text(&reply.to_text().unwrap()), Some(reply));
        }
        let progress = Progress { steps: 3, instruction: "r".to_owned(), cells: Some((1, i64::MAX)) };
        assert_eq!(Progress::of_text(&progress.to_text().unwrap()), Some(progress));
        for reply in [ShareReply::Done, ShareReply::Failed] {
            assert_eq!(ShareReply::of_text(&reply.to_text().unwrap()), Some(reply));
        }
    }
}
