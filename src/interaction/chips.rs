//! Reorders the dimensions of a layout by dragging chips or by keys.

use super::keys::Key;

/// A drag of a chip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drag {
    /// The position of the dragged chip.
    pub dragged: Option<usize>,
    /// The position under the pointer.
    pub over: Option<usize>,
}

impl Drag {
    /// Starts dragging the chip at a position.
    pub fn start(position: usize) -> Self {
        Self { dragged: Some(position), over: None }
    }

    /// Moves over a chip; `None` if no chip is dragged.
    pub fn over(self, position: usize) -> Option<Self> {
        self.dragged.map(|dragged| Self { dragged: Some(dragged), over: Some(position) })
    }

    /// The side of the chip at `position` on which dropping would insert the dragged chip: a dropped chip takes the position of
    /// the chip under it. `None` if the pointer is elsewhere.
    pub fn insertion(self, position: usize) -> Option<Side> {
        let dragged = self.dragged.filter(|dragged| self.over == Some(position) && *dragged != position)?;
        Some(if dragged < position { Side::After } else { Side::Before })
    }
}

/// A side of a chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Towards the most minor dimension.
    Before,
    /// Towards the most major dimension.
    After,
}

/// A command for the chip at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Move to a position.
    Move(usize),
    /// The chip cannot move further in that direction.
    AtEnd,
}

/// The command of a key for the chip at `position` of `count`, if any.
pub fn command(position: usize, count: usize, key: &Key) -> Option<Command> {
    if !key.alt {
        return None;
    }
    let to = match key.name.as_str() {
        "ArrowLeft" | "ArrowUp" => position.checked_sub(1),
        "ArrowRight" | "ArrowDown" => Some(position + 1),
        "Home" => Some(0),
        "End" => count.checked_sub(1),
        _ => return None,
    };
    let to = to.filter(|to| *to < count && *to != position);
    Some(to.map_or(Command::AtEnd, Command::Move))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_move_a_chip_within_the_order() {
        let press = |name: &str, position, alt| {
            command(position, 3, &Key { name: name.to_owned(), alt, ..Key::default() })
        };
        assert_eq!(press("ArrowRight", 0, false), None);
        assert_eq!(press("ArrowRight", 0, true), Some(Command::Move(1)));
        assert_eq!(press("ArrowRight", 2, true), Some(Command::AtEnd));
        assert_eq!(press("ArrowLeft", 0, true), Some(Command::AtEnd));
        assert_eq!(press("End", 0, true), Some(Command::Move(2)));
        assert_eq!(press("Home", 0, true), Some(Command::AtEnd));
        assert_eq!(press("a", 0, true), None);
    }

    #[test]
    fn only_a_dragged_chip_has_a_target() {
        assert_eq!(Drag::default().over(1), None);
        let sides = |from, over| {
            let drag = Drag::start(from).over(over).unwrap();
            [0, 1, 2].map(|position| drag.insertion(position))
        };
        assert_eq!(sides(0, 1), [None, Some(Side::After), None]);
        assert_eq!(sides(2, 1), [None, Some(Side::Before), None]);
        assert_eq!(sides(0, 0), [None; 3], "a chip that stays is not inserted");
    }
}
