//! Tests of completion.

use super::*;

/// The texts of the candidates at the mark.
fn at(marked: &str) -> Vec<String> {
    let offset = marked.find('§').expect("a mark");
    let text = marked.replace('§', "");
    let module = xla_hlo::parse(&text).module;
    let found = complete(&text, &module, offset);
    found.map(|found| found.candidates.into_iter().map(|c| c.text).collect()).unwrap_or_default()
}

/// The candidates in an entry with these instructions after two parameters, a scalar and a sum.
fn entry(instructions: &str) -> Vec<String> {
    at(&format!(
        "HloModule m\n\nsum {{\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}}\n\n\
         ENTRY e {{\n  x = f32[4,5] parameter(0)\n  y = f32[6,5] parameter(1)\n  zero = f32[] constant(0)\n  {instructions}\n}}\n"
    ))
}

#[test]
fn opcodes_and_types_are_offered_where_one_belongs() {
    let after_shape = entry("r = f32[4,5] §");
    assert!(after_shape.contains(&"negate(".to_owned()) && after_shape.len() > 100);
    assert_eq!(entry("r = f32[4,5] trans§")[0], "transpose(");
    assert!(entry("r = f32[4,5]{1,0} nega§(x)").contains(&"negate(".to_owned()));
    let either = entry("r = §");
    assert_eq!(either[0], "f32[");
    assert!(either.contains(&"bf16[".to_owned()) && either.contains(&"add(".to_owned()));
    assert!(entry("§").contains(&"ROOT".to_owned()));
}

#[test]
fn the_whole_word_is_replaced_up_to_the_bracket_that_follows() {
    let replaced = |marked: &str| {
        let offset = marked.find('§').expect("a mark");
        let text = marked.replace('§', "");
        let found = complete(&text, &xla_hlo::parse(&text).module, offset).expect("candidates");
        let replacement = found.replacement(&text, &found.candidates[0]);
        format!("{}{replacement}{}", &text[..found.span.start], &text[found.span.end..])
    };
    for (marked, expected) in [
        ("ENTRY e {\n  r = f32[2] nega§ate(x)\n}", "ENTRY e {\n  r = f32[2] negate(x)\n}"),
        ("ENTRY e {\n  r = f32[2] nega§\n}", "ENTRY e {\n  r = f32[2] negate(\n}"),
        ("ENTRY e {\n  r = f32[2] nega§", "ENTRY e {\n  r = f32[2] negate("),
    ] {
        assert_eq!(replaced(marked), expected);
    }
}

#[test]
fn operands_that_fit_come_first() {
    assert_eq!(entry("r = f32[4,5] negate(§)"), ["x", "zero", "y"]);
    assert_eq!(entry("r = f32[6,5] add(y, §)"), ["y", "zero", "x"]);
    assert_eq!(entry("r = f32[4] reduce(x, §), dimensions={1}, to_apply=sum")[0], "zero");
    assert_eq!(entry("r = f32[6,5] add(y, z§)"), ["zero"]);
    assert_eq!(entry("r = f32[6,5] add(y, y), control-predecessors={§}").len(), 3);
    let percent =
        at("ENTRY %e (p: f32[]) -> f32[] {\n  %p = f32[] parameter(0)\n  ROOT %n = f32[] negate(§\n}");
    assert_eq!(percent, ["%p"]);
}

#[test]
fn missing_attributes_come_first() {
    let reduce = entry("r = f32[4] reduce(x, zero), §");
    assert_eq!(reduce[..2], ["dimensions=", "to_apply="]);
    assert!(reduce.contains(&"metadata=".to_owned()));
    let rest = entry("r = f32[4] reduce(x, zero), dimensions={1}, §");
    assert_eq!(rest[0], "to_apply=");
    assert!(!rest.contains(&"dimensions=".to_owned()));
    let before = entry("r = f32[4] reduce(x, zero), §, dimensions={1}, to_apply=sum");
    assert!(!before.contains(&"dimensions=".to_owned()), "{before:?}");
    assert_eq!(entry("r = f32[4,6] dot(x, y), lhs_c§")[0], "lhs_contracting_dims=");
    assert!(at("HloModule m, is§\nENTRY e { x = f32[] parameter(0) }").contains(&"is_scheduled=".to_owned()));
}

#[test]
fn values_have_their_words() {
    assert_eq!(entry("r = f32[4] reduce(x, zero), dimensions={1}, to_apply=§"), ["sum"]);
    assert_eq!(entry("r = pred[4,5] compare(x, x), direction=§").len(), 6);
    assert_eq!(entry("r = pred[4,5] compare(x, x), direction=L§"), ["LE", "LT"]);
    assert!(entry("r = f32[4,5] sort(x), dimensions={1}, is_stable=§").contains(&"true".to_owned()));
    assert!(entry("r = f32[4,5] reduce-window(x, zero), window={§}").contains(&"size=".to_owned()));
    for nothing in ["r = f32[§", "r = f32[4,5] negate(x), metadata={op_name=\"§\"}", "// ad§"] {
        assert_eq!(entry(nothing), [""; 0], "{nothing}");
    }
}

#[test]
fn every_place_of_every_prefix_is_harmless() {
    let sample = "HloModule m, is_scheduled=true\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] add(x, x), metadata={op_name=\"é\"}\n}\n";
    for cut in (0..sample.len()).filter(|cut| sample.is_char_boundary(*cut)) {
        let text = &sample[..cut];
        let module = xla_hlo::parse(text).module;
        for offset in 0..=text.len() {
            complete(text, &module, offset);
        }
    }
}
