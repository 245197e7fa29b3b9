//! A large program for tests and benchmarks.

use std::fmt::Write as _;

/// A program of `count` instructions in layers, with fusions between them.
pub fn layers(count: usize) -> String {
    let mut text = String::from(
        "HloModule layers, is_scheduled=true\n\nf {\n  p = f32[64,64]{1,0} parameter(0)\n  ROOT t = f32[64,64]{1,0} tanh(p)\n}\n\nENTRY main {\n  x0 = f32[64,64]{1,0} parameter(0)\n",
    );
    for number in 1..count {
        let root = if number + 1 == count { "ROOT " } else { "" };
        let (before, other) = (number - 1, number.saturating_sub(7));
        let op = if number % 10 == 0 {
            format!("fusion(x{before}), kind=kLoop, calls=f")
        } else {
            format!("add(x{before}, x{other})")
        };
        let metadata = "metadata={op_name=\"jit(layers)/add\" source_file=\"layers.py\" source_line=7}";
        let _ = writeln!(text, "  {root}x{number} = f32[64,64]{{1,0}} {op}, {metadata}");
    }
    text.push_str("}\n");
    text
}
