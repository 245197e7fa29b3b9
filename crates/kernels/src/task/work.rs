//! How much a task is: what budgets and progress count, and what decides whether a kernel is worth its call.

use crate::task::description::Task;
use crate::ground::view::View;

/// `∏ sizes`, as far as it fits.
fn cells(view: &View) -> u64 {
    view.sizes.iter().fold(1, |all: u64, size| all.saturating_mul(*size as u64))
}

impl Task {
    /// Multiply-adds of sums of products, else cells that are read: what [`crate::task::kernel::Context::tick`] is told of a whole task.
    pub fn steps(&self) -> u64 {
        match self {
            Self::Dot(task) => {
                let over = task.lhs_contracting.iter().map(|d| task.lhs.view.sizes[*d] as u64);
                cells(&task.out.view).saturating_mul(over.fold(1, u64::saturating_mul))
            }
            Self::Convolution(task) => {
                let (out, kernel) = (cells(&task.out.view), cells(&task.rhs.view));
                out.saturating_mul(kernel / (task.rhs.view.sizes.first().copied().unwrap_or(1).max(1) as u64))
            }
            Self::Reduce(task) => cells(&task.operand.view),
            Self::ReduceWindow(task) => {
                let taps =
                    task.window.iter().fold(1, |all: u64, window| all.saturating_mul(window.size as u64));
                cells(&task.out.view).saturating_mul(taps)
            }
            Self::SelectAndScatter(task) => {
                let taps =
                    task.window.iter().fold(1, |all: u64, window| all.saturating_mul(window.size as u64));
                cells(&task.source.view).saturating_mul(taps)
            }
            Self::Unary(task) => cells(&task.out.view),
            Self::Binary(task) => cells(&task.out.view),
            Self::Compare(task) => cells(&task.out.view),
            Self::Select(task) | Self::Clamp(task) => cells(&task.out.view),
            Self::Convert(task) => cells(&task.out.view),
            Self::Move(task) => task.parts.iter().map(|(_, to)| cells(to)).fold(0, u64::saturating_add),
            Self::Gather(task) => cells(&task.out.view),
            Self::Sort(task) => task.outs.iter().map(cells).fold(0, u64::saturating_add),
            Self::Softmax(task) => cells(&task.out.view),
        }
    }
}
