//! The link: a document as the fragment of an address, and back.
//!
//! `v1/` and the shape as the spec bar has it, then `;name=value` for everything that is not as it starts:
//!
//! | field | meaning |
//! |---|---|
//! | `i` | which array of a tuple |
//! | `v` | values: `iota`, `random.SEED`, `typed.TEXT` (letters where it is left out) |
//! | `with` | braces of the layout compared with, and its padding |
//! | `axes` | `ROWS.COLUMNS` |
//! | `pos` | slider positions, one a dimension, with dots |
//! | `by` | `value` where colours show values |
//! | `show` | `bytes` where slots show bytes |
//! | `line` | bytes of a cache line |
//! | `at` | the slot stepped to |
//! | `pins` | slots kept lit, with dots |
//!
//! A blank is written `+`; `%`, `;`, `+`, `#` and whatever else a browser would change are percent-encoded, and
//! any percent-encoding is read, also of the whole fragment once more. Where compression makes the whole much
//! shorter it is `v1z/` and base64url of a zlib stream, whose checksum tells of damage.
//! Old versions load for ever: `tests/permalink.rs` keeps a list of links of each. A damaged link loads what can
//! be read and says what could not, in at most [`MAX_PROBLEMS`] sentences that quote at most [`QUOTED`] characters each.
//!
//! A link has at most [`MAX_LINK_CHARS`] characters; a compressed one holds at most [`FREE_UNPACKED_BYTES`] bytes and [`MAX_COMPRESSION_RATIO`] bytes for each
//! of its own, so that opening a short link is little work. What would be denser is written uncompressed.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use miniz_oxide::inflate::TINFLStatus;

use super::document::{ColourBy, Document, SlotText, Values};
use crate::array::{Dims, text};
use crate::i18n::Message;

/// The version written. Reading knows all up to it.
const VERSION: &str = "v1";

/// The longest link that is read, characters.
pub const MAX_LINK_CHARS: usize = 1 << 20;

/// The most that a compressed link may unpack to, bytes.
const MAX_UNPACKED_BYTES: usize = 1 << 22;

/// What any compressed link may unpack to, bytes.
pub const FREE_UNPACKED_BYTES: usize = 1 << 15;

/// What each byte of a compressed link may unpack to beyond that, bytes.
pub const MAX_COMPRESSION_RATIO: usize = 64;

/// The most problems of a link that are listed.
pub const MAX_PROBLEMS: usize = 8;

/// The longest text out of a link that a problem quotes, characters.
pub const QUOTED: usize = 60;

/// The most bytes that so many compressed ones may unpack to.
fn room(packed: usize) -> usize {
    packed.saturating_mul(MAX_COMPRESSION_RATIO).saturating_add(FREE_UNPACKED_BYTES).min(MAX_UNPACKED_BYTES)
}

/// The problems of a link, as they are listed: the first ones, none of which quotes much of the link, and how many more
/// there are.
pub(super) fn listed(mut problems: Vec<Message>) -> Vec<Message> {
    let more = problems.len().saturating_sub(MAX_PROBLEMS);
    problems.truncate(MAX_PROBLEMS);
    let mut problems: Vec<Message> = problems.into_iter().map(|problem| problem.cut(QUOTED)).collect();
    if more > 0 {
        problems.push(Message::new("link-more").with("count", more));
    }
    problems
}

/// The refusal of a link of so many characters.
pub(super) fn too_long(characters: usize, longest: usize) -> Message {
    Message::new("link-too-long").with("characters", characters).with("longest", longest)
}

/// Up to so many characters a link is never compressed.
const READABLE: usize = 160;

/// From so many characters on a file serves better than a link.
pub const LONG: usize = 8_000;

/// A link that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// What could be read; the start where nothing could.
    pub document: Document,
    /// What could not, in the order it was met.
    pub problems: Vec<Message>,
}

/// Whether a fragment is the Layout screen's: every one that is not marked as another screen's.
pub fn is_ours(fragment: &str) -> bool {
    let fragment = fragment.trim_start_matches('#');
    !["ops", "speed"].iter().any(|screen| fragment.starts_with(screen))
}

/// The fragment of a document's link, without `#`.
pub fn write(document: &Document) -> String {
    let plain = plain(document);
    pack(VERSION, &plain)
}

/// A text behind its version: as it is, or compressed where that makes a long one shorter.
pub(super) fn pack(version: &str, plain: &str) -> String {
    let readable = format!("{version}/{}", encode(plain));
    // A link that can be read is worth some length.
    if readable.len() <= READABLE {
        return readable;
    }
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(plain.as_bytes(), 9);
    // Read back it must be all there.
    if plain.len() > room(packed.len()) {
        return readable;
    }
    let packed = format!("{version}z/{}", URL_SAFE_NO_PAD.encode(packed));
    if packed.len() < readable.len() { packed } else { readable }
}

fn plain(document: &Document) -> String {
    let mut out = document.shape.to_string();
    let mut add = |name: &str, value: &str| {
        out.push(';');
        out.push_str(name);
        out.push('=');
        out.push_str(&escape(value));
    };
    if document.leaf > 0 {
        add("i", &document.leaf.to_string());
    }
    match &document.values {
        Values::Letters => {}
        Values::Iota => add("v", "iota"),
        Values::Random(seed) => add("v", &format!("random.{seed}")),
        Values::Typed(typed) => add("v", &format!("typed.{typed}")),
    }
    if let (Some(layout), Some(array)) = (&document.compare, document.array()) {
        // The whole shape would repeat type and sizes: only what stands behind them is written.
        let whole = array.clone().with_layout(layout.clone()).to_string();
        let bare = crate::array::ArrayShape { layout: None, ..array.clone() }.to_string();
        add("with", whole.strip_prefix(&bare).unwrap_or_default());
    }
    let view = &document.view;
    if let Some((rows, columns)) = view.axes {
        add("axes", &format!("{rows}.{columns}"));
    }
    if !view.positions.is_empty() {
        add("pos", &dotted(&view.positions));
    }
    if view.colour == ColourBy::Value {
        add("by", "value");
    }
    if view.slot_text == SlotText::Bytes {
        add("show", "bytes");
    }
    if view.line_bytes != 64 {
        add("line", &view.line_bytes.to_string());
    }
    if document.cursor != 0 {
        add("at", &document.cursor.to_string());
    }
    if !document.pins.is_empty() {
        add("pins", &dotted(&document.pins));
    }
    out
}

fn dotted(numbers: &[i64]) -> String {
    numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(".")
}

/// `;` ends a field, so inside one it is written `%3B`, and `%` itself `%25`.
pub(super) fn escape(value: &str) -> String {
    value.replace('%', "%25").replace(';', "%3B")
}

pub(super) fn unescape(value: &str) -> String {
    value.replace("%3B", ";").replace("%25", "%")
}

/// What a fragment must not hold as it is becomes percent-encoded; blanks, the commonest, become `+`.
fn encode(plain: &str) -> String {
    let mut out = String::with_capacity(plain.len());
    for c in plain.chars() {
        match c {
            ' ' => out.push('+'),
            c if c.is_ascii_alphanumeric() || "-._~!$&'()*,;=:@/?[]{}".contains(c) => out.push(c),
            c => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    out.extend(['%', hex_digit(byte >> 4), hex_digit(byte & 15)]);
                }
            }
        }
    }
    out
}

fn hex_digit(nibble: u8) -> char {
    char::from_digit(nibble.into(), 16).map_or('0', |c| c.to_ascii_uppercase())
}

/// Percent-encoding undone; `blank` is what stands for `+`.
pub(super) fn decode(encoded: &str, blank: u8) -> String {
    let mut out = Vec::with_capacity(encoded.len());
    let mut bytes = encoded.bytes();
    while let Some(byte) = bytes.next() {
        let hex = |b: Option<u8>| b.and_then(|b| char::from(b).to_digit(16));
        match byte {
            b'+' => out.push(blank),
            b'%' => {
                let rest = bytes.clone();
                let (high, low) = (hex(bytes.next()), hex(bytes.next()));
                if let (Some(high), Some(low)) = (high, low) {
                    out.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
                } else {
                    out.push(b'%');
                    bytes = rest;
                }
            }
            other => out.push(other),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Reads a fragment, with or without `#`. An empty one is the start.
pub fn read(fragment: &str) -> Loaded {
    let fragment = fragment.trim_start_matches('#');
    let loaded = if fragment.len() > MAX_LINK_CHARS {
        let problems = vec![too_long(fragment.len(), MAX_LINK_CHARS)];
        Loaded { document: Document::default(), problems }
    } else {
        read_all(fragment)
    };
    Loaded { problems: listed(loaded.problems), ..loaded }
}

fn read_all(fragment: &str) -> Loaded {
    let nothing = |problem: Option<Message>| Loaded {
        document: Document::default(),
        problems: problem.into_iter().collect(),
    };
    if fragment.is_empty() {
        return nothing(None);
    }
    // Without its slash the fragment was encoded as a whole, as some programs do with links.
    let fragment = if fragment.contains('/') { fragment.to_owned() } else { decode(fragment, b'+') };
    let Some((version, rest)) = fragment.split_once('/') else {
        return nothing(Some(Message::new("link-no-version").with("version", VERSION)));
    };
    match version {
        "v1" => read_plain(&decode(rest, b' ')),
        "v1z" => {
            let Unpacked { plain, problem } = unpack(rest);
            let mut loaded = read_plain(&plain);
            loaded.problems.splice(0..0, problem);
            loaded
        }
        other => nothing(Some(Message::new("link-unknown-version").with("version", other))),
    }
}

/// What was in a compressed link, and why that is not all of it.
pub(super) struct Unpacked {
    pub plain: String,
    pub problem: Option<Message>,
}

pub(super) fn unpack(packed: &str) -> Unpacked {
    let packed = packed.trim_end_matches('=');
    // What follows a foreign character, or the last whole group of four, is lost; what stands before it is not.
    let known = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    let good = packed.bytes().take_while(known).count();
    let (bytes, complete) = match URL_SAFE_NO_PAD.decode(packed) {
        Ok(bytes) => (bytes, true),
        Err(_) => (URL_SAFE_NO_PAD.decode(&packed[..good / 4 * 4]).unwrap_or_default(), false),
    };
    let room = room(bytes.len());
    let (bytes, problem) = match miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(&bytes, room) {
        Ok(plain) => (plain, (!complete).then(|| Message::new("link-damaged"))),
        Err(mut failed) => {
            // It is given with the buffer's unused end.
            failed.output.truncate(failed.output.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1));
            let problem = match failed.status {
                TINFLStatus::HasMoreOutput => Message::new("link-dense").with("limit", room),
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

/// The names of the fields.
const FIELDS: [&str; 10] = ["i", "v", "with", "axes", "pos", "by", "show", "line", "at", "pins"];

fn read_plain(plain: &str) -> Loaded {
    let mut fields = plain.split(';');
    let spec = fields.next().unwrap_or_default();
    let parsed = text::parse_printed(spec);
    let of_shape = |problem: Message| Message::new("link-shape").with("problem", problem);
    let mut problems: Vec<Message> = parsed.diagnostics.iter().map(|d| of_shape(d.message.clone())).collect();
    let mut document = parsed.shape.map_or_else(Document::default, Document::of);
    if let Err(problem) = document.settle() {
        // Mostly the parser has said so already.
        let problem = of_shape(problem);
        if !problems.contains(&problem) {
            problems.push(problem);
        }
        document = Document::default();
    }
    // Fields that depend on the array come after the choice of the array.
    let mut fields: Vec<(&str, String)> = fields
        .filter(|field| !field.is_empty())
        .map(|field| field.split_once('=').unwrap_or((field, "")))
        .map(|(name, value)| (name, unescape(value)))
        .collect();
    fields.sort_by_key(|(name, _)| *name != "i");
    let mut set_before: Vec<&str> = Vec::new();
    for (name, value) in &fields {
        if !FIELDS.contains(name) || set_before.contains(name) {
            problems.push(field(name, value));
            continue;
        }
        let mut next = document.clone();
        let done = set(&mut next, name, value).is_some();
        let asked = next.clone();
        // The shape was settled above; this only brings the rest into range, which is a problem to tell.
        let _ = next.settle();
        if !done || next != asked {
            problems.push(field(name, value));
        }
        if done {
            document = next;
            set_before.push(*name);
        }
    }
    Loaded { document, problems }
}

/// The problem of a field that means nothing.
pub(super) fn field(name: &str, value: &str) -> Message {
    let quoted = |text: &str| text.chars().take(QUOTED + 1).collect::<String>();
    Message::new("link-field").with("name", quoted(name)).with("value", quoted(value))
}

/// Sets one field; `None` where the value cannot be read or the name is unknown.
fn set(document: &mut Document, name: &str, value: &str) -> Option<()> {
    let numbers = || value.split('.').map(str::parse).collect::<Result<Vec<i64>, _>>().ok();
    match name {
        "i" => document.leaf = value.parse().ok()?,
        "v" => {
            document.values = match value.split_once('.') {
                None if value == "iota" => Values::Iota,
                Some(("random", seed)) => Values::Random(seed.parse().ok()?),
                Some(("typed", typed)) => Values::Typed(typed.to_owned()),
                _ => return None,
            };
        }
        "with" => {
            let array = document.array()?;
            let bare = crate::array::ArrayShape { layout: None, ..array.clone() }.to_string();
            let parsed = text::parse(&format!("{bare}{value}"));
            if !parsed.diagnostics.is_empty() {
                return None;
            }
            document.compare = Some(parsed.shape?.as_array()?.layout.clone()?);
        }
        "axes" => match numbers()?.as_slice() {
            [rows, columns] => {
                document.view.axes = Some((usize::try_from(*rows).ok()?, usize::try_from(*columns).ok()?));
            }
            _ => return None,
        },
        "pos" => {
            let mut positions: Dims = numbers()?.into_iter().collect();
            while positions.last() == Some(&0) {
                positions.pop();
            }
            document.view.positions = positions;
        }
        "by" if value == "value" => document.view.colour = ColourBy::Value,
        "show" if value == "bytes" => document.view.slot_text = SlotText::Bytes,
        "line" => document.view.line_bytes = value.parse().ok()?,
        "at" => document.cursor = value.parse().ok()?,
        "pins" => document.pins = numbers()?,
        _ => return None,
    }
    Some(())
}
