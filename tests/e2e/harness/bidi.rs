//! A WebDriver BiDi connection: commands with their results, and events.
//!
//! A command blocks until its result arrives; events that arrive meanwhile are queued in order until
//! [`Connection::events`] takes them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::socket::Socket;

/// The timeout of a command; the slowest are audits of a large page on a busy machine.
pub const COMMAND_TIMEOUT: Duration = Duration::from_secs(50);

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
    socket: Socket,
    last_id: u64,
    events: Vec<Event>,
}

impl Connection {
    /// Connects to the `ws://` address of a driver.
    pub fn open(url: &str) -> Result<Self> {
        Ok(Self { socket: Socket::open(url)?, last_id: 0, events: Vec::new() })
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
        self.socket.send(method, &command)?;
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
        let Some(mut value) = self.socket.receive()? else { return Ok(None) };
        if value["type"] == "event" {
            let method = value["method"].as_str().unwrap_or_default().to_owned();
            self.events.push(Event { method, params: value["params"].take() });
        }
        Ok(Some(value))
    }
}
