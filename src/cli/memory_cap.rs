//! A cap on the memory of the process, so that allocations that no budget counts end the command instead of exhausting the
//! machine. Systems without such a limit rely on the budgets.

/// Memory besides the values of a run and the module of the text.
const OTHER_BYTES: u64 = 384 << 20;
/// Memory of a module, its text and its diagnostics, in bytes per byte of text; short instructions take the most.
const MODULE_BYTES_PER_TEXT_BYTE: u64 = 24;

/// Caps the memory of a command whose run may use `values` bytes and whose thread has a stack of `stack` bytes.
pub(super) fn set(values: u64, stack: u64) {
    let bytes = values.max(OTHER_BYTES).saturating_add(OTHER_BYTES).saturating_add(stack);
    change(|_| bytes);
}

/// Raises the cap by the memory that text of this length may take.
pub(super) fn raise_for_text(bytes: usize) {
    let bytes = (bytes as u64).saturating_mul(MODULE_BYTES_PER_TEXT_BYTE);
    change(|current| current.saturating_add(bytes));
}

#[cfg(unix)]
fn change(new: impl FnOnce(u64) -> u64) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let before = getrlimit(Resource::Data);
    let bytes = new(before.current.unwrap_or(u64::MAX));
    let bytes = before.maximum.map_or(bytes, |most| most.min(bytes));
    // If it fails, the budgets remain.
    let _ = setrlimit(Resource::Data, Rlimit { current: Some(bytes), maximum: before.maximum });
}

#[cfg(not(unix))]
fn change(_: impl FnOnce(u64) -> u64) {}
