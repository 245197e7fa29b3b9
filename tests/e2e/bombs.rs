//! Links that request much work, and long programs: the page responds within a second and stays small.

#[path = "../native/bombs/corpus.rs"]
mod corpus;

use harness::{Condition, Page, Test};
use xla_playground::state::experiment::{Experiment, link};

use corpus::Bomb;

use crate::app::{IN_CHROME, slowdown};

pub const TESTS: &[Test] = harness::tests![
    links_of_the_ops_screen_keep_the_page_responsive: Condition::Alone,
    links_of_the_layout_screen_keep_the_page_responsive: Condition::Alone,
    links_of_the_speed_screen_keep_the_page_responsive: Condition::Alone,
    thousands_of_operands_are_shown_in_a_window: Condition::Alone,
    thousands_of_instructions_are_shown_in_a_window: Condition::Alone,
    an_overlong_link_is_rejected_with_a_message: IN_CHROME,
];

/// The longest time in milliseconds that the page may not respond on an idle machine; [`slowdown`] scales it.
const MAX_UNRESPONSIVE_MS: f64 = 1_000.0;

/// A link counts as slow if it is slow this many times: other load on the machine varies, a slow link stays slow.
const TRIES: usize = 3;

/// Maximum number of elements of a page.
const MAX_PAGE_ELEMENTS: usize = 3_000;

/// Opens a fragment in the current page, then presses a key; returns the longest time without a response.
#[track_caller]
fn longest_wait(page: &Page, fragment: &str) -> f64 {
    page.eval(&format!(
        "(async () => {{
            const turn = () => new Promise((done) => setTimeout(done));
            let longest = 0, last = performance.now(), quiet = last;
            const watch = async (least) => {{
                const until = performance.now() + least;
                quiet = performance.now();
                while (performance.now() < until || performance.now() - quiet < 300) {{
                    await turn();
                    const now = performance.now();
                    if (now - last > 50) quiet = now;
                    longest = Math.max(longest, now - last);
                    last = now;
                }}
            }};
            location.hash = {fragment};
            await watch(300);
            document.body.dispatchEvent(new KeyboardEvent('keydown', {{ key: 'ArrowRight', bubbles: true }}));
            await watch(100);
            return longest;
        }})()",
        fragment = crate::app::quoted(&format!("#{fragment}"))
    ))
}

/// Opens a link from the start page; returns how it exceeded a limit, if it did.
#[track_caller]
fn slow_link_report(page: &Page, start: &str, ready: &str, link: &str) -> Option<String> {
    page.goto(start);
    page.wait_for(ready);
    page.wait_two_frames();
    let longest = longest_wait(page, link);
    let elements = page.count("*");
    // Only a wait that is too long on an idle machine is compared with the machine.
    let factor = if longest > MAX_UNRESPONSIVE_MS { slowdown(page) } else { 1.0 };
    let is_slow = longest > MAX_UNRESPONSIVE_MS * factor || elements > MAX_PAGE_ELEMENTS;
    is_slow.then(|| format!("{longest:.0} ms (× {factor:.1}), {elements} elements"))
}

#[track_caller]
fn stays_responsive(page: &Page, start: &str, ready: &str, bombs: Vec<Bomb>) {
    let mut slow = Vec::new();
    for Bomb { name, link } in bombs {
        assert!(link.len() <= corpus::MAX_LINK_CHARS, "{name}");
        let tries: Vec<String> =
            (0..TRIES).map_while(|_| slow_link_report(page, start, ready, &link)).collect();
        if tries.len() == TRIES {
            slow.push(format!("{name}: {}", tries.join("; ")));
        }
    }
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}

fn links_of_the_ops_screen_keep_the_page_responsive(page: &Page) {
    stays_responsive(page, "#ops1/@broadcast", "document.querySelector('#op-title')", corpus::of_ops());
}

fn links_of_the_layout_screen_keep_the_page_responsive(page: &Page) {
    // A page that has loaded what reads compressed links: another one is reloaded for them, which nothing could time.
    stays_responsive(
        page,
        "#v1/(f32[2]{0},+s32[4]{0})",
        "document.querySelector('#leaf-0')",
        corpus::of_layout(),
    );
}

fn links_of_the_speed_screen_keep_the_page_responsive(page: &Page) {
    stays_responsive(page, "#speed/", "document.querySelector('main.speed')", corpus::of_speed());
}

/// A concatenation of `count` parameters.
pub fn wide(count: usize) -> Experiment {
    let parameters: Vec<String> = (0..count).map(|i| format!("  p{i} = f32[1] parameter({i})\n")).collect();
    let names: Vec<String> = (0..count).map(|i| format!("p{i}")).collect();
    Experiment::from_text(format!(
        "HloModule wide\n\nENTRY e {{\n{parameters}  ROOT c = f32[{count}] concatenate({}), dimensions={{0}}\n}}\n",
        names.join(", "),
        parameters = parameters.concat()
    ))
}

/// A chain of `count` instructions.
pub fn long(count: usize) -> Experiment {
    let lines: Vec<String> = (1..count).map(|i| format!("  x{i} = f32[2] negate(x{})\n", i - 1)).collect();
    Experiment::from_text(format!(
        "HloModule long\n\nENTRY e {{\n  x0 = f32[2] parameter(0)\n{lines}  ROOT r = f32[2] negate(x{})\n}}\n",
        count - 1,
        lines = lines.concat()
    ))
}

#[track_caller]
fn opens_quickly(page: &Page, experiment: &Experiment) {
    page.goto("#ops1/@broadcast");
    page.wait_for("document.querySelector('#op-title')");
    page.wait_two_frames();
    let before = slowdown(page);
    let longest = longest_wait(page, &link::write(experiment));
    let factor = before.max(slowdown(page));
    // Ten times the length of a short link's bomb.
    assert!(longest < 2.0 * MAX_UNRESPONSIVE_MS * factor, "{longest:.0} ms (× {factor:.1})");
    assert!(page.count("*") < MAX_PAGE_ELEMENTS, "{} elements", page.count("*"));
}

fn thousands_of_operands_are_shown_in_a_window(page: &Page) {
    opens_quickly(page, &wide(5_000));
    page.wait_for("document.querySelector('#operands')?.innerText.includes('5000')");
    assert_eq!(page.count(".operands .panel"), 32);
    page.click("#operands-next");
    page.wait_for("document.querySelector('.operands .panel h3').innerText.includes('p32')");
    page.type_into("#operands-find", "4999");
    page.key("Enter");
    page.wait_for("[...document.querySelectorAll('.operands .panel h3')].some((title) => title.innerText.includes('p4999'))");
    assert_eq!(page.count(".operands .panel"), 8, "the last window holds what is left");
    page.assert_accessible();
}

fn thousands_of_instructions_are_shown_in_a_window(page: &Page) {
    opens_quickly(page, &long(2_400));
    page.wait_for("document.querySelector('#steps')?.innerText.includes('2400')");
    assert!(page.count(".chain li") <= 32);
    // The selected instruction is in the window.
    assert_eq!(page.count(".chain [aria-pressed=true]"), 1);
    page.type_into("#steps-find", "1000");
    page.key("Enter");
    page.wait_for("document.querySelector('.chain').innerText.includes('x1001')");
    page.click(".chain li:nth-child(1) .link");
    page.wait_for("document.querySelector('.chain li:nth-child(1) .link').ariaPressed === 'true'");
    page.assert_accessible();
}

fn an_overlong_link_is_rejected_with_a_message(page: &Page) {
    for (start, ready, link) in [
        ("#speed/", "document.querySelector('main.speed')", format!("speed1/{}", "x/".repeat(40_000))),
        ("#ops1/@broadcast", "document.querySelector('#op-title')", format!("ops1/{}", ";x".repeat(40_000))),
        ("", "document.querySelector('#spec')", format!("v1/f32[2]{}", ";x".repeat(40_000))),
    ] {
        page.goto(start);
        page.wait_for(ready);
        page.run(&format!("location.hash = {};", crate::app::quoted(&format!("#{link}"))));
        page.wait_for("document.querySelector('#link-problems')");
        let said = page.text("#link-problems");
        assert!(said.len() < 4_000, "{} characters", said.len());
    }
}
