//! Source locations of instructions in the program that XLA compiled.
//!
//! A dump lists its source locations once, in tables after the header (`FileNames`, `FunctionNames`, `FileLocations`,
//! `StackFrames`), and the metadata of an instruction names a stack frame; older texts have file and line in the
//! metadata itself. [`Module::source_locations`](super::Module::source_locations) supports both.

mod prune;

use std::collections::HashMap;

use super::lexer::{Lexer, Token, TokenKind};
use xla_messages::diagnostic::Span;
use xla_messages::escape;

/// A range in a source file. Lines and columns count from 1; 0 if unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceLocation<'a> {
    /// The name of the source file.
    pub file: &'a str,
    /// The function; empty if it is unknown.
    pub function: &'a str,
    /// The first line.
    pub line: u32,
    /// The last line.
    pub end_line: u32,
    /// The first column.
    pub column: u32,
    /// The last column.
    pub end_column: u32,
}

/// A row of `FileLocations`. File and function are row numbers from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct FileLocation {
    file: u32,
    function: u32,
    line: u32,
    end_line: u32,
    column: u32,
    end_column: u32,
}

/// A row of `StackFrames`. Location and parent are row numbers from 1; the outermost frame has the parent 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct StackFrame {
    location: u32,
    parent: u32,
}

/// The tables of source locations of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_field_names, reason = "the names of XLA's tables")]
pub struct Locations {
    files: Vec<String>,
    functions: Vec<String>,
    file_locations: Vec<FileLocation>,
    frames: Vec<StackFrame>,
}

/// Maximum number of frames of a stack: malformed tables may have a cycle of parents.
const MAX_STACK_FRAMES: usize = 256;

/// Row `number` of a table, counted from 1; `None` if there is no such row.
fn row<T>(entries: &[T], number: u32) -> Option<&T> {
    entries.get(usize::try_from(number.checked_sub(1)?).ok()?)
}

/// The unescaped content of a string token.
fn unescaped(text: &str) -> Option<String> {
    let bytes = escape::c::unescape(text.get(1..text.len().checked_sub(1)?)?).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads the tables; an error is the unexpected token.
struct Reader<'s>(Lexer<'s>);

impl Reader<'_> {
    fn keyword(&mut self, word: &str) -> Result<(), Token> {
        let token = self.0.peek();
        if token.kind == TokenKind::Name && self.0.text(token.span) == word {
            self.0.next();
            return Ok(());
        }
        Err(token)
    }

    /// Consumes a row number and returns whether there was one. Like XLA, ignores its value: rows are numbered by position.
    fn eat_row_number(&mut self) -> bool {
        let is_row = self.0.peek().kind == TokenKind::Int;
        if is_row {
            self.0.next();
        }
        is_row
    }

    /// Reads the rows of a table of strings.
    fn string_table(&mut self) -> Result<Vec<String>, Token> {
        let mut names = Vec::new();
        while self.eat_row_number() {
            let token = self.0.next();
            let name = unescaped(self.0.text(token.span)).filter(|_| token.kind == TokenKind::String);
            names.push(name.ok_or(token)?);
        }
        Ok(names)
    }

    /// The values of these fields, all of which are required.
    fn fields<const N: usize>(&mut self, names: [&str; N]) -> Result<[u32; N], Token> {
        let open = self.0.next();
        if open.kind != TokenKind::Punct('{') {
            return Err(open);
        }
        let mut values = [None; N];
        loop {
            let token = self.0.next();
            match token.kind {
                TokenKind::Punct('}') => break,
                TokenKind::Punct(',') => continue,
                _ => {}
            }
            let name = self.0.text(token.span);
            let position = names.iter().position(|known| *known == name);
            let Some(slot) = position.and_then(|i| values.get_mut(i)) else { return Err(token) };
            let value = self.0.next();
            let number = self.0.text(value.span).parse::<i32>().ok().filter(|_| value.kind == TokenKind::Int);
            let number = number.ok_or(value)?;
            if token.kind != TokenKind::AttrName || slot.replace(u32::try_from(number).unwrap_or(0)).is_some()
            {
                return Err(token);
            }
        }
        let mut complete = [0; N];
        for (field, value) in complete.iter_mut().zip(values) {
            *field = value.ok_or(open)?;
        }
        Ok(complete)
    }
}

impl Locations {
    /// Parses the tables; empty input has none.
    ///
    /// # Errors
    ///
    /// The span of the token at which the tables are malformed.
    pub(crate) fn parse(text: &str) -> Result<Self, Span> {
        let mut reader = Reader(Lexer::new(text));
        if reader.0.peek().kind == TokenKind::End {
            return Ok(Self::default());
        }
        let mut read = || -> Result<Self, Token> {
            let mut tables = Self::default();
            reader.keyword("FileNames")?;
            tables.files = reader.string_table()?;
            reader.keyword("FunctionNames")?;
            tables.functions = reader.string_table()?;
            reader.keyword("FileLocations")?;
            while reader.eat_row_number() {
                let [file, function, line, end_line, column, end_column] = reader.fields([
                    "file_name_id",
                    "function_name_id",
                    "line",
                    "end_line",
                    "column",
                    "end_column",
                ])?;
                let location = FileLocation { file, function, line, end_line, column, end_column };
                tables.file_locations.push(location);
            }
            reader.keyword("StackFrames")?;
            while reader.eat_row_number() {
                let [location, parent] = reader.fields(["file_location_id", "parent_frame_id"])?;
                // XLA prints the parent's number plus one, so 1 means no parent.
                tables.frames.push(StackFrame { location, parent: parent.saturating_sub(1) });
            }
            match reader.0.peek() {
                Token { kind: TokenKind::End, .. } => Ok(tables),
                token => Err(token),
            }
        };
        read().map_err(|token| token.span)
    }

    /// The location of stack frame `number` (from 1), and the number of its parent, 0 for the outermost.
    fn frame(&self, number: u32) -> Option<(SourceLocation<'_>, u32)> {
        let frame = row(&self.frames, number)?;
        let location = row(&self.file_locations, frame.location)?;
        let location = SourceLocation {
            file: row(&self.files, location.file).map_or("", String::as_str),
            function: row(&self.functions, location.function).map_or("", String::as_str),
            line: location.line,
            end_line: location.end_line,
            column: location.column,
            end_column: location.end_column,
        };
        Some((location, frame.parent))
    }

    /// The stack with this frame: its location first, then those of its callers.
    pub fn stack(&self, frame: u32) -> Vec<SourceLocation<'_>> {
        let mut stack = Vec::new();
        let mut number = frame;
        while let Some((location, parent)) = self.frame(number) {
            stack.push(location);
            if parent == 0 || stack.len() >= MAX_STACK_FRAMES {
                break;
            }
            number = parent;
        }
        stack
    }
}

/// The fields of metadata whose values are strings or numbers, with their text.
pub(crate) fn fields(metadata: &str) -> HashMap<&str, &str> {
    let mut lexer = Lexer::new(metadata);
    let mut fields = HashMap::new();
    loop {
        let token = lexer.next();
        match token.kind {
            TokenKind::AttrName => {
                let value = lexer.peek();
                if matches!(value.kind, TokenKind::String | TokenKind::Int) {
                    fields.insert(lexer.text(token.span), lexer.text(value.span));
                }
            }
            TokenKind::End => return fields,
            _ => {}
        }
    }
}

/// The source location in the metadata of an instruction: a stack frame, or a file with lines and columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceMetadata {
    file: String,
    line: u32,
    end_line: u32,
    column: u32,
    end_column: u32,
    /// The number of the stack frame; 0 if there is none.
    frame: u32,
}

impl SourceMetadata {
    /// Parses the source location in the text of `metadata`; malformed fields count as unknown.
    pub(crate) fn parse(metadata: &str) -> Self {
        let fields = fields(metadata);
        let number = |name: &str| fields.get(name).and_then(|text| text.parse().ok()).unwrap_or(0);
        Self {
            file: fields.get("source_file").and_then(|text| unescaped(text)).unwrap_or_default(),
            line: number("source_line"),
            end_line: number("source_end_line"),
            column: number("source_column"),
            end_column: number("source_end_column"),
            frame: number("stack_frame_id"),
        }
    }
}

impl Locations {
    /// The locations of an instruction with this metadata: its own, then those of the callers. Empty if unknown.
    pub fn of_metadata<'a>(&'a self, source: &'a SourceMetadata) -> Vec<SourceLocation<'a>> {
        let stack = self.stack(source.frame);
        if !stack.is_empty() || source.file.is_empty() {
            return stack;
        }
        vec![SourceLocation {
            file: &source.file,
            function: "",
            line: source.line,
            end_line: source.end_line,
            column: source.column,
            end_column: source.end_column,
        }]
    }
}
