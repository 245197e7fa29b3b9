//! The causes of worker failures on each screen that has a worker: each is provoked as by a network, a host or a
//! browser, and its message is checked in both languages.

use harness::{Page, Reply, Test};

use crate::app::{IN_CHROME, IN_FIREFOX, open, quoted};

pub const TESTS: &[Test] = harness::tests![
    a_missing_worker_is_reported_and_started_again: IN_FIREFOX,
    a_worker_whose_module_is_missing_is_reported: IN_CHROME,
    a_server_that_cannot_be_reached_is_reported,
    an_offline_browser_is_reported,
    a_worker_that_hangs_is_reported_and_started_again: IN_CHROME,
    a_worker_that_comes_late_is_taken: IN_FIREFOX,
    a_worker_of_another_release_is_rejected: IN_CHROME,
    crashes_are_not_reported_as_out_of_memory,
    a_worker_without_memory_is_reported,
    the_layout_screen_reports_why_it_cannot_count: IN_CHROME,
    the_layout_screen_reports_a_hanging_count: IN_FIREFOX,
    the_speed_screen_reports_why_it_cannot_measure: IN_CHROME,
    the_speed_screen_states_why_rows_are_omitted: IN_FIREFOX,
];

/// An experiment that exceeds the page's limits, but not the worker's.
const DOT: &str = "HloModule m\n\nENTRY e {\n  a = s32[48,48] parameter(0)\n  \
    b = s32[48,48] parameter(1)\n  ROOT short = s32[48,48] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";

/// The content of a file of the built site, by its name without hash.
pub fn site_file(name: &str) -> Vec<u8> {
    let (stem, end) = name.rsplit_once('.').unwrap();
    let is_it = |file: &str| {
        let middle = file.strip_prefix(stem).and_then(|rest| rest.strip_suffix(end));
        middle.is_some_and(|middle| middle == "." || middle.starts_with('-') && middle.len() == 14)
    };
    let mut files = std::fs::read_dir(harness::site()).unwrap().map(|entry| entry.unwrap().path());
    let found = files.find(|path| is_it(&path.file_name().unwrap().to_string_lossy()));
    std::fs::read(found.unwrap_or_else(|| panic!("the site has no {name}"))).unwrap()
}

/// Whether an element reports this cause.
#[track_caller]
pub fn has_cause(page: &Page, selector: &str, cause: &str) -> bool {
    page.wait_for(&format!("document.querySelector({})", quoted(selector)));
    page.attribute(selector, "data-cause").as_deref() == Some(cause)
}

#[track_caller]
fn speak(page: &Page, tag: &str) {
    page.run(&format!(
        "const list = document.querySelector('#language'); list.value = '{tag}';
         list.dispatchEvent(new Event('change', {{ bubbles: true }}));"
    ));
    page.wait_for(&format!("document.documentElement.lang === '{tag}'"));
}

/// The text of an element in English, then in Chinese; the page is in English again afterwards.
#[track_caller]
pub fn in_both_languages(page: &Page, selector: &str, english: &str, chinese: &str) {
    // The sentence arrives after its element: its catalogue is loaded on demand.
    let says = |sentence: &str| {
        let (selector, sentence) = (quoted(selector), quoted(sentence));
        page.wait_for(&format!("document.querySelector({selector})?.innerText.includes({sentence})"));
    };
    says(english);
    speak(page, "zh-Hans");
    says(chinese);
    speak(page, "en");
}

/// Opens the Ops screen with kernels off, so that no worker is started early, and enters an experiment for the
/// worker.
#[track_caller]
fn run_dot(page: &Page) {
    page.goto("");
    page.run("localStorage.setItem('xla-playground.preferences', '{\"kernels\":\"Off\"}')");
    page.goto("?#ops1/@negate");
    page.run(&format!("location.hash = '#ops1/' + encodeURIComponent({});", quoted(DOT)));
}

/// Waits for an element, longer than a timeout of the app.
#[track_caller]
fn wait_for(page: &Page, selector: &str) {
    let is_there = format!(
        "new Promise((done) => {{
            const end = performance.now() + 8000;
            const look = () => document.querySelector({0}) ? done(true)
                : performance.now() > end ? done(false) : setTimeout(look, 50);
            look();
        }})",
        quoted(selector)
    );
    for _ in 0..3 {
        if page.try_eval::<bool>(&is_there).is_ok_and(|is| is) {
            return;
        }
    }
    page.wait_for(&format!("document.querySelector({})", quoted(selector)));
}

#[track_caller]
fn reports(page: &Page, cause: &str, english: &str, chinese: &str) {
    wait_for(page, "#run-died, #run-other-version");
    assert!(has_cause(page, "#run-died, #run-other-version", cause), "{}", page.text("#run-died"));
    in_both_languages(page, "#run-died p, #run-other-version p", english, chinese);
    assert!(page.value("#hlo").contains("short"), "what was typed is there");
    assert_eq!(page.count("#running"), 0);
    assert!(page.axe().is_empty(), "{:?}", page.axe());
    page.take_problems();
}

/// Retries with the site served as it is.
#[track_caller]
fn runs_again(page: &Page) {
    page.site().reset_replies();
    page.click("#run-again");
    page.wait_for("document.querySelector('#result-shape')?.textContent.startsWith('s32[48,48]')");
    assert_eq!(page.count("#run-died"), 0);
    page.take_problems();
}

fn a_missing_worker_is_reported_and_started_again(page: &Page) {
    page.site().reply_with("worker_loader.js", Reply::Status(404));
    run_dot(page);
    reports(
        page,
        "status",
        "The background worker could not be loaded: the server answered with status 404",
        "后台工作线程无法加载：服务器返回状态码 404",
    );
    runs_again(page);
}

fn a_worker_whose_module_is_missing_is_reported(page: &Page) {
    page.site().reply_with("worker_bg.wasm", Reply::Status(503));
    run_dot(page);
    reports(page, "status", "status 503", "状态码 503");
    runs_again(page);
}

fn a_server_that_cannot_be_reached_is_reported(page: &Page) {
    page.site().reply_with("worker_loader.js", Reply::CloseConnection);
    run_dot(page);
    reports(page, "unreachable", "the server cannot be reached", "连接不到服务器");
    runs_again(page);
}

fn an_offline_browser_is_reported(page: &Page) {
    page.site().reply_with("worker_loader.js", Reply::CloseConnection);
    page.goto("");
    page.run("localStorage.setItem('xla-playground.preferences', '{\"kernels\":\"Off\"}')");
    page.goto("?#ops1/@negate");
    page.run("Object.defineProperty(navigator, 'onLine', { get: () => false, configurable: true });");
    page.run(&format!("location.hash = '#ops1/' + encodeURIComponent({});", quoted(DOT)));
    reports(page, "offline", "the browser is offline", "浏览器处于离线状态");
    page.run("delete navigator.onLine;");
    runs_again(page);
}

fn a_worker_that_hangs_is_reported_and_started_again(page: &Page) {
    page.site().reply_with("worker_loader.js", Reply::Hang);
    run_dot(page);
    reports(page, "timed-out", "nothing was received for 10 seconds", "10 秒内没有收到任何数据");
    runs_again(page);
}

fn a_worker_that_comes_late_is_taken(page: &Page) {
    page.site().reply_with(
        "worker_loader.js",
        Reply::Content(
            [
                b"await new Promise((done) => setTimeout(done, 12000));\n".to_vec(),
                site_file("worker_loader.js"),
            ]
            .concat(),
        ),
    );
    run_dot(page);
    wait_for(page, "#run-died");
    // Without a retry: it starts by itself.
    page.wait_for("document.querySelector('#result-shape')?.textContent.startsWith('s32[48,48]')");
    assert_eq!(page.count("#run-died"), 0);
}

/// The loader of a worker of another release.
fn of_another_release() -> Reply {
    let loader = String::from_utf8(site_file("worker_loader.js")).unwrap();
    let (before, after) = loader.split_once("\"release\":\"").expect("the loader says its release");
    Reply::Content(format!("{before}\"release\":\"another-{after}").into_bytes())
}

fn a_worker_of_another_release_is_rejected(page: &Page) {
    page.site().reply_with("worker_loader.js", of_another_release());
    run_dot(page);
    reports(page, "other-release", "is from a different release than this page", "与本页面不是同一版本");
    assert_eq!(page.count("#run-again"), 0, "trying again would change nothing");
    page.site().reset_replies();
    page.click("#run-reload");
    page.wait_for("document.querySelector('#result-shape')?.textContent.startsWith('s32[48,48]')");
}

fn crashes_are_not_reported_as_out_of_memory(page: &Page) {
    let crashing =
        b"addEventListener('message', () => { throw new Error('panicked: provoked'); });\n".to_vec();
    let loader = [crashing, site_file("worker_loader.js")].concat();
    page.site().reply_with("worker_loader.js", Reply::Content(loader));
    run_dot(page);
    reports(page, "trapped", "crashed. This is a bug in the app", "已崩溃。这是应用的错误");
    runs_again(page);
}

fn a_worker_without_memory_is_reported(page: &Page) {
    let little = crate::wasm::with_memory_limit(&site_file("worker_bg.wasm"), 1);
    page.site().reply_with("worker_bg.wasm", Reply::Content(little));
    run_dot(page);
    reports(page, "out-of-memory", "ran out of memory", "内存不足");
    runs_again(page);
}

const COUNTED: &str = "#v1/f32[1024,1024]{1,0};v=iota;with={0,1}";

fn the_layout_screen_reports_why_it_cannot_count(page: &Page) {
    for (answer, cause, english, chinese) in [
        (
            Reply::Status(404),
            "status",
            "The moved elements could not be counted. The background worker could not be loaded",
            "无法统计移动的元素数。后台工作线程无法加载：服务器返回状态码 404",
        ),
        (of_another_release(), "other-release", "a different release", "不是同一版本"),
    ] {
        page.site().reply_with("worker_loader.js", answer);
        page.goto("");
        open(page, COUNTED);
        page.wait_for("document.querySelector('#moves[data-cause]')");
        assert!(has_cause(page, "#moves", cause));
        in_both_languages(page, "#moves", english, chinese);
        page.assert_accessible();
        page.take_problems();
    }
    page.site().reset_replies();
    page.click("#moves-reload");
    page.wait_for("/^1,048,57|^1.048.57|^\\d/.test(document.querySelector('#moves')?.textContent)");
}

fn the_layout_screen_reports_a_hanging_count(page: &Page) {
    page.site().reply_with("worker_loader.js", Reply::Hang);
    open(page, COUNTED);
    wait_for(page, "#moves[data-cause]");
    assert!(has_cause(page, "#moves", "timed-out"));
    in_both_languages(page, "#moves", "nothing was received for 10 seconds", "10 秒内没有收到任何数据");
    page.site().reset_replies();
    page.take_problems();
    page.click("#moves-again");
    page.wait_for("/^\\d/.test(document.querySelector('#moves')?.textContent)");
    assert_eq!(page.count("#moves-again"), 0);
}

#[track_caller]
fn measure(page: &Page) {
    page.click("#measure");
    for _ in 0..8 {
        let ended = page.try_eval::<bool>(
            "new Promise((done) => {
                const end = performance.now() + 8000;
                const look = () => document.querySelector('.standing')?.dataset.standing !== 'running' ? done(true)
                    : performance.now() > end ? done(false) : setTimeout(look, 50);
                setTimeout(look, 50);
            })",
        );
        if matches!(ended, Ok(true)) {
            return;
        }
    }
}

fn the_speed_screen_reports_why_it_cannot_measure(page: &Page) {
    page.goto("#speed1/dot/8x8x8");
    let says = |answer, standing: &str, cause, english, chinese| {
        page.site().reply_with("worker_loader.js", answer);
        measure(page);
        assert_eq!(page.attribute(".standing", "data-standing").as_deref(), Some(standing));
        assert!(has_cause(page, ".standing", cause));
        in_both_languages(page, "#standing", english, chinese);
        page.assert_accessible();
        page.site().reset_replies();
        page.take_problems();
    };
    says(Reply::Status(404), "died", "status", "status 404", "状态码 404");
    says(of_another_release(), "other-version", "other-release", "a different release", "不是同一版本");
    page.click("#measure-reload");
    page.wait_for("document.querySelector('.standing')?.dataset.standing === 'idle'");
    page.wait_for_app();
    measure(page);
    assert_eq!(page.attribute(".standing", "data-standing").as_deref(), Some("done"));
    // Last, because a browser may delay another request for an address that hangs.
    says(Reply::Hang, "died", "timed-out", "nothing was received for 10 seconds", "10 秒内没有收到任何数据");
}

fn the_speed_screen_states_why_rows_are_omitted(page: &Page) {
    page.site().reply_with("kernels-fast.wasm", Reply::Status(404));
    let trapping = crate::wasm::with_trapping_export(&site_file("kernels-scalar.wasm"), "run");
    page.site().reply_with("kernels-scalar.wasm", Reply::Content(trapping));
    page.goto("#speed1/add/8x8");
    measure(page);
    assert_eq!(page.attribute(".standing", "data-standing").as_deref(), Some("done"));
    let rows = "#figures tbody";
    in_both_languages(page, rows, "status 404", "状态码 404");
    in_both_languages(page, rows, "crashed in", "崩溃");
    page.take_problems();
}
