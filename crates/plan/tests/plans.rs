//! Plans of programs with loops, branches and views: they give the bits of the evaluator, share buffers, and respect limits.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::rc::Rc;

use test_support::Random;
use xla_array::literal::Equality;
use xla_array::{ArrayLiteral, ArrayShape, ElementType, Layout, Literal, Shape, Value};
use xla_hlo::eval::kernel::{InProcess, MIN_KERNEL_WORK};
use xla_hlo::{Evaluator, Frame, InstructionId, Limits, Module, Observer, parse};
use xla_ops::Data;
use xla_plan::{Options, Plan, RunError, Runner};

fn module(text: &str) -> Module {
    parse(text).into_module().unwrap_or_else(|error| panic!("{error} in {text}"))
}

/// Small numbers for every parameter.
fn arguments(module: &Module) -> Vec<Literal> {
    let mut random = Random::new(7);
    let mut values = |shape: &Shape| {
        let shape = shape.as_array().unwrap().clone();
        let is_float = matches!(shape.element_type, ElementType::F32 | ElementType::BF16);
        let value = |random: &mut Random| {
            if is_float {
                Value::Float((random.unit() - 0.5).into())
            } else {
                Value::Int(i64::try_from(random.below(5)).unwrap_or(0))
            }
        };
        Literal::from(ArrayLiteral::from_fn(shape, |_, _| value(&mut random)).unwrap())
    };
    module.interface().unwrap().parameters.iter().map(&mut values).collect()
}

/// The plan of a program, after its results have been compared with the evaluator's: of two runs each, with and without constant
/// arguments.
fn compared(text: &str) -> Rc<Plan> {
    let module = module(text);
    let arguments = arguments(&module);
    let kernels = Rc::new(InProcess::default());
    let want = Evaluator::new(&module).kernels(kernels, MIN_KERNEL_WORK).run(&arguments).unwrap();
    let arguments: Vec<&Literal> = arguments.iter().collect();
    for constant_parameters in [arguments.len() / 2, 0] {
        let options = Options { constant_parameters, ..Options::default() };
        let plan = Rc::new(Plan::compile(&module, options).unwrap());
        let mut runner = Runner::new(plan.clone());
        // The second run packs constant operands, and the third reads them.
        for _ in 0..3 {
            let got = runner.run(&arguments, Limits::default(), None).unwrap();
            assert!(got == want, "{got} instead of {want} in {text}");
        }
        if constant_parameters == 0 {
            return plan;
        }
    }
    unreachable!("the last iteration returns")
}

/// A recurrent layer as JAX lowers `scan`: a loop that writes its results to a stack, one per iteration.
const SCAN: &str = "HloModule scan
body { s = (s32[], f32[64], f32[64,64], f32[50,64], f32[50,64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0 h = f32[64] get-tuple-element(s), index=1
  w = f32[64,64] get-tuple-element(s), index=2 xs = f32[50,64] get-tuple-element(s), index=3
  ys = f32[50,64] get-tuple-element(s), index=4 zero = s32[] constant(0) one = s32[] constant(1)
  x = f32[1,64] dynamic-slice(xs, i, zero), dynamic_slice_sizes={1,64} flat = f32[64] reshape(x)
  wh = f32[64] dot(h, w), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  sum = f32[64] add(wh, flat) next = f32[64] tanh(sum) row = f32[1,64] reshape(next)
  stacked = f32[50,64] dynamic-update-slice(ys, row, i, zero) j = s32[] add(i, one)
  ROOT t = (s32[], f32[64], f32[64,64], f32[50,64], f32[50,64]) tuple(j, next, w, xs, stacked) }
condition { s = (s32[], f32[64], f32[64,64], f32[50,64], f32[50,64]) parameter(0)
  i = s32[] get-tuple-element(s), index=0 n = s32[] constant(50) ROOT c = pred[] compare(i, n), direction=LT }
ENTRY e { w = f32[64,64] parameter(0) xs = f32[50,64] parameter(1) zero = s32[] constant(0) z = f32[] constant(0)
  h = f32[64] broadcast(z), dimensions={} ys = f32[50,64] broadcast(z), dimensions={}
  t = (s32[], f32[64], f32[64,64], f32[50,64], f32[50,64]) tuple(zero, h, w, xs, ys)
  r = (s32[], f32[64], f32[64,64], f32[50,64], f32[50,64]) while(t), condition=condition, body=body
  last = f32[64] get-tuple-element(r), index=1 all = f32[50,64] get-tuple-element(r), index=4
  ROOT both = (f32[64], f32[50,64]) tuple(last, all) }";

#[test]
fn a_scan_writes_its_stack_in_place() {
    let plan = compared(SCAN);
    // The state of the loop, its next values and scalars. A copy of the stack would add 12,800 bytes.
    let state = 4 * (64 * 64 + 2 * 50 * 64);
    assert!(plan.bytes() < state + 8_000, "{} bytes", plan.bytes());
}

#[test]
fn loops_that_swap_and_pass_through_their_state() {
    // Fibonacci numbers by swapping, a value that is passed through, one that is used twice, and one that is transposed.
    compared(
        "HloModule m
        b { s = (s32[], f32[9], f32[9], f32[3,3], f32[9], f32[9]) parameter(0)
          i = s32[] get-tuple-element(s), index=0 x = f32[9] get-tuple-element(s), index=1
          y = f32[9] get-tuple-element(s), index=2 m = f32[3,3] get-tuple-element(s), index=3
          k = f32[9] get-tuple-element(s), index=4 q = f32[9] get-tuple-element(s), index=5
          one = s32[] constant(1) j = s32[] add(i, one) sum = f32[9] add(x, y) t = f32[3,3] transpose(m), dimensions={1,0}
          ROOT n = (s32[], f32[9], f32[9], f32[3,3], f32[9], f32[9]) tuple(j, y, sum, t, k, sum) }
        c { s = (s32[], f32[9], f32[9], f32[3,3], f32[9], f32[9]) parameter(0)
          i = s32[] get-tuple-element(s), index=0 n = s32[] constant(7) ROOT c = pred[] compare(i, n), direction=LT }
        ENTRY e { x = f32[9] parameter(0) y = f32[9] parameter(1) m = f32[3,3] parameter(2) zero = s32[] constant(0)
          t = (s32[], f32[9], f32[9], f32[3,3], f32[9], f32[9]) tuple(zero, x, y, m, x, y)
          ROOT r = (s32[], f32[9], f32[9], f32[3,3], f32[9], f32[9]) while(t), condition=c, body=b }",
    );
}

#[test]
fn a_loop_updates_one_value_and_assigns_it_to_another() {
    compared(
        "HloModule m
        b { s = (s32[], f32[9], f32[9]) parameter(0) i = s32[] get-tuple-element(s), index=0
          x = f32[9] get-tuple-element(s), index=1 y = f32[9] get-tuple-element(s), index=2
          one = s32[] constant(1) j = s32[] add(i, one) u = f32[2] constant({5, 6})
          f = f32[9] negate(y) d = f32[9] dynamic-update-slice(x, u, i) ROOT n = (s32[], f32[9], f32[9]) tuple(j, f, d) }
        c { s = (s32[], f32[9], f32[9]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(5)
          ROOT c = pred[] compare(i, n), direction=LT }
        ENTRY e { x = f32[9] parameter(0) y = f32[9] parameter(1) zero = s32[] constant(0)
          t = (s32[], f32[9], f32[9]) tuple(zero, x, y) ROOT r = (s32[], f32[9], f32[9]) while(t), condition=c, body=b }",
    );
}

#[test]
fn nested_loops_and_branches() {
    compared(
        "HloModule m
        inner { s = (s32[], f32[20]) parameter(0) i = s32[] get-tuple-element(s), index=0
          x = f32[20] get-tuple-element(s), index=1 one = s32[] constant(1) j = s32[] add(i, one)
          u = f32[1] constant({2}) y = f32[20] dynamic-update-slice(x, u, i) z = f32[20] add(y, y)
          ROOT t = (s32[], f32[20]) tuple(j, z) }
        few { s = (s32[], f32[20]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(3)
          ROOT c = pred[] compare(i, n), direction=LT }
        one { x = f32[20] parameter(0) ROOT y = f32[20] negate(x) }
        two { x = f32[20] parameter(0) ROOT y = f32[20] copy(x) }
        three { x = f32[20] parameter(0) u = f32[2] constant({7, 8}) s = s32[] constant(4)
          ROOT y = f32[20] dynamic-update-slice(x, u, s) }
        outer { s = (s32[], f32[20], f32[20]) parameter(0) i = s32[] get-tuple-element(s), index=0
          x = f32[20] get-tuple-element(s), index=1 y = f32[20] get-tuple-element(s), index=2
          zero = s32[] constant(0) t = (s32[], f32[20]) tuple(zero, x)
          w = (s32[], f32[20]) while(t), condition=few, body=inner a = f32[20] get-tuple-element(w), index=1
          b = f32[20] conditional(i, a, y, a), branch_computations={one, two, three}
          k = s32[] constant(1) j = s32[] add(i, k) ROOT n = (s32[], f32[20], f32[20]) tuple(j, b, x) }
        some { s = (s32[], f32[20], f32[20]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(4)
          ROOT c = pred[] compare(i, n), direction=LT }
        ENTRY e { x = f32[20] parameter(0) y = f32[20] parameter(1) zero = s32[] constant(0)
          t = (s32[], f32[20], f32[20]) tuple(zero, x, y)
          ROOT r = (s32[], f32[20], f32[20]) while(t), condition=some, body=outer }",
    );
}

#[test]
fn kernels_and_semantics_read_views() {
    compared(
        "HloModule m
        add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
        ENTRY e { x = f32[40,60] parameter(0) v = f32[60] parameter(1) z = f32[] constant(0)
          b = f32[40,60] broadcast(v), dimensions={1} s = f32[40,60] add(x, b)
          t = f32[60,40] transpose(s), dimensions={1,0} u = f32[60,20] slice(t), slice={[0:60], [1:40:2]}
          p = f32[30,2,20] reshape(u) r = f32[30,2] reduce(p, z), dimensions={2}, to_apply=add
          q = f32[60,40] reduce-precision(t), exponent_bits=5, mantissa_bits=3
          d = f32[60,60] dot(t, s), lhs_contracting_dims={1}, rhs_contracting_dims={0}
          c = f32[60,60]{0,1} copy(d) w = f32[3600]{0} reshape(c) k = f32[3600] negate(w)
          ROOT o = (f32[30,2], f32[60,40], f32[3600], f32[60,60]{0,1}) tuple(r, q, k, c) }",
    );
}

#[test]
fn values_whose_live_ranges_do_not_overlap_share_buffers() {
    let mut text = "HloModule m ENTRY e { x0 = f32[1000] parameter(0)\n".to_owned();
    for i in 1..40 {
        let operand = i - 1;
        writeln!(text, "x{i} = f32[1000] negate(x{operand})").unwrap();
    }
    let plan = compared(&(text + "ROOT r = f32[1000] add(x39, x39) }"));
    assert_eq!(plan.peak_live_bytes(), 8_000);
    assert_eq!(plan.bytes(), 8_000);
    // A small value with a long live range, and values of increasing sizes.
    let mut text =
        "HloModule m ENTRY e { x = f32[10] parameter(0) z = f32[] constant(0) y0 = f32[10] negate(x)\n"
            .to_owned();
    for i in 1..20 {
        let (operand, size) = (i - 1, 10 + 10 * i);
        let high = 10;
        writeln!(text, "y{i} = f32[{size}] pad(y{operand}, z), padding=0_{high}").unwrap();
    }
    let plan = compared(&(text + "n = f32[10] negate(x) ROOT r = (f32[10], f32[200]) tuple(n, y19) }"));
    assert!(plan.bytes() * 5 <= plan.peak_live_bytes() * 6, "{} of {}", plan.bytes(), plan.peak_live_bytes());
}

#[test]
fn gathers_of_empty_slices_run() {
    for size in [0, 5] {
        compared(&format!(
            "HloModule m ENTRY e {{ x = f32[{size},30] parameter(0) i = s32[20] parameter(1)
            ROOT g = f32[20,30] gather(x, i), offset_dims={{1}}, collapsed_slice_dims={{0}}, start_index_map={{0}},
            index_vector_dim=1, slice_sizes={{0,30}} }}"
        ));
    }
}

/// An observer that cancels the run after 10,000 steps.
struct Canceller;

impl Observer for Canceller {
    fn value(&mut self, _: Frame, _: InstructionId, _: &Data) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn progress(&mut self, steps: u64) -> ControlFlow<()> {
        if steps > 10_000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn wants_all(&self) -> bool {
        false
    }
}

#[test]
fn limits_end_a_run() {
    let endless = module(
        "HloModule m b { x = f32[9] parameter(0) ROOT y = f32[9] negate(x) }
        c { x = f32[9] parameter(0) ROOT t = pred[] constant(true) }
        ENTRY e { x = f32[9] parameter(0) ROOT r = f32[9] while(x), condition=c, body=b }",
    );
    let argument = &arguments(&endless)[0];
    let mut runner = Runner::new(Rc::new(Plan::compile(&endless, Options::default()).unwrap()));
    let rule = |result: Result<Literal, RunError>| match result {
        Err(RunError::Failed(error)) => error.error.rule,
        other => panic!("{other:?}"),
    };
    let few = Limits { steps: 10_000, ..Limits::default() };
    assert_eq!(rule(runner.run(&[argument], few, None)), "budget-steps");
    assert_eq!(rule(runner.run(&[argument], Limits::default(), Some(&mut Canceller))), "cancelled");
    let large = module(
        "HloModule m ENTRY e { x = f32[] parameter(0) small = f32[] negate(x) b = f32[1000000] broadcast(small), dimensions={}
        i = f32[1000000] iota(), iota_dimension=0 ROOT r = f32[1000000] add(b, i) }",
    );
    let shape = ArrayShape::new(ElementType::F32, []);
    let argument = Literal::from(ArrayLiteral::filled(shape, Value::Float(1.0)).unwrap());
    let mut runner = Runner::new(Rc::new(Plan::compile(&large, Options::default()).unwrap()));
    let little = Limits { bytes: 9_000_000, ..Limits::default() };
    match runner.run(&[&argument], little, None) {
        Err(RunError::Failed(error)) => {
            assert_eq!(error.error.rule, "budget-bytes");
            let (computation, id) = error.at.unwrap();
            assert_eq!(large.get(computation).unwrap().get(id).unwrap().name, "r");
        }
        other => panic!("{other:?}"),
    }
    assert!(runner.run(&[&argument], Limits::default(), None).is_ok());
}

#[test]
fn unsupported_features_are_rejected() {
    for text in [
        "HloModule m ENTRY e { x = f32[2] parameter(0) t = token[] after-all() ROOT o = token[] outfeed(x, t) }",
        "HloModule m ENTRY e { ROOT x = f32[8,128]{1,0:T(8,128)} parameter(0) }",
        "HloModule m ENTRY e { ROOT x = f32[<=8] parameter(0) }",
        "HloModule m ENTRY e { x = f32[2] parameter(0) ROOT y = f32[2] custom-call(x), custom_call_target=\"f\" }",
    ] {
        assert!(Plan::compile(&module(text), Options::default()).is_err(), "{text}");
    }
    let module = module("HloModule m ENTRY e { ROOT x = f32[2] parameter(0) }");
    let mut runner = Runner::new(Rc::new(Plan::compile(&module, Options::default()).unwrap()));
    assert!(matches!(runner.run(&[], Limits::default(), None), Err(RunError::Rejected)));
}

#[test]
fn arguments_may_have_any_layout() {
    let mut module = module("HloModule m ENTRY e { x = f32[2,3] parameter(0) ROOT n = f32[2,3] negate(x) }");
    let rows = ArrayShape::new(ElementType::F32, [2, 3]).with_layout(Layout::descending(2));
    let columns = ArrayShape::new(ElementType::F32, [2, 3]).with_layout(Layout::new([0, 1]));
    let value = |index: &[i64], sign: f64| {
        let value = i32::try_from(10 * index[0] + index[1]).unwrap();
        Value::Float(sign * f64::from(value))
    };
    let argument = |shape: &ArrayShape| {
        Literal::from(ArrayLiteral::from_fn(shape.clone(), |_, index| value(index, 1.0)).unwrap())
    };
    for has_layout in [true, false] {
        for instruction in &mut module.computations[0].instructions {
            if let Shape::Array(array) = &mut instruction.shape {
                array.layout = has_layout.then(|| Layout::descending(2));
            }
        }
        let mut runner = Runner::new(Rc::new(Plan::compile(&module, Options::default()).unwrap()));
        for shape in [&rows, &columns, &ArrayShape::new(ElementType::F32, [2, 3])] {
            let got = runner.run(&[&argument(shape)], Limits::default(), None).unwrap();
            let want = ArrayLiteral::from_fn(rows.clone(), |_, index| value(index, -1.0)).unwrap();
            assert!(got.equals(&want.into(), Equality::Same), "{got} of {shape} ({has_layout})");
        }
    }
}
