//! The kernel modules of the site: bit-identical to this process in every browser; and the Ops screen's sentence
//! about them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use harness::{Condition, Page, Test};
use serde_json::json;
use test_support::Random;
use xla_playground::array::literal::Buffer;
use xla_playground::hlo::eval::kernel::{InProcess, Kernels as _};
use xla_playground::kernels::task::{
    Array, Binary, Convolution, Direction, Dot, Map, Move, Reduce, ReduceWindow, Reducer, SelectAndScatter,
    Softmax, Sort, Unary, Window,
};
use xla_playground::kernels::{Task, Type, View};

use crate::app::{IN_CHROME, IN_FIREFOX, quoted, with_cores};

pub const TESTS: &[Test] = harness::tests![
    strict_kernels_are_bit_identical_everywhere,
    fast_kernels_stay_near_the_strict_ones,
    the_page_shows_what_computed_a_result: Condition::Smoke,
    one_core_shares_nothing: IN_FIREFOX,
    a_large_dot_is_shared_by_workers: Condition::Smoke,
    a_worker_that_hangs_while_starting_others_is_replaced,
    the_worker_is_there_before_the_first_job: IN_CHROME,
];

/// A number from -1 to 1; if `is_odd`, sometimes NaN, an infinity, a signed zero or a subnormal.
fn float(random: &mut Random, is_odd: bool) -> f32 {
    const ODD: [f32; 7] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, 1e-42, f32::MAX];
    if is_odd && random.one_in(20) { ODD[random.below(ODD.len())] } else { random.unit() }
}

fn floats(random: &mut Random, cells: usize, is_odd: bool) -> Buffer {
    Buffer::F32((0..cells).map(|_| float(random, is_odd)).collect())
}

fn sizes(random: &mut Random, rank: usize, most: usize) -> Vec<usize> {
    (0..rank).map(|_| random.below(most) + 1).collect()
}

/// An array of these sizes with a random order of dimensions in memory.
fn array(random: &mut Random, sizes: &[usize]) -> Array {
    let (mut strides, mut stride) = (vec![0; sizes.len()], 1);
    for d in random.order(sizes.len()) {
        strides[d] = stride;
        stride *= sizes[d].cast_signed();
    }
    Array { ty: Type::F32, view: View { offset: 0, sizes: sizes.to_vec(), strides } }
}

/// A task with its operands and the cells of its results, all `f32` except for comparisons.
struct Case {
    task: Task,
    read: Vec<Buffer>,
    written: Vec<Buffer>,
}

fn zeros(array: &Array) -> Buffer {
    match array.ty {
        Type::Pred => Buffer::U8(vec![0; array.view.elements()]),
        _ => Buffer::F32(vec![0.0; array.view.elements()]),
    }
}

fn window(random: &mut Random, size: usize) -> (Window, usize) {
    let dilation = random.below(2) + 1;
    let window = Window {
        size: random.below(3) + 1,
        stride: random.below(2) + 1,
        low: 1,
        high: random.below(3).cast_signed(),
        base_dilation: 1,
        dilation,
        is_reversed: false,
    };
    let places = window.places(size).unwrap();
    (window, places)
}

/// A task of each kind, of random sizes and layouts.
#[allow(clippy::too_many_lines, reason = "a list of tasks, one of each kind")]
fn cases(random: &mut Random, is_odd: bool) -> Vec<Case> {
    let mut cases = Vec::new();
    let [m, n, k] = [random.below(40) + 1, random.below(40) + 1, random.below(70) + 1];
    let (lhs, rhs, out) = (array(random, &[m, k]), array(random, &[k, n]), array(random, &[m, n]));
    cases.push(Case {
        read: vec![floats(random, m * k, is_odd), floats(random, k * n, is_odd)],
        written: vec![zeros(&out)],
        task: Task::Dot(Dot {
            lhs,
            rhs,
            out,
            lhs_batch: vec![],
            rhs_batch: vec![],
            lhs_contracting: vec![1],
            rhs_contracting: vec![0],
        }),
    });
    let [height, width] = [random.below(12) + 6, random.below(12) + 6];
    let (rows, high) = window(random, height);
    let (columns, wide) = window(random, width);
    let [inputs, outputs] = [random.below(5) + 1, random.below(9) + 1];
    let (lhs, rhs) = (
        array(random, &[1, inputs, height, width]),
        array(random, &[outputs, inputs, rows.size, columns.size]),
    );
    let out = array(random, &[1, outputs, high, wide]);
    cases.push(Case {
        read: vec![floats(random, lhs.view.elements(), is_odd), floats(random, rhs.view.elements(), is_odd)],
        written: vec![zeros(&out)],
        task: Task::Convolution(Convolution {
            lhs,
            rhs,
            out,
            window: vec![rows, columns],
            feature_groups: 1,
            batch_groups: 1,
        }),
    });
    let operand = array(random, &[height, width]);
    for (fold, init) in [(Reducer::Add, 0.0), (Reducer::Max, f32::NEG_INFINITY)] {
        let d = random.below(2);
        let out = array(random, &[operand.view.sizes[1 - d]]);
        cases.push(Case {
            read: vec![floats(random, height * width, is_odd), Buffer::F32(vec![init])],
            written: vec![zeros(&out)],
            task: Task::Reduce(Reduce { operand: operand.clone(), out, dimensions: vec![d], reducer: fold }),
        });
        let out = array(random, &[high, wide]);
        cases.push(Case {
            read: vec![floats(random, height * width, is_odd), Buffer::F32(vec![init])],
            written: vec![zeros(&out)],
            task: Task::ReduceWindow(ReduceWindow {
                operand: operand.clone(),
                out,
                window: vec![rows, columns],
                reducer: fold,
            }),
        });
    }
    let (source, out) = (array(random, &[high, wide]), array(random, &[height, width]));
    cases.push(Case {
        read: vec![
            floats(random, height * width, is_odd),
            floats(random, high * wide, is_odd),
            Buffer::F32(vec![0.0]),
        ],
        written: vec![zeros(&out)],
        task: Task::SelectAndScatter(SelectAndScatter {
            operand: operand.clone(),
            source,
            out,
            window: vec![rows, columns],
            select: Direction::Ge,
            scatter: Reducer::Add,
        }),
    });
    let sizes = sizes(random, 3, 9);
    let cells = sizes.iter().product();
    for f in Unary::ALL.into_iter().filter(|f| *f != Unary::IsFinite) {
        let (operands, out) = ([array(random, &sizes)], array(random, &sizes));
        cases.push(Case {
            read: vec![floats(random, cells, is_odd)],
            written: vec![zeros(&out)],
            task: Task::Unary(Map { operands, out, f }),
        });
    }
    for f in Binary::ALL {
        let (operands, out) = ([array(random, &sizes), array(random, &sizes)], array(random, &sizes));
        cases.push(Case {
            read: vec![floats(random, cells, is_odd), floats(random, cells, is_odd)],
            written: vec![zeros(&out)],
            task: Task::Binary(Map { operands, out, f }),
        });
    }
    let mut out = array(random, &sizes);
    out.ty = Type::Pred;
    cases.push(Case {
        read: vec![floats(random, cells, is_odd), floats(random, cells, is_odd)],
        written: vec![zeros(&out)],
        task: Task::Compare(Map {
            operands: [array(random, &sizes), array(random, &sizes)],
            out,
            f: Direction::Lt,
        }),
    });
    let (from, to) = (array(random, &sizes), array(random, &sizes));
    cases.push(Case {
        read: vec![floats(random, cells, is_odd)],
        written: vec![zeros(&to)],
        task: Task::Move(Move { ty: Type::F32, parts: vec![(from.view, to.view)], has_fill: false }),
    });
    let (operand, out) = (array(random, &sizes), array(random, &sizes));
    cases.push(Case {
        read: vec![floats(random, cells, false)],
        written: vec![zeros(&out)],
        task: Task::Sort(Sort {
            operands: vec![operand.clone()],
            outs: vec![out.view.clone()],
            dimension: random.below(3),
            is_descending: false,
            is_total: false,
            is_stable: true,
        }),
    });
    cases.push(Case {
        read: vec![floats(random, cells, is_odd)],
        written: vec![zeros(&out)],
        task: Task::Softmax(Softmax { operand, out, dimension: random.below(3) }),
    });
    cases
}

fn bytes(buffer: &Buffer) -> Vec<u8> {
    match buffer {
        Buffer::F32(cells) => cells.iter().flat_map(|cell| cell.to_le_bytes()).collect(),
        Buffer::U8(cells) => cells.clone(),
        _ => panic!("a case is of f32 and pred"),
    }
}

/// The results of the cases in a module of the site, as bytes; `None` if no kernel supports the case.
fn in_the_browser(page: &Page, module: &str, cases: &[Case]) -> Vec<Option<Vec<u8>>> {
    let cases: Vec<_> = cases
        .iter()
        .map(|case| {
            let read: Vec<String> = case.read.iter().map(|buffer| STANDARD.encode(bytes(buffer))).collect();
            let lengths: Vec<usize> = case.read.iter().chain(&case.written).map(Buffer::len).collect();
            let written: Vec<usize> = case.written.iter().map(|buffer| bytes(buffer).len()).collect();
            json!({ "words": case.task.to_words().unwrap(), "lengths": lengths, "read": read, "written": written })
        })
        .collect();
    let found: Vec<Option<String>> = page.eval(&format!(
        "(async () => {{
            const file = await (await fetch(xlaPlayground.files['kernels-{module}.wasm'].name)).arrayBuffer();
            const wasm = (await WebAssembly.instantiate(file, {{ env: {{ tick: () => 1 }} }})).instance.exports;
            const found = [];
            for (const one of {}) {{
                const all = [...one.words, ...one.lengths];
                const at = wasm.words(all.length);
                new Int32Array(wasm.memory.buffer, at, all.length).set(all);
                const handle = wasm.prepare(one.words.length);
                if (handle < 0) {{ found.push(handle === -2 ? null : 'refused'); continue; }}
                one.read.forEach((cells, i) => {{
                    const bytes = Uint8Array.from(atob(cells), (c) => c.charCodeAt(0));
                    new Uint8Array(wasm.memory.buffer, wasm.buffer(handle, i), bytes.length).set(bytes);
                }});
                const answer = wasm.run(handle);
                const out = new Uint8Array(wasm.memory.buffer, wasm.buffer(handle, one.read.length), one.written[0]);
                found.push(answer === 0 ? btoa(Array.from(out, (b) => String.fromCharCode(b)).join('')) : 'refused');
                wasm.dispose(handle);
            }}
            return found;
        }})()",
        json!(cases)
    ));
    found.into_iter().map(|one| one.map(|text| STANDARD.decode(text).unwrap_or_default())).collect()
}

/// The result of a case in this process.
fn here(case: &Case) -> Option<Vec<u8>> {
    let read: Vec<&Buffer> = case.read.iter().collect();
    let mut written = case.written.clone();
    let mut all: Vec<&mut Buffer> = written.iter_mut().collect();
    InProcess::default().run(&case.task, &read, &mut all, &mut |_| true).ok()?;
    Some(bytes(&written[0]))
}

fn strict_kernels_are_bit_identical_everywhere(page: &Page) {
    page.goto("#ops1/@negate");
    for seed in 1..12_u64 {
        let cases = cases(&mut Random::new(seed), true);
        for module in ["strict", "scalar"] {
            let found = in_the_browser(page, module, &cases);
            assert_eq!(found.len(), cases.len());
            for (case, found) in cases.iter().zip(found) {
                assert!(found == here(case), "seed {seed}, {module}: {:?}", case.task);
            }
        }
    }
}

fn fast_kernels_stay_near_the_strict_ones(page: &Page) {
    page.goto("#ops1/@negate");
    let cases = cases(&mut Random::new(0x1234), false);
    let found = in_the_browser(page, "fast", &cases);
    let floats = |bytes: &[u8]| -> Vec<f32> {
        bytes.as_chunks().0.iter().map(|cell| f32::from_le_bytes(*cell)).collect()
    };
    assert_eq!(found.len(), cases.len());
    let mut compared = 0;
    for (case, found) in cases.iter().zip(found) {
        let strict = here(case);
        assert_eq!(
            strict.is_some(),
            found.is_some(),
            "only one of the modules has a kernel for {:?}",
            case.task
        );
        let (Some(strict), Some(fast)) = (strict, found) else { continue };
        compared += 1;
        if matches!(case.task, Task::Compare(_)) {
            assert_eq!(strict, fast);
            continue;
        }
        let (strict, fast) = (floats(&strict), floats(&fast));
        let scale = strict.iter().filter(|x| x.is_finite()).fold(1.0_f32, |scale, x| scale.max(x.abs()));
        let is_near = |(a, b): (&f32, &f32)| a.to_bits() == b.to_bits() || (a - b).abs() <= 1e-4 * scale;
        assert_eq!(strict.len(), fast.len());
        assert!(strict.iter().zip(&fast).all(is_near), "{:?}", case.task);
    }
    assert!(compared * 2 > cases.len(), "{compared} of {} tasks have a kernel", cases.len());
}

/// A dot that runs in the worker and is fast.
const DOT: &str = "HloModule m\n\nENTRY e {\n  a = f32[200,200] parameter(0)\n  \
    ROOT d = f32[200,200] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";

fn the_page_shows_what_computed_a_result(page: &Page) {
    page.goto("#ops1/@negate");
    page.wait_for("document.querySelector('#result-made')?.textContent.includes('too small')");
    page.run(&format!("location.hash = '#ops1/' + encodeURIComponent({});", quoted(DOT)));
    page.wait_for("document.querySelector('#result-made')?.textContent.startsWith('kernel ')");
    choose(page, "kernels-fast");
    page.wait_for("document.querySelector('#result-made')?.textContent.includes('rounding may differ')");
    choose(page, "kernels-off");
    page.wait_for("document.querySelector('#result-made')?.textContent.trim() === 'reference evaluator'");
}

/// Selects the kernels that may be used.
fn choose(page: &Page, key: &str) {
    page.run(&format!(
        "const choice = document.querySelector('#kernels'); choice.value = '{key}';
         choice.dispatchEvent(new Event('change', {{ bubbles: true }}));"
    ));
}

/// Rows of 0, of 1, of 2 … times a matrix of ones with `columns` columns: every cell is known.
fn large_dot(columns: u32, and: &str) -> String {
    let root = if and.is_empty() { "ROOT " } else { "" };
    format!(
        "HloModule m\n\nENTRY e {{\n  a = f32[1024,512] iota(), iota_dimension=0\n  c = f32[] constant(1)\n  \
         b = f32[512,{columns}] broadcast(c), dimensions={{}}\n  \
         {root}d = f32[1024,{columns}] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n{and}}}\n"
    )
}

/// Writes the link of a text into the address bar and waits for its result of this shape.
fn ran(page: &Page, text: &str, shape: &str) {
    page.run(&format!("location.hash = '#ops1/' + encodeURIComponent({});", quoted(text)));
    page.wait_for(&format!("document.querySelector('#result-shape')?.textContent.startsWith('{shape}')"));
    page.wait_for("!document.querySelector('#running, #as-of-before')");
}

/// What computed a product with `columns` columns.
fn made_large_dot(page: &Page, columns: u32) -> String {
    ran(page, &large_dot(columns, ""), &format!("f32[1024,{columns}]"));
    page.text("#result-made")
}

fn one_core_shares_nothing(page: &Page) {
    with_cores(page, 1);
    page.goto("#ops1/@negate");
    for columns in 1024..1028 {
        assert!(!made_large_dot(page, columns).contains("workers"));
    }
}

fn a_large_dot_is_shared_by_workers(page: &Page) {
    with_cores(page, 2);
    page.goto("#ops1/@negate");
    // The first ones finish before the other workers are ready; and Firefox may hang while starting them.
    let shared = (1024..1054).find_map(|columns| {
        if columns % 10 == 0 {
            page.reload();
        }
        Some(made_large_dot(page, columns)).filter(|made| made.contains("workers"))
    });
    let shared = shared.expect("a dot was never shared");
    assert!(shared.starts_with("kernel dot f32, in "), "{shared}");
    assert!(shared.ends_with("the same bits on every machine"), "{shared}");
    ran(page, &large_dot(1024, "  ROOT s = f32[2,2] slice(d), slice={[1022:1024], [0:2]}\n"), "f32[2,2]");
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
    choose(page, "kernels-strict");
    for columns in 1024..1026 {
        let made = made_large_dot(page, columns);
        assert!(made.starts_with("kernel dot f32") && !made.contains("workers"), "{made}");
    }
}

fn the_worker_is_there_before_the_first_job(page: &Page) {
    let loaded = "performance.getEntriesByType('resource').filter((one) => one.name.includes('/worker_loader-')).length";
    page.goto("#ops1/@negate");
    page.wait_for(&format!("{loaded} === 1"));
    ran(page, &large_dot(1024, ""), "f32[1024,1024]");
    assert_eq!(page.eval::<u32>(loaded), 1, "the job is done by the worker that was there");
    page.goto("");
    page.wait_for_app();
    page.run("await new Promise((done) => setTimeout(done, 1500));");
    assert_eq!(page.eval::<u32>(loaded), 0, "the landing page has no use for it");
}
