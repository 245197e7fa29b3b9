//! Tasks in shards: each cell is bit-identical to the result without sharding.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use test_support::Random;
use xla_playground::array::literal::Buffer;
use xla_playground::hlo::eval::kernel::{InProcess, Kernels as _};
use xla_playground::kernels::sharding::contiguous::{MIN_SHARDED_STEPS, shards, workers};
use xla_playground::kernels::task::{Array, Binary, Convolution, Dot, Map, Reduce, Reducer, Window};
use xla_playground::kernels::{Task, Type, View};

/// Numbers, sometimes NaN or special values: each must reach the same cells.
fn floats(random: &mut Random, cells: usize) -> Buffer {
    const ODD: [f32; 4] = [f32::NAN, f32::INFINITY, -0.0, 1e-42];
    let mut one = || if random.one_in(200) { ODD[random.below(4)] } else { random.unit() };
    Buffer::F32((0..cells).map(|_| one()).collect())
}

/// An array with a random order of dimensions in memory, sometimes with gaps; and the cells of its buffer.
fn array(random: &mut Random, sizes: &[usize]) -> (Array, usize) {
    let (mut strides, mut stride) = (vec![0; sizes.len()], 1);
    for d in random.order(sizes.len()) {
        strides[d] = stride;
        stride *= (sizes[d] + random.below(2)).cast_signed();
    }
    let view = View { offset: 0, sizes: sizes.to_vec(), strides };
    (Array { ty: Type::F32, view }, stride.cast_unsigned())
}

fn cells(buffer: &Buffer) -> &[f32] {
    buffer.as_slice().unwrap()
}

fn run(task: &Task, read: &[&Buffer], cells: usize) -> Vec<u32> {
    let mut out = Buffer::F32(vec![0.0; cells]);
    InProcess::default().run(task, read, &mut [&mut out], &mut |_| true).unwrap();
    self::cells(&out).iter().map(|x| x.to_bits()).collect()
}

/// The number of shards of a task; checks that together they give the bits of the whole task.
fn checked_shard_count(task: &Task, read: [&Buffer; 2], out: usize, count: usize) -> usize {
    let Some(shards) = shards(task, count) else { return 1 };
    let whole = run(task, &read, out);
    let mut assembled = vec![0; out];
    for shard in &shards {
        let shard_operands: Vec<Buffer> = read
            .iter()
            .zip(&shard.read)
            .map(|(buffer, range)| Buffer::F32(cells(buffer)[range.clone()].to_vec()))
            .collect();
        let part = run(&shard.task, &shard_operands.iter().collect::<Vec<_>>(), shard.written.len());
        assembled[shard.written.clone()].copy_from_slice(&part);
    }
    assert!(assembled == whole, "{count} shards of {task:?}");
    shards.len()
}

#[test]
fn dots_in_shards_are_the_same_bits() {
    let random = &mut Random::new(0x9e37_79b9_7f4a_7c15);
    let mut cut = 0;
    for round in 0..40 {
        let batch: Vec<usize> = if round % 3 == 0 { vec![random.below(4) + 1] } else { vec![] };
        let [m, n, k] = [random.below(150) + 1, random.below(150) + 1, random.below(280) + 1];
        let with = |sizes: [usize; 2]| batch.iter().copied().chain(sizes).collect::<Vec<usize>>();
        let (lhs, left) = array(random, &with([m, k]));
        let (rhs, right) = array(random, &with([k, n]));
        let (out, cells) = array(random, &with([m, n]));
        let at = batch.len();
        let task = Task::Dot(Dot {
            lhs,
            rhs,
            out,
            lhs_batch: (0..at).collect(),
            rhs_batch: (0..at).collect(),
            lhs_contracting: vec![at + 1],
            rhs_contracting: vec![at],
        });
        let read = [floats(random, left), floats(random, right)];
        cut += usize::from(checked_shard_count(&task, read.each_ref(), cells, 2 + round % 4) > 1);
    }
    assert!(cut > 20, "{cut} dots were cut");
}

#[test]
fn convolutions_in_shards_are_the_same_bits() {
    let random = &mut Random::new(0x1234_5678_9abc_def1);
    let mut cut = [0; 3];
    for round in 0..48 {
        let groups = if round % 4 == 0 { 2 } else { 1 };
        let outputs = if round % 2 == 0 { random.below(30) + 1 } else { random.below(30) + 64 };
        let [batch, inputs] = [random.below(3) + 1, random.below(4) + 1];
        let (mut window, mut input, mut kernel, mut positions) = (vec![], vec![], vec![], vec![]);
        for _ in 0..2 {
            let one = Window {
                size: random.below(3) + 1,
                stride: random.below(3) + 1,
                low: random.below(4).cast_signed() - 1,
                high: random.below(4).cast_signed() - 1,
                base_dilation: random.below(2) + 1,
                dilation: random.below(2) + 1,
                is_reversed: random.below(3) == 0,
            };
            let size = random.below(12) + 16;
            window.push(one);
            input.push(size);
            kernel.push(one.size);
            positions.push(one.positions(size).unwrap());
        }
        let sizes = |a: usize, b: usize, rest: &[usize]| [&[a, b], rest].concat();
        let (lhs, left) = array(random, &sizes(batch, inputs * groups, &input));
        let (rhs, right) = array(random, &sizes(outputs * groups, inputs, &kernel));
        let (out, cells) = array(random, &sizes(batch, outputs * groups, &positions));
        let outermost = (0..4).filter(|d| out.view.sizes[*d] > 1).max_by_key(|d| out.view.strides[*d]);
        let task =
            Task::Convolution(Convolution { lhs, rhs, out, window, feature_groups: groups, batch_groups: 1 });
        let read = [floats(random, left), floats(random, right)];
        if checked_shard_count(&task, read.each_ref(), cells, 2 + round % 3) > 1 {
            cut[outermost.unwrap().min(2)] += 1;
        }
    }
    assert!(cut.iter().all(|cut| *cut > 2), "cut along batch, features, positions: {cut:?}");
}

/// Computes a task in two shards along each dimension of its result, in one buffer; returns how many dimensions can be divided.
fn checked_dimensions(task: &Task, read: &[&Buffer], out: usize) -> usize {
    let whole = run(task, read, out);
    let rank = task.out_view().unwrap().rank();
    let is_divided = |d: &usize| {
        let (size, min_len) =
            (task.out_view().unwrap().sizes[*d], task.min_shard_len(*d).unwrap_or(usize::MAX));
        if size / 2 < min_len.max(1) {
            return false;
        }
        let at = (size / 2).max(min_len);
        let mut parts = Buffer::F32(vec![0.0; out]);
        for range in [0..at, at..size] {
            let Some(shard) = task.restricted(*d, &range) else { return false };
            InProcess::default().run(&shard, read, &mut [&mut parts], &mut |_| true).unwrap();
        }
        let parts: Vec<u32> = cells(&parts).iter().map(|x| x.to_bits()).collect();
        assert!(parts == whole, "dimension {d} of {task:?}");
        true
    };
    (0..rank).filter(is_divided).count()
}

#[test]
fn every_dimension_of_a_result_is_divided_in_place() {
    let random = &mut Random::new(0x0bad_cafe_1234_5678);
    let mut divided = [0; 4];
    for round in 0..40 {
        let batch = random.below(3) + 1;
        let [m, n, k] = [random.below(100) + 1, random.below(100) + 1, random.below(300) + 1];
        let (lhs, left) = array(random, &[batch, m, k]);
        let (rhs, right) = array(random, &[batch, k, n]);
        let (out, cells) = array(random, &[batch, m, n]);
        let dot = Dot {
            lhs,
            rhs,
            out,
            lhs_batch: vec![0],
            rhs_batch: vec![0],
            lhs_contracting: vec![2],
            rhs_contracting: vec![1],
        };
        let read = [floats(random, left), floats(random, right)];
        divided[0] += checked_dimensions(&dot.into(), &[&read[0], &read[1]], cells);

        let window = Window { stride: random.below(2) + 1, ..Window::padded(3, 1) };
        let [side, inputs, outputs] = [16 + random.below(20), random.below(8) + 1, random.below(80) + 1];
        let positions = window.positions(side).unwrap();
        let (lhs, left) = array(random, &[batch, inputs, side, side]);
        let (rhs, right) = array(random, &[outputs, inputs, 3, 3]);
        let (out, cells) = array(random, &[batch, outputs, positions, positions]);
        let convolution =
            Convolution { lhs, rhs, out, window: vec![window; 2], feature_groups: 1, batch_groups: 1 };
        let read = [floats(random, left), floats(random, right)];
        divided[1] += checked_dimensions(&convolution.into(), &[&read[0], &read[1]], cells);

        let sizes = [random.below(9) + 1, random.below(9) + 1, random.below(70) + 1];
        let (lhs, left) = array(random, &sizes);
        let (rhs, right) = array(random, &sizes);
        let (out, cells) = array(random, &sizes);
        let read = [floats(random, left), floats(random, right)];
        let map = Map { operands: [lhs, rhs], out, f: [Binary::Add, Binary::Divide][round % 2] };
        divided[2] += checked_dimensions(&map.into(), &[&read[0], &read[1]], cells);

        let sizes = [random.below(9) + 1, random.below(9) + 1, random.below(300) + 1];
        let (operand, left) = array(random, &sizes);
        let dimension = (0..3).find(|d| operand.view.strides[*d] == 1).unwrap_or(0);
        let reducer = [Reducer::Add, Reducer::Max][round % 2];
        let kept: Vec<usize> = (0..3).filter(|d| *d != dimension).map(|d| sizes[d]).collect();
        let (out, cells) = array(random, &kept);
        let read = [floats(random, left), Buffer::F32(vec![0.5])];
        let reduce = Reduce { operand, out, dimensions: vec![dimension], reducer };
        divided[3] += checked_dimensions(&reduce.into(), &[&read[0], &read[1]], cells);
    }
    assert!(divided.iter().all(|divided| *divided > 5), "dots, convolutions, maps, reductions: {divided:?}");
}

#[test]
fn only_large_tasks_are_shared() {
    let square = |n: usize| {
        let array = || Array { ty: Type::F32, view: View::row_major(&[n, n]) };
        Task::Dot(Dot {
            lhs: array(),
            rhs: array(),
            out: array(),
            lhs_batch: vec![],
            rhs_batch: vec![],
            lhs_contracting: vec![1],
            rhs_contracting: vec![0],
        })
    };
    assert_eq!(square(512).steps(), MIN_SHARDED_STEPS);
    assert_eq!([256, 511, 512, 1024, 2048].map(|n| workers(&square(n), 8)), [1, 1, 4, 8, 8]);
    assert_eq!([1, 2, 100].map(|most| workers(&square(1024), most)), [1, 2, 16]);
    let Task::Dot(mut narrow) = square(1024) else { panic!() };
    narrow.lhs.view = View::row_major(&[63, 1 << 16]);
    narrow.rhs.view = View::row_major(&[1 << 16, 1024]);
    narrow.out.view = View::row_major(&[63, 1024]);
    assert_eq!(workers(&Task::Dot(narrow), 8), 1, "its rows are too few, and columns do not lie together");
}
