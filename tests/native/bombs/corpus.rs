//! Links of at most a kilobyte that each request much work from the page that opens it.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Maximum number of characters of a link of the corpus.
pub const MAX_LINK_CHARS: usize = 1_000;

/// A link and its purpose.
pub struct Bomb {
    /// What it attempts.
    pub name: &'static str,
    /// The fragment of the URL, without `#`.
    pub link: String,
}

/// A compressed link of any density.
fn packed(version: &str, plain: &str) -> String {
    let zlib = miniz_oxide::deflate::compress_to_vec_zlib(plain.as_bytes(), 9);
    format!("{version}z/{}", URL_SAFE_NO_PAD.encode(zlib))
}

fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace(';', "%3B")
}

/// A link of the Ops screen: the body of an entry computation after other computations.
fn ops(computations: &str, entry: &str, fields: &str) -> String {
    let text = format!("HloModule m\n{computations}\nENTRY e {{\n{entry}\n}}\n");
    packed("ops1", &format!("{}{fields}", escaped(&text)))
}

/// `count` lines, each generated from its number.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().concat()
}

/// A computation of two scalars.
const ADD: &str = "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }";

fn wide() -> Vec<Bomb> {
    let often = |count: usize| vec!["p"; count].join(",");
    let own = |count: usize| lines(count, |i| format!("p{i} = f32[1] parameter({i})\n"));
    let names = |count: usize| (0..count).map(|i| format!("p{i}")).collect::<Vec<_>>().join(",");
    let pairs = lines(22, |i| format!("t{} = tuple(t{i}, t{i})\n", i + 1));
    let double = lines(40, |i| format!("t{} = concatenate(t{i}, t{i}), dimensions={{0}}\n", i + 1));
    vec![
        Bomb {
            name: "a concatenation of thousands of operands",
            link: ops(
                "",
                &format!(
                    "p = f32[1] parameter(0)\nROOT c = concatenate({}), dimensions={{0}}",
                    often(20_000)
                ),
                "",
            ),
        },
        Bomb {
            name: "a tuple of thousands of operands",
            link: ops("", &format!("p = f32[1] parameter(0)\nROOT c = tuple({})", often(20_000)), ""),
        },
        Bomb {
            name: "parameters in a concatenation",
            link: ops("", &format!("{}ROOT c = concatenate({}), dimensions={{0}}", own(90), names(90)), ""),
        },
        Bomb {
            name: "tuples of tuples",
            link: ops("", &format!("t0 = f32[] parameter(0)\n{pairs}ROOT r = tuple(t22, t22)"), ""),
        },
        Bomb {
            name: "a size that doubles",
            link: ops("", &format!("t0 = f32[2] parameter(0)\n{double}ROOT r = negate(t40)"), ""),
        },
        Bomb {
            name: "thousands of lines of one name",
            link: ops(
                "",
                &format!("x = f32[2] parameter(0)\n{}ROOT r = negate(x)", "x = negate(x)\n".repeat(2_400)),
                "",
            ),
        },
        Bomb {
            name: "hundreds of lines",
            link: ops(
                "",
                &format!(
                    "x0 = f32[2] parameter(0)\n{}ROOT r = negate(x150)",
                    lines(150, |i| format!("x{} = negate(x{i})\n", i + 1))
                ),
                "",
            ),
        },
        Bomb { name: "thousands of unknown ops", link: ops("", &"x = f32[2] negatx(y)\n".repeat(2_400), "") },
        Bomb {
            name: "a shape that follows nowhere",
            link: ops(
                "",
                &format!(
                    "x0 = f32[3] parameter(0)\n{}ROOT r = f32[2] add(x0, x99)",
                    lines(99, |i| format!("x{} = f32[2] negate(x{i})\n", i + 1))
                ),
                "",
            ),
        },
    ]
}

fn deep() -> Vec<Bomb> {
    let calls = lines(40, |i| {
        format!(
            "c{} {{ p = f32[] parameter(0) q = call(p), to_apply=c{i} ROOT r = call(q), to_apply=c{i} }}\n",
            i + 1
        )
    });
    let round = |condition: &str, body: &str| {
        format!(
            "x = s32[] parameter(0) ROOT w = while(x), condition={{ a = s32[] parameter(0) {condition} }},
             body={{ b = s32[] parameter(0) {body} }}"
        )
    };
    let for_ever = "ROOT c = pred[] constant(true)";
    let nest = (0..30).fold("ROOT n = negate(b)".to_owned(), |body, _| {
        format!("ROOT w = while(b), condition={{ a = s32[] parameter(0) {for_ever} }}, body={{ b = s32[] parameter(0) {body} }}")
    });
    let map = (0..200).fold("ROOT n = negate(a)".to_owned(), |body, _| {
        format!("ROOT m = f32[] map(a), dimensions={{}}, to_apply={{ a = f32[] parameter(0) {body} }}")
    });
    vec![
        Bomb {
            name: "calls that double",
            link: ops(
                &format!("c0 {{ p = f32[] parameter(0) ROOT r = negate(p) }}\n{calls}"),
                "p = f32[] parameter(0) ROOT r = call(p), to_apply=c40",
                "",
            ),
        },
        Bomb { name: "an infinite loop", link: ops("", &round(for_ever, "ROOT n = negate(b)"), "") },
        Bomb { name: "loops in loops", link: ops("", &round(for_ever, &nest), "") },
        Bomb {
            name: "computations in computations",
            link: ops(
                "",
                &format!(
                    "x = f32[9] parameter(0) ROOT m = map(x), dimensions={{0}}, to_apply={{ a = f32[] parameter(0) {map} }}"
                ),
                "",
            ),
        },
        Bomb {
            name: "brackets that stay open",
            link: packed("ops1", &format!("HloModule m ENTRY e {{ x = {}", "(".repeat(40_000))),
        },
        Bomb {
            name: "a shape in a shape",
            link: packed(
                "ops1",
                &format!(
                    "HloModule m ENTRY e {{ ROOT x = {}f32[]{} parameter(0) }}",
                    "(".repeat(20_000),
                    ")".repeat(20_000)
                ),
            ),
        },
        Bomb {
            name: "a literal in a literal",
            link: ops("", &format!("ROOT x = f32[2] constant({})", "{".repeat(40_000)), ""),
        },
    ]
}

fn large() -> Vec<Bomb> {
    let one = |name: &'static str, entry: &str| Bomb { name, link: ops(ADD, entry, "") };
    let x = "x = f32[256,256] parameter(0) z = f32[] constant(0)";
    let ones = vec!["1"; 400].join(",");
    vec![
        one("a size without end", "ROOT x = f32[9223372036854775807] parameter(0)"),
        one("a product without end", "ROOT x = f32[2147483647,2147483647,2147483647] parameter(0)"),
        one("a large iota", "ROOT x = f32[1099511627776] iota(), iota_dimension=0"),
        one(
            "a large broadcast",
            "z = f32[] constant(0) ROOT x = f32[65536,65536] broadcast(z), dimensions={}",
        ),
        one(
            "large padding",
            "z = f32[] constant(0) x = f32[2] parameter(0) ROOT p = pad(x, z), padding=1099511627776_1099511627776_1099511627776",
        ),
        one(
            "padding away",
            "z = f32[] constant(0) x = f32[2] parameter(0) ROOT p = pad(x, z), padding=-9223372036854775808_-9223372036854775808_9223372036854775807",
        ),
        one(
            "a large window",
            &format!(
                "{x} ROOT r = reduce-window(x, z), window={{size=255x255 pad=127_127x127_127}}, to_apply=add"
            ),
        ),
        one(
            "a window larger than memory",
            &format!(
                "{x} ROOT r = reduce-window(x, z), window={{size=1000000000x1000000000 pad=999999999_999999999x999999999_999999999}}, to_apply=add"
            ),
        ),
        one(
            "a convolution of large windows",
            "x = f32[1,1,128,128] parameter(0) k = f32[1,1,127,127] parameter(1) ROOT c = convolution(x, k), window={size=127x127 pad=63_63x63_63}, dim_labels=bf01_oi01->bf01",
        ),
        one(
            "a large product",
            "a = f32[1024,1024] parameter(0) ROOT d = dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
        ),
        one("a long reduction", &format!("{x} ROOT r = reduce(x, z), dimensions={{0,1}}, to_apply=add")),
        one(
            "a slow sort",
            "x = f32[16384] parameter(0) ROOT s = sort(x), dimensions={0}, to_apply={ a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = compare(b, a), direction=LT }",
        ),
        one("hundreds of dimensions", &format!("x = f32[{ones}] parameter(0) ROOT n = negate(x)")),
        one(
            "hundreds of dimensions padded",
            &format!(
                "x = f32[{ones}] parameter(0) z = f32[] constant(0) ROOT n = pad(x, z), padding={}",
                vec!["1_1"; 400].join("x")
            ),
        ),
        one("tiles without end", "x = f32[4]{0:T(9223372036854775807)} parameter(0) ROOT n = negate(x)"),
        one(
            "tiles upon tiles",
            &format!("x = f32[4]{{0:{}}} parameter(0) ROOT n = negate(x)", "T(2)(2)".repeat(400)),
        ),
        one(
            "random numbers",
            "a = f32[] constant(0) b = f32[] constant(1) ROOT r = f32[30000] rng(a, b), distribution=rng_normal",
        ),
        one("a transform", "x = c64[32768] parameter(0) ROOT f = fft(x), fft_type=FFT, fft_length={32768}"),
        one(
            "scattered updates",
            "x = f32[4096] parameter(0) i = s32[4096,1] parameter(1) u = f32[4096] parameter(2) ROOT s = scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add",
        ),
    ]
}

fn outside() -> Vec<Bomb> {
    let groups = (0..220).map(|i| i.to_string()).collect::<Vec<_>>().join(",");
    let reduce = |groups: &str| {
        format!(
            "x = f32[4096] parameter(0) ROOT r = f32[4096] all-reduce(x), replica_groups={groups}, to_apply=add"
        )
    };
    let fed =
        "t = token[] after-all() f = (s32[2], token[]) infeed(t) ROOT r = get-tuple-element(f), index=0";
    let loops = "x = s32[] parameter(0) ROOT w = while(x), condition={ a = s32[] parameter(0) ROOT c = pred[] constant(true) }, body={ b = s32[] parameter(0) ROOT n = s32[] all-reduce(b), replica_groups={}, to_apply={ a = s32[] parameter(0) d = s32[] parameter(1) ROOT s = add(a, d) } }";
    vec![
        Bomb { name: "replicas", link: ops(ADD, &reduce("{}"), ";replicas=8") },
        Bomb {
            name: "one large group of replicas",
            link: ops(ADD, &reduce(&format!("{{{{{groups}}}}}")), ";replicas=8"),
        },
        Bomb {
            name: "a group a replica",
            link: ops(ADD, &reduce(&format!("{{{}}}", vec!["{0}"; 4_096].join(","))), ";replicas=8"),
        },
        Bomb { name: "replicas without end", link: ops("", loops, ";replicas=8") },
        Bomb {
            name: "large values of replicas",
            link: ops(
                ADD,
                "x = f32[268435456] parameter(0) ROOT r = f32[268435456] all-reduce(x), replica_groups={}, to_apply=add",
                ";replicas=8",
            ),
        },
        Bomb { name: "a long queue", link: ops("", fed, &";feed={1,2}".repeat(256)) },
        Bomb { name: "an unreadable queue", link: ops("", fed, &";feed={x,x}".repeat(256)) },
        Bomb {
            name: "a function that never returns",
            link: ops(
                "",
                "x = f32[2] parameter(0) ROOT c = f32[2] custom-call(x), custom_call_target=\"f\"",
                ";js=1.fwhile(true){}",
            ),
        },
    ]
}

fn fields() -> Vec<Bomb> {
    let x = "x = f32[30000] parameter(0) ROOT n = negate(x)";
    let typed = |number: &str, count: usize| format!(";v0=typed.{}", vec![number; count].join(","));
    let plain = "HloModule m ENTRY e { ROOT x = f32[2,2] parameter(0) }";
    vec![
        Bomb { name: "many typed values", link: ops("", x, &typed("1", 30_000)) },
        Bomb { name: "many typed mistakes", link: ops("", x, &typed("x", 30_000)) },
        Bomb {
            name: "brackets among values",
            link: ops("", x, &format!(";v0=typed.{}", "{".repeat(60_000))),
        },
        Bomb {
            name: "long names",
            link: ops(
                "",
                &format!("{0} = f32[2] parameter(0) ROOT n = negate({0})", "n".repeat(8_000)),
                &format!(";focus={}", "n".repeat(8_000)),
            ),
        },
        Bomb {
            name: "many computations",
            link: ops(
                &"c { a = f32[] parameter(0) ROOT n = negate(a) }\n".repeat(1_200),
                "ROOT x = f32[2] parameter(0)",
                "",
            ),
        },
        Bomb {
            name: "positions out of range",
            link: format!(
                "ops1/{plain};focus=nobody;i=18446744073709551615;at=9223372036854775807;seed=18446744073709551615"
            ),
        },
        Bomb {
            name: "many fields that mean nothing",
            link: packed("ops1", &format!("{plain}{}", ";nothing=nothing".repeat(4_000))),
        },
        Bomb {
            name: "many values of parameters that are not there",
            link: packed("ops1", &format!("{plain}{}", lines(90, |i| format!(";v{}=random.1", i + 900)))),
        },
        Bomb {
            name: "more than it may unpack to",
            link: packed("ops1", &format!("HloModule m {}", " ".repeat(600_000))),
        },
        Bomb {
            name: "a literal that is long",
            link: ops("", &format!("ROOT x = f32[15000] constant({{{}}})", vec!["1"; 15_000].join(",")), ""),
        },
        Bomb {
            name: "a long line",
            link: ops("", &format!("ROOT x = f32[2] negate({})", "x".repeat(30_000)), ""),
        },
    ]
}

/// The links of the Ops screen.
pub fn of_ops() -> Vec<Bomb> {
    [wide(), deep(), large(), outside(), fields()].into_iter().flatten().collect()
}

/// The links of the Layout screen.
pub fn of_layout() -> Vec<Bomb> {
    let plain = |name: &'static str, link: &str| Bomb { name, link: format!("v1/{link}") };
    let pins = (0..220).map(|i| i.to_string()).collect::<Vec<_>>().join(".");
    let wide = vec!["f32[2]"; 3_500].join(",");
    vec![
        plain("a tile without end", "f32[4]{0:T(9223372036854775807)}"),
        plain("tiles without end", "f32[4,4]{1,0:T(2147483647,2147483647)(2147483647,2147483647)}"),
        plain("nothing in it", "f32[0]{0}"),
        plain("nothing in a dimension", "f32[5,0,3]{2,1,0};with={0,1,2};axes=1.2;pos=0.0.9"),
        plain("as large as may be", "f32[8192,8192]{1,0};v=iota;by=value"),
        plain("two large layouts", "f32[4096,4096]{1,0};with={0,1:T(8,128)};by=value;v=random.1"),
        plain("a long line of cells", "u8[67108864]{0};at=67108863"),
        plain("a long line of tiles", "u8[67108864]{0:T(1024)};at=67108863"),
        plain("a long column", "u8[33554432,2]{1,0};at=3"),
        plain(
            "positions out of range",
            "f32[2,2,2,2,2,2]{5,4,3,2,1,0};pos=9223372036854775807.1.1.1.1.1;axes=99.98;at=-1",
        ),
        plain("many pins", &format!("f32[64,64]{{1,0}};pins={pins}")),
        plain("tiles upon tiles", &format!("f32[4]{{0:{}}}", "T(2)(2)".repeat(100))),
        plain("hundreds of dimensions", &format!("f32[{}]", vec!["1"; 400].join(","))),
        plain("a tuple in a tuple", &format!("{}f32[]{}", "(".repeat(400), ")".repeat(400))),
        Bomb { name: "a wide tuple", link: packed("v1", &format!("({wide})")) },
        Bomb {
            name: "a deep tuple",
            link: packed("v1", &format!("{}f32[]{}", "(".repeat(20_000), ")".repeat(20_000))),
        },
        Bomb {
            name: "many typed values",
            link: packed("v1", &format!("f32[20000]{{0}};by=value;v=typed.{}", vec!["1"; 20_000].join(","))),
        },
        Bomb {
            name: "many typed mistakes",
            link: packed("v1", &format!("f32[20000]{{0}};v=typed.{}", vec!["x"; 20_000].join(","))),
        },
        Bomb {
            name: "pins without end",
            link: packed("v1", &format!("f32[4096]{{0}};pins={}", "1.2.3.".repeat(8_000))),
        },
        Bomb {
            name: "many fields",
            link: packed(
                "v1",
                &format!("f32[2]{{0}};v=typed.{}{}", "1".repeat(20_000), ";x=y".repeat(8_000)),
            ),
        },
        Bomb { name: "a long mistake", link: packed("v1", &"x".repeat(60_000)) },
        Bomb {
            name: "more than it may unpack to",
            link: packed("v1", &format!("f32[2]{{0}};v=typed.{}", "1 ".repeat(300_000))),
        },
    ]
}

/// The links of the Speed screen.
pub fn of_speed() -> Vec<Bomb> {
    let plain = |name: &'static str, link: &str| Bomb { name, link: format!("speed1/{link}") };
    vec![
        plain("a large product", "dot/1000000000x1000000000x1000000000"),
        plain("a size without end", "add/18446744073709551615"),
        plain("as many dimensions as may be", &format!("add/{}", vec!["9"; 400].join("x"))),
        plain("a reduction over nothing", "reduce-sum/0x0x0/over=0.1.2/sizes"),
        plain("a transpose of much", "transpose/65536x65536/to=1.0/layouts"),
        plain("many parts", &format!("dot/1x1x1/{}", "x/".repeat(450))),
    ]
}
