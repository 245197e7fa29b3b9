//! The developer's commands; `cargo xtask` lists them.
//!
//! Invariant: with only rustup's cargo, every command works without a further step. Each installs the tools that it
//! needs ([`setup`]) into the git-ignored `.tools/` if they are missing. Each command is a module.

mod arguments;
mod assets;
mod bench;
mod bench_module;
mod browsers;
mod code_splitting;
mod commits;
mod coverage;
mod diagram;
mod dist;
mod e2e;
mod editor;
mod fingerprint;
mod import_names;
mod json;
mod kernels;
mod layers;
mod lint;
mod minify;
mod miri;
mod modules;
mod npm;
mod npm_pages;
mod npm_tests;
mod packages;
mod plans;
mod policy;
mod process;
mod project;
mod quick;
mod rules;
mod serve;
mod setup;
mod shot;
mod sizes;
mod snapshot_page;
mod soak;
mod steps;
mod test;
mod wheel;

use std::process::ExitCode;

use arguments::Arguments;

/// The result of a command; an error is a message for the developer.
type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  serve [--release] [--port N]                 build the app, serve it on 127.0.0.1:8080 and rebuild on changes
  test [--quick] [--browser chrome|firefox]    run every check; --quick: the native checks of changed packages
  e2e [FILTER..] [--browser chrome|firefox] [--jobs N]
                                               run the end-to-end tests whose names contain a filter, N browsers at a time
  dist                                         build the site into dist/, ready for any static host, and the JavaScript package
  lint                                         run the static checks: formatting, clippy, docs, file rules
  layers                                       check the layers of the crates and the import cycles of their modules
  bench [--browser chrome|firefox] [--screen layout|ops|program|kernels|memory|sweep] [--only PART] [--native]
                                               build the site and measure it in a browser; --native: measure native kernels
  soak [--browser chrome|firefox] [--links N] [--first N]
                                               open mutated links in a browser, and check that the page neither fails nor hangs
  bench-module                                 write the kernels as modules for a benchmark page (target/bench-web/)
  npm [--test] [--measure]                     build the JavaScript package into target/npm/package; --test: build it for
                                               tests and run them in Node.js; --measure: print its times
  wheel [--test]                               build the Python package into target/wheel/; --test: and test it
  kernels                                      compile the kernels' WebAssembly modules into target/kernels/
  shot OUT.png [options]                       take a screenshot of the built dist/ (shot --help lists the options)
  coverage                                     run the native tests and print their line coverage of the core
  miri [FILTER..]                              run the kernels' tests under Miri, which finds undefined behaviour
  setup                                        install everything the commands need into .tools/
";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let mut arguments = Arguments::from_env();
    let Some(command) = arguments.positional() else {
        print!("{USAGE}");
        return Ok(());
    };
    if arguments.flag("--help") && command != "shot" {
        print!("{USAGE}");
        return Ok(());
    }
    project::enter()?;
    match command.as_str() {
        "serve" => serve::run(arguments),
        "test" => test::run(arguments),
        "e2e" => e2e::run(arguments),
        "dist" => dist::run(arguments),
        "lint" => lint::run(arguments),
        "layers" => layers::run(arguments),
        "bench" => bench::run(arguments),
        "kernels" => kernels::run(arguments),
        "npm" => npm::run(arguments),
        // Called by Trunk (Trunk.toml), not by a developer.
        "assets" => assets::run(arguments),
        "bench-module" => bench_module::run(arguments),
        "soak" => soak::run(arguments),
        "shot" => shot::run(arguments),
        "coverage" => coverage::run(arguments),
        "miri" => miri::run(arguments),
        "wheel" => wheel::run(arguments),
        "setup" => setup::run(arguments),
        _ => Err(format!("unknown command `{command}`\n\n{USAGE}").into()),
    }
}
