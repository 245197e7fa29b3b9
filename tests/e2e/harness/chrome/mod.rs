//! The commands of BiDi that the harness uses, in Chrome's own protocol.
//!
//! ChromeDriver translates BiDi by a script in a hidden page of the browser, which takes more than a third of the processor time of all
//! tests in Chrome. Names, parameters and results are those of BiDi, so that the rest of the harness knows one protocol.

mod connection;
mod input;
mod process;
mod reports;

use std::time::Duration;

use connection::{Connection, REPORT};
use input::Input;
use process::Process;
use serde_json::{Value, json};

use crate::bidi::Event;
use crate::error::{Error, Result};

/// A running Chrome.
#[derive(Debug)]
pub(crate) struct Chrome {
    connection: Connection,
    input: Input,
    _process: Process,
}

impl Chrome {
    /// Starts a headless Chrome and connects to it.
    pub(crate) fn start() -> Result<Self> {
        let process = Process::start()?;
        let connection = Connection::open(&process.socket)?;
        Ok(Self { connection, input: Input::default(), _process: process })
    }

    /// Takes the events that have arrived.
    pub(crate) fn events(&mut self) -> Result<Vec<Event>> {
        self.connection.take_events()
    }

    /// Performs a command of BiDi.
    pub(crate) fn send_within(&mut self, timeout: Duration, method: &str, params: &Value) -> Result<Value> {
        let text = |name: &str| params[name].as_str().unwrap_or_default();
        let context = text("context");
        let nothing = json!({});
        match method {
            // The events that are wanted are always reported.
            "session.subscribe" => Ok(nothing),
            "session.status" => self.connection.call(None, "Browser.getVersion", &nothing),
            "browser.close" => self.connection.call(None, "Browser.close", &nothing),
            "browser.createUserContext" => {
                let created = self.connection.call(
                    None,
                    "Target.createBrowserContext",
                    &json!({ "disposeOnDetach": true }),
                )?;
                Ok(json!({ "userContext": created["browserContextId"] }))
            }
            "browser.removeUserContext" => {
                let params = json!({ "browserContextId": text("userContext") });
                let removed = self.connection.call(None, "Target.disposeBrowserContext", &params);
                self.connection.forget_page();
                self.input = Input::default();
                removed
            }
            "browsingContext.create" => self.open_page(text("userContext")),
            "browsingContext.activate" => {
                self.connection.call(None, "Target.activateTarget", &json!({ "targetId": context }))
            }
            "browsingContext.close" => {
                self.connection.call(None, "Target.closeTarget", &json!({ "targetId": context }))
            }
            "browsingContext.getTree" => match params["root"].as_str() {
                Some(root) => self.frames_of(root),
                None => Ok(self.tabs()),
            },
            "browsingContext.navigate" => self.navigate(timeout, context, text("url")),
            "browsingContext.reload" => {
                let session = self.session(context)?;
                self.connection.expect_load(&session);
                self.connection.call(Some(&session), "Page.reload", &nothing)?;
                self.connection.wait_for_load(&session, timeout)?;
                Ok(nothing)
            }
            "browsingContext.traverseHistory" => {
                self.traverse(context, params["delta"].as_i64().unwrap_or_default())
            }
            "browsingContext.setViewport" => {
                let mut size = params["viewport"].clone();
                (size["deviceScaleFactor"], size["mobile"]) = (0.into(), false.into());
                self.call_page(context, "Emulation.setDeviceMetricsOverride", &size)
            }
            "browsingContext.captureScreenshot" => self.screenshot(context, text("origin") == "document"),
            "script.addPreloadScript" => {
                let source = preload_source(params);
                let target = params.pointer("/contexts/0").and_then(Value::as_str).map(str::to_owned);
                self.connection.add_preload(source, target)?;
                Ok(nothing)
            }
            "script.callFunction" => self.evaluate(timeout, params),
            "input.performActions" => {
                let (session, origin) = self.origin_of(context)?;
                for source in params["actions"].as_array().map(Vec::as_slice).unwrap_or_default() {
                    self.input.perform(&mut self.connection, &session, origin, source)?;
                }
                Ok(nothing)
            }
            _ => Err(Error::new(format!("the harness does not translate {method} for Chrome"))),
        }
    }

    /// Sends a command of Chrome's own protocol to a page.
    pub(crate) fn call_page(&mut self, context: &str, method: &str, params: &Value) -> Result<Value> {
        let session = self.session(context)?;
        self.connection.call(Some(&session), method, params)
    }

    fn session(&self, context: &str) -> Result<String> {
        self.connection.place_of(context).map(|(session, _)| session)
    }

    fn open_page(&mut self, user_context: &str) -> Result<Value> {
        let params = json!({ "url": "about:blank", "browserContextId": user_context, "newWindow": true });
        let created = self.connection.call(None, "Target.createTarget", &params)?;
        let target = created["targetId"].as_str().unwrap_or_default();
        let session = self.connection.wait_for_target(target)?;
        // A navigation to another process loses what the page has not acknowledged: its first scripts.
        self.connection.call(Some(&session), "Page.getFrameTree", &json!({}))?;
        Ok(json!({ "context": target }))
    }

    fn tabs(&self) -> Value {
        let tab = |page: &connection::Target| json!({ "context": page.id, "userContext": page.user_context });
        json!({ "contexts": self.connection.pages().map(tab).collect::<Vec<_>>() })
    }

    /// The frames of a page, in the order of their elements.
    fn frames_of(&mut self, root: &str) -> Result<Value> {
        let (session, context) = self.connection.place_of(root)?;
        let mut params = json!({ "expression": "[...document.querySelectorAll('iframe')]" });
        if let Some(context) = context {
            params["uniqueContextId"] = context.into();
        }
        let mut call = |method: &str, params: Value| self.connection.call(Some(&session), method, &params);
        let found = call("Runtime.evaluate", params)?;
        let object = found.pointer("/result/objectId").cloned().unwrap_or_default();
        let properties = call("Runtime.getProperties", json!({ "objectId": object, "ownProperties": true }))?;
        let mut children = Vec::new();
        for property in properties["result"].as_array().map(Vec::as_slice).unwrap_or_default() {
            if property["name"].as_str().is_some_and(|name| name.parse::<u32>().is_ok()) {
                let element = property.pointer("/value/objectId").cloned().unwrap_or_default();
                let described = call("DOM.describeNode", json!({ "objectId": element }))?;
                children.push(json!({ "context": described.pointer("/node/frameId") }));
            }
        }
        Ok(json!({ "contexts": [{ "context": root, "children": children }] }))
    }

    fn navigate(&mut self, timeout: Duration, context: &str, url: &str) -> Result<Value> {
        let session = self.session(context)?;
        self.connection.expect_load(&session);
        let params = json!({ "url": url });
        let begun = self.connection.call_within(timeout, Some(&session), "Page.navigate", &params)?;
        if let Some(error) = begun["errorText"].as_str().filter(|error| !error.is_empty()) {
            return Err(Error::new(format!("opening {url}: {error}")));
        }
        // Within a document, nothing is loaded.
        if begun["loaderId"].is_string() {
            self.connection.wait_for_load(&session, timeout)?;
        }
        Ok(json!({}))
    }

    fn traverse(&mut self, context: &str, delta: i64) -> Result<Value> {
        let history = self.call_page(context, "Page.getNavigationHistory", &json!({}))?;
        let position = history["currentIndex"].as_i64().unwrap_or_default() + delta;
        let entries = history["entries"].as_array().map(Vec::as_slice).unwrap_or_default();
        let entry = usize::try_from(position).ok().and_then(|position| entries.get(position));
        let entry =
            entry.ok_or_else(|| Error::new(format!("the history has no entry {delta} entries away")))?;
        self.call_page(context, "Page.navigateToHistoryEntry", &json!({ "entryId": entry["id"] }))
    }

    fn screenshot(&mut self, context: &str, is_whole_document: bool) -> Result<Value> {
        let mut params = json!({ "format": "png" });
        if is_whole_document {
            let metrics = self.call_page(context, "Page.getLayoutMetrics", &json!({}))?;
            let mut clip = metrics["cssContentSize"].clone();
            clip["scale"] = 1.into();
            (params["clip"], params["captureBeyondViewport"]) = (clip, true.into());
        }
        self.call_page(context, "Page.captureScreenshot", &params)
    }

    fn evaluate(&mut self, timeout: Duration, params: &Value) -> Result<Value> {
        let function = params["functionDeclaration"].as_str().unwrap_or_default();
        let frame = params.pointer("/target/context").and_then(Value::as_str).unwrap_or_default();
        let (_, context) = self.connection.place_of(frame)?;
        let mut call =
            json!({ "expression": format!("({function})()"), "awaitPromise": true, "returnByValue": true });
        if let Some(context) = context {
            call["uniqueContextId"] = context.into();
        }
        let answer = self.connection.evaluate(timeout, frame, &call)?;
        let Some(exception) = answer.get("exceptionDetails") else {
            return Ok(json!({ "type": "success", "result": answer["result"] }));
        };
        let described = exception.pointer("/exception/description").or(exception.get("text"));
        let text = described.and_then(Value::as_str).and_then(|text| text.lines().next()).unwrap_or_default();
        Ok(json!({ "type": "exception", "exceptionDetails": { "text": text } }))
    }

    /// The session of the page that a frame is in, which gets its input, and the frame's position in the page.
    fn origin_of(&mut self, frame: &str) -> Result<(String, (f64, f64))> {
        let (mut frame, mut origin) = (frame.to_owned(), (0.0, 0.0));
        loop {
            let (session, context) = self.connection.place_of(&frame)?;
            let target = self.connection.target(&session);
            let around = match (context, target.and_then(|target| target.opener.clone())) {
                // A frame in the process of the document around it.
                (Some(_), _) => session.clone(),
                // A frame in a process of its own.
                (None, Some(opener)) => opener,
                (None, None) => return Ok((session, origin)),
            };
            let mut call = |method: &str, params: Value| self.connection.call(Some(&around), method, &params);
            call("DOM.enable", json!({}))?;
            let owner = call("DOM.getFrameOwner", json!({ "frameId": frame }))?;
            let found = call("DOM.getBoxModel", json!({ "backendNodeId": owner["backendNodeId"] }))?;
            let corner = |at: usize| found.pointer(&format!("/model/content/{at}")).and_then(Value::as_f64);
            let (x, y) = corner(0).zip(corner(1)).ok_or_else(|| Error::new("a frame has no box"))?;
            origin = (origin.0 + x, origin.1 + y);
            let target = self.connection.target(&around);
            frame = target
                .map(|target| target.id.clone())
                .ok_or_else(|| Error::new("a frame's page is closed"))?;
        }
    }
}

/// The source of a preload script: a call of its function, with the function that reports problems.
fn preload_source(params: &Value) -> String {
    let function = params["functionDeclaration"].as_str().unwrap_or_default();
    // The page must not find the binding in its window. The window of an empty document may become that of the page.
    format!(
        "(() => {{
            const symbol = Symbol.for('e2e.report');
            const {{ {REPORT}: binding }} = globalThis;
            if (binding) {{
                delete globalThis.{REPORT};
                Object.defineProperty(globalThis, symbol, {{ configurable: true, value: (text) => binding(String(text)) }});
            }}
            ({function})(globalThis[symbol]);
        }})()"
    )
}
