//! The setups of the Speed screen: task and HLO text compute the same, in every layout.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use xla_playground::array::literal::Native;
use xla_playground::array::{ArrayLiteral, Literal};
use xla_playground::hlo::eval::kernel::{InProcess, Kernels, KernelsError};
use xla_playground::hlo::parser::parse;
use xla_playground::hlo::{Evaluator, Limits};
use xla_playground::kernels::KernelError;
use xla_playground::state::speed::ops::{DimsRole, Sizes};
use xla_playground::state::speed::{OPS, Setup, task};

/// Small and odd sizes for an op.
fn small(setup: &mut Setup) {
    match setup.op.sizes {
        Sizes::Named(names) => setup.sizes = [3, 5, 4, 2, 3][..names.len()].to_vec(),
        Sizes::Dimensions { .. } => setup.sizes = vec![3, 4, 5],
    }
    setup.dims = match setup.op.dims_role {
        DimsRole::None => vec![],
        DimsRole::Reduced => vec![0, 2],
        DimsRole::Permutation => vec![2, 0, 1],
    };
    assert!(setup.has_valid_sizes() && setup.clone().with_valid_dims() == *setup, "{setup:?}");
}

#[test]
fn task_and_text_are_the_same() {
    let mut served = 0;
    for op in OPS {
        let mut setup = Setup::new(op);
        small(&mut setup);
        for orders in setup.orders() {
            let context = format!("{} {}", op.name, setup.order_text(&orders));
            let prepared = task::task(&setup, Some(&orders)).unwrap();
            assert!(prepared.task.check(&prepared.input_lengths, &[prepared.output_length]), "{context}");
            let values = prepared.values();
            let source = task::hlo(&setup, Some(&orders));
            let parsed = parse(&source);
            assert!(parsed.error().is_none(), "{context}: {:?}\n{source}", parsed.error());
            let module = parsed.module;
            // The same memory on both sides: only the layouts differ.
            let buffers: Vec<_> = values.into_iter().map(f32::into_buffer).collect();
            let entry = module.entry_computation().unwrap();
            let mut arguments = Vec::new();
            for (id, cells) in entry.parameters.iter().zip(&buffers) {
                let mut literal =
                    ArrayLiteral::zeros(entry.get(*id).unwrap().shape.as_array().unwrap().clone()).unwrap();
                literal.as_mut_slice::<f32>().unwrap().copy_from_slice(cells.as_slice::<f32>().unwrap());
                arguments.push(Literal::Array(literal));
            }
            let Literal::Array(expected) =
                Evaluator::new(&module).limits(Limits::default()).run(&arguments).unwrap()
            else {
                panic!("{context}: no array")
            };
            let mut out = f32::into_buffer(vec![0.0; prepared.output_length]);
            let read: Vec<_> = buffers.iter().collect();
            match InProcess::default().run(&prepared.task, &read, &mut [&mut out], &mut |_| true) {
                Ok(_) => served += 1,
                Err(stop) => {
                    assert_eq!(stop, KernelsError::Stopped(KernelError::NoKernel), "{context}");
                    continue;
                }
            }
            let pairs = out.as_slice::<f32>().unwrap().iter().zip(expected.as_slice::<f32>().unwrap());
            for (found, wanted) in pairs {
                assert!((found - wanted).abs() <= 1e-5, "{context}: {found} for {wanted}");
            }
        }
    }
    assert!(served > 20, "{served}");
}
