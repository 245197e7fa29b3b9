//! Undo and redo of a screen as text, so that they survive a visit to another screen: the link of the current state, then
//! a line for each state that undo (`<`) or redo (`>`) returns to, the nearest first.

/// Maximum number of states of undo, and of redo: a browser tab stores some megabytes for all screens.
pub const MAX_STATES: usize = 50;

/// What undo and redo return to, each with the nearest state last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History<T> {
    /// The states that undo returns to.
    pub undo: Vec<T>,
    /// The states that redo returns to.
    pub redo: Vec<T>,
}

impl<T> History<T> {
    /// Whether there is nothing to undo or redo.
    pub fn is_empty(&self) -> bool {
        self.undo.is_empty() && self.redo.is_empty()
    }

    /// Converts both lists.
    pub fn map<U>(self, f: impl Fn(Vec<T>) -> Vec<U>) -> History<U> {
        History { undo: f(self.undo), redo: f(self.redo) }
    }
}

/// The text of a history of links, which contain no line breaks.
pub fn write(current: String, history: &History<String>) -> String {
    let mut out = current;
    for (sign, links) in [("\n<", &history.undo), ("\n>", &history.redo)] {
        for link in links.iter().rev() {
            out.push_str(sign);
            out.push_str(link);
        }
    }
    out
}

/// The history of links in the text, for a screen in the state `current`. If the text is of another state, another screen or
/// an opened link has replaced that one: undo returns to it, and nothing is left to redo. `None` if the text is damaged.
pub fn read<'a>(text: &'a str, current: &str) -> Option<History<&'a str>> {
    let mut history = History::default();
    let mut lines = text.split('\n');
    let stored = lines.next()?;
    for line in lines {
        match line.split_at_checked(1)? {
            ("<", link) => history.undo.push(link),
            (">", link) => history.redo.push(link),
            _ => return None,
        }
    }
    history.undo.reverse();
    history.redo.reverse();
    if stored != current {
        history.undo.push(stored);
        history.redo.clear();
    }
    Some(history)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_survives_as_text() {
        let history = History { undo: vec!["v1/a", "v1/b"], redo: vec!["v1/d"] };
        let owned = history.clone().map(|links| links.into_iter().map(str::to_owned).collect());
        let text = write("v1/c".to_owned(), &owned);
        assert_eq!(text, "v1/c\n<v1/b\n<v1/a\n>v1/d");
        assert_eq!(read(&text, "v1/c"), Some(history));
        let replaced = History { undo: vec!["v1/a", "v1/b", "v1/c"], redo: Vec::new() };
        assert_eq!(read(&text, "v1/x"), Some(replaced));
        assert_eq!(read("v1/c\n", "v1/c"), None, "damaged");
    }
}
