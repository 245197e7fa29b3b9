//! Links of the Layout screen: a document as the fragment of a URL, and back.
//!
//! `v1/` and the shape as in the spec bar, then `;name=value` for each setting that differs from its default:
//!
//! | field | meaning |
//! |---|---|
//! | `i` | index of the shown array of a tuple |
//! | `v` | values: `iota`, `random.SEED`, `typed.TEXT` (default: letters) |
//! | `with` | braces of the compared layout, and its padding |
//! | `axes` | `ROWS.COLUMNS` |
//! | `pos` | slider indices, one per dimension, separated by dots |
//! | `by` | `value` if colours show values |
//! | `show` | `bytes` if slots show bytes |
//! | `line` | bytes per cache line |
//! | `at` | the current slot |
//! | `pins` | pinned slots, separated by dots |
//!
//! A space is written `+`; `%`, `;`, `+`, `#` and other characters that a browser would change are percent-encoded.
//! Reading accepts any percent-encoding, also of the whole fragment. If compression makes the link much shorter, it
//! is `v1z/` and base64url of a zlib stream, whose checksum detects damage. Links of old versions always load:
//! `tests/native/permalink.rs` has links of each. A damaged link loads as far as it can be read; the rest is
//! reported, in at most [`MAX_PROBLEMS`] messages that quote at most [`MAX_QUOTED_CHARS`] characters each.
//!
//! A link has at most [`MAX_LINK_CHARS`] characters; a compressed one unpacks to at most [`FREE_UNPACKED_BYTES`]
//! bytes plus [`MAX_COMPRESSION_RATIO`] per compressed byte, so that a short link is cheap to open. Text that
//! compresses better is written uncompressed.

use super::compression::{COMPRESSION, Compression, Unpacked};
pub use super::compression::{FREE_UNPACKED_BYTES, MAX_COMPRESSION_RATIO};
use super::document::{ColourBy, Document, SlotText, ValueRule};
use super::screens::SCREENS;
use crate::array::{Dims, text};
use crate::bug::OrBug as _;
use crate::i18n::Message;

/// The version that is written; all versions up to it are read.
const VERSION: &str = "v1";

/// Maximum number of characters of a link.
pub const MAX_LINK_CHARS: usize = 1 << 20;

/// Maximum number of problems reported for a link.
pub const MAX_PROBLEMS: usize = 8;

/// Maximum number of characters of a link that a problem quotes.
pub const MAX_QUOTED_CHARS: usize = 60;

/// The problems to report: the first ones, with shortened quotes, and the number of the others.
pub(super) fn limit_problems(mut problems: Vec<Message>) -> Vec<Message> {
    let rest = problems.len().saturating_sub(MAX_PROBLEMS);
    problems.truncate(MAX_PROBLEMS);
    let mut problems: Vec<Message> =
        problems.into_iter().map(|problem| problem.cut(MAX_QUOTED_CHARS)).collect();
    if rest > 0 {
        problems.push(Message::new("link-more").with("count", rest));
    }
    problems
}

/// The problem of a link that is too long.
pub(super) fn too_long(characters: usize, limit: usize) -> Message {
    Message::new("link-too-long").with("characters", characters).with("limit", limit)
}

/// Characters up to which a link is never compressed: a readable link is worth that length.
pub const MAX_READABLE_CHARS: usize = 160;

/// Characters from which the page suggests a file instead of the link.
pub const LONG_LINK_CHARS: usize = 8_000;

/// A parsed link.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// What could be read; the default document if nothing could.
    pub document: Document,
    /// What could not be read, in link order.
    pub problems: Vec<Message>,
}

/// Whether a fragment belongs to the Layout screen: any that does not start with another screen's name.
pub fn is_own_link(fragment: &str) -> bool {
    let fragment = fragment.trim_start_matches('#');
    !SCREENS.iter().any(|screen| !screen.is_landing && fragment.starts_with(screen.bundle))
}

/// Whether the text of a fragment is compressed.
pub fn is_compressed(fragment: &str) -> bool {
    let fragment = fragment.trim_start_matches('#');
    fragment.strip_prefix("v1z").is_some_and(|rest| rest.starts_with(['/', '%']))
}

/// The fragment of a document's link, without `#`.
pub fn write(document: &Document) -> String {
    write_with(document, Some(&COMPRESSION))
}

/// Like [`write()`], but without a compression the link is readable at any length.
pub fn write_with(document: &Document, compression: Option<&Compression>) -> String {
    pack_with(VERSION, &plain(document), compression)
}

/// The link of the text, after its version: readable, or compressed if it is long and compression shortens it.
pub(super) fn pack(version: &str, plain: &str) -> String {
    pack_with(version, plain, Some(&COMPRESSION))
}

pub(super) fn pack_with(version: &str, plain: &str, compression: Option<&Compression>) -> String {
    let readable = format!("{version}/{}", encode(plain));
    // A link that can be read is worth some length.
    let compression = compression.filter(|_| readable.len() > MAX_READABLE_CHARS);
    let packed = compression.and_then(|compression| (compression.pack)(plain));
    let packed = packed.map(|packed| format!("{version}z/{packed}"));
    packed.filter(|packed| packed.len() < readable.len()).unwrap_or(readable)
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
        ValueRule::Letters => {}
        ValueRule::Iota => add("v", "iota"),
        ValueRule::Random(seed) => add("v", &format!("random.{seed}")),
        ValueRule::Text(typed) => add("v", &format!("typed.{typed}")),
    }
    if let (Some(layout), Some(array)) = (&document.compare, document.array()) {
        // Only what follows type and sizes is written.
        let with_layout = array.clone().with_layout(layout.clone()).to_string();
        let without_layout = crate::array::ArrayShape { layout: None, ..array.clone() }.to_string();
        add(
            "with",
            with_layout
                .strip_prefix(&without_layout)
                .or_bug("", "a layout changes the text of type and sizes"),
        );
    }
    let view = &document.view;
    if let Some((rows, columns)) = view.axes {
        add("axes", &format!("{rows}.{columns}"));
    }
    if !view.slider_indices.is_empty() {
        add("pos", &join_with_dots(&view.slider_indices));
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
        add("pins", &join_with_dots(&document.pins));
    }
    out
}

fn join_with_dots(numbers: &[i64]) -> String {
    numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(".")
}

/// Escapes a field's value: `;` ends a field, so it becomes `%3B`, and `%` becomes `%25`.
pub(super) fn escape(value: &str) -> String {
    value.replace('%', "%25").replace(';', "%3B")
}

/// The value that [`escape`] wrote.
pub(super) fn unescape(value: &str) -> String {
    let mut out = String::new();
    let mut rest = value;
    // Searching for a character takes less code than searching for text.
    while let Some(at) = rest.find('%') {
        let (c, length) = match rest.get(at..at + 3) {
            Some("%3B") => (';', 3),
            Some("%25") => ('%', 3),
            _ => ('%', 1),
        };
        out.push_str(&rest[..at]);
        out.push(c);
        rest = &rest[at + length..];
    }
    out.push_str(rest);
    out
}

/// The characters, besides letters and digits, that a fragment can contain.
const PLAIN: &[u8] = b"-._~!$&'()*,;=:@/?[]{}";

/// Percent-encodes the characters that a fragment cannot contain; spaces, the commonest, become `+`.
pub(super) fn encode(plain: &str) -> String {
    let mut out = String::with_capacity(plain.len());
    for c in plain.chars() {
        match c {
            ' ' => out.push('+'),
            c if c.is_ascii_alphanumeric() || u8::try_from(c).is_ok_and(|byte| PLAIN.contains(&byte)) => {
                out.push(c);
            }
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
    char::from_digit(nibble.into(), 16).or_bug('0', "a nibble exceeds 15").to_ascii_uppercase()
}

/// Decodes percent-encoding; `+` becomes `space`.
pub(super) fn decode(encoded: &str, space: u8) -> String {
    let mut out = Vec::with_capacity(encoded.len());
    let mut bytes = encoded.bytes();
    while let Some(byte) = bytes.next() {
        let hex = |b: Option<u8>| b.and_then(|b| char::from(b).to_digit(16));
        match byte {
            b'+' => out.push(space),
            b'%' => {
                let rest = bytes.clone();
                let (high, low) = (hex(bytes.next()), hex(bytes.next()));
                if let (Some(high), Some(low)) = (high, low) {
                    out.push(u8::try_from(high * 16 + low).or_bug(b'?', "two digits exceed a byte"));
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

/// Reads a fragment, with or without `#`. An empty one is the opening document.
pub fn read(fragment: &str) -> Loaded {
    read_with(fragment, Some(&COMPRESSION))
}

/// Like [`read`], but without a compression a compressed link is reported.
pub fn read_with(fragment: &str, compression: Option<&Compression>) -> Loaded {
    let fragment = fragment.trim_start_matches('#');
    let loaded = if fragment.len() > MAX_LINK_CHARS {
        let problems = vec![too_long(fragment.len(), MAX_LINK_CHARS)];
        Loaded { document: Document::default(), problems }
    } else {
        read_all(fragment, compression)
    };
    Loaded { problems: limit_problems(loaded.problems), ..loaded }
}

fn read_all(fragment: &str, compression: Option<&Compression>) -> Loaded {
    let failed = |problem: Message| Loaded { document: Document::default(), problems: vec![problem] };
    if fragment.is_empty() {
        return Loaded { document: Document::first_visit(), problems: Vec::new() };
    }
    // Some programs percent-encode the whole fragment: then it has no slash.
    let fragment = if fragment.contains('/') { fragment.to_owned() } else { decode(fragment, b'+') };
    let Some((version, rest)) = fragment.split_once('/') else {
        return failed(Message::new("link-no-version").with("version", VERSION));
    };
    match version {
        "v1" => read_plain(&decode(rest, b' ')),
        "v1z" => {
            let Some(compression) = compression else {
                return failed(Message::new("link-not-unpacked"));
            };
            let Unpacked { plain, problem } = (compression.unpack)(rest);
            let mut loaded = read_plain(&plain);
            loaded.problems.splice(0..0, problem);
            loaded
        }
        other => failed(Message::new("link-unknown-version").with("version", other)),
    }
}

/// The names of the fields.
const FIELDS: [&str; 10] = ["i", "v", "with", "axes", "pos", "by", "show", "line", "at", "pins"];

fn read_plain(plain: &str) -> Loaded {
    let mut fields = plain.split(';');
    // `split` returns at least one part.
    let spec = fields.next().unwrap_or_default();
    let parsed = text::parse_printed(spec);
    let shape_problem = |problem: Message| Message::new("link-shape").with("problem", problem);
    let mut problems: Vec<Message> =
        parsed.diagnostics.iter().map(|d| shape_problem(d.message.clone())).collect();
    let mut document = parsed.shape.map_or_else(Document::default, Document::with_shape);
    if let Err(problem) = document.normalize() {
        // The parser has mostly reported it already.
        let problem = shape_problem(problem);
        if !problems.contains(&problem) {
            problems.push(problem);
        }
        document = Document::default();
    }
    // The choice of the array comes first: other fields depend on it.
    let (choice, others): (Vec<_>, Vec<_>) = fields
        .filter(|field| !field.is_empty())
        // A field without a value is reported where it is read.
        .map(|field| field.split_once('=').unwrap_or((field, "")))
        .map(|(name, value)| (name, unescape(value)))
        .partition(|(name, _)| *name == "i");
    let mut set_before: Vec<&str> = Vec::new();
    for (name, value) in choice.iter().chain(&others) {
        if !FIELDS.contains(name) || set_before.contains(name) {
            problems.push(field_problem(name, value));
            continue;
        }
        let mut next = document.clone();
        let is_set = set_field(&mut next, name, value).is_some();
        let requested = next.clone();
        // The shape is valid already: this only brings the field into range, which is reported.
        let _ = next.normalize();
        if !is_set || next != requested {
            problems.push(field_problem(name, value));
        }
        if is_set {
            document = next;
            set_before.push(*name);
        }
    }
    Loaded { document, problems }
}

/// The problem of a field that cannot be read.
pub(super) fn field_problem(name: &str, value: &str) -> Message {
    let quoted = |text: &str| text.chars().take(MAX_QUOTED_CHARS + 1).collect::<String>();
    Message::new("link-field").with("name", quoted(name)).with("value", quoted(value))
}

/// Sets one field; `None` if the name is unknown or the value malformed.
fn set_field(document: &mut Document, name: &str, value: &str) -> Option<()> {
    let numbers = || value.split('.').map(str::parse).collect::<Result<Vec<i64>, _>>().ok();
    match name {
        "i" => document.leaf = value.parse().ok()?,
        "v" => {
            document.values = match value.split_once('.') {
                None if value == "iota" => ValueRule::Iota,
                Some(("random", seed)) => ValueRule::Random(seed.parse().ok()?),
                Some(("typed", typed)) => ValueRule::Text(typed.to_owned()),
                _ => return None,
            };
        }
        "with" => {
            let array = document.array()?;
            let without_layout = crate::array::ArrayShape { layout: None, ..array.clone() }.to_string();
            let parsed = text::parse(&format!("{without_layout}{value}"));
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
            let mut indices: Dims = numbers()?.into_iter().collect();
            while indices.last() == Some(&0) {
                indices.pop();
            }
            document.view.slider_indices = indices;
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
