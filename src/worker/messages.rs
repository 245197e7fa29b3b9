//! What crosses between page and worker: never a type of the core, so that the core may change freely.
//!
//! Two conversations share the worker's code, each with a worker of its own: counting moves ([`CountMoves`],
//! [`Counted`]), and evaluation ([`Request`], [`Reply`]). The first is plain text, so that the landing page carries no JSON. The
//! second has a header, which is JSON and carries [`PROTOCOL`], and the memory of arrays beside it, which is transferred and not copied. A header of
//! another protocol is told from garbage, so that a page and a worker of different ages refuse each other politely.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::state::experiment::iterations::Iterations;

/// Count what a change of layout moves. Shapes are in the text form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountMoves {
    /// The array in its first layout.
    pub from: String,
    /// The array in its second layout.
    pub to: String,
}

impl CountMoves {
    /// What the text of a request starts with.
    const START: &str = "count-moves";

    /// The text of the request.
    pub fn to_text(&self) -> String {
        format!("{}\n{}\n{}", Self::START, self.from, self.to)
    }

    /// The request of a text.
    pub fn of_text(text: &str) -> Option<Self> {
        match text.lines().collect::<Vec<_>>()[..] {
            [Self::START, from, to] => Some(Self { from: from.to_owned(), to: to.to_owned() }),
            _ => None,
        }
    }
}

/// What came of the counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// All elements were counted.
    Moved {
        /// Elements that have another slot.
        elements: i64,
        /// Their bytes.
        bytes: i64,
    },
    /// The request is not understood.
    Refused,
}

impl Counted {
    /// The text of the answer.
    pub fn to_text(self) -> String {
        match self {
            Self::Moved { elements, bytes } => format!("moved {elements} {bytes}"),
            Self::Refused => "refused".to_owned(),
        }
    }

    /// The answer of a text.
    pub fn of_text(text: &str) -> Option<Self> {
        match text.split(' ').collect::<Vec<_>>()[..] {
            ["moved", elements, bytes] => {
                Some(Self::Moved { elements: elements.parse().ok()?, bytes: bytes.parse().ok()? })
            }
            ["refused"] => Some(Self::Refused),
            _ => None,
        }
    }
}

/// The version of the conversation about evaluation; another one for every change of [`Request`] or [`Reply`].
pub const PROTOCOL: u32 = 5;

/// What the page asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// Run a module.
    Run(Job),
}

/// A module to run, and on what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The number of the job; every answer carries it, and the page listens to the newest only.
    pub epoch: u64,
    /// The module as HLO text.
    pub text: String,
    /// What each parameter of the entry computation holds; iota where the list ends before it.
    pub values: Vec<JobValues>,
    /// Whether the XLA of 2017 answers.
    pub is_2017: bool,
    /// What random numbers start from.
    pub seed: u64,
    /// The number of the instruction whose value, with those of its operands, is wanted first.
    pub focus: usize,
    /// The tag of the language to say errors in.
    pub language: String,
    /// Which kernels may take over.
    pub kernels: Asked,
    /// Whether the value that is wanted first is held against that of the definitions.
    pub compares: bool,
    /// The most steps.
    pub steps: u64,
    /// The most bytes held at once.
    pub bytes: u64,
    /// The most cells, padding included, of all values that are handed over.
    pub handed: i64,
    /// Whether the worker starts no others.
    pub is_alone: bool,
}

/// Which kernels may take over where an op is heavy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Asked {
    /// None: every op runs its body.
    Off,
    /// Those that give the same bits on every machine.
    #[default]
    Strict,
    /// Those that may round otherwise.
    Fast,
}

/// What a parameter holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum JobValues {
    /// 0, 1, 2 … in logical order.
    Iota,
    /// Pseudo-random numbers of a seed.
    Random(u32),
    /// Written out.
    Typed(String),
}

/// What the worker answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// The worker is about to start others, or has started them: in between it may become stuck.
    Starts(bool),
    /// A job is under way.
    Progress(Progress),
    /// A job has ended with values.
    Done(Done),
    /// A job has ended without.
    Failed {
        /// Which.
        epoch: u64,
        /// Why.
        failure: Failure,
    },
    /// The request is of another protocol.
    Refused,
}

/// How far a job is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Which.
    pub epoch: u64,
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
    /// Of which job.
    pub epoch: u64,
    /// Steps taken.
    pub steps: u64,
    /// Values of instructions of the entry computation, by their numbers.
    pub values: Vec<(usize, ValueAt)>,
    /// Whether values that the result needs were left out, being too large together.
    pub is_partial: bool,
    /// For each instruction of the entry computation what had been drawn before it ran: executions of `rng`, and the
    /// upper and lower half of what was added to the state.
    pub drawn: Vec<(u64, u64, u64)>,
    /// For each instruction of the entry computation what made its value.
    pub made: Vec<Option<MadeBy>>,
    /// How the value that was wanted first differs from that of the definitions, where that was asked.
    pub compared: Option<Differs>,
    /// What the loop that is looked at carried, where it is one: its number, and that.
    pub carried: Option<(usize, Iterations)>,
}

/// How a value that kernels made differs from that of the definitions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Differs {
    /// All cells.
    pub all: i64,
    /// Those that differ.
    pub differing: i64,
    /// The index of the cell that differs most, what the kernels made, what the definition says, and the values of the
    /// element type between them.
    pub worst: Option<(Vec<i64>, String, String, Option<u64>)>,
}

/// What made a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MadeBy {
    /// The body of the op; the reason by its place in [`crate::ops::Fallback::ALL`].
    Body(usize),
    /// The strict kernel of this name, in so many workers.
    Strict(String, u32),
    /// The fast kernel of this name, in so many workers.
    Fast(String, u32),
    /// The body of the op, for want of a kernel that would have done it; the [`crate::cause::Cause::code`].
    Unavailable(String),
    /// The strict kernel of this name, whether it is of the scalar module, and the code of why it is not the one that was asked for.
    Substitute(String, bool, String),
}

/// What an evaluating worker asks of another one: its share of a task. The cells that it reads lie beside.
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

/// What the other one answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ShareReply {
    /// The share is done, or not; what was written lies beside.
    Went(bool),
}

/// A value, its arrays in the memory beside the header.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ValueAt {
    /// An array.
    Array {
        /// Its shape with its layout, in the text form.
        shape: String,
        /// The number of the memory beside the header that holds it.
        memory: usize,
        /// Its smallest and largest finite value.
        range: (f64, f64),
    },
    /// A tuple.
    Tuple(Vec<ValueAt>),
    /// A token.
    Token,
}

/// Why a run ended without values, said in the reader's language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What happened.
    pub message: String,
    /// The label of the rule or limit.
    pub rule: String,
    /// Ways out, in words.
    pub hints: Vec<String>,
    /// The names of the computation and the instruction where it happened.
    pub place: Option<(String, String)>,
}

/// Why a header is not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misread {
    /// It is of another version of the conversation.
    Protocol(u32),
    /// It is no header.
    Garbage,
}

#[derive(Serialize)]
struct Header<'a, T> {
    protocol: u32,
    body: &'a T,
}

#[derive(Deserialize)]
struct Version {
    protocol: u32,
}

#[derive(Deserialize)]
struct Body<T> {
    body: T,
}

/// The header of a message.
pub fn header(message: &impl Serialize) -> String {
    // Every message is made of plain fields; none fails to be written.
    serde_json::to_string(&Header { protocol: PROTOCOL, body: message }).unwrap_or_default()
}

/// Reads a header.
pub fn read<T: DeserializeOwned>(header: &str) -> Result<T, Misread> {
    let version: Version = serde_json::from_str(header).map_err(|_| Misread::Garbage)?;
    if version.protocol != PROTOCOL {
        return Err(Misread::Protocol(version.protocol));
    }
    serde_json::from_str(header).map(|body: Body<T>| body.body).map_err(|_| Misread::Garbage)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> Job {
        Job {
            epoch: 7,
            text: "HloModule m\n\nENTRY e { ROOT c = f32[] constant(1) }".to_owned(),
            values: vec![
                JobValues::Iota,
                JobValues::Random(u32::MAX),
                JobValues::Typed("1, \"2\"\n三".to_owned()),
            ],
            is_2017: true,
            seed: u64::MAX,
            focus: 3,
            language: "zh-Hans".to_owned(),
            kernels: Asked::Fast,
            compares: true,
            steps: u64::MAX,
            bytes: u64::MAX,
            handed: 1,
            is_alone: true,
        }
    }

    #[test]
    fn requests_survive_the_way() {
        let request = Request::Run(job());
        assert_eq!(read(&header(&request)), Ok(request));
        let share =
            ShareRequest { is_fast: true, words: vec![i32::MIN, 0], read: vec![1, usize::MAX], written: 2 };
        assert_eq!(read(&header(&share)), Ok(share));
        assert_eq!(read(&header(&ShareReply::Went(false))), Ok(ShareReply::Went(false)));
        let job = CountMoves { from: "f32[2,3]{1,0}".to_owned(), to: "f32[2,3]{0,1}".to_owned() };
        assert_eq!(CountMoves::of_text(&job.to_text()), Some(job));
        for counted in [Counted::Moved { elements: i64::MAX, bytes: 0 }, Counted::Refused] {
            assert_eq!(Counted::of_text(&counted.to_text()), Some(counted));
        }
        for garbage in ["", "moved", "moved 1", "moved 1 x", "count-moves\na", "moved 1 2 3"] {
            assert_eq!((CountMoves::of_text(garbage), Counted::of_text(garbage)), (None, None), "{garbage}");
        }
    }

    #[test]
    fn replies_survive_the_way() {
        let array = ValueAt::Array { shape: "f32[2]{0}".to_owned(), memory: 1, range: (-0.1, 1e300) };
        let failure = Failure {
            message: "zu groß".to_owned(),
            rule: "budget-steps".to_owned(),
            hints: vec!["kleiner".to_owned()],
            place: Some(("main".to_owned(), "dot.1".to_owned())),
        };
        let done = Done {
            epoch: 1,
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
            compared: Some(Differs {
                all: 4,
                differing: 1,
                worst: Some((vec![3], "1".into(), "nan".into(), None)),
            }),
            carried: Some((2, Iterations { states: vec![vec!["0".into(), "{1, 2}".into()]], is_cut: true })),
        };
        let progress =
            Progress { epoch: 2, steps: 3, instruction: "r".to_owned(), cells: Some((1, i64::MAX)) };
        for reply in [
            Reply::Starts(true),
            Reply::Refused,
            Reply::Progress(progress),
            Reply::Done(done),
            Reply::Failed { epoch: 4, failure },
        ] {
            assert_eq!(read(&header(&reply)), Ok(reply));
        }
    }

    #[test]
    fn another_protocol_is_told_from_garbage() {
        // Whatever a later protocol says beside its version.
        let later = r#"{"protocol":4000,"body":{"Unheard":[1,2]},"more":null}"#;
        assert_eq!(read::<Reply>(later), Err(Misread::Protocol(4000)));
        let ours = header(&Request::Run(job()));
        assert_eq!(read::<Reply>(&ours), Err(Misread::Garbage), "a request is no reply");
        for garbage in ["", "[]", "{}", "{\"protocol\":-1}", "{\"protocol\":5}", "null"] {
            assert_eq!(read::<Request>(garbage), Err(Misread::Garbage), "{garbage}");
        }
    }
}
