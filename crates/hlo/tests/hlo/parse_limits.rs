//! Parsing takes time and memory in proportion to the length of the text: errors stop it, text that expands in memory
//! is limited, and no look-up is repeated for every part.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fmt::Write;
use std::time::{Duration, Instant};

use xla_array::Edition;
use xla_hlo::export::{MAX_PROGRAM_BYTES, export};
use xla_hlo::{Parsed, parse};
use xla_messages::diagnostic::{LineIndex, Severity};
use xla_messages::i18n::Language;
use xla_ops::Language as Target;

/// The bytes of a text.
const SIZE: usize = 1 << 20;
/// Before the limits these texts took minutes to hours; a slow machine takes seconds.
const HANGS: Duration = Duration::from_mins(2);

fn entry(instructions: &str) -> String {
    format!("HloModule m\nENTRY e {{\n{instructions}\n}}\n")
}

/// `piece` over and over, an eighth of [`SIZE`] bytes of it.
fn many(piece: &str) -> String {
    piece.repeat(SIZE / 8 / piece.len())
}

/// `piece` over and over, with `#` as its number.
fn numbered(piece: &str) -> String {
    (0..SIZE / (piece.len() + 4)).map(|i| piece.replace('#', &i.to_string())).collect()
}

/// Parses a text and prints its diagnostics.
fn read(text: &str) -> (Parsed, String) {
    let start = Instant::now();
    let parsed = parse(text);
    let (lines, mut out) = (LineIndex::new(text), String::new());
    for diagnostic in &parsed.diagnostics {
        writeln!(out, "{}", diagnostic.render_with(&lines, Language::ENGLISH)).unwrap();
    }
    assert!(start.elapsed() < HANGS, "{}…", &text[..60]);
    (parsed, out)
}

#[test]
fn broken_text_ends_with_some_hundred_short_diagnostics() {
    for piece in [
        "x = bogus(!\n",
        "x = bogus(! ",
        "@ what\n",
        "x = f32[] add(\"\n",
        "\"\n",
        "\\'\n",
        "/*",
        "{",
        "{\n",
        "(",
        "[",
        "x = (",
        "x = f32[a,b{ add(\n",
        "a = f32[] constant(1), metadata={\n",
        "a = f32[] call(), to_apply={ ",
        "nan(0x",
        "ENTRY a( ",
        "a( ",
        "a(\n",
        "a = f32[] constant(1)\n",
        "x = f32[] add(y, z), w=1 ",
        "\r",
        "\t",
        "é",
        "r = f32[] conditional(), branch_computations={{ ",
        "x = f32[] constant({",
        "x = f32[] constant(nan(0x",
    ] {
        for text in [many(piece), entry(&many(piece)), format!("HloModule m\n{}", many(piece))] {
            let (parsed, out) = read(&text);
            assert!(parsed.error().is_some(), "{piece:?}");
            assert!(parsed.diagnostics.len() <= 401, "{piece:?}: {}", parsed.diagnostics.len());
            assert!(out.len() < 400 * 1024, "{piece:?}: {} bytes", out.len());
            assert!(out.lines().all(|line| line.chars().count() < 2000), "{piece:?}");
        }
    }
}

#[test]
fn parsing_stops_after_many_errors_and_reports_it() {
    let (parsed, out) = read(&entry(&many("x = bogus(!\n")));
    let last = parsed.diagnostics.last().unwrap();
    assert_eq!((last.rule, last.severity), ("hlo-stopped", Severity::Warning));
    let errors = parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    assert_eq!(errors, 200);
    assert!(out.contains("Parsing stopped here after 200 errors"), "{out}");
    // Warnings do not end it.
    let text = entry(&format!("{}ROOT r = f32[] bogus()", numbered("x# = f32[] constant(1), foobar=1\n")));
    let (parsed, _) = read(&text);
    assert_eq!(parsed.error().unwrap().rule, "hlo-opcode");
    assert!(parsed.module.entry_computation().unwrap().instructions.len() > 20_000);
}

#[test]
fn parsing_takes_linear_time() {
    let attributes = entry(&format!("x = f32[] constant(1){}", numbered(", a#=1")));
    let header = format!("HloModule m{}\nENTRY e {{ ROOT x = f32[] constant(1) }}", numbered(", a#=1"));
    let behind = format!("HloModule m\ne {{ ROOT x = f32[] constant(1) }}{}", numbered(", a#=1"));
    let queue = format!(
        "t = token[] after-all()\ni = (f32[], token[]) infeed(t)\n{}",
        numbered("i# = (f32[], token[]) infeed(t), control-predecessors={i}\n")
    );
    let mut names = numbered("abcdefgh# = f32[] constant(1)\n");
    let mut callees = numbered("abcdefgh# { x = f32[] constant(1) }\n");
    callees.push_str("ENTRY e {\n");
    for i in 0..150 {
        writeln!(names, "z{i} = negate(abcdexgh{i})").unwrap();
        writeln!(callees, "z{i} = f32[] call(), to_apply=abcdexgh{i}").unwrap();
    }
    let implicit = format!("r = tuple({}f32[])", "f32[],".repeat(65_000));
    for text in [
        attributes,
        header,
        behind,
        entry(&queue),
        entry(&names),
        format!("HloModule m\n{callees}}}\n"),
        implicit,
    ] {
        let (parsed, _) = read(&text);
        assert!(parsed.diagnostics.len() <= 401);
    }
}

#[test]
fn text_that_expands_in_memory_is_limited() {
    let mut sum = String::new();
    for i in 0..60 {
        writeln!(sum, "t{} = tuple(t{i}, t{i})", i + 1).unwrap();
    }
    let tuple = format!("({})", vec!["f32[]"; 9000].join(","));
    for (text, rule) in [
        (
            entry(&format!("a = f32[] constant(1)\nROOT r = tuple({}a)", "a,".repeat(SIZE / 2))),
            "hlo-too-long",
        ),
        (entry(&format!("t0 = (f32[], f32[]) parameter(0)\n{sum}")), ""),
        (entry(&format!("t = {tuple} parameter(0)\n{}", numbered("c# = copy(t)\n"))), ""),
    ] {
        let (parsed, _) = read(&text);
        let error = parsed.error().unwrap();
        assert!(rule.is_empty() || error.rule == rule, "{error}");
        // What was read up to the limit is there.
        let kept: usize = parsed.module.computations.iter().map(|c| c.instructions.len()).sum();
        assert!(kept < 1000, "{kept}");
    }
}

#[test]
fn large_modules_are_exported_or_refused_in_linear_time() {
    let parameters = numbered("p# = f32[] parameter(#)\n");
    let missing = numbered("i# = f32[] custom-call(), custom_call_target=\"f\"\n");
    // Operands without names are all called by their opcode.
    let nested = numbered(&format!("n# = {}f32[] constant(1){}\n", "negate(".repeat(20), ")".repeat(20)));
    for text in [parameters, missing, nested] {
        let module = parse(&entry(&text)).module;
        let start = Instant::now();
        for language in [Target::Jax, Target::NumPy, Target::Rust] {
            if let Ok(program) = export(&module, &[], language, Edition::Current) {
                assert!(program.text.len() <= MAX_PROGRAM_BYTES);
            }
        }
        assert!(start.elapsed() < HANGS);
    }
}
