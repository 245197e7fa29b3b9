//! `infeed` and `outfeed`: see [`Infeed`] and [`Outfeed`].

use super::body::{Caller, Calls, OpFuture};
use super::data::operand;
use super::token::check_token;
use super::{
    At, AttrKind, AttrSpec, Attrs, Body, Category, CellAt, Data, Effect, Example, HostNeeds, OpContext,
    OpDef, OpError, OpMeta, Operands, Request, Rule, Source, Staged,
};
use xla_array::Shape;
use xla_messages::bug::OrBug as _;
use xla_messages::i18n::Message;

/// Takes the next item out of the queue the caller fills; the result is the item and a token.
///
/// An empty tuple takes nothing. Where the queue is empty a run waits (`Evaluator::run_async`) or ends with `waiting`.
/// The infeeds of a computation must be in a total order (`hlo-infeed-order`). Source: XLA's operation semantics,
/// "Infeed"; `HloInfeedInstruction`.
pub struct Infeed;

/// Puts a value into the box the caller empties.
///
/// Source: `HloOutfeedInstruction` of XLA.
pub struct Outfeed;

static INFEED: OpMeta = OpMeta {
    opcode: "infeed",
    title: "Infeed",
    names: &[],
    sections: &["Infeed"],
    category: Category::Source,
    summary: "op-infeed",
    formula: "out = (next item of the queue, token)",
    operands: Operands::exactly(&["token"]),
    argument: None,
    attrs: &[AttrSpec::optional("infeed_config", AttrKind::String, "attr-feed-config")],
    rules: &[
        Rule {
            label: "token-1",
            description: "rule-token",
            broken_by: "x = f32[] parameter(0) ROOT r = (f32[], token[]) infeed(x)",
        },
        Rule {
            label: "infeed-1",
            description: "rule-infeed-shape",
            broken_by: "t = token[] after-all() ROOT r = f32[2] infeed(t)",
        },
        Rule {
            label: "infeed-2",
            description: "rule-infeed-nested",
            broken_by: "t = token[] after-all() ROOT r = (((f32[2]), s32[]), token[]) infeed(t)",
        },
    ],
    examples: &[Example {
        hlo: "t = token[] after-all() i = ((), token[]) infeed(t) k = token[] get-tuple-element(i), index=1
              x = f32[] constant(1) ROOT r = add-dependency(x, k)",
        result: "f32[] 1",
    }],
};

static STAGED: &[Staged] = &[
    Staged {
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
    Staged {
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
    names: &[],
    sections: &[],
    category: Category::Outside,
    summary: "op-outfeed",
    formula: "out = token",
    operands: Operands::exactly(&["operand", "token"]),
    argument: None,
    attrs: &[
        AttrSpec::optional("outfeed_shape", AttrKind::Text, "attr-outfeed-shape"),
        AttrSpec::optional("outfeed_config", AttrKind::String, "attr-feed-config"),
    ],
    rules: &[
        Rule {
            label: "token-1",
            description: "rule-token",
            broken_by: "x = f32[] parameter(0) ROOT r = token[] outfeed(x, x), outfeed_shape=f32[]",
        },
        Rule {
            label: "outfeed-1",
            description: "rule-outfeed-shape",
            broken_by: "x = f32[2] parameter(0) t = token[] after-all()
                        ROOT r = token[] outfeed(x, t), outfeed_shape=f32[3]{0}",
        },
    ],
    examples: &[Example {
        hlo: "x = f32[2] constant({1, 2}) t = token[] after-all()
              o = token[] outfeed(x, t), outfeed_shape=f32[2]{0}
              ROOT r = add-dependency(x, o)",
        result: "f32[2] {1, 2}",
    }],
};

impl OpDef for Infeed {
    fn meta(&self) -> &'static OpMeta {
        &INFEED
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        check_token(cx, 0)?;
        let shape = cx.written_shape()?;
        let Some([item, Shape::Token]) = shape.as_tuple() else {
            let message = Message::engine("op-infeed-shape").with("shape", shape.human_string());
            let fix = format!("({}, token[])", shape.human_string());
            let error = cx.error("infeed-1", message).at(At::Result);
            let is_array = shape.as_array().is_some();
            return Err(if is_array { error.write(At::Result, fix) } else { error });
        };
        let is_nested = item
            .as_tuple()
            .is_some_and(|elements| elements.iter().any(|element| element.as_array().is_none()));
        if is_nested || *item == Shape::Token {
            let message = Message::engine("op-infeed-nested").with("shape", item.human_string());
            return Err(cx.error("infeed-2", message).at(At::Result));
        }
        Ok(shape.clone())
    }

    fn bind(&self, cx: &OpContext) -> Result<Body, OpError> {
        let item = cx.written_shape()?.as_tuple().and_then(|elements| elements.first()).cloned();
        Ok(Body::Calls(Box::new(Next(item.or_bug(Shape::Token, "`infer` requires a tuple")))))
    }

    fn effect(&self, _: &Attrs) -> Effect {
        Effect::Feeds
    }

    fn host_needs(&self, _: &Attrs, shape: &Shape) -> HostNeeds {
        match shape.as_tuple().and_then(|elements| elements.first()) {
            Some(item) if item.as_tuple().is_none_or(|elements| !elements.is_empty()) => {
                HostNeeds::Item(Box::new(item.clone()))
            }
            _ => HostNeeds::Nothing,
        }
    }

    fn staged(&self) -> &'static [Staged] {
        STAGED
    }
}

struct Next(Shape);

impl Calls for Next {
    fn evaluate<'a>(&'a self, _: &'a [Data], run: &'a mut dyn Caller) -> OpFuture<'a, Data> {
        Box::pin(async move {
            let is_empty = self.0.as_tuple().is_some_and(<[_]>::is_empty);
            let item =
                if is_empty { Data::Tuple([].into()) } else { run.ask(Request::Infeed(&self.0)).await? };
            Ok(Data::Tuple([item, Data::Token].into()))
        })
    }

    fn sources<'a>(
        &'a self,
        _: &'a [Data],
        _: &'a CellAt,
        _: &'a mut dyn Caller,
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
            let said: Option<Shape> = text.parse().ok();
            if !said.is_some_and(|said| xla_array::shape_util::compatible(&said, operand)) {
                let message = Message::engine("op-outfeed-shape")
                    .with("found", text.as_str())
                    .with("expected", operand.human_string());
                let error = cx.error("outfeed-1", message).at_attr("outfeed_shape");
                return Err(error.write(At::Attr("outfeed_shape"), operand.to_string()));
            }
        }
        Ok(Shape::Token)
    }

    fn bind(&self, cx: &OpContext) -> Result<Body, OpError> {
        let shape = match cx.attrs.get("outfeed_shape") {
            Some(super::AttrValue::Text(text)) => text.parse().ok(),
            _ => None,
        };
        Ok(Body::Calls(Box::new(Put(shape))))
    }

    fn effect(&self, _: &Attrs) -> Effect {
        Effect::Outside
    }

    fn host_needs(&self, _: &Attrs, _: &Shape) -> HostNeeds {
        HostNeeds::Outfeed
    }
}

/// The shape to put it in, if one is written.
struct Put(Option<Shape>);

impl Calls for Put {
    fn evaluate<'a>(&'a self, operands: &'a [Data], run: &'a mut dyn Caller) -> OpFuture<'a, Data> {
        Box::pin(async move {
            let data = operand("outfeed", operands, 0)?.clone();
            let data = match &self.0 {
                Some(shape) => {
                    data.laid_out(shape).map_err(|e| OpError::new("outfeed", e.rule, e.message))?
                }
                None => data,
            };
            run.ask(Request::Outfeed(&data)).await
        })
    }

    fn sources<'a>(
        &'a self,
        _: &'a [Data],
        _: &'a CellAt,
        _: &'a mut dyn Caller,
    ) -> OpFuture<'a, Vec<Source>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}
