//! The kernel modules of the site are bit-identical to native kernels in every browser, and the Ops screen shows which
//! kernel computed a result.

use harness::{Condition, Page, Test};
use test_support::Random;
use xla_playground::array::literal::Buffer;
use xla_playground::hlo::eval::kernel::{InProcess, Kernels as _};
use xla_playground::kernels::{KernelError, Task, Type, half_rows};

use crate::app::{IN_CHROME, IN_FIREFOX, open_run, quoted, with_cores};
use crate::kernel_module::{self, bytes};

pub const TESTS: &[Test] = harness::tests![
    strict_kernels_are_bit_identical_everywhere,
    fast_kernels_approximate_the_strict_ones,
    the_page_shows_what_computed_a_result: Condition::Smoke,
    a_single_core_starts_no_kernel_workers: IN_FIREFOX,
    a_large_dot_is_split_among_workers: Condition::Smoke,
    a_worker_that_hangs_while_starting_others_is_replaced: IN_FIREFOX,
    the_worker_starts_before_the_first_job: IN_CHROME,
];

/// Tasks that are sent to the page in one call.
const TASKS_PER_CALL: usize = 200;

/// A task with its buffers.
struct Case {
    task: Task,
    read: Vec<Buffer>,
    written: Vec<Buffer>,
}

impl Case {
    fn new(random: &mut Random, task: Task, has_special_values: bool) -> Self {
        let ((reads, writes), (read_lengths, written_lengths)) = (task.types(), task.smallest_buffers());
        let mut buffers = |types: Vec<Type>, lengths: Vec<usize>| -> Vec<Buffer> {
            types
                .into_iter()
                .zip(lengths)
                .map(|(ty, length)| buffer(random, ty, length, has_special_values))
                .collect()
        };
        Self { read: buffers(reads, read_lengths), written: buffers(writes, written_lengths), task }
    }
}

/// Every example of every registered task, as it is and in a random layout.
fn cases(random: &mut Random, has_special_values: bool) -> Vec<Case> {
    let mut cases = Vec::new();
    for name in Task::NAMES {
        let before = cases.len();
        for task in Task::examples_of(name) {
            let other = task.clone().laid_out(|rank| random.order(rank));
            cases.push(Case::new(random, task, has_special_values));
            // Arrays that are parts of one array need a common layout.
            let (read, written) = other.smallest_buffers();
            if other.check(&read, &written) {
                cases.push(Case::new(random, other, has_special_values));
            }
        }
        assert!(cases.len() > before, "{name}");
    }
    cases
}

/// A number from -1 to 1; if `has_special_values`, sometimes NaN, an infinity, a signed zero or a subnormal.
fn float(random: &mut Random, has_special_values: bool) -> f32 {
    const SPECIAL: [f32; 7] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, 1e-42, f32::MAX];
    if has_special_values && random.one_in(20) { SPECIAL[random.below(SPECIAL.len())] } else { random.unit() }
}

/// Random elements of a type: floats from -1 to 1, integers of two digits.
fn buffer(random: &mut Random, ty: Type, length: usize, has_special_values: bool) -> Buffer {
    macro_rules! all {
        ($next:expr) => {
            (0..length).map(|_| $next).collect()
        };
    }
    let (float, integer) =
        (|random: &mut Random| float(random, has_special_values), |random: &mut Random| random.below(199));
    #[allow(clippy::cast_possible_truncation, reason = "of integers the lowest bits are as random")]
    #[allow(clippy::cast_possible_wrap, reason = "some are negative")]
    match ty {
        Type::Pred => Buffer::U8(all!(integer(random) as u8 & 1)),
        Type::U8 => Buffer::U8(all!(integer(random) as u8)),
        Type::S8 => Buffer::I8(all!(integer(random) as i8)),
        Type::U16 => Buffer::U16(all!(integer(random) as u16)),
        Type::S16 => Buffer::I16(all!(integer(random) as i16 - 99)),
        Type::U32 => Buffer::U32(all!(integer(random) as u32)),
        Type::S32 => Buffer::I32(all!(integer(random) as i32 - 99)),
        Type::U64 => Buffer::U64(all!(integer(random) as u64)),
        Type::S64 => Buffer::I64(all!(integer(random) as i64 - 99)),
        Type::F16 => Buffer::U16(all!(half_rows::to_f16(float(random)))),
        Type::BF16 => Buffer::U16(all!(half_rows::to_bf16(float(random)))),
        Type::F32 => Buffer::F32(all!(float(random))),
        Type::F64 => Buffer::F64(all!(float(random).into())),
        Type::C64 => Buffer::C64(all!([float(random), float(random)])),
        Type::C128 => Buffer::C128(all!([float(random).into(), float(random).into()])),
    }
}

/// The results of the cases in a module of the site, as bytes; `None` if no kernel supports the case.
fn run_in_browser(page: &Page, module: &str, cases: &[Case]) -> Vec<Option<Vec<Vec<u8>>>> {
    kernel_module::load(page, module);
    let mut found = Vec::new();
    for cases in cases.chunks(TASKS_PER_CALL) {
        let request = |case: &Case| kernel_module::request(&case.task, &case.read, &case.written).unwrap();
        let requests: Vec<_> = cases.iter().map(request).collect();
        for (task_result, case) in kernel_module::run(page, &requests).into_iter().zip(cases) {
            assert!(
                task_result.code == 0 || task_result.code == KernelError::NoKernel.code(),
                "{}: {:?}",
                task_result.code,
                case.task
            );
            found.push((task_result.code == 0).then(|| task_result.results().collect()));
        }
    }
    assert_eq!(found.len(), cases.len());
    found
}

/// The results of a case in this process.
fn run_natively(case: &Case) -> Option<Vec<Buffer>> {
    let read: Vec<&Buffer> = case.read.iter().collect();
    let mut written = case.written.clone();
    let mut all: Vec<&mut Buffer> = written.iter_mut().collect();
    InProcess::default().run(&case.task, &read, &mut all, &mut |_| true).ok()?;
    Some(written)
}

fn strict_kernels_are_bit_identical_everywhere(page: &Page) {
    page.goto("#ops1/@negate");
    let cases = cases(&mut Random::new(1), true);
    let expected: Vec<Option<Vec<Vec<u8>>>> =
        cases.iter().map(|case| Some(run_natively(case)?.iter().map(bytes).collect())).collect();
    // An example has a kernel; in another layout nearly all have one.
    assert!(expected.iter().flatten().count() * 10 > expected.len() * 9);
    for module in ["strict", "scalar"] {
        let found = run_in_browser(page, module, &cases);
        for ((case, found), expected) in cases.iter().zip(found).zip(&expected) {
            assert!(found == *expected, "{module}: {:?}", case.task);
        }
    }
}

/// The numbers of a floating-point or complex buffer; `None` for other types.
fn numbers(ty: Type, buffer: &Buffer) -> Option<Vec<f64>> {
    Some(match (ty, buffer) {
        (Type::F16, Buffer::U16(codes)) => codes.iter().map(|x| half_rows::from_f16(*x).into()).collect(),
        (Type::BF16, Buffer::U16(codes)) => codes.iter().map(|x| half_rows::from_bf16(*x).into()).collect(),
        (_, Buffer::F32(elements)) => elements.iter().map(|x| f64::from(*x)).collect(),
        (_, Buffer::C64(elements)) => elements.as_flattened().iter().map(|x| f64::from(*x)).collect(),
        (_, Buffer::F64(elements)) => elements.clone(),
        (_, Buffer::C128(elements)) => elements.as_flattened().to_vec(),
        _ => return None,
    })
}

fn fast_kernels_approximate_the_strict_ones(page: &Page) {
    page.goto("#ops1/@negate");
    let cases = cases(&mut Random::new(0x1234), false);
    let found = run_in_browser(page, "fast", &cases);
    let mut compared = 0;
    for (case, found) in cases.iter().zip(found) {
        let strict = run_natively(case);
        assert_eq!(
            strict.is_some(),
            found.is_some(),
            "only one of the modules has a kernel for {:?}",
            case.task
        );
        let (Some(strict), Some(fast)) = (strict, found) else { continue };
        compared += 1;
        assert_eq!(strict.len(), fast.len());
        for ((ty, strict), bytes) in case.task.types().1.into_iter().zip(strict).zip(fast) {
            let mut fast = strict.clone();
            kernel_module::fill(&mut fast, &bytes);
            let (Some(strict_numbers), Some(fast_numbers)) = (numbers(ty, &strict), numbers(ty, &fast))
            else {
                assert!(kernel_module::bytes(&strict) == bytes, "{:?}", case.task);
                continue;
            };
            // A sum of narrow floats may be rounded to the other side.
            let unit = if matches!(ty, Type::F16 | Type::BF16) { 1.0 / 128.0 } else { 1e-4 };
            let scale =
                strict_numbers.iter().filter(|x| x.is_finite()).fold(1.0_f64, |scale, x| scale.max(x.abs()));
            let is_near = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || (a - b).abs() <= unit * scale;
            assert!(strict_numbers.iter().zip(&fast_numbers).all(is_near), "{:?}", case.task);
        }
    }
    assert!(compared * 10 > cases.len() * 9, "{compared} of {} tasks have a kernel", cases.len());
}

/// A dot that runs in the worker and is fast.
const DOT: &str = "HloModule m\n\nENTRY e {\n  a = f32[200,200] parameter(0)\n  \
    ROOT d = f32[200,200] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";

fn the_page_shows_what_computed_a_result(page: &Page) {
    page.goto("#ops1/@negate");
    page.wait_for("document.querySelector('#result-computed-by')?.textContent.includes('too small')");
    page.run(&format!("location.hash = '#ops1/' + encodeURIComponent({});", quoted(DOT)));
    page.wait_for("document.querySelector('#result-computed-by')?.textContent.startsWith('kernel ')");
    select_kernels(page, "kernels-fast");
    page.wait_for(
        "document.querySelector('#result-computed-by')?.textContent.includes('rounding may differ')",
    );
    select_kernels(page, "kernels-off");
    page.wait_for(
        "document.querySelector('#result-computed-by')?.textContent.trim() === 'reference evaluator'",
    );
}

/// Selects an option of the kernels field.
fn select_kernels(page: &Page, key: &str) {
    page.run(&format!(
        "const choice = document.querySelector('#kernels'); choice.value = '{key}';
         choice.dispatchEvent(new Event('change', {{ bubbles: true }}));"
    ));
}

/// Rows of 0, of 1, of 2 … times a matrix of ones with `columns` columns: every cell is known.
fn large_dot(columns: u32, tail: &str) -> String {
    let root = if tail.is_empty() { "ROOT " } else { "" };
    format!(
        "HloModule m\n\nENTRY e {{\n  a = f32[1024,512] iota(), iota_dimension=0\n  c = f32[] constant(1)\n  \
         b = f32[512,{columns}] broadcast(c), dimensions={{}}\n  \
         {root}d = f32[1024,{columns}] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n{tail}}}\n"
    )
}

/// Opens the link of an HLO text and waits for a result whose shape starts with `shape`.
fn run_to_shape(page: &Page, text: &str, shape: &str) {
    page.run(&format!("location.hash = '#ops1/' + encodeURIComponent({});", quoted(text)));
    page.wait_for(&format!("document.querySelector('#result-shape')?.textContent.startsWith('{shape}')"));
    page.wait_for("!document.querySelector('#running, #as-of-before')");
}

/// Runs a large dot with `columns` result columns; returns what the page says computed it.
fn large_dot_computed_by(page: &Page, columns: u32) -> String {
    run_to_shape(page, &large_dot(columns, ""), &format!("f32[1024,{columns}]"));
    open_run(page);
    page.text("#result-computed-by")
}

fn a_single_core_starts_no_kernel_workers(page: &Page) {
    with_cores(page, 1);
    page.goto("#ops1/@negate");
    for columns in 1024..1028 {
        assert!(!large_dot_computed_by(page, columns).contains("workers"));
    }
}

fn a_large_dot_is_split_among_workers(page: &Page) {
    with_cores(page, 2);
    page.goto("#ops1/@negate");
    // The first ones finish before the other workers are ready; and Firefox may hang while starting them.
    let split = (1024..1054).find_map(|columns| {
        if columns % 10 == 0 {
            page.reload();
        }
        Some(large_dot_computed_by(page, columns)).filter(|computed_by| computed_by.contains("workers"))
    });
    let split = split.expect("no dot was split");
    assert!(split.starts_with("kernel dot f32, in "), "{split}");
    assert!(split.ends_with("the same bits on every machine"), "{split}");
    run_to_shape(
        page,
        &large_dot(1024, "  ROOT s = f32[2,2] slice(d), slice={[1022:1024], [0:2]}\n"),
        "f32[2,2]",
    );
    let value = page.text("#result-value").split_whitespace().collect::<String>();
    assert_eq!(value, "{{523264,523264},{523776,523776}}");
}

fn a_worker_that_hangs_while_starting_others_is_replaced(page: &Page) {
    with_cores(page, 2);
    page.goto("");
    // With kernels off, no worker is started early.
    page.run("localStorage.setItem('xla-playground.preferences', '{\"kernels\":\"Off\"}')");
    page.goto("?#ops1/@negate");
    page.wait_for("document.querySelector('#kernels')");
    page.hang_next_worker_after("starting-workers");
    select_kernels(page, "kernels-strict");
    for columns in 1024..1026 {
        let computed_by = large_dot_computed_by(page, columns);
        assert!(
            computed_by.starts_with("kernel dot f32") && !computed_by.contains("workers"),
            "{computed_by}"
        );
    }
}

fn the_worker_starts_before_the_first_job(page: &Page) {
    let loaded = "performance.getEntriesByType('resource').filter((one) => one.name.includes('/worker_loader-')).length";
    page.goto("#ops1/@negate");
    page.wait_for(&format!("{loaded} === 1"));
    run_to_shape(page, &large_dot(1024, ""), "f32[1024,1024]");
    assert_eq!(page.eval::<u32>(loaded), 1, "the first worker runs the job");
    page.goto("");
    page.wait_for_app();
    page.run("await new Promise((done) => setTimeout(done, 1500));");
    assert_eq!(page.eval::<u32>(loaded), 0, "the landing page starts no worker");
}
