//! Keyboard and pointer input, dispatched by the browser like input of real devices.
//!
//! Positions are CSS pixels. A click is at the centre of an element, after checking that nothing covers it.

use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::error::{Error, Result, fail, or_fail};
use crate::page::Page;

/// The time that an element has to become uncovered, because the page may still be moving it.
const UNCOVER_TIMEOUT: Duration = Duration::from_secs(5);

/// The frames that an element must stay in its place before it is clicked.
const FRAMES_AT_REST: u32 = 3;

/// The duration of each move of a drag, in milliseconds: about one frame.
const MOVE_MS: u64 = 16;
/// The moves of a drag.
const DRAG_MOVES: u32 = 12;

/// A point of the viewport, in CSS pixels.
pub type Point = (f64, f64);

/// The names of special keys (`KeyboardEvent.key`) and WebDriver's code points for them.
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
        let keys = or_fail(chord_keys(chord));
        let down = keys.iter().map(|key| json!({ "type": "keyDown", "value": key }));
        let up = keys.iter().rev().map(|key| json!({ "type": "keyUp", "value": key }));
        self.perform(&keyboard(&down.chain(up).collect::<Vec<_>>()));
    }

    /// Types into the focused element.
    #[track_caller]
    pub fn type_text(&self, text: &str) {
        let strokes = text.chars().flat_map(|c| {
            let key = if c == '\n' { "\u{E007}".to_owned() } else { c.to_string() };
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

    /// Clicks the centre of an element after scrolling it into view. Fails if something else covers it.
    #[track_caller]
    pub fn click(&self, selector: &str) {
        let point = self.uncovered_centre(selector);
        self.click_at(point);
    }

    /// Clicks an element while a modifier key is held.
    #[track_caller]
    pub fn click_holding(&self, modifier: &str, selector: &str) {
        let key = or_fail(chord_keys(modifier)).concat();
        let point = self.uncovered_centre(selector);
        self.perform(&keyboard(&[json!({ "type": "keyDown", "value": key })]));
        self.click_at(point);
        self.perform(&keyboard(&[json!({ "type": "keyUp", "value": key })]));
    }

    /// Clicks a point of the viewport.
    #[track_caller]
    pub fn click_at(&self, point: Point) {
        self.perform(&mouse(&[move_to(point, 0), press(), release()]));
    }

    /// Moves the pointer to `(dx, dy)` from an element's top left corner, after scrolling the element into view.
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

    /// Drags the centre of one element to the centre of another.
    #[track_caller]
    pub fn drag(&self, from: &str, to: &str) {
        let to = self.centre(to);
        self.drag_between(self.centre(from), to);
    }

    /// Drags from one point of the viewport to another, in about 200 ms.
    #[track_caller]
    pub fn drag_between(&self, from: Point, to: Point) {
        self.drag_along(&[from, to], DRAG_MOVES);
    }

    /// Drags along a polyline, with `moves` pointer moves per segment, each about one frame long.
    #[track_caller]
    pub fn drag_along(&self, points: &[Point], moves: u32) {
        let Some(start) = points.first() else { return };
        let mut actions = vec![move_to(*start, 0), press()];
        for pair in points.windows(2) {
            let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
            actions.extend((1..=moves).map(|step| {
                let fraction = f64::from(step) / f64::from(moves);
                move_to((x0 + (x1 - x0) * fraction, y0 + (y1 - y0) * fraction), MOVE_MS)
            }));
        }
        actions.push(release());
        self.perform(&mouse(&actions));
    }

    /// Turns the wheel by `(delta_x, delta_y)` over the centre of an element, while holding `modifiers` such as
    /// `"Control"`; an empty text holds none.
    #[track_caller]
    pub fn wheel(&self, selector: &str, modifiers: &str, delta_x: i32, delta_y: i32) {
        let keys = if modifiers.is_empty() { Vec::new() } else { or_fail(chord_keys(modifiers)) };
        let (x, y) = self.centre(selector);
        let scroll = json!({ "type": "scroll", "x": rounded(x), "y": rounded(y), "deltaX": delta_x, "deltaY": delta_y });
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

    /// The centre of an element in the viewport, after scrolling it into view.
    #[track_caller]
    pub fn centre(&self, selector: &str) -> Point {
        let (left, top, width, height) = self.bounds(selector);
        if width == 0.0 || height == 0.0 {
            fail(format!("`{selector}` is not shown: it is {width} by {height} pixels"));
        }
        (left + width / 2.0, top + height / 2.0)
    }

    /// The centre of an element, which must be uncovered and at rest, or become so once the page has stopped moving.
    #[track_caller]
    fn uncovered_centre(&self, selector: &str) -> Point {
        let name = json!(selector);
        let position = format!(
            "(async (element) => {{
                const bounds = (element) => {{
                    element.scrollIntoView({{ block: 'nearest', inline: 'nearest', behavior: 'instant' }});
                    const {{ left, top, width, height }} = element.getBoundingClientRect();
                    return [left, top, width, height];
                }};
                const before = bounds(element);
                // A page may need some frames to measure and place what it has just shown.
                let after = before;
                for (let frame = 0; frame < {FRAMES_AT_REST} && String(before) === String(after); frame += 1) {{
                    await new Promise((done) => {{ requestAnimationFrame(done); setTimeout(done, 200); }});
                    element = document.querySelector({name}) ?? element;
                    after = bounds(element);
                }}
                const [left, top, width, height] = after;
                if (width === 0 || height === 0) return ['nothing: it is ' + width + ' by ' + height + ' pixels', null];
                if (String(before) !== String(after)) return ['something else: it is moving', null];
                const centre = [left + width / 2, top + height / 2];
                const target = document.elementFromPoint(...centre);
                const hits = target && (element.contains(target) || target.contains(element)
                    || [...(element.labels ?? [])].some((label) => label.contains(target)));
                if (hits) return [null, centre];
                return [target ? target.outerHTML.slice(0, 120) : 'nothing: it is outside of the viewport', null];
            }})"
        );
        let started = Instant::now();
        loop {
            let (obstacle, centre): (Option<String>, Option<Point>) = self.with_element(selector, &position);
            if let Some(centre) = centre {
                return centre;
            }
            if started.elapsed() > UNCOVER_TIMEOUT {
                fail(format!("a click on `{selector}` would hit {}", obstacle.unwrap_or_default()));
            }
            sleep(Duration::from_millis(20));
        }
    }

    #[track_caller]
    fn perform(&self, source: &Value) {
        or_fail(self.command("input.performActions", json!({ "actions": [source] })));
    }
}

fn keyboard(actions: &[Value]) -> Value {
    json!({ "type": "key", "id": "keyboard", "actions": actions })
}

fn mouse(actions: &[Value]) -> Value {
    json!({ "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" }, "actions": actions })
}

fn move_to((x, y): Point, milliseconds: u64) -> Value {
    json!({ "type": "pointerMove", "x": rounded(x), "y": rounded(y), "duration": milliseconds })
}

fn press() -> Value {
    json!({ "type": "pointerDown", "button": 0 })
}

fn release() -> Value {
    json!({ "type": "pointerUp", "button": 0 })
}

/// The nearest whole pixel: both browsers accept only integers.
#[allow(clippy::cast_possible_truncation, reason = "a position in a viewport is far inside the range of i64")]
fn rounded(pixels: f64) -> i64 {
    pixels.round() as i64
}

/// The code points of a chord's keys, in pressing order.
fn chord_keys(chord: &str) -> Result<Vec<String>> {
    // The plus key itself: "+" alone, or last as in "Control++".
    let (modifiers, last) = match chord.strip_suffix('+') {
        Some(rest) => (rest.strip_suffix('+').unwrap_or(rest), "+"),
        None => chord.rsplit_once('+').unwrap_or(("", chord)),
    };
    modifiers.split('+').filter(|name| !name.is_empty()).chain([last]).map(key_code).collect()
}

fn key_code(name: &str) -> Result<String> {
    let mut characters = name.chars();
    if let (Some(character), None) = (characters.next(), characters.next()) {
        return Ok(character.to_string());
    }
    let named = NAMED_KEYS.iter().find(|(known, _)| *known == name);
    named.map(|(_, code)| (*code).to_owned()).ok_or_else(|| Error::new(format!("no key is called `{name}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chord_is_its_keys_in_order() {
        assert_eq!(chord_keys("g").unwrap(), ["g"]);
        assert_eq!(chord_keys("Control+Shift+z").unwrap(), ["\u{E009}", "\u{E008}", "z"]);
        assert_eq!(chord_keys("Alt+ArrowLeft").unwrap(), ["\u{E00A}", "\u{E012}"]);
        assert_eq!(chord_keys("+").unwrap(), ["+"]);
        assert_eq!(chord_keys("Control++").unwrap(), ["\u{E009}", "+"]);
        assert!(chord_keys("Contrl+z").is_err());
    }
}
