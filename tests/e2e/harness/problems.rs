//! Problems of a page: console errors, failed requests, policy violations, requests to another origin.
//!
//! The script added here runs before the page's scripts: it listens, and hides service workers. Each report, of this script or the browser,
//! becomes one message.

use serde_json::{Value, json};

use crate::bidi::Event;

/// The browser's events that the harness subscribes to.
pub(crate) const EVENTS: [&str; 5] = [
    "log.entryAdded",
    "network.beforeRequestSent",
    "network.fetchError",
    "network.responseCompleted",
    "script.message",
];

pub(crate) const CHANNEL: &str = "problems";

/// Listens before the page's first script; `e2e.started` is the time of the app's first painted frame, in
/// milliseconds since the navigation. Service workers are hidden, since each page would load the whole site: tests of them
/// call [`crate::Page::allow_service_worker`].
const LISTENER_SCRIPT: &str = r#"(report) => {
    const found = Object.getOwnPropertyDescriptor(Navigator.prototype, "serviceWorker");
    if (found && !window[Symbol.for("e2e.serviceWorker")]) {
        window[Symbol.for("e2e.serviceWorker")] = found;
        Object.defineProperty(Navigator.prototype, "serviceWorker", { configurable: true, get: () => undefined });
    }
    addEventListener("securitypolicyviolation", (event) => report(
        `security policy: ${event.violatedDirective} blocked ${event.blockedURI || event.sample}`
        + ` (${event.sourceFile}:${event.lineNumber})`), true);
    addEventListener("error", (event) => report(event.message !== undefined
        ? `uncaught error: ${event.message} (${event.filename}:${event.lineno})`
        : `could not load ${event.target?.src || event.target?.href || event.target}`), true);
    addEventListener("unhandledrejection", (event) => report(`unhandled rejection: ${event.reason}`), true);
    const inputs = window[Symbol.for("e2e.inputs")] = [];
    const name = (at) => at?.id ? `#${at.id}` : at?.tagName?.toLowerCase() ?? "the document";
    for (const type of ["keydown", "click", "focusin", "focusout", "popstate", "hashchange"]) {
        addEventListener(type, (event) => {
            const input = { text: `${performance.now().toFixed()} ms: ${type} ${event.key ?? ""} at ${name(event.target)}`, event };
            if (inputs.push(input) > 20) inputs.shift();
        }, true);
    }
    addEventListener("TrunkApplicationStarted", () => requestAnimationFrame(() => {
        const painted = new MessageChannel();
        painted.port1.onmessage = () => { window[Symbol.for("e2e.started")] = performance.now(); };
        painted.port2.postMessage(null);
    }));
}"#;

/// The last keys, clicks, changes of the focus and of the address that the page received, one a line, and whether the page has handled
/// them: a test that fails once in a hundred runs tells from this whether the browser or the page lost a key.
pub(crate) const LAST_INPUTS: &str = r#"window[Symbol.for("e2e.inputs")].map(({ text, event }) =>
    event.defaultPrevented ? `${text} (prevented)` : text).concat(`${performance.now().toFixed()} ms: now`)"#;

/// The parameters of `script.addPreloadScript`.
pub(crate) fn preload_script() -> Value {
    json!({ "functionDeclaration": LISTENER_SCRIPT, "arguments": [{ "type": "channel", "value": { "channel": CHANNEL } }] })
}

/// Collects the problems in a page's events.
#[derive(Debug)]
pub(crate) struct ProblemLog {
    origins: Vec<String>,
    problems: Vec<String>,
    pending: Vec<String>,
}

impl ProblemLog {
    /// An empty collection for a page that may send requests to these origins.
    pub(crate) fn new(origins: impl IntoIterator<Item = String>) -> Self {
        Self { origins: origins.into_iter().collect(), problems: Vec::new(), pending: Vec::new() }
    }

    /// Adds the problem of an event, if it reports one, and tracks pending requests.
    pub(crate) fn add(&mut self, event: &Event) {
        let request = event.params.pointer("/request/request").and_then(Value::as_str);
        if let Some(request) = request {
            self.pending.retain(|pending| pending != request);
            if event.method == "network.beforeRequestSent" {
                self.pending.push(request.to_owned());
            }
        }
        let problem = problem(event, &self.origins);
        if let Some(problem) = problem.filter(|problem| !self.problems.contains(problem)) {
            self.problems.push(problem);
        }
    }

    /// Whether a request has not ended.
    pub(crate) fn has_pending_requests(&self) -> bool {
        !self.pending.is_empty()
    }

    /// The problems, each once.
    pub(crate) fn into_problems(self) -> Vec<String> {
        self.problems
    }
}

/// The browsers' errors for requests that the page itself cancelled, by navigating or by ending a worker while it
/// loaded. If the page needed the file, the test fails anyway.
const ABORTED: [&str; 3] = ["NS_BINDING_ABORTED", "NS_BASE_STREAM_CLOSED", "net::ERR_ABORTED"];

/// The problem that an event reports, if any, for a page that may send requests to `origins`.
fn problem(event: &Event, origins: &[String]) -> Option<String> {
    let text = |pointer| event.params.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let url = text("/request/url");
    match event.method.as_str() {
        "script.message" if text("/channel") == CHANNEL => Some(text("/data/value").to_owned()),
        "log.entryAdded" if text("/level") == "error" => Some(format!("console error: {}", text("/text"))),
        "network.beforeRequestSent" if !origins.iter().any(|origin| is_allowed(url, origin)) => {
            Some(format!("request to another origin: {url}"))
        }
        "network.fetchError" if ABORTED.contains(&text("/errorText")) => None,
        "network.fetchError" => Some(format!("failed request: {url}: {}", text("/errorText"))),
        "network.responseCompleted" => {
            let status = event.params.pointer("/response/status").and_then(Value::as_u64).unwrap_or_default();
            (status >= 400).then(|| format!("failed request: {url}: status {status}"))
        }
        _ => None,
    }
}

/// Whether a request is local to the page or to the site itself.
fn is_allowed(url: &str, origin: &str) -> bool {
    let local = ["data:", "blob:", "about:"].iter().any(|scheme| url.starts_with(scheme));
    local || url.strip_prefix(origin).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORIGIN: &str = "http://127.0.0.1:4000";

    fn reported(method: &str, params: Value) -> Option<String> {
        problem(&Event { method: method.to_owned(), params }, &[ORIGIN.to_owned()])
    }

    #[test]
    fn another_origin_with_the_same_prefix_is_a_problem() {
        let request = |url: &str| reported("network.beforeRequestSent", json!({ "request": { "url": url } }));
        assert_eq!(request("http://127.0.0.1:4000/app.js"), None);
        assert_eq!(request("blob:http://127.0.0.1:4000/1"), None);
        assert!(request("http://127.0.0.1:40001/app.js").is_some());
        assert!(request("https://fonts.example/a.woff2").is_some());
    }

    #[test]
    fn a_failed_request_is_a_problem_and_a_cancelled_one_is_not() {
        let failed = |error: &str| {
            let url = format!("{ORIGIN}/worker.js");
            reported("network.fetchError", json!({ "request": { "url": url }, "errorText": error }))
        };
        assert!(ABORTED.into_iter().all(|error| failed(error).is_none()));
        assert!(failed("NS_ERROR_CONNECTION_REFUSED").is_some());
        assert!(failed("net::ERR_BLOCKED_BY_CLIENT").is_some());
        assert!(failed("").is_some());
    }

    #[test]
    fn a_request_is_waited_for_until_it_ends() {
        let mut log = ProblemLog::new([ORIGIN.to_owned()]);
        let mut add = |method: &str| {
            let params = json!({ "request": { "request": "7", "url": format!("{ORIGIN}/a") } });
            log.add(&Event { method: method.to_owned(), params });
            log.has_pending_requests()
        };
        assert!(add("network.beforeRequestSent"));
        assert!(!add("network.fetchError"));
        assert_eq!(log.into_problems().len(), 1);
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
