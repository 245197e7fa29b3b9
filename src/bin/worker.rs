//! The workers' entry point.

#[cfg(target_os = "unknown")]
fn main() {
    xla_playground::worker::serve();
}

#[cfg(not(target_os = "unknown"))]
fn main() {
    println!("this is the web app's worker: serve the app with `cargo xtask serve`");
}
