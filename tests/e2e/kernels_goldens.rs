//! XLA's golden cases and programs through the kernels' modules that the site ships, in the browser: every task that a
//! kernel serves goes there and its result comes back, whatever its size; the rest is the engine's, as in the app.

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

use crate::golden::{Beyond, every_case, every_sample};

pub const TESTS: &[Test] = harness::tests![
    xla_agrees_with_the_strict_module: Condition::OneBrowser(Kind::Chrome, SAME_BITS),
    xla_agrees_with_the_fast_module: Condition::OneBrowser(Kind::Firefox, NEAR_STRICT),
];

/// Why one browser is enough for the strict module.
const SAME_BITS: &str = "WebAssembly fixes every bit of the strict module, and \
    `strict_kernels_give_the_same_bits_everywhere` compares the modules in each browser bit by bit";

/// Why one browser is enough for the fast module, whose bits relaxed SIMD leaves to the browser.
const NEAR_STRICT: &str = "`fast_kernels_stay_near_the_strict_ones` compares the modules in each browser, and the strict one \
    agrees with XLA";

/// How far the fast module may be from XLA beyond what each case allows its strict kernels: 8 units of the last place of
/// an `f32` of the largest magnitude in the result, and one unit of the last place of elements that are stored with fewer
/// bits, for a sum may fall on the other side of where they round.
const FAST: Beyond = Beyond { wide: 8.0 / 8_388_608.0, narrow: 1.0 / 128.0 };

/// A module of the site, started in a page.
struct InPage<'a> {
    page: &'a Page<'a>,
    mode: Mode,
    tasks: Cell<usize>,
    names: RefCell<BTreeSet<String>>,
}

/// Defines `window.taskDone(words, lengths, read, written)`, which does a task in a module: the bytes of the results and
/// the kernel's name, or why not.
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
        /// The memory of cells, as the module has it.
        fn bytes(buffer: &Buffer) -> Vec<u8> {
            match buffer {
                $(Buffer::$variant(cells) => cells.iter().flat_map(|cell| cell.to_le_bytes()).collect(),)*
                $(Buffer::$pairs(cells) => cells.as_flattened().iter().flat_map(|cell| cell.to_le_bytes()).collect(),)*
            }
        }

        /// Cells from the module's memory.
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

/// Every case and every program, by a module.
fn xla_agrees(page: &Page, mode: Mode, beyond: Beyond) {
    let module = Rc::new(InPage::start(page, mode));
    let kernels: Rc<dyn Kernels + '_> = module.clone();
    every_case(Some(&kernels), beyond);
    every_sample(Some(&kernels), beyond);
    let names = module.names.borrow();
    assert!(module.tasks.get() > 1_500, "the module did {} tasks only", module.tasks.get());
    assert!(names.len() > 15, "kernels: {names:?}");
}

fn xla_agrees_with_the_strict_module(page: &Page) {
    xla_agrees(page, Mode::Strict, Beyond::NOTHING);
}

fn xla_agrees_with_the_fast_module(page: &Page) {
    xla_agrees(page, Mode::Fast, FAST);
}
