//! The wire types of measuring: counterparts of [`crate::state::speed::measurement`], so that the state's types can change freely.

use serde::{Deserialize, Serialize};

use crate::cause::Cause;
use crate::state::speed::measurement as state;
use crate::worker::channel::Service;

/// The measuring service.
pub enum Measurement {}

impl Service for Measurement {
    const NAME: &'static str = "measure";
    type Request = Job;
    type Progress = Observation;
    type Reply = Done;
}

/// The service that computes rows of a dot, which a measuring worker uses.
pub enum RowService {}

impl Service for RowService {
    const NAME: &'static str = "measure-rows";
    type Request = RowsRequest;
    type Progress = ();
    type Reply = RowsReply;
}

/// A setup to measure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The setup in its link form.
    pub setup: String,
    /// The number of workers that may run at the same time.
    pub cores: u32,
}

/// The measurement is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done;

/// Counterpart of [`state::Implementation`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Implementation {
    /// [`state::Implementation::Reference`].
    Reference,
    /// [`state::Implementation::Scalar`].
    Scalar,
    /// [`state::Implementation::Strict`].
    Strict,
    /// [`state::Implementation::Fast`].
    Fast,
    /// [`state::Implementation::Workers`].
    Workers(u32),
}

/// Counterpart of [`state::Omission`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Omission {
    /// [`state::Omission::TooLong`].
    TooLong,
    /// [`state::Omission::NoKernel`].
    NoKernel,
    /// [`state::Omission::Unavailable`]: the [`Cause::code`].
    Unavailable(String),
    /// [`state::Omission::NotSplit`].
    NotSplit,
    /// [`state::Omission::NoWorkers`].
    NoWorkers,
    /// [`state::Omission::Failed`].
    Failed,
}

/// Counterpart of [`state::CeilingKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CeilingKind {
    /// [`state::CeilingKind::MulAdd`].
    MulAdd,
    /// [`state::CeilingKind::Fused`].
    Fused,
    /// [`state::CeilingKind::Workers`].
    Workers(u32),
    /// [`state::CeilingKind::Copy`].
    Copy,
}

/// Counterpart of [`state::Observation`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Observation {
    /// [`state::Observation::Ceiling`].
    Ceiling {
        /// Which ceiling was measured.
        kind: CeilingKind,
        /// The index of the size.
        point: u32,
        /// The measured rate.
        rate: f64,
    },
    /// [`state::Observation::CaseCount`].
    CaseCount(u32),
    /// [`state::Observation::Case`].
    Case {
        /// The implementation that was measured.
        implementation: Implementation,
        /// The index of the size or layout.
        point: u32,
        /// The kernel's name, or why the case is omitted.
        kernel: Result<String, Omission>,
    },
    /// [`state::Observation::Sample`].
    Sample {
        /// The implementation that was measured.
        implementation: Implementation,
        /// The index of the size or layout.
        point: u32,
        /// Milliseconds per run.
        ms: f64,
    },
}

impl From<state::Implementation> for Implementation {
    fn from(implementation: state::Implementation) -> Self {
        match implementation {
            state::Implementation::Reference => Self::Reference,
            state::Implementation::Scalar => Self::Scalar,
            state::Implementation::Strict => Self::Strict,
            state::Implementation::Fast => Self::Fast,
            state::Implementation::Workers(count) => Self::Workers(count),
        }
    }
}

impl From<Implementation> for state::Implementation {
    fn from(implementation: Implementation) -> Self {
        match implementation {
            Implementation::Reference => Self::Reference,
            Implementation::Scalar => Self::Scalar,
            Implementation::Strict => Self::Strict,
            Implementation::Fast => Self::Fast,
            Implementation::Workers(count) => Self::Workers(count),
        }
    }
}

impl From<state::Omission> for Omission {
    fn from(why: state::Omission) -> Self {
        match why {
            state::Omission::TooLong => Self::TooLong,
            state::Omission::NoKernel => Self::NoKernel,
            state::Omission::Unavailable(cause) => Self::Unavailable(cause.code()),
            state::Omission::NotSplit => Self::NotSplit,
            state::Omission::NoWorkers => Self::NoWorkers,
            state::Omission::Failed => Self::Failed,
        }
    }
}

impl Omission {
    /// The counterpart; `None` if this release does not know the code.
    fn into_state(self) -> Option<state::Omission> {
        Some(match self {
            Self::TooLong => state::Omission::TooLong,
            Self::NoKernel => state::Omission::NoKernel,
            Self::Unavailable(code) => state::Omission::Unavailable(Cause::of_code(&code)?),
            Self::NotSplit => state::Omission::NotSplit,
            Self::NoWorkers => state::Omission::NoWorkers,
            Self::Failed => state::Omission::Failed,
        })
    }
}

impl From<state::CeilingKind> for CeilingKind {
    fn from(kind: state::CeilingKind) -> Self {
        match kind {
            state::CeilingKind::MulAdd => Self::MulAdd,
            state::CeilingKind::Fused => Self::Fused,
            state::CeilingKind::Workers(count) => Self::Workers(count),
            state::CeilingKind::Copy => Self::Copy,
        }
    }
}

impl From<CeilingKind> for state::CeilingKind {
    fn from(kind: CeilingKind) -> Self {
        match kind {
            CeilingKind::MulAdd => Self::MulAdd,
            CeilingKind::Fused => Self::Fused,
            CeilingKind::Workers(count) => Self::Workers(count),
            CeilingKind::Copy => Self::Copy,
        }
    }
}

impl From<state::Observation> for Observation {
    fn from(observation: state::Observation) -> Self {
        match observation {
            state::Observation::Ceiling { kind, point, rate } => {
                Self::Ceiling { kind: kind.into(), point, rate }
            }
            state::Observation::CaseCount(count) => Self::CaseCount(count),
            state::Observation::Case { implementation, point, kernel } => Self::Case {
                implementation: implementation.into(),
                point,
                kernel: kernel.map_err(Omission::from),
            },
            state::Observation::Sample { implementation, point, ms } => {
                Self::Sample { implementation: implementation.into(), point, ms }
            }
        }
    }
}

impl Observation {
    /// The counterpart; `None` if this release does not know its code.
    pub fn into_state(self) -> Option<state::Observation> {
        Some(match self {
            Self::Ceiling { kind, point, rate } => {
                state::Observation::Ceiling { kind: kind.into(), point, rate }
            }
            Self::CaseCount(count) => state::Observation::CaseCount(count),
            Self::Case { implementation, point, kernel } => {
                let kernel = match kernel {
                    Ok(kernel) => Ok(kernel),
                    Err(why) => Err(why.into_state()?),
                };
                state::Observation::Case { implementation: implementation.into(), point, kernel }
            }
            Self::Sample { implementation, point, ms } => {
                state::Observation::Sample { implementation: implementation.into(), point, ms }
            }
        })
    }
}

/// A request to a worker that computes rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RowsRequest {
    /// Prepare a dot; the right operand is the first buffer.
    Prepare {
        /// `[m, k, n]`.
        sizes: [u32; 3],
    },
    /// Compute the rows in the first buffer into the second.
    Run,
    /// Measure the ceiling: multiply and add in registers.
    Peak {
        /// The number of iterations.
        iterations: u32,
    },
}

/// The reply of a worker that computes rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RowsReply {
    /// Success; after [`RowsRequest::Run`] with both buffers.
    Done,
    /// The request failed.
    Failed,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::channel::frame::Body;

    #[test]
    fn observations_round_trip() {
        let case = |implementation, kernel| state::Observation::Case { implementation, point: 3, kernel };
        let mut all = vec![
            state::Observation::CaseCount(4),
            case(state::Implementation::Workers(2), Ok("dot f32".to_owned())),
            case(state::Implementation::Reference, Err(state::Omission::TooLong)),
            case(state::Implementation::Scalar, Err(state::Omission::NoKernel)),
            case(state::Implementation::Fast, Err(state::Omission::Unavailable(Cause::NoRelaxedSimd))),
            case(state::Implementation::Workers(4), Err(state::Omission::NotSplit)),
            case(state::Implementation::Workers(8), Err(state::Omission::NoWorkers)),
            case(state::Implementation::Strict, Err(state::Omission::Failed)),
            state::Observation::Sample { implementation: state::Implementation::Strict, point: 1, ms: 0.1 },
        ];
        for kind in [
            state::CeilingKind::MulAdd,
            state::CeilingKind::Fused,
            state::CeilingKind::Workers(2),
            state::CeilingKind::Copy,
        ] {
            all.push(state::Observation::Ceiling { kind, point: 2, rate: 12.5 });
        }
        for observation in all {
            let text = Observation::from(observation.clone()).to_text().unwrap();
            let read = Observation::from_text(&text).unwrap();
            assert_eq!(read.into_state(), Some(observation));
        }
        let unknown = Omission::Unavailable("unheard-of".to_owned());
        assert_eq!(
            Observation::Case { implementation: Implementation::Fast, point: 0, kernel: Err(unknown) }
                .into_state(),
            None
        );
    }

    #[test]
    fn messages_round_trip_and_garbage_is_rejected() {
        let job = Job { setup: "#speed1/dot/8x8x8".to_owned(), cores: 2 };
        assert_eq!(Job::from_text(&job.to_text().unwrap()), Some(job));
        assert_eq!(Done::from_text(&Done.to_text().unwrap()), Some(Done));
        for request in [
            RowsRequest::Prepare { sizes: [1, 2, u32::MAX] },
            RowsRequest::Run,
            RowsRequest::Peak { iterations: 7 },
        ] {
            assert_eq!(RowsRequest::from_text(&request.to_text().unwrap()), Some(request));
        }
        for reply in [RowsReply::Done, RowsReply::Failed] {
            assert_eq!(RowsReply::from_text(&reply.to_text().unwrap()), Some(reply));
        }
        for garbage in ["", "{}", "[]", "\"Unheard\""] {
            assert_eq!(
                (Observation::from_text(garbage), RowsReply::from_text(garbage)),
                (None, None),
                "{garbage}"
            );
        }
    }
}
