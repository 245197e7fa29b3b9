//! "Select" (row 215).

use xla_playground::array::Edition;
use xla_playground::array::value::text::Exactness;
use xla_playground::hlo::{ComputationBuilder, Evaluator};

use super::{both, is};

#[test]
fn a_scalar_predicate_chooses_between_tuples_in_2017() {
    let text = "p = pred[] constant(false) x = s32[2] constant({1, 2}) y = s32[2] constant({3, 4})
        t = tuple(x, y) u = tuple(y, x) ROOT r = select(p, t, u)";
    assert_eq!(both(text), [Err("operand-array"), is("(s32[2], s32[2]) ( {3, 4}, {1, 2} )")]);
}

/// Row 250: the example's `pred` is a constant of Booleans, `ConstantR1<bool>`.
#[test]
fn the_predicate_of_the_example_is_a_constant_of_booleans() {
    for edition in [Edition::Current, Edition::V2017] {
        let b = ComputationBuilder::with_edition("select", edition);
        let pred = b.constant_r1(&[true, false, false, true]).unwrap();
        assert_eq!(b.shape(pred).unwrap().to_string(), "pred[4]{0}");
        let (v1, v2) = (b.constant_r1(&[1, 2, 3, 4]).unwrap(), b.constant_r1(&[100, 200, 300, 400]).unwrap());
        b.select(pred, v1, v2).unwrap();
        let result = Evaluator::new(&b.build().unwrap()).edition(edition).run(&[]).unwrap();
        assert_eq!(result.text_with_shape(Exactness::RoundTrip), "s32[4]{0} {1, 200, 300, 4}");
    }
    let b = ComputationBuilder::new("scalar");
    let not = b.logical_not(b.constant_r0(true).unwrap()).unwrap();
    assert_eq!(b.shape(not).unwrap().to_string(), "pred[]");
    assert_eq!(Evaluator::new(&b.build().unwrap()).run(&[]).unwrap().to_string(), "false");
    let b = ComputationBuilder::new("matrix");
    b.constant_r2(&[&[true, false], &[false, true]]).unwrap();
    let result = Evaluator::new(&b.build().unwrap()).run(&[]).unwrap();
    assert_eq!(result.shape().to_string(), "pred[2,2]{1,0}");
    assert_eq!(result.to_string(), "{ { 1, 0 }, { 0, 1 } }");
}
