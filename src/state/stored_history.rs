//! Undo and redo of a screen as text, so that they survive a visit to another screen: the link of the current state, then
//! a line for each state that undo (`<`) or redo (`>`) returns to, the nearest first.

/// Maximum length of the text. A browser tab stores some megabytes for all screens.
const MAX_BYTES: usize = 1 << 19;

/// The text of a history, without the farthest states if it would be too long. Links contain no line breaks.
///
/// `history` has the states that undo and redo return to, each with the nearest one last.
pub fn write<S>(current: &str, history: &[Vec<&S>; 2], link: impl Fn(&S) -> String) -> String {
    let mut out = current.to_owned();
    for (sign, states) in ["\n<", "\n>"].into_iter().zip(history) {
        for state in states.iter().rev() {
            let link = link(state);
            if out.len() + sign.len() + link.len() > MAX_BYTES {
                break;
            }
            out.push_str(sign);
            out.push_str(&link);
        }
    }
    out
}

/// The links of the states that undo and redo return to, each with the nearest one last; `None` if the text is of another
/// current state.
pub fn read<'a>(text: &'a str, current: &str) -> Option<[Vec<&'a str>; 2]> {
    let mut lines = text.split('\n');
    lines.next().filter(|link| *link == current)?;
    let mut history = [Vec::new(), Vec::new()];
    for line in lines {
        let (states, link) = match line.strip_prefix('<') {
            Some(link) => (&mut history[0], link),
            None => (&mut history[1], line.strip_prefix('>')?),
        };
        states.insert(0, link);
    }
    Some(history)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_survives_as_text() {
        let states = ["v1/a", "v1/b", "v1/d"];
        let text = write("v1/c", &[vec![&states[0], &states[1]], vec![&states[2]]], |s| (*s).to_owned());
        assert_eq!(text, "v1/c\n<v1/b\n<v1/a\n>v1/d");
        assert_eq!(read(&text, "v1/c"), Some([vec!["v1/a", "v1/b"], vec!["v1/d"]]));
        assert_eq!(read(&text, "v1/b"), None, "of another state");
        assert_eq!(read("v1/c\nv1/b", "v1/c"), None, "damaged");
    }

    #[test]
    fn a_long_history_loses_its_farthest_states() {
        let long = ["far", "near"].map(|name| name.repeat(MAX_BYTES / 6));
        let text = write("now", &[long.iter().collect(), Vec::new()], |s: &String| s.clone());
        assert!(text.len() <= MAX_BYTES);
        assert_eq!(read(&text, "now"), Some([vec![long[1].as_str()], Vec::new()]));
    }
}
