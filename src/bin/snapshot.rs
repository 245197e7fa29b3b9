//! The entry point of the page that shows a snapshot. A native build prints how to serve the app.

#[cfg(target_os = "unknown")]
fn main() {
    xla_playground::app::snapshot::page::mount();
}

#[cfg(not(target_os = "unknown"))]
fn main() {
    println!("this is a part of the web app: serve it with `cargo xtask serve`");
}
