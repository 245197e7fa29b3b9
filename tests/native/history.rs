//! Undo and redo survive as a list of states, which a tab stores.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use xla_playground::state::document::{Document, ValueRule};
use xla_playground::state::experiment::session::{Action, FormField, Session};
use xla_playground::state::experiment::{Experiment, preset};
use xla_playground::state::session as layout;

#[test]
fn a_restored_history_of_ops_undoes_and_redoes_as_before() {
    let pad = preset::all().find(|preset| preset.meta.opcode == "pad").unwrap().experiment();
    let mut session = Session::new(pad);
    for padding in ["1_1x0_0", "2_1x0_0", "0_0x0_0_1"] {
        session.apply(Action::SetAttribute("padding", padding.to_owned()));
    }
    session.apply(Action::Undo);
    let mut restored = Session::new(session.experiment().clone());
    restored.restore_history(session.history().map(|states| states.into_iter().cloned().collect()));
    // The memory is a setting of the view, which undo keeps.
    session.apply(Action::ToggleMemory("out".to_owned()));
    restored.apply(Action::ToggleMemory("out".to_owned()));
    for action in [Action::Undo, Action::Undo, Action::Undo, Action::Redo, Action::Redo, Action::Redo] {
        assert_eq!(restored.apply(action.clone()), session.apply(action));
        assert_eq!(restored.experiment(), session.experiment());
        assert!(restored.experiment().shown_memory.contains("out"));
    }
    assert_eq!((restored.can_undo(), restored.can_redo()), (true, false));
}

#[test]
fn a_fix_that_leaves_another_error_keeps_what_was_entered() {
    let text = "HloModule m\n\nsum {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n  ROOT c = s32[] add(a, b)\n}\n\n\
        ENTRY e {\n  x = s32[2,3] parameter(0)\n  t = s32[3,2] transpose(x), dimensions={1,0}\n  z = s32[] parameter(1)\n  \
        r = s32[3] reduce(t, z), dimensions={1}, to_apply=sum\n  ROOT m = s32[3] multiply(r, r)\n}\n";
    let mut experiment = Experiment::from_text(text);
    experiment.focus = "t".to_owned();
    let mut session = Session::new(experiment);
    let x = FormField::Shape(session.module().entry_computation().unwrap().parameters[0]);
    session.apply(Action::SetShape(
        session.module().entry_computation().unwrap().parameters[0],
        "f32[2,3]".to_owned(),
    ));
    let mut fixes = 0;
    while session.has_invalid_text() {
        let state = session.field(x);
        assert_eq!(state.entered.as_deref(), Some("f32[2,3]"), "after {fixes} fixes");
        let problem = state.problem.expect("the error stays at the field that caused it");
        let places = [Some("r = reduce"), Some("m = multiply")];
        assert!(places.contains(&state.place.as_deref()), "{:?}: the form shows the transpose", state.place);
        let fix = problem.hints.into_iter().find(|hint| !hint.edits.is_empty()).expect("a fix");
        session.apply(Action::ApplyHint(fix));
        fixes += 1;
        assert!(fixes < 6);
    }
    assert!(fixes >= 2, "{}", session.text());
    assert_eq!(session.field(x).problem, None);
    for undone in 1..=fixes {
        session.apply(Action::Undo);
        assert_eq!(session.field(x).entered.as_deref(), Some("f32[2,3]"), "{undone} undone");
    }
    session.apply(Action::Undo);
    assert_eq!((session.field(x).entered, session.text()), (None, text));
}

/// What is shown of a session: the text, the padding in its field, the errors, and the experiment that ran.
fn shown(session: &Session) -> (String, Option<String>, usize, String) {
    let padding = session.field(FormField::Attribute("padding")).entered;
    (session.text().to_owned(), padding, session.diagnostics().len(), session.experiment().text.clone())
}

#[test]
fn edits_that_leave_errors_are_undone_and_redone_one_by_one() {
    let pad = preset::all().find(|preset| preset.meta.opcode == "pad").unwrap().experiment();
    let mut session = Session::new(pad);
    let set = |padding: &str| Action::SetAttribute("padding", padding.to_owned());
    let mut states = vec![shown(&session)];
    for padding in ["1_1", "2_1x", "2_1x3"] {
        session.apply(set(padding));
        assert!(session.has_invalid_text(), "{padding}");
        states.push(shown(&session));
    }
    // Typing is one step, also where it ends with an error.
    for text in [session.text().replace("pad(", "pa("), session.text().replace("pad(", "p(")] {
        session.apply(Action::Type(text));
    }
    session.apply(Action::CommitText);
    states.push(shown(&session));
    session.apply(Action::Type(states[0].0.clone() + "\n"));
    session.apply(Action::CommitText);
    assert!(!session.has_invalid_text());
    states.push(shown(&session));
    session.apply(set("2_1x0_0"));
    states.push(shown(&session));
    for _ in 0..2 {
        for state in states.iter().rev().skip(1) {
            session.apply(Action::Undo);
            assert_eq!(&shown(&session), state);
        }
        assert!(!session.can_undo());
        for state in &states[1..] {
            session.apply(Action::Redo);
            assert_eq!(&shown(&session), state);
        }
        assert!(!session.can_redo());
    }
    // Another edit of the text with errors continues it.
    session.apply(Action::Undo);
    session.apply(Action::Undo);
    session.apply(Action::Undo);
    assert_eq!(session.field(FormField::Attribute("padding")).entered.as_deref(), Some("2_1x3"));
    session.apply(set("2_1x3_3"));
    assert!(!session.has_invalid_text() && !session.can_redo());
    session.apply(Action::Undo);
    assert_eq!(shown(&session), states[3]);
}

#[test]
fn values_for_a_shape_with_errors_are_undone_with_the_text_kept() {
    let pad = preset::all().find(|preset| preset.meta.opcode == "pad").unwrap().experiment();
    let mut session = Session::new(pad);
    let parameter = session.module().entry_computation().unwrap().parameters[0];
    session.apply(Action::SetShape(parameter, "s32[2,2,2]".to_owned()));
    assert!(session.has_invalid_text());
    let before = session.parameter(0);
    session.apply(Action::SetValues(0, ValueRule::Text("1 2 3 4 5 6 7 8".to_owned())));
    let after = session.parameter(0);
    assert_ne!(before, after);
    session.apply(Action::Undo);
    assert_eq!((session.parameter(0), session.has_invalid_text()), (before, true));
    session.apply(Action::Redo);
    assert_eq!((session.parameter(0), session.has_invalid_text()), (after, true));
}

#[test]
fn a_text_with_errors_is_not_stored_with_the_history() {
    let pad = preset::all().find(|preset| preset.meta.opcode == "pad").unwrap().experiment();
    let mut session = Session::new(pad);
    session.apply(Action::SetAttribute("padding", "1_1x0_0".to_owned()));
    session.apply(Action::SetAttribute("padding", "1_1".to_owned()));
    session.apply(Action::SetAttribute("padding", "1_2".to_owned()));
    assert_eq!(session.history().undo.len(), 1);
    session.apply(Action::Undo);
    assert_eq!((session.history().undo.len(), session.history().redo.len()), (1, 0));
}

#[test]
fn a_restored_history_of_a_layout_undoes_and_redoes_as_before() {
    let mut session = layout::Session::new(Document::with_shape("f32[2,3]".parse().unwrap()));
    session.apply(layout::Action::SetSize(0, 4));
    session.apply(layout::Action::SetOrder { ascending: true });
    session.apply(layout::Action::Undo);
    // Typing that has not ended is a step too.
    session.apply(layout::Action::Redo);
    session.apply(layout::Action::Type("f32[9]".to_owned()));
    let mut restored = layout::Session::new(session.document().clone());
    restored.restore_history(session.history().map(|states| states.into_iter().cloned().collect()));
    for shape in ["f32[4,3]{0,1}", "f32[4,3]{1,0}", "f32[2,3]{1,0}"] {
        session.apply(layout::Action::Undo);
        restored.apply(layout::Action::Undo);
        assert_eq!([&session, &restored].map(|session| session.document().shape.to_string()), [shape, shape]);
    }
}
