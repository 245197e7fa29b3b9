//! The catalogue of the Ops screen: every op opens its example by mouse alone and by keyboard alone, and displays the
//! numbers of XLA's documentation.

use std::rc::Rc;

use harness::{Condition, Kind, Page, Test};
use xla_playground::array::literal::parse::parse as parse_literal;
use xla_playground::array::{Literal, Value};
use xla_playground::hlo::{InstructionId, Limits, Module, parse};
use xla_playground::ops::{self, OpDef, OpMeta};
use xla_playground::state::experiment::needs::Needs;
use xla_playground::state::experiment::run::FinishedRun;
use xla_playground::state::experiment::run::devices::run_without_functions;
use xla_playground::state::experiment::{Experiment, link, preset};

use crate::app::{IN_CHROME, IN_FIREFOX, quoted, tab_to};

pub const TESTS: &[Test] = harness::tests![
    every_op_is_run_by_mouse: Condition::OneBrowser(Kind::Firefox, ONE_INPUT_EACH),
    every_op_is_run_by_keyboard: Condition::OneBrowser(Kind::Chrome, ONE_INPUT_EACH),
    the_list_is_one_stop_of_the_tab_key: IN_CHROME,
    further_examples_are_chosen_by_keyboard: IN_CHROME,
    ops_are_found_by_the_names_of_the_documents: IN_FIREFOX,
    every_op_leads_to_its_section: IN_CHROME,
];

/// Why each way to run every op needs only one browser.
const ONE_INPUT_EACH: &str = "every op runs in each browser, by mouse in one and by keyboard in the other; both ways are \
    tested in both on single ops";

/// Opens the screen and waits until it has run, or until it shows the gallery.
#[track_caller]
pub fn open(page: &Page, address: &str) {
    page.goto(address);
    page.wait_for(
        "document.querySelector('#gallery')
         || document.querySelector('#op-title') && document.querySelector('#result-shape')",
    );
    page.wait_two_frames();
}

/// The opcodes in the catalogue: all that have an example, which is all except `parameter`.
fn offered() -> Vec<&'static OpMeta> {
    let all: Vec<_> = ops::all().map(OpDef::meta).filter(|meta| !meta.examples.is_empty()).collect();
    assert_eq!(all.len(), ops::all().count() - 1);
    all
}

/// An example of an op, with its promised result.
pub struct Case {
    pub meta: &'static OpMeta,
    /// Its index among the examples of its op.
    pub number: usize,
    pub experiment: Experiment,
    pub module: Rc<Module>,
    /// The selected instruction.
    pub focus: InstructionId,
    /// The instruction whose value is promised.
    pub root: InstructionId,
    /// The promised value; `None` if nothing is promised.
    result: Option<&'static str>,
}

impl Case {
    fn new(op: &'static dyn OpDef, number: usize) -> Self {
        let meta = op.meta();
        let staged = number.checked_sub(meta.examples.len());
        let (experiment, result) = match staged {
            None => {
                let preset = preset::for_op(meta).nth(number).unwrap();
                (preset.experiment(), Some(preset.example.result))
            }
            Some(staged) => (
                preset::host_example(meta.opcode, number).unwrap(),
                op.host_examples()[staged].results.first().copied(),
            ),
        };
        let module = Rc::new(parse(&experiment.text).into_module().unwrap());
        let entry = module.entry_computation().unwrap();
        let root = entry.root.unwrap();
        let focus = if experiment.focus.is_empty() { root } else { entry.find(&experiment.focus).unwrap() };
        Self { meta, number, experiment, module, focus, root, result }
    }

    /// All examples of an op, those with host and devices last.
    pub fn all(op: &'static dyn OpDef) -> impl Iterator<Item = Self> {
        (0..op.meta().examples.len() + op.host_examples().len()).map(move |number| Self::new(op, number))
    }

    /// The example that the catalogue opens.
    fn first(meta: &OpMeta) -> Self {
        let op = ops::find(meta.opcode).unwrap();
        Self::new(op, preset::default_example(op))
    }

    /// Its values, computed like on the page, with devices and queues if it needs any. The error says why there are
    /// none.
    pub fn finished_run(&self) -> Result<FinishedRun, &'static str> {
        let needs = Needs::new(&self.module);
        if !needs.functions.is_empty() {
            return Err("its function is JavaScript, which only a browser runs");
        }
        if !needs.requires_simulation() {
            return Ok(FinishedRun::run(&self.experiment, &self.module, Limits::default()).unwrap());
        }
        match run_without_functions(&self.experiment, &self.module, Limits::default()) {
            Ok(run) => {
                Ok(FinishedRun::from_replica(&self.experiment, &self.module, Rc::new(run), 0).unwrap())
            }
            Err(stuck) if stuck.is_waiting() => Err("it deadlocks, as the example intends"),
            Err(stuck) => panic!("{}: {stuck:?}", self.name()),
        }
    }

    /// The same with `replicas` replicas and without a promise; `None` if it does not finish.
    pub fn on(mut self, replicas: usize) -> Option<Self> {
        (self.experiment.environment.replicas, self.result) = (replicas, None);
        run_without_functions(&self.experiment, &self.module, Limits::default()).is_ok().then_some(self)
    }

    /// The address that opens it.
    pub fn address(&self) -> String {
        format!("#{}", link::write(&self.experiment))
    }

    pub fn name(&self) -> String {
        format!("{}.{}", self.meta.opcode, self.number)
    }

    /// Waits until the page has run this example and selected its op.
    #[track_caller]
    fn wait(&self, page: &Page) {
        page.wait_for(&format!(
            "document.querySelector('#op-title code').textContent === {} && document.querySelector('#hlo').value === {}
             && !document.querySelector('.flow.old')",
            quoted(self.meta.opcode),
            quoted(&self.experiment.text)
        ));
    }

    /// The promised value of the example, not the engine's result.
    fn promised(&self) -> Option<Literal> {
        self.result.map(|result| result.parse().unwrap())
    }

    /// Compares the displayed result with the promise; `follow` first moves to the example's root if the op is not
    /// the root.
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
        let Some(promised) = self.promised() else { return };
        // Sizes known only at run time are in the shape with their bounds.
        page.wait_for(&format!(
            "(shape => shape.includes('<=') || shape.replace(/\\{{[^}}]*\\}}/g, '') === {})(
               document.querySelector('#result-shape').textContent)",
            quoted(&promised.shape().human_string())
        ));
        if promised != Literal::Token {
            self.assert_result(&page.eval::<String>("document.querySelector('#result-value').textContent"));
        }
    }

    /// Asserts that a displayed result is the promised one.
    #[track_caller]
    pub fn assert_result(&self, text: &str) {
        let Some(promised) = self.promised() else { return };
        let read = parse_literal(text, &promised.shape());
        let shown = read.value.unwrap_or_else(|| panic!("{}: {text}: {:?}", self.name(), read.diagnostics));
        assert!(near(&shown, &promised), "{}: {text} instead of {promised}", self.name());
    }
}

/// Equal except for the last digits of floats, as in the registry's own test.
fn near(got: &Literal, want: &Literal) -> bool {
    match (got, want) {
        (Literal::Tuple(a), Literal::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| near(a, b))
        }
        (Literal::Array(a), Literal::Array(b)) => {
            let same = |a: Value, b: Value| match (a, b) {
                (Value::Float(x), Value::Float(y)) => a.same(b) || (x - y).abs() <= 1e-6 * y.abs(),
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
        let case = Case::first(meta);
        case.wait(page);
        case.shows_its_numbers(page, |page, chip| page.click(chip));
    }
}

fn every_op_is_run_by_keyboard(page: &Page) {
    open(page, "#ops/");
    let order: Vec<String> = page.eval("[...document.querySelectorAll('.op')].map((each) => each.title)");
    let all = offered();
    assert_eq!(order.len(), all.len());
    // The shortcut focuses the field from anywhere except from another field, where it is typed.
    page.key("/");
    assert!(page.is_focused("#find-op"));
    for (index, opcode) in order.iter().enumerate() {
        if index > 0 && !page.is_focused(".op") {
            // Back to the entry that was left: the list is one stop.
            page.key("/");
            page.key("Tab");
        }
        page.key("ArrowDown");
        assert!(page.is_focused(&format!(".op[title='{opcode}']")), "{opcode} is the next entry");
        page.key("Enter");
        let case = Case::first(all.iter().find(|meta| meta.opcode == opcode).unwrap());
        case.wait(page);
        case.shows_its_numbers(page, |page, chip| {
            tab_to(page, chip);
            page.key("Enter");
        });
    }
}

fn the_list_is_one_stop_of_the_tab_key(page: &Page) {
    open(page, "#ops1/@pad");
    let first = |page: &Page| page.attribute(".op", "title").unwrap();
    let tab_stops = |page: &Page| {
        let stops = "[...document.querySelectorAll('.op[tabindex=\"0\"]')].map((each) => each.title)";
        page.eval::<Vec<String>>(stops)
    };
    // The selected op.
    assert_eq!(tab_stops(page), ["pad"]);
    page.key("/");
    page.key("Tab");
    assert!(page.is_focused(".op[title='pad']"));
    page.key("Home");
    assert!(page.is_focused(".op"), "the first");
    page.wait_for(&format!(
        "document.querySelector('.op[tabindex=\"0\"]').title === {}",
        quoted(&first(page))
    ));
    assert_eq!(tab_stops(page).len(), 1);
    page.key("ArrowUp");
    assert!(page.is_focused("#find-op"), "the field is above the first entry");
    page.key("ArrowDown");
    page.key("End");
    let end = "[...document.querySelectorAll('.op')].at(-1)";
    assert!(page.eval::<bool>(&format!("document.activeElement === {end}")));
    page.key("ArrowDown");
    assert!(page.eval::<bool>(&format!("document.activeElement === {end}")), "there it ends");
    page.key("ArrowUp");
    assert!(page.eval::<bool>("document.activeElement === [...document.querySelectorAll('.op')].at(-2)"));
    // One press of Tab leaves the list, and another returns to the same entry.
    page.key("Tab");
    assert!(!page.is_focused(".op"));
    page.key("Shift+Tab");
    assert!(page.eval::<bool>("document.activeElement === [...document.querySelectorAll('.op')].at(-2)"));
    // The number of matches is announced, and Enter opens the first one.
    page.key("/");
    page.type_text("collapse");
    page.wait_for("document.querySelector('#found-ops').textContent === '1 operation found'");
    assert_eq!(tab_stops(page), ["reshape"]);
    page.key("Enter");
    page.wait_for("document.querySelector('#op-title code').textContent === 'reshape'");
    assert!(page.is_focused("#find-op"));
    page.assert_accessible();
}

fn further_examples_are_chosen_by_keyboard(page: &Page) {
    open(page, "#ops/");
    // One op after the other, so that the list is scrolled as the previous op left it.
    for opcode in ["bitcast-convert", "reshape"] {
        page.type_into("#find-op", opcode);
        page.wait_two_frames();
        page.click(&format!(".op[title='{opcode}']"));
        let cases: Vec<Case> = Case::all(ops::find(opcode).unwrap()).collect();
        assert!(cases.len() > 2, "{opcode}");
        for (index, case) in cases.iter().enumerate() {
            match index {
                0 => {}
                1 => drop(tab_to(page, "#presets")),
                _ => assert!(page.is_focused("#presets")),
            }
            if index > 0 {
                page.key("ArrowDown");
            }
            case.wait(page);
            assert_eq!(page.value("#presets"), index.to_string());
            case.shows_its_numbers(page, |page, chip| page.click(chip));
        }
    }
}

/// The headings of the Operation Semantics of 2017, with the ops in its three tables of element-wise ops.
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
        page.wait_two_frames();
        assert_eq!(page.count(&format!(".op[title='{opcode}']")), 1, "{heading} finds {opcode}");
        assert!(page.count(".op") < offered().len() / 2, "{heading} finds few");
    }
    // The op that is called so comes first, before those with an alias like it: Enter opens it.
    page.type_into("#find-op", "gather");
    page.wait_two_frames();
    assert_eq!(page.attribute(".op", "title").as_deref(), Some("gather"));
    // So does one with this alias before those whose name contains it, as CrossReplicaSum does.
    page.type_into("#find-op", "sum");
    page.wait_two_frames();
    assert_eq!(page.attribute(".op", "title").as_deref(), Some("reduce"));
    let missed: Vec<String> = page.eval(
        "(async () => {
            const field = document.querySelector('#find-op'), missed = [];
            const frame = () => new Promise((done) => requestAnimationFrame(done));
            const find = async (text) => {
                field.value = text;
                field.dispatchEvent(new InputEvent('input', { bubbles: true }));
                await frame(), await frame();
                return [...document.querySelectorAll('.op')].map((each) => each.title);
            };
            const all = await find('');
            for (const opcode of all) {
                const found = await find(opcode);
                if (!found.includes(opcode) || found.length * 2 > all.length) missed.push(opcode);
            }
            return all.length ? missed : ['every op'];
        })()",
    );
    assert_eq!(missed, Vec::<String>::new(), "an opcode finds its op");
    // If the matching name is not the displayed one, it is displayed next to it.
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
    // An op that the page does not describe has no link to it.
    open(page, "#ops1/@asin");
    assert_eq!(page.count(".sections"), 0);
}
