//! The views of a program. The screen shows one at a time; all share the program and the selected instruction.

/// A view of a program.
///
/// `docs/adding-a-screen.md` lists what a new one consists of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// Text, structure and values side by side.
    #[default]
    Read,
    /// The data flow of a whole computation as a layered drawing.
    Graph,
    /// Operations, bytes, memory over time, copies with their causes, and padding.
    Costs,
    /// The program beside another one, by structure and by values.
    Compare,
    /// Instructions as a program of their own, and reduction while a property holds.
    Cut,
}

impl View {
    /// All views, in the order of their tabs.
    pub const ALL: [Self; 5] = [Self::Read, Self::Graph, Self::Costs, Self::Compare, Self::Cut];

    /// The name in links and ids.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Graph => "graph",
            Self::Costs => "costs",
            Self::Compare => "compare",
            Self::Cut => "cut",
        }
    }

    /// The message key of the title of its tab.
    pub fn title(self) -> &'static str {
        match self {
            Self::Read => "program-view-read",
            Self::Graph => "program-view-graph",
            Self::Costs => "program-view-costs",
            Self::Compare => "program-view-compare",
            Self::Cut => "program-view-cut",
        }
    }

    /// The view with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.name() == name)
    }

    /// The view that a key of the tablist leads to, as ARIA's pattern for tabs has it: the next or previous one, around the
    /// ends, or the first or last one.
    pub fn after_key(self, key: &str) -> Option<Self> {
        let (count, at) = (Self::ALL.len(), Self::ALL.iter().position(|view| *view == self)?);
        let to = match key {
            "ArrowRight" => (at + 1) % count,
            "ArrowLeft" => (at + count - 1) % count,
            "Home" => 0,
            "End" => count - 1,
            _ => return None,
        };
        Self::ALL.get(to).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::{Language, Message};

    #[test]
    fn every_view_has_a_name_and_a_title() {
        for view in View::ALL {
            assert_eq!(View::by_name(view.name()), Some(view));
            for language in Language::all() {
                assert_ne!(Message::program(view.title()).localize(language), view.title());
            }
        }
        assert_eq!(View::by_name("nonsense"), None);
    }

    #[test]
    fn keys_move_around_the_ends() {
        let [first, .., last] = View::ALL;
        assert_eq!((first.after_key("ArrowLeft"), last.after_key("ArrowRight")), (Some(last), Some(first)));
        assert_eq!((last.after_key("Home"), first.after_key("End")), (Some(first), Some(last)));
        assert_eq!(first.after_key("Enter"), None);
    }
}
