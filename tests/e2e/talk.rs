//! Messages between an embed and the page around it: only where that page asks, only with its origin, and whatever they contain.

use harness::{Page, Site, Test};
use serde_json::Value;

use crate::app::{IN_CHROME, IN_FIREFOX, quoted};
use crate::embed::copied_lecture;

pub const TESTS: &[Test] = harness::tests![
    words_of_the_lecture_light_cells,
    the_page_around_sets_and_gets_the_link: IN_CHROME,
    a_sandboxed_frame_talks: IN_FIREFOX,
    nothing_is_said_unless_asked: IN_FIREFOX,
    hostile_messages_change_nothing,
    a_flood_of_messages_is_coalesced,
];

const LINK: &str = "v1/f32[2,3]{0,1}";

/// Another site's page, with a frame of the app at this address, to which `{host}` is the page's own origin; what the frame says
/// is kept in `heard`.
#[track_caller]
fn host_of<'a>(page: &Page<'a>, app: &Site, address: &str, attributes: &str) -> (Site, Page<'a>) {
    let html = "<!DOCTYPE html><html lang=en><meta charset=utf-8><link rel=icon href=data:,><title>Somebody's page</title>";
    let host = Site::serve_files(vec![("index.html", html.to_owned())]).expect("a second site");
    page.allow_site(&host);
    page.allow_site(app);
    page.visit(&host.url());
    let address = format!("{}{}", app.url(), address.replace("{host}", &host.origin()));
    page.run(&format!(
        "window.heard = [];
         addEventListener('message', ({{ data, origin, source }}) => heard.push({{ data, origin, isFrame: source === frames[0] }}));
         document.body.innerHTML = {};
         window.say = (message) => frames[0].postMessage(message, '*');",
        quoted(&format!("<iframe title=e width=700 height=500 {attributes} src=\"{address}\"></iframe>"))
    ));
    page.wait_for("frames.length === 1");
    let frame = page.frame("iframe");
    frame.wait_for_app();
    frame.wait_for("document.querySelector('main.embed')");
    (host, frame)
}

/// Waits until a message of this type fulfils a condition on `data`, and returns the last such message.
#[track_caller]
fn heard(page: &Page, kind: &str, condition: &str) -> Value {
    let matching = format!("heard.filter(({{ data }}) => data.type === '{kind}' && ({condition}))");
    page.wait_for(&format!("{matching}.length > 0"));
    let message: Value = page.eval(&format!("{matching}.at(-1)"));
    assert_eq!(message["data"]["xlaPlayground"], 1);
    assert_eq!(message["isFrame"], true);
    message
}

fn words_of_the_lecture_light_cells(page: &Page) {
    let host = copied_lecture(page.site());
    page.allow_site(&host);
    page.visit(&format!("{}lecture.html", host.url()));
    let padded = page.frame("section:nth-of-type(1) iframe");
    padded.wait_for_app();
    let word = |text: &str| {
        format!(
            "[...document.querySelectorAll('.word')].find((each) => each.textContent === {})",
            quoted(text)
        )
    };
    page.wait_for(&word("e"));
    page.wait_for_text("section:nth-of-type(1) .said", "In the figure now: slot 0, index [0, 0].");
    page.run(&format!("{}.focus()", word("e")));
    page.key("Enter");
    padded.wait_for("document.querySelector('#spoken').textContent === 'index 1, 1, value e, slot 4'");
    page.wait_for_text("section:nth-of-type(1) .said", "In the figure now: slot 4, index [1, 1].");
    page.wait_for(&format!("{}.getAttribute('aria-pressed') === 'true'", word("e")));
    // The other direction.
    padded.click("#next");
    page.wait_for_text("section:nth-of-type(1) .said", "In the figure now: slot 5, index [2, 1].");
    assert!(page.eval::<bool>(&format!("{}.getAttribute('aria-pressed') === 'false'", word("e"))));
    // The other frames have heard nothing of it.
    let scattered = page.frame("section:nth-of-type(3) iframe");
    scattered.wait_for_app();
    page.wait_for(&word("The 9"));
    page.run(&format!("{}.click()", word("The 9")));
    scattered.wait_for("document.querySelector('#working').textContent === 'out[1,2] = 0 + 2 + 6 = 8'");
    page.wait_for_text("section:nth-of-type(3) .said", "In the figure now: out[1,2] = 0 + 2 + 6 = 8");
}

fn the_page_around_sets_and_gets_the_link(page: &Page) {
    let (_host, frame) = host_of(page, page.site(), &format!("?talk={{host}}#embed/{LINK}"), "");
    let ready = heard(page, "ready", "true");
    assert_eq!(ready["data"]["screen"], "app");
    assert_eq!(ready["origin"], page.site().origin());
    assert_eq!(heard(page, "select", "true")["data"]["index"], serde_json::json!([0, 0]));
    let entries: usize = page.eval("history.length");
    page.run("say({ xlaPlayground: 1, type: 'set', id: 7, link: 'v1/f32[4]{0};at=2' })");
    frame.wait_for("document.querySelector('h1').textContent === 'f32[4]{0}'");
    let link = heard(page, "link", "data.id === 7");
    assert_eq!(link["data"]["link"], "v1/f32%5B4%5D%7B0%7D;at=2");
    assert_eq!(link["data"]["problems"], serde_json::json!([]));
    assert_eq!(heard(page, "select", "data.slot === 2")["data"]["text"], "index 2, value c, slot 2");
    page.run("say({ xlaPlayground: 1, type: 'select', at: 3 })");
    heard(page, "select", "data.slot === 3");
    // The same link again, after the visitor has moved on.
    page.run("say({ xlaPlayground: 1, type: 'set', id: 'again', link: '#embed/v1/f32[4]{0};at=2' })");
    heard(page, "link", "data.id === 'again' && data.link.endsWith(';at=2')");
    page.run("say({ xlaPlayground: 1, type: 'get', id: 'get' })");
    heard(page, "link", "data.id === 'get' && data.link === 'v1/f32%5B4%5D%7B0%7D;at=2'");
    // A damaged link is read as far as possible, and said.
    page.run("say({ xlaPlayground: 1, type: 'set', id: 8, link: 'v1/f32[5]{0};nonsense=1' })");
    let damaged = heard(page, "link", "data.id === 8");
    assert_eq!(damaged["data"]["problems"].as_array().map(Vec::len), Some(1));
    // Another screen is another page, in the same frame.
    page.run("say({ xlaPlayground: 1, type: 'set', link: 'ops1/@dot' })");
    heard(page, "ready", "data.screen === 'ops'");
    heard(page, "result", "data.text === 'out[0,0] = 1·5 + 2·7 = 19'");
    page.run("say({ xlaPlayground: 1, type: 'select', at: 1 })");
    heard(page, "result", "data.text === 'out[0,1] = 1·6 + 2·8 = 22'");
    assert_eq!(heard(page, "select", "data.slot === 1")["data"]["index"], serde_json::json!([0, 1]));
    assert_eq!(page.eval::<usize>("history.length"), entries);
    // The app that is opened from here keeps a short address.
    let frame = page.frame("iframe");
    let address: String = frame.with_element("#open-full", "(link) => link.href");
    page.visit("about:blank");
    page.visit(&address);
    page.wait_for_app();
    assert!(!page.url().contains("talk"), "{}", page.url());
}

fn a_sandboxed_frame_talks(page: &Page) {
    let app = Site::serve_shared(&harness::site(), "/some/where/").expect("a site that shares");
    let (_host, frame) =
        host_of(page, &app, &format!("?talk={{host}}#embed/{LINK}"), "sandbox=allow-scripts");
    assert_eq!(heard(page, "ready", "true")["origin"], "null");
    page.run("say({ xlaPlayground: 1, type: 'select', at: 4 })");
    frame.wait_for("document.querySelector('#spoken').textContent.endsWith('slot 4')");
    heard(page, "select", "data.slot === 4");
}

fn nothing_is_said_unless_asked(page: &Page) {
    for query in [
        "",
        "?talk=",
        "?talk=*",
        "?talk=null",
        "?talk=https://elsewhere.example",
        "?talk={host}/",
        "?talk=javascript:0",
    ] {
        let (_host, frame) = host_of(page, page.site(), &format!("{query}#embed/{LINK}"), "");
        page.run("say({ xlaPlayground: 1, type: 'select', at: 4 }); say({ xlaPlayground: 1, type: 'get' })");
        frame.click("#next");
        frame.wait_for("document.querySelector('#spoken').textContent.endsWith('slot 1')");
        frame.wait_two_frames();
        page.wait_two_frames();
        assert_eq!(page.eval::<usize>("heard.length"), 0, "{query}");
        let is_loaded: bool =
            frame.eval("performance.getEntriesByType('resource').some((one) => one.name.includes('/talk-'))");
        assert_eq!(is_loaded, !query.is_empty());
    }
    // A message to another origin is dropped by the browser, which says so.
    page.take_problems();
}

/// Messages of every wrong form. Those with the mark of the protocol are answered by an error.
const HOSTILE: &str = "[
    null, 5, 'set', [], {}, new Uint8Array(9), { type: 'select', at: 4 }, { xlaPlayground: '1', type: 'select', at: 4 },
    { xlaPlayground: 2, type: 'select', at: 4 }, JSON.parse('{\"__proto__\":{\"xlaPlayground\":1,\"type\":\"select\",\"at\":4}}'),
    { xlaPlayground: 1 }, { xlaPlayground: 1, type: 'constructor' }, { xlaPlayground: 1, type: '__proto__' },
    { xlaPlayground: 1, type: 'toString' }, { xlaPlayground: 1, type: ['get'] }, { xlaPlayground: 1, type: 'set' },
    { xlaPlayground: 1, type: 'set', link: {} }, { xlaPlayground: 1, type: 'set', link: ['v1/f32[9]'] },
    { xlaPlayground: 1, type: 'set', link: 'x'.repeat((1 << 20) + 1) }, { xlaPlayground: 1, type: 'select', at: -1 },
    { xlaPlayground: 1, type: 'select', at: 6 }, { xlaPlayground: 1, type: 'select', at: '4' },
    { xlaPlayground: 1, type: 'select', at: NaN }, { xlaPlayground: 1, type: 'select', at: 1e300 },
    { xlaPlayground: 1, type: 'select', at: 0.5 }, { xlaPlayground: 1, type: 'select', at: { valueOf: 4 } },
]";

fn hostile_messages_change_nothing(page: &Page) {
    let (_host, frame) = host_of(page, page.site(), &format!("?talk={{host}}#embed/{LINK}"), "");
    heard(page, "select", "data.slot === 0");
    page.run("heard.length = 0");
    page.run(&format!("for (const message of {HOSTILE}) say(message);"));
    page.wait_for("heard.length === 16");
    assert!(page.eval::<bool>(
        "heard.every(({ data }) => data.type === 'error' && data.id === null && data.text.length < 100)"
    ));
    assert_eq!(frame.text("#spoken"), "index 0, 0, value a, slot 0");
    assert_eq!(frame.text("h1"), "f32[2,3]{0,1}");
    assert!(frame.eval::<bool>("({}).type === undefined && ({}).xlaPlayground === undefined"));
    // Not from the frame itself, and not from a frame of the page around, even one of the right origin.
    frame.run("postMessage({ xlaPlayground: 1, type: 'select', at: 4 }, '*')");
    page.run(
        "const other = document.createElement('iframe');
         document.body.append(other);
         other.contentWindow.eval(\"parent.frames[0].postMessage({ xlaPlayground: 1, type: 'select', at: 4 }, '*')\");",
    );
    // A link cannot leave the embed, and a script in it is text.
    for link in [
        "javascript:alert(1)",
        "//elsewhere.example/",
        "v1/<img src=x onerror=alert(1)>",
        "\\u0000\\n../../",
        "embed/embed/v1/f32[2]",
    ] {
        page.run(&format!(
            "heard.length = 0; say({{ xlaPlayground: 1, type: 'set', id: 1, link: '{link}' }})"
        ));
        heard(page, "link", "data.id === 1");
        let address = frame.url();
        assert!(
            address.starts_with(&format!("{}?talk=", page.site().url())) && address.contains("#embed/"),
            "{address}"
        );
    }
    page.run(
        "heard.length = 0; say({ xlaPlayground: 1, type: 'set', id: 2, link: 'v1/f32[2,3]{0,1};at=5' })",
    );
    heard(page, "select", "data.slot === 5");
}

fn a_flood_of_messages_is_coalesced(page: &Page) {
    let (_host, frame) = host_of(page, page.site(), &format!("?talk={{host}}#embed/{LINK}"), "");
    heard(page, "select", "data.slot === 0");
    page.run(
        "heard.length = 0;
         for (let k = 0; k < 20000; k++) {
             say({ xlaPlayground: 1, type: 'get', id: k });
             say({ xlaPlayground: 1, type: 'set', id: 'set', link: `v1/f32[${2 + k % 7}]{0}` });
             say({ xlaPlayground: 1, type: 'nonsense', id: k });
         }
         say({ xlaPlayground: 1, type: 'set', id: 'last', link: 'v1/f32[12]{0}' });",
    );
    heard(page, "link", "data.id === 'last' && data.link === 'v1/f32%5B12%5D%7B0%7D'");
    frame.wait_for("document.querySelector('h1').textContent === 'f32[12]{0}'");
    let count: usize = page.eval("heard.length");
    assert!(count < 20_000, "{count} answers to 60001 messages");
    page.run("say({ xlaPlayground: 1, type: 'select', at: 11 })");
    heard(page, "select", "data.slot === 11");
}
