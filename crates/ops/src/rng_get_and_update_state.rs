//! `rng-get-and-update-state`: see [`RngGetAndUpdateState`].

use super::{
    At, AttrKind, AttrSpec, Attrs, Body, Category, CellAt, Data, Example, HostNeeds, OpContext, OpDef,
    OpError, OpMeta, Operands, Rule, Run, Source, WholeOp,
};
use xla_array::{ArrayLiteral, ArrayShape, ElementType, Shape, Value};
use xla_messages::i18n::Message;

/// The state of a run's random numbers, the lower word first; each execution adds `delta` to it for the next.
///
/// The state has 128 bits and is one for the whole run. It begins as on XLA:CPU, with the seed in its upper
/// word. Source: `HloOpcode::kRngGetAndUpdateState`.
pub struct RngGetAndUpdateState;

static META: OpMeta = OpMeta {
    opcode: "rng-get-and-update-state",
    title: "RngGetAndUpdateState",
    names: &[],
    sections: &[],
    category: Category::Source,
    summary: "op-rng-get-and-update-state",
    formula: "out = state; state = state + delta",
    operands: Operands::exactly(&[]),
    argument: None,
    attrs: &[AttrSpec::required("delta", AttrKind::Int, "attr-delta")],
    rules: &[
        Rule {
            label: "rng-get-and-update-state-1",
            description: "rule-rng-state-shape",
            broken_by: "ROOT r = u64[3] rng-get-and-update-state(), delta=1",
        },
        Rule {
            label: "rng-get-and-update-state-2",
            description: "rule-delta",
            broken_by: "ROOT r = u64[2] rng-get-and-update-state(), delta=-1",
        },
    ],
    examples: &[
        Example {
            hlo: "ROOT r = u64[2] rng-get-and-update-state(), delta=3",
            result: "u64[2] {117515157, 0}",
        },
        Example {
            hlo:
                "a = u64[2] rng-get-and-update-state(), delta=3 b = u64[2] rng-get-and-update-state(), delta=1
                  ROOT r = subtract(b, a)",
            result: "u64[2] {3, 0}",
        },
    ],
};

struct Get {
    delta: u64,
}

fn shape() -> ArrayShape {
    ArrayShape::new(ElementType::U64, [2])
}

impl WholeOp for Get {
    fn evaluate(&self, _: &[Data], run: &mut dyn Run) -> Result<Data, OpError> {
        let state = run.advance(self.delta);
        let words = [state, state >> 64].map(|word| Value::from_bits(ElementType::U64, word));
        let made = ArrayLiteral::from_values(shape(), words);
        made.map(Data::from).map_err(|e| OpError::new("rng-get-and-update-state", e.rule, e.message))
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
        let (result, wanted) = (cx.written_array()?, shape());
        if result.element_type != wanted.element_type || result.dimensions != wanted.dimensions {
            let message = Message::engine("op-result-differs")
                .with("inferred", wanted.human_string())
                .with("written", result.human_string());
            let error = cx.error("rng-get-and-update-state-1", message).at(At::Result);
            return Err(error.write(At::Result, wanted.human_string()));
        }
        let delta = cx.int("delta")?;
        if delta < 0 {
            let message = Message::engine("op-at-least")
                .with("name", "delta")
                .with("least", 0_i64)
                .with("found", delta);
            let error = cx.error("rng-get-and-update-state-2", message).at_attr("delta");
            return Err(error.write(At::Attr("delta"), "0"));
        }
        Ok(Shape::Array(result.clone()))
    }

    fn host_needs(&self, _: &Attrs, _: &Shape) -> HostNeeds {
        HostNeeds::Seed
    }

    fn bind(&self, cx: &OpContext) -> Result<Body, OpError> {
        Ok(Body::Whole(Box::new(Get { delta: cx.int("delta")?.unsigned_abs() })))
    }
}
