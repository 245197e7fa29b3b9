//! 100,000 mutated modules: none panics, none hangs; every diagnostic has a place in the text; what has no error
//! prints to a text that reads back as the same module, and runs, within a budget, to a value or an error.
//!
//! A mutated module is a function of its number, which a failure names: `mutated(&corpus(), NUMBER)` gives it again.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use xla_playground::array::{Literal, shape_util};
use xla_playground::hlo::{Evaluator, Limits, Module, PrintOptions, parse};
use xla_playground::ops;

/// How many modules are made.
const COUNT: u64 = 100_000;
/// No module may take longer, on however busy a machine.
const TOO_LONG: Duration = Duration::from_secs(20);
/// Texts up to this length are mutated often, longer ones seldom.
const SHORT: usize = 700;

/// A counter-based generator (`SplitMix64`).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.next() % count.max(1) as u64).unwrap()
    }

    fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}

/// The texts that are mutated.
struct Corpus {
    short: Vec<String>,
    long: Vec<String>,
}

fn corpus() -> Corpus {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut texts = Vec::new();
    let mut files: Vec<_> = ["goldens", "hlo-samples"]
        .iter()
        .flat_map(|folder| fs::read_dir(data.join(folder)).unwrap().map(|entry| entry.unwrap().path()))
        .collect();
    files.sort();
    for file in files {
        let extension = file.extension().and_then(|e| e.to_str()).unwrap_or_default().to_owned();
        if extension == "hlo" {
            texts.push(fs::read_to_string(&file).unwrap());
        }
        if extension == "jsonl" {
            for line in fs::read_to_string(&file).unwrap().lines() {
                let case: Json = serde_json::from_str(line).unwrap();
                texts.extend(
                    ["hlo", "printed"].iter().filter_map(|field| Some(case.get(field)?.as_str()?.to_owned())),
                );
            }
        }
    }
    for op in ops::all() {
        for example in op.meta().examples {
            let text = format!("HloModule m\nENTRY e {{\n{}\n}}\n", example.hlo);
            texts.push(parse(&text).module.text(PrintOptions::LONG));
            texts.push(text);
        }
    }
    let (short, long) = texts.into_iter().partition(|text| text.len() <= SHORT);
    Corpus { short, long }
}

/// A character, a word or a line of a text, chosen by chance.
fn piece(text: &str, random: &mut Random) -> Range<usize> {
    let mut at = random.below(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || b"_.-%".contains(b);
    let bytes = text.as_bytes();
    match random.below(3) {
        1 if is_word(&bytes[at]) => {
            let before = bytes[..at].iter().rev().take_while(|b| is_word(b)).count();
            at - before..at + bytes[at..].iter().take_while(|b| is_word(b)).count()
        }
        2 => {
            let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
            start..text[at..].find('\n').map_or(text.len(), |end| at + end + 1)
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
    "\r",
    ":",
    "?",
    "<=",
    "...",
    "{...}",
    "é",
    "\u{a0}",
    "\u{feff}",
    "变量",
    "𝛼",
    "\0",
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
    ", dimensions={0}",
    ", to_apply={ ROOT a = f32[] parameter(0) }",
    "{1,0:T(8,128)(2,1)}",
    "2x2",
    "1_1x0_0",
    "bf01_oi01->bf01",
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

/// Makes a text a little wrong.
fn mutate(text: &mut String, corpus: &Corpus, random: &mut Random) {
    let Range { start, end } = piece(text, random);
    match random.below(12) {
        0 | 1 => text.replace_range(start..end, ""),
        2 => {
            let copy = text[start..end].to_owned();
            text.insert_str(piece(text, random).start, &copy);
        }
        3 => {
            // Two pieces change places.
            let other = piece(text, random);
            let (low, high) = if start <= other.start { (start..end, other) } else { (other, start..end) };
            if low.end <= high.start {
                let (a, b) = (text[low.clone()].to_owned(), text[high.clone()].to_owned());
                text.replace_range(high, &a);
                text.replace_range(low, &b);
            }
        }
        4 | 5 => text.insert_str(start, random.pick(PIECES)),
        6 | 7 => {
            // A number becomes an extreme one.
            let from = if random.below(2) == 0 { start } else { 0 };
            if let Some(digit) = text[from..].find(|c: char| c.is_ascii_digit()).map(|n| from + n) {
                let end = text[digit..].find(|c: char| !c.is_ascii_digit()).map_or(text.len(), |n| digit + n);
                text.replace_range(digit..end, random.pick(NUMBERS));
            }
        }
        8 => {
            // The end of another text behind the start of this one, or some lines of it in between.
            let other = &corpus.short[random.below(corpus.short.len())];
            let (one, two) = (piece(other, random).start, piece(other, random).start);
            if random.below(2) == 0 {
                text.truncate(start);
                text.push_str(&other[one..]);
            } else {
                text.insert_str(start, &other[one.min(two)..one.max(two)]);
            }
        }
        9 => {
            let deep = [1, 10, 70, 300][random.below(4)];
            let [open, close] =
                [["(", ")"], ["{", "}"], ["negate(", ")"], ["(f32[],", ")"], ["{ {", "} }"]][random.below(5)];
            text.insert_str(end, &close.repeat(deep));
            text.insert_str(start, &open.repeat(deep));
        }
        10 => text.truncate(start),
        _ => {
            text.replace_range(start..end, random.pick(PIECES));
        }
    }
}

fn mutated(corpus: &Corpus, number: u64) -> String {
    let mut random = Random(number.wrapping_mul(0xD134_2543_DE82_EF95));
    let from = if random.below(300) == 0 { &corpus.long } else { &corpus.short };
    // The shorter of two: there are more small modules in the time.
    let two = [random.below(from.len()), random.below(from.len())];
    let mut text = from[two[0]].clone();
    if from[two[1]].len() < text.len() {
        text.clone_from(&from[two[1]]);
    }
    for _ in 0..=random.below(2) * random.below(4) {
        mutate(&mut text, corpus, &mut random);
        if text.is_empty() {
            text.push(' ');
        }
    }
    text
}

/// Runs a module on zeros. What comes of it does not matter, only that something does.
fn run(module: &Module) -> bool {
    let Some(interface) = module.interface() else { return false };
    let is_small = |shape| shape_util::elements_in(shape).is_some_and(|count| count <= 4096);
    let zeros = |shape| Literal::zeros(shape).ok().filter(|_| is_small(shape) || shape_util::is_tuple(shape));
    let Some(arguments) = interface.parameters.iter().map(zeros).collect::<Option<Vec<_>>>() else {
        return false;
    };
    let limits = Limits { steps: 2000, bytes: 4 << 20 };
    Evaluator::new(module).limits(limits).run(&arguments).is_ok()
}

/// How far each module came.
#[derive(Default)]
struct Tally {
    read: AtomicU64,
    printed: AtomicU64,
    ran: AtomicU64,
}

fn check(text: &str, number: u64, tally: &Tally) {
    let parsed = parse(text);
    tally.read.fetch_add(1, Ordering::Relaxed);
    for d in &parsed.diagnostics {
        assert!(text.get(d.span.range()).is_some(), "{d:?} has no place in the text");
        for hint in &d.hints {
            assert!(hint.edits.is_empty() || hint.apply(text).is_some(), "{hint:?} cannot be applied");
        }
    }
    if parsed.error().is_some() {
        return;
    }
    let options = if number.is_multiple_of(2) { PrintOptions::SHORT } else { PrintOptions::LONG };
    let printed = parsed.module.text(options);
    let again = parse(&printed);
    assert!(again.error().is_none(), "{:?} in the printed text\n{printed}", again.error());
    assert_eq!(again.module.text(options), printed, "print ∘ parse is not the identity");
    tally.printed.fetch_add(1, Ordering::Relaxed);
    if number.is_multiple_of(4) && run(&parsed.module) {
        tally.ran.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn mutated_modules_neither_panic_nor_hang() {
    let corpus = corpus();
    let (next, tally) = (AtomicU64::new(0), Tally::default());
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    // What each worker is at, and since when.
    let at: Vec<Mutex<(u64, Instant)>> = (0..workers).map(|_| Mutex::new((0, Instant::now()))).collect();
    std::thread::scope(|scope| {
        let work = |place: &Mutex<(u64, Instant)>| {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= COUNT {
                    return;
                }
                *place.lock().unwrap() = (number, Instant::now());
                check(&mutated(&corpus, number), number, &tally);
            }
        };
        let handles: Vec<_> = at.iter().map(|place| scope.spawn(move || work(place))).collect();
        while handles.iter().any(|handle| !handle.is_finished()) {
            std::thread::sleep(Duration::from_millis(50));
            for (place, handle) in at.iter().zip(&handles) {
                let (number, since) = *place.lock().unwrap();
                if !handle.is_finished() && since.elapsed() > TOO_LONG {
                    // The thread cannot be stopped, so the test ends here.
                    eprintln!("module {number} hangs:\n{}", mutated(&corpus, number));
                    std::process::exit(101);
                }
            }
        }
        for (handle, place) in handles.into_iter().zip(&at) {
            if handle.join().is_err() {
                let number = place.lock().unwrap().0;
                panic!("module {number}:\n{}", mutated(&corpus, number));
            }
        }
    });
    let counts = [&tally.read, &tally.printed, &tally.ran].map(|count| count.load(Ordering::Relaxed));
    println!("{counts:?} modules read, printed and read again, run to a value");
    assert!(counts[0] == COUNT && counts[1] > COUNT / 50 && counts[2] > COUNT / 1000, "{counts:?}");
}
