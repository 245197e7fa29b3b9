//! The builder's forms in the terminal and in a session of the Ops screen.

use xla_playground::array::Edition;
use xla_playground::diagnostic::Severity;
use xla_playground::state::experiment::Experiment;
use xla_playground::state::experiment::session::{Action, Session};

use super::cli_hlo::run;

const SCALAR: &str = "HloModule m\n\nENTRY e {\n  a = f32[2] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[2] add(a, b)\n}\n";

const ORDER: &str = "HloModule m\n\nENTRY e {\n  v = f32[2,3] parameter(0)\n  ROOT r = f32[6] reshape(v), dimensions={1,0}\n}\n";

#[test]
fn eval_lowers_forms_of_the_builder_and_says_so() {
    let arguments = ["--arg", "f32[2] {1, 2}", "--arg", "f32[] 10"];
    let (code, out, err) = run(&[&["eval", "-", "--edition", "2017"], arguments.as_slice()].concat(), SCALAR);
    assert_eq!((code, out.as_str()), (0, "f32[2]{0} {11, 12}\n"), "{err}");
    assert!(err.starts_with("6:26: note [builder-broadcasting]: The builder broadcasts"), "{err}");
    assert!(
        err.contains("becomes broadcast.1 = f32[2] broadcast(b), dimensions={}; add(a, broadcast.1)"),
        "{err}"
    );
    let (code, _, err) = run(&[&["eval", "-"], arguments.as_slice()].concat(), SCALAR);
    assert_eq!(code, 2);
    assert!(err.contains("hint: Insert broadcast"), "{err}");
    // The trace has the lowered instructions.
    let traced = ["eval", "-", "--edition", "2017", "--trace"];
    let (_, out, _) = run(&[&traced, arguments.as_slice()].concat(), SCALAR);
    assert!(out.contains("broadcast.1 = f32[2]{0} {10, 10}"), "{out}");
}

#[test]
fn check_counts_no_note_as_a_warning() {
    let (code, out, _) = run(&["check", "-", "--edition", "2017"], ORDER);
    assert_eq!(code, 0);
    assert!(out.contains("note [builder-reshape-order]") && out.contains("0 errors, 0 warnings"), "{out}");
    let (code, out, _) = run(&["check", "-"], ORDER);
    assert_eq!(code, 2);
    assert!(out.contains("error [hlo-attribute]") && out.contains("Insert transpose"), "{out}");
    let (_, out, _) = run(&["eval", "-", "--edition", "2017", "--arg", "f32[2,3] {{1,2,3},{4,5,6}}"], ORDER);
    assert_eq!(out, "f32[6]{0} {1, 4, 2, 5, 3, 6}\n");
}

fn session(text: &str, edition: Edition) -> Session {
    let mut session = Session::new(Experiment {
        edition,
        ..Experiment::from_text(SCALAR.replace("add(a, b)", "negate(a)"))
    });
    session.apply(Action::Type(text.to_owned()));
    session
}

#[test]
fn typed_forms_become_plain_text_when_the_typing_ends() {
    let mut session = session(ORDER, Edition::V2017);
    assert_eq!(session.text(), ORDER);
    assert!(!session.has_invalid_text() && session.diagnostics()[0].severity == Severity::Note);
    // What is shown and linked is plain HLO from the start.
    assert!(session.experiment().text.contains("transpose.1 = f32[3,2] transpose(v)"));
    let names = |session: &Session| {
        session
            .module()
            .entry_computation()
            .unwrap()
            .instructions
            .iter()
            .map(|i| i.name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&session), ["v", "transpose.1", "r"]);
    session.apply(Action::CommitText);
    assert_eq!(session.text(), session.experiment().text);
    assert!(session.diagnostics().is_empty());
    assert_eq!(session.notes()[0].rule, "builder-reshape-order");
    assert!(session.notes()[0].hints.iter().all(|hint| hint.edits.is_empty()));
    // The next edit has no notes.
    session.apply(Action::Type(session.text().replace("f32[6]", "f32[2,3]")));
    assert!(session.notes().is_empty());
    session.apply(Action::Undo);
    session.apply(Action::Undo);
    assert!(session.text().contains("negate"), "{}", session.text());
}

#[test]
fn a_form_of_the_page_may_write_a_form_of_the_builder() {
    let mut session = session(&ORDER.replace(", dimensions={1,0}", ""), Edition::V2017);
    session.apply(Action::CommitText);
    session.apply(Action::SetAttribute("dimensions", "{-1,y}".to_owned()));
    assert!(session.text().contains("transpose(v), dimensions={1,0}"), "{}", session.text());
    assert_eq!(session.notes().len(), 1);
    // A changed operand is broadcast, and shapes below follow.
    let mut session = self::session(&SCALAR.replace("f32[] parameter", "f32[2] parameter"), Edition::V2017);
    session.apply(Action::CommitText);
    let b = session.module().entry_computation().unwrap().find("b").unwrap();
    session.apply(Action::SetShape(b, "f32[]".to_owned()));
    assert!(session.text().contains("broadcast(b)"), "{}", session.text());
    assert!(!session.has_invalid_text());
}

#[test]
fn a_link_with_a_form_opens_lowered_and_the_other_edition_offers_the_fix() {
    let session = Session::new(Experiment { edition: Edition::V2017, ..Experiment::from_text(SCALAR) });
    assert!(session.text().contains("broadcast.1") && session.notes().len() == 1);
    let mut session = Session::new(Experiment::from_text(SCALAR));
    assert!(session.has_invalid_text());
    let fix = session.diagnostics()[0].hints[0].clone();
    session.apply(Action::ApplyHint(fix));
    assert!(!session.has_invalid_text() && session.text().contains("broadcast.1"), "{}", session.text());
}
