use super::*;

/// Characters that some consumer treats as a line terminator, or that change how a line is displayed.
const HOSTILE: &str = "\0\u{1}\n\r\u{b}\u{c}\u{1b}\u{1c}\u{1d}\u{1e}\u{7f}\u{85}\u{9b}\u{ad}\u{61c}\u{200b}\u{200e}\u{200f}\
    \u{2028}\u{2029}\u{202a}\u{202e}\u{2066}\u{2069}\u{feff}\u{ffff}\u{e0041}";

#[test]
fn no_escape_function_emits_hostile_characters() {
    let text = format!("a{HOSTILE}b");
    let written = [
        comment(&text),
        python_string(&text),
        rust_string(&text),
        byte_literal(text.as_bytes()),
        xml(&text),
        markdown(&text),
        tex(&text),
        argument(&text),
        c::escape(text.as_bytes()),
    ];
    for out in written {
        assert!(!out.chars().any(is_hostile), "{out:?}");
        assert!(out.contains('a') && out.contains('b'), "{out:?}");
    }
    for c in HOSTILE.chars() {
        assert!(is_hostile(c) && !is_hostile(displayable(c)), "{c:?}");
    }
    assert!(!"aé维😀 ~".chars().any(is_hostile));
    assert_eq!(displayable('\t'), '\t');
}

#[test]
fn escaped_text_cannot_break_out_of_its_context() {
    assert_eq!(xml("</title><script>\"'&"), "&lt;/title&gt;&lt;script&gt;&quot;&#39;&amp;");
    assert_eq!(python_string("\\\""), r#""\\\"""#);
    assert_eq!(byte_literal(b"\"\\\xff\n"), r#"b"\"\\\xff\n""#);
    assert_eq!(tex("a_b{1}%\\"), "a\\_b\\{1\\}\\%\\textbackslash{}");
    assert_eq!(markdown("a|b\n|c`d`<i>"), "a\\|b \\|c\\`d\\`\\<i\\>");
    assert_eq!(markdown("![x](javascript:1)"), "![x\\](javascript:1)");
    assert_eq!(markdown("f32[2,3]{1,0}"), "f32[2,3]{1,0}");
    assert_eq!(comment("a\r\n \t\n b\tc"), "a b c");
}

#[test]
fn arguments_of_messages_are_short_and_on_one_line() {
    assert_eq!(argument("plain"), "plain");
    assert_eq!(argument("a\n  b\u{1b}[31m"), "a b\u{fffd}[31m");
    let long = argument(&"é\n".repeat(1 << 20));
    assert!(
        long.chars().count() <= MAX_ARGUMENT_CHARS + 1 && long.contains('…') && !long.contains('\n'),
        "{long}"
    );
    let wide = "维".repeat(MAX_ARGUMENT_CHARS);
    assert_eq!(argument(&wide), wide);
}

#[test]
fn the_middle_of_many_names_is_left_out() {
    let names = |count: usize| (0..count).map(|number| format!("a{number}")).collect::<Vec<_>>();
    assert_eq!(name_list(&[]), "");
    assert_eq!(name_list(&names(8)), "a0, a1, a2, a3, a4, a5, a6, a7");
    assert_eq!(name_list(&names(103)), "a0, a1, a2, a3, a4, a5, a6, …, a102 (103)");
}
