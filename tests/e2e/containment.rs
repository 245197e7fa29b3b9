//! Sandbox limits of user-supplied functions: the memory of arrays and strings, the reachable globals, time; and what
//! an ordinary function may use. See `static/sandbox.html`.

use harness::{Page, Test};

use crate::sandbox::{calling, open, run_code, wait_for_result};

pub const TESTS: &[Test] = harness::tests![
    large_allocations_are_rejected,
    only_the_language_is_reachable,
    infinite_loops_are_terminated,
    ordinary_functions_run,
];

/// Code that allocates more memory than a call may have, with the error that it raises.
const ALLOCATIONS: &[(&str, &str)] = &[
    ("new ArrayBuffer(2 ** 30);", "RangeError"),
    ("let n = 0; new Uint8Array({ valueOf: () => (n++ ? 2 ** 30 : 1) }); throw new Error(n);", "Error: 0"),
    ("let n = 0; new ArrayBuffer({ valueOf: () => (n++ ? 2 ** 30 : 1) }); throw new Error(n);", "Error: 1"),
    (
        "let n = 0; const a = new Uint8Array({ get length() { return n++ ? 2 ** 30 : 1; } }); throw new Error(a.length);",
        "Error: 1",
    ),
    ("const a = new ArrayBuffer(8, { maxByteLength: 2 ** 31 }); a.resize(2 ** 31);", "TypeError"),
    (
        "const a = new ArrayBuffer(8, { maxByteLength: 2 ** 31 }); throw new Error(`${a.resizable}`);",
        "Error: undefined",
    ),
    ("new ArrayBuffer(8).transfer(2 ** 30);", "TypeError"),
    ("new ArrayBuffer(8).transferToFixedLength(2 ** 30);", "TypeError"),
    ("const a = new Uint8Array(2 ** 27); a.slice(); a.slice();", "RangeError"),
    (
        "const a = new Uint8Array(2 ** 27); Object.defineProperty(a, 'constructor', { value: undefined }); a.slice(); a.slice();",
        "RangeError",
    ),
    (
        "const a = new ArrayBuffer(2 ** 27); Object.defineProperty(a, 'constructor', { value: undefined }); a.slice(0); a.slice(0);",
        "RangeError",
    ),
    (
        "const a = new Float64Array(2 ** 25); Object.defineProperty(a, 'constructor', { value: { [Symbol.species]: undefined } }); a.map((x) => x);",
        "RangeError",
    ),
    ("new Float64Array(2 ** 25).toReversed();", "RangeError"),
    ("const a = new Uint8Array(2 ** 26); for (;;) a.with(0, 1);", "RangeError"),
    ("Float64Array.from(new Uint8Array(2 ** 25 + 1));", "RangeError"),
    ("const a = new Uint8Array(2 ** 26); for (;;) new Float64Array(a);", "RangeError"),
    ("class A extends Float64Array {} new A(2 ** 27);", "RangeError"),
    ("const A = Object.getPrototypeOf(Int8Array); class B extends A {} new B(2 ** 27);", "TypeError"),
    ("const A = new Uint8Array(8).buffer.constructor; new A(2 ** 30);", "RangeError"),
    ("new [].constructor(2 ** 28);", "RangeError"),
    ("Array(2 ** 32 - 1).fill(0);", "RangeError"),
    ("const a = []; a.length = 2 ** 32 - 1; a.fill(0);", "RangeError"),
    ("Array.from({ length: 2 ** 32 - 1 });", "RangeError"),
    ("Array.from({ length: 2 ** 32 - 1 }, () => 0);", "RangeError"),
    ("Array(2 ** 25).slice();", "RangeError"),
    ("const a = Array(1e7); for (;;) a.concat(a, a);", "RangeError"),
    ("let a = 'x'.repeat(10000); for (let i = 0; i < 28; i++) a = [a, a]; a.join();", "RangeError"),
    ("let a = 'x'.repeat(10000); for (let i = 0; i < 28; i++) a = [a, a]; `${a}`;", "RangeError"),
    ("let a = 'x'.repeat(10000); for (let i = 0; i < 28; i++) a = [a, a]; JSON.stringify(a);", "RangeError"),
    ("'x'.repeat(2 ** 29 - 30);", "RangeError"),
    ("let n = 0; 'x'.repeat({ valueOf: () => (n++ ? 2 ** 28 : 1) }); throw new Error(n);", "Error: 1"),
    ("'x'.padStart(2 ** 28);", "RangeError"),
    ("'x'.padEnd(2 ** 28);", "RangeError"),
    ("let s = 'x'; for (let i = 0; i < 29; i++) s = s.concat(s);", "RangeError"),
    ("BigInt.asUintN(2 ** 32, -1n);", "RangeError"),
    ("(1n << 100000000n).toString(2);", "RangeError"),
];

/// Globals that are not part of ECMAScript.
const UNREACHABLE: &[&str] = &[
    "Atomics",
    "Blob",
    "CompressionStream",
    "File",
    "FileReader",
    "FinalizationRegistry",
    "Function",
    "ImageBitmap",
    "ImageData",
    "Intl",
    "MessageChannel",
    "OffscreenCanvas",
    "Proxy",
    "ReadableStream",
    "Reflect",
    "SharedArrayBuffer",
    "TextDecoder",
    "URL",
    "WeakRef",
    "WebAssembly",
    "WebGLRenderingContext",
    "WebGL2RenderingContext",
    "Worker",
    "caches",
    "console",
    "createImageBitmap",
    "crypto",
    "importScripts",
    "indexedDB",
    "location",
    "navigator",
    "performance",
    "postMessage",
    "queueMicrotask",
    "requestAnimationFrame",
    "self",
    "setInterval",
    "setTimeout",
    "structuredClone",
];

/// Lists the reachable globals that are not built-ins of ECMAScript.
const NAMES: &str = "
    const known = /^(Array|ArrayBuffer|BigInt|Boolean|DataView|Date|JSON|Map|Math|Number|Object|Promise|RegExp|Set|String|Symbol|Infinity|NaN|undefined|globalThis|isFinite|isNaN|parseFloat|parseInt|(Eval|Range|Reference|Syntax|Type|URI)?Error|(Int8|Uint8|Uint8Clamped|Int16|Uint16|Int32|Uint32|BigInt64|BigUint64|Float16|Float32|Float64)Array)$/;
    const found = [];
    for (let holder = globalThis; holder !== null && holder !== Object.prototype; holder = Object.getPrototypeOf(holder)) {
      for (const name of Object.getOwnPropertyNames(holder)) {
        const { value, get } = Object.getOwnPropertyDescriptor(holder, name);
        if (!known.test(name) && (typeof value === 'object' || typeof value === 'function' || get)) found.push(name);
      }
    }
    throw `beyond: [${found.join()}]`;";

/// Code that ordinary functions may use.
const ORDINARY: &[(&str, &str)] = &[
    ("output.data = [...inputs[0].data, ...inputs[1].data, 0].slice(0, 9).map(() => 3);", "{ 3, 3, 3 }"),
    ("output.data = Array.from({ length: 9 }, (_, i) => i);", "{ { 0, 1, 2 }, { 3, 4, 5 }, { 6, 7, 8 } }"),
    ("output.data = Float64Array.of(9, 8, 7, 6, 5, 4, 3, 2, 1);", "{ { 9, 8, 7 }"),
    ("output.data = (function* () { for (let i = 0; i < 9; i++) yield 2 * i; })();", "{ { 0, 2, 4 }"),
    (
        "class A extends Float32Array { sum() { return this.reduce((a, b) => a + b); } }\noutput.data.fill(new A([1, 2, 3]).sum());",
        "{ 6, 6, 6 }",
    ),
    (
        "const m = new Map([[1, [2, 3]]]); for (const [k, [a, ...b]] of m) output.data.fill(k + a + b.length);",
        "{ 4, 4, 4 }",
    ),
    (
        "output.data.fill(Math.max.apply(null, [[1, 5], [2]].flat()) + Number(BigInt.asIntN(8, 255n)));",
        "{ 4, 4, 4 }",
    ),
    (
        "output.data.fill(`${[1, 2].join('-')} ${'a'.repeat(3)} ${JSON.stringify({ a: [1] })}`.length);",
        "{ 17, 17, 17 }",
    ),
    (
        "for (let i = 0; i < 40000; i++) [1, 2, 3, 4].map((x) => x + i).slice(1).toString();\noutput.data.fill(5);",
        "{ 5, 5, 5 }",
    ),
];

/// Opens a page and runs its function once.
#[track_caller]
fn open_and_run(page: &Page) {
    open(page, &calling("output.data.fill(1);"));
    page.wait_for("document.querySelector('#run-js-0')?.disabled === false");
    page.click("#run-js-0");
    wait_for_result(page, "{ 1, 1, 1 }");
}

/// Runs a function and waits for its error message, which no earlier run has displayed.
#[track_caller]
fn fails_with(page: &Page, code: &str, message: &str) {
    run_code(page, "output.data.fill(1);");
    page.wait_for("!document.querySelector('#run-failed')");
    wait_for_result(page, "{ 1, 1, 1 }");
    run_code(page, code);
    page.wait_for(&format!("document.querySelector('#run-failed')?.textContent.includes({message:?})"));
}

fn large_allocations_are_rejected(page: &Page) {
    open_and_run(page);
    for (index, (code, error)) in ALLOCATIONS.iter().enumerate() {
        // The index tells the message from that of the code before.
        run_code(page, &format!("try {{ {code} }} catch (error) {{ throw `{index}: ${{error}}`; }}"));
        page.wait_for(&format!(
            "document.querySelector('#run-failed')?.textContent.includes('{index}: {error}')"
        ));
    }
}

fn only_the_language_is_reachable(page: &Page) {
    open_and_run(page);
    fails_with(page, NAMES, "beyond: []");
    let attempts = UNREACHABLE.iter().map(|name| {
        format!(
            "try {{ {name}.of; found.push('{name}'); }}
            catch (error) {{ if (`${{error}}` !== 'ReferenceError: {name} is not defined') found.push(`${{error}}`); }}"
        )
    });
    let attempts = attempts.collect::<Vec<_>>().join("\n");
    fails_with(
        page,
        &format!("const found = [];\n{attempts}\nthrow `by name: [${{found}}]`;"),
        "by name: []",
    );
    // Function constructors that are reachable through literals compile no code.
    for function in ["() => 0", "async () => 0", "function* () {}", "async function* () {}"] {
        fails_with(page, &format!("throw 'made by ' + ({function}).constructor.name;"), "made by Object");
    }
}

fn infinite_loops_are_terminated(page: &Page) {
    open_and_run(page);
    for code in ["for (;;);", "function* f() { for (;;) yield 0; }\nfor (const x of f());"] {
        fails_with(page, code, "longer than 2 seconds");
    }
    fails_with(page, "return new Promise(() => 0);", "gave a promise");
    // Microtasks queued after returning must not block the next call.
    run_code(page, "(function again() { Promise.resolve().then(again); })();\noutput.data.fill(6);");
    wait_for_result(page, "{ 6, 6, 6 }");
    run_code(page, "output.data.fill(7);");
    wait_for_result(page, "{ 7, 7, 7 }");
}

fn ordinary_functions_run(page: &Page) {
    open_and_run(page);
    for (code, result) in ORDINARY {
        run_code(page, code);
        wait_for_result(page, result);
    }
}
