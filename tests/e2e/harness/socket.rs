//! A web socket to a browser: JSON messages in both directions.

use std::io::ErrorKind;
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;
use tungstenite::client::client_with_config;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message, WebSocket};

use crate::error::{Context, Result};

/// The timeout of one read.
const READ_TIMEOUT: Duration = Duration::from_millis(20);

/// An open socket.
#[derive(Debug)]
pub(crate) struct Socket(WebSocket<TcpStream>);

impl Socket {
    /// Connects to a `ws://` address.
    pub(crate) fn open(url: &str) -> Result<Self> {
        let host = url.strip_prefix("ws://").and_then(|rest| rest.split('/').next()).unwrap_or_default();
        let doing = || format!("connecting to {url}");
        let stream = TcpStream::connect(host).context(doing())?;
        stream.set_nodelay(true).context(doing())?;
        // A screenshot is one frame of several megabytes.
        let config = WebSocketConfig::default().max_frame_size(None).max_message_size(None);
        let (socket, _) = client_with_config(url, stream, Some(config)).context(doing())?;
        socket.get_ref().set_read_timeout(Some(READ_TIMEOUT)).context(doing())?;
        Ok(Self(socket))
    }

    /// Sends a message; `method` names it in an error.
    pub(crate) fn send(&mut self, method: &str, message: &Value) -> Result<()> {
        self.0.send(Message::text(message.to_string())).context(method)
    }

    /// Receives a message; `None` after the timeout.
    pub(crate) fn receive(&mut self) -> Result<Option<Value>> {
        let message = match self.0.read() {
            Ok(message) => message,
            Err(tungstenite::Error::Io(error))
                if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
            {
                return Ok(None);
            }
            Err(error) => return Err(error).context("the connection to the browser"),
        };
        let Message::Text(text) = message else { return Ok(Some(Value::Null)) };
        serde_json::from_str(&text).context("a message of the browser").map(Some)
    }
}
