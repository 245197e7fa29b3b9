//! Texts that are large to parse, check, run or draw: every one is some kilobytes long and requests far more work.
//! Each is a class of possible attacks.

use std::fmt::Write as _;

use test_support::Random;

/// The longest list of a class.
const MAX_LIST: usize = 5_000;

fn joined(count: usize, mut part: impl FnMut(usize) -> String) -> String {
    let parts: Vec<String> = (0..count).map(&mut part).collect();
    parts.join(", ")
}

/// `count` lines.
fn lines(count: usize, line: impl FnMut(usize) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().concat()
}

/// Sizes from zero to the largest number.
fn size(random: &mut Random) -> &'static str {
    random.pick(&[
        "0",
        "1",
        "2",
        "3",
        "7",
        "64",
        "4096",
        "65536",
        "2147483647",
        "4611686018427387904",
        "9223372036854775807",
    ])
}

/// A shape of extreme layout, rank, nesting or sizes.
pub fn shape(random: &mut Random) -> String {
    let kind = random.pick(&["f32", "pred", "s4", "c128", "f8e4m3fn", "token", "u64"]);
    let count = random.count(MAX_LIST);
    match random.below(7) {
        0 => format!("{kind}[{0},{0}]{{1,0:T({0},2){1}}}", size(random), "(2,1)".repeat(count)),
        1 => format!(
            "{kind}[16,16]{{1,0:T{}}}",
            joined(count, |i| format!("({},{})", 1 + i % 3, 1 + i % 2)).replace(", ", "")
        ),
        2 => {
            let rank = random.count(400);
            let (sizes, order) = (joined(rank, |_| size(random).to_owned()), joined(rank, |i| i.to_string()));
            format!("{kind}[{}]{{{}}}", sizes.replace(' ', ""), order.replace(' ', ""))
        }
        3 => format!("{}{kind}[2]{}", "(".repeat(count), ")".repeat(count)),
        4 => format!("({})", joined(count, |i| format!("{kind}[{}]{{0}}", i % 3))),
        5 => format!("{kind}[{0},{1}] padded[{1},{2}]=zero", size(random), size(random), size(random)),
        _ => format!("{kind}[<={0},{1}]{{1,0:T({2},{0})E({1})}}", size(random), size(random), size(random)),
    }
}

/// A literal of extreme nesting, length or numbers.
pub fn literal(random: &mut Random) -> String {
    let count = random.count(MAX_LIST);
    match random.below(6) {
        0 => format!("f32[{count}] {{{}}}", joined(count, |i| i.to_string())),
        1 => format!("f32[2] {}1{}", "{".repeat(count), "}".repeat(count)),
        2 => format!("({}) ({})", joined(count, |_| "f32[]".to_owned()), joined(count, |i| i.to_string())),
        3 => format!("f64[] {}{}e{}", size(random), "9".repeat(count), size(random)),
        4 => format!("f32[{},{}] {{...}}", size(random), size(random)),
        _ => {
            let sizes = vec!["1"; count.min(600)].join(",");
            format!("pred[{sizes}] {}true{}", "{ ".repeat(count.min(600)), " }".repeat(count.min(600)))
        }
    }
}

/// A module that doubles, loops, nests or widens.
pub fn module(random: &mut Random) -> String {
    let mut out = "HloModule m\n".to_owned();
    let count = random.count(MAX_LIST);
    let few = random.count(64);
    // Writing to a string cannot fail.
    let _ = match random.below(10) {
        0 => {
            // Each is the previous one twice; no shape is written.
            let chain = lines(few, |i| format!("t{} = tuple(t{i}, t{i})\n", i + 1));
            write!(
                out,
                "ENTRY e {{\nt0 = f32[] parameter(0)\n{chain}ROOT r = get-tuple-element(t{few}), index=0\n}}"
            )
        }
        1 => {
            let op = random.pick(&["tuple", "concatenate", "add", "sort", "add-dependency"]);
            let operands = joined(count, |i| format!("p{}", i % few));
            let parameters = lines(few, |i| format!("p{i} = f32[2] parameter({i})\n"));
            write!(out, "ENTRY e {{\n{parameters}ROOT r = {op}({operands}), dimensions={{0}}\n}}")
        }
        2 => {
            // A call graph in which each computation calls the previous one twice.
            let mut body = "c0 { p = f32[] parameter(0) ROOT r = negate(p) }\n".to_owned();
            for i in 1..=few {
                let _ = writeln!(
                    body,
                    "c{i} {{ p = f32[] parameter(0) a = call(p), to_apply=c{0} ROOT r = call(a), to_apply=c{0} }}",
                    i - 1
                );
            }
            write!(out, "{body}ENTRY e {{ p = f32[] parameter(0) ROOT r = call(p), to_apply=c{few} }}")
        }
        3 => {
            let forever = random.pick(&["constant(true)", "compare(p, p), direction=EQ"]);
            let grown = random.pick(&["negate(p)", "add(p, p)", "copy(p)"]);
            write!(
                out,
                "c {{ p = f32[] parameter(0) ROOT r = pred[] {forever} }}\nb {{ p = f32[] parameter(0) ROOT r = {grown} }}\n\
                 ENTRY e {{ p = f32[] parameter(0) ROOT w = while(p), condition=c, body=b }}"
            )
        }
        4 => {
            let dims = [size(random), size(random), size(random)];
            write!(
                out,
                "ENTRY e {{ p = f32[] parameter(0) b = f32[{0},{1}] broadcast(p), dimensions={{}} ROOT r = f32[{0},{1},{2}] \
                 broadcast(b), dimensions={{0,1}} }}",
                dims[0], dims[1], dims[2]
            )
        }
        5 => write!(out, "ENTRY e {{ {} ROOT r = negate({0}) }}", "x".repeat(count * 20)),
        6 => {
            let chain = lines(count, |i| format!("x{} = negate(x{i})\n", i + 1));
            write!(out, "ENTRY e {{\nx0 = f32[3] parameter(0)\n{chain}ROOT r = copy(x{count})\n}}")
        }
        7 => {
            let nested = random.count(300);
            let (open, close) = (
                "ROOT r = f32[] call(p), to_apply={ p = f32[] parameter(0) ".repeat(nested),
                " }".repeat(nested),
            );
            write!(out, "ENTRY e {{ p = f32[] parameter(0) {open} ROOT n = f32[] negate(p) {close} }}")
        }
        8 => {
            let escapes =
                random.pick(&["\\\"", "\\\\", "\\n", "\\x41", "\\u0041", "\\", "\u{202e}", "\\000"]);
            write!(
                out,
                "ENTRY e {{ ROOT p = f32[] parameter(0), metadata={{op_name=\"{}\"}} }}",
                escapes.repeat(count)
            )
        }
        _ => {
            let (a, b, window) = (size(random), size(random), size(random));
            write!(
                out,
                "m {{ a = f32[] parameter(0) b = f32[] parameter(1) ROOT m = maximum(a, b) }}\nENTRY e {{ p = f32[8,8] \
                 parameter(0) c = f32[] constant(0) ROOT r = reduce-window(p, c), window={{size={a}x{b} stride={window}x1 \
                 pad={window}_{a}x{b}_0 lhs_dilate={a}x{window} rhs_dilate=1x{b}}}, to_apply=m }}"
            )
        }
    };
    out
}
