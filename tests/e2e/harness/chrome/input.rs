//! WebDriver's keyboard, pointer and wheel actions as events of Chrome's own protocol.

use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::connection::Connection;
use crate::error::{Error, Result};

/// The time within which another press at the same place is a double click.
const DOUBLE_CLICK_TIME: Duration = Duration::from_millis(500);

/// A special key: WebDriver's code point, its names as `key` and `code`, and its virtual key code.
struct NamedKey(char, &'static str, &'static str, u32);

const NAMED_KEYS: [NamedKey; 20] = [
    NamedKey('\u{E003}', "Backspace", "Backspace", 8),
    NamedKey('\u{E004}', "Tab", "Tab", 9),
    NamedKey('\u{E007}', "Enter", "Enter", 13),
    NamedKey('\u{E008}', "Shift", "ShiftLeft", 16),
    NamedKey('\u{E009}', "Control", "ControlLeft", 17),
    NamedKey('\u{E00A}', "Alt", "AltLeft", 18),
    NamedKey('\u{E00C}', "Escape", "Escape", 27),
    NamedKey(' ', " ", "Space", 32),
    NamedKey('\u{E00E}', "PageUp", "PageUp", 33),
    NamedKey('\u{E00F}', "PageDown", "PageDown", 34),
    NamedKey('\u{E010}', "End", "End", 35),
    NamedKey('\u{E011}', "Home", "Home", 36),
    NamedKey('\u{E012}', "ArrowLeft", "ArrowLeft", 37),
    NamedKey('\u{E013}', "ArrowUp", "ArrowUp", 38),
    NamedKey('\u{E014}', "ArrowRight", "ArrowRight", 39),
    NamedKey('\u{E015}', "ArrowDown", "ArrowDown", 40),
    NamedKey('\u{E016}', "Insert", "Insert", 45),
    NamedKey('\u{E017}', "Delete", "Delete", 46),
    NamedKey('\u{E032}', "F2", "F2", 113),
    NamedKey('\u{E03D}', "Meta", "MetaLeft", 91),
];

/// The bits of modifier keys.
const MODIFIERS: [(&str, u32); 4] = [("Alt", 1), ("Control", 2), ("Meta", 4), ("Shift", 8)];

/// Modifiers with which a key enters no text.
const COMMAND_MODIFIERS: u32 = 1 | 2 | 4;

/// A key as the protocol describes it.
struct Key {
    name: String,
    code: String,
    virtual_code: u32,
    /// The text that it enters, if any.
    text: Option<String>,
}

impl Key {
    fn new(value: char) -> Self {
        if let Some(NamedKey(_, key, code, virtual_code)) = NAMED_KEYS.iter().find(|key| key.0 == value) {
            let text = match *key {
                "Enter" => Some("\r".to_owned()),
                " " => Some(" ".to_owned()),
                _ => None,
            };
            return Self {
                name: (*key).to_owned(),
                code: (*code).to_owned(),
                virtual_code: *virtual_code,
                text,
            };
        }
        let upper = value.to_ascii_uppercase();
        let code = match upper {
            'A'..='Z' => format!("Key{upper}"),
            '0'..='9' => format!("Digit{upper}"),
            _ => String::new(),
        };
        let virtual_code = if code.is_empty() { 0 } else { u32::from(upper) };
        Self { name: value.to_string(), code, virtual_code, text: Some(value.to_string()) }
    }
}

/// The state of keyboard and mouse.
#[derive(Debug, Default)]
pub(super) struct Input {
    modifiers: u32,
    position: (f64, f64),
    is_pressed: bool,
    /// The last press: when, where, and of how many clicks.
    last_press: Option<(Instant, (f64, f64), u32)>,
}

impl Input {
    /// Performs the actions of one input source in the page of a session. Positions are relative to `origin`.
    pub(super) fn perform(
        &mut self,
        connection: &mut Connection,
        session: &str,
        origin: (f64, f64),
        source: &Value,
    ) -> Result<()> {
        let actions = source["actions"].as_array().map(Vec::as_slice).unwrap_or_default();
        for action in actions {
            let number = |name: &str| action[name].as_f64().unwrap_or_default();
            let at = (origin.0 + number("x"), origin.1 + number("y"));
            let kind = action["type"].as_str().unwrap_or_default();
            let (method, params) = match kind {
                "keyDown" | "keyUp" => ("Input.dispatchKeyEvent", self.key(action, kind == "keyDown")?),
                "pointerMove" => {
                    let milliseconds = action["duration"].as_u64().unwrap_or_default();
                    sleep(Duration::from_millis(milliseconds));
                    self.position = at;
                    ("Input.dispatchMouseEvent", self.mouse("mouseMoved", 0))
                }
                "pointerDown" => {
                    let clicks = self.count_press();
                    self.is_pressed = true;
                    ("Input.dispatchMouseEvent", self.mouse("mousePressed", clicks))
                }
                "pointerUp" => {
                    let clicks = self.last_press.map_or(1, |(.., clicks)| clicks);
                    let event = self.mouse("mouseReleased", clicks);
                    self.is_pressed = false;
                    ("Input.dispatchMouseEvent", event)
                }
                "scroll" => {
                    self.position = at;
                    let mut event = self.mouse("mouseWheel", 0);
                    event["deltaX"] = number("deltaX").into();
                    event["deltaY"] = number("deltaY").into();
                    ("Input.dispatchMouseEvent", event)
                }
                _ => return Err(Error::new(format!("unknown input action `{kind}`"))),
            };
            connection.call(Some(session), method, &params)?;
        }
        Ok(())
    }

    /// The number of clicks of a press here and now.
    fn count_press(&mut self) -> u32 {
        let last = self
            .last_press
            .filter(|(time, position, _)| time.elapsed() < DOUBLE_CLICK_TIME && *position == self.position);
        let clicks = last.map_or(1, |(.., clicks)| clicks + 1);
        self.last_press = Some((Instant::now(), self.position, clicks));
        clicks
    }

    fn mouse(&self, kind: &str, clicks: u32) -> Value {
        let (x, y) = self.position;
        let is_about_button = kind == "mousePressed" || kind == "mouseReleased" || self.is_pressed;
        let button = if is_about_button { "left" } else { "none" };
        let is_down = self.is_pressed && kind != "mouseReleased";
        json!({
            "type": kind, "x": x, "y": y, "button": button, "buttons": u8::from(is_down),
            "clickCount": clicks, "modifiers": self.modifiers, "pointerType": "mouse",
        })
    }

    fn key(&mut self, action: &Value, is_down: bool) -> Result<Value> {
        let value = action["value"].as_str().and_then(|value| value.chars().next());
        let key = Key::new(value.ok_or_else(|| Error::new("a key action has no key"))?);
        if let Some((_, bit)) = MODIFIERS.iter().find(|(name, _)| *name == key.name) {
            self.modifiers = if is_down { self.modifiers | bit } else { self.modifiers & !bit };
        }
        let text = key.text.filter(|_| is_down && self.modifiers & COMMAND_MODIFIERS == 0);
        let kind = match (is_down, &text) {
            (true, Some(_)) => "keyDown",
            (true, None) => "rawKeyDown",
            (false, _) => "keyUp",
        };
        let mut event = json!({
            "type": kind, "key": key.name, "code": key.code, "windowsVirtualKeyCode": key.virtual_code,
            "nativeVirtualKeyCode": key.virtual_code, "modifiers": self.modifiers,
        });
        if let Some(text) = text {
            event["text"] = text.clone().into();
            event["unmodifiedText"] = text.into();
        }
        Ok(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pressed(input: &mut Input, value: &str) -> Value {
        input.key(&json!({ "type": "keyDown", "value": value }), true).unwrap()
    }

    #[test]
    fn a_key_enters_its_text_unless_a_command_key_is_held() {
        let mut input = Input::default();
        let event = pressed(&mut input, "a");
        assert_eq!(
            (&event["type"], &event["text"], &event["code"]),
            (&json!("keyDown"), &json!("a"), &json!("KeyA"))
        );
        assert_eq!(pressed(&mut input, "\u{E009}")["modifiers"], 2);
        let event = pressed(&mut input, "a");
        assert_eq!((&event["type"], &event["text"]), (&json!("rawKeyDown"), &Value::Null));
        input.key(&json!({ "type": "keyUp", "value": "\u{E009}" }), false).unwrap();
        assert_eq!(pressed(&mut input, "\u{E007}")["text"], "\r");
    }

    #[test]
    fn presses_at_one_place_count_up() {
        let mut input = Input::default();
        assert_eq!((input.count_press(), input.count_press()), (1, 2));
        input.position = (1.0, 0.0);
        assert_eq!(input.count_press(), 1);
    }
}
