//! Results of runs as files, `eval --out` first of all.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use super::output::Failure;
use super::report::{file_diagnostic, report};
use crate::array::{ArrayLiteral, Literal};
use crate::files::{Format, write};
use crate::i18n::Message;
use crate::wire::literal::AsJson;

/// The bytes that are written at once. A sandboxed program, such as that of the Python package, fails to write hundreds of megabytes
/// in one call.
const CHUNK_BYTES: usize = 16 << 20;

/// Writes a file.
pub(super) fn write_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    content.chunks(CHUNK_BYTES).try_for_each(|chunk| file.write_all(chunk))
}

/// Writes a result to a file, whose name says the format.
pub(super) fn save(out: &mut impl Write, is_json: bool, file: &str, result: &Literal) -> Result<(), Failure> {
    let rejected = |message: Message| ("file-out", message);
    let bytes = bytes(file, result).and_then(|bytes| {
        write_file(Path::new(file), &bytes).map_err(|error| {
            rejected(Message::terminal("cli-out-write").with("file", file).with("error", error.to_string()))
        })
    });
    bytes.map_err(|(rule, message)| report(out, is_json, &file_diagnostic(rule, message), ""))
}

fn bytes(file: &str, result: &Literal) -> Result<Vec<u8>, (&'static str, Message)> {
    let unknown = || ("file-out", Message::terminal("cli-out-format").with("file", file));
    let one = || {
        let several = || ("file-out", Message::terminal("cli-out-one").with("file", file));
        result.as_array().ok_or_else(several)
    };
    match Format::of_name(file).ok_or_else(unknown)? {
        Format::Npy => write::npy(one()?).map_err(|error| (error.rule, error.message)),
        Format::Npz => {
            let arrays = arrays(result);
            let named = arrays.iter().enumerate().map(|(i, array)| (format!("arr_{i}"), *array));
            let archive = write::npz(named).map_err(|error| (error.rule, error.message))?;
            archive.ok_or_else(|| ("file-out", Message::terminal("cli-out-archive").with("file", file)))
        }
        Format::Json => serde_json::to_vec(&AsJson(result)).map_err(|_| unknown()),
        Format::Raw => {
            let array = one()?;
            if array.memory_map().padding_slots() > 0 {
                return Err(("file-out", Message::terminal("cli-out-padding").with("file", file)));
            }
            array.to_raw().map_err(|error| (error.rule, error.message))
        }
    }
}

/// The arrays of a result, in order of their tuple paths.
pub(super) fn arrays(literal: &Literal) -> Vec<&ArrayLiteral> {
    match literal {
        Literal::Array(array) => vec![array],
        Literal::Tuple(elements) => elements.iter().flat_map(arrays).collect(),
        Literal::Token => Vec::new(),
    }
}
