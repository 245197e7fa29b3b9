//! The CLI's help and its examples (all of which are run), completions, man pages and colours.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAM: &str = env!("CARGO_BIN_EXE_xla-playground");

fn run(args: &[&str]) -> Output {
    Command::new(PROGRAM).env("LC_ALL", "C").args(args).env_remove("NO_COLOR").output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn help(args: &[&str]) -> String {
    let output = run(args);
    assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The names of the commands in the program's help.
fn commands() -> Vec<String> {
    let help = help(&["help"]);
    let (_, listed) = help.split_once("Commands:\n").unwrap();
    let names = listed.lines().take_while(|line| line.starts_with("  "));
    let names =
        names.filter(|line| !line.starts_with("    ")).filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// The examples of a help text.
fn examples(help: &str) -> Vec<String> {
    let (_, examples) = help.split_once("Examples:\n").unwrap_or_default();
    examples.lines().map(|line| line.trim().to_owned()).collect()
}

/// A folder with the files that the examples name.
fn folder_with_files(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("xla-playground-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let module = |value: &str, op: &str| {
        format!(
            "HloModule m\n\nENTRY e {{\n  x = f32[2]{{0}} parameter(0)\n  y = f32[2]{{0}} constant({{{value}}})\n  \
             ROOT sum = f32[2]{{0}} {op}(x, y)\n}}\n"
        )
    };
    fs::write(folder.join("program.hlo"), module("3, 4", "add")).unwrap();
    fs::write(folder.join("other.hlo"), module("3, 4", "add").replace("sum", "total")).unwrap();
    let nan = module("inf, 4", "add")
        .replace("ROOT sum", "none = f32[2]{0} subtract(y, y)\n  ROOT sum")
        .replace("(x, y)", "(x, none)");
    fs::write(folder.join("nan.hlo"), nan).unwrap();
    fs::write(
        folder.join("cases.jsonl"),
        "{\"name\": \"one\", \"hlo\": \"HloModule m\\nENTRY e { ROOT c = f32[] constant(1) }\", \"args\": []}\n",
    )
    .unwrap();
    let mut header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }".to_vec();
    header.resize(117, b' ');
    header.push(b'\n');
    let array =
        [b"\x93NUMPY\x01\x00\x76\x00".as_slice(), &header, &1_f32.to_le_bytes(), &2_f32.to_le_bytes()]
            .concat();
    fs::write(folder.join("x.npy"), array).unwrap();
    // The files of a built site that the program reads.
    let template = "<title>XLA Playground</title><script type=\"application/json\" id=\"snapshot\"></script>";
    fs::write(folder.join("snapshot-0.html"), template).unwrap();
    fs::write(folder.join("index.html"), "").unwrap();
    folder
}

#[test]
#[cfg(unix)]
fn every_command_has_examples_and_each_runs() {
    let folder = folder_with_files("examples");
    let path = Path::new(PROGRAM).parent().unwrap().display().to_string();
    let path = format!("{path}:{}", std::env::var("PATH").unwrap_or_default());
    let mut count = 0;
    let of_commands = commands().into_iter().map(|command| help(&["help", &command]));
    for help in [help(&["--help"])].into_iter().chain(of_commands) {
        let examples = examples(&help);
        assert!(!examples.is_empty(), "{help}");
        // `cli_serve.rs` runs the example of the server, which does not end.
        for example in examples.iter().filter(|example| !example.starts_with("xla-playground serve ")) {
            assert!(example.starts_with("xla-playground "), "{example}");
            let output = Command::new("sh")
                .args(["-c", example])
                .current_dir(&folder)
                .env("PATH", &path)
                .env("XLA_PLAYGROUND_SITE", &folder)
                .output()
                .unwrap();
            assert!(output.status.success(), "{example}: {}{}", text(&output.stdout), text(&output.stderr));
            count += 1;
        }
    }
    assert!(count >= 25, "{count} examples");
    assert!(fs::read_to_string(folder.join("array.svg")).unwrap().starts_with("<svg"));
    assert!(fs::read_to_string(folder.join("page.html")).unwrap().contains("<title>m</title>"));
    assert!(fs::read_to_string(folder.join("fixed.hlo")).unwrap().contains("ROOT sum"));
    assert!(folder.join("pages/xla-playground-eval.1").is_file());
}

#[test]
fn completions_name_every_command() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = help(&["completions", shell]);
        for command in commands() {
            assert!(script.contains(&command), "{shell} does not complete {command}");
        }
        assert!(script.contains("time-limit"), "{shell}");
    }
    assert_eq!(run(&["completions", "cobol"]).status.code(), Some(2));
}

#[test]
#[cfg(unix)]
fn bash_completes_commands() {
    let script = help(&["completions", "bash"]);
    let ask = "COMP_WORDS=(xla-playground ins); COMP_CWORD=1; _xla__playground xla-playground ins xla-playground; echo \"${COMPREPLY[@]}\"";
    let output = Command::new("bash").args(["-c", &format!("{script}\n{ask}")]).output().unwrap();
    assert_eq!(text(&output.stdout).trim(), "inspect", "{}", text(&output.stderr));
}

#[test]
fn manual_pages_have_the_options_and_examples() {
    let page = help(&["man"]);
    assert!(page.contains(".TH xla-playground 1") && page.contains("Examples:"), "{page}");
    let page = help(&["man", "eval"]);
    assert!(
        page.contains(".TH xla-playground-eval 1") && page.contains("infeed") && page.contains("cases.jsonl"),
        "{page}"
    );
    let unknown = run(&["man", "nothing"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("there is no command nothing"));
}

/// The stderr of `layout` for an invalid shape, with this `--color` and this `NO_COLOR`.
fn error_of(color: Option<&str>, no_color: Option<&str>) -> String {
    let mut command = Command::new(PROGRAM);
    command.env("LC_ALL", "C");
    command.args(["layout", "f32[2,3]{0,0}"]).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command.args(color.map(|when| format!("--color={when}")));
    command.envs(no_color.map(|value| ("NO_COLOR", value)));
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    text(&output.stderr)
}

#[test]
fn colours_depend_on_the_terminal_and_on_color_flags() {
    let plain = error_of(None, None);
    assert!(plain.contains("error [") && !plain.contains('\x1b'), "{plain:?}");
    assert_eq!(error_of(Some("auto"), None), plain);
    assert_eq!(error_of(Some("never"), None), plain);
    assert_eq!(error_of(None, Some("1")), plain);
    let coloured = error_of(Some("always"), None);
    assert!(coloured.contains("\x1b[1m\x1b[31merror\x1b[0m ["), "{coloured:?}");
    // `--color` overrides `NO_COLOR`.
    assert_eq!(error_of(Some("always"), Some("1")), coloured);
    let stripped = coloured.split('\x1b').map(|part| part.split_once('m').map_or(part, |(_, rest)| rest));
    let stripped: String = coloured.split('\x1b').take(1).chain(stripped.skip(1)).collect();
    assert_eq!(stripped, plain, "colours change nothing else");
}

#[test]
#[cfg(target_os = "linux")]
fn a_terminal_gets_colours_unless_no_color_is_set() {
    // `script` runs a command on a terminal of its own.
    let on_terminal = |variable: &str| {
        let line = format!("{variable} TERM=xterm {PROGRAM} layout 'f32[2,3]{{0,0}}'");
        Command::new("script").args(["-qec", &line, "/dev/null"]).env_remove("NO_COLOR").output().unwrap()
    };
    let output = on_terminal("");
    assert!(text(&output.stdout).contains("\x1b[31merror"), "{}", text(&output.stdout));
    let output = on_terminal("NO_COLOR=1");
    assert!(text(&output.stdout).contains("error [") && !text(&output.stdout).contains('\x1b'));
}
