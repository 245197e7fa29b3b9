//! The web app's entry point. A native build prints how to serve it.

#[cfg(target_arch = "wasm32")]
fn main() {
    xla_playground::app::layout::page::mount();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    println!("this is the web app: serve it with `cargo xtask serve`");
}
