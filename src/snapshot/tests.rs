use std::rc::Rc;

use super::data::{Array, Entry, Snapshot, SnapshotError, Values};
use super::page::page;
use super::reads::Read;
use super::record::{Bounds, array, run};
use crate::array::text;
use crate::experiment::Experiment;
use crate::experiment::run::FinishedRun;
use crate::hlo::{Limits, parse};
use crate::i18n::Language;
use crate::ops::{CellAt, Role};
use crate::state::document::{Document, ValueRule};

const DOT: &str = "HloModule m

ENTRY e {
  a = f32[2,3]{0,1} parameter(0)
  b = f32[3,2] parameter(1)
  p = f32[2,2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = (f32[2,2], f32[2,2]) tuple(p, p)
}
";

fn finished(text: &str) -> FinishedRun {
    let module = Rc::new(parse(text).module);
    FinishedRun::run(&Experiment::from_text(text), &module, Limits::default()).unwrap()
}

fn snapshot(text: &str) -> Snapshot {
    run(&finished(text), "title", None, Language::ENGLISH, Bounds::PAGE)
}

#[test]
fn a_program_is_read_as_it_was_recorded() {
    let recorded = snapshot(DOT);
    let read = Snapshot::from_bytes(&recorded.to_bytes()).unwrap();
    assert_eq!(read, recorded);
    assert_eq!((read.title.as_str(), read.selected), ("title", 3), "the root is shown first");
    let names: Vec<&str> = read.entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "p", "t"]);
    let dot = &read.entries[2];
    assert_eq!((dot.opcode.as_str(), dot.operands[1].label.as_str()), ("dot", "rhs"));
    assert!(dot.text.starts_with("p = f32[2,2]{1,0} dot(a, b)"), "{}", dot.text);
    let run = finished(DOT);
    let entry = run.module().entry_computation().unwrap();
    for (index, (id, instruction)) in entry.iter().enumerate() {
        for array in &read.entries[index].arrays {
            let literal = read.literal(array).unwrap();
            let part = run.value(id).unwrap().part(&array.path).unwrap();
            assert_eq!(&*literal, part.as_array().unwrap(), "{}", instruction.name);
        }
    }
}

#[test]
fn every_cell_has_its_sources_and_its_arithmetic() {
    let read = snapshot(DOT);
    let reads = read.reads(2).unwrap().unwrap();
    // out[1,0] = a[1,0]·b[0,0] + a[1,1]·b[1,0] + a[1,2]·b[2,0], linear indices by rows.
    let expected = [
        (0, 3, Role::Lhs),
        (1, 0, Role::Rhs),
        (0, 4, Role::Lhs),
        (1, 2, Role::Rhs),
        (0, 5, Role::Lhs),
        (1, 4, Role::Rhs),
    ];
    let expected = expected.map(|(array, cell, role)| Read { array, cell, role });
    assert_eq!(reads.of_cell(2), expected);
    assert_eq!(reads.uses(1, 3), [1, 3], "the second row of b is in the second column of the result");
    assert_eq!(read.arithmetic(2).unwrap().len(), 4);
    // A tuple's cells are numbered through its elements.
    let tuple = read.reads(3).unwrap().unwrap();
    assert_eq!(tuple.of_cell(5), [Read { array: 1, cell: 1, role: Role::Value }]);
    assert_eq!(read.entries[0].reads, None, "a parameter has no sources");
}

#[test]
fn sources_equal_those_of_the_evaluator() {
    let text = "HloModule m

ENTRY e {
  a = f32[4,4] parameter(0)
  s = f32[2,2] slice(a), slice={[1:3], [0:4:2]}
  i = s32[2] parameter(1)
  ROOT g = f32[2,2] gather(s, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,2}
}
";
    let (run, read) = (finished(text), snapshot(text));
    for (number, (id, instruction)) in run.module().entry_computation().unwrap().iter().enumerate() {
        let Some(reads) = read.reads(number).unwrap() else {
            assert!(instruction.operands.is_empty(), "{}", instruction.name);
            continue;
        };
        for cell in 0..4_usize {
            let index = [i64::try_from(cell).unwrap() / 2, i64::try_from(cell).unwrap() % 2];
            let sources = run.sources(id, &CellAt::array(&index)).unwrap();
            let recorded = reads.of_cell(cell);
            assert_eq!(recorded.len(), sources.len(), "{}", instruction.name);
            for (read, source) in recorded.iter().zip(&sources) {
                assert_eq!((read.array, read.role), (source.operand, source.role));
            }
        }
    }
}

#[test]
fn what_is_too_large_is_omitted_and_the_rest_is_kept() {
    let bounds = Bounds { value_bytes: 60, reads: 20, all_reads: 30, arithmetic_cells: 3 };
    let read = run(&finished(DOT), "", None, Language::ENGLISH, bounds);
    let kept: Vec<bool> =
        read.entries.iter().map(|entry| entry.arrays[0].values != Values::Omitted).collect();
    assert_eq!(kept, [true, true, false, false], "24 + 24 bytes fit in 60");
    assert_eq!(read.entries[2].reads, None, "24 reads do not fit in 20");
    assert_ne!(read.entries[3].reads, None);
    assert_eq!(read.entries[3].arithmetic, None, "8 cells are more than 3");
    assert_eq!(Snapshot::from_bytes(&read.to_bytes()).unwrap(), read);
}

#[test]
fn an_array_keeps_its_layout_and_its_values() {
    let shape = text::parse("bf16[2,3]{0,1} padded[3,5]=zero").shape.unwrap();
    let letters = array(&Document::with_shape(shape.clone()), "a").unwrap();
    assert_eq!(letters.entries[0].arrays[0].values, Values::Letters);
    assert_eq!(letters.entries[0].arrays[0].shape, "bf16[2,3]{0,1} padded[3,5]=zero");
    let numbers = Document { values: ValueRule::Iota, cursor: 4, ..Document::with_shape(shape) };
    let read = Snapshot::from_bytes(&array(&numbers, "a").unwrap().to_bytes()).unwrap();
    assert_eq!(read.cursor, 4);
    let values: Vec<String> = read
        .literal(&read.entries[0].arrays[0])
        .unwrap()
        .values()
        .map(|value| format!("{value:?}"))
        .collect();
    assert_eq!(values.len(), 6);
    assert!(values[5].contains('5'), "{values:?}");
}

#[test]
fn a_page_contains_the_snapshot_and_no_markup_of_it() {
    let template = "<title>XLA Playground</title><script type=\"application/json\" id=\"snapshot\"></script>";
    let hostile = Snapshot { title: "</title><script>alert(1)</script>".to_owned(), ..snapshot(DOT) };
    let page = page(template, &hostile).unwrap();
    assert!(page.starts_with("<title>&lt;/title&gt;&lt;script&gt;"), "{page}");
    assert_eq!(page.matches("<script").count(), 1, "{page}");
    let data = page.split('"').nth(5).unwrap();
    assert!(data.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)), "{data}");
    assert_eq!(super::page::page("<p>", &hostile), None);
}

#[test]
fn damaged_bytes_are_an_error_and_never_a_panic() {
    let bytes = snapshot(DOT).to_bytes();
    assert_eq!(Snapshot::from_bytes(b""), Err(SnapshotError::Version));
    assert_eq!(Snapshot::from_bytes(b"XPS2"), Err(SnapshotError::Version));
    assert_eq!(Snapshot::from_bytes(&bytes[..6]), Err(SnapshotError::Header));
    assert_eq!(Snapshot::from_bytes(&bytes[..40]), Err(SnapshotError::Header));
    let mut random = 1_u32;
    let mut next = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        random as usize >> 8
    };
    let mut rejected = 0;
    for _ in 0..3_000 {
        let mut damaged = bytes.clone();
        let at = next() % damaged.len();
        damaged[at] = next().to_le_bytes()[0];
        if let Ok(read) = Snapshot::from_bytes(&damaged) {
            for (index, entry) in read.entries.iter().enumerate() {
                rejected += usize::from(read.reads(index).is_err() || read.arithmetic(index).is_err());
                for array in &entry.arrays {
                    read.literal(array);
                }
            }
        } else {
            rejected += 1;
        }
    }
    assert!(rejected > 500, "{rejected}");
}

#[test]
fn sizes_that_the_bytes_do_not_have_allocate_nothing() {
    let literal = |shape: &str, bytes: &[u8]| {
        let mut snapshot = Snapshot::default();
        let values = Values::Raw(snapshot.record(bytes));
        snapshot.literal(&Array { path: Vec::new(), shape: shape.to_owned(), values })
    };
    assert_eq!(literal("f32[60000000]{0}", &[0; 8]), None);
    assert_eq!(literal("f32[2]{0}", &[0; 4]), None);
    assert_eq!(literal("(f32[2])", &[0; 8]), None);
    assert_eq!(literal("nonsense", &[0; 8]), None);
    assert!(literal("f32[2]{0}", &[0; 8]).is_some());
    assert!(literal("f32[0]{0}", &[]).is_some());
    // A part that the snapshot does not have.
    let missing = Array { path: Vec::new(), shape: "f32[2]{0}".to_owned(), values: Values::Raw(0..8) };
    assert_eq!(Snapshot::default().literal(&missing), None);
}

#[test]
fn a_link_that_runs_a_script_is_dropped() {
    let with = |link: &str| {
        let snapshot =
            Snapshot { link: link.to_owned(), entries: vec![Entry::default()], ..Snapshot::default() };
        Snapshot::from_bytes(&snapshot.to_bytes()).unwrap().link
    };
    assert_eq!(with("https://example.org/#v1/f32"), "https://example.org/#v1/f32");
    assert_eq!(with("javascript:alert(1)"), "");
    assert_eq!(with(" https://example.org"), "");
}
