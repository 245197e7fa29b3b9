//! The constants of the computations that an instruction calls, as fields of its form, so that, for example, the limit of a
//! loop can be changed outside the text.

use yew::prelude::*;

use super::draft_field::DraftField;
use super::fields::{Fields, constants};
use crate::app::context::Context;
use crate::hlo::{Instruction, InstructionId, Module};
use crate::i18n::Message;
use crate::ops::ComputationId;
use crate::state::experiment::session::Action;

/// The fields of a computation's constants.
pub fn constant_fields(
    context: &Context,
    module: &Module,
    (text, fields): (&str, &Fields),
    computation: ComputationId,
    dispatch: &Callback<Action>,
) -> Html {
    let computation_name =
        module.get(computation).map(|computation| computation.name.clone()).unwrap_or_default();
    let field = |(instruction, constant, literal): (InstructionId, &Instruction, &str)| {
        let id = format!("constant-{}-{}", computation.0, instruction.0);
        let commit = dispatch.reform(move |text: String| Action::SetConstant(computation, instruction, text));
        let label = Message::ops("constant-of")
            .with("name", constant.name.as_str())
            .with("computation", computation_name.as_str());
        let state = fields.constants.get(&(computation, instruction)).cloned().unwrap_or_default();
        html! {
            <div class="constant" key={id.clone()}>
                <label for={id.clone()}><code>{constant.name.clone()}</code>{" = "}</label>
                <DraftField {id} class="text mono" value={literal.to_owned()} label={context.text(&label)} {commit} {state}
                    dispatch={dispatch.clone()} />
            </div>
        }
    };
    html! { <>{for constants(module, text, computation).map(field)}</> }
}
