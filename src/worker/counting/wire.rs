//! The wire types of counting, as plain text: the landing page links no JSON.

use crate::worker::channel::Service;
use crate::worker::channel::frame::Body;

/// The service that counts moved elements.
pub enum Counting {}

impl Service for Counting {
    const NAME: &'static str = "count-moves";
    type Request = CountMoves;
    type Progress = NoProgress;
    type Reply = Moved;
}

/// Two layouts of one array, as shape text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountMoves {
    /// The array in its first layout.
    pub from: String,
    /// The array in its second layout.
    pub to: String,
}

impl Body for CountMoves {
    fn to_text(&self) -> Option<String> {
        Some(format!("{}\n{}", self.from, self.to))
    }

    fn from_text(text: &str) -> Option<Self> {
        match text.lines().collect::<Vec<_>>()[..] {
            [from, to] => Some(Self { from: from.to_owned(), to: to.to_owned() }),
            _ => None,
        }
    }
}

/// Counting reports no progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoProgress {}

impl Body for NoProgress {
    fn to_text(&self) -> Option<String> {
        match *self {}
    }

    fn from_text(_: &str) -> Option<Self> {
        None
    }
}

/// The number of moved elements, and their size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Elements that change slot.
    pub elements: i64,
    /// The size of the moved elements in bytes.
    pub bytes: i64,
}

impl Body for Moved {
    fn to_text(&self) -> Option<String> {
        Some(format!("{} {}", self.elements, self.bytes))
    }

    fn from_text(text: &str) -> Option<Self> {
        let (elements, bytes) = text.split_once(' ')?;
        Some(Self { elements: elements.parse().ok()?, bytes: bytes.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_round_trip_and_garbage_is_rejected() {
        let request = CountMoves { from: "f32[2,3]{1,0}".to_owned(), to: "f32[2,3]{0,1}".to_owned() };
        assert_eq!(CountMoves::from_text(&request.to_text().unwrap()), Some(request));
        let moved = Moved { elements: i64::MAX, bytes: 0 };
        assert_eq!(Moved::from_text(&moved.to_text().unwrap()), Some(moved));
        for garbage in ["", "1", "1 x", "a\nb\nc", "1 2 3"] {
            assert_eq!(
                (CountMoves::from_text(garbage), Moved::from_text(garbage)),
                (None, None),
                "{garbage}"
            );
            assert_eq!(NoProgress::from_text(garbage), None);
        }
    }
}
