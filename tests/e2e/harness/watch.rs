//! What a page did wrong: console errors, failed requests, policy reports, requests to another origin.
//!
//! The script added here runs before the page's own and only listens. Everything it hears, and everything the browser
//! itself reports, becomes one sentence a problem.

use serde_json::{Value, json};

use crate::bidi::Event;

/// The browser's own reports the harness asks for.
pub(crate) const EVENTS: [&str; 5] = [
    "log.entryAdded",
    "network.beforeRequestSent",
    "network.fetchError",
    "network.responseCompleted",
    "script.message",
];

const CHANNEL: &str = "problems";

/// Listens before the page's first script; `e2e.started` is the time of the app's first painted frame, in
/// milliseconds since the navigation.
const LISTEN: &str = r#"(report) => {
    addEventListener("securitypolicyviolation", (event) => report(
        `security policy: ${event.violatedDirective} blocked ${event.blockedURI || event.sample}`
        + ` (${event.sourceFile}:${event.lineNumber})`), true);
    addEventListener("error", (event) => report(event.message !== undefined
        ? `uncaught error: ${event.message} (${event.filename}:${event.lineno})`
        : `could not load ${event.target?.src || event.target?.href || event.target}`), true);
    addEventListener("unhandledrejection", (event) => report(`unhandled rejection: ${event.reason}`), true);
    addEventListener("TrunkApplicationStarted", () => requestAnimationFrame(() => {
        const painted = new MessageChannel();
        painted.port1.onmessage = () => { window[Symbol.for("e2e.started")] = performance.now(); };
        painted.port2.postMessage(null);
    }));
}"#;

/// The parameters of `script.addPreloadScript`.
pub(crate) fn preload_script() -> Value {
    json!({ "functionDeclaration": LISTEN, "arguments": [{ "type": "channel", "value": { "channel": CHANNEL } }] })
}

/// The problem an event reports about a site served from `origin`, if it reports one.
pub(crate) fn problem(event: &Event, origin: &str) -> Option<String> {
    let text = |pointer| event.params.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let url = text("/request/url");
    match event.method.as_str() {
        "script.message" if text("/channel") == CHANNEL => Some(text("/data/value").to_owned()),
        "log.entryAdded" if text("/level") == "error" => Some(format!("console error: {}", text("/text"))),
        "network.beforeRequestSent" if !is_own(url, origin) => {
            Some(format!("request to another origin: {url}"))
        }
        "network.fetchError" => Some(format!("failed request: {url}: {}", text("/errorText"))),
        "network.responseCompleted" => {
            let status = event.params.pointer("/response/status").and_then(Value::as_u64).unwrap_or_default();
            (status >= 400).then(|| format!("failed request: {url}: status {status}"))
        }
        _ => None,
    }
}

/// Whether a request stays inside the page or goes to the site itself.
fn is_own(url: &str, origin: &str) -> bool {
    let local = ["data:", "blob:", "about:"].iter().any(|scheme| url.starts_with(scheme));
    local || url.strip_prefix(origin).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORIGIN: &str = "http://127.0.0.1:4000";

    fn reported(method: &str, params: Value) -> Option<String> {
        problem(&Event { method: method.to_owned(), params }, ORIGIN)
    }

    #[test]
    fn another_origin_is_a_problem_and_its_prefix_too() {
        let request = |url: &str| reported("network.beforeRequestSent", json!({ "request": { "url": url } }));
        assert_eq!(request("http://127.0.0.1:4000/app.js"), None);
        assert_eq!(request("blob:http://127.0.0.1:4000/1"), None);
        assert!(request("http://127.0.0.1:40001/app.js").is_some());
        assert!(request("https://fonts.example/a.woff2").is_some());
    }

    #[test]
    fn only_errors_and_failures_are_problems() {
        let response = |status: u16| {
            let params = json!({ "request": { "url": ORIGIN }, "response": { "status": status } });
            reported("network.responseCompleted", params)
        };
        assert_eq!(response(200), None);
        assert!(response(404).is_some());
        assert_eq!(reported("log.entryAdded", json!({ "level": "warn", "text": "slow" })), None);
        let error = reported("log.entryAdded", json!({ "level": "error", "text": "broken" }));
        assert_eq!(error.as_deref(), Some("console error: broken"));
    }
}
