//! Mutated texts, files and links: none panics, hangs or holds more than 1 GiB; every diagnostic has a span in the text and
//! fixes that can be applied; valid text prints to text that parses as the same; a link round trips.
//!
//! A case is a function of its number, which a failure prints: `MUTATION=NUMBER` runs it alone,
//! `FIRST_MUTATION=NUMBER` starts there. `MUTATED_TEXTS=1000000` and `MUTATED_LINKS=20000` set the number of cases
//! (as do `MUTATED_FILES` and `MUTATED_STABLEHLO`), for a longer search in a release build:
//!
//! ```sh
//! MUTATED_TEXTS=1000000 MUTATED_LINKS=20000 cargo test --release --test mutations -- --nocapture
//! ```
//!
//! [`targets`] has the invariants of texts and files and [`links`] those of links; the targets of `fuzz/` call the same
//! functions. [`corpus`] has the seeds, [`bombs`] texts that request much work, [`mutate`] the mutations, [`files`] those
//! of files.

#![cfg(not(target_os = "unknown"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

mod bombs;
mod corpus;
mod files;
mod links;
mod memory;
mod mutate;
mod runner;
mod targets;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use targets::Came;
use xla_playground::hlo::{Limits, PrintOptions};

use corpus::Corpus;

/// The time limits of text and of a link. A build without optimization is many times slower, and other tests run in
/// parallel.
const TEXT_LIMIT: Duration = Duration::from_secs(if cfg!(debug_assertions) { 30 } else { 10 });
const LINK_LIMIT: Duration = Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 1 });

/// The limits of most runs: small, for many cases; sometimes the terminal's limits are used.
const SMALL: Limits = Limits { steps: 2_000, bytes: 1 << 19 };

/// Maximum number of bytes that the reading of a file may hold.
const MAX_READING_BYTES: isize = 8 << 20;

/// Whether all cases run, so that enough of them have to be valid.
fn is_whole() -> bool {
    ["MUTATION", "FIRST_MUTATION"].iter().all(|name| std::env::var(name).is_err())
}

/// The parser of a case's text.
fn text_of(corpus: &Corpus, number: u64) -> String {
    match number % 8 {
        0 => mutate::shape(corpus, number),
        1 => mutate::literal(corpus, number),
        _ => mutate::module(corpus, number),
    }
}

#[test]
fn mutated_texts_neither_panic_nor_hang() {
    let corpus = Corpus::new();
    // Valid shapes and literals; modules parsed, printed and parsed again, run to a value.
    let tally: [AtomicU64; 5] = Default::default();
    let count = runner::count("MUTATED_TEXTS", 100_000);
    let worst = runner::run(
        count,
        TEXT_LIMIT,
        |number| text_of(&corpus, number),
        |number, text| {
            let add = |which: usize| tally[which].fetch_add(1, Ordering::Relaxed);
            match number % 8 {
                0 if targets::shape(text) => drop(add(0)),
                1 if targets::literal(text) => drop(add(1)),
                0 | 1 => {}
                _ => {
                    let options =
                        if number.is_multiple_of(2) { PrintOptions::SHORT } else { PrintOptions::LONG };
                    let came = targets::module(text, options, number.is_multiple_of(4).then_some(SMALL));
                    add(2);
                    if came >= Came::Printed {
                        add(3);
                    }
                    if came == Came::Ran {
                        add(4);
                    }
                }
            }
        },
    );
    let counts = tally.map(AtomicU64::into_inner);
    println!("{counts:?} valid shapes and literals, modules read, printed, run; worst {worst:?}");
    let enough = [50, 50, 2, 50, 1_000];
    assert!(
        !is_whole() || counts.iter().zip(enough).all(|(found, part)| *found > count / part / 8),
        "{counts:?}"
    );
}

#[test]
fn mutated_programs_of_stablehlo_neither_panic_nor_hang() {
    let corpus = Corpus::new();
    // Programs without errors, and those that ran to a value.
    let tally: [AtomicU64; 2] = Default::default();
    let count = runner::count("MUTATED_STABLEHLO", 4_000);
    let worst = runner::run(
        count,
        TEXT_LIMIT,
        |number| mutate::stablehlo(&corpus, number),
        |_, text| {
            let came = targets::stablehlo(text, SMALL);
            for (counted, least) in tally.iter().zip([Came::Printed, Came::Ran]) {
                counted.fetch_add(u64::from(came >= least), Ordering::Relaxed);
            }
        },
    );
    let [valid, ran] = tally.map(AtomicU64::into_inner);
    println!("{valid} valid programs of StableHLO, {ran} run; worst {worst:?}");
    assert!(!is_whole() || valid > count / 10 && ran > count / 100, "{valid} {ran}");
}

#[test]
fn mutated_files_are_read_within_their_limits() {
    let arrays = files::arrays();
    let read = AtomicU64::new(0);
    let count = runner::count("MUTATED_FILES", 5_000);
    let worst = runner::run(
        count,
        TEXT_LIMIT,
        |number| files::file(&arrays, number),
        |_, text| {
            let is_read = targets::file(&files::bytes(text));
            read.fetch_add(u64::from(is_read), Ordering::Relaxed);
        },
    );
    let read = read.into_inner();
    println!("{read} files read; worst {worst:?}");
    assert!(!is_whole() || read > count / 10, "{read}");
    assert!(worst.bytes.0 < MAX_READING_BYTES, "{worst:?}");
}

#[test]
fn mutated_links_open_or_say_why_not() {
    let corpus = Corpus::new();
    let opened = AtomicU64::new(0);
    let count = runner::count("MUTATED_LINKS", 4_000);
    let worst = runner::run(
        count,
        LINK_LIMIT,
        |number| mutate::link(&corpus, number),
        |_, link| {
            links::open(link);
            opened.fetch_add(1, Ordering::Relaxed);
        },
    );
    println!("{} links opened; worst {worst:?}", opened.into_inner());
}
