//! The collection of problems: problems that other tests rely on to fail are provoked here, and must be reported.

use harness::{Page, Test};

pub const TESTS: &[Test] = harness::tests![
    notices_errors_of_scripts,
    notices_failed_requests,
    notices_policy_violations,
    notices_accessibility_violations,
    catches_downloads,
    storage_is_empty,
    preferences_reach_the_page,
    keys_and_pointer_reach_the_page,
];

/// Takes the page's problems, one of which must contain `part`.
#[track_caller]
fn expect_problem(page: &Page, part: &str) {
    page.wait_two_frames();
    let problems = page.take_problems();
    assert!(problems.iter().any(|problem| problem.contains(part)), "no `{part}` in {problems:?}");
}

fn notices_errors_of_scripts(page: &Page) {
    page.goto("");
    page.run("console.error('spoke of an error')");
    expect_problem(page, "spoke of an error");
    page.run("setTimeout(() => { throw new Error('thrown later'); }); await new Promise((done) => setTimeout(done, 50));");
    expect_problem(page, "thrown later");
    page.run(
        "void Promise.reject(new Error('rejected')); await new Promise((done) => setTimeout(done, 50));",
    );
    expect_problem(page, "rejected");
}

fn notices_failed_requests(page: &Page) {
    page.goto("");
    page.run("await fetch('./missing.json');");
    expect_problem(page, "missing.json: status 404");
}

fn notices_policy_violations(page: &Page) {
    page.goto("");
    page.run(
        "const script = document.createElement('script');
            script.textContent = 'document.title = \"injected\"';
            document.body.append(script);",
    );
    expect_problem(page, "security policy: script-src");
    assert_ne!(page.eval::<String>("document.title"), "injected");
    page.run("await fetch('https://elsewhere.example/').catch(() => null);");
    expect_problem(page, "security policy: connect-src");
}

fn notices_accessibility_violations(page: &Page) {
    page.goto("");
    page.run("document.body.append(document.createElement('button'));");
    let rules: Vec<String> = page.axe().into_iter().map(|violation| violation.id).collect();
    assert!(rules.iter().any(|rule| rule == "button-name"), "no `button-name` in {rules:?}");
}

fn catches_downloads(page: &Page) {
    page.goto("");
    page.intercept_downloads();
    page.run(
        "const link = document.createElement('a');
         link.href = URL.createObjectURL(new Blob(['<svg/>'], { type: 'image/svg+xml' }));
         link.download = 'strip.svg';
         link.textContent = 'save';
         link.id = 'save';
         document.body.prepend(link);
         link.click();",
    );
    page.click("#save");
    let downloads = page.take_downloads();
    assert_eq!(downloads.len(), 2, "one from a script, one from a click: {downloads:?}");
    for file in downloads {
        assert_eq!((file.name.as_str(), file.media_type.as_str()), ("strip.svg", "image/svg+xml"));
        assert_eq!(file.bytes, b"<svg/>");
    }
}

fn storage_is_empty(page: &Page) {
    page.goto("");
    assert_eq!(page.eval::<usize>("localStorage.length"), 0);
    page.run("localStorage.setItem('left', 'behind')");
    page.reload();
    assert_eq!(page.eval::<usize>("localStorage.length"), 1, "storage does not survive a reload");
    let other = page.browser().page(page.site()).expect("a second page");
    other.goto("");
    assert_eq!(other.eval::<usize>("localStorage.length"), 0, "storage passes from one page to the next");
    other.close().expect("the second page closes");
}

fn preferences_reach_the_page(page: &Page) {
    let media = |query: &str| page.eval::<bool>(&format!("matchMedia('({query})').matches"));
    page.locale("zh-CN");
    page.goto("");
    assert_eq!(page.eval::<String>("navigator.language"), "zh-CN");
    assert!(media("prefers-color-scheme: light") && media("prefers-reduced-motion: no-preference"));
    page.emulate(harness::Emulation { dark: true, reduced_motion: true });
    page.wait_for("matchMedia('(prefers-color-scheme: dark)').matches");
    page.wait_for("matchMedia('(prefers-reduced-motion: reduce)').matches");
    page.viewport(320, 640);
    assert_eq!(page.eval::<(u32, u32)>("[innerWidth, innerHeight]"), (320, 640));
}

fn keys_and_pointer_reach_the_page(page: &Page) {
    page.goto("");
    page.run(
        "const field = document.createElement('input');
            field.id = 'probe';
            document.body.prepend(field);
            window.heard = [];
            for (const kind of ['keydown', 'pointerdown', 'pointerup', 'wheel'])
                addEventListener(kind, (event) => window.heard.push(`${kind} ${event.key ?? ''}`.trim()));",
    );
    page.type_into("#probe", "f32[2,3]{0,1}");
    assert_eq!(page.value("#probe"), "f32[2,3]{0,1}");
    page.type_into("#probe", "0+1");
    assert_eq!(page.value("#probe"), "0+1");
    assert!(page.is_focused("#probe"));
    page.run("window.heard.length = 0;");
    page.key("Alt+ArrowLeft");
    page.drag_between((200.0, 200.0), (300.0, 220.0));
    page.wheel("#probe", "", 0, 10);
    page.wait_for("window.heard.length >= 5");
    let heard = page.eval::<Vec<String>>("window.heard");
    assert_eq!(heard, ["keydown Alt", "keydown ArrowLeft", "pointerdown", "pointerup", "wheel"]);
}
