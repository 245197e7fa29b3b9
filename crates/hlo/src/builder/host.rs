//! Operations that involve host or devices (infeed, custom calls, replicas), and random numbers.

use super::{ComputationBuilder, Op};
use xla_array::{Edition, ElementType, Shape};
use xla_messages::i18n::Message;
use xla_ops::{AttrValue, Attrs, OpError};

/// Whether every array in a shape has a layout.
fn has_layouts(shape: &Shape) -> bool {
    match shape {
        Shape::Array(array) => array.layout.is_some(),
        Shape::Tuple(elements) => elements.iter().all(has_layouts),
        _ => true,
    }
}

/// Infeed, custom calls, replicas, random numbers.
impl ComputationBuilder {
    /// `Infeed`: the next item of the infeed queue, with this shape and layout.
    ///
    /// Infeeds must be totally ordered. Current XLA uses tokens: an infeed takes the token of the previous one in the
    /// computation. In `Edition::V2017`, of any two infeeds (or calls and loops that contain some) one must depend on
    /// the other's data. An empty tuple reads nothing.
    ///
    /// Errors: `infeed-2` for a nested tuple; `infeed-layout` for an array without layout in `Edition::V2017`;
    /// `hlo-infeed-order` from [`ComputationBuilder::build`]. Section: Infeed.
    ///
    /// ```
    /// # use {xla_array::Edition, xla_hlo::ComputationBuilder};
    /// let b = ComputationBuilder::new("e");
    /// let first = b.infeed(&"f32[3]{0}".parse()?, "")?;
    /// b.add(first, b.infeed(&"f32[3]{0}".parse()?, "")?, &[])?;
    /// assert!(b.build().is_ok());
    ///
    /// let b = ComputationBuilder::with_edition("e", Edition::V2017);
    /// let first = b.infeed(&"f32[3]{0}".parse()?, "")?;
    /// b.add(first, b.infeed(&"f32[3]{0}".parse()?, "")?, &[])?;
    /// assert_eq!(b.build().unwrap_err().rule, "hlo-infeed-order");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn infeed(&self, shape: &Shape, config: &str) -> Result<Op, OpError> {
        if self.edition == Edition::V2017 && !has_layouts(shape) {
            let message = Message::ops("builder-infeed-layout").with("shape", shape.human_string());
            return Err(OpError::new("infeed", "infeed-layout", message));
        }
        let mut attrs = Attrs::new();
        if !config.is_empty() {
            attrs.set("infeed_config", AttrValue::String(config.to_owned()));
        }
        if self.edition == Edition::V2017 {
            return self.instruction("infeed", &[], attrs, Some(shape));
        }
        self.transaction(|| {
            let previous = self.state.borrow().token;
            let token = match previous {
                Some(infeed) => self.get_tuple_element(self.op(infeed), 1)?,
                None => self.instruction("after-all", &[], Attrs::new(), None)?,
            };
            let result = Shape::tuple([shape.clone(), Shape::Token]);
            let infeed = self.instruction("infeed", &[token], attrs, Some(&result))?;
            self.state.borrow_mut().token = Some(infeed.id);
            self.get_tuple_element(infeed, 0)
        })
    }

    /// `CustomCall`: calls a host function by name; `shape` is the shape of its result.
    ///
    /// The [`Host`](crate::Host) of a run must have the function. Section: `CustomCall`.
    ///
    /// ```
    /// # use xla_hlo::ComputationBuilder;
    /// let b = ComputationBuilder::new("e");
    /// let x = b.constant_r1(&[1.0_f32, 2.0])?;
    /// let y = b.constant_r2(&[&[10.0_f32, 20.0, 30.0], &[40.0, 50.0, 60.0]])?;
    /// let z = b.custom_call("myfunc", &[x, y], &"f32[3,3]".parse()?)?;
    /// assert_eq!(b.shape(z)?.human_string(), "f32[3,3]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn custom_call(&self, target_name: &str, arguments: &[Op], shape: &Shape) -> Result<Op, OpError> {
        let attrs = Attrs::new().with("custom_call_target", AttrValue::String(target_name.to_owned()));
        self.instruction("custom-call", arguments, attrs, Some(shape))
    }

    /// `CrossReplicaSum`: the sum of an array over all replicas, returned on each.
    ///
    /// Lowered to an `all-reduce` with `add`. Errors: `operand-array`. Section: `CrossReplicaSum`.
    ///
    /// ```
    /// # use xla_hlo::ComputationBuilder;
    /// let b = ComputationBuilder::new("e");
    /// let r = b.cross_replica_sum(b.constant_r1(&[1.0_f32, 2.5])?)?;
    /// assert_eq!(b.shape(r)?.human_string(), "f32[2]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cross_replica_sum(&self, operand: Op) -> Result<Op, OpError> {
        let shape = self.array("all-reduce", "operand", 0, operand)?;
        self.transaction(|| {
            let add = self.scalar_computation("add", shape.element_type, Attrs::new())?;
            let attrs = Attrs::new()
                .with("replica_groups", AttrValue::IntLists(Vec::new()))
                .with("to_apply", AttrValue::Computation(add));
            self.instruction("all-reduce", &[operand], attrs, Some(&shape.into()))
        })
    }

    fn rng(&self, distribution: &'static str, parameters: [Op; 2], shape: &Shape) -> Result<Op, OpError> {
        let attrs = Attrs::new().with("distribution", AttrValue::Keyword(distribution));
        self.instruction("rng", &parameters, attrs, Some(shape))
    }

    /// `RngUniform`: uniformly distributed numbers in `[a, b)`; `a`, `b` and the result have one element type.
    ///
    /// The numbers depend on the seed of the run and differ from XLA's. Errors: the rules of `rng`. Section:
    /// `RngUniform`.
    ///
    /// ```
    /// # use xla_hlo::ComputationBuilder;
    /// let b = ComputationBuilder::new("e");
    /// let r = b.rng_uniform(b.constant_r0(0_i32)?, b.constant_r0(6_i32)?, &"s32[100]".parse()?)?;
    /// assert_eq!(b.shape(r)?.human_string(), "s32[100]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rng_uniform(&self, a: Op, b: Op, shape: &Shape) -> Result<Op, OpError> {
        self.rng("rng_uniform", [a, b], shape)
    }

    /// `RngNormal`: normally distributed numbers with mean `mu` and standard deviation `sigma`.
    ///
    /// Errors: the rules of `rng`. Section: `RngNormal`.
    ///
    /// ```
    /// # use xla_hlo::ComputationBuilder;
    /// let b = ComputationBuilder::new("e");
    /// let r = b.rng_normal(b.constant_r0(0.0_f32)?, b.constant_r0(1.0_f32)?, &"f32[100]".parse()?)?;
    /// assert_eq!(b.shape(r)?.human_string(), "f32[100]");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rng_normal(&self, mu: Op, sigma: Op, shape: &Shape) -> Result<Op, OpError> {
        self.rng("rng_normal", [mu, sigma], shape)
    }

    /// `RngBernoulli`: 1 with probability `mean`, else 0.
    ///
    /// `mean` is an `f32` scalar, the result a `u32` array. Lowered to a comparison of uniform numbers in `[0, 1)` with
    /// `mean`. Errors: `rng-bernoulli-1` for the mean, `-2` for the shape. Section: `RngBernoulli`.
    ///
    /// ```
    /// # use xla_hlo::{ComputationBuilder, Evaluator};
    /// let b = ComputationBuilder::new("e");
    /// b.rng_bernoulli(b.constant_r0(1.0_f32)?, &"u32[4]".parse()?)?;
    /// assert_eq!(Evaluator::new(&b.build()?).run(&[])?.to_string(), "{1, 1, 1, 1}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rng_bernoulli(&self, mean: Op, shape: &Shape) -> Result<Op, OpError> {
        let mean_shape = self.array("rng-bernoulli", "mean", 0, mean)?;
        if mean_shape.rank() != 0 || mean_shape.element_type != ElementType::F32 {
            let message = Message::ops("builder-bernoulli-mean").with("shape", mean_shape.human_string());
            return Err(OpError::new("rng-bernoulli", "rng-bernoulli-1", message).at_operand(0));
        }
        let Some(result) = shape.as_array().filter(|array| array.element_type == ElementType::U32) else {
            let message = Message::ops("builder-bernoulli-shape").with("shape", shape.human_string());
            return Err(OpError::new("rng-bernoulli", "rng-bernoulli-2", message));
        };
        self.transaction(|| {
            let mut numbers = result.clone();
            numbers.element_type = ElementType::F32;
            let (low, high) = (self.constant_r0(0.0_f32)?, self.constant_r0(1.0_f32)?);
            let uniform = self.rng_uniform(low, high, &numbers.into())?;
            let ones = self.lt(uniform, mean, &[])?;
            self.instruction("convert", &[ones], Attrs::new(), Some(shape))
        })
    }
}
