//! The landing page: it starts from a sub-path of a plain host, under its own strict policy.

use harness::{Condition, Page, Test};

pub const TESTS: &[Test] = harness::tests![starts_from_a_sub_path: Condition::Smoke, forbids_inline_scripts_and_eval: Condition::Smoke];

fn starts_from_a_sub_path(page: &Page) {
    page.goto("");
    assert!(page.eval::<String>("document.title").starts_with("XLA Playground"));
    assert_eq!(page.eval::<String>("location.pathname"), "/some/where/");
    assert_eq!(page.count("#app"), 1);
}

fn forbids_inline_scripts_and_eval(page: &Page) {
    page.goto("");
    let policy = page.attribute("meta[http-equiv='Content-Security-Policy']", "content");
    let policy = policy.expect("the page has no Content-Security-Policy");
    let scripts = policy.split(';').find(|directive| directive.trim_start().starts_with("script-src "));
    let scripts = scripts.expect("the policy says nothing of scripts");
    assert!(scripts.contains("'wasm-unsafe-eval'") && scripts.contains("'sha256-"), "{scripts}");
    assert!(!scripts.contains("'unsafe-inline'") && !scripts.contains("'unsafe-eval'"), "{scripts}");
}
