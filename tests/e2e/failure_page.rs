//! The page after a fatal error: the app trapped, or opening the link failed on an earlier visit.
//!
//! The app has no way to trap on request. A script that runs before the page's wraps the app's imports, so that the
//! next call out of the app traps, or the browser refuses to create an element, which makes Yew panic.

use harness::{Emulation, Page, Site, Test};

use crate::app::{IN_CHROME, IN_FIREFOX, open, paste, quoted};

pub const TESTS: &[Test] = harness::tests![
    a_trap_is_reported_and_typed_text_is_kept: IN_FIREFOX,
    a_dead_page_takes_no_input: IN_CHROME,
    a_panic_is_reported_with_its_location: IN_CHROME,
    a_link_that_broke_the_page_is_opened_on_request: IN_CHROME,
    start_empty_navigates_away_from_the_link: IN_FIREFOX,
    a_hanging_link_prompts_but_a_reload_does_not,
    the_hlo_text_of_a_link_is_kept: IN_FIREFOX,
    a_sandboxed_embed_asks_too,
    the_failure_page_is_translated_and_has_a_dark_theme: IN_FIREFOX,
    errors_outside_of_the_app_are_ignored: IN_CHROME,
];

/// `trapNext = true` makes the next call out of the app trap; `marked` is what the tab stores while the app starts.
const TRAP: &str = "() => {
    const bytes = Uint8Array.of(0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,102,0,0,10,5,1,3,0,0,11);
    const real = WebAssembly.instantiate;
    WebAssembly.instantiate = (module, imports) => {
        try { window.marked = sessionStorage.getItem('xla-playground.opening'); } catch { }
        const wrapped = {};
        for (const [from, all] of Object.entries(imports ?? {})) {
            wrapped[from] = {};
            for (const [name, f] of Object.entries(all)) {
                wrapped[from][name] = typeof f !== 'function' ? f : (...values) => {
                    if (window.trapNext) {
                        window.trapNext = false;
                        new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.f();
                    }
                    return f(...values);
                };
            }
        }
        return real.call(WebAssembly, module, wrapped);
    };
}";

const LINK: &str = "#v1/f32[2,3]{0,1}";

/// Opens a link, types text that the link does not contain, and makes the app trap.
#[track_caller]
fn crash_with_unsaved_text(page: &Page) {
    page.before_scripts(TRAP);
    open(page, LINK);
    paste(page, "f32[2,3]{0,0}");
    page.wait_for("document.querySelector('.problem')");
    page.run("window.trapNext = true; document.querySelector('#next').click();");
    page.wait_for("document.querySelector('dialog#broke')?.open");
    // The console shows the trap, as it should.
    assert!(!page.take_problems().is_empty());
}

#[track_caller]
fn press(page: &Page, selector: &str) {
    // The page may be gone before the call returns.
    page.run(&format!("setTimeout(() => document.querySelector({}).click());", quoted(selector)));
}

fn a_trap_is_reported_and_typed_text_is_kept(page: &Page) {
    crash_with_unsaved_text(page);
    assert_eq!(page.attribute("#broke", "role").as_deref(), Some("alertdialog"));
    assert_eq!(page.text("#broke-title"), "Something went wrong");
    assert!(page.is_focused("#broke-reload"));
    let kept = page.value("#broke-typed");
    assert!(kept.contains("f32[2,3]{0,0}") && kept.contains(&page.url()), "{kept}");
    let details: String = page.with_element("#broke pre", "(element) => element.textContent");
    let release: String = page.eval("xlaPlayground.release");
    assert!(details.contains("unreachable") && details.contains(&release), "{details}");
    page.assert_accessible();
    page.viewport(320, 600);
    page.wait_two_frames();
    assert!(page.eval::<bool>("document.documentElement.scrollWidth <= innerWidth"));
    page.assert_accessible();
    // Resize observers still call the dead app, which may log errors.
    page.take_problems();
}

fn a_dead_page_takes_no_input(page: &Page) {
    crash_with_unsaved_text(page);
    let before: String = page.eval("document.querySelector('#app').innerHTML + location.href");
    for key in ["Escape", "Escape", "ArrowRight", "Tab", "Tab", "Tab", "Tab"] {
        page.key(key);
    }
    page.run(
        "for (const type of ['keydown', 'resize', 'hashchange', 'popstate']) dispatchEvent(new Event(type));",
    );
    page.wait_two_frames();
    assert!(page.eval::<bool>("document.querySelector('dialog#broke').open"), "Escape does not close it");
    assert!(page.eval::<bool>("!document.activeElement.closest('#app')"), "the focus stays out of the app");
    assert_eq!(page.eval::<String>("document.querySelector('#app').innerHTML + location.href"), before);
    assert_eq!(page.take_problems(), Vec::<String>::new(), "nothing reaches the dead app");
}

fn a_panic_is_reported_with_its_location(page: &Page) {
    open(page, LINK);
    page.run(
        "const make = document.createElement;
         document.createElement = (name, ...more) => {
             if (name !== 'dialog') return make.call(document, name, ...more);
             document.createElement = make;
             throw new Error('no element');
         };
         document.querySelector('#share').click();",
    );
    page.wait_for("document.querySelector('dialog#broke')?.open");
    let details: String = page.with_element("#broke pre", "(element) => element.textContent");
    assert!(
        details.starts_with("panicked at yew-") && details.contains(".rs:"),
        "build paths are stripped: {details}"
    );
    assert!(page.text("#broke-what").contains("an internal error"));
    assert!(!page.take_problems().is_empty());
}

fn a_link_that_broke_the_page_is_opened_on_request(page: &Page) {
    crash_with_unsaved_text(page);
    let kept = page.value("#broke-typed");
    press(page, "#broke-reload");
    page.wait_for("document.querySelector('#ask-open')");
    assert_eq!(page.text("#ask-title"), "This link made the page fail last time");
    assert_eq!(page.value("#ask-typed"), kept, "a reload loses nothing");
    assert_eq!(page.count("#spec"), 0, "the link is not opened");
    page.assert_accessible();
    // After a reload the page asks again.
    page.run("window.isOld = true; setTimeout(() => location.reload());");
    page.wait_for("!window.isOld && document.querySelector('#ask-open')");
    page.click("#ask-open");
    page.wait_for_app();
    page.wait_for("document.querySelector('#spec').value === 'f32[2,3]{0,1}'");
    page.reload();
}

fn start_empty_navigates_away_from_the_link(page: &Page) {
    crash_with_unsaved_text(page);
    press(page, "#broke-empty");
    page.wait_for("!document.querySelector('#broke') && document.querySelector('#spec')");
    assert_ne!(page.value("#spec"), "f32[2,3]{0,0}");
    page.reload();
    assert_eq!(page.count("#ask, #broke"), 0, "it is answered once");
}

fn a_hanging_link_prompts_but_a_reload_does_not(page: &Page) {
    page.before_scripts(TRAP);
    // The page never finishes, as if it were still opening the link.
    page.before_scripts("() => { window.requestIdleCallback = () => 0; }");
    page.goto(LINK);
    let marked: String = page.eval("marked");
    assert!(marked.contains("opening") && marked.contains("f32"), "{marked}");
    // A user who reloads meanwhile is not asked.
    page.reload();
    assert_eq!(page.count("#ask"), 0);
    // A page that hangs cannot clear its mark.
    page.run(&format!(
        "addEventListener('pagehide', () => sessionStorage.setItem('xla-playground.opening', {})); setTimeout(() => location.reload());",
        quoted(&marked)
    ));
    page.wait_for("document.querySelector('#ask-open')");
    assert!(page.text("#ask-what").contains("stopped responding"));
    press(page, "#ask-empty");
    page.wait_for_app();
    assert_eq!(page.eval::<String>("location.hash.replace('#', '')"), "");
}

fn the_hlo_text_of_a_link_is_kept(page: &Page) {
    page.before_scripts(TRAP);
    page.goto("#ops1/@dot");
    page.wait_for("document.querySelector('#result-shape')");
    // An edit writes the text into the link, compressed.
    page.wait_for("document.querySelector('#hlo')");
    page.run("const area = document.querySelector('#hlo'); area.value += '\\n// kept'; area.dispatchEvent(new Event('input', { bubbles: true }));
              area.dispatchEvent(new Event('change', { bubbles: true }));");
    page.wait_for("location.hash.startsWith('#ops1') && !location.hash.includes('@')");
    let link: String = page.eval("location.hash");
    page.run("window.trapNext = true; document.querySelector('#next').click();");
    page.wait_for("document.querySelector('dialog#broke')?.open");
    let kept = page.value("#broke-typed");
    assert!(kept.contains("// kept") && kept.contains("dot("), "{kept}");
    // In another visit only the link has the text.
    page.run(&format!(
        "sessionStorage.setItem('xla-playground.opening', JSON.stringify({{ link: {}, state: 'opening' }})); setTimeout(() => location.reload());",
        quoted(&link)
    ));
    page.wait_for("document.querySelector('#ask-typed')");
    let shown = page.value("#ask-typed");
    assert!(shown.contains("HLO text:") && shown.contains("// kept") && shown.contains("dot("), "{shown}");
    page.take_problems();
}

fn a_sandboxed_embed_asks_too(page: &Page) {
    let app =
        Site::serve_shared(&harness::site(), "/sub/dir/").expect("a site that allows cross-origin frames");
    let html = format!(
        "<!DOCTYPE html><html lang=en><meta charset=utf-8><link rel=icon href=data:,><title>A page</title>
         <iframe title=e width=700 height=500 sandbox=allow-scripts src=\"{0}#embed/v1/f32[2,3]{{0,1}}\"></iframe>
         <iframe title=f width=700 height=500 sandbox=allow-scripts src=\"{0}#embed/v1/f32[2]\" name=theirs></iframe>",
        app.url()
    );
    let host = Site::serve_files(vec![("index.html", html)]).expect("a second site");
    page.before_scripts(TRAP);
    page.allow_site(&host);
    page.allow_site(&app);
    page.visit(&host.url());
    let frame = page.frame("iframe");
    frame.wait_for_app();
    let address = frame.url();
    frame.run("window.trapNext = true; document.querySelector('#next').click();");
    frame.wait_for("document.querySelector('dialog#broke')?.open");
    press(&frame, "#broke-reload");
    let frame = page.frame("iframe");
    frame.wait_for("document.querySelector('#ask-open')");
    assert_eq!(frame.url(), address);
    press(&frame, "#ask-open");
    frame.wait_for_app();
    frame.wait_for("window.name === '' && !history.state");
    // Links of the outer page address a frame by its name.
    let named = page.frame("iframe[name]");
    named.wait_for_app();
    named.run("window.trapNext = true; document.querySelector('#next').click();");
    named.wait_for("document.querySelector('dialog#broke')?.open");
    assert_eq!(named.eval::<String>("window.name"), "theirs");
    page.take_problems();
}

fn the_failure_page_is_translated_and_has_a_dark_theme(page: &Page) {
    page.locale("zh-CN");
    page.emulate(Emulation { dark: true, ..Emulation::default() });
    crash_with_unsaved_text(page);
    assert_eq!(
        (page.text("#broke-title"), page.text("#broke-reload")),
        ("页面出错了".into(), "重新加载".into())
    );
    page.assert_accessible();
    press(page, "#broke-reload");
    page.wait_for("document.querySelector('#ask-open')");
    assert_eq!(page.text("#ask-open"), "仍要打开");
    assert_eq!(page.attribute("html", "data-theme").as_deref(), Some("dark"));
    page.assert_accessible();
}

fn errors_outside_of_the_app_are_ignored(page: &Page) {
    open(page, LINK);
    page.run("setTimeout(() => { throw new Error('an extension'); }); Promise.reject(new Error('another'));");
    page.wait_two_frames();
    assert!(
        page.take_problems().iter().any(|problem| problem.contains("extension")),
        "the page saw the error"
    );
    assert_eq!(page.count("#broke"), 0);
    paste(page, "f32[3]");
    page.wait_for("location.hash.includes('f32[3]') || decodeURIComponent(location.hash).includes('f32[3]')");
}
