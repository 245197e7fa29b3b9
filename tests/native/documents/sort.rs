//! "Sort".

use super::{V2017, both, is};
use xla_playground::hlo::{ComputationBuilder, Evaluator};

#[test]
fn sort_has_no_comparator_in_2017() {
    let [now, then] = both("x = s32[4] constant({3, 1, 4, 1}) ROOT r = sort(x)");
    assert!(now.is_err());
    assert_eq!(then, is("s32[4] {1, 1, 3, 4}"));
    let b = ComputationBuilder::with_edition("e", V2017);
    b.sort(b.constant_r1(&[3, 1, 2]).unwrap()).unwrap();
    let module = b.build().unwrap();
    assert_eq!(Evaluator::new(&module).edition(V2017).run(&[]).unwrap().to_string(), "{1, 2, 3}");
}
