//! Gather and scatter against oracles that process one window at a time, sort and top-k against the standard library; and
//! their provenance: cells outside of it do not affect the result.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use proptest::prelude::*;
use proptest::test_runner::Config;
use xla_array::{ArrayLiteral, ArrayShape, Dims, Edition, ElementType, Literal, Value};
use xla_hlo::parser::parse_edition;
use xla_hlo::{Evaluator, InstructionId, Module, parse};
use xla_ops::{CellAt, Role, Source, random::philox_block};

/// Random numbers from a seed.
struct Random {
    seed: u64,
    draws: u128,
}

impl Random {
    fn new(seed: u64) -> Self {
        Self { seed, draws: 0 }
    }

    /// A number from `low` to `high`, both included.
    fn range(&mut self, low: i64, high: i64) -> i64 {
        self.draws += 1;
        low + i64::from(philox_block(self.seed, self.draws)[0]) % (high - low + 1)
    }

    fn shuffled(&mut self, count: usize) -> Vec<usize> {
        let mut numbers: Vec<usize> = (0..count).collect();
        for i in (1..count).rev() {
            numbers.swap(i, usize::try_from(self.range(0, i64::try_from(i).unwrap())).unwrap());
        }
        numbers
    }

    fn array(&mut self, sizes: &[i64], low: i64, high: i64) -> ArrayLiteral {
        let shape = ArrayShape::new(ElementType::S32, sizes.iter().copied());
        ArrayLiteral::from_fn(shape, |_, _| Value::Int(self.range(low, high))).unwrap()
    }
}

/// Every index of these sizes, in row-major order.
fn indices(sizes: &[i64]) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for size in sizes {
        all = all.iter().flat_map(|at| (0..*size).map(move |i| [at.as_slice(), &[i]].concat())).collect();
    }
    all
}

fn at(array: &ArrayLiteral, index: &[i64]) -> i64 {
    let Some(Value::Int(value)) = array.get(index) else { panic!("no element {index:?}") };
    value
}

fn list<T: ToString>(numbers: &[T]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// The dimension numbers and sizes of a gather or scatter.
struct Windows {
    operand_sizes: Vec<i64>,
    /// The sizes of the start indices, including `vector_dim`.
    indices_sizes: Vec<i64>,
    vector_dim: usize,
    /// The sizes of the result of a gather, or of the updates of a scatter.
    windowed_sizes: Vec<i64>,
    window_dims: Vec<usize>,
    collapsed_dims: Vec<usize>,
    start_index_map: Vec<usize>,
    operand_batching: Vec<usize>,
    indices_batching: Vec<usize>,
    slice_sizes: Vec<i64>,
}

impl Windows {
    fn random(random: &mut Random) -> Self {
        let rank = usize::try_from(random.range(1, 4)).unwrap();
        let operand: Vec<i64> = (0..rank).map(|_| random.range(1, 4)).collect();
        let mut free = random.shuffled(rank);
        let mut operand_batching =
            free.split_off(rank - usize::try_from(random.range(0, 1)).unwrap().min(rank - 1));
        operand_batching.sort_unstable();
        let mut map = free.clone();
        map.truncate(usize::try_from(random.range(0, i64::try_from(free.len()).unwrap())).unwrap());
        free.sort_unstable();
        // The batch dimensions: those paired with the operand's batching dimensions, and up to two more.
        let mut batch: Vec<i64> = operand_batching.iter().map(|d| operand[*d]).collect();
        batch.extend((0..random.range(0, 2)).map(|_| random.range(0, 3)));
        let positions = random.shuffled(batch.len());
        let mut sizes = vec![0; batch.len()];
        for (size, position) in batch.iter().zip(&positions) {
            sizes[*position] = *size;
        }
        let vector_dim = usize::try_from(random.range(0, i64::try_from(sizes.len()).unwrap())).unwrap();
        let index_dim = |position: &usize| if *position < vector_dim { *position } else { *position + 1 };
        let indices_batching = positions[..operand_batching.len()].iter().map(index_dim).collect();
        let batch_sizes = sizes.clone();
        sizes.insert(vector_dim, i64::try_from(map.len()).unwrap());
        // The dimension of index vectors of size 1 may be omitted if it is the last.
        if map.len() == 1 && vector_dim == batch_sizes.len() && random.range(0, 1) == 0 {
            sizes.pop();
        }
        let slices: Vec<i64> = (0..rank)
            .map(|d| if operand_batching.contains(&d) { 1 } else { random.range(1, operand[d]) })
            .collect();
        let collapsed_dims: Vec<usize> =
            free.iter().copied().filter(|d| slices[*d] == 1 && random.range(0, 2) > 0).collect();
        let offset_dims: Vec<usize> = free.iter().copied().filter(|d| !collapsed_dims.contains(d)).collect();
        let mut window_dims = random.shuffled(batch_sizes.len() + offset_dims.len());
        window_dims.truncate(offset_dims.len());
        window_dims.sort_unstable();
        let mut remaining_batch = batch_sizes.iter();
        let windowed = (0..batch_sizes.len() + offset_dims.len())
            .map(|d| match window_dims.iter().position(|w| *w == d) {
                Some(position) => slices[offset_dims[position]],
                None => *remaining_batch.next().unwrap(),
            })
            .collect();
        Self {
            operand_sizes: operand,
            indices_sizes: sizes,
            vector_dim,
            windowed_sizes: windowed,
            window_dims,
            collapsed_dims,
            start_index_map: map,
            operand_batching,
            indices_batching,
            slice_sizes: slices,
        }
    }

    /// Calls `visit` for each element of each window, with the unclamped start of the window, the offset within it, and the
    /// index in the windowed array.
    fn for_each_element(&self, starts: &ArrayLiteral, mut visit: impl FnMut(&[i64], &[i64], &[i64])) {
        let rank = self.operand_sizes.len();
        let mut batch_sizes = self.indices_sizes.clone();
        if self.vector_dim < batch_sizes.len() {
            batch_sizes.remove(self.vector_dim);
        }
        for batch in indices(&batch_sizes) {
            let component_index = |k: usize| {
                let mut index = batch.clone();
                if self.vector_dim < self.indices_sizes.len() {
                    index.insert(self.vector_dim, i64::try_from(k).unwrap());
                }
                index
            };
            let mut start = vec![0; rank];
            for (k, d) in self.start_index_map.iter().enumerate() {
                start[*d] = at(starts, &component_index(k));
            }
            // The batch index with a placeholder for the vector dimension, so that it can be indexed by dimension number.
            let mut batch_by_dim = batch.clone();
            batch_by_dim.insert(self.vector_dim, -1);
            for (d, index_dim) in self.operand_batching.iter().zip(&self.indices_batching) {
                start[*d] = batch_by_dim[*index_dim];
            }
            for offset in indices(&self.slice_sizes) {
                let mut within = (0..rank)
                    .filter(|d| !self.collapsed_dims.contains(d) && !self.operand_batching.contains(d))
                    .map(|d| offset[d]);
                let mut batch_components = batch.iter().copied();
                let windowed: Vec<i64> = (0..self.windowed_sizes.len())
                    .map(|d| {
                        if self.window_dims.contains(&d) { within.next() } else { batch_components.next() }
                            .unwrap()
                    })
                    .collect();
                visit(&start, &offset, &windowed);
            }
        }
    }

    fn starts(&self, random: &mut Random) -> ArrayLiteral {
        random.array(&self.indices_sizes, -1, 4)
    }
}

fn module(text: &str) -> Module {
    parse(text).into_module().unwrap_or_else(|d| panic!("{d} in {text}"))
}

fn parameters(arrays: &[&ArrayLiteral]) -> String {
    let of = |(i, array): (usize, &&ArrayLiteral)| {
        format!("p{i} = {} parameter({i})\n", array.shape().human_string())
    };
    arrays.iter().enumerate().map(of).collect()
}

fn literals(arrays: &[&ArrayLiteral]) -> Vec<Literal> {
    arrays.iter().map(|array| Literal::Array((*array).clone())).collect()
}

fn root(module: &Module) -> InstructionId {
    module.entry_computation().unwrap().root.unwrap()
}

/// The sources of a cell of the root. Checks that its value does not change if all other cells of the operands change.
fn checked_sources(
    module: &Module,
    arguments: &[Literal],
    cell: &CellAt,
    random: &mut Random,
) -> Vec<Source> {
    let mut evaluator = Evaluator::new(module);
    let outcome = evaluator.run_with_values(arguments).unwrap();
    let mut tracer = evaluator.tracer(&outcome);
    let found = tracer.sources(root(module), cell).unwrap();
    let value = |literal: Literal| {
        let part = cell.path.iter().fold(literal, |literal, i| literal.as_tuple().unwrap()[*i].clone());
        part.as_array().unwrap().get(&cell.index).unwrap()
    };
    let before = value(outcome.values.get(root(module)).unwrap().to_literal());
    for _ in 0..4 {
        let mut changed = arguments.to_vec();
        for (operand, argument) in changed.iter_mut().enumerate() {
            let Literal::Array(array) = argument else { continue };
            for index in indices(&array.shape().dimensions.clone()) {
                let is_source = |s: &Source| s.operand == operand && s.cell.index.as_slice() == index;
                if !found.iter().any(is_source) {
                    array.set(&index, Value::Int(random.range(-2, 5)));
                }
            }
        }
        let after = value(Evaluator::new(module).run(&changed).unwrap());
        assert!(before.same(after), "{cell:?} of {module} on {arguments:?}: {found:?}");
    }
    found
}

/// Up to four random cells of an array.
fn random_cells(array: &ArrayLiteral, random: &mut Random) -> Vec<Vec<i64>> {
    let all = indices(&array.shape().dimensions);
    let last = i64::try_from(all.len()).unwrap() - 1;
    (0..4.min(all.len())).map(|_| all[usize::try_from(random.range(0, last)).unwrap()].clone()).collect()
}

fn cases(cases: u32) -> Config {
    Config { cases, failure_persistence: None, ..Config::default() }
}

proptest! {
    #![proptest_config(cases(120))]

    #[test]
    fn gather_reads_the_windows_at_the_start_indices(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let windows = Windows::random(&mut random);
        let (operand, starts) = (random.array(&windows.operand_sizes, -99, 99), windows.starts(&mut random));
        let shape = ArrayShape::new(ElementType::S32, windows.windowed_sizes.iter().copied());
        let mut expected = ArrayLiteral::filled(shape, Value::Int(1000)).unwrap();
        windows.for_each_element(&starts, |start, offset, windowed| {
            let index: Vec<i64> = (0..start.len())
                .map(|d| start[d].clamp(0, windows.operand_sizes[d] - windows.slice_sizes[d]) + offset[d])
                .collect();
            expected.set(windowed, Value::Int(at(&operand, &index)));
        });
        let text = format!(
            "HloModule m ENTRY e {{ {} ROOT r = gather(p0, p1), offset_dims={{{}}}, collapsed_slice_dims={{{}}},
            start_index_map={{{}}}, operand_batching_dims={{{}}}, start_indices_batching_dims={{{}}},
            index_vector_dim={}, slice_sizes={{{}}} }}",
            parameters(&[&operand, &starts]), list(&windows.window_dims), list(&windows.collapsed_dims), list(&windows.start_index_map),
            list(&windows.operand_batching), list(&windows.indices_batching), windows.vector_dim,
            list(&windows.slice_sizes),
        );
        let module = module(&text);
        let arguments = literals(&[&operand, &starts]);
        let got = Evaluator::new(&module).run(&arguments).unwrap();
        prop_assert_eq!(got, Literal::Array(expected.clone()), "{}", text);
        for index in random_cells(&expected, &mut random) {
            let found = checked_sources(&module, &arguments, &CellAt::array(&index), &mut random);
            let (values, starts): (Vec<&Source>, Vec<&Source>) = found.iter().partition(|s| s.role == Role::Value);
            prop_assert_eq!(values.len(), 1);
            prop_assert_eq!(at(&operand, &values[0].cell.index), at(&expected, &index));
            prop_assert_eq!(starts.len(), windows.start_index_map.len());
        }
    }

    #[test]
    fn scatter_writes_only_windows_within_bounds(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let windows = Windows::random(&mut random);
        let (operand, starts) = (random.array(&windows.operand_sizes, -99, 99), windows.starts(&mut random));
        let updates = random.array(&windows.windowed_sizes, -9, 9);
        let kind = random.range(0, 2);
        let (body, combine): (&str, fn(i64, i64) -> i64) = match kind {
            0 => ("ROOT c = add(a, b)", |a, b| a + b),
            1 => ("ROOT c = copy(b)", |_, b| b),
            _ => ("two = s32[] constant(2) h = multiply(a, two) ROOT c = subtract(h, b)", |a, b| 2 * a - b),
        };
        let mut expected = operand.clone();
        windows.for_each_element(&starts, |start, offset, windowed| {
            let fits = |d: usize| start[d] >= 0 && start[d] + windows.slice_sizes[d] <= windows.operand_sizes[d];
            if (0..start.len()).all(fits) {
                let index: Vec<i64> = start.iter().zip(offset).map(|(s, o)| s + o).collect();
                expected.set(&index, Value::Int(combine(at(&expected, &index), at(&updates, windowed))));
            }
        });
        let text = format!(
            "HloModule m ENTRY e {{ {} ROOT r = scatter(p0, p1, p2), update_window_dims={{{}}}, inserted_window_dims={{{}}},
            scatter_dims_to_operand_dims={{{}}}, input_batching_dims={{{}}}, scatter_indices_batching_dims={{{}}},
            index_vector_dim={}, to_apply={{ a = s32[] parameter(0) b = s32[] parameter(1) {body} }} }}",
            parameters(&[&operand, &starts, &updates]), list(&windows.window_dims), list(&windows.collapsed_dims),
            list(&windows.start_index_map), list(&windows.operand_batching), list(&windows.indices_batching), windows.vector_dim,
        );
        let module = module(&text);
        let arguments = literals(&[&operand, &starts, &updates]);
        let got = Evaluator::new(&module).run(&arguments).unwrap();
        prop_assert_eq!(got, Literal::Array(expected.clone()), "{}", text);
        for index in random_cells(&expected, &mut random) {
            let found = checked_sources(&module, &arguments, &CellAt::array(&index), &mut random);
            let sum = |role: Role, of: &ArrayLiteral| -> i64 {
                found.iter().filter(|s| s.role == role).map(|s| at(of, &s.cell.index)).sum()
            };
            if kind == 0 {
                prop_assert_eq!(sum(Role::Value, &operand) + sum(Role::Update, &updates), at(&expected, &index));
            }
            if kind == 1 {
                // The last update overwrites the others.
                prop_assert_eq!(found.iter().filter(|s| s.role != Role::Start).count(), 1);
            }
        }
    }

    #[test]
    fn sort_is_a_stable_permutation_of_every_row(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let mut sizes: Vec<i64> = (0..random.range(1, 3)).map(|_| random.range(0, 3)).collect();
        let rank = i64::try_from(sizes.len()).unwrap();
        let d = usize::try_from(random.range(0, rank - 1)).unwrap();
        sizes[d] = random.range(0, 20);
        let (keys, other) = (random.array(&sizes, -3, 3), random.array(&sizes, -3, 3));
        let index_values = ArrayLiteral::from_fn(keys.shape().clone(), |_, index| Value::Int(index[d])).unwrap();
        let direction = if random.range(0, 1) == 0 { "LT" } else { "GT" };
        let text = format!(
            "HloModule m ENTRY e {{ {} ROOT r = sort(p0, p1, p2), dimensions={{{d}}}, is_stable=true, to_apply={{
            a = s32[] parameter(0) b = s32[] parameter(1) c = s32[] parameter(2) d = s32[] parameter(3)
            f = s32[] parameter(4) g = s32[] parameter(5) ROOT p = compare(a, b), direction={direction} }} }}",
            parameters(&[&keys, &index_values, &other]),
        );
        let module = module(&text);
        let arguments = literals(&[&keys, &index_values, &other]);
        let got = Evaluator::new(&module).run(&arguments).unwrap();
        let parts = got.as_tuple().unwrap();
        let [sorted, from, carried] = [0, 1, 2].map(|i| parts[i].as_array().unwrap());
        let mut rows = sizes.clone();
        rows[d] = 1;
        for row in indices(&rows).into_iter().filter(|_| !sizes.contains(&0)) {
            let cell = |i: i64| { let mut cell = row.clone(); cell[d] = i; cell };
            let mut order: Vec<i64> = (0..sizes[d]).collect();
            let sign = if direction == "LT" { 1 } else { -1 };
            order.sort_by_key(|i| sign * at(&keys, &cell(*i)));
            for (i, source) in (0..).zip(order) {
                prop_assert_eq!(at(from, &cell(i)), source);
                prop_assert_eq!(at(sorted, &cell(i)), at(&keys, &cell(source)));
                prop_assert_eq!(at(carried, &cell(i)), at(&other, &cell(source)));
            }
        }
        for index in random_cells(&keys, &mut random) {
            for (part, of) in [(0, &keys), (2, &other)] {
                let found = checked_sources(&module, &arguments, &CellAt::array(&index).in_tuple(part), &mut random);
                prop_assert_eq!(found[0].role, Role::Value);
                prop_assert_eq!(at(of, &found[0].cell.index), at(parts[part].as_array().unwrap(), &index));
                prop_assert!(found[1..].iter().all(|s| s.role == Role::Choice && s.operand == 0));
            }
        }
    }

    #[test]
    fn any_comparator_gives_a_permutation(seed in any::<u64>(), length in 0_i64..80) {
        let mut random = Random::new(seed);
        let keys = random.array(&[length], -9, 9);
        let comparator = ["constant(true)", "compare(a, b), direction=NE", "compare(c, d), direction=LT",
            "compare(c, d), direction=GE"][usize::try_from(random.range(0, 3)).unwrap()];
        let text = format!(
            "HloModule m ENTRY e {{ p0 = s32[{length}] parameter(0) ROOT r = sort(p0), dimensions={{0}}, to_apply={{
            a = s32[] parameter(0) b = s32[] parameter(1) three = s32[] constant(3)
            c = remainder(a, three) h = multiply(b, b) d = remainder(h, three) ROOT p = pred[] {comparator} }} }}",
        );
        let got = Evaluator::new(&module(&text)).run(&literals(&[&keys])).unwrap();
        let numbers = |array: &ArrayLiteral| {
            let mut all: Vec<i64> = (0..length).map(|i| at(array, &[i])).collect();
            all.sort_unstable();
            all
        };
        prop_assert_eq!(numbers(got.as_array().unwrap()), numbers(&keys));
    }

    #[test]
    fn top_k_is_the_prefix_of_the_sorted_row(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let sizes = [random.range(0, 3), random.range(0, 9)];
        let (k, is_largest) = (random.range(0, sizes[1]), random.range(0, 1) == 1);
        let operand = random.array(&sizes, -3, 3);
        let text = format!(
            "HloModule m ENTRY e {{ {} ROOT r = topk(p0), k={k}, largest={is_largest} }}",
            parameters(&[&operand]),
        );
        let module = module(&text);
        let arguments = literals(&[&operand]);
        let got = Evaluator::new(&module).run(&arguments).unwrap();
        let parts = got.as_tuple().unwrap();
        let (values, positions) = (parts[0].as_array().unwrap(), parts[1].as_array().unwrap());
        for row in 0..sizes[0] {
            let mut order: Vec<i64> = (0..sizes[1]).collect();
            let sign = if is_largest { -1 } else { 1 };
            order.sort_by_key(|i| sign * at(&operand, &[row, *i]));
            for i in 0..k {
                let from = order[usize::try_from(i).unwrap()];
                prop_assert_eq!((at(positions, &[row, i]), at(values, &[row, i])), (from, at(&operand, &[row, from])));
            }
        }
        for index in random_cells(values, &mut random) {
            for part in [0, 1] {
                let found = checked_sources(&module, &arguments, &CellAt::array(&index).in_tuple(part), &mut random);
                prop_assert_eq!(found.iter().filter(|s| s.role == Role::Value).count(), 1 - part);
            }
        }
    }

    #[test]
    fn bitcast_conversions_round_trip(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let operand = random.array(&[3, 2], -99, 99);
        for narrow in ["u16[3,2,2]", "s8[3,2,4]", "u4[3,2,8]", "u2[3,2,16]", "pred[3,2,32]", "u1[3,2,32]"] {
            let text = format!(
                "HloModule m ENTRY e {{ p0 = s32[3,2] parameter(0) n = {narrow} bitcast-convert(p0)
                ROOT r = s32[3,2] bitcast-convert(n) }}"
            );
            let module = module(&text);
            let arguments = literals(&[&operand]);
            prop_assert_eq!(&Evaluator::new(&module).run(&arguments).unwrap(), &arguments[0]);
            let mut evaluator = Evaluator::new(&module);
            let outcome = evaluator.run_with_values(&arguments).unwrap();
            let mut tracer = evaluator.tracer(&outcome);
            let cell = CellAt::array(&[2, 1]);
            let found = tracer.origins(root(&module), &cell).unwrap();
            prop_assert_eq!(found, [Source { operand: 0, cell, role: Role::Value }]);
        }
    }
}

#[test]
fn a_scatter_of_several_operands_traces_the_operands_of_each_result() {
    let text = "HloModule m ENTRY e {
        x = s32[3] parameter(0) y = s32[3] parameter(1) i = s32[2] parameter(2) u = s32[2] parameter(3) v = s32[2] parameter(4)
        ROOT r = scatter(x, y, i, u, v), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0},
        index_vector_dim=1, to_apply={ a = s32[] parameter(0) b = s32[] parameter(1) c = s32[] parameter(2) d = s32[] parameter(3)
        s = add(a, c) m = add(a, d) ROOT t = tuple(s, m) } }";
    let module = module(text);
    let mut random = Random::new(1);
    let array = |numbers: &[i32]| -> Literal {
        ArrayLiteral::from_slice([i64::try_from(numbers.len()).unwrap()], numbers).unwrap().into()
    };
    let arguments =
        [array(&[1, 2, 3]), array(&[4, 5, 6]), array(&[1, 1]), array(&[10, 20]), array(&[30, 40])];
    let got = Evaluator::new(&module).run(&arguments).unwrap();
    assert_eq!(got.as_tuple().unwrap(), [array(&[1, 32, 3]), array(&[4, 52, 6])]);
    let mut sources_of = |part: usize, index: i64| -> Vec<(usize, Dims, Role)> {
        let found =
            checked_sources(&module, &arguments, &CellAt::array(&[index]).in_tuple(part), &mut random);
        found
            .into_iter()
            .filter(|s| s.role != Role::Start)
            .map(|s| (s.operand, s.cell.index, s.role))
            .collect()
    };
    let at = |operand: usize, index: i64, role: Role| (operand, Dims::from_slice(&[index]), role);
    // The second result combines the first result after one update with its own last update.
    let expected = [at(4, 1, Role::Update), at(3, 0, Role::Update), at(0, 1, Role::Value)];
    assert_eq!(sources_of(1, 1), expected);
    assert_eq!(sources_of(1, 0), [at(1, 0, Role::Value)]);
}

#[test]
fn the_sort_of_2017_is_ascending_along_the_last_dimension() {
    let text = "HloModule m ENTRY e { x = f32[2,4] parameter(0) ROOT r = sort(x) }";
    assert_eq!(parse(text).error().unwrap().rule, "sort-5");
    let module = parse_edition(text, Edition::V2017).into_module().unwrap();
    let argument: Literal = "f32[2,4] { {3, nan, -1, 2}, {0, -0.0, -inf, 1} }".parse().unwrap();
    let expected: Literal = "f32[2,4] { {-1, 2, 3, nan}, {-inf, -0.0, 0, 1} }".parse().unwrap();
    let got = Evaluator::new(&module).edition(Edition::V2017).run(&[argument]).unwrap();
    assert_eq!(got.to_string(), expected.to_string());
}
