//! Firefox's driver process (geckodriver) and its WebDriver session.
//!
//! The driver is `GECKODRIVER`, or one of the project's tools, or found on the path. Dropping the
//! value ends the driver and its browser; no other process is affected.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{env, fmt};

use serde_json::{Value, json};
use ureq::Agent;

use crate::error::{Context, Error, Result};

/// The timeout of the driver's first reply.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// The timeout of a request to the driver; the slowest is starting a browser on a busy machine.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(90);

/// A kind of browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Chrome or Chromium.
    Chrome,
    /// Firefox.
    Firefox,
}

impl Kind {
    /// The browser named `chrome` or `firefox`.
    pub fn from_name(name: &str) -> Result<Self> {
        match name {
            "chrome" => Ok(Self::Chrome),
            "firefox" => Ok(Self::Firefox),
            _ => Err(Error::new(format!("unknown browser `{name}`: it is `chrome` or `firefox`"))),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Chrome => "Chrome",
            Self::Firefox => "Firefox",
        })
    }
}

/// The program of the driver.
fn program() -> PathBuf {
    let installed = crate::project().join(".tools/bin/geckodriver");
    let found = || if installed.is_file() { installed } else { "geckodriver".into() };
    env::var_os("GECKODRIVER").map_or_else(found, PathBuf::from)
}

/// What the session and its browser must be.
fn capabilities() -> Value {
    let prefs = json!({
        "intl.accept_languages": "en-US",
        "layout.css.prefers-color-scheme.content-override": 1,
        // Every test has its own process: pages that the browser preloads are never used.
        "browser.newtab.preload": false,
        "browser.pagethumbnails.capturing_disabled": true,
        "browser.sessionstore.interval": 3_600_000,
        "dom.ipc.processPrelaunch.enabled": false,
        // Every test has its own storage, so compiled modules are never loaded from a cache.
        "javascript.options.wasm_caching": false,
    });
    let mut options = json!({ "args": ["-headless"], "prefs": prefs });
    if let Ok(binary) = env::var("XLA_PLAYGROUND_FIREFOX") {
        options["binary"] = binary.into();
    }
    let capabilities = json!({
        "webSocketUrl": true, "unhandledPromptBehavior": { "default": "ignore" }, "moz:firefoxOptions": options,
    });
    json!({ "capabilities": { "alwaysMatch": capabilities } })
}

/// A driver process with an open session.
#[derive(Debug)]
pub struct Driver {
    process: Child,
    agent: Agent,
    base: String,
    session: String,
    socket: String,
}

impl Driver {
    /// Starts a driver and opens a session, which starts the browser.
    pub fn start() -> Result<Self> {
        // Another driver could take the free port before this one listens on it.
        static START_LOCK: Mutex<()> = Mutex::new(());
        let _guard = START_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        let path = program();
        let program = path.display().to_string();
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .context("looking for a free port")?
            .port();
        let mut command = Command::new(&path);
        // The second port is for BiDi; system access allows the harness to set preferences while Firefox runs.
        command.args([&format!("--port={port}"), "--websocket-port=0", "--allow-system-access"]);
        let process = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context(format!("starting `{program}` (`cargo xtask setup` installs it)"))?;
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(REQUEST_TIMEOUT))
            .proxy(None);
        let mut driver = Self {
            process,
            agent: config.build().new_agent(),
            base: format!("http://127.0.0.1:{port}"),
            session: String::new(),
            socket: String::new(),
        };
        driver.wait_until_ready(&program)?;
        let value = driver.post("/session", &capabilities()).context("starting Firefox")?;
        let text = |pointer| value.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        driver.session =
            text("/sessionId").ok_or_else(|| Error::new(format!("{program} opened no session")))?;
        driver.socket = text("/capabilities/webSocketUrl").ok_or_else(|| {
            Error::new(format!("{program} does not support WebDriver BiDi: install a newer version"))
        })?;
        Ok(driver)
    }

    /// The address of the session's BiDi web socket.
    pub fn socket(&self) -> &str {
        &self.socket
    }

    /// Posts to a path of the session, for commands that BiDi lacks.
    pub fn session_post(&self, path: &str, body: &Value) -> Result<Value> {
        self.post(&format!("/session/{}{path}", self.session), body)
    }

    fn wait_until_ready(&mut self, program: &str) -> Result<()> {
        let (started, url) = (Instant::now(), format!("{}/status", self.base));
        while self.agent.get(&url).call().is_err() {
            if let Ok(Some(status)) = self.process.try_wait() {
                return Err(Error::new(format!("`{program}` ended immediately ({status})")));
            }
            if started.elapsed() > START_TIMEOUT {
                return Err(Error::new(format!(
                    "`{program}` did not answer within {} s",
                    START_TIMEOUT.as_secs()
                )));
            }
            sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let url = format!("{}{path}", self.base);
        let mut answer: Value = self
            .agent
            .post(&url)
            .send_json(body)
            .and_then(|mut response| response.body_mut().read_json())
            .context(format!("asking the driver for {path}"))?;
        match answer.pointer("/value/error") {
            Some(error) => {
                let message = answer.pointer("/value/message").and_then(Value::as_str).unwrap_or_default();
                Err(Error::new(format!("{error}: {message}")))
            }
            None => Ok(answer["value"].take()),
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            // Ends the browser; a driver that does not respond is ended below in any case.
            let _ = self.agent.delete(format!("{}/session/{}", self.base, self.session)).call();
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
