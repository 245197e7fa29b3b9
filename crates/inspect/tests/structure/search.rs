//! Search, compared with brute force over the texts.

use test_support::Random;
use xla_hlo::Module;
use xla_inspect::search::{Field, Hit, IndexBuilder, Query, Search, SearchIndex, Term};

use crate::modules;

fn search(module: &Module, query: &str) -> Vec<Hit> {
    let index = SearchIndex::new(module);
    let mut search = Search::new(&index, Query::parse(query));
    assert!(search.advance(usize::MAX));
    let hits = search.hits(module, 0, usize::MAX);
    assert_eq!(hits.len(), search.count());
    hits
}

fn names(module: &Module, query: &str) -> Vec<String> {
    let name = |hit: &Hit| module.get(hit.id.0).unwrap().get(hit.id.1).unwrap().name.clone();
    search(module, query).iter().map(name).collect()
}

const MODULE: &str = "HloModule m
FileNames
1 \"model.py\"
FunctionNames
1 \"forward\"
FileLocations
1 {file_name_id=1 function_name_id=1 line=31 end_line=31 column=5 end_column=9}
StackFrames
1 {file_location_id=1 parent_frame_id=1}
region { a = f32[] parameter(0) b = f32[] parameter(1) ROOT dotted.sum = f32[] add(a, b) }
ENTRY main {
  Input = f32[8,16]{1,0} parameter(0)
  weights = f32[16,4]{1,0} parameter(1)
  dot = f32[8,4]{1,0} dot(Input, weights), lhs_contracting_dims={1}, rhs_contracting_dims={0}, metadata={op_name=\"jit(f)/Dense_0/dot_general\" stack_frame_id=1}
  my_dot.1 = f32[8,4]{1,0} negate(dot)
  zero = f32[] constant(0)
  ROOT r = f32[8]{0} reduce(my_dot.1, zero), dimensions={1}, to_apply=region, sharding={replicated}
}";

#[test]
fn every_field_is_searched_and_better_matches_come_first() {
    let module = modules::module(MODULE);
    // The whole name, a word in a name, the start of a name in another computation, the start of a word elsewhere.
    assert_eq!(names(&module, "dot"), ["dot", "dotted.sum", "my_dot.1"]);
    assert_eq!(names(&module, "op:dot"), ["dot"]);
    assert_eq!(names(&module, "%input"), ["Input"]);
    assert_eq!(names(&module, "f32[8,4]"), ["dot", "my_dot.1"]);
    assert_eq!(names(&module, "dense_0"), ["dot"]);
    assert_eq!(names(&module, "model.py:31"), ["dot"]);
    assert_eq!(names(&module, "source:forward"), ["dot"]);
    assert_eq!(names(&module, "dimensions={1}"), ["r"]);
    assert_eq!(names(&module, "attr:replicated"), ["r"]);
    assert_eq!(names(&module, "to_apply=region"), ["r"]);
    assert_eq!(names(&module, "in:region"), ["a", "b", "dotted.sum"]);
    assert_eq!(names(&module, "in:region add"), ["dotted.sum"]);
    assert_eq!(names(&module, "region"), ["r"]);
    assert_eq!(names(&module, "\"region, sharding\""), ["r"]);
    assert!(names(&module, "\"\"").is_empty() && names(&module, " \n ").is_empty());
    assert!(names(&module, "dot missing").is_empty());
}

#[test]
fn hits_say_where_they_match() {
    let module = modules::module(MODULE);
    let hit = search(&module, "general").remove(0);
    assert_eq!((hit.field, &hit.text[hit.range.clone()]), (Field::OpName, "general"));
    let hit = search(&module, "INPUT").remove(0);
    assert_eq!((hit.field, hit.text.as_str(), hit.range), (Field::Name, "Input", 0..5));
    let hit = search(&module, "16,4").remove(0);
    assert_eq!((hit.field, &hit.text[hit.range.clone()]), (Field::Shape, "16,4"));
}

#[test]
fn queries_have_terms_and_prefixes() {
    let terms = |text: &str| -> Vec<(Option<Field>, String)> {
        let pair = |term: Term| (term.field, term.text);
        Query::parse(text).terms.into_iter().map(pair).collect()
    };
    assert_eq!(terms("Op:Dot  %x"), [(Some(Field::Opcode), "dot".to_owned()), (None, "x".to_owned())]);
    assert_eq!(terms("\"a  b\" other:c op:"), [(None, "a  b".to_owned()), (None, "other:c".to_owned())]);
    assert_eq!(terms(&"x ".repeat(100)).len(), 8);
    assert_eq!(terms("\"open end\nnext"), [(None, "open end".to_owned()), (None, "next".to_owned())]);
    for field in Field::ALL {
        assert_eq!(terms(&format!("{}:y", field.prefix())), [(Some(field), "y".to_owned())]);
    }
}

#[test]
fn results_equal_brute_force_and_do_not_depend_on_the_steps() {
    let mut random = Random::new(4);
    let queries =
        ["v1", "neg", "f32[4] add", "call v2", "fn0", "to_apply=fn1", "in:fn2 v", "{1, 2, 3, 4}", "p", "e"];
    let mut count = 0;
    for module in modules::samples() {
        let mut builder = IndexBuilder::new(&module);
        while !builder.advance(&module, 1 + random.below(20)) {}
        let index = builder.finish();
        for query in queries {
            let terms = Query::parse(query).terms;
            let mut expected = Vec::new();
            for (index, computation) in (0..).zip(&module.computations) {
                for (id, instruction) in computation.iter() {
                    let called: Vec<String> = instruction
                        .attrs
                        .computations()
                        .map(|callee| module.get(callee).unwrap().name.clone())
                        .collect();
                    let attributes: Vec<String> = instruction
                        .attrs
                        .iter()
                        .map(|(name, value)| {
                            let value = if called.is_empty() { value.to_string() } else { called.join(", ") };
                            format!("{name}={value}")
                        })
                        .collect();
                    let texts = [
                        instruction.name.clone(),
                        instruction.opcode.clone(),
                        instruction.shape.to_string(),
                        attributes.join(", "),
                    ];
                    let is_match = |term: &Term| match term.field {
                        Some(Field::Computation) => computation.name.contains(&term.text),
                        _ => texts.iter().any(|text| text.contains(&term.text)),
                    };
                    if terms.iter().all(is_match) {
                        expected.push((xla_ops::ComputationId(index), id));
                    }
                }
            }
            let mut search = Search::new(&index, Query::parse(query));
            while !search.advance(1 + random.below(40)) {}
            let hits = search.hits(&module, 0, usize::MAX);
            let mut found: Vec<_> = hits.iter().map(|hit| hit.id).collect();
            found.sort_unstable();
            assert_eq!(found, expected, "{query}");
            assert!(hits.is_sorted_by_key(|hit| std::cmp::Reverse(hit.score)));
            let page = search.hits(&module, 3, 5);
            assert_eq!(page, hits.get(3..hits.len().min(8)).unwrap_or_default());
            count += expected.len();
        }
    }
    assert!(count > 1_000, "{count}");
}

#[test]
fn an_empty_module_and_long_texts_are_searched() {
    let empty = Module::default();
    assert!(names(&empty, "x").is_empty());
    let star = modules::star(3_000);
    assert_eq!(names(&star, "tuple op:tuple"), ["t"]);
    assert_eq!(search(&star, "op:negate").len(), 3_000);
    let text = "HloModule m ENTRY e { x = f32[] parameter(0), metadata={op_name=\"größe Ä/Z\"} ROOT r = f32[] negate(x) }";
    let module = modules::module(text);
    let hit = search(&module, "größe").remove(0);
    assert_eq!(&hit.text[hit.range.clone()], "größe");
    assert_eq!(names(&module, "z"), ["x"]);
}
