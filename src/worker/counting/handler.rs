//! The worker's side of counting.

use super::wire::{CountMoves, Counting, Moved};
use crate::array::cost::MoveCount;
use crate::array::memory::MemoryMap;
use crate::array::text;
use crate::worker::channel::{Parts, server};

/// Elements counted in one step.
const STEP_ELEMENTS: i64 = 1 << 18;

/// Counts from now on, if this worker was started to.
pub fn serve() {
    server::serve::<Counting, _>(async |call| counted(&call.request).map(|moved| (moved, Parts::default())));
}

fn map_of(shape: &str) -> Option<MemoryMap> {
    MemoryMap::new(text::parse(shape).shape?.as_array()?).ok()
}

/// Counts; `None` where the shapes are not those of one array.
fn counted(request: &CountMoves) -> Option<Moved> {
    let mut count = MoveCount::new(&map_of(&request.from)?, &map_of(&request.to)?)?;
    while !count.step(STEP_ELEMENTS) {}
    Some(Moved { elements: count.moved(), bytes: count.bytes_moved() })
}
