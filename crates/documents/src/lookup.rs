//! Finds entries by the names in links and by search words.

use crate::entry::{Entry, Section};
use crate::sections::SECTIONS;
use xla_experiment::{Experiment, preset};

/// Every entry, in the order of the documentation.
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    SECTIONS.iter().flat_map(|section| section.entries)
}

/// The entry of this exact name.
pub fn by_name(name: &str) -> Option<&'static Entry> {
    entries().find(|entry| entry.name == name)
}

/// The entry that a link names: in the documentation's spelling, or ignoring case if that is not an opcode.
pub fn by_link_name(name: &str) -> Option<&'static Entry> {
    let ignoring_case = || {
        let is_opcode = xla_ops::find(name).is_some();
        entries().find(|entry| !is_opcode && entry.name.eq_ignore_ascii_case(name))
    };
    by_name(name).or_else(ignoring_case)
}

/// The names, sections and search words of the entries lowered to an opcode.
pub fn search_terms(opcode: &str) -> impl Iterator<Item = &'static str> {
    SECTIONS.iter().flat_map(move |section| {
        let own = section.entries.iter().filter(move |entry| entry.opcode == opcode);
        own.flat_map(move |entry| {
            [entry.name, section.name].into_iter().chain(entry.search_words.iter().copied())
        })
    })
}

/// The first example that is shown of an entry or an op, by its name.
pub fn first_experiment(name: &str) -> Option<Experiment> {
    let op = xla_ops::find(name).filter(|_| by_link_name(name).is_none());
    experiment(name, op.map_or(0, preset::default_example))
}

/// The experiment of example `number` of an entry or, for an opcode, of an op; number 2017 is the example that shows
/// how the editions differ.
pub fn experiment(name: &str, number: usize) -> Option<Experiment> {
    if number == preset::EDITION_EXAMPLE {
        let opcode = by_link_name(name).map_or(name, |entry| entry.opcode);
        return preset::edition_example(xla_ops::find(opcode)?.meta()).map(|(_, experiment)| experiment);
    }
    if let Some(entry) = by_link_name(name) {
        return entry.examples.get(number).map(|example| example.experiment(entry));
    }
    let mut presets = preset::all().filter(|preset| preset.meta.opcode == name);
    let example = presets.nth(number).map(|preset| preset.experiment());
    example.or_else(|| preset::host_example(name, number))
}

impl Entry {
    /// The section it is in.
    pub fn section(&self) -> Option<&'static Section> {
        SECTIONS.iter().find(|section| section.entries.iter().any(|entry| entry.name == self.name))
    }

    /// Whether every word of a search occurs in its name, heading, opcode or search words, or is the name of an argument.
    pub fn matches(&self, search: &str) -> bool {
        let section = self.section().map_or("", |section| section.name);
        let names = [self.name, section, self.opcode].into_iter();
        let all: Vec<String> =
            names.chain(self.search_words.iter().copied()).map(str::to_lowercase).collect();
        let arguments = || self.arguments.iter().map(|argument| argument.name);
        let has = |word: &str| {
            all.iter().any(|name| name.contains(word))
                || arguments().any(|name| name.eq_ignore_ascii_case(word))
        };
        search.to_lowercase().split_whitespace().all(has)
    }

    /// The search word that equals the search, else the first that contains it, unless the name or the opcode does.
    pub fn matched_word(&self, search: &str) -> Option<&'static str> {
        let search = search.trim().to_lowercase();
        let has = |name: &str| name.to_lowercase().contains(&search);
        let is_name_matched = search.is_empty() || has(self.name) || has(self.opcode);
        let words = || self.search_words.iter().copied().filter(|_| !is_name_matched);
        words().find(|word| word.eq_ignore_ascii_case(&search)).or_else(|| words().find(|word| has(word)))
    }
}

#[cfg(test)]
mod tests {
    use super::{by_link_name, by_name, entries, experiment};

    #[test]
    fn document_names_take_precedence_except_over_opcodes() {
        for entry in entries() {
            assert!(
                std::ptr::eq(by_link_name(entry.name).unwrap(), entry),
                "{} is the name of two entries",
                entry.name
            );
            assert!(entry.op().is_some(), "{}: no op {}", entry.name, entry.opcode);
            assert!(entry.section().is_some());
        }
        assert_eq!(by_link_name("collapse").map(|entry| entry.name), Some("Collapse"));
        assert!(by_link_name("reshape").is_none(), "an opcode opens the op's own example");
        assert!(experiment("reshape", 0).unwrap().document_entry.is_empty());
        assert_eq!(experiment("Collapse", 0).unwrap().document_entry, "Collapse");
        assert!(by_name("collapse").is_none());
        for name in ["", "@", "Collapse.1", "../Collapse", "Ｃollapse", "\u{0}", &"x".repeat(1 << 16)] {
            assert!(by_link_name(name).is_none() && experiment(name, 0).is_none(), "{name:?}");
        }
        assert!(experiment("Collapse", usize::MAX).is_none());
    }

    #[test]
    fn names_are_unique_ignoring_case() {
        let mut names: Vec<String> = entries().map(|entry| entry.name.to_lowercase()).collect();
        names.sort();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
