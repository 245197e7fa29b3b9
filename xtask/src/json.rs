//! Text as JSON.

use std::fmt::Write;

/// Text as JSON that may be in a script element.
pub fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '<' | '\u{0}'..='\u{1f}' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_text_or_an_element_is_escaped() {
        assert_eq!(quote("b \"c\" { $d }"), r#""b \"c\" { $d }""#);
        assert_eq!(quote("</script>"), r#""\u003c/script>""#);
        assert_eq!(quote("a\\\n"), r#""a\\\u000a""#);
    }
}
