//! Playback through the cells: play, pause, step.

/// The state of a playback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Playback {
    /// The current cell.
    pub cursor: i64,
    /// The last cell.
    pub last: i64,
    /// Whether it is playing.
    pub is_playing: bool,
}

/// An effect of a playback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Move to a cell.
    MoveTo(i64),
    /// Start or stop playing.
    SetPlaying(bool),
}

impl Playback {
    /// The effect of the timer.
    pub fn tick(self) -> Effect {
        if self.cursor >= self.last { Effect::SetPlaying(false) } else { Effect::MoveTo(self.cursor + 1) }
    }

    /// The effects of the play button: at the last cell it starts over.
    pub fn toggle(self) -> Vec<Effect> {
        let restart = !self.is_playing && self.cursor >= self.last;
        restart
            .then_some(Effect::MoveTo(0))
            .into_iter()
            .chain([Effect::SetPlaying(!self.is_playing)])
            .collect()
    }

    /// The cell `by` steps further, clamped.
    pub fn step(self, by: i64) -> i64 {
        (self.cursor + by).clamp(0, self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn playing_ends_at_the_last_cell_and_starts_over_from_it() {
        let at = |cursor, is_playing| Playback { cursor, last: 3, is_playing };
        assert_eq!(at(2, true).tick(), Effect::MoveTo(3));
        assert_eq!(at(3, true).tick(), Effect::SetPlaying(false));
        assert_eq!(at(1, false).toggle(), [Effect::SetPlaying(true)]);
        assert_eq!(at(3, false).toggle(), [Effect::MoveTo(0), Effect::SetPlaying(true)]);
        assert_eq!(at(3, true).toggle(), [Effect::SetPlaying(false)]);
        assert_eq!([-1, 1].map(|by| at(0, false).step(by)), [0, 1]);
        assert_eq!(at(3, false).step(1), 3);
    }
}
