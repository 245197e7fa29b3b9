//! The service of a worker that runs a program together with the runner, by a plan.

use serde::{Deserialize, Serialize};

use crate::worker::channel::Service;

/// The service.
pub enum PlanPeer {}

impl Service for PlanPeer {
    const NAME: &'static str = "program-plan-peer";
    type Request = PeerRequest;
    type Progress = ();
    type Reply = PeerReply;
}

/// A request to the worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PeerRequest {
    /// Compile a program. The buffers are the compiled module of plans and the text.
    Open {
        /// The seed of random numbers.
        seed: u32,
        /// The index of the worker.
        index: u32,
        /// The number of workers.
        count: u32,
    },
    /// Write the array with this number of the arguments. The buffer has its bytes.
    Argument(u32),
    /// Run the program up to the first exchange.
    Run {
        /// The limit of steps.
        steps: u64,
        /// The limit of bytes.
        bytes: u64,
    },
    /// Resume the run up to the next exchange. The buffers are the parts of the other workers, in the order of their indices.
    Parts,
}

/// The reply to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PeerReply {
    /// The request is done, or the run is complete.
    Done,
    /// The run waits for the parts of the other workers. The buffer is the part of this one.
    Part,
    /// The request failed.
    Failed,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::channel::frame::Body;

    #[test]
    fn messages_round_trip() {
        let open = PeerRequest::Open { seed: u32::MAX, index: 1, count: 2 };
        let run = PeerRequest::Run { steps: u64::MAX, bytes: 1 };
        for request in [open, PeerRequest::Argument(7), run, PeerRequest::Parts] {
            assert_eq!(PeerRequest::from_text(&request.to_text().unwrap()), Some(request));
        }
        for reply in [PeerReply::Done, PeerReply::Part, PeerReply::Failed] {
            assert_eq!(PeerReply::from_text(&reply.to_text().unwrap()), Some(reply));
        }
    }
}
