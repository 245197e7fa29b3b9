//! The wire types of counting. They are plain text, so that the landing page carries no JSON.

use crate::worker::channel::Service;
use crate::worker::channel::frame::Body;

/// Counting.
pub enum Counting {}

impl Service for Counting {
    const NAME: &'static str = "count-moves";
    type Request = CountMoves;
    type Progress = NoProgress;
    type Reply = Moved;
}

/// Count what a change of layout moves. Shapes are in the text form.
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

    fn of_text(text: &str) -> Option<Self> {
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

    fn of_text(_: &str) -> Option<Self> {
        None
    }
}

/// All elements were counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Elements that change slot.
    pub elements: i64,
    /// Their bytes.
    pub bytes: i64,
}

impl Body for Moved {
    fn to_text(&self) -> Option<String> {
        Some(format!("{} {}", self.elements, self.bytes))
    }

    fn of_text(text: &str) -> Option<Self> {
        let (elements, bytes) = text.split_once(' ')?;
        Some(Self { elements: elements.parse().ok()?, bytes: bytes.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_round_trip_and_garbage_is_refused() {
        let request = CountMoves { from: "f32[2,3]{1,0}".to_owned(), to: "f32[2,3]{0,1}".to_owned() };
        assert_eq!(CountMoves::of_text(&request.to_text().unwrap()), Some(request));
        let moved = Moved { elements: i64::MAX, bytes: 0 };
        assert_eq!(Moved::of_text(&moved.to_text().unwrap()), Some(moved));
        for garbage in ["", "1", "1 x", "a\nb\nc", "1 2 3"] {
            assert_eq!((CountMoves::of_text(garbage), Moved::of_text(garbage)), (None, None), "{garbage}");
            assert_eq!(NoProgress::of_text(garbage), None);
        }
    }
}
