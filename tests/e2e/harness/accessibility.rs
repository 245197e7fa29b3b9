//! Audits of a page by axe-core, which `cargo xtask setup` installs.
//!
//! Its source is evaluated from outside of the page, so the page's Content-Security-Policy stays as it is delivered.

use std::fmt;
use std::fs;

use serde::Deserialize;

use crate::error::{Context, fail, sure};
use crate::page::Page;

const SOURCE: &str = ".tools/node/node_modules/axe-core/axe.min.js";

/// A rule the page breaks.
#[derive(Debug, Deserialize)]
pub struct Violation {
    /// The rule's name, such as `color-contrast`.
    pub id: String,
    /// How bad it is, from `minor` to `critical`.
    pub impact: Option<String>,
    /// What the rule asks for.
    pub help: String,
    /// Where it is broken, each with what would mend it.
    pub nodes: Vec<Place>,
}

/// An element that breaks a rule.
#[derive(Debug, Deserialize)]
pub struct Place {
    /// The start of the element's HTML.
    pub html: String,
    /// What would mend it.
    #[serde(rename = "failureSummary")]
    pub summary: Option<String>,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({}): {}", self.id, self.impact.as_deref().unwrap_or("unrated"), self.help)?;
        for place in &self.nodes {
            write!(formatter, "\n  {}\n    {}", place.html, place.summary.as_deref().unwrap_or_default())?;
        }
        Ok(())
    }
}

impl Page<'_> {
    /// Every rule of WCAG 2.2 AA and of axe-core's best practices that the page breaks as it is shown now.
    #[track_caller]
    pub fn axe(&self) -> Vec<Violation> {
        let path = crate::project().join(SOURCE);
        let source =
            sure(fs::read_to_string(&path).context(format!("{SOURCE} (`cargo xtask setup` installs it)")));
        sure(self.try_eval::<bool>(&format!("(() => {{ {source}\n; return true; }})()")));
        self.eval("axe.run(document, { resultTypes: ['violations'] }).then((results) => results.violations)")
    }

    /// Fails with the list if the page breaks any rule.
    #[track_caller]
    pub fn assert_accessible(&self) {
        let violations: Vec<String> = self.axe().iter().map(ToString::to_string).collect();
        if !violations.is_empty() {
            fail(format!("axe-core found {}:\n{}", violations.len(), violations.join("\n")));
        }
    }
}
