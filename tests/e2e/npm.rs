//! The JavaScript package in pages: its files, the single file, and bundles of esbuild and of Vite.
//!
//! `cargo xtask` writes the pages (`xtask/src/npm_pages.rs`); their script is `crates/javascript/tests/checks.js`.

use std::path::PathBuf;

use harness::{Page, Site, Test};
use serde_json::{Value, json};

pub const TESTS: &[Test] = harness::tests![
    the_page_of_the_guide_works_as_it_is_written,
    the_files_of_the_package_work_in_a_page,
    the_single_file_works_in_a_page,
    a_bundle_of_esbuild_works_in_a_page,
    a_bundle_of_vite_works_in_a_page,
    a_bundle_works_in_a_page_from_the_disk,
];

/// The folder of the pages.
fn pages() -> PathBuf {
    harness::project().join("target/npm/pages")
}

/// Serves the pages and opens one of them.
#[track_caller]
fn open(page: &Page, name: &str) {
    let site = Site::serve(&pages(), "/some/package/").expect("`cargo xtask e2e` writes the pages");
    page.allow_site(&site);
    page.visit(&format!("{}{name}", site.url()));
}

/// Opens a page of the checks and compares their results.
#[track_caller]
fn check(page: &Page, name: &str) {
    open(page, name);
    compare(page, name);
}

/// Compares the results of the checks.
#[track_caller]
fn compare(page: &Page, name: &str) {
    page.wait_for("document.querySelector('#result').textContent !== ''");
    let mut found: Value = page.eval("JSON.parse(document.querySelector('#result').textContent)");
    let milliseconds = found.as_object_mut().and_then(|fields| fields.remove("milliseconds"));
    assert!(milliseconds.is_some_and(|time| time.is_u64()), "{name}: {found}");
    let product: Vec<u32> = product().into_iter().map(f32::to_bits).collect();
    assert_eq!(
        found,
        json!({
            "here": product, "worker": product, "prepared": product,
            "cancelled": ["cancelled", "cancelled"],
            "sources": 6,
            "call": "f32[2]{0} {2, 4}",
            "unsupported": "unsupported",
            "error": ["text", "negate", "result-differs"],
            "layout": [[0, 0], [1, 0], null],
            "half": "Uint16Array",
            "cells": true,
        }),
        "{name}"
    );
}

/// The product of the checks' matrices, by this build of the evaluator.
fn product() -> Vec<f32> {
    use xla_playground::array::{ArrayLiteral, Literal};
    use xla_playground::hlo::{Evaluator, parse};

    let text = "HloModule m ENTRY e { x = f32[2,3] parameter(0) y = f32[3,2] parameter(1)
        ROOT z = f32[2,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} }";
    let module = parse(text).into_module().unwrap();
    let arguments = [
        ArrayLiteral::from_slice([2, 3], &[1.0_f32, 0.1, 3.0, 4.0, -0.0, 6.0]),
        ArrayLiteral::from_slice([3, 2], &[1e-45_f32, 2.0, 3.0, 1e38, 5.0, 6.0]),
    ];
    let arguments: Vec<Literal> = arguments.into_iter().map(|array| array.unwrap().into()).collect();
    let result = Evaluator::new(&module).run(&arguments).unwrap();
    result.as_array().and_then(|array| array.as_slice::<f32>()).unwrap().to_vec()
}

fn the_page_of_the_guide_works_as_it_is_written(page: &Page) {
    open(page, "index.html");
    page.wait_for_text("#result", "f32[2]{0} {1, 2.71828175}");
}

fn the_files_of_the_package_work_in_a_page(page: &Page) {
    check(page, "files.html");
}

fn the_single_file_works_in_a_page(page: &Page) {
    check(page, "inline.html");
}

fn a_bundle_of_esbuild_works_in_a_page(page: &Page) {
    check(page, "esbuild.html");
}

fn a_bundle_of_vite_works_in_a_page(page: &Page) {
    if !pages().join("vite/index.html").is_file() {
        println!("WARNING: Vite bundle test SKIPPED: Vite is not installed");
        return;
    }
    check(page, "vite/index.html");
}

fn a_bundle_works_in_a_page_from_the_disk(page: &Page) {
    // A policy with 'self' allows nothing there.
    let html =
        std::fs::read_to_string(pages().join("esbuild.html")).expect("`cargo xtask e2e` writes the pages");
    let without_policy: String = html.lines().filter(|line| !line.contains("http-equiv")).collect();
    let path = pages().join("disk.html");
    std::fs::write(&path, without_policy).unwrap();
    page.visit(&format!("file://{}", path.display()));
    compare(page, "disk.html");
    // The harness reports every request beyond the site.
    for problem in page.take_problems() {
        assert!(problem.contains("file:") || problem.contains("blob:"), "{problem}");
    }
}
