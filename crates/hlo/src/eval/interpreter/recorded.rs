//! The calls that a rerun of an instruction has recorded: the latest ones, since traces go back from the end.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use crate::eval::values::Values;
use crate::eval::waiting::Path;
use crate::module::InstructionId;

/// Maximum number of calls whose values are recorded at the same time.
const MAX_CALLS: usize = 1 << 10;

/// The recorded calls.
#[derive(Default)]
pub(super) struct RecordedCalls {
    is_recording: bool,
    /// The last call to record; `None` to record all.
    until: Option<Path>,
    values: BTreeMap<Path, Rc<Values>>,
    /// The paths of `values`, the earliest call first.
    order: VecDeque<Path>,
    /// The number of calls that an instruction makes in the call at a path.
    counts: BTreeMap<(Path, InstructionId), u64>,
    /// Those of the current rerun so far.
    counting: BTreeMap<(Path, InstructionId), u64>,
}

impl RecordedCalls {
    /// Starts recording, until the call at a path has returned.
    pub fn begin(&mut self, until: Option<Path>) {
        self.values.clear();
        self.order.clear();
        self.counting.clear();
        (self.is_recording, self.until) = (true, until);
    }

    /// Ends recording, after the rerun succeeded.
    pub fn end(&mut self) {
        if self.is_recording {
            self.is_recording = false;
            self.counts.append(&mut self.counting);
        }
    }

    /// Ends recording before the end of the rerun: after the call at a path has returned, or because the rerun failed (`None`).
    pub fn interrupt(&mut self, after: Option<&Path>) {
        self.is_recording = false;
        let Some(path) = after else { return };
        // The instructions on the path may make further calls.
        for (depth, (caller, _)) in path.iter().enumerate() {
            self.counting.remove(&(Path::from_slice(&path[..depth]), *caller));
        }
        self.counts.append(&mut self.counting);
    }

    /// Whether calls are being recorded.
    pub fn is_recording(&self) -> bool {
        self.is_recording
    }

    /// Records the values of the call at a path, and drops early calls if memory is scarce.
    pub fn record(&mut self, path: &Path, values: &Values, is_memory_scarce: bool) {
        let Some(((caller, nth), caller_path)) = path.split_last() else { return };
        if self.order.len() >= MAX_CALLS || is_memory_scarce {
            // A quarter at a time: arrays that several calls share are freed with the last of them only.
            for early in self.order.drain(..self.order.len().div_ceil(4)) {
                self.values.remove(&early);
            }
        }
        let count = self.counting.entry((Path::from_slice(caller_path), *caller)).or_insert(0);
        *count = (*count).max(nth.saturating_add(1));
        if self.values.insert(path.clone(), Rc::new(values.clone())).is_none() {
            self.order.push_back(path.clone());
        }
        if self.until.as_ref() == Some(path) {
            self.interrupt(Some(path));
        }
    }

    /// The values of the call at a path, if they are recorded.
    pub fn call(&self, path: &Path) -> Option<Rc<Values>> {
        self.values.get(path).cloned()
    }

    /// The number of calls that an instruction makes in the call at a path, if it is known.
    pub fn count(&self, path: &Path, id: InstructionId) -> Option<u64> {
        self.counts.get(&(path.clone(), id)).copied()
    }
}
