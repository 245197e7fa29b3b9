//! Where instructions come from: the lines of the program that XLA compiled.
//!
//! A dump lists its source locations once, in tables after the header (`FileNames`, `FunctionNames`, `FileLocations`,
//! `StackFrames`), and the metadata of an instruction names a stack frame; older texts have file and line in the
//! metadata itself. [`Module::sources`](super::Module::sources) reads both.

use std::collections::HashMap;

use super::lexer::{Lexer, Token, TokenKind};
use xla_messages::diagnostic::Span;
use xla_messages::escape;

/// A place in a source file. Lines and columns count from 1; 0 stands for one that is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceLocation<'a> {
    /// The file.
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

/// A row of `FileLocations`, with numbers from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct FileLocation {
    file: u32,
    function: u32,
    lines: [u32; 2],
    columns: [u32; 2],
}

/// A row of `StackFrames`, with numbers from 1; the parent 0 is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct StackFrame {
    location: u32,
    parent: u32,
}

/// The tables of source locations of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Locations {
    files: Vec<String>,
    functions: Vec<String>,
    places: Vec<FileLocation>,
    frames: Vec<StackFrame>,
}

/// Bound on the frames of a stack: a cycle of parents ends there.
const MAX_STACK_FRAMES: usize = 256;

/// The entry with this number, counted from 1.
fn numbered<T>(entries: &[T], number: u32) -> Option<&T> {
    entries.get(usize::try_from(number.checked_sub(1)?).ok()?)
}

/// The unescaped content of a string token.
fn unescaped(text: &str) -> Option<String> {
    let bytes = escape::c::unescape(text.get(1..text.len().checked_sub(1)?)?).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads the tables; the error is the token that XLA does not expect.
struct Reader<'s>(Lexer<'s>);

impl Reader<'_> {
    fn word(&mut self, word: &str) -> Result<(), Token> {
        let token = self.0.peek();
        if token.kind == TokenKind::Name && self.0.text(token.span) == word {
            self.0.next();
            return Ok(());
        }
        Err(token)
    }

    /// Whether a row follows; consumes its number, which XLA ignores: rows are numbered by their order.
    fn begins_row(&mut self) -> bool {
        let is_row = self.0.peek().kind == TokenKind::Int;
        if is_row {
            self.0.next();
        }
        is_row
    }

    fn names(&mut self) -> Result<Vec<String>, Token> {
        let mut names = Vec::new();
        while self.begins_row() {
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
        let mut found = [0; N];
        for (to, from) in found.iter_mut().zip(values) {
            *to = from.ok_or(open)?;
        }
        Ok(found)
    }
}

impl Locations {
    /// Reads the tables; an empty text has none.
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
            reader.word("FileNames")?;
            tables.files = reader.names()?;
            reader.word("FunctionNames")?;
            tables.functions = reader.names()?;
            reader.word("FileLocations")?;
            while reader.begins_row() {
                let [file, function, line, end_line, column, end_column] = reader.fields([
                    "file_name_id",
                    "function_name_id",
                    "line",
                    "end_line",
                    "column",
                    "end_column",
                ])?;
                let (lines, columns) = ([line, end_line], [column, end_column]);
                tables.places.push(FileLocation { file, function, lines, columns });
            }
            reader.word("StackFrames")?;
            while reader.begins_row() {
                let [location, parent] = reader.fields(["file_location_id", "parent_frame_id"])?;
                // Printed one above its number, so that the outermost frame has 1.
                tables.frames.push(StackFrame { location, parent: parent.saturating_sub(1) });
            }
            match reader.0.peek() {
                Token { kind: TokenKind::End, .. } => Ok(tables),
                token => Err(token),
            }
        };
        read().map_err(|token| token.span)
    }

    /// The location of a stack frame, by its number from 1.
    fn frame(&self, number: u32) -> Option<(SourceLocation<'_>, u32)> {
        let frame = numbered(&self.frames, number)?;
        let row = numbered(&self.places, frame.location)?;
        let name = |names: &'_ [String], number: u32| -> Option<usize> {
            let at = usize::try_from(number.checked_sub(1)?).ok()?;
            (at < names.len()).then_some(at)
        };
        let location = SourceLocation {
            file: name(&self.files, row.file).map_or("", |at| &self.files[at]),
            function: name(&self.functions, row.function).map_or("", |at| &self.functions[at]),
            line: row.lines[0],
            end_line: row.lines[1],
            column: row.columns[0],
            end_column: row.columns[1],
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

/// The fields of metadata that are strings or numbers, as they are written.
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

/// What the metadata of an instruction says of its source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    file: String,
    lines: [u32; 2],
    columns: [u32; 2],
    frame: u32,
}

impl Source {
    /// What metadata says of the source.
    pub(crate) fn of(metadata: &str) -> Self {
        let fields = fields(metadata);
        let number = |name: &str| fields.get(name).and_then(|text| text.parse().ok()).unwrap_or(0);
        Self {
            file: fields.get("source_file").and_then(|text| unescaped(text)).unwrap_or_default(),
            lines: [number("source_line"), number("source_end_line")],
            columns: [number("source_column"), number("source_end_column")],
            frame: number("stack_frame_id"),
        }
    }
}

impl Locations {
    /// The locations of a source: the line that it names, then its callers. Empty if unknown.
    pub fn of<'a>(&'a self, source: &'a Source) -> Vec<SourceLocation<'a>> {
        let stack = self.stack(source.frame);
        if !stack.is_empty() || source.file.is_empty() {
            return stack;
        }
        vec![SourceLocation {
            file: &source.file,
            function: "",
            line: source.lines[0],
            end_line: source.lines[1],
            column: source.columns[0],
            end_column: source.columns[1],
        }]
    }
}
