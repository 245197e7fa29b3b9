//! Highlights the sources or uses of a cell in a grid, by role and in the order they were read.
//!
//! A role has a colour, a line style and a name; the order is a number. Nothing here names an op.

use std::collections::BTreeMap;

use super::grid::Grid;
use super::grid::base_area::Windows;
use super::pixels::clamped;
use super::scene::{Anchor, Ink, Rect, Scene, Stroke};
use xla_array::Dims;
use xla_messages::i18n::Message;
use xla_ops::{CellAt, Role, Source};

/// A highlighted cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HighlightedCell {
    /// The index of the cell.
    pub index: Dims,
    /// Its role for the result.
    pub role: Role,
    /// Its 1-based position among all reads; 0 if there is no order.
    pub order: usize,
    /// Number of reads.
    pub times: usize,
}

/// The highlights of one array.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellHighlights {
    /// Source or use cells, each once, in the order of their first read.
    pub cells: Vec<HighlightedCell>,
    /// The selected output cell.
    pub cursor: Option<Dims>,
    /// The cell under the pointer.
    pub hover: Option<Dims>,
    /// The cells that the current step of the cell's computation reads.
    pub current_step: Vec<Dims>,
    /// Cells whose value differs in the other edition.
    pub differs: Vec<Dims>,
    /// The cells that were selected in their windows.
    pub winners: Vec<Dims>,
    /// The parts of the slice that the selected output cell is copied from, each with its first and last index.
    pub slice: Vec<[Dims; 2]>,
    /// For windowed ops, the base area and its windows.
    pub base_area: Option<Windows>,
    /// Whether the cells have the colours of their values: then outlines need a halo, as they may have the same colour.
    pub has_value_colours: bool,
}

/// The name of a role, for a cell of the operand with this label.
pub fn role_message(role: Role, operand: &str) -> Message {
    let message = Message::ops(message_key(role));
    // Ops have different names for the written value: that of the operand.
    if role == Role::Update { message.with("operand", operand) } else { message }
}

fn message_key(role: Role) -> &'static str {
    match role {
        Role::Value => "role-value",
        Role::Fill => "role-fill",
        Role::Lhs => "role-lhs",
        Role::Rhs => "role-rhs",
        Role::Low => "role-low",
        Role::High => "role-high",
        Role::Start => "role-start",
        Role::Update => "role-update",
        Role::Init => "role-init",
        Role::Choice => "role-choice",
    }
}

/// The parts of a slice as text, each from its first and its last index: `[2:4,0:3]`, with exclusive ends, as HLO writes them.
pub fn slice_text(parts: &[[Dims; 2]]) -> String {
    let part = |[first, last]: &[Dims; 2]| {
        let ranges =
            first.iter().zip(last).map(|(first, last)| format!("{first}:{}", last.saturating_add(1)));
        format!("[{}]", ranges.collect::<Vec<_>>().join(","))
    };
    parts.iter().map(part).collect::<Vec<_>>().join(", ")
}

/// The line style of a role. The colours of dimensions are used because all kinds of colour vision can distinguish
/// them.
pub fn stroke(role: Role) -> Stroke {
    let (ink, dash) = match role {
        Role::Value | Role::Lhs => (Ink::Dimension(0), None),
        Role::Rhs => (Ink::Dimension(1), None),
        Role::Low => (Ink::Dimension(1), Some([6.0, 2.0])),
        Role::High => (Ink::Dimension(2), Some([2.0, 2.0])),
        Role::Update => (Ink::Dimension(2), None),
        Role::Init => (Ink::Dimension(3), Some([6.0, 2.0])),
        Role::Start => (Ink::Dimension(4), Some([2.0, 2.0])),
        Role::Choice => (Ink::Dimension(5), Some([4.0, 2.0])),
        Role::Fill => (Ink::Soft, Some([3.0, 3.0])),
    };
    Stroke { ink, width: 2.0, dash }
}

/// The cells to highlight in one array of an operand: those among the sources of a result.
pub fn operand_highlights(sources: &[Source], operand: usize, path: &[usize]) -> Vec<HighlightedCell> {
    let mut positions: BTreeMap<&CellAt, usize> = BTreeMap::new();
    let mut cells: Vec<HighlightedCell> = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        if source.operand != operand || source.cell.path.as_slice() != path {
            continue;
        }
        if let Some(position) = positions.get(&source.cell) {
            cells[*position].times += 1;
            continue;
        }
        positions.insert(&source.cell, cells.len());
        let (index, role) = (source.cell.index.clone(), source.role);
        cells.push(HighlightedCell {
            index,
            role,
            order: if sources.len() > 1 { number + 1 } else { 0 },
            times: 1,
        });
    }
    cells
}

/// Bound on the cells per role that a description lists.
pub const MAX_LISTED_CELLS: usize = 64;

/// Describes the highlighted cells by role, each with its position among the reads and its number of reads:
/// `left operand: [0,0] (1), [0,1] (3); padding value: [] (2, ×5)`. `role_name` returns the name of a role. Cells
/// beyond [`MAX_LISTED_CELLS`] are only counted: `… +7`.
pub fn description(cells: &[HighlightedCell], role_name: impl Fn(Role) -> String) -> String {
    let mut roles: Vec<Role> = Vec::new();
    for cell in cells {
        if !roles.contains(&cell.role) {
            roles.push(cell.role);
        }
    }
    let of_role = |role: Role| {
        let matching: Vec<&HighlightedCell> = cells.iter().filter(|cell| cell.role == role).collect();
        let names: Vec<String> =
            matching.iter().take(MAX_LISTED_CELLS).map(|cell| cell.description()).collect();
        let more = matching.len().saturating_sub(MAX_LISTED_CELLS);
        let more = if more > 0 { format!(" … +{more}") } else { String::new() };
        format!("{}: {}{more}", role_name(role), names.join(", "))
    };
    roles.into_iter().map(of_role).collect::<Vec<_>>().join("; ")
}

impl HighlightedCell {
    fn description(&self) -> String {
        let index = self.index.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
        let order = (self.order > 0).then(|| self.order.to_string());
        let times = (self.times > 1).then(|| format!("×{}", self.times));
        let more: Vec<String> = order.into_iter().chain(times).collect();
        if more.is_empty() { format!("[{index}]") } else { format!("[{index}] ({})", more.join(", ")) }
    }
}

/// Minimum side of a cell, in pixels, that shows its position among the reads.
const MIN_CELL_WITH_ORDER: f64 = 26.0;

impl Grid {
    /// Draws a folded corner: the value of the cell differs in the other edition.
    fn draw_difference(&self, scene: &mut Scene, rect: Rect) {
        let side = clamped(self.cell * 0.32, 2.0, 14.0);
        let (right, top) = (rect.x + rect.w, rect.y);
        let lines = [0.25, 0.5, 0.75, 1.0];
        for part in lines.map(|part| part * side) {
            scene.line((right - part, top), (right, top + part), Stroke::solid(Ink::Dimension(3), 2.0));
        }
    }

    /// Draws a tick: the cell was selected in its window.
    fn draw_winner(&self, scene: &mut Scene, rect: Rect) {
        let ink = Ink::Dimension(2);
        scene.outline(rect.grown(-1.0), 3.0, Stroke::solid(ink, 3.0));
        let side = clamped(self.cell * 0.3, 4.0, 14.0);
        let (left, bottom) = (rect.x + 4.0, rect.y + rect.h - 4.0);
        let (low, end) = ((left + side * 0.35, bottom), (left + side, bottom - side * 0.8));
        for (stroke, width) in [(Ink::Background, 5.0), (ink, 2.5)] {
            scene.line((left, bottom - side * 0.4), low, Stroke::solid(stroke, width));
            scene.line(low, end, Stroke::solid(stroke, width));
        }
    }

    /// The highlights, to be drawn over the picture of the grid.
    pub fn cell_overlay(&self, highlights: &CellHighlights) -> Scene {
        let mut scene = Scene::new(self.width, self.height);
        let cell = |index: &[i64]| match &highlights.base_area {
            Some(windows) => windows.area.cell(index),
            None => index.into(),
        };
        let visible_rect = |index: &[i64]| self.visible_rect(&cell(index));
        if let Some(windows) = &highlights.base_area {
            self.window_frames(&mut scene, windows);
        }
        for [first, last] in &highlights.slice {
            let spans: Vec<(i64, i64, i64)> = first.iter().zip(last).map(|(a, b)| (*a, *b, 1)).collect();
            self.frame(&mut scene, &spans, Stroke::solid(Ink::Select, 3.0));
        }
        for highlighted in &highlights.cells {
            let Some(rect) = visible_rect(&highlighted.index) else { continue };
            let stroke = stroke(highlighted.role);
            if self.cell < 10.0 {
                // The cell is too small for an outline: fill it.
                scene.fill(rect.grown((4.0 - self.cell).max(0.0) / 2.0), 0.0, stroke.ink);
                continue;
            }
            if let Ink::Dimension(d) = stroke.ink {
                scene.fill(rect.grown(-1.5), 3.0, Ink::Tint(d));
            }
            if highlights.has_value_colours {
                scene.outline(rect.grown(-1.0), 3.0, Stroke::solid(Ink::Background, stroke.width + 3.0));
            }
            scene.outline(rect.grown(-1.0), 3.0, stroke);
            if self.cell >= MIN_CELL_WITH_ORDER && highlighted.order > 0 {
                let text = highlighted.order.to_string();
                let width = 6.5 * f64::from(u32::try_from(text.len()).unwrap_or(1)) + 5.0;
                let badge = Rect::new(rect.x + 1.0, rect.y + 1.0, width, 12.0);
                scene.fill(badge, 2.0, stroke.ink);
                scene.label((badge.x + 2.5, badge.y + 6.0), text, 10.0, Anchor::Start, Ink::Background);
            }
        }
        for rect in highlights.winners.iter().filter_map(|index| visible_rect(index)) {
            self.draw_winner(&mut scene, rect);
        }
        for rect in highlights.differs.iter().filter_map(|index| visible_rect(index)) {
            self.draw_difference(&mut scene, rect);
        }
        for rect in highlights.current_step.iter().filter_map(|index| visible_rect(index)) {
            scene.outline(rect.grown(1.0), 3.0, Stroke::solid(Ink::Background, 5.0));
            scene.outline(rect.grown(1.0), 3.0, Stroke::solid(Ink::Hover, 3.0));
        }
        for (index, highlight) in [
            (&highlights.cursor, super::highlights::Highlight::Cursor),
            (&highlights.hover, super::highlights::Highlight::Hover),
        ] {
            if let Some(rect) = index.as_ref().and_then(|index| visible_rect(index)) {
                highlight.outline(&mut scene, rect, self.cell);
            }
        }
        scene
    }
}

#[cfg(test)]
mod tests {
    use xla_messages::i18n::Language;

    use super::*;

    #[test]
    fn what_is_written_is_named_by_its_operand() {
        let name = |role| role_message(role, "source").localize(Language::ENGLISH).clone();
        assert_eq!((name(Role::Update), name(Role::Init)), ("source".to_owned(), "initial value".to_owned()));
    }

    #[test]
    fn a_slice_is_written_with_exclusive_ends() {
        let corner = |index: &[i64]| Dims::from_slice(index);
        assert_eq!(slice_text(&[[corner(&[2, 0]), corner(&[3, 2])]]), "[2:4,0:3]");
        assert_eq!(slice_text(&[[corner(&[]), corner(&[])]]), "[]");
        let wrapped = [[corner(&[7]), corner(&[7])], [corner(&[0]), corner(&[1])]];
        assert_eq!(slice_text(&wrapped), "[7:8], [0:2]");
    }

    #[test]
    fn highlighted_cells_are_described_by_role_with_order_and_count() {
        let highlighted =
            |index: &[i64], role, order, times| HighlightedCell { index: index.into(), role, order, times };
        let cells = [
            highlighted(&[0, 1], Role::Value, 1, 1),
            highlighted(&[], Role::Fill, 2, 3),
            highlighted(&[1, 1], Role::Value, 3, 2),
        ];
        let described = |cells: &[HighlightedCell]| description(cells, |role| message_key(role).to_owned());
        assert_eq!(described(&cells), "role-value: [0,1] (1), [1,1] (3, ×2); role-fill: [] (2, ×3)");
        assert_eq!(described(&[highlighted(&[4], Role::Lhs, 0, 1)]), "role-lhs: [4]");
        assert_eq!(described(&[]), "");
        let many: Vec<HighlightedCell> = (0..70).map(|i| highlighted(&[i], Role::Value, 0, 1)).collect();
        let text = described(&many);
        assert!(text.ends_with("[63] … +6"), "{text}");
    }
}
