//! The metadata of an op: names, operands, attributes, rules, examples.
//!
//! Apart from `infer` and `bind`, everything about an op is derived from its [`OpMeta`]: HLO text, forms, pages, the
//! list of the Ops screen, and the registry test, which runs every example and violates every rule.

use super::attrs::AttrSpec;
use xla_array::Edition;
use xla_messages::i18n::Message;

/// The category under which the Ops screen lists an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// One operand, element by element.
    Unary,
    /// Several operands, element by element.
    Binary,
    /// Copies elements: slices, reshapes, broadcasts, gathers.
    Movement,
    /// Reductions of many elements to one.
    Reduction,
    /// Sums of products.
    Contraction,
    /// Conversion between element types, and of bits.
    Conversion,
    /// Values without operands: constants, parameters, iota.
    Source,
    /// Building and reading tuples.
    Tuple,
    /// Calls, branches, loops.
    Control,
    /// Communication between devices.
    Collective,
    /// Communication with the host: queues, custom functions, channels.
    Host,
}

/// The operands of an op: the required ones, each with a name, then any number of further ones that share a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operands {
    /// The names of the required operands.
    pub fixed: &'static [&'static str],
    /// The name of further operands, if the op may have any.
    pub rest: Option<&'static str>,
    /// The first edition with the required operands.
    pub fixed_since: Edition,
    /// The first edition with further operands.
    pub rest_since: Edition,
}

impl Operands {
    /// Exactly these operands.
    pub const fn exactly(fixed: &'static [&'static str]) -> Self {
        Self { fixed, rest: None, fixed_since: Edition::V2017, rest_since: Edition::V2017 }
    }

    /// Any number of operands with one name.
    pub const fn any(rest: &'static str) -> Self {
        Self::at_least(&[], rest)
    }

    /// These, and any number of further operands.
    pub const fn at_least(fixed: &'static [&'static str], rest: &'static str) -> Self {
        Self { rest: Some(rest), ..Self::exactly(fixed) }
    }

    /// These, and in current XLA any number of further operands.
    pub const fn variadic_in_current(fixed: &'static [&'static str], rest: &'static str) -> Self {
        Self { rest_since: Edition::Current, ..Self::at_least(fixed, rest) }
    }

    /// These in current XLA, none in XLA 2017.
    pub const fn current_only(fixed: &'static [&'static str]) -> Self {
        Self { fixed_since: Edition::Current, ..Self::exactly(fixed) }
    }

    /// The name of operand `i`.
    pub fn name(&self, i: usize) -> &'static str {
        self.fixed.get(i).copied().or(self.rest).unwrap_or("operand")
    }

    /// The name of operand `i` of `count`, with a number if several have the same name: `operand 1`.
    pub fn label(&self, i: usize, count: usize) -> String {
        let name = self.name(i);
        if count > self.fixed.len().max(1) && self.rest.is_some_and(|rest| rest.contains(" or ")) {
            // The kind of operand `i` depends on the number of operands.
            return format!("operand {i}");
        }
        if self.count_named(name, count) < 2 {
            return name.to_owned();
        }
        format!("{name} {}", self.count_named(name, i))
    }

    /// How many of the first `count` operands have a name. Those beyond the fixed ones share a name and are not visited
    /// one by one.
    fn count_named(&self, name: &str, count: usize) -> usize {
        let fixed = self.fixed.iter().take(count).filter(|other| **other == name).count();
        let is_further = self.name(self.fixed.len()) == name;
        fixed + if is_further { count.saturating_sub(self.fixed.len()) } else { 0 }
    }

    /// The name of operand `i` of `count` in arithmetic, as formulas write it: `operand_1`.
    pub fn symbol(&self, i: usize, count: usize) -> String {
        let label = self.label(i, count);
        if label == self.name(i) { label } else { label.replace(' ', "_") }
    }

    /// Whether an op can have this many operands in an edition.
    pub fn allows_count(&self, count: usize, edition: Edition) -> bool {
        let fixed = self.fixed_in(edition).len();
        count == fixed || count > fixed && self.rest.is_some() && self.rest_since <= edition
    }

    /// The names of the required operands in an edition.
    pub fn fixed_in(&self, edition: Edition) -> &'static [&'static str] {
        if self.fixed_since <= edition { self.fixed } else { &[] }
    }
}

/// A rule that shape inference checks.
#[derive(Debug)]
pub struct Rule {
    /// Its identifier, e.g. `transpose-1`: the `rule` of a diagnostic.
    pub identifier: &'static str,
    /// The rule as a message key.
    pub description: &'static str,
    /// Instructions of an entry computation that violate it, and no other rule.
    pub violated_by: &'static str,
}

/// A worked example.
#[derive(Debug)]
pub struct Example {
    /// The title: a message key.
    pub title: &'static str,
    /// Instructions of an entry computation without parameters.
    pub hlo: &'static str,
    /// The result, a literal after its shape; compared with a relative tolerance of 1e-6.
    pub result: &'static str,
}

/// One output cell of an op as a formula: `out[i]` of operands and attributes by their names, `i_d` for the index in
/// dimension `d`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Formula {
    /// Without words, the same in every language.
    Symbols(&'static str),
    /// With words: a message key.
    Words(&'static str),
}

impl Formula {
    /// The formula if it is the same in every language.
    pub fn symbols(self) -> Option<&'static str> {
        if let Self::Symbols(text) = self { Some(text) } else { None }
    }

    /// The formula as a message, if it has words.
    pub fn message(self) -> Option<Message> {
        if let Self::Words(key) = self { Some(Message::ops(key)) } else { None }
    }
}

/// The editions that have an op, and how they differ in it.
#[derive(Debug)]
pub struct History {
    /// The first edition that has the op.
    pub since: Edition,
    /// What to use in 2017: a message key.
    pub replacement_hint: Option<&'static str>,
    /// How 2017 differed.
    pub change: Option<&'static Change>,
}

/// A difference between the editions in the operands or the result of an op.
#[derive(Debug)]
pub struct Change {
    /// The formula of 2017, unless it is the current one.
    pub formula: Option<Formula>,
    /// What 2017 does: a message key.
    pub v2017: &'static str,
    /// What current XLA does: a message key.
    pub current: &'static str,
    /// An example that shows it.
    pub example: EditionExample,
}

/// An example in both editions.
#[derive(Debug)]
pub struct EditionExample {
    /// The title: a message key.
    pub title: &'static str,
    /// Instructions of an entry computation without parameters.
    pub hlo: &'static str,
    /// The outcome in 2017.
    pub v2017: ExampleOutcome,
    /// The outcome in current XLA.
    pub current: ExampleOutcome,
}

/// The outcome of an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExampleOutcome {
    /// The result: a literal after its shape.
    Value(&'static str),
    /// The identifier of the rule that it violates.
    Error(&'static str),
}

impl History {
    /// The same op in both editions.
    pub const UNCHANGED: Self = Self { since: Edition::V2017, replacement_hint: None, change: None };
    /// An op that XLA 2017 does not have, without a hint at a replacement.
    pub const NEWER: Self = Self { since: Edition::Current, replacement_hint: None, change: None };

    /// An op that XLA 2017 does not have; the message of this key says what to use there.
    pub const fn not_in_2017(key: &'static str) -> Self {
        Self { replacement_hint: Some(key), ..Self::NEWER }
    }

    /// An op of both editions that differs.
    pub const fn changed(change: &'static Change) -> Self {
        Self { change: Some(change), ..Self::UNCHANGED }
    }
}

/// The metadata of an op.
#[derive(Debug)]
pub struct OpMeta {
    /// Its name in HLO text.
    pub opcode: &'static str,
    /// Its name in the documentation.
    pub title: &'static str,
    /// Further words under which a search finds it, besides its title and sections: names in XLA's documentation and
    /// builders and in other frameworks, also of special cases.
    pub search_terms: &'static [&'static str],
    /// The headings of the current Operation Semantics that describe it.
    pub sections: &'static [&'static str],
    /// Its category in the list of the Ops screen.
    pub category: Category,
    /// The editions that have it.
    pub history: History,
    /// The summary: a message key.
    pub summary: &'static str,
    /// The formula of one output cell, in current XLA.
    pub formula: Formula,
    /// The number and the names of the operands.
    pub operands: Operands,
    /// The attribute that is written in the parentheses, instead of operands: the literal of `constant(…)`, the number of
    /// `parameter(…)`.
    pub inline_attr: Option<AttrSpec>,
    /// The attributes, in the order XLA prints them.
    pub attrs: &'static [AttrSpec],
    /// Its rules, in the order they are checked. Those that all ops share are in [`super::infer`].
    pub rules: &'static [Rule],
    /// Examples with results, those of XLA's operation semantics first.
    pub examples: &'static [Example],
}

/// The current document "Operation Semantics".
const DOCUMENT: &str = "https://openxla.org/xla/operation_semantics";

/// The address of an anchor of the Operation Semantics.
pub fn anchor_address(anchor: &str) -> String {
    format!("{DOCUMENT}#{anchor}")
}

/// The address of a section of the Operation Semantics: its anchor is the heading in lower case, without
/// parentheses and with `_` between the words.
pub fn section_address(section: &str) -> String {
    let words = section.split_whitespace().map(|word| word.trim_matches(['(', ')']).to_lowercase());
    anchor_address(&words.collect::<Vec<_>>().join("_"))
}

impl OpMeta {
    /// The formula of one output cell in an edition.
    pub fn formula_in(&self, edition: Edition) -> Formula {
        let older =
            self.history.change.filter(|_| edition == Edition::V2017).and_then(|change| change.formula);
        older.unwrap_or(self.formula)
    }

    /// Everything that a search compares with: title, opcode, sections and search terms.
    pub fn all_search_terms(&self) -> impl Iterator<Item = &'static str> {
        let more = self.sections.iter().chain(self.search_terms).copied();
        [self.title, self.opcode].into_iter().chain(more)
    }

    /// The schema of an attribute.
    pub fn attr(&self, name: &str) -> Option<&AttrSpec> {
        self.attrs.iter().chain(&self.inline_attr).find(|spec| spec.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::section_address;

    #[test]
    fn operands_of_one_name_are_numbered() {
        for meta in crate::all().map(crate::OpDef::meta) {
            let operands = &meta.operands;
            for count in 0..6 {
                let names: Vec<&str> = (0..count).map(|i| operands.name(i)).collect();
                for (i, name) in names.iter().enumerate() {
                    let before = names[..i].iter().filter(|other| *other == name).count();
                    let is_only = names.iter().filter(|other| *other == name).count() == 1;
                    let label = operands.label(i, count);
                    let expected = if is_only { (*name).to_owned() } else { format!("{name} {before}") };
                    assert!(label == expected || label == format!("operand {i}"), "{}: {label}", meta.opcode);
                }
            }
        }
    }

    #[test]
    fn a_section_has_the_address_of_the_published_page() {
        for (section, anchor) in [
            ("DynamicSlice", "dynamicslice"),
            ("Rev (reverse)", "rev_reverse"),
            ("Conv (Convolution)", "conv_convolution"),
            ("ConcatInDim (Concatenate)", "concatindim_concatenate"),
            ("PartitionID", "partitionid"),
        ] {
            assert_eq!(
                section_address(section),
                format!("https://openxla.org/xla/operation_semantics#{anchor}")
            );
        }
    }
}
