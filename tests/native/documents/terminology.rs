//! *Shapes and layout*, "Terminology, notation, and conventions".

use serde_json::json;

use super::{terminal, terminal_json};

/// Row 4: the true rank counts dimensions whose size is greater than 1; XLA's code counts sizes other than 1. Machine
/// output has both.
#[test]
fn the_documented_true_rank_is_beside_the_implementations() {
    for (shape, rank, implemented, documented) in [
        ("f32[0,3]", 2, 2, 1),
        ("f32[1,3]", 2, 1, 1),
        ("f32[2,3]", 2, 2, 2),
        ("f32[]", 0, 0, 0),
        ("f32[0,0,1]", 3, 2, 0),
    ] {
        let report = terminal_json(&["layout", shape, "--json"]);
        let ranks = [&report["rank"], &report["true_rank"], &report["documented_true_rank"]];
        assert_eq!(ranks.map(|n| n.as_i64().unwrap()), [rank, implemented, documented], "{shape}");
    }
}

/// Row 14: dimensions of 2, 3 and 4 dimensional arrays have letters.
#[test]
fn the_terminal_prints_the_letters_of_the_dimensions() {
    for (shape, letters) in [
        ("f32[2,3]", json!(["y", "x"])),
        ("f32[2,3,4]", json!(["z", "y", "x"])),
        ("f32[2,3,4,5]", json!(["p", "z", "y", "x"])),
        ("f32[]", json!(null)),
        ("f32[1,1,1,1,1]", json!(null)),
    ] {
        assert_eq!(terminal_json(&["layout", shape, "--json"])["letters"], letters, "{shape}");
        let (_, out, _) = terminal(&["layout", shape]);
        let printed =
            out.lines().find_map(|line| line.strip_prefix("letters")).map(|rest| rest.trim().to_owned());
        let expected = letters
            .as_array()
            .map(|letters| letters.iter().map(|l| l.as_str().unwrap()).collect::<Vec<_>>().join(","));
        assert_eq!(printed, expected, "{out}");
    }
}
