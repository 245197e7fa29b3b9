//! What each thread allocates: a case that holds more than [`MAX_BYTES`] at once fails, one beyond [`ABORT_BYTES`]
//! ends the process with its number, since an allocator cannot raise a panic.
#![allow(
    unsafe_code,
    reason = "a global allocator can be written in no other way; it only counts and forwards"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Write;

/// The most bytes a case may hold at once.
pub const MAX_BYTES: isize = 1 << 30;
/// From here on the machine is in danger.
const ABORT_BYTES: isize = 2 << 30;

thread_local! {
    /// Bytes this thread allocated and did not free, the most of them since [`watch`], and the case it works on.
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
    static CASE: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Counts from here on, for a case.
pub fn watch(case: u64) {
    CASE.set(case);
    HELD.set(0);
    PEAK.set(0);
}

/// The most bytes held at once since [`watch`].
pub fn peak() -> isize {
    PEAK.get()
}

fn count(bytes: isize) {
    let held = HELD.get() + bytes;
    HELD.set(held);
    if held > PEAK.get() {
        PEAK.set(held);
        if held > ABORT_BYTES {
            // Nothing that allocates. If nobody can read it the exit code still says it.
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
