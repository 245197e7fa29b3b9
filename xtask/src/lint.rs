//! `cargo xtask lint`: all checks except tests.

use crate::arguments::Arguments;
use crate::process::Process;
use crate::steps::Steps;
use crate::{Result, commits, layers, project, rules, setup};

/// Packages that only a web page can use.
const WEB_PACKAGES: [&str; 4] = ["js-sys", "wasm-bindgen", "web-sys", "yew"];

/// `cargo xtask lint`.
pub fn run(arguments: Arguments) -> Result<()> {
    arguments.finish()?;
    setup::ensure(setup::LINT)?;
    let mut steps = Steps::new();
    run_steps(&mut steps)?;
    steps.finish();
    Ok(())
}

/// All checks except tests.
pub fn run_steps(steps: &mut Steps) -> Result<()> {
    steps.step("formatting", || Process::cargo()?.args("fmt --all --check").run())?;
    steps.step("clippy, native", || {
        Process::cargo()?.args("clippy --workspace --all-targets --features web -- -D warnings").run()
    })?;
    steps.step("clippy, WebAssembly", || {
        // The package's other binary and tests are native.
        let clippy =
            Process::cargo()?.args("clippy --features web --target wasm32-unknown-unknown --lib --test web");
        let programs = project::site_programs()?;
        let clippy = programs.iter().fold(clippy, |clippy, program| clippy.arg("--bin").arg(program));
        clippy.args("-- -D warnings").run()?;
        let package = "clippy --target wasm32-unknown-unknown --package xla-javascript -- -D warnings";
        Process::cargo()?.args(package).run()
    })?;
    steps.step("no web package in the native build", no_web_package)?;
    steps.step("documentation", || {
        let doc =
            || Ok::<_, Box<dyn std::error::Error>>(Process::cargo()?.env("RUSTDOCFLAGS", "-D warnings"));
        doc()?.args("doc --workspace --no-deps").run()?;
        doc()?.args("doc --package xla-playground --lib --no-deps --target wasm32-unknown-unknown").run()
    })?;
    steps.step("file rules", rules::check)?;
    steps.step("layers of crates", layers::check_crates)?;
    steps.step("import cycles of modules", layers::check_modules)?;
    steps.step("subjects of commits", commits::check)
}

/// Fails if the package's native dependencies include a web package.
fn no_web_package() -> Result<()> {
    let tree = Process::cargo()?
        .args("tree --package xla-playground --edges normal,build --prefix none --format {p}");
    let tree = tree.output()?;
    let is_web = |name: &&str| WEB_PACKAGES.contains(name);
    let found: Vec<&str> = tree.lines().filter_map(|line| line.split(' ').next()).filter(is_web).collect();
    if found.is_empty() {
        println!("{} packages, none of them for the web", tree.lines().count());
        return Ok(());
    }
    Err(format!("the native build depends on {}: `cargo tree --invert NAME` says why", found.join(", "))
        .into())
}
