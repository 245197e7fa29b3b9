//! Two languages: every visible text is in the selected one, which is stored.

use harness::{Page, Reply, Test};

use crate::app::{IN_CHROME, IN_FIREFOX, active_text, open, wait_for_spoken};

pub const TESTS: &[Test] = harness::tests![
    chinese_leaves_no_english_text: IN_FIREFOX,
    the_choice_is_remembered: IN_CHROME,
    the_browsers_language_is_taken,
    cells_are_spoken_in_chinese: IN_CHROME,
    only_the_language_that_is_spoken_is_loaded: IN_FIREFOX,
    a_translation_that_does_not_load_leaves_english_and_says_why: IN_FIREFOX,
];

/// Words that are the same in every language: names, keys, and XLA's syntax.
const NAMES: &[&str] = &[
    "XLA",
    "Playground",
    "English",
    "SVG",
    "PNG",
    "proto",
    "Esc",
    "Enter",
    "Space",
    "Home",
    "End",
    "PgUp",
    "PgDn",
    "Alt",
    "Ctrl",
    "Shift",
    "NHWC",
    "NCHW",
    "TPU",
    "Viridis",
    "Cividis",
    "minor_to_major",
    "padded",
    "zero",
    "one",
    "lowest",
    "highest",
    "unknown",
    "invalid",
    "mod",
    "token",
    "opaque",
];

/// Texts and labels of the page with a Latin word of at least three letters that is neither a name nor code.
#[track_caller]
fn foreign(page: &Page) -> Vec<String> {
    let texts: Vec<String> = page.eval(
        "(() => {
            const texts = [];
            const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            for (let node; (node = walker.nextNode());) {
                const parent = node.parentElement;
                if (parent.closest('code, kbd, pre, script, style, noscript, .rule, #element-type, #strip-text')) continue;
                if (node.textContent.trim()) texts.push(node.textContent.trim());
            }
            for (const element of document.querySelectorAll('body *'))
                for (const name of ['aria-label', 'title', 'aria-valuetext', 'alt'])
                    if (element.getAttribute(name)) texts.push(element.getAttribute(name));
            return texts;
        })()",
    );
    let foreign = |text: &String| {
        // A shape in a label is code.
        text.split(|c: char| !(c.is_ascii_alphabetic() || c == '_')).any(|word| {
            let latin = word.len() > 2 && word.chars().any(|c| c.is_ascii_lowercase());
            latin && !NAMES.contains(&word) && !text.contains(&format!("{word}["))
        })
    };
    texts.into_iter().filter(foreign).collect()
}

/// Chooses a language and waits until the page is in it.
#[track_caller]
pub fn choose(page: &Page, tag: &str) {
    ask_for(page, tag);
    page.wait_for(&format!("document.documentElement.lang === '{tag}'"));
    page.wait_two_frames();
}

/// Chooses a language, which may take a moment to come.
#[track_caller]
fn ask_for(page: &Page, tag: &str) {
    page.run(&format!(
        "const list = document.querySelector('#language'); list.value = '{tag}';
         list.dispatchEvent(new Event('change', {{ bubbles: true }}));"
    ));
}

fn chinese_leaves_no_english_text(page: &Page) {
    open(page, "#v1/f32[2,3,4]{0,1,2}+padded[3,5,4]=zero;with={2,1,0};v=random.1;pins=3");
    assert_eq!(page.attribute("html", "lang").as_deref(), Some("en"));
    assert!(foreign(page).len() > 40, "the list finds English where there is some");
    choose(page, "zh-Hans");
    assert_eq!(foreign(page), Vec::<String>::new());
    for opener in ["#examples", "#help", "#share", "#goto"] {
        page.click(opener);
        page.wait_for("document.querySelector('dialog')?.open");
        assert_eq!(foreign(page), Vec::<String>::new(), "{opener}");
        page.key("Escape");
        page.wait_for("!document.querySelector('dialog')");
    }
    for link in [
        "#v1/f32[]",
        "#v1/f32[0,3]{1,0}",
        "#v1/token[]",
        "#v1/bf16[16,256]{1,0:T(8,128)(2,1)};v=iota",
        "#v1/(f32[2,3]{0,1},+s32[4]{0})",
        "#v1/f32[2,3]{0,0};at=99;nonsense=1",
        "#v7/f32[2,3]",
    ] {
        open(page, link);
        page.wait_two_frames();
        let foreign: Vec<String> =
            foreign(page).into_iter().filter(|text| !text.contains("nonsense")).collect();
        assert_eq!(foreign, Vec::<String>::new(), "{link}");
    }
    choose(page, "en");
    assert!(page.text("#share") == "Share" && page.text("h2#h-order").contains("Minor to major"));
}

fn the_choice_is_remembered(page: &Page) {
    open(page, "");
    choose(page, "zh-Hans");
    let share = page.text("#share");
    page.click("#theme");
    page.wait_for("document.documentElement.dataset.theme === 'dark'");
    page.reload();
    assert_eq!(page.attribute("html", "lang").as_deref(), Some("zh-Hans"));
    assert_eq!(page.attribute("html", "data-theme").as_deref(), Some("dark"));
    assert_eq!((page.value("#language"), page.text("#share")), ("zh-Hans".into(), share));
}

fn the_browsers_language_is_taken(page: &Page) {
    page.locale("zh-CN");
    open(page, "");
    assert_eq!(page.attribute("html", "lang").as_deref(), Some("zh-Hans"));
    assert_eq!(foreign(page), Vec::<String>::new());
    choose(page, "en");
    page.reload();
    assert_eq!(page.attribute("html", "lang").as_deref(), Some("en"), "a choice outweighs the browser");
}

fn cells_are_spoken_in_chinese(page: &Page) {
    page.locale("zh-CN");
    open(page, "#v1/f32[2,3]{0,1}+padded[3,5]=zero;at=2");
    let grid = active_text(page, "#grid");
    assert!(
        grid.contains("2, 0") && grid.contains("填充") && grid.contains('2') && !grid.contains("padding"),
        "{grid}"
    );
    assert_eq!(active_text(page, "#strip"), grid);
    wait_for_spoken(page, &grid);
    page.click("#next");
    page.wait_for("document.querySelector('#spoken').textContent.includes('b')");
    let next = active_text(page, "#grid");
    assert!(
        next.contains("0, 1") && next.contains('b') && next.contains('3') && !next.contains("填充"),
        "{next}"
    );
}

/// The names of the files of sentences that the page has asked for, without their hashes.
#[track_caller]
fn loaded(page: &Page) -> Vec<String> {
    let mut names: Vec<String> = page.eval(
        "performance.getEntriesByType('resource').map((entry) => new URL(entry.name).pathname.split('/').at(-1))
             .filter((name) => name.endsWith('.txt')).map((name) => name.split('.')[0])",
    );
    names.sort();
    names
}

fn only_the_language_that_is_spoken_is_loaded(page: &Page) {
    open(page, "");
    assert_eq!(loaded(page), [""; 0]);
    choose(page, "zh-Hans");
    assert_eq!(loaded(page), ["core"]);
    // The next visit loads it beside the code, and the Ops screen what it says too.
    open(page, "");
    page.wait_for("document.documentElement.lang === 'zh-Hans'");
    assert_eq!(loaded(page), ["core"]);
    crate::ops_catalogue::open(page, "#ops/");
    assert_eq!(loaded(page), ["core", "documents", "ops"]);
    assert!(!page.text("#share").is_ascii());
}

fn a_translation_that_does_not_load_leaves_english_and_says_why(page: &Page) {
    page.site().reply_with("core.zh-Hans.txt", Reply::Status(503));
    open(page, "");
    ask_for(page, "zh-Hans");
    page.wait_for("document.querySelector('#language-problem')");
    let problem = page.text("#language-problem");
    assert!(
        problem.starts_with("The translation could not be loaded: the server answered with status 503"),
        "{problem}"
    );
    assert_eq!(page.text("#share"), "Share");
    page.site().reset_replies();
    choose(page, "en");
    page.wait_for("!document.querySelector('#language-problem')");
    choose(page, "zh-Hans");
    assert_eq!(page.count("#language-problem"), 0);
    // The request that this test makes fail.
    assert_eq!(page.take_problems().len(), 1);
}
