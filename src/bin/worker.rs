//! The worker's entry point: runs what would hold up the page, off the main thread.

#[cfg(target_arch = "wasm32")]
fn main() {
    use gloo::worker::Registrable;
    use xla_playground::worker::{evaluate_crew, evaluate_service, service, speed_crew, speed_service};
    console_error_panic_hook::set_once();
    if evaluate_service::is_asked_for() {
        evaluate_service::serve();
    } else if evaluate_crew::is_asked_for() {
        evaluate_crew::serve();
    } else if speed_service::is_asked_for() {
        speed_service::serve();
    } else if speed_crew::is_asked_for() {
        speed_crew::serve();
    } else {
        service::Service::registrar().register();
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    println!("this is the web app's worker: serve the app with `cargo xtask serve`");
}
