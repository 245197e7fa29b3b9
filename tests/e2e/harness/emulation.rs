//! Emulates the user's preferences: colour scheme, motion, language.
//!
//! In Chrome they are set by its own protocol for one page; in Firefox as preferences of the whole
//! browser, so the runner resets them before each page. BiDi sets the language in both.

use serde_json::{Value, json};

use crate::driver::Kind;
use crate::error::{Result, or_fail};
use crate::page::Page;

/// Preferences for media queries; the default is light, with motion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Emulation {
    /// `prefers-color-scheme: dark` instead of `light`.
    pub dark: bool,
    /// `prefers-reduced-motion: reduce` instead of `no-preference`.
    pub reduced_motion: bool,
}

impl Page<'_> {
    /// Sets the preferences; pages observe the change at once.
    #[track_caller]
    pub fn emulate(&self, emulation: Emulation) {
        or_fail(self.try_emulate(emulation));
    }

    /// Sets the language, such as `zh-CN`, of `navigator.languages`; effective from the next navigation.
    ///
    /// By a script, which is alike in all browsers and ends with the page.
    #[track_caller]
    pub fn locale(&self, tag: &str) {
        let tag = json!(tag);
        self.before_scripts(&format!(
            "() => {{
                Object.defineProperty(navigator, 'language', {{ configurable: true, get: () => {tag} }});
                Object.defineProperty(navigator, 'languages', {{ configurable: true, get: () => [{tag}] }});
            }}"
        ));
    }

    /// Why Chrome would not offer to install the page as an app, by the names of its reasons; none if it would.
    #[track_caller]
    pub fn installability_errors(&self) -> Vec<String> {
        let answer = or_fail(self.call_chrome("Page.getInstallabilityErrors", &json!({})));
        let errors = answer.get("installabilityErrors").and_then(Value::as_array);
        let errors = errors.map(Vec::as_slice).unwrap_or_default();
        errors.iter().map(|error| error["errorId"].as_str().unwrap_or_default().to_owned()).collect()
    }

    pub(crate) fn try_emulate(&self, emulation: Emulation) -> Result<()> {
        match self.browser().kind() {
            Kind::Chrome => {
                let scheme = if emulation.dark { "dark" } else { "light" };
                let motion = if emulation.reduced_motion { "reduce" } else { "no-preference" };
                let features = json!([
                    { "name": "prefers-color-scheme", "value": scheme },
                    { "name": "prefers-reduced-motion", "value": motion },
                ]);
                self.call_chrome("Emulation.setEmulatedMedia", &json!({ "features": features })).map(drop)
            }
            Kind::Firefox => {
                let scheme = u8::from(!emulation.dark);
                let motion = u8::from(emulation.reduced_motion);
                let script = format!(
                    "Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', {scheme});
                     Services.prefs.setIntPref('ui.prefersReducedMotion', {motion});"
                );
                let post = |path: &str, body| self.browser().post_to_driver(path, &body);
                post("/moz/context", json!({ "context": "chrome" }))?;
                let done = post("/execute/sync", json!({ "script": script, "args": [] }));
                post("/moz/context", json!({ "context": "content" }))?;
                done.map(drop)
            }
        }
    }
}
