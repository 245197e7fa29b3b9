//! The shape fields of the Ops screen's form.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may panic")]

use xla_playground::state::document::ValueRule;
use xla_playground::state::experiment::Experiment;
use xla_playground::state::experiment::session::{Action, FormField, Session};

#[test]
fn a_malformed_shape_is_an_error_at_its_field_alone() {
    let text = "HloModule m\n\nENTRY e {\n  a = s32[2,3] parameter(0)\n  b = s32[3,2] parameter(1)\n  ROOT c = s32[2,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";
    let mut session = Session::new(Experiment::from_text(text));
    let parameters = session.module().entry_computation().unwrap().parameters.clone();
    let problem =
        |session: &Session, number: usize| session.field(FormField::Shape(parameters[number])).problem;
    session.apply(Action::SetShape(parameters[0], "2x3".to_owned()));
    // The text cannot be read past it, but nothing is wrong with the other operand.
    assert!(problem(&session, 0).is_some_and(|problem| problem.hints.is_empty()));
    assert_eq!(problem(&session, 1), None);
    session.apply(Action::SetShape(parameters[1], "f32[3".to_owned()));
    assert!(problem(&session, 0).is_some() && problem(&session, 1).is_some());
    session.apply(Action::SetShape(parameters[0], "s32[2,3]".to_owned()));
    assert_eq!(problem(&session, 0), None);
    assert!(problem(&session, 1).is_some());
    // Sizes alone keep the element type.
    session.apply(Action::SetShape(parameters[1], " [3,2]{0,1}".to_owned()));
    assert_eq!(problem(&session, 1), None);
    assert!(
        session.experiment().text.contains("b = s32[3,2]{0,1} parameter(1)"),
        "{}",
        session.experiment().text
    );
}

#[test]
fn a_shape_is_set_where_the_form_shows_it_whatever_the_text_has_since() {
    let text = "HloModule m\n\nENTRY e {\n  x = s32[2,3] parameter(0)\n  ROOT n = s32[2,3] negate(x)\n}\n";
    let mut session = Session::new(Experiment::from_text(text));
    let x = session.module().entry_computation().unwrap().parameters[0];
    // Another parameter before it, and an error at the end: the form still shows the valid program.
    let broken = "HloModule m\n\nENTRY e {\n  p = f32[5] parameter(1)\n  x = s32[2,3] parameter(0)\n  ROOT n = s32[2,3] negat(x)\n}\n";
    session.apply(Action::Type(broken.to_owned()));
    assert!(!session.diagnostics().is_empty());
    session.apply(Action::SetShape(x, "[4,3]".to_owned()));
    assert!(session.text().contains("p = f32[5] parameter(1)"), "{}", session.text());
    assert!(session.text().contains("x = s32[4,3] parameter(0)"), "{}", session.text());
}

#[test]
fn values_entered_for_a_shape_that_is_not_accepted_yet_take_effect_with_it() {
    let text = "HloModule m\n\nENTRY e {\n  x = s32[2,2] parameter(0)\n  z = s32[] parameter(1)\n  \
        ROOT r = s32[4,2] pad(x, z), padding=1_1x0_0\n}\n";
    let mut session = Session::new(Experiment::from_text(text));
    let typed = |text: &str| ValueRule::Text(text.to_owned());
    let parameter = session.module().entry_computation().unwrap().parameters[0];
    session.apply(Action::SetShape(parameter, "s32[3]".to_owned()));
    assert!(!session.diagnostics().is_empty(), "the padding has two dimensions");
    assert_eq!(session.parameter(0).map(|(shape, _)| shape.human_string()).as_deref(), Some("s32[3]"));
    session.apply(Action::SetValues(0, typed("{7,8}")));
    assert_eq!(session.invalid_fields().len(), 1, "two numbers are not three");
    session.apply(Action::SetValues(0, typed("{7,8,9}")));
    assert!(session.invalid_fields().is_empty(), "{:?}", session.invalid_fields());
    assert_eq!(session.parameter(0).map(|(_, values)| values), Some(typed("{7,8,9}")));
    assert_ne!(session.experiment().values(0), typed("{7,8,9}"), "the array on screen is still a matrix");
    assert!(session.can_run(), "the matrix still has its own values");
    session.apply(Action::SetAttribute("padding", "1_1".to_owned()));
    assert!(session.diagnostics().is_empty(), "{:?}", session.diagnostics());
    assert_eq!(session.experiment().values(0), typed("{7,8,9}"));
    // Entered before the shape: they suit the new one, and the program on screen does not run with them.
    session.apply(Action::SetValues(0, typed("{{1,2},{3,4}}")));
    session.apply(Action::SetShape(parameter, "s32[2,2]".to_owned()));
    assert!(session.invalid_fields().is_empty() && !session.can_run());
    session.apply(Action::SetAttribute("padding", "1_1x0_0".to_owned()));
    assert!(session.can_run() && session.diagnostics().is_empty());
    for _ in 0..3 {
        session.apply(Action::Undo);
    }
    // Undoing the edits drops what waited for them.
    session.apply(Action::SetShape(parameter, "s32[2,3]".to_owned()));
    session.apply(Action::SetValues(0, typed("{{1,2,3},{4,5,6}}")));
    for _ in 0..2 {
        session.apply(Action::Undo);
    }
    assert!(session.invalid_fields().is_empty() && session.diagnostics().is_empty());
    assert_eq!(session.parameter(0).map(|(_, values)| values), Some(typed("{7,8,9}")));
}
