//! Parsing takes time and memory linear in the length of the text: many errors stop it, and text that expands in memory is
//! limited.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::fmt::Write;
use std::time::{Duration, Instant};

use xla_array::Edition;
use xla_hlo::export::{MAX_PROGRAM_BYTES, export};
use xla_hlo::parser::ParseSteps;
use xla_hlo::{Parsed, parse};
use xla_messages::diagnostic::{LineIndex, Severity};
use xla_messages::i18n::Language;
use xla_ops::Language as Target;

/// The size of a generated text.
const TEXT_BYTES: usize = 1 << 20;
/// Without limits, these texts took minutes to hours; with them, seconds on a slow machine.
const MAX_TIME: Duration = Duration::from_mins(2);

fn entry(instructions: &str) -> String {
    format!("HloModule m\nENTRY e {{\n{instructions}\n}}\n")
}

/// Repeats `piece` to an eighth of [`TEXT_BYTES`].
fn repeated(piece: &str) -> String {
    piece.repeat(TEXT_BYTES / 8 / piece.len())
}

/// Repeats `piece` to [`TEXT_BYTES`], with `#` replaced by its number.
fn numbered(piece: &str) -> String {
    (0..TEXT_BYTES / (piece.len() + 4)).map(|i| piece.replace('#', &i.to_string())).collect()
}

/// Parses text and prints its diagnostics.
fn read(text: &str) -> (Parsed, String) {
    let start = Instant::now();
    let parsed = parse(text);
    let (lines, mut out) = (LineIndex::new(text), String::new());
    for diagnostic in &parsed.diagnostics {
        writeln!(out, "{}", diagnostic.render_with(&lines, Language::ENGLISH)).unwrap();
    }
    assert!(start.elapsed() < MAX_TIME, "{}…", &text[..60]);
    (parsed, out)
}

#[test]
fn invalid_text_has_a_limited_number_of_short_diagnostics() {
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
        for text in [repeated(piece), entry(&repeated(piece)), format!("HloModule m\n{}", repeated(piece))] {
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
    let (parsed, out) = read(&entry(&repeated("x = bogus(!\n")));
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
    let trailing = format!("HloModule m\ne {{ ROOT x = f32[] constant(1) }}{}", numbered(", a#=1"));
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
        trailing,
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
            entry(&format!("a = f32[] constant(1)\nROOT r = tuple({}a)", "a,".repeat(TEXT_BYTES / 2))),
            "hlo-too-long",
        ),
        (entry(&format!("t0 = (f32[], f32[]) parameter(0)\n{sum}")), ""),
        (entry(&format!("t = {tuple} parameter(0)\n{}", numbered("c# = copy(t)\n"))), ""),
    ] {
        let (parsed, _) = read(&text);
        let error = parsed.error().unwrap();
        assert!(rule.is_empty() || error.rule == rule, "{error}");
        // The module has the instructions up to the limit.
        let count: usize = parsed.module.computations.iter().map(|c| c.instructions.len()).sum();
        assert!(count < 1000, "{count}");
    }
}

#[test]
fn large_modules_are_exported_or_rejected_in_linear_time() {
    let parameters = numbered("p# = f32[] parameter(#)\n");
    let missing = numbered("i# = f32[] custom-call(), custom_call_target=\"f\"\n");
    // Nested operands have no names, so their variables are named by opcode.
    let nested = numbered(&format!("n# = {}f32[] constant(1){}\n", "negate(".repeat(20), ")".repeat(20)));
    for text in [parameters, missing, nested] {
        let module = parse(&entry(&text)).module;
        let start = Instant::now();
        for language in [Target::Jax, Target::NumPy, Target::Rust] {
            if let Ok(program) = export(&module, &[], language, Edition::Current) {
                assert!(program.text.len() <= MAX_PROGRAM_BYTES);
            }
        }
        assert!(start.elapsed() < MAX_TIME);
    }
}

#[test]
fn parsing_in_steps_has_the_result_of_parsing_at_once() {
    let computations =
        numbered("c# (x: f32[4]) -> f32[4] { x = f32[4] parameter(0) ROOT n = f32[4] negate(x) }\n");
    for (text, part) in [
        (String::new(), 1),
        ("HloModule m".to_owned(), 1),
        ("%r = f32[4] add(f32[4] %a, f32[4] %b)".to_owned(), 1),
        (
            "f { a = f32[2] parameter(0) ROOT b = negate(a) } ENTRY e { ROOT x = f32[] parameter(0) }"
                .to_owned(),
            1,
        ),
        ("HloModule m ENTRY e { a = f32[2] parameter(0) b = bogus(a) ROOT c = negate(a".to_owned(), 1),
        (
            "HloModule m ENTRY e { a = f32[2] parameter(0) } ENTRY f { a = f32[2] parameter(0) } x"
                .to_owned(),
            1,
        ),
        (format!("HloModule m\n{computations}"), 1 << 16),
        (entry(&numbered("abcdefgh# = f32[] constant(1) ")), 1 << 16),
    ] {
        let mut steps = ParseSteps::new(&text);
        let (mut count, mut consumed) = (0, 0);
        while steps.step(part) {
            assert!(consumed <= steps.consumed_bytes() && steps.consumed_bytes() <= text.len());
            (count, consumed) = (count + 1, steps.consumed_bytes());
        }
        assert!(count <= text.len() / part + 1, "{count} steps");
        let (steps, whole) = (steps.finish(), parse(&text));
        assert_eq!(steps.diagnostics, whole.diagnostics);
        assert_eq!(steps.module.to_string(), whole.module.to_string());
    }
    // An unfinished parse finishes.
    let text = entry("a = f32[2] parameter(0) b = negate(a)");
    let mut steps = ParseSteps::new(&text);
    assert!(steps.step(1));
    assert_eq!(steps.finish().module.to_string(), parse(&text).module.to_string());
}

#[test]
fn large_modules_are_parsed_in_linear_time() {
    let mut computations = String::from("HloModule m\n");
    for i in 0..100_000 {
        writeln!(computations, "called_{i} {{ x = f32[4] parameter(0) ROOT n = f32[4] negate(x) }}").unwrap();
    }
    computations.push_str("ENTRY e { p = f32[4] parameter(0)\n");
    for i in 0..100_000 {
        writeln!(computations, "r{i} = f32[4] call(p), to_apply=called_{i}").unwrap();
    }
    computations.push('}');
    let mut line = String::from("HloModule m ENTRY e { p = f32[4] parameter(0) a0 = negate(p) ");
    for i in 1..400_000 {
        write!(line, "a{i} = f32[4] add(a{}, p) ", i - 1).unwrap();
    }
    line.push('}');
    for (text, instructions) in [(computations, 100_001), (line, 400_001)] {
        let (parsed, _) = read(&text);
        assert!(parsed.error().is_none(), "{:?}", parsed.error());
        assert_eq!(parsed.module.entry_computation().unwrap().instructions.len(), instructions);
    }
}
