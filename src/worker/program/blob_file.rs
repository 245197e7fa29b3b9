//! Reads a file of the user in a worker in chunks, so that it is never in memory as a whole.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;

use js_sys::Uint8Array;
use wasm_bindgen::JsCast;
use web_sys::{File, FileReaderSync};

use super::argument_files::{ArgumentFiles, OpenFile};
use crate::worker::channel::Buffers;

/// Bytes that are read at a time.
const CHUNK_BYTES: u64 = 1 << 20;
/// The number of chunks that are kept: of an archive, each array needs the start, the directory and its own part.
const MAX_KEPT_CHUNKS: usize = 6;

/// A part of a file.
struct Chunk {
    /// The number of the file.
    file: u32,
    start: u64,
    bytes: Vec<u8>,
}

/// The chunks of all files that were read last; the latest is first. Every read of a file costs some milliseconds.
struct ChunkCache {
    reader: FileReaderSync,
    chunks: VecDeque<Chunk>,
}

#[allow(clippy::cast_precision_loss, reason = "browsers state lengths as doubles")]
fn offset(bytes: u64) -> f64 {
    bytes as f64
}

impl ChunkCache {
    /// The chunk of a file that contains a position.
    fn chunk(&mut self, number: u32, file: &File, position: u64) -> io::Result<&Chunk> {
        let start = position - position % CHUNK_BYTES;
        let is_wanted = |chunk: &Chunk| (chunk.file, chunk.start) == (number, start);
        let kept = self.chunks.iter().position(is_wanted).and_then(|index| self.chunks.remove(index));
        let chunk = if let Some(chunk) = kept {
            chunk
        } else {
            let part = file.slice_with_f64_and_f64(offset(start), offset(start + CHUNK_BYTES));
            let read = part.and_then(|part| self.reader.read_as_array_buffer(&part));
            // The file was removed or changed after it was chosen.
            let read = read.map_err(|_| io::Error::from(io::ErrorKind::NotFound))?;
            Chunk { file: number, start, bytes: Uint8Array::new(&read).to_vec() }
        };
        self.chunks.truncate(MAX_KEPT_CHUNKS - 1);
        self.chunks.push_front(chunk);
        Ok(&self.chunks[0])
    }
}

/// A file with a read position.
struct BlobFile {
    number: u32,
    file: File,
    length: u64,
    position: u64,
    cache: Rc<RefCell<ChunkCache>>,
}

impl Read for BlobFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.position >= self.length || out.is_empty() {
            return Ok(0);
        }
        let mut cache = self.cache.borrow_mut();
        let chunk = cache.chunk(self.number, &self.file, self.position)?;
        let from = usize::try_from(self.position - chunk.start).unwrap_or(usize::MAX);
        let available = chunk.bytes.get(from..).unwrap_or_default();
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
    cache: Option<Rc<RefCell<ChunkCache>>>,
}

impl SentFiles {
    /// The files of a request with their numbers, in the order of its buffers from the one at `first`.
    pub fn new(numbers: &[u32], buffers: &Buffers, first: u32) -> Self {
        let files = (first..).zip(numbers).filter_map(|(index, number)| {
            let file: File = buffers.get(index).dyn_into().ok()?;
            Some((*number, file))
        });
        let reader = FileReaderSync::new().ok();
        let cache = reader.map(|reader| ChunkCache { reader, chunks: VecDeque::new() });
        Self { files: files.collect(), cache: cache.map(|cache| Rc::new(RefCell::new(cache))) }
    }
}

impl ArgumentFiles for SentFiles {
    fn open(&self, number: u32) -> Option<OpenFile> {
        let (_, file) = self.files.iter().find(|(each, _)| *each == number)?;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a length")]
        let length = file.size() as u64;
        let cache = self.cache.clone()?;
        let content = BlobFile { number, file: file.clone(), length, position: 0, cache };
        Some(OpenFile { content: Box::new(content), length })
    }
}
