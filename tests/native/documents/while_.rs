//! "While" (row 237).

use super::{Current, gives, is, rejected};
use xla_playground::i18n::Message;
use xla_playground::ops;

#[test]
fn while_nodes_are_not_nested_in_2017() {
    let nested = ops::find("while").unwrap().meta().history.change.unwrap().example.hlo;
    let error = rejected(nested);
    assert_eq!(error.rule, "while-nested");
    assert!(error.hints.iter().any(|hint| hint.message == Message::ops("instead-while")));
    assert_eq!(gives(Current, nested), is("s32[] 10"));
    // A call hides nothing.
    let called = "n = s32[] constant(0) ROOT r = while(n),
        condition={ a = s32[] parameter(0) ten = s32[] constant(10) ROOT c = compare(a, ten), direction=LT },
        body={ b = s32[] parameter(0) ROOT d = s32[] call(b), to_apply={
          e = s32[] parameter(0) ROOT f = while(e),
          condition={ g = s32[] parameter(0) five = s32[] constant(5) ROOT h = compare(g, five), direction=LT },
          body={ i = s32[] parameter(0) one = s32[] constant(1) ROOT j = add(i, one) } } }";
    assert_eq!(rejected(called).rule, "while-nested");
}

#[test]
fn two_loops_one_after_the_other_are_not_nested() {
    let one = "condition={ a = s32[] parameter(0) ten = s32[] constant(10) ROOT c = compare(a, ten), direction=LT },
        body={ i = s32[] parameter(0) one = s32[] constant(1) ROOT j = add(i, one) }";
    let text = format!("n = s32[] constant(0) first = while(n), {one} ROOT second = while(first), {one}");
    assert_eq!(gives(super::V2017, &text), is("s32[] 10"));
}
