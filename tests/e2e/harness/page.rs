//! A page of the site: navigation, content and problems.
//!
//! A method whose expectation fails ends the test, at the caller's line. Keyboard and pointer are in
//! [`crate::input`].

use std::cell::RefCell;
use std::fmt::Display;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{fs, iter};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::bidi::COMMAND_TIMEOUT;
use crate::browser::Browser;
use crate::driver::Kind;
use crate::error::{Context, Error, Result, fail, or_fail};
use crate::problems::ProblemLog;
use crate::server::Site;

/// How long [`Page::take_problems`] waits for pending requests.
const PENDING_REQUESTS_TIMEOUT: Duration = Duration::from_secs(5);
/// The timeout of [`Page::wait_for`], far longer than a busy machine takes.
const WAIT_TIMEOUT: Duration = Duration::from_secs(40);

/// The time after which a navigation is tried again: several times that of the slowest on a busy machine.
const NAVIGATION_TIMEOUT: Duration = Duration::from_secs(20);
/// The page answers [`Page::wait_for`] after this time in any case, unless it is blocked or was replaced: a browser may never
/// answer for a page that navigated, so it is asked again after twice this time.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// A page with separate storage, which closing deletes.
#[derive(Debug)]
pub struct Page<'a> {
    browser: &'a Browser,
    site: &'a Site,
    context: String,
    user_context: String,
    /// Other origins that requests may go to.
    others: RefCell<Vec<String>>,
}

impl<'a> Page<'a> {
    pub(crate) fn new(browser: &'a Browser, site: &'a Site, context: String, user_context: String) -> Self {
        Self { browser, site, context, user_context, others: RefCell::default() }
    }

    /// Allows requests to another site, such as the one that embeds the page.
    pub fn allow_site(&self, other: &Site) {
        self.allow_origin(&other.origin());
    }

    /// Allows requests to an origin, such as that of a program that serves the site.
    pub fn allow_origin(&self, origin: &str) {
        self.others.borrow_mut().push(origin.to_owned());
    }

    /// The browser the page is in.
    pub fn browser(&self) -> &'a Browser {
        self.browser
    }

    /// The site the page belongs to.
    pub fn site(&self) -> &'a Site {
        self.site
    }

    /// Whether the page is in Firefox.
    pub fn is_firefox(&self) -> bool {
        self.browser.kind() == Kind::Firefox
    }

    /// Opens a path of the site, such as `""` or `"#v1/..."`, and waits until the app has painted.
    #[track_caller]
    pub fn goto(&self, path: &str) {
        let url = format!("{}{path}", self.site.url());
        self.navigate(&url);
        self.wait_for_app();
    }

    /// Runs a JavaScript function before the first script of every document that the page loads from now on.
    #[track_caller]
    pub fn before_scripts(&self, function: &str) {
        let params = json!({ "functionDeclaration": function, "contexts": [self.context] });
        or_fail(self.browser.send("script.addPreloadScript", &params));
    }

    /// Lets the documents that the page loads from now on register service workers.
    #[track_caller]
    pub fn allow_service_worker(&self) {
        self.before_scripts(
            "() => { const found = window[Symbol.for('e2e.serviceWorker')];
                if (found) Object.defineProperty(Navigator.prototype, 'serviceWorker', found); }",
        );
    }

    /// Opens any page and waits until it and its frames have loaded.
    #[track_caller]
    pub fn visit(&self, url: &str) {
        self.navigate(url);
    }

    /// Navigates, and retries once: on a busy machine Firefox sometimes misses the end of a navigation. A page that
    /// does not load fails both times.
    #[track_caller]
    fn navigate(&self, url: &str) {
        let params = json!({ "url": url, "wait": "complete", "context": self.context });
        let first = self.browser.send_within(NAVIGATION_TIMEOUT, "browsingContext.navigate", &params);
        if first.is_err() {
            or_fail(self.browser.send("browsingContext.navigate", &params));
        }
        // Firefox may report the end while the page is still the empty one of a new process.
        if url != "about:blank" {
            self.wait_for("location.href !== 'about:blank' && document.readyState === 'complete'");
        }
        if self.browser.kind() == Kind::Firefox {
            self.take_focus();
        }
    }

    /// Activates the tab again if its document lacks the focus: Firefox may lose it to the process that the navigation left.
    /// Without it, keys reach the document, but activate nothing.
    #[track_caller]
    fn take_focus(&self) {
        if !self.eval::<bool>("document.hasFocus()") {
            or_fail(self.command("browsingContext.activate", json!({})));
            self.wait_for("document.hasFocus()");
        }
    }

    /// The document of the frame that matches `selector`, after scrolling it into view.
    ///
    /// It works like a separate page; its problems are reported by the embedding page.
    #[must_use]
    #[track_caller]
    pub fn frame(&self, selector: &str) -> Self {
        let number: usize = self.with_element(
            selector,
            "(element) => { element.scrollIntoView({ block: 'center', behavior: 'instant' });
                return [...document.querySelectorAll('iframe')].indexOf(element); }",
        );
        let params = json!({ "root": self.context });
        let tree = or_fail(self.browser.send("browsingContext.getTree", &params));
        let context = tree.pointer(&format!("/contexts/0/children/{number}/context")).and_then(Value::as_str);
        let Some(context) = context else { fail(format!("`{selector}` is not a frame that has loaded")) };
        let user_context = self.user_context.clone();
        Self::new(self.browser, self.site, context.to_owned(), user_context)
    }

    /// The tab that the page opened.
    #[must_use]
    #[track_caller]
    pub fn opened_tab(&self) -> Self {
        let started = Instant::now();
        loop {
            let tree = or_fail(self.browser.send("browsingContext.getTree", &json!({ "maxDepth": 0 })));
            let tabs = tree["contexts"].as_array().map(Vec::as_slice).unwrap_or_default();
            let other = tabs.iter().find(|tab| {
                tab["userContext"] == self.user_context.as_str() && tab["context"] != self.context.as_str()
            });
            if let Some(context) = other.and_then(|tab| tab["context"].as_str()) {
                let user_context = self.user_context.clone();
                return Self::new(self.browser, self.site, context.to_owned(), user_context);
            }
            if started.elapsed() > WAIT_TIMEOUT {
                fail("no tab was opened");
            }
            sleep(Duration::from_millis(20));
        }
    }

    /// Closes a tab that the page opened; the page itself stays open.
    #[track_caller]
    pub fn close_tab(self) {
        or_fail(self.command("browsingContext.close", json!({})));
    }

    /// Waits until the app in the page has painted.
    #[track_caller]
    pub fn wait_for_app(&self) {
        self.wait_for("window[Symbol.for('e2e.started')]");
    }

    /// Reloads the page and waits until the app has painted.
    #[track_caller]
    pub fn reload(&self) {
        or_fail(self.command("browsingContext.reload", json!({ "wait": "complete" })));
        self.wait_for_app();
    }

    /// Goes `delta` entries through the history: -1 is the back button.
    #[track_caller]
    pub fn history(&self, delta: i32) {
        or_fail(self.command("browsingContext.traverseHistory", json!({ "delta": delta })));
    }

    /// The page's URL.
    #[track_caller]
    pub fn url(&self) -> String {
        self.eval("location.href")
    }

    /// The value of a JavaScript expression, which may be a promise, parsed as JSON; `undefined` is null.
    ///
    /// It is evaluated through the driver, so the page's Content-Security-Policy does not apply.
    #[track_caller]
    pub fn eval<T: DeserializeOwned>(&self, expression: &str) -> T {
        or_fail(self.try_eval(expression))
    }

    /// Runs JavaScript statements, which may `await`, to completion.
    #[track_caller]
    pub fn run(&self, statements: &str) {
        self.eval::<()>(&format!("(async () => {{ {statements} }})().then(() => null)"));
    }

    /// Like [`Page::eval`], but returns an exception as an error.
    pub fn try_eval<T: DeserializeOwned>(&self, expression: &str) -> Result<T> {
        self.eval_within(COMMAND_TIMEOUT, expression)
    }

    /// Like [`Page::try_eval`] with another timeout.
    fn eval_within<T: DeserializeOwned>(&self, timeout: Duration, expression: &str) -> Result<T> {
        let function = format!("async () => JSON.stringify(await ({expression})) ?? 'null'");
        let target = json!({ "context": self.context });
        let params = json!({ "functionDeclaration": function, "awaitPromise": true, "target": target });
        let answer = self.browser.send_within(timeout, "script.callFunction", &params)?;
        if answer["type"] == "exception" {
            let text = answer.pointer("/exceptionDetails/text").and_then(Value::as_str).unwrap_or_default();
            return Err(Error::new(format!("`{}`: {text}", shortened(expression))));
        }
        let text = answer.pointer("/result/value").and_then(Value::as_str).unwrap_or("null");
        serde_json::from_str(text).context(format!("`{}` is {text}", shortened(expression)))
    }

    /// Calls a JavaScript function with the first element that matches `selector`.
    #[track_caller]
    pub fn with_element<T: DeserializeOwned>(&self, selector: &str, function: &str) -> T {
        let name = json!(selector);
        self.eval(&format!(
            "(() => {{ const element = document.querySelector({name});
                if (!element) throw new Error('no element matches ' + {name});
                return ({function})(element); }})()"
        ))
    }

    /// Waits until a JavaScript expression is true; an exception counts as false.
    ///
    /// The page itself evaluates it repeatedly: asking it every few milliseconds would keep the driver busy. A page that
    /// navigates meanwhile is asked again.
    #[track_caller]
    pub fn wait_for(&self, condition: &str) {
        let answer_after = ANSWER_TIMEOUT.as_millis();
        let answer_of_page = format!(
            "new Promise((answer) => {{
                const end = performance.now() + {answer_after};
                const evaluate = async () => {{
                    let problem = 'it stayed false';
                    try {{
                        if ({condition}) return answer(null);
                    }} catch (error) {{
                        problem = String(error);
                    }}
                    if (performance.now() > end) answer(problem); else setTimeout(evaluate, 10);
                }};
                evaluate();
            }})"
        );
        let started = Instant::now();
        loop {
            let answer = self.eval_within::<Option<String>>(2 * ANSWER_TIMEOUT, &answer_of_page);
            if matches!(answer, Ok(None)) {
                return;
            }
            if started.elapsed() > WAIT_TIMEOUT {
                let problem = answer.map_or_else(|error| error.to_string(), Option::unwrap_or_default);
                fail(format!("waited {} s for `{condition}`: {problem}", WAIT_TIMEOUT.as_secs()));
            }
            sleep(Duration::from_millis(20));
        }
    }

    /// Waits until the text of an element, as by [`Page::text`], is `expected`.
    #[track_caller]
    pub fn wait_for_text(&self, selector: &str, expected: &str) {
        let (name, text) = (json!(selector), json!(expected));
        self.wait_for(&format!("document.querySelector({name}).innerText.trim() === {text}"));
    }

    /// Waits until the value of a field, as by [`Page::value`], is `expected`.
    #[track_caller]
    pub fn wait_for_value(&self, selector: &str, expected: &str) {
        let (name, value) = (json!(selector), json!(expected));
        self.wait_for(&format!("document.querySelector({name}).value === {value}"));
    }

    /// The rendered text of an element, trimmed.
    #[track_caller]
    pub fn text(&self, selector: &str) -> String {
        self.with_element(selector, "(element) => element.innerText.trim()")
    }

    /// The texts of all matching elements, in document order.
    #[track_caller]
    pub fn texts(&self, selector: &str) -> Vec<String> {
        let name = json!(selector);
        self.eval(&format!("[...document.querySelectorAll({name})].map((each) => each.innerText.trim())"))
    }

    /// The value of a text field, a list or a slider.
    #[track_caller]
    pub fn value(&self, selector: &str) -> String {
        self.with_element(selector, "(element) => String(element.value)")
    }

    /// An attribute of an element, if it is set.
    #[track_caller]
    pub fn attribute(&self, selector: &str, name: &str) -> Option<String> {
        self.with_element(selector, &format!("(element) => element.getAttribute({})", json!(name)))
    }

    /// The number of matching elements.
    #[track_caller]
    pub fn count(&self, selector: &str) -> usize {
        self.eval(&format!("document.querySelectorAll({}).length", json!(selector)))
    }

    /// Whether a matching element has the focus.
    #[track_caller]
    pub fn is_focused(&self, selector: &str) -> bool {
        self.eval(&format!("document.activeElement?.matches({}) ?? false", json!(selector)))
    }

    /// Sets the size of the page's viewport in CSS pixels.
    #[track_caller]
    pub fn viewport(&self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height });
        or_fail(self.command("browsingContext.setViewport", json!({ "viewport": size })));
    }

    /// Suppresses all messages of the page's next worker after one that contains this text, as if it hung there.
    #[track_caller]
    pub fn hang_next_worker_after(&self, text: &str) {
        self.run(&format!(
            "const Real = window.Worker;
             window.Worker = class extends Real {{
                 constructor(...args) {{
                     super(...args);
                     window.Worker = Real;
                 }}
                 set onmessage(handler) {{
                     let hangs = false;
                     super.onmessage = handler && ((event) => {{
                         if (hangs) return;
                         hangs = String([event.data].flat()[0]).includes({});
                         handler(event);
                     }});
                 }}
             }};",
            json!(text)
        ));
    }

    /// Saves the viewport as a PNG file.
    #[track_caller]
    pub fn screenshot(&self, path: impl AsRef<Path>) {
        or_fail(self.try_screenshot(path.as_ref(), "viewport"));
    }

    /// Saves the whole document as a PNG file.
    #[track_caller]
    pub fn full_screenshot(&self, path: impl AsRef<Path>) {
        or_fail(self.try_screenshot(path.as_ref(), "document"));
    }

    /// Takes the problems since the page was opened or since the last call, each once. The runner does so at the end
    /// of a test; a test that provokes a problem takes it before.
    #[track_caller]
    pub fn take_problems(&self) -> Vec<String> {
        let mut log = ProblemLog::new(iter::once(self.site.origin()).chain(self.others.borrow().clone()));
        let started = Instant::now();
        loop {
            for event in or_fail(self.browser.events()) {
                log.add(&event);
            }
            if !log.has_pending_requests() || started.elapsed() > PENDING_REQUESTS_TIMEOUT {
                return log.into_problems();
            }
        }
    }

    /// Waits for two frames, so that pending reports arrive.
    #[track_caller]
    pub fn wait_two_frames(&self) {
        let frame =
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))";
        or_fail(self.try_eval::<bool>(frame));
    }

    /// Closes the page and deletes its storage.
    pub fn close(self) -> Result<()> {
        // Chromium can crash if a user context is removed while its page still loads something: the page is left first.
        let blank = json!({ "url": "about:blank", "wait": "complete" });
        let _ = self.command("browsingContext.navigate", blank);
        let removed =
            self.browser.send("browser.removeUserContext", &json!({ "userContext": self.user_context }));
        removed.map(drop)
    }

    pub(crate) fn try_screenshot(&self, path: &Path, origin: &str) -> Result<()> {
        let answer = self.command("browsingContext.captureScreenshot", json!({ "origin": origin }))?;
        let bytes =
            BASE64_STANDARD.decode(answer["data"].as_str().unwrap_or_default()).context("a screenshot")?;
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).context(folder.display())?;
        }
        fs::write(path, bytes).context(path.display())
    }

    /// Sends a command of Chrome's own protocol.
    pub(crate) fn call_chrome(&self, method: &str, params: &Value) -> Result<Value> {
        self.browser.call_chrome(&self.context, method, params)
    }

    /// Sends a command with this page as its `context`.
    pub(crate) fn command(&self, method: &str, mut params: Value) -> Result<Value> {
        params["context"] = json!(self.context);
        self.browser.send(method, &params)
    }
}

/// The start of a long script, for a message.
fn shortened(script: &str) -> impl Display {
    let start: String = script.chars().take(200).collect();
    if start.len() < script.len() { format!("{start}…") } else { start }
}
