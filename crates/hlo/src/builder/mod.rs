//! Builds computations in Rust: the `ComputationBuilder` of XLA's operation semantics, with snake-case methods.
//!
//! Every method adds instructions and immediately infers their shapes by the rules of the ops ([`xla_ops::check`]).
//! Operations without an HLO opcode are lowered to instructions here: implicit broadcasting, `Collapse`, `Conv` with
//! `SAME`, `RngBernoulli` …
//!
//! | Section of the operation semantics | Method |
//! |---|---|
//! | Broadcast, Call, Collapse | [`broadcast`](ComputationBuilder::broadcast), [`call`](ComputationBuilder::call), [`collapse`](ComputationBuilder::collapse) |
//! | Concatenate, `ConvertElementType` | [`concat_in_dim`](ComputationBuilder::concat_in_dim), [`convert_element_type`](ComputationBuilder::convert_element_type) |
//! | Conv, `ConvWithGeneralPadding` | [`conv`](ComputationBuilder::conv), [`conv_with_general_padding`](ComputationBuilder::conv_with_general_padding), [`conv_general`](ComputationBuilder::conv_general) |
//! | `CrossReplicaSum`, `CustomCall`, Dot | [`cross_replica_sum`](ComputationBuilder::cross_replica_sum), [`custom_call`](ComputationBuilder::custom_call), [`dot`](ComputationBuilder::dot) |
//! | Element-wise binary arithmetic | [`add`](ComputationBuilder::add), [`sub`](ComputationBuilder::sub), … [`logical_or`](ComputationBuilder::logical_or) |
//! | Element-wise comparison | [`eq`](ComputationBuilder::eq), … [`lt`](ComputationBuilder::lt) |
//! | Element-wise unary functions | [`abs`](ComputationBuilder::abs), … [`tanh`](ComputationBuilder::tanh) |
//! | `GetTupleElement`, Infeed, Map | [`get_tuple_element`](ComputationBuilder::get_tuple_element), [`infeed`](ComputationBuilder::infeed), [`map`](ComputationBuilder::map) |
//! | Pad, Reduce, `ReduceWindow` | [`pad`](ComputationBuilder::pad), [`reduce`](ComputationBuilder::reduce), [`reduce_window`](ComputationBuilder::reduce_window) |
//! | Reshape, Rev | [`reshape`](ComputationBuilder::reshape), [`reshape_with_dimensions`](ComputationBuilder::reshape_with_dimensions), [`rev`](ComputationBuilder::rev) |
//! | `RngBernoulli`, `RngNormal`, `RngUniform` | [`rng_bernoulli`](ComputationBuilder::rng_bernoulli), [`rng_normal`](ComputationBuilder::rng_normal), [`rng_uniform`](ComputationBuilder::rng_uniform) |
//! | `SelectAndScatter`, Select, Slice | [`select_and_scatter`](ComputationBuilder::select_and_scatter), [`select`](ComputationBuilder::select), [`slice`](ComputationBuilder::slice) |
//! | `DynamicSlice`, `DynamicUpdateSlice` | [`dynamic_slice`](ComputationBuilder::dynamic_slice), [`dynamic_update_slice`](ComputationBuilder::dynamic_update_slice) |
//! | Sort, Transpose, Tuple, While | [`sort`](ComputationBuilder::sort), [`transpose`](ComputationBuilder::transpose), [`tuple`](ComputationBuilder::tuple), [`while_`](ComputationBuilder::while_) |
//!
//! [`ComputationBuilder::instruction`] adds any other op of current XLA.
//!
//! Invariants: a method that fails leaves the builder unchanged; a built module satisfies the invariants of
//! [`super::module`]. `state` adds instructions; `broadcasting` is the largest lowering.

pub(crate) mod broadcasting;
mod contractions;
mod control;
mod elementwise;
mod host;
mod movement;
mod source;
mod state;
mod windows;

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

pub use windows::{ConvConfig, Padding};

use self::state::{BuilderState, ShapeSource, Snapshot};
use super::module::{InstructionId, Module};
use xla_array::{ArrayShape, Edition, Shape};
use xla_messages::i18n::Message;
use xla_ops::{Attrs, ComputationId, OpError};

/// A value of a computation under construction, which the methods of its [`ComputationBuilder`] return and take as
/// operands (`ComputationDataHandle` in XLA 2017).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Op {
    builder: u64,
    id: InstructionId,
}

impl Op {
    /// The id of the instruction in the built computation.
    pub fn id(self) -> InstructionId {
        self.id
    }
}

/// The id of the next builder. Ids detect operands of another builder.
static NEXT_BUILDER_ID: AtomicU64 = AtomicU64::new(0);

/// Builds one computation.
///
/// Methods take `&self`, so that calls nest. The last instruction is the root. Computations to call, e.g. by `reduce`,
/// `map` or `while_`, are passed as modules.
///
/// ```
/// use xla_array::{ElementType::F32, shape_util::make_shape};
/// use xla_hlo::{ComputationBuilder, Evaluator};
///
/// let add = ComputationBuilder::new("add");
/// add.add(add.parameter(0, &make_shape(F32, &[]), "x")?, add.parameter(1, &make_shape(F32, &[]), "y")?, &[])?;
/// let add = add.build()?;
///
/// let b = ComputationBuilder::new("mean");
/// let v = b.parameter(0, &make_shape(F32, &[4]), "v")?;
/// let sum = b.reduce(v, b.constant_r0(0.0_f32)?, &add, &[0])?;
/// b.div(sum, b.constant_r0(4.0_f32)?, &[])?;
/// let module = b.build()?;
/// assert_eq!(Evaluator::new(&module).run(&["f32[4] {1, 2, 3, 6}".parse()?])?.to_string(), "3");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ComputationBuilder {
    id: u64,
    edition: Edition,
    state: RefCell<BuilderState>,
}

impl ComputationBuilder {
    /// Creates a builder of a computation with this name, by the rules of current XLA.
    pub fn new(name: &str) -> Self {
        Self::with_edition(name, Edition::Current)
    }

    /// Creates a builder by the rules of an edition. Each method documents the differences of 2017. Run the module in
    /// the same edition ([`Evaluator::edition`](super::Evaluator::edition)).
    pub fn with_edition(name: &str, edition: Edition) -> Self {
        let id = NEXT_BUILDER_ID.fetch_add(1, Ordering::Relaxed);
        Self { id, edition, state: RefCell::new(BuilderState::new(name)) }
    }

    /// The edition whose rules apply.
    pub fn edition(&self) -> Edition {
        self.edition
    }

    /// The number of instructions so far.
    pub fn instructions(&self) -> usize {
        self.state.borrow().body.instructions.len()
    }

    /// The shape of a value. Fails with `builder-operand` if the value belongs to another builder.
    pub fn shape(&self, op: Op) -> Result<Shape, OpError> {
        self.check_owner("shape", 0, op)?;
        let state = self.state.borrow();
        state.shape(op.id).cloned().ok_or_else(|| foreign_operand("shape", 0))
    }

    /// Adds an instruction with any opcode of [`xla_ops::REGISTRY`] and the attributes of its
    /// [`OpMeta`](xla_ops::OpMeta). All other methods use it. `shape` is required for ops whose HLO text requires it
    /// (`iota`, `reshape`, `convert` …); for the others it has to be compatible with the inferred shape.
    ///
    /// # Errors
    ///
    /// `hlo-opcode`; `builder-operand`; `builder-attribute` if the op has no such attribute or it has another kind;
    /// `hlo-depth`; and the rules of the op.
    ///
    /// ```
    /// use xla_hlo::ComputationBuilder;
    /// use xla_ops::{AttrValue, Attrs};
    ///
    /// let b = ComputationBuilder::new("e");
    /// let attrs = Attrs::new().with("iota_dimension", AttrValue::Int(1));
    /// let i = b.instruction("iota", &[], attrs.clone(), Some(&"s32[2,3]".parse()?))?;
    /// assert_eq!(b.shape(i)?.to_string(), "s32[2,3]{1,0}");
    /// let error = b.instruction("iota", &[], attrs, Some(&"s32[2]".parse()?)).unwrap_err();
    /// assert_eq!(error.rule, "iota-2");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn instruction(
        &self,
        opcode: &str,
        operands: &[Op],
        attrs: Attrs,
        shape: Option<&Shape>,
    ) -> Result<Op, OpError> {
        self.insert(opcode, operands, attrs, shape.map_or(ShapeSource::Inferred, ShapeSource::Given))
    }

    /// Adds the entry computation of a module, with its callees, and returns its id for
    /// [`AttrValue::Computation`](xla_ops::AttrValue). Reuses computations that are already present. Fails with
    /// `hlo-entry` if the module has no entry.
    pub fn computation(&self, module: &Module) -> Result<ComputationId, OpError> {
        self.state.borrow_mut().import(module)
    }

    /// Builds the module; the last instruction is the root.
    ///
    /// # Errors
    ///
    /// `hlo-empty`; `hlo-parameters` if a parameter number is missing; `hlo-infeed-order` (see
    /// [`ComputationBuilder::infeed`]).
    pub fn build(self) -> Result<Module, OpError> {
        self.state.into_inner().finish(None)
    }

    /// Like [`ComputationBuilder::build`], with any instruction as the root.
    pub fn build_with_root(self, root: Op) -> Result<Module, OpError> {
        self.check_owner("build", 0, root)?;
        self.state.into_inner().finish(Some(root.id))
    }

    /// Checks that an operand belongs to this builder.
    fn check_owner(&self, opcode: &'static str, operand: usize, op: Op) -> Result<(), OpError> {
        if op.builder == self.id { Ok(()) } else { Err(foreign_operand(opcode, operand)) }
    }

    fn op(&self, id: InstructionId) -> Op {
        Op { builder: self.id, id }
    }

    /// Adds an instruction after checking it.
    fn insert(&self, opcode: &str, operands: &[Op], attrs: Attrs, shape: ShapeSource) -> Result<Op, OpError> {
        let op = xla_ops::find(opcode).ok_or_else(|| {
            OpError::new("builder", "hlo-opcode", Message::ops("hlo-opcode").with("opcode", opcode))
        })?;
        for (i, operand) in operands.iter().enumerate() {
            self.check_owner(op.meta().opcode, i, *operand)?;
        }
        let operands = operands.iter().map(|operand| operand.id).collect();
        let id = self.state.borrow_mut().push(op, operands, attrs, shape, self.edition)?;
        Ok(self.op(id))
    }

    /// Adds several instructions, or none if one of them fails.
    fn transaction<T>(&self, add: impl FnOnce() -> Result<T, OpError>) -> Result<T, OpError> {
        let snapshot: Snapshot = self.state.borrow().snapshot();
        let result = add();
        if result.is_err() {
            self.state.borrow_mut().restore(snapshot);
        }
        result
    }

    /// The shape of an operand, which must be an array; `operand` is its position and `name` its name in messages.
    fn array(
        &self,
        op: &'static str,
        name: &'static str,
        operand: usize,
        value: Op,
    ) -> Result<ArrayShape, OpError> {
        self.check_owner(op, operand, value)?;
        match self.shape(value)? {
            Shape::Array(array) => Ok(array),
            other => {
                let message = Message::ops("op-operand-array")
                    .with("operand", name)
                    .with("shape", other.human_string());
                Err(OpError::new(op, "operand-array", message).at_operand(operand))
            }
        }
    }
}

fn foreign_operand(op: &'static str, operand: usize) -> OpError {
    let message = Message::ops("builder-operand").with("operand", operand);
    OpError::new(op, "builder-operand", message).at_operand(operand)
}

/// A list of numbers as an attribute.
fn ints(numbers: &[i64]) -> xla_ops::AttrValue {
    xla_ops::AttrValue::Ints(numbers.into())
}
