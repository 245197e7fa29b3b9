//! The Speed screen's entry point. A native build prints how to serve it.

#[cfg(target_os = "unknown")]
fn main() {
    xla_playground::app::speed::page::mount();
}

#[cfg(not(target_os = "unknown"))]
fn main() {
    println!("this is a part of the web app: serve it with `cargo xtask serve`");
}
