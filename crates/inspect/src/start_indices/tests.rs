//! Start indices are found behind what frameworks write around them.

use super::*;
use xla_array::{ArrayShape, ElementType, Value};
use xla_hlo::parse;

#[track_caller]
fn found(text: &str) -> StartIndices {
    StartIndices::of(&parse(&format!("HloModule m {text}")).into_module().unwrap())
}

#[test]
fn direct_start_indices_have_the_bounds_of_their_dimensions() {
    let of_gather = |indices: &str, map: &str| {
        found(&format!(
            "ENTRY e {{ x = f32[10,20] parameter(0) i = {indices} parameter(1)
            ROOT g = gather(x, i), offset_dims={{1,2}}, collapsed_slice_dims={{}}, start_index_map={map},
            index_vector_dim=1, slice_sizes={{1,5}} }}"
        ))
    };
    assert_eq!(of_gather("s32[6,2]", "{1,0}").bound(1), Some(&Bound::Along(1, vec![15, 9])));
    assert_eq!(of_gather("u8[6,1]", "{1}").bound(1), Some(&Bound::Same(15)));
    assert_eq!(of_gather("s32[6,2]", "{1,0}").bound(0), None);
    let scatter = found(
        "a { p = f32[] parameter(0) q = f32[] parameter(1) ROOT r = add(p, q) }
        ENTRY e { x = f32[10,20] parameter(0) i = s32[6,1] parameter(1) u = f32[6,20] parameter(2)
        ROOT s = scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0},
        index_vector_dim=1, to_apply=a }",
    );
    assert_eq!(scatter.bound(1), Some(&Bound::Same(9)));
    let update = found(
        "ENTRY e { x = f32[10,20] parameter(0) u = f32[3,20] parameter(1) i = s64[] parameter(2) j = s64[] parameter(3)
        ROOT s = f32[10,20] dynamic-update-slice(x, u, i, j) }",
    );
    assert_eq!([update.bound(2), update.bound(3)], [Some(&Bound::Same(7)), Some(&Bound::Same(0))]);
}

#[test]
fn wrapped_indices_in_called_computations_are_found() {
    // As JAX writes x[i, j]: negative indices count from the end, both coordinates are concatenated.
    let take = found(
        "take { x = f32[10,20] parameter(0) i = s32[6] parameter(1) j = s32[6] parameter(2)
          z = s32[] constant(0) zb = s32[6] broadcast(z), dimensions={} n = s32[] constant(10) nb = s32[6] broadcast(n), dimensions={}
          l = pred[6] compare(i, zb), direction=LT a = s32[6] add(i, nb) w = s32[6] select(l, a, i)
          wi = s32[6,1] reshape(w) wj = s32[6,1] reshape(j) c = s32[6,2] concatenate(wi, wj), dimensions={1}
          ROOT g = f32[6] gather(x, c), offset_dims={}, collapsed_slice_dims={0,1}, start_index_map={0,1}, index_vector_dim=1,
          slice_sizes={1,1} }
        ENTRY e { x = f32[10,20] parameter(0) i = s32[6] parameter(1) j = s32[6] parameter(2) k = s32[6] parameter(3)
          y = f32[6] call(x, i, j), to_apply=take s = s32[6] add(i, k) ROOT t = tuple(y, s) }",
    );
    assert_eq!([take.bound(1), take.bound(2)], [Some(&Bound::Same(9)), Some(&Bound::Same(19))]);
    assert_eq!(take.bound(3), None, "another use of a start index says nothing");
}

#[test]
fn loops_carry_start_indices() {
    let scan = found(
        "body { s = (s32[], f32[8], s32[4]) parameter(0) n = s32[] get-tuple-element(s), index=0 x = f32[8] get-tuple-element(s), index=1
          i = s32[4] get-tuple-element(s), index=2 o = s32[] constant(1) m = s32[] add(n, o)
          c = s32[1] dynamic-slice(i, n), dynamic_slice_sizes={1} r = s32[] reshape(c)
          d = f32[2] dynamic-slice(x, r), dynamic_slice_sizes={2} p = f32[8] dynamic-update-slice(x, d, n)
          ROOT t = tuple(m, p, i) }
        cond { s = (s32[], f32[8], s32[4]) parameter(0) n = s32[] get-tuple-element(s), index=0 l = s32[] constant(4)
          ROOT c = compare(n, l), direction=LT }
        ENTRY e { x = f32[8] parameter(0) z = s32[] constant(0) i = s32[4] parameter(1) t = tuple(z, x, i)
          ROOT w = while(t), condition=cond, body=body }",
    );
    // The slices of an array of start indices are start indices, too.
    assert_eq!(scan.bound(1), Some(&Bound::Same(6)));
}

#[test]
fn branches_that_share_a_computation_each_pass_their_own_operand() {
    let branches = found(
        "take { p = (f32[8], s32[]) parameter(0) x = f32[8] get-tuple-element(p), index=0 i = s32[] get-tuple-element(p), index=1
          ROOT d = f32[2] dynamic-slice(x, i), dynamic_slice_sizes={2} }
        ENTRY e { x = f32[8] parameter(0) i = s32[] parameter(1) j = s32[] parameter(2) c = pred[] parameter(3)
          t = tuple(x, i) u = tuple(x, j)
          ROOT r = f32[2] conditional(c, t, u), true_computation=take, false_computation=take }",
    );
    assert_eq!([branches.bound(1), branches.bound(2)], [Some(&Bound::Same(6)), Some(&Bound::Same(6))]);
}

#[test]
fn random_start_indices_are_in_bounds() {
    let shape = ArrayShape::new(ElementType::S32, [50, 2]);
    let bound = Bound::Along(1, vec![3, 1000]);
    let drawn = bound.random(&shape, 7).unwrap();
    let column = |at: i64| (0..50).map(|row| drawn.get(&[row, at]).unwrap()).collect::<Vec<_>>();
    let within = |max: i64| move |value: &Value| matches!(value, Value::Int(n) if (0..=max).contains(n));
    assert!(column(0).iter().all(within(3)) && column(1).iter().all(within(1000)), "{drawn:?}");
    // Every start of the first dimension appears, and large ones of the second.
    assert!((0..=3).all(|n| column(0).contains(&Value::Int(n))));
    assert!(!column(1).iter().all(within(99)));
    assert_eq!(
        bound.random(&shape, 7).unwrap().values().collect::<Vec<_>>(),
        drawn.values().collect::<Vec<_>>()
    );
    let narrow = Bound::Same(1000).random(&ArrayShape::new(ElementType::S8, [50]), 1).unwrap();
    assert!(narrow.values().all(|value| within(127)(&value)));
}
