//! Elements that a data-movement op moves in memory: how many change their slot, and connecting lines from the slots
//! of an operand to the slots of the result.

use std::collections::HashSet;

use super::array_view::ArrayView;
use super::scene::{Ink, Item, Scene, Stroke};
use super::strip::Strip;
use xla_array::Dims;
use xla_ops::Source;

/// Height of the band between the strips, in pixels.
const HEIGHT: f64 = 64.0;

/// The elements of a result, counted by how they moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveSummary {
    /// The elements of the result.
    pub total: i64,
    /// Elements whose slot differs from that in their operand.
    pub moved: i64,
    /// Padding values, which are copies of no array element.
    pub filled: i64,
    /// The number of distinct operand elements that were copied.
    pub copied: i64,
    /// Whether the memory of the result equals that of its only operand.
    pub is_bitcast: bool,
}

/// The source that an element of the result is a copy of: neither a predicate nor a start index.
pub fn copied_source(sources: &[Source]) -> Option<&Source> {
    use xla_ops::Role;
    sources.iter().find(|s| matches!(s.role, Role::Value | Role::Update))
}

/// Counts the elements that move. `sources` returns the source cells of an index of the result; if it returns `None` for
/// any index, so does this function.
pub fn summarize_moves(
    operands: &[&ArrayView],
    result: &ArrayView,
    indices: impl Iterator<Item = Dims>,
    mut sources: impl FnMut(&Dims) -> Option<Vec<Source>>,
) -> Option<MoveSummary> {
    let mut summary = MoveSummary::default();
    let mut copied = HashSet::new();
    for index in indices {
        let read = sources(&index)?;
        summary.total += 1;
        let from = copied_source(&read).and_then(|s| {
            operands.get(s.operand)?.memory_map().slot(&s.cell.index).map(|slot| (s.operand, slot))
        });
        copied.extend(from);
        match from {
            None => summary.filled += 1,
            Some(from) if result.memory_map().slot(&index).map(|slot| (0, slot)) != Some(from) => {
                summary.moved += 1;
            }
            Some(_) => {}
        }
    }
    summary.copied = i64::try_from(copied.len()).unwrap_or(i64::MAX);
    let has_same_size = operands.first().is_some_and(|first| {
        let bits = |array: &ArrayView| (array.memory_map().slot_count(), array.shape().element_type);
        bits(first) == bits(result)
    });
    summary.is_bitcast = summary.moved + summary.filled == 0 && has_same_size;
    Some(summary)
}

/// The strips above and below, if each fits in one row.
pub fn strips(from: &ArrayView, to: &ArrayView, width: f64) -> Option<(Strip, Strip)> {
    super::layout_connectors::strips(from, to, width)
}

fn connector(from: (&Strip, i64), to: (&Strip, i64), stroke: Stroke) -> Option<Item> {
    let (a, b) = (from.0.rect(from.1)?, to.0.rect(to.1)?);
    let (x0, x1) = (a.x + a.w / 2.0, b.x + b.w / 2.0);
    let points = [(x0, 2.0), (x0, HEIGHT * 0.5), (x1, HEIGHT * 0.5), (x1, HEIGHT - 2.0)];
    Some(Item::Curve { points, stroke })
}

/// Connectors between slots of two arrays, given as `(from, to)` pairs; those of `current` are highlighted.
pub fn scene(
    from: &ArrayView,
    to: &ArrayView,
    width: f64,
    pairs: &[(i64, i64)],
    current: &[(i64, i64)],
) -> Scene {
    let mut scene = Scene::new(width, HEIGHT);
    let Some((a, b)) = strips(from, to, width) else { return scene };
    for (source, target) in pairs {
        let keeps_slot = source == target;
        let ink = if keeps_slot { Ink::LineStrong } else { Ink::Dimension(0) };
        let dash = keeps_slot.then_some([2.0, 3.0]);
        scene.items.extend(connector((&a, *source), (&b, *target), Stroke { ink, width: 1.5, dash }));
    }
    for (source, target) in current {
        scene.items.extend(connector((&a, *source), (&b, *target), Stroke::solid(Ink::Background, 7.0)));
        scene.items.extend(connector((&a, *source), (&b, *target), Stroke::solid(Ink::Select, 3.5)));
    }
    scene
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour_map::ColourMap;
    use crate::options::ColourBy;
    use std::rc::Rc;
    use xla_array::index::multi_index;
    use xla_experiment::Experiment;
    use xla_experiment::run::{FinishedRun, leaves};
    use xla_hlo::Limits;
    use xla_ops::CellAt;

    fn summary_of(text: &str) -> MoveSummary {
        let source = format!("HloModule m\nENTRY e {{ {text} }}");
        let module = Rc::new(xla_hlo::parse(&source).into_module().unwrap());
        let entry = module.entry_computation().unwrap();
        let root = entry.root.unwrap();
        let finished = FinishedRun::run(&Experiment::from_text(source), &module, Limits::default()).unwrap();
        let view = |id| {
            let (_, array) = leaves(finished.value(id).unwrap()).remove(0);
            ArrayView::from_literal(array, ColourBy::Value, ColourMap::Viridis)
        };
        let operands: Vec<ArrayView> = entry.get(root).unwrap().operands.iter().map(|id| view(*id)).collect();
        let result = view(root);
        let sizes = result.shape().dimensions.clone();
        let indices = (0..result.memory_map().elements()).map(|n| multi_index(n, &sizes));
        let sources = |index: &Dims| finished.sources(root, &CellAt::array(index)).ok();
        summarize_moves(&operands.iter().collect::<Vec<_>>(), &result, indices, sources).unwrap()
    }

    const X: &str = "x = s32[2,3] constant({{1,2,3},{4,5,6}})";

    #[test]
    fn an_op_that_keeps_all_slots_is_a_bitcast() {
        let count = summary_of(&format!("{X} ROOT r = s32[3,2] reshape(x)"));
        assert_eq!(count, MoveSummary { total: 6, moved: 0, filled: 0, copied: 6, is_bitcast: true });
        let count = summary_of(&format!("{X} ROOT r = s32[3,2]{{0,1}} transpose(x), dimensions={{1,0}}"));
        assert!(count.is_bitcast, "a transpose whose layout is transposed too");
        let count = summary_of(&format!("{X} ROOT r = s32[3,2]{{1,0}} transpose(x), dimensions={{1,0}}"));
        assert_eq!((count.moved, count.is_bitcast), (4, false), "the first and the last stay");
    }

    #[test]
    fn a_broadcast_copies_few_elements_to_many() {
        let count = summary_of("x = s32[] constant(7) ROOT r = s32[2,3] broadcast(x), dimensions={}");
        assert_eq!((count.total, count.copied), (6, 1));
    }

    #[test]
    fn elements_of_later_operands_move_and_padding_is_filled() {
        let count = summary_of(
            "x = s32[2] constant({1,2}) y = s32[2] constant({3,4}) ROOT r = concatenate(x, y), dimensions={0}",
        );
        assert_eq!((count.total, count.moved, count.is_bitcast), (4, 2, false));
        let count =
            summary_of("x = s32[2] constant({1,2}) z = s32[] constant(0) ROOT r = pad(x, z), padding=1_0");
        assert_eq!((count.moved, count.filled), (2, 1));
    }
}
