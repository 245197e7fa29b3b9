//! The terminal program: `layout`, `index`, `at` and `svg` of shapes; `eval`, `fmt`, `check` and `inspect` of HLO text; `diff`,
//! `cut` and `shrink` of programs; `export` of both. `serve` opens a program in a browser, `completions` and `man` describe the
//! program itself.
//!
//! `arguments` defines the command line. A command reads a shape (`input`) or a module (`module`). It prints its result
//! on standard output and exits with 0, or prints an error on standard error and exits with 2; with `--json` both are
//! JSON on standard output ([`crate::wire`]).

mod arguments;
mod batch;
mod case;
mod case_process;
mod clock;
mod colour;
mod cut;
mod diff;
mod documentation;
mod eval;
mod evaluation;
mod examples;
mod export;
mod export_jax;
mod function;
mod host;
mod input;
mod inspect;
mod layout;
mod memory_cap;
mod module;
mod observer;
mod output;
mod picture;
mod program_arguments;
mod recording;
mod replicas;
mod report;
mod run_options;
mod save;
#[cfg(not(target_os = "wasi"))]
mod serve;
mod shrink;
mod site;
mod slots;
mod trace;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use std::sync::mpsc::sync_channel;
use std::thread;

use clap::{CommandFactory, FromArgMatches, ValueEnum};

use self::arguments::{Cli, ColourArg, Command, DialectArg, LanguageArg};
use self::clock::{Clock, ClockedOutput, INTERRUPTED_EXIT_CODE, supervise};
use self::colour::print_diagnostic;
use self::output::{Failure, json_line, print_error};
use crate::i18n::Language;
use crate::wire::ErrorReport;

/// The stack of a command: the deepest nesting of text and calls needs a small part of it.
const STACK_BYTES: usize = 256 << 20;

/// Runs the program.
pub fn main() -> ExitCode {
    // Errors of the command line have colours, too, before it is parsed.
    let colour = colour_of(std::env::args().skip(1));
    let command = Cli::command().color(colour.to_clap());
    let cli = Cli::from_arg_matches(&command.get_matches()).unwrap_or_else(|error| error.exit());
    colour::set(cli.color);
    if !cli.command.json()
        && !matches!(&cli.command, Command::Eval(args) if args.batch.is_some() || args.serve_cases)
    {
        cli.language.map_or_else(language_of_locale, |LanguageArg(language)| language).set_for_output();
    }
    let limit = match &cli.command {
        // Each case has its own limit.
        Command::Eval(args) if args.batch.is_some() || args.serve_cases => None,
        command if !command.is_limited() => None,
        _ => cli.time_limit.0,
    };
    let (clock, json) = (Clock::start(limit), cli.command.json());
    clock::catch_interrupts();
    // A browser would inherit the cap.
    if cli.command.is_limited() {
        let values = cli.command.memory().saturating_mul(1 << 20);
        memory_cap::set(values, STACK_BYTES as u64);
    }
    // WASI has no threads: there the embedder ends a module that does not stop.
    if cfg!(target_os = "wasi") {
        return ExitCode::from(finish(&cli, &clock));
    }
    let (sender, done) = sync_channel(1);
    let worker = {
        let clock = clock.clone();
        thread::Builder::new().name("command".to_owned()).stack_size(STACK_BYTES).spawn(move || {
            // The receiver is gone if the command was ended.
            let _ = sender.send(finish(&cli, &clock));
        })
    };
    if let Err(error) = worker {
        print_error(&error.to_string());
        return ExitCode::FAILURE;
    }
    match supervise(&done, &clock) {
        Ok(code) => ExitCode::from(code),
        // It panicked, which has printed the reason.
        Err(None) => ExitCode::from(101),
        // The command holds standard output; what it printed so far remains.
        Err(Some(stop)) => {
            function::kill_all();
            ExitCode::from(code_of(&report::report_stop(&mut io::stdout(), json, stop)))
        }
    }
}

/// The language of the user's locale, as POSIX defines it: the first of these variables that has a value.
fn language_of_locale() -> Language {
    let values = ["LC_ALL", "LC_MESSAGES", "LANG"].map(|name| std::env::var(name).unwrap_or_default());
    let locale = values.iter().find(|value| !value.is_empty());
    Language::negotiate(locale.map(String::as_str))
}

/// The choice of `--color` among arguments that are not parsed yet: the last one that is valid.
fn colour_of(arguments: impl Iterator<Item = String>) -> ColourArg {
    let arguments: Vec<String> = arguments.collect();
    let separate = arguments.windows(2).filter(|pair| pair[0] == "--color").map(|pair| pair[1].as_str());
    let joined = arguments.iter().filter_map(|argument| argument.strip_prefix("--color="));
    let mut valid = separate.chain(joined).filter_map(|value| ColourArg::from_str(value, false).ok());
    valid.next_back().unwrap_or(ColourArg::Auto)
}

/// The exit code of a failure that was printed.
fn code_of(failure: &Failure) -> u8 {
    if matches!(failure, Failure::Interrupted) { INTERRUPTED_EXIT_CODE } else { 2 }
}

/// Runs a command to completion; returns the exit code.
fn finish(cli: &Cli, clock: &Clock) -> u8 {
    let mut out =
        BufWriter::with_capacity(1 << 16, ClockedOutput { inner: io::stdout(), clock: clock.clone() });
    let json = cli.command.json();
    let done = command(cli, clock, &mut out).and_then(|()| Ok(out.flush()?));
    let stop = clock.stop_reason();
    clock.finish();
    match done {
        Ok(()) => 0,
        // The reader has closed the pipe, like `| head`.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        Err(Failure::Output(error)) => {
            let Some(stop) = stop else {
                print_error(&error.to_string());
                return 1;
            };
            code_of(&report::report_stop(&mut io::sink(), false, stop))
        }
        Err(Failure::Reported) => {
            // A failed write changes nothing: the exit code reports the error.
            let _ = out.flush();
            2
        }
        Err(Failure::Interrupted) => {
            let _ = out.flush();
            INTERRUPTED_EXIT_CODE
        }
        Err(Failure::Input { diagnostic, source, shape }) => {
            if json {
                let report = ErrorReport::of(&diagnostic, &source, shape, Language::ENGLISH);
                // A failed write changes nothing: the exit code reports the error.
                let _ = json_line(&mut out, &report).and_then(|()| Ok(out.flush()?));
            } else {
                print_diagnostic(&diagnostic, &source);
            }
            2
        }
    }
}

fn command(cli: &Cli, clock: &Clock, out: &mut impl Write) -> Result<(), Failure> {
    match &cli.command {
        Command::Layout { shape, proto: true, .. } => layout::print_proto(out, &input::read(shape)?),
        Command::Layout { shape, all, json, .. } => layout::print(out, &input::read(shape)?, *all, *json),
        Command::Index { shape, index, json } => slots::print_slot(out, &input::read(shape)?, index, *json),
        Command::At { shape, slot, json } => slots::print_index(out, &input::read(shape)?, slot, *json),
        Command::Svg { shape, array, dark } => picture::print(out, &input::read(shape)?, *array, *dark),
        Command::Eval(args) => match &args.batch {
            Some(cases) => batch::run(out, cases, args, cli.time_limit, clock),
            None if args.serve_cases => batch::serve_cases(args, cli.time_limit),
            None => eval::run(out, args, clock),
        },
        Command::Diff(args) => diff::run(out, args, clock),
        Command::Cut(args) => cut::run(out, args, clock),
        Command::Shrink(args) => shrink::run(out, args, clock),
        Command::Export(args) => export::run(out, args, clock),
        Command::Fmt { file, edition, to: DialectArg::StableHlo, .. } => {
            module::print_stablehlo(out, file, (*edition).into(), clock)
        }
        Command::Fmt { file, edition, layouts, long, to: DialectArg::Hlo } => {
            module::print(out, file, (*edition).into(), module::print_options(*layouts, *long), clock)
        }
        Command::Check { file, edition, fix: true } => module::fix(out, file, (*edition).into(), clock),
        Command::Check { file, edition, fix: false } => module::check(out, file, (*edition).into(), clock),
        Command::Inspect(args) => inspect::run(out, args, clock),
        #[cfg(not(target_os = "wasi"))]
        Command::Serve(args) => serve::run(out, args, clock),
        Command::Completions { shell } => documentation::completions(out, *shell),
        Command::Man { folder: Some(folder), .. } => documentation::write_pages(out, folder),
        Command::Man { command, folder: None } => documentation::man(out, command.as_deref()),
    }
}
