//! Performs any task.

use super::cutting::cut_out;
use super::environment::Environment;
use super::exporting::{ExportedFile, export};
use super::shrinking::shrink;
use super::values::compare_programs;
use crate::worker::program::wire::{TaskReply, TaskRequest};

/// Performs a task. An export has the content of its file besides the reply.
pub async fn perform(
    request: TaskRequest,
    environment: &mut Environment<'_>,
) -> (TaskReply, Option<Vec<u8>>) {
    let reply = match request {
        TaskRequest::Compare(task) => {
            compare_programs(&task, environment).await.map(|found| TaskReply::Compared(Box::new(found)))
        }
        TaskRequest::Cut(task) => cut_out(&task, environment)
            .await
            .map(|(program, problem)| TaskReply::Cut(Box::new(program), problem)),
        TaskRequest::Shrink(task) => {
            shrink(&task, environment).await.map(|shrunk| TaskReply::Shrunk(Box::new(shrunk)))
        }
        TaskRequest::Export(task) => match export(&task, environment).await {
            Ok(ExportedFile { name, content, is_complete }) => {
                return (TaskReply::Exported { name, is_complete }, Some(content));
            }
            Err(failure) => Err(failure),
        },
    };
    (reply.unwrap_or_else(TaskReply::Failed), None)
}
