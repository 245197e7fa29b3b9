//! Random windows: sizes, cells, values and provenance against an oracle that builds the dilated and padded base area and
//! slides the window over it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::Config;
use xla_array::{ArrayLiteral, ArrayShape, Edition, ElementType, Literal, Value};
use xla_hlo::{Evaluator, Module, parse};
use xla_ops::attrs::{AttrValue, WindowDim};
use xla_ops::window::Axis;
use xla_ops::{CellAt, Role, Source};

/// A size, and a window over a dimension of that size.
fn axis(may_reverse: bool) -> impl Strategy<Value = (i64, WindowDim)> {
    let mostly_one = || prop_oneof![3 => Just(1_i64), 1 => 2_i64..=4];
    let numbers =
        (prop_oneof![1 => Just(0_i64), 9 => 1_i64..=4], 1_i64..=3, mostly_one(), mostly_one(), mostly_one());
    (numbers, -2_i64..=3, -2_i64..=3, any::<bool>()).prop_map(
        move |(numbers, pad_low, pad_high, reversal)| {
            let (elements, size, stride, base_dilation, window_dilation) = numbers;
            let reversal = reversal && may_reverse;
            (
                elements,
                WindowDim { size, stride, pad_low, pad_high, base_dilation, window_dilation, reversal },
            )
        },
    )
}

/// The dilated and padded base area, with the element at each position, or `None` for padding. `None` if more is cropped than
/// exists.
fn base_area(elements: i64, dim: &WindowDim) -> Option<Vec<Option<i64>>> {
    let mut area = Vec::new();
    for x in 0..elements {
        if x > 0 {
            area.extend((1..dim.base_dilation).map(|_| None));
        }
        area.push(Some(x));
    }
    let count = |n: i64| usize::try_from(n.max(0)).unwrap();
    area.extend(vec![None; count(dim.pad_high)]);
    let mut area = [vec![None; count(dim.pad_low)], area].concat();
    let (cropped_low, cropped_high) = (count(-dim.pad_low), count(-dim.pad_high));
    area.truncate(area.len().checked_sub(cropped_high)?);
    (cropped_low <= area.len()).then(|| area.split_off(cropped_low))
}

/// The cells of every window: the element in each, or `None` for padding.
fn windows(elements: i64, dim: &WindowDim) -> Option<Vec<Vec<Option<i64>>>> {
    let area = base_area(elements, dim)?;
    let mut windows = Vec::new();
    for start in (0..area.len()).step_by(usize::try_from(dim.stride).unwrap()) {
        let positions = (0..dim.size).map(|k| start + usize::try_from(k * dim.window_dilation).unwrap());
        let cells: Option<Vec<_>> = positions.map(|position| area.get(position).copied()).collect();
        windows.extend(cells);
    }
    Some(windows)
}

proptest! {
    #![proptest_config(Config { cases: 2000, ..Config::default() })]

    #[test]
    fn sizes_and_cells_match_the_oracle((elements, dim) in axis(true)) {
        let found = Axis::new(elements, dim, Edition::Current);
        let Some(built) = windows(elements, &dim) else {
            prop_assert_eq!(found, None);
            return Ok(());
        };
        let found = found.unwrap();
        prop_assert_eq!(found.window_count(), i64::try_from(built.len()).unwrap());
        for (y, cells) in (0..).zip(&built) {
            let mut expected = Vec::new();
            for (window_index, element) in (0..).zip(cells) {
                prop_assert_eq!(found.base_index(y, window_index), *element);
                let cell = if dim.reversal { dim.size - 1 - window_index } else { window_index };
                expected.extend(element.map(|x| (cell, x)));
            }
            let solved: Vec<_> = found.elements(y).iter().map(|element| (element.window_index, element.base_index)).collect();
            prop_assert_eq!(solved, expected);
        }
        for x in 0..elements {
            let covering: Vec<i64> = (0..).zip(&built).filter(|(_, cells)| cells.contains(&Some(x))).map(|(y, _)| y).collect();
            prop_assert_eq!(found.windows_covering(x).to_vec(), covering);
        }
    }
}

/// Every index of an array, row-major.
fn indices(sizes: &[i64]) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for size in sizes {
        all = all.iter().flat_map(|i| (0..*size).map(move |e| [i.as_slice(), &[e]].concat())).collect();
    }
    all
}

fn joined(numbers: &[i64]) -> String {
    numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
}

fn text(window: &[WindowDim]) -> String {
    AttrValue::Window(window.iter().copied().collect()).to_string()
}

/// An `s32` array of small numbers without short periods.
fn numbers(sizes: &[i64], seed: i64) -> Literal {
    let count = sizes.iter().product::<i64>();
    let values = (0..count).map(|i| Value::Int((i * 7 + seed) * 31 % 23 - 11));
    ArrayLiteral::from_values(ArrayShape::new(ElementType::S32, sizes.iter().copied()), values)
        .unwrap()
        .into()
}

fn at(literal: &Literal, index: &[i64]) -> i64 {
    let Some(Value::Int(n)) = literal.as_array().unwrap().get(index) else { panic!("no {index:?}") };
    n
}

fn sizes_of(literal: &Literal) -> Vec<i64> {
    literal.as_array().unwrap().shape().dimensions.to_vec()
}

/// The result, and the sources of each of its cells in row-major order.
fn run(module: &Module, arguments: &[Literal]) -> (Literal, Vec<Vec<Source>>) {
    let mut evaluator = Evaluator::new(module);
    let outcome = evaluator.run_with_values(arguments).unwrap();
    let mut tracer = evaluator.tracer(&outcome);
    let root = module.entry_computation().unwrap().root.unwrap();
    let result = outcome.values.get(root).unwrap().to_literal();
    let sources = indices(&sizes_of(&result))
        .iter()
        .map(|index| tracer.sources(root, &CellAt::array(index)).unwrap())
        .collect();
    (result, sources)
}

const ADD: &str = "add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = add(a, b) }";

/// A valid window over some dimensions, with their sizes.
fn window(
    ranks: std::ops::RangeInclusive<usize>,
    may_reverse: bool,
) -> impl Strategy<Value = (Vec<i64>, Vec<WindowDim>)> {
    vec(axis(may_reverse), ranks)
        .prop_filter("cropped too much", |axes| axes.iter().all(|(n, dim)| base_area(*n, dim).is_some()))
        .prop_map(|axes| axes.into_iter().unzip())
}

/// The windows of each dimension.
fn windows_by_dim(sizes: &[i64], dims: &[WindowDim]) -> Vec<Vec<Vec<Option<i64>>>> {
    sizes.iter().zip(dims).map(|(n, dim)| windows(*n, dim).unwrap()).collect()
}

/// The elements of one window of several dimensions, row-major, each after its cell of the window.
fn elements(built: &[Vec<Vec<Option<i64>>>], window: &[i64]) -> Vec<(Vec<i64>, Vec<i64>)> {
    let lines: Vec<&Vec<Option<i64>>> =
        built.iter().zip(window).map(|(axis, y)| &axis[usize::try_from(*y).unwrap()]).collect();
    let sizes: Vec<i64> = lines.iter().map(|line| i64::try_from(line.len()).unwrap()).collect();
    let with_element = |cell: Vec<i64>| {
        let x: Option<Vec<i64>> =
            lines.iter().zip(&cell).map(|(line, k)| line[usize::try_from(*k).unwrap()]).collect();
        Some((cell, x?))
    };
    indices(&sizes).into_iter().filter_map(with_element).collect()
}

fn output_sizes(built: &[Vec<Vec<Option<i64>>>]) -> Vec<i64> {
    built.iter().map(|axis| i64::try_from(axis.len()).unwrap()).collect()
}

proptest! {
    #![proptest_config(Config { cases: 300, ..Config::default() })]

    #[test]
    fn sums_of_windows_match_their_elements_and_sources(
        (sizes, dims) in window(0..=3, false), init in -9_i64..9,
    ) {
        let built = windows_by_dim(&sizes, &dims);
        let attribute = if dims.is_empty() { String::new() } else { format!("window={}, ", text(&dims)) };
        let module = parse(&format!(
            "HloModule m {ADD} ENTRY e {{ x = s32[{}] parameter(0) i = s32[] parameter(1)
             ROOT r = reduce-window(x, i), {attribute}to_apply=add }}",
            joined(&sizes)
        ));
        prop_assert!(module.diagnostics.is_empty(), "{:?}", module.diagnostics);
        let first = Literal::scalar(ElementType::S32, Value::Int(init)).unwrap();
        let arguments = [numbers(&sizes, 1), first];
        let (result, sources) = run(&module.module, &arguments);
        prop_assert_eq!(sizes_of(&result), output_sizes(&built));
        for (y, sources) in indices(&output_sizes(&built)).iter().zip(sources) {
            let inside: Vec<Vec<i64>> = elements(&built, y).into_iter().map(|(_, x)| x).collect();
            let sum = inside.iter().map(|x| at(&arguments[0], x)).sum::<i64>() + init;
            prop_assert_eq!(at(&result, y), sum);
            let of = sources.iter().map(|s| at(&arguments[s.operand], &s.cell.index)).sum::<i64>();
            prop_assert_eq!(of, sum);
            let read: Vec<Vec<i64>> =
                sources.iter().filter(|s| s.role == Role::Value).map(|s| s.cell.index.to_vec()).collect();
            prop_assert_eq!(read, inside);
        }
    }

    #[test]
    fn select_and_scatter_matches_the_oracle(
        (sizes, dims) in window(1..=2, false), strict in any::<bool>(), init in -3_i64..3,
    ) {
        let built = windows_by_dim(&sizes, &dims);
        let outputs = output_sizes(&built);
        let module = parse(&format!(
            "HloModule m {ADD} choose {{ a = s32[] parameter(0) b = s32[] parameter(1)
               ROOT c = compare(a, b), direction={} }}
             ENTRY e {{ x = s32[{}] parameter(0) s = s32[{}] parameter(1) i = s32[] parameter(2)
             ROOT r = select-and-scatter(x, s, i), window={}, select=choose, scatter=add }}",
            if strict { "GT" } else { "GE" }, joined(&sizes), joined(&outputs), text(&dims)
        ));
        prop_assert!(module.diagnostics.is_empty(), "{:?}", module.diagnostics);
        let first = Literal::scalar(ElementType::S32, Value::Int(init)).unwrap();
        let arguments = [numbers(&sizes, 1), numbers(&outputs, 3), first];
        let (result, sources) = run(&module.module, &arguments);
        // The selected element of each window: the first maximum, or the last if the comparison is strict.
        let chosen: Vec<(Vec<i64>, Option<Vec<i64>>)> = indices(&outputs).into_iter().map(|y| {
            let inside: Vec<Vec<i64>> = elements(&built, &y).into_iter().map(|(_, x)| x).collect();
            let max = inside.iter().map(|x| at(&arguments[0], x)).max();
            let mut maxima = inside.into_iter().filter(|x| Some(at(&arguments[0], x)) == max);
            let choice = if strict { maxima.next_back() } else { maxima.next() };
            (y, choice)
        }).collect();
        for (x, sources) in indices(&sizes).iter().zip(sources) {
            let from = chosen.iter().filter(|(_, choice)| choice.as_ref() == Some(x));
            let sum = from.map(|(y, _)| at(&arguments[1], y)).sum::<i64>() + init;
            prop_assert_eq!(at(&result, x), sum);
            let scattered = sources.iter().filter(|s| s.role != Role::Choice);
            let of = scattered.map(|s| at(&arguments[s.operand], &s.cell.index)).sum::<i64>();
            prop_assert_eq!(of, sum);
            // Its sources include every element that was compared: those of all windows that contain it.
            for y in indices(&outputs) {
                let inside = elements(&built, &y);
                if !inside.iter().any(|(_, other)| other == x) {
                    continue;
                }
                for (_, other) in inside {
                    let is_compared = |s: &Source| s.role == Role::Choice && s.cell.index[..] == other[..];
                    prop_assert!(sources.iter().any(is_compared));
                }
            }
        }
    }
}

/// The dimension labels of an array, in random order.
fn labels(first: char, second: char, spatial: usize) -> impl Strategy<Value = String> {
    let all: Vec<char> = [first, second].into_iter().chain("0123456789".chars().take(spatial)).collect();
    Just(all).prop_shuffle().prop_map(String::from_iter)
}

/// Orders the components of an index, or sizes, by labels: `letters` has those of letters, `spatial` the others.
fn ordered(labels: &str, letters: [(char, i64); 2], spatial: &[i64]) -> Vec<i64> {
    let of = |label: char| {
        let lettered = letters.iter().find(|(letter, _)| *letter == label).map(|(_, value)| *value);
        lettered.unwrap_or_else(|| spatial[usize::try_from(label.to_digit(10).unwrap()).unwrap()])
    };
    labels.chars().map(of).collect()
}

type Labeled = ((Vec<i64>, Vec<WindowDim>), [String; 3]);

/// A window with the labels of left operand, right operand and result.
fn labeled() -> impl Strategy<Value = Labeled> {
    window(0..=2, true).prop_flat_map(|window| {
        let n = window.0.len();
        let labels = (labels('b', 'f', n), labels('o', 'i', n), labels('b', 'f', n));
        (Just(window), labels.prop_map(|(lhs, rhs, out)| [lhs, rhs, out]))
    })
}

/// Numbers of feature groups and batch groups; sizes of batch, input features and output features.
fn groups() -> impl Strategy<Value = ([i64; 2], [i64; 3])> {
    (select(vec![[1_i64, 1], [2, 1], [3, 1], [1, 2], [1, 3]]), [0_i64..=2, 0_i64..=2, 1_i64..=2]).prop_map(
        |(groups, [batch, features, outputs])| {
            let [feature, batches] = groups;
            (groups, [batch * batches, features * feature, outputs * feature * batches])
        },
    )
}

proptest! {
    #![proptest_config(Config { cases: 300, ..Config::default() })]

    #[test]
    fn convolutions_match_their_products_and_sources(
        ((sizes, dims), [lhs, rhs, out]) in labeled(), (groups, counts) in groups(),
    ) {
        let ([feature_groups, batch_groups], [batch, features, outputs]) = (groups, counts);
        let built = windows_by_dim(&sizes, &dims);
        let kernel: Vec<i64> = dims.iter().map(|dim| dim.size).collect();
        let inputs = features / feature_groups;
        let x = ordered(&lhs, [('b', batch), ('f', features)], &sizes);
        let w = ordered(&rhs, [('o', outputs), ('i', inputs)], &kernel);
        let attribute = if dims.is_empty() { String::new() } else { format!("window={}, ", text(&dims)) };
        let module = parse(&format!(
            "HloModule m ENTRY e {{ x = s32[{}] parameter(0) w = s32[{}] parameter(1)
             ROOT r = convolution(x, w), {attribute}dim_labels={lhs}_{rhs}->{out},
             feature_group_count={feature_groups}, batch_group_count={batch_groups} }}",
            joined(&x), joined(&w)
        ));
        prop_assert!(module.diagnostics.is_empty(), "{:?}", module.diagnostics);
        let printed = module.module.to_string();
        prop_assert!(!printed.contains("_count=1") && printed.contains("window") != dims.is_empty());
        prop_assert_eq!(parse(&printed).module.to_string(), printed);
        let arguments = [numbers(&x, 1), numbers(&w, 2)];
        let (result, sources) = run(&module.module, &arguments);
        let per_batch = batch / batch_groups;
        let windows = output_sizes(&built);
        prop_assert_eq!(sizes_of(&result), ordered(&out, [('b', per_batch), ('f', outputs)], &windows));
        let mut checked = 0;
        // Each group is a separate convolution.
        for group in 0..feature_groups * batch_groups {
            let per_group = outputs / (feature_groups * batch_groups);
            let (first_batch, first_feature) =
                if batch_groups > 1 { (group * per_batch, 0) } else { (0, group * inputs) };
            for cell in indices(&[&[per_batch, per_group], windows.as_slice()].concat()) {
                let (b, o, y) = (cell[0], cell[1] + group * per_group, &cell[2..]);
                let mut sum = 0;
                for (window_index, element) in elements(&built, y) {
                    let k: Vec<i64> = window_index.iter().zip(&dims)
                        .map(|(k, dim)| if dim.reversal { dim.size - 1 - k } else { *k }).collect();
                    for f in 0..inputs {
                        let i = ordered(&lhs, [('b', b + first_batch), ('f', f + first_feature)], &element);
                        let j = ordered(&rhs, [('o', o), ('i', f)], &k);
                        sum += at(&arguments[0], &i) * at(&arguments[1], &j);
                    }
                }
                let index = ordered(&out, [('b', b), ('f', o)], y);
                prop_assert_eq!(at(&result, &index), sum);
                let number = indices(&sizes_of(&result)).iter().position(|i| *i == index).unwrap();
                let factors: Vec<i64> =
                    sources[number].iter().map(|s| at(&arguments[s.operand], &s.cell.index)).collect();
                let roles = sources[number].iter().map(|s| s.role);
                prop_assert!(roles.eq([Role::Lhs, Role::Rhs].into_iter().cycle().take(factors.len())));
                prop_assert_eq!(factors.chunks(2).map(|pair| pair[0] * pair[1]).sum::<i64>(), sum);
                checked += 1;
            }
        }
        prop_assert_eq!(checked, indices(&sizes_of(&result)).len());
    }
}

#[test]
fn huge_windows_and_padding_take_bounded_time() {
    let text = format!(
        "HloModule m {ADD} ENTRY e {{ x = s32[3] parameter(0) i = s32[] parameter(1)
         ROOT r = reduce-window(x, i), window={{size=100000000000000000 pad=99999999999999999_1
         rhs_dilate=3 lhs_dilate=99999999999999999}}, to_apply=add }}"
    );
    let parsed = parse(&text);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let zero = Literal::scalar(ElementType::S32, Value::Int(0)).unwrap();
    let (result, _) = run(&parsed.module, &[numbers(&[3], 1), zero]);
    assert_eq!(sizes_of(&result), [2]);
}
