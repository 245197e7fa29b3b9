//! Programs that the Ops screen opens on the Program screen.

use super::link::{self, MAX_ARGUMENTS};
use super::references::Argument;
use super::session::{Session, own_source};
use super::source_text::SourceText;
use crate::state::document::ValueRule;

/// Maximum bytes, and instructions, of text that the Ops screen reads: it reads at each key, on the page.
const MAX_OPS_BYTES: usize = 20_000;
const MAX_OPS_INSTRUCTIONS: usize = 64;

/// The instructions of the text, counted by their equals signs; exact for texts of one instruction per line.
pub fn instruction_lines(text: &str) -> usize {
    text.lines().filter(|line| line.contains(" = ")).count()
}

/// Whether the text belongs on the Program screen.
pub fn is_large(text: &str) -> bool {
    text.len() > MAX_OPS_BYTES || instruction_lines(text) > MAX_OPS_INSTRUCTIONS
}

/// The link that opens text with the values that the Ops screen shows for its parameters. The tab keeps the text if the
/// link has only its key.
pub fn to_program(text: SourceText, values: &[ValueRule], parameters: usize) -> String {
    let argument = |number: usize| match values.get(number) {
        None | Some(ValueRule::Letters | ValueRule::Iota) => Argument::Iota,
        Some(ValueRule::Random(_)) => Argument::Random,
        Some(ValueRule::Text(typed)) => Argument::Text(typed.clone()),
    };
    let arguments = (0..parameters.min(MAX_ARGUMENTS)).map(argument).collect();
    link::write(&Session { source: own_source(text), arguments, ..Session::default() })
}

#[cfg(test)]
mod tests {
    use super::super::session::Source;
    use super::*;

    #[test]
    fn the_program_screen_reads_text_and_values() {
        let text = "HloModule m\n\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] negate(x)\n}\n";
        let values = [ValueRule::Iota, ValueRule::Random(3), ValueRule::Text("{1; 2}".to_owned())];
        let loaded = link::read(&to_program(SourceText::new(text), &values, 4));
        assert_eq!(loaded.problems, []);
        assert!(matches!(&loaded.session.source, Source::Own(own, _) if &**own.text() == text));
        let typed = Argument::Text("{1; 2}".to_owned());
        assert_eq!(loaded.session.arguments, [Argument::Iota, Argument::Random, typed, Argument::Iota]);
    }

    #[test]
    fn large_texts_are_recognized_by_bytes_and_by_instructions() {
        let line = "  x = f32[] parameter(0)\n";
        assert!(!is_large(&line.repeat(64)) && is_large(&line.repeat(65)));
        assert!(is_large(&"x".repeat(20_001)) && !is_large(""));
    }
}
