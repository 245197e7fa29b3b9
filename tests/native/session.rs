//! Sessions: after any actions the document is valid, and every edit can be undone.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may panic")]

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use xla_playground::array::{ElementType, Layout, MemoryMap, PaddingValue, text};
use xla_playground::diagnostic::{Diagnostic, Severity};
use xla_playground::state::document::{ColourBy, Document, MAX_RANK, MAX_SLOTS, SlotText, ValueRule, check};
use xla_playground::state::presets::PRESETS;
use xla_playground::state::session::{Action, LinkChange, Session};
use xla_playground::view::array_view::ArrayView;
use xla_playground::view::colour_map::ColourMap;
use xla_playground::view::export::strip_text;

fn session(shape: &str) -> Session {
    Session::new(Document::with_shape(shape.parse().unwrap()))
}

fn shown(session: &Session) -> String {
    session.document().shape.to_string()
}

fn errors(session: &Session) -> Vec<Diagnostic> {
    session.parsed().diagnostics.iter().filter(|d| d.severity == Severity::Error).cloned().collect()
}

/// The result of an edit, as in the spec bar.
fn after(shape: &str, action: Action) -> String {
    let mut session = session(shape);
    assert_eq!(session.apply(action), LinkChange::Push);
    assert_eq!(session.text(), shown(&session));
    shown(&session)
}

#[test]
fn an_order_keeps_everything_else() {
    for (before, ascending, expected) in [
        ("f32[3,5]", true, "f32[3,5]{0,1}"),
        ("bf16[2,3,4]{1,2,0:T(2,2)}", true, "bf16[2,3,4]{0,1,2:T(2,2)}"),
        ("s8[2,3]{0,1} padded[3,5]=one", false, "s8[2,3]{1,0} padded[3,5]=one"),
    ] {
        assert_eq!(after(before, Action::SetOrder { ascending }), expected);
    }
}

#[test]
fn every_edit_has_its_effect_and_can_be_undone_and_redone() {
    let edits = [
        (Action::Type("f32[7]{0}".to_owned()), "f32[7]{0}"),
        (Action::Load(Box::new(PRESETS[5].document())), "f32[3,5]{1,0:T(2,2)}"),
        (Action::SetSize(1, 5), "f32[2,5]{0,1}"),
        (Action::SetPaddedSize(0, 3), "f32[2,3]{0,1} padded[3,3]=zero"),
        (Action::SetElementType(ElementType::BF16), "bf16[2,3]{0,1}"),
        (Action::MoveInOrder { from: 0, to: 1 }, "f32[2,3]{1,0}"),
        (Action::SetOrder { ascending: false }, "f32[2,3]{1,0}"),
        (Action::SetTiles(text_tiles("f32[2,3]{1,0:T(2,2)}")), "f32[2,3]{0,1:T(2,2)}"),
        (Action::AddDimension, "f32[2,3,2]{2,0,1}"),
        (Action::RemoveDimension(0), "f32[3]{0}"),
        (Action::SetValues(ValueRule::Iota), "f32[2,3]{0,1}"),
        (Action::SetComparedLayout(Some(Layout::descending(2))), "f32[2,3]{0,1}"),
    ];
    for (action, expected) in edits {
        let mut session = session("f32[2,3]{0,1}");
        let before = session.document().clone();
        assert!(!session.can_undo() && !session.can_redo());
        let typed = matches!(action, Action::Type(_));
        let change = session.apply(action.clone());
        assert_eq!(change, LinkChange::Push, "{action:?}");
        if typed {
            assert_eq!(session.apply(Action::CommitText), LinkChange::Keep);
        }
        assert_eq!((shown(&session).as_str(), session.text()), (expected, expected), "{action:?}");
        let after = session.document().clone();
        assert_ne!(before, after, "{action:?}");
        assert!(session.can_undo());
        assert_eq!(session.apply(Action::Undo), LinkChange::Push);
        assert_eq!((session.document(), session.text()), (&before, "f32[2,3]{0,1}"), "{action:?}");
        assert!(!session.can_undo() && session.can_redo());
        assert_eq!(session.apply(Action::Redo), LinkChange::Push);
        assert_eq!((session.document(), session.text()), (&after, expected), "{action:?}");
        assert_eq!(session.apply(Action::Redo), LinkChange::Keep);
    }
}

fn text_tiles(shape: &str) -> Vec<xla_playground::array::Tile> {
    let parsed = text::parse(shape);
    parsed.valid().unwrap().as_array().unwrap().layout.as_ref().unwrap().tiles.to_vec()
}

#[test]
fn padding_follows_sizes_and_gives_way_to_tiles() {
    let padded = "f32[2,3]{0,1} padded[3,5]=one";
    assert_eq!(after(padded, Action::SetSize(0, 4)), "f32[4,3]{0,1} padded[4,5]=one");
    assert_eq!(after(padded, Action::SetPaddedSize(1, 8)), "f32[2,3]{0,1} padded[3,8]=one");
    assert_eq!(
        after(padded, Action::SetPaddingValue(PaddingValue::Lowest)),
        "f32[2,3]{0,1} padded[3,5]=lowest"
    );
    assert_eq!(
        after(padded, Action::SetTiles(text_tiles("f32[2]{0:T(8,128)(2,1)}"))),
        "f32[2,3]{0,1:T(8,128)(2,1)}"
    );
    assert_eq!(after("f32[2,3]{0,1:T(2,2)}", Action::SetPaddedSize(0, 4)), "f32[2,3]{0,1} padded[4,3]=zero");
    assert_eq!(after("f32[2,3]{0,1} padded[2,4]=zero", Action::SetPaddedSize(1, 3)), "f32[2,3]{0,1}");
    assert_eq!(after(padded, Action::RemoveDimension(1)), "f32[2]{0} padded[3]=one");
    assert_eq!(after(padded, Action::AddDimension), "f32[2,3,2]{2,0,1} padded[3,5,2]=one");
}

#[test]
fn the_strip_of_the_documents_example_is_one_line_away() {
    let mut session = Session::new(Document::default());
    session.apply(Action::Type("f32[2,3]{0,1} padded[3,5]=zero".to_owned()));
    session.apply(Action::CommitText);
    let document = session.document();
    let view =
        ArrayView::new(document.array().unwrap(), &document.values, ColourBy::Slot, ColourMap::Viridis)
            .unwrap();
    assert_eq!(strip_text(&view), "a d 0 b e 0 c f 0 0 0 0 0 0 0");
}

#[test]
fn typing_is_one_step_of_undo_and_loses_nothing_on_the_way() {
    let mut session = session("f32[4,6]{1,0}");
    session.apply(Action::SetComparedLayout(Some(Layout::ascending(2))));
    session.apply(Action::MoveCursor(23));
    session.apply(Action::TogglePin { slot: 20, keep_others: true });
    let before = session.document().clone();
    // The intermediate shape has no such cursor and pin.
    // The first letter with an effect adds the history entry that the others replace.
    let letters = [
        ("f32[4,]{1,0}", LinkChange::Keep),
        ("f32[4,1]{1,0}", LinkChange::Push),
        ("f32[4,12]{1,0}", LinkChange::Replace),
    ];
    for (text, change) in letters {
        assert_eq!(session.apply(Action::Type(text.to_owned())), change, "{text}");
        assert_eq!(session.text(), text, "what is typed is left alone");
    }
    let typed = session.document().clone();
    assert_eq!((typed.cursor, typed.pins.as_slice(), &typed.compare), (23, &[20][..], &before.compare));
    session.apply(Action::CommitText);
    session.apply(Action::CommitText);
    session.apply(Action::Undo);
    assert_eq!(session.document(), &before);
    session.apply(Action::Redo);
    assert_eq!(session.document(), &typed);
}

#[test]
fn typing_values_is_one_undo_step() {
    let typed = |text: &str| ValueRule::Text(text.to_owned());
    let mut session = session("f32[3]");
    session.apply(Action::SetValues(ValueRule::Iota));
    assert_eq!(session.apply(Action::TypeValues("7".to_owned())), LinkChange::Push);
    assert_eq!(session.apply(Action::TypeValues("7,8,9".to_owned())), LinkChange::Replace);
    assert_eq!(session.document().values, typed("7,8,9"));
    session.apply(Action::CommitText);
    session.apply(Action::Undo);
    assert_eq!(session.document().values, ValueRule::Iota);
    session.apply(Action::Redo);
    assert_eq!(session.document().values, typed("7,8,9"));
}

#[test]
fn typed_values_come_back_after_others() {
    let mut session = session("f32[3]");
    session.apply(Action::RestoreTypedValues);
    assert_eq!(
        session.document().values,
        ValueRule::Text("0 1 2".to_owned()),
        "the present values, to be changed"
    );
    session.apply(Action::TypeValues("7,8,9".to_owned()));
    session.apply(Action::CommitText);
    session.apply(Action::SetValues(ValueRule::Random(1)));
    session.apply(Action::SetValues(ValueRule::Iota));
    session.apply(Action::RestoreTypedValues);
    assert_eq!(session.document().values, ValueRule::Text("7,8,9".to_owned()));
}

#[test]
fn typed_values_stay_while_the_number_of_elements_does() {
    let typed = |text: &str| ValueRule::Text(text.to_owned());
    for (values, shape, expected) in [
        ("{{1,2,3},{4,5,6}}", "f32[2,3]{0,1}", typed("{{1,2,3},{4,5,6}}")),
        ("{{1,2,3},{4,5,6}}", "f32[3,2]", typed("1,2,3,4,5,6")),
        ("1 2 3 4 5 6", "f32[3,2]", typed("1 2 3 4 5 6")),
        ("{1,2,3,4,5,6}", "f32[4,6]", ValueRule::default()),
    ] {
        let mut session = session("f32[2,3]");
        session.apply(Action::SetValues(typed(values)));
        session.apply(Action::Type(shape.to_owned()));
        assert_eq!(session.document().values, expected, "{values} {shape}");
        // What is lost is said, and how to get it back.
        assert_eq!(session.rejection().is_some(), expected == ValueRule::default(), "{values} {shape}");
        // They come back with their shape, also before the typing ends.
        session.apply(Action::Type("f32[2,3]".to_owned()));
        assert_eq!(session.document().values, typed(values), "{values} {shape}");
        session.apply(Action::SetSize(0, 3));
        assert_eq!(session.document().values, ValueRule::default(), "{values} {shape}");
        assert!(session.rejection().is_some());
        session.apply(Action::Undo);
        assert_eq!(
            (session.document().values.clone(), session.rejection()),
            (typed(values), None),
            "{values} {shape}"
        );
    }
}

#[test]
fn typing_without_a_net_change_is_not_an_undo_step() {
    let mut session = session("f32[4,6]{1,0}");
    session.apply(Action::MoveCursor(23));
    let before = session.document().clone();
    for text in ["f32[4,1]{1,0}", "f32[4,6]{1,0}"] {
        session.apply(Action::Type(text.to_owned()));
    }
    assert_eq!(session.apply(Action::CommitText), LinkChange::Keep);
    assert_eq!(session.document(), &before);
    assert!(!session.can_undo());
    // Text in another form is printed canonically.
    session.apply(Action::Type(" F32 [4,6]".to_owned()));
    session.apply(Action::Type("f32[ 4, 6 ]".to_owned()));
    session.apply(Action::CommitText);
    assert_eq!(session.text(), "f32[4,6]{1,0}");
}

#[test]
fn cursor_moves_while_typing_are_kept() {
    let mut session = session("f32[4,6]{1,0}");
    session.apply(Action::Type("f32[4,5]{1,0}".to_owned()));
    assert_eq!(session.apply(Action::MoveCursor(3)), LinkChange::Replace);
    assert_eq!(session.text(), "f32[4,5]{1,0}");
    session.apply(Action::Type("f32[4,55]{1,0}".to_owned()));
    assert_eq!(session.document().cursor, 3);
    session.apply(Action::Undo);
    assert_eq!(shown(&session), "f32[4,6]{1,0}");
    // New typing clears the redo list, even before it is committed.
    session.apply(Action::Type("f32[9]{0}".to_owned()));
    assert_eq!(session.apply(Action::Redo), LinkChange::Keep);
    assert_eq!(shown(&session), "f32[9]{0}");
    session.apply(Action::Undo);
    assert_eq!(shown(&session), "f32[4,6]{1,0}");
}

#[test]
fn a_rejected_edit_keeps_the_state_and_says_why() {
    let cases = [
        (Action::SetSize(0, -1), "cannot be negative"),
        (Action::SetSize(0, 1 << 40), "at most 67108864"),
        (Action::SetSize(0, i64::MAX), "64-bit"),
        (Action::SetPaddedSize(1, 2), "cannot be padded to 2"),
        (Action::SetPaddedSize(0, 1 << 30), "at most 67108864"),
        (Action::SetTiles(vec![xla_playground::array::Tile::default()]), "at least one size"),
    ];
    for (action, why) in cases {
        let mut session = session("f32[2,3]{0,1}");
        let before = session.document().clone();
        assert_eq!(session.apply(action.clone()), LinkChange::Keep, "{action:?}");
        let message = session.rejection().expect("a reason").to_string();
        assert!(message.contains(why), "{action:?}: {message}");
        assert_eq!(
            (session.document(), session.text(), session.can_undo()),
            (&before, "f32[2,3]{0,1}", false)
        );
        session.apply(Action::MoveCursor(1));
        assert_eq!(session.rejection(), None, "it is said once");
    }
    let mut tokens = session("(token[], opaque[])");
    assert_eq!(tokens.apply(Action::SetSize(0, 1)), LinkChange::Keep);
    assert_eq!(tokens.rejection().unwrap().to_string(), "the shape contains no array to edit");
    let most = ["1"; MAX_RANK].join(",");
    let mut full = session(&format!("f32[{most}]"));
    assert_eq!(full.apply(Action::AddDimension), LinkChange::Keep);
    assert!(full.rejection().unwrap().to_string().contains("rank 12"));
}

#[test]
fn errors_in_the_text_keep_the_last_good_shape_and_the_fix_makes_it_valid() {
    let broken = [
        ("f32[2,3]{0,0}", "layout-4"),
        ("f32[2,3", "text-missing"),
        ("f33[2,3]", "text-type"),
        ("f32[2,3]{0,1} padded[1,5]=zero", "layout-6"),
        ("f32[-1]", "shape-2"),
        ("f32[100000,100000]", "limit-cells"),
        ("f32[100000,100000,100000]{0,1,2}", "limit-cells"),
        ("f32[3,3]{0,1} padded[3,100000000]=one", "limit-cells"),
        ("(f32[2], f32[9000,9000]{0,1:T(8,128)})", "limit-cells"),
        ("(f32[90000,9000], f32[9000,90000])", "limit-cells"),
        ("f32[1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "limit-rank"),
        ("f32[?,3]", "memory-unbounded"),
        ("f32[<=100000,100000]", "limit-cells"),
    ];
    for (text, rule) in broken {
        let mut session = session("f32[2,3]{0,1}");
        let before = session.document().clone();
        assert_eq!(session.apply(Action::Type(text.to_owned())), LinkChange::Keep, "{text}");
        assert_eq!((session.document(), session.text()), (&before, text));
        assert!(!session.can_undo(), "{text}");
        // A tuple may need a fix for each of its arrays.
        for round in 0..3 {
            let errors = errors(&session);
            let Some(error) = errors.first() else { break };
            assert!(round > 0 || error.rule == rule || rule == "text-type", "{text}: {}", error.rule);
            let hint = error.hints.iter().find(|hint| !hint.edits.is_empty()).expect("an edit");
            session.apply(Action::ApplyHint(hint.clone()));
        }
        assert!(errors(&session).is_empty(), "{text} → {}: {:?}", session.text(), errors(&session));
        assert_eq!(session.text(), shown(&session), "{text}");
        assert_eq!(check(&session.document().shape), Ok(()));
    }
}

#[test]
fn a_limit_is_reported_with_numbers_and_a_minimal_fix() {
    let mut session = session("f32[2,3]{0,1}");
    session.apply(Action::Type("f32[3,40000000]".to_owned()));
    let error = &errors(&session)[0];
    let said = error.message.to_string();
    assert!(said.contains("120000000") && said.contains(&MAX_SLOTS.to_string()), "{said}");
    assert_eq!(error.hints[0].message.to_string(), "change the size of dimension 1 to 20000000");
    // If no size helps, no fix is offered.
    session.apply(Action::Type("f32[1]{0:T(100000000)}".to_owned()));
    let error = &errors(&session)[0];
    assert!(error.hints.iter().all(|hint| hint.edits.is_empty()), "{:?}", error.hints);
}

/// Any action, sensible or not.
fn action() -> BoxedStrategy<Action> {
    let number = || prop_oneof![8 => -1_i64..9, 1 => -5_i64..100_000, 1 => any::<i64>()];
    let d = || 0_usize..8;
    let texts: Vec<String> = PRESETS
        .iter()
        .filter(|preset| !preset.name.contains("million"))
        .map(|preset| preset.spec.to_owned())
        .chain(
            ["f32[2,3]{0,0}", "f32[", "token[]", "()", "f32[2,3,4]", "f32[99999,99999]", ""]
                .map(str::to_owned),
        )
        .collect();
    let layout = vec(1_i64..3, 0..5).prop_flat_map(crate::random::layout);
    prop_oneof![
        2 => select(texts).prop_map(Action::Type),
        1 => crate::random::shape().prop_map(|shape| Action::Type(shape.to_string())),
        1 => Just(Action::CommitText),
        1 => crate::random::document().prop_map(|document| Action::Load(Box::new(document))),
        2 => (d(), number()).prop_map(|(d, n)| Action::SetSize(d, n)),
        2 => (d(), number()).prop_map(|(d, n)| Action::SetPaddedSize(d, n)),
        1 => select(&PaddingValue::ALL[..]).prop_map(Action::SetPaddingValue),
        1 => select(ElementType::ALL).prop_map(Action::SetElementType),
        2 => (d(), d()).prop_map(|(from, to)| Action::MoveInOrder { from, to }),
        1 => vec(crate::random::tile(), 0..3).prop_map(Action::SetTiles),
        1 => Just(Action::AddDimension),
        1 => d().prop_map(Action::RemoveDimension),
        1 => crate::random::values().prop_map(Action::SetValues),
        1 => d().prop_map(Action::SelectLeaf),
        1 => proptest::option::of(layout).prop_map(Action::SetComparedLayout),
        1 => any::<bool>().prop_map(|on| Action::SetColour(if on { ColourBy::Value } else { ColourBy::Slot })),
        1 => any::<bool>().prop_map(|on| Action::SetSlotText(if on { SlotText::Bytes } else { SlotText::Value })),
        1 => number().prop_map(Action::SetLineBytes),
        1 => (d(), d()).prop_map(|(rows, columns)| Action::SetAxes(rows, columns)),
        1 => (prop_oneof![9 => d(), 1 => Just(usize::MAX)], number()).prop_map(|(d, n)| Action::SetSliderIndex(d, n)),
        2 => number().prop_map(Action::MoveCursor),
        2 => (number(), any::<bool>()).prop_map(|(slot, keep_others)| Action::TogglePin { slot, keep_others }),
        1 => Just(Action::ClearPins),
        2 => Just(Action::Undo),
        1 => Just(Action::Redo),
    ]
    .boxed()
}

/// The invariants of a session.
fn check_session(session: &Session) -> Result<(), TestCaseError> {
    let document = session.document();
    let mut normalized = document.clone();
    prop_assert_eq!(normalized.normalize(), Ok(()));
    prop_assert_eq!(&normalized, document, "the document is normalized");
    let parsed = text::parse(session.text());
    if errors(session).is_empty() {
        prop_assert_eq!(parsed.valid(), Some(&document.shape), "{}", session.text());
    }
    if let Some(array) = document.array() {
        let map = MemoryMap::new(array).unwrap();
        let (cells, rank) = (map.slot_count(), array.rank());
        prop_assert!(cells <= MAX_SLOTS && rank <= MAX_RANK);
        prop_assert!(document.cursor == 0 || (0..cells).contains(&document.cursor));
        prop_assert!(document.pins.iter().all(|pin| (0..cells).contains(pin)));
        prop_assert!(document.view.axes.is_none_or(|(r, c)| r < rank && c < rank && r != c));
        let indices = document.view.slider_indices.iter().zip(map.padded_sizes());
        prop_assert!(document.view.slider_indices.len() <= rank);
        prop_assert!(indices.clone().all(|(at, size)| *at == 0 || (0..*size).contains(at)));
        if let Some(other) = &document.compare {
            prop_assert!(MemoryMap::new(&array.clone().with_layout(other.clone())).is_ok());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, max_shrink_iters: 400, ..ProptestConfig::default() })]

    /// 200 random actions; then undoing all of them restores the first shape, values and comparison.
    #[test]
    fn any_sequence_of_actions_keeps_the_document_valid(
        first in crate::random::document(),
        actions in vec(action(), 200),
    ) {
        let mut session = Session::new(first.clone());
        let mut shown = first.clone();
        if shown.view.slider_indices.is_empty() {
            shown.reveal_cursor();
        }
        prop_assert_eq!(session.document(), &shown, "sliders show the link's cell unless the link sets them");
        for action in actions {
            let (before, said) = (session.document().clone(), format!("{action:?}"));
            let change = session.apply(action);
            check_session(&session).map_err(|e| TestCaseError::fail(format!("after {said}: {e}")))?;
            if change == LinkChange::Keep {
                prop_assert_eq!(session.document(), &before, "{}", said);
            }
            // An applicable fix never breaks the session.
            let hint = errors(&session).first().and_then(|e| e.hints.first().cloned());
            if let Some(hint) = hint.filter(|hint| !hint.edits.is_empty()) {
                session.apply(Action::ApplyHint(hint));
                check_session(&session)?;
            }
        }
        while session.can_undo() {
            session.apply(Action::Undo);
        }
        let start = session.document();
        prop_assert_eq!((&start.shape, &start.values), (&first.shape, &first.values));
        check_session(&session)?;
        while session.can_redo() {
            session.apply(Action::Redo);
            check_session(&session)?;
        }
    }
}

#[test]
fn a_compared_layout_returns_when_the_selection_of_another_array_is_undone() {
    let mut session = session("(f32[2,3]{1,0}, s32[4]{0})");
    let compared = Layout::descending(2);
    session.apply(Action::SetComparedLayout(Some(compared.clone())));
    assert_eq!(session.apply(Action::SelectLeaf(0)), LinkChange::Keep);
    assert_eq!(session.apply(Action::SelectLeaf(1)), LinkChange::Push);
    assert_eq!(session.document().compare, None);
    session.apply(Action::Undo);
    assert_eq!((session.document().leaf, &session.document().compare), (0, &Some(compared)));
}

#[test]
fn a_shape_of_another_rank_starts_at_its_first_slot() {
    let mut session = session("f32[2,3]{1,0}");
    session.apply(Action::MoveCursor(4));
    session.apply(Action::TogglePin { slot: 5, keep_others: true });
    session.apply(Action::Type("f32[2,3,2]".to_owned()));
    assert_eq!((session.document().cursor, session.document().pins.len()), (0, 0));
    session.apply(Action::Type("f32[2,4]".to_owned()));
    assert_eq!((session.document().cursor, session.document().pins.len()), (4, 1));
}
