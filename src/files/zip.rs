//! Zip archives, as `numpy.savez` and `numpy.savez_compressed` write them: stored or deflated members, with or without zip64.
//!
//! The central directory is authoritative. A member is read as a stream, which fails with [`io::ErrorKind::InvalidData`]
//! unless it has exactly the length and the CRC-32 that the directory states. Source: PKWARE's APPNOTE.

use std::io::{self, Read, Seek, SeekFrom};

use miniz_oxide::inflate::stream::{InflateState, inflate};
use miniz_oxide::{DataFormat, MZFlush, MZStatus};

use crate::view::crc32::Crc32;

/// Maximum bytes of the central directory: some hundred thousand members.
const MAX_DIRECTORY_BYTES: u64 = 16 << 20;
/// The size of the end-of-central-directory record without its comment.
const EOCD_BYTES: usize = 22;
/// The maximum bytes of its comment.
const MAX_COMMENT_BYTES: u64 = 0xffff;
/// The bytes of the zip64 locator, which is before the end record.
const LOCATOR_BYTES: usize = 20;
/// Sentinel of a 32-bit field whose value is in a zip64 record.
const ZIP64_MARKER: u64 = 0xffff_ffff;
/// The maximum number of bytes to which deflate expands a byte.
const MAX_DEFLATE_RATIO: u64 = 1032;
/// Compressed bytes that are read at a time.
const COMPRESSED_CHUNK_BYTES: usize = 1 << 15;

/// A central-directory entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its path.
    pub name: String,
    /// The uncompressed length in bytes.
    pub size: u64,
    flags: u64,
    method: u64,
    crc: u32,
    /// The compressed length in bytes.
    compressed_size: u64,
    /// The offset of its header.
    header_start: u64,
}

/// The error of an archive that is invalid.
fn invalid() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

/// Reads the little-endian number at an offset.
fn read_le(bytes: &[u8], offset: usize, width: usize) -> Option<u64> {
    let bytes = bytes.get(offset..offset.checked_add(width)?)?;
    Some(bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)))
}

/// Reads bytes at an offset; an archive that ends within them is invalid.
fn read_at(zip: &mut (impl Read + Seek), offset: u64, bytes: &mut [u8]) -> io::Result<()> {
    zip.seek(SeekFrom::Start(offset))?;
    zip.read_exact(bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => invalid(),
        _ => error,
    })
}

/// The number of members, and offset and length of the central directory.
fn end_record(zip: &mut (impl Read + Seek)) -> io::Result<(u64, u64, u64)> {
    let length = zip.seek(SeekFrom::End(0))?;
    let tail_bytes = length.min(MAX_COMMENT_BYTES + (EOCD_BYTES + LOCATOR_BYTES) as u64);
    let mut tail = vec![0; usize::try_from(tail_bytes).unwrap_or(0)];
    read_at(zip, length - tail_bytes, &mut tail)?;
    // The comment may contain the signature: it has to end with the file.
    let is_end = |offset: &usize| {
        tail[*offset..].starts_with(b"PK\x05\x06")
            && read_le(&tail, offset + 20, 2) == Some((tail.len() - offset - EOCD_BYTES) as u64)
    };
    let last = tail.len().checked_sub(EOCD_BYTES).ok_or_else(invalid)?;
    let end = (0..=last).rev().find(is_end).ok_or_else(invalid)?;
    let field = |offset, width| read_le(&tail, end + offset, width).ok_or_else(invalid);
    let (count, bytes, start) = (field(10, 2)?, field(12, 4)?, field(16, 4)?);
    if count != 0xffff && bytes != ZIP64_MARKER && start != ZIP64_MARKER {
        return Ok((count, start, bytes));
    }
    let locator = end.checked_sub(LOCATOR_BYTES).filter(|offset| tail[*offset..].starts_with(b"PK\x06\x07"));
    let zip64_start = read_le(&tail, locator.ok_or_else(invalid)? + 8, 8).ok_or_else(invalid)?;
    let mut zip64_record = [0; 56];
    read_at(zip, zip64_start, &mut zip64_record)?;
    let field = |offset| read_le(&zip64_record, offset, 8).ok_or_else(invalid);
    if zip64_record.starts_with(b"PK\x06\x06") {
        Ok((field(32)?, field(48)?, field(40)?))
    } else {
        Err(invalid())
    }
}

/// An entry of the central directory, and the bytes after it.
fn entry(directory: &[u8]) -> Option<(Entry, &[u8])> {
    let field = |offset, width| read_le(directory, offset, width);
    let length = |offset| field(offset, 2).and_then(|length| usize::try_from(length).ok());
    directory.starts_with(b"PK\x01\x02").then_some(())?;
    let (name, rest) = directory.get(46..)?.split_at_checked(length(28)?)?;
    let (mut extra, rest) = rest.split_at_checked(length(30)?)?;
    let (_comment, rest) = rest.split_at_checked(length(32)?)?;
    let mut entry = Entry {
        name: String::from_utf8_lossy(name).into_owned(),
        size: field(24, 4)?,
        flags: field(8, 2)?,
        method: field(10, 2)?,
        crc: u32::try_from(field(16, 4)?).ok()?,
        compressed_size: field(20, 4)?,
        header_start: field(42, 4)?,
    };
    // The zip64 field has the numbers whose 32-bit field is the marker, in this order.
    while extra.len() >= 4 {
        let (id, length) = (read_le(extra, 0, 2)?, usize::try_from(read_le(extra, 2, 2)?).ok()?);
        let (mut field, after) = extra[4..].split_at_checked(length)?;
        if id == 1 {
            for wide in [&mut entry.size, &mut entry.compressed_size, &mut entry.header_start] {
                if *wide == ZIP64_MARKER {
                    (*wide, field) = (read_le(field, 0, 8)?, &field[8..]);
                }
            }
        }
        extra = after;
    }
    Some((entry, rest))
}

/// The members of an archive in the order of its directory, without directories.
pub(super) fn directory(zip: &mut (impl Read + Seek)) -> io::Result<Vec<Entry>> {
    let (count, start, bytes) = end_record(zip)?;
    let file_bytes = zip.seek(SeekFrom::End(0))?;
    if bytes > MAX_DIRECTORY_BYTES || start.checked_add(bytes).is_none_or(|end| end > file_bytes) {
        return Err(invalid());
    }
    let mut directory = vec![0; usize::try_from(bytes).unwrap_or(0)];
    read_at(zip, start, &mut directory)?;
    let (mut rest, mut entries) = (&directory[..], Vec::new());
    for _ in 0..count {
        let (next, after) = entry(rest).ok_or_else(invalid)?;
        rest = after;
        if !next.name.ends_with('/') {
            entries.push(next);
        }
    }
    Ok(entries)
}

impl Entry {
    /// Whether it can be read: it is stored or deflated, and not encrypted.
    pub fn is_supported(&self) -> bool {
        self.flags & 1 == 0 && matches!(self.method, 0 | 8)
    }

    /// The content as a stream.
    pub fn open<'z, Z: Read + Seek>(&self, zip: &'z mut Z) -> io::Result<MemberReader<'z, Z>> {
        let file_bytes = zip.seek(SeekFrom::End(0))?;
        let mut header = [0; 30];
        read_at(zip, self.header_start, &mut header)?;
        let length = |offset| read_le(&header, offset, 2).ok_or_else(invalid);
        let start = self.header_start.checked_add(30 + length(26)? + length(28)?).ok_or_else(invalid)?;
        let is_inside = start.checked_add(self.compressed_size).is_some_and(|end| end <= file_bytes);
        let is_plausible = if self.method == 0 {
            self.compressed_size == self.size
        } else {
            self.size <= self.compressed_size.saturating_mul(MAX_DEFLATE_RATIO)
        };
        if !header.starts_with(b"PK\x03\x04") || !is_inside || !is_plausible {
            return Err(invalid());
        }
        zip.seek(SeekFrom::Start(start))?;
        let inflater = (self.method == 8).then(|| Inflater {
            state: InflateState::new_boxed(DataFormat::Raw),
            chunk: vec![0; COMPRESSED_CHUNK_BYTES],
            unread: 0..0,
            is_done: false,
        });
        Ok(MemberReader {
            compressed: zip.take(self.compressed_size),
            inflater,
            remaining_bytes: self.size,
            crc: Crc32::default(),
            expected_crc: self.crc,
        })
    }
}

struct Inflater {
    state: Box<InflateState>,
    chunk: Vec<u8>,
    /// The range of the chunk that is not inflated yet.
    unread: std::ops::Range<usize>,
    is_done: bool,
}

impl Inflater {
    fn read(&mut self, compressed: &mut impl Read, out: &mut [u8]) -> io::Result<usize> {
        while !self.is_done {
            if self.unread.is_empty() {
                self.unread = 0..compressed.read(&mut self.chunk)?;
            }
            let is_last = self.unread.is_empty();
            let result = inflate(&mut self.state, &self.chunk[self.unread.clone()], out, MZFlush::None);
            self.unread.start += result.bytes_consumed;
            self.is_done = result.status == Ok(MZStatus::StreamEnd);
            if result.bytes_written > 0 {
                return Ok(result.bytes_written);
            }
            if !self.is_done && (is_last || result.status.is_err()) {
                return Err(invalid());
            }
        }
        Ok(0)
    }
}

/// Reads and verifies the content of a member.
pub(super) struct MemberReader<'z, Z> {
    compressed: io::Take<&'z mut Z>,
    inflater: Option<Inflater>,
    /// The bytes that remain to be read, by the length in the directory.
    remaining_bytes: u64,
    crc: Crc32,
    expected_crc: u32,
}

impl<Z: Read> Read for MemberReader<'_, Z> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        let count = match &mut self.inflater {
            Some(inflater) => inflater.read(&mut self.compressed, out)?,
            None => self.compressed.read(out)?,
        };
        self.remaining_bytes = self.remaining_bytes.checked_sub(count as u64).ok_or_else(invalid)?;
        self.crc.update(&out[..count]);
        if count == 0 && (self.remaining_bytes > 0 || self.crc.value() != self.expected_crc) {
            return Err(invalid());
        }
        Ok(count)
    }
}
