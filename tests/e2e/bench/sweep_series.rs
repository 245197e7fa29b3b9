//! The series of the sweep: each varies one property.

use xla_playground::kernels::task::{Array, Binary, Reducer, Unary};
use xla_playground::kernels::{Task, Type, choose};

use crate::cases::{
    Case, WindowParams, array, batched, binary, convert, convolution, dot, gather, laid_out, pool, reduce,
    softmax, sort, transpose, unary, unpool,
};

/// The cases that a case is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    /// The previous and the next case.
    Neighbours,
    /// The fastest case of the series.
    Fastest,
    /// The `f32` case, scaled by the width of the elements.
    F32,
}

/// Cases that are compared with each other.
pub struct Series {
    /// The name of the series.
    pub name: String,
    /// The reference of each case.
    pub reference: Reference,
    /// The cases, in order.
    pub cases: Vec<Case>,
}

fn series(name: &str, reference: Reference, cases: impl IntoIterator<Item = Case>) -> Series {
    Series { name: name.to_owned(), reference, cases: cases.into_iter().collect() }
}

/// Numbers of elements, from a few thousand on: for fewer, the overhead of a call dominates.
const COUNTS: [usize; 9] = [4096, 5000, 16_384, 40_000, 65_536, 262_144, 1_000_003, 1_048_576, 4_194_304];

fn by_size(name: &str, task: impl Fn(usize) -> Task) -> Series {
    series(name, Reference::Neighbours, COUNTS.map(|cells| Case::new(format!("{cells}"), task(cells))))
}

/// A type's name.
fn name_of(ty: Type) -> String {
    format!("{ty:?}").to_lowercase()
}

/// A case for each type that a kernel supports.
fn by_type(name: &str, task: impl Fn(Type) -> Task) -> Series {
    let cases = Type::ALL.map(|ty| Case::new(name_of(ty), task(ty)));
    series(name, Reference::F32, cases.into_iter().filter(|case| choose(&case.task).is_some()))
}

/// 262,144 elements in one to six dimensions.
const SHAPES: [&[usize]; 6] =
    [&[262_144], &[512, 512], &[64, 64, 64], &[16, 32, 16, 32], &[12, 12, 12, 12, 13], &[8, 8, 8, 8, 8, 8]];

/// Every permutation of `rank` dimensions.
fn orders(rank: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for d in 0..rank {
        all = all
            .into_iter()
            .flat_map(|order| {
                (0..=d).map(move |at| {
                    let mut order = order.clone();
                    order.insert(at, d);
                    order
                })
            })
            .collect();
    }
    all
}

/// All series of the sweep.
#[allow(clippy::too_many_lines, reason = "a list of series, one of each kind")]
pub fn all_series() -> Vec<Series> {
    let f32 = Type::F32;
    let row = |cells: usize| vec![cells];
    let two =
        |order: &[usize]| -> [Array; 2] { [array(f32, &[512, 512]), laid_out(f32, &[512, 512], order)] };
    let cube = [64, 64, 64];
    let mut all = vec![
        by_size("negate, size", |n| unary(f32, &row(n), Unary::Negate)),
        by_size("exponential, size", |n| unary(f32, &row(n), Unary::Exponential)),
        by_size("tanh, size", |n| unary(f32, &row(n), Unary::Tanh)),
        by_size("add, size", |n| binary([array(f32, &row(n)), array(f32, &row(n))], Binary::Add)),
        by_size("sum, size", |n| reduce(f32, &row(n), &[0], &[0], Reducer::Add)),
        by_size("max, size", |n| reduce(f32, &row(n), &[0], &[0], Reducer::Max)),
        by_size("sort, size", |n| sort(f32, &row(n), 0)),
        by_size("softmax, rows of 64, size", |n| softmax(f32, &[n / 64, 64], 1)),
        by_size("convert to bf16, size", |n| convert(f32, Type::BF16, &row(n))),
        by_type("negate, type", |ty| unary(ty, &[512, 512], Unary::Negate)),
        by_type("exponential, type", |ty| unary(ty, &[512, 512], Unary::Exponential)),
        by_type("add, type", |ty| binary([array(ty, &[512, 512]), array(ty, &[512, 512])], Binary::Add)),
        by_type("multiply, type", |ty| {
            binary([array(ty, &[512, 512]), array(ty, &[512, 512])], Binary::Multiply)
        }),
        by_type("divide, type", |ty| {
            binary([array(ty, &[512, 512]), array(ty, &[512, 512])], Binary::Divide)
        }),
        by_type("maximum, type", |ty| {
            binary([array(ty, &[512, 512]), array(ty, &[512, 512])], Binary::Maximum)
        }),
        by_type("sum of rows, type", |ty| reduce(ty, &[512, 512], &[0, 1], &[1], Reducer::Add)),
        by_type("sum of columns, type", |ty| reduce(ty, &[512, 512], &[0, 1], &[0], Reducer::Add)),
        by_type("max of rows, type", |ty| reduce(ty, &[512, 512], &[0, 1], &[1], Reducer::Max)),
        by_type("dot 128³, type", |ty| dot(ty, [128; 3], [false; 3])),
        by_type("conv 3x3 16→16, type", |ty| {
            convolution(ty, [16, 16, 1], &[28, 28], WindowParams::same(3, 1, 1), &[0, 1, 2, 3])
        }),
        by_type("sum-pool 3x3, type", |ty| pool(ty, &[16, 64, 64], &[1, 3, 3], 1, Reducer::Add)),
        by_type("max-pool 3x3 s2, type", |ty| pool(ty, &[16, 64, 64], &[1, 3, 3], 2, Reducer::Max)),
        by_type("transpose, type", |ty| transpose(ty, &[512, 512], &[1, 0])),
        by_type("sort rows of 512, type", |ty| sort(ty, &[512, 512], 1)),
        by_type("gather rows, type", |ty| gather(ty, [1024, 256, 1024])),
        by_type("gradient of max-pool, type", |ty| unpool(ty, &[16, 64, 64], &[1, 2, 2], 2)),
        by_type("softmax of rows, type", |ty| softmax(ty, &[512, 512], 1)),
        series(
            "negate, rank",
            Reference::Neighbours,
            SHAPES.map(|sizes| Case::new(format!("{sizes:?}"), unary(f32, sizes, Unary::Negate))),
        ),
        series(
            "add, layout of one",
            Reference::Fastest,
            orders(2).iter().map(|order| Case::new(format!("{order:?}"), binary(two(order), Binary::Add))),
        ),
        series(
            "add, layout of one, 3-D",
            Reference::Fastest,
            orders(3).iter().map(|order| {
                Case::new(
                    format!("{order:?}"),
                    binary([array(f32, &cube), laid_out(f32, &cube, order)], Binary::Add),
                )
            }),
        ),
        series(
            "sum over a dimension, layout",
            Reference::Fastest,
            orders(3).iter().flat_map(|order| {
                (0..3).map(move |d| {
                    Case::new(
                        format!("{order:?} over {d}"),
                        reduce(Type::F32, &[64, 64, 64], order, &[d], Reducer::Add),
                    )
                })
            }),
        ),
        series(
            "sum over dimensions, rank",
            Reference::Neighbours,
            SHAPES[1..].iter().map(|sizes| {
                let order: Vec<usize> = (0..sizes.len()).collect();
                Case::new(format!("{sizes:?}"), reduce(f32, sizes, &order, &order[1..], Reducer::Add))
            }),
        ),
        series(
            "sum over the first dimension, rank",
            Reference::Neighbours,
            SHAPES[1..].iter().map(|sizes| {
                let order: Vec<usize> = (0..sizes.len()).collect();
                Case::new(format!("{sizes:?}"), reduce(f32, sizes, &order, &[0], Reducer::Add))
            }),
        ),
        series(
            "sum of short rows",
            Reference::Neighbours,
            [2, 3, 4, 5, 7, 8, 12, 16, 31, 64, 128].map(|k| {
                Case::new(format!("rows of {k}"), reduce(f32, &[262_144 / k, k], &[0, 1], &[1], Reducer::Add))
            }),
        ),
        series(
            "sum of few columns",
            Reference::Neighbours,
            [2, 3, 4, 5, 7, 8, 12, 16, 31, 64, 128].map(|k| {
                Case::new(format!("{k} columns"), reduce(f32, &[262_144 / k, k], &[0, 1], &[0], Reducer::Add))
            }),
        ),
        series(
            "dot n³",
            Reference::Neighbours,
            [16, 24, 32, 33, 64, 65, 100, 127, 128, 129, 200, 255, 256, 257, 384, 511, 512, 513]
                .map(|n| Case::new(format!("{n}³"), dot(f32, [n; 3], [false; 3]))),
        ),
        series(
            "dot m x 512 x 512",
            Reference::Neighbours,
            [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 31, 64]
                .map(|m| Case::new(format!("{m} rows"), dot(f32, [m, 512, 512], [false; 3]))),
        ),
        series(
            "dot 512 x 512 x n",
            Reference::Neighbours,
            [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 31, 64]
                .map(|n| Case::new(format!("{n} columns"), dot(f32, [512, 512, n], [false; 3]))),
        ),
        series(
            "dot 256 x k x 256",
            Reference::Neighbours,
            [1, 2, 3, 4, 8, 16, 33, 64, 255, 256, 257, 1024]
                .map(|k| Case::new(format!("depth {k}"), dot(f32, [256, k, 256], [false; 3]))),
        ),
        series(
            "dot 256³, layouts",
            Reference::Fastest,
            (0..8).map(|bits| {
                let turned = [bits & 1, bits & 2, bits & 4].map(|bit| bit != 0);
                Case::new(format!("turned {turned:?}"), dot(f32, [256; 3], turned))
            }),
        ),
        series(
            "dot 1 x 1024 x 1024, layouts",
            Reference::Fastest,
            (0..4).map(|bits| {
                let turned = [bits & 1 != 0, bits & 2 != 0, false];
                Case::new(format!("turned {turned:?}"), dot(f32, [1, 1024, 1024], turned))
            }),
        ),
        series(
            "many dots n³",
            Reference::Neighbours,
            [2, 3, 4, 6, 8, 12, 16, 24, 32, 64].map(|n| {
                Case::new(
                    format!("{} of {n}³", 2_097_152 / (n * n * n)),
                    batched(f32, 2_097_152 / (n * n * n), [n; 3]),
                )
            }),
        ),
        series(
            "conv 3x3, channels in",
            Reference::Neighbours,
            [1, 2, 3, 4, 5, 8, 16, 17, 32, 64].map(|c| {
                Case::new(
                    format!("{c}→32"),
                    convolution(f32, [c, 32, 1], &[56, 56], WindowParams::same(3, 1, 1), &[0, 1, 2, 3]),
                )
            }),
        ),
        series(
            "conv 3x3, channels out",
            Reference::Neighbours,
            [1, 2, 3, 4, 5, 8, 16, 17, 32, 64].map(|c| {
                Case::new(
                    format!("32→{c}"),
                    convolution(f32, [32, c, 1], &[56, 56], WindowParams::same(3, 1, 1), &[0, 1, 2, 3]),
                )
            }),
        ),
        series(
            "conv, window",
            Reference::Neighbours,
            [1, 2, 3, 4, 5, 7, 9, 11].map(|k| {
                let window = WindowParams { size: k, stride: 1, padding: 0, dilation: 1 };
                Case::new(format!("{k}x{k}"), convolution(f32, [16, 32, 1], &[56, 56], window, &[0, 1, 2, 3]))
            }),
        ),
        series(
            "conv 3x3, stride",
            Reference::Neighbours,
            [1, 2, 3, 4].map(|s| {
                Case::new(
                    format!("stride {s}"),
                    convolution(f32, [32, 32, 1], &[57, 57], WindowParams::same(3, s, 1), &[0, 1, 2, 3]),
                )
            }),
        ),
        series(
            "conv 3x3, dilation",
            Reference::Neighbours,
            [1, 2, 3, 4].map(|d| {
                Case::new(
                    format!("dilation {d}"),
                    convolution(f32, [32, 32, 1], &[56, 56], WindowParams::same(3, 1, d), &[0, 1, 2, 3]),
                )
            }),
        ),
        series(
            "conv 3x3, groups of 64",
            Reference::Neighbours,
            [1, 2, 4, 8, 16, 32, 64].map(|g| {
                Case::new(
                    format!("{g} groups"),
                    convolution(f32, [64, 64, g], &[56, 56], WindowParams::same(3, 1, 1), &[0, 1, 2, 3]),
                )
            }),
        ),
        series(
            "conv 3x3, layouts",
            Reference::Fastest,
            [[0, 1, 2, 3], [0, 2, 3, 1], [2, 3, 0, 1], [3, 2, 1, 0]].map(|order| {
                Case::new(
                    format!("{order:?}"),
                    convolution(f32, [32, 32, 1], &[56, 56], WindowParams::same(3, 1, 1), &order),
                )
            }),
        ),
        series(
            "conv, rank",
            Reference::Neighbours,
            [&[3136][..], &[56, 56], &[14, 14, 16], &[7, 8, 7, 8]].map(|sizes| {
                let order: Vec<usize> = (0..sizes.len() + 2).collect();
                Case::new(
                    format!("{}-D", sizes.len()),
                    convolution(f32, [16, 32, 1], sizes, WindowParams::same(3, 1, 1), &order),
                )
            }),
        ),
        series(
            "max-pool, window",
            Reference::Neighbours,
            [2, 3, 4, 5, 7, 9, 16].map(|k| {
                Case::new(format!("{k}x{k}"), pool(f32, &[16, 128, 128], &[1, k, k], 1, Reducer::Max))
            }),
        ),
        series(
            "max-pool 3x3, stride",
            Reference::Neighbours,
            [1, 2, 3, 4].map(|s| {
                Case::new(format!("stride {s}"), pool(f32, &[16, 128, 128], &[1, 3, 3], s, Reducer::Max))
            }),
        ),
        series(
            "sum-pool, rank",
            Reference::Neighbours,
            SHAPES[..5].iter().map(|sizes| {
                let mut window = vec![3; sizes.len()];
                window[..sizes.len().saturating_sub(2)].fill(1);
                Case::new(format!("{sizes:?}"), pool(f32, sizes, &window, 1, Reducer::Add))
            }),
        ),
        series(
            "running sum along a row",
            Reference::Neighbours,
            [2, 8, 32, 128, 512]
                .map(|k| Case::new(format!("window {k}"), pool(f32, &[256, 1024], &[1, k], 1, Reducer::Add))),
        ),
        series(
            "transpose, rank",
            Reference::Neighbours,
            SHAPES[1..].iter().map(|sizes| {
                let turned: Vec<usize> = (0..sizes.len()).rev().collect();
                Case::new(format!("{sizes:?}"), transpose(f32, sizes, &turned))
            }),
        ),
        series(
            "transpose 3-D, permutation",
            Reference::Fastest,
            orders(3).iter().map(|order| Case::new(format!("{order:?}"), transpose(f32, &cube, order))),
        ),
        series(
            "transpose 4-D, permutation",
            Reference::Fastest,
            orders(4)
                .iter()
                .map(|order| Case::new(format!("{order:?}"), transpose(f32, &[16, 32, 16, 32], order))),
        ),
        series(
            "transpose n²",
            Reference::Neighbours,
            [64, 100, 128, 255, 256, 257, 512, 1000, 1023, 1024, 1025, 2048]
                .map(|n| Case::new(format!("{n}²"), transpose(f32, &[n, n], &[1, 0]))),
        ),
        series(
            "transpose of thin matrices",
            Reference::Neighbours,
            [1, 2, 3, 4, 5, 8, 13, 16, 32]
                .map(|n| Case::new(format!("{n} rows"), transpose(f32, &[n, 262_144 / n], &[1, 0]))),
        ),
        series(
            "sort, dimension",
            Reference::Fastest,
            [0, 1, 2].map(|d| Case::new(format!("along {d}"), sort(f32, &cube, d))),
        ),
        series(
            "sort, length of rows",
            Reference::Neighbours,
            [4, 16, 64, 256, 1024, 4096, 65_536]
                .map(|k| Case::new(format!("rows of {k}"), sort(f32, &[262_144 / k, k], 1))),
        ),
        series(
            "softmax, dimension",
            Reference::Fastest,
            [0, 1, 2].map(|d| Case::new(format!("along {d}"), softmax(f32, &cube, d))),
        ),
        series(
            "softmax, length of rows",
            Reference::Neighbours,
            [2, 4, 7, 16, 64, 256, 1024, 4096]
                .map(|k| Case::new(format!("rows of {k}"), softmax(f32, &[262_144 / k, k], 1))),
        ),
        series(
            "gather, columns",
            Reference::Neighbours,
            [1, 2, 3, 4, 8, 16, 64, 256]
                .map(|k| Case::new(format!("rows of {k}"), gather(f32, [4096, k, 262_144 / k]))),
        ),
        series(
            "gradient of max-pool, window",
            Reference::Neighbours,
            [2, 3, 4].map(|k| Case::new(format!("{k}x{k}"), unpool(f32, &[16, 128, 128], &[1, k, k], k))),
        ),
        series(
            "functions",
            Reference::Fastest,
            Unary::ALL
                .iter()
                .filter(|f| {
                    !matches!(
                        f,
                        Unary::Not | Unary::IsFinite | Unary::PopulationCount | Unary::CountLeadingZeros
                    )
                })
                .map(|f| Case::new(format!("{f:?}"), unary(f32, &[512, 512], *f))),
        ),
    ];
    for from in [f32, Type::F64, Type::S32, Type::BF16, Type::F16, Type::S8] {
        all.push(by_type(&format!("convert from {}", name_of(from)), |to| convert(from, to, &[512, 512])));
    }
    all
}

/// A million elements each, which must take less than a second.
pub fn slow_ones() -> [Case; 4] {
    let sizes = [8, 8, 16, 8, 8, 16];
    [
        Case::new("rank-6 transpose", transpose(Type::F32, &sizes, &[5, 3, 1, 4, 2, 0])),
        Case::new("s64 dot 256³", dot(Type::S64, [256; 3], [false; 3])),
        Case::new(
            "f16 conv 3x3 16→16, 256²",
            convolution(Type::F16, [16, 16, 1], &[256, 256], WindowParams::same(3, 1, 1), &[0, 1, 2, 3]),
        ),
        Case::new(
            "5-D reduce-window",
            pool(Type::F32, &[16, 16, 16, 16, 16], &[2, 2, 2, 2, 2], 1, Reducer::Add),
        ),
    ]
}
