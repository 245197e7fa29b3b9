//! Explanations of tokens, in English, by a mark `§` before the token.

use super::{Hover, HoverLink, hover};
use xla_messages::i18n::{Language, Message};

/// The explanation at the mark of the text.
fn at(marked: &str) -> Option<Hover> {
    let offset = marked.find('§').expect("a mark");
    let text = marked.replace('§', "");
    let module = xla_hlo::parse(&text).module;
    let found = hover(&text, &module, offset);
    if let Some(found) = &found {
        assert!(found.span.start <= offset && offset < found.span.end, "{marked}: {found:?}");
        for language in Language::all() {
            for message in found.sentences.iter().chain([&found.title]) {
                let said = message.localize(language);
                assert!(!said.contains("{$") && said != message.key, "{said}");
            }
        }
    }
    found
}

/// The explanation as one text: title and sentences.
fn said(marked: &str) -> String {
    let found = at(marked).unwrap_or_else(|| panic!("nothing at {marked}"));
    std::iter::once(&found.title)
        .chain(&found.sentences)
        .map(Message::to_string)
        .collect::<Vec<_>>()
        .join(" | ")
}

/// The explanation in an entry computation with these instructions.
fn entry(instructions: &str) -> String {
    said(&format!(
        "HloModule m\n\nsum {{\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}}\n\nENTRY e {{\n{instructions}\n}}\n"
    ))
}

#[test]
fn every_part_of_a_shape_is_explained() {
    let shape = |part: &str| {
        let text = "x = bf16[100,130]{1,0:T(8,128)(2,1)S(1)} parameter(0)";
        entry(&text.replacen(part, &format!("§{part}"), 1))
    };
    assert!(shape("bf16").contains("16 bits: 8 exponent bits and 7 mantissa bits"), "{}", shape("bf16"));
    assert!(shape("100").contains("Dimension 0 has size 100"), "{}", shape("100"));
    assert!(shape("1,0:").contains("Dimension 1 (size 130) is the most minor"), "{}", shape("1,0:"));
    let tile = shape("(8,128)");
    for sentence in ["blocks of 8 × 128", "Dimension 0 is padded from 100 to 104", "from 130 to 256", "bytes"]
    {
        assert!(tile.contains(sentence), "{sentence}: {tile}");
    }
    assert!(shape("(2,1)").contains("Each block of 8 × 128 is divided again, into blocks of 2 × 1"));
    assert!(shape("S(1)").contains("VMEM"), "{}", shape("S(1)"));
    assert!(entry("x = s4[8]{0:§E(4)} parameter(0)").contains("Each element takes 4 bits"));
    assert!(entry("x = f32[2,3]§{0,1} parameter(0)").contains("Column-major"));
    assert!(entry("x = f32§[] parameter(0)").contains("one value, no dimensions"));
    assert!(entry("x = f32[<=§7]{0} parameter(0)").contains("at most 7"));
    assert!(entry("x = §(f32[2], s32[]) parameter(0)").contains("tuple of 2 values"));
    let found = at("ENTRY e { x = §f32[2,3]{0,1} parameter(0) }").unwrap();
    assert_eq!(found.links, [HoverLink::Layout("f32[2,3]{0,1}".to_owned())]);
}

#[test]
fn names_and_opcodes_are_explained() {
    let text = "x = f32[2] parameter(0)\n y = f32[2] negate(x)\n ROOT z = f32[2] subtract(y, y)";
    let mark = |part: &str| entry(&text.replacen(part, &format!("§{part}"), 1));
    assert!(mark("y = ").contains("One instruction uses it"), "{}", mark("y = "));
    assert!(mark("z = ").contains("It is the result of its computation"));
    assert!(mark("y)").contains("Operand 1 of subtract"), "{}", mark("y)"));
    assert!(mark("negate").contains("Formula: "), "{}", mark("negate"));
    assert!(mark("0)").contains("Argument 0 of the computation"), "{}", mark("0)"));
    assert!(mark("ROOT").contains("result of the computation"));
    let reduce = "x = f32[2] parameter(0)\n c = f32[] constant(0)\n ROOT r = f32[] reduce(x, c), dimensions={0}, to_apply=";
    let callee = entry(&format!("{reduce}§sum"));
    assert!(
        callee.contains("Takes (f32[], f32[]) and returns f32[]") && callee.contains("only computes add"),
        "{callee}"
    );
    let found = at("ENTRY e { x = f32[2] parameter(0) ROOT y = f32[2] negate(§x) }").unwrap();
    assert!(matches!(found.links[..], [HoverLink::Definition(span)] if span.start == 10), "{found:?}");
    let found = at("ENTRY e { x = f32[2] parameter(0) ROOT y = f32[2] §negate(x) }").unwrap();
    assert!(matches!(found.links[..], [HoverLink::Instruction(_)]));
    assert!(
        said("HloModule §m\nENTRY e { x = f32[] parameter(0) }").contains("1 computation and 1 instruction")
    );
    assert!(said("HloModule m\nENTRY §e { x = f32[] parameter(0) }").contains("runs first"));
    assert!(said("ENTRY e (§p: f32[]) -> f32[] { p = f32[] parameter(0) }").contains("only for readers"));
    assert!(said("ENTRY e (p: f32[]) §-> f32[] { p = f32[] parameter(0) }").contains("result follows"));
}

#[test]
fn attributes_are_explained_with_the_numbers_of_the_program() {
    let dot = "x = f32[4,5] parameter(0)\n y = f32[6,5] parameter(1)\n ROOT d = f32[4,6] dot(x, y), ";
    let contracted = entry(&format!("{dot}lhs_contracting_dims={{§1}}, rhs_contracting_dims={{1}}"));
    assert!(contracted.contains("Dimension 1 of lhs (x), of size 5"), "{contracted}");
    assert!(contracted.contains("paired with dimension 1 of rhs and summed over"), "{contracted}");
    assert!(
        entry(&format!("{dot}§lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}}"))
            .contains("may be omitted")
    );
    let broadcast = entry("x = f32[3] parameter(0)\n ROOT b = f32[2,3] broadcast(x), dimensions={§1}");
    assert!(broadcast.contains("Dimension 0 of the operand becomes dimension 1"), "{broadcast}");
    let transpose = entry("x = f32[2,3] parameter(0)\n ROOT b = f32[3,2] transpose(x), dimensions={1,§0}");
    assert!(transpose.contains("Dimension 1 of the result is dimension 0"), "{transpose}");
    let slice = entry("x = f32[9] parameter(0)\n ROOT s = f32[2] slice(x), slice={[§1:5:2]}");
    assert!(slice.contains("indices 1 up to and without 5 of 9, in steps of 2"), "{slice}");
    let pad =
        entry("x = f32[2] parameter(0)\n c = f32[] constant(0)\n ROOT p = f32[6] pad(x, c), padding=§1_2_1");
    assert!(pad.contains("Dimension 0: 1 before, 2 after, 1 between elements"), "{pad}");
    let compare = entry("x = f32[2] parameter(0)\n ROOT p = pred[2] compare(x, x), direction=§GE");
    assert!(compare.contains("greater or equal"), "{compare}");
}

#[test]
fn convolutions_are_explained() {
    let text = "x = f32[2,14,14,3] parameter(0)\n k = f32[3,3,3,8] parameter(1)\n \
                ROOT c = f32[2,14,14,8] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f";
    let mark = |part: &str| entry(&text.replacen(part, &format!("§{part}"), 1));
    let labels = mark("b01f_01io->b01f");
    assert!(
        labels.contains("lhs b01f: dimension 0 is the batch, 3 the features; spatial dimensions: 1, 2"),
        "{labels}"
    );
    assert!(
        labels.contains("rhs 01io: dimension 2 is the input features, 3 the output features"),
        "{labels}"
    );
    let pad = mark("1_1x1_1");
    assert!(pad.contains("Window: pad") && pad.contains("Window dimension 1: 1 before, 1 after"), "{pad}");
    assert!(mark("size=").contains("Window dimension 0: 3"), "{}", mark("size="));
    assert!(
        mark("{size").contains("3 elements, stride 1, padding 1 before and 1 after"),
        "{}",
        mark("{size")
    );
}

#[test]
fn gathers_and_scatters_are_explained() {
    let text = "x = f32[5,7] parameter(0)\n i = s32[3,1] parameter(1)\n \
                ROOT g = f32[3,7] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, \
                index_vector_dim=1, slice_sizes={1,7}";
    let mark = |before: &str| entry(&text.replacen(before, &format!("{before}§"), 1));
    let offset = mark("offset_dims={");
    assert!(offset.contains("Dimension 1 of the result, of size 7"), "{offset}");
    assert!(offset.contains("elements of operand dimension 1"), "{offset}");
    assert!(mark("start_index_map={").contains("Component 0 of an index vector addresses dimension 0"));
    assert!(
        mark("slice_sizes={1,").contains("7 of the 7 elements along operand dimension 1"),
        "{}",
        mark("slice_sizes={1,")
    );
    assert!(
        mark("index_vector_dim=").contains("Dimension 1 of start indices (i)"),
        "{}",
        mark("index_vector_dim=")
    );
}

#[test]
fn devices_are_explained() {
    let groups = |value: &str, more: &str| {
        said(&format!(
            "HloModule m, replica_count=8\nsum {{\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] add(a, b)\n}}\n\
             ENTRY e {{\n x = f32[2] parameter(0)\n ROOT r = f32[2] all-reduce(x), replica_groups=§{value}, to_apply=sum{more}\n}}"
        ))
    };
    let lists = groups("{{0,1},{2,3}}", "");
    assert!(lists.contains("2 groups of 2: {0,1}, {2,3}") && lists.contains("replicas"), "{lists}");
    assert!(groups("{}", "").contains("all devices are one group"), "{}", groups("{}", ""));
    let iota = groups("[2,4]<=[4,2]T(1,0)", ", channel_id=1, use_global_device_ids=true");
    assert!(
        iota.contains("{0,2,4,6}, {1,3,5,7}") && iota.contains("array of 4 × 2, transposed by 1, 0"),
        "{iota}"
    );
    assert!(iota.contains("numbers are devices"), "{iota}");
    assert!(
        groups("[1,8]<=[8]", "").contains("from 0 to 8, exclusive, in order"),
        "{}",
        groups("[1,8]<=[8]", "")
    );
    let sharding = |value: &str| entry(&format!("x = f32[8,6] parameter(0), sharding={value}"));
    let tiles = sharding("{§devices=[2,1,4]<=[8] last_tile_dim_replicate}");
    assert!(tiles.contains("Dimension 0 of size 8 is divided into 2 parts of 4"), "{tiles}");
    assert!(tiles.contains("Each part is on 4 devices"), "{tiles}");
    assert!(sharding("{§replicated}").contains("whole value"), "{}", sharding("{§replicated}"));
    assert!(sharding("§{maximal device=3}").contains("device 3 alone"));
    let pairs = entry(
        "x = f32[2] parameter(0)\n ROOT p = f32[2] collective-permute(x), source_target_pairs={{0,1},{§1,0}}",
    );
    assert!(pairs.contains("1 sends to 0") && !pairs.contains("0 sends to 1"), "{pairs}");
}

#[test]
fn headers_are_explained() {
    let header = |attribute: &str| {
        said(&format!(
            "HloModule m, {attribute}\nENTRY e {{ x = f32[2] parameter(0) ROOT y = f32[2] negate(x) }}"
        ))
    };
    assert!(header("is_scheduled=§true").contains("in the order in which they are written"));
    assert!(header("§is_scheduled=true").contains("order in which they run"));
    assert!(header("entry_computation_layout={(f32[2]{0})§->f32[2]{0}}").contains("memory of the caller"));
    let alias = header("input_output_alias={ {}: (§0, {}, may-alias) }");
    assert!(
        alias.contains("Output the whole value may reuse the memory of parameter 0: the whole value"),
        "{alias}"
    );
    let spmd = header("allow_spmd_sharding_propagation_to_parameters={§true}");
    assert!(spmd.contains("choose the sharding of parameter 0"), "{spmd}");
    assert!(header("replica_count=§2").contains("number of replicas"));
    assert!(header("buffer_donor={ (§0, {}) }").contains("reuse the memory of parameter 0"));
}

#[test]
fn annotations_and_literals_are_explained() {
    let text = "HloModule m\n\nFileNames\n1 \"a.py\"\n\nFunctionNames\n1 \"f\"\n\nFileLocations\n\
                1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=5 end_column=9}\n\nStackFrames\n\
                1 {file_location_id=1 parent_frame_id=1}\n\n\nENTRY e {\n  x = f32[2,2] constant({{1, 0.1}, {3, 4}})\n  \
                ROOT y = f32[2,2] negate(x), metadata={op_name=\"jit(f)/neg\" stack_frame_id=1}, \
                backend_config={\"known_trip_count\":{\"n\":\"3\"}}\n}";
    let mark = |part: &str| said(&text.replacen(part, &format!("§{part}"), 1));
    assert!(mark("stack_frame_id").contains("a.py, line 3, in f"), "{}", mark("stack_frame_id"));
    assert!(mark("op_name").contains("path of the operation"), "{}", mark("op_name"));
    assert!(mark("\"jit").contains("path of the operation"));
    assert!(mark("metadata").contains("does not change values"));
    assert!(mark("\"known_trip").contains("number of iterations"), "{}", mark("\"known_trip"));
    let rounded = mark("0.1");
    assert!(rounded.contains("Index 0, 1") && rounded.contains("0.10000000149011612"), "{rounded}");
    assert!(mark("3, 4").contains("Index 1, 0"), "{}", mark("3, 4"));
    assert!(mark("file_location_id").contains("row of FileLocations"));
    assert!(mark("StackFrames").contains("call stacks"));
    assert!(entry("x = f32[9] constant({§...})").contains("printer omitted"));
    assert!(entry("x = f32[2] parameter(0) §/*index=5*/").contains("index 5"));
    assert!(entry("x = f32[2] parameter(0) // §note").contains("do not change the program"));
}

#[test]
fn text_with_mistakes_is_explained_as_far_as_possible() {
    let broken = "ENTRY e { x = f32[2] parameter(0)\n y = f32[2,3]{1,§0} frobnicate(x, q), a={b\n";
    assert!(said(broken).contains("most major"), "{}", said(broken));
    assert!(said("x = f32[2] §negate(").contains("Formula"), "{}", said("x = f32[2] §negate("));
    for text in ["§", "§ x", "x = f32[2] §", "}}}§", "§é", "ENTRY e { §} }", "a=b={{{§{{", "\"§x"] {
        at(text);
    }
    let sample = "HloModule m, is_scheduled=true\nENTRY e {\n  x = (f32[2]{0}, s32[]) parameter(0), sharding={{devices=[2]<=[2]},{replicated}}\n  ROOT y = f32[2]{0} get-tuple-element(x), index=0, metadata={op_name=\"a\"}\n}\n";
    for cut in 0..sample.len() {
        let text = &sample[..cut];
        let module = xla_hlo::parse(text).module;
        for offset in 0..=text.len() {
            hover(text, &module, offset);
        }
    }
}
