//! Embeds: one panel in a frame of another page, sandboxed or not, which leaves its URL unchanged.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use harness::{Emulation, Page, Site, Test};

use crate::app::{IN_CHROME, IN_FIREFOX, quoted};

pub const TESTS: &[Test] = harness::tests![
    a_lecture_on_another_site_shows_three_results: IN_CHROME,
    a_sandboxed_embed_works_where_the_host_shares_its_files,
    a_sandboxed_embed_of_a_closed_host_says_so_and_gives_a_link,
    an_embed_leaves_its_address_alone_and_its_link_carries_the_state: IN_CHROME,
    an_embed_keeps_nothing_and_hears_no_messages: IN_FIREFOX,
    a_frame_follows_the_address_its_page_gives_it,
    an_embed_works_by_keyboard_and_speaks: IN_CHROME,
    the_share_dialogs_write_the_line: IN_FIREFOX,
    a_comparison_is_embedded_whole: IN_CHROME,
    a_damaged_embed_says_so: IN_FIREFOX,
    nothing_is_wrong_in_an_embed_or_the_lecture: IN_CHROME,
    nothing_scrolls_sideways_at_320_pixels: IN_FIREFOX,
];

const PADDED: &str = "embed/v1/f32[2,3]{0,1}+padded[3,5]=zero";

/// The lecture as another site serves it: a copy with the address of the app.
#[track_caller]
pub fn copied_lecture(app: &Site) -> Site {
    let read = |name: &str| {
        std::fs::read_to_string(harness::site().join("demo").join(name))
            .expect("the lecture is a part of the site")
    };
    let lecture = read("lecture.html");
    assert_eq!(lecture.matches("src=\"../?talk=same-origin#embed/").count(), 3);
    let files = [("lecture.css", read("lecture.css")), ("lecture.js", read("lecture.js"))];
    // The copy names its own origin, which is known once it is served.
    let (app, origin) = (app.url(), Arc::new(OnceLock::<String>::new()));
    let own_origin = origin.clone();
    let copy = Site::serve_with("/", move |path| {
        if path == Path::new("lecture.html") {
            let address = format!("src=\"{app}?talk={}#", own_origin.get()?);
            return Some(lecture.replace("src=\"../?talk=same-origin#", &address).into_bytes());
        }
        let found = files.iter().find(|(name, _)| Path::new(name) == path);
        found.map(|(_, text)| text.clone().into_bytes())
    });
    let copy = copy.expect("a second site");
    origin.set(copy.origin()).expect("it is set once");
    copy
}

/// Another site's page with one frame.
#[track_caller]
fn page_with(frame: &str) -> Site {
    let html = format!(
        "<!DOCTYPE html><html lang=en><meta charset=utf-8><link rel=icon href=data:,><title>Somebody's page</title>{frame}"
    );
    Site::serve_files(vec![("index.html", html)]).expect("a second site")
}

/// Opens a page whose only frame is `frame`, of the app on `app`, and returns the frame's document.
#[track_caller]
fn framed<'a>(page: &Page<'a>, host: &Site, app: &Site) -> Page<'a> {
    page.allow_site(host);
    page.allow_site(app);
    page.visit(&host.url());
    page.frame("iframe")
}

#[track_caller]
fn wait_for_working(page: &Page, working: &str) {
    page.wait_for(&format!("document.querySelector('#working').textContent === {}", quoted(working)));
}

/// Opens an embed as a page of its own.
#[track_caller]
fn open(page: &Page, link: &str) {
    // Changing the screen would reload the page once more.
    page.visit("about:blank");
    page.goto(&format!("#{link}"));
    page.wait_for("document.querySelector('main.embed')");
    page.wait_two_frames();
}

fn a_lecture_on_another_site_shows_three_results(page: &Page) {
    let host = copied_lecture(page.site());
    assert_ne!(host.origin(), page.site().origin());
    page.allow_site(&host);
    page.visit(&format!("{}lecture.html", host.url()));
    let padded = page.frame("figure:nth-of-type(1) iframe");
    assert_eq!(page.count("iframe"), 3);
    padded.wait_for_app();
    padded.wait_for("document.querySelector('#strip canvas')");
    assert_eq!(padded.text("h1"), "f32[2,3]{0,1} padded[3,5]=zero");
    assert_eq!(padded.text("#spoken"), "index 0, 0, value a, slot 0");
    let pooled = page.frame("section:nth-of-type(2) iframe");
    pooled.wait_for_app();
    wait_for_working(&pooled, "out[0,0] = max(-inf, 1, 2, 3, 7, 8, 9) = 9");
    let scattered = page.frame("section:nth-of-type(3) iframe");
    scattered.wait_for_app();
    wait_for_working(&scattered, "out[1,2] = 0 + 2 + 6 = 8");
    // Each has its own player.
    page.frame("section:nth-of-type(2) iframe").click("#next");
    wait_for_working(&pooled, "out[0,1] = max(-inf, 4, 5, 6, 10, 11, 12) = 12");
    wait_for_working(&scattered, "out[1,2] = 0 + 2 + 6 = 8");
    for frame in [&padded, &pooled, &scattered] {
        assert_eq!(frame.count("#link-problems, #failed, .top, #share"), 0);
        assert_eq!(frame.eval::<String>("origin"), page.site().origin());
    }
}

fn a_sandboxed_embed_works_where_the_host_shares_its_files(page: &Page) {
    let app = Site::serve_shared(&harness::site(), "/some/where/").expect("a site that shares");
    for (link, result) in [("ops1/@dot", "out[0,1] = 1·6 + 2·8 = 22"), ("v1/f32[2,3]{0,1}", "")] {
        let address = format!("{}#embed/{link}", app.url());
        let host = page_with(&format!(
            "<iframe title=e width=700 height=500 sandbox=allow-scripts src=\"{address}\"></iframe>"
        ));
        let frame = framed(page, &host, &app);
        frame.wait_for_app();
        assert_eq!(frame.eval::<String>("origin"), "null");
        let storage: String = frame
            .eval("(() => { try { return typeof localStorage; } catch (error) { return error.name; } })()");
        assert_eq!(storage, "SecurityError");
        frame.click("#next");
        if result.is_empty() {
            frame.wait_for("document.querySelector('#spoken').textContent === 'index 1, 0, value d, slot 1'");
        } else {
            wait_for_working(&frame, result);
        }
        assert_eq!(frame.url(), address);
    }
}

fn a_sandboxed_embed_of_a_closed_host_says_so_and_gives_a_link(page: &Page) {
    let address = format!("{}#embed/ops1/@dot", page.site().url());
    let host = page_with(&format!(
        "<iframe title=e width=700 height=500 sandbox=allow-scripts src=\"{address}\"></iframe>"
    ));
    let frame = framed(page, &host, page.site());
    frame.wait_for("document.querySelector('#failed')?.checkVisibility()");
    assert!(frame.text("#failed").contains("could not be loaded here"));
    let link: String = frame.with_element("#failed a", "(link) => link.href");
    assert_eq!(link, format!("{}#ops1/@dot", page.site().url()));
    // The browser reports the reason to the author of the page.
    assert!(!page.take_problems().is_empty());
}

fn an_embed_leaves_its_address_alone_and_its_link_carries_the_state(page: &Page) {
    for (link, spoken) in
        [(PADDED, "index 2, 0, padding, value 0, slot 2"), ("embed/ops1/@dot", "out[1,0] = 3·5 + 4·7 = 43")]
    {
        open(page, link);
        let (before, entries): (String, usize) = (page.url(), page.eval("history.length"));
        page.click("#next");
        page.click("#next");
        let says = format!("document.querySelector('#spoken').textContent === {}", quoted(spoken));
        page.wait_for(&says);
        page.wait_two_frames();
        assert_eq!(page.url(), before);
        assert_eq!(page.eval::<usize>("history.length"), entries);
        let attributes = ["target", "rel"].map(|name| page.attribute("#open-full", name));
        assert_eq!(attributes, ["_blank", "noopener"].map(|value| Some(value.to_owned())));
        let address: String = page.with_element("#open-full", "(link) => link.href");
        assert!(address.starts_with(&page.site().url()) && !address.contains("embed/"), "{address}");
        // The full app continues from the state of the embed.
        page.visit("about:blank");
        page.visit(&address);
        page.wait_for("document.querySelector('#share')");
        page.wait_for(&says);
        assert_eq!(page.count("main.embed"), 0);
    }
}

fn an_embed_keeps_nothing_and_hears_no_messages(page: &Page) {
    page.goto("");
    page.click("#theme");
    page.wait_for("document.documentElement.dataset.theme === 'dark'");
    let kept: String = page.eval("JSON.stringify(localStorage)");
    assert!(kept.contains("\"dark\""), "{kept}");
    // The full app keeps its state in the tab when it is left.
    open(page, PADDED);
    let left: String = page.eval("JSON.stringify(sessionStorage)");
    for link in [PADDED, "embed/ops1/@dot"] {
        open(page, link);
        // The app's preferences are neither read nor written.
        assert_eq!(page.attribute("html", "data-theme").as_deref(), Some("light"));
        let before: String = page.with_element("#app", "(app) => app.textContent");
        page.run(
            "for (const message of ['next', { type: 'load', fragment: 'v1/f32[9]{0}' }, { action: 'play' }, new Uint8Array(8)]) {
                postMessage(message, '*');
            }",
        );
        page.click("#next");
        page.click("#previous");
        page.wait_two_frames();
        assert_eq!(page.with_element::<String>("#app", "(app) => app.textContent"), before);
        assert_eq!(page.eval::<String>("JSON.stringify(localStorage)"), kept);
        assert_eq!(page.eval::<String>("JSON.stringify(sessionStorage)"), left);
    }
    page.emulate(Emulation { dark: true, reduced_motion: false });
    page.wait_for("document.documentElement.dataset.theme === 'dark'");
}

fn a_frame_follows_the_address_its_page_gives_it(page: &Page) {
    open(page, PADDED);
    page.run("location.hash = '#embed/v1/f32[4]{0}';");
    page.wait_for("document.querySelector('h1').textContent === 'f32[4]{0}'");
    assert!(page.eval::<String>("document.title").starts_with("f32[4]{0}"));
    // Another screen, and the full app, are other bundles.
    page.run("location.hash = '#embed/ops1/@dot';");
    page.wait_for("document.querySelector('main.embed #working')");
    page.run("location.hash = '#v1/f32[4]{0}';");
    page.wait_for("document.querySelector('#spec')?.value === 'f32[4]{0}'");
    page.run("location.hash = '#embed/v1/f32[4]{0}';");
    page.wait_for("document.querySelector('main.embed')");
}

fn an_embed_works_by_keyboard_and_speaks(page: &Page) {
    open(page, PADDED);
    for stop in ["#open-full", "#grid", "#strip", "#play"] {
        crate::app::tab_to(page, stop);
    }
    page.key("Enter");
    page.wait_for("document.querySelector('#play').getAttribute('aria-pressed') === 'true'");
    page.wait_for("document.querySelector('#spoken').textContent === 'index 1, 0, value d, slot 1'");
    page.key("Enter");
    page.run("document.querySelector('#strip').focus();");
    page.key("End");
    page.wait_for(
        "document.querySelector('#spoken').textContent === 'index 2, 4, padding, value 0, slot 14'",
    );
    assert_eq!(crate::app::active_text(page, "#strip"), "index 2, 4, padding, value 0, slot 14");
    // Single letters are no shortcuts, since an embed has no dialog to turn them off.
    for letter in [",", "s", "?", "g"] {
        page.key(letter);
    }
    page.wait_two_frames();
    assert_eq!(page.text("#spoken"), "index 2, 4, padding, value 0, slot 14");
    assert_eq!(page.count("dialog"), 0);
    open(page, "embed/ops1/@dot");
    crate::app::tab_to(page, "#array-2");
    page.key("ArrowDown");
    wait_for_working(page, "out[1,0] = 3·5 + 4·7 = 43");
    assert_eq!(page.text("#spoken"), "out[1,0] = 3·5 + 4·7 = 43");
}

/// The embed code of the dialogs, in another page, shows what the app showed.
fn the_share_dialogs_write_the_line(page: &Page) {
    let shared = Site::serve_shared(&harness::site(), "/some/where/").expect("a site that shares");
    page.allow_site(&shared);
    for (app, sandboxed) in [(page.site(), false), (&shared, true)] {
        for (link, says) in [
            ("#v1/f32[2,3]{0,1}+padded[3,5]=zero;at=8", "index 2, 2, padding, value 0, slot 8"),
            ("#ops1/@dot", "out[0,0] = 1·5 + 2·7 = 19"),
        ] {
            page.visit(&format!("{}{link}", app.url()));
            page.wait_for_app();
            page.click("#share");
            page.wait_for("document.querySelector('#embed')");
            page.wait_for(&format!(
                "document.querySelector('#embed').value.includes('sandbox') === {sandboxed}"
            ));
            let line = page.value("#embed");
            assert!(
                line.starts_with("<iframe src=\"") && line.ends_with("</iframe>") && !line.contains('\n'),
                "{line}"
            );
            assert!(line.contains(" title=\"") && line.contains(" loading=\"lazy\""), "{line}");
            page.run(
                "window.copied = null;
                Object.defineProperty(navigator, 'clipboard', { configurable: true,
                    value: { writeText: async (text) => { window.copied = text; } } });",
            );
            page.click("#copy-embed");
            page.wait_for("window.copied === document.querySelector('#embed').value");
            page.visit("about:blank");
            let host = page_with(&line);
            let frame = framed(page, &host, app);
            frame.wait_for_app();
            frame.wait_for(&format!("document.querySelector('#spoken').textContent === {}", quoted(says)));
            assert_eq!(frame.eval::<String>("origin") == "null", sandboxed);
            // The app opens in a tab without sandbox.
            frame.click("#open-full");
            let tab = page.opened_tab();
            tab.wait_for_app();
            tab.wait_for(&format!("document.querySelector('#spoken').textContent === {}", quoted(says)));
            assert_eq!(tab.eval::<String>("origin"), app.origin());
            assert!(tab.eval::<bool>("opener === null"));
            tab.close_tab();
        }
    }
}

fn a_comparison_is_embedded_whole(page: &Page) {
    open(page, "embed/v1/f32[4,6]{1,0};with={0,1}");
    page.wait_for("document.querySelector('#grid-b canvas') && document.querySelector('#strip-b canvas')");
    assert_eq!(page.text("#moves").split(' ').next(), Some("22"));
    // Without a worker to count a million moves, no count is displayed, and nothing fails.
    let app = Site::serve_shared(&harness::site(), "/some/where/").expect("a site that shares");
    let address = format!("{}#embed/v1/f32[1024,1024]{{1,0}};with={{0,1}}", app.url());
    let host = page_with(&format!(
        "<iframe title=e width=900 height=700 sandbox=allow-scripts src=\"{address}\"></iframe>"
    ));
    let frame = framed(page, &host, &app);
    frame.wait_for_app();
    frame.wait_for("document.querySelector('#strip-b canvas')");
    frame.click("#next");
    frame.wait_for("document.querySelector('#spoken').textContent.endsWith('slot 1')");
    assert_eq!(frame.count("#moves"), 0);
}

fn a_damaged_embed_says_so(page: &Page) {
    for link in
        ["embed/v1/f32[2,3]{0,1};nonsense=1", "embed/ops1/@nothing", "embed/ops1z/damaged", "embed/v9/f32[2]"]
    {
        open(page, link);
        page.wait_for("document.querySelector('#link-problems')");
        page.click("#link-problems button");
        page.wait_for("!document.querySelector('#link-problems')");
    }
    open(page, "embed/v1/token[]");
    assert_eq!(page.count("#no-array"), 1);
}

fn nothing_is_wrong_in_an_embed_or_the_lecture(page: &Page) {
    for dark in [false, true] {
        page.emulate(Emulation { dark, reduced_motion: false });
        for link in [
            PADDED,
            "embed/ops1/@reduce-window",
            "embed/ops1/@dot",
            "embed/v1/token[]",
            "embed/v1/f32[4,6]{1,0};with={0,1}",
        ] {
            open(page, link);
            page.assert_accessible();
        }
        for (lecture, said) in
            [("lecture", "In the figure now: slot 0"), ("lecture.zh-Hans", "图中现在是：槽位 0")]
        {
            page.visit(&format!("{}demo/{lecture}.html", page.site().url()));
            page.wait_for(&format!("document.querySelector('.said').textContent.startsWith('{said}')"));
            assert!(page.count(".word") >= 8);
            page.assert_accessible();
        }
    }
}

fn nothing_scrolls_sideways_at_320_pixels(page: &Page) {
    page.viewport(320, 640);
    for locale in ["en-US", "zh-CN"] {
        page.locale(locale);
        for link in [
            PADDED,
            "embed/ops1/@reduce-window",
            "embed/ops1/@select-and-scatter.1",
            "embed/v1/f32[4,6]{1,0};with={0,1}",
        ] {
            open(page, link);
            assert!(page.eval::<u32>("document.documentElement.scrollWidth") <= 320, "{link}");
            page.assert_accessible();
        }
    }
    page.visit(&format!("{}demo/lecture.html", page.site().url()));
    assert!(page.eval::<u32>("document.documentElement.scrollWidth") <= 320);
}
