//! "Infeed": in 2017 without tokens.

use serde_json::{Value, json};
use xla_playground::array::Shape;
use xla_playground::hlo::{ComputationBuilder, Evaluator, Host};

use super::{TextFile, V2017, gives, is, rejected, terminal};

#[test]
fn an_infeed_of_2017_has_no_token() {
    assert_eq!(gives(V2017, "ROOT r = () infeed()"), is("() ( )"));
    let tokens = "t = token[] after-all() ROOT r = (f32[2], token[]) infeed(t)";
    assert_eq!(rejected(tokens).rule, "edition-op");
    let b = ComputationBuilder::with_edition("e", V2017);
    b.infeed(&"f32[2]{0}".parse::<Shape>().unwrap(), "").unwrap();
    let module = b.build().unwrap();
    let host = Host::default();
    host.infeed().push("f32[2] {3, 4}".parse().unwrap());
    let result = Evaluator::new(&module).edition(V2017).host(&host).run(&[]).unwrap();
    assert_eq!(result.to_string(), "{3, 4}");
}

/// The document's example in brief: an infeed in each of two loops, which takes values until one is negative.
const LOOPS: &str = "HloModule m
c { t = (s32[], token[]) parameter(0) n = s32[] get-tuple-element(t), index=0 z = s32[] constant(0)
    ROOT p = compare(n, z), direction=GT }
b { t = (s32[], token[]) parameter(0) k = token[] get-tuple-element(t), index=1
    i = (s32[], token[]) infeed(k) v = s32[] get-tuple-element(i), index=0 l = token[] get-tuple-element(i), index=1
    ROOT r = tuple(v, l) }
ENTRY e { s = s32[] constant(1) k = token[] after-all() init = tuple(s, k)
    first = (s32[], token[]) while(init), condition=c, body=b
    l = token[] get-tuple-element(first), index=1 again = tuple(s, l)
    second = (s32[], token[]) while(again), condition=c, body=b
    n = s32[] get-tuple-element(second), index=0
    m = token[] get-tuple-element(second), index=1
    out = token[] outfeed(n, m), outfeed_shape=s32[]
    ROOT r = s32[] add(n, s) }";

fn evaluated(args: &[&str]) -> (i32, String, String) {
    let file = TextFile::new("infeed.hlo", LOOPS);
    terminal(&[&["eval", file.path()], args].concat())
}

/// Row 145: the terminal program takes infeed values and prints the outfeed.
#[test]
fn the_terminal_feeds_values_in_and_prints_what_comes_out() {
    let values = ["s32[] 3", "s32[] -1", "s32[] -5", "s32[] 9"];
    let given: Vec<&str> = values.iter().flat_map(|value| ["--infeed", value]).collect();
    let (code, out, err) = evaluated(&given);
    assert_eq!((code, out.as_str()), (0, "s32[] -4\noutfeed s32[] -5\n"), "{err}");
    assert_eq!(err, "1 infeed value was not taken\n");
    let (_, out, _) = evaluated(&[&["--json"][..], &given].concat());
    let lines: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let literal = |n: i64| json!({"shape": "s32[]", "values": [n]});
    assert_eq!(lines, [literal(-4), json!({"outfeed": [literal(-5)]})]);

    // From a file, after those of the command line.
    let rest = TextFile::new("infeed.txt", "s32[] -1\n\n{\"shape\": \"s32[]\", \"values\": [-7]}\n");
    let (code, out, err) = evaluated(&["--infeed", "s32[] 3", "--infeed-file", rest.path()]);
    assert_eq!((code, out.as_str(), err.as_str()), (0, "s32[] -6\noutfeed s32[] -7\n", ""));
}

/// Row 145: what is missing or wrong is an error that says what to do.
#[test]
fn missing_and_wrong_infeed_values_are_errors() {
    let (code, out, err) = evaluated(&["--infeed", "s32[] 3"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("the queue is empty") && err.contains("--infeed"), "{err}");
    let (code, _, err) = evaluated(&["--infeed", "s32[2] {1, 2}"]);
    assert!(code == 2 && err.contains("s32[2]"), "{err}");
    let (code, _, err) = evaluated(&["--infeed", "s32[] x"]);
    assert!(code == 2 && err.contains("literal-number"), "{err}");
    let (code, _, err) = evaluated(&["--infeed", "{\"shape\": \"s32[]\"}"]);
    assert!(code == 2 && err.contains("infeed value 0"), "{err}");
    let (code, _, err) = evaluated(&["--infeed-file", "no such file"]);
    assert!(code == 2 && err.contains("no such file cannot be read"), "{err}");
}
