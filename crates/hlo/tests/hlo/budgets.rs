//! Budgets of runs: steps by cost, memory by live bytes, and observers that can cancel every op.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use std::ops::ControlFlow;

use xla_hlo::{Evaluator, Frame, Host, InstructionId, Limits, Module, Observer, SimulatedDevices, parse};
use xla_ops::{CellAt, Data};

const MIB: u64 = 1 << 20;

fn module(text: &str) -> Module {
    parse(&format!("HloModule m {text}")).into_module().unwrap_or_else(|error| panic!("{error:?} in {text}"))
}

/// The peak memory in bytes and the steps of a run.
fn peak_bytes_and_steps(text: &str) -> (u64, u64) {
    let module = module(text);
    let mut evaluator = Evaluator::new(&module);
    let outcome = evaluator.run_with_values(&[]).unwrap_or_else(|error| panic!("{error} in {text}"));
    (outcome.peak_bytes.unwrap(), outcome.steps)
}

fn rule(text: &str, limits: Limits) -> &'static str {
    let module = module(text);
    let result = Evaluator::new(&module).limits(limits).run(&[]);
    result.map_or_else(|error| error.error.rule, |_| "none")
}

fn bytes(bytes: u64) -> Limits {
    Limits { bytes, ..Limits::default() }
}

/// Whether the peak is that of arrays of `expected` bytes, plus some kilobytes for instructions.
fn is_close_to(found: u64, expected: u64) -> bool {
    (expected..expected + expected / 8 + 64 * 1024).contains(&found)
}

#[test]
fn arrays_count_with_their_size_in_memory() {
    for (shape, expected) in [
        ("f64[131072]", MIB),
        ("c128[65536]", MIB),
        ("pred[1048576]", MIB),
        ("s4[1048576]", MIB),
        ("bf16[524288]", MIB),
        ("f32[8,32768]{1,0}", MIB),
        // Each element occupies a whole tile.
        ("f32[256,1,1]{2,1,0:T(8,128)}", MIB),
    ] {
        let ty = shape.split('[').next().unwrap();
        let zero = if ty == "pred" {
            "false"
        } else if ty == "c128" {
            "(0, 0)"
        } else {
            "0"
        };
        let text = format!(
            "ENTRY e {{ z = {ty}[] constant({zero}) b = {shape} broadcast(z), dimensions={{}} ROOT r = () tuple() }}"
        );
        let (unneeded, _) = peak_bytes_and_steps(&text);
        assert!(unneeded < MIB / 8, "a dead instruction must not run");
        let text = text.replace("ROOT r = () tuple()", "ROOT r = tuple(b)");
        let (found, _) = peak_bytes_and_steps(&text);
        assert!(is_close_to(found, expected), "{shape}: {found}");
    }
}

#[test]
fn large_values_are_rejected_before_they_are_allocated() {
    let broadcasts = |count: usize| {
        let instruction = |i| format!("b{i} = f64[13000000] broadcast(z), dimensions={{}} ");
        let names: Vec<String> = (0..count).map(|i| format!("b{i}")).collect();
        let instructions: String = (0..count).map(instruction).collect();
        format!("ENTRY e {{ z = f64[] constant(1) {instructions} ROOT t = tuple({}) }}", names.join(", "))
    };
    let module = module(&broadcasts(20));
    let mut evaluator = Evaluator::new(&module).limits(bytes(4 * MIB));
    assert_eq!(evaluator.run(&[]).unwrap_err().error.rule, "budget-bytes");
}

#[test]
fn shared_arrays_count_once_and_dropped_arrays_do_not_count() {
    let shared = "ENTRY e { z = f32[] constant(1) b = f32[262144] broadcast(z), dimensions={}
        t = tuple(b, b, b, b, b, b, b, b) u = tuple(t, t, t, t, b) ROOT r = get-tuple-element(u), index=4 }";
    assert!(is_close_to(peak_bytes_and_steps(shared).0, MIB));
    // An iteration holds the initial state, the current and the next one.
    let text = |count: usize| {
        format!(
            "c {{ p = (s32[], f32[262144]) parameter(0) i = get-tuple-element(p), index=0 n = s32[] constant({count})
              ROOT t = compare(i, n), direction=LT }}
            b {{ p = (s32[], f32[262144]) parameter(0) i = get-tuple-element(p), index=0 one = s32[] constant(1)
              j = add(i, one) x = get-tuple-element(p), index=1 y = negate(x) ROOT q = tuple(j, y) }}
            ENTRY e {{ i = s32[] constant(0) z = f32[] constant(1) x = f32[262144] broadcast(z), dimensions={{}}
              s = tuple(i, x) w = while(s), condition=c, body=b ROOT r = get-tuple-element(w), index=0 }}"
        )
    };
    assert!(is_close_to(peak_bytes_and_steps(&text(20)).0, 3 * MIB), "{}", peak_bytes_and_steps(&text(20)).0);
}

#[test]
fn scratch_buffers_count() {
    let sort =
        "ENTRY e { b = f32[262144] iota(), iota_dimension=0 ROOT s = sort(b), dimensions={0}, to_apply={
        a = f32[] parameter(0) b = f32[] parameter(1) ROOT p = compare(a, b), direction=GT } }";
    assert_eq!(rule(sort, bytes(4 * MIB)), "budget-bytes");
    let fft = "ENTRY e { z = c64[] constant((1,2)) b = c64[131072] broadcast(z), dimensions={}
        ROOT f = fft(b), fft_type=FFT, fft_length={131072} }";
    assert_eq!(rule(fft, bytes(4 * MIB)), "budget-bytes");
    let norm = "ENTRY e { b = f32[262144,1] iota(), iota_dimension=0 s = f32[1] constant({1})
        ROOT n = batch-norm-training(b, s, s), epsilon=1, feature_index=1 }";
    assert_eq!(rule(norm, bytes(4 * MIB)), "budget-bytes");
    let relayout =
        "ENTRY e { b = f32[512,512]{1,0} iota(), iota_dimension=0 ROOT c = f32[512,512]{0,1} copy(b) }";
    assert_eq!(rule(relayout, bytes(MIB + MIB / 2)), "budget-bytes");
    assert_eq!(rule(relayout, bytes(4 * MIB)), "none");
}

#[test]
fn arguments_count() {
    let module = module("ENTRY e { x = f32[262144] parameter(0) ROOT r = f32[1] slice(x), slice={[0:1]} }");
    let argument = format!("f32[262144] {{{}}}", vec!["1"; 262_144].join(","));
    let argument = argument.parse().unwrap();
    let mut evaluator = Evaluator::new(&module).limits(bytes(MIB));
    assert_eq!(evaluator.run(&[argument]).unwrap_err().error.rule, "budget-bytes");
}

#[test]
fn queues_that_a_run_fills_count() {
    let text = "c { p = token[] parameter(0) ROOT t = pred[] constant(true) }
        b { p = token[] parameter(0) x = f32[1024] iota(), iota_dimension=0
          ROOT q = outfeed(x, p), outfeed_shape=f32[1024] }
        ENTRY e { t = token[] after-all() ROOT w = while(t), condition=c, body=b }";
    let (module, host) = (module(text), Host::default());
    let mut evaluator = Evaluator::new(&module).host(&host).limits(bytes(MIB));
    assert_eq!(evaluator.run(&[]).unwrap_err().error.rule, "budget-bytes");
    assert!(host.outfeed().len() <= 256);
}

#[test]
fn devices_share_one_budget() {
    let module = module("ENTRY e { ROOT b = f32[65536] iota(), iota_dimension=0 }");
    let arguments = vec![Vec::new(); 8];
    let rejected = |limits| {
        SimulatedDevices::new(&module, 8)
            .limits(limits)
            .run(&arguments)
            .map_err(|error| error.error.error.rule)
            .err()
    };
    assert_eq!(rejected(bytes(4 * MIB)), None);
    assert_eq!(rejected(bytes(MIB)), Some("budget-bytes"));
    assert_eq!(rejected(Limits { steps: 100_000, ..Limits::default() }), Some("budget-steps"));
    assert_eq!(rejected(Limits { steps: 600_000, ..Limits::default() }), None);
}

#[test]
fn operands_cost_only_the_cells_that_are_read() {
    let pieces = |count: usize| {
        let constants: Vec<String> = (0..count).map(|i| format!("x{i} = s32[1] constant({{{i}}})")).collect();
        let constants = constants.join(" ");
        let names: Vec<String> = (0..count).map(|i| format!("x{i}")).collect();
        format!("ENTRY e {{ {constants} ROOT r = concatenate({}), dimensions={{0}} }}", names.join(", "))
    };
    let [few, many] = [100, 1000].map(|count| peak_bytes_and_steps(&pieces(count)).1);
    assert!((9 * few..11 * few).contains(&many), "{few} {many}");
}

#[test]
fn the_steps_of_tiled_layouts_depend_on_their_levels() {
    let copied = |layout: &str| {
        peak_bytes_and_steps(&format!(
            "ENTRY e {{ x = f32[64,64]{{1,0{layout}}} iota(), iota_dimension=0 ROOT y = f32[64,64]{{1,0{layout}}} negate(x) }}"
        ))
        .1
    };
    // A layout with merged dimensions has no tables: each index is mapped through every level of tiles.
    let (plain, tabled, merged) = (copied(""), copied(":T(8,8)(2,1)"), copied(":T(*,8)(2,1)(2,1)"));
    assert_eq!(plain, tabled);
    assert!(merged > 4 * plain, "{plain} {merged}");
}

#[test]
fn an_empty_loop_costs_steps() {
    let text = "c { p = () parameter(0) ROOT t = pred[] constant(true) }
        b { ROOT p = () parameter(0) }
        ENTRY e { t = () tuple() ROOT w = while(t), condition=c, body=b }";
    assert_eq!(rule(text, Limits { steps: 100_000, ..Limits::default() }), "budget-steps");
    let scan = "s { ROOT x = f32[0] parameter(0) }
        ENTRY e { z = f32[] constant(1) b = f32[1000000000000,0] broadcast(z), dimensions={}
        ROOT r = scan(b), dimensions={0}, num_carries=0, to_apply=s }";
    assert_eq!(rule(scan, Limits { steps: 100_000, ..Limits::default() }), "budget-steps");
}

#[test]
fn instructions_count_by_their_operands() {
    let wide = |count: usize| {
        let operands = vec!["x"; count].join(", ");
        format!(
            "ENTRY e {{ x = f32[] constant(1) t = tuple({operands}) ROOT r = get-tuple-element(t), index=0 }}"
        )
    };
    assert!(peak_bytes_and_steps(&wide(1000)).1 >= 900 + peak_bytes_and_steps(&wide(100)).1);
}

/// Calls of the maximum depth fit on the small stack of a test thread.
#[test]
fn calls_run_at_the_maximum_depth() {
    for shape in ["f32[2]", "f32[]"] {
        let level = |i: usize| {
            let below = i - 1;
            format!("g{i} {{ x = {shape} parameter(0) ROOT y = call(x), to_apply=g{below} }}\n")
        };
        let levels: String = (1..62).map(level).collect();
        let text = format!(
            "g0 {{ x = {shape} parameter(0) ROOT n = negate(x) }}\n{levels}
             ENTRY e {{ a = f32[] constant(1) b = {shape} broadcast(a), dimensions={{}} ROOT r = call(b), to_apply=g61 }}"
        );
        assert!(peak_bytes_and_steps(&text).1 > 62, "{shape}");
    }
}

/// Measures the maximum number of steps between two calls of the observer.
#[derive(Default)]
struct MaxInterval {
    last_steps: u64,
    max_steps: u64,
}

impl Observer for MaxInterval {
    fn value(&mut self, _: Frame, _: InstructionId, _: &Data) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn progress(&mut self, steps: u64) -> ControlFlow<()> {
        self.max_steps = self.max_steps.max(steps - self.last_steps);
        self.last_steps = steps;
        ControlFlow::Continue(())
    }

    fn wants_all(&self) -> bool {
        false
    }
}

/// Runs of many steps, most of which are in one cell or one block.
const LONG: &[&str] = &[
    "b = f32[70000] iota(), iota_dimension=0 ROOT r = sort(b), dimensions={0}, to_apply={
      a = f32[] parameter(0) b = f32[] parameter(1) ROOT p = compare(a, b), direction=GT }",
    "z = c64[] constant((1,2)) b = c64[16384] broadcast(z), dimensions={}
      ROOT r = fft(b), fft_type=FFT, fft_length={16384}",
    "z = c64[] constant((1,2)) b = c64[1021] broadcast(z), dimensions={}
      ROOT r = fft(b), fft_type=FFT, fft_length={1021}",
    "i = s32[100,100] iota(), iota_dimension=0 j = s32[100,100] iota(), iota_dimension=1
      e = compare(i, j), direction=EQ f = f32[100,100] convert(e) ROOT r = cholesky(f), lower=true",
    "i = s32[100,100] iota(), iota_dimension=0 j = s32[100,100] iota(), iota_dimension=1
      e = compare(i, j), direction=EQ f = f32[100,100] convert(e) b = f32[100,1] slice(f), slice={[0:100], [0:1]}
      ROOT r = triangular-solve(f, b), left_side=true, lower=true, transpose_a=NO_TRANSPOSE",
    "b = f32[70000,1] iota(), iota_dimension=0 s = f32[1] constant({1})
      ROOT r = batch-norm-training(b, s, s), epsilon=1, feature_index=1",
    "b = f32[70000] iota(), iota_dimension=0 i = s32[1] constant({0}) ROOT r = scatter(b, i, b),
      update_window_dims={0}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply={
      a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
    "b = f32[70000] iota(), iota_dimension=0 z = f32[] constant(0)
      ROOT r = reduce-window(b, z), window={size=70000}, to_apply={
      a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
    "b = f32[70000] iota(), iota_dimension=0 z = f32[] constant(0) s = f32[1] constant({1})
      ROOT r = select-and-scatter(b, s, z), window={size=70000}, select={
      a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = compare(a, b), direction=GE }, scatter={
      a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
    "b = f32[1,1,70000] iota(), iota_dimension=2
      ROOT r = convolution(b, b), window={size=70000}, dim_labels=bf0_oi0->bf0",
    "b = f32[1,70000,1] iota(), iota_dimension=1
      ROOT r = convolution(b, b), window={size=1}, dim_labels=bf0_oi0->bf0",
    "b = f32[70000] iota(), iota_dimension=0 ROOT r = dot(b, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
    "z = f32[] constant(0) o = f32[] constant(1) ROOT r = f32[70000] rng(z, o), distribution=rng_uniform",
    "s = u64[2] constant({1, 2}) ROOT r = (u64[2], u32[70000]) rng-bit-generator(s), algorithm=rng_philox",
    "b = f32[70000] iota(), iota_dimension=0 ROOT r = map(b), dimensions={0}, to_apply={
      a = f32[] parameter(0) c = negate(a) ROOT d = negate(c) }",
    "b = f32[70000] iota(), iota_dimension=0 z = f32[] constant(0) ROOT r = reduce(b, z), dimensions={0}, to_apply={
      a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
];

#[test]
fn every_long_op_calls_its_observer_while_it_runs() {
    for text in LONG {
        let module = module(&format!("ENTRY e {{ {text} }}"));
        let mut interval = MaxInterval::default();
        let mut evaluator = Evaluator::new(&module).observer(&mut interval);
        let steps = evaluator.run_with_values(&[]).unwrap_or_else(|error| panic!("{error} in {text}")).steps;
        drop(evaluator);
        assert!(steps >= 1 << 17, "{steps} in {text}");
        assert!(interval.max_steps <= steps / 2, "{} of {steps} in {text}", interval.max_steps);
    }
}

#[test]
fn a_trace_is_charged_for_its_reads() {
    let text = "ENTRY e { x = f32[60,60] iota(), iota_dimension=0
        y = dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
        ROOT z = dot(y, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} }";
    let module = module(text);
    let outcome = Evaluator::new(&module).run_with_values(&[]).unwrap();
    let root = module.entry_computation().and_then(|entry| entry.root).unwrap();
    let cell = CellAt::array(&[0, 0]);
    let limits = Limits { steps: 5_000, ..Limits::default() };
    let evaluator = Evaluator::new(&module).limits(limits);
    let traced = evaluator.tracer(&outcome).origins(root, &cell);
    assert_eq!(traced.unwrap_err().error.rule, "budget-steps");
}
