//! Ranges of rows for a state of the folds.

use xla_hlo::Module;
use xla_ops::ComputationId;

use super::{Body, Folds, Group, Outline, Row};
use crate::calls::{CallSite, InstructionRef};

/// A range of rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The index of the first row.
    pub start: u64,
    /// The total number of rows; saturates.
    pub total: u64,
    /// The rows, fewer than requested at the end.
    pub rows: Vec<Row>,
}

/// An outline with a state of the folds.
#[derive(Clone, Debug)]
pub struct Unfolded<'o> {
    outline: &'o Outline,
    folds: &'o Folds,
    /// The number of rows of each computation's body where it is open.
    body_rows: Vec<u64>,
    total: u64,
}

/// A body whose rows are being visited.
struct Visit<'o> {
    computation: ComputationId,
    body: &'o Body,
    depth: u32,
    /// The position of the next instruction.
    position: u32,
    /// The index of the next call, and whether its header is visited.
    call: usize,
    is_header_visited: bool,
}

impl<'o> Visit<'o> {
    fn new(outline: &'o Outline, computation: ComputationId, depth: u32) -> Option<Self> {
        let body = outline.body(computation)?;
        Some(Self { computation, body, depth, position: 0, call: 0, is_header_visited: false })
    }

    /// Whether the next call is one of several of its instruction, so that it has a header.
    fn has_header(&self) -> bool {
        let position =
            |index: Option<usize>| index.and_then(|i| self.body.calls.get(i)).map(|call| call.position);
        let this = position(Some(self.call));
        this.is_some()
            && (position(self.call.checked_sub(1)) == this || position(Some(self.call + 1)) == this)
    }
}

impl<'o> Unfolded<'o> {
    /// Counts the rows of an outline for a state of the folds.
    pub fn new(outline: &'o Outline, folds: &'o Folds) -> Self {
        let mut body_rows: Vec<u64> = Vec::with_capacity(outline.bodies.len());
        for body in &outline.bodies {
            // Callees have smaller ids.
            let open = body.calls.iter().filter(|placed| folds.is_open(Group::Call(placed.call.site)));
            let called = open.map(|placed| body_rows[placed.call.callee.0 as usize]);
            body_rows.push(called.fold(body.own_rows, u64::saturating_add));
        }
        let mut unfolded = Self { outline, folds, body_rows, total: 0 };
        let root_rows =
            outline.calls.roots().iter().map(|root| 1 + unfolded.group_rows(Group::Root(*root), *root));
        unfolded.total = root_rows.fold(0, u64::saturating_add);
        unfolded
    }

    /// The rows below the header of a group: none if it is folded.
    fn group_rows(&self, group: Group, computation: ComputationId) -> u64 {
        let is_open = self.folds.is_open(group);
        // One less than the maximum, so that the header can be added.
        if is_open { self.body_rows[computation.0 as usize].min(u64::MAX - 1) } else { 0 }
    }

    /// The total number of rows; saturates.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Up to `count` rows from row `start`.
    pub fn page(&self, module: &Module, start: u64, count: usize) -> Page {
        let mut page = Page { start, total: self.total, rows: Vec::new() };
        let mut skip = start;
        for root in self.outline.calls.roots() {
            if page.rows.len() >= count {
                break;
            }
            let group = Group::Root(*root);
            if let Some(after_header) = skip.checked_sub(1) {
                skip = after_header;
            } else if let Some(row) = self.outline.group_row(module, self.folds, group, *root) {
                page.rows.push(Row { depth: 0, instruction: None, group: Some(row) });
            }
            let rows = self.group_rows(group, *root);
            if skip >= rows {
                skip -= rows;
            } else {
                self.visit(module, *root, count, &mut skip, &mut page.rows);
            }
        }
        page.rows.truncate(count);
        page
    }

    /// Appends rows of an open root after skipping some, until there are `count`.
    fn visit(&self, module: &Module, root: ComputationId, count: usize, skip: &mut u64, rows: &mut Vec<Row>) {
        // A worklist, because nesting may be deep.
        let mut stack: Vec<Visit<'_>> = Visit::new(self.outline, root, 1).into_iter().collect();
        while let Some(visit) = stack.last_mut() {
            if rows.len() >= count {
                return;
            }
            let next = visit.body.calls.get(visit.call);
            let end = next.map_or(visit.body.len(), |placed| placed.position + 1);
            if visit.position < end {
                let skipped = u64::from(end - visit.position).min(*skip);
                *skip -= skipped;
                // At most `end - position`, which is a `u32`.
                visit.position += u32::try_from(skipped).unwrap_or(u32::MAX);
                let (from, depth, computation) = (visit.position as usize, visit.depth, visit.computation);
                let visible = &visit.body.order[from..end as usize];
                visit.position = end;
                let visible = visible.iter().take(count - rows.len());
                rows.extend(visible.filter_map(|id| self.instruction(module, (computation, *id), depth)));
                continue;
            }
            let Some(placed) = next else {
                stack.pop();
                continue;
            };
            let (call, depth) = (placed.call, visit.depth + 1);
            let has_header = visit.has_header();
            if has_header && !visit.is_header_visited {
                visit.is_header_visited = true;
                if let Some(after_header) = skip.checked_sub(1) {
                    *skip = after_header;
                } else if let Some(row) = self.outline.call_row(module, self.folds, &call) {
                    rows.push(Row { depth, instruction: None, group: Some(row) });
                }
                continue;
            }
            visit.is_header_visited = false;
            visit.call += 1;
            let called = self.group_rows(Group::Call(call.site), call.callee);
            if *skip >= called {
                *skip -= called;
            } else {
                stack.extend(Visit::new(self.outline, call.callee, depth + u32::from(has_header)));
            }
        }
    }

    fn instruction(&self, module: &Module, id: InstructionRef, depth: u32) -> Option<Row> {
        let group = match self.outline.calls.calls_by(id) {
            [call] => self.outline.call_row(module, self.folds, call),
            _ => None,
        };
        Some(Row { depth, instruction: Some(self.outline.instruction_row(module, id)?), group })
    }

    /// The index of the row that shows an instruction reached by a call path; `None` if a group around it is folded, or
    /// the path does not lead to it.
    pub fn row_number(&self, target: InstructionRef, path: &[CallSite]) -> Option<u64> {
        let groups = self.outline.groups_around(target, path)?;
        if !groups.iter().all(|group| self.folds.is_open(*group)) {
            return None;
        }
        let root = path.first().map_or(target.0, |site| site.caller);
        let before = self.outline.calls.roots().iter().take_while(|other| **other != root);
        let rows = before.map(|root| 1 + self.group_rows(Group::Root(*root), *root));
        let mut row = rows.fold(1, u64::saturating_add);
        for site in path {
            row = row.saturating_add(self.rows_before(site.instruction_ref(), Some(site.callee_index))?);
        }
        Some(row.saturating_add(self.rows_before(target, None)?))
    }

    /// The rows of a body before those of an instruction, or before those of a computation that it calls.
    fn rows_before(&self, id: InstructionRef, callee_index: Option<u32>) -> Option<u64> {
        let body = self.outline.body(id.0)?;
        let position = self.outline.position(id)?;
        let mut rows = u64::from(position) + u64::from(callee_index.is_some());
        let end = (position, callee_index.unwrap_or(0));
        for siblings in body.calls.chunk_by(|a, b| a.position == b.position) {
            for placed in siblings {
                let at = (placed.position, placed.call.site.callee_index);
                let has_header = siblings.len() > 1;
                if at < end {
                    let called = self.group_rows(Group::Call(placed.call.site), placed.call.callee);
                    rows = rows.saturating_add(called).saturating_add(u64::from(has_header));
                } else if at == end && callee_index.is_some() {
                    rows += u64::from(has_header);
                }
            }
        }
        Some(rows)
    }
}
