//! Quoted strings: random bytes in every quoted attribute round-trip through parser and printer.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use proptest::collection::vec;
use proptest::prelude::*;
use xla_hlo::{Module, PrintOptions, parse};
use xla_messages::escape::c;
use xla_ops::AttrValue;

/// An instruction with a quoted attribute, the attribute's name, and whether it is an attribute of the op rather than an annotation.
const QUOTED_ATTRIBUTES: &[(&str, &str, bool)] = &[
    ("r = f32[] custom-call(x), custom_call_target=@", "custom_call_target", true),
    ("r = (f32[], token[]) infeed(t), infeed_config=@", "infeed_config", true),
    ("r = token[] outfeed(x, t), outfeed_config=@", "outfeed_config", true),
    ("r = f32[] negate(x), backend_config=@", "backend_config", false),
    ("r = f32[] negate(x), metadata={op_name=@ source_file=@ source_line=3}", "metadata", false),
    ("r = f32[] negate(x), frontend_attributes={k=@,l={\"j\":1}}", "frontend_attributes", false),
];

/// A byte in one of its four notations.
fn notation(byte: u8, variant: u8) -> String {
    match (byte, variant % 4) {
        (_, 0) => format!("\\{byte:03o}"),
        // A hexadecimal escape has any number of digits, so the next character must not be one.
        (_, 1) => format!("\\x{byte:02x}\\040"),
        (b' '..=b'~', 2) if !b"\"'\\".contains(&byte) => char::from(byte).to_string(),
        _ => c::escape(&[byte]),
    }
}

/// The bytes that the notations stand for.
fn unescaped(bytes: &[(u8, u8)]) -> Vec<u8> {
    bytes
        .iter()
        .flat_map(|(byte, variant)| if variant % 4 == 1 { vec![*byte, b' '] } else { vec![*byte] })
        .collect()
}

/// The printed value of an attribute, and its bytes if it is an attribute of the op.
fn value(module: &Module, name: &str, is_op_attribute: bool) -> (String, Option<Vec<u8>>) {
    let instruction = module.entry_computation().unwrap().root_instruction().unwrap();
    if !is_op_attribute {
        return (instruction.annotation(name).unwrap().to_owned(), None);
    }
    let value = instruction.attrs.get(name).unwrap();
    let bytes = match value {
        AttrValue::String(text) => text.as_bytes().to_vec(),
        AttrValue::Bytes(bytes) => bytes.clone(),
        _ => Vec::new(),
    };
    (value.to_string(), Some(bytes))
}

proptest! {
    #[test]
    fn bytes_in_every_quoted_attribute_round_trip(bytes in vec((any::<u8>(), any::<u8>()), 1..40), single in any::<bool>()) {
        let written: String = bytes.iter().map(|(byte, variant)| notation(*byte, *variant)).collect();
        let expected = unescaped(&bytes);
        let quote = if single { '\'' } else { '"' };
        for (instruction, name, is_op_attribute) in QUOTED_ATTRIBUTES {
            let text = format!(
                "HloModule m\nENTRY e {{\nx = f32[] parameter(0)\nt = token[] after-all()\nROOT {}\n}}\n",
                instruction.replace('@', &format!("{quote}{written}{quote}"))
            );
            let module = parse(&text).into_module().unwrap();
            let (printed_value, found) = value(&module, name, *is_op_attribute);
            let canonical = format!("\"{}\"", c::escape(&expected));
            prop_assert!(printed_value.contains(&canonical), "{} has no {}", printed_value, canonical);
            if let Some(found) = found {
                prop_assert_eq!(&found, &expected);
            }
            let printed = module.text(PrintOptions::LONG);
            let reparsed = parse(&printed).into_module().unwrap();
            prop_assert_eq!(value(&reparsed, name, *is_op_attribute), value(&module, name, *is_op_attribute));
            prop_assert_eq!(reparsed.text(PrintOptions::LONG), printed);
        }
    }

    #[test]
    fn unescaped_text_is_read_verbatim(text in "[^\"'\\\\\r\n]{0,40}") {
        let source = format!(
            "HloModule m\nENTRY e {{ ROOT r = f32[] custom-call(), custom_call_target=\"f{text}\" }}"
        );
        let module = parse(&source).into_module().unwrap();
        prop_assert_eq!(value(&module, "custom_call_target", true).1.unwrap(), format!("f{text}").into_bytes());
    }
}
