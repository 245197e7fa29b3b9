//! Typical mistakes in HLO text: each is reported at its place, and its fix repairs the text where there is one.

use xla_hlo::parse;
use xla_messages::diagnostic::Severity;
use xla_messages::i18n::Language;

/// A mistake: what it is, the text, what the first error's line must contain under its span (a mark `§` before it in the text), and
/// the text after the fixes, or `None` if only the author knows what was meant.
struct Mistake {
    what: &'static str,
    text: &'static str,
    fixed: Option<&'static str>,
}

const MISTAKES: &[Mistake] = &[
    Mistake {
        what: "a missing comma between operands",
        text: "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] add(x §x)\n}",
        fixed: Some("ROOT y = f32[2] add(x, x)"),
    },
    Mistake {
        what: "a missing comma before an attribute",
        text: "HloModule m\nENTRY e {\n  x = f32[2,3] parameter(0)\n  ROOT y = f32[3,2] transpose(x) §dimensions={1,0}\n}",
        fixed: Some("transpose(x), dimensions={1,0}"),
    },
    Mistake {
        what: "a wrong result shape",
        text: "HloModule m\nENTRY e {\n  x = f32[2,3] parameter(0)\n  ROOT y = §f32[3,2] negate(x)\n}",
        fixed: Some("ROOT y = f32[2,3] negate(x)"),
    },
    Mistake {
        what: "a misspelled opcode",
        text: "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] §negtae(x)\n}",
        fixed: Some("f32[2] negate(x)"),
    },
    Mistake {
        what: "an opcode of another library",
        text: "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] §exp(x)\n}",
        fixed: Some("f32[2] exponential(x)"),
    },
    Mistake {
        what: "a misspelled operand",
        text: "HloModule m\nENTRY e {\n  value = f32[2] parameter(0)\n  ROOT y = f32[2] negate(§vlaue)\n}",
        fixed: Some("negate(value)"),
    },
    Mistake {
        what: "a missing required attribute",
        text: "HloModule m\nENTRY e {\n  x = f32[2,3] parameter(0)\n  §ROOT y = f32[3,2] transpose(x)\n}",
        fixed: Some("transpose(x), dimensions={1,0}"),
    },
    Mistake {
        what: "a missing direction of a comparison",
        text: "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  §ROOT y = pred[2] compare(x, x)\n}",
        fixed: Some("compare(x, x), direction=EQ"),
    },
    Mistake {
        what: "square brackets for the list of an attribute",
        text: "HloModule m\nENTRY e {\n  x = f32[2,3] parameter(0)\n  ROOT y = f32[3,2] transpose(x), dimensions=§[1,0]\n}",
        fixed: Some("dimensions={1,0}"),
    },
    Mistake {
        what: "a number for a list of one",
        text: "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] reverse(x), dimensions=§0\n}",
        fixed: Some("dimensions={0}"),
    },
    Mistake {
        what: "a dimension out of range",
        text: "HloModule m\nENTRY e {\n  x = f32[2,3] parameter(0)\n  ROOT y = f32[2,3] reverse(x), dimensions=§{2}\n}",
        fixed: Some("dimensions={1}"),
    },
    Mistake {
        what: "a repeated dimension of a transpose",
        text: "HloModule m\nENTRY e {\n  x = f32[2,3] parameter(0)\n  ROOT y = f32[3,2] transpose(x), dimensions=§{1,1}\n}",
        fixed: Some("dimensions={1,0}"),
    },
    Mistake {
        what: "a misspelled ROOT",
        text: "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  §Root y = f32[2] negate(x)\n}",
        fixed: Some("ROOT y = f32[2] negate(x)"),
    },
    Mistake {
        what: "two roots",
        text: "HloModule m\nENTRY e {\n  ROOT x = f32[2] parameter(0)\n  §ROOT y = f32[2] negate(x)\n}",
        fixed: Some("  y = f32[2] negate(x)"),
    },
    Mistake {
        what: "an undefined computation",
        text: "HloModule m\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\nENTRY e {\n  x = f32[2] parameter(0)\n  c = f32[] constant(0)\n  ROOT y = f32[] reduce(x, c), dimensions={0}, to_apply=§smu\n}",
        fixed: Some("to_apply=sum"),
    },
    Mistake {
        what: "a computation of no similar name, where only one fits",
        text: "HloModule m\nsum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\nENTRY e {\n  x = f32[2] parameter(0)\n  c = f32[] constant(0)\n  ROOT y = f32[] reduce(x, c), dimensions={0}, to_apply=§reducer.7\n}",
        fixed: Some("to_apply=sum"),
    },
    Mistake {
        what: "a parameter number that leaves a gap",
        text: "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  §z = f32[2] parameter(2)\n  ROOT y = f32[2] add(x, z)\n}",
        fixed: Some("z = f32[2] parameter(1)"),
    },
    Mistake {
        what: "a parameter number used twice",
        text: "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  §z = f32[2] parameter(0)\n  ROOT y = f32[2] add(x, z)\n}",
        fixed: Some("z = f32[2] parameter(1)"),
    },
    Mistake {
        what: "a fraction for an integer",
        text: "HloModule m\nENTRY e {\n  ROOT x = s32[2] constant({1, §2.0})\n}",
        fixed: Some("constant({1, 2})"),
    },
    Mistake {
        what: "too few values of a constant",
        text: "HloModule m\nENTRY e {\n  ROOT x = s32[3] constant({1, 2§})\n}",
        fixed: Some("constant({1, 2, 0})"),
    },
    Mistake {
        what: "a missing arrow in the signature",
        text: "HloModule m\nENTRY e (x: f32[2]) §f32[2] {\n  ROOT x = f32[2] parameter(0)\n}",
        fixed: Some("(x: f32[2]) -> f32[2] {"),
    },
    Mistake {
        what: "a missing arrow in the entry layout",
        text: "HloModule m, entry_computation_layout={(f32[2]) §f32[2]}\nENTRY e {\n  ROOT x = f32[2] parameter(0)\n}",
        fixed: Some("{(f32[2]) ->f32[2]}"),
    },
    Mistake {
        what: "no header",
        text: "§sum (a: f32[]) -> f32[] {\n  ROOT a = f32[] parameter(0)\n}",
        fixed: Some("HloModule m\n\nsum (a: f32[]) -> f32[] {"),
    },
    Mistake {
        what: "no closing brace",
        text: "HloModule m\n§ENTRY e {\n  ROOT x = f32[2] parameter(0)\n",
        fixed: Some("parameter(0)\n}"),
    },
    Mistake {
        what: "no closing parenthesis",
        text: "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] negate(x\n§}",
        fixed: Some("negate(x)\n}"),
    },
    Mistake {
        what: "no space before the equals sign",
        text: "HloModule m\nENTRY e {\n  §x= f32[2] parameter(0)\n  ROOT y = f32[2] negate(x)\n}",
        fixed: Some("x = f32[2] parameter(0)"),
    },
    Mistake {
        what: "a space before the equals sign of an attribute",
        text: "HloModule m\nENTRY e {\n  x = f32[2,3] parameter(0)\n  ROOT y = f32[3,2] transpose(x), §dimensions = {1,0}\n}",
        fixed: Some("transpose(x), dimensions= {1,0}"),
    },
    Mistake {
        what: "a misspelled attribute",
        text: "HloModule m\nENTRY e {\n  x = f32[2,3] parameter(0)\n  ROOT y = f32[3,2] transpose(x), §dimension={1,0}\n}",
        fixed: Some("transpose(x), dimensions={1,0}"),
    },
    Mistake {
        what: "an element type of another library",
        text: "HloModule m\nENTRY e {\n  ROOT x = §float32[2] parameter(0)\n}",
        fixed: Some("f32[2] parameter(0)"),
    },
    Mistake {
        what: "a layout that is no permutation",
        text: "HloModule m\nENTRY e {\n  ROOT x = f32[2,3]{1,§1} parameter(0)\n}",
        fixed: Some("f32[2,3]{1,0} parameter(0)"),
    },
    Mistake {
        what: "a layout with too few dimensions",
        text: "HloModule m\nENTRY e {\n  ROOT x = f32[2,3,4]{§1,0} parameter(0)\n}",
        fixed: Some("f32[2,3,4]{1,0,2} parameter(0)"),
    },
    Mistake {
        what: "an operand that is defined below",
        text: "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] negate(§z)\n  z = f32[2] copy(x)\n}",
        fixed: Some("  z = f32[2] copy(x)\n  ROOT y = f32[2] negate(z)\n"),
    },
    Mistake {
        what: "a number in place of an operand",
        text: "HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n  ROOT y = f32[] multiply(x, §2)\n}",
        fixed: Some("multiply(x, f32[] constant(2))"),
    },
    Mistake {
        what: "an operand too many",
        text: "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] negate(x, §x)\n}",
        fixed: Some("negate(x)"),
    },
    Mistake {
        what: "operands of different types",
        text: "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  i = s32[2] parameter(1)\n  ROOT y = f32[2] add(x, §i)\n}",
        fixed: Some("i = f32[2] parameter(1)"),
    },
    Mistake {
        what: "a name that is already used",
        text: "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  §x = f32[2] negate(x)\n  ROOT y = f32[2] copy(x)\n}",
        fixed: Some("x.1 = f32[2] negate(x)\n  ROOT y = f32[2] copy(x.1)"),
    },
    Mistake {
        what: "a reserved word as a name",
        text: "HloModule m\nENTRY e {\n  §token = f32[2] parameter(0)\n  ROOT y = f32[2] copy(%token)\n}",
        fixed: Some("%token = f32[2] parameter(0)"),
    },
    Mistake {
        what: "StableHLO in place of HLO",
        text: "§module @m {\n  func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {\n    %0 = stablehlo.negate %arg0 : tensor<2xf32>\n    return %0 : tensor<2xf32>\n  }\n}",
        fixed: None,
    },
    Mistake {
        what: "curly quotation marks",
        text: "HloModule m\nENTRY e {\n  ROOT x = f32[2] parameter(0), metadata={op_name=§“x”}\n}",
        fixed: Some("op_name=\"x\""),
    },
    Mistake {
        what: "an unclosed string",
        text: "HloModule m\nENTRY e {\n  ROOT x = f32[2] parameter(0), metadata={op_name=§\"x}\n}",
        fixed: Some("op_name=\"x\"}"),
    },
    Mistake {
        what: "a called computation below its caller",
        text: "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  z = f32[] constant(0)\n  ROOT y = f32[] reduce(x, z), dimensions={0}, to_apply=§add\n}\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}",
        fixed: Some("HloModule m\nadd {"),
    },
    Mistake {
        what: "a computed operand of another type",
        text: "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  i = s32[2] iota(), iota_dimension=0\n  ROOT y = f32[2] add(x, §i)\n}",
        fixed: Some("  convert.1 = f32[2] convert(i)\n  ROOT y = f32[2] add(x, convert.1)"),
    },
];

/// Fixes that are applied one after another: the fix of one mistake never takes more.
const MAX_FIXES: usize = 3;

#[test]
fn typical_mistakes_are_reported_and_fixed() {
    let mut failures = Vec::new();
    for Mistake { what, text: marked, fixed } in MISTAKES {
        let at = marked.find('§').expect("a mark");
        let text = marked.replace('§', "");
        let parsed = parse(&text);
        let Some(error) = parsed.error() else {
            failures.push(format!("{what}: no error"));
            continue;
        };
        if !(error.span.start <= at && at <= error.span.end.max(error.span.start)) {
            failures.push(format!("{what}: reported elsewhere\n{}", error.render(&text, Language::ENGLISH)));
        }
        let mut repaired = text.clone();
        for _ in 0..MAX_FIXES {
            let parsed = parse(&repaired);
            let Some(error) = parsed.error() else { break };
            let Some(next) = error.hints.iter().find_map(|hint| hint.apply(&repaired)) else { break };
            repaired = next;
        }
        let remaining: Vec<String> = parse(&repaired)
            .diagnostics
            .iter()
            .filter(|d| d.severity == Severity::Error)
            .map(|d| d.render(&repaired, Language::ENGLISH))
            .collect();
        match fixed {
            Some(part) if !remaining.is_empty() || !repaired.contains(part) => {
                failures.push(format!("{what}: not repaired\n{repaired}\n{}", remaining.join("\n")));
            }
            None if remaining.is_empty() => failures.push(format!("{what}: repaired to\n{repaired}")),
            _ => {}
        }
    }
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), MISTAKES.len(), failures.join("\n\n"));
    assert!(MISTAKES.iter().filter(|mistake| mistake.fixed.is_some()).count() >= 30);
}
