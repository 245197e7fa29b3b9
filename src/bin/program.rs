//! The Program screen's entry point. A native build prints how to serve it.

#[cfg(target_arch = "wasm32")]
fn main() {
    xla_playground::app::program::page::mount();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    println!("this is a part of the web app: serve it with `cargo xtask serve`");
}
