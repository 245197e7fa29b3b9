//! Short texts that request much work: tiles, dimensions and tuples are counted before anything is built, and excess
//! is rejected with a rule and a fix.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use std::fmt::Write;
use std::ops::ControlFlow;
use std::process::Command;
use std::rc::Rc;

use xla_playground::array::validate::{MAX_DEPTH, MAX_DIMENSIONS, MAX_LEAVES, MAX_TILE_SIZES, MAX_TILES};
use xla_playground::array::{
    ArrayShape, ElementType, Layout, Literal, MemoryMap, Shape, Tile, TileDim, Value, text, validate,
};
use xla_playground::hlo::eval::kernel::InProcess;
use xla_playground::hlo::{ComputationBuilder, Evaluator, Frame, InstructionId, Limits, Observer, parse};
use xla_playground::ops::{CellAt, Data};
use xla_playground::state::document::Document;
use xla_playground::state::permalink;
use xla_playground::state::session::{Action, Session};

fn tiled(tiles: usize, tile: &str) -> String {
    format!("f32[4,4]{{1,0:T{}}}", tile.repeat(tiles))
}

/// Applies first hints until there are no errors.
fn repaired(source: &str) -> String {
    let mut source = source.to_owned();
    for _ in 0..4 {
        let Some(error) = text::parse(&source).error().cloned() else { return source };
        source =
            error.hints.iter().find_map(|hint| hint.apply(&source)).unwrap_or_else(|| panic!("{error:?}"));
    }
    panic!("{source}");
}

#[test]
fn tiles_are_counted_and_the_surplus_can_be_removed() {
    for (source, rule, fixed) in [
        (tiled(MAX_TILES, "(1)"), None, tiled(MAX_TILES, "(1)")),
        (tiled(MAX_TILES + 1, "(1)"), Some("limit-tiles"), tiled(MAX_TILES, "(1)")),
        (tiled(2001, "(1)"), Some("limit-tiles"), tiled(MAX_TILES, "(1)")),
        (
            format!("({}, s32[2])", tiled(17, "(2,1)S(1)").replace("S(1)(", "(")),
            Some("limit-tiles"),
            format!("({}, s32[2])", tiled(16, "(2,1)").replace('}', "S(1)}")),
        ),
        (
            format!("f32[4]{{0:T({})}}", vec!["1"; MAX_TILE_SIZES + 1].join(",")),
            Some("limit-tile-sizes"),
            format!("f32[4]{{0:T({})}}", vec!["1"; MAX_TILE_SIZES].join(",")),
        ),
        (
            tiled(16, "(1,1,1,1,1)"),
            Some("limit-tile-sizes"),
            format!("f32[4,4]{{1,0:T{}(1,1,1,1)}}", "(1,1,1,1,1)".repeat(12)),
        ),
        (tiled(16, "(1,1,1,1)"), None, tiled(16, "(1,1,1,1)")),
        (
            format!("{}{}", tiled(16, "(1,1,1,1)").trim_end_matches('}'), "(1)}"),
            Some("limit-tiles"),
            tiled(16, "(1,1,1,1)"),
        ),
    ] {
        let parsed = text::parse(&source);
        assert_eq!(parsed.error().map(|d| d.rule), rule, "{source}");
        assert_eq!(repaired(&source), fixed);
    }
    // However the layout was built.
    let layout = (0..2001).fold(Layout::descending(2), |layout, _| layout.tiled([1]));
    let array = ArrayShape::new(ElementType::F32, [4, 4]).with_layout(layout);
    assert_eq!(MemoryMap::new(&array).unwrap_err().rule, "limit-tiles");
    assert_eq!(validate::shape(&Shape::tuple([array.into()])).unwrap_err().rule, "limit-tiles");
}

#[test]
fn tiles_are_counted_wherever_shapes_are_read() {
    let bomb = tiled(2001, "(1)");
    let literal = format!("{bomb} {{{{1,2,3,4}},{{1,2,3,4}},{{1,2,3,4}},{{1,2,3,4}}}}");
    assert_eq!(literal.parse::<Literal>().unwrap_err().rule, "limit-tiles");
    for module in [
        format!("HloModule m ENTRY e {{ ROOT x = {bomb} parameter(0) }}"),
        format!("HloModule m ENTRY e {{ ROOT x = {bomb} constant({{...}}) }}"),
        format!(
            "HloModule m, entry_computation_layout={{({bomb})->f32[]}} ENTRY e {{ x = f32[4,4] parameter(0) ROOT c = f32[] constant(0) }}"
        ),
        format!(
            "HloModule m e (x: f32[4,4]) -> {bomb} {{ ROOT x = f32[4,4] parameter(0) }} ENTRY m {{ x = f32[4,4] parameter(0) ROOT c = f32[4,4] call(x), to_apply=e }}"
        ),
    ] {
        let parsed = parse(&module);
        assert!(parsed.diagnostics.iter().any(|d| d.rule == "limit-tiles"), "{:?}", parsed.diagnostics);
    }
    for args in [
        &["layout", &bomb, "--json"][..],
        &["svg", &bomb],
        &["index", &bomb, "0,0", "--json"],
        &["at", &bomb, "0"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_xla-playground"))
            .env("LC_ALL", "C")
            .args(args)
            .output()
            .unwrap();
        let said = [output.stdout, output.stderr].concat();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(String::from_utf8(said).unwrap().contains("limit-tiles"), "{args:?}");
    }
}

#[test]
fn dimensions_are_counted_in_linear_time() {
    let source = |rank: usize| format!("f32[{}]", vec!["1"; rank].join(","));
    assert!(text::parse(&source(MAX_DIMENSIONS)).error().is_none());
    let parsed = text::parse(&source(MAX_DIMENSIONS + 1));
    assert_eq!(parsed.error().unwrap().rule, "limit-dimensions");
    assert_eq!(repaired(&source(30_000)), source(MAX_DIMENSIONS));
    // Lists of dimensions longer than any rank.
    let many = (0..100_000).map(|d| d.to_string()).collect::<Vec<_>>().join(",");
    for attr in [
        format!("transpose(x), dimensions={{0,0,{many}}}"),
        format!("reverse(x), dimensions={{{many}}}"),
        format!("broadcast(x), dimensions={{{many}}}"),
        format!(
            "gather(x, i), offset_dims={{{many}}}, collapsed_slice_dims={{}}, start_index_map={{0}}, index_vector_dim=0, slice_sizes={{1}}"
        ),
        format!(
            "gather(x, i), offset_dims={{0}}, collapsed_slice_dims={{{many}}}, start_index_map={{0}}, index_vector_dim=0, slice_sizes={{1}}"
        ),
        format!("dot(x, x), lhs_contracting_dims={{{many}}}, rhs_contracting_dims={{{many}}}"),
        format!("slice(x), slice={{{}}}", vec!["[0:1]"; 100_000].join(",")),
        format!(
            "collective-permute(x), source_target_pairs={{{}}}",
            (0..60_000).map(|d| format!("{{{d},{d}}}")).collect::<Vec<_>>().join(",")
        ),
        format!("all-gather(x), dimensions={{0}}, replica_groups=[1,1]<=[{}]", vec!["1"; 100_000].join(",")),
    ] {
        parse(&format!(
            "HloModule m ENTRY e {{ x = f32[4] parameter(0) i = s32[1] parameter(1) ROOT r = f32[4] {attr} }}"
        ));
    }
}

/// `x1 = tuple(x0, x0)`, `x2 = tuple(x1, x1)` …
fn doubled(times: usize, end: &str) -> String {
    let mut text = "HloModule m ENTRY e { x0 = f32[] constant(1)\n".to_owned();
    for i in 1..=times {
        let _ = writeln!(text, "x{i} = tuple(x{0}, x{0})", i - 1);
    }
    let _ = write!(text, "{end} }}");
    text
}

#[test]
fn leaves_are_counted_before_a_tuple_is_built() {
    assert_eq!(MAX_LEAVES, 1 << 16);
    assert!(parse(&doubled(16, "ROOT r = f32[] negate(x0)")).diagnostics.is_empty());
    for times in [17, 24, 40, 2000] {
        let parsed = parse(&doubled(times, ""));
        let [error] = parsed.diagnostics.as_slice() else { panic!("{times}: {:?}", parsed.diagnostics) };
        assert_eq!(error.rule, "limit-leaves");
        assert!(!error.hints.is_empty() && !error.message.to_string().is_empty());
    }
    for (end, opcode) in [
        ("a = after-all() s = ((((((f32[])))))) parameter(0) ROOT r = tuple(x16, x16)", "tuple"),
        ("ROOT r = call(x16), to_apply={ p = f32[] parameter(0) ROOT t = tuple(p, p) }", "call"),
        ("ROOT r = opt-barrier(x16)", "opt-barrier"),
        (
            "ROOT r = conditional(x0, x16, x16), branch_computations={ { ROOT p = f32[] parameter(0) }, { ROOT p = f32[] parameter(0) } }",
            "conditional",
        ),
        ("t = token[] after-all() ROOT r = send(x16, t), channel_id=1", "send"),
        ("t = token[] after-all() ROOT r = outfeed(x16, t)", "outfeed"),
        ("ROOT r = copy(x16)", "copy"),
        ("ROOT r = copy-start(x16)", "copy-start"),
        ("t = token[] after-all() ROOT r = add-dependency(x16, t)", "add-dependency"),
        ("ROOT r = get-tuple-element(x17), index=0", "get-tuple-element"),
    ] {
        // Valid or not, it ends at once.
        let parsed = parse(&doubled(16, end));
        let count = parsed.diagnostics.len();
        assert!(count < 10, "{opcode}: {count}");
        let _ = parsed.module.to_string();
    }
}

#[test]
fn the_leaves_of_a_module_are_counted_together() {
    let copies = |count: usize| {
        let more: Vec<String> = (0..count).map(|i| format!("y{i} = opt-barrier(x16)")).collect();
        let more = more.join("\n");
        doubled(16, &format!("{more} ROOT r = f32[] negate(x0)"))
    };
    assert!(parse(&copies(40)).diagnostics.is_empty());
    let parsed = parse(&copies(2_000));
    let rules: Vec<&str> = parsed.diagnostics.iter().map(|d| d.rule).collect();
    assert_eq!(rules, ["limit-module-leaves"], "reported once");
}

#[test]
fn deep_tuples_are_rejected() {
    let chain = |depth: usize| {
        let mut text = "HloModule m ENTRY e { x0 = f32[] constant(1)\n".to_owned();
        for i in 1..=depth {
            let _ = writeln!(text, "x{i} = tuple(x{})", i - 1);
        }
        text + "}"
    };
    let module = parse(&chain(MAX_DEPTH)).into_module().unwrap();
    let result = Evaluator::new(&module).run(&[]).unwrap();
    assert_eq!(result.shape().depth(), MAX_DEPTH);
    let parsed = parse(&chain(50_000));
    assert_eq!(parsed.diagnostics.iter().map(|d| d.rule).collect::<Vec<_>>(), ["limit-depth"]);
    let physical = "f32[2]{0:P(".repeat(10_000);
    assert!(text::parse(&physical).error().is_some());
    let nested = "(".repeat(30_000);
    assert!(text::parse(&nested).error().is_some());
    assert!(parse(&format!("HloModule m ENTRY e {{ ROOT x = {nested} parameter(0) }}")).error().is_some());

    let builder = ComputationBuilder::new("deep");
    let mut op = builder.parameter(0, &ArrayShape::new(ElementType::F32, []).into(), "x").unwrap();
    let rejected = (0..200).find_map(|_| builder.tuple(&[op, op]).map(|next| op = next).err());
    assert_eq!(rejected.unwrap().rule, "limit-leaves");
}

#[test]
fn memory_of_tuples_and_constants_is_counted_together() {
    // 64 Mi padding slots each, for a few bytes of text.
    let padded = "f32[1]{0:T(67108864)}";
    let one: Shape = padded.parse().unwrap();
    let tuple = Shape::tuple((0..50).map(|_| one.clone()));
    assert_eq!(Literal::zeros(&tuple).unwrap_err().rule, "literal-size");
    let literal = format!("({}) ({})", vec![padded; 50].join(", "), vec!["{1}"; 50].join(", "));
    assert_eq!(literal.parse::<Literal>().unwrap_err().rule, "literal-size");
    let constants: Vec<String> = (0..50).map(|i| format!("c{i} = {padded} constant({{1}})")).collect();
    let constants = constants.join("\n");
    let parsed = parse(&format!("HloModule m ENTRY e {{ {constants} }}"));
    assert_eq!(parsed.error().map(|d| d.rule), Some("literal-size"));
    // A tuple whose layouts differ from its elements' copies them.
    let shapes = vec![padded; 50].join(", ");
    let xs = vec!["x"; 50].join(", ");
    let text =
        format!("HloModule m ENTRY e {{ x = f32[1] constant({{1}}) ROOT t = ({shapes}) tuple({xs}) }}");
    let module = parse(&text).into_module().unwrap();
    let limits = Limits { bytes: 4 << 20, ..Limits::default() };
    assert_eq!(Evaluator::new(&module).limits(limits).run(&[]).unwrap_err().error.rule, "budget-bytes");
}

/// Concatenation of `count` operands, some of them empty.
fn concatenation(count: usize) -> String {
    let names: Vec<&str> = (0..count).map(|i| ["a", "b", "none"][i % 3]).collect();
    let size = names
        .iter()
        .map(|name| match *name {
            "a" => 2,
            "b" => 1,
            _ => 0,
        })
        .sum::<usize>();
    format!(
        "HloModule m ENTRY e {{ a = s32[2] constant({{1, 2}}) b = s32[1] constant({{3}}) none = s32[0] constant({{}})
         ROOT r = s32[{size}] concatenate({}), dimensions={{0}} }}",
        names.join(", ")
    )
}

#[test]
fn concatenation_takes_steps_by_cells_and_not_by_operands() {
    let module = parse(&concatenation(30_000)).into_module().unwrap();
    let mut evaluator = Evaluator::new(&module);
    let outcome = evaluator.run_with_values(&[]).unwrap();
    let mut tracer = evaluator.tracer(&outcome);
    let root = module.entry_computation().unwrap().root.unwrap();
    let result = outcome.values.get(root).unwrap().as_array().unwrap().clone();
    assert!(result.values().zip((1..=3).cycle()).all(|(value, want)| value == Value::Int(want)));
    assert!(outcome.steps < 200_000, "{}", outcome.steps);
    let source = &tracer.sources(root, &CellAt::array(&[29_999])).unwrap()[..];
    assert_eq!((source.len(), source[0].operand, &source[0].cell.index[..]), (1, 29_998, &[0][..]));
    let kernels = Rc::new(InProcess::default());
    let by_kernel = Evaluator::new(&module).kernels(kernels, 0).run(&[]).unwrap();
    assert_eq!(by_kernel, Literal::Array(result));
}

#[test]
fn a_link_and_an_edit_are_counted_too() {
    let tiles = "(1)".repeat(2001);
    let loaded = permalink::read(&format!("v1/f32[4,4]{{1,0}};with={{1,0:T{tiles}}}"));
    assert!(loaded.document.compare.is_none() && !loaded.problems.is_empty(), "{:?}", loaded.problems);
    let loaded = permalink::read(&format!("v1/{}", tiled(2001, "(1)")));
    assert!(!loaded.problems.is_empty());
    let mut session = Session::new(Document::with_shape("f32[4,4]".parse().unwrap()));
    session.apply(Action::SetTiles(vec![Tile([TileDim::Size(1)].into_iter().collect()); 2001]));
    assert!(session.rejection().is_some_and(|message| message.key == "limit-tiles"));
    assert_eq!(session.document().array().unwrap().to_string(), "f32[4,4]{1,0}");
    session.apply(Action::Type(tiled(2001, "(1)")));
    assert_eq!(session.parsed().error().map(|d| d.rule), Some("limit-tiles"));
}

#[test]
fn a_loop_around_a_large_tuple_pays_for_its_leaves() {
    // 2^11 leaves are visited several times in each of a million iterations.
    let mut text = doubled(11, "").trim_end_matches('}').to_owned();
    let _ = write!(
        text,
        "zero = s32[] constant(0) state = tuple(zero, x11)
         w = while(state), condition={{
             p = ({0}) parameter(0) i = get-tuple-element(p), index=0 n = s32[] constant(1000000)
             ROOT less = compare(i, n), direction=LT
         }}, body={{
             p = ({0}) parameter(0) i = get-tuple-element(p), index=0 one = s32[] constant(1) next = add(i, one)
             rest = get-tuple-element(p), index=1 ROOT t = tuple(next, rest)
         }} }}",
        format_args!("s32[], {}", nested(11)),
    );
    let module = parse(&text).into_module().unwrap_or_else(|d| panic!("{d}"));
    let limits = Limits { steps: 1 << 20, ..Limits::default() };
    let mut evaluator = Evaluator::new(&module).limits(limits);
    assert_eq!(evaluator.run(&[]).unwrap_err().error.rule, "budget-steps");
    let mut calls = Calls(0);
    let _ = Evaluator::new(&module).limits(limits).observer(&mut calls).run(&[]);
    assert!(calls.0 < 1_000, "{} iterations for a million steps", calls.0);
}

/// The shape of `x` after `count` doublings.
fn nested(times: usize) -> String {
    (0..times).fold("f32[]".to_owned(), |shape, _| format!("({shape},{shape})"))
}

/// Counts the calls of computations.
struct Calls(u64);

impl Observer for Calls {
    fn value(&mut self, frame: Frame, _: InstructionId, _: &Data) -> ControlFlow<()> {
        self.0 = self.0.max(frame.call);
        ControlFlow::Continue(())
    }
}
