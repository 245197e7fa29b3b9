//! 100,000 mutated modules: none panics, none hangs; every diagnostic has a place in the text; what has no error
//! prints to a text that reads back as the same module, and runs, within a budget, to a value or an error.
//!
//! A mutated module is a function of its number, which a failure names: `mutated(&corpus(), NUMBER)` gives it again.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

use std::fs;
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

/// A counter-based generator (SplitMix64).
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

/// Where the characters, words or lines of a text begin, and where it ends.
fn cuts(text: &str, kind: usize) -> Vec<usize> {
    let is_word = |c: char| c.is_alphanumeric() || "_.-%".contains(c);
    let mut before = '\n';
    let mut cuts = vec![0];
    for (at, c) in text.char_indices().skip(1) {
        if match kind {
            0 => true,
            1 => !(is_word(before) && is_word(c)),
            _ => before == '\n',
        } {
            cuts.push(at);
        }
        before = c;
    }
    cuts.push(text.len());
    cuts
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
    let cuts = cuts(text, random.below(3));
    let at = random.below(cuts.len() - 1);
    let (start, end) = (cuts[at], cuts[at + 1]);
    match random.below(12) {
        0 | 1 => text.replace_range(start..end, ""),
        2 => {
            let copy = text[start..end].to_owned();
            text.insert_str(cuts[random.below(cuts.len())], &copy);
        }
        3 => {
            // Two pieces change places.
            let other = random.below(cuts.len() - 1);
            let (low, high) = (at.min(other), at.max(other));
            if low < high {
                let (a, b) =
                    (text[cuts[low]..cuts[low + 1]].to_owned(), text[cuts[high]..cuts[high + 1]].to_owned());
                text.replace_range(cuts[high]..cuts[high + 1], &a);
                text.replace_range(cuts[low]..cuts[low + 1], &b);
            }
        }
        4 | 5 => text.insert_str(start, random.pick(PIECES)),
        6 | 7 => {
            // A number becomes an extreme one.
            let digits: Vec<usize> =
                text.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(i, _)| i).collect();
            if let Some(digit) = digits.get(random.below(digits.len())) {
                let end =
                    text[*digit..].find(|c: char| !c.is_ascii_digit()).map_or(text.len(), |n| digit + n);
                text.replace_range(*digit..end, random.pick(NUMBERS));
            }
        }
        8 => {
            // The end of another text behind the start of this one, or some lines of it in between.
            let other = &corpus.short[random.below(corpus.short.len())];
            let there = self::cuts(other, 2);
            let from = there[random.below(there.len())];
            if random.below(2) == 0 {
                text.truncate(start);
                text.push_str(&other[from..]);
            } else {
                let to = there[random.below(there.len())];
                text.insert_str(start, &other[from.min(to)..from.max(to)]);
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
            let piece = random.pick(PIECES);
            text.replace_range(start..end, piece);
        }
    }
}

fn mutated(corpus: &Corpus, number: u64) -> String {
    let mut random = Random(number.wrapping_mul(0xD134_2543_DE82_EF95));
    let from = if random.below(300) == 0 { &corpus.long } else { &corpus.short };
    let mut text = from[random.below(from.len())].clone();
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
    let limits = Limits { steps: 2000, cells: 1 << 16 };
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
    if number.is_multiple_of(3) && run(&parsed.module) {
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
    assert!(counts[0] == COUNT && counts[1] > COUNT / 50 && counts[2] > COUNT / 500, "{counts:?}");
}
