//! The ranks of a layered drawing (Sugiyama, Tagawa and Toda 1981): every edge points down, and an edge across several
//! ranks passes a dummy item in each.
//!
//! The edges from one value share their dummies. Memory is bounded: an edge that would need too many dummies, or has an end
//! with very many edges, is not routed ([`Layered::is_routed`]); it is drawn as a stub at both ends.

use crate::calls::index32;

/// Maximum number of edges at either end of a routed edge.
const MAX_ROUTED_EDGES: u32 = 256;
/// Maximum number of items of a rank without routed edges; further ones are wrapped into additional ranks.
const MAX_LOOSE_RANK_ITEMS: usize = 256;
/// Dummies that every drawing may have.
const BASE_DUMMIES: u64 = 20_000;
/// Additional dummies per node.
const DUMMIES_PER_NODE: u64 = 4;
/// Maximum number of spans of routed edges in ranks, of which the first that needs few enough dummies is used.
const MAX_SPANS: [u32; 6] = [4_096, 512, 128, 32, 8, 2];

/// An edge of the input, from an operand to its user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Use {
    pub from: u32,
    pub to: u32,
}

/// Part of an edge between adjacent ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Link {
    pub upper: u32,
    pub lower: u32,
    /// The point on the upper edge of the lower item, from 0 at its left end to 1. Routed edges are evenly spaced, by operand.
    pub port: f32,
    /// The index of the edge that ends here; `None` if the lower item is a dummy.
    pub edge: Option<u32>,
}

/// The links of each item in one direction.
#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    starts: Vec<u32>,
    /// Indices of links.
    links: Vec<u32>,
}

impl Links {
    fn new(count: usize, links: &[Link], end: impl Fn(&Link) -> u32) -> Self {
        let mut starts = vec![0_u32; count + 1];
        for link in links {
            starts[end(link) as usize + 1] += 1;
        }
        for item in 0..count {
            starts[item + 1] += starts[item];
        }
        let (mut next, mut sorted) = (starts.clone(), vec![0; links.len()]);
        for (index, link) in (0..).zip(links) {
            let position = &mut next[end(link) as usize];
            sorted[*position as usize] = index;
            *position += 1;
        }
        Self { starts, links: sorted }
    }

    /// The indices of an item's links.
    pub fn links_of(&self, item: u32) -> &[u32] {
        let item = item as usize;
        &self.links[self.starts[item] as usize..self.starts[item + 1] as usize]
    }
}

/// Nodes and dummies in ranks. Items are the nodes by their index, followed by the dummies.
#[derive(Clone, Debug, Default)]
pub(super) struct Layered {
    /// The number of nodes.
    pub nodes: usize,
    /// The rank of each item.
    pub rank: Vec<u32>,
    /// The node whose value passes through each dummy.
    pub source: Vec<u32>,
    /// All links, by rank of the upper item.
    pub links: Vec<Link>,
    /// The first link of each rank; one more entry at the end.
    pub rank_links: Vec<u32>,
    /// The links to the rank above each item, and to the rank below it.
    pub above: Links,
    pub below: Links,
    /// The items of each rank, from left to right.
    pub ranks: Vec<Vec<u32>>,
    /// Whether each edge has links.
    pub is_routed: Vec<bool>,
}

impl Layered {
    /// Assigns ranks and dummies. `uses` are sorted by user, and each `from` is less than its `to`; `order` are the nodes
    /// in the order in which a rank lists them at first.
    pub fn new(nodes: usize, uses: &[Use], order: &[u32]) -> Self {
        let (mut operand_counts, mut user_counts) = (vec![0_u32; nodes], vec![0_u32; nodes]);
        for Use { from, to, .. } in uses {
            user_counts[*from as usize] += 1;
            operand_counts[*to as usize] += 1;
        }
        let mut is_routed: Vec<bool> = uses
            .iter()
            .map(|Use { from, to, .. }| {
                user_counts[*from as usize].max(operand_counts[*to as usize]) <= MAX_ROUTED_EDGES
            })
            .collect();
        let mut rank = ranks(nodes, uses);
        wrap_wide_ranks(&mut rank, uses, &is_routed, order);
        limit_spans(&rank, uses, &mut is_routed);
        let mut layered = Self { nodes, rank, is_routed, ..Self::default() };
        layered.add_links(uses, order);
        layered
    }

    /// Whether an item is a dummy.
    pub fn is_dummy(&self, item: u32) -> bool {
        item as usize >= self.nodes
    }

    /// The node whose value an item carries: the node itself, or the source of a dummy.
    pub fn source_of(&self, item: u32) -> u32 {
        let dummy = (item as usize).checked_sub(self.nodes);
        dummy.and_then(|dummy| self.source.get(dummy)).copied().unwrap_or(item)
    }

    fn add_links(&mut self, uses: &[Use], order: &[u32]) {
        let span = |edge: &Use, rank: &[u32]| rank[edge.to as usize] - rank[edge.from as usize];
        // The dummies of each node: as many as its longest edge needs.
        let mut spans = vec![0_u32; self.nodes];
        for (edge, _) in uses.iter().zip(&self.is_routed).filter(|(_, routed)| **routed) {
            let longest = &mut spans[edge.from as usize];
            *longest = (*longest).max(span(edge, &self.rank) - 1);
        }
        let mut first_dummy = vec![0_u32; self.nodes];
        let mut links = Vec::with_capacity(uses.len());
        for node in order {
            let mut upper = *node;
            first_dummy[*node as usize] = index32(self.rank.len());
            for passed in 1..=spans[*node as usize] {
                let dummy = index32(self.rank.len());
                self.rank.push(self.rank[*node as usize] + passed);
                self.source.push(*node);
                links.push(Link { upper, lower: dummy, port: 0.5, edge: None });
                upper = dummy;
            }
        }
        let (mut routed_counts, mut ports) = (vec![0_u16; self.nodes], vec![0_u16; self.nodes]);
        for (edge, _) in uses.iter().zip(&self.is_routed).filter(|(_, routed)| **routed) {
            // At most `MAX_ROUTED_EDGES`.
            routed_counts[edge.to as usize] += 1;
        }
        for (index, edge) in (0..).zip(uses).filter(|(index, _)| self.is_routed[*index as usize]) {
            let port = &mut ports[edge.to as usize];
            let port_at = (f32::from(*port) + 0.5) / f32::from(routed_counts[edge.to as usize]);
            *port += 1;
            let passed = span(edge, &self.rank) - 1;
            let upper = if passed == 0 { edge.from } else { first_dummy[edge.from as usize] + passed - 1 };
            links.push(Link { upper, lower: edge.to, port: port_at, edge: Some(index) });
        }
        let rank_count = self.rank.iter().max().map_or(0, |last| *last as usize + 1);
        links.sort_by_key(|link| self.rank[link.upper as usize]);
        self.rank_links = vec![0; rank_count + 1];
        for link in &links {
            self.rank_links[self.rank[link.upper as usize] as usize + 1] += 1;
        }
        for rank in 0..rank_count {
            self.rank_links[rank + 1] += self.rank_links[rank];
        }
        self.above = Links::new(self.rank.len(), &links, |link| link.lower);
        self.below = Links::new(self.rank.len(), &links, |link| link.upper);
        self.links = links;
        self.ranks = vec![Vec::new(); rank_count];
        for node in order {
            let dummies = first_dummy[*node as usize]..first_dummy[*node as usize] + spans[*node as usize];
            for item in std::iter::once(*node).chain(dummies) {
                self.ranks[self.rank[item as usize] as usize].push(item);
            }
        }
    }

    /// The links between a rank and the next.
    pub fn links_below(&self, rank: usize) -> &[Link] {
        match self.rank_links.get(rank..).unwrap_or_default() {
            [start, end, ..] => &self.links[*start as usize..*end as usize],
            _ => &[],
        }
    }
}

/// The rank of each node: below all its operands, and near its users if that shortens the edges.
fn ranks(nodes: usize, uses: &[Use]) -> Vec<u32> {
    let mut rank = vec![0_u32; nodes];
    for edge in uses {
        rank[edge.to as usize] = rank[edge.to as usize].max(rank[edge.from as usize] + 1);
    }
    let mut by_operand = uses.to_vec();
    by_operand.sort_by_key(|edge| edge.from);
    // Upwards: a node moves down to its first user if it has more users than operands that stay. A node moves freely
    // if its operands can follow it: sources, and nodes whose operands are sources without other users.
    let mut user_counts = vec![0_u32; nodes];
    for edge in uses {
        user_counts[edge.from as usize] += 1;
    }
    let (mut is_free, mut fixed_operands) = (vec![true; nodes], vec![0_u32; nodes]);
    for edge in uses {
        let operand_follows = is_free[edge.from as usize] && user_counts[edge.from as usize] == 1;
        is_free[edge.to as usize] &= operand_follows;
        fixed_operands[edge.to as usize] += u32::from(!operand_follows);
    }
    for edges in by_operand.chunk_by(|a, b| a.from == b.from).rev() {
        let Some(node) = edges.first().map(|edge| edge.from as usize) else { continue };
        let first_user = edges.iter().map(|edge| rank[edge.to as usize]).min().unwrap_or(0);
        if fixed_operands[node] < index32(edges.len()) {
            rank[node] = rank[node].max(first_user.saturating_sub(1));
        }
    }
    compact(&mut rank);
    rank
}

/// Removes empty ranks.
fn compact(rank: &mut [u32]) {
    let mut used: Vec<u32> = rank.to_vec();
    used.sort_unstable();
    used.dedup();
    for node_rank in rank {
        *node_rank = index32(used.partition_point(|other| other < node_rank));
    }
}

/// Distributes the nodes without routed edges of each large rank over several ranks.
fn wrap_wide_ranks(rank: &mut [u32], uses: &[Use], is_routed: &[bool], order: &[u32]) {
    let mut is_loose = vec![true; rank.len()];
    for (edge, _) in uses.iter().zip(is_routed).filter(|(_, routed)| **routed) {
        is_loose[edge.from as usize] = false;
        is_loose[edge.to as usize] = false;
    }
    let rank_count = rank.iter().max().map_or(0, |last| *last as usize + 1);
    let mut loose_counts = vec![0_usize; rank_count];
    for (node_rank, _) in rank.iter().zip(&is_loose).filter(|(_, loose)| **loose) {
        loose_counts[*node_rank as usize] += 1;
    }
    let mut first_ranks = Vec::with_capacity(rank_count);
    let mut next = 0;
    for count in &loose_counts {
        first_ranks.push(next);
        next += index32(count.div_ceil(MAX_LOOSE_RANK_ITEMS).max(1));
    }
    let mut placed = vec![0_usize; rank_count];
    for node in order {
        let node_rank = &mut rank[*node as usize];
        let old = *node_rank as usize;
        *node_rank = first_ranks[old];
        if is_loose[*node as usize] {
            *node_rank += index32(placed[old] / MAX_LOOSE_RANK_ITEMS);
            placed[old] += 1;
        }
    }
}

/// Stops routing the longest edges until the number of dummies is within its bound.
fn limit_spans(rank: &[u32], uses: &[Use], is_routed: &mut [bool]) {
    let max_dummies = BASE_DUMMIES + DUMMIES_PER_NODE * rank.len() as u64;
    let span = |edge: &Use| rank[edge.to as usize] - rank[edge.from as usize];
    let mut longest = vec![0_u32; rank.len()];
    for max_span in std::iter::once(u32::MAX).chain(MAX_SPANS) {
        longest.fill(0);
        for (edge, _) in
            uses.iter().zip(is_routed.iter()).filter(|(edge, routed)| **routed && span(edge) <= max_span)
        {
            let node_span = &mut longest[edge.from as usize];
            *node_span = (*node_span).max(span(edge) - 1);
        }
        let dummies: u64 = longest.iter().map(|span| u64::from(*span)).sum();
        if dummies <= max_dummies {
            for (edge, routed) in uses.iter().zip(is_routed.iter_mut()) {
                *routed &= span(edge) <= max_span;
            }
            return;
        }
    }
    // With spans of at most 2, a node has one dummy at most, which is within the bound.
}
