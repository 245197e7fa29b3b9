//! A kernel module of the site, instantiated in a page, which runs tasks on buffers of this process.

use std::borrow::Borrow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use harness::Page;
use serde_json::{Value, json};
use xla_playground::array::literal::Buffer;
use xla_playground::kernels::Task;

/// Defines `window.taskDone(words, lengths, read, written)`, which runs a task in a module and returns the bytes of
/// the results and the kernel's name, or why it did not run.
const START: &str = "
    const file = await (await fetch(xlaPlayground.files['kernels-MODULE.wasm'].name)).arrayBuffer();
    const wasm = (await WebAssembly.instantiate(file, { env: { tick: () => 1 } })).instance.exports;
    const memory = (at, length) => new Uint8Array(wasm.memory.buffer, at, length);
    const put = (handle, number, cells) => {
        const bytes = Uint8Array.from(atob(cells), (c) => c.charCodeAt(0));
        memory(wasm.buffer(handle, number), bytes.length).set(bytes);
        return bytes.length;
    };
    const got = (handle, number, length) =>
        btoa(Array.from(memory(wasm.buffer(handle, number), length), (b) => String.fromCharCode(b)).join(''));
    window.taskDone = ({ words, lengths, read, written }) => {
        const all = [...words, ...lengths];
        const at = wasm.words(all.length);
        new Int32Array(wasm.memory.buffer, at, all.length).set(all);
        const handle = wasm.prepare(words.length);
        if (handle < 0) return { code: handle };
        read.forEach((cells, i) => put(handle, i, cells));
        const bytes = written.map((cells, i) => put(handle, read.length + i, cells));
        const code = wasm.run(handle);
        const name = new TextDecoder().decode(memory(wasm.kernel_name(handle), wasm.kernel_name_length(handle)));
        const results = bytes.map((length, i) => got(handle, read.length + i, length));
        wasm.dispose(handle);
        return { code, name, results };
    };";

/// How a task ended in the module.
#[derive(Clone, serde::Deserialize)]
pub struct TaskResult {
    /// 0, or the code of a `KernelError`.
    pub code: i32,
    /// The kernel's name.
    #[serde(default)]
    pub name: String,
    /// The bytes of the results, in base64.
    #[serde(default)]
    results: Vec<String>,
}

impl TaskResult {
    /// The bytes of each result.
    pub fn results(&self) -> impl Iterator<Item = Vec<u8>> {
        self.results.iter().map(|result| STANDARD.decode(result).unwrap())
    }
}

/// Loads the module `strict`, `fast` or `scalar`; a later one replaces it.
pub fn load(page: &Page, module: &str) {
    page.run(&START.replace("MODULE", module));
}

/// A task with its buffers, as the page takes it; `None` where a number of it does not fit.
pub fn request(task: &Task, read: &[impl Borrow<Buffer>], written: &[impl Borrow<Buffer>]) -> Option<Value> {
    fn texts(buffers: &[impl Borrow<Buffer>]) -> Vec<String> {
        buffers.iter().map(|buffer| STANDARD.encode(bytes(buffer.borrow()))).collect()
    }
    let cells = |buffer: &Buffer| buffer.len();
    let lengths: Vec<usize> =
        read.iter().map(Borrow::borrow).chain(written.iter().map(Borrow::borrow)).map(cells).collect();
    Some(json!({
        "words": task.to_words()?, "lengths": lengths, "read": texts(read), "written": texts(written),
    }))
}

/// Runs tasks in the loaded module, in one call of the page.
pub fn run(page: &Page, requests: &[Value]) -> Vec<TaskResult> {
    page.eval(&format!("{}.map(window.taskDone)", json!(requests)))
}

macro_rules! through_bytes {
    ($($variant:ident $native:ident),*; $($pairs:ident $part:ident),*) => {
        /// The bytes of cells in the module's format.
        pub fn bytes(buffer: &Buffer) -> Vec<u8> {
            match buffer {
                $(Buffer::$variant(cells) => cells.iter().flat_map(|cell| cell.to_le_bytes()).collect(),)*
                $(Buffer::$pairs(cells) => cells.as_flattened().iter().flat_map(|cell| cell.to_le_bytes()).collect(),)*
            }
        }

        /// Parses cells in the module's format.
        pub fn fill(buffer: &mut Buffer, bytes: &[u8]) {
            fn all<const N: usize, T>(cells: &mut [T], bytes: &[u8], from: fn([u8; N]) -> T) {
                assert_eq!(bytes.len(), cells.len() * N);
                for (cell, bytes) in cells.iter_mut().zip(bytes.as_chunks().0) {
                    *cell = from(*bytes);
                }
            }
            match buffer {
                $(Buffer::$variant(cells) => all(cells, bytes, $native::from_le_bytes),)*
                $(Buffer::$pairs(cells) => all(cells.as_flattened_mut(), bytes, $part::from_le_bytes),)*
            }
        }
    };
}

through_bytes! { U8 u8, I8 i8, U16 u16, I16 i16, U32 u32, I32 i32, U64 u64, I64 i64, F32 f32, F64 f64; C64 f32, C128 f64 }
