//! *Shapes and layout*, "Minor-to-major dimension ordering".

use serde_json::json;
use xla_playground::array::Shape;
use xla_playground::array::layout_util::NamedOrder;
use xla_playground::i18n::Language;

use super::{chinese, terminal, terminal_json};

fn order(shape: &str) -> Option<String> {
    let (_, out, _) = terminal(&["layout", shape]);
    out.lines().find_map(|line| line.strip_prefix("order")).map(|rest| rest.trim().to_owned())
}

fn in_chinese(shape: &str) -> String {
    let parsed: Shape = shape.parse().unwrap();
    let array = parsed.as_array().unwrap();
    let message = NamedOrder::of_array(array).unwrap().message(array.rank());
    assert_eq!(Some(message.localize(Language::ENGLISH)), order(shape));
    chinese(&message)
}

/// Row 25: the order 0 … N-1 is akin to column-major at rank 2, and another name is "dim 0 is minor".
#[test]
fn ascending_orders_have_both_names() {
    assert_eq!(order("f32[2,3]{0,1}").as_deref(), Some("column-major (d0 is minor)"));
    assert_eq!(order("f32[2,3,4]{0,1,2}").as_deref(), Some("d0 is minor (like column-major)"));
    assert_eq!(in_chinese("f32[2,3]{0,1}"), "列主序（d0 是最次序）");
    assert_eq!(in_chinese("f32[2,3,4]{0,1,2}"), "d0 是最次序（类似列主序）");
    for shape in ["f32[2,3]{0,1}", "f32[2,3,4]{0,1,2}"] {
        let report = terminal_json(&["layout", shape, "--json"]);
        assert_eq!(report["order"], json!(["dim 0 is minor", "column-major"]));
    }
}

/// Row 26: the order N-1 … 0 is akin to row-major at rank 2, and another name is "dim 0 is major".
#[test]
fn descending_orders_have_both_names() {
    assert_eq!(order("f32[2,3]{1,0}").as_deref(), Some("row-major (d0 is major)"));
    assert_eq!(order("f32[2,3]").as_deref(), Some("row-major (d0 is major)"));
    assert_eq!(order("f32[2,3,4]{2,1,0}").as_deref(), Some("d0 is major (like row-major)"));
    assert_eq!(in_chinese("f32[2,3]{1,0}"), "行主序（d0 是最主序）");
    assert_eq!(in_chinese("f32[2,3,4]{2,1,0}"), "d0 是最主序（类似行主序）");
    let report = terminal_json(&["layout", "f32[2,3,4]", "--json"]);
    assert_eq!(report["order"], json!(["dim 0 is major", "row-major"]));
    // Other orders have no name, and below rank 2 there is nothing to order.
    for shape in ["f32[2,3,4]{1,0,2}", "f32[2]{0}", "f32[]"] {
        assert_eq!(order(shape), None, "{shape}");
        assert_eq!(terminal_json(&["layout", shape, "--json"])["order"], json!(null), "{shape}");
    }
}
