//! Counts each thread's allocations: a case that holds more than [`MAX_BYTES`] fails, one beyond [`ABORT_BYTES`] ends
//! the process with its number, because an allocator cannot panic.
#![allow(
    unsafe_code,
    reason = "a global allocator can be written in no other way; it only counts and forwards"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Write;

/// Maximum number of bytes that a case may hold.
pub const MAX_BYTES: isize = 1 << 30;
/// Bytes at which the process ends, before the machine runs out of memory.
const ABORT_BYTES: isize = 2 << 30;

thread_local! {
    /// The bytes that this thread holds, their peak since [`watch`], and its current case.
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
    static CASE: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Starts counting for a case.
pub fn watch(case: u64) {
    CASE.set(case);
    HELD.set(0);
    PEAK.set(0);
}

/// The peak since [`watch`].
pub fn peak() -> isize {
    PEAK.get()
}

fn count(bytes: isize) {
    let held = HELD.get() + bytes;
    HELD.set(held);
    if held > PEAK.get() {
        PEAK.set(held);
        if held > ABORT_BYTES {
            // Must not allocate. A failed write is ignored: the exit code reports it.
            let _ = writeln!(std::io::stderr(), "case {} holds {held} bytes", CASE.get());
            std::process::abort();
        }
    }
}

fn signed(bytes: usize) -> isize {
    isize::try_from(bytes).unwrap_or(isize::MAX)
}

// SAFETY: every call is forwarded to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(signed(layout.size()));
        // SAFETY: the caller's promises are those asked for here.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-signed(layout.size()));
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(signed(layout.size()));
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(signed(size) - signed(layout.size()));
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }
}
