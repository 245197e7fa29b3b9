//! Undo and redo survive as a list of states, which a tab stores.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use xla_playground::state::document::Document;
use xla_playground::state::experiment::preset;
use xla_playground::state::experiment::session::{Action, Session};
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
