//! The offline copy of the site: every screen without a network, releases that replace each other, and a way out of a copy that
//! does not start.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use harness::{Page, Reply, Site, Test};
use sha2::{Digest, Sha256};

use crate::app::{IN_CHROME, choose_option, quoted};
use crate::program::{LARGE, READY, paste, wait_for_run};

pub const TESTS: &[Test] = harness::tests![
    every_screen_works_without_a_network,
    a_host_that_hangs_or_fails_is_replaced_by_the_copy: IN_CHROME,
    a_new_release_replaces_the_old_one_in_one_reload,
    an_open_page_keeps_the_files_of_its_release: IN_CHROME,
    a_copy_that_does_not_start_is_removed,
    a_copy_that_does_not_start_is_kept_while_there_is_no_network: IN_CHROME,
    embeds_and_development_keep_no_copy: IN_CHROME,
    the_page_can_be_installed: IN_CHROME,
];

/// The content of the built site by path, without files of the demo.
type Files = BTreeMap<String, Vec<u8>>;

fn built_site() -> Files {
    let folder = harness::site();
    let mut files = Files::new();
    let mut folders = vec![folder.clone()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).expect("a folder of the site") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name =
                    path.strip_prefix(&folder).expect("a path below the site").to_string_lossy().into_owned();
                files.insert(name, std::fs::read(&path).expect("a file of the site"));
            }
        }
    }
    files
}

/// A name with the hash that the build would give it: see `hash` in xtask/src/assets.rs.
fn hashed_name(plain: (&str, &str), content: &[u8]) -> String {
    let mut sum = Sha256::new();
    sum.update(u64::try_from(content.len()).expect("a length").to_le_bytes());
    sum.update(content);
    let digits = sum.finalize().iter().take(6).fold(String::new(), |mut digits, byte| {
        write!(digits, "{byte:02x}").expect("writing to a string");
        digits
    });
    format!("{}-{digits}.{}", plain.0, plain.1)
}

/// The site as another release with this id: another style sheet and another loader, so other names.
fn as_release(mut files: Files, id: &str) -> Files {
    let page = String::from_utf8(files["index.html"].clone()).expect("text");
    let old = page.split("\"release\":\"").nth(1).expect("a release")[..12].to_owned();
    let mut renamed = vec![(old.clone(), id.to_owned())];
    for (stem, end) in [("app", "css"), ("worker_loader", "js")] {
        let is_it =
            |name: &&String| name.starts_with(&format!("{stem}-")) && name.ends_with(&format!(".{end}"));
        let name = files.keys().find(is_it).expect("a file of this name").clone();
        let content = files.remove(&name).expect("its content");
        let content = String::from_utf8(content).expect("text").replace(&old, id) + "/* */";
        let new = hashed_name((stem, end), content.as_bytes());
        files.insert(new.clone(), content.into_bytes());
        renamed.push((name, new));
    }
    for name in ["index.html", "service-worker.js"] {
        let text = String::from_utf8(files[name].clone()).expect("text");
        let text = renamed.iter().fold(text, |text, (old, new)| text.replace(old, new));
        files.insert(name.to_owned(), text.into_bytes());
    }
    files
}

/// A host with two releases, the second of which it serves once the switch is set; and both ids.
fn host_of_two_releases() -> (Site, Arc<AtomicBool>, [&'static str; 2]) {
    let ids = ["aaaaaaaaaaaa", "bbbbbbbbbbbb"];
    let releases = ids.map(|id| as_release(built_site(), id));
    let is_second = Arc::new(AtomicBool::new(false));
    let switch = is_second.clone();
    let site = Site::serve_with("/some/where/", move |path: &Path| {
        let files = &releases[usize::from(switch.load(Ordering::Relaxed))];
        files.get(&path.to_string_lossy().replace('\\', "/")).cloned()
    });
    (site.expect("a site"), is_second, ids)
}

/// Opens an address of a site and waits for the app.
#[track_caller]
fn open(page: &Page, site: &Site, address: &str) {
    page.visit(&format!("{}{address}", site.url()));
    page.wait_for_app();
}

/// Whether the worker has counted the elements that move when the layout of `f32[1024,1024]` is transposed.
const IS_COUNTED: &str =
    "document.querySelector('#moves')?.textContent.replace(/[^0-9a-z ]/g, '').startsWith('1047552')";

/// Whether the page is controlled, and all its release's files are stored in one cache that is the only one.
const IS_STORED: &str = "await (async () => {
    if (!navigator.serviceWorker.controller) return false;
    const names = await caches.keys();
    if (names.length !== 1 || !names[0].endsWith(` ${xlaPlayground.release}`)) return false;
    const stored = (await (await caches.open(names[0])).keys()).map((each) => each.url);
    const files = Object.values(xlaPlayground.files).map((file) => file.name).filter((name) => name !== 'service-worker.js');
    return ['./', 'demo/lecture.html', 'demo/lecture.css', ...files].every((name) => stored.includes(new URL(name, document.baseURI).href));
})()";

/// The address of a new site that `page` has stored.
#[track_caller]
fn stored(page: &Page) -> Site {
    let site = Site::serve(&harness::site(), "/some/where/").expect("a site");
    page.allow_site(&site);
    page.allow_service_worker();
    open(page, &site, "");
    page.wait_for(IS_STORED);
    site
}

/// Takes the problems, which must be those of a host that does not answer.
#[track_caller]
fn take_failed_requests(page: &Page) {
    for problem in page.take_problems() {
        let is_one = ["failed request", "Failed to load resource", "NetworkError"]
            .iter()
            .any(|part| problem.contains(part));
        assert!(is_one, "{problem}");
    }
}

fn every_screen_works_without_a_network(page: &Page) {
    let site = stored(page);
    assert!(page.take_problems().is_empty());
    site.reply_to_all(Reply::CloseConnection);
    page.reload();
    page.wait_for("document.querySelector('#grid canvas')");
    // A count in a worker, in Chinese, with the file of the dialogs.
    open(page, &site, "?a#v1/f32[1024,1024]{1,0};with={0,1}");
    page.wait_for(IS_COUNTED);
    page.click("#share");
    page.wait_for("document.querySelector('dialog')?.open");
    page.key("Escape");
    choose_option(page, "#language", "zh-Hans");
    page.wait_for("document.documentElement.lang === 'zh-Hans' && document.querySelector('#share').textContent.includes('分享')");
    page.run("localStorage.clear()");
    // A large op on kernels.
    let dot = "HloModule m\n\nENTRY e {\n  a = f32[200,200] parameter(0)\n  \
        ROOT d = f32[200,200] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";
    open(page, &site, "?b#ops1/@negate");
    page.run(&format!("location.hash = '#ops1/' + encodeURIComponent({});", quoted(dot)));
    page.wait_for("document.querySelector('#result-computed-by')?.textContent.startsWith('kernel dot f32')");
    // A program of the site.
    open(page, &site, "?c#program/");
    page.wait_for("document.querySelector('#sample-resnet18')");
    page.click("#sample-resnet18");
    page.wait_for(READY);
    // A large program, as a plan.
    open(page, &site, "?d#program/");
    paste(page, "#program-paste", LARGE);
    page.wait_for(READY);
    wait_for_run(page, "done");
    page.wait_for("document.querySelector('.run-status')?.dataset.planned === ''");
    open(page, &site, "?e#speed/");
    page.wait_for("document.querySelector('#measure')");
    page.visit(&format!("{}demo/lecture.html", site.url()));
    let frame = page.frame("figure:nth-of-type(1) iframe");
    frame.wait_for_app();
    frame.wait_for("document.querySelector('#strip canvas')");
    take_failed_requests(page);
}

fn a_host_that_hangs_or_fails_is_replaced_by_the_copy(page: &Page) {
    let site = stored(page);
    for reply in [Reply::Status(503), Reply::Hang] {
        site.reply_to_all(reply);
        page.reload();
        page.wait_for("document.querySelector('#grid canvas')");
        site.reset_replies();
    }
    // A host that answers is believed: the site may have moved or ended.
    site.reply_to_all(Reply::Status(404));
    page.visit(&site.url());
    assert_eq!(page.text("body"), "not found");
    take_failed_requests(page);
}

#[track_caller]
fn assert_all_of_one_release(page: &Page) {
    let mixed: Vec<String> = page.eval(
        "(() => { const names = Object.values(xlaPlayground.files).map((file) => file.name);
            return performance.getEntriesByType('resource').map((each) => each.name)
                .filter((url) => !names.some((name) => url.split('?')[0].endsWith('/' + name))); })()",
    );
    assert!(mixed.is_empty(), "{mixed:?}");
}

fn a_new_release_replaces_the_old_one_in_one_reload(page: &Page) {
    let (site, is_second, ids) = host_of_two_releases();
    page.allow_site(&site);
    page.allow_service_worker();
    open(page, &site, "");
    page.wait_for(IS_STORED);
    assert_eq!(page.eval::<String>("xlaPlayground.release"), ids[0]);
    is_second.store(true, Ordering::Relaxed);
    page.reload();
    assert_eq!(page.eval::<String>("xlaPlayground.release"), ids[1]);
    assert_all_of_one_release(page);
    // The worker of the new release has taken over, and the only copy is that of the new one.
    page.wait_for(IS_STORED);
    page.wait_for("await (async () => { const { active, waiting, installing } = await navigator.serviceWorker.getRegistration();
        return active.state === 'activated' && !waiting && !installing; })()");
    assert!(page.take_problems().is_empty());
    site.reply_to_all(Reply::CloseConnection);
    page.reload();
    assert_eq!(page.eval::<String>("xlaPlayground.release"), ids[1]);
    open(page, &site, "?a#v1/f32[1024,1024]{1,0};with={0,1}");
    page.wait_for(IS_COUNTED);
    assert_all_of_one_release(page);
    take_failed_requests(page);
}

fn an_open_page_keeps_the_files_of_its_release(page: &Page) {
    let (site, is_second, ids) = host_of_two_releases();
    page.allow_site(&site);
    page.allow_service_worker();
    open(page, &site, "");
    page.wait_for(IS_STORED);
    is_second.store(true, Ordering::Relaxed);
    page.run("await (await navigator.serviceWorker.getRegistration()).update();");
    // The new worker serves the old page now, whose files the host no longer has.
    let holds = |id: &str| format!("(await caches.keys()).some((name) => name.endsWith(' {id}'))");
    page.wait_for(&format!(
        "{} && await caches.match(new URL(Object.values(xlaPlayground.files).find((file) => file.name.startsWith('plans')).name, document.baseURI), \
         {{ cacheName: (await caches.keys()).find((name) => name.endsWith(' {}')) }})",
        holds(ids[1]), ids[1],
    ));
    assert!(page.eval::<bool>(&holds(ids[0])), "an open page is of the old release");
    page.run("location.hash = '#v1/f32[1024,1024]{1,0};with={0,1}'");
    page.wait_for(IS_COUNTED);
    assert_eq!(page.eval::<String>("xlaPlayground.release"), ids[0]);
    assert_all_of_one_release(page);
    // Once it is gone, so is its copy.
    page.reload();
    assert_eq!(page.eval::<String>("xlaPlayground.release"), ids[1]);
    page.wait_for(IS_STORED);
}

/// Damages the stored script of the Layout screen, and reloads.
#[track_caller]
fn damage(page: &Page) {
    page.run(
        "const [name] = await caches.keys();
         const url = new URL(xlaPlayground.files['app.js'].name, document.baseURI).href;
         await (await caches.open(name)).put(url, new Response('import {', { headers: { 'Content-Type': 'text/javascript' } }));
         setTimeout(() => location.reload());",
    );
    page.wait_for("document.querySelector('#failed-reload')");
}

fn a_copy_that_does_not_start_is_removed(page: &Page) {
    let _site = stored(page);
    damage(page);
    page.click("#failed-reload");
    page.wait_for_app();
    page.wait_for("document.querySelector('#grid canvas')");
    // It comes again, intact.
    page.wait_for(IS_STORED);
    page.reload();
    page.wait_for("document.querySelector('#grid canvas')");
    assert!(!page.take_problems().is_empty());
}

fn a_copy_that_does_not_start_is_kept_while_there_is_no_network(page: &Page) {
    let site = stored(page);
    site.reply_to_all(Reply::CloseConnection);
    damage(page);
    page.run("window.isBefore = true");
    page.click("#failed-reload");
    page.wait_for("!window.isBefore && document.querySelector('#failed-reload')");
    assert_eq!(page.eval::<usize>("caches.keys().then((names) => names.length)"), 1);
    site.reset_replies();
    page.click("#failed-reload");
    page.wait_for_app();
    page.wait_for(IS_STORED);
    assert!(!page.take_problems().is_empty());
}

/// Waits until the page has been idle twice, and returns its registrations.
#[track_caller]
fn registrations_when_idle(page: &Page) -> usize {
    page.run("for (let k = 0; k < 3; k++) await new Promise((done) => setTimeout(() => requestIdleCallback(done)));");
    page.eval("navigator.serviceWorker.getRegistrations().then((all) => all.length)")
}

fn embeds_and_development_keep_no_copy(page: &Page) {
    let is_development = Arc::new(AtomicBool::new(false));
    let switch = is_development.clone();
    let site = Site::serve_changed(&harness::site(), "/some/where/", move |path, bytes| {
        if !switch.load(Ordering::Relaxed) {
            return Some(bytes);
        }
        match path.to_str() {
            Some("service-worker.js") => None,
            Some("index.html") => {
                let page = String::from_utf8(bytes).expect("text");
                let entry = "\"service-worker.js\":{\"name\":\"service-worker.js\"}";
                assert!(page.contains(entry));
                Some(page.replace(&format!(",{entry}"), "").into_bytes())
            }
            _ => Some(bytes),
        }
    });
    let site = site.expect("a site");
    page.allow_site(&site);
    page.allow_service_worker();
    open(page, &site, "#embed/v1/f32[2]");
    assert_eq!(registrations_when_idle(page), 0);
    page.visit(&format!("{}demo/lecture.html", site.url()));
    let frame = page.frame("iframe");
    frame.wait_for_app();
    assert_eq!(registrations_when_idle(&frame), 0);
    open(page, &site, "");
    page.wait_for(IS_STORED);
    is_development.store(true, Ordering::Relaxed);
    page.reload();
    page.wait_for(
        "(await navigator.serviceWorker.getRegistrations()).length + (await caches.keys()).length === 0",
    );
    page.wait_for("document.querySelector('#grid canvas')");
}

fn the_page_can_be_installed(page: &Page) {
    let site = stored(page);
    let manifest = "await (await fetch(document.querySelector('link[rel=manifest]').href)).json()";
    let icons: Vec<u16> = page.eval(&format!(
        "Promise.all(({manifest}).icons.map(async (icon) => (await fetch(new URL(icon.src, document.baseURI))).status))"
    ));
    assert_eq!(icons, [200; 3]);
    let start: String = page.eval(&format!(
        "new URL(({manifest}).start_url, document.querySelector('link[rel=manifest]').href).href"
    ));
    assert_eq!(start, site.url());
    if page.is_firefox() {
        // It installs no pages on desktops.
        return;
    }
    // A page of a test is in a context without a profile, in which nothing is installed.
    let errors: Vec<String> =
        page.installability_errors().into_iter().filter(|error| error != "in-incognito").collect();
    assert!(errors.is_empty(), "{errors:?}");
}
