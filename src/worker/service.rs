//! The worker's side of counting: takes one job and answers it. It is never asked to stop: the page ends the whole worker.

use js_sys::Array;

use super::member::{is_called, listen, say, say_hello};
use super::messages::{CountMoves, Counted};
use crate::array::cost::MoveCount;
use crate::array::memory::MemoryMap;
use crate::array::text;

/// The name by which the page asks for a worker of this kind.
pub const NAME: &str = "count-moves";

/// Elements that are counted at a time.
const BLOCK: i64 = 1 << 18;

/// Whether this worker was started to count.
pub fn is_asked_for() -> bool {
    is_called(NAME)
}

fn map_of(shape: &str) -> Option<MemoryMap> {
    MemoryMap::new(text::parse(shape).shape?.as_array()?).ok()
}

/// Counts; `None` where the shapes are not those of one array.
fn counted(job: &CountMoves) -> Option<MoveCount> {
    let mut count = MoveCount::new(&map_of(&job.from)?, &map_of(&job.to)?)?;
    while !count.step(BLOCK) {}
    Some(count)
}

/// Takes jobs from now on.
pub fn serve() {
    listen(|data| {
        let job = CountMoves::of_text(&data.as_string().unwrap_or_default());
        let answer = job.as_ref().and_then(counted).map_or(Counted::Refused, |count| Counted::Moved {
            elements: count.moved(),
            bytes: count.bytes_moved(),
        });
        say(&answer.to_text().into(), &Array::new());
    });
    say_hello();
}
