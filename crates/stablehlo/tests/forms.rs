//! Forms of text: both dialects, declarations, ops without operands, shapes that are known, and modules printed again.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use xla_hlo::Evaluator;
use xla_stablehlo::{parse, print, translate};

/// The HLO text of a function's op.
fn hlo(arguments: &str, op: &str, result: &str) -> String {
    let text = format!("func.func @main({arguments}) -> {result} {{\n  {op}\n  return %r : {result}\n}}");
    let translation = translate(&text);
    assert!(translation.diagnostics.is_empty(), "{op}: {:?}", translation.diagnostics);
    assert!(parse(&text).error().is_none(), "{}", translation.hlo);
    translation.hlo
}

#[test]
fn mhlo_has_the_ops_of_stablehlo() {
    let x = "%a: tensor<2xf32>";
    let reduce = "%c = mhlo.constant dense<0.0> : tensor<f32>\n %r = mhlo.reduce(%a init: %c) applies mhlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>";
    assert!(hlo(x, reduce, "tensor<f32>").contains(" reduce("));
    let add = "%r = mhlo.add %a, %a : tensor<2xf32>";
    assert!(hlo(x, add, "tensor<2xf32>").contains(" add("));
}

#[test]
fn computed_shapes_that_are_known_are_static() {
    let shape = "%s = stablehlo.constant dense<[2, 3]> : tensor<2xi32>";
    let op =
        format!("{shape}\n %r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi32>) -> tensor<2x3xf32>");
    assert!(hlo("", &op, "tensor<2x3xf32>").contains("iota(), iota_dimension=0"));
    let op = format!(
        "{shape}\n %r = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] : (tensor<3xf32>, tensor<2xi32>) -> tensor<2x3xf32>"
    );
    assert!(hlo("%a: tensor<3xf32>", &op, "tensor<2x3xf32>").contains("broadcast(a), dimensions={1}"));
    let op = "%s = stablehlo.constant dense<1> : tensor<1xi64>\n %r = stablehlo.real_dynamic_slice %a, %s, %s, %s : (tensor<3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<0xf32>";
    assert!(hlo("%a: tensor<3xf32>", op, "tensor<0xf32>").contains("slice={[1:1:1]}"));
}

#[test]
fn lapack_is_read_as_before_the_ffi() {
    let op = "%c = stablehlo.constant dense<1> : tensor<i32>
      %t = stablehlo.custom_call @lapack_spotrf(%c, %c, %c, %a) {api_version = 2 : i32} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<3x3xf32>) -> tuple<tensor<3x3xf32>, tensor<i32>>
      %r = stablehlo.get_tuple_element %t[0] : (tuple<tensor<3x3xf32>, tensor<i32>>) -> tensor<3x3xf32>";
    assert!(hlo("%a: tensor<3x3xf32>", op, "tensor<3x3xf32>").contains("cholesky(a), lower=true"));
    let op = "%c = stablehlo.constant dense<1> : tensor<i32>
      %one = stablehlo.constant dense<1.0> : tensor<f32>
      %r = stablehlo.custom_call @blas_strsm(%c, %c, %c, %c, %c, %c, %c, %one, %a, %a) : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<f32>, tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>";
    assert!(
        hlo("%a: tensor<3x3xf32>", op, "tensor<3x3xf32>")
            .contains("unit_diagonal=true, transpose_a=TRANSPOSE")
    );
}

/// The result of the text of a module without parameters.
fn result_of(text: &str) -> String {
    let parsed = parse(text);
    assert!(parsed.error().is_none(), "{:?}", parsed.error());
    Evaluator::new(&parsed.into_module().unwrap()).run(&[]).unwrap().to_string()
}

#[test]
fn operands_of_chlo_are_broadcast() {
    let module = |op: &str, ty: &str| {
        format!(
            "module {{ func.func public @main() -> {ty} {{
              %a = chlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
              %b = stablehlo.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
              %c = stablehlo.constant dense<2.5> : tensor<f32>
              %p = stablehlo.constant dense<true> : tensor<i1>
              %r = {op} -> {ty}
              return %r : {ty}
            }} }}"
        )
    };
    let result = |op: &str, ty: &str| result_of(&module(op, ty));
    let grid = "tensor<2x3xf32>";
    assert_eq!(
        result("chlo.broadcast_add %a, %b : (tensor<2x1xf32>, tensor<3xf32>)", grid),
        "{ { 11, 21, 31 }, { 12, 22, 32 } }"
    );
    assert_eq!(
        result("chlo.broadcast_subtract %a, %c : (tensor<2x1xf32>, tensor<f32>)", "tensor<2x1xf32>"),
        "{ {-1.5}, {-0.5} }"
    );
    let compare = "chlo.broadcast_compare %b, %a {comparison_direction = #chlo<comparison_direction LT>} : (tensor<3xf32>, tensor<2x1xf32>)";
    assert_eq!(result(compare, "tensor<2x3xi1>"), "{ { 0, 0, 0 }, { 0, 0, 0 } }");
    let select = "chlo.broadcast_select %p, %b, %a : (tensor<i1>, tensor<3xf32>, tensor<2x1xf32>)";
    assert_eq!(result(select, grid), "{ { 10, 20, 30 }, { 10, 20, 30 } }");
    // The same value twice, of which each use is broadcast.
    assert_eq!(
        result(
            "chlo.broadcast_multiply %b, %b : (tensor<3xf32>, tensor<3xf32>)",
            grid.replace("2x", "").as_str()
        ),
        "{100, 400, 900}"
    );
    let like = "\"chlo.constant_like\"(%a) <{value = 3.5 : f32}> : (tensor<2x1xf32>)";
    assert_eq!(result(like, "tensor<2x1xf32>"), "{ {3.5}, {3.5} }");
}

#[test]
fn a_slice_of_a_scalar_has_no_start_indices() {
    let text = "module { func.func public @main() -> tensor<f32> {
      %c = stablehlo.constant dense<2.5> : tensor<f32>
      %r = stablehlo.dynamic_slice %c, , sizes = [] : (tensor<f32>) -> tensor<f32>
      return %r : tensor<f32>
    } }";
    assert_eq!(result_of(text), "2.5");
}

#[test]
fn elided_values_and_misspelled_ops_are_explained() {
    let error = |op: &str| {
        let text = format!(
            "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {{\n  {op}\n  return %r : tensor<4xf32>\n}}"
        );
        let diagnostics = translate(&text).diagnostics;
        (diagnostics[0].message.to_string(), diagnostics[0].hints[0].apply(&text).unwrap_or_default())
    };
    let without_region = "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      %r = \"stablehlo.sort\"(%a) <{dimension = 0 : i64, is_stable = true}> : (tensor<4xf32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }";
    assert!(translate(without_region).diagnostics[0].message.to_string().contains("region"));
    let (message, _) = error("%r = stablehlo.constant dense_resource<__elided__> : tensor<4xf32>");
    assert!(message.contains("elided"), "{message}");
    let (message, fixed) = error("%r = stablehlo.sinee %a : tensor<4xf32>");
    assert!(
        message.contains("stablehlo.sinee") && fixed.contains("%r = stablehlo.sine %a"),
        "{message} {fixed}"
    );
    let (_, fixed) = error("%r = \"stablehlo.sinee\"(%a) : (tensor<4xf32>) -> tensor<4xf32>");
    assert!(fixed.contains("%r = \"stablehlo.sine\"(%a)"), "{fixed}");
}

#[test]
fn complex_matrices_are_decomposed() {
    let text = "module {
      func.func public @main() -> (tensor<2x2xcomplex<f32>>, tensor<2xi32>, tensor<i32>) {
        %a = stablehlo.constant dense<[[(1.0, 2.0), (3.0, 4.0)], [(5.0, 6.0), (0.0, 1.0)]]> : tensor<2x2xcomplex<f32>>
        %0:3 = stablehlo.custom_call @lapack_cgetrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<2x2xcomplex<f32>>) -> (tensor<2x2xcomplex<f32>>, tensor<2xi32>, tensor<i32>)
        return %0#0, %0#1, %0#2 : tensor<2x2xcomplex<f32>>, tensor<2xi32>, tensor<i32>
      }
    }";
    // The second row has the pivot; (1+2i)/(5+6i) = (17+4i)/61.
    let expected =
        "( { { (5, 6), (0, 1) }, { (0.27868852, 0.0655737668), (3.06557369, 3.72131157) } }, {2, 2}, 0 )";
    assert_eq!(result_of(text), expected);
}

#[test]
fn named_computations_are_their_ops() {
    let op = "%r = sdy.named_computation<\"f\">(%a) in_shardings=[<@m, [{}]>] out_shardings=[<@m, [{}]>] (%b: tensor<2xf32>) {
        %c = stablehlo.add %b, %b : tensor<2xf32>
        sdy.return %c : tensor<2xf32>
      } : (tensor<2xf32>) -> tensor<2xf32>";
    assert!(hlo("%a: tensor<2xf32>", op, "tensor<2xf32>").contains(" add(a, a)"));
}

#[test]
fn ops_of_mhlo_are_written_as_custom_calls() {
    let x = "%a: tensor<2x5xf32>";
    let op = "%r = stablehlo.custom_call @mhlo.erf(%a) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<2x5xf32>) -> tensor<2x5xf32>";
    assert!(hlo(x, op, "tensor<2x5xf32>").contains(" erf(a)"));
    let op = "%r, %i = stablehlo.custom_call @mhlo.topk(%a) {mhlo.attributes = {k = 2 : i64, largest = true}, mhlo.version = 1 : i64} : (tensor<2x5xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)";
    assert!(hlo(x, op, "tensor<2x2xf32>").contains("topk(a), k=2, largest=true"));
}

#[test]
fn functions_without_results_and_bodies_are_read() {
    let text = "module {\n func.func private @declared(tensor<2xf32>) -> tensor<2xf32>\n func.func public @main(%a: tensor<2xf32>) {\n  return\n }\n}";
    assert!(parse(text).error().is_none(), "{:?}", parse(text).diagnostics);
}

#[test]
fn special_functions_are_computations_of_their_names() {
    let op = "%b = chlo.lgamma %a : tensor<2xf32> -> tensor<2xf32>\n %r = chlo.lgamma %b : tensor<2xf32> -> tensor<2xf32>";
    let text = hlo("%a: tensor<2xf32>", op, "tensor<2xf32>");
    assert_eq!(
        (text.matches("to_apply=chlo.lgamma").count(), text.matches("\nchlo.lgamma").count()),
        (2, 1),
        "{text}"
    );
}

#[test]
fn printed_modules_are_read_as_the_same_module() {
    let text = "HloModule m
        add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
        below { s = (s32[], f32[2]) parameter(0) i = s32[] get-tuple-element(s), index=0
          n = s32[] constant(3) ROOT c = pred[] compare(i, n), direction=LT }
        step { s = (s32[], f32[2]) parameter(0) i = s32[] get-tuple-element(s), index=0
          x = f32[2] get-tuple-element(s), index=1 o = s32[] constant(1) j = s32[] add(i, o)
          y = f32[2] multiply(x, x) ROOT t = (s32[], f32[2]) tuple(j, y) }
        ENTRY e { x = f32[2] parameter(0) z = s32[] constant(0) s = (s32[], f32[2]) tuple(z, x)
          w = (s32[], f32[2]) while(s), condition=below, body=step
          y = f32[2] get-tuple-element(w), index=1 c = f32[] constant(-inf)
          ROOT r = f32[] reduce(y, c), dimensions={0}, to_apply=add }";
    let module = xla_hlo::parse(text).into_module().unwrap();
    let first = print(&module).unwrap();
    let again = parse(&first).into_module().unwrap_or_else(|error| panic!("{error} in {first}"));
    assert_eq!(print(&again).unwrap().matches("stablehlo.while").count(), 1);
    assert!(first.contains("dense<0xFF800000> : tensor<f32>"), "{first}");
}

/// The result of a module for one parameter, iota.
fn result(module: &xla_hlo::Module) -> xla_array::Literal {
    let shape = module.interface().unwrap().parameters[0].clone();
    let xla_array::Shape::Array(shape) = shape else { panic!("the parameter is an array") };
    let iota = |number: i64, _: &[i64]| xla_array::Value::Int(number);
    let argument = xla_array::ArrayLiteral::from_fn(shape, iota).unwrap();
    Evaluator::new(module).run(&[argument.into()]).unwrap()
}

#[test]
fn a_bitcast_is_printed_as_what_it_does_to_the_elements() {
    for body in [
        "x = s32[2,3,4] parameter(0) ROOT r = s32[6,4] bitcast(x)",
        "x = s32[2,3,4]{0,2,1} parameter(0) ROOT r = s32[3,8] bitcast(x)",
        "x = s32[2,3,4] parameter(0) ROOT r = s32[4,2,3]{0,2,1} bitcast(x)",
        "x = s32[2,3,4]{1,0,2} parameter(0) ROOT r = s32[6,4]{0,1} bitcast(x)",
        "x = s32[2,3] parameter(0) c = s32[2,3]{0,1} copy(x) ROOT r = s32[3,2] bitcast(c)",
        "x = s32[1,3,1] parameter(0) ROOT r = s32[3] bitcast(x)",
        "x = s32[0,3] parameter(0) ROOT r = s32[3,0]{0,1} bitcast(x)",
        "x = s32[] parameter(0) ROOT r = u32[] bitcast(x)",
    ] {
        let text = format!("HloModule m\nENTRY e {{ {} }}", body.replace(") ", ")\n "));
        let module = xla_hlo::parse(&text).into_module().unwrap();
        let printed = print(&module).unwrap_or_else(|errors| panic!("{body}: {errors:?}"));
        let again = parse(&printed).into_module().unwrap_or_else(|error| panic!("{error} in {printed}"));
        let same = xla_array::literal::Equality::Bits;
        assert!(result(&module).equals(&result(&again), same), "{body}\n{printed}");
    }
}

#[test]
fn a_bitcast_of_memory_with_gaps_is_rejected() {
    let text = "HloModule m\nENTRY e { x = f32[4,4]{1,0:T(2,2)} parameter(0)\n ROOT r = f32[16] bitcast(x) }";
    let module = xla_hlo::parse(text).into_module().unwrap();
    let errors = print(&module).unwrap_err();
    assert_eq!(errors.iter().map(|error| &text[error.span.range()]).collect::<Vec<_>>(), ["bitcast"]);
}
