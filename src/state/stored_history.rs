//! Undo and redo of a screen as text, so that they survive a visit to another screen: the link of the current state, then
//! a line for each state that undo (`<`) or redo (`>`) returns to, the nearest first.

/// Maximum number of states of undo, and of redo: a browser tab stores some megabytes for all screens.
pub const MAX_STATES: usize = 50;

/// The text of a history: the links of the states that undo and redo return to, each with the nearest one first. Links contain
/// no line breaks.
pub fn write(current: String, history: &[Vec<String>; 2]) -> String {
    let mut out = current;
    for (sign, links) in ["\n<", "\n>"].into_iter().zip(history) {
        for link in links {
            out.push_str(sign);
            out.push_str(link);
        }
    }
    out
}

/// The links of the states that undo and redo return to, each with the nearest one first; `None` if the text is of another
/// current state.
pub fn read<'a>(text: &'a str, current: &str) -> Option<[Vec<&'a str>; 2]> {
    let mut history = [Vec::new(), Vec::new()];
    let mut lines = text.split('\n');
    if lines.next()? != current {
        return None;
    }
    for line in lines {
        match line.split_at_checked(1)? {
            ("<", link) => history[0].push(link),
            (">", link) => history[1].push(link),
            _ => return None,
        }
    }
    Some(history)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_survives_as_text() {
        let history = [vec!["v1/b", "v1/a"], vec!["v1/d"]];
        let owned = history.each_ref().map(|links| links.iter().map(|link| (*link).to_owned()).collect());
        let text = write("v1/c".to_owned(), &owned);
        assert_eq!(text, "v1/c\n<v1/b\n<v1/a\n>v1/d");
        assert_eq!(read(&text, "v1/c"), Some(history));
        assert_eq!(read(&text, "v1/b"), None, "of another state");
        assert_eq!(read("v1/c\n", "v1/c"), None, "damaged");
    }
}
