//! Memory usage reports: tables with the columns `cumulative_size; size; offset; used_by_n_values; shapes_list`.

use super::contents::{Buffer, Format, Report, parse_bytes};

/// Reads the tables of the text.
pub(super) fn read(text: &str, report: &mut Report) {
    let mut is_table = false;
    for (index, line) in text.lines().enumerate() {
        let columns: Vec<&str> = line.split(';').map(str::trim).collect();
        match columns.as_slice() {
            ["cumulative_size", ..] => is_table = true,
            [_, size, _, count, shapes] if is_table => {
                let (Some(size), Ok(count)) = (parse_bytes(size), count.parse::<u64>()) else { continue };
                let mut buffer = Buffer { stated: size, values: count, line: index, ..Buffer::default() };
                // Only the first shape is kept; the others have at most as many bytes.
                let first = first_shape(shapes);
                buffer.set_shape(first.rsplit('×').next().unwrap_or(first));
                (*shapes).clone_into(&mut buffer.shape_text);
                report.format = Format::MemoryUsage;
                report.buffers.push(buffer);
            }
            _ => {
                if let Some(rest) = line.trim().strip_prefix("Total bytes: ")
                    && let Some(bytes) = parse_bytes(rest)
                {
                    report.used = Some(report.used.unwrap_or(0).saturating_add(bytes));
                }
            }
        }
    }
}

/// The first shape of a list: commas within brackets belong to it.
fn first_shape(list: &str) -> &str {
    let mut depth = 0_usize;
    for (at, c) in list.char_indices() {
        match c {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => return list.get(..at).unwrap_or(list),
            _ => {}
        }
    }
    list
}
