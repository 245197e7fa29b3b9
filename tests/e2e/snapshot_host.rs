//! An exported page and its host, the embedding page that wrote it into the `srcdoc` of a sandboxed frame: selections in both
//! directions, and only through the port of the host.

use harness::{Page, Site, Test};
use serde_json::{Value, json};

use crate::app::quoted;
use crate::snapshot::{CHAIN, exported};

pub const TESTS: &[Test] = harness::tests![
    a_host_selects_and_hears_selections,
    a_host_sends_the_snapshot,
    hostile_messages_of_a_host_change_nothing,
    nothing_is_said_without_a_port,
];

/// Another site's page, with an exported page in a frame. What the page says through the port is kept in `heard`; `connect` hands
/// it over.
#[track_caller]
fn host_of<'a>(page: &Page<'a>, html: &str, attribute: &str) -> (Site, Page<'a>) {
    let host = "<!DOCTYPE html><html lang=en><meta charset=utf-8><link rel=icon href=data:,><title>A notebook</title>";
    let files = vec![("index.html", host.to_owned()), ("page.html", html.to_owned())];
    let host = Site::serve_files(files).expect("a second site");
    page.allow_site(&host);
    page.visit(&host.url());
    page.run(&format!(
        "window.heard = [];
         window.messages = [];
         addEventListener('message', ({{ data }}) => messages.push(data));
         document.body.innerHTML = '<iframe title=e width=700 height=500 sandbox=allow-scripts></iframe>';
         window.frame = document.querySelector('iframe');
         window.connect = (fields, transferred = []) => {{
             const {{ port1, port2 }} = new MessageChannel();
             port1.onmessage = ({{ data }}) => heard.push(data);
             frame.contentWindow.postMessage({{ xlaPlayground: 1, type: 'connect', ...fields }}, '*', [port2, ...transferred]);
             window.port = port1;
         }};
         window.say = (fields) => port.postMessage({{ xlaPlayground: 1, ...fields }});
         window.isLoaded = false;
         frame.onload = () => isLoaded = true;
         frame.{attribute} = {};",
        if attribute == "srcdoc" { quoted(html) } else { "'page.html'".to_owned() }
    ));
    page.wait_for("isLoaded");
    let frame = page.frame("iframe");
    (host, frame)
}

/// Waits until a message of this type fulfils a condition on `data`, and returns the last such message.
#[track_caller]
fn heard(page: &Page, kind: &str, condition: &str) -> Value {
    let matching = format!("heard.filter((data) => data.type === '{kind}' && ({condition}))");
    page.wait_for(&format!("{matching}.length > 0"));
    let message: Value = page.eval(&format!("{matching}.at(-1)"));
    assert_eq!(message["xlaPlayground"], 1);
    message
}

fn a_host_selects_and_hears_selections(page: &Page) {
    let html = exported(page, CHAIN).text();
    let (_host, frame) = host_of(page, &html, "srcdoc");
    page.run("connect()");
    let ready = heard(page, "ready", "true");
    assert_eq!(
        ready,
        json!({ "xlaPlayground": 1, "type": "ready", "instruction": "t", "path": [], "index": [0, 0] })
    );
    frame.click("#next");
    assert_eq!(heard(page, "selected", "true")["index"], json!([0, 1]));
    frame.click(".snapshot-step[data-name=n]");
    heard(page, "selected", "data.instruction === 'n' && `${data.index}` === '0,0'");
    page.run("say({ type: 'select', index: [1, 2] })");
    heard(page, "selected", "data.instruction === 'n' && `${data.index}` === '1,2'");
    frame.wait_for("document.querySelector('#working').innerText.startsWith('out[1,2] = ')");
    page.run("say({ type: 'select', instruction: 't', index: [2, 1] })");
    heard(page, "selected", "data.instruction === 't' && `${data.index}` === '2,1'");
    assert_eq!(frame.text(".snapshot-step[aria-current]"), frame.text(".snapshot-head h2"));
    page.run("say({ type: 'select', instruction: 'x' })");
    heard(page, "selected", "data.instruction === 'x' && `${data.index}` === '0,0'");
    // Of several messages at once, the newest counts.
    page.run("for (let i = 0; i < 1000; i++) say({ type: 'select', index: [i % 2, i % 3] });");
    heard(page, "selected", "data.instruction === 'x' && `${data.index}` === '1,0'");
    assert!(page.eval::<usize>("heard.length") < 500, "selections are coalesced");
    assert_eq!(page.eval::<Value>("messages"), json!([]), "everything goes through the port");
}

fn a_host_sends_the_snapshot(page: &Page) {
    let html = exported(page, "#v1/f32[2,3]{0,1}+padded[3,5]=zero").text();
    let (before, rest) = html.split_once("id=\"snapshot\">\"").unwrap();
    let (data, after) = rest.split_once('"').unwrap();
    let (_host, frame) = host_of(page, &format!("{before}id=\"snapshot\">{after}"), "srcdoc");
    page.run(&format!(
        "const {{ buffer }} = Uint8Array.from(atob('{data}'), (c) => c.charCodeAt(0));
         connect({{ snapshot: buffer }}, [buffer]);"
    ));
    assert_eq!(heard(page, "ready", "true")["index"], json!([0, 0]));
    assert_eq!(frame.text("h1"), "f32[2,3]{0,1} padded[3,5]=zero");
    page.run("say({ type: 'select', index: [1, 1] })");
    assert_eq!(heard(page, "selected", "`${data.index}` === '1,1'")["instruction"], "");
    frame.wait_for("document.querySelector('#formula').innerText.includes('= 4')");
    // A slot of padding has no index.
    page.run("say({ type: 'select', index: [1, 0] })");
    heard(page, "selected", "`${data.index}` === '1,0'");
    frame.click("#next");
    assert_eq!(heard(page, "selected", "data.index === null")["index"], Value::Null);
}

/// Messages of every wrong form. Those with the mark of the protocol are answered by an error.
const HOSTILE: &str = "[
    { type: 'select', instruction: 'z' }, { type: 'select', instruction: '' }, { type: 'select', instruction: 'x'.repeat(4097) },
    { type: 'select', instruction: {} }, { type: 'select', instruction: ['n'] }, { type: 'select', instruction: null },
    { type: 'select', index: [3, 0] }, { type: 'select', index: [0, 2] }, { type: 'select', index: [0, -1] }, { type: 'select', index: [0] },
    { type: 'select', index: [0, 0, 0] }, { type: 'select', index: [NaN, 0] }, { type: 'select', index: [1e300, 0] },
    { type: 'select', index: [0.5, 0] }, { type: 'select', index: [, 0] }, { type: 'select', index: '0,1' }, { type: 'select', index: null },
    { type: 'select', index: { length: 2, 0: 0, 1: 0 } }, { type: 'select', index: Array(65).fill(0) },
    { type: 'select', path: [0] }, { type: 'select', path: [2 ** 53 - 1] }, { type: 'select', path: 'x' },
    { type: 'select', instruction: 'n', index: [9, 9] }, { type: 'connect' }, { type: 'constructor' }, { type: '__proto__' },
    { type: ['select'] }, {},
].map((fields) => ({ xlaPlayground: 1, id: 7, ...fields }))";

/// Messages without the mark of the protocol, which are not answered.
const FOREIGN: &str = "[
    null, 5, 'select', [], {}, new Uint8Array(9), { type: 'select', index: [1, 1] }, { xlaPlayground: '1', type: 'select', index: [1, 1] },
    { xlaPlayground: 2, type: 'select', index: [1, 1] },
    JSON.parse('{\"__proto__\":{\"xlaPlayground\":1,\"type\":\"select\",\"index\":[1,1]}}'),
]";

fn hostile_messages_of_a_host_change_nothing(page: &Page) {
    let html = exported(page, CHAIN).text();
    let (_host, frame) = host_of(page, &html, "srcdoc");
    // Not a handshake: no port, another type, another version, two ports.
    page.run(
        "const { port1, port2 } = new MessageChannel();
         const post = (message, ports) => frame.contentWindow.postMessage(message, '*', ports);
         port1.onmessage = ({ data }) => heard.push(data);
         post({ xlaPlayground: 1, type: 'connect' }, []);
         post({ xlaPlayground: 1, type: 'select' }, [port2]);
         for (const message of [null, 5, { type: 'connect' }, { xlaPlayground: 2, type: 'connect' }]) post(message, [new MessageChannel().port2]);
         post({ xlaPlayground: 1, type: 'connect' }, [new MessageChannel().port2, new MessageChannel().port2]);",
    );
    page.run("connect({ snapshot: 'not used: the page has one' })");
    assert_eq!(heard(page, "ready", "true")["instruction"], "t");
    // Each is answered, by at most one error in a frame of the screen: one by one.
    let count: usize = page.eval(&format!("(window.hostile = {HOSTILE}).length"));
    for number in 0..count {
        page.run(&format!("heard.length = 0; port.postMessage(hostile[{number}])"));
        let error = heard(page, "error", "data.id === 7");
        assert!(error["text"].as_str().is_some_and(|text| text.len() < 100), "{error}");
        assert_eq!(page.eval::<usize>("heard.length"), 1, "message {number}");
    }
    page.run(&format!("heard.length = 0; for (const message of {FOREIGN}) port.postMessage(message);"));
    // A second port is not heard.
    page.run("window.first = port; connect(); say({ type: 'select', index: [1, 1] }); window.port = first;");
    page.run("say({ type: 'nonsense', id: {} })");
    assert_eq!(heard(page, "error", "true")["id"], Value::Null);
    assert_eq!(page.eval::<usize>("heard.length"), 1);
    assert_eq!(frame.text(".snapshot-head h2"), frame.text(".snapshot-step[data-name=t]"));
    assert!(frame.text("#working").starts_with("out[0,0] = "), "{}", frame.text("#working"));
    assert!(frame.eval::<bool>("({}).type === undefined && ({}).xlaPlayground === undefined"));
    page.run("say({ type: 'select', index: [1, 1] })");
    heard(page, "selected", "`${data.index}` === '1,1'");
}

fn nothing_is_said_without_a_port(page: &Page) {
    let html = exported(page, CHAIN).text();
    let (_host, frame) = host_of(page, &html, "srcdoc");
    frame.wait_for("document.querySelector('#working')");
    frame.click("#next");
    // Not from the frame itself, and not from another frame of the host.
    frame.run("postMessage({ xlaPlayground: 1, type: 'connect' }, '*', [new MessageChannel().port2])");
    page.run(
        "const other = document.createElement('iframe');
         document.body.append(other);
         other.contentWindow.eval(`const { port1, port2 } = new MessageChannel();
             port1.onmessage = ({ data }) => parent.heard.push(data);
             parent.frames[0].postMessage({ xlaPlayground: 1, type: 'connect' }, '*', [port2]);`);",
    );
    frame.click("#next");
    frame.wait_for("document.querySelector('#working').innerText.startsWith('out[1,0] = ')");
    frame.wait_two_frames();
    page.wait_two_frames();
    assert_eq!(page.eval::<Value>("[heard, messages]"), json!([[], []]));
    // A page with an address of its own does not listen, whoever frames it.
    let (_host, frame) = host_of(page, &html, "src");
    frame.wait_for("document.querySelector('#working')");
    page.run("connect(); say({ type: 'select', index: [1, 1] })");
    frame.click("#next");
    frame.wait_for("document.querySelector('#working').innerText.startsWith('out[0,1] = ')");
    frame.wait_two_frames();
    page.wait_two_frames();
    assert_eq!(page.eval::<Value>("[heard, messages]"), json!([[], []]));
}
