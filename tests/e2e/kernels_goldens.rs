//! XLA's golden cases and programs through the kernel modules of the site, in the browser: every task that a kernel
//! supports runs there, whatever its size; the rest runs in the evaluator, as in the app.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use harness::{Condition, Kind, Page, Test};
use serde_json::Value;
use xla_playground::array::literal::Buffer;
use xla_playground::hlo::eval::kernel::{InProcess, Kernels, KernelsError, Mode};
use xla_playground::kernels::{KernelError, Task};

use crate::golden::{Tolerance, every_case, every_sample};
use crate::kernel_module::{self, TaskResult};

pub const TESTS: &[Test] = harness::tests![
    xla_agrees_with_the_strict_module: Condition::OneBrowser(Kind::Chrome, SAME_BITS),
    xla_agrees_with_the_fast_module: Condition::OneBrowser(Kind::Firefox, NEAR_STRICT),
];

/// Why one browser is enough for the strict module.
const SAME_BITS: &str = "WebAssembly fixes every bit of the strict module, and \
    `strict_kernels_are_bit_identical_everywhere` compares the modules in each browser bit by bit";

/// Why one browser is enough for the fast module, whose bits depend on the browser's relaxed SIMD.
const NEAR_STRICT: &str = "`fast_kernels_approximate_the_strict_ones` compares the modules in each browser, and the strict one \
    agrees with XLA";

/// The tolerance of the fast module against XLA beyond what each case allows the strict kernels: 8 ULP of an `f32` of
/// the largest magnitude in the result, and one ULP of narrower stored elements, because a sum may round to the other
/// side.
const FAST: Tolerance = Tolerance { wide: 8.0 / 8_388_608.0, narrow: 1.0 / 128.0 };

/// Tasks that cross to the page in one call.
const TASKS_PER_CALL: usize = 200;

/// Kernels in this process, with the tasks that they ran, as the page takes them.
#[derive(Default)]
struct RecordingKernels {
    kernels: InProcess,
    tasks: RefCell<Vec<Value>>,
}

impl Kernels for RecordingKernels {
    fn mode(&self) -> Mode {
        self.kernels.mode()
    }

    fn run(
        &self,
        task: &Task,
        read: &[&Buffer],
        written: &mut [&mut Buffer],
        tick: &mut dyn FnMut(u64) -> bool,
    ) -> Result<String, KernelsError> {
        self.tasks.borrow_mut().extend(kernel_module::request(task, read, written));
        self.kernels.run(task, read, written, tick)
    }
}

/// A module of the site, instantiated in a page.
struct PageKernels<'a> {
    page: &'a Page<'a>,
    mode: Mode,
    /// The results of tasks that ran beforehand: a call of the page for each would take minutes.
    precomputed: HashMap<String, TaskResult>,
    tasks: Cell<usize>,
    /// The tasks that were not among these, because an operand of theirs has other bits here.
    additional_tasks: Cell<usize>,
    names: RefCell<BTreeSet<String>>,
}

impl<'a> PageKernels<'a> {
    /// Loads a module and runs these tasks.
    fn start(page: &'a Page<'a>, mode: Mode, tasks: &[Value]) -> Self {
        page.goto("#ops1/@negate");
        let module = if mode == Mode::Fast { "fast" } else { "strict" };
        kernel_module::load(page, module);
        let mut precomputed = HashMap::new();
        for tasks in tasks.chunks(TASKS_PER_CALL) {
            let results = kernel_module::run(page, tasks);
            assert_eq!(results.len(), tasks.len());
            precomputed.extend(tasks.iter().map(Value::to_string).zip(results));
        }
        let (tasks, additional_tasks, names) = Default::default();
        Self { page, mode, precomputed, tasks, additional_tasks, names }
    }

    /// The result of a task in the module.
    fn run_request(&self, request: Value) -> TaskResult {
        if let Some(task_result) = self.precomputed.get(&request.to_string()) {
            return task_result.clone();
        }
        self.additional_tasks.set(self.additional_tasks.get() + 1);
        kernel_module::run(self.page, &[request]).pop().unwrap()
    }
}

impl Kernels for PageKernels<'_> {
    fn mode(&self) -> Mode {
        self.mode
    }

    fn run(
        &self,
        task: &Task,
        read: &[&Buffer],
        written: &mut [&mut Buffer],
        _: &mut dyn FnMut(u64) -> bool,
    ) -> Result<String, KernelsError> {
        let task_result =
            self.run_request(kernel_module::request(task, read, written).ok_or(KernelError::NoKernel)?);
        match KernelError::from_code(task_result.code) {
            None if task_result.code == 0 => {}
            Some(error @ (KernelError::NoKernel | KernelError::InvalidTask)) => return Err(error.into()),
            _ => panic!("the module replies {}", task_result.code),
        }
        for (buffer, result) in written.iter_mut().zip(task_result.results()) {
            kernel_module::fill(buffer, &result);
        }
        self.tasks.set(self.tasks.get() + 1);
        self.names.borrow_mut().insert(task_result.name.clone());
        Ok(task_result.name)
    }
}

/// Runs every case and every program with a module; returns the number of tasks whose operands differ from those of the
/// kernels in this process.
fn xla_agrees(page: &Page, mode: Mode, beyond: Tolerance) -> usize {
    let recording = Rc::new(RecordingKernels::default());
    let kernels: Rc<dyn Kernels> = recording.clone();
    every_case(Some(&kernels), Tolerance::NONE);
    every_sample(Some(&kernels), Tolerance::NONE);
    let module = Rc::new(PageKernels::start(page, mode, &recording.tasks.borrow()));
    let kernels: Rc<dyn Kernels + '_> = module.clone();
    every_case(Some(&kernels), beyond);
    every_sample(Some(&kernels), beyond);
    let names = module.names.borrow();
    assert!(module.tasks.get() > 1_500, "the module did {} tasks only", module.tasks.get());
    assert!(names.len() > 15, "kernels: {names:?}");
    module.additional_tasks.get()
}

fn xla_agrees_with_the_strict_module(page: &Page) {
    assert_eq!(
        xla_agrees(page, Mode::Strict, Tolerance::NONE),
        0,
        "tasks whose operands have other bits than natively"
    );
}

fn xla_agrees_with_the_fast_module(page: &Page) {
    xla_agrees(page, Mode::Fast, FAST);
}
