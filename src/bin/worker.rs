//! The worker's entry point: runs what would hold up the page, off the main thread.

#[cfg(target_arch = "wasm32")]
fn main() {
    use gloo::worker::Registrable;
    console_error_panic_hook::set_once();
    xla_playground::worker::service::Service::registrar().register();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    println!("this is the web app's worker: serve the app with `cargo xtask serve`");
}
