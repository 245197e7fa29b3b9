//! Untrusted text in exports: names, attributes, metadata and comments of a link never become code of a program,
//! markup of a picture or invisible parts of the text.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use xla_playground::array::{Edition, Literal};
use xla_playground::escape;
use xla_playground::hlo::export::{export, hlo_text};
use xla_playground::hlo::{Module, PrintOptions, parse};
use xla_playground::i18n::Language as Tongue;
use xla_playground::ops::Language;
use xla_playground::view::palette::Theme;
use xla_playground::view::scene::{Anchor, Ink, Scene};
use xla_playground::view::svg::svg;

/// Characters that end a line in some language, are invisible, or change how others are displayed.
const HOSTILE: &[&str] = &[
    "\n", "\r", "\r\n", "\0", "\u{1}", "\u{8}", "\u{b}", "\u{c}", "\u{1a}", "\u{1b}", "\u{1c}", "\u{1d}",
    "\u{1e}", "\u{7f}", "\u{85}", "\u{9b}", "\u{61c}", "\u{200b}", "\u{200e}", "\u{200f}", "\u{2028}",
    "\u{2029}", "\u{202a}", "\u{202d}", "\u{202e}", "\u{2066}", "\u{2069}", "\u{feff}", "*/", "\"", "\"\"\"",
    "'", "\\", "\\\"", "{", "}",
];

/// Text that must never become code.
const CODE: &str = "import os; evil()";

fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Texts of modules with the payload at each position that allows text.
fn modules(payload: &str) -> Vec<String> {
    let escaped = escape::c::escape(payload.as_bytes());
    let call = |attrs: &str| {
        format!(
            "HloModule m\nENTRY e {{\n  x = f32[] parameter(0)\n  ROOT r = f32[] custom-call(x), {attrs}\n}}\n"
        )
    };
    let target = "custom_call_target=\"f\"";
    vec![
        call(&format!("{target}, output_to_operand_aliasing={{{{}}: (0, {{}}){payload}}}")),
        call(&format!("{target}, schedule={{{payload}}}")),
        call(&format!("{target}, literal={payload}")),
        call(&format!("{target}, padding_type=\"{payload}\"")),
        call(&format!("custom_call_target=\"{payload}\"")),
        call(&format!("custom_call_target='{payload}'")),
        call(&format!("custom_call_target=\"{escaped}\"")),
        call(&format!("{target}, metadata={{op_name=\"{payload}\"}}")),
        call(&format!("{target}, metadata={{op_name=\"{escaped}\"}}")),
        call(&format!("{target}, backend_config=\"{escaped}\"")),
        call(&format!("{target}, backend_config={{\"k\":\"{payload}\"}}")),
        call(&format!("{target}, frontend_attributes={{k={{\"j\":\"{payload}\"}},l=\"{escaped}\"}}")),
        call(&format!("{target}, sharding={{{payload}}}")),
        call(&format!("{target}, not_known={{{payload}}}")),
        call(&format!("{target} /* {payload} */")),
        call(&format!("{target} // {payload}")),
        format!(
            "HloModule m, frontend_attributes={{k=\"{payload}\"}}\nENTRY e {{ ROOT x = f32[] parameter(0) }}"
        ),
        format!("HloModule m\nFileNames\n1 \"{payload}\"\nENTRY e {{ ROOT x = f32[] parameter(0) }}"),
        format!("HloModule m{payload}\nENTRY e{payload} {{ ROOT x{payload} = f32[] parameter(0) }}"),
        format!("HloModule m\nENTRY e {{ ROOT x = f32[] parameter(0) }}, execution_thread=\"{payload}\""),
        format!(
            "HloModule m\nENTRY e {{ t = token[] after-all() ROOT x = (f32[], token[]) infeed(t), infeed_config=\"{escaped}\" }}"
        ),
        format!("HloModule m\nENTRY e {{ ROOT x = f32[] parameter(0) }}\n{payload}"),
    ]
}

/// A line of a program without its string literals and its comment.
fn code_of(line: &str, comment: &str) -> String {
    let (mut out, mut rest) = (String::new(), line);
    while let Some(c) = rest.chars().next() {
        if rest.starts_with(comment) {
            break;
        }
        rest = &rest[c.len_utf8()..];
        if c != '"' {
            out.push(c);
            continue;
        }
        let mut is_escaped = false;
        let end = rest.char_indices().find(|(_, c)| {
            let closes = *c == '"' && !is_escaped;
            is_escaped = *c == '\\' && !is_escaped;
            closes
        });
        // An unterminated literal would swallow the lines that follow.
        let (at, _) = end.unwrap_or_else(|| panic!("an open string: {line:?}"));
        rest = &rest[at + 1..];
    }
    out
}

#[test]
fn no_foreign_text_becomes_code_of_a_program() {
    let argument: Literal = "f32[] 1".parse().unwrap();
    let mut count = 0;
    for hostile in HOSTILE {
        let payload = format!("{hostile}    {CODE}{hostile}    #");
        for text in modules(&payload) {
            // Text with errors may be rejected; otherwise the same holds.
            let module: Module = parse(&text).module;
            for (language, comment) in [(Language::Jax, "#"), (Language::NumPy, "#"), (Language::Rust, "//")]
            {
                let Ok(exported) =
                    export(&module, std::slice::from_ref(&argument), language, Edition::Current)
                else {
                    continue;
                };
                count += 1;
                for line in exported.text.split(is_line_end) {
                    assert!(!line.trim().starts_with("import os"), "{hostile:?} {text:?}: {}", exported.text);
                    assert!(
                        !code_of(line, comment).contains("evil"),
                        "{hostile:?} {text:?}: {}",
                        exported.text
                    );
                }
                let is_bad = |c: char| c != '\n' && escape::is_hostile(c);
                assert!(!exported.text.contains(is_bad), "{hostile:?} {text:?}: {:?}", exported.text);
            }
        }
    }
    assert!(count > 1000, "only {count} programs");
}

#[test]
fn hlo_text_is_printed_without_hostile_characters_and_reads_back() {
    for hostile in HOSTILE {
        for text in modules(&format!("{hostile}    {CODE}{hostile}    #")) {
            let copied = hlo_text(&text);
            let is_bad = |c: char| !matches!(c, '\n' | '\t') && escape::is_hostile(c);
            assert!(!copied.contains(is_bad), "{hostile:?}: {copied:?}");
            let parsed = parse(&text);
            for options in [PrintOptions::SHORT, PrintOptions::LONG] {
                let printed = parsed.module.text(options);
                assert!(!printed.contains(is_bad), "{hostile:?} {text:?}: {printed:?}");
                if parsed.error().is_none() {
                    let again = parse(&printed);
                    assert!(again.error().is_none(), "{printed}: {:?}", again.diagnostics);
                    assert_eq!(again.module.text(options), printed, "{text:?}");
                    assert_eq!(parse(&copied).module.text(options), printed, "{text:?}");
                }
            }
            for diagnostic in &parsed.diagnostics {
                let rendered = diagnostic.render(&text, Tongue::ENGLISH);
                assert!(!rendered.contains(is_bad), "{hostile:?}: {rendered:?}");
            }
        }
    }
}

#[test]
fn no_foreign_text_becomes_markup_of_a_picture() {
    for hostile in HOSTILE.iter().chain(&["<", ">", "&", "]]>", "--", "<!--"]) {
        let text = format!("a{hostile}</text><script>{CODE}</script>");
        let mut scene = Scene::new(10.0, 10.0);
        scene.label((1.0, 1.0), text.clone(), 10.0, Anchor::Start, Ink::Strong);
        let written = svg(&scene, &Theme::light(), &text, &text);
        assert!(!written.contains("<script"), "{written}");
        assert!(!written.contains(|c: char| c != '\n' && escape::is_hostile(c)), "{hostile:?}: {written:?}");
        let document = roxmltree::Document::parse(&written).unwrap();
        let texts = document.descendants().filter(roxmltree::Node::is_text).filter_map(|node| node.text());
        assert_eq!(
            texts.filter(|text| text.contains("</text><script>")).count(),
            3,
            "{hostile:?}: {written}"
        );
    }
}

#[test]
fn a_module_name_declares_no_encoding_of_a_python_program() {
    for name in ["coding:utf-7", "x.coding=utf_16", "vim:set_fileencoding=latin-1"] {
        let builder = xla_playground::hlo::builder::ComputationBuilder::new(name);
        builder.constant_r0(1.0_f32).unwrap();
        let module = builder.build().unwrap();
        let program = export(&module, &[], Language::NumPy, Edition::Current).unwrap().text;
        assert_eq!(program.lines().next(), Some("# -*- coding: utf-8 -*-"), "{program}");
    }
}
