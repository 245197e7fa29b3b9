//! Converts examples to experiments, which run them.

use crate::entry::Entry;
use crate::example::Example;
use xla_array::values::ValueRule;
use xla_experiment::Experiment;
use xla_hlo::parse;

impl Example {
    /// The experiment that runs the example and links back to its entry.
    pub fn experiment(&self, entry: &Entry) -> Experiment {
        let mut out = Experiment::from_text(self.text(entry));
        for (replica, values) in self.values.iter().enumerate() {
            for (number, text) in values.iter().enumerate() {
                let values = ValueRule::Text((*text).to_owned());
                match replica {
                    0 => out.set_values(number, values),
                    _ => drop(out.environment.values.insert((replica, number), values)),
                }
            }
        }
        out.environment.infeed = self.infeed.iter().map(|item| (*item).to_owned()).collect();
        let owned = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
        out.environment.functions = self.functions.iter().map(owned).collect();
        out.environment.replicas = self.replicas;
        out.edition = self.edition.unwrap_or_default();
        entry.name.clone_into(&mut out.document_entry);
        if let Some(computation) = parse(&out.text).module.entry_computation() {
            let is_root = |name: &str| computation.root_instruction().is_some_and(|root| root.name == name);
            let own = computation.instructions.iter().rev().find(|i| entry.lowers_to(&i.opcode));
            out.focus = own.filter(|i| !is_root(&i.name)).map(|i| i.name.clone()).unwrap_or_default();
        }
        out
    }

    /// The module as HLO text.
    fn text(&self, entry: &Entry) -> String {
        let mut text = format!("HloModule {}\n\n", module_name(entry.name));
        for computation in self.computations {
            text.push_str(computation);
            text.push_str("\n\n");
        }
        text.push_str("ENTRY documents {\n");
        for line in self.instructions.lines().map(str::trim).filter(|line| !line.is_empty()) {
            text.push_str("  ");
            text.push_str(line);
            text.push('\n');
        }
        text.push_str("}\n");
        text
    }
}

/// Converts an entry's name to snake case, for the HLO module: `conv_with_general_padding`.
fn module_name(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}
