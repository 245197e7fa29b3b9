//! What a visitor does with keys and a pointer, sent as real input: the browser dispatches it as if it came from the
//! devices.
//!
//! Positions are CSS pixels. A click goes to the middle of an element and first makes sure that nothing covers it.

use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::error::{Error, Result, fail, sure};
use crate::page::Page;

/// How long the page may take to move its parts before an element counts as covered.
const UNCOVERED_WITHIN: Duration = Duration::from_secs(5);

/// How long each of a drag's moves lasts, in milliseconds: about one frame.
const MOVE: u64 = 16;
/// How many moves a drag has.
const DRAG_MOVES: u32 = 12;

/// A point of the viewport, in CSS pixels.
pub type Point = (f64, f64);

/// The keys with a name, after the `key` of the DOM's keyboard events, and WebDriver's code points for them.
const NAMED_KEYS: [(&str, &str); 20] = [
    ("Alt", "\u{E00A}"),
    ("ArrowDown", "\u{E015}"),
    ("ArrowLeft", "\u{E012}"),
    ("ArrowRight", "\u{E014}"),
    ("ArrowUp", "\u{E013}"),
    ("Backspace", "\u{E003}"),
    ("Control", "\u{E009}"),
    ("Delete", "\u{E017}"),
    ("End", "\u{E010}"),
    ("Enter", "\u{E007}"),
    ("Escape", "\u{E00C}"),
    ("F2", "\u{E032}"),
    ("Home", "\u{E011}"),
    ("Insert", "\u{E016}"),
    ("Meta", "\u{E03D}"),
    ("PageDown", "\u{E00F}"),
    ("PageUp", "\u{E00E}"),
    ("Shift", "\u{E008}"),
    ("Space", " "),
    ("Tab", "\u{E004}"),
];

impl Page<'_> {
    /// Presses a key by its DOM name, alone or with modifiers: `"ArrowRight"`, `"g"`, `"Control+Shift+z"`.
    #[track_caller]
    pub fn key(&self, chord: &str) {
        let keys = sure(keys_of(chord));
        let down = keys.iter().map(|key| json!({ "type": "keyDown", "value": key }));
        let up = keys.iter().rev().map(|key| json!({ "type": "keyUp", "value": key }));
        self.perform(&keyboard(&down.chain(up).collect::<Vec<_>>()));
    }

    /// Types into whatever has the focus.
    #[track_caller]
    pub fn type_text(&self, text: &str) {
        let strokes = text.chars().flat_map(|each| {
            let key = if each == '\n' { "\u{E007}".to_owned() } else { each.to_string() };
            [json!({ "type": "keyDown", "value": key }), json!({ "type": "keyUp", "value": key })]
        });
        self.perform(&keyboard(&strokes.collect::<Vec<_>>()));
    }

    /// Replaces the text of a field: clicks it, selects all and types.
    #[track_caller]
    pub fn type_into(&self, selector: &str, text: &str) {
        self.click(selector);
        self.key("Control+a");
        if text.is_empty() {
            self.key("Delete");
        } else {
            self.type_text(text);
        }
    }

    /// Clicks the middle of an element, scrolling it into view first. Fails if something else covers it.
    #[track_caller]
    pub fn click(&self, selector: &str) {
        let point = self.open_middle(selector);
        self.click_at(point);
    }

    /// Clicks an element while a modifier key is held.
    #[track_caller]
    pub fn click_holding(&self, modifier: &str, selector: &str) {
        let key = sure(keys_of(modifier)).concat();
        let point = self.open_middle(selector);
        self.perform(&keyboard(&[json!({ "type": "keyDown", "value": key })]));
        self.click_at(point);
        self.perform(&keyboard(&[json!({ "type": "keyUp", "value": key })]));
    }

    /// Clicks a point of the viewport.
    #[track_caller]
    pub fn click_at(&self, point: Point) {
        self.perform(&mouse(&[move_to(point, 0), down(), up()]));
    }

    /// Moves the pointer to `(dx, dy)` from an element's top left corner, scrolling the element into view first.
    #[track_caller]
    pub fn hover(&self, selector: &str, dx: f64, dy: f64) {
        let (left, top, ..) = self.bounds(selector);
        self.hover_at((left + dx, top + dy));
    }

    /// Moves the pointer to a point of the viewport.
    #[track_caller]
    pub fn hover_at(&self, point: Point) {
        self.perform(&mouse(&[move_to(point, 0)]));
    }

    /// Drags the middle of one element to the middle of another.
    #[track_caller]
    pub fn drag(&self, from: &str, to: &str) {
        let to = self.middle(to);
        self.drag_between(self.middle(from), to);
    }

    /// Drags from one point of the viewport to another, in about 200 ms.
    #[track_caller]
    pub fn drag_between(&self, from: Point, to: Point) {
        self.drag_along(&[from, to], DRAG_MOVES);
    }

    /// Drags along a line through `points`, with `moves` pointer moves on each part, one about every frame.
    #[track_caller]
    pub fn drag_along(&self, points: &[Point], moves: u32) {
        let Some(start) = points.first() else { return };
        let mut actions = vec![move_to(*start, 0), down()];
        for pair in points.windows(2) {
            let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
            actions.extend((1..=moves).map(|step| {
                let part = f64::from(step) / f64::from(moves);
                move_to((x0 + (x1 - x0) * part, y0 + (y1 - y0) * part), MOVE)
            }));
        }
        actions.push(up());
        self.perform(&mouse(&actions));
    }

    /// Turns the wheel by `(delta_x, delta_y)` over the middle of an element, while `modifiers` such as `"Control"` are
    /// held; an empty text holds none.
    #[track_caller]
    pub fn wheel(&self, selector: &str, modifiers: &str, delta_x: i32, delta_y: i32) {
        let keys = if modifiers.is_empty() { Vec::new() } else { sure(keys_of(modifiers)) };
        let (x, y) = self.middle(selector);
        let scroll =
            json!({ "type": "scroll", "x": whole(x), "y": whole(y), "deltaX": delta_x, "deltaY": delta_y });
        let press =
            |kind: &str| keys.iter().map(|key| json!({ "type": kind, "value": key })).collect::<Vec<_>>();
        if !keys.is_empty() {
            self.perform(&keyboard(&press("keyDown")));
        }
        self.perform(&json!({ "type": "wheel", "id": "wheel", "actions": [scroll] }));
        if !keys.is_empty() {
            self.perform(&keyboard(&press("keyUp")));
        }
    }

    /// Left, top, width and height of an element in the viewport, scrolled into view.
    #[track_caller]
    pub fn bounds(&self, selector: &str) -> (f64, f64, f64, f64) {
        self.with_element(
            selector,
            "(element) => {
                element.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
                const { left, top, width, height } = element.getBoundingClientRect();
                return [left, top, width, height];
            }",
        )
    }

    /// The middle of an element in the viewport, scrolled into view.
    #[track_caller]
    pub fn middle(&self, selector: &str) -> Point {
        let (left, top, width, height) = self.bounds(selector);
        if width == 0.0 || height == 0.0 {
            fail(format!("`{selector}` is not shown: it is {width} by {height} pixels"));
        }
        (left + width / 2.0, top + height / 2.0)
    }

    /// The middle of an element, which must be what a pointer there would meet, at once or after the page has moved its parts.
    #[track_caller]
    fn open_middle(&self, selector: &str) -> Point {
        let started = Instant::now();
        loop {
            let (x, y) = self.middle(selector);
            let cover: Option<String> = self.with_element(
                selector,
                &format!(
                    "(element) => {{
                        const there = document.elementFromPoint({x}, {y});
                        const same = there && (element.contains(there) || there.contains(element)
                            || [...(element.labels ?? [])].some((label) => label.contains(there)));
                        return same ? null : there ? there.outerHTML.slice(0, 120) : 'nothing: it is outside of the view';
                    }}"
                ),
            );
            let Some(cover) = cover else { return (x, y) };
            if started.elapsed() > UNCOVERED_WITHIN {
                fail(format!("a click on `{selector}` would meet {cover}"));
            }
            sleep(Duration::from_millis(20));
        }
    }

    #[track_caller]
    fn perform(&self, source: &Value) {
        sure(self.command("input.performActions", json!({ "actions": [source] })));
    }
}

fn keyboard(actions: &[Value]) -> Value {
    json!({ "type": "key", "id": "keyboard", "actions": actions })
}

fn mouse(actions: &[Value]) -> Value {
    json!({ "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" }, "actions": actions })
}

fn move_to((x, y): Point, milliseconds: u64) -> Value {
    json!({ "type": "pointerMove", "x": whole(x), "y": whole(y), "duration": milliseconds })
}

fn down() -> Value {
    json!({ "type": "pointerDown", "button": 0 })
}

fn up() -> Value {
    json!({ "type": "pointerUp", "button": 0 })
}

/// The nearest whole pixel, which is what both browsers accept.
#[allow(clippy::cast_possible_truncation, reason = "a position in a viewport is far inside the range of i64")]
fn whole(pixels: f64) -> i64 {
    pixels.round() as i64
}

/// The code points of a chord's keys, in the order they are pressed.
fn keys_of(chord: &str) -> Result<Vec<String>> {
    // The plus key itself: "+" alone, or last as in "Control++".
    let (modifiers, last) = match chord.strip_suffix('+') {
        Some(rest) => (rest.strip_suffix('+').unwrap_or(rest), "+"),
        None => chord.rsplit_once('+').unwrap_or(("", chord)),
    };
    modifiers.split('+').filter(|name| !name.is_empty()).chain([last]).map(key_of).collect()
}

fn key_of(name: &str) -> Result<String> {
    let mut characters = name.chars();
    if let (Some(only), None) = (characters.next(), characters.next()) {
        return Ok(only.to_string());
    }
    let named = NAMED_KEYS.iter().find(|(known, _)| *known == name);
    named.map(|(_, code)| (*code).to_owned()).ok_or_else(|| Error::new(format!("no key is called `{name}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chord_is_its_keys_in_order() {
        assert_eq!(keys_of("g").unwrap(), ["g"]);
        assert_eq!(keys_of("Control+Shift+z").unwrap(), ["\u{E009}", "\u{E008}", "z"]);
        assert_eq!(keys_of("Alt+ArrowLeft").unwrap(), ["\u{E00A}", "\u{E012}"]);
        assert_eq!(keys_of("+").unwrap(), ["+"]);
        assert_eq!(keys_of("Control++").unwrap(), ["\u{E009}", "+"]);
        assert!(keys_of("Contrl+z").is_err());
    }
}
