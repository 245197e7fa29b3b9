//! The tables of source locations with only what the instructions of a module refer to, for parts of a program.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::super::lexer::{Lexer, TokenKind};
use super::super::module::Module;
use super::{FileLocation, Locations, MAX_STACK_FRAMES, StackFrame, row};
use xla_messages::escape;

/// Rows of a table, renumbered from 1 in the order in which they are first used.
struct Renumbered<'t, T> {
    rows: &'t [T],
    numbers: BTreeMap<u32, u32>,
    used: Vec<T>,
}

impl<'t, T: Clone> Renumbered<'t, T> {
    fn new(rows: &'t [T]) -> Self {
        Self { rows, numbers: BTreeMap::new(), used: Vec::new() }
    }

    /// The new number of a row; 0 if the table has no such row.
    fn number(&mut self, old: u32) -> u32 {
        let next = u32::try_from(self.used.len()).unwrap_or(u32::MAX).saturating_add(1);
        match row(self.rows, old) {
            Some(row) => *self.numbers.entry(old).or_insert_with(|| {
                self.used.push(row.clone());
                next
            }),
            None => 0,
        }
    }
}

impl Locations {
    /// The rows that these stack frames refer to, and the new numbers of the frames and of their callers.
    fn subset(&self, frames: impl IntoIterator<Item = u32>) -> (Self, BTreeMap<u32, u32>) {
        let mut kept = Renumbered::new(&self.frames);
        for frame in frames {
            let mut number = frame;
            for _ in 0..MAX_STACK_FRAMES {
                let Some(found) = row(&self.frames, number) else { break };
                kept.number(number);
                number = found.parent;
            }
        }
        let mut files = Renumbered::new(&self.files);
        let mut functions = Renumbered::new(&self.functions);
        let mut locations = Renumbered::new(&self.file_locations);
        let numbers = kept.numbers;
        let renumbered = |frame: &StackFrame| StackFrame {
            location: locations.number(frame.location),
            parent: numbers.get(&frame.parent).copied().unwrap_or(0),
        };
        let frames = kept.used.iter().map(renumbered).collect();
        let renumbered = |location: &FileLocation| FileLocation {
            file: files.number(location.file),
            function: functions.number(location.function),
            ..*location
        };
        let file_locations = locations.used.iter().map(renumbered).collect();
        (Self { files: files.used, functions: functions.used, file_locations, frames }, numbers)
    }

    /// The text of the tables, as XLA prints them; empty without stack frames.
    fn text(&self) -> String {
        let mut out = String::new();
        if self.frames.is_empty() {
            return out;
        }
        for (table, names) in [("FileNames", &self.files), ("\nFunctionNames", &self.functions)] {
            let _ = writeln!(out, "{table}");
            for (number, name) in (1..).zip(names) {
                let _ = writeln!(out, "{number} \"{}\"", escape::c::escape(name.as_bytes()));
            }
        }
        out.push_str("\nFileLocations\n");
        for (number, location) in (1..).zip(&self.file_locations) {
            let FileLocation { file, function, line, end_line, column, end_column } = location;
            let _ = writeln!(
                out,
                "{number} {{file_name_id={file} function_name_id={function} line={line} end_line={end_line} \
                 column={column} end_column={end_column}}}"
            );
        }
        out.push_str("\nStackFrames\n");
        for (number, StackFrame { location, parent }) in (1..).zip(&self.frames) {
            // XLA prints the parent's number plus one, so 1 means no parent.
            let parent = parent.saturating_add(1);
            let _ = writeln!(out, "{number} {{file_location_id={location} parent_frame_id={parent}}}");
        }
        out.truncate(out.trim_end().len());
        out
    }
}

/// Metadata with another number of the stack frame.
fn with_frame(metadata: &str, frame: u32) -> Option<String> {
    let mut lexer = Lexer::new(metadata);
    loop {
        let token = lexer.next();
        match token.kind {
            TokenKind::AttrName if lexer.text(token.span) == "stack_frame_id" => {
                let value = lexer.next().span;
                let (before, after) = (metadata.get(..value.start)?, metadata.get(value.end..)?);
                return Some(format!("{before}{frame}{after}"));
            }
            TokenKind::End => return None,
            _ => {}
        }
    }
}

impl Module {
    /// Removes the rows of the tables of source locations that no instruction refers to, and renumbers the others.
    pub fn prune_locations(&mut self) {
        if self.locations.frames.is_empty() {
            return;
        }
        let instructions = || self.computations.iter().flat_map(|c| &c.instructions);
        let (locations, numbers) = self.locations.subset(instructions().map(|i| i.source_metadata().frame));
        for instruction in self.computations.iter_mut().flat_map(|c| &mut c.instructions) {
            let frame = instruction.source_metadata().frame;
            let metadata = instruction.annotations.iter_mut().find(|(name, _)| name == "metadata");
            let Some((number, (_, text))) = numbers.get(&frame).zip(metadata) else { continue };
            if let Some(renumbered) = with_frame(text, *number) {
                *text = renumbered;
            }
        }
        self.tables = locations.text();
        self.locations = locations;
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::parse;

    const TEXT: &str = "HloModule m

FileNames
1 \"unused.py\"
2 \"dir/a \\\"b\\\".py\"

FunctionNames
1 \"f\"
2 \"unused\"
3 \"g\"

FileLocations
1 {file_name_id=1 function_name_id=2 line=1 end_line=1 column=1 end_column=1}
2 {file_name_id=2 function_name_id=3 line=3 end_line=4 column=5 end_column=9}
3 {file_name_id=2 function_name_id=1 line=7 end_line=7 column=2 end_column=3}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=3 parent_frame_id=1}
3 {file_location_id=2 parent_frame_id=3}

ENTRY e {
  x = f32[] parameter(0)
  ROOT y = f32[] negate(x), metadata={op_name=\"stack_frame_id=3\" stack_frame_id=3}
}
";

    #[test]
    fn only_rows_that_are_used_remain() {
        let mut module = parse(TEXT).into_module().unwrap();
        let source = |module: &super::Module| {
            let root = module.entry_computation().unwrap().root_instruction().unwrap();
            let metadata = root.source_metadata();
            let stack = module.source_locations(&metadata);
            let rows = stack.iter().map(|at| (at.file.to_owned(), at.function.to_owned(), at.line));
            (rows.collect::<Vec<_>>(), root.op_name())
        };
        let before = source(&module);
        assert_eq!(before.0.len(), 2);
        module.prune_locations();
        assert_eq!(source(&module), before);
        let text = module.text(crate::PrintOptions { annotations: true, ..crate::PrintOptions::SHORT });
        assert!(!text.contains("unused"), "{text}");
        let again = parse(&text).into_module().unwrap();
        assert_eq!(source(&again), before, "{text}");
        assert_eq!(again.locations, module.locations);
    }

    #[test]
    fn without_frames_no_table_remains() {
        let text = TEXT.replace(", metadata={op_name=\"stack_frame_id=3\" stack_frame_id=3}", "");
        let mut module = parse(&text).into_module().unwrap();
        module.prune_locations();
        assert_eq!(module.tables, "");
    }
}
