//! Sections, entries and arguments of *Operation Semantics*, "the documentation" in this crate.

use crate::example::Example;
use xla_array::Edition;
use xla_messages::i18n::Message;
use xla_ops::OpMeta;

/// The 2017 document, in TensorFlow r1.3.
const DOCUMENT_2017: &str = "https://github.com/tensorflow/tensorflow/blob/r1.3/tensorflow/docs_src/performance/xla/operation_semantics.md";

/// A section of the documentation.
#[derive(Debug)]
pub struct Section {
    /// The heading as printed, `Rev (reverse)`.
    pub name: &'static str,
    /// The `ComputationBuilder` method that the documentation links under "See also"; `None` without such a link.
    pub builder_method: Option<&'static str>,
    /// The entries, in the order of the documentation.
    pub entries: &'static [Entry],
}

/// An operation that the documentation describes.
#[derive(Debug)]
pub struct Entry {
    /// The name in the documentation's signature, as in links: `Rev`.
    pub name: &'static str,
    /// The opcode of the instruction it is lowered to: the one that does the work, if there are several.
    pub opcode: &'static str,
    /// Further opcodes by which it is recognized: of instructions it is lowered to, or that join results of examples.
    pub other_opcodes: &'static [&'static str],
    /// The calls as printed, `Reshape(operand, new_sizes)`; in the same style where the documentation prints none.
    pub signatures: &'static [&'static str],
    /// The rows of the table of arguments; in the same style where the documentation has no table.
    pub arguments: &'static [Argument],
    /// The message key of the paragraph that explains it.
    pub text: &'static str,
    /// The edition whose formula the documentation describes, if the editions differ.
    pub formula_edition: Option<Edition>,
    /// The anchor of the heading in the current Operation Semantics; `None` if no heading there describes it.
    pub current_docs_anchor: Option<&'static str>,
    /// Further words that a search finds it by, in lower case: its names in other frameworks and textbooks.
    pub search_words: &'static [&'static str],
    /// The examples: those of the documentation in their order, then ours.
    pub examples: &'static [Example],
}

/// An argument of an entry.
#[derive(Debug)]
pub struct Argument {
    /// The name in the documentation.
    pub name: &'static str,
    /// The type in the documentation.
    pub kind: &'static str,
    /// The message key of its explanation.
    pub meaning: &'static str,
}

impl Section {
    /// The address of the heading in the document of 2017.
    pub fn address_2017(&self) -> String {
        let is_anchor_char = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-');
        let words: String = self.name.to_lowercase().chars().filter(is_anchor_char).collect();
        format!("{DOCUMENT_2017}#{}", words.replace(' ', "-"))
    }
}

impl Entry {
    /// An empty entry, the base of struct updates.
    pub(crate) const EMPTY: Self = Self {
        name: "",
        opcode: "",
        other_opcodes: &[],
        signatures: &[],
        arguments: &[],
        text: "",
        formula_edition: None,
        current_docs_anchor: None,
        search_words: &[],
        examples: &[],
    };

    /// Whether it is lowered to an instruction with this opcode.
    pub fn lowers_to(&self, opcode: &str) -> bool {
        self.opcode == opcode || self.other_opcodes.contains(&opcode)
    }

    /// The op of the instruction it is lowered to.
    pub fn op(&self) -> Option<&'static OpMeta> {
        xla_ops::find(self.opcode).map(xla_ops::OpDef::meta)
    }

    /// The paragraph that explains it.
    pub fn text(&self) -> Message {
        Message::documents(self.text)
    }

    /// The address of its heading in the current document, if it has one.
    pub fn current_address(&self) -> Option<String> {
        self.current_docs_anchor.map(xla_ops::anchor_address)
    }
}

impl Argument {
    /// The message that explains it.
    pub fn meaning(&self) -> Message {
        Message::documents(self.meaning)
    }
}

/// Creates a row of the table of arguments.
pub(crate) const fn argument(name: &'static str, kind: &'static str, meaning: &'static str) -> Argument {
    Argument { name, kind, meaning }
}

#[cfg(test)]
mod tests {
    use super::Section;

    #[test]
    fn headings_have_the_anchors_that_github_gives_them() {
        for (name, anchor) in [
            ("DynamicSlice", "dynamicslice"),
            ("Rev (reverse)", "rev-reverse"),
            ("Element-wise binary arithmetic operations", "element-wise-binary-arithmetic-operations"),
        ] {
            let address = Section { name, builder_method: None, entries: &[] }.address_2017();
            assert!(address.ends_with(&format!("/operation_semantics.md#{anchor}")), "{address}");
        }
    }
}
