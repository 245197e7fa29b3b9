//! The kernel modules in a page, and the time of a task there.

#![allow(dead_code, reason = "each benchmark uses a part of the module")]

use harness::Page;
use serde::Deserialize;
use serde_json::json;
use xla_playground::kernels::Type;

use crate::cases::Case;

/// The names of the modules of the site.
pub const MODULES: [&str; 3] = ["scalar", "strict", "fast"];

/// Defines `window.measureTask(modules, task, ms, samples)`: the modules run the task interleaved (A B C A B C), with
/// samples far longer than the clock's resolution.
const START: &str = "
    const instances = {};
    for (const name of MODULES) {
        const file = await (await fetch(xlaPlayground.files[`kernels-${name}.wasm`].name)).arrayBuffer();
        instances[name] = (await WebAssembly.instantiate(file, { env: { tick: () => 1 } })).instance.exports;
    }
    let seed = 1;
    const random = () => (seed = Math.imul(seed, 1664525) + 1013904223 | 0) >>> 8;
    const kinds = [
        [Uint8Array, () => random() & 1], [Int8Array, () => random() % 15 - 7], [Int16Array, () => random() % 199 - 99],
        [Int32Array, () => random() % 1999 - 999], [BigInt64Array, () => BigInt(random() % 1999 - 999)],
        [Uint8Array, () => random() % 15], [Uint16Array, () => random() % 199], [Uint32Array, () => random() % 1999],
        [BigUint64Array, () => BigInt(random() % 1999)], [Uint16Array, () => 0x3800 | random() & 0x83ff],
        [Uint16Array, () => 0x3f00 | random() & 0x807f], [Float32Array, () => random() / 2 ** 23 - 1],
        [Float64Array, () => random() / 2 ** 23 - 1], [Float32Array, () => random() / 2 ** 23 - 1],
        [Float64Array, () => random() / 2 ** 23 - 1],
    ];
    const prepared = (wasm, { words, lengths, types }) => {
        const message = [...words, ...lengths];
        const address = wasm.words(message.length);
        new Int32Array(wasm.memory.buffer, address, message.length).set(message);
        const handle = wasm.prepare(words.length);
        if (handle < 0) return handle;
        types.forEach((type, i) => {
            const [Kind, next] = kinds[type], length = lengths[i] * (type >= 13 ? 2 : 1);
            const elements = new Kind(wasm.memory.buffer, wasm.buffer(handle, i), length);
            const pattern = Math.min(length, 1 << 16);
            for (let k = 0; k < pattern; k++) elements[k] = next();
            for (let k = pattern; k < length; k += pattern) elements.copyWithin(k, 0, Math.min(pattern, length - k));
        });
        return handle;
    };
    const timeRuns = (wasm, handle, count) => {
        const start = performance.now();
        for (let k = 0; k < count; k++) if (wasm.run(handle)) return NaN;
        return performance.now() - start;
    };
    const name = (wasm, handle) => new TextDecoder().decode(
        new Uint8Array(wasm.memory.buffer, wasm.kernel_name(handle), wasm.kernel_name_length(handle)).slice());
    window.measureTask = (modules, task, ms, samples) => {
        const rows = modules.map((module) => {
            const wasm = instances[module], handle = prepared(wasm, task);
            if (handle < 0) return { code: handle };
            let count = 1, took = timeRuns(wasm, handle, 1);
            took = Math.min(took, timeRuns(wasm, handle, 1));
            while (took < ms * 0.7 && count < 1e6) {
                count = Math.min(1e6, Math.ceil(count * Math.max(1.25, Math.min(10, ms / Math.max(took, ms / 10)))));
                took = timeRuns(wasm, handle, count);
            }
            return { code: 0, wasm, handle, count, fastest: took / count };
        });
        for (let k = 0; k < samples; k++)
            for (const row of rows) {
                if (!row.code) row.fastest = Math.min(row.fastest, timeRuns(row.wasm, row.handle, row.count) / row.count);
            }
        return rows.map(({ code, wasm, handle, fastest }) => {
            if (code) return { code, ns: null, kernel: '' };
            const kernel = name(wasm, handle);
            wasm.dispose(handle);
            return { code, ns: fastest * 1e6, kernel };
        });
    };
    window.measureMemory = (module, task, times) => {
        const wasm = instances[module];
        const byteLength = () => wasm.memory.buffer.byteLength;
        const once = () => {
            const handle = prepared(wasm, task);
            const code = handle < 0 ? handle : wasm.run(handle);
            if (handle >= 0) wasm.dispose(handle);
            return code;
        };
        wasm.clear_scratch();
        const before = byteLength(), status = once(), peak = byteLength(), scratch = wasm.scratch_bytes();
        for (let k = 1; k < Math.min(10, times); k++) once();
        const after_ten_runs = byteLength();
        for (let k = 10; k < times; k++) once();
        return { status, before, peak, scratch, after_ten_runs, after_last_run: byteLength() };
    };";

/// The measurement of a task in a module.
#[derive(Clone, Debug, Deserialize)]
pub struct Measured {
    /// 0, or the negative code of the failure.
    pub code: i32,
    /// Nanoseconds of the fastest run; `None` if it failed.
    pub ns: Option<f64>,
    /// The kernel's name.
    pub kernel: String,
}

/// The memory of a module while a task is run repeatedly, in bytes.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct MemoryUse {
    /// 0, or the negative code of the failure.
    pub status: i32,
    /// The module's memory before.
    pub before: usize,
    /// After the first run.
    pub peak: usize,
    /// The part of it that is retained scratch memory.
    pub scratch: usize,
    /// After ten runs.
    pub after_ten_runs: usize,
    /// After all runs.
    pub after_last_run: usize,
}

/// Instantiates the modules in a page of the site.
pub fn start(page: &Page) {
    page.goto("#ops1/@negate");
    page.run(&START.replace("MODULES", &json!(MODULES).to_string()));
}

fn task(case: &Case) -> serde_json::Value {
    let (read, _) = case.task.types();
    let number = |ty: &Type| Type::ALL.iter().position(|of| of == ty);
    let types: Vec<Option<usize>> = read.iter().map(number).collect();
    json!({ "words": case.task.to_words(), "lengths": case.buffer_lengths, "types": types })
}

/// Times a case in modules; `ms` is the length of a sample.
pub fn time(page: &Page, modules: &[&str], case: &Case, ms: f64, samples: u32) -> Vec<Measured> {
    page.eval(&format!("window.measureTask({}, {}, {ms}, {samples})", json!(modules), task(case)))
}

/// Runs a case repeatedly and records the memory.
pub fn measure_memory(page: &Page, module: &str, case: &Case, times: u32) -> MemoryUse {
    page.eval(&format!("window.measureMemory({}, {}, {times})", json!(module), task(case)))
}
