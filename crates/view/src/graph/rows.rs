//! The rows of a computation's nodes, operands above their users, and their order in the rows.
//!
//! A layered drawing (Sugiyama, Tagawa and Toda 1981). An edge that crosses rows has a dummy node in each of them, which
//! all users of the operand share. Sweeps down and up order each row by the barycentres of its nodes' neighbours.

use xla_hlo::{Computation, InstructionId};

/// The number of ordering sweeps, alternately down and up.
const SWEEPS: usize = 6;

/// The use of a value by a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    /// The node of the operand; `None` if it is not drawn.
    pub from: Option<usize>,
    /// The node of its user.
    pub to: usize,
    /// The index among the user's operands, and their number.
    pub index: usize,
    pub count: usize,
}

impl Operand {
    /// The point on the upper edge of the user at which the edge ends: 0 is its left end, 1 its right end.
    pub fn port(self) -> f64 {
        (to_f64(self.index) + 0.5) / to_f64(self.count.max(1))
    }
}

/// Converts a small count to `f64`.
pub(super) fn to_f64(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// An item in an adjacent row, and the port at which the edge ends on the lower of the two (see [`Operand::port`]).
pub(super) type Neighbour = (usize, f64);

/// The rows of items: the nodes by their index, followed by the dummy nodes.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// The items of each row, from left to right.
    pub items: Vec<Vec<usize>>,
    /// The operands of all nodes.
    pub operands: Vec<Operand>,
    /// The neighbours of each item in the row above, and below.
    pub above: Vec<Vec<Neighbour>>,
    pub below: Vec<Vec<Neighbour>>,
    row_of: Vec<usize>,
    /// The dummy nodes of each node's edges, in the rows below it.
    dummies: Vec<Vec<usize>>,
}

/// Bound on the operands of a node that has stubs for hidden ones.
const MAX_OPERANDS_WITH_STUBS: usize = 12;

fn operands(computation: &Computation, ids: &[InstructionId]) -> Vec<Operand> {
    let mut operands = Vec::new();
    for (to, id) in ids.iter().enumerate() {
        let Some(instruction) = computation.get(*id) else { continue };
        let count = instruction.operands.len();
        for (index, operand) in instruction.operands.iter().enumerate() {
            let from = ids.binary_search(operand).ok();
            if from.is_some() || count <= MAX_OPERANDS_WITH_STUBS {
                operands.push(Operand { from, to, index, count });
            }
        }
    }
    operands
}

impl Rows {
    /// The rows of the drawn instructions.
    pub fn new(computation: &Computation, ids: &[InstructionId]) -> Self {
        let operands = operands(computation, ids);
        let mut row_of = vec![0; ids.len()];
        // Operands precede their users, so that one pass is enough.
        for Operand { from, to, .. } in &operands {
            if let Some(from) = from {
                row_of[*to] = row_of[*to].max(row_of[*from] + 1);
            }
        }
        // Nodes without drawn operands are directly above their first user.
        for node in 0..ids.len() {
            let is_source = !operands.iter().any(|o| o.to == node && o.from.is_some());
            let first = operands.iter().filter(|o| o.from == Some(node)).map(|o| row_of[o.to]).min();
            if let (true, Some(first)) = (is_source, first) {
                row_of[node] = first - 1;
            }
        }
        let mut rows = Self { operands, row_of, ..Self::default() };
        rows.add_items();
        rows.link();
        rows.order();
        rows
    }

    /// The row of an item.
    pub fn row(&self, item: usize) -> usize {
        self.row_of[item]
    }

    /// The items along the edge of an operand: its node, dummy nodes, its user. Empty if the operand is not drawn.
    pub fn edge_chain(&self, operand: Operand) -> Vec<usize> {
        let Some(from) = operand.from else { return Vec::new() };
        let count = self.row_of[operand.to] - self.row_of[from] - 1;
        let dummies = self.dummies[from].iter().take(count).copied();
        [from].into_iter().chain(dummies).chain([operand.to]).collect()
    }

    fn add_items(&mut self) {
        self.dummies = vec![Vec::new(); self.row_of.len()];
        for Operand { from, to, .. } in &self.operands {
            let Some(from) = *from else { continue };
            for row in self.row_of[from] + 1 + self.dummies[from].len()..self.row_of[*to] {
                self.dummies[from].push(self.row_of.len());
                self.row_of.push(row);
            }
        }
        self.items = vec![Vec::new(); self.row_of.iter().max().map_or(0, |last| last + 1)];
        for (item, row) in self.row_of.iter().enumerate() {
            self.items[*row].push(item);
        }
    }

    fn link(&mut self) {
        self.above = vec![Vec::new(); self.row_of.len()];
        self.below = self.above.clone();
        for operand in self.operands.clone() {
            for pair in self.edge_chain(operand).windows(2) {
                let [upper, lower] = *pair else { continue };
                let is_end = lower == operand.to;
                // Several users share a dummy node, which may be linked already.
                if is_end || self.above[lower].is_empty() {
                    let port = if is_end { operand.port() } else { 0.5 };
                    self.above[lower].push((upper, port));
                    self.below[upper].push((lower, port));
                }
            }
        }
    }

    /// Sorts each row by the mean positions of its items' neighbours. The last sweep is upwards, so that operands are drawn in
    /// their order.
    fn order(&mut self) {
        let mut position = vec![0.0; self.row_of.len()];
        let set_positions = |rows: &[Vec<usize>], position: &mut [f64]| {
            for row in rows {
                for (i, item) in row.iter().enumerate() {
                    position[*item] = to_f64(i);
                }
            }
        };
        set_positions(&self.items, &mut position);
        for sweep in 0..SWEEPS {
            let is_down = sweep % 2 == 0;
            let count = self.items.len();
            for step in 1..count {
                let row = if is_down { step } else { count - 1 - step };
                let neighbours = if is_down { &self.above } else { &self.below };
                let key = |item: usize| {
                    let neighbours = &neighbours[item];
                    if neighbours.is_empty() {
                        return position[item];
                    }
                    let port = |port: f64| if is_down { 0.0 } else { port - 0.5 };
                    let sum: f64 = neighbours.iter().map(|(other, at)| position[*other] + port(*at)).sum();
                    sum / to_f64(neighbours.len())
                };
                let mut sorted: Vec<(f64, usize)> =
                    self.items[row].iter().map(|item| (key(*item), *item)).collect();
                sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
                self.items[row] = sorted.into_iter().map(|(_, item)| item).collect();
                set_positions(&self.items[row..=row], &mut position);
            }
        }
    }
}
