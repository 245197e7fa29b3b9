//! `infeed` and `outfeed`: see [`Infeed`] and [`Outfeed`].

use super::data::operand;
use super::semantics::{OpFuture, SuspendingOp, SuspendingRun};
use super::token::check_token;
use super::{
    AttrKind, AttrSpec, Attrs, Category, CellAt, Change, Data, EditionExample, Effect, Example,
    ExampleOutcome, Formula, History, HostExample, HostSetup, OpContext, OpDef, OpError, OpMeta, OpPart,
    Operands, Request, Rule, Semantics, Source,
};
use xla_array::{Edition, Shape};
use xla_messages::i18n::Message;

/// Dequeues the next item of the infeed, which the host fills; the result is the item and a token.
///
/// An infeed of an empty tuple dequeues nothing. If the queue is empty, a run waits (`Evaluator::run_async`) or ends
/// with `waiting`. In 2017 there were no tokens: the op had no operand, and its result was the item alone. The infeeds
/// of a computation must be in a total order (`hlo-infeed-order`). Source: XLA's operation semantics, "Infeed";
/// `HloInfeedInstruction`.
pub struct Infeed;

/// Appends a value to the outfeed queue, which the host reads.
///
/// Source: `HloOutfeedInstruction` of XLA.
pub struct Outfeed;

/// The difference in XLA 2017.
static CHANGE: Change = Change {
    formula: Some(Formula::Words("formula-infeed-2017")),
    v2017: "then-infeed",
    current: "now-infeed",
    example: EditionExample {
        title: "difference-infeed",
        hlo: "ROOT r = () infeed()",
        v2017: ExampleOutcome::Value("() ()"),
        current: ExampleOutcome::Error("operand-count"),
    },
};

static INFEED: OpMeta = OpMeta {
    opcode: "infeed",
    title: "Infeed",
    search_terms: &[],
    sections: &["Infeed"],
    category: Category::Source,
    history: History::changed(&CHANGE),
    summary: "op-infeed",
    formula: Formula::Words("formula-infeed"),
    operands: Operands::current_only(&["token"]),
    inline_attr: None,
    attrs: &[AttrSpec::optional("infeed_config", AttrKind::String, "attr-feed-config")],
    rules: &[
        Rule {
            identifier: "token-1",
            description: "rule-token",
            violated_by: "x = f32[] parameter(0) ROOT r = (f32[], token[]) infeed(x)",
        },
        Rule {
            identifier: "infeed-1",
            description: "rule-infeed-shape",
            violated_by: "t = token[] after-all() ROOT r = f32[2] infeed(t)",
        },
        Rule {
            identifier: "infeed-2",
            description: "rule-infeed-nested",
            violated_by: "t = token[] after-all() ROOT r = ((f32[2], token[]), token[]) infeed(t)",
        },
    ],
    examples: &[Example {
        title: "shows-empty-item",
        hlo: "t = token[] after-all() i = ((), token[]) infeed(t) k = token[] get-tuple-element(i), index=1
              x = f32[] constant(1) ROOT r = add-dependency(x, k)",
        result: "f32[] 1",
    }],
};

static HOST_EXAMPLES: &[HostExample] = &[
    HostExample {
        title: "shows-two-items",
        hlo: "HloModule two_of_three_items

ENTRY feeds {
  start = token[] after-all()
  first = (f32[3], token[]) infeed(start)
  item = f32[3] get-tuple-element(first), index=0
  then = token[] get-tuple-element(first), index=1
  second = (f32[3], token[]) infeed(then)
  next = f32[3] get-tuple-element(second), index=0
  ROOT difference = f32[3] subtract(next, item)
}
",
        values: &[],
        infeed: &["{1, 2, 3}", "{10, 20, 30}", "{5, 5, 5}"],
        functions: &[],
        replicas: 1,
        results: &["f32[3] {9, 18, 27}"],
    },
    HostExample {
        title: "shows-empty-queue",
        hlo: "HloModule empty_queue

ENTRY waits {
  start = token[] after-all()
  fed = (s32[2], token[]) infeed(start)
  ROOT item = s32[2] get-tuple-element(fed), index=0
}
",
        values: &[],
        infeed: &[],
        functions: &[],
        replicas: 1,
        results: &[],
    },
];

static OUTFEED: OpMeta = OpMeta {
    opcode: "outfeed",
    title: "Outfeed",
    search_terms: &[],
    sections: &["Outfeed"],
    category: Category::Host,
    history: History::not_in_2017("instead-tokenless"),
    summary: "op-outfeed",
    formula: Formula::Symbols("out = token"),
    operands: Operands::exactly(&["operand", "token"]),
    inline_attr: None,
    attrs: &[
        AttrSpec::optional("outfeed_shape", AttrKind::Text, "attr-outfeed-shape"),
        AttrSpec::optional("outfeed_config", AttrKind::String, "attr-feed-config"),
    ],
    rules: &[
        Rule {
            identifier: "token-1",
            description: "rule-token",
            violated_by: "x = f32[] parameter(0) ROOT r = token[] outfeed(x, x), outfeed_shape=f32[]",
        },
        Rule {
            identifier: "outfeed-1",
            description: "rule-outfeed-shape",
            violated_by: "x = f32[2] parameter(0) t = token[] after-all()
                        ROOT r = token[] outfeed(x, t), outfeed_shape=f32[3]{0}",
        },
    ],
    examples: &[Example {
        title: "shows-two-numbers",
        hlo: "x = f32[2] constant({1, 2}) t = token[] after-all()
              o = token[] outfeed(x, t), outfeed_shape=f32[2]{0}
              ROOT r = add-dependency(x, o)",
        result: "f32[2] {1, 2}",
    }],
};

/// Whether an item consists of arrays: in 2017 without a tuple in a tuple.
fn is_valid_item(item: &Shape, edition: Edition) -> bool {
    let is_part = |part: &Shape| match edition {
        Edition::V2017 => part.as_array().is_some(),
        Edition::Current => is_valid_item(part, edition),
    };
    item.as_array().is_some() || item.as_tuple().is_some_and(|parts| parts.iter().all(is_part))
}

/// Checks that an item is an array, or a tuple of arrays.
fn check_item(cx: &OpContext, item: &Shape) -> Result<(), OpError> {
    if !is_valid_item(item, cx.edition) {
        let message = Message::ops("op-infeed-nested").with("shape", item.human_string());
        return Err(cx.error("infeed-2", message).at(OpPart::Result));
    }
    Ok(())
}

/// The item in the shape of a result, which in 2017 is the item alone.
fn item_of(shape: &Shape) -> &Shape {
    if let Some([item, Shape::Token]) = shape.as_tuple() { item } else { shape }
}

impl OpDef for Infeed {
    fn meta(&self) -> &'static OpMeta {
        &INFEED
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let shape = cx.require_result_shape()?;
        if cx.edition == Edition::V2017 {
            check_item(cx, shape)?;
            return Ok(shape.clone());
        }
        check_token(cx, 0)?;
        let Some([item, Shape::Token]) = shape.as_tuple() else {
            let message = Message::ops("op-infeed-shape").with("shape", shape.human_string());
            let fix = format!("({}, token[])", shape.human_string());
            let error = cx.error("infeed-1", message).at(OpPart::Result);
            let is_array = shape.as_array().is_some();
            return Err(if is_array { error.with_fix(OpPart::Result, fix) } else { error });
        };
        check_item(cx, item)?;
        Ok(shape.clone())
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let shape = cx.require_result_shape()?;
        let item = item_of(shape);
        Ok(Semantics::Suspending(Box::new(DequeueInfeed { item: item.clone(), has_token: item != shape })))
    }

    fn effect(&self, _: &Attrs) -> Effect {
        Effect::Ordered
    }

    fn host_setup(&self, _: &Attrs, shape: &Shape) -> HostSetup {
        let item = item_of(shape);
        match item.as_tuple() {
            Some([]) => HostSetup::Nothing,
            _ => HostSetup::InfeedItem(Box::new(item.clone())),
        }
    }

    fn host_examples(&self) -> &'static [HostExample] {
        HOST_EXAMPLES
    }
}

/// The semantics of `infeed`.
struct DequeueInfeed {
    item: Shape,
    has_token: bool,
}

impl SuspendingOp for DequeueInfeed {
    fn evaluate<'a>(&'a self, _: &'a [Data], run: &'a mut dyn SuspendingRun) -> OpFuture<'a, Data> {
        Box::pin(async move {
            let is_empty = self.item.as_tuple().is_some_and(<[_]>::is_empty);
            let item = if is_empty {
                Data::Tuple([].into())
            } else {
                run.request(Request::Infeed(&self.item)).await?
            };
            Ok(if self.has_token { Data::Tuple([item, Data::Token].into()) } else { item })
        })
    }

    fn sources<'a>(
        &'a self,
        _: &'a [Data],
        _: &'a CellAt,
        _: &'a mut dyn SuspendingRun,
    ) -> OpFuture<'a, Vec<Source>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}

impl OpDef for Outfeed {
    fn meta(&self) -> &'static OpMeta {
        &OUTFEED
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        check_token(cx, 1)?;
        let operand = cx.operand(0)?;
        if let Some(super::AttrValue::Text(text)) = cx.attrs.get("outfeed_shape") {
            let written: Option<Shape> = text.parse().ok();
            if !written.is_some_and(|written| xla_array::shape_util::compatible(&written, operand)) {
                let message = Message::ops("op-outfeed-shape")
                    .with("found", text.as_str())
                    .with("expected", operand.human_string());
                let error = cx.error("outfeed-1", message).at_attr("outfeed_shape");
                return Err(error.with_fix(OpPart::Attr("outfeed_shape"), operand.to_string()));
            }
        }
        Ok(Shape::Token)
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let shape = match cx.attrs.get("outfeed_shape") {
            Some(super::AttrValue::Text(text)) => text.parse().ok(),
            _ => None,
        };
        Ok(Semantics::Suspending(Box::new(EnqueueOutfeed(shape))))
    }

    fn effect(&self, _: &Attrs) -> Effect {
        Effect::External
    }

    fn host_setup(&self, _: &Attrs, _: &Shape) -> HostSetup {
        HostSetup::Outfeed
    }
}

/// The semantics of `outfeed`, with the shape whose layout the item gets, if one is written.
struct EnqueueOutfeed(Option<Shape>);

impl SuspendingOp for EnqueueOutfeed {
    fn evaluate<'a>(&'a self, operands: &'a [Data], run: &'a mut dyn SuspendingRun) -> OpFuture<'a, Data> {
        Box::pin(async move {
            let data = operand("outfeed", operands, 0)?.clone();
            let data = match &self.0 {
                Some(shape) => {
                    data.relayout_to(shape).map_err(|e| OpError::new("outfeed", e.rule, e.message))?
                }
                None => data,
            };
            run.request(Request::Outfeed(&data)).await
        })
    }

    fn sources<'a>(
        &'a self,
        _: &'a [Data],
        _: &'a CellAt,
        _: &'a mut dyn SuspendingRun,
    ) -> OpFuture<'a, Vec<Source>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}
