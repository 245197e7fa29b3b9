//! *Operation Semantics*, "Call".

use xla_playground::hlo::parse;

use super::chinese;

/// The first error of a module with this entry, in each language.
fn said(entry: &str) -> (&'static str, [String; 2]) {
    let parsed = parse(&format!("HloModule m\nENTRY e {{ {entry} }}"));
    let error = parsed.error().unwrap();
    (error.rule, [error.message.to_string(), chinese(&error.message)])
}

/// Row 47: the arity must match. A computation without a name is called by its attribute, and one argument is singular.
#[test]
fn the_message_of_a_wrong_arity_names_the_computation() {
    let (rule, [english, translated]) =
        said("x = f32[] parameter(0) ROOT r = call(x, x), to_apply={ ROOT y = f32[] parameter(0) }");
    assert_eq!((rule, english.as_str()), ("call-1", "to_apply takes 1 argument, not 2"));
    assert_eq!(translated, "to_apply 需要 1 个实参，这里有 2 个");
    let two = "y = f32[] parameter(0) z = f32[] parameter(1) ROOT s = add(y, z)";
    let (_, [english, _]) = said(&format!("x = f32[] parameter(0) ROOT r = call(x), to_apply={{ {two} }}"));
    assert_eq!(english, "to_apply takes 2 arguments, not 1");
    let named =
        "HloModule m\nf { ROOT y = f32[] parameter(0) }\nENTRY e { ROOT r = f32[] call(), to_apply=f }";
    assert_eq!(parse(named).error().unwrap().message.to_string(), "f takes 1 argument, not 0");
}

/// Row 48: the types must match.
#[test]
fn the_message_of_a_wrong_type_names_the_computation() {
    let (rule, [english, translated]) =
        said("x = f32[] parameter(0) ROOT r = call(x), to_apply={ ROOT y = f32[2] parameter(0) }");
    assert_eq!(
        (rule, english.as_str()),
        ("call-2", "parameter 0 of to_apply is f32[2], but the argument is f32[]")
    );
    assert_eq!(translated, "to_apply 的参数 0 是 f32[2]，实参是 f32[]");
    let branches = "branch_computations={{ ROOT y = f32[] parameter(0) }, { ROOT z = f32[2] parameter(0) }}";
    let (rule, [english, _]) = said(&format!(
        "i = s32[] parameter(0) x = f32[] parameter(1) ROOT r = conditional(i, x, x), {branches}"
    ));
    assert_eq!(rule, "conditional-4");
    assert!(english.starts_with("branch_computations has f32[2]"), "{english}");
}
