//! Accessibility audits of a page by axe-core, which `cargo xtask setup` installs.
//!
//! axe-core is evaluated through the driver, so the page's Content-Security-Policy is unchanged.

use std::fmt;
use std::fs;

use serde::Deserialize;

use crate::error::{Context, fail, or_fail};
use crate::page::Page;

const SOURCE: &str = ".tools/node/node_modules/axe-core/axe.min.js";

/// A rule that the page violates.
#[derive(Debug, Deserialize)]
pub struct Violation {
    /// The rule's name, such as `color-contrast`.
    pub id: String,
    /// Its impact, from `minor` to `critical`.
    pub impact: Option<String>,
    /// The description of the rule.
    pub help: String,
    /// The elements that violate it, each with a fix.
    pub nodes: Vec<ViolatingElement>,
}

/// An element that violates a rule.
#[derive(Debug, Deserialize)]
pub struct ViolatingElement {
    /// The start of the element's HTML.
    pub html: String,
    /// A suggested fix.
    #[serde(rename = "failureSummary")]
    pub summary: Option<String>,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({}): {}", self.id, self.impact.as_deref().unwrap_or("unrated"), self.help)?;
        for element in &self.nodes {
            write!(
                formatter,
                "\n  {}\n    {}",
                element.html,
                element.summary.as_deref().unwrap_or_default()
            )?;
        }
        Ok(())
    }
}

impl Page<'_> {
    /// The rules of WCAG 2.2 AA and of axe-core's best practices that the page breaks in its current state.
    #[track_caller]
    pub fn axe(&self) -> Vec<Violation> {
        // A document keeps it for its further audits: compiling it takes as long as an audit of a small page.
        if !self.eval::<bool>("typeof axe === 'object'") {
            let path = crate::project().join(SOURCE);
            let source = or_fail(
                fs::read_to_string(&path).context(format!("{SOURCE} (`cargo xtask setup` installs it)")),
            );
            or_fail(self.try_eval::<bool>(&format!("(() => {{ {source}\n; return true; }})()")));
        }
        // In the middle of a transition the ground may be that of the old theme and the ink that of the new one.
        self.eval(
            "(async () => {
                const transitions = document.getAnimations().filter((each) => each instanceof CSSTransition);
                await Promise.allSettled(transitions.map((each) => each.finished));
                const results = await axe.run(document, { resultTypes: ['violations'] });
                return results.violations;
            })()",
        )
    }

    /// Fails with the list if the page violates any rule.
    #[track_caller]
    pub fn assert_accessible(&self) {
        let violations: Vec<String> = self.axe().iter().map(ToString::to_string).collect();
        if !violations.is_empty() {
            fail(format!("axe-core found {}:\n{}", violations.len(), violations.join("\n")));
        }
    }
}
