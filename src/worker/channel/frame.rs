//! Frames: the text of every message after the handshake. One header line, which needs no JSON, and a body.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The version of the channel and of all its services; another one for every change of a frame or of a wire type.
pub const PROTOCOL: u32 = 6;

/// A body of a frame, as text.
pub trait Body: Sized {
    /// The text; `None` where it cannot be written, which is a bug.
    fn to_text(&self) -> Option<String>;

    /// The body of a text.
    fn of_text(text: &str) -> Option<Self>;
}

/// Wire types are JSON, unless a page has to do without it.
impl<T: Serialize + DeserializeOwned> Body for T {
    fn to_text(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }

    fn of_text(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Asks for something.
    Request {
        /// The number of the request.
        number: u64,
        /// Whether the worker must not start others.
        is_alone: bool,
    },
    /// Reports on a request under way.
    Progress(u64),
    /// Answers a request.
    Reply(u64),
    /// The request is of another protocol, or makes no sense.
    Refused,
    /// The worker is about to start others: from now on it may become stuck.
    Starting,
    /// The worker has started the others.
    Started,
}

/// Why a text is no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misread {
    /// It is of another version of the protocol.
    Protocol(u32),
    /// It is none of any version.
    Garbage,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// What it is.
    pub kind: Kind,
    /// The body as text.
    pub body: &'a str,
}

impl<'a> Frame<'a> {
    /// A frame with a body.
    pub fn new(kind: Kind, body: &'a str) -> Self {
        Self { kind, body }
    }

    /// The text of the frame.
    pub fn to_text(&self) -> String {
        let Self { kind, body } = self;
        let kind = match kind {
            Kind::Request { number, is_alone: false } => format!("request {number}"),
            Kind::Request { number, is_alone: true } => format!("request-alone {number}"),
            Kind::Progress(number) => format!("progress {number}"),
            Kind::Reply(number) => format!("reply {number}"),
            Kind::Refused => "refused 0".to_owned(),
            Kind::Starting => "starting-workers 0".to_owned(),
            Kind::Started => "started-workers 0".to_owned(),
        };
        format!("protocol {PROTOCOL} {kind}\n{body}")
    }

    /// The frame of a text.
    pub fn of_text(text: &'a str) -> Result<Self, Misread> {
        let (header, body) = text.split_once('\n').ok_or(Misread::Garbage)?;
        let mut words = header.split(' ');
        if words.next() != Some("protocol") {
            return Err(Misread::Garbage);
        }
        let mut word = || words.next().ok_or(Misread::Garbage);
        let protocol = word()?.parse().map_err(|_| Misread::Garbage)?;
        if protocol != PROTOCOL {
            return Err(Misread::Protocol(protocol));
        }
        let (kind, number) = (word()?, word()?.parse().map_err(|_| Misread::Garbage)?);
        let kind = match kind {
            "request" => Kind::Request { number, is_alone: false },
            "request-alone" => Kind::Request { number, is_alone: true },
            "progress" => Kind::Progress(number),
            "reply" => Kind::Reply(number),
            "refused" => Kind::Refused,
            "starting-workers" => Kind::Starting,
            "started-workers" => Kind::Started,
            _ => return Err(Misread::Garbage),
        };
        if words.next().is_some() { Err(Misread::Garbage) } else { Ok(Self { kind, body }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Kind; 7] = [
        Kind::Request { number: 1, is_alone: false },
        Kind::Request { number: u64::MAX, is_alone: true },
        Kind::Progress(2),
        Kind::Reply(0),
        Kind::Refused,
        Kind::Starting,
        Kind::Started,
    ];

    #[test]
    fn frames_round_trip() {
        for kind in KINDS {
            for body in ["", "{\"a\":[1]}", "two\nlines\n", "三"] {
                let frame = Frame::new(kind, body);
                assert_eq!(Frame::of_text(&frame.to_text()), Ok(frame));
            }
        }
    }

    #[test]
    fn another_protocol_is_distinguished_from_garbage() {
        // Whatever a later protocol writes after its version.
        assert_eq!(Frame::of_text("protocol 4000 unheard-of\nbody"), Err(Misread::Protocol(4000)));
        let header = |rest: &str| format!("protocol {PROTOCOL} {rest}");
        for garbage in [
            "",
            "[]",
            r#"{"protocol":5,"body":"Refused"}"#,
            "protocol",
            "protocol x reply 1\n",
            &header("reply 1"),
            &header("reply\n"),
            &header("reply -1\n"),
            &header("reply 1 2\n"),
            &header("unheard-of 1\n"),
        ] {
            assert_eq!(Frame::of_text(garbage), Err(Misread::Garbage), "{garbage}");
        }
    }
}
