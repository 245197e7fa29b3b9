//! Reads a file of the user in a worker in chunks, so that it is never in memory as a whole.

use std::io::{self, Read, Seek, SeekFrom};

use js_sys::Uint8Array;
use wasm_bindgen::JsCast;
use web_sys::{File, FileReaderSync};

use super::argument_files::{ArgumentFiles, OpenFile};
use crate::worker::channel::Buffers;

/// Bytes that are read at a time.
const CHUNK_BYTES: u64 = 1 << 20;

/// A file with a read position, and the chunk that was read last.
struct BlobFile {
    file: File,
    reader: FileReaderSync,
    length: u64,
    position: u64,
    chunk: Vec<u8>,
    chunk_start: u64,
}

#[allow(clippy::cast_precision_loss, reason = "browsers state lengths as doubles")]
fn offset(bytes: u64) -> f64 {
    bytes as f64
}

impl BlobFile {
    /// Reads the part of the file at the position.
    fn load(&mut self) -> io::Result<()> {
        let end = self.position.saturating_add(CHUNK_BYTES).min(self.length);
        let part = self.file.slice_with_f64_and_f64(offset(self.position), offset(end));
        let read = part.and_then(|part| self.reader.read_as_array_buffer(&part));
        // The file was removed or changed after it was chosen.
        let read = read.map_err(|_| io::Error::from(io::ErrorKind::NotFound))?;
        self.chunk = Uint8Array::new(&read).to_vec();
        self.chunk_start = self.position;
        Ok(())
    }
}

impl Read for BlobFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.position >= self.length || out.is_empty() {
            return Ok(0);
        }
        let end = self.chunk_start + self.chunk.len() as u64;
        if !(self.chunk_start..end).contains(&self.position) {
            self.load()?;
        }
        let from = usize::try_from(self.position - self.chunk_start).unwrap_or(usize::MAX);
        let available = self.chunk.get(from..).unwrap_or_default();
        let count = available.len().min(out.len());
        out[..count].copy_from_slice(&available[..count]);
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for BlobFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(by) => self.length.checked_add_signed(by),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

/// The files that were sent with a request.
pub struct SentFiles {
    files: Vec<(u32, File)>,
}

impl SentFiles {
    /// The files of a request with their numbers, in the order of its buffers from the one at `first`.
    pub fn new(numbers: &[u32], buffers: &Buffers, first: u32) -> Self {
        let files = (first..).zip(numbers).filter_map(|(index, number)| {
            let file: File = buffers.get(index).dyn_into().ok()?;
            Some((*number, file))
        });
        Self { files: files.collect() }
    }
}

impl ArgumentFiles for SentFiles {
    fn open(&self, number: u32) -> Option<OpenFile> {
        let (_, file) = self.files.iter().find(|(each, _)| *each == number)?;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a length")]
        let length = file.size() as u64;
        let reader = FileReaderSync::new().ok()?;
        let content =
            BlobFile { file: file.clone(), reader, length, position: 0, chunk: Vec::new(), chunk_start: 0 };
        Some(OpenFile { content: Box::new(content), length })
    }
}
