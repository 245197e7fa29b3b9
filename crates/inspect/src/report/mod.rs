//! Pasted reports of memory: errors of programs that ran out of it, and dumps of buffer assignments.
//!
//! [`parse`] never fails: lines that belong to no known format are skipped. It reads
//!
//! - errors of the TPU compiler (`Ran out of memory in memory space hbm. … Largest program allocations in hbm:`),
//! - errors of the GPU and CPU runtimes (`Out of memory while trying to allocate … Peak buffers:`),
//! - dumps of the buffer assignment (`BufferAssignment:` and `allocation 0: size …` with its values),
//! - memory usage reports (`cumulative_size; size; offset; …`).
//!
//! [`suggest`] finds layouts and sizes that waste less than a shape of a report or a program.

mod assignment;
mod out_of_memory;
pub mod suggest;
mod usage;

use crate::lens::bytes::Bytes;
use xla_array::{ArrayShape, Shape};

/// What a text is.
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

/// What an allocation is for.
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
    /// The operation of the source program.
    pub operator: Option<String>,
    /// What the allocation is for.
    pub usage: Use,
    /// The allocation, by index of [`Report::allocations`], and the offset in it.
    pub allocation: Option<(usize, u64)>,
    /// How many values use the buffer, one after another.
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
    fn set_shape(&mut self, text: &str) {
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
    /// What it is for.
    pub usage: Use,
}

/// A report of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// What the text is.
    pub format: Format,
    /// The buffers, those with the most padding first, then those with the most bytes.
    pub buffers: Vec<Buffer>,
    /// The allocations of a buffer assignment, in order.
    pub allocations: Vec<Allocation>,
    /// Amounts that the report names, in order: `HLO temp`, `parameter allocation`, ….
    pub totals: Vec<(String, u64)>,
    /// The bytes that the program needs.
    pub used: Option<u64>,
    /// The bytes that there are.
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

/// Reads a report.
///
/// ```
/// let text = "Ran out of memory in memory space hbm. Used 17.60G of 16.00G hbm.
///   1. Size: 4.0K
///      Shape: f32[3,5]{1,0:T(8,128)}
///      Unpadded size: 60B";
/// let report = xla_inspect::report::parse(text);
/// assert_eq!((report.buffers[0].memory(), report.buffers[0].padding()), (4096, 4036));
/// ```
pub fn parse(text: &str) -> Report {
    let mut report = Report::default();
    out_of_memory::read(text, &mut report);
    assignment::read(text, &mut report);
    usage::read(text, &mut report);
    // A stable sort: equal buffers stay in the order of the text.
    report.buffers.sort_by_key(|buffer| std::cmp::Reverse((buffer.padding(), buffer.memory())));
    report
}

/// An amount of bytes at the start of a text: `17.60G`, `980.0K`, `5.41MiB`, `64B`, `1024 bytes`; a number alone is bytes.
fn amount(text: &str) -> Option<u64> {
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

#[cfg(test)]
mod tests {
    use super::amount;

    #[test]
    fn amounts_have_binary_units() {
        for (text, bytes) in [
            ("64", Some(64)),
            ("64B", Some(64)),
            ("22271409880 bytes", Some(22_271_409_880)),
            ("980.0K", Some(980 << 10)),
            ("40.50M", Some(81 << 19)),
            ("1.5GiB of", Some(3 << 29)),
            ("17.60G", Some(18_897_856_102)),
            ("unknown size", None),
            ("99999999999999999999G", None),
            ("9999999999999999T", None),
        ] {
            assert_eq!(amount(text), bytes, "{text}");
        }
    }
}
