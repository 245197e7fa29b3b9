//! HLO text as found in dumps, tests and documents: syntax that XLA accepts, and text that it rejects.

use xla_hlo::{Evaluator, PrintOptions, parse};
use xla_messages::diagnostic::Severity;
use xla_messages::i18n::Message;

const ADD: &str = "add { p = f32[] parameter(0) q = f32[] parameter(1) ROOT s = f32[] add(p, q) }\n";

fn body(instructions: &str) -> String {
    format!("HloModule m\n{ADD}ENTRY e {{ x = f32[4] parameter(0) {instructions} }}\n")
}

/// The rules of all errors.
fn errors(text: &str) -> Vec<&'static str> {
    let found = parse(text).diagnostics;
    found.into_iter().filter(|d| d.severity == Severity::Error).map(|d| d.rule).collect()
}

/// Asserts that the text has no errors, and that its printed forms round-trip.
fn assert_round_trips(text: &str) {
    let parsed = parse(text);
    assert!(parsed.error().is_none(), "{text}: {:?}", parsed.diagnostics);
    for options in [PrintOptions::SHORT, PrintOptions::LONG] {
        let printed = parsed.module.text(options);
        let reparsed = parse(&printed);
        assert!(reparsed.error().is_none(), "{printed}: {:?}", reparsed.diagnostics);
        assert_eq!(reparsed.module.text(options), printed);
    }
}

#[test]
fn text_without_a_header_is_read_like_in_xla() {
    for (text, name, computation) in [
        ("ENTRY %sub (a: f32[4]) -> f32[4] { %a = f32[4] parameter(0) }", "module_sub", "sub"),
        ("f { a = f32[2] parameter(0) ROOT b = f32[2] negate(a) }", "module_f", "f"),
        ("f: { a: = f32[2] parameter(0) ROOT b: = f32[2] negate(a:) }", "module_f", "f"),
        ("%r = f32[4] add(f32[4] %a, f32[4] %b)", "_", "_"),
        ("ROOT r = f32[4] add(f32[4] x, f32[4] x)", "_", "_"),
        ("(f32[2], s32[]) tuple(f32[2] %a, s32[] %b)", "_", "_"),
        ("f32[4] add(f32[4], f32[4])", "_", "_"),
    ] {
        assert_round_trips(text);
        let module = parse(text).module;
        assert_eq!(module.name, name);
        assert_eq!(module.entry_computation().unwrap().name, computation);
    }
    let single = parse("f32[4] add(f32[4], f32[4] %b)").module;
    assert_eq!(
        single.to_string(),
        "HloModule _, is_scheduled=true, entry_computation_layout={(f32[4]{0}, f32[4]{0})->f32[4]{0}}\n\n\
         ENTRY _ {\n  _0 = f32[4]{0} parameter(0)\n  b = f32[4]{0} parameter(1)\n  \
         ROOT _ = f32[4]{0} add(_0, b)\n}\n"
    );
    // Explicit parameters count.
    let nested = parse("f32[4] add(f32[4] parameter(0), f32[4] %b)").module;
    let numbers: Vec<String> = nested.entry_computation().unwrap().instructions[..2]
        .iter()
        .map(|i| i.attrs.get("parameter_number").unwrap().to_string())
        .collect();
    assert_eq!(numbers, ["0", "1"]);
    for (text, rule) in [
        ("%r = f32[4] add(%a, %b)", "hlo-operand"),
        ("%r = f32[4] negate(f32[4] %a) %q = f32[4] negate(%r)", "hlo-header"),
        ("%r = f32[4] negate(f32[4] %r)", "hlo-name"),
        ("%f (a: f32[2]) -> f32[2] { %a = f32[2] parameter(0) }", "hlo-header"),
        ("f32[4]", "hlo-syntax"),
        ("nothing of the kind", "hlo-header"),
    ] {
        assert!(errors(text).contains(&rule), "{text}: {:?}", parse(text).diagnostics);
    }
}

#[test]
fn mixed_precision_is_parsed_but_not_run() {
    for instruction in [
        "y = bf16[4] parameter(1) ROOT r = f32[4] add(x, y)",
        "y = bf16[4] parameter(1) ROOT r = add(x, y)",
        "ROOT r = bf16[4] negate(x)",
        "y = f16[4] parameter(1) ROOT r = pred[4] compare(x, y), direction=LT",
        "y = bf16[] parameter(1) ROOT r = f32[6] pad(x, y), padding=1_1",
        "z = bf16[] constant(0) ROOT r = bf16[] reduce(x, z), dimensions={0}, to_apply=add",
        "y = bf16[2] parameter(1) i = s32[] constant(1) ROOT r = f32[4] dynamic-update-slice(x, y, i)",
        "ROOT r = bf16[2] slice(x), slice={[0:2]}",
        "y = bf16[4] parameter(1) ROOT r = (bf16[4], f32[4]) all-reduce(y, x), replica_groups={}, to_apply=add",
    ] {
        let text = body(instruction);
        assert_round_trips(&text);
        let parsed = parse(&text);
        assert!(parsed.diagnostics.iter().any(|d| d.rule == "mixed-precision"), "{text}");
        let parameters = parsed.module.interface().unwrap().parameters;
        let arguments: Vec<_> =
            parameters.iter().map(|shape| xla_array::Literal::zeros(shape).unwrap()).collect();
        let error = Evaluator::new(&parsed.module).run(&arguments).unwrap_err();
        assert_eq!(error.error.rule, "mixed-precision", "{text}");
    }
    // Data movement must keep the type, and integers, complex numbers and f64 are never mixed.
    for instruction in [
        "y = f64[4] parameter(1) ROOT r = f64[4] add(x, y)",
        "y = c64[4] parameter(1) z = c128[4] parameter(2) ROOT r = c128[4] add(y, z)",
        "y = f64[4] parameter(1) ROOT r = c128[4] complex(x, y)",
        "y = s32[4] parameter(1) z = s16[4] parameter(2) ROOT r = s32[4] add(y, z)",
        "ROOT r = bf16[2,2] reshape(x)",
        "t = (f32[4]) tuple(x) ROOT r = bf16[4] get-tuple-element(t), index=0",
        "y = bf16[2] parameter(1) i = s32[] constant(1) ROOT r = bf16[4] dynamic-update-slice(x, y, i)",
        "ROOT r = (bf16[4]) tuple(x)",
    ] {
        assert!(!errors(&body(instruction)).is_empty(), "{instruction}");
    }
}

#[test]
fn all_notations_of_collectives_and_transfers_are_accepted() {
    for instruction in [
        "ROOT r = f32[4] all-reduce(x), replica_groups=mesh[\"a\"=2,\"b\"=4] {\"a\",\"b\":(1)2}, to_apply=add",
        "ROOT r = f32[4] all-reduce(x), replica_groups=mesh['a'=2,'b'=2], device_ids=([2,2]T(1,0)) {'b'}, to_apply=add",
        "ROOT r = f32[4] all-reduce(x), replica_groups={{0,1}}, mode=flattened_id, to_apply=add",
        "ROOT r = (f32[4]) all-reduce(x), replica_groups={}, to_apply=add",
        "ROOT r = (f32[8]) all-gather(x), replica_groups={}, dimensions={0}",
        "ROOT r = f32[8] all-gather(x), replica_groups={{0}}, dimensions={0}",
        "ROOT r = f32[4] collective-broadcast(x), replica_groups={{1,0},{0,5,2,3}}",
        "c = s32[] constant(0) t = (s32[]) tuple(c) y = f32[4] negate(x)
         ROOT r = f32[4] collective-permute(x, y, t, t), source_target_pairs={{0,1},{1,2}}, slice_sizes={{2}}",
        "c = s32[] constant(0) t = (s32[]) tuple(c) o = ((s32[]), (s32[])) tuple(t, t)
         ROOT r = f32[4] collective-permute(x, x, o, o), source_target_pairs={{0,1},{1,2},{0,2},{1,0}}, slice_sizes={{2},{2}}",
        "c = s32[] constant(0) t = (s32[]) tuple(c) o = ((s32[]), (s32[])) tuple(t, t) b = (f32[4], f32[4]) tuple(x, x)
         ROOT r = (f32[4], f32[4]) collective-permute(b, b, o, o), source_target_pairs={{0,1}}, slice_sizes={{2}}",
        "c = s32[] constant(0) t = (s32[]) tuple(c)
         s = (f32[4], f32[4], u32[], u32[]) collective-permute-start(x, x, t, t), source_target_pairs={{0,1}}, slice_sizes={{2}}
         ROOT r = f32[4] collective-permute-done(s)",
        "t = token[] after-all() s = (f32[4], u32[], token[]) send(x, t),
         frontend_attributes={_xla_send_recv_source_target_pairs={{0,1}}} ROOT d = token[] send-done(s)",
        "s = ((f32[4]), f32[4], s32[]) negate-start(x) u = ((f32[4]), f32[4], s32[]) negate-update(s)
         ROOT d = f32[4] negate-done(u)",
        "s = ((f32[4]), f32[4], (s32[], token[])) custom-call-start(x), custom_call_target=\"f\", async_execution_thread=\"t\"
         ROOT d = f32[4] custom-call-done(s), async_execution_thread=\"t\"",
    ] {
        assert_round_trips(&body(instruction));
    }
    for (instruction, rule) in [
        ("ROOT r = f32[4] all-reduce(x), replica_groups=mesh['a'=2] {}, to_apply=add", "collective-1"),
        ("ROOT r = f32[4] all-reduce(x), replica_groups=mesh['a'=2] {'c'}, to_apply=add", "collective-1"),
        ("ROOT r = f32[4] all-reduce(x), mode=other, to_apply=add", "hlo-attribute-value"),
        (
            "ROOT r = f32[4] collective-permute(x, x), source_target_pairs={{0,1}}, slice_sizes={{2}}",
            "collective-permute-4",
        ),
        ("s = ((f32[4]), f32[4], s32[]) negate-start(x) ROOT d = f32[4] abs-done(s)", "hlo-async-operand"),
        ("s = ((f32[4]), f32[4], s32[]) tuple(x) ROOT d = f32[4] negate-done(s)", "result-differs"),
        ("s = ((f32[4]), f32[4], s32[]) negate-start(x) ROOT r = f32[4] abs(x)", "hlo-single-user"),
        (
            "s = ((f32[4]), f32[4], s32[]) negate-start(x), async_execution_thread=\"t\"
             ROOT d = f32[4] negate-done(s), async_execution_thread=\"u\"",
            "hlo-async-thread",
        ),
        (
            "t = token[] after-all() s = (f32[4], u32[], token[]) send(x, t), channel_id=1
             ROOT d = token[] send-done(s), channel_id=2",
            "hlo-channel",
        ),
    ] {
        assert!(
            errors(&body(instruction)).contains(&rule),
            "{instruction}: {:?}",
            errors(&body(instruction))
        );
    }
    let twice = "HloModule m\nw { p = f32[4] parameter(0) ROOT n = f32[4] negate(p) }
        ENTRY e { a = f32[4] parameter(0)
        s = ((f32[4]), f32[4], s32[]) async-start(a), calls=w d = f32[4] async-done(s)
        t = ((f32[4]), f32[4], s32[]) async-start(a), calls=w f = f32[4] async-done(t) ROOT r = f32[4] add(d, f) }";
    assert_eq!(errors(twice), ["hlo-async-callers"]);
}

#[test]
fn annotations_are_accepted_and_rejected_like_in_xla() {
    for value in [
        "metadata={op_type=\"a\", op_name=\"b\" source_file=\"c\" source_line=1 profile_type={1} stack_frame_id=2}",
        "sharding={replicated}",
        "sharding={maximal device=1}",
        "sharding={devices=[2]0,1 metadata={{op_name=\"a\"}, {op_name=\"b\"}}}",
        "sharding={devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}",
        "sharding={devices=[2,1,2]0,1,2,3 last_tile_dims={manual, replicated}}",
        "sharding={replicated shard_as 1}",
        "sharding={mesh[\"a\"=2,\"b\"=2], [{\"a\", ?}, {\"b\":(1)2}], replicated={\"b\":(1)2}}",
        "sharding={mesh['a'=2], device_ids=([2]), unreduced}",
        "sharding={maximal_mesh[device_id=3]}",
        "sharding={maximal_mesh[device_id=3], metadata={op_name=\"a\"}}",
        "sharding={mesh[], replicated}",
        "sharding={mesh[a=2,b=2], [{a, b:(1)2, ?}], manual={b}}",
        "sharding={mesh['x'=2,'y'=2], device_ids=(0,2,1,3), [{'x'}]}",
        "sharding={mesh['a'=2,'b'=4,'c'=4,'d'=2], device_ids=([4,16]T(1,0)), [{}, {'a'}]}",
        "sharding={mesh['a'=2,'b'=4,'c'=3,'d'=8], [{'a'}], replicated={'c'}, unreduced={'d':(4)2}, manual={'b':(2)2}, metadata={{op_name=\"f\"}}}",
        "sharding={{mesh['a'=2], [{'a'}]}, {maximal_mesh[device_id=5]}, {replicated}}",
        "frontend_attributes={a=\"b\",c={\"d\":{\"e\":[1,{}]}},f={n = 1 : i32, t = dense<1> : tensor<i32>}}",
        "backend_config={sizes:[128], nested={x=1}}",
        "backend_config=\"foo \\\"bar\\\"\"",
        "statistics={visualizing_index=1,stat-1=33,stat-2=44.5}",
        "origin={({\"x\"}, ({\"y\" {0,1}}))}",
        "origin={[synthetic_call]}",
        "parameter_replication={true}",
    ] {
        assert_round_trips(&body(&format!("ROOT r = f32[4] negate(x), {value}")));
    }
    for value in [
        "metadata={op_type=\"a\" op_type=\"b\"}",
        "metadata={source_line=\"a\"}",
        "metadata={source_line=3000000000}",
        "sharding=replicated",
        "sharding={foo}",
        "sharding={maximal}",
        "sharding={devices=[2]0}",
        "sharding={devices=[2,2]<=[2,2]}",
        "sharding={devices=[4]<=[2,2]T(1,2)}",
        "sharding={replicated devices=[2]0,1}",
        "sharding={f32[4] devices=[2]0,1}",
        "sharding={mesh['a'=2], [{'b'}]}",
        "sharding={mesh['a'=2], [{'a'}], replicated={'b'}}",
        "sharding={mesh['a'=2], [{?, 'a'}]}",
        "sharding={mesh['a'=2], [{'a'}], replicated={?}}",
        "sharding={mesh['a'=2,'b'=2], device_ids=(1,0,2), [{'a'}]}",
        "sharding={mesh['a'=2], device_ids=(0,2), [{'a'}]}",
        "sharding={mesh['a'=2], device_ids=(1,1), [{'a'}]}",
        "sharding={mesh['a'=1], device_ids=(5), [{'a'}]}",
        "sharding={mesh['a'=2], replicated, manual}",
        "sharding={mesh['a'=2], [{'a'}], [{'a'}]}",
        "sharding={mesh['a'=2]}",
        "sharding={maximal_mesh[device_id=3], [{'a'}]}",
        "sharding={maximal_mesh['a'=2], replicated}",
        "frontend_attributes={a=b}",
        "backend_config=foo",
        "statistics={stat-1=33.5}",
        "origin={x}",
        "parameter_replication={true,false}",
        "control-predecessors={}",
    ] {
        let text = body(&format!("ROOT r = f32[4] negate(x), {value}"));
        assert_eq!(errors(&text), ["hlo-attribute-value"], "{value}");
    }
    let module = |header: &str| {
        format!("HloModule m, {header}\nENTRY e {{ a = f32[4] parameter(0) ROOT t = (f32[4]) tuple(a) }}\n")
    };
    for header in [
        "input_output_alias={ {0}: (0, {}, must-alias) }",
        "buffer_donor={ (0, {}) }",
        "allow_spmd_sharding_propagation_to_parameters=true",
        "allow_spmd_sharding_propagation_to_output={true,false}",
        "origin_recovery_table={\n  {\"x\"} : {\"y\"},\n  \"\n    ENTRY q {\n      p = f32[] parameter(0)\n    }\n  \"\n}",
    ] {
        assert_round_trips(&module(header));
    }
    for header in [
        "input_output_alias={ {0}: (0, {}, SYSTEM) }",
        "input_output_alias={ {0}: 0 }",
        "input_output_alias={ {0, (0, {}) }",
        "buffer_donor={ 0 }",
        "allow_spmd_sharding_propagation_to_output={maybe}",
    ] {
        assert!(!errors(&module(header)).is_empty(), "{header}");
    }
}

#[test]
fn source_locations_are_resolved_by_instruction() {
    let tables = "FileNames\n1 \"a.py\"\n2 \"b \\\"c\\\".py\"\nFunctionNames\n1 \"main\"\n2 \"f.<locals>.g\"\nFileLocations\n\
        1 {file_name_id=1 function_name_id=1 line=10 end_line=11 column=4 end_column=20}\n\
        2 {file_name_id=2, function_name_id=2, line=30, end_line=30, column=1, end_column=2}\nStackFrames\n\
        1 {file_location_id=1 parent_frame_id=1}\n2 {file_location_id=2 parent_frame_id=2}\n";
    let text = format!(
        "HloModule m\n{tables}\nENTRY e {{ x = f32[] parameter(0), metadata={{source_file=\"old.cc\" source_line=7}}
         y = f32[] negate(x) ROOT z = f32[] abs(y), metadata={{op_name=\"n\" stack_frame_id=2}} }}"
    );
    assert_round_trips(&text);
    let module = parse(&text).module;
    let entry = module.entry_computation().unwrap();
    let metadata = |name: &str| entry.get(entry.find(name).unwrap()).unwrap().source_metadata();
    let found: Vec<_> = {
        let source = metadata("z");
        module
            .source_locations(&source)
            .iter()
            .map(|s| (s.file.to_owned(), s.function.to_owned(), s.line, s.end_column))
            .collect()
    };
    let expected = [("b \"c\".py", "f.<locals>.g", 30, 2), ("a.py", "main", 10, 20)];
    assert_eq!(
        found,
        expected.map(|(file, function, line, column)| (file.to_owned(), function.to_owned(), line, column))
    );
    let old = metadata("x");
    let old = module.source_locations(&old);
    assert_eq!((old[0].file, old[0].line, old.len()), ("old.cc", 7, 1));
    assert!(module.source_locations(&metadata("y")).is_empty());
    // A cycle of parents ends.
    let cycle = text.replace("1 parent_frame_id=1}", "1 parent_frame_id=3}");
    let cycle = parse(&cycle).module;
    assert!(cycle.locations.stack(2).len() <= 256);
    for broken in [
        tables.replace("FunctionNames", "Functions"),
        tables.replace(" function_name_id=1", ""),
        tables.replace("line=10", "line=\"10\""),
        tables.replace("column=4", "row=4"),
        tables.replace("StackFrames\n", ""),
    ] {
        let text = format!("HloModule m\n{broken}\nENTRY e {{ ROOT x = f32[] parameter(0) }}");
        assert!(!errors(&text).is_empty(), "{broken}");
    }
}

#[test]
fn lenient_text_has_the_values_of_xla() {
    let run = |text: &str| {
        let module = parse(text).into_module().unwrap();
        Evaluator::new(&module).run(&[]).unwrap()
    };
    // A transform of length 0 gives zeros.
    for (kind, length) in [("FFT", "0"), ("IFFT", "2,0")] {
        let text = format!(
            "HloModule m ENTRY e {{ a = c64[2,2] constant({{{{(1,2),(3,4)}},{{(5,6),(7,8)}}}})
             ROOT f = c64[2,2] fft(a), fft_type={kind}, fft_length={{{length}}} }}"
        );
        let zeros = xla_array::Literal::zeros(&"c64[2,2]".parse().unwrap()).unwrap();
        assert_eq!(run(&text), zeros, "{text}");
    }
    assert_round_trips(&body(
        "c = c64[3] parameter(1) ROOT r = f32[0] fft(c), fft_type=IRFFT, fft_length={0}",
    ));
    assert!(
        !errors(&body("c = c64[3] parameter(1) ROOT r = c64[3] fft(c), fft_type=FFT, fft_length={2}"))
            .is_empty()
    );
    // The dimensions of a map are only checked if they are needed to infer its shape.
    assert_round_trips(&body(
        "f = f32[2,2] reshape(x) ROOT r = f32[2,2] map(f), dimensions={0}, to_apply={ a = f32[] parameter(0) ROOT b = negate(a) }",
    ));
    // A token may depend on values.
    assert_round_trips(&body(
        "n = f32[4] negate(x) u = token[] after-all() t = token[] after-all(n, u, x)
         d = f32[4] add-dependency(x, t) ROOT r = f32[4] add(n, d)",
    ));
    // The only element of an array needs no braces.
    let constant = |text: &str| run(&format!("HloModule m ENTRY e {{ ROOT c = {text} }}"));
    assert_eq!(constant("f32[1,1] constant(2.5)"), constant("f32[1,1] constant({{2.5}})"));
    assert_eq!(errors(&body("ROOT c = f32[1,1] constant({2.5})")), ["literal-nesting"]);
    assert_eq!(errors(&body("ROOT c = f32[2] constant(2.5)")), ["literal-nesting"]);
    assert_round_trips(&body(
        "t = token[] after-all() ROOT i = ((f32[], (s32[3], pred[])), token[]) infeed(t)",
    ));
    assert_round_trips(&body("ROOT l = f32[4,2]{1,0:T()} broadcast(x), dimensions={0}"));
}

#[test]
fn text_in_another_language_is_named() {
    for (text, language) in [
        ("{ lambda ; a:f32[3]. let b:f32[3] = sin a in (b,) }", "jaxpr"),
        ("let f = { lambda ; a:f32[3]. let in (a,) } in\n{ lambda ; b:f32[3]. let in (b,) }", "jaxpr"),
        ("; ModuleID = '<stdin>'\nsource_filename = \"a\"\n", "LLVM IR"),
        ("\ndefine void @f(ptr %a) {\n  ret void\n}\n", "LLVM IR"),
        ("define { x = f32[] parameter(0) }", ""),
        ("lambda { x = f32[] parameter(0) }", ""),
    ] {
        let parsed = parse(text);
        let named = Message::ops("hlo-other-language").with("language", language);
        let messages: Vec<_> = parsed.diagnostics.into_iter().map(|d| d.message).collect();
        assert_eq!(messages == [named], !language.is_empty(), "{text}: {messages:?}");
    }
}
