//! Before the app has loaded: what is displayed, and the messages about files that fail to load.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use harness::{Condition, Emulation, Page, Site, Test};

use crate::app::{IN_CHROME, quoted};

pub const TESTS: &[Test] = harness::tests![
    loading_shows_the_screen_and_its_progress: Condition::Smoke,
    the_frame_of_the_screen_is_there_first: IN_CHROME,
    missing_files_are_reported_and_a_reload_recovers: IN_CHROME,
    a_link_for_another_screen_that_arrives_meanwhile_is_followed,
    an_address_that_changes_before_its_event_is_followed,
    the_last_of_several_screens_is_opened,
    every_file_carries_its_hash_and_the_worker_its_release: Condition::Smoke,
];

/// Delays compilation until `go()` is called.
const HOLD: &str = "() => {
    const gate = new Promise((go) => { window.go = go; });
    const real = WebAssembly.compileStreaming;
    WebAssembly.compileStreaming = async (answer) => { const module = await real.call(WebAssembly, answer); await gate; return module; };
}";

/// Opens an address without waiting for the app.
#[track_caller]
fn enter(page: &Page, site: &Site, address: &str) {
    page.visit(&format!("{}{address}", site.url()));
}

fn loading_shows_the_screen_and_its_progress(page: &Page) {
    page.before_scripts(HOLD);
    for (link, title, what) in [
        ("#ops1/@dot", "Loading the Ops screen…", "evaluator"),
        ("?#v1/f32[2]", "Loading the Layout screen…", "layouts"),
        ("?speed#speed/", "Loading the Speed screen…", "Measurements"),
    ] {
        enter(page, page.site(), link);
        page.wait_for("document.querySelector('#boot-percent').textContent === '100 %'");
        assert_eq!(page.text("#boot-title"), title);
        assert!(page.text("#boot-what").contains(what), "{}", page.text("#boot-what"));
        // All bytes of the manifest have arrived, and no others.
        assert!((page.eval::<f64>("document.querySelector('#boot-bar').value") - 1.0).abs() < 1e-9);
        page.assert_accessible();
        page.run("go()");
        page.wait_for_app();
        assert_eq!(page.count("#boot"), 0);
    }
}

fn the_frame_of_the_screen_is_there_first(page: &Page) {
    page.before_scripts(HOLD);
    page.before_scripts("() => { try { localStorage.setItem('xla-playground.theme', 'dark'); } catch { } }");
    page.locale("zh-CN");
    page.emulate(Emulation::default());
    enter(page, page.site(), "#ops1/@dot");
    page.wait_for("document.querySelector('#boot-title').textContent !== ''");
    assert_eq!(page.text("#boot-title"), "正在加载“运算”界面…");
    assert_eq!(page.attribute("html", "data-theme").as_deref(), Some("dark"), "the saved theme");
    let bounds = "JSON.stringify([...document.querySelectorAll('.brand, .screens, .screen')].map((each) => {
        const { x, y, width, height } = each.getBoundingClientRect(); return [x, y, width, height].map(Math.round); }))";
    let before: String = page.eval(bounds);
    page.run("go()");
    page.wait_for_app();
    assert_eq!(page.eval::<String>(bounds), before, "what is there already does not move");
}

fn missing_files_are_reported_and_a_reload_recovers(page: &Page) {
    type Change = fn(Vec<u8>) -> Option<Vec<u8>>;
    let cut = |bytes: Vec<u8>| Some(bytes[..bytes.len() / 2].to_vec());
    let cases: [(&str, Change, &str); 5] = [
        ("app_bg-", |_| None, "no longer on the server"),
        ("app-", |_| None, "no longer on the server"),
        ("app_bg-", cut, "arrived incomplete"),
        ("app-", |_| Some(b"import {".to_vec()), "arrived incomplete"),
        ("app_bg-", |_| Some(Vec::new()), "arrived incomplete"),
    ];
    for (index, (start, change, said)) in cases.into_iter().enumerate() {
        let is_broken = Arc::new(AtomicBool::new(true));
        let breaks = is_broken.clone();
        let site = Site::serve_changed(&harness::site(), &format!("/{index}/"), move |path: &Path, bytes| {
            let name = path.to_string_lossy();
            let is_it = name.starts_with(start) && !name.ends_with(".css") && breaks.load(Ordering::Relaxed);
            if is_it { change(bytes) } else { Some(bytes) }
        })
        .expect("a site");
        page.allow_site(&site);
        enter(page, &site, "#v1/f32[2,3]{0,1}");
        page.wait_for("document.querySelector('#failed')");
        assert!(page.text("#failed-what").contains(said), "{index}: {}", page.text("#failed-what"));
        assert_eq!(page.count("#failed a"), 0, "it is in a tab of its own already");
        page.assert_accessible();
        is_broken.store(false, Ordering::Relaxed);
        page.click("#failed-reload");
        page.wait_for_app();
        assert_eq!(page.value("#spec"), "f32[2,3]{0,1}");
        assert!(!page.take_problems().is_empty());
    }
}

fn a_link_for_another_screen_that_arrives_meanwhile_is_followed(page: &Page) {
    page.before_scripts(HOLD);
    enter(page, page.site(), "");
    page.wait_for("window.go && document.querySelector('#boot-title').textContent !== ''");
    page.run("setTimeout(() => { location.hash = '#ops1/@dot'; })");
    page.wait_for("document.querySelector('#boot-title')?.textContent === 'Loading the Ops screen…'");
    page.run("go()");
    page.wait_for_app();
    page.wait_for("document.querySelector('#op-title')");
}

fn every_file_carries_its_hash_and_the_worker_its_release(page: &Page) {
    page.goto("#ops1/@dot");
    page.wait_for(
        "performance.getEntriesByType('resource').some((one) => one.name.includes('/worker_loader-'))",
    );
    let names: Vec<String> = page.eval("performance.getEntriesByType('resource').map((one) => one.name)");
    for name in names {
        let file = name.rsplit('/').next().unwrap_or_default();
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let hash = stem.rsplit_once('-').map_or("", |(_, hash)| hash);
        assert!(hash.len() == 12 && hash.bytes().all(|digit| digit.is_ascii_hexdigit()), "{name}");
    }
    let loader: String =
        page.eval("fetch(xlaPlayground.files['worker_loader.js'].name).then((answer) => answer.text())");
    let release: String = page.eval("xlaPlayground.release");
    assert!(release.len() == 12 && loader.contains(&quoted(&release)), "{release}: {loader}");
}

fn an_address_that_changes_before_its_event_is_followed(page: &Page) {
    page.before_scripts(HOLD);
    enter(page, page.site(), "#ops1/@dot");
    page.wait_for("document.querySelector('#boot-percent')?.textContent === '100 %'");
    // There is no event at all, which is later than any.
    page.run("setTimeout(() => { history.replaceState(null, '', '#program/'); go(); })");
    page.wait_for("document.documentElement.dataset.screen === 'program' && window.go");
    page.run("go()");
    page.wait_for("document.querySelector('#program-paste')");
    assert_eq!(page.count("#link-problems"), 0);
}

fn the_last_of_several_screens_is_opened(page: &Page) {
    page.goto("#v1/f32[4,6]{1,0}");
    page.run("setTimeout(() => { for (const screen of ['ops', 'speed', 'program']) location.hash = `#${screen}/`; })");
    page.wait_for("document.querySelector('#program-paste')");
    assert_eq!(page.count("#link-problems"), 0);
}
