//! Wheel and keys on the memory strip: rows of slots, with an overview of all memory.

use super::keys::Key;
use crate::view::pixels::{index_at, px};
use crate::view::strip::Strip;

/// A command of a key on the strip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Step to a slot.
    Step(i64),
    /// Pin the current slot.
    Pin {
        /// Whether to keep the other pins.
        keep_others: bool,
    },
}

/// The command of a key on a strip of `slot_count` slots, if any.
pub fn command(strip: &Strip, slot_count: i64, cursor: i64, key: &Key) -> Option<Command> {
    if key.alt || key.meta {
        return None;
    }
    let page = strip.per_row * strip.visible_rows;
    let to = match key.name.as_str() {
        "ArrowLeft" => cursor - 1,
        "ArrowRight" => cursor + 1,
        "ArrowUp" => cursor - strip.per_row,
        "ArrowDown" => cursor + strip.per_row,
        "PageUp" => cursor - page,
        "PageDown" => cursor + page,
        "Home" => 0,
        "End" => slot_count - 1,
        "Enter" => return Some(Command::Pin { keep_others: key.shift }),
        _ => return None,
    };
    Some(Command::Step(to.clamp(0, (slot_count - 1).max(0))))
}

/// The first row after a wheel event; `None` if the event zooms, or at either end of memory, so that the page scrolls.
pub fn wheel(strip: &Strip, dy: f64, is_zooming: bool) -> Option<i64> {
    let last = strip.rows() - strip.visible_rows;
    let to = (strip.first_row + if dy > 0.0 { 1 } else { -1 }).clamp(0, last);
    (!is_zooming && to != strip.first_row).then_some(to)
}

/// The first row that centres a slot.
pub fn first_centred_row(strip: &Strip, slot: i64) -> i64 {
    let last = strip.rows() - strip.visible_rows;
    (slot / strip.per_row - strip.visible_rows / 2).clamp(0, last)
}

/// The first row for which the cursor's slot is in view: scrolls as little as possible after a step, which is at most one
/// row long, and centres the slot after a jump. Unchanged if the slot is in view.
pub fn follow_cursor(strip: &Strip, from: Option<i64>, slot: i64) -> i64 {
    if strip.visible_slots().contains(&slot) {
        strip.first_row
    } else if from.is_some_and(|from| from != slot && (from - slot).abs() <= strip.per_row) {
        strip.first_row_showing(slot)
    } else {
        first_centred_row(strip, slot)
    }
}

/// The slot at `x` of an overview of this width.
pub fn overview_slot(x: f64, width: f64, slot_count: i64) -> i64 {
    index_at(x / width * px(slot_count)).clamp(0, slot_count - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::text;
    use crate::state::document::ValueRule;
    use crate::view::array_view::ArrayView;
    use crate::view::colour_map::ColourMap;
    use crate::view::options::ColourBy;

    fn strip(first_row: i64) -> (Strip, i64) {
        let shape = text::parse("f32[1000]").valid().unwrap().as_array().unwrap().clone();
        let array = ArrayView::new(&shape, &ValueRule::Iota, ColourBy::Value, ColourMap::Viridis).unwrap();
        (Strip::new(&array, 400.0, 28.0, 64, 6, first_row), 1000)
    }

    #[test]
    fn keys_step_within_memory() {
        let (strip, slot_count) = strip(0);
        let press = |name: &str, cursor| {
            command(&strip, slot_count, cursor, &Key { name: name.to_owned(), ..Key::default() })
        };
        assert_eq!(press("ArrowLeft", 0), Some(Command::Step(0)));
        assert_eq!(press("ArrowDown", 1), Some(Command::Step(1 + strip.per_row)));
        assert_eq!(press("PageDown", 0), Some(Command::Step(strip.per_row * strip.visible_rows)));
        assert_eq!(press("End", 3), Some(Command::Step(999)));
        assert_eq!(press("PageDown", 998), Some(Command::Step(999)));
        assert_eq!(press("Enter", 3), Some(Command::Pin { keep_others: false }));
        assert_eq!(press("a", 3), None);
        let meta = Key { name: "End".to_owned(), meta: true, ..Key::default() };
        assert_eq!(command(&strip, slot_count, 3, &meta), None);
    }

    #[test]
    fn the_wheel_stops_at_both_ends() {
        let (top, _) = strip(0);
        assert_eq!(wheel(&top, -1.0, false), None);
        assert_eq!(wheel(&top, 1.0, false), Some(1));
        assert_eq!(wheel(&top, 1.0, true), None);
        let last = top.rows() - top.visible_rows;
        assert!(last > 1);
        let (bottom, _) = strip(last);
        assert_eq!(wheel(&bottom, 1.0, false), None);
        assert_eq!((first_centred_row(&top, 0), first_centred_row(&top, 999)), (0, last));
    }

    #[test]
    fn a_jump_centres_its_row_and_a_step_scrolls_by_one() {
        let (top, _) = strip(0);
        let below = top.visible_slots().end;
        assert_eq!(follow_cursor(&top, Some(below - 1), below), 1);
        assert_eq!(follow_cursor(&top, Some(below - top.per_row), below), 1);
        assert_eq!(follow_cursor(&top, Some(0), 500), 500 / top.per_row - top.visible_rows / 2);
        assert_eq!(follow_cursor(&top, None, 500), first_centred_row(&top, 500), "a link is a jump");
        assert_eq!(follow_cursor(&top, Some(0), below - 1), 0, "what is in view stays");
    }

    #[test]
    fn the_overview_spans_all_of_memory() {
        assert_eq!([-5.0, 0.0, 50.0, 100.0, 200.0].map(|x| overview_slot(x, 100.0, 10)), [0, 0, 5, 9, 9]);
    }
}
