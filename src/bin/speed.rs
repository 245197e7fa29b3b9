//! The Speed screen's entry point: mounts it. A native build only says how to serve it.

#[cfg(target_arch = "wasm32")]
fn main() {
    xla_playground::app::mount_speed();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    println!("this is a part of the web app: serve it with `cargo xtask serve`");
}
