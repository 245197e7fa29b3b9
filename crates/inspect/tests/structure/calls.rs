//! The call graph, and the values on both sides of a call.

use xla_hlo::Module;
use xla_inspect::calls::links::Passing::{self, Carried, Element, Whole};
use xla_inspect::calls::links::{ResultUse, arguments_of, calling_instructions, links};
use xla_inspect::calls::{CallGraph, CallSite, Role};
use xla_ops::ComputationId;

use crate::modules;

/// Every call path from a root to a computation.
fn all_paths(calls: &CallGraph, target: ComputationId) -> Vec<Vec<CallSite>> {
    fn visit(
        calls: &CallGraph,
        at: ComputationId,
        target: ComputationId,
        path: &mut Vec<CallSite>,
        paths: &mut Vec<Vec<CallSite>>,
    ) {
        if at == target {
            paths.push(path.clone());
        }
        for call in calls.calls_in(at) {
            path.push(call.site);
            visit(calls, call.callee, target, path, paths);
            path.pop();
        }
    }
    let mut paths = Vec::new();
    for root in calls.roots() {
        visit(calls, *root, target, &mut Vec::new(), &mut paths);
    }
    paths
}

#[test]
fn calls_are_listed_in_both_directions() {
    for module in modules::samples() {
        let calls = CallGraph::new(&module);
        let (mut listed, mut found) = (Vec::new(), Vec::new());
        for id in (0..).map(ComputationId).take(module.computations.len()) {
            for (instruction, _) in module.get(id).unwrap().iter() {
                listed.extend(calls.calls_by((id, instruction)).iter().copied());
            }
            found.extend(calls.callers(id).copied());
            assert!(calls.callers(id).all(|call| call.callee == id));
        }
        assert_eq!(listed, calls.calls());
        assert!(listed.iter().all(|call| calls.get(call.site) == Some(call)));
        found.sort_by_key(|call| call.site);
        assert_eq!(found, calls.calls());
        let expected: usize = module
            .computations
            .iter()
            .flat_map(|c| &c.instructions)
            .map(|i| i.attrs.computations().count())
            .sum();
        assert_eq!(calls.calls().len(), expected);
    }
}

#[test]
fn paths_match_exhaustive_search() {
    for module in modules::samples().take(30) {
        let calls = CallGraph::new(&module);
        let counts = calls.path_counts();
        for id in (0..).map(ComputationId).take(module.computations.len()) {
            let mut expected = all_paths(&calls, id);
            let mut paths = calls.paths(id, usize::MAX);
            assert!(paths.iter().all(|path| calls.is_path(path)));
            assert_eq!(calls.paths(id, 2), paths[..paths.len().min(2)]);
            expected.sort();
            paths.sort();
            assert_eq!(paths, expected);
            assert_eq!(counts[id.0 as usize], paths.len() as u64);
        }
    }
}

#[test]
fn exponentially_many_paths_are_counted_without_visiting_them() {
    let module = modules::nested(100, 2);
    let calls = CallGraph::new(&module);
    assert_eq!(calls.path_counts()[0], u64::MAX, "2^99 saturates");
    assert_eq!(calls.path_counts()[60], 1 << 39);
    assert_eq!(calls.total_instructions(&module)[0], 2);
    assert_eq!(calls.total_instructions(&module)[2], 3 + 2 * (3 + 2 * 2));
    assert_eq!(calls.total_instructions(&module)[100], u64::MAX);
    let paths = calls.paths(ComputationId(0), 3);
    assert_eq!(paths.iter().map(Vec::len).collect::<Vec<_>>(), [100, 100, 100]);
    let deep = modules::nested(10_000, 1);
    assert_eq!(CallGraph::new(&deep).paths(ComputationId(0), 9).len(), 1);
}

fn find(module: &Module, name: &str) -> (ComputationId, xla_hlo::InstructionId) {
    let id = module.entry.unwrap();
    (id, module.get(id).unwrap().find(name).unwrap())
}

/// The links of one call: role, the operand of each parameter, and the use of the result.
type Links = (Role, Vec<(u32, Passing)>, ResultUse);

/// Ops that call computations, with the roles that have links.
const CALLERS: &str = "HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
add2 { a0 = f32[] parameter(0) a1 = f32[] parameter(1) b0 = f32[] parameter(2) b1 = f32[] parameter(3)
  p0 = f32[] add(a0, b0) p1 = f32[] add(a1, b1) ROOT t = (f32[], f32[]) tuple(p0, p1) }
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT l = pred[] compare(a, b), direction=LT }
less2 { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] parameter(2) d = f32[] parameter(3)
  ROOT l = pred[] compare(a, b), direction=LT }
half { a = f32[] parameter(0) ROOT h = f32[] negate(a) }
neg { a = f32[4]{0} parameter(0) ROOT n = f32[4]{0} negate(a) }
pos { a = f32[4]{0} parameter(0) ROOT n = f32[4]{0} abs(a) }
below { a = f32[4]{0} parameter(0) ROOT c = pred[] constant(false) }
ENTRY e {
  x = f32[4]{0} parameter(0) y = f32[4]{0} parameter(1) z = f32[] parameter(2) w = f32[] parameter(3)
  i = s32[] parameter(4) j = s32[2,1]{1,0} parameter(5) u = f32[2]{0} parameter(6)
  r1 = f32[] reduce(x, z), dimensions={0}, to_apply=add
  r2 = (f32[], f32[]) reduce(x, y, z, w), dimensions={0}, to_apply=add2
  o1 = f32[4]{0} sort(x), dimensions={0}, to_apply=less
  o2 = (f32[4]{0}, f32[4]{0}) sort(x, y), dimensions={0}, to_apply=less2
  m = f32[4]{0} map(x), dimensions={0}, to_apply=half
  f = f32[4]{0} fusion(y), kind=kLoop, calls=neg
  c = f32[4]{0} conditional(i, x, y), branch_computations={neg, pos}
  l = f32[4]{0} while(x), condition=below, body=neg
  p = f32[4]{0} select-and-scatter(x, u, z), window={size=2 stride=2}, select=less, scatter=add
  ROOT t = f32[4]{0} scatter(x, j, u), to_apply=add, update_window_dims={}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1
}";

#[test]
fn parameters_are_linked_with_the_operands_they_take() {
    let module = modules::module(CALLERS);
    let calls = CallGraph::new(&module);
    let of = |name: &str| -> Vec<Links> {
        let links = calls.calls_by(find(&module, name)).iter().map(|call| links(&module, call).unwrap());
        let operands = |links: &xla_inspect::calls::links::CallLinks| {
            links.parameters.iter().map(|link| (link.operands[0], link.passing)).collect()
        };
        links.map(|links| (links.call.role, operands(&links), links.result)).collect()
    };
    assert_eq!(of("r1"), [(Role::Reducer, vec![(1, Carried), (0, Element)], ResultUse::Carried)]);
    let parameters = vec![(2, Carried), (3, Carried), (0, Element), (1, Element)];
    assert_eq!(of("r2"), [(Role::Reducer, parameters, ResultUse::Carried)]);
    assert_eq!(of("o1"), [(Role::Comparator, vec![(0, Element); 2], ResultUse::Control)]);
    let parameters = vec![(0, Element), (0, Element), (1, Element), (1, Element)];
    assert_eq!(of("o2"), [(Role::Comparator, parameters, ResultUse::Control)]);
    assert_eq!(of("m"), [(Role::Mapped, vec![(0, Element)], ResultUse::Element)]);
    assert_eq!(of("f"), [(Role::Fused, vec![(0, Whole)], ResultUse::Result)]);
    let branch = |operand| (Role::Branch, vec![(operand, Whole)], ResultUse::Result);
    assert_eq!(of("c"), [branch(1), branch(2)]);
    let condition = (Role::Condition, vec![(0, Carried)], ResultUse::Control);
    assert_eq!(of("l"), [condition, (Role::Body, vec![(0, Carried)], ResultUse::Carried)]);
    let scatter = (Role::Reducer, vec![(1, Element), (2, Carried)], ResultUse::Carried);
    assert_eq!(of("p"), [(Role::Selector, vec![(0, Element); 2], ResultUse::Control), scatter]);
    assert_eq!(of("t"), [(Role::Reducer, vec![(0, Carried), (2, Element)], ResultUse::Carried)]);
    assert!(of("x").is_empty());
}

#[test]
fn arguments_and_results_lead_to_the_callers() {
    let module = modules::module(CALLERS);
    let calls = CallGraph::new(&module);
    let neg = module.find("neg").unwrap();
    let parameter = module.get(neg).unwrap().parameters[0];
    let arguments = arguments_of(&module, &calls, (neg, parameter), usize::MAX);
    let named = |name| find(&module, name);
    let operands: Vec<_> = arguments.iter().map(|(call, operands)| (call.role, operands.clone())).collect();
    let expected =
        [(Role::Fused, vec![named("y")]), (Role::Branch, vec![named("x")]), (Role::Body, vec![named("x")])];
    assert_eq!(operands, expected);
    assert_eq!(calling_instructions(&calls, neg, 2), [named("f"), named("c")]);
}
