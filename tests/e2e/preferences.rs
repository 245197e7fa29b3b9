//! Preferences if storage throws, is full or contains garbage, and in two tabs at the same time.

use harness::{Page, Test};

use crate::app::{IN_CHROME, IN_FIREFOX, open};

pub const TESTS: &[Test] = harness::tests![
    throwing_storage_only_loses_the_preferences,
    garbage_in_storage_affects_only_its_preference: IN_CHROME,
    preferences_of_an_earlier_release_are_kept: IN_FIREFOX,
    two_tabs_keep_what_the_other_changed,
];

fn throwing_storage_only_loses_the_preferences(page: &Page) {
    let broken = [
        // Blocked by the browser, full, and turned off.
        "Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError'); } });",
        "Object.defineProperty(window, name, { get: () => null });",
        "for (const call of ['getItem', 'setItem', 'removeItem']) Storage.prototype[call] = () => { throw new DOMException('full', 'QuotaExceededError'); };",
    ];
    for (index, how) in broken.into_iter().enumerate() {
        page.before_scripts(&format!(
            "() => {{ if (location.search !== '?{index}') return; for (const name of ['localStorage', 'sessionStorage']) {{ {how} }} }}"
        ));
        open(page, &format!("?{index}#v1/f32[2,3]{{0,1}}"));
        page.click("#theme");
        page.wait_for("document.documentElement.dataset.theme === 'dark'");
        assert_eq!(page.value("#spec"), "f32[2,3]{0,1}");
    }
}

fn garbage_in_storage_affects_only_its_preference(page: &Page) {
    page.goto("");
    page.run(
        "localStorage.setItem('xla-playground.preferences', '{\"theme\":');
         localStorage.setItem('xla-playground.map', '\\u0000[]');
         localStorage.setItem('xla-playground.language', 'zh-Hans');
         localStorage.setItem('xla-playground.theme', 'DARK');",
    );
    page.reload();
    assert_eq!(page.attribute("html", "lang").as_deref(), Some("zh-Hans"));
    assert_eq!(page.attribute("html", "data-theme").as_deref(), Some("light"));
}

fn preferences_of_an_earlier_release_are_kept(page: &Page) {
    page.goto("");
    page.run(
        "localStorage.setItem('xla-playground.preferences',
             '{\"language\":\"zh-Hans\",\"theme\":\"Dark\",\"map\":\"Cividis\",\"letter_keys\":false,\"kernels\":\"Off\"}');",
    );
    page.reload();
    assert_eq!(page.attribute("html", "lang").as_deref(), Some("zh-Hans"));
    assert_eq!(page.attribute("html", "data-theme").as_deref(), Some("dark"));
    let kept: Vec<Option<String>> = page.eval(
        "['map', 'letter-keys', 'kernels', 'preferences'].map((key) => localStorage.getItem(`xla-playground.${key}`))",
    );
    assert_eq!(kept, [Some("cividis".into()), Some("off".into()), Some("off".into()), None]);
}

fn two_tabs_keep_what_the_other_changed(page: &Page) {
    open(page, "#v1/f32[2,3]{0,1}");
    page.run(
        "const link = Object.assign(document.createElement('a'), { id: 'twin', target: '_blank', href: location.href, textContent: 'twin' });
         link.style = 'position: fixed; inset: 0 auto auto 0; z-index: 99; background: white';
         document.body.append(link);",
    );
    page.click("#twin");
    let other = page.opened_tab();
    other.wait_for_app();
    page.run("document.querySelector('#theme').click()");
    page.wait_for("document.documentElement.dataset.theme === 'dark'");
    other.wait_for("document.documentElement.dataset.theme === 'dark'");
    other.run(
        "const list = document.querySelector('#language'); list.value = 'zh-Hans';
         list.dispatchEvent(new Event('change', { bubbles: true }));",
    );
    page.wait_for("document.documentElement.lang === 'zh-Hans'");
    let kept: Vec<String> =
        page.eval("['theme', 'language'].map((key) => localStorage.getItem(`xla-playground.${key}`))");
    assert_eq!(kept, ["dark", "zh-Hans"]);
    other.close_tab();
}
