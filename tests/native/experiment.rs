//! The Ops screen's state: links round trip, edits carry through, undo restores, ops can be appended.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use test_support::Random;
use xla_playground::array::Edition;
use xla_playground::hlo::{Limits, parse};
use xla_playground::i18n::Language;
use xla_playground::state::document::ValueRule;
use xla_playground::state::experiment::next::next_ops;
use xla_playground::state::experiment::run::FinishedRun;
use xla_playground::state::experiment::session::{Action, FieldState, FormField, Session};
use xla_playground::state::experiment::state::MAX_VALUES_BYTES;
use xla_playground::state::experiment::{Experiment, link, preset};
use xla_playground::state::session::LinkChange;

/// The first preset of an op.
fn of(opcode: &str) -> Experiment {
    preset::all().find(|preset| preset.meta.opcode == opcode).unwrap().experiment()
}

/// The experiment with an op applied to its result, as the dialog offers it.
fn with_op(session: &Session, opcode: &str) -> Option<Experiment> {
    let offered = next_ops(session.experiment(), session.module());
    offered.into_iter().find(|next| next.meta.opcode == opcode)?.outcome.ok()
}

fn root_shape(session: &Session) -> String {
    session.module().entry_computation().unwrap().root_instruction().unwrap().shape.human_string()
}

#[test]
fn ten_thousand_random_experiments_survive_their_links() {
    let presets: Vec<_> = preset::all().collect();
    let mut random = Random::new(7);
    for _ in 0..10_000 {
        let mut experiment = presets[random.below(presets.len())].experiment();
        for values in &mut experiment.values {
            *values = match random.below(5) {
                0 => ValueRule::Iota,
                1 => ValueRule::Random(u32::try_from(random.below(1 << 30)).unwrap()),
                2 => ValueRule::Text("{1; 2=3%, ü\n+4}#".to_owned()),
                3 => ValueRule::Letters,
                _ => values.clone(),
            };
        }
        if random.below(2) == 0 {
            experiment.edition = Edition::V2017;
        }
        experiment.seed = u64::try_from(random.below(3)).unwrap() * 0xffff_ffff_ffff;
        experiment.cursor = i64::try_from(random.below(9)).unwrap();
        experiment.leaf = random.below(3);
        if random.below(3) == 0 {
            "odd;name=1".clone_into(&mut experiment.focus);
        }
        ["out", "x; y"].iter().take(random.below(3)).for_each(|panel| experiment.toggle_memory(panel));
        let world = &mut experiment.environment;
        world.replicas = 1 + random.below(8);
        world.selected_replica = random.below(world.replicas);
        for _ in 0..random.below(3) {
            world.infeed.push(["{1; 2=3}", "", "({1,2}, 7)%3B"][random.below(3)].to_owned());
            let own = [
                ValueRule::Iota,
                ValueRule::Letters,
                ValueRule::Random(3),
                ValueRule::Text("{4;5}".to_owned()),
            ];
            world.values.insert((1 + random.below(7), random.below(4)), own[random.below(4)].clone());
            let name = ["myfunc", "3.odd;=name%", "ü"][random.below(3)];
            let code = ["", "output.data[0] = 1; // 100%;\n", ".5.ü\t`${x}`"][random.below(3)];
            world.functions.insert(name.to_owned(), code.to_owned());
        }
        // Trailing defaults are omitted from a link.
        while experiment.values.last() == Some(&ValueRule::Iota) {
            experiment.values.pop();
        }
        let fragment = link::write(&experiment);
        let loaded = link::read(&format!("#{fragment}"));
        assert_eq!(loaded.problems, [], "{fragment}");
        assert_eq!(loaded.experiment, experiment, "{fragment}");
        assert!(link::is_own_link(&fragment));
    }
}

#[test]
fn links_by_hand_name_an_example_and_damage_is_reported() {
    assert!(["#ops1/@dot", "#ops/@dot"].iter().all(|link| link::read(link).experiment == of("dot")));
    for bare in ["#ops/", "#ops1", "#ops1/", "#ops"] {
        assert_eq!(
            (link::read(bare).experiment, link::read(bare).problems),
            (Experiment::empty(), Vec::new()),
            "{bare}"
        );
    }
    for broken in [
        "#ops1/@nothing",
        "#ops9/x",
        "#ops1/HloModule m;at=-1",
        "#ops1/HloModule m;v5000=iota",
        "#ops1/x;y=z",
        "#ops1/HloModule m;replicas=9",
        "#ops1/HloModule m;replica=8",
        "#ops1/HloModule m;r0v0=iota",
        "#ops1/HloModule m;r1v0=nothing",
        "#ops1/HloModule m;js=9.short",
        "#ops1/HloModule m;js=1.ü",
    ] {
        assert_eq!(link::read(broken).problems.len(), 1, "{broken}");
    }
    let packed = link::write(&of("select-and-scatter"));
    assert!(packed.starts_with("ops1z/"));
    let damaged = &packed[..packed.len() - 30];
    assert!(!link::read(damaged).problems.is_empty());
}

#[test]
fn a_chain_of_three_ops_is_a_short_link_and_undo_takes_it_back() {
    let mut session = Session::new(of("broadcast"));
    let start = session.experiment().clone();
    for opcode in ["transpose", "negate"] {
        let next = Action::Load(Box::new(with_op(&session, opcode).unwrap()));
        assert_eq!(session.apply(next), LinkChange::Push, "{opcode}: {:?}", session.diagnostics());
    }
    assert!(session.diagnostics().is_empty(), "{:?}\n{}", session.diagnostics(), session.text());
    let fragment = link::write(session.experiment());
    assert!(fragment.len() < 500, "{} characters: {fragment}", fragment.len());
    let module = session.module().clone();
    assert!(FinishedRun::run(session.experiment(), &module, Limits::default()).is_ok());
    session.apply(Action::Undo);
    session.apply(Action::Undo);
    assert_eq!(*session.experiment(), start);
    session.apply(Action::Redo);
    assert!(session.text().contains("transpose"));
}

#[test]
fn forms_correct_errors_one_by_one_and_keep_the_last_run() {
    let mut session = Session::new(of("transpose"));
    let before = root_shape(&session);
    assert_eq!(session.apply(Action::SetAttribute("dimensions", "{0,0}".to_owned())), LinkChange::Keep);
    assert_eq!(session.diagnostics().len(), 1);
    assert_eq!(root_shape(&session), before);
    // The form shows the current text, not the one that ran.
    let (_, draft_focus) = session.draft_focus().unwrap();
    assert_eq!(draft_focus.attrs.get("dimensions").unwrap().to_string(), "{0,0}");
    assert_eq!(session.apply(Action::SetAttribute("dimensions", "{0,1}".to_owned())), LinkChange::Push);
    assert!(session.diagnostics().is_empty());
    session.apply(Action::SetAttribute("dimensions", "{2}".to_owned()));
    session.apply(Action::Undo);
    assert!(session.diagnostics().is_empty() && session.text().contains("{0,1}"), "{}", session.text());
}

#[test]
fn an_operand_takes_another_shape_and_the_result_follows() {
    let mut session = Session::new(of("transpose"));
    let parameter = session.module().entry_computation().unwrap().parameters[0];
    session.apply(Action::SetShape(parameter, "f32[5,7]{0,1}".to_owned()));
    assert!(session.diagnostics().is_empty(), "{:?}", session.diagnostics());
    assert_eq!(root_shape(&session), "f32[7,5]");
    assert!(parse(session.text()).error().is_none());
}

#[test]
fn no_text_makes_a_session_panic_and_the_last_good_one_stays() {
    let mut session = Session::new(Experiment::from_text("HloModule"));
    let shape = root_shape(&session);
    for text in [
        "",
        "HloModule m",
        "HloModule m ENTRY e { }",
        "ENTRY",
        "}{",
        "HloModule m ENTRY e { x = f32[2] parameter(0)",
    ] {
        session.apply(Action::Type(text.to_owned()));
        session.apply(Action::SetAttribute("dimensions", "{}".to_owned()));
        if let Some(next) = with_op(&session, "negate") {
            session.apply(Action::Load(Box::new(next)));
        }
        session.apply(Action::CommitText);
        assert!(session.focus().is_some());
    }
    session.apply(Action::Type("HloModule m ENTRY e { ROOT x = f32[4] parameter(0) }".to_owned()));
    assert_ne!(root_shape(&session), shape);
}

#[test]
fn an_error_without_a_fix_can_be_reverted() {
    let mut session = Session::new(of("dot"));
    let before = session.text().to_owned();
    session.apply(Action::Type(
        "HloModule m ENTRY e { ROOT x = f32[2] negate(token[] after-all()) }".to_owned(),
    ));
    let hints: Vec<_> = session.diagnostics().iter().flat_map(|d| d.hints.clone()).collect();
    let back =
        hints.iter().find(|hint| hint.apply(session.text()).as_ref() == Some(&before)).unwrap().clone();
    session.apply(Action::ApplyHint(back));
    assert_eq!((session.text(), session.diagnostics().len()), (before.as_str(), 0));
}

const SUM: &str = "HloModule m\n\nENTRY e {\n  x = u8[2] parameter(0)\n  y = u8[2] parameter(1)\n  ROOT r = u8[2] add(x, y)\n}\n";

fn typed(text: &str) -> ValueRule {
    ValueRule::Text(text.to_owned())
}

#[test]
fn malformed_values_are_kept_and_listed_until_corrected() {
    let values = vec![typed("1, 2"), typed("3, 4")];
    let mut session = Session::new(Experiment { values, ..Experiment::from_text(SUM) });
    assert!(session.invalid_fields().is_empty());
    for text in ["300, 1", "1", "1, 2, 3", "banana", "{{1}, {2}}", "{...}", ""] {
        session.apply(Action::SetValues(0, typed(text)));
        let found = session.invalid_fields();
        assert_eq!((found.len(), found[0].text.as_str(), found[0].name.as_str()), (1, text, "x"));
        assert_eq!(session.experiment().values(0), typed(text), "what was typed stays");
        let again = Session::new(link::read(&link::write(session.experiment())).experiment);
        assert_eq!(
            (again.invalid_fields().len(), again.experiment().values(0)),
            (1, typed(text)),
            "in a link too"
        );
    }
    session.apply(Action::Undo);
    assert_eq!(session.invalid_fields()[0].text, "{...}");
    session.apply(Action::SetValues(0, ValueRule::Iota));
    assert!(session.invalid_fields().is_empty());
    // The number of values follows from the shape.
    session.apply(Action::Type(SUM.replace("u8[2]", "u8[3]")));
    assert_eq!(session.invalid_fields().len(), 1, "{:?}", session.invalid_fields());
    session.apply(Action::Type(SUM.to_owned()));
    assert!(session.invalid_fields().is_empty());
}

#[test]
fn values_too_long_to_keep_stay_in_their_field_and_nothing_runs() {
    let mut session = Session::new(Experiment {
        values: vec![typed("{1, 2}")],
        ..Experiment::from_text("HloModule m ENTRY e { x = s32[2] parameter(0) ROOT n = negate(x) }")
    });
    let before = session.experiment().clone();
    let long = "1,".repeat(MAX_VALUES_BYTES);
    assert_eq!(session.apply(Action::SetValues(0, typed(&long))), LinkChange::Keep);
    assert_eq!(session.experiment(), &before, "neither undo nor the link keeps the text");
    let [field] = &session.invalid_fields()[..] else { panic!("{} fields", session.invalid_fields().len()) };
    assert_eq!((field.name.as_str(), field.text.as_str()), ("x", long.as_str()));
    assert_eq!(field.error.first().unwrap().rule, "values-too-long");
    // Further edits of the program leave the field as it is, as long as it exists.
    session.apply(Action::Type(before.text.replace("negate", "abs")));
    assert_eq!(session.invalid_fields().len(), 1);
    session.apply(Action::Type("HloModule m ENTRY e { ROOT x = s32[] constant(1) }".to_owned()));
    assert_eq!(session.invalid_fields().len(), 0);
    session.apply(Action::Undo);
    // The previous values, other values, undo and a new program replace it.
    for action in [
        Action::SetValues(0, typed("{1, 2}")),
        Action::SetValues(0, typed("{3, 4}")),
        Action::Undo,
        Action::Redo,
        Action::Load(Box::new(of("add"))),
    ] {
        session.apply(Action::Load(Box::new(before.clone())));
        session.apply(Action::SetValues(0, typed("{5, 6}")));
        session.apply(Action::Undo);
        session.apply(Action::SetValues(0, typed(&long)));
        assert_eq!(session.invalid_fields().len(), 1, "{action:?}");
        session.apply(action.clone());
        assert_eq!(session.invalid_fields().len(), 0, "{action:?}");
    }
}

#[test]
fn values_loaded_with_an_invalid_text_wait_for_its_correction() {
    let broken = SUM.replace("add(x, y)", "add(x, y");
    let values = vec![typed("1, 2"), typed("3, x")];
    let arrived = Experiment { values: values.clone(), seed: 7, ..Experiment::from_text(broken.clone()) };
    for mut session in [Session::new(arrived.clone()), {
        let mut session = Session::new(Experiment::default());
        session.apply(Action::Load(Box::new(arrived.clone())));
        session
    }] {
        assert!(
            session.has_invalid_text() && session.invalid_fields().is_empty(),
            "the values are not those of what is shown"
        );
        assert_eq!(session.text(), broken);
        session.apply(Action::Type(SUM.to_owned()));
        assert!(!session.has_invalid_text());
        assert_eq!((&session.experiment().values, session.experiment().seed), (&values, 7));
        assert_eq!(session.invalid_fields().len(), 1);
    }
}

#[test]
fn every_field_of_the_form_keeps_what_was_typed_until_the_text_is_valid() {
    let (lhs, rhs) =
        (FormField::Attribute("lhs_contracting_dims"), FormField::Attribute("rhs_contracting_dims"));
    let mut session = Session::new(of("dot"));
    let before = session.text().to_owned();
    session.apply(Action::SetAttribute("lhs_contracting_dims", "{x".to_owned()));
    assert_eq!(session.field(lhs).entered.as_deref(), Some("{x"));
    assert!(session.field(lhs).problem.is_some(), "{:?}", session.diagnostics());
    assert_eq!(session.field(rhs), FieldState::default(), "another field has no error of it");
    // The form still has the attributes after the one that cannot be read.
    let (text, module, id) = session.form().unwrap();
    let instruction = module.entry_computation().unwrap().get(id).unwrap();
    assert_eq!(text, before);
    assert_eq!(instruction.attrs.get("rhs_contracting_dims").unwrap().to_string(), "{0}");
    // A second error, then each is corrected in its own field.
    session.apply(Action::SetAttribute("rhs_contracting_dims", "{y".to_owned()));
    assert_eq!(session.field(lhs).entered.as_deref(), Some("{x"));
    session.apply(Action::SetAttribute("lhs_contracting_dims", "{1}".to_owned()));
    assert_eq!(session.field(lhs).problem, None);
    assert!(session.field(rhs).problem.is_some(), "{:?}", session.diagnostics());
    assert_eq!(
        session.apply(Action::SetAttribute("rhs_contracting_dims", "{0}".to_owned())),
        LinkChange::Push
    );
    assert!(session.diagnostics().is_empty());
    assert_eq!((session.field(lhs), session.field(rhs)), Default::default());
}

#[test]
fn an_error_between_operands_is_at_the_shape_that_was_edited_with_its_fix() {
    let text = "HloModule m\n\nENTRY e {\n  x = u8[2,3] parameter(0)\n  y = u8[2,3] parameter(1)\n  ROOT r = u8[2,3] add(x, y)\n}\n";
    let mut session = Session::new(Experiment::from_text(text));
    let parameters = session.module().entry_computation().unwrap().parameters.clone();
    session.apply(Action::SetShape(parameters[1], "u8[1,3]".to_owned()));
    assert_eq!(session.field(FormField::Shape(parameters[0])), FieldState::default());
    let state = session.field(FormField::Shape(parameters[1]));
    assert_eq!(state.entered.as_deref(), Some("u8[1,3]"));
    let hint = state.problem.expect("the error is at the operand").hints.remove(0);
    session.apply(Action::ApplyHint(hint));
    assert!(session.diagnostics().is_empty() && session.text().contains("broadcast("), "{}", session.text());
    // A shape that cannot be read leaves nothing of the text after it.
    session.apply(Action::SetShape(parameters[0], "u8[2,".to_owned()));
    assert!(session.field(FormField::Shape(parameters[0])).problem.is_some());
    assert_eq!(session.field(FormField::Shape(parameters[1])).problem, None);
    // The error is at the other operand, a broadcast, which has no field: it is reported at the shape that caused it.
    session.apply(Action::SetShape(parameters[0], "u8[4,3]".to_owned()));
    assert!(session.field(FormField::Shape(parameters[0])).problem.is_some());
    assert_eq!(session.field(FormField::Shape(parameters[1])).problem, None);
    session.apply(Action::SetShape(parameters[0], "u8[2,3]".to_owned()));
    assert_eq!(session.field(FormField::Shape(parameters[0])), FieldState::default());
    assert!(session.diagnostics().is_empty());
}

#[test]
fn a_field_has_no_error_that_the_form_did_not_cause() {
    let text = "HloModule m\n\nENTRY e {\n  x = u8[2,3] parameter(0)\n  t = u8[3,2] transpose(x), dimensions={1,0}\n  ROOT r = u8[3,2] add(t, t)\n}\n";
    let mut experiment = Experiment::from_text(text);
    experiment.focus = "t".to_owned();
    let mut session = Session::new(experiment);
    let dimensions = FormField::Attribute("dimensions");
    session.apply(Action::Type(text.replace("add(t, t)", "add(t, x)")));
    assert_eq!(session.field(dimensions).problem, None, "the form caused nothing");
    session.apply(Action::Undo);
    session.apply(Action::SetAttribute("dimensions", "{0,0}".to_owned()));
    assert!(session.field(dimensions).problem.is_some());
    session.apply(Action::Undo);
    assert_eq!(session.field(dimensions), FieldState::default());
}

#[test]
fn a_contraction_that_no_longer_fits_is_an_error_of_the_changed_shape_with_a_fix_for_the_other() {
    let text = "HloModule m\n\nENTRY e {\n  x = s32[2,3] parameter(0)\n  y = s32[3,2] parameter(1)\n  \
        ROOT r = s32[2,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n";
    let mut session = Session::new(Experiment::from_text(text));
    let parameters = session.module().entry_computation().unwrap().parameters.clone();
    session.apply(Action::SetShape(parameters[0], "s32[2,4]".to_owned()));
    assert_eq!(session.field(FormField::Attribute("lhs_contracting_dims")), FieldState::default());
    let problem = session.field(FormField::Shape(parameters[0])).problem.expect("the error is at the shape");
    assert_eq!(problem.rule, "dot-5");
    let fix = problem.hints.into_iter().find(|hint| !hint.edits.is_empty()).expect("a fix");
    session.apply(Action::ApplyHint(fix));
    assert!(session.diagnostics().is_empty(), "{:?}", session.diagnostics());
    assert!(session.text().contains("y = s32[4,2] parameter(1)"), "{}", session.text());
}

#[test]
fn a_constant_of_a_called_computation_is_a_field() {
    let mut session = Session::new(of("while"));
    let (_, module, focus) = session.form().unwrap();
    let instruction = module.entry_computation().unwrap().get(focus).unwrap();
    let (computation, id, name) = instruction
        .attrs
        .computations()
        .find_map(|computation| {
            let found = module.get(computation)?.iter().find(|(_, each)| each.opcode == "constant")?;
            Some((computation, found.0, found.1.name.clone()))
        })
        .unwrap();
    let field = FormField::Constant(computation, id);
    assert_eq!(session.field(field), FieldState::default());
    session.apply(Action::SetConstant(computation, id, "x".to_owned()));
    let state = session.field(field);
    assert_eq!(state.entered.as_deref(), Some("x"));
    assert!(state.problem.is_some());
    assert_eq!(session.field(FormField::Attribute("body")).problem, None);
    session.apply(Action::SetConstant(computation, id, "20".to_owned()));
    assert!(session.diagnostics().is_empty(), "{:?}", session.diagnostics());
    assert!(session.text().contains(&format!("{name} = s32[] constant(20)")), "{}", session.text());
}

#[test]
fn a_shape_that_fits_the_entered_values_is_accepted_with_them() {
    let mut session = Session::new(of("negate"));
    session.apply(Action::SetValues(0, ValueRule::Text("{1,2,3,4,5}".to_owned())));
    assert_eq!(session.invalid_fields().len(), 1);
    let parameter = session.module().entry_computation().unwrap().parameters[0];
    session.apply(Action::SetShape(parameter, "s8[5]".to_owned()));
    assert!(session.invalid_fields().is_empty() && session.diagnostics().is_empty());
    assert_eq!(root_shape(&session), "s8[5]");
}

#[test]
fn typed_values_are_fitted_to_a_shape_that_the_form_changes() {
    let text = "HloModule m\n\nENTRY e {\n  x = s32[2,3] parameter(0)\n  ROOT n = s32[2,3] negate(x)\n}\n";
    let mut session = Session::new(Experiment::from_text(text));
    let parameter = session.module().entry_computation().unwrap().parameters[0];
    session.apply(Action::SetValues(0, ValueRule::Text("{{1,2,3},{4,5,7}}".to_owned())));
    let now = |session: &Session| match session.experiment().values(0) {
        ValueRule::Text(text) => text,
        other => panic!("{other:?}"),
    };
    let note = |session: &Session| session.notes()[0].message.localize(Language::ENGLISH);
    session.apply(Action::SetShape(parameter, "s32[3,2]".to_owned()));
    assert_eq!(now(&session), "{ { 1, 2 }, { 4, 5 }, { 0, 0 } }");
    assert_eq!((session.invalid_fields().len(), session.notes().len()), (0, 1));
    assert!(note(&session).contains("fitted"), "{}", note(&session));
    session.apply(Action::SetShape(parameter, "s32[4]".to_owned()));
    assert_eq!(now(&session).replace(' ', ""), "{1,2,4,5}");
    session.apply(Action::Undo);
    session.apply(Action::Undo);
    assert_eq!(now(&session), "{{1,2,3},{4,5,7}}");
    // Consecutive numbers count on, unless the type ends.
    session.apply(Action::SetValues(0, ValueRule::Text("{{1,2,3},{4,5,6}}".to_owned())));
    session.apply(Action::SetShape(parameter, "s32[2,4]".to_owned()));
    assert_eq!(now(&session), "{ { 1, 2, 3, 4 }, { 5, 6, 7, 8 } }");
    assert!(note(&session).contains("were continued"), "{}", note(&session));
    let mut bytes = Session::new(Experiment::from_text(text.replace("s32", "s8")));
    bytes.apply(Action::SetValues(0, ValueRule::Text("{{121,122,123},{124,125,126}}".to_owned())));
    bytes.apply(Action::SetShape(parameter, "s8[2,4]".to_owned()));
    assert_eq!(now(&bytes), "{ { 121, 122, 123, 0 }, { 124, 125, 126, 0 } }");
    let mut session = Session::new(Experiment::from_text(text));
    // A link is not changed, and neither is text that never had the shape.
    session.apply(Action::SetValues(0, ValueRule::Text("{1,2}".to_owned())));
    session.apply(Action::SetShape(parameter, "s32[5]".to_owned()));
    assert_eq!((now(&session).as_str(), session.invalid_fields().len()), ("{1,2}", 1));
}

#[test]
fn an_error_by_a_shape_is_also_at_the_attribute_that_is_to_change() {
    let mut session = Session::new(of("pad"));
    let parameters = session.module().entry_computation().unwrap().parameters.clone();
    session.apply(Action::SetShape(parameters[0], "s32[3]".to_owned()));
    for field in [FormField::Shape(parameters[0]), FormField::Attribute("padding")] {
        let problem = session.field(field).problem.unwrap_or_else(|| panic!("no error at {field:?}"));
        assert!(problem.hints.iter().any(|hint| !hint.edits.is_empty()), "{problem:?}");
    }
    let fix = session.field(FormField::Attribute("padding")).problem.unwrap().hints[0].clone();
    session.apply(Action::ApplyHint(fix));
    assert!(session.diagnostics().is_empty() && session.text().contains("padding=1_1"), "{}", session.text());
}
