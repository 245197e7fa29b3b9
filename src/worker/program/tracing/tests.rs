//! Chains with their exact cells: within a computation, across calls and loops, and across devices.

use super::*;
use crate::array::Literal;
use crate::hlo::{Outcome, SimulatedDevices, parse};

/// A program that ran.
struct Run {
    module: crate::hlo::Module,
    devices: usize,
    arguments: Vec<Vec<Literal>>,
}

impl Run {
    fn new(text: &str, arguments: &[&[&str]]) -> Self {
        let parsed = |device: &&[&str]| device.iter().map(|text| text.parse().unwrap()).collect();
        let arguments: Vec<Vec<Literal>> = arguments.iter().map(parsed).collect();
        Self { module: parse(text).into_module().unwrap(), devices: arguments.len(), arguments }
    }

    /// Calls `trace` with tracers and the entry computation.
    fn with_tracers<T>(&self, trace: impl FnOnce(&mut Tracers, &Computation) -> T) -> T {
        let mut devices = SimulatedDevices::new(&self.module, self.devices);
        let outcomes: Vec<Outcome> = devices.run_with_values(&self.arguments).unwrap();
        let mut tracers: Tracers = outcomes
            .iter()
            .enumerate()
            .map(|(device, outcome)| (device, devices.tracer_on(device, outcome).unwrap()))
            .collect();
        trace(&mut tracers, self.module.entry_computation().unwrap())
    }

    /// The place of an instruction of the entry computation.
    fn start(&self, device: usize, name: &str, path: &[usize], index: &[i64]) -> LocatedCell {
        let entry = self.module.entry_computation().unwrap();
        let instruction = entry.iter().find(|(_, i)| i.name == name).unwrap().0;
        let cell = CellAt { path: path.iter().copied().collect(), index: index.into() };
        LocatedCell { device, path: CallPath::new(), instruction, cell }
    }

    /// A chain as text: the distance, the name, the number of each call that leads to it, and the cells.
    fn chain(&self, tracers: &mut Tracers, chain: &Chain) -> Vec<String> {
        let text = |traced: &Traced| {
            let place = &traced.place;
            let values = tracers.get_mut(&place.device).unwrap().call_values(&place.path).unwrap();
            let computation = self.module.get(values.computation).unwrap();
            let name = &computation.get(place.id).unwrap().name;
            let ordinals: Vec<String> = place.path.iter().map(|(_, nth)| format!("@{nth}")).collect();
            let device = if self.devices > 1 { format!("#{}", place.device) } else { String::new() };
            let cells: Vec<String> = traced
                .cells
                .iter()
                .map(|cell| {
                    let path: Vec<String> = cell.path.iter().map(|element| format!(".{element}")).collect();
                    format!("{}{:?}", path.concat(), cell.index.to_vec())
                })
                .collect();
            format!("{} {name}{}{device} {}", traced.distance, ordinals.concat(), cells.join(" "))
        };
        chain.traced.iter().map(text).collect()
    }

    /// The complete chain of a cell back to the parameters.
    fn back(&self, device: usize, name: &str, path: &[usize], index: &[i64]) -> Vec<String> {
        self.with_tracers(|tracers, _| {
            let chain = backward(tracers, &self.start(device, name, path, index));
            assert!(chain.is_complete);
            self.chain(tracers, &chain)
        })
    }

    /// The complete chain of the cells that are computed from a cell.
    fn on(&self, device: usize, name: &str, index: &[i64]) -> Vec<String> {
        self.with_tracers(|tracers, entry| {
            let chain = forward(tracers, entry, &self.start(device, name, &[], index));
            assert!(chain.is_complete);
            self.chain(tracers, &chain)
        })
    }
}

#[test]
fn a_chain_leads_back_to_the_parameter_and_on_to_the_result() {
    let run = Run::new(
        "HloModule m ENTRY e {
            x = f32[2,2] parameter(0)
            y = f32[2,2] transpose(x), dimensions={1,0}
            z = f32[1,2] slice(y), slice={[0:1],[0:2]}
            s = f32[2] reshape(z)
            a = f32[2] constant({1,2})
            ROOT r = f32[2] add(s, a) }",
        &[&["f32[2,2] {{1,2},{3,4}}"]],
    );
    assert_eq!(run.back(0, "r", &[], &[1]), ["1 s [1]", "1 a [1]", "2 z [0, 1]", "3 y [0, 1]", "4 x [1, 0]"]);
    assert!(run.on(0, "r", &[1]).is_empty() && run.back(0, "x", &[], &[1, 0]).is_empty());
    assert_eq!(run.on(0, "x", &[1, 0]), ["1 y [0, 1]", "2 z [0, 1]", "3 s [1]", "4 r [1]"]);
    // Nothing reads the second row of the transpose.
    assert_eq!(run.on(0, "x", &[0, 1]), ["1 y [1, 0]"]);
}

#[test]
fn a_counter_is_traced_through_its_iterations_to_its_initial_value() {
    let run = Run::new(
        "HloModule m
        c { i = s32[] parameter(0) n = s32[] constant(3) ROOT t = pred[] compare(i, n), direction=LT }
        b { j = s32[] parameter(0) one = s32[] constant(1) ROOT next = s32[] add(j, one) }
        ENTRY e { x = s32[] parameter(0) y = s32[] negate(x) ROOT w = s32[] while(y), condition=c, body=b }",
        &[&["s32[] -1"]],
    );
    // From 1 to 3 in two iterations: the bodies are the calls 1 and 3.
    assert_eq!(
        run.back(0, "w", &[], &[]),
        [
            "1 next@3 []",
            "2 j@3 []",
            "2 one@3 []",
            "3 next@1 []",
            "4 j@1 []",
            "4 one@1 []",
            "5 y []",
            "6 x []",
        ]
    );
    // Without an iteration, the result is the initial value.
    let none = Run { arguments: vec![vec!["s32[] -3".parse().unwrap()]], ..run };
    assert_eq!(none.back(0, "w", &[], &[]), ["1 y []", "2 x []"]);
}

const ROWS: &str = "HloModule m
    c { p = (s32[], f32[3,2], f32[3,2]) parameter(0) i = s32[] get-tuple-element(p), index=0
      n = s32[] constant(3) ROOT t = pred[] compare(i, n), direction=LT }
    b { q = (s32[], f32[3,2], f32[3,2]) parameter(0) j = s32[] get-tuple-element(q), index=0
      out = f32[3,2] get-tuple-element(q), index=1 in = f32[3,2] get-tuple-element(q), index=2
      zero = s32[] constant(0) one = s32[] constant(1) next = s32[] add(j, one)
      row = f32[1,2] dynamic-slice(in, j, zero), dynamic_slice_sizes={1,2}
      negated = f32[1,2] negate(row)
      written = f32[3,2] dynamic-update-slice(out, negated, j, zero)
      ROOT r = (s32[], f32[3,2], f32[3,2]) tuple(next, written, in) }
    ENTRY e { x = f32[3,2] parameter(0) start = s32[] constant(0) empty = f32[3,2] constant({{0,0},{0,0},{0,0}})
      s = (s32[], f32[3,2], f32[3,2]) tuple(start, empty, x)
      w = (s32[], f32[3,2], f32[3,2]) while(s), condition=c, body=b
      ROOT y = f32[3,2] get-tuple-element(w), index=1 }";

#[test]
fn a_row_is_traced_to_the_iteration_that_wrote_it() {
    let run = Run::new(ROWS, &[&["f32[3,2] {{1,2},{3,4},{5,6}}"]]);
    // Row 1 is written in the second iteration, call 3, and kept by the third, call 5. The rows that were never read are not in
    // the chain; the counter is, since it decides which row is written.
    assert_eq!(
        run.back(0, "y", &[], &[1, 0]),
        [
            "1 w .1[1, 0]",
            "2 r@5 .1[1, 0]",
            "3 written@5 [1, 0]",
            "4 j@5 []",
            "4 out@5 [1, 0]",
            "4 zero@5 []",
            "5 q@5 .1[1, 0] .0[]",
            "6 r@3 .1[1, 0] .0[]",
            "7 next@3 []",
            "7 written@3 [1, 0]",
            "8 j@3 []",
            "8 zero@3 []",
            "8 one@3 []",
            "8 negated@3 [0, 0]",
            "9 q@3 .2[1, 0] .0[]",
            "9 row@3 [0, 0]",
            "10 r@1 .2[1, 0] .0[]",
            "10 in@3 [1, 0]",
            "11 in@1 [1, 0]",
            "11 next@1 []",
            "12 q@1 .2[1, 0] .0[]",
            "12 j@1 []",
            "12 one@1 []",
            "13 s .2[1, 0] .0[]",
            "14 x [1, 0]",
            "14 start []",
        ]
    );
}

#[test]
fn nested_loops_are_traced_in_both() {
    let run = Run::new(
        "HloModule m
        ic { a = s32[] parameter(0) five = s32[] constant(5) ROOT t = pred[] compare(a, five), direction=LT }
        ib { d = s32[] parameter(0) ROOT twice = s32[] add(d, d) }
        oc { g = s32[] parameter(0) twenty = s32[] constant(20) ROOT t = pred[] compare(g, twenty), direction=LT }
        ob { h = s32[] parameter(0) inner = s32[] while(h), condition=ic, body=ib
          ten = s32[] constant(10) ROOT next = s32[] add(inner, ten) }
        ENTRY e { x = s32[] parameter(0) ROOT w = s32[] while(x), condition=oc, body=ob }",
        &[&["s32[] 2"]],
    );
    // 2, inner 4, 8, 18; then inner none, 28.
    assert_eq!(
        run.back(0, "w", &[], &[]),
        [
            "1 next@3 []",
            "2 inner@3 []",
            "2 ten@3 []",
            "3 h@3 []",
            "4 next@1 []",
            "5 inner@1 []",
            "5 ten@1 []",
            "6 twice@1@3 []",
            "7 d@1@3 []",
            "8 twice@1@1 []",
            "9 d@1@1 []",
            "10 h@1 []",
            "11 x []",
        ]
    );
}

#[test]
fn the_taken_branch_of_each_iteration_is_traced() {
    let run = Run::new(
        "HloModule m
        c { a = s32[] parameter(0) ten = s32[] constant(10) ROOT t = pred[] compare(a, ten), direction=LT }
        up { u = s32[] parameter(0) one = s32[] constant(1) ROOT more = s32[] add(u, one) }
        twice { v = s32[] parameter(0) ROOT double = s32[] add(v, v) }
        b { d = s32[] parameter(0) four = s32[] constant(4) p = pred[] compare(d, four), direction=LT
          ROOT r = s32[] conditional(p, d, d), true_computation=up, false_computation=twice }
        ENTRY e { x = s32[] parameter(0) ROOT w = s32[] while(x), condition=c, body=b }",
        &[&["s32[] 3"]],
    );
    // 3 + 1 is 4, twice 4 is 8, twice 8 is 16.
    assert_eq!(
        run.back(0, "w", &[], &[]),
        [
            "1 r@5 []",
            "2 p@5 []",
            "2 double@5@0 []",
            "3 d@5 []",
            "3 four@5 []",
            "3 v@5@0 []",
            "4 r@3 []",
            "5 p@3 []",
            "5 double@3@0 []",
            "6 d@3 []",
            "6 four@3 []",
            "6 v@3@0 []",
            "7 r@1 []",
            "8 p@1 []",
            "8 more@1@0 []",
            "9 d@1 []",
            "9 four@1 []",
            "9 u@1@0 []",
            "9 one@1@0 []",
            "10 x []",
        ]
    );
}

#[test]
fn calls_and_fusions_are_entered() {
    let run = Run::new(
        "HloModule m
        f { p = f32[2] parameter(0) q = f32[2] parameter(1) ROOT s = f32[2] subtract(q, p) }
        g { t = f32[2] parameter(0) ROOT u = f32[2] reverse(t), dimensions={0} }
        ENTRY e { x = f32[2] parameter(0) y = f32[2] parameter(1)
          z = f32[2] fusion(x, y), kind=kLoop, calls=f ROOT r = f32[2] call(z), to_apply=g }",
        &[&["f32[2] {1,2}", "f32[2] {3,4}"]],
    );
    assert_eq!(
        run.back(0, "r", &[], &[0]),
        ["1 u@0 [0]", "2 t@0 [1]", "3 z [1]", "4 s@0 [1]", "5 p@0 [1]", "5 q@0 [1]", "6 x [1]", "6 y [1]",]
    );
}

#[test]
fn a_collective_leads_to_the_other_devices_and_from_them() {
    let text = "HloModule m
        add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
        ENTRY e { x = f32[2] parameter(0) n = f32[2] negate(x)
          s = f32[2] all-reduce(n), replica_groups={}, to_apply=add
          ROOT r = f32[2] collective-permute(s), source_target_pairs={{0,1},{1,0}} }";
    let run = Run::new(text, &[&["f32[2] {1,2}"], &["f32[2] {3,4}"]]);
    assert_eq!(
        run.back(1, "r", &[], &[0]),
        ["1 s#0 [0]", "2 n#0 [0]", "2 n#1 [0]", "3 x#0 [0]", "3 x#1 [0]"]
    );
    assert_eq!(run.on(0, "x", &[1]), ["1 n#0 [1]", "2 s#0 [1]", "2 s#1 [1]", "3 r#0 [1]", "3 r#1 [1]"]);
}

#[test]
fn a_collective_in_a_loop_leads_to_the_same_iteration_of_the_other_device() {
    let text = "HloModule m
        add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
        c { p = (s32[], f32[]) parameter(0) i = s32[] get-tuple-element(p), index=0
          n = s32[] constant(2) ROOT t = pred[] compare(i, n), direction=LT }
        b { q = (s32[], f32[]) parameter(0) j = s32[] get-tuple-element(q), index=0
          v = f32[] get-tuple-element(q), index=1 one = s32[] constant(1) k = s32[] add(j, one)
          sum = f32[] all-reduce(v), replica_groups={}, to_apply=add ROOT r = (s32[], f32[]) tuple(k, sum) }
        ENTRY e { x = f32[] parameter(0) z = s32[] constant(0) s = (s32[], f32[]) tuple(z, x)
          w = (s32[], f32[]) while(s), condition=c, body=b ROOT y = f32[] get-tuple-element(w), index=1 }";
    let run = Run::new(text, &[&["f32[] 1"], &["f32[] 2"]]);
    let found = run.back(1, "y", &[], &[]);
    assert_eq!(found[..4], ["1 w#1 .1[]", "2 r@3#1 .1[]", "3 sum@3#1 []", "4 v@3#0 []"]);
    assert_eq!(found[found.len() - 2..], ["11 x#0 []", "11 x#1 []"]);
}

#[test]
fn a_long_chain_is_truncated() {
    let text = "HloModule m
        c { i = s32[] parameter(0) n = s32[] constant(9000) ROOT t = pred[] compare(i, n), direction=LT }
        b { j = s32[] parameter(0) one = s32[] constant(1) ROOT next = s32[] add(j, one) }
        ENTRY e { x = s32[] parameter(0) ROOT w = s32[] while(x), condition=c, body=b }";
    let run = Run::new(text, &[&["s32[] 0"]]);
    run.with_tracers(|tracers, _| {
        let chain = backward(tracers, &run.start(0, "w", &[], &[]));
        let cells: usize = chain.traced.iter().map(|traced| traced.cells.len()).sum();
        assert!(!chain.is_complete && (MAX_CELLS..MAX_CELLS + 2).contains(&cells), "{cells}");
    });
}

/// Reruns for an early iteration do not see the later ones.
#[test]
fn the_result_of_a_loop_comes_from_its_last_iteration_whatever_was_asked_before() {
    let run = Run::new(
        "HloModule m
        condition { c = s32[] parameter(0) l = s32[] constant(5) ROOT t = pred[] compare(c, l), direction=LT }
        body { b = s32[] parameter(0) o = s32[] constant(1) ROOT n = s32[] add(b, o) }
        ENTRY e { z = s32[] constant(0) ROOT w = s32[] while(z), condition=condition, body=body }",
        &[&[]],
    );
    run.with_tracers(|tracers, _| {
        let start = run.start(0, "w", &[], &[]);
        // The calls alternate between condition and body: this is the first of the body.
        let first: CallPath = [(start.instruction, 1)].into_iter().collect();
        tracers.get_mut(&0).unwrap().call_values(&first).unwrap();
        let last = tracers.get_mut(&0).unwrap().step_back(&start).unwrap();
        assert_eq!(
            last.iter().map(|cell| cell.path.to_vec()).collect::<Vec<_>>(),
            [[(start.instruction, 9)]]
        );
    });
}
