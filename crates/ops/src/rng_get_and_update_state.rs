//! `rng-get-and-update-state`: see [`RngGetAndUpdateState`].

use super::{
    AttrKind, AttrSpec, Attrs, Category, CellAt, Data, EagerOp, Example, Formula, History, HostSetup,
    OpContext, OpDef, OpError, OpMeta, OpPart, Operands, Rule, Run, Semantics, Source,
};
use xla_array::{ArrayLiteral, ArrayShape, ElementType, Shape, Value};
use xla_messages::i18n::Message;

/// Returns the state of the run's random number generator, the lower word first, and adds `delta` to it.
///
/// The state has 128 bits, and all instructions of a run share it. It is initialized as on XLA:CPU, with the seed in
/// the upper word. Source: `HloOpcode::kRngGetAndUpdateState`.
pub struct RngGetAndUpdateState;

static META: OpMeta = OpMeta {
    opcode: "rng-get-and-update-state",
    title: "RngGetAndUpdateState",
    search_terms: &[],
    sections: &["RngGetAndUpdateState"],
    category: Category::Source,
    history: History::NEWER,
    summary: "op-rng-get-and-update-state",
    formula: Formula::Symbols("out = state; state = state + delta"),
    operands: Operands::exactly(&[]),
    inline_attr: None,
    attrs: &[AttrSpec::required("delta", AttrKind::Int, "attr-delta")],
    rules: &[
        Rule {
            identifier: "rng-get-and-update-state-1",
            description: "rule-rng-state-shape",
            violated_by: "ROOT r = u64[3] rng-get-and-update-state(), delta=1",
        },
        Rule {
            identifier: "rng-get-and-update-state-2",
            description: "rule-delta",
            violated_by: "ROOT r = u64[2] rng-get-and-update-state(), delta=-1",
        },
    ],
    examples: &[
        Example {
            title: "shows-state",
            hlo: "ROOT r = u64[2] rng-get-and-update-state(), delta=3",
            result: "u64[2] {117515157, 0}",
        },
        Example {
            title: "shows-state-advances",
            hlo:
                "a = u64[2] rng-get-and-update-state(), delta=3 b = u64[2] rng-get-and-update-state(), delta=1
                  ROOT r = subtract(b, a)",
            result: "u64[2] {3, 0}",
        },
    ],
};

struct GetAndUpdate {
    delta: u64,
}

fn shape() -> ArrayShape {
    ArrayShape::new(ElementType::U64, [2])
}

impl EagerOp for GetAndUpdate {
    fn evaluate(&self, _: &[Data], run: &mut dyn Run) -> Result<Data, OpError> {
        let state = run.advance(self.delta);
        let words = [state, state >> 64].map(|word| Value::from_bits(ElementType::U64, word));
        let literal = ArrayLiteral::from_values(shape(), words);
        literal.map(Data::from).map_err(|e| OpError::new("rng-get-and-update-state", e.rule, e.message))
    }

    fn sources(&self, _: &[Data], _: &CellAt, _: &mut dyn Run) -> Result<Vec<Source>, OpError> {
        Ok(Vec::new())
    }
}

impl OpDef for RngGetAndUpdateState {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let (result, expected) = (cx.explicit_result_array()?, shape());
        if result.element_type != expected.element_type || result.dimensions != expected.dimensions {
            let message = Message::ops("op-result-differs")
                .with("inferred", expected.human_string())
                .with("written", result.human_string());
            let error = cx.error("rng-get-and-update-state-1", message).at(OpPart::Result);
            return Err(error.with_fix(OpPart::Result, expected.human_string()));
        }
        let delta = cx.int("delta")?;
        if delta < 0 {
            let message =
                Message::ops("op-at-least").with("name", "delta").with("least", 0_i64).with("found", delta);
            let error = cx.error("rng-get-and-update-state-2", message).at_attr("delta");
            return Err(error.with_fix(OpPart::Attr("delta"), "0"));
        }
        Ok(Shape::Array(result.clone()))
    }

    fn host_setup(&self, _: &Attrs, _: &Shape) -> HostSetup {
        HostSetup::Seed
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        Ok(Semantics::Eager(Box::new(GetAndUpdate { delta: cx.int("delta")?.unsigned_abs() })))
    }
}
