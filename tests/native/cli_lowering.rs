//! Forms of the documents' builder in the terminal: `fmt`, `check --fix` and the notes of `eval --json`.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may panic")]

use serde_json::{Value, json};

use super::cli_hlo::run;

/// A scalar operand, a collapse of the last two dimensions, and a comment.
const FORMS: &str = "HloModule m

ENTRY e {
  x = f32[4,2,3] parameter(0)
  one = f32[] constant(1) // as the document adds it
  sum = f32[4,2,3] add(x, one)
  ROOT flat = f32[4,6] collapse(sum), dimensions={1,-1}
}
";

fn lines(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn fmt_prints_forms_as_the_builder_lowers_them() {
    let (code, out, err) = run(&["fmt", "-", "--edition", "2017"], FORMS);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("7:") && err.contains("note [builder-collapse]"), "{err}");
    assert!(out.contains("ROOT flat = f32[4,6]{1,0} reshape(sum)"), "{out}");
    assert!(out.contains("broadcast(one)") && !out.contains("collapse"), "{out}");
    // What it prints is plain HLO of either edition.
    for edition in ["2017", "now"] {
        let again = run(&["fmt", "-", "--edition", edition], &out);
        assert_eq!(again, (0, out.clone(), String::new()), "{edition}");
    }
    let (code, out, err) = run(&["fmt", "-"], FORMS);
    assert!(code == 2 && out.is_empty() && err.contains("error [hlo-opcode]"), "{out}{err}");
}

#[test]
fn check_fix_lowers_forms_and_keeps_the_rest_as_written() {
    let (code, fixed, err) = run(&["check", "-", "--fix", "--edition", "2017"], FORMS);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("note [builder-broadcasting]") && err.contains("note [builder-collapse]"), "{err}");
    assert!(fixed.contains("  one = f32[] constant(1) // as the document adds it\n"), "{fixed}");
    assert!(fixed.contains("  ROOT flat = f32[4,6] reshape(sum)\n"), "{fixed}");
    assert_eq!(run(&["check", "-"], &fixed), (0, "0 errors, 0 warnings\n".to_owned(), String::new()));
    // In current XLA the same forms are errors with fixes.
    let (code, today, err) = run(&["check", "-", "--fix"], FORMS);
    assert_eq!((code, err.as_str()), (0, ""), "{today}");
    assert_eq!(today, fixed);
    // Text that needs no fix is printed byte by byte.
    assert_eq!(run(&["check", "-", "--fix"], &fixed), (0, fixed.clone(), String::new()));
}

#[test]
fn check_fix_applies_the_first_fix_of_every_error_and_reports_the_rest() {
    let wrong = FORMS.replace("add(x, one)", "ad(x, x)").replace("constant(1)", "constnt(1)");
    let (code, fixed, err) = run(&["check", "-", "--fix", "--edition", "2017"], &wrong);
    assert!(code == 0 && fixed.contains("constant(1)") && fixed.contains(" add(x, x)"), "{fixed}{err}");
    let hopeless = FORMS.replace("add(x, one)", "add(x, nowhere_at_all)");
    let (code, fixed, err) = run(&["check", "-", "--fix", "--edition", "2017"], &hopeless);
    assert!(code == 2 && err.contains("nowhere_at_all"), "{err}");
    assert!(fixed.contains("nowhere_at_all"), "{fixed}");
}

#[test]
fn eval_json_has_the_notes_of_what_was_lowered() {
    let text = FORMS.replace("f32[4,2,3] parameter(0)", "f32[4,2,3] broadcast(one), dimensions={}").replace(
        "  x = f32[4,2,3] broadcast(one), dimensions={}\n  one = f32[] constant(1) // as the document adds it\n",
        "  one = f32[] constant(1)\n  x = f32[4,2,3] broadcast(one), dimensions={}\n",
    );
    let result = json!({"shape": "f32[4,6]{1,0}", "values": vec![2; 24]});
    let (code, out, err) = run(&["eval", "-", "--edition", "2017", "--json"], &text);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let answers = lines(&out);
    let notes = answers[0]["notes"].as_array().unwrap();
    let found: Vec<_> = notes.iter().map(|note| (note["rule"].as_str().unwrap(), &note["line"])).collect();
    assert!(found.contains(&("builder-broadcasting", &json!(6))), "{found:?}");
    assert!(found.contains(&("builder-collapse", &json!(7))), "{found:?}");
    let collapse = notes.iter().find(|note| note["rule"] == "builder-collapse").unwrap();
    assert!(collapse["hint"].as_str().unwrap().contains("reshape(sum)"), "{collapse}");
    assert!(collapse["message"].is_string() && collapse["column"].is_u64(), "{collapse}");
    assert_eq!((answers.len(), &answers[1]), (2, &result));
    // A run that fails has them, too, and so has each replica's and a case of a batch.
    let (code, out, _) = run(&["eval", "-", "--edition", "2017", "--json", "--steps", "3"], &text);
    let failed = lines(&out);
    assert_eq!((code, &failed[0], &failed[1]["error"]["rule"]), (2, &answers[0], &json!("budget-steps")));
    let (_, out, _) = run(&["eval", "-", "--edition", "2017", "--json", "--replicas", "2"], &text);
    let replicas = lines(&out);
    assert_eq!((replicas.len(), &replicas[0], &replicas[2]["replica"]), (3, &answers[0], &json!(1)));
    let case = json!({"name": "forms", "hlo": text}).to_string() + "\n";
    let (_, out, _) = run(&["eval", "--batch", "-", "--edition", "2017"], &case);
    assert_eq!(lines(&out), [json!({"name": "forms", "outputs": result, "notes": notes})]);
    // Plain HLO has none.
    let plain = "HloModule m ENTRY e { ROOT c = f32[] constant(1) }";
    let (_, out, _) = run(&["eval", "-", "--edition", "2017", "--json"], plain);
    assert_eq!(lines(&out), [json!({"shape": "f32[]", "values": [1]})]);
}
