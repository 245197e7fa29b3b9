//! What is known of an op without running it: names, operands, attributes, rules, examples.
//!
//! Everything that is shown or checked of an op beyond its own two functions is derived from its [`OpMeta`]: HLO
//! text, forms, pages, the list of the Ops screen, and the registry test, which runs every example and breaks every
//! rule.

use super::attrs::AttrSpec;

/// The category under which the Ops screen lists an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// One operand, element by element.
    Unary,
    /// Several operands, element by element.
    Binary,
    /// Elements move or repeat; none is computed.
    Movement,
    /// Reductions of many elements to one.
    Reduction,
    /// Sums of products.
    Contraction,
    /// Element types and bits.
    Conversion,
    /// Values without operands: constants, parameters, iota.
    Source,
    /// Tuples.
    Tuple,
    /// Calls, branches, loops.
    Control,
    /// Several devices together.
    Collective,
    /// Queues, functions and channels outside of the module.
    Outside,
}

/// The operands an op takes: those with a name of their own, then any number of one more kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operands {
    /// Names of the operands that must be there.
    pub fixed: &'static [&'static str],
    /// The name of further operands, if the op may have any.
    pub rest: Option<&'static str>,
}

impl Operands {
    /// Exactly these.
    pub const fn exactly(fixed: &'static [&'static str]) -> Self {
        Self { fixed, rest: None }
    }

    /// Any number, all of one kind.
    pub const fn any(rest: &'static str) -> Self {
        Self { fixed: &[], rest: Some(rest) }
    }

    /// The name of operand `i`.
    pub fn name(&self, i: usize) -> &'static str {
        self.fixed.get(i).copied().or(self.rest).unwrap_or("operand")
    }

    /// Whether an op takes this many operands.
    pub fn takes(&self, count: usize) -> bool {
        count == self.fixed.len() || count > self.fixed.len() && self.rest.is_some()
    }
}

/// A rule that shape inference checks.
#[derive(Debug)]
pub struct Rule {
    /// Its label, the `rule` of the diagnostic.
    pub label: &'static str,
    /// The rule in a sentence: a message key.
    pub description: &'static str,
    /// Instructions of an entry computation that break it, and no other rule.
    pub broken_by: &'static str,
}

/// A worked example.
#[derive(Debug)]
pub struct Example {
    /// Instructions of an entry computation without parameters.
    pub hlo: &'static str,
    /// The result, a literal behind its shape; compared to a relative 1e-6.
    pub result: &'static str,
}

/// All that is known of an op without running it.
#[derive(Debug)]
pub struct OpMeta {
    /// Its name in HLO text.
    pub opcode: &'static str,
    /// Its name in the documents.
    pub title: &'static str,
    /// Further names in XLA's documents and builders, except its title and sections.
    pub names: &'static [&'static str],
    /// The headings of the Operation Semantics it is described under.
    pub sections: &'static [&'static str],
    /// Its category in the list of the Ops screen.
    pub category: Category,
    /// The summary in a sentence: a message key.
    pub summary: &'static str,
    /// One output cell, as a formula: `out[i]` of operands and attributes by their names, `i_d` for the index in
    /// dimension `d`. A formula with words has a sentence `formula-OPCODE` in the catalogues.
    pub formula: &'static str,
    /// The operands.
    pub operands: Operands,
    /// The content of the parentheses, unless it is operands.
    pub argument: Option<AttrSpec>,
    /// The attributes, in the order XLA prints them.
    pub attrs: &'static [AttrSpec],
    /// The rules of its own, in the order they are checked. Those every op has are in [`super::infer`].
    pub rules: &'static [Rule],
    /// Examples with results, those of XLA's operation semantics first.
    pub examples: &'static [Example],
}

/// The current document "Operation Semantics".
const DOCUMENT: &str = "https://openxla.org/xla/operation_semantics";

/// The address of a section of the Operation Semantics: its anchor is the heading in small letters, without
/// parentheses and with `_` between the words.
pub fn section_address(section: &str) -> String {
    let words = section.split_whitespace().map(|word| word.trim_matches(['(', ')']).to_lowercase());
    format!("{DOCUMENT}#{}", words.collect::<Vec<_>>().join("_"))
}

impl OpMeta {
    /// All its names: title, opcode, and those of XLA's documents.
    pub fn called(&self) -> impl Iterator<Item = &'static str> {
        let more = self.sections.iter().chain(self.names).copied();
        [self.title, self.opcode].into_iter().chain(more)
    }

    /// The schema of an attribute.
    pub fn attr(&self, name: &str) -> Option<&AttrSpec> {
        self.attrs.iter().chain(&self.argument).find(|spec| spec.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::section_address;

    #[test]
    fn a_section_has_the_address_the_published_page_gives_it() {
        for (section, anchor) in [
            ("DynamicSlice", "dynamicslice"),
            ("Rev (reverse)", "rev_reverse"),
            ("ConvWithGeneralPadding (convolution)", "convwithgeneralpadding_convolution"),
            ("Element-wise unary functions", "element-wise_unary_functions"),
        ] {
            assert_eq!(
                section_address(section),
                format!("https://openxla.org/xla/operation_semantics#{anchor}")
            );
        }
    }
}
