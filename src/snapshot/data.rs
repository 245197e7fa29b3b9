//! What a snapshot records, and its bytes: `XPS1`, the length of a JSON header (32 bits, little-endian), the header, and
//! the values that it refers to.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::reads::Reads;
use crate::array::literal::raw::LiteralReceiver;
use crate::array::{ArrayLiteral, ArrayShape, MemoryMap, Shape, text};

/// The first bytes of a snapshot, with the version of the format.
const MAGIC: &[u8; 4] = b"XPS1";

/// Why bytes are not a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotError {
    /// They are not a snapshot of this version.
    Version,
    /// The header is malformed, or refers to something that does not exist.
    Header,
    /// The values of this entry are malformed.
    Entry(usize),
}

/// A recorded array, or a recorded program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// The title.
    pub title: String,
    /// The program as HLO text; empty for an array.
    pub text: String,
    /// The address that shows it in the app; empty if it has none.
    pub link: String,
    /// The instructions of the entry computation in text order; an array alone is one entry without opcode.
    pub entries: Vec<Entry>,
    /// The number of the entry that is shown first.
    pub selected: usize,
    /// The cell of its value that is shown first: a row-major linear index, or the slot of an array alone.
    pub cursor: i64,
}

/// An instruction, or an array alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its opcode; empty for an array alone.
    pub opcode: String,
    /// Its HLO text.
    pub text: String,
    /// The formula of an output cell; empty without one.
    pub formula: String,
    /// The shape of its value.
    pub shape: String,
    /// Its operands.
    pub operands: Vec<Operand>,
    /// The arrays of its value, in order of their tuple paths; empty for tokens.
    pub arrays: Vec<Array>,
    /// What each cell was computed from: [`Reads`] of all cells of all arrays.
    pub reads: Part,
    /// How each cell was computed: a [`Arithmetic`] per cell as JSON.
    pub arithmetic: Part,
}

/// An operand of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operand {
    /// The number of the entry.
    pub entry: usize,
    /// Its name for the op: `lhs`.
    pub label: String,
}

/// An array of a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Its tuple path.
    pub path: Vec<usize>,
    /// Its shape with its layout, and with the padding of 2017.
    pub shape: String,
    /// Its values.
    pub values: Values,
}

/// The values of an array.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// As [`ArrayLiteral::to_raw`] returns them.
    Raw(Vec<u8>),
    /// a, b, c … in logical row-major order.
    Letters,
    /// Not recorded: too many bytes, or not computed.
    Omitted,
}

/// A part of an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// Not recorded: too large, or it does not exist.
    #[default]
    Omitted,
    /// The recorded bytes.
    Recorded(Vec<u8>),
}

/// The arithmetic of a cell, as [`crate::view::derivation::Derivation`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arithmetic {
    /// The parts, from left to right.
    #[serde(rename = "p")]
    pub terms: Vec<Term>,
    /// The number of cells that were read.
    #[serde(rename = "n")]
    pub reads: usize,
    /// The numbers of their roles, in order of the first reads.
    #[serde(rename = "r")]
    pub roles: Vec<usize>,
    /// The label of the operand whose cells are updates.
    #[serde(rename = "u", default, skip_serializing_if = "String::is_empty")]
    pub update_label: String,
}

/// A part of the arithmetic of a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Term {
    /// Text between numbers.
    #[serde(rename = "t")]
    Text(String),
    /// A number that was read, with the number of its role.
    #[serde(rename = "v")]
    Read(String, usize),
    /// The number of further numbers.
    #[serde(rename = "m")]
    More(usize),
    /// The value of the cell.
    #[serde(rename = "o")]
    Result(String),
}

/// The JSON header. Ranges are those of bytes after the header.
#[derive(Serialize, Deserialize)]
struct Header {
    title: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    text: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    link: String,
    entries: Vec<EntryHeader>,
    selected: usize,
    cursor: i64,
}

#[derive(Serialize, Deserialize)]
struct EntryHeader {
    name: String,
    opcode: String,
    text: String,
    formula: String,
    shape: String,
    operands: Vec<Operand>,
    arrays: Vec<ArrayHeader>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reads: Option<Range<usize>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    arithmetic: Option<Range<usize>>,
}

#[derive(Serialize, Deserialize)]
struct ArrayHeader {
    path: Vec<usize>,
    shape: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    values: Option<Range<usize>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    letters: bool,
}

impl Snapshot {
    /// The bytes of the snapshot.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut values = Vec::new();
        let mut append = |bytes: &[u8]| {
            let start = values.len();
            values.extend_from_slice(bytes);
            start..values.len()
        };
        let mut part = |part: &Part| match part {
            Part::Omitted => None,
            Part::Recorded(bytes) => Some(append(bytes)),
        };
        let mut entries = Vec::new();
        for entry in &self.entries {
            let (reads, arithmetic) = (part(&entry.reads), part(&entry.arithmetic));
            let arrays = entry.arrays.iter().map(|array| ArrayHeader {
                path: array.path.clone(),
                shape: array.shape.clone(),
                values: match &array.values {
                    Values::Raw(bytes) => part(&Part::Recorded(bytes.clone())),
                    Values::Letters | Values::Omitted => None,
                },
                letters: array.values == Values::Letters,
            });
            entries.push(EntryHeader {
                arrays: arrays.collect(),
                name: entry.name.clone(),
                opcode: entry.opcode.clone(),
                text: entry.text.clone(),
                formula: entry.formula.clone(),
                shape: entry.shape.clone(),
                operands: entry.operands.clone(),
                reads,
                arithmetic,
            });
        }
        let (title, text, link) = (self.title.clone(), self.text.clone(), self.link.clone());
        let header = Header { title, text, link, entries, selected: self.selected, cursor: self.cursor };
        // Texts and numbers can always be serialized.
        let header = serde_json::to_vec(&header).unwrap_or_default();
        let length = u32::try_from(header.len()).unwrap_or(u32::MAX);
        [&MAGIC[..], &length.to_le_bytes(), &header, &values].concat()
    }

    /// Reads a snapshot.
    ///
    /// # Errors
    ///
    /// The bytes are not a snapshot, or it refers to something that it does not have. Values are checked when they are
    /// read.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(SnapshotError::Version)?;
        let (length, rest) = rest.split_first_chunk::<4>().ok_or(SnapshotError::Header)?;
        let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| SnapshotError::Header)?;
        let (header, values) = rest.split_at_checked(length).ok_or(SnapshotError::Header)?;
        let header: Header = serde_json::from_slice(header).map_err(|_| SnapshotError::Header)?;
        let count = header.entries.len();
        if header.selected >= count {
            return Err(SnapshotError::Header);
        }
        let bytes_of = |range: Option<Range<usize>>, number: usize| match range {
            None => Ok(None),
            Some(range) => {
                values.get(range).map(|bytes| Some(bytes.to_vec())).ok_or(SnapshotError::Entry(number))
            }
        };
        let part = |range, number| Ok(bytes_of(range, number)?.map_or(Part::Omitted, Part::Recorded));
        let mut entries = Vec::new();
        for (number, entry) in header.entries.into_iter().enumerate() {
            if entry.operands.iter().any(|operand| operand.entry >= count) {
                return Err(SnapshotError::Entry(number));
            }
            let mut arrays = Vec::new();
            for array in entry.arrays {
                let values = match bytes_of(array.values, number)? {
                    Some(bytes) => Values::Raw(bytes),
                    None if array.letters => Values::Letters,
                    None => Values::Omitted,
                };
                arrays.push(Array { path: array.path, shape: array.shape, values });
            }
            entries.push(Entry {
                arrays,
                reads: part(entry.reads, number)?,
                arithmetic: part(entry.arithmetic, number)?,
                name: entry.name,
                opcode: entry.opcode,
                text: entry.text,
                formula: entry.formula,
                shape: entry.shape,
                operands: entry.operands,
            });
        }
        // A page may have been edited: a link must not run a script.
        let is_address = ["https://", "http://"].iter().any(|scheme| header.link.starts_with(scheme));
        let link = if is_address { header.link } else { String::new() };
        let (title, text) = (header.title, header.text);
        Ok(Self { title, text, link, entries, selected: header.selected, cursor: header.cursor })
    }

    /// The arrays of the operands of an entry, each with the number of its operand, in the order that [`Reads`] number
    /// them.
    pub fn operand_arrays(&self, entry: &Entry) -> Vec<(usize, &Array)> {
        let operands = entry.operands.iter().enumerate();
        let of = |operand: &Operand| self.entries.get(operand.entry).map_or(&[][..], |entry| &entry.arrays);
        operands.flat_map(|(number, operand)| of(operand).iter().map(move |array| (number, array))).collect()
    }

    /// What each cell of an entry's value was computed from; `None` if it was not recorded.
    ///
    /// # Errors
    ///
    /// The recorded reads are malformed.
    pub fn reads(&self, number: usize) -> Result<Option<Reads>, SnapshotError> {
        let error = SnapshotError::Entry(number);
        let Some(entry) = self.entries.get(number) else { return Err(error) };
        let Part::Recorded(bytes) = &entry.reads else { return Ok(None) };
        let cells = |array: &Array| Some(cell_count(&array.shape()?));
        let own = entry.arrays.iter().map(cells).try_fold(0_u64, |sum, cells| sum.checked_add(cells?));
        let operands: Option<Vec<u64>> =
            self.operand_arrays(entry).into_iter().map(|(_, array)| cells(array)).collect();
        let (own, operands) = own.zip(operands).ok_or(error)?;
        Reads::new(bytes.clone(), own, &operands).map(Some).ok_or(error)
    }
}

impl Entry {
    /// How each cell was computed; empty if it was not recorded.
    ///
    /// # Errors
    ///
    /// The recorded text is malformed.
    pub fn arithmetic(&self) -> Result<Vec<Arithmetic>, serde_json::Error> {
        match &self.arithmetic {
            Part::Omitted => Ok(Vec::new()),
            Part::Recorded(bytes) => serde_json::from_slice(bytes),
        }
    }
}

/// The number of elements of an array.
pub(super) fn cell_count(shape: &ArrayShape) -> u64 {
    shape
        .dimensions
        .iter()
        .fold(1, |count: u64, size| count.saturating_mul(u64::try_from(*size).unwrap_or(0)))
}

impl Array {
    /// Its shape; `None` if its text is none of an array.
    pub fn shape(&self) -> Option<ArrayShape> {
        let parsed = text::parse_printed(&self.shape);
        let shape = parsed.error().is_none().then_some(parsed.shape)??;
        let array = match shape {
            Shape::Array(array) => array,
            Shape::Buffer(array) => *array,
            Shape::Tuple(_) | Shape::Token | Shape::Opaque => return None,
        };
        MemoryMap::new(&array).ok().map(|_| array)
    }

    /// Its recorded values; `None` if it has none, or their number is not that of its shape.
    pub fn literal(&self) -> Option<Arc<ArrayLiteral>> {
        let Values::Raw(bytes) = &self.values else { return None };
        let shape = self.shape()?;
        // Nothing is allocated for sizes that the bytes do not have.
        let slots = u64::try_from(MemoryMap::new(&shape).ok()?.slot_count()).ok()?;
        if slots > bytes.len() as u64 {
            return None;
        }
        let mut receiver = LiteralReceiver::new(shape).ok()?;
        if receiver.bytes() != bytes.len() {
            return None;
        }
        receiver.push(bytes);
        receiver.finish().ok()
    }
}
