//! `scatter`: see [`Scatter`].

use std::fmt::Write;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::export::tuple;
use super::indexing::{AttrNames, DimensionNumbers};
use super::read::UNSET;
use super::reduce::check_reducer;
use super::{
    AttrKind, AttrSpec, AttrValue, Category, CellAt, Data, DimensionsOf, EagerOp, Example, ExportContext,
    Expression, Formula, History, Language, OpContext, OpDef, OpError, OpMeta, Operands, Region, Role, Run,
    Semantics, Source,
};
use xla_array::index::Indices;
use xla_array::{ArrayLiteral, ArrayShape, Dims, ElementType, Shape, Value};
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// Combines windows of updates with windows of an array, which start at index vectors, by a computation.
///
/// A window that is partly out of bounds is dropped. XLA does not specify the order of updates; here it is the
/// row-major order of the index vectors, as on XLA's CPU backend. Several operands need as many updates, a computation
/// with twice as many parameters (current elements first); the result is a tuple. The sources of a result cell are the
/// operand's cell, the updates written to it, and of each index vector all components if its window covers the cell,
/// else one component that moves the window elsewhere. Source: XLA's operation semantics, "Scatter";
/// `ShapeInference::InferScatterShape`, XLA's `ScatterExpander`.
pub struct Scatter;

static META: OpMeta = OpMeta {
    opcode: "scatter",
    title: "Scatter",
    search_terms: &["index_add", "segment_sum", "embedding gradient"],
    sections: &["Scatter"],
    category: Category::Reduction,
    history: History::not_in_2017("instead-scatter"),
    summary: "op-scatter",
    formula: Formula::Symbols("out[start(batch) + offset] = to_apply(out[start(batch) + offset], updates[batch, offset])"),
    operands: Operands::at_least(&["operand", "scatter indices", "updates"], "operand or updates"),
    inline_attr: None,
    attrs: &[
        AttrSpec::required("update_window_dims", AttrKind::Ints, "attr-update-window-dims").dimensions_of(DimensionsOf::LastOperand),
        AttrSpec::required("inserted_window_dims", AttrKind::Ints, "attr-inserted-window-dims").dimensions_of(DimensionsOf::Operand(0)),
        AttrSpec::required("scatter_dims_to_operand_dims", AttrKind::Ints, "attr-index-map").dimensions_of(DimensionsOf::Operand(0)),
        AttrSpec::optional("input_batching_dims", AttrKind::Ints, "attr-operand-batching-dims").dimensions_of(DimensionsOf::Operand(0)),
        AttrSpec::optional("scatter_indices_batching_dims", AttrKind::Ints, "attr-indices-batching-dims").dimensions_of(DimensionsOf::ScatterIndices),
        AttrSpec::required("index_vector_dim", AttrKind::Int, "attr-index-vector-dim").dimensions_of(DimensionsOf::ScatterIndices),
        AttrSpec::optional("indices_are_sorted", AttrKind::Bool, "attr-indices-are-sorted"),
        AttrSpec::optional("unique_indices", AttrKind::Bool, "attr-unique-indices"),
        AttrSpec::required("to_apply", AttrKind::Computation, "attr-reducer"),
    ],
    rules: super::scatter_rules::RULES,
    examples: &[
Example {
 title: "shows-rows-added",
 hlo: "x = s32[3,2] constant({{1,2},{3,4},{5,6}}) i = s32[2] constant({2, 0})
                  u = s32[2,2] constant({{10,20},{30,40}})
                  ROOT r = scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0},
                  scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply={
                  a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = add(a, b) }",
 result: "s32[3,2] { {31, 42}, {3, 4}, {15, 26} }",
 },
Example {
 title: "shows-rows-replaced",
            hlo: "x = s32[3,2] constant({{1,2},{3,4},{5,6}}) i = s32[3] constant({2, 0, 2})
                  u = s32[3,2] constant({{10,20},{30,40},{50,60}})
                  ROOT r = scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0},
                  scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply={
                  a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = copy(b) }",
            result: "s32[3,2] { {30, 40}, {3, 4}, {50, 60} }",
        },
Example {
 title: "shows-block-outside",
            hlo: "x = s32[4,4] constant({{0,0,0,0},{0,0,0,0},{0,0,0,0},{0,0,0,0}}) i = s32[2,2] constant({{0,1},{2,3}})
                  u = s32[2,2,2] constant({{{1,2},{3,4}},{{5,6},{7,8}}})
                  ROOT r = scatter(x, i, u), update_window_dims={1,2}, inserted_window_dims={},
                  scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply={
                  a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = add(a, b) }",
            result: "s32[4,4] { {0, 1, 2, 0}, {0, 3, 4, 0}, {0, 0, 0, 0}, {0, 0, 0, 0} }",
        },
Example {
 title: "shows-index-dropped",
            hlo: "x = f32[5] constant({10, 11, 12, 13, 14}) i = s32[4,1] constant({{-1}, {0}, {4}, {9}})
                  u = f32[4] constant({1, 2, 3, 4})
                  ROOT r = scatter(x, i, u), update_window_dims={}, inserted_window_dims={0},
                  scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply={
                  a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = add(a, b) }",
            result: "f32[5] {12, 11, 12, 13, 17}",
        },
],
};

static NAMES: AttrNames = AttrNames {
    window: "update_window_dims",
    dropped: "inserted_window_dims",
    map: "scatter_dims_to_operand_dims",
    operand_batching: "input_batching_dims",
    indices_batching: "scatter_indices_batching_dims",
    rules: [
        "scatter-1",
        "scatter-2",
        "scatter-3",
        "scatter-4",
        "scatter-5",
        "scatter-6",
        "scatter-7",
        "scatter-8",
        "scatter-9",
    ],
};

/// The number of scattered arrays, which is also the operand number of the indices.
fn input_count(cx: &OpContext) -> usize {
    cx.operands.len() / 2
}

/// Checks that operands and updates are pairs of the same sizes and match the computation.
fn check_operands(cx: &OpContext, arrays: &[&ArrayShape]) -> Result<(), OpError> {
    let count = input_count(cx);
    let (operands, updates) = (&arrays[..count], &arrays[count + 1..]);
    for (first, group) in [(0, operands), (count + 1, updates)] {
        if let Some(i) = group.iter().position(|array| array.dimensions != group[0].dimensions) {
            return Err(cx.size_mismatch("scatter-11", first + i, first));
        }
    }
    let types: Vec<ElementType> = operands.iter().map(|array| array.element_type).collect();
    check_reducer(cx, "to_apply", &types, ["scatter-12", "scatter-13"])?;
    for (i, (update, t)) in updates.iter().zip(&types).enumerate() {
        if update.element_type != *t {
            let message = Message::ops("op-updates-type")
                .with("found", update.human_string())
                .with("expected", t.to_string());
            let error = cx.error("scatter-13", message).at_operand(count + 1 + i);
            return Err(cx.with_conversion(error, count + 1 + i, *t));
        }
    }
    Ok(())
}

/// Checks the sizes of the updates against operand and indices.
fn check_updates(
    cx: &OpContext,
    operand: &ArrayShape,
    updates: &ArrayShape,
    n: &DimensionNumbers,
) -> Result<(), OpError> {
    let at = input_count(cx) + 1;
    if n.window.len() != n.operand_window.len() {
        let message = Message::ops("op-gather-window")
            .with("found", n.window.len())
            .with("kept", n.operand_window.len());
        return Err(cx.error("scatter-15", message).at_attr(NAMES.window));
    }
    for (d, operand_dim) in n.window.iter().zip(&n.operand_window) {
        let (found, size) = (updates.dimensions[*d], operand.dimensions[*operand_dim]);
        if found > size {
            let message = Message::ops("op-slice-fits")
                .with("dimension", *operand_dim)
                .with("found", found)
                .with("size", size);
            return Err(cx.error("scatter-16", message).at_operand(at));
        }
    }
    for (d, size) in n.batch.iter().zip(&n.batch_sizes) {
        let found = updates.dimensions[*d];
        if found != *size {
            let message = Message::ops("op-updates-batch")
                .with("dimension", *d)
                .with("found", found)
                .with("size", *size);
            return Err(cx.error("scatter-17", message).at_operand(at));
        }
    }
    Ok(())
}

struct BoundScatter {
    numbers: DimensionNumbers,
    /// The sizes of the operands.
    sizes: Dims,
    /// The sizes of a window, one per dimension of the operand.
    window: Dims,
    /// The sizes of the updates.
    updates: Dims,
    region: Arc<Region>,
    /// The number of scattered arrays.
    count: usize,
    is_tuple: bool,
}

fn array(data: Option<&Data>) -> Option<&ArrayLiteral> {
    data.and_then(Data::as_array)
}

impl BoundScatter {
    /// Component `k` of the index vector of the window at `batch`.
    fn start_component(&self, operands: &[Data], batch: &[i64], k: usize) -> i64 {
        let value =
            array(operands.get(self.count)).and_then(|i| i.get(&self.numbers.component_index(batch, k)));
        // -1 is out of bounds, so that the window is dropped.
        value.or_bug(Value::Int(-1), "no such component of the indices").as_index()
    }

    /// Whether a window that starts at `start` in dimension `d` is in bounds.
    fn is_in_bounds(&self, d: usize, start: i64) -> bool {
        start >= 0 && start <= self.sizes[d] - self.window[d]
    }

    /// The start index of a window in the operand; `None` if the window is out of bounds and dropped.
    fn window_start(&self, operands: &[Data], batch: &[i64]) -> Option<Dims> {
        let mut starts = Dims::from_elem(0, self.sizes.len());
        for (k, d) in self.numbers.map.iter().enumerate() {
            let start = self.start_component(operands, batch, k);
            if !self.is_in_bounds(*d, start) {
                return None;
            }
            starts[*d] = start;
        }
        // Dimensions without an index component start at 0.
        (0..starts.len()).all(|d| self.is_in_bounds(d, starts[d])).then_some(starts)
    }

    /// The index of the update that the window at `batch` writes to a cell of the operand, or the number of the first
    /// index component that moves the window elsewhere; `None` if no start index covers the cell.
    fn update_for(&self, operands: &[Data], batch: &[i64], cell: &[i64]) -> Option<Result<Dims, usize>> {
        let n = &self.numbers;
        if n.batching.iter().any(|(d, position)| cell[*d] != batch[*position]) {
            return None;
        }
        let mut offset: Dims = cell.into();
        let is_covered = |d: usize, offset: i64| (0..self.window[d]).contains(&offset);
        let is_batching = |d: &usize| n.batching.iter().any(|(operand_dim, _)| operand_dim == d);
        let starts_at_0 = |d: &usize| !n.map.contains(d) && !is_batching(d);
        if (0..self.sizes.len())
            .filter(starts_at_0)
            .any(|d| !is_covered(d, cell[d]) || !self.is_in_bounds(d, 0))
        {
            return None;
        }
        for (k, d) in n.map.iter().enumerate() {
            let start = self.start_component(operands, batch, k);
            if !self.is_in_bounds(*d, start) || !is_covered(*d, cell[*d] - start) {
                return Some(Err(k));
            }
            offset[*d] -= start;
        }
        let mut update = Dims::from_elem(0, self.updates.len());
        for (d, operand_dim) in n.window.iter().zip(&n.operand_window) {
            update[*d] = offset[*operand_dim];
        }
        for (d, at) in n.batch.iter().zip(batch) {
            update[*d] = *at;
        }
        Some(Ok(update))
    }

    /// Calls `visit` for every index vector, in row-major order.
    fn for_each_batch(&self, mut visit: impl FnMut(&[i64]) -> Result<(), OpError>) -> Result<(), OpError> {
        // Empty updates write nothing, whatever the number of windows.
        if self.updates.contains(&0) {
            return Ok(());
        }
        let mut batches = Indices::row_major(&self.numbers.batch_sizes);
        while let Some(batch) = batches.advance() {
            visit(batch)?;
        }
        Ok(())
    }

    /// Combines the updates of one window with the current elements of the results.
    fn write(
        &self,
        operands: &[Data],
        batch: &[i64],
        starts: &[i64],
        results: &mut [ArrayLiteral],
        run: &mut dyn Run,
    ) -> Result<(), OpError> {
        let n = &self.numbers;
        let mut first = Dims::from_elem(0, self.updates.len());
        for (d, at) in n.batch.iter().zip(batch) {
            first[*d] = *at;
        }
        let mut window = Indices::along(&first, &self.updates, n.window.iter().copied());
        let (mut arguments, mut values) = (vec![UNSET; 2 * self.count], vec![UNSET; self.count]);
        while let Some(update) = window.advance() {
            let mut index = n.window_offset(update);
            index.iter_mut().zip(starts).for_each(|(index, start)| *index += start);
            for k in 0..self.count {
                arguments[k] = results[k].get(&index).or_bug(Value::Int(0), "no such element of the operand");
                let updates = array(operands.get(self.count + 1 + k));
                arguments[self.count + k] =
                    updates.and_then(|u| u.get(update)).or_bug(Value::Int(0), "no such update");
            }
            self.region.run(&arguments, &mut values);
            for (result, value) in results.iter_mut().zip(&values) {
                result.set(&index, *value);
            }
            run.spend(2 + self.region.cost())?;
        }
        Ok(())
    }
}

impl EagerOp for BoundScatter {
    fn evaluate(&self, operands: &[Data], run: &mut dyn Run) -> Result<Data, OpError> {
        let arrays: Vec<&ArrayLiteral> =
            operands.iter().take(self.count).filter_map(Data::as_array).collect();
        run.spend(arrays.iter().map(|array| array.memory_map().slot_count().unsigned_abs()).sum())?;
        let mut results: Vec<ArrayLiteral> = arrays.into_iter().cloned().collect();
        let window_elements: i64 = self.numbers.window.iter().map(|d| self.updates[*d]).product();
        let steps_per_vector = 1 + self.numbers.map.len() as u64;
        self.for_each_batch(|batch| {
            run.spend(steps_per_vector)?;
            if let Some(starts) = self.window_start(operands, batch)
                && window_elements > 0
            {
                self.write(operands, batch, &starts, &mut results, run)?;
            }
            Ok(())
        })?;
        if self.is_tuple {
            return Ok(Data::Tuple(results.into_iter().map(Data::from).collect()));
        }
        Ok(results.pop().map_or(Data::Token, Data::from))
    }

    fn sources(&self, operands: &[Data], cell: &CellAt, run: &mut dyn Run) -> Result<Vec<Source>, OpError> {
        let mut found = Vec::new();
        let mut updates_of_cell = Vec::new();
        let source = |operand, index: &[i64], role| Source { operand, cell: CellAt::array(index), role };
        let steps_per_vector = 1 + self.numbers.map.len() as u64;
        self.for_each_batch(|batch| {
            run.spend(steps_per_vector)?;
            let components = match self.update_for(operands, batch, &cell.index) {
                None => 0..0,
                Some(Err(k)) => k..k + 1,
                Some(Ok(update)) => {
                    updates_of_cell.push(update);
                    0..self.numbers.map.len()
                }
            };
            found.extend(
                components.map(|k| source(self.count, &self.numbers.component_index(batch, k), Role::Start)),
            );
            Ok(())
        })?;
        // Backwards from the last update, since the computation may ignore the current element.
        let mut needed = vec![false; self.count];
        needed[cell.result().min(self.count - 1)] = true;
        for update in updates_of_cell.iter().rev() {
            let results = (0..self.count).filter(|k| needed[*k]);
            let used: BTreeSet<usize> = results.flat_map(|k| self.region.parameters_of_result(k)).collect();
            needed = (0..self.count).map(|k| used.contains(&k)).collect();
            // Parameter `count + k` is operand `count + 1 + k`: the indices are in between.
            let updates = used.into_iter().filter(|parameter| *parameter >= self.count);
            found.extend(updates.map(|parameter| source(parameter + 1, update, Role::Update)));
        }
        let needed_operands = (0..self.count).filter(|k| needed[*k]);
        found.extend(needed_operands.map(|k| source(k, &cell.index, Role::Value)));
        Ok(found)
    }
}

impl OpDef for Scatter {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn is_default_attr(&self, name: &str, cx: &OpContext) -> bool {
        match cx.attrs.get(name) {
            Some(AttrValue::Ints(numbers)) => name.ends_with("batching_dims") && numbers.is_empty(),
            Some(AttrValue::Bool(is_set)) => !is_set,
            _ => false,
        }
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        if cx.operands.len().is_multiple_of(2) {
            let message = Message::ops("op-scatter-operands").with("found", cx.operands.len());
            return Err(cx.error("scatter-10", message));
        }
        let (arrays, count) = (cx.arrays()?, input_count(cx));
        let (operand, indices, updates) = (cx.array(0)?, cx.array(count)?, cx.array(count + 1)?);
        let vector_dim = DimensionNumbers::check_vector_dim(cx, count, &NAMES)?;
        check_operands(cx, &arrays)?;
        let numbers = DimensionNumbers::check(cx, operand, indices, vector_dim, &NAMES)?;
        let rank = numbers.batch.len() + numbers.window.len();
        if updates.rank() != rank {
            let message =
                Message::ops("op-updates-rank").with("found", updates.human_string()).with("rank", rank);
            return Err(cx.error("scatter-14", message).at_operand(count + 1));
        }
        check_updates(cx, operand, updates, &numbers)?;
        let mut results: Vec<Shape> =
            arrays[..count].iter().map(|array| Shape::Array((*array).clone())).collect();
        if let [result] = results.as_mut_slice() {
            return Ok(std::mem::replace(result, Shape::Token));
        }
        Ok(Shape::Tuple(results.into()))
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let count = input_count(cx);
        let (operand, indices, updates) = (cx.array(0)?, cx.array(count)?, cx.array(count + 1)?);
        let vector_dim = DimensionNumbers::check_vector_dim(cx, count, &NAMES)?;
        let numbers = DimensionNumbers::check(cx, operand, indices, vector_dim, &NAMES)?;
        let mut window = Dims::from_elem(1, operand.rank());
        for (d, operand_dim) in numbers.window.iter().zip(&numbers.operand_window) {
            window[*operand_dim] = updates.dimensions[*d];
        }
        Ok(Semantics::Eager(Box::new(BoundScatter {
            numbers,
            sizes: operand.dimensions.clone(),
            window,
            updates: updates.dimensions.clone(),
            region: cx.region("to_apply")?,
            count,
            is_tuple: count > 1,
        })))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        if to.language != Language::Jax || to.names.len() != 3 {
            return None;
        }
        // JAX has no scatter with an arbitrary computation.
        let name = match to.expression("to_apply", &["x", "y"])?.as_str() {
            "y" => "scatter",
            "lax.add(x, y)" => "scatter_add",
            "lax.mul(x, y)" => "scatter_mul",
            "lax.min(x, y)" => "scatter_min",
            "lax.max(x, y)" => "scatter_max",
            _ => return None,
        };
        let ints = |name: &'static str| tuple(to.cx.ints(name));
        let (indices, batching) = super::indexing::vectors_last(to, 1, "scatter_indices_batching_dims")?;
        let mut numbers = format!(
            "lax.ScatterDimensionNumbers({}, {}, {}",
            ints("update_window_dims"),
            ints("inserted_window_dims"),
            ints("scatter_dims_to_operand_dims")
        );
        if !batching.is_empty() {
            let _ = write!(numbers, ", {}, {}", ints("input_batching_dims"), tuple(batching));
        }
        let (x, updates) = (to.name(0), to.name(2));
        Some(format!("lax.{name}({x}, {indices}, {updates}, {numbers}), mode=\"drop\")").into())
    }
}
