//! Rows of the table of gaps that the entries close, each by a test named after its heading.

use xla_playground::array::Literal;
use xla_playground::documents::{self, Entry, ExpectedResult};
use xla_playground::hlo::{Evaluator, parse};
use xla_playground::i18n::Language;
use xla_playground::state::experiment::link;
use xla_playground::state::experiment::needs::Needs;

fn entry(name: &str) -> &'static Entry {
    documents::by_name(name).unwrap_or_else(|| panic!("no entry {name}"))
}

/// Whether the paragraph of an entry has these words, by language.
fn tells(name: &str, english: &[&str], chinese: &[&str]) {
    for (language, words) in [("en", english), ("zh-Hans", chinese)] {
        let text = entry(name).text().localize(Language::for_tag(language).unwrap());
        for word in words {
            assert!(text.contains(word), "{name} in {language} does not say {word:?}: {text}");
        }
    }
}

/// The text of the first example that a call has.
fn text(name: &str, call: &str) -> String {
    let entry = entry(name);
    let found = entry.examples.iter().find(|example| example.call == call);
    found.unwrap_or_else(|| panic!("{name} has no example {call}")).experiment(entry).text
}

fn arguments(name: &str) -> Vec<&'static str> {
    entry(name).arguments.iter().map(|argument| argument.name).collect()
}

/// Row 45.
#[test]
fn broadcast_parameter_name_broadcast_sizes() {
    assert_eq!(arguments("Broadcast"), ["operand", "broadcast_sizes"]);
    tells("Broadcast", &["inserted on the left", "broadcast_sizes"], &["插入在左侧", "broadcast_sizes"]);
    let calls: Vec<&str> = entry("Broadcast").examples.iter().map(|example| example.call).collect();
    assert_eq!(calls.first(), Some(&"Broadcast(2.0f, {2, 3})"));
}

/// Rows 52 and 247.
#[test]
fn collapse_on_screen() {
    let loaded = link::read("#ops1/@collapse");
    assert!(loaded.problems.is_empty());
    assert_eq!(loaded.experiment.document_entry, "Collapse");
    assert_eq!(arguments("Collapse"), ["operand", "dimensions"]);
}

#[test]
fn concatenate_operands_of_other_ranks_are_rejected() {
    let of = |other: &str| {
        let lines = format!(
            "x = f32[2] parameter(0) y = {other} parameter(1) ROOT r = concatenate(x, y), dimensions={{0}}"
        );
        let module =
            parse(&format!("HloModule m ENTRY e {{ {lines} }}")).into_module().map_err(|error| error.rule)?;
        Ok(module.to_string().contains("f32[5]{0} concatenate("))
    };
    assert_eq!(of("f32[3]"), Ok(true));
    assert_eq!(of("f32[2,1]"), Err("concatenate-4"));
}

/// Row 79.
#[test]
fn conv_words_atrous_and_deconvolution_findable() {
    for word in ["atrous", "deconvolution", "dilated", "transposed convolution"] {
        assert!(entry("ConvWithGeneralPadding").matches(word), "{word}");
        assert!(documents::search_terms("convolution").any(|own| own.contains(word)), "{word}");
    }
}

/// Row 88.
#[test]
fn cross_replica_sum_name_in_the_catalogue() {
    let found: Vec<&str> =
        documents::entries().filter(|entry| entry.opcode == "all-reduce").map(|entry| entry.name).collect();
    assert_eq!(found, ["CrossReplicaSum"]);
}

/// Row 90.
#[test]
fn cross_replica_sum_by_a_while_on_infeed_data() {
    let example = &entry("CrossReplicaSum").examples[1];
    assert!(matches!(
        example.expected,
        ExpectedResult::Undocumented { reason: "reason-deadlock", result: [] }
    ));
    let module = parse(&example.experiment(entry("CrossReplicaSum")).text).module;
    let opcodes: Vec<&str> =
        module.computations.iter().flat_map(|c| &c.instructions).map(|i| i.opcode.as_str()).collect();
    for opcode in ["while", "infeed", "all-reduce"] {
        assert!(opcodes.contains(&opcode), "{opcode}");
    }
}

/// Rows 92 and 95.
#[test]
fn custom_call_signature_and_must_be_free_of_side_effects_and_idempotent() {
    let signature = "extern \"C\" void target_name(void* out, void** in)";
    assert!(entry("CustomCall").signatures.iter().any(|own| own.starts_with(signature)));
    tells("CustomCall", &[signature, "side effects", "idempotent"], &[signature, "副作用", "幂等"]);
}

/// Row 97.
#[test]
fn dot_row_2_matrix_vector() {
    let text = text("Dot", "matrix [m x k] dot vector [k]");
    assert!(text.contains("f32[2] dot(lhs, rhs)"), "{text}");
    assert_eq!(entry("Dot").examples.len(), 3, "one for each row of the documents' table");
}

/// Row 125.
#[test]
fn names_lead_to_their_direction() {
    for name in ["Eq", "Ne", "Ge", "Gt", "Le", "Lt"] {
        let loaded = link::read(&format!("#ops1/@{name}"));
        let direction = format!("direction={}", name.to_uppercase());
        assert!(loaded.experiment.text.contains(&direction), "{name}: {}", loaded.experiment.text);
        assert_eq!(loaded.experiment.document_entry, name);
    }
}

/// Row 147.
#[test]
fn infeed_example_two_while_loops() {
    let experiment = entry("Infeed").examples[1].experiment(entry("Infeed"));
    let module = parse(&experiment.text).module;
    let root = module.entry_computation().unwrap();
    assert_eq!(root.instructions.iter().filter(|i| i.opcode == "while").count(), 2);
    assert_eq!(experiment.environment.infeed.len(), 4, "one more than the loops take");
    assert_ne!(Needs::new(&module), Needs::default());
}

/// Row 154.
#[test]
fn map_example_of_three_operands_and_a_static_one() {
    let text = text("Map", "Map(op1, op2, op3, computation, par1)");
    assert!(text.contains("map(op1, op2, op3, par1)"), "{text}");
    assert_eq!(arguments("Map"), ["operands", "computation", "static_operands"]);
}

/// Row 160.
#[test]
fn pad_figure_several_edge_and_interior_values() {
    let paddings: Vec<String> = entry("Pad")
        .examples
        .iter()
        .map(|example| example.instructions.rsplit("padding=").next().unwrap().trim().to_owned())
        .collect();
    assert_eq!(paddings, ["1_2x0_1", "0_0_2x0_0_1", "1_2_0x0_0_1", "-1_1x0_-1", "0_0_2x-1_0_1", "0_0x0_0"]);
    for name in ["edge_padding_low", "edge_padding_high", "interior_padding"] {
        assert!(arguments("Pad").contains(&name));
    }
}

/// Rows 163 and 164.
#[test]
fn reduce_init_value_may_be_inserted_anywhere_and_the_order_is_arbitrary() {
    let english = ["in any order", "insert init_value anywhere", "identity", "not quite associative"];
    tells("Reduce", &english, &["任意次序", "任意位置", "单位元", "结合律"]);
    for name in ["ReduceWindow", "SelectAndScatter"] {
        tells(name, &["Reduce"], &["Reduce"]);
    }
}

#[test]
fn reduce_dimensions_are_unordered() {
    let of = |dimensions: &str| {
        let text = text("Reduce", "Reduce(cube, 0, add, {0, 1})");
        let module = parse(&text.replace("dimensions={0,1}", dimensions)).into_module().unwrap();
        let cube = "f32[4,2,3] {{{1,2,3},{4,5,6}},{{7,8,9},{1,2,3}},{{4,5,6},{7,8,9}},{{0,0,0},{1,0,0}}}";
        let arguments = [cube, "f32[] 0"].map(|text| text.parse::<Literal>().unwrap());
        Evaluator::new(&module).run(&arguments).unwrap().to_string()
    };
    assert_eq!(of("dimensions={0,1}"), "{25, 30, 36}");
    assert_eq!(of("dimensions={1,0}"), of("dimensions={0,1}"));
}

/// Row 165.
#[test]
fn reduce_example_1d_and_the_two_nestings() {
    let calls = [
        "Reduce([10, 11, 12, 13], init_value, f, {0})",
        "f(10, f(11, f(12, f(init_value, 13)))",
        "f(init_value, f(f(10, f(init_value, 11)), f(f(init_value, 12), f(13, init_value))))",
    ];
    for call in calls {
        assert!(entry("Reduce").examples.iter().any(|example| example.call == call), "{call}");
    }
    assert!(text("Reduce", calls[1]).contains("a13 = s32[] call(init_value, x13)"));
}

/// Row 182.
#[test]
fn reduce_window_padding_as_though_the_input_had_the_padded_size() {
    tells("ReduceWindow", &["padding are skipped", "once per window"], &["跳过填充", "每个窗口只用一次"]);
}

/// Row 183.
#[test]
fn reduce_window_pooling() {
    for word in ["pooling", "max pool", "average pool", "cumsum"] {
        assert!(entry("ReduceWindow").matches(word), "{word}");
        assert!(documents::search_terms("reduce-window").any(|own| own.contains(word)), "{word}");
    }
}

/// Rows 199, 200 and 201.
#[test]
fn rng_bernoulli_on_screen_and_its_heading_link() {
    let loaded = link::read("#ops1/@RngBernoulli");
    assert!(loaded.experiment.text.contains("direction=LT") && loaded.experiment.text.contains("u32[8]"));
    assert!(entry("RngBernoulli").section().unwrap().address_2017().ends_with("#rngbernoulli"));
    tells("RngBernoulli", &["no such operation"], &["没有这个运算"]);
}

/// Row 211.
#[test]
fn select_and_scatter_order_of_scatter_arbitrary() {
    tells("SelectAndScatter", &["order in which scatter is applied is arbitrary"], &["次序是任意的"]);
}

/// Rows 218, 223, 226 and 228: what the documents ask for and XLA does not check.
#[test]
fn slices_strictly_greater_and_modulo() {
    tells("Slice", &["strictly greater"], &["严格大于"]);
    tells("DynamicSlice", &["modulo", "strictly greater than 0"], &["取模", "严格大于 0"]);
    tells(
        "DynamicUpdateSlice",
        &["modulo the size of the update", "dropped"],
        &["update 的大小取模", "丢弃"],
    );
}

/// Row 230.
#[test]
fn sort_of_one_operand_as_preset() {
    assert!(text("Sort", "Sort(operand)").contains("sort(operand)"));
}

/// Row 246.
#[test]
fn headings_have_a_text_that_explains_the_op_by_the_documents_arguments() {
    for entry in documents::entries() {
        for language in Language::all() {
            let text = entry.text().localize(language);
            let least = if language == Language::ENGLISH { 40 } else { 15 };
            assert!(text.chars().count() >= least, "{}: {text}", entry.name);
            for argument in entry.arguments {
                assert_ne!(argument.meaning().localize(language), argument.meaning, "{}", argument.name);
            }
        }
        assert!(!entry.arguments.is_empty() && !entry.signatures.is_empty(), "{}", entry.name);
    }
}

/// Row 248.
#[test]
fn presets_labels_are_the_documents_calls_with_a_title() {
    for entry in documents::entries() {
        assert!(!entry.examples.is_empty(), "{}", entry.name);
        let mut labels: Vec<String> =
            entry.examples.iter().map(|example| format!("{} {}", example.call, example.title())).collect();
        labels.sort();
        labels.dedup();
        assert_eq!(labels.len(), entry.examples.len(), "{}: two examples have one label", entry.name);
    }
}
