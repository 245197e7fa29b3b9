//! The compressed part of a link: base64url of a zlib stream, whose checksum detects damage.
//!
//! The landing page loads [`COMPRESSION`] on demand, when a link is long, and passes it to the functions of `permalink`.

use miniz_oxide::inflate::TINFLStatus;
use xla_messages::escape::base64::{self, Alphabet};

use crate::i18n::Message;

/// Compresses and decompresses links.
pub struct Compression {
    /// The compressed text; `None` if it compresses so well that reading would reject it.
    pub pack: fn(&str) -> Option<String>,
    /// Decompresses text as far as it can be read.
    pub unpack: fn(&str) -> Unpacked,
}

/// The compression of every link.
pub static COMPRESSION: Compression = Compression { pack, unpack };

/// Maximum number of bytes that any compressed link may unpack to.
const MAX_UNPACKED_BYTES: usize = 1 << 22;

/// Bytes that a compressed link may unpack to regardless of its length.
pub const FREE_UNPACKED_BYTES: usize = 1 << 15;

/// Bytes that each compressed byte may unpack to in addition.
pub const MAX_COMPRESSION_RATIO: usize = 64;

/// Maximum number of bytes that `packed` compressed bytes may unpack to.
fn max_unpacked_bytes(packed: usize) -> usize {
    packed.saturating_mul(MAX_COMPRESSION_RATIO).saturating_add(FREE_UNPACKED_BYTES).min(MAX_UNPACKED_BYTES)
}

fn pack(plain: &str) -> Option<String> {
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(plain.as_bytes(), 9);
    // Reading must accept its compression ratio.
    (plain.len() <= max_unpacked_bytes(packed.len())).then(|| base64::encode(&packed, Alphabet::Url))
}

/// The text of a compressed link, and the problem if it is incomplete.
pub struct Unpacked {
    /// The uncompressed text, as far as it could be read.
    pub plain: String,
    /// Why the rest could not be read.
    pub problem: Option<Message>,
}

/// The text of a compressed link, as far as it can be read.
pub(super) fn unpack(packed: &str) -> Unpacked {
    let packed = packed.trim_end_matches('=');
    // Text after an invalid character, or after the last complete group of four, is lost.
    let is_digit = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    let valid_prefix = packed.bytes().take_while(is_digit).count();
    let (bytes, complete) = match base64::decode_url(packed) {
        Some(bytes) => (bytes, true),
        // Complete groups of valid characters decode, so the default is never used.
        None => (base64::decode_url(&packed[..valid_prefix / 4 * 4]).unwrap_or_default(), false),
    };
    let limit = max_unpacked_bytes(bytes.len());
    let (bytes, problem) = match miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(&bytes, limit) {
        Ok(plain) => (plain, (!complete).then(|| Message::new("link-damaged"))),
        Err(mut failed) => {
            // The partial output includes the unused end of the buffer.
            failed.output.truncate(failed.output.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1));
            let problem = match failed.status {
                TINFLStatus::HasMoreOutput => Message::new("link-dense").with("limit", limit),
                _ => Message::new("link-damaged"),
            };
            (failed.output, Some(problem))
        }
    };
    match String::from_utf8(bytes) {
        Ok(plain) => Unpacked { plain, problem },
        Err(failed) => {
            let plain = String::from_utf8_lossy(failed.as_bytes()).into_owned();
            Unpacked { plain, problem: problem.or_else(|| Some(Message::new("link-damaged"))) }
        }
    }
}
