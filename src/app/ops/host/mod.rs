//! The host and devices of an experiment, as panels: the infeed queue and outfeed, replicas side by side, the
//! function of a custom call, random draws. All of it is simulated, and labelled so.
//!
//! The ops state which panels are needed ([`crate::state::experiment::needs::Needs`]); nothing here names one. See
//! [`run`] for the run of such an experiment, [`sandbox`] for the isolation of the user's code.

mod draw;
mod function;
mod queue;
mod replicas;
mod review;
pub mod run;
mod sandbox;

use std::rc::Rc;

use yew::prelude::*;

use crate::app::context::use_app_context;
use crate::hlo::{InstructionId, Module};
use crate::i18n::Message;
use crate::ops::CellAt;
use crate::state::experiment::Experiment;
use crate::state::experiment::needs::Needs;
use crate::state::experiment::run::FinishedRun;
use crate::state::experiment::session::Action;
use draw::Draw;
use function::Functions;
use queue::Queue;
use replicas::Replicas;
use run::{Approved, HostRun, State};

/// Properties of [`HostPanels`].
#[derive(Clone, PartialEq, Properties)]
pub struct HostProps {
    /// The host and devices that the module needs.
    pub needs: Needs,
    /// The experiment, with the inputs of its host.
    pub experiment: Rc<Experiment>,
    /// The run, if it needs a simulated host or several devices.
    pub run: Option<HostRun>,
    /// The values of the selected replica.
    pub finished: Option<FinishedRun>,
    /// The parsed module of the experiment.
    pub module: super::attributes::SharedModule,
    /// The selected instruction.
    pub focus: InstructionId,
    /// The highlighted cell of its value.
    pub at: Option<CellAt>,
    /// The functions that may run.
    pub approved: UseStateHandle<Approved>,
    /// The panels to display.
    pub side: HostSide,
    /// Dispatches actions.
    pub dispatch: Callback<Action>,
}

/// The panels of a side of the flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostSide {
    /// Inputs, before operands and result, where a change of the result does not move them.
    Inputs,
    /// Outputs, after the result.
    Outputs,
}

/// The panels of the simulated host and devices on one side of the flow.
#[component]
pub fn HostPanels(props: &HostProps) -> Html {
    let context = use_app_context();
    let needs = &props.needs;
    let (has_queues, is_input_side) =
        (!needs.items.is_empty() || needs.outfeed, props.side == HostSide::Inputs);
    let is_shown =
        if is_input_side { has_queues || !needs.functions.is_empty() } else { needs.devices || needs.seed };
    if !is_shown {
        return Html::default();
    }
    let state = props.run.as_ref().map(|run| run.state.clone());
    let final_states = state.as_ref().and_then(|state| {
        let final_states = match &**state {
            State::Finished(run) => &run.host_states,
            State::Unfinished(unfinished) => &unfinished.host_states,
            _ => return None,
        };
        Some(final_states.clone())
    });
    let device = props.experiment.environment.selected_replica;
    let final_state = final_states
        .as_ref()
        .and_then(|final_states| final_states.get(device).or(final_states.first()))
        .cloned();
    let change = props.dispatch.reform(|environment| Action::SetEnvironment(Box::new(environment)));
    let text = |key: &'static str| context.text(&Message::ops(key));
    let distribution = props.finished.as_ref().and_then(|finished| distribution(finished, props.focus));
    let awaits_approval = state.as_ref().is_some_and(|state| matches!(**state, State::AwaitingApproval));
    let is_running = state.as_ref().is_some_and(|state| matches!(**state, State::Running { .. }));
    let id = if is_input_side { "h-world" } else { "h-world-behind" };
    html! {
        <section class="world" aria-labelledby={id}>
            <h2 {id}>{text("world")}{" "}<span class="simulated">{text("world-simulated")}</span></h2>
            if is_input_side && !needs.functions.is_empty() {
                <Functions names={needs.functions.clone()} environment={props.experiment.environment.clone()} {awaits_approval} {is_running}
                    approved={props.approved.clone()} change={change.clone()} />
            }
            if is_input_side && has_queues {
                <Queue needs={needs.clone()} environment={props.experiment.environment.clone()} {final_state} change={change.clone()} />
            }
            if !is_input_side && needs.devices {
                <Replicas experiment={props.experiment.clone()} module={props.module.clone()} finished={props.finished.clone()} host_states={final_states}
                    focus={props.focus} at={props.at.clone()} dispatch={props.dispatch.clone()} />
            }
            if !is_input_side && needs.seed {
                <Draw seed={props.experiment.seed} {distribution} finished={props.finished.clone()} focus={props.focus} dispatch={props.dispatch.clone()} />
            }
        </section>
    }
}

/// The distribution that an instruction draws from.
fn distribution(finished: &FinishedRun, focus: InstructionId) -> Option<crate::ops::Distribution> {
    let module: &Module = finished.module();
    let instruction = module.entry_computation()?.get(focus)?;
    let operands: Option<Vec<_>> =
        instruction.operands.iter().map(|id| finished.value(*id).cloned()).collect();
    instruction.op?.distribution(&instruction.attrs, &operands?)
}
