//! `custom-call`: see [`CustomCall`].

use std::borrow::Cow;

use super::readers::MAX_TRACED_CELLS;
use super::semantics::{OpFuture, SuspendingOp, SuspendingRun};
use super::{
    AttrKind, AttrSpec, AttrValue, Attrs, Category, CellAt, Data, Effect, Environment, Example, Formula,
    History, HostExample, HostSetup, OpContext, OpDef, OpError, OpMeta, OpPart, Operands, Request, Role,
    Rule, Semantics, Source,
};
use xla_array::index::Indices;
use xla_array::{Dims, Shape, shape_util};
use xla_messages::escape;
use xla_messages::i18n::Message;

/// Calls a function that the embedder registered by name (`hlo::Host`).
///
/// Its result must have the written shape. Unless the registration provides sources, a cell depends on every cell of
/// every operand. `TopK`, which XLA's CPU compiler calls, is always registered. Source: XLA's operation semantics,
/// `CustomCall`; `HloCustomCallInstruction`.
pub struct CustomCall;

const API_VERSIONS: &[&str] = &[
    "API_VERSION_ORIGINAL",
    "API_VERSION_STATUS_RETURNING",
    "API_VERSION_STATUS_RETURNING_UNIFIED",
    "API_VERSION_TYPED_FFI",
    "API_VERSION_UNSPECIFIED",
];

static META: OpMeta = OpMeta {
    opcode: "custom-call",
    title: "CustomCall",
    search_terms: &[],
    sections: &["CustomCall"],
    category: Category::Host,
    history: History::UNCHANGED,
    summary: "op-custom-call",
    formula: Formula::Symbols("out = custom_call_target(operand_0, operand_1, …)"),
    operands: Operands::any("argument"),
    inline_attr: None,
    attrs: &[
        AttrSpec::optional("window", AttrKind::Window, "attr-custom-kept").current_only(),
        AttrSpec::optional("dim_labels", AttrKind::DimLabels, "attr-custom-kept").current_only(),
        AttrSpec::optional("feature_group_count", AttrKind::Int, "attr-custom-kept").current_only(),
        AttrSpec::optional("batch_group_count", AttrKind::Int, "attr-custom-kept").current_only(),
        AttrSpec::optional("operand_precision", AttrKind::Text, "attr-custom-kept").current_only(),
        AttrSpec::optional("padding_type", AttrKind::Text, "attr-custom-kept").current_only(),
        AttrSpec::required("custom_call_target", AttrKind::String, "attr-custom-target"),
        AttrSpec::optional("operand_layout_constraints", AttrKind::Text, "attr-custom-layouts")
            .current_only(),
        AttrSpec::optional("custom_call_has_side_effect", AttrKind::Bool, "attr-custom-effect")
            .current_only(),
        AttrSpec::optional("literal", AttrKind::Text, "attr-custom-kept").current_only(),
        AttrSpec::optional("output_to_operand_aliasing", AttrKind::Text, "attr-aliasing").current_only(),
        AttrSpec::optional("schedule", AttrKind::Text, "attr-custom-kept").current_only(),
        AttrSpec::optional("api_version", AttrKind::Keyword(API_VERSIONS), "attr-custom-kept").current_only(),
        AttrSpec::optional("to_apply", AttrKind::Computation, "attr-custom-called").current_only(),
        AttrSpec::optional("called_computations", AttrKind::Computations, "attr-custom-called")
            .current_only(),
    ],
    rules: &[
        Rule {
            identifier: "custom-call-1",
            description: "rule-custom-target",
            violated_by: "x = f32[2] parameter(0) ROOT r = f32[2] custom-call(x), custom_call_target=\"\"",
        },
        Rule {
            identifier: "custom-call-2",
            description: "rule-custom-layouts",
            violated_by:
                "x = f32[2,3] parameter(0) ROOT r = f32[2] custom-call(x), custom_call_target=\"TopK\",
                        operand_layout_constraints={f32[3,2]{0,1}}",
        },
        Rule {
            identifier: "result-missing",
            description: "rule-custom-shape",
            violated_by: "x = f32[2] parameter(0) ROOT r = custom-call(x), custom_call_target=\"TopK\"",
        },
    ],
    examples: &[Example {
        title: "shows-registered-topk",
        hlo: "x = f32[2,3] constant({{3, 1, 2}, {5, 5, 4}})
              c = (f32[2,2], s32[2,2]) custom-call(x), custom_call_target=\"TopK\"
              ROOT r = get-tuple-element(c), index=1",
        result: "s32[2,2] { {0, 2}, {0, 1} }",
    }],
};

/// The documentation's example. The documentation defines only `z[0][0]` of `myfunc`; the rest is ours.
static HOST_EXAMPLES: &[HostExample] = &[HostExample {
    title: "shows-your-function",
    hlo: "HloModule myfunc_of_the_documents

ENTRY documents {
  x = f32[2] parameter(0)
  y = f32[2,3] parameter(1)
  ROOT z = f32[3,3] custom-call(x, y), custom_call_target=\"myfunc\"
}
",
    values: &[&["{1, 2}", "{{10, 20, 30}, {40, 50, 60}}"]],
    infeed: &[],
    functions: &[(
        "myfunc",
        "// z[i][j] = x[(i + 1) % 2] + y[(i + 1) % 2][j]
const [x, y] = inputs;
const [rows, columns] = output.shape;
for (let i = 0; i < rows; i++) {
  const row = (i + 1) % 2;
  for (let j = 0; j < columns; j++) {
    output.data[i * columns + j] = x.data[row] + y.data[row * 3 + j];
  }
}",
    )],
    replicas: 1,
    results: &["f32[3,3] { { 42, 52, 62 }, { 11, 21, 31 }, { 42, 52, 62 } }"],
}];

impl OpDef for CustomCall {
    fn meta(&self) -> &'static OpMeta {
        &META
    }

    fn infer(&self, cx: &OpContext) -> Result<Shape, OpError> {
        let shape = cx.require_result_shape()?;
        if target(cx.attrs).is_empty() {
            let message = Message::ops("op-custom-target");
            return Err(cx.error("custom-call-1", message).at_attr("custom_call_target"));
        }
        if let Some(AttrValue::Text(text)) = cx.attrs.get("operand_layout_constraints") {
            let found: Vec<Option<Shape>> = shapes(text);
            let matches = |(found, operand): (&Option<Shape>, &&Shape)| {
                found.as_ref().is_some_and(|found| shape_util::compatible(found, operand))
            };
            if found.len() != cx.operands.len() || !found.iter().zip(cx.operands).all(matches) {
                let shapes: Vec<String> = cx.operands.iter().map(ToString::to_string).collect();
                let message = Message::ops("op-custom-layouts").with("found", text.as_str());
                let error = cx.error("custom-call-2", message).at_attr("operand_layout_constraints");
                let fix = format!("{{{}}}", shapes.join(", "));
                return Err(error.with_fix(OpPart::Attr("operand_layout_constraints"), fix));
            }
        }
        Ok(shape.clone())
    }

    fn bind(&self, cx: &OpContext) -> Result<Semantics, OpError> {
        Ok(Semantics::Suspending(Box::new(TargetCall {
            target: target(cx.attrs).into_owned(),
            shape: cx.require_result_shape()?.clone(),
        })))
    }

    fn is_default_attr(&self, name: &str, cx: &OpContext) -> bool {
        cx.is_false(name) || cx.keyword(name) == Some("API_VERSION_ORIGINAL")
    }

    fn needs_environment_check(&self) -> bool {
        true
    }

    fn effect(&self, attrs: &Attrs) -> Effect {
        let has_side_effect = attrs.get("custom_call_has_side_effect") == Some(&AttrValue::Bool(true));
        if has_side_effect { Effect::External } else { Effect::None }
    }

    fn host_setup(&self, attrs: &Attrs, _: &Shape) -> HostSetup {
        let target = target(attrs);
        if target.is_empty() { HostSetup::Nothing } else { HostSetup::Function(target.into_owned()) }
    }

    fn host_examples(&self) -> &'static [HostExample] {
        HOST_EXAMPLES
    }
}

/// The shapes in braces, `{f32[2,3]{0,1}, s32[]}`.
fn shapes(text: &str) -> Vec<Option<Shape>> {
    let list = text.trim().strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_i32, 0);
    for (at, c) in list.char_indices() {
        match c {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[start..]);
    let is_nonempty = |part: &&str| !part.trim().is_empty();
    parts.into_iter().filter(is_nonempty).map(|part| part.trim().parse().ok()).collect()
}

/// The name of the function; empty without one. Bytes that are not UTF-8 are escaped as in the printed text.
fn target(attrs: &Attrs) -> Cow<'_, str> {
    match attrs.get("custom_call_target") {
        Some(AttrValue::String(target)) => Cow::Borrowed(target),
        Some(AttrValue::Bytes(bytes)) => Cow::Owned(escape::c::escape(bytes)),
        _ => Cow::Borrowed(""),
    }
}

struct TargetCall {
    target: String,
    shape: Shape,
}

/// Calls `visit` with every cell of a value. `path` is the tuple path of `data`.
fn for_each_cell(data: &Data, path: &mut Vec<usize>, visit: &mut dyn FnMut(CellAt)) {
    match data {
        Data::Token => {}
        Data::Tuple(elements) => {
            for (i, element) in elements.iter().enumerate() {
                path.push(i);
                for_each_cell(element, path, visit);
                path.pop();
            }
        }
        Data::Array(array) => {
            let mut indices = Indices::row_major(&array.shape().dimensions);
            while let Some(index) = indices.advance() {
                visit(CellAt { path: path.iter().copied().collect(), index: Dims::from_slice(index) });
            }
        }
    }
}

fn element_count(data: &Data) -> u64 {
    match data {
        Data::Token => 0,
        Data::Tuple(parts) => parts.iter().map(element_count).fold(0, u64::saturating_add),
        Data::Array(array) => array.memory_map().elements().unsigned_abs(),
    }
}

impl SuspendingOp for TargetCall {
    fn evaluate<'a>(&'a self, operands: &'a [Data], run: &'a mut dyn SuspendingRun) -> OpFuture<'a, Data> {
        run.request(Request::Custom { target: &self.target, operands, shape: &self.shape })
    }

    fn sources<'a>(
        &'a self,
        operands: &'a [Data],
        cell: &'a CellAt,
        run: &'a mut dyn SuspendingRun,
    ) -> OpFuture<'a, Vec<Source>> {
        Box::pin(async move {
            if let Some(sources) = run.custom_sources(&self.target, operands, cell) {
                return Ok(sources);
            }
            if operands.iter().map(element_count).fold(0, u64::saturating_add) > MAX_TRACED_CELLS as u64 {
                let message = Message::ops("trace-limit").with("limit", MAX_TRACED_CELLS);
                return Err(OpError::new("custom-call", "trace-limit", message));
            }
            let mut found = Vec::new();
            for (operand, data) in operands.iter().enumerate() {
                let mut visit = |cell| found.push(Source { operand, cell, role: Role::Value });
                for_each_cell(data, &mut Vec::new(), &mut visit);
            }
            Ok(found)
        })
    }

    fn check_environment(&self, environment: &dyn Environment) -> Result<(), OpError> {
        let known = environment.custom_call_targets();
        if known.contains(&self.target) {
            return Ok(());
        }
        let message = Message::ops("op-custom-unknown")
            .with("name", self.target.as_str())
            .with("known", known.join(", "));
        Err(OpError::new("custom-call", "custom-call-target", message)
            .at_attr("custom_call_target")
            .with_hint(Message::ops("op-hint-custom").with("name", self.target.as_str())))
    }
}
