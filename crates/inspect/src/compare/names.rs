//! Matches the names of recorded values, as in files, to instructions: with or without `%`, with `_` in place of `.` and `-`, with
//! the file's extension.

use std::collections::BTreeMap;

use xla_hlo::{Computation, InstructionId};

/// Names matched to the instructions of a computation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameMatch {
    /// The instruction of each name that has one, by its index among the names.
    pub matched: BTreeMap<usize, InstructionId>,
    /// The names that no instruction has.
    pub unknown: Vec<usize>,
    /// The names that match several instructions.
    pub ambiguous: Vec<usize>,
}

/// A name as in the text of a module, without `%` and extension.
fn bare_name(name: &str) -> &str {
    let name = name.trim();
    let name = name.strip_suffix(".npy").unwrap_or(name);
    name.strip_prefix('%').unwrap_or(name)
}

/// A name with `_` for every character but letters and digits, which file names may lack.
fn file_name_form(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect()
}

/// Matches names to the instructions of a computation, equal names first. Of several names for an instruction, the first is
/// matched.
///
/// ```
/// let text = "HloModule m ENTRY e { p.1 = f32[] parameter(0) ROOT add-start.2 = negate(p.1) }";
/// let module = xla_hlo::parse(text).into_module().unwrap();
/// let entry = module.entry_computation().unwrap();
/// let found = xla_inspect::compare::names::match_names(entry, &["%p.1", "add_start_2.npy", "other"]);
/// assert_eq!(found.matched.into_keys().collect::<Vec<_>>(), [0, 1]);
/// assert_eq!(found.unknown, [2]);
/// ```
pub fn match_names<S: AsRef<str>>(computation: &Computation, names: &[S]) -> NameMatch {
    let mut exact: BTreeMap<&str, InstructionId> = BTreeMap::new();
    let mut similar: BTreeMap<String, Vec<InstructionId>> = BTreeMap::new();
    for (id, instruction) in computation.iter().filter(|(_, i)| !i.name.is_empty()) {
        exact.insert(&instruction.name, id);
        similar.entry(file_name_form(&instruction.name)).or_default().push(id);
    }
    let mut matches = NameMatch::default();
    let mut is_taken = vec![false; computation.instructions.len()];
    let mut take = |id: InstructionId| !std::mem::replace(&mut is_taken[id.index()], true);
    let mut rest = Vec::new();
    for (index, name) in names.iter().enumerate() {
        match exact.get(bare_name(name.as_ref())) {
            Some(id) if take(*id) => {
                matches.matched.insert(index, *id);
            }
            _ => rest.push((index, name)),
        }
    }
    for (index, name) in rest {
        let candidates =
            similar.get(&file_name_form(bare_name(name.as_ref()))).map_or(&[][..], Vec::as_slice);
        match candidates {
            [] => matches.unknown.push(index),
            [id] if take(*id) => {
                matches.matched.insert(index, *id);
            }
            _ => matches.ambiguous.push(index),
        }
    }
    matches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names_are_only_taken_where_they_are_clear() {
        let text = "HloModule m ENTRY e { a.1 = f32[] parameter(0) a_1 = f32[] negate(a.1) b.2 = negate(a_1)
            ROOT r = add(a_1, b.2) }";
        let module = xla_hlo::parse(text).into_module().unwrap();
        let found = match_names(module.entry_computation().unwrap(), &["a-1", "a_1", "b_2", "b.2", "%r"]);
        let expected = [(1, InstructionId(1)), (3, InstructionId(2)), (4, InstructionId(3))];
        assert_eq!(found.matched, expected.into());
        // `b_2` is `b.2` again.
        assert_eq!((found.unknown, found.ambiguous), (vec![], vec![0, 2]));
    }
}
