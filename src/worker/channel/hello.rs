//! The handshake: the first message of every worker states its release. Its form never changes, so that a page and a worker of any
//! two releases recognize that they do not belong together.

/// What the message starts with; the release follows.
const START: &str = "xla-playground worker of release ";

/// The text of the message of a release; a build without a release id says none.
pub fn hello(release: Option<String>) -> String {
    format!("{START}{}", release.unwrap_or_default())
}

/// Whether a text is the first message of a worker of this release.
pub fn is_of(text: &str, release: Option<&str>) -> bool {
    text.strip_prefix(START) == Some(release.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_worker_of_the_same_release_is_recognized() {
        let told = hello(Some("0123abcd".to_owned()));
        assert!(is_of(&told, Some("0123abcd")));
        assert!(!is_of(&told, Some("4567cdef")) && !is_of(&told, None));
        assert!(is_of(&hello(None), None) && !is_of(&hello(None), Some("0123abcd")));
        // What workers before this message say first.
        for text in [r#"{"protocol":4,"body":"Ready"}"#, r#"{"speed":2,"body":"Ready"}"#, "", "null", "[]"] {
            assert!(!is_of(text, None) && !is_of(text, Some("0123abcd")), "{text}");
        }
    }
}
