//! The world outside of an experiment, as panels to look at and to fill: the infeed's queue and what was put out,
//! replicas side by side, the function of a custom call, random draws. All of it is simulated, and says so.
//!
//! Which panels there are is asked of the ops ([`crate::state::experiment::needs::Needs`]); nothing here names one.
//! Read [`run`] for how such an experiment is run, [`sandbox`] for where the visitor's code runs.

mod draw;
mod function;
mod queue;
mod replicas;
mod review;
pub mod run;
mod sandbox;

use std::rc::Rc;

use yew::prelude::*;

use crate::app::context::use_say;
use crate::hlo::{InstructionId, Module};
use crate::i18n::Message;
use crate::ops::CellAt;
use crate::state::experiment::Experiment;
use crate::state::experiment::needs::Needs;
use crate::state::experiment::run::FinishedRun;
use crate::state::experiment::session::Action;
use crate::state::experiment::state::Environment;
use draw::Draw;
use function::Functions;
use queue::Queue;
use replicas::Replicas;
use run::{Approved, State, WorldRun};

/// Properties of [`WorldPanels`].
#[derive(Clone, PartialEq, Properties)]
pub struct WorldProps {
    /// What the module wants.
    pub needs: Needs,
    /// The experiment.
    pub experiment: Rc<Experiment>,
    /// The run, where it needs this world.
    pub run: Option<WorldRun>,
    /// Its values, of the replica that is looked at.
    pub ran: Option<FinishedRun>,
    /// The module.
    pub module: super::attributes::SharedModule,
    /// The instruction that is looked at.
    pub focus: InstructionId,
    /// The cell of its value that is lit.
    pub at: Option<CellAt>,
    /// Functions that may run.
    pub approved: UseStateHandle<Approved>,
    /// Which of the panels.
    pub half: Half,
    /// Carries out actions.
    pub dispatch: Callback<Action>,
}

/// Where panels stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// Before operands and result: what goes in. It does not move when a result comes or fails to.
    Before,
    /// Behind them: what comes of it.
    Behind,
}

/// The panels.
#[component]
pub fn WorldPanels(props: &WorldProps) -> Html {
    let context = use_say();
    let needs = &props.needs;
    let (is_fed, is_before) = (!needs.items.is_empty() || needs.outfeed, props.half == Half::Before);
    let is_shown =
        if is_before { is_fed || !needs.functions.is_empty() } else { needs.devices || needs.seed };
    if !is_shown {
        return Html::default();
    }
    let state = props.run.as_ref().map(|run| run.state.clone());
    let left = state.as_ref().and_then(|state| {
        let left = match &**state {
            State::Ran(run) => &run.left,
            State::Stuck(stuck) => &stuck.left,
            _ => return None,
        };
        Some(left.clone())
    });
    let device = props.experiment.environment.device;
    let own = left.as_ref().and_then(|left| left.get(device).or(left.first())).cloned();
    let change = props.dispatch.reform(|world: Environment| Action::SetEnvironment(Box::new(world)));
    let tell = |key: &'static str| context.tell(&Message::engine(key));
    let distribution = props.ran.as_ref().and_then(|ran| distribution(ran, props.focus));
    let is_held = state.as_ref().is_some_and(|state| matches!(**state, State::Held));
    let is_running = state.as_ref().is_some_and(|state| matches!(**state, State::Running { .. }));
    let id = if is_before { "h-world" } else { "h-world-behind" };
    html! {
        <section class="world" aria-labelledby={id}>
            <h2 {id}>{tell("world")}{" "}<span class="simulated">{tell("world-simulated")}</span></h2>
            if is_before && !needs.functions.is_empty() {
                <Functions names={needs.functions.clone()} world={props.experiment.environment.clone()} {is_held} {is_running}
                    approved={props.approved.clone()} change={change.clone()} />
            }
            if is_before && is_fed {
                <Queue needs={needs.clone()} world={props.experiment.environment.clone()} left={own} change={change.clone()} />
            }
            if !is_before && needs.devices {
                <Replicas experiment={props.experiment.clone()} module={props.module.clone()} ran={props.ran.clone()} {left}
                    focus={props.focus} at={props.at.clone()} dispatch={props.dispatch.clone()} />
            }
            if !is_before && needs.seed {
                <Draw seed={props.experiment.seed} {distribution} ran={props.ran.clone()} focus={props.focus} dispatch={props.dispatch.clone()} />
            }
        </section>
    }
}

/// What the numbers of an instruction are drawn from.
fn distribution(ran: &FinishedRun, focus: InstructionId) -> Option<crate::ops::Distribution> {
    let module: &Module = ran.module();
    let instruction = module.entry_computation()?.get(focus)?;
    let operands: Option<Vec<_>> = instruction.operands.iter().map(|id| ran.value(*id).cloned()).collect();
    instruction.op?.distribution(&instruction.attrs, &operands?)
}
