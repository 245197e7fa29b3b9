//! The events of Chrome's own protocol that report problems, as events of BiDi.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::connection::REPORT;
use crate::bidi::Event;
use crate::problems::CHANNEL;

/// The requests whose end has not been reported: address, and the status of the response once it has begun.
#[derive(Debug, Default)]
pub(super) struct Requests(HashMap<String, (String, u64)>);

impl Requests {
    /// The event of BiDi for an event, if it is about a problem or a request.
    pub(super) fn report(&mut self, method: &str, params: &Value) -> Option<Event> {
        let text = |pointer| params.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let id = text("/requestId");
        let event = |method: &str, params: Value| Some(Event { method: method.to_owned(), params });
        let error = |text: String| event("log.entryAdded", json!({ "level": "error", "text": text }));
        match method {
            "Runtime.bindingCalled" if text("/name") == REPORT => {
                event("script.message", json!({ "channel": CHANNEL, "data": { "value": text("/payload") } }))
            }
            "Runtime.consoleAPICalled" if matches!(text("/type"), "error" | "assert") => {
                let arguments = params["args"].as_array().map(Vec::as_slice).unwrap_or_default();
                error(arguments.iter().map(shown).collect::<Vec<_>>().join(" "))
            }
            "Runtime.exceptionThrown" => {
                let thrown = text("/exceptionDetails/exception/description");
                let thrown = if thrown.is_empty() { text("/exceptionDetails/text") } else { thrown };
                error(thrown.lines().next().unwrap_or_default().to_owned())
            }
            "Network.requestWillBeSent" => {
                let url = text("/request/url");
                self.0.insert(id.to_owned(), (url.to_owned(), 0));
                event("network.beforeRequestSent", json!({ "request": { "request": id, "url": url } }))
            }
            "Network.responseReceived" => {
                let status = params.pointer("/response/status").and_then(Value::as_u64);
                self.0.entry(id.to_owned()).and_modify(|(_, known)| *known = status.unwrap_or_default());
                None
            }
            "Network.loadingFinished" => {
                let (url, status) = self.0.remove(id)?;
                let response = json!({ "status": status });
                let params = json!({ "request": { "request": id, "url": url }, "response": response });
                event("network.responseCompleted", params)
            }
            "Network.loadingFailed" => {
                let (url, _) = self.0.remove(id)?;
                let params =
                    json!({ "request": { "request": id, "url": url }, "errorText": text("/errorText") });
                event("network.fetchError", params)
            }
            _ => None,
        }
    }
}

/// An argument of a console call as text.
fn shown(argument: &Value) -> String {
    let described = argument["description"].as_str().or_else(|| argument["value"].as_str());
    described.map_or_else(|| argument["value"].to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_ends_with_the_status_of_its_response() {
        let mut requests = Requests::default();
        let mut report = |method: &str, params: Value| requests.report(method, &params);
        let sent = report(
            "Network.requestWillBeSent",
            json!({ "requestId": "7", "request": { "url": "http://a/b" } }),
        );
        assert_eq!(sent.unwrap().params, json!({ "request": { "request": "7", "url": "http://a/b" } }));
        assert!(
            report("Network.responseReceived", json!({ "requestId": "7", "response": { "status": 404 } }))
                .is_none()
        );
        let ended = report("Network.loadingFinished", json!({ "requestId": "7" })).unwrap();
        assert_eq!(ended.method, "network.responseCompleted");
        assert_eq!(ended.params.pointer("/response/status"), Some(&json!(404)));
        assert!(
            report("Network.loadingFinished", json!({ "requestId": "7" })).is_none(),
            "it is reported once"
        );
    }

    #[test]
    fn errors_are_reported_and_warnings_are_not() {
        let report = |params: Value| Requests::default().report("Runtime.consoleAPICalled", &params);
        let arguments = json!([{ "type": "string", "value": "broken:" }, { "type": "number", "value": 7, "description": "7" }]);
        let error = report(json!({ "type": "error", "args": arguments })).unwrap();
        assert_eq!(error.params, json!({ "level": "error", "text": "broken: 7" }));
        assert!(report(json!({ "type": "warning", "args": [] })).is_none());
    }
}
