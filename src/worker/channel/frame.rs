//! Frames: the text of every message after the handshake. One header line, which needs no JSON, and a body.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The version of the channel and of all its services: increment it on any change of a frame or a wire type.
pub const PROTOCOL: u32 = 9;

/// The body of a frame, as text.
pub trait Body: Sized {
    /// The text; `None` if it cannot be serialized, which is a bug.
    fn to_text(&self) -> Option<String>;

    /// Parses a body; `None` if it is malformed.
    fn from_text(text: &str) -> Option<Self>;
}

/// Wire types are JSON, except those of `counting`: the landing page links no JSON.
impl<T: Serialize + DeserializeOwned> Body for T {
    fn to_text(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }

    fn from_text(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A request to the worker.
    Request {
        /// Identifies the request; its progress and reply carry it.
        id: u64,
        /// Whether the worker must not start others.
        spawn_disabled: bool,
    },
    /// Progress on the request with this id.
    Progress(u64),
    /// The reply to the request with this id.
    Reply(u64),
    /// The request is of another protocol version, or malformed.
    Rejected,
    /// The worker is about to start others: from now on it may become stuck.
    StartingWorkers,
    /// The worker has started the others.
    StartedWorkers,
}

/// Why a text is not a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameError {
    /// It is of this other version of the protocol.
    OtherProtocol(u32),
    /// It is malformed.
    Malformed,
}

/// A message between the page and a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Whether it is a request, a reply, or about the state of the worker.
    pub kind: Kind,
    /// The body as text.
    pub body: &'a str,
}

impl<'a> Frame<'a> {
    /// A frame with this body.
    pub fn new(kind: Kind, body: &'a str) -> Self {
        Self { kind, body }
    }

    /// Serializes the frame.
    pub fn to_text(&self) -> String {
        let Self { kind, body } = self;
        let kind = match kind {
            Kind::Request { id, spawn_disabled: false } => format!("request {id}"),
            Kind::Request { id, spawn_disabled: true } => format!("request-alone {id}"),
            Kind::Progress(id) => format!("progress {id}"),
            Kind::Reply(id) => format!("reply {id}"),
            Kind::Rejected => "rejected 0".to_owned(),
            Kind::StartingWorkers => "starting-workers 0".to_owned(),
            Kind::StartedWorkers => "started-workers 0".to_owned(),
        };
        format!("protocol {PROTOCOL} {kind}\n{body}")
    }

    /// Parses a frame.
    pub fn from_text(text: &'a str) -> Result<Self, FrameError> {
        let (header, body) = text.split_once('\n').ok_or(FrameError::Malformed)?;
        let mut words = header.split(' ');
        if words.next() != Some("protocol") {
            return Err(FrameError::Malformed);
        }
        let mut word = || words.next().ok_or(FrameError::Malformed);
        let protocol = word()?.parse().map_err(|_| FrameError::Malformed)?;
        if protocol != PROTOCOL {
            return Err(FrameError::OtherProtocol(protocol));
        }
        let (kind, id) = (word()?, word()?.parse().map_err(|_| FrameError::Malformed)?);
        let kind = match kind {
            "request" => Kind::Request { id, spawn_disabled: false },
            "request-alone" => Kind::Request { id, spawn_disabled: true },
            "progress" => Kind::Progress(id),
            "reply" => Kind::Reply(id),
            "rejected" => Kind::Rejected,
            "starting-workers" => Kind::StartingWorkers,
            "started-workers" => Kind::StartedWorkers,
            _ => return Err(FrameError::Malformed),
        };
        if words.next().is_some() { Err(FrameError::Malformed) } else { Ok(Self { kind, body }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Kind; 7] = [
        Kind::Request { id: 1, spawn_disabled: false },
        Kind::Request { id: u64::MAX, spawn_disabled: true },
        Kind::Progress(2),
        Kind::Reply(0),
        Kind::Rejected,
        Kind::StartingWorkers,
        Kind::StartedWorkers,
    ];

    #[test]
    fn frames_round_trip() {
        for kind in KINDS {
            for body in ["", "{\"a\":[1]}", "two\nlines\n", "三"] {
                let frame = Frame::new(kind, body);
                assert_eq!(Frame::from_text(&frame.to_text()), Ok(frame));
            }
        }
    }

    #[test]
    fn another_protocol_is_distinguished_from_garbage() {
        // The version decides, regardless of the rest.
        assert_eq!(Frame::from_text("protocol 4000 unheard-of\nbody"), Err(FrameError::OtherProtocol(4000)));
        let header = |rest: &str| format!("protocol {PROTOCOL} {rest}");
        for garbage in [
            "",
            "[]",
            r#"{"protocol":5,"body":"Rejected"}"#,
            "protocol",
            "protocol x reply 1\n",
            &header("reply 1"),
            &header("reply\n"),
            &header("reply -1\n"),
            &header("reply 1 2\n"),
            &header("unheard-of 1\n"),
        ] {
            assert_eq!(Frame::from_text(garbage), Err(FrameError::Malformed), "{garbage}");
        }
    }
}
