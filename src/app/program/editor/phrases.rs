//! The phrases of the bundled editor. It looks them up by its own English text.

use crate::i18n::Message;

/// The editor's text, and our message.
pub const PHRASES: [(&str, &str); 27] = [
    ("Show annotation", "editor-show-annotation"),
    ("Control character", "editor-control-character"),
    ("Selection deleted", "editor-selection-deleted"),
    ("Fold line", "editor-fold-line"),
    ("Unfold line", "editor-unfold-line"),
    ("Folded lines", "editor-folded-lines"),
    ("Unfolded lines", "editor-unfolded-lines"),
    ("to", "editor-to"),
    ("folded code", "editor-folded-code"),
    ("unfold", "editor-unfold"),
    ("Completions", "editor-completions"),
    ("Diagnostics", "editor-diagnostics"),
    ("No diagnostics", "editor-no-diagnostics"),
    ("Find", "editor-find"),
    ("Replace", "editor-replace"),
    ("next", "editor-next"),
    ("previous", "editor-previous"),
    ("all", "editor-all"),
    ("match case", "editor-match-case"),
    ("regexp", "editor-regexp"),
    ("by word", "editor-by-word"),
    ("replace", "editor-replace-one"),
    ("replace all", "editor-replace-all"),
    ("close", "editor-close"),
    ("current match", "editor-current-match"),
    ("on line", "editor-on-line"),
    ("Go to line", "editor-go-to-line"),
];

/// Each of the editor's texts with our message.
pub fn phrases() -> impl Iterator<Item = (&'static str, Message)> {
    PHRASES.iter().map(|(own, key)| (*own, Message::program(key)))
}
