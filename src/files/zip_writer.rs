//! Writes archives whose members are stored, not compressed. Source: PKWARE's APPNOTE 6.3.10.

use super::MAX_ARCHIVE_BYTES;
use crate::view::crc32::Crc32;

/// Maximum bytes of the name of a member.
const MAX_NAME_BYTES: usize = 1 << 12;

/// An archive that is being written.
#[derive(Clone, Debug, Default)]
pub struct ZipWriter {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    count: u16,
}

/// The fields that a member's header and its entry in the directory share, from the version to the lengths of the names.
fn shared_fields(crc: u32, size: u32, name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Version 2.0; bit 11: names are UTF-8; stored; midnight of 1 January 1980, the earliest date of the format.
    for field in [20_u16, 1 << 11, 0, 0, 0x21] {
        bytes.extend(field.to_le_bytes());
    }
    for field in [crc, size, size] {
        bytes.extend(field.to_le_bytes());
    }
    bytes.extend(u16::try_from(name.len()).unwrap_or(u16::MAX).to_le_bytes());
    bytes.extend(0_u16.to_le_bytes());
    bytes
}

/// The longest prefix of `name` that fits a member's header.
pub fn truncated_name(name: &str) -> &str {
    let end = (0..=name.len().min(MAX_NAME_BYTES)).rev().find(|end| name.is_char_boundary(*end)).unwrap_or(0);
    &name[..end]
}

impl ZipWriter {
    /// Adds a member; `None` if the archive would have more than [`MAX_ARCHIVE_BYTES`], or too many members.
    #[must_use]
    pub fn add(&mut self, name: &str, content: &[u8]) -> Option<()> {
        let fits = (self.bytes.len() + content.len()) as u64 <= MAX_ARCHIVE_BYTES;
        let (size, start) = (u32::try_from(content.len()).ok()?, u32::try_from(self.bytes.len()).ok()?);
        self.count = self.count.checked_add(1).filter(|count| fits && *count < u16::MAX)?;
        let mut crc = Crc32::default();
        crc.update(content);
        let fields = shared_fields(crc.value(), size, name);
        self.bytes.extend(b"PK\x03\x04");
        self.bytes.extend(&fields);
        self.bytes.extend(name.as_bytes());
        self.bytes.extend(content);
        self.directory.extend(b"PK\x01\x02\x14\x00");
        self.directory.extend(&fields);
        // The length of the comment, the disk and attributes.
        self.directory.extend([0; 10]);
        self.directory.extend(start.to_le_bytes());
        self.directory.extend(name.as_bytes());
        Some(())
    }

    /// The archive; `None` if it is too large.
    pub fn finish(self) -> Option<Vec<u8>> {
        let Self { mut bytes, directory, count } = self;
        let (start, length) = (u32::try_from(bytes.len()).ok()?, u32::try_from(directory.len()).ok()?);
        bytes.extend(directory);
        bytes.extend(b"PK\x05\x06\x00\x00\x00\x00");
        bytes.extend(count.to_le_bytes());
        bytes.extend(count.to_le_bytes());
        bytes.extend(length.to_le_bytes());
        bytes.extend(start.to_le_bytes());
        bytes.extend(0_u16.to_le_bytes());
        Some(bytes)
    }
}
