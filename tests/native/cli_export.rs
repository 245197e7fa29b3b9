//! `export` and `eval --out`: what the terminal program writes for other programs to read.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

const PROGRAM: &str = env!("CARGO_BIN_EXE_xla-playground");

const DOT: &str = "HloModule m, entry_computation_layout={(f32[2,3]{0,1}, f32[3,2]{1,0})->f32[2,2]{1,0}}

ENTRY e {
  a = f32[2,3]{0,1} parameter(0)
  b = f32[3,2] parameter(1)
  p = f32[2,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = f32[2,2] negate(p)
}
";

/// A folder of a test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("xla-playground-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("dot.hlo"), DOT).unwrap();
        fs::write(
            folder.join("template.html"),
            "<title>XLA Playground</title><script type=\"application/json\" id=\"snapshot\"></script>",
        )
        .unwrap();
        Self(folder)
    }

    fn run(&self, args: &[&str]) -> Output {
        Command::new(PROGRAM)
            .env("LC_ALL", "C")
            .args(args)
            .current_dir(&self.0)
            .env_remove("XLA_PLAYGROUND_SITE")
            .output()
            .unwrap()
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).unwrap()
    }

    /// The standard error of a command that is rejected.
    fn rejected(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        String::from_utf8(output.stderr).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What remains in the folder of temporary files harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

const ARGUMENTS: [&str; 4] =
    ["--arg", "f32[2,3]{0,1} {{1,2,3},{4,5,6}}", "--arg", "f32[3,2] {{1,2},{3,4},{5,6}}"];

/// The values of `DOT` for [`ARGUMENTS`], by rows.
const RESULT: [f32; 4] = [-22.0, -28.0, -49.0, -64.0];

#[test]
fn a_result_is_written_in_every_format() {
    let folder = Folder::new("out");
    let raw: Vec<u8> = RESULT.iter().flat_map(|value| value.to_le_bytes()).collect();
    for name in ["r.npy", "r.npz", "r.json", "r.raw"] {
        let args = [&["eval", "dot.hlo", "--json", "--out", name], &ARGUMENTS[..]].concat();
        let output = folder.run(&args);
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "{\"shape\":\"f32[2,2]{1,0}\",\"dtypes\":[\"float32\"]}\n",
            "{name}"
        );
        let bytes = folder.read(name);
        match name {
            "r.json" => assert_eq!(bytes, b"{\"shape\":\"f32[2,2]{1,0}\",\"values\":[-22,-28,-49,-64]}"),
            "r.raw" => assert_eq!(bytes, raw),
            _ => assert!(bytes.windows(raw.len()).any(|part| part == raw), "{name}"),
        }
        // What was written can be read.
        let copy = "HloModule c\nENTRY e { ROOT x = f32[2,2] parameter(0) }";
        fs::write(folder.0.join("copy.hlo"), copy).unwrap();
        let output = folder.run(&["eval", "copy.hlo", "--arg", name]);
        assert!(String::from_utf8_lossy(&output.stdout).contains("-64"), "{name}");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let folder = Folder::new("out-errors");
    let eval = |file: &str, out: &str| folder.rejected(&["eval", file, "--out", out]);
    fs::write(
        folder.0.join("tuple.hlo"),
        "HloModule t\nENTRY e { a = f32[] constant(1)\n ROOT t = (f32[], f32[]) tuple(a, a) }",
    )
    .unwrap();
    assert!(eval("tuple.hlo", "r.npy").contains("is a tuple"));
    assert!(eval("tuple.hlo", "r.txt").contains("must end in"));
    assert!(eval("tuple.hlo", "missing/r.npz").contains("cannot write"));
    assert!(folder.run(&["eval", "tuple.hlo", "--out", "r.npz"]).status.success());
}

#[test]
fn an_array_and_a_program_become_pages_and_pictures() {
    let folder = Folder::new("export");
    let page = |args: &[&str]| {
        let output = folder.run(&[&["export", "--template", "template.html"], args].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(page(&["f32[2,3]{0,1}"]).contains("<title>f32[2,3]{0,1}</title>"));
    assert!(page(&[&["dot.hlo"], &ARGUMENTS[..]].concat()).contains("<title>m</title>"));
    let hostile = page(&["dot.hlo", "--random", "1", "--title", "</title><script>"]);
    assert_eq!(hostile.matches("<script").count(), 1, "{hostile}");
    for subject in [&["f32[2,3]{0,1}"][..], &["dot.hlo", "--random", "1"]] {
        let output = folder.run(&[&["export", "--picture"], subject].concat());
        assert!(output.stdout.starts_with(b"<svg"), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert!(folder.rejected(&["export", "dot.hlo", "--template", "template.html"]).contains("--random SEED"));
    assert!(
        folder
            .rejected(&["export", "dot.hlo", "--random", "1", "--template", "none"])
            .contains("cannot read")
    );
    assert!(
        folder.rejected(&["export", "dot.hlo", "--random", "1", "--site", "."]).contains("cargo xtask dist")
    );
}

#[test]
fn a_program_is_written_with_all_of_its_values_for_xla() {
    let folder = Folder::new("jax");
    let args = [&["export", "dot.hlo", "--jax", "out"], &ARGUMENTS[..]].concat();
    let output = folder.run(&args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let program = String::from_utf8(folder.read("out/program.mlir")).unwrap();
    assert!(program.contains("\"func.return\"(%0, %1, %2, %3)"), "{program}");
    assert!(folder.run(&["check", "out/program.mlir"]).status.success());
    let about: serde_json::Value = serde_json::from_slice(&folder.read("out/about.json")).unwrap();
    assert_eq!(about["root"], "r");
    assert_eq!(about["values"][2], serde_json::json!(["p", "float32"]));
    let values = folder.read("out/values.npz");
    let result: Vec<u8> = RESULT.iter().flat_map(|value| value.to_le_bytes()).collect();
    assert!(values.windows(result.len()).any(|part| part == result));
    assert!(values.windows(7).any(|part| part == b"r@0.npy"));
    assert!(String::from_utf8(folder.read("out/run.py")).unwrap().contains("--ulp"));
}

#[test]
fn tuples_and_called_computations_are_exported_and_types_have_their_names() {
    let folder = Folder::new("jax-tuples");
    let text = "HloModule t\nf {\n  x = bf16[2] parameter(0)\n  ROOT n = bf16[2] negate(x)\n}\n\
                ENTRY e {\n  results = bf16[2] parameter(0)\n  c = bf16[2] call(results), to_apply=f\n  \
                t = (bf16[2], bf16[2]) tuple(results, c)\n  g = bf16[2] get-tuple-element(t), index=1\n  \
                ROOT r = (bf16[2], bf16[2]) tuple(g, c)\n}\n";
    fs::write(folder.0.join("t.hlo"), text).unwrap();
    let output = folder.run(&["export", "t.hlo", "--jax", "out", "--random", "1"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let about: serde_json::Value = serde_json::from_slice(&folder.read("out/about.json")).unwrap();
    let values = serde_json::json!([["results", "bfloat16"], ["c", "bfloat16"], ["g", "bfloat16"]]);
    assert_eq!((&about["values"], &about["root"]), (&values, &serde_json::json!("")), "{about}");
    let output = folder.run(&["eval", "out/program.mlir", "--arg", "bf16[2] {1, 2}"]);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(printed.matches("{-1, -2}").count(), 2, "the argument, and both results: {printed}");
}

#[test]
fn replicas_have_arguments_and_values_of_their_own() {
    let folder = Folder::new("jax-replicas");
    let sum = "HloModule s\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n\
               ENTRY e {\n  x = f32[] parameter(0)\n  ROOT t = f32[] all-reduce(x), replica_groups={}, to_apply=add\n}\n";
    fs::write(folder.0.join("sum.hlo"), sum).unwrap();
    let args =
        ["export", "sum.hlo", "--jax", "out", "--replicas", "2", "--arg", "f32[] 1", "--arg", "f32[] 2"];
    assert!(folder.run(&args).status.success());
    let values = folder.read("out/values.npz");
    for (name, value) in [(b"x@0.npy", 1.0_f32), (b"x@1.npy", 2.0), (b"t@0.npy", 3.0), (b"t@1.npy", 3.0)] {
        let at = values.windows(name.len()).position(|part| part == name).unwrap();
        assert!(values[at..at + 160].windows(4).any(|part| part == value.to_le_bytes()), "{value}");
    }
    let odd =
        ["export", "sum.hlo", "--jax", "out", "--replicas", "3", "--arg", "f32[] 1", "--arg", "f32[] 2"];
    assert!(folder.rejected(&odd).contains('3'));
    fs::write(
        folder.0.join("call.hlo"),
        "HloModule c\nENTRY e { ROOT r = f32[] custom-call(), custom_call_target=\"f\" }",
    )
    .unwrap();
    assert!(folder.rejected(&["export", "call.hlo", "--jax", "out"]).contains("host"));
}
