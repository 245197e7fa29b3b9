//! Encodes PNG files: 8 bits per channel, with alpha, without filters.
//!
//! Invariant: equal pixels are encoded as equal bytes, so that exported pictures can be compared. Source: the PNG
//! specification, third edition.

use miniz_oxide::deflate::compress_to_vec_zlib;
use thiserror::Error;

use crate::crc32::Crc32;

/// The error of pixels that cannot be encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PngError {
    /// PNG pictures have 1 to 2³¹ - 1 pixels per side.
    #[error("a PNG picture has 1 to 2147483647 pixels a side, not {columns} × {rows}; show another part")]
    Size {
        /// Pixels per row.
        columns: usize,
        /// The number of rows.
        rows: usize,
    },
    /// The number of bytes does not match the size.
    #[error("{columns} × {rows} pixels need 4 bytes each, but there are {bytes}; give `columns · rows · 4`")]
    Bytes {
        /// Pixels per row.
        columns: usize,
        /// The number of rows.
        rows: usize,
        /// The number of bytes that were given.
        bytes: usize,
    },
}

/// Compression level, of 10; higher ones gain little for flat areas.
const COMPRESSION_LEVEL: u8 = 6;

/// Bound on the bytes of one chunk; longer data is split.
const MAX_CHUNK_BYTES: usize = 1 << 20;

/// Encodes `columns · rows` pixels, in rows from top to bottom, each as red, green, blue and alpha.
pub fn png(columns: usize, rows: usize, rgba: &[u8]) -> Result<Vec<u8>, PngError> {
    let side = |n: usize| u32::try_from(n).ok().filter(|&n| (1..1 << 31).contains(&n));
    let (Some(width), Some(height)) = (side(columns), side(rows)) else {
        return Err(PngError::Size { columns, rows });
    };
    let bytes = rgba.len();
    if columns.checked_mul(rows).and_then(|n| n.checked_mul(4)) != Some(bytes) {
        return Err(PngError::Bytes { columns, rows, bytes });
    }
    let mut scanlines = Vec::with_capacity(bytes + rows);
    for row in rgba.chunks_exact(columns * 4) {
        scanlines.push(0);
        scanlines.extend_from_slice(row);
    }
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    // 8 bits per channel, RGBA, deflate, adaptive filtering, not interlaced.
    header.extend([8, 6, 0, 0, 0]);
    write_chunk(&mut file, *b"IHDR", &header);
    for part in compress_to_vec_zlib(&scanlines, COMPRESSION_LEVEL).chunks(MAX_CHUNK_BYTES) {
        write_chunk(&mut file, *b"IDAT", part);
    }
    write_chunk(&mut file, *b"IEND", &[]);
    Ok(file)
}

/// Appends a chunk of at most [`MAX_CHUNK_BYTES`] bytes: length, name, content, checksum of name and content.
fn write_chunk(file: &mut Vec<u8>, name: [u8; 4], content: &[u8]) {
    let length = content.len().to_be_bytes();
    // The length fits in the last 4 of the 4 or 8 bytes of a `usize`.
    file.extend_from_slice(&length[length.len() - 4..]);
    let start = file.len();
    file.extend_from_slice(&name);
    file.extend_from_slice(content);
    let sum = Crc32::checksum(&file[start..]);
    file.extend_from_slice(&sum.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use miniz_oxide::inflate::decompress_to_vec_zlib;

    /// Name and content of each chunk, its length and checksum verified.
    fn chunks(file: &[u8]) -> Vec<(String, Vec<u8>)> {
        let mut rest = file.strip_prefix(b"\x89PNG\r\n\x1a\n").unwrap();
        let mut found = Vec::new();
        while !rest.is_empty() {
            let number = |at: usize| u32::from_be_bytes(rest[at..at + 4].try_into().unwrap());
            let end = 8 + usize::try_from(number(0)).unwrap();
            assert_eq!(number(end), Crc32::checksum(&rest[4..end]));
            found.push((String::from_utf8(rest[4..8].to_vec()).unwrap(), rest[8..end].to_vec()));
            rest = &rest[end + 4..];
        }
        found
    }

    /// Columns, rows and pixels of a file of this encoder.
    fn decoded(file: &[u8]) -> (u32, u32, Vec<u8>) {
        let chunks = chunks(file);
        let (mut names, header) = (chunks.iter().map(|c| c.0.as_str()), &chunks[0].1);
        assert!(names.clone().skip(1).take(chunks.len() - 2).all(|name| name == "IDAT"));
        assert_eq!((names.clone().next(), names.next_back()), (Some("IHDR"), Some("IEND")));
        assert_eq!(header[8..], [8, 6, 0, 0, 0]);
        let side = |at: usize| u32::from_be_bytes(header[at..at + 4].try_into().unwrap());
        let data: Vec<u8> = chunks[1..chunks.len() - 1].iter().flat_map(|c| c.1.clone()).collect();
        let scanlines = decompress_to_vec_zlib(&data).unwrap();
        let stride = usize::try_from(side(0)).unwrap() * 4 + 1;
        let rows = scanlines.chunks_exact(stride).inspect(|row| assert_eq!(row[0], 0));
        (side(0), side(4), rows.flat_map(|row| row[1..].to_vec()).collect())
    }

    #[test]
    fn pixels_round_trip() {
        let pixels: Vec<u8> = (0_u8..24).collect();
        assert_eq!(decoded(&png(3, 2, &pixels).unwrap()), (3, 2, pixels.clone()));
        assert_eq!(decoded(&png(2, 3, &pixels).unwrap()), (2, 3, pixels));
    }

    #[test]
    fn a_large_picture_has_several_data_chunks() {
        let mut state = 1_u32;
        let noise = std::iter::repeat_with(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        });
        let noise: Vec<u8> = noise.take(600 * 500 * 4).collect();
        let file = png(600, 500, &noise).unwrap();
        assert!(chunks(&file).len() > 3);
        assert_eq!(decoded(&file), (600, 500, noise));
    }

    #[test]
    fn the_checksum_matches_known_values() {
        assert_eq!(Crc32::checksum(b"123456789"), 0xcbf4_3926);
        assert_eq!(Crc32::checksum(b"IEND"), 0xae42_6082);
    }

    #[test]
    fn invalid_sizes_are_rejected() {
        assert_eq!(png(0, 2, &[]), Err(PngError::Size { columns: 0, rows: 2 }));
        assert_eq!(png(1, 2, &[0; 7]), Err(PngError::Bytes { columns: 1, rows: 2, bytes: 7 }));
        assert!(png(usize::MAX, 2, &[]).is_err());
        assert!(png(1 << 30, 1 << 30, &[]).is_err());
    }
}
