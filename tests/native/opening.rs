//! What an editing session has open: the chosen edition stays, ops stay as they were left, examples come back.

use xla_playground::array::Edition;
use xla_playground::documents;
use xla_playground::i18n::Language;
use xla_playground::state::document::ValueRule;
use xla_playground::state::experiment::Experiment;
use xla_playground::state::experiment::session::{Action, Session};

fn typed(text: &str) -> ValueRule {
    ValueRule::Text(text.to_owned())
}

fn open(session: &mut Session, name: &str) {
    session.apply(Action::Open(name.to_owned()));
}

fn opened(name: &str) -> Session {
    let mut session = Session::new(documents::first_experiment(name).unwrap());
    session.set_opened_example(documents::first_experiment(name).unwrap());
    session
}

fn note(session: &Session) -> String {
    session.edition_note().map(|note| note.localize(Language::ENGLISH)).unwrap_or_default()
}

#[test]
fn an_op_is_found_as_it_was_left_and_its_example_comes_back() {
    let mut session = opened("pad");
    assert_eq!((session.is_edited(), session.saved_experiments().len()), (Some(false), 0));
    session.apply(Action::SetValues(0, typed("{7, 8, 9}")));
    session.apply(Action::SetAttribute("padding", "2_0".to_owned()));
    assert_eq!(session.is_edited(), Some(true));
    let left = session.experiment().clone();
    open(&mut session, "dot");
    assert_eq!(session.experiment().text, documents::first_experiment("dot").unwrap().text);
    open(&mut session, "pad");
    assert_eq!((session.experiment(), session.is_edited()), (&left, Some(true)));
    session.apply(Action::Restart);
    assert_eq!(session.experiment().text, documents::first_experiment("pad").unwrap().text);
    assert_eq!(session.is_edited(), Some(false));
    session.apply(Action::Undo);
    assert_eq!(session.experiment(), &left);
    session.apply(Action::Redo);
    // The dot was not edited: nothing is kept of it, and no longer of the pad.
    open(&mut session, "dot");
    assert!(session.saved_experiments().is_empty(), "{:?}", session.saved_experiments().keys());
}

#[test]
fn undo_does_not_return_to_what_the_gallery_never_showed() {
    let mut session = Session::new(Experiment::empty());
    assert!(session.is_gallery());
    open(&mut session, "pad");
    assert!(!session.can_undo());
    let pad = session.experiment().clone();
    open(&mut session, "dot");
    session.apply(Action::Undo);
    assert_eq!(session.experiment(), &pad);
}

#[test]
fn stablehlo_becomes_hlo_and_keeps_its_own_errors() {
    let text = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %y = stablehlo.negate %x : tensor<2xf32>\n  \
        return %y : tensor<2xf32>\n}";
    let is_negation = |session: &Session| session.focus().is_some_and(|(_, root)| root.opcode == "negate");
    let mut session = opened("pad");
    session.apply(Action::Type(text.to_owned()));
    assert!(session.text().starts_with("HloModule"), "{}", session.text());
    assert!(is_negation(&session));
    session.apply(Action::CommitText);
    session.apply(Action::Undo);
    assert_eq!(session.experiment().text, documents::first_experiment("pad").unwrap().text);
    let mut session = opened("pad");
    session.apply(Action::Load(Box::new(Experiment::from_text(text))));
    assert!(is_negation(&session), "{}", session.text());
    let wrong = text.replace("negate", "negatte");
    session.apply(Action::Type(wrong.clone()));
    assert_eq!(session.text(), wrong);
    let errors: Vec<String> =
        session.diagnostics().iter().map(|error| error.message.localize(Language::ENGLISH)).collect();
    assert!(errors.iter().any(|error| error.contains("negatte")), "{errors:?}");
    assert!(!errors.iter().any(|error| error.contains("HloModule")), "{errors:?}");
}

#[test]
fn a_chosen_example_and_a_chain_are_kept_under_the_op_that_they_show() {
    let mut session = opened("pad");
    let second = documents::experiment("pad", 1).unwrap();
    session.apply(Action::Example(Box::new(second.clone())));
    assert_eq!(
        (session.is_edited(), session.opened_example().map(|example| &example.original)),
        (Some(false), Some(&second))
    );
    open(&mut session, "dot");
    open(&mut session, "pad");
    assert_eq!(session.experiment().text, second.text);
    // An op that is applied to the result leaves the op before as it was.
    let next = xla_playground::state::experiment::next::next_ops(session.experiment(), session.module());
    let negate = next.into_iter().find(|next| next.meta.opcode == "negate").unwrap().outcome.unwrap();
    session.apply(Action::Load(Box::new(negate.clone())));
    assert_eq!(session.opened_example(), None);
    open(&mut session, "pad");
    assert_eq!(session.experiment().text, second.text);
    open(&mut session, "negate");
    assert_eq!(session.experiment().text, negate.text);
}

#[test]
fn selecting_another_instruction_leaves_its_op_alone() {
    let mut session = opened("opt-barrier");
    let begun = session.experiment().text.clone();
    let root = session.module().entry_computation().unwrap().root.unwrap();
    session.apply(Action::SelectInstruction(root));
    let selected = session.focus().unwrap().1.opcode.clone();
    assert_eq!(selected, "get-tuple-element");
    open(&mut session, &selected);
    assert_eq!(session.experiment().text, documents::first_experiment(&selected).unwrap().text);
    assert!(session.saved_experiments().is_empty(), "{:?}", session.saved_experiments().keys());
    // What was edited is kept under the op that was opened, with that selected.
    open(&mut session, "opt-barrier");
    session.apply(Action::SetValues(1, typed("7")));
    let root = session.module().entry_computation().unwrap().root.unwrap();
    session.apply(Action::SelectInstruction(root));
    open(&mut session, &selected);
    assert_eq!(session.saved_experiments().keys().collect::<Vec<_>>(), ["opt-barrier"]);
    open(&mut session, "opt-barrier");
    assert_eq!(session.experiment().text, begun);
    assert_eq!(
        (session.focus().unwrap().1.opcode.as_str(), session.is_edited()),
        ("opt-barrier", Some(true))
    );
}

#[test]
fn an_entry_whose_instruction_is_not_selected_is_found_again() {
    let mut session = opened("Collapse");
    let computation = session.module().entry_computation().unwrap();
    let parameter = computation.parameters[0];
    session.apply(Action::SelectInstruction(parameter));
    open(&mut session, "dot");
    assert!(session.saved_experiments().is_empty(), "{:?}", session.saved_experiments().keys());
    open(&mut session, "Collapse");
    assert_eq!(session.document_entry().map(|entry| entry.name), Some("Collapse"));
}

#[test]
fn the_edition_stays_until_one_changes_it() {
    let mut session = opened("pad");
    session.apply(Action::SetEdition(Edition::V2017));
    assert_eq!(session.is_edited(), Some(false), "the edition is not part of an example");
    for name in ["dot", "Reshape", "dynamic-slice"] {
        open(&mut session, name);
        assert_eq!((session.edition(), session.has_invalid_text()), (Edition::V2017, false), "{name}");
    }
    let joined = note(&session);
    assert!(joined.contains("a vector of one element, with the same value."), "{joined}");
    // What came later is shown in the edition that has it, and says so.
    open(&mut session, "iota");
    assert_eq!((session.edition(), session.has_invalid_text()), (Edition::Current, false));
    assert!(note(&session).contains("not available in XLA 2017"), "{}", note(&session));
    assert_eq!(session.chosen_edition(), Edition::V2017);
    open(&mut session, "pad");
    assert_eq!((session.edition(), note(&session)), (Edition::V2017, String::new()));
    // An example that shows XLA 2017 does not choose it.
    let mut session = opened("pad");
    let of_2017 = documents::entries().find_map(|entry| {
        let of_2017 = |example: &&documents::Example| example.edition == Some(Edition::V2017);
        entry.examples.iter().find(of_2017).map(|example| example.experiment(entry))
    });
    session.apply(Action::Example(Box::new(of_2017.unwrap())));
    assert_eq!((session.edition(), session.chosen_edition()), (Edition::V2017, Edition::Current));
    open(&mut session, "pad");
    assert_eq!(session.edition(), Edition::Current);
}

#[test]
fn start_indices_follow_the_edition_with_their_values() {
    let mut session = opened("dynamic-slice");
    let block = documents::experiment("dynamic-slice", 1).unwrap();
    session.apply(Action::Example(Box::new(block)));
    session.apply(Action::SetValues(1, typed("3")));
    session.apply(Action::SetValues(2, typed("2")));
    let before = session.experiment().clone();
    session.apply(Action::SetEdition(Edition::V2017));
    assert!(!session.has_invalid_text() && session.diagnostics().is_empty(), "{}", session.text());
    assert_eq!(session.experiment().values[1..], [typed("{3, 2}")]);
    assert_eq!(
        note(&session).replace(['\u{2068}', '\u{2069}'], ""),
        "XLA 2017 takes the start indices in one vector: i, j became start, with the same values."
    );
    session.apply(Action::SetEdition(Edition::Current));
    assert_eq!(session.experiment(), &before);
    // One step each.
    session.apply(Action::Undo);
    assert_eq!((session.edition(), session.chosen_edition()), (Edition::V2017, Edition::V2017));
    session.apply(Action::Undo);
    assert_eq!(session.experiment(), &before);
}

#[test]
fn undo_keeps_the_chosen_edition_unless_it_undoes_its_choice() {
    let mut session = opened("pad");
    session.apply(Action::SetEdition(Edition::V2017));
    open(&mut session, "iota");
    let about_iota = note(&session);
    session.apply(Action::SetSeed(5));
    session.apply(Action::Undo);
    assert_eq!((session.chosen_edition(), note(&session)), (Edition::V2017, about_iota.clone()));
    session.apply(Action::Redo);
    assert_eq!((session.chosen_edition(), note(&session)), (Edition::V2017, about_iota.clone()));
    // So does the revert of text with errors.
    session.apply(Action::Type("x".to_owned()));
    session.apply(Action::Undo);
    assert_eq!((session.chosen_edition(), note(&session)), (Edition::V2017, about_iota.clone()));
    // The edition that iota has is chosen without a change of the experiment: later steps keep it.
    session.apply(Action::SetEdition(Edition::Current));
    session.apply(Action::SetSeed(6));
    session.apply(Action::Undo);
    assert_eq!((session.chosen_edition(), note(&session)), (Edition::Current, String::new()));
    for _ in 0..2 {
        session.apply(Action::Undo);
    }
    assert_eq!((session.edition(), session.chosen_edition()), (Edition::V2017, Edition::V2017));
    session.apply(Action::Undo);
    assert_eq!((session.edition(), session.chosen_edition()), (Edition::Current, Edition::Current));
    // An edition that rejects the text is chosen until that is undone.
    open(&mut session, "iota");
    session.apply(Action::SetEdition(Edition::V2017));
    assert_eq!((session.has_invalid_text(), session.chosen_edition()), (true, Edition::V2017));
    session.apply(Action::Undo);
    assert_eq!((session.has_invalid_text(), session.chosen_edition()), (false, Edition::Current));
}

#[test]
fn start_indices_that_undo_joins_again_can_be_split() {
    let example = documents::experiment("dynamic-slice", 1).unwrap();
    let mut session = opened("dynamic-slice");
    session.apply(Action::Example(Box::new(example.clone())));
    session.apply(Action::SetEdition(Edition::V2017));
    session.apply(Action::SetEdition(Edition::Current));
    session.apply(Action::Undo);
    assert!(session.text().contains("start = s32[2]"), "{}", session.text());
    session.apply(Action::SetEdition(Edition::Current));
    assert_eq!(session.text(), example.text);
    // The redo of the other way, too.
    session.apply(Action::Undo);
    session.apply(Action::Undo);
    session.apply(Action::Redo);
    session.apply(Action::SetEdition(Edition::Current));
    assert_eq!(session.text(), example.text);
}

#[test]
fn an_example_is_unedited_after_the_undo_of_an_edition() {
    let mut session = opened("dynamic-slice");
    session.apply(Action::Example(Box::new(documents::experiment("dynamic-slice", 1).unwrap())));
    session.apply(Action::SetEdition(Edition::V2017));
    assert_eq!(session.is_edited(), Some(false));
    session.apply(Action::Undo);
    assert_eq!(session.is_edited(), Some(false));
    session.apply(Action::Redo);
    assert_eq!(session.is_edited(), Some(false));
    session.apply(Action::SetSeed(9));
    assert_eq!(session.is_edited(), Some(true));
}

#[test]
fn the_fix_of_a_text_with_scalar_start_indices_joins_their_values() {
    let mut link = documents::experiment("dynamic-slice", 1).unwrap();
    link.edition = Edition::V2017;
    let mut session = Session::new(link);
    let fix = session.diagnostics()[0].hints[0].clone();
    session.apply(Action::ApplyHint(fix));
    assert_eq!(session.experiment().values[1], typed("{2, 1}"));
    assert!(!session.text().contains("reshape"), "{}", session.text());
}

#[test]
fn what_was_kept_before_the_page_was_loaded_is_found_again() {
    let mut pad = documents::first_experiment("pad").unwrap();
    pad.set_values(0, typed("{4, 5, 6}"));
    let mut session = opened("dot").with_saved_experiments([("pad".to_owned(), pad.clone())]);
    open(&mut session, "pad");
    assert_eq!(session.experiment().values, pad.values);
    // Without the example it began with, the first one comes back.
    session.apply(Action::Restart);
    assert_eq!(session.experiment().values, documents::first_experiment("pad").unwrap().values);
}
