//! The state of the folds.

use std::collections::BTreeSet;

use crate::calls::CallSite;
use xla_ops::ComputationId;

/// A foldable group of rows: the instructions of a computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    /// A computation at the top of the outline.
    Root(ComputationId),
    /// The callee of a call.
    Call(CallSite),
}

/// Which groups are open: all or none, with exceptions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folds {
    /// Whether groups are open that are not exceptions.
    pub is_open_by_default: bool,
    /// The groups with the opposite state.
    pub exceptions: BTreeSet<Group>,
}

impl Folds {
    /// Every group is folded.
    pub fn all_folded() -> Self {
        Self::default()
    }

    /// Every group is open.
    pub fn all_open() -> Self {
        Self { is_open_by_default: true, exceptions: BTreeSet::new() }
    }

    /// Whether a group is open.
    pub fn is_open(&self, group: Group) -> bool {
        self.is_open_by_default != self.exceptions.contains(&group)
    }

    /// Opens or folds a group.
    pub fn set_open(&mut self, group: Group, is_open: bool) {
        if is_open == self.is_open_by_default {
            self.exceptions.remove(&group);
        } else {
            self.exceptions.insert(group);
        }
    }
}
