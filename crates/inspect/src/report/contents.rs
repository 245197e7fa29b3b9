//! The contents of a memory report.

use crate::performance::bytes::Bytes;
use xla_array::{ArrayShape, Shape};

/// The format of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// None of the known reports.
    #[default]
    Unknown,
    /// An error of a program that needs more memory than there is.
    OutOfMemory,
    /// A dump of a buffer assignment.
    BufferAssignment,
    /// A memory usage report.
    MemoryUsage,
}

/// The use of an allocation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Use {
    /// Not stated.
    #[default]
    Unknown,
    /// A parameter of the program.
    Parameter,
    /// The result.
    Output,
    /// A constant.
    Constant,
    /// Temporary values.
    Temporary,
    /// Scalars of a thread.
    ThreadLocal,
}

/// A buffer of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Buffer {
    /// The shape as written; empty if there is none.
    pub shape_text: String,
    /// The shape, if it is an array that can be read. Without a written layout, the default one.
    pub array: Option<ArrayShape>,
    /// The bytes in memory that the report states.
    pub stated: u64,
    /// The bytes without padding that the report states.
    pub stated_unpadded: Option<u64>,
    /// The bytes that follow from the shape.
    pub computed: Option<Bytes>,
    /// The instruction: its text or name.
    pub label: Option<String>,
    /// The operator of the source program, as the report prints it: `op_type` and `op_name`.
    pub operator: Option<String>,
    /// The use of its allocation.
    pub usage: Use,
    /// The allocation, by index of [`Report::allocations`], and the offset in it.
    pub allocation: Option<(usize, u64)>,
    /// The number of values that use the buffer, one after another.
    pub values: u64,
    /// The line of the text where it begins, from 0.
    pub line: usize,
}

impl Buffer {
    /// The bytes in memory: those of the shape if it has a layout with tiles, else those that the report states, which may be
    /// rounded.
    pub fn memory(&self) -> u64 {
        match self.computed {
            Some(computed) if self.stated == 0 || computed.padding() > 0 => computed.memory,
            _ => self.stated,
        }
    }

    /// The bytes of padding.
    pub fn padding(&self) -> u64 {
        match (self.computed, self.stated_unpadded) {
            (Some(computed), _) if computed.padding() > 0 => computed.padding(),
            (_, Some(unpadded)) => self.stated.saturating_sub(unpadded),
            _ => 0,
        }
    }

    /// Reads the shape.
    pub(super) fn set_shape(&mut self, text: &str) {
        text.trim().clone_into(&mut self.shape_text);
        let parsed = xla_array::text::parse_embedded(&self.shape_text);
        if let Some(Shape::Array(array)) = parsed.valid() {
            let bytes = Bytes::of_array(array);
            self.computed = (bytes.memory > 0).then_some(bytes);
            self.array = Some(array.clone());
        }
    }
}

/// An allocation of a buffer assignment, which several values share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allocation {
    /// Its number in the text.
    pub number: u64,
    /// Its bytes.
    pub bytes: u64,
    /// Its use.
    pub usage: Use,
}

/// A report of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The format of the text.
    pub format: Format,
    /// The buffers, those with the most padding first, then those with the most bytes.
    pub buffers: Vec<Buffer>,
    /// The allocations of a buffer assignment, in order.
    pub allocations: Vec<Allocation>,
    /// Amounts that the report names, in order: `HLO temp`, `parameter allocation`, ….
    pub totals: Vec<(String, u64)>,
    /// The bytes that the program needs.
    pub used: Option<u64>,
    /// The bytes that are available.
    pub capacity: Option<u64>,
    /// The bytes of the allocation that failed.
    pub requested: Option<u64>,
}

impl Report {
    /// The bytes of padding of all buffers.
    pub fn padding(&self) -> u64 {
        self.buffers.iter().fold(0, |sum: u64, buffer| sum.saturating_add(buffer.padding()))
    }
}

/// An amount of bytes at the start of the text: `17.60G`, `980.0K`, `5.41MiB`, `64B`, `1024 bytes`; a number alone is bytes.
pub(super) fn parse_bytes(text: &str) -> Option<u64> {
    let text = text.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (digits, unit) = text.split_at_checked(end)?;
    let scale: u32 = match unit.trim_start().chars().next() {
        Some('K' | 'k') => 10,
        Some('M') => 20,
        Some('G') => 30,
        Some('T') => 40,
        _ => 0,
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let whole = whole.parse::<u64>().ok()?.checked_mul(1 << scale)?;
    let fraction: String = fraction.chars().take(9).collect();
    let denominator = 10_u64.pow(u32::try_from(fraction.len()).ok()?);
    // At most 10^9 · 2^40, which fits.
    let numerator = u128::from(fraction.parse::<u64>().unwrap_or(0)) * (1_u128 << scale);
    whole
        .checked_add(u64::try_from((numerator + u128::from(denominator) / 2) / u128::from(denominator)).ok()?)
}
