//! The terminal program's entry point.

#[cfg(not(target_os = "unknown"))]
fn main() -> std::process::ExitCode {
    xla_playground::cli::main()
}

#[cfg(target_os = "unknown")]
fn main() {}
