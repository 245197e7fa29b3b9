//! The page's side of counting.

use super::wire::{CountMoves, Counting};
use crate::array::ArrayShape;
use crate::cause::Cause;
use crate::worker::channel::client::{Client, Event};

/// Counts the elements and bytes that a change of layout moves, and reports them, or why they could not be counted.
/// Dropping the client cancels the count.
pub fn count_moves(
    from: &ArrayShape,
    to: &ArrayShape,
    report: impl Fn(Result<(i64, i64), Cause>) + 'static,
) -> Client<Counting> {
    let client = Client::<Counting>::new(move |_, event| match event {
        Event::Progress(none) => match none {},
        Event::Reply(moved, _) => report(Ok((moved.elements, moved.bytes))),
        Event::StartDelayed(cause) | Event::Ended(cause) => report(Err(cause)),
    });
    client.send(1, &CountMoves { from: from.to_string(), to: to.to_string() });
    client
}
