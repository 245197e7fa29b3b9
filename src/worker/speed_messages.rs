//! What crosses between the Speed screen and the worker that measures: headers as those of [`super::messages`], with
//! [`PROTOCOL`] of their own.
//!
//! A worker measures one job and is ended with it, so nothing says which job an answer belongs to. The second half is the
//! conversation between that worker and those it gives rows of a dot to.

use serde::{Deserialize, Serialize};

/// The version of both conversations; another one for every change.
pub const PROTOCOL: u32 = 3;

/// A message with its version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Header<T> {
    speed: u32,
    body: T,
}

/// The header of a message.
pub fn header<T: Serialize>(body: T) -> String {
    // Every message is made of plain fields; none fails to be written.
    serde_json::to_string(&Header { speed: PROTOCOL, body }).unwrap_or_default()
}

/// Reads a header; `None` where it is of another version, or none.
pub fn read<T: serde::de::DeserializeOwned>(text: &str) -> Option<T> {
    let header: Header<T> = serde_json::from_str(text).ok()?;
    (header.speed == PROTOCOL).then_some(header.body)
}

/// What the page asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The setup, as its link.
    pub setup: String,
    /// The cores that workers may use.
    pub cores: u32,
    /// Whether the worker starts no others.
    pub is_alone: bool,
}

/// A way to compute it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Way {
    /// The evaluator, one cell after the other.
    Reference,
    /// Kernels without SIMD.
    Scalar,
    /// Kernels with SIMD that give the same bits on every machine.
    Strict,
    /// Kernels that may fuse multiply and add.
    Fast,
    /// Strict kernels in so many workers.
    Workers(u32),
}

/// Why a way is not measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LeftOut {
    /// The reference would take too long.
    TooLong,
    /// No kernel does it yet.
    NoKernel,
    /// The module of its kernels is not available, or a kernel broke down: the [`crate::cause::Cause::code`].
    Unavailable(String),
    /// Only a dot is given out to workers, and only with enough rows.
    NotSplit,
    /// So many workers do not start, or have no memory.
    NoWorkers,
    /// It was refused.
    Failed,
}

/// A limit of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Limit {
    /// Multiply, then add, in SIMD registers: billions of operations a second.
    MulAdd,
    /// Both fused.
    Fused,
    /// Memory copied, as much as the op reads and writes: billions of bytes a second, read and written.
    Copy,
}

/// What the worker tells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// What the machine can do.
    Limit(Limit, f64),
    /// So many rows will be told of.
    Rows(u32),
    /// A row is ready to be measured by this kernel, or left out. Rows are numbered in their order on the screen.
    Row {
        /// The way.
        way: Way,
        /// The size or the layout, by its number.
        point: u32,
        /// The kernel, or why not.
        by: Result<String, LeftOut>,
    },
    /// A sample: the milliseconds of one run.
    Sample {
        /// The way.
        way: Way,
        /// The size or the layout.
        point: u32,
        /// One run.
        ms: f64,
    },
    /// The worker is about to start others, or has started them: in between it may become stuck.
    Starts(bool),
    /// All is measured.
    Done,
    /// The job is not understood.
    Refused,
}

/// What a worker of rows is asked; buffers lie beside the header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RowsRequest {
    /// Make a dot of so many rows ready; the right operand lies beside.
    Prepare {
        /// `[m, k, n]`.
        sizes: [u32; 3],
    },
    /// Do it on the rows beside, into the result beside.
    Go,
}

/// What a worker of rows answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RowsReply {
    /// A dot is ready, or not.
    Prepared(bool),
    /// A dot is done, or not; rows and result lie beside.
    Went(bool),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_survive_the_way() {
        for reply in [
            Reply::Limit(Limit::Copy, 12.5),
            Reply::Rows(4),
            Reply::Row { way: Way::Workers(2), point: 3, by: Ok("dot f32".to_owned()) },
            Reply::Row { way: Way::Reference, point: 0, by: Err(LeftOut::TooLong) },
            Reply::Row {
                way: Way::Fast,
                point: 0,
                by: Err(LeftOut::Unavailable("no-relaxed-simd".to_owned())),
            },
            Reply::Sample { way: Way::Fast, point: 1, ms: 0.1 },
            Reply::Starts(false),
            Reply::Done,
            Reply::Refused,
        ] {
            assert_eq!(read(&header(&reply)), Some(reply));
        }
        let rows = RowsRequest::Prepare { sizes: [1, 2, u32::MAX] };
        assert_eq!(read(&header(&rows)), Some(rows));
    }

    #[test]
    fn other_versions_and_garbage_are_refused() {
        let later = header(&Reply::Done).replace("\"speed\":3", "\"speed\":4");
        for text in [later.as_str(), "", "{}", "null", "[]", r#"{"protocol":1,"body":"Ready"}"#] {
            assert_eq!(read::<Reply>(text), None, "{text}");
        }
    }
}
