//! The data of a snapshot, and its format: `XPS1`, the length of a JSON header (32 bits, little-endian), the header, and the
//! recorded bytes that it refers to.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::reads::Reads;
use crate::array::literal::raw::LiteralReceiver;
use crate::array::{ArrayLiteral, ArrayShape, MemoryMap, Shape, text};

/// The first bytes of a snapshot, with the version of the format.
const MAGIC: &[u8; 4] = b"XPS1";

/// Why bytes are not a valid snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotError {
    /// They are not a snapshot of this version.
    Version,
    /// The header is malformed, or refers to something that does not exist.
    Header,
    /// The values of this entry are malformed.
    Entry(usize),
}

/// A range of [`Snapshot::bytes`].
type BytesRange = Range<usize>;

/// A recorded array, or a recorded program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The title.
    pub title: String,
    /// The address that shows it in the app; empty if it has none.
    #[serde(default)]
    pub link: String,
    /// The instructions of the entry computation in text order; an array alone is one entry without opcode.
    pub entries: Vec<Entry>,
    /// The index of the entry that is shown first.
    pub selected: usize,
    /// The cell of its value that is shown first: a row-major linear index, or the slot of an array alone.
    pub cursor: i64,
    /// The recorded bytes, which follow the header.
    #[serde(skip)]
    pub(super) bytes: Vec<u8>,
}

/// An instruction, or an array alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its opcode; empty for an array alone.
    pub opcode: String,
    /// Its HLO text.
    pub text: String,
    /// The formula of an output cell; empty without one.
    pub formula: String,
    /// Its operands.
    pub operands: Vec<Operand>,
    /// The arrays of its value, in order of their tuple paths; empty for tokens.
    pub arrays: Vec<Array>,
    /// The encoded [`Reads`] of all cells of all arrays; `None` if there are too many, or the value has no sources.
    pub reads: Option<BytesRange>,
    /// The [`Arithmetic`] of each cell as JSON; `None` like `reads`.
    pub arithmetic: Option<BytesRange>,
}

/// An operand of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operand {
    /// The index of the entry.
    pub entry: usize,
    /// Its role: `lhs`.
    pub label: String,
}

/// An array of a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Array {
    /// Its tuple path.
    pub path: Vec<usize>,
    /// Its shape with its layout, and with the padding of 2017.
    pub shape: String,
    /// Its values.
    pub values: Values,
}

/// The values of an array.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Values {
    /// As [`ArrayLiteral::to_raw`] returns them.
    Raw(BytesRange),
    /// a, b, c … in logical row-major order.
    Letters,
    /// Not recorded: too many bytes, or not computed.
    Omitted,
}

/// The arithmetic of a cell, as [`crate::view::derivation::Derivation`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Arithmetic {
    /// The terms, from left to right.
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

/// A term of the arithmetic of a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Term {
    /// Text between numbers.
    #[serde(rename = "t")]
    Text(String),
    /// A number that was read, with the number of its role.
    #[serde(rename = "v")]
    Read(String, usize),
    /// The number of omitted numbers.
    #[serde(rename = "m")]
    More(usize),
    /// The value of the cell.
    #[serde(rename = "o")]
    Result(String),
}

impl Snapshot {
    /// Appends recorded bytes; returns their range.
    pub fn record(&mut self, bytes: &[u8]) -> BytesRange {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        start..self.bytes.len()
    }

    /// The bytes of the snapshot.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Texts and numbers can always be serialized.
        let header = serde_json::to_vec(self).unwrap_or_default();
        let length = u32::try_from(header.len()).unwrap_or(u32::MAX);
        [&MAGIC[..], &length.to_le_bytes(), &header, &self.bytes].concat()
    }

    /// Reads a snapshot.
    ///
    /// # Errors
    ///
    /// The bytes are not a snapshot, or it refers to an entry that it does not have. Recorded bytes are checked when they
    /// are read.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(SnapshotError::Version)?;
        let (length, rest) = rest.split_first_chunk::<4>().ok_or(SnapshotError::Header)?;
        let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| SnapshotError::Header)?;
        let (header, parts) = rest.split_at_checked(length).ok_or(SnapshotError::Header)?;
        let mut snapshot: Self = serde_json::from_slice(header).map_err(|_| SnapshotError::Header)?;
        snapshot.bytes = parts.to_vec();
        let count = snapshot.entries.len();
        if snapshot.selected >= count {
            return Err(SnapshotError::Header);
        }
        let is_malformed = |entry: &Entry| entry.operands.iter().any(|operand| operand.entry >= count);
        if let Some(number) = snapshot.entries.iter().position(is_malformed) {
            return Err(SnapshotError::Entry(number));
        }
        // A page may have been edited: a link must not run a script.
        if !["https://", "http://"].iter().any(|scheme| snapshot.link.starts_with(scheme)) {
            snapshot.link.clear();
        }
        Ok(snapshot)
    }

    /// The bytes of a range; `None` if it is out of bounds.
    fn bytes_at(&self, range: &BytesRange) -> Option<&[u8]> {
        self.bytes.get(range.clone())
    }

    /// The arrays of the operands of an entry, each with the number of its operand, in the order that [`Reads`] number
    /// them.
    pub fn operand_arrays(&self, entry: &Entry) -> Vec<(usize, &Array)> {
        let operands = entry.operands.iter().enumerate();
        let arrays =
            |operand: &Operand| self.entries.get(operand.entry).map_or(&[][..], |entry| &entry.arrays);
        operands
            .flat_map(|(index, operand)| arrays(operand).iter().map(move |array| (index, array)))
            .collect()
    }

    /// The source cells of each cell of an entry; `None` if they were not recorded.
    ///
    /// # Errors
    ///
    /// The recorded reads are malformed.
    pub fn reads(&self, number: usize) -> Result<Option<Reads>, SnapshotError> {
        let error = SnapshotError::Entry(number);
        let Some(entry) = self.entries.get(number) else { return Err(error) };
        let Some(range) = &entry.reads else { return Ok(None) };
        let bytes = self.bytes_at(range).ok_or(error)?;
        let cells = |array: &Array| Some(cell_count(&array.shape()?));
        let own_cells = entry.arrays.iter().map(cells).try_fold(0_u64, |sum, cells| sum.checked_add(cells?));
        let operands: Option<Vec<u64>> =
            self.operand_arrays(entry).into_iter().map(|(_, array)| cells(array)).collect();
        let (own_cells, operands) = own_cells.zip(operands).ok_or(error)?;
        Reads::new(bytes.to_vec(), own_cells, &operands).map(Some).ok_or(error)
    }

    /// The arithmetic of each cell of an entry; empty if it was not recorded.
    ///
    /// # Errors
    ///
    /// The recorded text is malformed.
    pub fn arithmetic(&self, number: usize) -> Result<Vec<Arithmetic>, SnapshotError> {
        let error = SnapshotError::Entry(number);
        let entry = self.entries.get(number).ok_or(error)?;
        let Some(range) = &entry.arithmetic else { return Ok(Vec::new()) };
        serde_json::from_slice(self.bytes_at(range).ok_or(error)?).map_err(|_| error)
    }

    /// The recorded values of an array; `None` if it has none, or their number is not that of its shape.
    pub fn literal(&self, array: &Array) -> Option<Arc<ArrayLiteral>> {
        let Values::Raw(range) = &array.values else { return None };
        let (bytes, shape) = (self.bytes_at(range)?, array.shape()?);
        // A shape with more slots than bytes must not cause an allocation.
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

/// The number of elements of an array.
pub(super) fn cell_count(shape: &ArrayShape) -> u64 {
    shape
        .dimensions
        .iter()
        .fold(1, |count: u64, size| count.saturating_mul(u64::try_from(*size).unwrap_or(0)))
}

impl Array {
    /// Its shape; `None` if the text is not the shape of an array.
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
}
