//! The worker's side of counting.

use super::wire::{CountMoves, Counting, Moved};
use crate::array::cost::MoveCount;
use crate::array::memory::MemoryMap;
use crate::array::text;
use crate::worker::channel::{Buffers, server};

/// Elements counted per call of [`MoveCount::step`].
const STEP_ELEMENTS: i64 = 1 << 18;

/// Handles counting requests, if this worker was started for them.
pub fn serve() {
    server::serve::<Counting, _>(async |call| {
        count_moves(&call.request).map(|moved| (moved, Buffers::default()))
    });
}

fn map_of(shape: &str) -> Option<MemoryMap> {
    MemoryMap::new(text::parse(shape).shape?.as_array()?).ok()
}

/// Counts the moved elements; `None` unless both shapes are layouts of one array.
fn count_moves(request: &CountMoves) -> Option<Moved> {
    let mut count = MoveCount::new(&map_of(&request.from)?, &map_of(&request.to)?)?;
    while !count.step(STEP_ELEMENTS) {}
    Some(Moved { elements: count.moved(), bytes: count.bytes_moved() })
}
