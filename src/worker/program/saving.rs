//! A value as a file: an array of `NumPy`, an archive of all arrays, or JSON.

use super::wire::SaveFormat;
use crate::array::literal::LiteralError;
use crate::files::write;
use crate::i18n::Message;
use crate::inspect::values::parts;
use crate::ops::Data;
use crate::wire::literal::AsJson;

/// Maximum characters of a file's name without its extension.
const MAX_NAME_CHARS: usize = 80;

/// The name of a file for the value of an instruction.
fn file_name(name: &str, extension: &str) -> String {
    let safe = name.chars().take(MAX_NAME_CHARS);
    let safe = safe.map(|c| if c.is_alphanumeric() || matches!(c, '_' | '.' | '-') { c } else { '_' });
    format!("{}.{extension}", safe.collect::<String>())
}

/// A file with a value: its name and its bytes. `leaf` is the array that a `.npy` has, by its position.
pub(super) fn to_file(
    name: &str,
    value: &Data,
    leaf: usize,
    format: SaveFormat,
) -> Result<(String, Vec<u8>), (&'static str, Message)> {
    let no_memory = |LiteralError { rule, message, .. }: LiteralError| (rule, message);
    let arrays = parts(value);
    match format {
        SaveFormat::Npy => {
            let part = arrays.get(leaf).ok_or_else(|| ("literal", Message::program("program-no-cells")))?;
            Ok((file_name(name, "npy"), write::npy(&part.array).map_err(no_memory)?))
        }
        SaveFormat::Npz => {
            let named = arrays.iter().map(|part| {
                let path = std::iter::once(name.to_owned()).chain(part.path.iter().map(usize::to_string));
                (path.collect::<Vec<_>>().join("."), &*part.array)
            });
            let bytes = write::npz(named).map_err(no_memory)?;
            let bytes = bytes.ok_or_else(|| ("limit-file", Message::program("program-save-too-large")))?;
            Ok((file_name(name, "npz"), bytes))
        }
        SaveFormat::Json => {
            let json = serde_json::to_vec(&AsJson(&value.to_literal()));
            let json = json.map_err(|_| ("limit-file", Message::program("program-save-too-large")))?;
            Ok((file_name(name, "json"), json))
        }
    }
}
