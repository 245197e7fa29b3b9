//! The wire types of evaluation.

use serde::{Deserialize, Serialize};

use crate::worker::channel::Service;

/// The evaluation service.
pub enum Evaluation {}

impl Service for Evaluation {
    const NAME: &'static str = "evaluate";
    type Request = Job;
    type Progress = Progress;
    type Reply = Reply;
}

/// The service that computes shards of a large task, which an evaluating worker uses.
pub enum Sharding {}

impl Service for Sharding {
    const NAME: &'static str = "evaluate-share";
    type Request = ShardRequest;
    type Progress = ();
    type Reply = ShardReply;
}

/// A module to run, with its arguments and limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The module as HLO text.
    pub text: String,
    /// The values of each parameter of the entry computation; iota for those beyond the end of the list.
    pub values: Vec<ParameterValues>,
    /// Whether to evaluate in the 2017 edition.
    pub is_2017: bool,
    /// The initial state of the random number generator.
    pub seed: u64,
    /// The id of the focused instruction: its value and its operands' are transferred first.
    pub focus: usize,
    /// The tag of the language of error messages.
    pub language: String,
    /// The kernels that may compute large ops.
    pub kernels: AllowedKernels,
    /// Whether to compare the focused instruction's value with the reference evaluator's.
    pub compares_with_reference: bool,
    /// Maximum number of steps.
    pub max_steps: u64,
    /// Maximum bytes held at once.
    pub max_bytes: u64,
    /// Maximum number of transferred cells, padding included, of all values together.
    pub max_transferred_cells: i64,
}

/// The kernels that may compute large ops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AllowedKernels {
    /// None: the reference evaluator computes every op.
    Off,
    /// Strict kernels: bit-identical on every machine.
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
    /// Pseudo-random values of a seed.
    Random(u32),
    /// Values as text.
    Text(String),
}

/// The reply to a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// The run finished.
    Done(Done),
    /// The job failed with an error.
    Failed(Failure),
}

/// The progress of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The steps that the run has taken.
    pub steps: u64,
    /// The name of the running instruction of the entry computation.
    pub instruction: String,
    /// The number of computed cells of its value, and their total, if it is computed cell by cell.
    pub cells: Option<(i64, i64)>,
}

/// The values of a finished run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Done {
    /// The steps that the run has taken.
    pub steps: u64,
    /// Values of the entry computation, by instruction id.
    pub values: Vec<(usize, WireValue)>,
    /// Whether values that the result needs were too large to transfer.
    pub is_partial: bool,
    /// For each instruction of the entry computation, the position of the random number generator before it ran:
    /// executions of `rng`, and the upper and lower half of the generator's advance.
    pub random_positions: Vec<(u64, u64, u64)>,
    /// For each instruction of the entry computation, what computed its value.
    pub computed_by: Vec<Option<WireComputedBy>>,
    /// How the focused instruction's value differs from the reference evaluator's, if that was requested.
    pub difference: Option<Difference>,
    /// The id of the focused instruction and its iterations, if it is a loop.
    pub iterations: Option<(usize, Iterations)>,
}

/// The values that a loop carried.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iterations {
    /// The value before each iteration, then the value after the last one; each as text, one string per tuple
    /// element.
    pub states: Vec<Vec<String>>,
    /// Whether the loop had more iterations than were recorded.
    pub is_truncated: bool,
}

/// The difference between a value computed by kernels and the reference evaluator's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The number of cells.
    pub total: i64,
    /// The number of cells that differ.
    pub mismatches: i64,
    /// The cell that differs most: its index, its value by the kernels and by the reference evaluator, and their
    /// distance in ULPs.
    pub worst: Option<(Vec<i64>, String, String, Option<u64>)>,
}

/// What computed a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WireComputedBy {
    /// The reference evaluator, for the reason at this index of [`crate::ops::Fallback::ALL`].
    Reference(usize),
    /// The strict kernel of this name, in this number of workers.
    Strict(String, u32),
    /// The fast kernel of this name, in this number of workers.
    Fast(String, u32),
    /// The reference evaluator, because the kernels were not available: the [`crate::cause::Cause::code`].
    Unavailable(String),
    /// A kernel of a substitute module: its name, whether the module is the scalar one, and the code of the cause.
    Substitute(String, bool, String),
}

/// A shard of a task. The elements that it reads are the buffers sent with the frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardRequest {
    /// Whether to use the fast module.
    pub is_fast: bool,
    /// The task as words.
    pub words: Vec<i32>,
    /// The number of elements of each buffer that is read.
    pub read: Vec<usize>,
    /// The number of elements of the result.
    pub written: usize,
}

/// The reply to a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ShardReply {
    /// The shard is computed; its result is the buffer sent with the frame.
    Done,
    /// The shard failed.
    Failed,
}

/// A value; its arrays are in the buffers sent with the frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum WireValue {
    /// An array with its elements.
    Array {
        /// Its shape with its layout, in the text form.
        shape: String,
        /// The index of its buffer.
        buffer: usize,
        /// Its minimum and maximum finite value.
        finite: Option<(f64, f64)>,
        /// Whether it has a NaN, +inf and -inf.
        non_finite: [bool; 3],
    },
    /// A tuple with its elements.
    Tuple(Vec<WireValue>),
    /// A token, which has no value.
    Token,
}

/// Why a run failed, in the language of the job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The message of the error.
    pub message: String,
    /// The identifier of the rule or limit.
    pub rule: String,
    /// How the error may be avoided.
    pub hints: Vec<String>,
    /// The names of the computation and of the failed instruction.
    pub at: Option<(String, String)>,
    /// The parameter whose argument caused it, if one did; on several devices, their parameters are numbered consecutively.
    #[serde(default)]
    pub parameter: Option<usize>,
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
                ParameterValues::Text("1, \"2\"\n三".to_owned()),
            ],
            is_2017: true,
            seed: u64::MAX,
            focus: 3,
            language: "zh-Hans".to_owned(),
            kernels: AllowedKernels::Fast,
            compares_with_reference: true,
            max_steps: u64::MAX,
            max_bytes: u64::MAX,
            max_transferred_cells: 1,
        };
        let text = job.to_text().unwrap();
        assert_eq!(Reply::from_text(&text), None, "a request must not parse as a reply");
        assert_eq!(Job::from_text(&text), Some(job));
        let shard =
            ShardRequest { is_fast: true, words: vec![i32::MIN, 0], read: vec![1, usize::MAX], written: 2 };
        assert_eq!(ShardRequest::from_text(&shard.to_text().unwrap()), Some(shard));
        for garbage in ["", "[]", "{}", "null", "7"] {
            assert_eq!((Job::from_text(garbage), Reply::from_text(garbage)), (None, None), "{garbage}");
        }
    }

    #[test]
    fn replies_round_trip() {
        let array = WireValue::Array {
            shape: "f32[2]{0}".to_owned(),
            buffer: 1,
            finite: Some((-0.1, 1e300)),
            non_finite: [true, false, true],
        };
        let failure = Failure {
            message: "zu groß".to_owned(),
            rule: "budget-steps".to_owned(),
            hints: vec!["kleiner".to_owned()],
            at: Some(("main".to_owned(), "dot.1".to_owned())),
            parameter: Some(3),
        };
        let done = Done {
            steps: u64::MAX,
            values: vec![(0, array.clone()), (9, WireValue::Tuple(vec![WireValue::Token, array]))],
            is_partial: true,
            random_positions: vec![(0, 0, 0), (1, u64::MAX, 2)],
            computed_by: vec![
                None,
                Some(WireComputedBy::Fast("dot".into(), 2)),
                Some(WireComputedBy::Unavailable("status 404".into())),
                Some(WireComputedBy::Substitute("dot".into(), true, "no-simd".into())),
            ],
            difference: Some(Difference {
                total: 4,
                mismatches: 1,
                worst: Some((vec![3], "1".into(), "nan".into(), None)),
            }),
            iterations: Some((
                2,
                Iterations { states: vec![vec!["0".into(), "{1, 2}".into()]], is_truncated: true },
            )),
        };
        for reply in [Reply::Done(done), Reply::Failed(failure)] {
            assert_eq!(Reply::from_text(&reply.to_text().unwrap()), Some(reply));
        }
        let progress = Progress { steps: 3, instruction: "r".to_owned(), cells: Some((1, i64::MAX)) };
        assert_eq!(Progress::from_text(&progress.to_text().unwrap()), Some(progress));
        for reply in [ShardReply::Done, ShardReply::Failed] {
            assert_eq!(ShardReply::from_text(&reply.to_text().unwrap()), Some(reply));
        }
    }
}
