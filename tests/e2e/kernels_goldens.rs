//! XLA's golden cases and programs through the kernel modules of the site, in the browser: every task that a kernel
//! supports runs there, whatever its size; the rest runs in the evaluator, as in the app.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use harness::{Condition, Kind, Page, Test};
use serde_json::json;
use xla_playground::array::literal::Buffer;
use xla_playground::hlo::eval::kernel::{Kernels, Mode, Refusal};
use xla_playground::kernels::{Stop, Task};

use crate::golden::{Tolerance, every_case, every_sample};

pub const TESTS: &[Test] = harness::tests![
    xla_agrees_with_the_strict_module: Condition::OneBrowser(Kind::Chrome, SAME_BITS),
    xla_agrees_with_the_fast_module: Condition::OneBrowser(Kind::Firefox, NEAR_STRICT),
];

/// Why one browser is enough for the strict module.
const SAME_BITS: &str = "WebAssembly fixes every bit of the strict module, and \
    `strict_kernels_are_bit_identical_everywhere` compares the modules in each browser bit by bit";

/// Why one browser is enough for the fast module, whose bits depend on the browser's relaxed SIMD.
const NEAR_STRICT: &str = "`fast_kernels_stay_near_the_strict_ones` compares the modules in each browser, and the strict one \
    agrees with XLA";

/// The tolerance of the fast module against XLA beyond what each case allows the strict kernels: 8 ULP of an `f32` of
/// the largest magnitude in the result, and one ULP of narrower stored elements, because a sum may round to the other
/// side.
const FAST: Tolerance = Tolerance { wide: 8.0 / 8_388_608.0, narrow: 1.0 / 128.0 };

/// A module of the site, instantiated in a page.
struct InPage<'a> {
    page: &'a Page<'a>,
    mode: Mode,
    tasks: Cell<usize>,
    names: RefCell<BTreeSet<String>>,
}

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
        if (handle < 0) return { answer: handle };
        read.forEach((cells, i) => put(handle, i, cells));
        const bytes = written.map((cells, i) => put(handle, read.length + i, cells));
        const answer = wasm.run(handle);
        const name = new TextDecoder().decode(memory(wasm.kernel_name(handle), wasm.kernel_name_length(handle)));
        const results = bytes.map((length, i) => got(handle, read.length + i, length));
        wasm.dispose(handle);
        return { answer, name, results };
    };";

#[derive(serde::Deserialize)]
struct Told {
    answer: i32,
    #[serde(default)]
    name: String,
    #[serde(default)]
    results: Vec<String>,
}

macro_rules! through_bytes {
    ($($variant:ident $native:ident),*; $($pairs:ident $part:ident),*) => {
        /// The bytes of cells in the module's format.
        fn bytes(buffer: &Buffer) -> Vec<u8> {
            match buffer {
                $(Buffer::$variant(cells) => cells.iter().flat_map(|cell| cell.to_le_bytes()).collect(),)*
                $(Buffer::$pairs(cells) => cells.as_flattened().iter().flat_map(|cell| cell.to_le_bytes()).collect(),)*
            }
        }

        /// Parses cells in the module's format.
        fn fill(buffer: &mut Buffer, bytes: &[u8]) {
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

impl<'a> InPage<'a> {
    fn start(page: &'a Page<'a>, mode: Mode) -> Self {
        page.goto("#ops1/@negate");
        let module = if mode == Mode::Fast { "fast" } else { "strict" };
        page.run(&START.replace("MODULE", module));
        Self { page, mode, tasks: Cell::default(), names: RefCell::default() }
    }
}

impl Kernels for InPage<'_> {
    fn mode(&self) -> Mode {
        self.mode
    }

    fn run(
        &self,
        task: &Task,
        read: &[&Buffer],
        written: &mut [&mut Buffer],
        _: &mut dyn FnMut(u64) -> bool,
    ) -> Result<String, Refusal> {
        let lengths: Vec<usize> =
            read.iter().map(|b| b.len()).chain(written.iter().map(|b| b.len())).collect();
        let text = |buffer: &Buffer| STANDARD.encode(bytes(buffer));
        let task = json!({
            "words": task.to_words().ok_or(Stop::NoKernel)?, "lengths": lengths,
            "read": read.iter().map(|b| text(b)).collect::<Vec<_>>(),
            "written": written.iter().map(|b| text(b)).collect::<Vec<_>>(),
        });
        let Told { answer, name, results } = self.page.eval(&format!("window.taskDone({task})"));
        match Stop::from_code(answer) {
            None if answer == 0 => {}
            Some(stop @ (Stop::NoKernel | Stop::InvalidTask)) => return Err(stop.into()),
            _ => panic!("the module answers {answer}"),
        }
        for (buffer, result) in written.iter_mut().zip(results) {
            fill(buffer, &STANDARD.decode(result).unwrap());
        }
        self.tasks.set(self.tasks.get() + 1);
        self.names.borrow_mut().insert(name.clone());
        Ok(name)
    }
}

/// Runs every case and every program with a module.
fn xla_agrees(page: &Page, mode: Mode, beyond: Tolerance) {
    let module = Rc::new(InPage::start(page, mode));
    let kernels: Rc<dyn Kernels + '_> = module.clone();
    every_case(Some(&kernels), beyond);
    every_sample(Some(&kernels), beyond);
    let names = module.names.borrow();
    assert!(module.tasks.get() > 1_500, "the module did {} tasks only", module.tasks.get());
    assert!(names.len() > 15, "kernels: {names:?}");
}

fn xla_agrees_with_the_strict_module(page: &Page) {
    xla_agrees(page, Mode::Strict, Tolerance::NONE);
}

fn xla_agrees_with_the_fast_module(page: &Page) {
    xla_agrees(page, Mode::Fast, FAST);
}
