//! The end-to-end tests of the built site. A module lists its tests; one that is not listed does not compile.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "tests may panic")]

mod accessibility;
mod app;
mod bombs;
mod boot;
#[path = "../../crates/kernels/benches/cases/mod.rs"]
mod cases;
mod causes;
mod causes_kernels;
mod compare;
mod containment;
mod embed;
mod errors;
mod export;
mod extras;
mod failure_page;
mod gallery;
#[path = "../native/golden/mod.rs"]
mod golden;
mod graph;
mod jumps;
mod kernel_module;
mod kernels;
mod kernels_goldens;
mod kernels_memory;
mod keyboard;
mod landing;
mod languages;
mod large;
mod layers;
mod links;
mod lowering;
#[path = "bench/module.rs"]
mod module;
mod npm;
mod offline;
mod ops;
mod ops_catalogue;
mod ops_documents;
mod ops_export;
mod ops_form;
mod ops_pictures;
mod ops_sources;
mod ops_unreadable;
mod ops_worker;
mod padded;
mod pointer;
mod preferences;
mod program;
mod program_compare;
mod program_devices;
mod program_editor;
mod program_samples;
mod program_values;
mod program_views;
mod program_workers;
mod sandbox;
mod serve;
mod shapes;
mod snapshot;
mod snapshot_host;
mod speed;
mod talk;
mod wasm;
mod watched;

use std::process::ExitCode;

fn main() -> ExitCode {
    // The longest come first, so that none is still running when the other browsers are done.
    harness::runner::run(&[
        ops_catalogue::TESTS,
        kernels_goldens::TESTS,
        ops_sources::TESTS,
        program_samples::TESTS,
        landing::TESTS,
        offline::TESTS,
        boot::TESTS,
        failure_page::TESTS,
        preferences::TESTS,
        npm::TESTS,
        padded::TESTS,
        keyboard::TESTS,
        jumps::TESTS,
        pointer::TESTS,
        program::TESTS,
        program_compare::TESTS,
        program_devices::TESTS,
        program_editor::TESTS,
        program_values::TESTS,
        program_views::TESTS,
        program_workers::TESTS,
        links::TESTS,
        lowering::TESTS,
        errors::TESTS,
        shapes::TESTS,
        compare::TESTS,
        large::TESTS,
        export::TESTS,
        extras::TESTS,
        languages::TESTS,
        ops::TESTS,
        gallery::TESTS,
        graph::TESTS,
        ops_documents::TESTS,
        ops_export::TESTS,
        ops_form::TESTS,
        ops_worker::TESTS,
        ops_unreadable::TESTS,
        bombs::TESTS,
        kernels::TESTS,
        causes::TESTS,
        causes_kernels::TESTS,
        kernels_memory::TESTS,
        embed::TESTS,
        talk::TESTS,
        ops_pictures::TESTS,
        snapshot::TESTS,
        snapshot_host::TESTS,
        sandbox::TESTS,
        serve::TESTS,
        containment::TESTS,
        speed::TESTS,
        accessibility::TESTS,
        watched::TESTS,
    ])
}
