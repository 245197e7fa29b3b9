//! Ops that only order others, or mark them: see [`AfterAll`], [`AddDependency`], [`OptBarrier`] and [`Domain`].

use super::data::operand;
use super::{
    AttrKind, AttrSpec, Body, Category, CellAt, Code, Coding, Data, Example, Language, OpContext, OpDef,
    OpError, OpMeta, Operands, Role, Rule, Run, Source, WholeOp,
};
use xla_array::Shape;
use xla_messages::i18n::Message;

/// A token that comes after others; what takes it runs after what they came from.
///
/// Source: `AfterAll` of `XlaBuilder`. Tokens hold nothing.
pub struct AfterAll;

/// The first operand, as soon as the token is there too.
///
/// Source: `HloInstruction::CreateAddDependency` of XLA.
pub struct AddDependency;

/// The operand; no compiler moves anything past it.
///
/// Source: `OptimizationBarrier` of `XlaBuilder`.
pub struct OptBarrier;

/// The operand, at the border between two regions of different sharding.
///
/// Source: `HloDomainInstruction` of XLA.
pub struct Domain;

static AFTER_ALL: OpMeta = OpMeta {
    opcode: "after-all",
    title: "AfterAll",
    names: &[],
    sections: &["AfterAll"],
    category: Category::Outside,
    summary: "op-after-all",
    formula: "out = token",
    operands: Operands::any("token"),
    argument: None,
    attrs: &[],
    rules: &[Rule {
        label: "token-1",
        description: "rule-token",
        broken_by: "x = f32[] parameter(0) ROOT r = token[] after-all(x)",
    }],
    examples: &[Example {
        hlo: "a = token[] after-all() b = token[] after-all(a, a) x = f32[] constant(1) ROOT r = add-dependency(x, b)",
        result: "f32[] 1",
    }],
};

static ADD_DEPENDENCY: OpMeta = OpMeta {
    opcode: "add-dependency",
    title: "AddDependency",
    names: &[],
    sections: &[],
    category: Category::Outside,
    summary: "op-add-dependency",
    formula: "out = operand",
    operands: Operands::exactly(&["operand", "token"]),
    argument: None,
    attrs: &[],
    rules: &[Rule {
        label: "token-1",
        description: "rule-token",
        broken_by: "x = f32[] parameter(0) ROOT r = f32[] add-dependency(x, x)",
    }],
    examples: &[Example {
        hlo: "x = f32[2] constant({1, 2}) t = token[] after-all() ROOT r = f32[2] add-dependency(x, t)",
        result: "f32[2] {1, 2}",
    }],
};

static OPT_BARRIER: OpMeta = OpMeta {
    opcode: "opt-barrier",
    title: "OptimizationBarrier",
    names: &[],
    sections: &["OptimizationBarrier"],
    category: Category::Control,
    summary: "op-opt-barrier",
    formula: "out = operand",
    operands: Operands::exactly(&["operand"]),
    argument: None,
    attrs: &[],
    rules: &[],
    examples: &[Example {
        hlo: "x = f32[2] constant({1, 2}) n = s32[] constant(3) t = tuple(x, n) b = opt-barrier(t)
              ROOT r = get-tuple-element(b), index=0",
        result: "f32[2] {1, 2}",
    }],
};

static DOMAIN: OpMeta = OpMeta {
    opcode: "domain",
    title: "Domain",
    names: &[],
    sections: &[],
    category: Category::Control,
    summary: "op-domain",
    formula: "out = operand",
    operands: Operands::exactly(&["operand"]),
    argument: None,
    attrs: &[AttrSpec::required("domain", AttrKind::Text, "attr-domain")],
    rules: &[],
    examples: &[Example {
        hlo: "x = f32[2] constant({1, 2})
              ROOT r = f32[2] domain(x), domain={kind=\"sharding\", entry={maximal device=0}, exit={maximal device=1}}",
        result: "f32[2] {1, 2}",
    }],
};

/// Checks that an operand is a token.
pub(super) fn check_token(cx: &OpContext, operand: usize) -> Result<(), OpError> {
    let shape = cx.operand(operand)?;
    if *shape == Shape::Token {
        return Ok(());
    }
    let message = Message::engine("op-token").with("shape", shape.human_string());
    Err(cx.error("token-1", message).at_operand(operand).advise(Message::engine("op-hint-token")))
}

/// The first operand.
pub(super) struct First;

impl WholeOp for First {
    fn evaluate(&self, operands: &[Data], _: &mut dyn Run) -> Result<Data, OpError> {
        operand("add-dependency", operands, 0).cloned()
    }

    fn sources(&self, _: &[Data], cell: &CellAt, _: &mut dyn Run) -> Result<Vec<Source>, OpError> {
        Ok(vec![Source { operand: 0, cell: cell.clone(), role: Role::Value }])
    }
}

/// The body of an op whose value is its first operand; that of a scalar goes cell by cell, so that a region may
/// hold it.
fn first(cx: &OpContext) -> Body {
    if cx.array(0).is_ok_and(|array| array.rank() == 0) {
        return Body::cell(|out, read| read.get(0, out, Role::Value));
    }
    Body::Whole(Box::new(First))
}

impl OpDef for AfterAll {
    fn meta(&self) -> &'static OpMeta {
        &AFTER_ALL
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        (0..cx.operands.len()).try_for_each(|operand| check_token(cx, operand))?;
        Ok(Shape::Token)
    }

    fn bind(&self, _: &OpContext) -> Result<Body, OpError> {
        Ok(Body::Constant(Data::Token))
    }
}

impl OpDef for AddDependency {
    fn meta(&self) -> &'static OpMeta {
        &ADD_DEPENDENCY
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        check_token(cx, 1)?;
        cx.operand(0).cloned()
    }

    fn bind(&self, _: &OpContext) -> Result<Body, OpError> {
        Ok(Body::Whole(Box::new(First)))
    }

    fn code(&self, to: &Coding) -> Option<Code> {
        (to.language != Language::Rust).then(|| to.name(0).to_owned().into())
    }
}

impl OpDef for OptBarrier {
    fn meta(&self) -> &'static OpMeta {
        &OPT_BARRIER
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        cx.operand(0).cloned()
    }

    fn bind(&self, cx: &OpContext) -> Result<Body, OpError> {
        Ok(first(cx))
    }

    fn code(&self, to: &Coding) -> Option<Code> {
        match to.language {
            Language::Rust => None,
            Language::Jax => Some(format!("lax.optimization_barrier({})", to.name(0)).into()),
            Language::NumPy => Some(to.name(0).to_owned().into()),
        }
    }
}

impl OpDef for Domain {
    fn meta(&self) -> &'static OpMeta {
        &DOMAIN
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        cx.operand(0).cloned()
    }

    fn bind(&self, cx: &OpContext) -> Result<Body, OpError> {
        Ok(first(cx))
    }

    fn code(&self, to: &Coding) -> Option<Code> {
        (to.language != Language::Rust).then(|| to.name(0).to_owned().into())
    }
}
