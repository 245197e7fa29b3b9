//! The catalogue of the Ops screen, walked whole: every op starts at its example by mouse alone and by keyboard alone
//! and shows the numbers of the documents, and every example lights the cells that the engine says a cell came from.

use std::collections::BTreeMap;
use std::rc::Rc;

use harness::{Page, Test};
use serde::Deserialize;
use serde_json::json;
use xla_playground::array::literal::parse::parse as parse_literal;
use xla_playground::array::{Literal, Value};
use xla_playground::hlo::{InstructionId, Limits, Module, parse};
use xla_playground::ops::{self, Category, CellAt, OpDef, OpMeta, Role, Source};
use xla_playground::state::experiment::preset::{self, Preset};
use xla_playground::state::experiment::run::{Ran, index_of, leaves};

use crate::app::{quoted, tab_to};

pub const TESTS: &[Test] = harness::tests![
    every_op_is_run_by_mouse,
    every_op_is_run_by_keyboard,
    further_examples_are_chosen_by_keyboard,
    every_example_lights_what_the_engine_read,
    ops_are_found_by_the_names_of_the_documents,
    every_op_leads_to_its_section,
];

/// Opens the screen and waits until it has run something.
#[track_caller]
fn open(page: &Page, address: &str) {
    page.goto(address);
    page.wait_for("document.querySelector('#op-title') && document.querySelector('#result-shape')");
    page.settle();
}

/// Every op that the catalogue offers: all that have an example, which is all but parameters.
fn offered() -> Vec<&'static OpMeta> {
    let all: Vec<_> = ops::all().map(OpDef::meta).filter(|meta| !meta.examples.is_empty()).collect();
    assert_eq!(all.len(), ops::all().count() - 1);
    all
}

/// An example as the page has it, with what it promises.
struct Case {
    preset: Preset,
    text: String,
    module: Rc<Module>,
    /// The instruction that is looked at.
    focus: InstructionId,
    /// The instruction whose value the example gives.
    root: InstructionId,
    ran: Ran,
}

impl Case {
    fn new(preset: Preset) -> Self {
        let experiment = preset.experiment();
        let module = Rc::new(parse(&experiment.text).into_module().unwrap());
        let entry = module.entry_computation().unwrap();
        let root = entry.root.unwrap();
        let focus = if experiment.focus.is_empty() { root } else { entry.find(&experiment.focus).unwrap() };
        let ran = Ran::new(&experiment, &module, Limits::default()).unwrap();
        Self { preset, text: experiment.text, focus, root, ran, module }
    }

    fn name(&self) -> String {
        format!("{}.{}", self.preset.meta.opcode, self.preset.number)
    }

    /// Waits until the page runs this example and its op is looked at.
    #[track_caller]
    fn wait(&self, page: &Page) {
        page.wait_for(&format!(
            "document.querySelector('#op-title code').textContent === {} && document.querySelector('#hlo').value === {}
             && !document.querySelector('.flow.old')",
            quoted(self.preset.meta.opcode),
            quoted(&self.text)
        ));
    }

    /// What the example gives: the numbers that stand beside it, not what the engine makes of it.
    fn promised(&self) -> Literal {
        self.preset.example.result.parse().unwrap()
    }

    /// Holds what the page shows against the promise, leading it to the root of the example by `follow` where the op
    /// stands before that.
    #[track_caller]
    fn shows_its_numbers(&self, page: &Page, follow: impl FnOnce(&Page, &str)) {
        let wrong = page.count("#run-failed") + page.count(".problem") + page.count("#link-problems");
        assert_eq!(wrong, 0, "{}", self.name());
        if self.focus != self.root {
            let steps = self.module.entry_computation().unwrap().iter();
            let steps = steps.filter(|(_, instruction)| instruction.opcode != "parameter");
            let number = steps.map(|(id, _)| id).position(|id| id == self.root).unwrap() + 1;
            let chip = format!(".chain li:nth-child({number}) .link");
            follow(page, &chip);
            page.wait_for(&format!("document.querySelector({}).ariaPressed === 'true'", quoted(&chip)));
        }
        let promised = self.promised();
        // Sizes that only the run says stand in the shape with their bounds.
        page.wait_for(&format!(
            "(shape => shape.includes('<=') || shape.replace(/\\{{[^}}]*\\}}/g, '') === {})(
               document.querySelector('#result-shape').textContent)",
            quoted(&promised.shape().human_string())
        ));
        if promised != Literal::Token {
            self.gives(&page.eval::<String>("document.querySelector('#result-value').textContent"));
        }
    }

    /// Holds a result, as the page writes it, against the promise.
    #[track_caller]
    fn gives(&self, told: &str) {
        let promised = self.promised();
        let read = parse_literal(told, &promised.shape());
        let shown = read.value.unwrap_or_else(|| panic!("{}: {told}: {:?}", self.name(), read.diagnostics));
        assert!(near(&shown, &promised), "{}: {told} instead of {promised}", self.name());
    }
}

/// Equal but for the last digits of floats, as the registry's own test compares.
fn near(got: &Literal, want: &Literal) -> bool {
    match (got, want) {
        (Literal::Tuple(a), Literal::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| near(a, b))
        }
        (Literal::Array(a), Literal::Array(b)) => {
            let same = |a: Value, b: Value| match (a, b) {
                (Value::Float(x), Value::Float(y)) => a.same(b) || (x - y).abs() <= 1e-5 * y.abs(),
                _ => a.same(b),
            };
            a.shape().dimensions == b.shape().dimensions
                && a.values().zip(b.values()).all(|(a, b)| same(a, b))
        }
        _ => got == want,
    }
}

fn every_op_is_run_by_mouse(page: &Page) {
    open(page, "#ops/");
    for meta in offered() {
        page.click(&format!(".op[title='{}']", meta.opcode));
        let case = Case::new(preset::of(meta).next().unwrap());
        case.wait(page);
        case.shows_its_numbers(page, |page, chip| page.click(chip));
    }
}

fn every_op_is_run_by_keyboard(page: &Page) {
    open(page, "#ops/");
    for meta in offered() {
        // The key leads to the field from anywhere but another field, where it is typed.
        page.key("/");
        assert!(page.is_focused("#find-op"));
        page.key("Control+a");
        page.type_text(meta.opcode);
        page.settle();
        let entry = format!(".op[title='{}']", meta.opcode);
        page.key("Tab");
        while !page.is_focused(&entry) {
            assert!(page.is_focused(".op"), "the entries stand behind the field, {} among them", meta.opcode);
            page.key("Tab");
        }
        page.key("Enter");
        let case = Case::new(preset::of(meta).next().unwrap());
        case.wait(page);
        case.shows_its_numbers(page, |page, chip| {
            tab_to(page, chip);
            page.key("Enter");
        });
    }
}

fn further_examples_are_chosen_by_keyboard(page: &Page) {
    open(page, "#ops/");
    // One op after the other, so that the list of the second one begins where that of the first was left.
    for opcode in ["bitcast-convert", "reshape"] {
        let meta = ops::find(opcode).unwrap().meta();
        page.type_into("#find-op", opcode);
        page.settle();
        page.click(&format!(".op[title='{opcode}']"));
        let cases: Vec<Case> = preset::of(meta).map(Case::new).collect();
        assert!(cases.len() > 2, "{opcode}");
        for (number, case) in cases.iter().enumerate() {
            match number {
                0 => {}
                1 => drop(tab_to(page, "#presets")),
                _ => assert!(page.is_focused("#presets")),
            }
            if number > 0 {
                page.key("ArrowDown");
            }
            case.wait(page);
            assert_eq!(page.value("#presets"), number.to_string());
            case.shows_its_numbers(page, |page, chip| page.click(chip));
        }
    }
}

/// What the page says of a cell.
#[derive(Deserialize)]
struct Told {
    working: String,
    count: String,
    /// The lit cells of each array on the screen, in words.
    lit: Vec<String>,
    /// The whole result.
    result: String,
}

/// Shows an example and asks for some of its cells, by their numbers; what it says of each.
#[track_caller]
fn ask(page: &Page, case: &Case, cells: &[(i64, String)]) -> Vec<Told> {
    let request = json!({
        "hash": format!("#ops1/@{}", case.name()),
        "text": case.text,
        "cells": cells,
    });
    page.eval(&format!(
        "(async ({{ hash, text, cells }}) => {{
            const find = (selector) => document.querySelector(selector);
            const frame = () => new Promise((done) => requestAnimationFrame(done));
            const until = async (what, holds) => {{
                for (let frames = 0; !holds(); frames++) {{
                    if (frames > 600) throw new Error(hash + ' never ' + what + ': ' + find('#working')?.textContent);
                    await frame();
                }}
            }};
            // A browser ignores more than so many changes of the address in some seconds, and this is faster.
            const goes = () => location.hash === hash || (location.hash = hash, location.hash === hash);
            await until('runs', () => goes() && find('#hlo')?.value === text && !find('.flow.old') && find('#working'));
            const told = [];
            for (const [number, start] of cells) {{
                const scrub = find('#scrub');
                scrub.value = number;
                scrub.dispatchEvent(new InputEvent('input', {{ bubbles: true }}));
                await until('steps', () => find('#working')?.textContent.startsWith(start));
                told.push({{
                    working: find('#working').textContent,
                    count: find('#made-from').textContent,
                    result: find('#result-value')?.textContent ?? '',
                    lit: [...document.querySelectorAll('.panel')].map((each) => each.querySelector('[id$=-lit]').textContent),
                }});
            }}
            return told;
        }})({request})"
    ))
}

/// What a role is called on the page.
fn called(role: Role) -> &'static str {
    match role {
        Role::Value => "value",
        Role::Fill => "padding value",
        Role::Lhs => "left operand",
        Role::Rhs => "right operand",
        Role::Start => "says which cells are read",
        Role::Update => "update",
        Role::Init => "initial value",
        Role::Choice => "decides",
    }
}

/// The cells that are to be lit in one array, by role: index, first place in the order (0 where there is none), count.
type Lit = BTreeMap<String, Vec<(String, usize, usize)>>;

fn brackets(index: &[i64]) -> String {
    format!("[{}]", index.iter().map(i64::to_string).collect::<Vec<_>>().join(","))
}

/// What the engine read in one array.
fn read_by_engine(sources: &[Source], number: usize, path: &[usize], is_ordered: bool) -> Lit {
    let mut seen: Vec<(&CellAt, Role, usize, usize)> = Vec::new();
    for (place, source) in sources.iter().enumerate() {
        if source.operand != number || source.cell.path.as_slice() != path {
            continue;
        }
        match seen.iter_mut().find(|(cell, ..)| *cell == &source.cell) {
            Some((.., times)) => *times += 1,
            None => seen.push((&source.cell, source.role, place + 1, 1)),
        }
    }
    let mut out = Lit::new();
    for (cell, role, place, times) in seen {
        let order = if is_ordered && sources.len() > 1 { place } else { 0 };
        out.entry(called(role).to_owned()).or_default().push((brackets(&cell.index), order, times));
    }
    out
}

/// What the page says: `left operand: [0,0] (1), [0,1] (3, ×2); value: [4]`.
fn read_on_page(told: &str) -> Lit {
    let mut out = Lit::new();
    for part in told.split("; ").filter(|part| !part.is_empty()) {
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

fn every_example_lights_what_the_engine_read(page: &Page) {
    open(page, "#ops/");
    let (mut asked, mut lit, mut unknown) = (0, 0, Vec::new());
    for case in preset::all().map(Case::new) {
        let Some(value) = case.ran.value(case.focus) else { continue };
        let Some((path, array)) = leaves(value).into_iter().next() else { continue };
        let elements = array.map().elements();
        if elements == 0 {
            continue;
        }
        let sizes = array.shape().dimensions.clone();
        let of_path = path.iter().fold(String::new(), |path, i| path + "." + &i.to_string());
        // An example of an op whose cells come from the world outside may not know them.
        let first = CellAt { path: path.iter().copied().collect(), index: index_of(0, &sizes) };
        if case.ran.sources(case.focus, &first).is_err() || case.ran.origins(case.focus, &first).is_err() {
            unknown.push(case.preset.meta.category);
            continue;
        }
        let is_first = case.preset.number == 0;
        let mut numbers = if is_first { vec![0, elements / 2, elements - 1] } else { vec![elements / 2] };
        numbers.dedup();
        let cells: Vec<(i64, String)> = numbers
            .into_iter()
            .map(|number| {
                let index = index_of(number, &sizes);
                let index = if index.is_empty() { String::new() } else { brackets(&index) };
                (number, format!("out{of_path}{index} = "))
            })
            .collect();
        let answers = ask(page, &case, &cells);
        if case.focus == case.root {
            case.gives(&answers[0].result);
        }
        for ((number, _), told) in cells.iter().zip(answers) {
            let cell = CellAt { path: path.iter().copied().collect(), index: index_of(*number, &sizes) };
            let sources = case.ran.sources(case.focus, &cell).unwrap();
            let at = format!("{} at {cell:?}: {}", case.name(), told.working);
            let cells = if sources.len() == 1 { "cell" } else { "cells" };
            assert_eq!(told.count, format!("made from {} {cells}", sources.len()), "{at}");
            // The arrays on the screen: parameters further up, operands, results.
            let instruction = case.module.entry_computation().unwrap().get(case.focus).unwrap();
            let parts = |id: InstructionId| case.ran.value(id).map(leaves).unwrap_or_default();
            let above = case.ran.above(case.focus).into_iter();
            let above: Vec<_> = above
                .filter(|(_, id)| !instruction.operands.contains(id) && *id != case.focus)
                .flat_map(|(number, id)| parts(id).into_iter().map(move |(path, _)| (number, path)))
                .collect();
            let mut expected = Vec::new();
            if !above.is_empty() {
                let origins = case.ran.origins(case.focus, &cell).unwrap();
                expected.extend(above.iter().map(|(n, path)| read_by_engine(&origins, *n, path, false)));
            }
            for (operand, id) in instruction.operands.iter().enumerate() {
                let of_part = |(path, _): (Vec<usize>, _)| read_by_engine(&sources, operand, &path, true);
                expected.extend(parts(*id).into_iter().map(of_part));
            }
            expected.extend(parts(case.focus).iter().map(|_| Lit::new()));
            let shown: Vec<Lit> = told.lit.iter().map(|each| read_on_page(each)).collect();
            assert_eq!(shown, expected, "{at}");
            asked += 1;
            lit += expected.iter().flat_map(BTreeMap::values).map(Vec::len).sum::<usize>();
        }
    }
    assert!(asked > 300 && lit > 600, "{asked} cells, {lit} lit");
    let outside = [Category::Collective, Category::Outside];
    assert!(unknown.iter().all(|category| outside.contains(category)), "{unknown:?}");
}

/// The headings of the Operation Semantics of 2017, with what its three tables of element-wise ops list.
const HEADINGS: &[(&str, &str)] = &[
    ("Broadcast", "broadcast"),
    ("Call", "call"),
    ("Collapse", "reshape"),
    ("Concatenate", "concatenate"),
    ("ConvertElementType", "convert"),
    ("Conv (convolution)", "convolution"),
    ("ConvWithGeneralPadding (convolution)", "convolution"),
    ("CrossReplicaSum", "all-reduce"),
    ("CustomCall", "custom-call"),
    ("Dot", "dot"),
    ("Element-wise binary arithmetic operations", "add"),
    ("LogicalAnd", "and"),
    ("Element-wise comparison operations", "compare"),
    ("Ge", "compare"),
    ("Element-wise unary functions", "tanh"),
    ("Neg", "negate"),
    ("GetTupleElement", "get-tuple-element"),
    ("Infeed", "infeed"),
    ("Map", "map"),
    ("Pad", "pad"),
    ("Reduce", "reduce"),
    ("ReduceWindow", "reduce-window"),
    ("Reshape", "reshape"),
    ("Rev (reverse)", "reverse"),
    ("RngBernoulli", "rng"),
    ("RngNormal", "rng"),
    ("RngUniform", "rng"),
    ("SelectAndScatter", "select-and-scatter"),
    ("Select", "select"),
    ("Slice", "slice"),
    ("DynamicSlice", "dynamic-slice"),
    ("DynamicUpdateSlice", "dynamic-update-slice"),
    ("Sort", "sort"),
    ("Transpose", "transpose"),
    ("Tuple", "tuple"),
    ("While", "while"),
];

fn ops_are_found_by_the_names_of_the_documents(page: &Page) {
    open(page, "#ops/");
    for (heading, opcode) in HEADINGS {
        page.run(&format!(
            "const field = document.querySelector('#find-op'); field.value = {};
             field.dispatchEvent(new InputEvent('input', {{ bubbles: true }}));",
            quoted(heading)
        ));
        page.settle();
        assert_eq!(page.count(&format!(".op[title='{opcode}']")), 1, "{heading} finds {opcode}");
        assert!(page.count(".op") < offered().len() / 2, "{heading} finds few");
    }
    // Where the name that was looked for is not the one that is shown, it stands beside it.
    page.type_into("#find-op", "collapse");
    page.wait_for("document.querySelectorAll('.op').length === 1");
    assert_eq!(page.text(".op[title='reshape']"), "Reshape Collapse");
    page.type_into("#find-op", "no such op");
    page.wait_for("document.querySelectorAll('.op').length === 0");
    page.type_into("#find-op", "");
    page.wait_for(&format!("document.querySelectorAll('.op').length === {}", offered().len()));
}

fn every_op_leads_to_its_section(page: &Page) {
    open(page, "#ops1/@reshape");
    assert_eq!(page.texts(".sections a"), ["Reshape", "Collapse"]);
    let link = |name: &str| page.attribute(".sections a", name).unwrap_or_default();
    assert_eq!(link("href"), "https://openxla.org/xla/operation_semantics#reshape");
    assert_eq!((link("target").as_str(), link("rel").as_str()), ("_blank", "noopener noreferrer"));
    // An op that the document does not describe does not pretend that it does.
    open(page, "#ops1/@bitcast");
    assert_eq!(page.count(".sections"), 0);
}
