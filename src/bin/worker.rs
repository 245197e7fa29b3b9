//! The worker's entry point: runs what would hold up the page, off the main thread.

#[cfg(target_arch = "wasm32")]
fn main() {
    use xla_playground::worker::{
        evaluate_crew, evaluate_service, report_panics, service, speed_crew, speed_service,
    };
    report_panics();
    if evaluate_service::is_asked_for() {
        evaluate_service::serve();
    } else if evaluate_crew::is_asked_for() {
        evaluate_crew::serve();
    } else if speed_service::is_asked_for() {
        speed_service::serve();
    } else if speed_crew::is_asked_for() {
        speed_crew::serve();
    } else if service::is_asked_for() {
        service::serve();
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    println!("this is the web app's worker: serve the app with `cargo xtask serve`");
}
