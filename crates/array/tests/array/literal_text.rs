//! Literals to text and back: XLA's form, errors in it, and text that users type and paste.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use proptest::prelude::*;
use xla_array::literal::parse::{Parsed, parse, parse_at};
use xla_array::literal::user_input::{element_span, parse_element, parse_values};
use xla_array::literal::{Equality, MAX_SLOTS};
use xla_array::value::text::Exactness;
use xla_array::{ArrayLiteral, ArrayShape, ElementType as T, Layout, Literal, Shape, Value};
use xla_messages::diagnostic::Severity;

fn array(t: T, dimensions: &[i64]) -> Shape {
    ArrayShape::new(t, dimensions.iter().copied()).into()
}

fn read(source: &str, t: T, dimensions: &[i64]) -> Parsed<Literal> {
    parse(source, &array(t, dimensions))
}

/// Parses a literal and prints it.
fn printed(source: &str, t: T, dimensions: &[i64]) -> String {
    let parsed = read(source, t, dimensions);
    assert!(parsed.is_ok(), "{source}: {:?}", parsed.diagnostics);
    parsed.value.unwrap().to_string()
}

/// The violated rules, and the text after the first hint of the first diagnostic.
fn violations<V>(source: &str, parsed: &Parsed<V>) -> (Vec<&'static str>, Option<String>) {
    let errors = parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let fixed = parsed.diagnostics.first().and_then(|d| d.hints.first()).and_then(|hint| hint.apply(source));
    (errors.map(|d| d.rule).collect(), fixed)
}

#[test]
fn literals_that_xla_accepts_are_parsed() {
    assert_eq!(printed("1.5", T::F32, &[]), "1.5");
    assert_eq!(printed("nan", T::F32, &[]), "nan");
    assert_eq!(printed("-0", T::F32, &[]), "0");
    assert_eq!(printed("-0.0", T::F32, &[]), "-0");
    assert_eq!(printed("true", T::Pred, &[]), "true");
    assert_eq!(printed("{true, false, 1}", T::Pred, &[3]), "{1, 0, 1}");
    assert_eq!(printed("18446744073709551615", T::U64, &[]), "18446744073709551615");
    assert_eq!(printed("{{{1, 2}}, {{3, 4}}}", T::F32, &[2, 1, 2]), "{ { { 1, 2 } }, { { 3, 4 } } }");
    assert_eq!(printed("{}", T::F32, &[0]), "{}");
    assert_eq!(printed("{{}, {}}", T::F32, &[2, 0]), "{ {}, {} }");
    assert_eq!(printed("{}", T::F32, &[0, 2]), "{  }");
    assert_eq!(printed("(1, -2)", T::C64, &[]), "(1, -2)");
    assert_eq!(printed("{1.5, 3.14159}", T::BF16, &[2]), "{1.5, 3.141}");
    assert_eq!(printed("{65504, 0.1}", T::F16, &[2]), "{65504, 0.099976}");
    assert_eq!(printed("{ {1 2} /*i0=1*/ {3, 4} } // end", T::S8, &[2, 2]), "{ { 1, 2 }, { 3, 4 } }");
    assert_eq!(printed("{nan(0x1), -nan}", T::F32, &[2]), "{nan(0x1), -nan}");
}

#[test]
fn a_layout_does_not_change_the_text() {
    let shape = ArrayShape::new(T::F32, [2, 3]).with_layout(Layout::ascending(2));
    let literal = parse("{ { 1, 2, 3 }, { 4, 5, 6 } }", &shape.into()).ok().unwrap();
    assert_eq!(literal.to_string(), "{ { 1, 2, 3 }, { 4, 5, 6 } }");
    let cells: Vec<f32> = literal.as_array().unwrap().as_slice().unwrap().to_vec();
    assert_eq!(cells, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
}

#[test]
fn literals_that_xla_rejects_have_a_rule_and_a_fix() {
    /// Text, element type, dimensions, the violated rule, and the text after the hint.
    type Case = (&'static str, T, &'static [i64], &'static str, Option<&'static str>);
    let cases: &[Case] = &[
        ("1e39", T::F32, &[], "literal-range", Some("3.40282347e+38")),
        ("70000", T::F16, &[], "literal-range", Some("65504")),
        ("{1,2,3}", T::F32, &[2], "literal-count", Some("{1,2}")),
        ("{1, 2}", T::F32, &[4], "literal-count", Some("{1, 2, 0, 0}")),
        ("{}", T::Pred, &[2], "literal-count", Some("{0, 0}")),
        ("{{1,2}}", T::S32, &[2], "literal-nesting", None),
        ("1.5", T::S32, &[], "literal-kind", Some("2")),
        ("256", T::U8, &[], "literal-range", Some("255")),
        ("-1", T::U32, &[], "literal-range", Some("0")),
        ("{1,2", T::F32, &[2], "literal-unclosed", Some("{1,2}")),
        ("(1,2)", T::F32, &[], "literal-complex", None),
        ("{1}", T::F32, &[], "literal-nesting", None),
        ("{{1,2},{3}}", T::F32, &[2, 2], "literal-count", Some("{{1,2},{3, 0}}")),
        ("1", T::F32, &[2], "literal-nesting", None),
        ("{1, 2}", T::F32, &[1, 2], "literal-nesting", None),
        ("{1, x}", T::F32, &[2], "literal-number", None),
        ("{1, 2}", T::C64, &[2], "literal-complex", Some("{(1, 0), 2}")),
        ("(1, 2", T::C64, &[], "literal-complex", None),
        ("1 2", T::F32, &[], "literal-syntax", None),
        ("", T::F32, &[2], "literal-syntax", None),
        ("", T::F32, &[], "literal-syntax", None),
        ("{1}}", T::F32, &[1], "literal-syntax", None),
        ("{1, 2, 3}", T::F32, &[0], "literal-count", Some("{}")),
    ];
    for (source, t, dimensions, rule, fixed) in cases {
        let (rules, edit) = violations(source, &read(source, *t, dimensions));
        assert_eq!(rules.first(), Some(rule), "{source} as {t}{dimensions:?}: {rules:?}");
        assert_eq!(edit.as_deref(), *fixed, "{source} as {t}{dimensions:?}");
    }
}

#[test]
fn elements_without_errors_are_parsed_next_to_errors() {
    let parsed = read("{ {1, 2, 3}, {x, 5} }", T::S32, &[2, 2]);
    let (rules, _) = violations("", &parsed);
    assert_eq!(rules, ["literal-count", "literal-number"]);
    assert_eq!(parsed.value.unwrap().to_string(), "{ { 1, 2 }, { 0, 5 } }");
    let many = "x ".repeat(1000);
    assert_eq!(read(&format!("{{{many}}}"), T::F32, &[1000]).diagnostics.len(), 20);
}

#[test]
fn elided_values_are_flagged() {
    for (source, dimensions) in [("{...}", &[20][..]), ("{...}", &[2, 10]), ("{...}", &[])] {
        let parsed = read(source, T::F32, dimensions);
        assert!(parsed.elided && parsed.is_ok(), "{dimensions:?}: {:?}", parsed.diagnostics);
        assert_eq!(parsed.diagnostics[0].rule, "literal-elided");
    }
    let tuple = Shape::tuple([array(T::F32, &[2]), array(T::S32, &[])]);
    assert!(parse("{...}", &tuple).elided);
    assert!(!read("{1}", T::F32, &[1]).elided);
}

#[test]
fn tuples_are_read_and_printed() {
    let shape = Shape::tuple([
        array(T::F32, &[2]),
        Shape::tuple([array(T::S32, &[]), Shape::Token]),
        Shape::tuple([]),
    ]);
    let literal = parse("( {1, 2}, (3, token), () )", &shape).ok().unwrap();
    assert_eq!(literal.to_string(), "( {1, 2}, ( 3, token ), (  ) )");
    assert_eq!(parse(&literal.to_string(), &shape).ok().unwrap(), literal);
    for (source, rule) in [
        ("( {1, 2}, (3, token) )", "literal-syntax"),
        ("( {1, 2}, (3, token), (), 4 )", "literal-syntax"),
        ("( {1, 2, (3, token), () )", "literal-unclosed"),
        ("( {1, 2}, (3, token), ()", "literal-unclosed"),
        ("{1, 2}", "literal-syntax"),
        ("( {1, 2}", "literal-unclosed"),
    ] {
        let (rules, _) = violations(source, &parse(source, &shape));
        assert!(rules.contains(&rule), "{source}: {rules:?}");
    }
}

#[test]
fn a_literal_within_a_text_ends_where_it_ends() {
    let source = "c = s32[2]{0} constant({1, 2}), metadata={}";
    let start = source.find("({").unwrap() + 1;
    let parsed = parse_at(source, start, &array(T::S32, &[2]));
    assert!(parsed.is_ok());
    assert_eq!(&source[start..parsed.end], "{1, 2}");
}

#[test]
fn typed_and_pasted_values_are_read() {
    let want = "{ { 1, 2, 3 }, { 4, 5, 6 } }";
    for source in [
        "1 2 3 4 5 6",
        "1, 2, 3\n4, 5, 6",
        "1\t2\t3\r\n4\t5\t6\r\n",
        "[[1, 2, 3], [4, 5, 6]]",
        "[[1. 2. 3.]\n [4. 5. 6.]]",
        "{{1,2,3},{4,5,6}}",
        "((1, 2, 3), (4, 5, 6))",
        "[1, 2, 3, 4, 5, 6]",
        "1 2 3; 4 5 6",
    ] {
        let parsed = parse_values(source, T::F32, &[2, 3]);
        assert!(parsed.is_ok(), "{source}: {:?}", parsed.diagnostics);
        assert_eq!(parsed.value.unwrap().to_string(), want, "{source}");
    }
    let complex = parse_values("1+2i, 3j (5, -6) -1e-3-i", T::C64, &[4]);
    assert_eq!(complex.ok().unwrap().to_string(), "{(1, 2), (0, 3), (5, -6), (-0.001, -1)}");
    assert_eq!(parse_values("True FALSE 1 0", T::Pred, &[4]).ok().unwrap().to_string(), "{1, 0, 1, 0}");
    assert_eq!(parse_element(" -inf ", T::F32).ok(), Some(Value::Float(f64::NEG_INFINITY)));
    assert_eq!(parse_element("[5]", T::S32).ok(), Some(Value::Int(5)));
}

#[test]
fn typed_values_get_diagnostics_too() {
    let cases: &[(&str, &[i64], &str, Option<&str>)] = &[
        ("1 2 3", &[2, 2], "literal-count", Some("1 2 3, 0")),
        ("1 2 3 4 5", &[2, 2], "literal-count", Some("1 2 3 4")),
        ("[[1, 2], [3]]", &[2, 2], "literal-count", Some("[[1, 2], [3, 0]]")),
        ("[[1, 2], [3, 4]", &[2, 2], "literal-unclosed", Some("[[1, 2], [3, 4]]")),
        ("[1, 2, 3, 4", &[2, 2], "literal-unclosed", Some("[1, 2, 3, 4]")),
        ("1 2 3 300", &[4], "literal-range", Some("1 2 3 255")),
        ("[[1, 2], [3, 4}]", &[2, 2], "literal-unclosed", None),
        ("", &[2], "literal-count", Some("0, 0")),
        ("1 2] 3 4", &[4], "literal-syntax", None),
    ];
    for (source, dimensions, rule, fixed) in cases {
        let (rules, edit) = violations(source, &parse_values(source, T::U8, dimensions));
        assert_eq!(rules.first(), Some(rule), "{source}: {rules:?}");
        if fixed.is_some() {
            assert_eq!(edit.as_deref(), *fixed, "{source}");
        }
    }
}

#[test]
fn literals_beyond_the_limits_are_rejected() {
    // Elided values and arrays without elements take no memory.
    let parsed = read("{...}", T::F32, &[MAX_SLOTS, 2]);
    assert_eq!(
        (parsed.value.is_none(), parsed.is_ok(), parsed.diagnostics[0].rule),
        (true, true, "literal-elided")
    );
    let parsed = read("{{1, 2}}", T::F32, &[MAX_SLOTS, 2]);
    assert_eq!((parsed.value.is_none(), parsed.diagnostics[0].rule), (true, "literal-count"));
    let many = format!("{{{}abc}}", "-0,".repeat(40));
    assert!(!read(&many, T::F32, &[41]).is_ok(), "warnings hide an error");
    let tiled = ArrayShape::new(T::F32, [1]).with_layout(
        "f32[1]{0:T(99999999)}".parse::<Shape>().unwrap().as_array().unwrap().layout.clone().unwrap(),
    );
    assert_eq!(parse("{1}", &Shape::Array(tiled)).diagnostics[0].rule, "literal-size");
    assert_eq!(parse("x", &Shape::Opaque).diagnostics[0].rule, "literal-shape");
    assert_eq!(parse_values("1", T::F32, &[-1]).diagnostics[0].rule, "shape-2");
}

/// Any code of any type, the usual special ones more often.
fn element() -> impl Strategy<Value = (T, u128)> {
    (0..T::ALL.len(), any::<u128>(), 0..4_u8).prop_map(|(t, code, choice)| {
        let t = T::ALL[t];
        let special = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-40, -5e-324, 1.0];
        let special = special[usize::try_from(code % 8).unwrap()];
        if choice == 0 { (t, Value::Float(special).to_bits(t)) } else { (t, code) }
    })
}

proptest! {
    #[test]
    fn every_array_reads_back_from_its_text(
        (t, _) in element(),
        dimensions in prop::collection::vec(0_i64..4, 0..5),
        codes in prop::collection::vec((any::<u128>(), any::<bool>()), 1..16),
    ) {
        let specials = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-40, -5e-324];
        let shape = ArrayShape::new(t, dimensions.iter().copied());
        let literal = ArrayLiteral::from_fn(shape.clone(), |number, _| {
            let (code, is_special) = codes[usize::try_from(number).unwrap() % codes.len()];
            if is_special {
                Value::Float(specials[usize::try_from(code % 7).unwrap()])
            } else {
                Value::from_bits(t, code)
            }
        }).unwrap();
        let text = literal.text(Exactness::RoundTrip);
        let parsed = parse(&text, &shape.clone().into());
        prop_assert!(parsed.is_ok(), "{}: {:?}", text, parsed.diagnostics);
        let again = parsed.value.unwrap();
        prop_assert!(again.equals(&literal.clone().into(), Equality::Bits), "{}", text);
        // XLA's own text loses nothing but the sign of a zero.
        let exact = parse(&literal.to_string(), &shape.into()).ok().unwrap();
        prop_assert!(exact.equals(&literal.clone().into(), Equality::Ieee) || text.contains("nan"));
        let typed = parse_values(&literal.to_string(), t, &dimensions);
        prop_assert!(typed.ok().unwrap().equals(&literal, Equality::Bits));
    }

    #[test]
    fn one_element_reads_back((t, code) in element()) {
        let value = Value::from_bits(t, code);
        let text = value.text(t, Exactness::RoundTrip);
        let read = parse_element(&text, t).ok().unwrap();
        prop_assert_eq!(read.to_bits(t), value.to_bits(t), "{}", text);
    }

    #[test]
    fn no_text_makes_the_parser_panic(
        source in "[{}()\\[\\],. 0-9a-in x/*+-]{0,40}",
        t in 0..T::ALL.len(),
        dimensions in prop::collection::vec(0_i64..4, 0..4),
    ) {
        let t = T::ALL[t];
        let tuple = Shape::tuple([array(t, &dimensions), Shape::Token, array(t, &[])]);
        for parsed in [read(&source, t, &dimensions), parse(&source, &tuple)] {
            for d in &parsed.diagnostics {
                prop_assert!(d.span.end <= source.len() && source.get(d.span.range()).is_some());
                for hint in d.hints.iter().filter(|hint| !hint.edits.is_empty()) {
                    prop_assert!(hint.apply(&source).is_some());
                }
            }
            prop_assert!(parsed.end <= source.len());
        }
        let typed = parse_values(&source, t, &dimensions);
        prop_assert!(typed.diagnostics.iter().all(|d| source.get(d.span.range()).is_some()));
    }
}

#[test]
fn an_element_is_found_in_its_source() {
    let text = |source: &'static str, element_type, number| {
        element_span(source, element_type, number).map(|span| &source[span.range()])
    };
    let (f32, c64) = (T::F32, T::C64);
    for (number, expected) in [(0, Some("1.5")), (2, Some("nan(0x3)")), (3, Some("-4")), (4, None)] {
        assert_eq!(text("{{1.5, 2}, /* two */ {nan(0x3); -4}}", f32, number), expected);
        assert_eq!(text("1.5 2\nnan(0x3)\t-4", f32, number), expected);
    }
    assert_eq!(text("[(1, 2), (3, -4)]", c64, 1), Some("(3, -4)"));
    assert_eq!(text("[(1, 2), (3", c64, 1), None);
    assert_eq!(text("{1, ..., 9}", f32, 1), None, "elided values have no place");
    assert_eq!(text("", f32, 0), None);
}
