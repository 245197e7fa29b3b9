//! A running browser, and its fresh pages.
//!
//! A browser runs many tests, one at a time. Each [`Page`] has its own user context, so tests do not share
//! storage, cache or permissions.

use std::cell::RefCell;
use std::time::Duration;

use serde_json::{Value, json};

use crate::bidi::{COMMAND_TIMEOUT, Connection, Event};
use crate::chrome::Chrome;
use crate::driver::{Driver, Kind};
use crate::error::{Error, Result};
use crate::page::Page;
use crate::problems;
use crate::server::Site;

/// A browser started for this run; it ends when it is dropped.
#[derive(Debug)]
pub struct Browser(RefCell<Protocol>);

/// How a browser is driven.
#[derive(Debug)]
enum Protocol {
    /// Chrome, by its own protocol.
    DevTools(Chrome),
    /// Firefox, by BiDi through its driver.
    BiDi(Connection, Driver),
}

impl Browser {
    /// Starts a headless browser.
    pub fn start(kind: Kind) -> Result<Self> {
        let protocol = match kind {
            Kind::Chrome => Protocol::DevTools(Chrome::start()?),
            Kind::Firefox => {
                let driver = Driver::start()?;
                Protocol::BiDi(Connection::open(driver.socket())?, driver)
            }
        };
        let browser = Self(RefCell::new(protocol));
        browser.send("session.subscribe", &json!({ "events": problems::EVENTS }))?;
        browser.send("script.addPreloadScript", &problems::preload_script())?;
        Ok(browser)
    }

    /// Whether it still responds.
    pub(crate) fn is_responsive(&self) -> bool {
        self.send("session.status", &json!({})).is_ok()
    }

    /// The kind of browser.
    pub fn kind(&self) -> Kind {
        match *self.0.borrow() {
            Protocol::DevTools(_) => Kind::Chrome,
            Protocol::BiDi(..) => Kind::Firefox,
        }
    }

    /// Opens an empty page for `site`, with empty storage.
    pub fn page<'a>(&'a self, site: &'a Site) -> Result<Page<'a>> {
        let created = self.send("browser.createUserContext", &json!({}))?;
        let user_context = text_of(&created, "userContext")?;
        let created =
            self.send("browsingContext.create", &json!({ "type": "tab", "userContext": user_context }))?;
        let context = text_of(&created, "context")?;
        self.send("browsingContext.activate", &json!({ "context": context }))?;
        // Events of an earlier page that was closing do not belong to this page.
        self.events()?;
        Ok(Page::new(self, site, context, user_context))
    }

    pub(crate) fn send(&self, method: &str, params: &Value) -> Result<Value> {
        self.send_within(COMMAND_TIMEOUT, method, params)
    }

    pub(crate) fn send_within(&self, timeout: Duration, method: &str, params: &Value) -> Result<Value> {
        match &mut *self.0.borrow_mut() {
            Protocol::DevTools(chrome) => chrome.send_within(timeout, method, params),
            Protocol::BiDi(connection, _) => connection.send_within(timeout, method, params),
        }
    }

    pub(crate) fn events(&self) -> Result<Vec<Event>> {
        match &mut *self.0.borrow_mut() {
            Protocol::DevTools(chrome) => chrome.events(),
            Protocol::BiDi(connection, _) => connection.events(),
        }
    }

    /// Sends a command of Chrome's own protocol to a page.
    pub(crate) fn call_chrome(&self, context: &str, method: &str, params: &Value) -> Result<Value> {
        match &mut *self.0.borrow_mut() {
            Protocol::DevTools(chrome) => chrome.call_page(context, method, params),
            Protocol::BiDi(..) => Err(Error::new(format!("{method}: only Chrome has this command"))),
        }
    }

    /// Posts to a path of the session of Firefox's driver, for commands that BiDi lacks.
    pub(crate) fn post_to_driver(&self, path: &str, body: &Value) -> Result<Value> {
        match &*self.0.borrow() {
            Protocol::DevTools(_) => Err(Error::new(format!("{path}: Chrome has no driver"))),
            Protocol::BiDi(_, driver) => driver.session_post(path, body),
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // A browser that has ended returns an error.
        let _ = self.send("browser.close", &json!({}));
    }
}

/// The string under `key` in a result.
fn text_of(value: &Value, key: &str) -> Result<String> {
    let text = value[key].as_str().map(str::to_owned);
    text.ok_or_else(|| Error::new(format!("the browser's answer has no `{key}`")))
}
