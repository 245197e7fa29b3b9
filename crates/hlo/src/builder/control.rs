//! Tuples, and operations that call computations: call, map, while.

use super::{ComputationBuilder, Op, ints};
use crate::module::Module;
use crate::verify;
use xla_array::{ArrayShape, Dims, Edition, ElementType, Literal, Shape};
use xla_messages::i18n::Message;
use xla_ops::{AttrValue, Attrs, ComputationId, OpError};

/// Tuples, calls and loops.
impl ComputationBuilder {
    /// `Tuple`: a tuple of values, which may be empty or nested. Section: Tuple.
    ///
    /// ```
    /// # use xla_hlo::ComputationBuilder;
    /// let b = ComputationBuilder::new("e");
    /// let v = b.parameter(0, &"f32[10]".parse()?, "v")?;
    /// let t = b.tuple(&[v, b.constant_r0(5)?])?;
    /// assert_eq!(b.shape(t)?.human_string(), "(f32[10], s32[])");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tuple(&self, elements: &[Op]) -> Result<Op, OpError> {
        self.instruction("tuple", elements, Attrs::new(), None)
    }

    /// `GetTupleElement`: an element of a tuple.
    ///
    /// Errors: `get-tuple-element-1` if the operand is not a tuple, `-2` if the index is out of range. Section:
    /// `GetTupleElement`.
    ///
    /// ```
    /// # use xla_hlo::ComputationBuilder;
    /// let b = ComputationBuilder::new("e");
    /// let t = b.parameter(0, &"(f32[10], s32[])".parse()?, "t")?;
    /// assert_eq!(b.shape(b.get_tuple_element(t, 1)?)?.human_string(), "s32[]");
    /// assert_eq!(b.get_tuple_element(t, -1).unwrap_err().rule, "get-tuple-element-2");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn get_tuple_element(&self, tuple: Op, index: i64) -> Result<Op, OpError> {
        self.instruction(
            "get-tuple-element",
            &[tuple],
            Attrs::new().with("index", AttrValue::Int(index)),
            None,
        )
    }

    /// `Call`: calls a computation.
    ///
    /// Errors: `call-1` for the number of arguments, `call-2` for their shapes. Section: Call.
    ///
    /// ```
    /// # use xla_hlo::{ComputationBuilder, Evaluator};
    /// let square = ComputationBuilder::new("square");
    /// let x = square.parameter(0, &"s32[2]".parse()?, "x")?;
    /// square.mul(x, x, &[])?;
    ///
    /// let b = ComputationBuilder::new("e");
    /// b.call(&square.build()?, &[b.constant_r1(&[3, 4])?])?;
    /// assert_eq!(Evaluator::new(&b.build()?).run(&[])?.to_string(), "{9, 16}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn call(&self, computation: &Module, arguments: &[Op]) -> Result<Op, OpError> {
        self.add_call("call", arguments, &[("to_apply", computation)], Attrs::new())
    }

    /// Adds an instruction that calls computations, given by attribute name.
    pub(crate) fn add_call(
        &self,
        opcode: &'static str,
        operands: &[Op],
        computations: &[(&'static str, &Module)],
        mut attrs: Attrs,
    ) -> Result<Op, OpError> {
        self.transaction(|| {
            for (name, module) in computations {
                attrs.set(name, AttrValue::Computation(self.computation(module)?));
            }
            self.instruction(opcode, operands, attrs, None)
        })
    }

    /// `Map`: applies a scalar computation to the elements of arrays of equal sizes.
    ///
    /// The computation takes one element of each operand, then every static operand as a whole. Scalar static operands
    /// are lowered to `broadcast`s. HLO's `map` does not support others: they are lowered to a `while` over all
    /// indices.
    ///
    /// Errors: `operand-count` without operands, `map-1` if sizes differ, `map-3` if the computation's parameters do
    /// not match, `map-4` if its result is not a scalar. Section: Map.
    ///
    /// ```
    /// # use xla_hlo::{ComputationBuilder, Evaluator};
    /// let f = ComputationBuilder::new("pick");
    /// let index = f.parameter(0, &"s32[]".parse()?, "index")?;
    /// let table = f.parameter(1, &"f32[3]".parse()?, "table")?;
    /// f.reshape(f.dynamic_slice(table, &[index], &[1])?, &[])?;
    ///
    /// let b = ComputationBuilder::new("e");
    /// let table = b.constant_r1(&[10.0_f32, 20.0, 30.0])?;
    /// b.map(&[b.constant_r1(&[2, 0, 1, 2])?], &f.build()?, &[table])?;
    /// assert_eq!(Evaluator::new(&b.build()?).run(&[])?.to_string(), "{30, 10, 20, 30}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn map(&self, operands: &[Op], computation: &Module, static_operands: &[Op]) -> Result<Op, OpError> {
        let arrays = operands
            .iter()
            .enumerate()
            .map(|(i, op)| self.array("map", "operand", i, *op))
            .collect::<Result<Vec<_>, _>>()?;
        let sizes = arrays.iter().map(|a| &a.dimensions).find(|sizes| !sizes.is_empty());
        let sizes: Dims = sizes.cloned().unwrap_or_default();
        let shapes = static_operands.iter().map(|op| self.shape(*op)).collect::<Result<Vec<_>, _>>()?;
        let is_scalar = |shape: &Shape| shape.as_array().is_some_and(|array| array.rank() == 0);
        self.transaction(|| {
            if !shapes.iter().all(is_scalar) {
                return self.map_with_arrays(operands, &arrays, computation, static_operands);
            }
            let mut map_operands = operands.to_vec();
            for op in static_operands {
                map_operands.push(if sizes.is_empty() { *op } else { self.broadcast(*op, &sizes)? });
            }
            let dimensions: Dims = (0..).take(sizes.len()).collect();
            let attrs = Attrs::new().with("dimensions", ints(&dimensions));
            self.add_call("map", &map_operands, &[("to_apply", computation)], attrs)
        })
    }

    /// Lowers a `map` with static operands that are not scalars to a loop over the row-major index. [`verify`] recognizes
    /// the loop by the names of its computations, since it may be within another loop. The state of the loop is the index, the
    /// result so far, the flattened operands and the static operands.
    fn map_with_arrays(
        &self,
        operands: &[Op],
        arrays: &[ArrayShape],
        computation: &Module,
        static_operands: &[Op],
    ) -> Result<Op, OpError> {
        let Some(first) = arrays.first() else {
            return self.add_call("map", operands, &[("to_apply", computation)], Attrs::new());
        };
        if let Some((i, _)) = arrays.iter().enumerate().find(|(_, a)| a.dimensions != first.dimensions) {
            let message = Message::ops("op-other-sizes")
                .with("operand", format!("operand {i}"))
                .with("found", arrays[i].human_string())
                .with("other", "operand 0")
                .with("expected", first.human_string());
            return Err(OpError::new("map", "map-1", message).at_operand(i));
        }
        // Check the computation by calling it on one element of each operand.
        let checker = Self::with_edition("map", self.edition);
        let scalars = arrays.iter().map(|array| Ok(Shape::Array(ArrayShape::new(array.element_type, []))));
        let parameter_shapes: Vec<Shape> = scalars
            .chain(static_operands.iter().map(|op| self.shape(*op)))
            .collect::<Result<_, OpError>>()?;
        let arguments =
            (0_i64..).zip(&parameter_shapes).map(|(number, shape)| checker.parameter(number, shape, ""));
        checker.call(computation, &arguments.collect::<Result<Vec<_>, _>>()?).map_err(|error| OpError {
            op: "map",
            rule: "map-3",
            ..error
        })?;
        let root = computation.entry_computation().and_then(|entry| entry.root_instruction());
        let scalar_result = root.and_then(|root| root.shape.as_array()).filter(|array| array.rank() == 0);
        let Some(result_type) = scalar_result.map(|array| array.element_type) else {
            let message = Message::ops("op-map-result")
                .with("name", computation.name.as_str())
                .with("found", root.map(|root| root.shape.human_string()).unwrap_or_default());
            return Err(OpError::new("map", "map-4", message).at_attr("to_apply"));
        };
        // The rules of shapes report an overflow.
        let count = first.elements().unwrap_or(i64::MAX);
        let flat = |element_type| Shape::Array(ArrayShape::new(element_type, [count]));
        let zero = Literal::zeros(&Shape::Array(ArrayShape::new(result_type, [])));
        let zero = zero.map_err(|error| OpError::new("map", error.rule, error.message))?;
        let zeros = self.broadcast(self.constant_literal(zero)?, &[count])?;
        if count == 0 {
            return self.reshape(zeros, &first.dimensions);
        }
        let mut state = vec![self.constant_r0(0_i64)?, zeros];
        let mut shapes = vec![Shape::Array(ArrayShape::new(ElementType::S64, [])), flat(result_type)];
        for (op, array) in operands.iter().zip(arrays) {
            state.push(self.reshape(*op, &[count])?);
            shapes.push(flat(array.element_type));
        }
        for op in static_operands {
            state.push(*op);
            shapes.push(self.shape(*op)?);
        }
        let state_shape = Shape::Tuple(shapes.into());
        let condition = Self::with_edition(verify::MAP_CONDITION, self.edition);
        let index = condition.get_tuple_element(condition.parameter(0, &state_shape, "state")?, 0)?;
        condition.lt(index, condition.constant_r0(count)?, &[])?;
        let body = Self::with_edition(verify::MAP_BODY, self.edition);
        body.map_loop_body(&state_shape, operands.len(), static_operands.len(), computation)?;
        let attrs = Attrs::new();
        let loops = [("condition", &condition.build()?), ("body", &body.build()?)];
        let final_state = self.add_call("while", &[self.tuple(&state)?], &loops, attrs)?;
        self.reshape(self.get_tuple_element(final_state, 1)?, &first.dimensions)
    }

    /// Adds the loop body of `map_with_arrays`, which computes one element.
    fn map_loop_body(
        &self,
        state: &Shape,
        operands: usize,
        static_operands: usize,
        computation: &Module,
    ) -> Result<Op, OpError> {
        let state = self.parameter(0, state, "state")?;
        let mut elements = Vec::new();
        for i in (0_i64..).take(2 + operands + static_operands) {
            elements.push(self.get_tuple_element(state, i)?);
        }
        let index = elements[0];
        // In 2017 all start indices are in one vector.
        let start = self.reshape(index, &[1])?;
        let mut arguments = Vec::new();
        for flat in &elements[2..2 + operands] {
            arguments.push(self.reshape(self.dynamic_slice(*flat, &[start], &[1])?, &[])?);
        }
        arguments.extend(&elements[2 + operands..]);
        let element = self.reshape(self.call(computation, &arguments)?, &[1])?;
        elements[1] = self.dynamic_update_slice(elements[1], element, &[start])?;
        elements[0] = self.add(index, self.constant_r0(1_i64)?, &[])?;
        self.tuple(&elements)
    }

    /// `While`: repeats `body`, starting with `init`, while `condition` is true.
    ///
    /// `condition` maps the value to a `pred[]`, `body` to the next value. `Edition::V2017`: neither may contain
    /// another `while`. Errors: `while-1` for the condition's result, `while-2` for shapes, `while-nested`. Section:
    /// While.
    ///
    /// ```
    /// # use xla_hlo::{ComputationBuilder, Evaluator};
    /// let condition = ComputationBuilder::new("below_1000");
    /// let n = condition.parameter(0, &"s32[]".parse()?, "n")?;
    /// condition.lt(n, condition.constant_r0(1000)?, &[])?;
    /// let body = ComputationBuilder::new("double");
    /// let n = body.parameter(0, &"s32[]".parse()?, "n")?;
    /// body.add(n, n, &[])?;
    ///
    /// let b = ComputationBuilder::new("e");
    /// b.while_(&condition.build()?, &body.build()?, b.constant_r0(1)?)?;
    /// assert_eq!(Evaluator::new(&b.build()?).run(&[])?.to_string(), "1024");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn while_(&self, condition: &Module, body: &Module, init: Op) -> Result<Op, OpError> {
        for (name, module) in [("condition", condition), ("body", body)] {
            let nested = module.entry.and_then(|entry| verify::find_loop(module, entry));
            if self.edition == Edition::V2017
                && let Some(nested) = nested
            {
                let message = Message::ops("edition-while-nested")
                    .with("name", module.name.as_str())
                    .with("instruction", nested.name.as_str());
                return Err(OpError::new("while", "while-nested", message).at_attr(name));
            }
        }
        self.add_call("while", &[init], &[("condition", condition), ("body", body)], Attrs::new())
    }

    /// Adds a computation that applies `opcode` to two scalars, and returns its id.
    pub(super) fn scalar_computation(
        &self,
        opcode: &'static str,
        element_type: ElementType,
        attrs: Attrs,
    ) -> Result<ComputationId, OpError> {
        let scalar = Shape::Array(ArrayShape::new(element_type, []));
        let builder = Self::with_edition(opcode, self.edition);
        let (x, y) = (builder.parameter(0, &scalar, "x")?, builder.parameter(1, &scalar, "y")?);
        builder.instruction(opcode, &[x, y], attrs, None)?;
        self.computation(&builder.build()?)
    }
}
