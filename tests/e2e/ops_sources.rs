//! Provenance: every example highlights the source cells that the engine reports, on other devices too.

use std::collections::{BTreeMap, BTreeSet};

use harness::{Condition, Kind, Page, Test};
use serde::Deserialize;
use serde_json::json;
use xla_playground::array::index::multi_index;
use xla_playground::hlo::InstructionId;
use xla_playground::ops::{self, CellAt, Role, Source};
use xla_playground::state::document::ValueRule;
use xla_playground::state::experiment::needs::Needs;
use xla_playground::state::experiment::run::{FinishedRun, leaves};
use xla_playground::view::sources::slice_text;

use crate::ops_catalogue::{Case, open};

pub const TESTS: &[Test] = harness::tests![
    every_example_highlights_its_source_cells: Condition::OneBrowser(Kind::Firefox, WHY_ONE_BROWSER),
];

/// Why one browser is enough for every cell of every example.
const WHY_ONE_BROWSER: &str = "the descriptions come from the engine, which is the same code in every browser; \
    `ops::stepping_shows_how_each_cell_is_computed` and the picture tests read them in each";

/// The page's description of a cell.
#[derive(Deserialize)]
struct CellTexts {
    derivation: String,
    count: String,
    /// The description of the highlighted cells of each displayed array.
    lit: Vec<String>,
    /// The whole result.
    result: String,
}

/// Opens an example and reads the descriptions of some of its cells, by their indices.
#[track_caller]
fn read_cells(page: &Page, case: &Case, cells: &[(i64, String)]) -> Vec<CellTexts> {
    let typed =
        |values: &ValueRule| if let ValueRule::Text(text) = values { Some(text.clone()) } else { None };
    let values: Vec<String> = case.experiment.values.iter().filter_map(typed).collect();
    let request = json!({
        "values": values,
        "hash": case.address(),
        "text": case.experiment.text,
        "replicas": case.experiment.environment.replicas.to_string(),
        "cells": cells,
    });
    page.eval(&format!(
        "(async ({{ hash, text, replicas, cells, values }}) => {{
            const find = (selector) => document.querySelector(selector);
            const frame = () => new Promise((done) => requestAnimationFrame(done));
            const until = async (what, holds) => {{
                for (let frames = 0; !holds(); frames++) {{
                    if (frames > 600) throw new Error(hash + ' never ' + what + ': ' + find('#working')?.textContent);
                    await frame();
                }}
            }};
            // Faster than navigating, which browsers rate-limit.
            while (location.hash !== hash) {{
                const arrived = new Promise((done) => addEventListener('hashchange', done, {{ once: true }}));
                location.hash = hash;
                // Until then the page shows the example before, whose text may be the same.
                if (location.hash === hash) await arrived;
                await frame();
            }}
            const hasReplicas = () => (find('#replica-count')?.value ?? '1') === replicas;
            // Examples may differ in their values only, and the page may render some frames later.
            const hasValues = () => [...document.querySelectorAll('.values textarea')].every((each) => values.includes(each.value));
            await until('runs', () => find('#hlo')?.value === text && hasReplicas() && hasValues() && !find('.flow.old') && find('#working'));
            const texts = [];
            for (const [number, start] of cells) {{
                const scrub = find('#scrub');
                scrub.value = number;
                scrub.dispatchEvent(new InputEvent('input', {{ bubbles: true }}));
                await until('steps', () => find('#working')?.textContent.startsWith(start));
                texts.push({{
                    derivation: find('#working').textContent,
                    count: find('#made-from').textContent,
                    result: find('#result-value')?.textContent ?? '',
                    lit: [...document.querySelectorAll('.panel')].map((each) => each.querySelector('[id$=-lit]').textContent),
                }});
            }}
            return texts;
        }})({request})"
    ))
}

/// The name of a role in an example of an op on the page.
fn role_name(role: Role, example: &str) -> &'static str {
    match role {
        Role::Value => "value",
        Role::Fill => "padding value",
        Role::Lhs => "left operand",
        Role::Rhs => "right operand",
        Role::Low => "lower bound",
        Role::High => "upper bound",
        Role::Start => "start index",
        Role::Update if example.starts_with("scatter.") => "updates",
        Role::Update if example.starts_with("select-and-scatter.") => "source",
        Role::Update => "update",
        Role::Init => "initial value",
        Role::Choice => "compared",
    }
}

/// The cells to highlight in one array, by role: index, first position in the order (0 if there is none), count.
type Highlights = BTreeMap<String, Vec<(String, usize, usize)>>;

fn brackets(index: &[i64]) -> String {
    format!("[{}]", index.iter().map(i64::to_string).collect::<Vec<_>>().join(","))
}

/// The cells that the engine read in one array.
fn engine_highlights(
    example: &str,
    sources: &[Source],
    number: usize,
    path: &[usize],
    is_ordered: bool,
) -> Highlights {
    let mut seen: Vec<(&CellAt, Role, usize, usize)> = Vec::new();
    for (position, source) in sources.iter().enumerate() {
        if source.operand != number || source.cell.path.as_slice() != path {
            continue;
        }
        match seen.iter_mut().find(|(cell, ..)| *cell == &source.cell) {
            Some((.., times)) => *times += 1,
            None => seen.push((&source.cell, source.role, position + 1, 1)),
        }
    }
    let mut out = Highlights::new();
    for (cell, role, position, times) in seen {
        let order = if is_ordered && sources.len() > 1 { position } else { 0 };
        out.entry(role_name(role, example).to_owned()).or_default().push((
            brackets(&cell.index),
            order,
            times,
        ));
    }
    out
}

/// The prefix of the description of a copied slice.
const SLICE_PREFIX: &str = "copied from the slice ";

/// Parses a description: `left operand: [0,0] (1), [0,1] (3, ×2); value: [4]`.
fn parse_page_highlights(texts: &str) -> Highlights {
    let mut out = Highlights::new();
    let is_role = |part: &&str| !part.is_empty() && !part.starts_with(SLICE_PREFIX);
    for part in texts.split("; ").filter(is_role) {
        let (role, cells) = part.split_once(": ").unwrap();
        let cells = cells.replace(", ×", " ×");
        let cells = cells.split(", ").map(|cell| {
            let (index, more) =
                cell.split_once(" (").map_or((cell, ""), |(a, b)| (a, b.trim_end_matches(')')));
            let number = |text: Option<&str>| text.map(|n| n.parse().unwrap());
            let order = number(more.split(' ').find(|each| !each.starts_with('×') && !each.is_empty()));
            let times = number(more.split(' ').find_map(|each| each.strip_prefix('×')));
            (index.to_owned(), order.unwrap_or(0), times.unwrap_or(1))
        });
        out.insert(role.to_owned(), cells.collect());
    }
    out
}

/// The examples whose cells are not compared with the engine's, and why.
const NOT_COMPARED: &[(&str, &str)] = &[
    ("all-reduce.3", "it deadlocks, as the example intends"),
    ("custom-call.1", "its function is JavaScript, which only a browser runs"),
    ("infeed.2", "it deadlocks, as the example intends"),
    ("send-done.0", "the result does not need it, so it is not run"),
];

fn every_example_highlights_its_source_cells(page: &Page) {
    open(page, "#ops1/@broadcast");
    let (mut checked_cells, mut highlighted_cells, mut cells_on_other_devices, mut skipped) =
        (0, 0, 0, Vec::new());
    // Examples that communicate with other devices also run on two of them.
    let pairs = ops::all()
        .flat_map(Case::all)
        .filter(|case| Needs::new(&case.module).devices && case.experiment.environment.replicas == 1);
    let pairs = pairs.filter_map(|case| case.on(2));
    for case in ops::all().flat_map(Case::all).chain(pairs) {
        let finished = match case.finished_run() {
            Ok(finished) => finished,
            Err(reason) => {
                skipped.push((case.name(), reason));
                continue;
            }
        };
        let Some(value) = finished.value(case.focus) else {
            skipped.push((case.name(), "the result does not need it, so it is not run"));
            continue;
        };
        // A token has no cells.
        let Some((path, array)) = leaves(value).into_iter().next() else { continue };
        let elements = array.memory_map().elements();
        if elements == 0 {
            continue;
        }
        let sizes = array.shape().dimensions.clone();
        let of_path = path.iter().fold(String::new(), |path, i| path + "." + &i.to_string());
        let is_first = case.number == 0 || case.experiment.environment.replicas > 1;
        let mut numbers = if is_first { vec![0, elements / 2, elements - 1] } else { vec![elements / 2] };
        numbers.dedup();
        let cells: Vec<(i64, String)> = numbers
            .into_iter()
            .map(|number| {
                let index = multi_index(number, &sizes);
                let index = if index.is_empty() { String::new() } else { brackets(&index) };
                (number, format!("out{of_path}{index} = "))
            })
            .collect();
        let cell_texts = read_cells(page, &case, &cells);
        if case.focus == case.root {
            case.assert_result(&cell_texts[0].result);
        }
        for ((number, _), texts) in cells.iter().zip(cell_texts) {
            let cell = CellAt { path: path.iter().copied().collect(), index: multi_index(*number, &sizes) };
            let sources = finished.sources(case.focus, &cell).unwrap();
            let at = format!("{} at {cell:?}: {}", case.name(), texts.derivation);
            // Cells of other devices count; their cards show them.
            let (everywhere, on_other_devices) = match finished.sources_on_all_replicas(case.focus, &cell) {
                Some(all) => (all.len(), all.len() - sources.len()),
                // A cell that is read several times counts once.
                None => (sources.iter().map(|s| (s.operand, &s.cell)).collect::<BTreeSet<_>>().len(), 0),
            };
            cells_on_other_devices += on_other_devices;
            let cells = if everywhere == 1 { "cell" } else { "cells" };
            assert_eq!(texts.count, format!("depends on {everywhere} {cells}"), "{at}");
            let expected = expected(&case, &finished, &cell, &sources);
            let mut shown: Vec<Highlights> =
                texts.lit.iter().map(|each| parse_page_highlights(each)).collect();
            // The page also marks the cell that a window selected, which is one of those it compared.
            for each in &mut shown {
                let winners = each.remove("selected").unwrap_or_default();
                let compared = each.get("compared").cloned().unwrap_or_default();
                assert!(
                    winners.iter().all(|winner| compared.iter().any(|(index, ..)| *index == winner.0)),
                    "{at}: {winners:?} of {compared:?}"
                );
            }
            assert_eq!(shown, expected, "{at}");
            // The slice that the cell is copied from is named, too.
            if let Some((_, slice)) = finished.copied_slice(case.focus, &cell.index, &sources) {
                let name = format!("{SLICE_PREFIX}{}", slice_text(&slice));
                assert!(texts.lit.iter().any(|text| text.ends_with(&name)), "{at}: {name}");
            }
            checked_cells += 1;
            highlighted_cells += expected.iter().flat_map(BTreeMap::values).map(Vec::len).sum::<usize>();
        }
    }
    assert!(
        checked_cells > 300 && highlighted_cells > 600 && cells_on_other_devices > 8,
        "{checked_cells} cells, {highlighted_cells} highlighted, {cells_on_other_devices} on other devices"
    );
    let named: Vec<_> = NOT_COMPARED.iter().map(|(name, reason)| ((*name).to_owned(), *reason)).collect();
    skipped.sort();
    skipped.dedup();
    assert_eq!(skipped, named);
}

/// The cells to highlight in the displayed arrays: parameters it depends on transitively, operands, results.
fn expected(case: &Case, finished: &FinishedRun, cell: &CellAt, sources: &[Source]) -> Vec<Highlights> {
    let instruction = case.module.entry_computation().unwrap().get(case.focus).unwrap();
    let example = case.name();
    let parts = |id: InstructionId| finished.value(id).map(leaves).unwrap_or_default();
    let above: Vec<_> = finished
        .parameter_dependencies(case.focus)
        .into_iter()
        .filter(|(_, id)| !instruction.operands.contains(id) && *id != case.focus)
        .flat_map(|(number, id)| parts(id).into_iter().map(move |(path, _)| (number, path)))
        .collect();
    let mut expected = Vec::new();
    if !above.is_empty() {
        let origins = finished.origins(case.focus, cell).unwrap();
        expected.extend(above.iter().map(|(n, path)| engine_highlights(&example, &origins, *n, path, false)));
    }
    for (operand, id) in instruction.operands.iter().enumerate() {
        let part_highlights =
            |(path, _): (Vec<usize>, _)| engine_highlights(&example, sources, operand, &path, true);
        expected.extend(parts(*id).into_iter().map(part_highlights));
    }
    expected.extend(parts(case.focus).iter().map(|_| Highlights::new()));
    expected
}
