//! Mutated modules of ops that use host or devices: none may panic, overflow or wait forever.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use xla_array::Literal;
use xla_hlo::{Limits, SimulatedDevices, parse};
use xla_ops::CellAt;

const ADD: &str = "add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = add(a, b) }";

#[test]
fn broken_modules_are_reported_or_run() {
    let texts = [
        "ROOT r = s32[4] all-reduce(x), replica_groups={{0,1}}, to_apply=add",
        "ROOT r = s32[8] all-gather(x), replica_groups=[1,2]<=[2], dimensions={0}",
        "ROOT r = s32[2] reduce-scatter(x), replica_groups={{0,1}}, dimensions={0}, to_apply=add",
        "ROOT r = s32[4] all-to-all(x), channel_id=1, replica_groups={}, dimensions={0}",
        "ROOT r = (s32[4], s32[4]) all-to-all(x, x), replica_groups={{0,1}}",
        "ROOT r = s32[4] collective-permute(x), source_target_pairs={{0,1},{1,0}}",
        "ROOT r = s32[4] collective-broadcast(x), replica_groups=[1,2]<=[2]T(0)",
        "ROOT r = s32[4] ragged-all-to-all(x, x, x, x, x, x), replica_groups={{0,1}}",
        "s = ((s32[4]), s32[4], u32[]) negate-start(x) ROOT r = s32[4] negate-done(s)",
        "g = (s32[4], s32[8]) all-gather-start(x), replica_groups={{0,1}}, dimensions={0} ROOT h = s32[8] all-gather-done(g)",
        "t = token[] after-all() s = (s32[4], u32[], token[]) send(x, t), channel_id=1 w = (s32[4], u32[], token[]) recv(t), channel_id=1
         d = token[] send-done(s), channel_id=1 ROOT g = (s32[4], token[]) recv-done(w), channel_id=1",
        "t = token[] after-all() i = ((), token[]) infeed(t) k = token[] get-tuple-element(i), index=1
         o = token[] outfeed(x, k), outfeed_shape=s32[4]{0}
         ROOT r = (s32[2], s32[2]) custom-call(x), custom_call_target=\"TopK\"",
    ];
    let fragments = [
        "0", "1", "2", "3", "9", "-1", "[", "]", "{", "}", ",", "s32[0]", "f32[]", "token[]", "x", "(", ")",
        "{}",
    ];
    let limits = Limits { steps: 20_000, bytes: 4 << 20 };
    let argument: Literal = "s32[4] {1, 2, 0, 3}".parse().unwrap();
    let (mut seed, mut runs) = (1_u64, 0);
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    for text in texts {
        for _ in 0..250 {
            let mut words: Vec<String> = Vec::new();
            for c in text.chars() {
                match words.last_mut() {
                    Some(word) if c.is_alphanumeric() && word.ends_with(char::is_alphanumeric) => {
                        word.push(c);
                    }
                    _ => words.push(c.to_string()),
                }
            }
            for _ in 0..=random(2) {
                let at = random(words.len());
                match random(3) {
                    0 => words[at] = fragments[random(fragments.len())].to_owned(),
                    1 => words.insert(at, fragments[random(fragments.len())].to_owned()),
                    _ => drop(words.remove(at)),
                }
            }
            let parsed = parse(&format!(
                "HloModule m\n{ADD}\nENTRY e {{ x = s32[4] parameter(0)\n{} }}",
                words.concat()
            ));
            if parsed.error().is_some() {
                continue;
            }
            for n in 1..=3 {
                let mut replicas = SimulatedDevices::new(&parsed.module, n).limits(limits);
                let arguments = vec![vec![argument.clone()]; n];
                if let Ok(results) = replicas.run(&arguments) {
                    runs += 1;
                    let root = parsed.module.entry_computation().unwrap().root.unwrap();
                    if let Literal::Array(array) = &results[0] {
                        let cell = CellAt::array(&vec![0; array.shape().rank()]);
                        let outcomes = replicas.run_with_values(&arguments).unwrap();
                        let _ = replicas.tracer(&outcomes).origins(0, root, &cell);
                    }
                }
            }
        }
    }
    assert!(runs > 200, "only {runs}");
}
