//! Users, distances, neighbourhoods and metrics, compared with brute force.

use std::collections::{BTreeMap, BTreeSet};

use xla_hlo::{Computation, InstructionId};
use xla_inspect::flow::edge::{edges_from, edges_to};
use xla_inspect::flow::{
    Direction, Edge, Metrics, Neighbourhood, Reach, Users, critical_path, depends_on, distances,
};

use crate::modules;

/// The distances by relaxing every edge until nothing changes.
fn distances_by_relaxation(
    computation: &Computation,
    from: InstructionId,
    is_down: bool,
) -> Vec<Option<u32>> {
    let mut distances: Vec<Option<u32>> = vec![None; computation.instructions.len()];
    distances[from.index()] = Some(0);
    loop {
        let before = distances.clone();
        for (user, instruction) in computation.iter() {
            for operand in &instruction.operands {
                let (a, b) = if is_down { (*operand, user) } else { (user, *operand) };
                if let Some(distance) = distances[a.index()].map(|d| d + 1) {
                    let other = &mut distances[b.index()];
                    *other = Some(other.map_or(distance, |d| d.min(distance)));
                }
            }
        }
        if before == distances {
            return distances;
        }
    }
}

fn computations() -> impl Iterator<Item = Computation> {
    modules::samples().flat_map(|module| module.computations)
}

#[test]
fn distances_equal_brute_force() {
    for computation in computations() {
        let users = Users::new(&computation);
        for (id, _) in computation.iter() {
            let up = distances(&computation, &users, id, Direction::Operands);
            assert_eq!(up, distances_by_relaxation(&computation, id, false));
            let down = distances(&computation, &users, id, Direction::Users);
            assert_eq!(down, distances_by_relaxation(&computation, id, true));
            for (other, _) in computation.iter() {
                assert_eq!(depends_on(&computation, id, other), up[other.index()].is_some());
            }
        }
    }
}

#[test]
fn a_neighbourhood_is_what_is_within_reach() {
    for (seed, computation) in computations().enumerate() {
        let users = Users::new(&computation);
        let reach = Reach {
            operand_hops: u32::try_from(seed % 4).unwrap(),
            user_hops: u32::try_from(seed / 4 % 4).unwrap(),
            max_instructions: usize::MAX,
            max_branching: usize::MAX,
        };
        for (id, _) in computation.iter() {
            let found = Neighbourhood::new(&computation, &users, id, reach).unwrap();
            let up = distances_by_relaxation(&computation, id, false);
            let down = distances_by_relaxation(&computation, id, true);
            let mut expected: BTreeMap<InstructionId, i32> = BTreeMap::new();
            for (other, _) in computation.iter() {
                if let Some(distance) = up[other.index()].filter(|d| *d <= reach.operand_hops) {
                    expected.insert(other, -i32::try_from(distance).unwrap());
                }
                if let Some(distance) = down[other.index()].filter(|d| *d <= reach.user_hops) {
                    expected.insert(other, i32::try_from(distance).unwrap());
                }
            }
            let distances: BTreeMap<_, _> = found.instructions.iter().map(|n| (n.id, n.distance)).collect();
            assert_eq!(distances, expected);
            // The markers count exactly what is not shown, and the edges are those between what is shown.
            for neighbour in &found.instructions {
                let operands: BTreeSet<_> =
                    computation.get(neighbour.id).unwrap().operands.iter().copied().collect();
                let of_id = |i: &&InstructionId| !expected.contains_key(i);
                assert_eq!(neighbour.more_operands, operands.iter().filter(of_id).count());
                let users: BTreeSet<_> = computation
                    .iter()
                    .filter(|(_, user)| user.operands.contains(&neighbour.id))
                    .map(|(user, _)| user)
                    .collect();
                assert_eq!(neighbour.more_users, users.iter().filter(of_id).count());
            }
            let mut edges = Vec::new();
            for id in expected.keys() {
                let of_user = edges_to(&computation, *id).into_iter();
                edges.extend(of_user.filter(|edge| expected.contains_key(&edge.from)));
            }
            assert_eq!(found.edges, edges);
            assert!(!found.is_truncated);
        }
    }
}

#[test]
fn bounds_of_a_neighbourhood_are_marked() {
    let module = modules::star(5_000);
    let computation = module.entry_computation().unwrap();
    let users = Users::new(computation);
    let reach = Reach { max_branching: 10, ..Reach::default() };
    let around = Neighbourhood::new(computation, &users, InstructionId(0), reach).unwrap();
    // The parameter, ten users, and the tuple of all.
    assert_eq!((around.instructions.len(), around.is_truncated), (12, true));
    assert_eq!((around.instructions[0].more_users, around.instructions[11].more_operands), (4_990, 4_990));
    let reach = Reach { max_instructions: 5, ..reach };
    let around = Neighbourhood::new(computation, &users, InstructionId(0), reach).unwrap();
    assert_eq!((around.instructions.len(), around.is_truncated), (5, true));
    assert_eq!(Neighbourhood::new(computation, &users, InstructionId(9_999), reach), None);
    // Everything is within reach.
    let reach = Reach { max_branching: 5_000, max_instructions: 5_002, ..reach };
    let around = Neighbourhood::new(computation, &users, InstructionId(0), reach).unwrap();
    assert_eq!((around.instructions.len(), around.is_truncated), (5_002, false));
}

#[test]
fn edges_have_shape_layout_and_bytes() {
    let module = modules::module(
        "HloModule m ENTRY e { x = bf16[8,128]{0,1:T(8,128)} parameter(0) y = pred[] parameter(1)
        t = (bf16[8,128]{0,1:T(8,128)}, pred[]) tuple(x, y)
        g = pred[] get-tuple-element(t), index=1
        s = bf16[8,128]{0,1:T(8,128)} select(g, x, x)
        k = token[] after-all() ROOT r = (pred[], token[]) tuple(g, k) }",
    );
    let computation = module.entry_computation().unwrap();
    let id = |name| computation.find(name).unwrap();
    let edges = edges_to(computation, id("s"));
    assert_eq!(
        edges.iter().map(|e| (e.from, e.number, e.bytes)).collect::<Vec<_>>(),
        [(id("g"), 0, Some(1)), (id("x"), 1, Some(2_048)), (id("x"), 2, Some(2_048))]
    );
    assert_eq!(
        (edges[1].shape.as_str(), edges[1].layout.as_deref()),
        ("bf16[8,128]", Some("{0,1:T(8,128)}"))
    );
    assert_eq!(edges_from(computation, id("x"), &[id("s")]), edges[1..]);
    // Only the element of the tuple is read.
    let bytes = |name| edges_to(computation, id(name)).iter().map(|e: &Edge| e.bytes).collect::<Vec<_>>();
    assert_eq!(bytes("g"), [Some(1)]);
    assert_eq!(bytes("r"), [Some(1), Some(0)]);
}

#[test]
fn users_are_listed_once_and_numbers_count_all_uses() {
    for computation in computations() {
        let users = Users::new(&computation);
        let metrics = Metrics::new(&computation, &users);
        let mut edge_count = 0;
        for (id, _) in computation.iter() {
            let expected: Vec<_> = computation
                .iter()
                .filter(|(_, user)| user.operands.contains(&id))
                .map(|(user, _)| user)
                .collect();
            assert_eq!(users.users_of(id), expected);
            edge_count += computation.get(id).unwrap().operands.len();
        }
        assert_eq!((metrics.instructions, metrics.edges), (computation.instructions.len(), edge_count));
        let (path, length) = critical_path(&computation, |_| 1);
        assert_eq!((path.len(), length), (metrics.depth, metrics.depth as u64));
        for pair in path.windows(2) {
            assert!(computation.get(pair[1]).unwrap().operands.contains(&pair[0]));
        }
        // No chain is longer, by the powers of the adjacency relation.
        let mut ends: BTreeSet<InstructionId> = computation.iter().map(|(id, _)| id).collect();
        let mut longest = 0;
        while !ends.is_empty() {
            longest += 1;
            ends = ends.iter().flat_map(|id| users.users_of(*id).iter().copied()).collect();
        }
        assert_eq!(metrics.depth, longest);
    }
}

#[test]
fn the_critical_path_has_the_highest_cost() {
    let module = modules::module(
        "HloModule m ENTRY e { x = f32[4] parameter(0) a = f32[4] negate(x) b = f32[4] negate(a) c = f32[4] exponential(x)
        dead = f32[4] abs(b) ROOT r = f32[4] add(b, c) }",
    );
    let computation = module.entry_computation().unwrap();
    let names = |path: Vec<InstructionId>| {
        path.iter().map(|id| computation.get(*id).unwrap().name.clone()).collect::<Vec<_>>()
    };
    let (path, cost) = critical_path(computation, |_| 1);
    assert_eq!((names(path), cost), (["x", "a", "b", "dead"].map(str::to_owned).to_vec(), 4));
    let exponential = computation.find("c").unwrap();
    let (path, cost) = critical_path(computation, |id| if id == exponential { 10 } else { 1 });
    assert_eq!((names(path), cost), (["x", "c", "r"].map(str::to_owned).to_vec(), 12));
    let metrics = Metrics::new(computation, &Users::new(computation));
    assert_eq!((metrics.unused_by_root, metrics.width), (1, 2));
    assert_eq!(metrics.max_users.map(|(_, count)| count), Some(2));
    assert_eq!(critical_path(computation, |_| u64::MAX).1, u64::MAX);
}
