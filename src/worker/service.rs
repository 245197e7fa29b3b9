//! The worker's side: takes a job, works in slices, answers when it is done. Between slices it takes messages, so a
//! newer job replaces an older one and the page's going away ends it.

use gloo::worker::{HandlerId, Worker, WorkerScope};

use super::messages::{CountMoves, Moved};
use crate::array::cost::MoveCount;
use crate::array::memory::MemoryMap;
use crate::array::text;

/// Elements looked at in a slice: some milliseconds.
const SLICE: i64 = 1 << 18;

/// Counts what changes of layout move.
#[derive(Debug, Default)]
pub struct Service {
    job: Option<(HandlerId, MoveCount)>,
}

fn map_of(shape: &str) -> Option<MemoryMap> {
    MemoryMap::new(text::parse(shape).shape?.as_array()?).ok()
}

impl Worker for Service {
    type Message = ();
    type Input = CountMoves;
    type Output = Moved;

    fn create(_scope: &WorkerScope<Self>) -> Self {
        Self::default()
    }

    fn update(&mut self, scope: &WorkerScope<Self>, (): ()) {
        let Some((id, count)) = self.job.as_mut() else { return };
        let done = count.step(SLICE);
        let so_far = Moved { elements: count.moved(), bytes: count.bytes_moved(), done };
        if done {
            scope.respond(*id, so_far);
            self.job = None;
        } else {
            scope.send_future(gloo::timers::future::TimeoutFuture::new(0));
        }
    }

    fn received(&mut self, scope: &WorkerScope<Self>, job: CountMoves, id: HandlerId) {
        let count = map_of(&job.from).zip(map_of(&job.to)).and_then(|(from, to)| MoveCount::new(&from, &to));
        match count {
            Some(count) => {
                self.job = Some((id, count));
                scope.send_message(());
            }
            // The page only sends shapes it has drawn; an answer must come all the same.
            None => scope.respond(id, Moved { elements: 0, bytes: 0, done: true }),
        }
    }
}
