//! Small and large mutations of texts, and the text of every case.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::bombs;
use crate::corpus::Corpus;
use test_support::Random;

/// Maximum number of bytes of a mutated text.
const MAX_TEXT_BYTES: usize = 1 << 18;

/// A random character, word or line of the text.
fn piece(text: &str, random: &mut Random) -> Range<usize> {
    if text.is_empty() {
        return 0..0;
    }
    let mut at = random.below(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || b"_.-%".contains(b);
    let bytes = text.as_bytes();
    match random.below(4) {
        1 if is_word(&bytes[at]) => {
            let before = bytes[..at].iter().rev().take_while(|b| is_word(b)).count();
            at - before..at + bytes[at..].iter().take_while(|b| is_word(b)).count()
        }
        2 => {
            let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
            start..text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
        }
        // A group in parentheses, such as a tile or the operands.
        3 => {
            let start = text[..at].rfind('(').unwrap_or(at);
            start..text[at..].find(')').map_or(at, |end| at + end + 1).max(start)
        }
        _ => at..at + text[at..].chars().next().map_or(0, char::len_utf8),
    }
}

const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    "=",
    "\"",
    "'",
    "%",
    "->",
    "/*",
    "*/",
    "//",
    "-",
    "\n",
    " ",
    "\t",
    ":",
    ";",
    "?",
    "<=",
    "...",
    "{...}",
    "é",
    "变量",
    "𝛼",
    "ROOT ",
    "ENTRY ",
    "HloModule ",
    "f32",
    "f32[]",
    "(f32[2], s32[])",
    "token[]",
    "x = f32[] parameter(0)\n",
    "nan",
    "-inf",
    "nan(0x1)",
    "true",
    ", metadata={op_name=\"a\"}",
    ", metadata={op_name=\"\\\"\\\\\\n\"}",
    ", dimensions={0}",
    ", to_apply={ ROOT a = f32[] parameter(0) }",
    "{1,0:T(8,128)(2,1)}",
    " padded[4,8]=nan",
    "2x2",
    "1_1x0_0",
    "bf01_oi01->bf01",
    ";v=typed.",
    ";feed=",
    ";js=1.aoutput",
    ";replicas=8",
    ";r1v0=random.1",
    ";with={0,1}",
    ";pins=0.1.2",
];
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "64",
    "255",
    "65536",
    "99999999",
    "2147483648",
    "-2147483649",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999999999",
    "1e999",
    "1e-999",
    "0.1",
    "-0",
];
/// Characters that are invisible, end lines, or change how others are displayed.
const CONTROL: &[&str] = &[
    "\r",
    "\r\n",
    "\0",
    "\u{b}",
    "\u{c}",
    "\u{1b}[31m",
    "\u{7f}",
    "\u{85}",
    "\u{a0}",
    "\u{ad}",
    "\u{200b}",
    "\u{200d}",
    "\u{200e}",
    "\u{2028}",
    "\u{2029}",
    "\u{202e}",
    "\u{2066}",
    "\u{2069}",
    "\u{feff}",
    "\u{fffd}",
    "\u{e0041}",
];

/// Applies a few mutations to the text; `others` are texts of the same kind.
fn mutate(text: &mut String, others: &[String], random: &mut Random) {
    let Range { start, end } = piece(text, random);
    match random.below(16) {
        0 | 1 => text.replace_range(start..end, ""),
        2 => {
            let copy = text[start..end].to_owned();
            text.insert_str(piece(text, random).start, &copy);
        }
        3 => {
            // Swaps two pieces.
            let other = piece(text, random);
            let (low, high) = if start <= other.start { (start..end, other) } else { (other, start..end) };
            if low.end <= high.start {
                let (a, b) = (text[low.clone()].to_owned(), text[high.clone()].to_owned());
                text.replace_range(high, &a);
                text.replace_range(low, &b);
            }
        }
        4 | 5 => text.insert_str(start, random.pick(PIECES)),
        6..=8 => {
            // Replaces a number by an extreme one.
            let from = if random.one_in(2) { start } else { 0 };
            if let Some(digit) = text[from..].find(|c: char| c.is_ascii_digit()).map(|n| from + n) {
                let end = text[digit..].find(|c: char| !c.is_ascii_digit()).map_or(text.len(), |n| digit + n);
                text.replace_range(digit..end, random.pick(NUMBERS));
            }
        }
        9 => {
            // Joins the start of this text and the end of another, or inserts some of its lines.
            let other = &others[random.below(others.len())];
            let (one, two) = (piece(other, random).start, piece(other, random).start);
            if random.one_in(2) {
                text.truncate(start);
                text.push_str(&other[one..]);
            } else {
                text.insert_str(start, &other[one.min(two)..one.max(two)]);
            }
        }
        10 => {
            let deep = [1, 10, 70, 300, 5_000][random.below(5)];
            let [open, close] =
                [["(", ")"], ["{", "}"], ["negate(", ")"], ["(f32[],", ")"], ["{ {", "} }"]][random.below(5)];
            text.insert_str(end, &close.repeat(deep));
            text.insert_str(start, &open.repeat(deep));
        }
        11 => text.truncate(start),
        12 => {
            // Repeats a piece: tiles, operands, instructions, names.
            let copies = random
                .count(5_000)
                .min((MAX_TEXT_BYTES - text.len().min(MAX_TEXT_BYTES)) / (end - start).max(1));
            let repeated = text[start..end].repeat(copies);
            text.insert_str(end, &repeated);
        }
        13 => text.insert_str(start, random.pick(CONTROL)),
        14 if text.len() < 300 => {
            // Inserts between all characters.
            let control = random.pick(CONTROL);
            *text = text.chars().flat_map(|c| [c.to_string(), control.to_owned()]).collect();
        }
        _ => text.replace_range(start..end, random.pick(PIECES)),
    }
    if text.len() > MAX_TEXT_BYTES {
        let mut end = MAX_TEXT_BYTES;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
    }
    if text.is_empty() {
        text.push(' ');
    }
}

fn mutated(mut text: String, others: &[String], random: &mut Random) -> String {
    for _ in 0..=random.below(2) * random.below(4) {
        mutate(&mut text, others, random);
    }
    text
}

fn seed(from: &[String], random: &mut Random) -> String {
    from[random.below(from.len())].clone()
}

/// One text in this many is a bomb instead of a seed.
const SEEDS_PER_BOMB: usize = 40;

/// A shape, sometimes several times as long as any seed.
pub fn shape(corpus: &Corpus, number: u64) -> String {
    let random = &mut Random::new(number);
    let is_bomb = random.one_in(SEEDS_PER_BOMB);
    let text = if is_bomb { bombs::shape(random) } else { seed(&corpus.shapes, random) };
    if is_bomb && random.one_in(2) { text } else { mutated(text, &corpus.shapes, random) }
}

/// A shape followed by a literal.
pub fn literal(corpus: &Corpus, number: u64) -> String {
    let random = &mut Random::new(number);
    let is_bomb = random.one_in(SEEDS_PER_BOMB);
    let text = if is_bomb { bombs::literal(random) } else { seed(&corpus.literals, random) };
    if is_bomb && random.one_in(2) { text } else { mutated(text, &corpus.literals, random) }
}

/// The mutated module with this number.
pub fn module(corpus: &Corpus, number: u64) -> String {
    let random = &mut Random::new(number);
    if random.one_in(2 * SEEDS_PER_BOMB) {
        let text = bombs::module(random);
        return if random.one_in(2) { text } else { mutated(text, &corpus.short, random) };
    }
    let from = if random.one_in(300) { &corpus.long } else { &corpus.short };
    // The shorter of two: more small modules fit into the time.
    let (one, two) = (seed(from, random), seed(from, random));
    mutated(if two.len() < one.len() { two } else { one }, &corpus.short, random)
}

/// Parts of `StableHLO` text.
const STABLEHLO_PIECES: &[&str] = &[
    "%0",
    "%arg0",
    "#0",
    "@main",
    "tensor<",
    "tensor<2xf32>",
    "tensor<?xi32>",
    "tuple<",
    "x",
    "dense<",
    "dense<\"0x00\">",
    "array<i64: 0>",
    "loc(",
    "func.call @main",
    "stablehlo.add",
    "\"stablehlo.reduce\"",
    "return",
    "-> ",
    "^bb0(",
    "99999999999",
];

/// A program in `StableHLO`.
pub fn stablehlo(corpus: &Corpus, number: u64) -> String {
    let random = &mut Random::new(number);
    // The shorter of two: more small programs fit into the time.
    let (one, two) = (seed(&corpus.stablehlo, random), seed(&corpus.stablehlo, random));
    let mut text = if two.len() < one.len() { two } else { one };
    for _ in 0..random.below(3) {
        let range = piece(&text, random);
        text.replace_range(range, random.pick(STABLEHLO_PIECES));
    }
    if random.one_in(2) { mutated(text, &corpus.stablehlo, random) } else { text }
}

/// A link: its plain form is mutated, then its encoded form.
pub fn link(corpus: &Corpus, number: u64) -> String {
    let random = &mut Random::new(number);
    let (version, seed) = &corpus.links[random.below(corpus.links.len())];
    let mut plain = seed.clone();
    let others = if *version == "ops1" { &corpus.short } else { &corpus.shapes };
    if random.one_in(SEEDS_PER_BOMB / 2) {
        let bomb = if *version == "ops1" { bombs::module(random) } else { bombs::shape(random) };
        plain = format!("{}{}", bomb.replace('%', "%25"), &seed[seed.find(';').unwrap_or(seed.len())..]);
    }
    if !random.one_in(8) {
        plain = mutated(plain, others, random);
    }
    let mut link = match random.below(4) {
        0 | 1 => {
            let packed = miniz_oxide::deflate::compress_to_vec_zlib(plain.as_bytes(), 6);
            format!("{version}z/{}", URL_SAFE_NO_PAD.encode(packed))
        }
        2 => format!("{version}/{}", plain.replace(' ', "+")),
        _ => {
            let encoded = plain.bytes().map(|byte| match byte {
                b' ' => "+".to_owned(),
                byte if byte.is_ascii_alphanumeric() || b"-._~;=,()[]{}/".contains(&byte) => {
                    char::from(byte).to_string()
                }
                byte => format!("%{byte:02X}"),
            });
            format!("{version}/{}", encoded.collect::<String>())
        }
    };
    if random.one_in(6) {
        link = mutated(link, others, random);
    }
    format!("{}{link}", random.pick(&["", "#", "#", "#embed/"]))
}
