//! The visitor's preferences, set from outside: colour scheme, motion, language.
//!
//! Chrome takes them over its own protocol, which BiDi wraps, for one page; Firefox as preferences of the whole
//! browser, so the runner resets them before each page. The language is BiDi's own in both.

use serde_json::{Value, json};

use crate::driver::Kind;
use crate::error::{Result, sure};
use crate::page::Page;

/// Preferences a page can ask for with media queries; the default is light, with motion.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Emulation {
    /// `prefers-color-scheme: dark` instead of `light`.
    pub dark: bool,
    /// `prefers-reduced-motion: reduce` instead of `no-preference`.
    pub reduced_motion: bool,
}

impl Page<'_> {
    /// Sets the visitor's preferences; pages see the change at once.
    #[track_caller]
    pub fn emulate(&self, emulation: Emulation) {
        sure(self.try_emulate(emulation));
    }

    /// Sets the visitor's language, such as `zh-CN`, for `navigator.language`; a page sees it when it loads.
    #[track_caller]
    pub fn locale(&self, tag: &str) {
        let params = json!({ "locale": tag, "contexts": [self.context()] });
        sure(self.browser().send("emulation.setLocaleOverride", &params));
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
                self.chrome_command("Emulation.setEmulatedMedia", &json!({ "features": features })).map(drop)
            }
            Kind::Firefox => {
                let scheme = u8::from(!emulation.dark);
                let motion = u8::from(emulation.reduced_motion);
                let script = format!(
                    "Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', {scheme});
                     Services.prefs.setIntPref('ui.prefersReducedMotion', {motion});"
                );
                let driver = self.browser().driver();
                driver.session_post("/moz/context", &json!({ "context": "chrome" }))?;
                let done = driver.session_post("/execute/sync", &json!({ "script": script, "args": [] }));
                driver.session_post("/moz/context", &json!({ "context": "content" }))?;
                done.map(drop)
            }
        }
    }

    /// Sends a command of Chrome's own protocol to this page.
    pub(crate) fn chrome_command(&self, method: &str, params: &Value) -> Result<Value> {
        let found = self.command("goog:cdp.getSession", json!({}))?;
        let params = json!({ "method": method, "params": params, "session": found["session"] });
        self.browser().send("goog:cdp.sendCommand", &params)
    }
}
