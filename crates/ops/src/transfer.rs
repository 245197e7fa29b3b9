//! Channels between devices, and to the host: see [`Send`], [`SendDone`], [`Recv`] and [`RecvDone`].

use super::data::operand;
use super::semantics::{OpFuture, SuspendingOp, SuspendingRun};
use super::token::check_token;
use super::{
    AttrKind, AttrSpec, AttrValue, Attrs, Category, CellAt, Data, Effect, Example, Formula, History,
    HostSetup, OpContext, OpDef, OpError, OpMeta, OpPart, Operands, Request, Role, Rule, Semantics, Source,
};
use xla_array::{ArrayLiteral, ArrayShape, ElementType, Shape, Value};
use xla_messages::bug::OrBug as _;
use xla_messages::i18n::Message;

/// Sends a value to a channel; the result is the value, a `u32` context (0 here), and a token.
///
/// A `recv` of the same channel receives it: one on the same device if there is one, else on another. Without one, the
/// run deadlocks and fails with the rule `waiting`. With `is_host_transfer` the host receives it (`hlo::Host::sent`). Source:
/// `HloSendInstruction` of XLA.
pub struct Send;

/// Completes a [`Send`]; the result is a token.
///
/// Source: `HloSendDoneInstruction` of XLA.
pub struct SendDone;

/// Starts to receive a value from a channel; [`RecvDone`] completes it.
///
/// Source: `HloRecvInstruction` of XLA.
pub struct Recv;

/// Completes a [`Recv`]: waits for the value; the result is the value and a token.
///
/// Source: `HloRecvDoneInstruction` of XLA.
pub struct RecvDone;

/// Common attributes of `send` and `recv`. XLA also parses transfers without a channel, which name their devices in
/// `frontend_attributes`; running them is not supported.
const CHANNEL: AttrSpec = AttrSpec::optional("channel_id", AttrKind::Int, "attr-channel");
const HOST: AttrSpec = AttrSpec::optional("is_host_transfer", AttrKind::Bool, "attr-host-transfer");

const EXAMPLE: Example = Example {
    title: "shows-sent-received",
    hlo: "x = f32[2] constant({1, 2}) t = token[] after-all()
          s = (f32[2], u32[], token[]) send(x, t), channel_id=1
          w = (f32[2], u32[], token[]) recv(t), channel_id=1
          d = token[] send-done(s), channel_id=1
          g = (f32[2], token[]) recv-done(w), channel_id=1
          ROOT r = get-tuple-element(g), index=0",
    result: "f32[2] {1, 2}",
};

static SEND: OpMeta = OpMeta {
    opcode: "send",
    title: "Send",
    search_terms: &[],
    sections: &["Send"],
    category: Category::Source,
    history: History::not_in_2017("instead-tokenless"),
    summary: "op-send",
    formula: Formula::Symbols("channel ← operand"),
    operands: Operands::exactly(&["operand", "token"]),
    inline_attr: None,
    attrs: &[CHANNEL, HOST],
    rules: &[Rule {
        identifier: "token-1",
        description: "rule-token",
        violated_by: "x = f32[] parameter(0) ROOT r = (f32[], u32[], token[]) send(x, x), channel_id=1",
    }],
    examples: &[EXAMPLE],
};

static SEND_DONE: OpMeta = OpMeta {
    opcode: "send-done",
    title: "SendDone",
    search_terms: &[],
    sections: &["Send"],
    category: Category::Source,
    history: History::not_in_2017("instead-tokenless"),
    summary: "op-send-done",
    formula: Formula::Symbols("out = token"),
    operands: Operands::exactly(&["send"]),
    inline_attr: None,
    attrs: &[CHANNEL, HOST],
    rules: &[Rule {
        identifier: "transfer-1",
        description: "rule-transfer",
        violated_by: "x = f32[] parameter(0) ROOT r = token[] send-done(x), channel_id=1",
    }],
    examples: &[EXAMPLE],
};

static RECV: OpMeta = OpMeta {
    opcode: "recv",
    title: "Recv",
    search_terms: &[],
    sections: &["Recv"],
    category: Category::Source,
    history: History::not_in_2017("instead-tokenless"),
    summary: "op-recv",
    formula: Formula::Words("formula-recv"),
    operands: Operands::exactly(&["token"]),
    inline_attr: None,
    attrs: &[CHANNEL, HOST],
    rules: &[
        Rule {
            identifier: "token-1",
            description: "rule-token",
            violated_by: "x = f32[] parameter(0) ROOT r = (f32[], u32[], token[]) recv(x), channel_id=1",
        },
        Rule {
            identifier: "transfer-2",
            description: "rule-transfer-shape",
            violated_by: "t = token[] after-all() ROOT r = f32[2] recv(t), channel_id=1",
        },
    ],
    examples: &[EXAMPLE],
};

static RECV_DONE: OpMeta = OpMeta {
    opcode: "recv-done",
    title: "RecvDone",
    search_terms: &[],
    sections: &["Recv"],
    category: Category::Source,
    history: History::not_in_2017("instead-tokenless"),
    summary: "op-recv-done",
    formula: Formula::Symbols("out = (value ← channel, token)"),
    operands: Operands::exactly(&["recv"]),
    inline_attr: None,
    attrs: &[CHANNEL, HOST],
    rules: &[Rule {
        identifier: "transfer-1",
        description: "rule-transfer",
        violated_by: "x = f32[] parameter(0) ROOT r = (f32[], token[]) recv-done(x), channel_id=1",
    }],
    examples: &[EXAMPLE],
};

fn context_shape() -> Shape {
    Shape::Array(ArrayShape::new(ElementType::U32, []))
}

/// The `u32` context between the value and the token.
fn zero_context() -> Result<Data, OpError> {
    let scalar = ArrayLiteral::filled(ArrayShape::new(ElementType::U32, []), Value::Uint(0));
    scalar.map(Data::from).map_err(|e| OpError::new("send", e.rule, e.message))
}

/// The shape of the value that the `send` or `recv` of a `-done` transfers.
fn transferred_shape<'a>(cx: &OpContext<'a>) -> Result<&'a Shape, OpError> {
    let shape = cx.operand(0)?;
    if let Some([value, _, Shape::Token]) = shape.as_tuple() {
        return Ok(value);
    }
    let message = Message::ops("op-transfer").with("shape", shape.human_string());
    Err(cx.error("transfer-1", message).at_operand(0))
}

/// The operation on a channel.
enum ChannelOp {
    Send,
    StartReceive(Shape),
    Receive(Shape),
}

struct Transfer {
    channel: i64,
    is_host: bool,
    op: ChannelOp,
}

impl Transfer {
    fn semantics(cx: &OpContext, op: ChannelOp) -> Result<Semantics, OpError> {
        let (channel, is_host) = (cx.int("channel_id")?, cx.flag("is_host_transfer"));
        Ok(Semantics::Suspending(Box::new(Self { channel, is_host, op })))
    }
}

impl SuspendingOp for Transfer {
    fn evaluate<'a>(&'a self, operands: &'a [Data], run: &'a mut dyn SuspendingRun) -> OpFuture<'a, Data> {
        let (channel, is_host) = (self.channel, self.is_host);
        Box::pin(async move {
            Ok(Data::Tuple(match &self.op {
                ChannelOp::Send => {
                    let data = operand("send", operands, 0)?.clone();
                    run.request(Request::Send { channel, to_host: is_host, data: &data }).await?;
                    [data, zero_context()?, Data::Token].into()
                }
                ChannelOp::StartReceive(shape) => {
                    let zeros = xla_array::Literal::zeros(shape);
                    let buffer = zeros.map_err(|e| OpError::new("recv", e.rule, e.message))?;
                    [buffer.into(), zero_context()?, Data::Token].into()
                }
                ChannelOp::Receive(shape) => {
                    let data = run.request(Request::Receive { channel, from_host: is_host, shape }).await?;
                    [data, Data::Token].into()
                }
            }))
        })
    }

    fn sources<'a>(
        &'a self,
        _: &'a [Data],
        cell: &'a CellAt,
        run: &'a mut dyn SuspendingRun,
    ) -> OpFuture<'a, Vec<Source>> {
        let path = cell.path.get(1..).unwrap_or_default().into();
        let source =
            Source { operand: 0, cell: CellAt { path, index: cell.index.clone() }, role: Role::Value };
        let is_value = cell.path.first() == Some(&0);
        Box::pin(async move {
            match self.op {
                ChannelOp::Send if is_value => return Ok(vec![source]),
                // The source is the operand of the `send`, on any device.
                ChannelOp::Receive(_) if is_value && !self.is_host => run.add_remote_source(0, source),
                _ => {}
            }
            Ok(Vec::new())
        })
    }
}

impl OpDef for Send {
    fn meta(&self) -> &'static OpMeta {
        &SEND
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        check_token(cx, 1)?;
        Ok(Shape::tuple([cx.operand(0)?.clone(), context_shape(), Shape::Token]))
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        Transfer::semantics(cx, ChannelOp::Send)
    }

    fn is_default_attr(&self, name: &str, cx: &OpContext) -> bool {
        cx.is_false(name)
    }

    fn effect(&self, _: &Attrs) -> Effect {
        Effect::External
    }

    fn host_setup(&self, attrs: &Attrs, _: &Shape) -> HostSetup {
        let is_host_transfer = attrs.get("is_host_transfer") == Some(&AttrValue::Bool(true));
        // The queues of the host always exist; only for a transfer between devices must the user set their number.
        if is_host_transfer { HostSetup::Nothing } else { HostSetup::Devices }
    }
}

impl OpDef for SendDone {
    fn meta(&self) -> &'static OpMeta {
        &SEND_DONE
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        transferred_shape(cx)?;
        Ok(Shape::Token)
    }

    fn bind(&self, _: &OpContext) -> Result<Semantics, OpError> {
        Ok(Semantics::Constant(Data::Token))
    }

    fn is_default_attr(&self, name: &str, cx: &OpContext) -> bool {
        cx.is_false(name)
    }
}

impl OpDef for Recv {
    fn meta(&self) -> &'static OpMeta {
        &RECV
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        check_token(cx, 0)?;
        let shape = cx.require_result_shape()?;
        match shape.as_tuple() {
            Some([_, number, Shape::Token])
                if xla_array::shape_util::compatible(number, &context_shape()) =>
            {
                Ok(shape.clone())
            }
            _ => {
                let message = Message::ops("op-transfer").with("shape", shape.human_string());
                let fix = format!("({}, u32[], token[])", shape.human_string());
                let error = cx.error("transfer-2", message).at(OpPart::Result);
                Err(if shape.as_array().is_some() { error.with_fix(OpPart::Result, fix) } else { error })
            }
        }
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        let received = cx.require_result_shape()?.as_tuple().and_then(|elements| elements.first()).cloned();
        Transfer::semantics(
            cx,
            ChannelOp::StartReceive(
                received.or_bug(Shape::Token, "`infer` accepted a result that is not a tuple"),
            ),
        )
    }

    fn is_default_attr(&self, name: &str, cx: &OpContext) -> bool {
        cx.is_false(name)
    }
}

impl OpDef for RecvDone {
    fn meta(&self) -> &'static OpMeta {
        &RECV_DONE
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        Ok(Shape::tuple([transferred_shape(cx)?.clone(), Shape::Token]))
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        Transfer::semantics(cx, ChannelOp::Receive(transferred_shape(cx)?.clone()))
    }

    fn is_default_attr(&self, name: &str, cx: &OpContext) -> bool {
        cx.is_false(name)
    }

    fn effect(&self, _: &Attrs) -> Effect {
        Effect::External
    }

    fn host_setup(&self, attrs: &Attrs, _: &Shape) -> HostSetup {
        let is_host_transfer = attrs.get("is_host_transfer") == Some(&AttrValue::Bool(true));
        // The queues of the host always exist; only for a transfer between devices must the user set their number.
        if is_host_transfer { HostSetup::Nothing } else { HostSetup::Devices }
    }
}
