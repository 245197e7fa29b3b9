//! Source locations: from an instruction to file, line, function and stack, and from a line of a file to its instructions.
//!
//! Locations come from the tables of a dump (`FileNames` … `StackFrames`) or from `metadata={source_file=…}`; StableHLO's
//! `loc` is translated to the latter. [`groups`] sums costs by file, line, function or operation name.

pub mod groups;

use std::collections::{BTreeMap, HashMap};

use crate::performance::{InstructionRef, computations};
use xla_hlo::Module;

/// A range of lines of a file. Files and functions are indices of [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceRange {
    /// The file.
    pub file: usize,
    /// The function, if it is known.
    pub function: Option<usize>,
    /// The first line, counted from 1; 0 if unknown.
    pub line: u32,
    /// The last line; at least `line`.
    pub end_line: u32,
    /// The first column, counted from 1; 0 if unknown.
    pub column: u32,
    /// The column after the last; 0 if unknown.
    pub end_column: u32,
}

impl SourceRange {
    /// Whether the range contains a line.
    pub fn contains(self, line: u32) -> bool {
        (self.line..=self.end_line).contains(&line)
    }
}

/// Distinct names, numbered in the order of their first use.
#[derive(Default)]
struct NameTable {
    names: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl NameTable {
    /// The index of a name, which is added if it is new.
    fn number(&mut self, name: &str) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }
}

/// The source locations of a module.
#[derive(Default)]
pub struct Sources {
    files: NameTable,
    functions: NameTable,
    /// Distinct call stacks, the innermost range first.
    stacks: Vec<Vec<SourceRange>>,
    /// Per computation and instruction, the index of its stack.
    stack_numbers: Vec<Vec<Option<usize>>>,
}

impl Sources {
    /// The source locations of a module.
    pub fn of(module: &Module) -> Self {
        let mut sources = Self::default();
        let mut numbers: HashMap<Vec<SourceRange>, usize> = HashMap::new();
        for computation in &module.computations {
            let mut stack_numbers = Vec::with_capacity(computation.instructions.len());
            for instruction in &computation.instructions {
                let metadata = instruction.source_metadata();
                let mut stack = Vec::new();
                for location in module.source_locations(&metadata) {
                    if location.file.is_empty() {
                        continue;
                    }
                    stack.push(SourceRange {
                        file: sources.files.number(location.file),
                        function: (!location.function.is_empty())
                            .then(|| sources.functions.number(location.function)),
                        line: location.line,
                        end_line: location.end_line.max(location.line),
                        column: location.column,
                        end_column: location.end_column,
                    });
                }
                let number = (!stack.is_empty()).then(|| {
                    *numbers.entry(stack).or_insert_with_key(|stack| {
                        sources.stacks.push(stack.clone());
                        sources.stacks.len() - 1
                    })
                });
                stack_numbers.push(number);
            }
            sources.stack_numbers.push(stack_numbers);
        }
        sources
    }

    /// The files, in the order in which instructions name them.
    pub fn files(&self) -> &[String] {
        &self.files.names
    }

    /// The functions.
    pub fn functions(&self) -> &[String] {
        &self.functions.names
    }

    /// The index of the stack of an instruction.
    fn stack_number(&self, at: InstructionRef) -> Option<usize> {
        *self.stack_numbers.get(at.0.0 as usize)?.get(at.1.index())?
    }

    /// The source ranges of an instruction: its own, then those of the callers. Empty if unknown.
    pub fn stack(&self, at: InstructionRef) -> &[SourceRange] {
        self.stack_number(at).and_then(|number| self.stacks.get(number)).map_or(&[], Vec::as_slice)
    }

    /// The innermost source range of an instruction.
    pub fn innermost(&self, at: InstructionRef) -> Option<SourceRange> {
        self.stack(at).first().copied()
    }

    /// The files of the module that may be the file at a path of another machine: those with the longest common suffix of path
    /// components, at least the file name.
    ///
    /// ```
    /// # use xla_inspect::source::common_components;
    /// assert_eq!(common_components("/srv/me/nets/model.py", "nets/model.py"), 2);
    /// assert_eq!(common_components("model.py", "other_model.py"), 0);
    /// ```
    pub fn files_named(&self, path: &str) -> Vec<usize> {
        let common = |file: &String| common_components(file, path);
        let longest = self.files().iter().map(common).max().unwrap_or(0);
        let matches = (0..).zip(self.files()).filter(|(_, file)| longest > 0 && common(file) == longest);
        matches.map(|(number, _)| number).collect()
    }

    /// The instructions of each line of some files, in order. An instruction belongs to the innermost of its ranges in
    /// these files, and to each line of that range, at most [`MAX_LINES_PER_INSTRUCTION`].
    pub fn lines(&self, module: &Module, files: &[usize]) -> BTreeMap<u32, Vec<InstructionRef>> {
        let location_in =
            |stack: &Vec<SourceRange>| stack.iter().copied().find(|location| files.contains(&location.file));
        let locations: Vec<Option<SourceRange>> = self.stacks.iter().map(location_in).collect();
        let mut lines: BTreeMap<u32, Vec<InstructionRef>> = BTreeMap::new();
        for (id, computation) in computations(module) {
            for (at, _) in computation.iter() {
                let number = self.stack_number((id, at));
                let location = number.and_then(|number| locations.get(number).copied().flatten());
                let Some(location) = location.filter(|location| location.line > 0) else { continue };
                let last = location.end_line.min(location.line.saturating_add(MAX_LINES_PER_INSTRUCTION - 1));
                for line in location.line..=last {
                    lines.entry(line).or_default().push((id, at));
                }
            }
        }
        lines
    }
}

/// Maximum number of lines of a range that [`Sources::lines`] assigns an instruction to.
pub const MAX_LINES_PER_INSTRUCTION: u32 = 64;

/// The number of path components that two paths have in common at their ends.
pub fn common_components(a: &str, b: &str) -> usize {
    let components = |path: &str| -> Vec<String> {
        path.split(['/', '\\'])
            .filter(|part| !part.is_empty() && *part != ".")
            .map(str::to_owned)
            .rev()
            .collect()
    };
    components(a).iter().zip(&components(b)).take_while(|(a, b)| a == b).count()
}
