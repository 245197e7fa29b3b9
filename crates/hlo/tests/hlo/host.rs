//! The host (queues, functions of the embedder), cancellation and observers.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::ops::ControlFlow;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use xla_array::{ArrayLiteral, ArrayShape, ElementType, Literal, Value};
use xla_hlo::{Application, Evaluator, Frame, Host, InstructionId, Module, Observer, parse};
use xla_ops::{CellAt, Data, Role, Source};

fn module(text: &str) -> Module {
    parse(text).into_module().unwrap_or_else(|d| panic!("{d} in {text}"))
}

fn literal(text: &str) -> Literal {
    text.parse().unwrap()
}

/// Polls a future once, without a waker.
fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

const TWO_ITEMS: &str = "HloModule m ENTRY e {
    t = token[] after-all()
    a = (f32[2], token[]) infeed(t)
    k = token[] get-tuple-element(a), index=1
    b = ((f32[2], s32[]), token[]) infeed(k)
    x = f32[2] get-tuple-element(a), index=0
    p = (f32[2], s32[]) get-tuple-element(b), index=0
    y = f32[2] get-tuple-element(p), index=0
    ROOT d = f32[2] subtract(x, y) }";

#[test]
fn infeeds_read_the_queue_in_order() {
    let module = module(TWO_ITEMS);
    let host = Host::default();
    host.infeed().push(literal("f32[2] {5, 7}"));
    host.infeed().push(literal("(f32[2], s32[]) ({1, 2}, 3)"));
    let mut evaluator = Evaluator::new(&module).host(&host);
    let outcome = evaluator.run_with_values(&[]).unwrap();
    let mut tracer = evaluator.tracer(&outcome);
    assert_eq!(outcome.values.get(InstructionId(7)).unwrap().to_literal().to_string(), "{4, 5}");
    assert!(host.infeed().is_empty());
    // A trace does not read the queue again. The cell comes from the queue, so it has no source cells in the arguments.
    let cell = CellAt::array(&[1]);
    assert_eq!(tracer.origins(InstructionId(7), &cell).unwrap(), []);
}

#[test]
fn an_empty_queue_ends_a_run_with_an_error_at_the_infeed() {
    let module = module(TWO_ITEMS);
    let host = Host::default();
    host.infeed().push(literal("f32[2] {5, 7}"));
    let error = Evaluator::new(&module).host(&host).run(&[]).unwrap_err();
    assert_eq!(error.error.rule, "waiting");
    assert_eq!(error.at.unwrap().1, InstructionId(3));
    let text = error.to_string();
    assert!(text.contains("b waits for an infeed item (f32[2], s32[])"), "{text}");
}

#[test]
fn an_item_of_another_shape_is_rejected() {
    let module = module(TWO_ITEMS);
    let host = Host::default();
    host.infeed().push(literal("f32[3] {5, 7, 8}"));
    let error = Evaluator::new(&module).host(&host).run(&[]).unwrap_err();
    assert_eq!((error.error.rule, error.at.unwrap().1), ("outside-shape", InstructionId(1)));
}

#[test]
fn a_run_waits_for_its_queue_to_be_filled() {
    let module = module(TWO_ITEMS);
    let host = Host::default();
    let mut evaluator = Evaluator::new(&module).host(&host);
    {
        let mut run = pin!(evaluator.run_async(&[]));
        assert!(poll(run.as_mut()).is_pending());
        host.infeed().push(literal("f32[2] {5, 7}"));
        assert!(poll(run.as_mut()).is_pending());
        host.infeed().push(literal("(f32[2], s32[]) ({1, 2}, 3)"));
        let Poll::Ready(got) = poll(run.as_mut()) else { panic!("still waiting") };
        assert_eq!(got.unwrap().to_string(), "{4, 5}");
    }
    // A run that is dropped does not affect the next one.
    {
        let mut run = pin!(evaluator.run_async(&[]));
        assert!(poll(run.as_mut()).is_pending());
    }
    host.infeed().push(literal("f32[2] {1, 1}"));
    host.infeed().push(literal("(f32[2], s32[]) ({1, 2}, 3)"));
    assert_eq!(evaluator.run(&[]).unwrap().to_string(), "{0, -1}");
}

#[test]
fn outfeeds_run_in_order_even_if_the_result_does_not_need_them() {
    let text = "HloModule m
        body { s = (s32[], token[]) parameter(0) i = s32[] get-tuple-element(s), index=0
          t = token[] get-tuple-element(s), index=1 one = s32[] constant(1) n = s32[] add(i, one)
          f = (s32[], token[]) infeed(t) x = s32[] get-tuple-element(f), index=0
          k = token[] get-tuple-element(f), index=1 y = s32[] multiply(x, x)
          o = token[] outfeed(y, k), outfeed_shape=s32[]
          ROOT r = tuple(n, k) }
        condition { s = (s32[], token[]) parameter(0) i = s32[] get-tuple-element(s), index=0
          limit = s32[] constant(3) ROOT c = compare(i, limit), direction=LT }
        ENTRY e { t = token[] after-all() z = s32[] constant(0) s = tuple(z, t)
          w = (s32[], token[]) while(s), condition=condition, body=body
          ROOT c = s32[] constant(9) }";
    let module = module(text);
    let host = Host::default();
    for n in 1..=3 {
        host.infeed().push(literal(&format!("s32[] {n}")));
    }
    assert_eq!(Evaluator::new(&module).host(&host).run(&[]).unwrap().to_string(), "9");
    let out: Vec<String> = std::iter::from_fn(|| host.outfeed().pop()).map(|item| item.to_string()).collect();
    assert_eq!(out, ["1", "4", "9"]);
}

#[test]
fn infeeds_must_be_in_a_total_order() {
    let rules = |text: &str| -> Vec<&str> { parse(text).diagnostics.iter().map(|d| d.rule).collect() };
    let unordered = "HloModule m ENTRY e { t = token[] after-all()
        a = (f32[], token[]) infeed(t)
        b = (f32[], token[]) infeed(t)
        ROOT r = tuple(a, b) }";
    assert_eq!(rules(unordered), ["hlo-infeed-order"]);
    assert!(
        rules(&unordered.replace(
            "b = (f32[], token[]) infeed(t)",
            "b = (f32[], token[]) infeed(t), control-predecessors={a}"
        ))
        .is_empty()
    );
    // The hint can be applied.
    let parsed = parse(unordered);
    let edit = parsed.diagnostics[0].hints.iter().find_map(|hint| hint.edits.first()).unwrap();
    let mut fixed = unordered.to_owned();
    fixed.replace_range(edit.span.start..edit.span.end, &edit.text);
    assert!(rules(&fixed).is_empty(), "{fixed}");
    // The two loops of XLA's "Infeed" section, ordered by the result of the first.
    let loops = |second: &str| {
        format!("HloModule m
        body {{ s = f32[] parameter(0) t = token[] after-all() f = (f32[], token[]) infeed(t)
          ROOT x = f32[] get-tuple-element(f), index=0 }}
        condition {{ s = f32[] parameter(0) zero = f32[] constant(0) ROOT c = compare(s, zero), direction=GT }}
        ENTRY e {{ init = f32[] constant(1)
          result1 = f32[] while(init), condition=condition, body=body
          result2 = f32[] while({second}), condition=condition, body=body
          ROOT r = tuple(result1, result2) }}")
    };
    assert!(rules(&loops("result1")).is_empty());
    assert_eq!(rules(&loops("init")), ["hlo-infeed-order"]);
    let module = module(&loops("result1"));
    let host = Host::default();
    for item in ["f32[] 3", "f32[] 2", "f32[] -1"] {
        host.infeed().push(literal(item));
    }
    let got = Evaluator::new(&module).host(&host).run(&[]).unwrap();
    assert_eq!(got.to_string(), "( -1, -1 )");
}

const MYFUNC: &str = "HloModule m ENTRY e { x = f32[2] parameter(0) y = f32[2,3] parameter(1)
    ROOT z = f32[3,3] custom-call(x, y), custom_call_target=\"myfunc\" }";

fn myfunc(arguments: &[Literal], shape: &xla_array::Shape) -> Result<Literal, String> {
    let number = |i: usize, index: &[i64]| match arguments[i].as_array().unwrap().get(index) {
        Some(Value::Float(x)) => x,
        other => panic!("{other:?}"),
    };
    // z[0][0] = x[1] + y[1][0], as in XLA's "CustomCall" section.
    let cell = |_: i64, at: &[i64]| {
        let row = (at[0] + 1) % 2;
        Value::Float(number(0, &[row]) + number(1, &[row, at[1]]))
    };
    ArrayLiteral::from_fn(shape.as_array().unwrap().clone(), cell)
        .map(Literal::from)
        .map_err(|e| e.rule.to_owned())
}

fn documents_arguments() -> [Literal; 2] {
    [literal("f32[2] {1, 2}"), literal("f32[2,3] { {10, 20, 30}, {40, 50, 60} }")]
}

#[test]
fn a_custom_call_calls_the_registered_function() {
    let module = module(MYFUNC);
    let host = Host::default().custom_call("myfunc", myfunc);
    let mut evaluator = Evaluator::new(&module).host(&host);
    let outcome = evaluator.run_with_values(&documents_arguments()).unwrap();
    let mut tracer = evaluator.tracer(&outcome);
    let z = outcome.values.get(InstructionId(2)).unwrap().to_literal();
    assert_eq!(z.as_array().unwrap().get(&[0, 0]), Some(Value::Float(42.0)));
    // Without a source function, every operand cell is a source.
    let cell = CellAt::array(&[0, 0]);
    assert_eq!(tracer.sources(InstructionId(2), &cell).unwrap().len(), 8);
    let with_sources = host.custom_call_sources("myfunc", |_, cell| {
        vec![Source { operand: 0, cell: CellAt::array(&[(cell.index[0] + 1) % 2]), role: Role::Value }]
    });
    let mut evaluator = Evaluator::new(&module).host(&with_sources);
    let outcome = evaluator.run_with_values(&documents_arguments()).unwrap();
    let mut tracer = evaluator.tracer(&outcome);
    let found = tracer.sources(InstructionId(2), &cell).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].cell, CellAt::array(&[1]));
}

#[test]
fn an_unknown_target_is_reported_before_the_run() {
    let module = module(MYFUNC);
    let host = Host::default().custom_call("myfunk", myfunc);
    let error = Evaluator::new(&module).host(&host).run(&[]).unwrap_err();
    assert_eq!((error.error.rule, error.at.unwrap().1), ("custom-call-target", InstructionId(2)));
    assert!(error.to_string().contains("TopK") && error.to_string().contains("myfunk"), "{error}");
}

#[test]
fn annotations_return_their_operand() {
    let text = "HloModule m ENTRY e { x = f32[2]{0} parameter(0)
        a = f32[2]{0} custom-call(x), custom_call_target=\"Sharding\", sharding={devices=[2]<=[2]}
        ROOT b = f32[2]{0} custom-call(a), custom_call_target=\"xla.sdy.FuncResultSharding\" }";
    let module = module(text);
    let host = Host::default();
    let mut evaluator = Evaluator::new(&module).host(&host);
    let argument = ["f32[2] {1, nan}".parse().unwrap()];
    assert_eq!(evaluator.run(&argument).unwrap().to_string(), "{1, nan}");
    let outcome = evaluator.run_with_values(&argument).unwrap();
    let cell = CellAt::array(&[1]);
    let found = evaluator.tracer(&outcome).sources(InstructionId(2), &cell).unwrap();
    assert_eq!(found.iter().map(|source| &source.cell).collect::<Vec<_>>(), [&cell]);
}

#[test]
fn a_failing_or_misshapen_host_function_is_reported() {
    let module = module(MYFUNC);
    let rule_and_text = |host: &Host| {
        let error = Evaluator::new(&module).host(host).run(&documents_arguments()).unwrap_err();
        (error.error.rule, error.to_string())
    };
    let (rule_of_error, text) =
        rule_and_text(&Host::default().custom_call("myfunc", |_, _| Err("no luck".to_owned())));
    assert_eq!(rule_of_error, "custom-call-failed");
    assert!(text.contains("no luck"), "{text}");
    let wrong_shape = Host::default().custom_call("myfunc", |arguments, _| Ok(arguments[0].clone()));
    assert_eq!(rule_and_text(&wrong_shape).0, "outside-shape");
}

#[test]
fn a_function_may_be_asynchronous() {
    let module = module(MYFUNC);
    let gate: Rc<RefCell<Option<Literal>>> = Rc::default();
    let waiting = gate.clone();
    let host = Host::default().custom_call_async("myfunc", move |_, _| {
        let gate = waiting.clone();
        poll_fn(move |_| gate.borrow_mut().take().map_or(Poll::Pending, |value| Poll::Ready(Ok(value))))
    });
    let error = Evaluator::new(&module).host(&host).run(&documents_arguments()).unwrap_err();
    assert_eq!(error.error.rule, "waiting");
    assert!(error.to_string().contains("the function myfunc"), "{error}");
    let mut evaluator = Evaluator::new(&module).host(&host);
    let arguments = documents_arguments();
    let mut run = pin!(evaluator.run_async(&arguments));
    assert!(poll(run.as_mut()).is_pending());
    let answer = ArrayLiteral::filled(ArrayShape::new(ElementType::F32, [3, 3]), Value::Float(2.0)).unwrap();
    *gate.borrow_mut() = Some(answer.into());
    assert!(matches!(poll(run.as_mut()), Poll::Ready(Ok(_))));
    // A function that only yields is polled to its end.
    let host = Host::default().custom_call_async("myfunc", |arguments, shape| {
        let is_first = Cell::new(true);
        poll_fn(move |context| {
            if is_first.replace(false) {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            Poll::Ready(myfunc(&arguments, &shape))
        })
    });
    assert!(Evaluator::new(&module).host(&host).run(&documents_arguments()).is_ok());
}

#[test]
fn top_k_uses_the_total_order() {
    let module = module(
        "HloModule m ENTRY e { x = f32[6] parameter(0)
        ROOT c = (f32[4], s32[4]) custom-call(x), custom_call_target=\"TopK\" }",
    );
    let got = Evaluator::new(&module).run(&[literal("f32[6] {-0.0, inf, 0, nan, 0, -inf}")]).unwrap();
    assert_eq!(got.to_string(), "( {nan, inf, 0, 0}, {3, 1, 2, 4} )");
}

/// Cancels the run after 50 ms, in the middle of an instruction.
struct Canceller {
    start: Instant,
    cancelled: Option<Instant>,
}

impl Observer for Canceller {
    fn value(&mut self, _: Frame, _: InstructionId, _: &Data) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn progress(&mut self, steps: u64) -> ControlFlow<()> {
        if steps > 0 && self.start.elapsed() > Duration::from_millis(50) {
            self.cancelled = Some(Instant::now());
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

#[test]
fn a_run_can_be_cancelled_in_the_middle_of_a_cell() {
    let reduce = "HloModule m
        add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }
        ENTRY e { x = f32[67108864] parameter(0) z = f32[] constant(0)
          ROOT r = reduce(x, z), dimensions={0}, to_apply=add }";
    let dot = "HloModule m ENTRY e { x = f32[67108864] parameter(0)
          ROOT r = dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0} }";
    let ones = ArrayLiteral::filled(ArrayShape::new(ElementType::F32, [1 << 26]), Value::Float(1.0)).unwrap();
    let arguments = [Literal::from(ones)];
    for text in [reduce, dot] {
        let module = module(text);
        let mut observer = Canceller { start: Instant::now(), cancelled: None };
        let error = Evaluator::new(&module).observer(&mut observer).run(&arguments).unwrap_err();
        let ended = Instant::now();
        assert_eq!(error.error.rule, "cancelled");
        assert_eq!(error.at.map(|(_, id)| id), module.entry_computation().unwrap().root);
        let delay = ended - observer.cancelled.unwrap();
        // Without cancellation checks within the cell, the run would finish it. A few seconds are tolerated for a busy machine.
        assert!(delay < Duration::from_secs(3), "{delay:?}");
    }
}

#[derive(Default)]
struct ApplicationLog {
    /// Instruction, arguments and results of each application.
    applications: Vec<(u32, Vec<Value>, Vec<Value>)>,
    wants_applications: bool,
    stop_after: Option<usize>,
}

impl Observer for ApplicationLog {
    fn value(&mut self, _: Frame, _: InstructionId, _: &Data) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn wants_applications(&self) -> bool {
        self.wants_applications
    }

    fn application(&mut self, _: Frame, id: InstructionId, application: &Application) -> ControlFlow<()> {
        self.applications.push((id.0, application.arguments.to_vec(), application.results.to_vec()));
        if self.stop_after == Some(self.applications.len()) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

#[test]
fn an_observer_gets_every_application_of_a_reducer_in_order() {
    let module = module(
        "HloModule m
        subtract { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = subtract(a, b) }
        negate { a = s32[] parameter(0) ROOT c = negate(a) }
        ENTRY e { x = s32[2,2] parameter(0) z = s32[] constant(10)
          r = reduce(x, z), dimensions={1}, to_apply=subtract
          ROOT m = map(r), dimensions={0}, to_apply=negate }",
    );
    let arguments = [literal("s32[2,2] { {1, 2}, {3, 4} }")];
    let mut observer = ApplicationLog { wants_applications: true, ..ApplicationLog::default() };
    Evaluator::new(&module).observer(&mut observer).run(&arguments).unwrap();
    let numbers = |values: &[Value]| values.iter().map(|v| format!("{v:?}")).collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = (observer.applications.iter())
        .map(|(id, arguments, results)| format!("{id}: {} -> {}", numbers(arguments), numbers(results)))
        .collect();
    assert_eq!(
        lines,
        [
            "2: Int(10) Int(1) -> Int(9)",
            "2: Int(9) Int(2) -> Int(7)",
            "2: Int(10) Int(3) -> Int(7)",
            "2: Int(7) Int(4) -> Int(3)",
            "3: Int(7) -> Int(-7)",
            "3: Int(3) -> Int(-3)",
        ]
    );
    let mut silent = ApplicationLog::default();
    Evaluator::new(&module).observer(&mut silent).run(&arguments).unwrap();
    assert!(silent.applications.is_empty());
    let mut stopping =
        ApplicationLog { wants_applications: true, stop_after: Some(3), ..ApplicationLog::default() };
    let error = Evaluator::new(&module).observer(&mut stopping).run(&arguments).unwrap_err();
    assert_eq!((error.error.rule, stopping.applications.len()), ("cancelled", 3));
}

#[test]
fn the_start_and_done_of_any_op_compute_the_op() {
    let text = "HloModule m
        add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }
        ENTRY e { x = f32[2] parameter(0) y = f32[2] parameter(1)
          s = ((f32[2], f32[2]), f32[2], s32[]) subtract-start(x, y), async_execution_thread=\"other\"
          u = ((f32[2], f32[2]), f32[2], s32[]) subtract-update(s)
          d = f32[2] subtract-done(u)
          c = ((f32[2]), f32[2], u32[]) reduce-scatter-start(d), replica_groups={{0}}, dimensions={0}, to_apply=add
          ROOT r = f32[2] reduce-scatter-done(c) }";
    let module = module(text);
    let printed = module.to_string();
    assert_eq!(parse(&printed).module.to_string(), printed);
    let arguments = [literal("f32[2] {5, 7}"), literal("f32[2] {1, 2}")];
    let mut evaluator = Evaluator::new(&module);
    let outcome = evaluator.run_with_values(&arguments).unwrap();
    let mut tracer = evaluator.tracer(&outcome);
    assert_eq!(outcome.values.get(InstructionId(6)).unwrap().to_literal().to_string(), "{4, 5}");
    let found = tracer.origins(InstructionId(6), &CellAt::array(&[1])).unwrap();
    let cells: Vec<(usize, i64)> = found.iter().map(|s| (s.operand, s.cell.index[0])).collect();
    assert_eq!(cells, [(0, 1), (1, 1)]);
    let wrong = text.replace("subtract-start(x, y)", "subtract-start(x)");
    assert_eq!(parse(&wrong).error().unwrap().rule, "operand-count");
    assert!(parse("HloModule m ENTRY e { x = f32[] nothing-start() }").error().is_some());
}

#[test]
fn channels_pair_up_in_one_module_and_with_the_host() {
    let without_receiver = "HloModule m ENTRY e { x = f32[] parameter(0) t = token[] after-all()
        ROOT s = (f32[], u32[], token[]) send(x, t), channel_id=4 }";
    let error = Evaluator::new(&module(without_receiver)).run(&[literal("f32[] 1")]).unwrap_err();
    assert_eq!(error.error.rule, "waiting");
    assert!(error.to_string().contains("s waits for a receiver on channel 4"), "{error}");
    let without_sender =
        "HloModule m ENTRY e { t = token[] after-all() w = (f32[], u32[], token[]) recv(t), channel_id=4
        ROOT d = (f32[], token[]) recv-done(w), channel_id=4 }";
    let without_sender = module(without_sender);
    let mut evaluator = Evaluator::new(&without_sender);
    let Poll::Ready(Err(error)) = poll(pin!(evaluator.run_async(&[]))) else { panic!("waits forever") };
    assert_eq!((error.error.rule, error.at.unwrap().1), ("waiting", InstructionId(2)));
    let host_text = "HloModule m ENTRY e { t = token[] after-all()
        w = (f32[], u32[], token[]) recv(t), channel_id=4, is_host_transfer=true
        d = (f32[], token[]) recv-done(w), channel_id=4, is_host_transfer=true
        x = f32[] get-tuple-element(d), index=0 n = negate(x)
        s = (f32[], u32[], token[]) send(n, t), channel_id=5, is_host_transfer=true
        ROOT e = token[] send-done(s), channel_id=5, is_host_transfer=true }";
    let host = Host::default();
    host.recv_queue(4).push(literal("f32[] 3"));
    Evaluator::new(&module(host_text)).host(&host).run(&[]).unwrap();
    assert_eq!(host.send_queue(5).pop().unwrap().to_string(), "-3");
}

#[test]
fn top_k_matches_xla() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/hlo-samples/sort_topk.io.json");
    let io: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    // A nested list is a literal with other brackets.
    let array = |json: &serde_json::Value, shape: &str| {
        literal(&format!("{shape} {}", json["value"].to_string().replace('[', "{").replace(']', "}")))
    };
    let module = module(
        "HloModule m ENTRY e { x = f32[4,9] parameter(0)
        ROOT c = (f32[4,3], s32[4,3]) custom-call(x), custom_call_target=\"TopK\" }",
    );
    let got = Evaluator::new(&module).run(&[array(&io["inputs"][0], "f32[4,9]")]).unwrap();
    let want = [array(&io["outputs"][2], "f32[4,3]"), array(&io["outputs"][3], "s32[4,3]")];
    assert_eq!(got.as_tuple().unwrap(), want);
    // The sources of a cell are its row.
    let mut evaluator = Evaluator::new(&module);
    let outcome = evaluator.run_with_values(&[array(&io["inputs"][0], "f32[4,9]")]).unwrap();
    let mut tracer = evaluator.tracer(&outcome);
    let cell = CellAt::array(&[2, 1]).in_tuple(0);
    let found = tracer.sources(InstructionId(1), &cell).unwrap();
    assert_eq!(found.len(), 9);
    assert!(found.iter().all(|source| source.cell.index[0] == 2));
}
