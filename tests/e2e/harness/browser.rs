//! A running browser, and its fresh pages.
//!
//! A browser runs many tests, one at a time. Each [`Page`] has its own user context, so tests do not share
//! storage, cache or permissions.

use std::cell::RefCell;
use std::time::Duration;

use serde_json::{Value, json};

use crate::bidi::{Connection, Event};
use crate::driver::{Driver, Kind};
use crate::error::{Error, Result};
use crate::page::Page;
use crate::problems;
use crate::server::Site;

/// A browser started for this run; it ends when it is dropped.
#[derive(Debug)]
pub struct Browser {
    kind: Kind,
    connection: RefCell<Connection>,
    driver: Driver,
}

impl Browser {
    /// Starts a driver and, through it, a headless browser.
    pub fn start(kind: Kind) -> Result<Self> {
        let driver = Driver::start(kind)?;
        let connection = RefCell::new(Connection::open(driver.socket())?);
        let browser = Self { kind, connection, driver };
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
        self.kind
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
        self.connection.borrow_mut().send(method, params)
    }

    pub(crate) fn send_within(&self, timeout: Duration, method: &str, params: &Value) -> Result<Value> {
        self.connection.borrow_mut().send_within(timeout, method, params)
    }

    pub(crate) fn events(&self) -> Result<Vec<Event>> {
        self.connection.borrow_mut().events()
    }

    pub(crate) fn driver(&self) -> &Driver {
        &self.driver
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Closing the driver's session does not end Chromium's headless shell. A browser that has ended returns an error.
        let _ = self.send("browser.close", &json!({}));
    }
}

/// The string under `key` in a result.
fn text_of(value: &Value, key: &str) -> Result<String> {
    let text = value[key].as_str().map(str::to_owned);
    text.ok_or_else(|| Error::new(format!("the browser's answer has no `{key}`")))
}
