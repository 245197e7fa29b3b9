//! *Operation Semantics*, "`CrossReplicaSum`".

use serde_json::{Value, json};

use super::{TextFile, terminal};

const SUM: &str = "HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }
ENTRY e { x = f32[2] parameter(0) ROOT r = f32[2] all-reduce(x), replica_groups={}, to_apply=add }";

fn evaluated(text: &str, args: &[&str]) -> (i32, String, String) {
    let file = TextFile::new("replicas.hlo", text);
    terminal(&[&["eval", file.path()], args].concat())
}

/// Row 87: the document's example, (1.0, 2.5) and (3.0, 5.1) on two replicas, in the terminal.
#[test]
fn the_terminal_runs_replicas() {
    let sets = ["--arg", "f32[2] {1.0, 2.5}", "--arg", "f32[2] {3.0, 5.1}"];
    let (code, out, err) = evaluated(SUM, &[&["--replicas", "2"], &sets[..]].concat());
    let expected = "replica 0: f32[2]{0} {4, 7.6}\nreplica 1: f32[2]{0} {4, 7.6}\n";
    assert_eq!((code, out.as_str(), err.as_str()), (0, expected, ""));
    // One set for all.
    let (_, out, _) = evaluated(SUM, &["--replicas", "3", "--arg", "f32[2] {1, 2}", "--json"]);
    let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let result = json!({"shape": "f32[2]{0}", "values": [3, 6]});
    let expected: Vec<Value> = (0..3).map(|replica| json!({"replica": replica, "result": result})).collect();
    assert_eq!(lines, expected);
}

/// Row 87: each replica has its own queues, and an error says which replica it is of.
#[test]
fn replicas_have_queues_of_their_own() {
    let text = "HloModule m ENTRY e { k = token[] after-all() i = (s32[], token[]) infeed(k)
        v = s32[] get-tuple-element(i), index=0 l = token[] get-tuple-element(i), index=1
        id = u32[] replica-id() n = s32[] convert(id) s = add(v, n)
        o = token[] outfeed(s, l), outfeed_shape=s32[] ROOT r = negate(s) }";
    let (code, out, err) = evaluated(text, &["--replicas", "2", "--infeed", "s32[] 7"]);
    let expected =
        "replica 0: s32[] -7\nreplica 0: outfeed s32[] 7\nreplica 1: s32[] -8\nreplica 1: outfeed s32[] 8\n";
    assert_eq!((code, out.as_str(), err.as_str()), (0, expected, ""));
    let (code, out, err) = evaluated(text, &["--replicas", "2"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("--infeed"), "{err}");
    let sets = ["--arg", "f32[2] {1, 2}", "--arg", "f32[3] {1, 2, 3}"];
    let (code, _, err) = evaluated(SUM, &[&["--replicas", "2"], &sets[..]].concat());
    assert!(code == 2 && err.contains("replica 1: parameter 0 of e is f32[2]"), "{err}");
}

/// Row 87: wrong numbers are rejected.
#[test]
fn wrong_numbers_of_replicas_and_arguments_are_rejected() {
    for count in ["0", "1025", "two", "-1"] {
        let (code, _, err) = evaluated(SUM, &["--replicas", count]);
        assert_eq!(code, 2, "{count}: {err}");
    }
    let three: Vec<&str> = ["--arg", "f32[2] {1, 2}"].repeat(3);
    let (code, _, err) = evaluated(SUM, &[&["--replicas", "2"], &three[..]].concat());
    let said = "3 arguments are given, but 1 are needed for all replicas together, or 2 for one set each";
    assert!(code == 2 && err.contains(said) && err.contains("hint: "), "{err}");
    assert_eq!(evaluated(SUM, &["--replicas", "2", "--trace", "--arg", "f32[2] {1, 2}"]).0, 2);
}
