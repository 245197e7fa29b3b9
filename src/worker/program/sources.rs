//! The source lines of a program: files with the lines that have instructions, and the instructions of a line.

use super::ids::at;
use super::queries::Program;
use super::wire::{FoundRow, SourceIndex, SourceIndexFile, SourceIndexLine};

/// Maximum files, and lines of a file, that are listed.
const MAX_FILES: usize = 200;
const MAX_LINES: usize = 20_000;

/// Maximum instructions of a line that are listed.
const MAX_ROWS: usize = 500;

impl Program {
    /// The files and lines that instructions come from.
    pub(super) fn source_index(&mut self) -> SourceIndex {
        let marks = self.marks();
        let mut files = Vec::new();
        for (number, name) in marks.sources().files().iter().enumerate().take(MAX_FILES) {
            let lines = marks.sources().lines(&self.module, &[number]);
            let mut count = 0;
            let mut listed = Vec::new();
            for (line, instructions) in &lines {
                count += instructions.len();
                let mark = marks.number(number, *line);
                listed.push(SourceIndexLine { line: *line, instructions: instructions.len(), mark });
            }
            listed.truncate(MAX_LINES);
            if count > 0 {
                files.push(SourceIndexFile { name: name.clone(), instructions: count, lines: listed });
            }
        }
        SourceIndex { files }
    }

    /// The instructions of a line of a file.
    pub(super) fn source_line(&mut self, file: &str, line: u32) -> (Vec<FoundRow>, usize) {
        let marks = self.marks();
        let number = marks.sources().files().iter().position(|name| name == file);
        let lines = number.map(|number| marks.sources().lines(&self.module, &[number])).unwrap_or_default();
        let found = lines.get(&line).map(Vec::as_slice).unwrap_or_default();
        let rows = found.iter().take(MAX_ROWS).filter_map(|id| {
            let parent = self.module.get(id.0)?.name.clone();
            let at = at(*id);
            Some(FoundRow { computation: at.computation, parent, row: self.row(*id)? })
        });
        (rows.collect(), found.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hlo::InstructionId;
    use crate::i18n::Language;
    use crate::ops::ComputationId;

    #[test]
    fn lines_lead_to_their_instructions_and_instructions_to_their_lines() {
        let scan = include_str!("../../../static/programs/scan.hlo");
        let (mut program, _) = Program::open(scan.to_owned(), Language::ENGLISH);
        let index = program.source_index();
        let file = index.files.iter().find(|file| file.name.ends_with("models.py")).unwrap();
        let line = file.lines.iter().max_by_key(|line| line.instructions).unwrap();
        let (rows, total) = program.source_line(&file.name, line.line);
        assert_eq!(total, line.instructions);
        let first = &rows[0];
        let id = (ComputationId(first.computation), InstructionId(first.row.instruction));
        let mark = program.marks().mark(id).unwrap();
        assert!(mark.location.starts_with("models.py:"), "{mark:?}");
        assert_eq!(program.source_line("nowhere.py", 1), (vec![], 0));
    }
}
