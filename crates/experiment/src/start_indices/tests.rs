//! Programs converted to another edition and back.

use super::*;
use crate::preset;
use crate::run::FinishedRun;
use std::rc::Rc;
use xla_hlo::Limits;

fn result(experiment: &Experiment) -> String {
    let parsed = parse_edition(&experiment.text, experiment.edition);
    assert_eq!(parsed.error(), None, "{}", experiment.text);
    let module = Rc::new(parsed.module);
    let finished = FinishedRun::run(experiment, &module, Limits::default()).unwrap();
    one_line(&finished.value(module.entry_computation().unwrap().root.unwrap()).unwrap().to_literal())
}

fn typed(text: &str) -> ValueRule {
    ValueRule::Text(text.to_owned())
}

fn example(opcode: &str, number: usize) -> Experiment {
    preset::all().filter(|preset| preset.meta.opcode == opcode).nth(number).unwrap().experiment()
}

#[test]
fn every_example_round_trips_through_2017() {
    let mut rewritten = 0;
    for opcode in ["dynamic-slice", "dynamic-update-slice"] {
        for preset in preset::all().filter(|preset| preset.meta.opcode == opcode) {
            let before = preset.experiment();
            if parse_edition(&before.text, Edition::V2017).error().is_none() {
                assert_eq!(convert_start_indices(&before, Edition::V2017, &[]), None);
                continue;
            }
            let converted = convert_start_indices(&before, Edition::V2017, &[]).unwrap();
            assert!(!converted.experiment.text.contains("reshape"), "{}", converted.experiment.text);
            let restored =
                convert_start_indices(&converted.experiment, Edition::Current, &converted.vectorized)
                    .unwrap();
            assert_eq!(restored.experiment, before);
            rewritten += 1;
        }
    }
    assert_eq!(rewritten, 6);
}

#[test]
fn a_start_index_out_of_range_wraps_in_2017() {
    let mut current = example("dynamic-slice", 1);
    (current.values[1], current.values[2]) = (typed("3"), typed("2"));
    assert_eq!(result(&current), "{ { 7, 8 }, { 10, 11 } }");
    let converted = convert_start_indices(&current, Edition::V2017, &[]).unwrap();
    assert_eq!(converted.experiment.values[1], typed("{3, 2}"));
    assert_eq!(converted.vectorized[0].scalars, ["i", "j"]);
    assert!(
        converted.experiment.text.contains("start = s32[2] parameter(1)"),
        "{}",
        converted.experiment.text
    );
    assert_eq!(result(&converted.experiment), "{ { 11, 9 }, { 2, 0 } }");
    // Values edited in between are kept.
    let mut edited = converted.experiment;
    edited.values[1] = typed("{1, 0}");
    let restored =
        convert_start_indices(&edited, Edition::Current, &converted.vectorized).unwrap().experiment;
    assert_eq!(restored.values[1..], [typed("1"), typed("0")]);
    assert_eq!(result(&restored), "{ { 3, 4 }, { 6, 7 } }");
}

#[test]
fn parameters_after_the_scalars_and_values_of_replicas_are_renumbered() {
    let text = "HloModule m\n\nENTRY e {\n  i = s32[] parameter(0)\n  a = s32[4,4] parameter(1)\n  j = s32[] parameter(2)\n  \
                u = s32[1,1] parameter(3)\n  ROOT r = s32[4,4] dynamic-update-slice(a, u, i, j)\n}\n";
    let mut before = Experiment::from_text(text);
    before.values = vec![typed("1"), ValueRule::Iota, typed("x"), typed("{{9}}")];
    before.environment.values = [((1, 2), typed("3")), ((1, 3), typed("{{8}}"))].into();
    let converted = convert_start_indices(&before, Edition::V2017, &[]).unwrap();
    let joined = &converted.experiment;
    assert!(
        joined.text.contains(
            "start = s32[2] parameter(0)\n  a = s32[4,4] parameter(1)\n  u = s32[1,1] parameter(2)"
        )
    );
    // Text that cannot be parsed is kept verbatim.
    assert_eq!(joined.values, [typed("{1, x}"), ValueRule::Iota, typed("{{9}}")]);
    let own = [((1, 0), typed("{11, 3}")), ((1, 2), typed("{{8}}"))];
    assert_eq!(joined.environment.values, own.into());
    let restored = convert_start_indices(joined, Edition::Current, &converted.vectorized).unwrap().experiment;
    assert_eq!(restored.values, [typed("1"), typed("x"), ValueRule::Iota, typed("{{9}}")]);
    assert_eq!(restored.environment.values[&(1, 3)], typed("{{8}}"));
}

#[test]
fn constants_are_joined_and_computed_indices_reshaped() {
    let text = "HloModule m ENTRY e { a = s32[4] parameter(0) c = s32[] constant(3) d = s32[] negate(c)
        x = s32[2] dynamic-slice(a, d), dynamic_slice_sizes={2} z = s32[] constant(3)
        y = s32[2] dynamic-slice(a, z), dynamic_slice_sizes={2} ROOT r = s32[2] add(x, y) }";
    let converted = convert_start_indices(&Experiment::from_text(text), Edition::V2017, &[]).unwrap();
    let names: Vec<_> = converted.vectorized.iter().map(|join| join.vector.as_str()).collect();
    assert_eq!(names, ["z"]);
    assert!(converted.experiment.text.contains("z = s32[1] constant({3})"), "{}", converted.experiment.text);
    assert!(converted.experiment.text.contains("reshape(d)"), "{}", converted.experiment.text);
    // Start index -3 is interpreted as unsigned: (2^32 - 3) mod 4 = 1.
    assert_eq!(result(&converted.experiment), "{4, 2}");
}

#[test]
fn scalars_with_other_uses_are_kept() {
    for body in [
        "i = s32[] parameter(1) s = s32[2] dynamic-slice(a, i), dynamic_slice_sizes={2} n = s32[] negate(i) \
         b = s32[2] broadcast(n), dimensions={} ROOT r = s32[2] add(s, b)",
        "i = s32[] parameter(1) b = s32[4,4] broadcast(a), dimensions={0} ROOT r = s32[1,1] dynamic-slice(b, i, i), \
         dynamic_slice_sizes={1,1}",
    ] {
        let text = format!("HloModule m ENTRY e {{ a = s32[4] parameter(0) {body} }}");
        let converted = convert_start_indices(&Experiment::from_text(text), Edition::V2017, &[]).unwrap();
        assert_eq!(converted.vectorized, []);
        assert!(
            converted.experiment.text.contains("i = s32[] parameter(1)"),
            "{}",
            converted.experiment.text
        );
    }
    let layout = "HloModule m, entry_computation_layout={(s32[4]{0}, s32[])->s32[2]{0}}\nENTRY e { a = s32[4] parameter(0)
        i = s32[] parameter(1) ROOT r = s32[2] dynamic-slice(a, i), dynamic_slice_sizes={2} }";
    assert_eq!(
        convert_start_indices(&Experiment::from_text(layout), Edition::V2017, &[]).unwrap().vectorized,
        []
    );
    // The header refers to parameters by their numbers; a scalar's annotations are not those of a vector.
    for (header, annotation) in [
        ("input_output_alias={ {}: (2, {}, may-alias) }", ""),
        ("buffer_donor={ (2, {}) }", ""),
        ("", ", metadata={op_name=\"i\"}"),
        ("", ", sharding={replicated}"),
    ] {
        let header = if header.is_empty() { String::new() } else { format!(", {header}") };
        let text = format!(
            "HloModule m{header}\nENTRY e {{ i = s32[] parameter(0){annotation}
            j = s32[] parameter(1) a = s32[2,2] parameter(2)
            ROOT r = s32[2,2] dynamic-slice(a, i, j), dynamic_slice_sizes={{2,2}} }}"
        );
        let converted = convert_start_indices(&Experiment::from_text(&text), Edition::V2017, &[]).unwrap();
        assert_eq!(converted.vectorized, []);
        let kept = format!("HloModule m{header}\nENTRY e {{ i = s32[] parameter(0){annotation}\n");
        assert!(converted.experiment.text.starts_with(&kept), "{}", converted.experiment.text);
        assert!(
            converted.experiment.text.contains("a = s32[2,2] parameter(2)"),
            "{}",
            converted.experiment.text
        );
    }
    // Programs that are invalid for any other reason are not converted.
    let other = "HloModule m ENTRY e { ROOT r = s32[2] iota(), iota_dimension=0 }";
    assert_eq!(convert_start_indices(&Experiment::from_text(other), Edition::V2017, &[]), None);
}
