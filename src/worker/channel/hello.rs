//! The handshake: the first message of every worker names its release. Its form never changes, so that a page and a
//! worker of any two releases detect the mismatch.

/// The prefix of the message; the release id follows.
const PREFIX: &str = "xla-playground worker of release ";

/// The first message of a worker of a release; empty after the prefix if the build has no release id.
pub fn hello(release: Option<String>) -> String {
    format!("{PREFIX}{}", release.unwrap_or_default())
}

/// Whether a text is the first message of a worker of this release; builds without a release id match each other.
pub fn is_from_release(text: &str, release: Option<&str>) -> bool {
    text.strip_prefix(PREFIX) == Some(release.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_worker_of_the_same_release_is_recognized() {
        let message = hello(Some("0123abcd".to_owned()));
        assert!(is_from_release(&message, Some("0123abcd")));
        assert!(!is_from_release(&message, Some("4567cdef")) && !is_from_release(&message, None));
        assert!(is_from_release(&hello(None), None) && !is_from_release(&hello(None), Some("0123abcd")));
        // First messages of older releases.
        for text in [r#"{"protocol":4,"body":"Ready"}"#, r#"{"speed":2,"body":"Ready"}"#, "", "null", "[]"] {
            assert!(!is_from_release(text, None) && !is_from_release(text, Some("0123abcd")), "{text}");
        }
    }
}
