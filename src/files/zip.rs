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
/// The bytes of the end record without its comment, and the longest comment.
const END_BYTES: usize = 22;
const MAX_COMMENT_BYTES: u64 = 0xffff;
/// The bytes of the zip64 locator, which is before the end record.
const LOCATOR_BYTES: usize = 20;
/// Instead of a number of more than 32 bits, which is in a zip64 record.
const ZIP64_MARKER: u64 = 0xffff_ffff;
/// Deflate expands a byte to at most this many.
const MAX_DEFLATE_RATIO: u64 = 1032;
/// The compressed bytes that are read at a time.
const PACKED_CHUNK_BYTES: usize = 1 << 15;

/// A member of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its name, with its folders.
    pub name: String,
    /// The uncompressed length in bytes.
    pub size: u64,
    flags: u64,
    method: u64,
    crc: u32,
    packed: u64,
    start: u64,
}

fn invalid() -> io::Error {
    io::ErrorKind::InvalidData.into()
}

/// The little-endian number at an offset.
fn number(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(width)?)?;
    Some(bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)))
}

/// Reads a part of the archive; one that ends early is invalid.
fn read_at(zip: &mut (impl Read + Seek), at: u64, bytes: &mut [u8]) -> io::Result<()> {
    zip.seek(SeekFrom::Start(at))?;
    zip.read_exact(bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => invalid(),
        _ => error,
    })
}

/// The number of members, and offset and length of the central directory.
fn end_record(zip: &mut (impl Read + Seek)) -> io::Result<(u64, u64, u64)> {
    let length = zip.seek(SeekFrom::End(0))?;
    let tail_bytes = length.min(MAX_COMMENT_BYTES + (END_BYTES + LOCATOR_BYTES) as u64);
    let mut tail = vec![0; usize::try_from(tail_bytes).unwrap_or(0)];
    read_at(zip, length - tail_bytes, &mut tail)?;
    // The comment may contain the signature: it has to end with the file.
    let is_end = |at: &usize| {
        tail[*at..].starts_with(b"PK\x05\x06")
            && number(&tail, at + 20, 2) == Some((tail.len() - at - END_BYTES) as u64)
    };
    let last = tail.len().checked_sub(END_BYTES).ok_or_else(invalid)?;
    let end = (0..=last).rev().find(is_end).ok_or_else(invalid)?;
    let of = |at, width| number(&tail, end + at, width).ok_or_else(invalid);
    let (count, bytes, start) = (of(10, 2)?, of(12, 4)?, of(16, 4)?);
    if count != 0xffff && bytes != ZIP64_MARKER && start != ZIP64_MARKER {
        return Ok((count, start, bytes));
    }
    let locator = end.checked_sub(LOCATOR_BYTES).filter(|at| tail[*at..].starts_with(b"PK\x06\x07"));
    let wide_at = number(&tail, locator.ok_or_else(invalid)? + 8, 8).ok_or_else(invalid)?;
    let mut wide = [0; 56];
    read_at(zip, wide_at, &mut wide)?;
    let of = |at| number(&wide, at, 8).ok_or_else(invalid);
    if wide.starts_with(b"PK\x06\x06") { Ok((of(32)?, of(48)?, of(40)?)) } else { Err(invalid()) }
}

/// An entry of the central directory, and the bytes after it.
fn entry(directory: &[u8]) -> Option<(Entry, &[u8])> {
    let of = |at, width| number(directory, at, width);
    let length = |at| of(at, 2).and_then(|length| usize::try_from(length).ok());
    directory.starts_with(b"PK\x01\x02").then_some(())?;
    let (name, rest) = directory.get(46..)?.split_at_checked(length(28)?)?;
    let (mut extra, rest) = rest.split_at_checked(length(30)?)?;
    let (_comment, rest) = rest.split_at_checked(length(32)?)?;
    let mut entry = Entry {
        name: String::from_utf8_lossy(name).into_owned(),
        size: of(24, 4)?,
        flags: of(8, 2)?,
        method: of(10, 2)?,
        crc: u32::try_from(of(16, 4)?).ok()?,
        packed: of(20, 4)?,
        start: of(42, 4)?,
    };
    // The zip64 field has those of these numbers that need 64 bits, in this order.
    while extra.len() >= 4 {
        let (id, length) = (number(extra, 0, 2)?, usize::try_from(number(extra, 2, 2)?).ok()?);
        let (mut field, after) = extra[4..].split_at_checked(length)?;
        if id == 1 {
            for wide in [&mut entry.size, &mut entry.packed, &mut entry.start] {
                if *wide == ZIP64_MARKER {
                    (*wide, field) = (number(field, 0, 8)?, &field[8..]);
                }
            }
        }
        extra = after;
    }
    Some((entry, rest))
}

/// The members of an archive in the order of its directory, without its folders.
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
    pub fn open<'z, Z: Read + Seek>(&self, zip: &'z mut Z) -> io::Result<Member<'z, Z>> {
        let file_bytes = zip.seek(SeekFrom::End(0))?;
        let mut header = [0; 30];
        read_at(zip, self.start, &mut header)?;
        let of = |at| number(&header, at, 2).ok_or_else(invalid);
        let start = self.start.checked_add(30 + of(26)? + of(28)?).ok_or_else(invalid)?;
        let is_inside = start.checked_add(self.packed).is_some_and(|end| end <= file_bytes);
        let is_possible = if self.method == 0 {
            self.packed == self.size
        } else {
            self.size <= self.packed.saturating_mul(MAX_DEFLATE_RATIO)
        };
        if !header.starts_with(b"PK\x03\x04") || !is_inside || !is_possible {
            return Err(invalid());
        }
        zip.seek(SeekFrom::Start(start))?;
        let inflater = (self.method == 8).then(|| Inflater {
            state: InflateState::new_boxed(DataFormat::Raw),
            chunk: vec![0; PACKED_CHUNK_BYTES],
            unread: 0..0,
            is_done: false,
        });
        Ok(Member {
            packed: zip.take(self.packed),
            inflater,
            left: self.size,
            crc: Crc32::default(),
            stated_crc: self.crc,
        })
    }
}

struct Inflater {
    state: Box<InflateState>,
    chunk: Vec<u8>,
    /// The part of the chunk that was not inflated yet.
    unread: std::ops::Range<usize>,
    is_done: bool,
}

impl Inflater {
    fn read(&mut self, packed: &mut impl Read, out: &mut [u8]) -> io::Result<usize> {
        while !self.is_done {
            if self.unread.is_empty() {
                self.unread = 0..packed.read(&mut self.chunk)?;
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

/// The content of a member.
pub(super) struct Member<'z, Z> {
    packed: io::Take<&'z mut Z>,
    inflater: Option<Inflater>,
    /// The bytes until the end that the directory states.
    left: u64,
    crc: Crc32,
    stated_crc: u32,
}

impl<Z: Read> Read for Member<'_, Z> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        let count = match &mut self.inflater {
            Some(inflater) => inflater.read(&mut self.packed, out)?,
            None => self.packed.read(out)?,
        };
        self.left = self.left.checked_sub(count as u64).ok_or_else(invalid)?;
        self.crc.update(&out[..count]);
        if count == 0 && (self.left > 0 || self.crc.value() != self.stated_crc) {
            return Err(invalid());
        }
        Ok(count)
    }
}
