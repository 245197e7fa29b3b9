//! Text in quotation marks: random bytes in every quoted attribute are read, printed and read back without loss.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use proptest::collection::vec;
use proptest::prelude::*;
use xla_hlo::{Module, PrintOptions, parse};
use xla_messages::escape::c;
use xla_ops::AttrValue;

/// An instruction with a quoted attribute, the attribute's name, and whether it is one of the op's own.
const PLACES: &[(&str, &str, bool)] = &[
    ("r = f32[] custom-call(x), custom_call_target=@", "custom_call_target", true),
    ("r = (f32[], token[]) infeed(t), infeed_config=@", "infeed_config", true),
    ("r = token[] outfeed(x, t), outfeed_config=@", "outfeed_config", true),
    ("r = f32[] negate(x), backend_config=@", "backend_config", false),
    ("r = f32[] negate(x), metadata={op_name=@ source_file=@ source_line=3}", "metadata", false),
    ("r = f32[] negate(x), frontend_attributes={k=@,l={\"j\":1}}", "frontend_attributes", false),
];

/// A byte in one of the ways to write it.
fn spelled(byte: u8, way: u8) -> String {
    match (byte, way % 4) {
        (_, 0) => format!("\\{byte:03o}"),
        // Hexadecimal digits go on, so that the next character must be none.
        (_, 1) => format!("\\x{byte:02x}\\040"),
        (b' '..=b'~', 2) if !b"\"'\\".contains(&byte) => char::from(byte).to_string(),
        _ => c::escape(&[byte]),
    }
}

/// What `spelled` stands for.
fn meant(bytes: &[(u8, u8)]) -> Vec<u8> {
    bytes.iter().flat_map(|(byte, way)| if way % 4 == 1 { vec![*byte, b' '] } else { vec![*byte] }).collect()
}

/// The attribute's value in the printed form, and its bytes where it is one of the op's own.
fn value(module: &Module, name: &str, is_own: bool) -> (String, Option<Vec<u8>>) {
    let instruction = module.entry_computation().unwrap().root_instruction().unwrap();
    if !is_own {
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
    fn bytes_in_every_quoted_attribute_are_kept(bytes in vec((any::<u8>(), any::<u8>()), 1..40), single in any::<bool>()) {
        let written: String = bytes.iter().map(|(byte, way)| spelled(*byte, *way)).collect();
        let meant = meant(&bytes);
        let quote = if single { '\'' } else { '"' };
        for (instruction, name, is_own) in PLACES {
            let text = format!(
                "HloModule m\nENTRY e {{\nx = f32[] parameter(0)\nt = token[] after-all()\nROOT {}\n}}\n",
                instruction.replace('@', &format!("{quote}{written}{quote}"))
            );
            let module = parse(&text).into_module().unwrap();
            let (shown, found) = value(&module, name, *is_own);
            let canonical = format!("\"{}\"", c::escape(&meant));
            prop_assert!(shown.contains(&canonical), "{} has no {}", shown, canonical);
            if let Some(found) = found {
                prop_assert_eq!(&found, &meant);
            }
            let printed = module.text(PrintOptions::LONG);
            let again = parse(&printed).into_module().unwrap();
            prop_assert_eq!(value(&again, name, *is_own), value(&module, name, *is_own));
            prop_assert_eq!(again.text(PrintOptions::LONG), printed);
        }
    }

    #[test]
    fn text_of_any_characters_is_read_as_it_stands(text in "[^\"'\\\\\r\n]{0,40}") {
        let source = format!(
            "HloModule m\nENTRY e {{ ROOT r = f32[] custom-call(), custom_call_target=\"f{text}\" }}"
        );
        let module = parse(&source).into_module().unwrap();
        prop_assert_eq!(value(&module, "custom_call_target", true).1.unwrap(), format!("f{text}").into_bytes());
    }
}
