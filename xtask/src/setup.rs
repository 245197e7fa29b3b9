//! Installs the tools that a command needs into `.tools/`, if they are missing.
//!
//! Versions are pinned here, except wasm-bindgen's, which is Cargo.lock's. A tool of the right version on the path is
//! reused.

use std::fs;
use std::path::Path;

use crate::Result;
use crate::arguments::Arguments;
use crate::browsers::{self, Browser};
use crate::editor;
use crate::process::Process;
use crate::project::{self, NODE, TOOLS};

const WASM: &str = "wasm32-unknown-unknown";
/// The target of the Python package's program.
const WASI: &str = "wasm32-wasip1";
/// The last release that the pinned compiler can build.
const TRUNK: &str = "0.21.14";
const GECKODRIVER: &str = "0.37.1";
const WASM_SPLIT: &str = "0.2.1";
/// The npm package with wasm-opt.
const BINARYEN: &str = "132.0.0";
const ESBUILD: &str = "0.28.2";
const AXE: &str = "4.14.1";
/// The minimum major version of Node, for wasm-opt.
const MIN_NODE_VERSION: u32 = 18;

/// A tool that a command needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// rustfmt and clippy.
    Components,
    /// The standard library for WebAssembly.
    WasmTarget,
    /// Trunk, which bundles the app.
    Trunk,
    /// wasm-bindgen's command line and test runner.
    WasmBindgen,
    /// The splitter of WebAssembly modules.
    WasmSplit,
    /// Node with npm.
    Node,
    /// The optimizer of WebAssembly.
    WasmOpt,
    /// The minifier of scripts and style sheets.
    Esbuild,
    /// The packages of the Program screen's editor.
    Editor,
    /// The accessibility audit.
    Axe,
    /// The interpreter that finds undefined behaviour, with its nightly toolchain.
    Miri,
    /// A browser with its driver.
    Browser(Browser),
}

/// The needs of serving the app.
pub const SERVE: &[Need] = &[
    Need::WasmTarget,
    Need::Trunk,
    Need::WasmBindgen,
    Need::WasmSplit,
    Need::Node,
    Need::Esbuild,
    Need::Editor,
];
/// The needs of building the site.
pub const DIST: &[Need] = &[
    Need::WasmTarget,
    Need::Trunk,
    Need::WasmBindgen,
    Need::WasmSplit,
    Need::Node,
    Need::WasmOpt,
    Need::Esbuild,
    Need::Editor,
];
/// The needs of the checks without tests.
pub const LINT: &[Need] = &[Need::Components, Need::WasmTarget];

/// `cargo xtask setup`.
pub fn run(arguments: Arguments) -> Result<()> {
    arguments.finish()?;
    ensure(&needs_of_every_check(&[Browser::Chrome, Browser::Firefox]))?;
    println!("everything the commands need is installed");
    Ok(())
}

/// The needs of every check in these browsers.
pub fn needs_of_every_check(browsers: &[Browser]) -> Vec<Need> {
    let browsers = browsers.iter().map(|browser| Need::Browser(*browser));
    LINT.iter().chain(DIST).copied().chain([Need::Axe]).chain(browsers).collect()
}

/// Installs the missing tools of `needs`.
pub fn ensure(needs: &[Need]) -> Result<()> {
    for need in needs {
        match need {
            Need::Components => components()?,
            Need::WasmTarget => wasm_target()?,
            Need::Trunk => cargo_tool("trunk", "trunk", TRUNK, Work::Starts, &["--locked"])?,
            // Without its lock file, which lists a release that some registries no longer have.
            Need::WasmBindgen => {
                cargo_tool(
                    "wasm-bindgen-cli",
                    "wasm-bindgen",
                    &project::locked_version("wasm-bindgen")?,
                    Work::Computes,
                    &[],
                )?;
            }
            Need::WasmSplit => wasm_split()?,
            Need::Node => node()?,
            Need::WasmOpt => npm_package("binaryen", BINARYEN)?,
            Need::Esbuild => npm_package("esbuild", ESBUILD)?,
            Need::Editor => editor::install()?,
            Need::Miri => miri()?,
            Need::Axe => npm_package("axe-core", AXE)?,
            Need::Browser(browser) => {
                browsers::ensure(*browser)?;
                if *browser == Browser::Firefox && !browsers::has_geckodriver() {
                    cargo_tool("geckodriver", "geckodriver", GECKODRIVER, Work::Starts, &["--locked"])?;
                }
            }
        }
    }
    Ok(())
}

fn components() -> Result<()> {
    for (component, line) in [("rustfmt", "fmt --version"), ("clippy", "clippy --version")] {
        if Process::cargo()?.args(line).output().is_err() {
            announce(component);
            Process::new("rustup")?.args("component add").arg(component).run()?;
        }
    }
    Ok(())
}

fn wasm_target() -> Result<()> {
    for target in [WASM, WASI] {
        let folder = || Process::new("rustc")?.args("--print target-libdir --target").arg(target).output();
        if !folder().is_ok_and(|folder| Path::new(folder.trim()).is_dir()) {
            announce(target);
            Process::new("rustup")?.args("target add").arg(target).run()?;
        }
    }
    Ok(())
}

fn miri() -> Result<()> {
    if Process::new("rustup")?.args("run nightly cargo miri --version").output().is_ok() {
        return Ok(());
    }
    announce("Miri, with the nightly toolchain");
    Process::new("rustup")?
        .args("toolchain install nightly --profile minimal --component miri --component rust-src")
        .run()
}

/// Builds a Rust program of exactly this version, if it is missing.
fn cargo_tool(package: &str, program: &str, version: &str, work: Work, options: &[&str]) -> Result<()> {
    let installed = || Process::new(program)?.arg("--version").output();
    let is_installed = |text: String| text.split_whitespace().nth(1) == Some(version);
    if installed().is_ok_and(is_installed) {
        return Ok(());
    }
    install_tool(package, version, work, options)
}

/// Installs the splitter. It does not print its version, so cargo's record is read.
fn wasm_split() -> Result<()> {
    let package = "wasm_split_cli_support";
    let record = fs::read_to_string(Path::new(TOOLS).join(".crates.toml")).unwrap_or_default();
    if record.contains(&format!("\"{package} {WASM_SPLIT} ")) {
        return Ok(());
    }
    install_tool(package, WASM_SPLIT, Work::Computes, &["--locked", "--features", "build-binary"])
}

/// What a tool spends its time on.
#[derive(Clone, Copy)]
enum Work {
    /// It reads and writes WebAssembly modules of megabytes itself.
    Computes,
    /// It starts other programs, and waits for them.
    Starts,
}

fn install_tool(package: &str, version: &str, work: Work, options: &[&str]) -> Result<()> {
    announce(&format!("{package} {version} (built from source once; this takes minutes)"));
    let install = Process::cargo()?.args("install --force --root").arg(TOOLS);
    let level = match work {
        Work::Computes => "1",
        Work::Starts => "0",
    };
    // Their own release profiles optimize across packages and for speed, but the first `cargo xtask test` mostly waits for their build.
    let install = install
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", level);
    options.iter().fold(install, Process::arg).arg(format!("{package}@{version}")).run()
}

fn node() -> Result<()> {
    let version = || Process::new("node")?.arg("--version").output();
    let major = |text: String| text.trim().trim_start_matches('v').split('.').next()?.parse::<u32>().ok();
    let is_installed = || version().ok().and_then(major).is_some_and(|major| major >= MIN_NODE_VERSION);
    let has_npm = || project::find_program(&["npm"]).is_some();
    if is_installed() && has_npm() {
        return Ok(());
    }
    browsers::apt_install(&["nodejs", "npm"], &format!("Node.js {MIN_NODE_VERSION} or newer, with npm"))?;
    if is_installed() && has_npm() {
        return Ok(());
    }
    Err(format!("the installed Node.js is too old: install Node.js {MIN_NODE_VERSION} or newer, with npm")
        .into())
}

/// Installs an npm package of exactly this version, if it is missing.
fn npm_package(name: &str, version: &str) -> Result<()> {
    let manifest = Path::new(NODE).join("node_modules").join(name).join("package.json");
    let is_installed = |text: String| text.contains(&format!("\"version\": \"{version}\""));
    if fs::read_to_string(manifest).is_ok_and(is_installed) {
        return Ok(());
    }
    announce(&format!("{name} {version}"));
    fs::create_dir_all(NODE)?;
    let install = Process::new("npm")?.args("install --no-audit --no-fund --save-exact --prefix").arg(NODE);
    install.arg(format!("{name}@{version}")).run()
}

fn announce(what: &str) {
    println!("installing {what}");
}
