//! The causes why no kernel, or not the requested one, computed a result: each is provoked as by a network, a host or
//! a browser, and its message is checked in both languages.

use harness::{Page, Reply, Test};

use crate::app::{IN_CHROME, IN_FIREFOX, open_run, quoted};
use crate::causes::{has_cause, in_both_languages, site_file};
use crate::wasm;

pub const TESTS: &[Test] = harness::tests![
    a_missing_module_is_reported_and_loaded_again: IN_FIREFOX,
    a_server_that_cannot_be_reached_is_reported: IN_CHROME,
    a_module_that_hangs_is_given_up: IN_FIREFOX,
    a_damaged_module_falls_back_to_scalar: IN_FIREFOX,
    out_of_memory_is_not_reported_as_unsupported_type,
    a_crash_is_reported_with_its_kernel_and_the_next_run_goes_on,
    a_module_of_another_release_is_rejected: IN_CHROME,
    a_browser_without_simd_gets_the_scalar_kernels: IN_CHROME,
    a_browser_without_relaxed_simd_gets_the_strict_kernels: IN_FIREFOX,
    unsupported_ops_are_named: IN_CHROME,
];

/// A dot that runs in the worker, and is fast enough in the reference evaluator.
const DOT: &str = "HloModule m\n\nENTRY e {\n  a = f32[96,96] parameter(0)\n  \
    ROOT d = f32[96,96] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";

const MADE: &str = "#result-computed-by";

/// Opens the Ops screen with kernels off, so that no worker is started early; then selects the kernels and enters the
/// dot.
#[track_caller]
fn run_dot(page: &Page, kernels: &str) {
    page.goto("");
    page.run(&format!("localStorage.setItem('xla-playground.preferences', '{{\"kernels\":\"{kernels}\"}}')"));
    page.goto(&format!("?{kernels}#ops1/@negate"));
    write(page, DOT);
}

#[track_caller]
fn write(page: &Page, text: &str) {
    page.run(&format!("location.hash = '#ops1/' + encodeURIComponent({});", quoted(text)));
}

/// Waits for the result of the dot; a request may take its whole timeout before.
#[track_caller]
fn wait_for_provenance(page: &Page, start: &str) {
    let made = format!(
        "document.querySelector('#result-shape')?.textContent.startsWith('f32[96,96]') &&
         document.querySelector('{MADE}')?.textContent.startsWith({})",
        quoted(start)
    );
    for _ in 0..4 {
        if page.try_eval::<bool>(&within(&made)).is_ok_and(|is| is) {
            return;
        }
    }
    page.wait_for(&made);
}

/// JavaScript for a promise of whether a condition becomes true within some seconds.
fn within(condition: &str) -> String {
    format!(
        "new Promise((done) => {{
            const end = performance.now() + 8000;
            const look = () => {condition} ? done(true) : performance.now() > end ? done(false) : setTimeout(look, 50);
            look();
        }})"
    )
}

/// Checks the message of a cause in both languages, retries with the site served as it is, and checks that the kernel
/// runs.
#[track_caller]
fn reports(page: &Page, cause: &str, english: &str, chinese: &str) {
    wait_for_provenance(page, "reference evaluator");
    assert_eq!(page.attribute("#made-cause", "data-cause").as_deref(), Some(cause));
    // The section of the cause is opened after the result has been drawn.
    page.wait_for("document.querySelector('#run')?.open");
    in_both_languages(page, MADE, english, chinese);
    assert!(page.axe().is_empty(), "{:?}", page.axe());
    page.site().reset_replies();
    page.take_problems();
    if page.count("#kernels-again") == 1 {
        page.click("#kernels-again");
        wait_for_provenance(page, "kernel dot f32");
        assert_eq!(page.count("#made-cause"), 0);
    }
}

fn a_missing_module_is_reported_and_loaded_again(page: &Page) {
    page.site().reply_with("kernels-strict.wasm", Reply::Status(404));
    run_dot(page, "Strict");
    reports(page, "status", "status 404", "状态码 404");
}

fn a_server_that_cannot_be_reached_is_reported(page: &Page) {
    page.site().reply_with("kernels-strict.wasm", Reply::CloseConnection);
    run_dot(page, "Strict");
    reports(page, "unreachable", "the server cannot be reached", "连接不到服务器");
}

fn a_module_that_hangs_is_given_up(page: &Page) {
    page.site().reply_with("kernels-strict.wasm", Reply::Stall);
    run_dot(page, "Strict");
    reports(page, "timed-out", "nothing was received for 10 seconds", "10 秒内没有收到任何数据");
}

fn a_damaged_module_falls_back_to_scalar(page: &Page) {
    page.site().reply_with("kernels-strict.wasm", Reply::Content(b"<!DOCTYPE html><p>not here".to_vec()));
    run_dot(page, "Strict");
    wait_for_provenance(page, "kernel dot f32, without SIMD");
    assert!(has_cause(page, "#made-cause", "damaged"));
    in_both_languages(page, "#made-cause", "its file is damaged or incomplete", "文件已损坏或不完整");
    page.site().reset_replies();
    page.click("#kernels-again");
    wait_for_provenance(page, "kernel dot f32, the same bits");
}

fn out_of_memory_is_not_reported_as_unsupported_type(page: &Page) {
    let little = wasm::with_memory_limit(&site_file("kernels-strict.wasm"), 0);
    page.site().reply_with("kernels-strict.wasm", Reply::Content(little));
    run_dot(page, "Strict");
    wait_for_provenance(page, "reference evaluator");
    assert!(has_cause(page, "#made-cause", "out-of-memory"));
    in_both_languages(page, MADE, "ran out of memory: it asked for 111 kB", "内存不足：申请了 111 kB");
}

fn a_crash_is_reported_with_its_kernel_and_the_next_run_goes_on(page: &Page) {
    let trapping = wasm::with_trapping_export(&site_file("kernels-strict.wasm"), "run");
    page.site().reply_with("kernels-strict.wasm", Reply::Content(trapping));
    run_dot(page, "Strict");
    wait_for_provenance(page, "reference evaluator");
    assert!(has_cause(page, "#made-cause", "trapped"));
    in_both_languages(page, MADE, "crashed in dot f32. This is a bug in the app", "在执行 dot f32 时崩溃");
    // The values are the reference evaluator's: row 0 of iota times column 0.
    let expected: i64 = (0..96).map(|i| i * 96 * i).sum();
    assert!(page.text("#working").ends_with(&format!("= {expected}")), "{}", page.text("#working"));
    page.click("#kernels-again");
    page.wait_for("!document.querySelector('#running, #as-of-before')");
    wait_for_provenance(page, "reference evaluator");
}

fn a_module_of_another_release_is_rejected(page: &Page) {
    let other = wasm::with_other_fingerprint(&site_file("kernels-strict.wasm"));
    page.site().reply_with("kernels-strict.wasm", Reply::Content(other));
    run_dot(page, "Strict");
    wait_for_provenance(page, "reference evaluator");
    assert!(has_cause(page, "#made-cause", "other-release"));
    assert_eq!(page.count("#kernels-again"), 0, "trying again would change nothing");
    in_both_languages(page, MADE, "is from a different release than this page", "与本页面不是同一版本");
    page.site().reset_replies();
    page.click("#kernels-reload");
    wait_for_provenance(page, "kernel dot f32");
}

/// The worker's loader for a browser without some instructions: small modules that match `lacks`, the probes, fail to
/// validate.
#[track_caller]
fn without(page: &Page, lacks: &str) {
    let patch = format!(
        "{{
            const {{ validate, compile }} = WebAssembly;
            const lacks = (bytes) => bytes.byteLength < 64 && ({lacks})([...bytes]);
            WebAssembly.validate = (bytes) => !lacks(bytes) && validate(bytes);
            WebAssembly.compile = (bytes) => lacks(bytes) ? Promise.reject(new WebAssembly.CompileError('no')) : compile(bytes);
        }}\n"
    );
    let loader = [patch.into_bytes(), site_file("worker_loader.js")].concat();
    page.site().reply_with("worker_loader.js", Reply::Content(loader));
}

fn a_browser_without_simd_gets_the_scalar_kernels(page: &Page) {
    without(page, "(bytes) => bytes.includes(0xfd)");
    run_dot(page, "Strict");
    wait_for_provenance(page, "kernel dot f32, without SIMD");
    assert!(has_cause(page, "#made-cause", "no-simd"));
    in_both_languages(
        page,
        "#made-cause",
        "This browser has no WebAssembly SIMD",
        "此浏览器不支持 WebAssembly SIMD",
    );
    assert_eq!(page.count("#kernels-again, #kernels-reload"), 0, "nothing would help");
    let expected: i64 = (0..96).map(|i| i * 96 * i).sum();
    assert!(page.text("#working").ends_with(&format!("= {expected}")), "{}", page.text("#working"));
}

fn a_browser_without_relaxed_simd_gets_the_strict_kernels(page: &Page) {
    without(page, "(bytes) => String(bytes).includes('253,128,2')");
    run_dot(page, "Fast");
    wait_for_provenance(page, "kernel dot f32, the same bits");
    assert!(has_cause(page, "#made-cause", "no-relaxed-simd"));
    in_both_languages(page, "#made-cause", "This browser has no relaxed SIMD", "此浏览器不支持 relaxed SIMD");
}

fn unsupported_ops_are_named(page: &Page) {
    run_dot(page, "Strict");
    wait_for_provenance(page, "kernel dot f32");
    write(page, &DOT.replace("f32", "s4"));
    page.wait_for("document.querySelector('#result-shape')?.textContent.startsWith('s4[96,96]')");
    page.wait_for("!document.querySelector('#running, #as-of-before')");
    open_run(page);
    let made = page.text(MADE);
    assert!(!made.contains("too small") && !made.contains("kernel dot"), "{made}");
}
