//! The graph of a computation, or of a part of it: a layered drawing as plain data, queried by the visible window.
//!
//! [`Graph::new`] lays out at once, [`Builder`] in steps: `selection` chooses nodes and attached constants, `layered` assigns
//! ranks and routes long edges, `order` reduces crossings, `placement` and `straighten` compute positions, `layout` combines them for
//! each open computation. An open call site shows the computation it calls within its node, as in the outline. [`view`] returns
//! the items that intersect a rectangle, and [`density`] an overview of any size.
//!
//! Everything takes time linear in the drawn instructions and their edges, times a bounded number of passes, and memory
//! within a constant factor of them. The same input gives the same drawing. Lengths are CSS pixels.

mod builder;
pub mod density;
mod geometry;
mod layered;
mod layout;
mod order;
mod placement;
mod selection;
mod source;
mod straighten;
pub mod view;

pub use builder::Builder;
pub use density::Density;
pub use geometry::{Point, Rect};
pub use view::{Attached, FarOperand, Frame, Node, NodeGroup, Segment, View};

use std::collections::BTreeMap;

use xla_hlo::InstructionId;
use xla_ops::ComputationId;

use crate::calls::CallSite;
use layout::{Layout, MARGIN_PIXELS};

/// A drawing of a computation.
#[derive(Clone, Debug)]
pub struct Graph {
    root: ComputationId,
    layouts: BTreeMap<ComputationId, Layout>,
    /// The operands and users of a neighbourhood's instructions that are not part of it.
    hidden: BTreeMap<InstructionId, (usize, usize)>,
}

impl Graph {
    /// The drawn computation.
    pub fn computation(&self) -> ComputationId {
        self.root
    }

    /// The width and height.
    pub fn size(&self) -> (i32, i32) {
        let positions = self.layouts.get(&self.root).map(|layout| &layout.positions);
        positions.map_or((0, 0), |p| {
            (p.width.saturating_add(2 * MARGIN_PIXELS), p.height.saturating_add(2 * MARGIN_PIXELS))
        })
    }

    /// The number of nodes, those of open computations counted once per computation.
    pub fn node_count(&self) -> usize {
        self.layouts.values().map(|layout| layout.selection.nodes.len()).sum()
    }

    /// The number of edges that are not routed, but drawn as stubs at both ends.
    pub fn stub_count(&self) -> usize {
        let stubs = |layout: &Layout| layout.layered.is_routed.iter().filter(|routed| !**routed).count();
        self.layouts.values().map(stubs).sum()
    }

    /// Whether an open group is drawn folded, because the drawing would be too large.
    pub fn has_oversized_groups(&self) -> bool {
        self.layouts.values().any(|layout| layout.has_oversized)
    }

    /// The box of an instruction that is reached by open call sites from the drawn computation; for an attached constant,
    /// that of its first user. `None` if it is not drawn.
    pub fn rect_of(&self, path: &[CallSite], instruction: InstructionId) -> Option<Rect> {
        let (mut layout, mut origin) =
            (self.layouts.get(&self.root)?, Point { x: MARGIN_PIXELS, y: MARGIN_PIXELS });
        let mut computation = self.root;
        for site in path {
            let node = selection::node_of(&layout.selection.nodes, site.instruction)
                .filter(|_| site.caller == computation)?;
            let open = layout.open.get(&node)?.iter().find(|open| open.site == *site)?;
            let rect = layout.rect(node).moved(origin.x, origin.y);
            origin =
                Point { x: rect.x.saturating_add(open.origin.x), y: rect.y.saturating_add(open.origin.y) };
            computation = open.computation;
            layout = self.layouts.get(&computation)?;
        }
        let node = selection::node_of(&layout.selection.nodes, instruction).or_else(|| {
            let attached = (0..).zip(&layout.selection.attached);
            let is_user =
                |attached: &[(u32, InstructionId)]| attached.iter().any(|(_, id)| *id == instruction);
            attached.into_iter().find(|(_, attached)| is_user(attached)).map(|(node, _)| node)
        })?;
        Some(layout.rect(node).moved(origin.x, origin.y))
    }
}
