//! A connection by Chrome's own protocol: commands with their results, and the events of all pages and workers.
//!
//! A target is a page, a frame in a process of its own, or a worker. The browser attaches to each of them before its first script runs
//! and pauses it until it is set up here, so that no event of it is missed.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::reports;
use crate::bidi::{COMMAND_TIMEOUT, Event};
use crate::error::{Error, Result};
use crate::socket::Socket;

/// The name of the function that reports a problem, which the first script of a page removes from its window.
pub(super) const REPORT: &str = "e2eReport";

/// How long an expression waits for a document, while one replaces another.
const DOCUMENT_TIMEOUT: Duration = Duration::from_secs(1);

/// Attaches to all targets that a session opens, each with a session of its own.
fn auto_attach() -> Value {
    json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true })
}

/// An attached target.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) id: String,
    pub(super) is_page: bool,
    /// The user context of a page.
    pub(super) user_context: String,
    /// The session that it was opened by: of a frame, that of the page around it.
    pub(super) opener: Option<String>,
}

/// A script that runs before the first of every document.
#[derive(Debug)]
struct Preload {
    source: String,
    /// The only target whose documents it is for.
    target: Option<String>,
}

/// An open connection.
#[derive(Debug)]
pub(super) struct Connection {
    socket: Socket,
    last_id: u64,
    /// By their sessions.
    targets: HashMap<String, Target>,
    preloads: Vec<Preload>,
    /// The default execution contexts of frames, by session and frame.
    contexts: HashMap<(String, String), String>,
    /// The sessions of the pages that have loaded since the last navigation.
    loaded: Vec<String>,
    requests: reports::Requests,
    events: Vec<Event>,
}

impl Connection {
    /// Connects to the `ws://` address of a browser.
    pub(super) fn open(url: &str) -> Result<Self> {
        let mut connection = Self {
            socket: Socket::open(url)?,
            last_id: 0,
            targets: HashMap::new(),
            preloads: Vec::new(),
            contexts: HashMap::new(),
            loaded: Vec::new(),
            requests: reports::Requests::default(),
            events: Vec::new(),
        };
        connection.call(None, "Target.setAutoAttach", &auto_attach())?;
        Ok(connection)
    }

    /// Sends a command to a session, or to the browser, and waits for its result.
    pub(super) fn call(&mut self, session: Option<&str>, method: &str, params: &Value) -> Result<Value> {
        self.call_within(COMMAND_TIMEOUT, session, method, params)
    }

    /// Like [`Connection::call`] with another timeout. A later result is ignored.
    pub(super) fn call_within(
        &mut self,
        timeout: Duration,
        session: Option<&str>,
        method: &str,
        params: &Value,
    ) -> Result<Value> {
        self.call_while(timeout, session, method, params, |_| true)
    }

    /// Evaluates an expression in a frame. It ends early if the document is replaced meanwhile: the browser may then never answer.
    pub(super) fn evaluate(&mut self, timeout: Duration, frame: &str, params: &Value) -> Result<Value> {
        let (session, _) = self.place_of(frame)?;
        let place = (session.clone(), frame.to_owned());
        let started = Instant::now();
        // Between two documents there is none.
        while !self.contexts.contains_key(&place) && started.elapsed() < DOCUMENT_TIMEOUT {
            self.receive()?;
        }
        let context = self.contexts.get(&place).cloned();
        self.call_while(timeout, Some(&session), "Runtime.evaluate", params, |connection| {
            connection.contexts.get(&place) == context.as_ref()
        })
    }

    /// Sends a command and waits for its result while a condition holds.
    fn call_while(
        &mut self,
        timeout: Duration,
        session: Option<&str>,
        method: &str,
        params: &Value,
        condition: impl Fn(&Self) -> bool,
    ) -> Result<Value> {
        let id = self.post(session, method, params)?;
        let sent = Instant::now();
        while sent.elapsed() < timeout {
            let Some(mut message) = self.receive()? else { continue };
            if message["id"].as_u64() == Some(id) {
                if let Some(text) = message.pointer("/error/message").and_then(Value::as_str) {
                    return Err(Error::new(format!("{method}: {text}")));
                }
                return Ok(message["result"].take());
            }
            if !condition(self) {
                return Err(Error::new(format!("{method}: the document was replaced")));
            }
        }
        Err(Error::new(format!("{method}: the browser did not answer within {} s", timeout.as_secs())))
    }

    /// Sends a command without waiting; returns its number.
    pub(super) fn post(&mut self, session: Option<&str>, method: &str, params: &Value) -> Result<u64> {
        self.last_id += 1;
        let mut command = json!({ "id": self.last_id, "method": method, "params": params });
        if let Some(session) = session {
            command["sessionId"] = session.into();
        }
        self.socket.send(method, &command)?;
        Ok(self.last_id)
    }

    /// Runs a script before the first of every document that is loaded from now on, in one target or in all.
    pub(super) fn add_preload(&mut self, source: String, target: Option<String>) -> Result<()> {
        for session in self.sessions_of_documents() {
            if target.is_none() || self.targets.get(&session).map(|each| &each.id) == target.as_ref() {
                self.preload(&session, &source)?;
            }
        }
        self.preloads.push(Preload { source, target });
        Ok(())
    }

    fn sessions_of_documents(&self) -> Vec<String> {
        let documents = self.targets.iter().filter(|(_, target)| target.is_page || target.opener.is_some());
        documents.map(|(session, _)| session.clone()).collect()
    }

    fn preload(&mut self, session: &str, source: &str) -> Result<()> {
        self.post(Some(session), "Page.addScriptToEvaluateOnNewDocument", &json!({ "source": source }))
            .map(drop)
    }

    /// Forgets the scripts of single targets, and all requests: the page before has been closed.
    pub(super) fn forget_page(&mut self) {
        self.preloads.retain(|preload| preload.target.is_none());
        self.requests = reports::Requests::default();
    }

    /// The session of a target.
    pub(super) fn session_of(&self, target: &str) -> Option<String> {
        self.targets.iter().find(|(_, each)| each.id == target).map(|(session, _)| session.clone())
    }

    /// The target of a session.
    pub(super) fn target(&self, session: &str) -> Option<&Target> {
        self.targets.get(session)
    }

    /// The pages.
    pub(super) fn pages(&self) -> impl Iterator<Item = &Target> {
        self.targets.values().filter(|target| target.is_page)
    }

    /// The session of a page or frame, with the execution context of a frame in the process of its page.
    pub(super) fn place_of(&self, frame: &str) -> Result<(String, Option<String>)> {
        if let Some(session) = self.session_of(frame) {
            return Ok((session, None));
        }
        let found = self.contexts.iter().find(|((_, each), _)| each == frame);
        let found = found.map(|((session, _), context)| (session.clone(), Some(context.clone())));
        found.ok_or_else(|| Error::new(format!("the page or frame {frame} is closed, or has not loaded")))
    }

    /// Forgets that the page of a session has loaded.
    pub(super) fn expect_load(&mut self, session: &str) {
        self.loaded.retain(|loaded| loaded != session);
    }

    /// Waits until the page of a session has loaded.
    pub(super) fn wait_for_load(&mut self, session: &str, timeout: Duration) -> Result<()> {
        let started = Instant::now();
        while !self.loaded.iter().any(|loaded| loaded == session) {
            if started.elapsed() > timeout {
                return Err(Error::new(format!("the page did not load within {} s", timeout.as_secs())));
            }
            self.receive()?;
        }
        Ok(())
    }

    /// Waits until the browser has attached to a new target; returns its session.
    pub(super) fn wait_for_target(&mut self, target: &str) -> Result<String> {
        let started = Instant::now();
        while started.elapsed() < COMMAND_TIMEOUT {
            if let Some(session) = self.session_of(target) {
                return Ok(session);
            }
            self.receive()?;
        }
        Err(Error::new("a new page did not open"))
    }

    /// Takes the events that have arrived.
    pub(super) fn take_events(&mut self) -> Result<Vec<Event>> {
        while self.receive()?.is_some() {}
        Ok(std::mem::take(&mut self.events))
    }

    /// Receives a message; `None` after a short time. Events are handled here.
    fn receive(&mut self) -> Result<Option<Value>> {
        let Some(message) = self.socket.receive()? else { return Ok(None) };
        if let Some(method) = message["method"].as_str() {
            let session = message["sessionId"].as_str().unwrap_or_default();
            self.handle(method, session, &message["params"])?;
        }
        Ok(Some(message))
    }

    fn handle(&mut self, method: &str, session: &str, params: &Value) -> Result<()> {
        let text = |pointer| params.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let own = || session.to_owned();
        match method {
            "Target.attachedToTarget" => self.set_up(session, params)?,
            "Target.detachedFromTarget" => {
                let ended = text("/sessionId");
                self.targets.remove(&ended);
                self.contexts.retain(|(session, _), _| *session != ended);
            }
            "Page.loadEventFired" => self.loaded.push(own()),
            "Runtime.executionContextCreated"
                if params.pointer("/context/auxData/isDefault") == Some(&json!(true)) =>
            {
                self.contexts.insert((own(), text("/context/auxData/frameId")), text("/context/uniqueId"));
            }
            "Runtime.executionContextDestroyed" => {
                let ended = text("/executionContextUniqueId");
                self.contexts.retain(|_, context| *context != ended);
            }
            "Runtime.executionContextsCleared" => self.contexts.retain(|(each, _), _| each != session),
            _ => self.events.extend(self.requests.report(method, params)),
        }
        Ok(())
    }

    /// Sets up a target that waits for it, and lets it run.
    fn set_up(&mut self, opener: &str, params: &Value) -> Result<()> {
        let text = |pointer| params.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (session, kind, id) =
            (text("/sessionId"), text("/targetInfo/type"), text("/targetInfo/targetId"));
        let own = Some(session.as_str());
        let has_documents = matches!(kind.as_str(), "page" | "iframe");
        if has_documents {
            self.post(own, "Page.enable", &json!({}))?;
            self.post(own, "Runtime.addBinding", &json!({ "name": REPORT }))?;
            let wanted = |preload: &&Preload| preload.target.as_ref().is_none_or(|target| *target == id);
            let sources: Vec<String> =
                self.preloads.iter().filter(wanted).map(|preload| preload.source.clone()).collect();
            for source in sources {
                self.preload(&session, &source)?;
            }
        }
        if has_documents || kind.ends_with("worker") {
            for method in ["Runtime.enable", "Network.enable"] {
                self.post(own, method, &json!({}))?;
            }
            self.post(own, "Target.setAutoAttach", &auto_attach())?;
        }
        if kind == "page" {
            // Several pages are open, but each behaves as if it had the focus.
            self.post(own, "Emulation.setFocusEmulationEnabled", &json!({ "enabled": true }))?;
        }
        self.post(own, "Runtime.runIfWaitingForDebugger", &json!({}))?;
        let opener = (kind == "iframe").then(|| opener.to_owned());
        let user_context = text("/targetInfo/browserContextId");
        let target = Target { id, is_page: kind == "page", user_context, opener };
        self.targets.insert(session, target);
        Ok(())
    }
}
