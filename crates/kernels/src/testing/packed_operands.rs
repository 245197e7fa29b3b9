//! Constant operands: they are packed once, and the results have the same bits.

use crate::scratch::Scratch;
use crate::task::{Convolution, Dot, Window};
use crate::{Context, PackedOperand, Slice, SliceMut, Task, run};

use crate::testing::{Random, floats, floats_of};

/// Runs a task of floats with a packed operand.
fn run_packed(
    task: &Task,
    read: [&[f32]; 2],
    out_length: usize,
    packed_operand: Option<&mut PackedOperand>,
) -> Vec<u32> {
    let (mut scratch, mut tick, mut out) = (Scratch::default(), |_| true, vec![7.0; out_length]);
    let mut context = Context { scratch: &mut scratch, tick: &mut tick, packed_operand };
    run(task, &read.map(Slice::F32), &mut [SliceMut::F32(&mut out)], &mut context).unwrap();
    out.into_iter().map(f32::to_bits).collect()
}

/// Runs a task three times with each operand constant, and expects the results without packing.
fn check(random: &mut Random, task: &Task, lengths: [usize; 3], is_packed: [bool; 2]) {
    let mut numbers = |count: usize| (0..count).map(|_| random.unit()).collect::<Vec<f32>>();
    let operands = [numbers(lengths[0]), numbers(lengths[1])];
    let others = [numbers(lengths[0]), numbers(lengths[1])];
    for constant in 0..2 {
        let mut packed_operand = PackedOperand::new(constant);
        let mut operands_of_run = operands.clone();
        for _ in 0..2 {
            let [lhs, rhs] = &operands_of_run;
            let expected: Vec<u32> =
                floats_of(task, &[lhs, rhs], lengths[2]).into_iter().map(f32::to_bits).collect();
            assert_eq!(
                run_packed(task, [lhs, rhs], lengths[2], Some(&mut packed_operand)),
                expected,
                "{task:?}: {constant}"
            );
            // The other operand may change.
            operands_of_run[1 - constant].clone_from(&others[1 - constant]);
        }
        // If it is packed, changing the operand without notice does not change the result.
        let [lhs, rhs] = &operands_of_run;
        let before = run_packed(task, [lhs, rhs], lengths[2], Some(&mut packed_operand));
        let mut changed = operands_of_run.clone();
        changed[constant].fill(0.5);
        let [lhs, rhs] = &changed;
        let after = run_packed(task, [lhs, rhs], lengths[2], Some(&mut packed_operand));
        assert_eq!(after == before, is_packed[constant], "{task:?}: {constant}");
        assert_ne!(run_packed(task, [lhs, rhs], lengths[2], Some(&mut PackedOperand::new(constant))), before);
    }
}

#[test]
fn dots_with_a_constant_operand() {
    let mut random = Random::new(31);
    let sizes = [[1, 20, 30, 40], [3, 9, 17, 300], [1, 5, 530, 270], [2, 140, 513, 5]];
    // Under Miri two batches of more than one panel.
    for [batch, m, n, k] in if cfg!(miri) { &[[2, 5, 9, 7]][..] } else { &sizes }.iter().copied() {
        for _ in 0..if cfg!(miri) { 1 } else { 2 } {
            let (lhs, a) = random.layout(&[batch, m, k]);
            let (rhs, b) = random.layout(&[batch, k, n]);
            let (out, c) = random.layout(&[batch, m, n]);
            let dot = Dot {
                lhs: floats(&lhs),
                rhs: floats(&rhs),
                out: floats(&out),
                lhs_batch: vec![0],
                rhs_batch: vec![0],
                lhs_contracting: vec![2],
                rhs_contracting: vec![1],
            };
            check(&mut random, &Task::Dot(dot), [a, b, c], [true; 2]);
        }
    }
}

#[test]
fn convolutions_with_constant_kernels() {
    let mut random = Random::new(32);
    let window = |size: usize, stride: usize| Window {
        size,
        stride,
        low: 1,
        high: 1,
        base_dilation: 1,
        dilation: 1,
        is_reversed: false,
    };
    let features = [(1, 5, 9, 3), (3, 4, 8, 2), (1, 70, 20, 3), (2, 24, 24, 3)];
    // Under Miri two panels of output features, and one of positions.
    let image = if cfg!(miri) { [2, 3] } else { [13, 18] };
    for (groups, inputs, outputs, size) in
        if cfg!(miri) { &[(1, 2, 5, 2)][..] } else { &features }.iter().copied()
    {
        for stride in if cfg!(miri) { 1..=1 } else { 1..=2 } {
            let windows = vec![window(size, stride); 2];
            let positions: Vec<usize> =
                windows.iter().zip(image).map(|(window, size)| window.positions(size).unwrap()).collect();
            let (lhs, a) = random.layout(&[2, inputs * groups, image[0], image[1]]);
            let (rhs, b) = random.layout(&[outputs * groups, inputs, size, size]);
            let (out, c) = random.layout(&[2, outputs * groups, positions[0], positions[1]]);
            let task = Task::Convolution(Convolution {
                lhs: floats(&lhs),
                rhs: floats(&rhs),
                out: floats(&out),
                window: windows,
                feature_groups: groups,
                batch_groups: 1,
            });
            check(&mut random, &task, [a, b, c], [false, true]);
        }
    }
}
