//! Performs any task.

use super::cutting::cut_out;
use super::shrinking::shrink;
use super::surroundings::Surroundings;
use super::values::compare_programs;
use crate::worker::program::wire::{TaskReply, TaskRequest};

/// Performs a task.
pub async fn perform(request: TaskRequest, surroundings: &mut Surroundings<'_>) -> TaskReply {
    let reply = match request {
        TaskRequest::Compare(task) => {
            compare_programs(&task, surroundings).await.map(|found| TaskReply::Compared(Box::new(found)))
        }
        TaskRequest::Cut(task) => cut_out(&task, surroundings)
            .await
            .map(|(program, problem)| TaskReply::Cut(Box::new(program), problem)),
        TaskRequest::Shrink(task) => {
            shrink(&task, surroundings).await.map(|shrunk| TaskReply::Shrunk(Box::new(shrunk)))
        }
    };
    reply.unwrap_or_else(TaskReply::Failed)
}
