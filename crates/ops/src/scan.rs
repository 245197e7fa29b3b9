//! `scan`: see [`Scan`].

use std::collections::BTreeSet;
use std::sync::Arc;

use super::call::check_shapes;
use super::{
    AttrKind, AttrSpec, Category, CellAt, CellOrigin, ComputationId, Data, DimensionsOf, Example, Formula,
    History, OpContext, OpDef, OpError, OpFuture, OpMeta, Operands, RandomPosition, Role, Rule, Semantics,
    Source, SuspendingOp, SuspendingRun,
};
use xla_array::index::Indices;
use xla_array::literal::LiteralTemplate;
use xla_array::{ArrayLiteral, ArrayShape, Dims, Shape};
use xla_messages::bug::OrBug;
use xla_messages::i18n::Message;

/// Iterates over arrays along a dimension. In each step, a computation maps their slices and the carries to slices of
/// the results and the next carries.
///
/// Operands are the arrays, then `num_carries` initial carries; the computation's parameters are the slices, without
/// the scanned dimension, then the carries. The result is a tuple of the stacked results, then the last carries; if
/// there is only one array, the result is that array. A cell's provenance goes back through the carries of all earlier
/// steps. Source: `HloScanInstruction` and `ScanExpander` of XLA.
pub struct Scan;

static META: OpMeta = OpMeta {
    opcode: "scan",
    title: "Scan",
    search_terms: &[],
    sections: &["Scan"],
    category: Category::Control,
    history: History::not_in_2017("instead-scan"),
    summary: "op-scan",
    formula: Formula::Words("formula-scan"),
    operands: Operands::any("array or carry"),
    inline_attr: None,
    attrs: &[
        AttrSpec::required("dimensions", AttrKind::Ints, "attr-scan-dimension")
            .dimensions_of(DimensionsOf::Operand(0)),
        AttrSpec::required("num_carries", AttrKind::Int, "attr-num-carries"),
        AttrSpec::optional("is_reverse", AttrKind::Bool, "attr-is-reverse"),
        AttrSpec::optional("is_associative", AttrKind::Bool, "attr-is-associative"),
        AttrSpec::required("to_apply", AttrKind::Computation, "attr-to-apply"),
    ],
    rules: &[
        Rule {
            identifier: "scan-1",
            description: "rule-num-carries",
            violated_by: "x = f32[2] parameter(0) ROOT r = scan(x), dimensions={0}, num_carries=1, to_apply={
                        a = f32[] parameter(0) }",
        },
        Rule {
            identifier: "scan-2",
            description: "rule-one-dimension",
            violated_by:
                "x = f32[2] parameter(0) ROOT r = scan(x), dimensions={0,1}, num_carries=0, to_apply={
                        a = f32[] parameter(0) }",
        },
        Rule {
            identifier: "scan-3",
            description: "rule-dimension-range",
            violated_by: "x = f32[2] parameter(0) ROOT r = scan(x), dimensions={1}, num_carries=0, to_apply={
                        a = f32[] parameter(0) }",
        },
        Rule {
            identifier: "scan-4",
            description: "rule-scan-sizes",
            violated_by: "x = f32[2] parameter(0) y = f32[3] parameter(1)
                        ROOT r = scan(x, y), dimensions={0}, num_carries=0, to_apply={
                        a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }",
        },
        Rule {
            identifier: "scan-5",
            description: "rule-argument-shape",
            violated_by: "x = f32[2] parameter(0) ROOT r = scan(x), dimensions={0}, num_carries=0, to_apply={
                        a = f32[1] parameter(0) }",
        },
        Rule {
            identifier: "scan-6",
            description: "rule-scan-carries",
            violated_by: "x = f32[2] parameter(0) i = s32[] parameter(1)
                        ROOT r = scan(x, i), dimensions={0}, num_carries=1, to_apply={
                        a = f32[] parameter(0) b = s32[] parameter(1) ROOT c = (s32[], f32[]) tuple(b, a) }",
        },
    ],
    examples: &[
        Example {
            title: "shows-running-sum",
            hlo: "x = s32[3] constant({1, 2, 3}) i = s32[] constant(10)
                  ROOT r = scan(x, i), dimensions={0}, num_carries=1, to_apply={
                  a = s32[] parameter(0) b = s32[] parameter(1) c = add(a, b) ROOT t = tuple(c, c) }",
            result: "(s32[3], s32[]) ( {11, 13, 16}, 16 )",
        },
        Example {
            title: "shows-from-the-end",
            hlo: "x = s32[2,3] constant({{1, 2, 3}, {4, 5, 6}}) i = s32[2] constant({0, 100})
                  s = scan(x, i), dimensions={1}, num_carries=1, is_reverse=true, to_apply={
                  a = s32[2] parameter(0) b = s32[2] parameter(1) c = add(a, b) ROOT t = tuple(b, c) }
                  ROOT r = get-tuple-element(s), index=0",
            result: "s32[2,3] { {5, 3, 0}, {111, 106, 100} }",
        },
    ],
};

/// The shape without dimension `d`, and the size of that dimension.
fn without_dimension(shape: &ArrayShape, d: usize) -> (ArrayShape, i64) {
    let mut sizes = shape.dimensions.clone();
    let size = sizes.remove(d);
    (ArrayShape::new(shape.element_type, sizes), size)
}

/// The elements of a tuple shape; any other shape is the only element.
fn elements(shape: &Shape) -> Vec<Shape> {
    if let Shape::Tuple(elements) = shape { elements.to_vec() } else { vec![shape.clone()] }
}

struct BoundScan {
    to_apply: ComputationId,
    dimension: usize,
    length: i64,
    is_reverse: bool,
    inputs: usize,
    carries: usize,
    /// The shapes of the stacked results.
    outputs: Vec<ArrayShape>,
    is_tuple: bool,
}

impl BoundScan {
    /// The coordinate of a step in the scanned dimension.
    fn coordinate(&self, step: i64) -> i64 {
        if self.is_reverse { self.length - 1 - step } else { step }
    }

    /// The slice of an array at a coordinate of the scanned dimension.
    fn slice(&self, array: &ArrayLiteral, coordinate: i64) -> Result<Data, OpError> {
        let (shape, _) = without_dimension(array.shape(), self.dimension);
        let mut slice = zeros(&shape)?;
        let mut indices = Indices::row_major(&shape.dimensions);
        while let Some(index) = indices.advance() {
            let value = array.get(&with_coordinate(index, self.dimension, coordinate));
            slice.set(index, value.or_bug(xla_array::Value::Int(0), "no such element"));
        }
        Ok(slice.into())
    }

    /// Runs all steps. Returns the stacked results, then the last carries. If `states` is given, pushes the arguments
    /// of each step and the random position before it.
    async fn run(
        &self,
        operands: &[Data],
        run: &mut dyn SuspendingRun,
        mut states: Option<&mut Vec<(Vec<Data>, RandomPosition)>>,
    ) -> Result<Vec<Data>, OpError> {
        for output in &self.outputs {
            let template = LiteralTemplate::new(output.clone());
            run.reserve_bytes(
                template.map_err(|error| OpError::new("scan", error.rule, error.message))?.held_bytes(),
            )?;
        }
        let mut outputs = self.outputs.iter().map(zeros).collect::<Result<Vec<_>, _>>()?;
        let (inputs, inits) = operands.split_at(self.inputs.min(operands.len()));
        let mut carries = inits.to_vec();
        for step in 0..self.length {
            let coordinate = self.coordinate(step);
            let mut arguments = Vec::new();
            for array in inputs.iter().filter_map(Data::as_array) {
                run.spend(
                    array.memory_map().slot_count().unsigned_abs() / self.length.max(1).unsigned_abs(),
                )?;
                arguments.push(self.slice(array, coordinate)?);
            }
            arguments.append(&mut carries);
            if let Some(states) = &mut states {
                let bytes = arguments.iter().filter_map(Data::as_array).map(ArrayLiteral::held_bytes);
                run.reserve_bytes(bytes.sum::<u64>().saturating_add(STATE_BYTES))?;
                states.push((arguments.clone(), run.random_position()));
            }
            let result = run.call(step.unsigned_abs(), self.to_apply, &arguments).await?;
            let parts = result.as_tuple().map_or_else(|| vec![result.clone()], <[Data]>::to_vec);
            for (output, part) in outputs.iter_mut().zip(&parts) {
                let Some(part) = part.as_array() else { continue };
                let mut indices = Indices::row_major(&part.shape().dimensions);
                while let Some(index) = indices.advance() {
                    run.spend(1)?;
                    if let Some(value) = part.get(index) {
                        output.set(&with_coordinate(index, self.dimension, coordinate), value);
                    }
                }
            }
            carries = parts.into_iter().skip(self.outputs.len()).collect();
        }
        Ok(outputs.into_iter().map(Data::from).chain(carries).collect())
    }
}

/// Estimated bytes of the recorded arguments of a step, without their arrays.
const STATE_BYTES: u64 = 1024;

fn zeros(shape: &ArrayShape) -> Result<ArrayLiteral, OpError> {
    ArrayLiteral::zeros(shape.clone()).map_err(|error| OpError::new("scan", error.rule, error.message))
}

/// The index with a coordinate inserted as dimension `d`.
fn with_coordinate(index: &[i64], d: usize, coordinate: i64) -> Dims {
    let mut index = Dims::from_slice(index);
    index.insert(d, coordinate);
    index
}

impl BoundScan {
    /// The cell at `path` and `index` in result `number` of the computation.
    fn result_cell(&self, number: usize, path: &[usize], index: Dims) -> CellAt {
        let path = self.is_tuple.then_some(number).into_iter().chain(path.iter().copied()).collect();
        CellAt { path, index }
    }

    /// The number of the result that a cell belongs to, and its path within that.
    fn split_result<'c>(&self, cell: &'c CellAt) -> (usize, &'c [usize]) {
        match cell.path.split_first() {
            Some((result, path)) if self.is_tuple => (*result, path),
            _ => (0, &cell.path[..]),
        }
    }

    async fn cell_sources(
        &self,
        operands: &[Data],
        cell: &CellAt,
        run: &mut dyn SuspendingRun,
    ) -> Result<Vec<Source>, OpError> {
        let mut states: Vec<(Vec<Data>, RandomPosition)> = Vec::new();
        self.run(operands, run, Some(&mut states)).await?;
        let (result, path) = self.split_result(cell);
        // Trace backwards from the last step: `traced` are cells of the computation's results in this step.
        let mut step = self.length - 1;
        let mut index = cell.index.clone();
        if result < self.outputs.len() {
            step = self.coordinate(index.remove(self.dimension));
        }
        let mut traced = BTreeSet::from([self.result_cell(result, path, index.clone())]);
        let mut found = BTreeSet::new();
        while step >= 0 && !traced.is_empty() {
            let state = usize::try_from(step).ok().and_then(|step| states.get(step));
            let Some((arguments, random_position)) = state else { break };
            let mut previous = BTreeSet::new();
            for cell in &traced {
                run.rewind(*random_position);
                for source in run.trace(step.unsigned_abs(), self.to_apply, arguments, cell).await? {
                    if source.operand < self.inputs {
                        let index =
                            with_coordinate(&source.cell.index, self.dimension, self.coordinate(step));
                        found.insert((source.operand, CellAt { path: source.cell.path, index }));
                    } else {
                        let number = self.outputs.len() + source.operand - self.inputs;
                        previous.insert(self.result_cell(number, &source.cell.path, source.cell.index));
                    }
                }
            }
            run.spend(previous.len() as u64)?;
            (traced, step) = (previous, step - 1);
        }
        // The remaining cells belong to the initial carries.
        for cell in traced {
            let number = cell.result();
            let path = cell.path.iter().skip(1).copied().collect();
            found.insert((self.inputs + number - self.outputs.len(), CellAt { path, index: cell.index }));
        }
        let source = |(operand, cell)| {
            let role = if operand < self.inputs { Role::Value } else { Role::Init };
            Source { operand, cell, role }
        };
        Ok(found.into_iter().map(source).collect())
    }
}

impl SuspendingOp for BoundScan {
    fn evaluate<'a>(&'a self, operands: &'a [Data], run: &'a mut dyn SuspendingRun) -> OpFuture<'a, Data> {
        Box::pin(async move {
            let mut parts = self.run(operands, run, None).await?;
            let last = |parts: &mut Vec<Data>| parts.pop().or_bug(Data::Token, "a scan without a result");
            Ok(if self.is_tuple { Data::Tuple(Arc::from(parts)) } else { last(&mut parts) })
        })
    }

    fn sources<'a>(
        &'a self,
        operands: &'a [Data],
        cell: &'a CellAt,
        run: &'a mut dyn SuspendingRun,
    ) -> OpFuture<'a, Vec<Source>> {
        Box::pin(self.cell_sources(operands, cell, run))
    }

    fn parameter_origin(&self, _: &[Data], nth: u64, parameter: usize, cell: &CellAt) -> CellOrigin {
        let Ok(step) = i64::try_from(nth) else { return CellOrigin::None };
        let Some(carry) = parameter.checked_sub(self.inputs) else {
            let index = with_coordinate(&cell.index, self.dimension, self.coordinate(step));
            return CellOrigin::Operand(parameter, CellAt { path: cell.path.clone(), index });
        };
        match nth.checked_sub(1) {
            Some(before) => {
                let cell = self.result_cell(self.outputs.len() + carry, &cell.path, cell.index.clone());
                CellOrigin::Result(before, self.to_apply, cell)
            }
            None => CellOrigin::Operand(parameter, cell.clone()),
        }
    }

    fn result_origins(
        &self,
        _: &[Data],
        _: &mut dyn FnMut() -> Result<u64, OpError>,
        cell: &CellAt,
    ) -> Result<Vec<CellOrigin>, OpError> {
        let (result, path) = self.split_result(cell);
        let mut index = cell.index.clone();
        let is_output = result < self.outputs.len();
        let step = if is_output { self.coordinate(index.remove(self.dimension)) } else { self.length - 1 };
        Ok(match u64::try_from(step) {
            Ok(nth) => {
                vec![CellOrigin::Result(nth, self.to_apply, self.result_cell(result, path, index))]
            }
            // Without steps, a carry is its initial value.
            Err(_) if !is_output => {
                let operand = self.inputs + result - self.outputs.len();
                vec![CellOrigin::Operand(operand, CellAt { path: path.into(), index })]
            }
            Err(_) => Vec::new(),
        })
    }
}

/// Checks all rules, and resolves the attributes.
fn bound_scan(cx: &OpContext) -> Result<BoundScan, OpError> {
    let count = usize::try_from(cx.int("num_carries")?).ok().filter(|n| *n < cx.operands.len());
    let Some(carries) = count else {
        let message = Message::ops("op-num-carries")
            .with("found", cx.int("num_carries")?)
            .with("operands", cx.operands.len());
        return Err(cx.error("scan-1", message).at_attr("num_carries"));
    };
    let [d] = cx.ints("dimensions") else {
        let message = Message::ops("op-one-dimension").with("found", cx.ints("dimensions").len());
        return Err(cx.error("scan-2", message).at_attr("dimensions"));
    };
    let inputs = cx.operands.len() - carries;
    // A negative dimension is out of range for every input.
    let dimension = usize::try_from(*d).unwrap_or(usize::MAX);
    let (mut arguments, mut length) = (Vec::new(), None);
    for i in 0..inputs {
        let array = cx.array(i)?;
        if dimension >= array.rank() {
            return Err(cx.out_of_range("scan-3", "dimensions", *d, array.rank()));
        }
        let (slice, size) = without_dimension(array, dimension);
        if *length.get_or_insert(size) != size {
            return Err(cx.size_mismatch("scan-4", i, 0));
        }
        arguments.push(Shape::Array(slice));
    }
    arguments.extend(cx.operands[inputs..].iter().map(|shape| (*shape).clone()));
    let (name, signature) = cx.signature("to_apply")?;
    check_shapes(cx, "scan-5", "to_apply", name, &arguments, &signature.parameters)?;
    let results = elements(&signature.result);
    let outputs = results.len().saturating_sub(carries);
    check_shapes(cx, "scan-6", "to_apply", name, &arguments[inputs..], &results[outputs..])?;
    // Without inputs, there are no iterations.
    let length = length.unwrap_or(0);
    let stacked = |shape: &Shape| {
        let array = shape.as_array().filter(|array| dimension <= array.rank());
        let array = array.ok_or_else(|| {
            let message =
                Message::ops("op-scan-result").with("name", name).with("found", shape.human_string());
            cx.error("scan-6", message).at_attr("to_apply")
        })?;
        Ok(ArrayShape::new(array.element_type, with_coordinate(&array.dimensions, dimension, length)))
    };
    Ok(BoundScan {
        to_apply: cx.computation("to_apply")?,
        dimension,
        length,
        is_reverse: cx.flag("is_reverse"),
        inputs,
        carries,
        outputs: results[..outputs].iter().map(stacked).collect::<Result<_, _>>()?,
        is_tuple: matches!(signature.result, Shape::Tuple(_)),
    })
}

impl OpDef for Scan {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let scan = bound_scan(cx)?;
        let mut results = Vec::new();
        for output in &scan.outputs {
            results.push(cx.result(output.element_type, output.dimensions.iter().copied())?);
        }
        results.extend(cx.operands[cx.operands.len() - scan.carries..].iter().map(|shape| (*shape).clone()));
        if scan.is_tuple {
            return Ok(Shape::Tuple(results.into()));
        }
        results.pop().ok_or_else(|| cx.error("scan-6", Message::ops("op-region-missing")))
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        Ok(Semantics::Suspending(Box::new(bound_scan(cx)?)))
    }

    fn is_default_attr(&self, name: &str, cx: &OpContext) -> bool {
        name == "is_reverse" && !cx.flag(name)
    }
}
