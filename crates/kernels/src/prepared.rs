//! Tasks prepared to be run many times, as in the body of a loop.
//!
//! The check of a task and the plan of its kernel take about a microsecond, as long as a small task itself. A prepared task is
//! checked and planned once; a run only compares the lengths of its buffers, and allocates nothing. It gives the bits of
//! [`run`](crate::run).

use crate::dot::prepared::PreparedDot;
use crate::map::prepared::PreparedMap;
use crate::registry::Task;
use crate::support::element::Type;
use crate::support::error::KernelError;
use crate::support::slice::{Slice, SliceMut};
use crate::transfer::task::Move;

/// Maximum number of elements of a copy that is not cancelled before its end.
const MAX_COPIED_ELEMENTS: usize = 1 << 16;

/// The computation of a prepared task.
enum Computation {
    Dot(Box<PreparedDot>),
    Map(PreparedMap),
    /// Copies elements that are contiguous in both arrays: the first byte to read, the first byte to write, and their number.
    Copy([usize; 3]),
}

/// A buffer's required length in elements, and the bytes of an element.
type Requirement = (usize, usize);

/// A small task that was checked and planned.
pub struct PreparedTask {
    computation: Computation,
    read: Vec<Requirement>,
    written: Vec<Requirement>,
    steps: u64,
}

fn prepared_copy(task: &Move) -> Option<Computation> {
    let ([(from, to)], false) = (task.parts.as_slice(), task.has_fill) else { return None };
    let is_contiguous = from.is_row_major() && to.is_row_major() && from.elements() <= MAX_COPIED_ELEMENTS;
    let bytes = [from.offset, to.offset, from.elements()].map(|elements| elements * task.ty.bytes());
    is_contiguous.then_some(Computation::Copy(bytes))
}

impl PreparedTask {
    /// Prepares a task; `None` if it is invalid, or too large or too irregular for preparation to pay.
    pub fn new(task: &Task) -> Option<Self> {
        // The app has no code of kernels.
        if cfg!(all(target_os = "unknown", not(kernel_module), not(feature = "kernel-build"))) {
            return None;
        }
        let (read, written) = task.smallest_buffers();
        if !task.check(&read, &written) {
            return None;
        }
        let computation = match task {
            Task::Dot(task) => Computation::Dot(PreparedDot::new(task)?.into()),
            Task::Unary(task) => Computation::Map(PreparedMap::new(task)?),
            Task::Binary(task) => Computation::Map(PreparedMap::new(task)?),
            Task::Compare(task) => Computation::Map(PreparedMap::new(task)?),
            Task::Select(task) => Computation::Map(PreparedMap::new(task)?),
            Task::Clamp(task) => Computation::Map(PreparedMap::new(task)?),
            Task::Convert(task) => Computation::Map(PreparedMap::new(task)?),
            Task::Move(task) => prepared_copy(task)?,
            _ => return None,
        };
        let (read_types, written_types) = task.types();
        let requirements = |lengths: Vec<usize>, types: Vec<Type>| {
            lengths.into_iter().zip(types).map(|(length, ty)| (length, ty.bytes())).collect()
        };
        let (read, written) = (requirements(read, read_types), requirements(written, written_types));
        Some(Self { computation, read, written, steps: task.steps() })
    }

    /// The steps of a run, as [`Task::steps`].
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Runs the task on these buffers.
    ///
    /// # Errors
    ///
    /// [`KernelError::InvalidTask`] if the task does not fit in the buffers.
    pub fn run(&mut self, read: &[Slice], written: &mut [SliceMut]) -> Result<(), KernelError> {
        let fits = |(min_length, bytes): &Requirement, length: usize, element_bytes: usize| {
            length >= *min_length && element_bytes == *bytes
        };
        let all_fit = read.len() == self.read.len()
            && written.len() == self.written.len()
            && self
                .read
                .iter()
                .zip(read)
                .all(|(required, slice)| fits(required, slice.len(), slice.element_bytes()))
            && (self.written.iter().zip(&*written))
                .all(|(required, slice)| fits(required, slice.len(), slice.element_bytes()));
        let Some(out) = written.first_mut().filter(|_| all_fit) else { return Err(KernelError::InvalidTask) };
        match &mut self.computation {
            Computation::Dot(dot) => dot.run(read, out)?,
            Computation::Map(map) => map.run(read, out),
            Computation::Copy([from, to, bytes]) => {
                let from = read.first().and_then(|slice| slice.as_bytes().get(*from..*from + *bytes));
                let to = out.as_bytes_mut().get_mut(*to..*to + *bytes);
                let (Some(from), Some(to)) = (from, to) else { return Err(KernelError::InvalidTask) };
                to.copy_from_slice(from);
            }
        }
        Ok(())
    }
}
