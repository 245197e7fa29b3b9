//! The terminal program's entry point.

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    xla_playground::cli::main()
}

#[cfg(target_arch = "wasm32")]
fn main() {}
