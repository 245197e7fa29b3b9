//! Host and devices on the Ops screen: users' functions compute in isolation, queues fill and drain, replicas
//! communicate or deadlock, random numbers are drawn again.

use std::io::ErrorKind;
use std::net::TcpListener;

use harness::{Condition, Page, Test};
use xla_playground::ops;
use xla_playground::state::experiment::{Experiment, link, preset};

use crate::app::{IN_CHROME, IN_FIREFOX, quoted};

pub const TESTS: &[Test] = harness::tests![
    the_function_of_the_documents_computes: Condition::Smoke,
    code_of_a_link_runs_after_approval: IN_CHROME,
    code_of_a_link_is_not_offered_in_a_frame: IN_FIREFOX,
    code_of_a_link_must_be_scrolled_to_its_end_before_it_runs: IN_CHROME,
    code_of_a_link_hides_no_character: IN_FIREFOX,
    hostile_functions_are_contained,
    the_sandbox_reaches_no_network,
    a_run_waits_for_its_queue_and_goes_on: IN_FIREFOX,
    replicas_communicate_and_highlight_each_other: IN_CHROME,
    a_deadlocked_replica_is_shown: IN_FIREFOX,
    numbers_are_drawn_again: IN_CHROME,
];

#[track_caller]
pub(crate) fn open(page: &Page, address: &str) {
    page.goto(address);
    page.wait_for("document.querySelector('.world')");
    page.wait_two_frames();
}

/// The custom call of XLA's documentation with another function.
pub(crate) fn calling(code: &str) -> String {
    let op = ops::all().find(|op| !op.host_examples().iter().all(|s| s.functions.is_empty())).unwrap();
    let mut experiment: Experiment = preset::host_examples(op).next().unwrap();
    for function in experiment.environment.functions.values_mut() {
        code.clone_into(function);
    }
    format!("#{}", link::write(&experiment))
}

#[track_caller]
pub(crate) fn wait_for_result(page: &Page, part: &str) {
    page.wait_for(&format!("document.querySelector('#result-value')?.textContent.includes({part:?})"));
}

#[track_caller]
pub(crate) fn run_code(page: &Page, code: &str) {
    page.wait_two_frames();
    page.with_element::<()>("#js-0", &format!("(field) => {{ field.value = {code:?}; }}"));
    page.click("#run-js-0");
}

fn the_function_of_the_documents_computes(page: &Page) {
    open(page, "#ops1/@custom-call.1");
    wait_for_result(page, "{ { 42, 52, 62 }, { 11, 21, 31 }, { 42, 52, 62 } }");
    page.assert_accessible();
    // With other operands it runs again.
    page.type_into("#array-0-typed", "{100, 200}");
    page.key("Tab");
    wait_for_result(page, "{ { 240, 250, 260 }, { 110, 120, 130 }");
    run_code(page, "output.data.set(output.data.map((_, i) => i + inputs[1].shape[1]));");
    wait_for_result(page, "{ { 3, 4, 5 }, { 6, 7, 8 }, { 9, 10, 11 } }");
    // The function that ran is in the link.
    let hash: String = page.eval("location.hash");
    assert!(link::read(&hash).experiment.environment.functions["myfunc"].contains("output.data.map"));
}

fn code_of_a_link_runs_after_approval(page: &Page) {
    open(page, &calling("output.data.fill(7);"));
    page.run("await new Promise((done) => setTimeout(done, 500));");
    assert_eq!(page.count("iframe") + page.count("#result-value") + page.count("#run-failed"), 0);
    assert_eq!(page.text("#js-0"), "output.data.fill(7);");
    assert!(page.text("#js-state-0").contains("has not run"));
    page.assert_accessible();
    page.wait_for("document.querySelector('#run-js-0')?.disabled === false");
    page.click("#run-js-0");
    wait_for_result(page, "{ 7, 7, 7 }");
    page.wait_for("!document.querySelector('iframe')");
}

fn code_of_a_link_is_not_offered_in_a_frame(page: &Page) {
    let link = calling("output.data.fill(7);");
    page.goto(&link.replacen('#', "#embed/", 1));
    page.wait_for("document.querySelector('#run-held')");
    page.wait_two_frames();
    assert_eq!(page.count(".world") + page.count("#result-value") + page.count("iframe"), 0);
    page.assert_accessible();
    // The full page in a frame: the code can be read, but there is no button to run it.
    page.goto("#ops1/@custom-call.1");
    wait_for_result(page, "42");
    page.run(&format!(
        "const frame = document.createElement('iframe');
         frame.id = 'frame';
         frame.src = location.pathname + {link:?};
         document.body.append(frame);"
    ));
    let inside = "document.querySelector('#frame').contentDocument";
    page.wait_for(&format!("{inside}?.querySelector('#js-state-0')"));
    page.wait_two_frames();
    assert!(
        page.eval::<String>(&format!("{inside}.querySelector('#js-state-0').textContent")).contains("frame")
    );
    assert!(page.eval::<bool>(&format!("{inside}.querySelector('#js-0').matches('.review')")));
    assert!(page.eval::<bool>(&format!("!{inside}.querySelector('#run-js-0, iframe, #result-value')")));
}

fn code_of_a_link_must_be_scrolled_to_its_end_before_it_runs(page: &Page) {
    // The relevant code is after many lines, and at the end of a long line.
    let lines = (0..90).map(|line| format!("// {line}\n")).collect::<Vec<_>>().concat();
    let code = format!("{lines}{}output.data.fill(7);", " ".repeat(3_000));
    open(page, &calling(&code));
    let enabled = "!document.querySelector('#run-js-0').disabled";
    page.wait_for(
        "document.querySelector('#js-0').scrollHeight > document.querySelector('#js-0').clientHeight",
    );
    page.wait_two_frames();
    assert!(!page.eval::<bool>(enabled), "the end has not been seen");
    assert!(page.text("#js-state-0").contains("Scroll to its end"));
    assert!(page.text("#js-0-size").contains("91 lines"), "{}", page.text("#js-0-size"));
    // Nothing is hidden at the side.
    assert!(page.eval::<bool>(
        "(({scrollWidth, clientWidth}) => scrollWidth <= clientWidth)(document.querySelector('#js-0'))"
    ));
    page.assert_accessible();
    page.run("document.querySelector('#js-0').focus();");
    page.key("End");
    page.wait_for(enabled);
    page.click("#run-js-0");
    wait_for_result(page, "{ 7, 7, 7 }");
    // On the narrowest page too.
    page.viewport(390, 800);
    let changed = code.replace("fill(7)", "fill(8)");
    open(page, &calling(&changed));
    page.wait_for("document.querySelector('#run-js-0')?.disabled");
    assert!(page.eval::<bool>(
        "(({scrollWidth, clientWidth}) => scrollWidth <= clientWidth)(document.querySelector('#js-0'))"
    ));
    // Code that is too long for a review cannot be run.
    open(page, &calling(&format!("{}output.data.fill(9);", "// much\n".repeat(9_000))));
    page.wait_for("document.querySelector('#js-state-0')?.textContent.includes('64 KiB')");
    assert_eq!(page.count("#run-js-0") + page.count("#js-0") + page.count("iframe"), 0);
    page.assert_accessible();
}

fn code_of_a_link_hides_no_character(page: &Page) {
    open(page, &calling("// a\u{202e}b\u{200b}c\u{a0}d\u{2028}output.data.fill(7);\r// e\u{feff}"));
    let text = page.text("#js-0");
    for shown in ["a\\u{202E}b\\u{200B}c\\xA0d\\u{2028}", "output.data.fill(7);\\r", "e\\u{FEFF}"] {
        assert!(text.contains(shown), "{shown} in {text}");
    }
    assert_eq!(page.count("#js-0 li"), 3);
    assert!(page.text("#js-0-size").contains("6 invisible"), "{}", page.text("#js-0-size"));
    page.assert_accessible();
    page.click("#run-js-0");
    wait_for_result(page, "{ 7, 7, 7 }");
}

/// Hostile functions, with the message that the page displays.
const HOSTILE: &[(&str, &str)] = &[
    ("for (;;);", "longer than 2 seconds"),
    ("\nfetch('./index.html');", "line 2: ReferenceError: fetch is not defined"),
    ("new XMLHttpRequest();", "line 1: ReferenceError: XMLHttpRequest is not defined"),
    ("parent.document.title = 'taken';", "line 1: ReferenceError: parent is not defined"),
    ("top.location = 'about:blank';", "line 1: ReferenceError: top is not defined"),
    (
        "const all = new Float64Array(1 << 27);\nall.fill(1);",
        "line 1: RangeError: arrays and strings may have 256 MiB",
    ),
    ("const Real = Float64Array.prototype.constructor;\nnew Real(1 << 27);", "line 2: RangeError"),
    ("output.data = [1, 2];", "RangeError: output.data has 2 elements, f32[3,3] has 9"),
    ("\n\nthrow new Error('no such luck');", "line 3: Error: no such luck"),
    ("throw 'text';", "text"),
    ("for (;;) postMessage({ buffers: [] });", "line 1: ReferenceError: postMessage is not defined"),
    (
        "});\nthrow new Error(typeof postMessage + typeof Worker);\n(function () {",
        "line 2: Error: undefinedundefined",
    ),
    ("return Promise.resolve(1);", "the function gave a promise"),
    // Firefox does not report the line.
    ("let x = ;", "SyntaxError"),
    ("eval('1');", "line 1: ReferenceError: eval is not defined"),
    ("(() => 0).constructor('throw 1')();", "TypeError"),
];

fn hostile_functions_are_contained(page: &Page) {
    open(page, &calling(HOSTILE[0].0));
    let (title, url): (String, String) = (page.eval("document.title"), page.eval("location.pathname"));
    page.wait_for("document.querySelector('#run-js-0')?.disabled === false");
    page.click("#run-js-0");
    for (index, (code, says)) in HOSTILE.iter().enumerate() {
        if index > 0 {
            run_code(page, code);
        }
        // The page stays responsive meanwhile.
        page.wait_two_frames();
        page.wait_for(&format!("document.querySelector('#run-failed')?.textContent.includes({says:?})"));
        assert_eq!(
            (page.eval::<String>("document.title"), page.eval::<String>("location.pathname")),
            (title.clone(), url.clone())
        );
        // And the next call works.
        run_code(page, &format!("output.data.fill({});", index + 100));
        wait_for_result(page, &format!("{{ {0}, {0}, {0} }}", index + 100));
    }
    // Firefox reports what the policy blocked.
    let problems = page.take_problems();
    assert!(problems.iter().all(|problem| problem.contains("eval")), "{problems:?}");
}

fn the_sandbox_reaches_no_network(page: &Page) {
    // A global can be removed, `import()` cannot: the policy blocks it. A server that it could reach receives no
    // request.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    open(
        page,
        &calling(&format!(
            "import('http://{address}/x.js').catch(() => 0);
             for (const end = Date.now() + 500; Date.now() < end;);
             output.data.fill(5);"
        )),
    );
    page.wait_for("document.querySelector('#run-js-0')?.disabled === false");
    page.click("#run-js-0");
    wait_for_result(page, "{ 5, 5, 5 }");
    // A request of the sandbox would have been sent before these.
    page.run("for (let i = 0; i < 10; i++) await fetch(location.href, { cache: 'no-store' });");
    assert_eq!(listener.accept().map(drop).map_err(|e| e.kind()), Err(ErrorKind::WouldBlock));
    // The attempt is reported as blocked.
    let problems = page.take_problems();
    assert!(problems.iter().all(|problem| problem.contains(&address.to_string())), "{problems:?}");
}

fn a_run_waits_for_its_queue_and_goes_on(page: &Page) {
    open(page, "#ops1/@infeed.2");
    page.wait_for(
        "document.querySelector('#run-failed')?.textContent.includes('fed waits for an infeed item')",
    );
    assert!(page.text("#queue-waits").contains("waits here"));
    page.assert_accessible();
    page.click("#feed-add");
    wait_for_result(page, "{0, 1}");
    assert_eq!(page.count("#queue-waits") + page.count("#run-failed"), 0);
    assert_eq!(page.count("#queue .taken"), 1);
    page.type_into("#feed-0", "{7, 8}");
    page.key("Tab");
    wait_for_result(page, "{7, 8}");
    page.click("#feed-add");
    page.wait_for("document.querySelectorAll('#queue li').length === 2");
    page.wait_for("document.querySelectorAll('#queue .taken').length === 1");
    page.click("#undo");
    page.click("#undo");
    wait_for_result(page, "{0, 1}");
}

fn replicas_communicate_and_highlight_each_other(page: &Page) {
    open(page, "#ops1/@all-reduce.1");
    wait_for_result(page, "{4, 7.6}");
    assert_eq!(page.text("#working"), "out[0] = 1 + 3 = 4");
    for (count, sum, working) in
        [(3, "{25, 30.1}", "out[0] = 1 + 3 + 21 = 25"), (4, "{56, 62.6}", "out[0] = 1 + 3 + 21 + 31 = 56")]
    {
        page.run(&format!(
            "const select = document.querySelector('#replica-count'); select.value = '{count}';
             select.dispatchEvent(new Event('change', {{ bubbles: true }}));"
        ));
        wait_for_result(page, sum);
        page.wait_for_text("#working", working);
        assert_eq!(page.count("#replicas .card"), count);
    }
    assert!(page.text("#crossed").contains(" 3 cells of other replicas"));
    page.assert_accessible();
    // Another replica is selected, and gets values of its own.
    page.click("#replica-2");
    page.wait_for("document.querySelector('#replica-2').ariaPressed === 'true'");
    page.type_into("#array-0-typed", "{1000, 0}");
    page.key("Tab");
    wait_for_result(page, "{1035, 40.1}");
    page.click("#replica-2-reset");
    wait_for_result(page, "{56, 62.6}");
}

fn a_deadlocked_replica_is_shown(page: &Page) {
    open(page, "#ops1/@all-reduce.3");
    page.wait_for("document.querySelector('#run-failed')?.textContent.includes('Deadlock: ')");
    let cards = page.texts("#replicas .card");
    assert!(cards[0].contains("sum waits for device 1"), "{cards:?}");
    assert!(cards[1].contains("Finished."), "{cards:?}");
    page.assert_accessible();
}

fn numbers_are_drawn_again(page: &Page) {
    open(page, "#ops1/@rng.3");
    page.wait_for("document.querySelectorAll('#histogram rect').length === 32");
    assert!(page.text("#drawn").contains("1024 numbers") || page.text("#drawn").contains("1,024 numbers"));
    let first = page.text("#result-value");
    page.click("#draw-again");
    page.wait_for("document.querySelector('#seed').value === '1'");
    page.wait_for(&format!(
        "document.querySelector('#result-value').innerText.trim() !== {}",
        quoted(&first)
    ));
    page.assert_accessible();
    let hash: String = page.eval("location.hash");
    assert_eq!(link::read(&hash).experiment.seed, 1);
    page.type_into("#seed", "0");
    page.key("Tab");
    page.wait_for("document.querySelector('#seed').value === '0'");
    // The same seed, the same numbers.
    page.wait_for_text("#result-value", &first);
}
