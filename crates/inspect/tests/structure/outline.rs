//! The rows of the outline.

use std::collections::BTreeSet;

use test_support::Random;
use xla_hlo::{InstructionId, Module};
use xla_inspect::calls::CallSite;
use xla_inspect::outline::{Folds, Group, Outline, Row, Unfolded};
use xla_ops::ComputationId;

use crate::modules;

/// A row as depth, instruction and group.
type Plain = (u32, Option<(ComputationId, InstructionId)>, Option<Group>);

fn plain(row: &Row) -> Plain {
    (row.depth, row.instruction.as_ref().map(|i| i.id), row.group.as_ref().map(|g| g.group))
}

/// All rows, by recursion.
fn all_rows(outline: &Outline, folds: &Folds) -> Vec<Plain> {
    fn body(outline: &Outline, folds: &Folds, id: ComputationId, depth: u32, rows: &mut Vec<Plain>) {
        for instruction in outline.order(id) {
            let calls = outline.calls().calls_by((id, *instruction));
            let group = |site: CallSite| Some(Group::Call(site));
            let only = if let [call] = calls { group(call.site) } else { None };
            rows.push((depth, Some((id, *instruction)), only));
            for call in calls {
                let has_header = calls.len() > 1;
                if has_header {
                    rows.push((depth + 1, None, group(call.site)));
                }
                if folds.is_open(Group::Call(call.site)) {
                    body(outline, folds, call.callee, depth + 1 + u32::from(has_header), rows);
                }
            }
        }
    }
    let mut rows = Vec::new();
    for root in outline.calls().roots() {
        rows.push((0, None, Some(Group::Root(*root))));
        if folds.is_open(Group::Root(*root)) {
            body(outline, folds, *root, 1, &mut rows);
        }
    }
    rows
}

/// Random folds of a module.
fn folds(outline: &Outline, random: &mut Random) -> Folds {
    let mut folds = if random.one_in(2) { Folds::all_open() } else { Folds::all_folded() };
    for call in outline.calls().calls() {
        folds.set_open(Group::Call(call.site), !random.one_in(3));
    }
    for root in outline.calls().roots() {
        folds.set_open(Group::Root(*root), !random.one_in(4));
    }
    folds
}

#[test]
fn pages_equal_the_whole_list() {
    let mut random = Random::new(1);
    let mut most = 0;
    for module in modules::samples() {
        let outline = Outline::new(&module);
        let folds = folds(&outline, &mut random);
        let expected = all_rows(&outline, &folds);
        if expected.len() > 20_000 {
            continue;
        }
        most = most.max(expected.len());
        let unfolded = Unfolded::new(&outline, &folds);
        assert_eq!(unfolded.total(), expected.len() as u64);
        let all: Vec<Plain> = unfolded.page(&module, 0, usize::MAX).rows.iter().map(plain).collect();
        assert_eq!(all, expected);
        for _ in 0..40 {
            let (start, count) = (random.below(expected.len() + 3), random.below(30));
            let page = unfolded.page(&module, start as u64, count);
            let rows: Vec<Plain> = page.rows.iter().map(plain).collect();
            let end = expected.len().min(start + count);
            assert_eq!(rows, expected.get(start..end).unwrap_or_default());
        }
    }
    assert!(most > 300, "{most}");
}

#[test]
fn every_row_is_found_by_its_call_path() {
    let mut random = Random::new(2);
    let mut found = 0;
    for module in modules::samples().take(30) {
        let outline = Outline::new(&module);
        let folds = folds(&outline, &mut random);
        let rows = all_rows(&outline, &folds);
        let unfolded = Unfolded::new(&outline, &folds);
        let mut located = BTreeSet::new();
        for id in (0..).map(ComputationId).take(module.computations.len()) {
            for path in outline.calls().paths(id, 200) {
                for instruction in outline.order(id) {
                    let target = (id, *instruction);
                    let groups = outline.groups_around(target, &path).unwrap();
                    let row = unfolded.row_number(target, &path);
                    assert_eq!(row.is_some(), groups.iter().all(|group| folds.is_open(*group)));
                    if let Some(row) = row {
                        assert_eq!(rows[usize::try_from(row).unwrap()].1, Some(target));
                        assert!(located.insert(row), "two paths lead to row {row}");
                    }
                }
            }
        }
        found += located.len();
    }
    assert!(found > 500, "{found}");
}

#[test]
fn opening_the_groups_around_an_instruction_shows_it() {
    let module = modules::nested(10_000, 1);
    let outline = Outline::new(&module);
    let target = (ComputationId(0), InstructionId(1));
    let path = outline.calls().paths(target.0, 1).remove(0);
    let mut folds = outline.initial_folds();
    assert_eq!(Unfolded::new(&outline, &folds).row_number(target, &path), None);
    for group in outline.groups_around(target, &path).unwrap() {
        folds.set_open(group, true);
    }
    let unfolded = Unfolded::new(&outline, &folds);
    let row = unfolded.row_number(target, &path).unwrap();
    let page = unfolded.page(&module, row, 1);
    assert_eq!((page.rows[0].depth, page.rows[0].instruction.as_ref().unwrap().id), (10_001, target));
    // Paths that do not lead to the instruction.
    assert_eq!(outline.groups_around(target, &[]), None);
    assert_eq!(outline.groups_around(target, &path[1..]), None);
    assert_eq!(outline.groups_around((ComputationId(1), InstructionId(0)), &path), None);
}

#[test]
fn a_program_that_expands_without_end_is_paged() {
    let module = modules::nested(50, 2);
    let outline = Outline::new(&module);
    let folds = Folds::all_open();
    let unfolded = Unfolded::new(&outline, &folds);
    // Each of the 49 levels has a parameter and two calls; the innermost computation has two instructions.
    let rows = 1 + 2 + 3 * ((1_u64 << 49) - 1) + 2 * (1 << 49);
    assert_eq!(unfolded.total(), rows);
    let last = unfolded.page(&module, rows - 1, 10);
    assert_eq!(last.rows.len(), 1);
    assert_eq!(last.rows[0].instruction.as_ref().unwrap().id, (ComputationId(0), InstructionId(1)));
    let middle = unfolded.page(&module, rows / 2, 100);
    assert_eq!(middle.rows.len(), 100);
}

#[test]
fn rows_follow_the_data_flow_and_describe_their_groups() {
    let module = modules::module(
        "HloModule m
        unused { q = f32[] parameter(0) ROOT n = f32[] negate(q) }
        f { a = f32[4]{0} parameter(0) ROOT b = f32[4]{0} negate(a) }
        g { a = f32[4]{0} parameter(0) ROOT b = f32[4]{0} abs(a) }
        ENTRY e {
          one = f32[4]{0} constant({1, 2, 3, 4})
          dead = f32[4]{0} negate(one)
          x = f32[4]{0} parameter(1)
          i = s32[] parameter(0)
          s = f32[4]{0} multiply(x, one)
          k = f32[4]{0} fusion(x), kind=kLoop, calls=f
          ROOT c = f32[4]{0} conditional(i, k, s), branch_computations={f, g}
        }",
    );
    let outline = Outline::new(&module);
    let page = |folds: &Folds| Unfolded::new(&outline, folds).page(&module, 0, 100).rows;
    let names = |rows: &[Row]| -> Vec<String> {
        let name = |row: &Row| match (&row.instruction, &row.group) {
            (Some(instruction), _) => instruction.name.clone(),
            (_, Some(group)) => format!("[{}]", group.name),
            _ => String::new(),
        };
        rows.iter().map(name).collect()
    };
    let rows = page(&outline.initial_folds());
    let expected = ["[e]", "i", "x", "k", "one", "s", "c", "[f]", "[g]", "dead", "[unused]"];
    assert_eq!(names(&rows), expected);
    // As seen: the root, seven instructions, two branches of the conditional, and the other root.
    let siblings: Vec<_> = rows.iter().filter_map(|row| outline.siblings(row)).collect();
    let siblings: Vec<_> = siblings.iter().map(|siblings| (siblings.position, siblings.count)).collect();
    let expected = [(1, 2), (1, 7), (2, 7), (3, 7), (4, 7), (5, 7), (6, 7), (1, 2), (2, 2), (7, 7), (2, 2)];
    assert_eq!(siblings, expected);
    let entry = rows[0].group.as_ref().unwrap();
    assert!(entry.is_entry && entry.is_open && entry.attribute.is_none());
    assert_eq!((entry.instructions, entry.total_instructions), (7, 13));
    let branch = rows[8].group.as_ref().unwrap();
    assert_eq!((branch.attribute, branch.callers), (Some(("branch_computations", Some(1))), 1));
    let fusion = &rows[3];
    assert_eq!(fusion.instruction.as_ref().unwrap().shape, "f32[4]{0}");
    assert_eq!(fusion.group.as_ref().unwrap().callers, 2);
    assert!(rows[6].instruction.as_ref().unwrap().is_root);
    // The text's order does not matter.
    let all = page(&Folds::all_open());
    assert_eq!(names(&all)[3..6], ["k", "a", "b"]);
    assert_eq!(names(&page(&Folds::all_folded())), ["[e]", "[unused]"]);
}

#[test]
fn operands_precede_their_users() {
    for module in modules::samples() {
        let outline = Outline::new(&module);
        for id in (0..).map(ComputationId).take(module.computations.len()) {
            let computation = module.get(id).unwrap();
            let order = outline.order(id);
            let mut sorted = order.to_vec();
            sorted.sort_unstable();
            assert!(sorted.iter().copied().eq(computation.iter().map(|(id, _)| id)));
            let at = |id: InstructionId| order.iter().position(|other| *other == id).unwrap();
            for (id, instruction) in computation.iter() {
                assert!(instruction.operands.iter().all(|operand| at(*operand) < at(id)));
            }
        }
    }
}

#[test]
fn an_empty_module_has_no_rows() {
    let module = Module::default();
    let outline = Outline::new(&module);
    let folds = outline.initial_folds();
    assert_eq!(Unfolded::new(&outline, &folds).page(&module, 0, 10).rows, []);
}
