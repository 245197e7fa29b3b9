//! A WebDriver BiDi connection: commands with their results, and events.
//!
//! A command blocks until its result arrives; events that arrive meanwhile are queued in order until
//! [`Connection::events`] takes them.

use std::io::ErrorKind;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::client::client_with_config;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message, WebSocket};

use crate::error::{Context, Error, Result};

/// The timeout of a command; the slowest are audits of a large page on a busy machine.
pub const COMMAND_TIMEOUT: Duration = Duration::from_secs(50);
/// The timeout of one read from the socket.
const READ_TIMEOUT: Duration = Duration::from_millis(20);

/// An event from the browser.
#[derive(Debug)]
pub struct Event {
    /// The event's name, such as `log.entryAdded`.
    pub method: String,
    /// The parameters of the event.
    pub params: Value,
}

/// An open connection.
#[derive(Debug)]
pub struct Connection {
    socket: WebSocket<TcpStream>,
    last_id: u64,
    events: Vec<Event>,
}

impl Connection {
    /// Connects to the `ws://` address of a driver.
    pub fn open(url: &str) -> Result<Self> {
        let host = url.strip_prefix("ws://").and_then(|rest| rest.split('/').next()).unwrap_or_default();
        let doing = || format!("connecting to {url}");
        let stream = TcpStream::connect(host).context(doing())?;
        stream.set_nodelay(true).context(doing())?;
        // A screenshot is one frame of several megabytes.
        let config = WebSocketConfig::default().max_frame_size(None).max_message_size(None);
        let (socket, _) = client_with_config(url, stream, Some(config)).context(doing())?;
        socket.get_ref().set_read_timeout(Some(READ_TIMEOUT)).context(doing())?;
        Ok(Self { socket, last_id: 0, events: Vec::new() })
    }

    /// Sends a command and waits for its result. An error contains the command and the browser's message.
    pub fn send(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.send_within(COMMAND_TIMEOUT, method, params)
    }

    /// Like [`Connection::send`] with another timeout. A later result is ignored.
    pub fn send_within(&mut self, timeout: Duration, method: &str, params: &Value) -> Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        let command = json!({ "id": id, "method": method, "params": params });
        self.socket.send(Message::text(command.to_string())).context(method)?;
        let sent = Instant::now();
        while sent.elapsed() < timeout {
            let Some(mut message) = self.receive()? else { continue };
            if message["id"].as_u64() != Some(id) {
                continue;
            }
            if message["type"] == "error" {
                let text = |key: &str| message[key].as_str().unwrap_or_default().to_owned();
                return Err(Error::new(format!("{method}: {}: {}", text("error"), text("message"))));
            }
            return Ok(message["result"].take());
        }
        Err(Error::new(format!("{method}: the browser did not answer within {} s", timeout.as_secs())))
    }

    /// Takes the events that have arrived.
    pub fn events(&mut self) -> Result<Vec<Event>> {
        while self.receive()?.is_some() {}
        Ok(std::mem::take(&mut self.events))
    }

    /// Receives a message that is not an event; `None` after the timeout. An event is queued.
    fn receive(&mut self) -> Result<Option<Value>> {
        let message = match self.socket.read() {
            Ok(message) => message,
            Err(tungstenite::Error::Io(error))
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
            {
                return Ok(None);
            }
            Err(error) => return Err(error).context("the connection to the browser"),
        };
        let Message::Text(text) = message else { return Ok(Some(Value::Null)) };
        let mut value: Value = serde_json::from_str(&text).context("a message of the browser")?;
        if value["type"] == "event" {
            let method = value["method"].as_str().unwrap_or_default().to_owned();
            self.events.push(Event { method, params: value["params"].take() });
        }
        Ok(Some(value))
    }
}
