//! The table of kernels, and how a task finds the one that does it.

use crate::ground::scratch::{Floats, Scratch};
use crate::ground::slice::{Slice, SliceMut};
use crate::task::description::Task;

/// Why a task was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It makes no sense or names cells outside of its buffers.
    Invalid,
    /// No kernel does it.
    Unserved,
    /// Whoever looks on broke off; what was written means nothing.
    Cancelled,
}

/// What a kernel has beside its operands.
pub struct Context<'a> {
    /// Memory for the time of a task.
    pub scratch: &'a mut Scratch,
    /// Told between blocks how many steps were done since it was told last: multiply-adds, or cells. Answers whether to
    /// go on.
    pub tick: &'a mut dyn FnMut(u64) -> bool,
    /// What is made of a constant operand, where the same task is run again and again.
    pub held: Option<&'a mut Held>,
}

/// What a kernel makes of an operand that stays the same from run to run of one task: panels, mostly.
///
/// Whoever writes the operand anew, or takes another task, starts with another `Held`.
#[derive(Debug)]
pub struct Held {
    operand: usize,
    /// Who made it.
    made: Option<(&'static str, Floats)>,
}

impl Held {
    /// Nothing yet of the operand of this number.
    pub const fn of(operand: usize) -> Self {
        Self { operand, made: None }
    }
}

impl Context<'_> {
    /// Memory for what `maker` makes of an operand, and whether it was made in a run before; `None` where the operand is no
    /// constant. It is given back by [`Self::hold`]; of a run that breaks off nothing is held.
    pub fn held(&mut self, operand: usize, maker: &'static str, length: usize) -> Option<(Floats, bool)> {
        let held = self.held.as_mut().filter(|held| held.operand == operand)?;
        let made = held.made.take().filter(|(by, floats)| *by == maker && floats.as_slice().len() == length);
        Some(made.map_or_else(|| (Floats::new(length), false), |(_, floats)| (floats, true)))
    }

    /// Holds what `maker` made for the next run.
    pub fn hold(&mut self, maker: &'static str, floats: Floats) {
        if let Some(held) = &mut self.held {
            held.made = Some((maker, floats));
        }
    }

    /// Tells of steps. Errors: cancelled.
    pub fn tick(&mut self, steps: u64) -> Result<(), Stop> {
        if (self.tick)(steps) { Ok(()) } else { Err(Stop::Cancelled) }
    }
}

/// What a kernel runs. The task is one that it serves, checked against the buffers.
pub type Run = fn(&Task, &[Slice], &mut [SliceMut], &mut Context) -> Result<(), Stop>;

/// `run` where kernels run: in their module and natively. The app reads the table and runs nothing of it, so that its
/// WebAssembly is spared the code.
pub const fn linked(run: Run) -> Run {
    if cfg!(all(target_arch = "wasm32", not(kernel_module))) { |_, _, _, _| Err(Stop::Unserved) } else { run }
}

/// A kernel.
#[derive(Debug)]
pub struct Kernel {
    /// Its name, as the app shows it.
    pub name: &'static str,
    /// Whether it does a task.
    pub serves: fn(&Task) -> bool,
    /// Whether its loops run on [`crate::simd::lanes::Lanes`], not on one element after the other.
    pub is_vector: bool,
    /// How far a result may be from the reference's: 0 where both are the same bits, else in units of the last place of
    /// the largest partial result, times the root of the number of terms.
    pub bound: f64,
    /// Does it, where it is [`linked`].
    pub run: Run,
}

/// Every kernel; of those that serve a task the first is taken.
pub static KERNELS: &[&[Kernel]] = &[
    crate::dot::batches::KERNELS,
    crate::conv::blocked::KERNELS,
    crate::reduce::nest::KERNELS,
    crate::softmax::rows::KERNELS,
    crate::window::nest::KERNELS,
    crate::select_and_scatter::windows::KERNELS,
    crate::map::dispatch::KERNELS,
    crate::transfer::copy::KERNELS,
    crate::gather::slices::KERNELS,
    crate::sort::by_radix::KERNELS,
];

/// The kernel that does a task; `None` where it is left to the reference.
pub fn choose(task: &Task) -> Option<&'static Kernel> {
    KERNELS.iter().copied().flatten().find(|kernel| (kernel.serves)(task))
}

/// Does a task on these buffers. Errors: [`Stop`].
pub fn run(task: &Task, read: &[Slice], written: &mut [SliceMut], context: &mut Context) -> Result<(), Stop> {
    let kernel = choose(task).ok_or(Stop::Unserved)?;
    run_with(kernel, task, read, written, context)
}

/// Does a task with a kernel that serves it. Errors: [`Stop`].
pub fn run_with(
    kernel: &Kernel,
    task: &Task,
    read: &[Slice],
    written: &mut [SliceMut],
    context: &mut Context,
) -> Result<(), Stop> {
    let cells: Vec<usize> = read.iter().map(Slice::len).collect();
    let written_cells: Vec<usize> = written.iter().map(SliceMut::len).collect();
    let (types, written_types) = task.types();
    let is_wide = |bytes: usize, ty: &crate::task::description::Type| bytes == ty.bytes();
    let is_typed = read.len() == types.len()
        && written.len() == written_types.len()
        && read.iter().zip(&types).all(|(slice, ty)| is_wide(slice.cell_bytes(), ty))
        && written.iter().zip(&written_types).all(|(slice, ty)| is_wide(slice.cell_bytes(), ty));
    if !is_typed || !task.check(&cells, &written_cells) {
        return Err(Stop::Invalid);
    }
    (kernel.run)(task, read, written, context)
}
