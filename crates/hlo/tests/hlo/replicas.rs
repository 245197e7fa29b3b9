//! Several devices: every collective against an oracle, deadlocks, and provenance across devices.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use std::ops::ControlFlow;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use xla_array::{ArrayLiteral, ArrayShape, ElementType, Literal, Value};
use xla_hlo::{Evaluator, Frame, Host, InstructionId, Module, Observer, SimulatedDevices, parse};
use xla_ops::{CellAt, Data};

const ADD: &str = "add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = add(a, b) }";

fn module(text: &str) -> Module {
    parse(text).into_module().unwrap_or_else(|d| panic!("{d} in {text}"))
}

fn literal(text: &str) -> Literal {
    text.parse().unwrap()
}

/// A module with one parameter `x` of this many numbers.
fn module_of_x(size: usize, instructions: &str) -> Module {
    module(&format!("HloModule m\n{ADD}\nENTRY e {{ x = s32[{size}] parameter(0)\n{instructions} }}"))
}

fn numbers(values: &[i64]) -> Literal {
    let shape = ArrayShape::new(ElementType::S32, [i64::try_from(values.len()).unwrap()]);
    ArrayLiteral::from_values(shape, values.iter().map(|n| Value::Int(*n))).unwrap().into()
}

fn flat(literal: &Literal) -> Vec<i64> {
    match literal {
        Literal::Tuple(elements) => elements.iter().flat_map(flat).collect(),
        Literal::Array(array) => {
            let number = |value| match value {
                Value::Int(n) => n,
                Value::Uint(n) => i64::try_from(n).unwrap(),
                other => panic!("{other:?}"),
            };
            array.values().map(number).collect()
        }
        Literal::Token => Vec::new(),
    }
}

/// The argument of a device: numbers that identify device and position.
fn argument(device: usize, size: usize) -> Vec<i64> {
    let device = i64::try_from(device).unwrap();
    (0..).map(|i| 100 * (device + 1) + i * i).take(size).collect()
}

fn run(module: &Module, devices: usize, partitions: usize, size: usize) -> Vec<Vec<i64>> {
    let arguments: Vec<Vec<Literal>> = (0..devices).map(|d| vec![numbers(&argument(d, size))]).collect();
    let mut replicas = SimulatedDevices::partitioned(module, devices / partitions, partitions);
    replicas.run(&arguments).unwrap_or_else(|e| panic!("{e}")).iter().map(flat).collect()
}

fn sums(group: &[usize], size: usize) -> Vec<i64> {
    (0..size).map(|i| group.iter().map(|d| argument(*d, size)[i]).sum()).collect()
}

#[test]
fn the_documents_sum_across_two_replicas() {
    let module = module(
        "HloModule m add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }
        ENTRY e { x = f32[2] parameter(0) ROOT r = f32[2] all-reduce(x), replica_groups={}, to_apply=add }",
    );
    let arguments = [vec![literal("f32[2] {1.0, 2.5}")], vec![literal("f32[2] {3.0, 5.1}")]];
    for result in SimulatedDevices::new(&module, 2).run(&arguments).unwrap() {
        assert_eq!(result, literal("f32[2] {4.0, 7.6}"));
    }
}

#[test]
fn every_collective_matches_a_plain_loop() {
    for n in 2..=8_usize {
        let devices: Vec<usize> = (0..n).collect();
        let size = 2 * n;
        let group = devices.iter().map(usize::to_string).collect::<Vec<_>>().join(",");

        let got = run(
            &module_of_x(
                size,
                &format!("ROOT r = s32[{size}] all-reduce(x), replica_groups={{}}, to_apply=add"),
            ),
            n,
            1,
            size,
        );
        assert_eq!(got, vec![sums(&devices, size); n]);

        let gather = format!(
            "ROOT r = s32[{}] all-gather(x), replica_groups=[1,{n}]<=[{n}], dimensions={{0}}",
            n * size
        );
        let got = run(&module_of_x(size, &gather), n, 1, size);
        let joined: Vec<i64> = devices.iter().flat_map(|d| argument(*d, size)).collect();
        assert_eq!(got, vec![joined; n]);

        let scatter = format!(
            "ROOT r = s32[2] reduce-scatter(x), replica_groups={{{{{group}}}}}, dimensions={{0}}, to_apply=add"
        );
        let got = run(&module_of_x(size, &scatter), n, 1, size);
        let whole = sums(&devices, size);
        assert_eq!(got, whole.chunks(2).map(<[i64]>::to_vec).collect::<Vec<_>>());

        let exchanged = |d: usize| -> Vec<i64> {
            devices.iter().flat_map(|from| argument(*from, size)[2 * d..2 * d + 2].to_vec()).collect()
        };
        let want: Vec<Vec<i64>> = devices.iter().map(|d| exchanged(*d)).collect();
        let array = format!("ROOT r = s32[{size}] all-to-all(x), replica_groups={{}}, dimensions={{0}}");
        assert_eq!(run(&module_of_x(size, &array), n, 1, size), want);

        let part = |d: &usize| format!("p{d} = s32[2] slice(x), slice={{[{}:{}]}}", 2 * d, 2 * d + 2);
        let parts = devices.iter().map(part).collect::<Vec<_>>().join("\n");
        let names = devices.iter().map(|d| format!("p{d}")).collect::<Vec<_>>().join(", ");
        let shapes = vec!["s32[2]"; n].join(", ");
        let tuple =
            format!("{parts}\nROOT r = ({shapes}) all-to-all({names}), replica_groups={{{{{group}}}}}");
        assert_eq!(run(&module_of_x(size, &tuple), n, 1, size), want);

        // A ring, except that no device sends to device 0.
        let pairs = (1..n).map(|d| format!("{{{},{d}}}", d - 1)).collect::<Vec<_>>().join(",");
        let permute = format!("ROOT r = s32[{size}] collective-permute(x), source_target_pairs={{{pairs}}}");
        let got = run(&module_of_x(size, &permute), n, 1, size);
        let from = |d: usize| d.checked_sub(1).map_or(vec![0; size], |from| argument(from, size));
        assert_eq!(got, devices.iter().map(|d| from(*d)).collect::<Vec<_>>());

        let last_first = devices.iter().rev().map(usize::to_string).collect::<Vec<_>>().join(",");
        let broadcast =
            format!("ROOT r = s32[{size}] collective-broadcast(x), replica_groups={{{{{last_first}}}}}");
        assert_eq!(run(&module_of_x(size, &broadcast), n, 1, size), vec![argument(n - 1, size); n]);

        let ids: Vec<Vec<i64>> = devices.iter().map(|d| vec![i64::try_from(*d).unwrap()]).collect();
        assert_eq!(run(&module_of_x(1, "ROOT r = u32[] replica-id()"), n, 1, 1), ids);
    }
}

#[test]
fn replica_groups_are_of_replicas_partitions_or_devices() {
    let size = 3;
    // Two replicas of four partitions: devices 0 to 3 and 4 to 7.
    let of = |attrs: &str| {
        let text = format!("ROOT r = s32[{size}] all-reduce(x), {attrs}, to_apply=add");
        run(&module_of_x(size, &text), 8, 4, size)
    };
    let want = |groups: &[&[usize]]| -> Vec<Vec<i64>> {
        let group = |d: usize| groups.iter().find(|group| group.contains(&d)).unwrap();
        (0..8).map(|d| sums(group(d), size)).collect()
    };
    // Groups of replicas: each partition with the same partition of the other replica.
    assert_eq!(of("replica_groups={{0,1}}"), want(&[&[0, 4], &[1, 5], &[2, 6], &[3, 7]]));
    assert_eq!(of("replica_groups={}"), want(&[&[0, 4], &[1, 5], &[2, 6], &[3, 7]]));
    // Groups of replicas with all their partitions.
    assert_eq!(of("channel_id=1, replica_groups={{0},{1}}"), want(&[&[0, 1, 2, 3], &[4, 5, 6, 7]]));
    // Groups of devices, also in iota form.
    let devices =
        |groups: &str| of(&format!("channel_id=1, replica_groups={groups}, use_global_device_ids=true"));
    assert_eq!(devices("[2,4]<=[8]"), want(&[&[0, 1, 2, 3], &[4, 5, 6, 7]]));
    assert_eq!(devices("[4,2]<=[2,4]T(1,0)"), want(&[&[0, 4], &[1, 5], &[2, 6], &[3, 7]]));
    assert_eq!(devices("{{0,7},{1,6,5},{2,3,4}}"), want(&[&[0, 7], &[1, 6, 5], &[2, 3, 4]]));
    // Groups of partitions: with a channel, without use_global_device_ids.
    let text = format!(
        "ROOT r = s32[{size}] collective-permute(x), channel_id=1, source_target_pairs={{{{0,3}},{{3,0}}}}"
    );
    let got = run(&module_of_x(size, &text), 8, 4, size);
    assert_eq!([&got[3], &got[4], &got[1]], [&argument(0, size), &argument(7, size), &vec![0; size]]);
    let ids = run(&module_of_x(1, "ROOT r = u32[] partition-id()"), 8, 4, 1);
    assert_eq!(ids.concat(), [0, 1, 2, 3, 0, 1, 2, 3]);
}

#[test]
fn several_operands_and_asynchronous_pairs_match_the_op() {
    let text = "y = s32[2] add(x, x)
        s = (s32[2], s32[2]) all-reduce-start(x, y), replica_groups={{1,0}}, to_apply=add
        d = (s32[2], s32[2]) all-reduce-done(s)
        g = (s32[2], s32[4]) all-gather-start(x), replica_groups={{0,1}}, dimensions={0}
        h = s32[4] all-gather-done(g)
        p = (s32[2], s32[2], u32[], u32[]) collective-permute-start(x), source_target_pairs={{0,1},{1,0}}
        q = s32[2] collective-permute-done(p)
        t = ((s32[2]), s32[2], u32[]) all-to-all-start(x), replica_groups={{0,1}}, dimensions={0}
        u = s32[2] all-to-all-done(t)
        ROOT r = tuple(d, h, q, u)";
    let got = run(&module_of_x(2, text), 2, 1, 2);
    assert_eq!(got[0], [300, 302, 600, 604, 100, 101, 200, 201, 200, 201, 100, 200]);
    assert_eq!(got[1], [300, 302, 600, 604, 100, 101, 200, 201, 100, 101, 101, 201]);
}

#[test]
fn ragged_all_to_all_moves_rows_by_offsets_and_sizes() {
    let module = module(
        "HloModule m ENTRY e { x = s32[4] parameter(0) y = s32[6] parameter(1)
          from = s32[2] parameter(2) sizes = s32[2] parameter(3) to = s32[2] parameter(4) got = s32[2] parameter(5)
          ROOT r = s32[6] ragged-all-to-all(x, y, from, sizes, to, got), replica_groups={{0,1}} }",
    );
    let of = |rows: &[i64], from: &[i64], sizes: &[i64], to: &[i64], got: &[i64]| {
        vec![numbers(rows), numbers(&[-1; 6]), numbers(from), numbers(sizes), numbers(to), numbers(got)]
    };
    let arguments = [
        of(&[10, 11, 12, 13], &[0, 1], &[1, 3], &[0, 0], &[1, 2]),
        of(&[20, 21, 22, 23], &[0, 2], &[2, 1], &[1, 3], &[3, 1]),
    ];
    let got: Vec<Vec<i64>> =
        SimulatedDevices::new(&module, 2).run(&arguments).unwrap().iter().map(flat).collect();
    assert_eq!(got, [[10, 20, 21, -1, -1, -1], [11, 12, 13, 22, -1, -1]]);
}

const LOOP: &str = "HloModule m
    add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = add(a, b) }
    body { s = (s32[], s32[], s32[2]) parameter(0)
      i = s32[] get-tuple-element(s), index=0 n = s32[] get-tuple-element(s), index=1
      v = s32[2] get-tuple-element(s), index=2
      one = s32[] constant(1) j = add(i, one)
      sum = s32[2] all-reduce(v), replica_groups={}, to_apply=add
      ROOT t = tuple(j, n, sum) }
    condition { s = (s32[], s32[], s32[2]) parameter(0)
      i = s32[] get-tuple-element(s), index=0 n = s32[] get-tuple-element(s), index=1
      ROOT c = compare(i, n), direction=LT }
    ENTRY e { n = s32[] parameter(0) v = s32[2] parameter(1) z = s32[] constant(0)
      s = tuple(z, n, v) w = while(s), condition=condition, body=body
      ROOT r = s32[2] get-tuple-element(w), index=2 }";

fn of_loop(counts: [i64; 2]) -> [Vec<Literal>; 2] {
    let scalar = |n: i64| Literal::scalar(ElementType::S32, Value::Int(n)).unwrap();
    [vec![scalar(counts[0]), numbers(&[1, 2])], vec![scalar(counts[1]), numbers(&[10, 20])]]
}

#[test]
fn replicas_synchronize_in_every_iteration() {
    let module = module(LOOP);
    let got: Vec<Vec<i64>> =
        SimulatedDevices::new(&module, 2).run(&of_loop([3, 3])).unwrap().iter().map(flat).collect();
    assert_eq!(got, [[44, 88], [44, 88]]);
}

#[test]
fn a_blocked_replica_is_reported_by_name() {
    let module = module(LOOP);
    // As XLA's documentation warns: one device has more iterations than the other.
    let mut replicas = SimulatedDevices::new(&module, 2);
    let error = replicas.run(&of_loop([3, 2])).unwrap_err();
    assert_eq!(error.error.error.rule, "waiting");
    let text = error.to_string();
    assert!(text.contains("on device 0 sum waits for device 1; device 1 has finished"), "{text}");
    let arguments = of_loop([2, 4]);
    let polled = {
        let run = pin!(replicas.run_async(&arguments));
        Future::poll(run, &mut Context::from_waker(Waker::noop()))
    };
    let Poll::Ready(Err(error)) = polled else { panic!("waits forever") };
    assert!(
        error.to_string().contains("device 0 has finished; on device 1 sum waits for device 0"),
        "{error}"
    );
    // The replicas can run again after a deadlock.
    assert!(replicas.run(&of_loop([1, 1])).is_ok());
}

#[test]
fn replicas_that_wait_at_different_collectives_are_reported() {
    let text = format!(
        "HloModule m {ADD}
        left {{ x = s32[2] parameter(0) ROOT here = s32[2] all-reduce(x), replica_groups={{}}, to_apply=add }}
        right {{ x = s32[2] parameter(0) ROOT there = s32[4] all-gather(x), replica_groups={{}}, dimensions={{0}} }}
        right2 {{ x = s32[2] parameter(0) y = s32[4] call(x), to_apply=right ROOT z = s32[2] slice(y), slice={{[0:2]}} }}
        ENTRY e {{ x = s32[2] parameter(0) id = u32[] replica-id() i = s32[] convert(id)
          ROOT r = s32[2] conditional(i, x, x), branch_computations={{left, right2}} }}"
    );
    let arguments = [vec![numbers(&[1, 2])], vec![numbers(&[3, 4])]];
    let error = SimulatedDevices::new(&module(&text), 2).run(&arguments).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("on device 0 here waits for device 1; on device 1 there waits for device 0"),
        "{text}"
    );
}

#[test]
fn mismatches_with_the_devices_are_reported_before_the_run() {
    let rule = |text: &str, n: usize| {
        let module = module_of_x(4, text);
        let arguments = vec![vec![numbers(&[1, 2, 3, 4])]; n];
        SimulatedDevices::new(&module, n).run(&arguments).unwrap_err().error.error.rule
    };
    let reduce = "ROOT r = s32[4] all-reduce(x), replica_groups={{0,1}}, to_apply=add";
    assert_eq!(rule(reduce, 3), "replicas");
    assert_eq!(rule("ROOT r = s32[8] all-gather(x), replica_groups={}, dimensions={0}", 3), "replicas");
    assert_eq!(rule("ROOT r = s32[4] all-to-all(x), replica_groups={}, dimensions={0}", 3), "replicas");
    let module = module_of_x(4, reduce);
    assert_eq!(Evaluator::new(&module).run(&[numbers(&[1, 2, 3, 4])]).unwrap_err().error.rule, "replicas");
    assert_eq!(SimulatedDevices::new(&module, 2).run(&[]).unwrap_err().error.error.rule, "replicas");
    // The error of one device is the error of the run, with the device's number.
    let arguments = [vec![numbers(&[1, 2, 3, 4])], vec![numbers(&[1])]];
    let error = SimulatedDevices::new(&module, 2).run(&arguments).unwrap_err();
    assert_eq!((error.device, error.error.error.rule), (Some(1), "arguments"));
}

fn cells(found: &[xla_hlo::DeviceSource]) -> Vec<(usize, usize, Vec<i64>)> {
    found.iter().map(|s| (s.device, s.source.operand, s.source.cell.index.to_vec())).collect()
}

#[test]
fn provenance_crosses_from_device_to_device() {
    let text = "y = s32[4] negate(x)
        t = s32[4] all-to-all(y), replica_groups={}, dimensions={0}
        ROOT p = s32[4] collective-permute(t), source_target_pairs={{0,1},{1,0}}";
    let module = module_of_x(4, text);
    let mut replicas = SimulatedDevices::new(&module, 2);
    let arguments: Vec<Vec<Literal>> = (0..2).map(|d| vec![numbers(&argument(d, 4))]).collect();
    let got = replicas.run(&arguments).unwrap();
    let outcomes = replicas.run_with_values(&arguments).unwrap();
    let mut tracer = replicas.tracer(&outcomes);
    // Cell 3 of device 0 is cell 3 of device 1 after the exchange, which is from part 1 of device 1's own array.
    let found = tracer.origins(0, InstructionId(3), &CellAt::array(&[3])).unwrap();
    assert_eq!(cells(&found), [(1, 0, vec![3])]);
    assert_eq!(flat(&got[0])[3], -argument(1, 4)[3]);
    // Cell 0 of device 0 is from part 1 of device 0's array.
    let found = tracer.origins(0, InstructionId(3), &CellAt::array(&[0])).unwrap();
    assert_eq!(cells(&found), [(0, 0, vec![2])]);
    assert_eq!(flat(&got[0])[0], -argument(0, 4)[2]);
    assert!(tracer.origins(0, InstructionId(3), &CellAt::array(&[4])).is_err());
    assert!(tracer.origins(7, InstructionId(3), &CellAt::array(&[0])).is_err());
}

#[test]
fn provenance_crosses_in_every_iteration_of_a_loop() {
    // Each iteration sends the vector around a ring and reverses it.
    let text = LOOP
        .replace("sum = s32[2] all-reduce(v), replica_groups={}, to_apply=add",
            "moved = s32[2] collective-permute(v), source_target_pairs={{0,1},{1,2},{2,0}} sum = s32[2] reverse(moved), dimensions={0}");
    let module = module(&text);
    let scalar = Literal::scalar(ElementType::S32, Value::Int(4)).unwrap();
    let arguments: Vec<Vec<Literal>> =
        (0..3).map(|d| vec![scalar.clone(), numbers(&argument(d, 2))]).collect();
    let mut replicas = SimulatedDevices::new(&module, 3);
    let got = replicas.run(&arguments).unwrap();
    let outcomes = replicas.run_with_values(&arguments).unwrap();
    let mut tracer = replicas.tracer(&outcomes);
    let root = module.entry_computation().unwrap().root.unwrap();
    for (device, got) in got.iter().enumerate() {
        for (i, value) in flat(got).into_iter().enumerate() {
            let cell = CellAt::array(&[i64::try_from(i).unwrap()]);
            let found = tracer.origins(device, root, &cell).unwrap();
            // Four steps back in a ring of three, and reversed four times.
            let source_device = (device + 3 - 4 % 3) % 3;
            // The number of iterations is read from the device's own argument.
            let mut want = vec![(device, 0, vec![]), (source_device, 1, cell.index.to_vec())];
            want.sort();
            assert_eq!(cells(&found), want);
            assert_eq!(value, argument(source_device, 2)[i]);
        }
    }
}

#[test]
fn channels_and_their_provenance_connect_replicas() {
    // Replica 0 sends, replica 1 receives.
    let module = module(
        "HloModule m
        sends { x = s32[2] parameter(0) t = token[] after-all()
          s = (s32[2], u32[], token[]) send(x, t), channel_id=1
          d = token[] send-done(s), channel_id=1
          ROOT r = s32[2] add-dependency(x, d) }
        receives { x = s32[2] parameter(0) t = token[] after-all()
          w = (s32[2], u32[], token[]) recv(t), channel_id=1
          d = (s32[2], token[]) recv-done(w), channel_id=1
          g = s32[2] get-tuple-element(d), index=0
          ROOT r = s32[2] reverse(g), dimensions={0} }
        ENTRY e { x = s32[2] parameter(0) id = u32[] replica-id() i = s32[] convert(id)
          ROOT r = s32[2] conditional(i, x, x), branch_computations={sends, receives} }",
    );
    let arguments: Vec<Vec<Literal>> = (0..2).map(|d| vec![numbers(&argument(d, 2))]).collect();
    let mut replicas = SimulatedDevices::new(&module, 2);
    let got: Vec<Vec<i64>> = replicas.run(&arguments).unwrap().iter().map(flat).collect();
    let outcomes = replicas.run_with_values(&arguments).unwrap();
    let mut tracer = replicas.tracer(&outcomes);
    assert_eq!(got, [[100, 101], [101, 100]]);
    let found = tracer.origins(1, InstructionId(3), &CellAt::array(&[0])).unwrap();
    assert_eq!(cells(&found), [(0, 0, vec![1])]);
}

#[test]
fn each_replica_has_its_own_queues() {
    let text = format!(
        "HloModule m {ADD} ENTRY e {{ t = token[] after-all() f = (s32[2], token[]) infeed(t)
          x = s32[2] get-tuple-element(f), index=0
          ROOT r = s32[2] all-reduce(x), replica_groups={{}}, to_apply=add }}"
    );
    let module = module(&text);
    let hosts = [Host::default(), Host::default()];
    let mut replicas = SimulatedDevices::new(&module, 2).host(0, &hosts[0]).host(1, &hosts[1]);
    hosts[0].infeed().push(numbers(&[1, 2]));
    let arguments = [Vec::new(), Vec::new()];
    let error = replicas.run(&arguments).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("on device 0 r waits for device 1; on device 1 f waits for an infeed item"),
        "{text}"
    );
    hosts[0].infeed().push(numbers(&[1, 2]));
    let mut run = pin!(replicas.run_async(&arguments));
    let mut context = Context::from_waker(Waker::noop());
    assert!(Future::poll(run.as_mut(), &mut context).is_pending());
    hosts[1].infeed().push(numbers(&[10, 20]));
    let Poll::Ready(got) = Future::poll(run.as_mut(), &mut context) else { panic!("still waiting") };
    assert_eq!(got.unwrap().iter().map(flat).collect::<Vec<_>>(), [[11, 22], [11, 22]]);
}

/// Counts the observed values.
struct ValueCounter(usize);

impl Observer for ValueCounter {
    fn value(&mut self, _: Frame, _: InstructionId, _: &Data) -> ControlFlow<()> {
        self.0 += 1;
        ControlFlow::Continue(())
    }
}

#[test]
fn observing_one_replica_changes_no_result() {
    let text = "unused = s32[2] all-reduce(x), replica_groups={}, to_apply=add
        also = s32[2] negate(unused)
        seen = s32[2] negate(x)
        ROOT r = s32[2] all-reduce(x), replica_groups={}, to_apply=add";
    let module = module_of_x(2, text);
    let mut counter = ValueCounter(0);
    let mut replicas = SimulatedDevices::new(&module, 2).observer(0, &mut counter);
    let got = replicas.run(&[vec![numbers(&[1, 2])], vec![numbers(&[3, 4])]]).unwrap();
    assert_eq!(got.iter().map(flat).collect::<Vec<_>>(), [[4, 6], [4, 6]]);
    drop(replicas);
    assert_eq!(counter.0, 3);
}
