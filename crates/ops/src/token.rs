//! Ops that only order or mark other instructions: see [`AfterAll`], [`AddDependency`], [`OptBarrier`] and [`Domain`].

use super::data::operand;
use super::{
    AttrKind, AttrSpec, Category, CellAt, Data, EagerOp, Example, ExportContext, Expression, Formula,
    History, Language, OpContext, OpDef, OpError, OpMeta, Operands, Role, Rule, Run, Semantics, Source,
};
use xla_array::Shape;
use xla_messages::i18n::Message;

/// Joins operands of any shape: an instruction that has the result as operand runs after the producers of all of them.
///
/// Source: `AfterAll` of `XlaBuilder`, which takes tokens only, and `ShapeVerifier::HandleAfterAll`. Tokens have no content.
pub struct AfterAll;

/// Returns the first operand after the producer of the token has run.
///
/// Source: `HloInstruction::CreateAddDependency` of XLA.
pub struct AddDependency;

/// Returns the operand; compilers do not move instructions across it.
///
/// Source: `OptimizationBarrier` of `XlaBuilder`.
pub struct OptBarrier;

/// Returns the operand, at the boundary between two regions of different sharding.
///
/// Source: `HloDomainInstruction` of XLA.
pub struct Domain;

static AFTER_ALL: OpMeta = OpMeta {
    opcode: "after-all",
    title: "AfterAll",
    search_terms: &[],
    sections: &["AfterAll"],
    category: Category::Host,
    history: History::not_in_2017("instead-token"),
    summary: "op-after-all",
    formula: Formula::Symbols("out = token"),
    operands: Operands::any("operand"),
    inline_attr: None,
    attrs: &[],
    rules: &[],
    examples: &[Example {
        title: "shows-joined",
        hlo: "a = token[] after-all() b = token[] after-all(a, a) x = f32[] constant(1) ROOT r = add-dependency(x, b)",
        result: "f32[] 1",
    }],
};

static ADD_DEPENDENCY: OpMeta = OpMeta {
    opcode: "add-dependency",
    title: "AddDependency",
    search_terms: &[],
    sections: &["AddDependency"],
    category: Category::Host,
    history: History::not_in_2017("instead-token"),
    summary: "op-add-dependency",
    formula: Formula::Symbols("out = operand"),
    operands: Operands::exactly(&["operand", "token"]),
    inline_attr: None,
    attrs: &[],
    rules: &[Rule {
        identifier: "token-1",
        description: "rule-token",
        violated_by: "x = f32[] parameter(0) ROOT r = f32[] add-dependency(x, x)",
    }],
    examples: &[Example {
        title: "shows-after-token",
        hlo: "x = f32[2] constant({1, 2}) t = token[] after-all() ROOT r = f32[2] add-dependency(x, t)",
        result: "f32[2] {1, 2}",
    }],
};

static OPT_BARRIER: OpMeta = OpMeta {
    opcode: "opt-barrier",
    title: "OptimizationBarrier",
    search_terms: &[],
    sections: &["OptimizationBarrier"],
    category: Category::Control,
    history: History::NEWER,
    summary: "op-opt-barrier",
    formula: Formula::Symbols("out = operand"),
    operands: Operands::exactly(&["operand"]),
    inline_attr: None,
    attrs: &[],
    rules: &[],
    examples: &[Example {
        title: "shows-unchanged-tuple",
        hlo: "x = f32[2] constant({1, 2}) n = s32[] constant(3) t = tuple(x, n) b = opt-barrier(t)
              ROOT r = get-tuple-element(b), index=0",
        result: "f32[2] {1, 2}",
    }],
};

static DOMAIN: OpMeta = OpMeta {
    opcode: "domain",
    title: "Domain",
    search_terms: &[],
    sections: &["Domain"],
    category: Category::Control,
    history: History::NEWER,
    summary: "op-domain",
    formula: Formula::Symbols("out = operand"),
    operands: Operands::exactly(&["operand"]),
    inline_attr: None,
    attrs: &[AttrSpec::required("domain", AttrKind::Text, "attr-domain")],
    rules: &[],
    examples: &[
Example {
 title: "shows-unchanged",
        hlo: "x = f32[2] constant({1, 2})
              ROOT r = f32[2] domain(x), domain={kind=\"sharding\", entry={maximal device=0}, exit={maximal device=1}}",
        result: "f32[2] {1, 2}",
    },
],
};

/// Checks that an operand is a token.
pub(super) fn check_token(cx: &OpContext, operand: usize) -> Result<(), OpError> {
    let shape = cx.operand(operand)?;
    if *shape == Shape::Token {
        return Ok(());
    }
    let message = Message::ops("op-token").with("shape", shape.human_string());
    Err(cx.error("token-1", message).at_operand(operand).with_hint(Message::ops("op-hint-token")))
}

/// The semantics of the op with this opcode, which returns its first operand.
struct FirstOperand(&'static str);

impl EagerOp for FirstOperand {
    fn evaluate(&self, operands: &[Data], _: &mut dyn Run) -> Result<Data, OpError> {
        operand(self.0, operands, 0).cloned()
    }

    fn sources(&self, _: &[Data], cell: &CellAt, _: &mut dyn Run) -> Result<Vec<Source>, OpError> {
        Ok(vec![Source { operand: 0, cell: cell.clone(), role: Role::Value }])
    }
}

/// The semantics of an op that returns its first operand; a scalar is computed per element, so it can be compiled to a
/// region.
fn first_operand(cx: &OpContext) -> Semantics {
    if cx.array(0).is_ok_and(|array| array.rank() == 0) {
        return Semantics::per_element(|out, read| read.get(0, out, Role::Value));
    }
    Semantics::Eager(Box::new(FirstOperand(cx.meta.opcode)))
}

impl OpDef for AfterAll {
    fn meta(&self) -> &'static OpMeta {
        &AFTER_ALL
    }

    fn infer(&self, _: &OpContext) -> Result<Shape, OpError> {
        Ok(Shape::Token)
    }

    fn bind(&self, _: &OpContext) -> Result<Semantics, OpError> {
        Ok(Semantics::Constant(Data::Token))
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

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        Ok(Semantics::Eager(Box::new(FirstOperand(cx.meta.opcode))))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
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

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        Ok(first_operand(cx))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
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

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        Ok(first_operand(cx))
    }

    fn export(&self, to: &ExportContext) -> Option<Expression> {
        (to.language != Language::Rust).then(|| to.name(0).to_owned().into())
    }
}
