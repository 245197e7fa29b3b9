//! The wire types of the Program screen's workers.

mod compare;
pub mod costs;
pub mod graph;
mod parts;
pub mod plan_peer;
mod queries;
mod report;
mod running;
mod task;
mod tracing;
mod unasked;
mod window;

pub use compare::*;
pub use parts::*;
pub use queries::*;
pub use report::*;
pub use running::*;
pub use task::*;
pub use tracing::*;
pub use window::*;

pub use crate::state::program::references::{
    Argument, Call, CellRequest, CellTarget, FileArgument, InstructionKey, InstructionPath,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::channel::frame::Body;

    #[test]
    fn requests_round_trip_and_garbage_is_rejected() {
        let at = InstructionKey { computation: u32::MAX, instruction: 0 };
        let call = Call { at, callee_index: 1 };
        let queries = [
            Query::Open { text: "a\n\"é".to_owned(), language: "en".to_owned() },
            Query::Outline { start: 2, count: usize::MAX },
            Query::Fold { group: Group::Call(call), is_open: true },
            Query::Reveal(InstructionPath { at, calls: vec![call] }),
            Query::Details(InstructionPath { at, calls: vec![] }),
            Query::Locate(vec![7, 9]),
            Query::Find { needle: "dot".to_owned(), limit: 3 },
            Query::Compare(CompareQuery::Rows { id: 1, shown: Shown::default(), start: 0, count: 9 }),
        ];
        for query in queries {
            assert_eq!(Query::from_text(&query.to_text().unwrap()), Some(query));
        }
        let job = Job {
            text: "t".to_owned(),
            arguments: vec![Argument::Random, Argument::Text("{1}".to_owned())],
            seed: 7,
            devices: 2,
            files: vec![3],
            language: "zh-Hans".to_owned(),
        };
        let request = RunRequest::Run(job.clone());
        assert_eq!(RunRequest::from_text(&request.to_text().unwrap()), Some(request));
        let shrink = ShrinkTask { job, property: Property::Differs { text: "u".to_owned(), ulps: 4 } };
        let request = TaskRequest::Shrink(shrink);
        assert_eq!(TaskRequest::from_text(&request.to_text().unwrap()), Some(request));
        for garbage in ["", "[]", "{}", "null", "7"] {
            assert!(Query::from_text(garbage).is_none() && RunRequest::from_text(garbage).is_none());
        }
    }
}
