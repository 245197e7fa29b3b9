//! Builds computations in code: the `ComputationBuilder` of the documents, in snake case.
//!
//! Every method adds instructions and infers their shape at once, by the ops' own rules ([`xla_ops::check`]): there is no
//! second copy of any. What the documents offer and HLO has no opcode for is lowered here, to instructions that can be
//! seen: broadcasting of binary operations, `Collapse`, `Conv` with `SAME`, `RngBernoulli` …
//!
//! | Section of the documents | Method |
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
//! Everything else of today's XLA goes through [`ComputationBuilder::instruction`].
//!
//! Invariants: a method that fails leaves the builder as it was; a built module keeps those of [`super::module`].
//! Read `state` for how an instruction is added, `broadcasting` for the largest lowering; then `xla_ops`.

mod broadcasting;
mod control;
mod elementwise;
mod movement;
mod outside;
mod source;
mod state;
mod sums;
mod windows;

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

pub use windows::{ConvConfig, Padding};

use self::state::{Shaped, Snapshot, State};
use super::module::{InstructionId, Module};
use xla_array::{ArrayShape, Edition, Shape};
use xla_messages::i18n::Message;
use xla_ops::{Attrs, ComputationId, OpError};

/// A value of a computation that is being built: what a [`ComputationBuilder`] answers and takes as operand
/// (`ComputationDataHandle` of the documents).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Op {
    builder: u64,
    id: InstructionId,
}

impl Op {
    /// The instruction, by its number in the computation; the same in the module that is built.
    pub fn id(self) -> InstructionId {
        self.id
    }
}

/// Numbers of builders, so that a handle tells whose it is.
static BUILDERS: AtomicU64 = AtomicU64::new(0);

/// Builds one computation, by the methods of the documents.
///
/// Methods take `&self`, so that calls nest. The value of the computation is that of the method called last.
/// Computations that `reduce`, `map`, `while_` and the like call are modules, built before.
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
    number: u64,
    edition: Edition,
    state: RefCell<State>,
}

impl ComputationBuilder {
    /// A builder of a computation of this name, by today's rules.
    pub fn new(name: &str) -> Self {
        Self::with_edition(name, Edition::Now)
    }

    /// A builder by the rules of an edition. Each method says where 2017 differs; the module must be run by the same
    /// edition ([`Evaluator::edition`](super::Evaluator::edition)).
    pub fn with_edition(name: &str, edition: Edition) -> Self {
        let number = BUILDERS.fetch_add(1, Ordering::Relaxed);
        Self { number, edition, state: RefCell::new(State::new(name)) }
    }

    /// The edition whose rules hold.
    pub fn edition(&self) -> Edition {
        self.edition
    }

    /// How many instructions there are so far.
    pub fn instructions(&self) -> usize {
        self.state.borrow().body.instructions.len()
    }

    /// The shape of a value. Errors: `builder-operand` where the value is another builder's.
    pub fn shape(&self, op: Op) -> Result<Shape, OpError> {
        self.own("shape", 0, op)?;
        let state = self.state.borrow();
        state.shape(op.id).cloned().ok_or_else(|| foreign("shape", 0))
    }

    /// Adds an instruction of any opcode of [`xla_ops::REGISTRY`], with the attributes of its
    /// [`OpMeta`](xla_ops::OpMeta); all other methods come down to this. `shape` must be given for those ops whose
    /// HLO text must write it (`iota`, `reshape`, `convert` …), and is held against the inferred one for the others.
    ///
    /// Errors: `hlo-opcode`, `builder-operand`, `builder-attribute` where the op has no such attribute or it is of
    /// another kind, `hlo-depth`, and those of the op's own rules.
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
        self.insert(opcode, operands, attrs, shape.map_or(Shaped::Inferred, Shaped::As))
    }

    /// Adds a computation that instructions may call, with all it calls, and gives its number for
    /// [`AttrValue::Computation`](xla_ops::AttrValue). What is already there is not added again. Errors:
    /// `hlo-entry` where the module has no entry.
    pub fn computation(&self, module: &Module) -> Result<ComputationId, OpError> {
        self.state.borrow_mut().import(module)
    }

    /// The module; its value is that of the method called last.
    ///
    /// Errors: `hlo-empty`, `hlo-parameters` where a number between those given is missing, `hlo-infeed-order` (see
    /// [`ComputationBuilder::infeed`]).
    pub fn build(self) -> Result<Module, OpError> {
        self.state.into_inner().finish(None)
    }

    /// The module with this value, which need not be the last. Errors: as [`ComputationBuilder::build`].
    pub fn build_with_root(self, root: Op) -> Result<Module, OpError> {
        self.own("build", 0, root)?;
        self.state.into_inner().finish(Some(root.id))
    }

    /// Whether an operand is of this builder.
    fn own(&self, opcode: &'static str, operand: usize, op: Op) -> Result<(), OpError> {
        if op.builder == self.number { Ok(()) } else { Err(foreign(opcode, operand)) }
    }

    fn op(&self, id: InstructionId) -> Op {
        Op { builder: self.number, id }
    }

    /// Adds an instruction; the shape of the attributes and operands is checked before anything is changed.
    fn insert(&self, opcode: &str, operands: &[Op], attrs: Attrs, shaped: Shaped) -> Result<Op, OpError> {
        let op = xla_ops::find(opcode).ok_or_else(|| {
            OpError::new("builder", "hlo-opcode", Message::engine("hlo-opcode").with("opcode", opcode))
        })?;
        for (i, operand) in operands.iter().enumerate() {
            self.own(op.meta().opcode, i, *operand)?;
        }
        let operands = operands.iter().map(|operand| operand.id).collect();
        let id = self.state.borrow_mut().push(op, operands, attrs, shaped, self.edition)?;
        Ok(self.op(id))
    }

    /// Adds several instructions, or, where one of them fails, none.
    fn lowered<T>(&self, add: impl FnOnce() -> Result<T, OpError>) -> Result<T, OpError> {
        let before: Snapshot = self.state.borrow().snapshot();
        let result = add();
        if result.is_err() {
            self.state.borrow_mut().restore(before);
        }
        result
    }

    /// The shape of an operand of `op`, which must be an array.
    fn array(
        &self,
        op: &'static str,
        name: &'static str,
        number: usize,
        of: Op,
    ) -> Result<ArrayShape, OpError> {
        self.own(op, number, of)?;
        match self.shape(of)? {
            Shape::Array(array) => Ok(array),
            other => {
                let message = Message::engine("op-operand-array")
                    .with("operand", name)
                    .with("shape", other.human_string());
                Err(OpError::new(op, "operand-array", message).at_operand(number))
            }
        }
    }
}

fn foreign(op: &'static str, operand: usize) -> OpError {
    let message = Message::engine("builder-operand").with("operand", operand);
    OpError::new(op, "builder-operand", message).at_operand(operand)
}

/// A list of numbers as an attribute.
fn ints(numbers: &[i64]) -> xla_ops::AttrValue {
    xla_ops::AttrValue::Ints(numbers.into())
}
