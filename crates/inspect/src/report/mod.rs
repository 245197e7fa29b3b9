//! Memory reports that were pasted: errors of programs that ran out of memory, and dumps of buffer assignments.
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
mod contents;
mod out_of_memory;
pub mod suggest;
mod usage;

pub use contents::{Allocation, Buffer, Format, Report, Use};

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

/// Reads text that may be a report; `None` for a program, whose metadata may contain any sentence, and for any other text.
pub fn detect(text: &str) -> Option<Report> {
    let start = text.trim_start();
    if ["HloModule", "module", "ENTRY", "func.func", "#loc"].iter().any(|word| start.starts_with(word)) {
        return None;
    }
    Some(parse(text)).filter(|report| report.format != Format::Unknown)
}

#[cfg(test)]
mod tests {
    use super::contents::parse_bytes;

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
            assert_eq!(parse_bytes(text), bytes, "{text}");
        }
    }
}
