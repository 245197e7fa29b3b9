//! The registry of tasks with their tables of kernels, and the functions that choose a kernel and run it.

use crate::description::check::{check, fits};
use crate::description::describe::{Buffer, Describe, Unit};
use crate::description::kernel::{Kernel, KernelEntry};
use crate::description::parts::Direction;
use crate::description::words::{Reader, Words};
use crate::map::task::{Binary, Clamp, Convert, Map, Select, Unary};
use crate::support::context::Context;
use crate::support::element::Type;
use crate::support::error::KernelError;
use crate::support::slice::{Slice, SliceMut};
use crate::support::view::View;

macro_rules! tasks {
    ($($number:literal $name:ident($description:ty) $doc:literal => $kernels:expr;)*) => {
        /// An operation on arrays in memory, independent of HLO text.
        ///
        /// Its buffers are passed separately, in the order of the description's fields: those that are read, then those that are
        /// written. A task comes from an op (`OpDef::task`) or from words ([`Task::from_words`]).
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Task {
            $(#[doc = $doc] $name($description),)*
        }

        $(impl From<$description> for Task {
            fn from(task: $description) -> Self {
                Self::$name(task)
            }
        })*

        impl Task {
            /// The name of the operation.
            pub fn name(&self) -> &'static str {
                match self { $(Self::$name(_) => <$description as Describe>::NAME,)* }
            }

            /// The unit of its work.
            pub fn unit(&self) -> Unit {
                match self { $(Self::$name(_) => <$description as Describe>::UNIT,)* }
            }

            /// The steps of the whole task, as [`Context::tick`] counts them: multiply-adds for sums of products, else elements.
            pub fn steps(&self) -> u64 {
                match self { $(Self::$name(task) => task.steps(),)* }
            }

            /// Whether the task is consistent and stays within its buffers, whose lengths are given in elements.
            pub fn check(&self, read: &[usize], written: &[usize]) -> bool {
                match self { $(Self::$name(task) => fits(task, read, written),)* }
            }

            /// The buffers that are read, and those that are written.
            pub(crate) fn buffers(&self) -> (Vec<Buffer<'_>>, Vec<Buffer<'_>>) {
                match self { $(Self::$name(task) => (task.reads(), task.writes()),)* }
            }

            /// The name of every task.
            pub const NAMES: &[&str] = &[$(<$description as Describe>::NAME),*];

            /// The small examples of the task of this name, for tests of all registered kernels.
            pub fn examples_of(name: &str) -> Vec<Self> {
                let mut examples = Vec::new();
                $(if name == <$description as Describe>::NAME {
                    examples.extend(<$description>::examples().into_iter().map(Self::$name));
                })*
                examples
            }
        }

        impl Task {
            /// The benchmarks of every task, with their names in the table of kernels.
            pub fn benchmarks() -> Vec<(&'static str, Self)> {
                let mut benchmarks = Vec::new();
                $(benchmarks.extend(<$description>::benchmarks().into_iter().map(|(name, task)| (name, task.into())));)*
                benchmarks
            }
        }

        impl Words for Task {
            fn write(&self, words: &mut Vec<i32>) -> Option<()> {
                match self {
                    $(Self::$name(task) => {
                        words.push($number);
                        task.write(words)
                    })*
                }
            }
            fn read(reader: &mut Reader) -> Option<Self> {
                Some(match reader.number()? {
                    $($number => Self::$name(Words::read(reader)?),)*
                    _ => return None,
                })
            }
            fn for_each_view_mut(&mut self, visit: &mut dyn FnMut(&mut View)) {
                match self { $(Self::$name(task) => task.for_each_view_mut(visit),)* }
            }
        }

        /// Every kernel of every family.
        pub fn kernels() -> impl Iterator<Item = &'static Kernel> {
            std::iter::empty()$(.chain($kernels.iter().map(|entry| &entry.kernel)))*
        }

        /// The first kernel that supports a task; `None` if only the reference evaluator does.
        pub fn choose(task: &Task) -> Option<&'static Kernel> {
            match task { $(Task::$name(task) => find_supporting($kernels, task),)* }
        }

        /// Runs a task with one of its kernels. Errors: [`KernelError`].
        pub fn run_with(
            kernel: &Kernel,
            task: &Task,
            read: &[Slice],
            written: &mut [SliceMut],
            context: &mut Context,
        ) -> Result<(), KernelError> {
            match task { $(Task::$name(task) => run_checked($kernels, kernel, task, read, written, context),)* }
        }

        #[cfg(test)]
        #[allow(non_snake_case, reason = "tests are named after their tasks")]
        mod soundness {
            use super::*;
            use crate::testing::soundness::check_examples;

            $(#[test]
            fn $name() {
                check_examples::<$description>($kernels);
            })*
        }
    };
}

tasks! {
    0 Dot(crate::dot::task::Dot) "Sums of products." => crate::dot::KERNELS;
    1 Convolution(crate::conv::task::Convolution) "Convolution." => crate::conv::KERNELS;
    2 Reduce(crate::reduce::task::Reduce) "Reduction over dimensions." => crate::reduce::KERNELS;
    3 ReduceWindow(crate::window::task::ReduceWindow) "Reduction over a sliding window." => crate::window::KERNELS;
    4 SelectAndScatter(crate::select_and_scatter::task::SelectAndScatter) "Gradient of max pooling." => crate::select_and_scatter::KERNELS;
    5 Unary(Map<Unary, 1>) "A function of one element." => crate::map::UNARY;
    6 Binary(Map<Binary, 2>) "A function of two elements." => crate::map::BINARY;
    7 Compare(Map<Direction, 2>) "Comparison of two elements; the result is `pred`." => crate::map::COMPARE;
    8 Select(Map<Select, 3>) "`pred`, then the elements for true and for false." => crate::map::SELECT;
    9 Clamp(Map<Clamp, 3>) "Lower bound, operand, upper bound." => crate::map::CLAMP;
    10 Convert(Map<Convert, 1>) "Conversion to another element type." => crate::map::CONVERT;
    11 Move(crate::transfer::task::Move) "Copies between views." => crate::transfer::KERNELS;
    12 Gather(crate::gather::task::Gather) "Slices read at start indices." => crate::gather::KERNELS;
    13 Sort(crate::sort::task::Sort) "Sort of rows." => crate::sort::KERNELS;
    14 Softmax(crate::softmax::task::Softmax) "Softmax along a dimension." => crate::softmax::KERNELS;
}

fn find_supporting<T>(kernels: &'static [KernelEntry<T>], task: &T) -> Option<&'static Kernel> {
    kernels.iter().find(|entry| (entry.supports)(task)).map(|entry| &entry.kernel)
}

fn run_checked<T: Describe>(
    kernels: &'static [KernelEntry<T>],
    kernel: &Kernel,
    task: &T,
    read: &[Slice],
    written: &mut [SliceMut],
    context: &mut Context,
) -> Result<(), KernelError> {
    let entry = kernels.iter().find(|entry| std::ptr::eq(&raw const entry.kernel, kernel));
    let (entry, checked) = (entry.ok_or(KernelError::WrongKernel)?, check(task, read, written)?);
    // A kernel reports whole blocks only, and one that falls back to another path reports twice: limit the total to the steps of
    // the task, and report the remainder at the end.
    let mut remaining = task.steps();
    let mut tick = |steps: u64| {
        let steps = steps.min(remaining);
        remaining -= steps;
        (context.tick)(steps)
    };
    let packed_operand = context.packed_operand.as_deref_mut();
    (entry.run)(checked, &mut Context { scratch: &mut *context.scratch, tick: &mut tick, packed_operand })?;
    if remaining > 0 { context.tick(remaining) } else { Ok(()) }
}

/// Runs a task on these buffers. Errors: [`KernelError`].
pub fn run(
    task: &Task,
    read: &[Slice],
    written: &mut [SliceMut],
    context: &mut Context,
) -> Result<(), KernelError> {
    let kernel = choose(task).ok_or(KernelError::NoKernel)?;
    run_with(kernel, task, read, written, context)
}

impl Task {
    /// The element types of the buffers that are read, and of those that are written.
    pub fn types(&self) -> (Vec<Type>, Vec<Type>) {
        let types = |buffers: Vec<Buffer>| buffers.iter().map(|buffer| buffer.ty).collect();
        let (reads, writes) = self.buffers();
        (types(reads), types(writes))
    }

    /// The lengths in elements of the smallest buffers that it fits in: those that are read, then those that are written.
    pub fn smallest_buffers(&self) -> (Vec<usize>, Vec<usize>) {
        let lengths = |buffers: Vec<Buffer>| buffers.iter().map(Buffer::min_buffer_length).collect();
        let (reads, writes) = self.buffers();
        (lengths(reads), lengths(writes))
    }

    /// The same task on arrays without padding; `order` returns the order of the dimensions, major to minor, for each rank.
    #[must_use]
    pub fn laid_out(mut self, mut order: impl FnMut(usize) -> Vec<usize>) -> Self {
        self.for_each_view_mut(&mut |view| *view = View::laid_out(&view.sizes, &order(view.rank())));
        self
    }

    /// The task as words; `None` if a number does not fit in an `i32`.
    pub fn to_words(&self) -> Option<Vec<i32>> {
        let mut words = Vec::new();
        self.write(&mut words)?;
        Some(words)
    }

    /// The task that these words encode; `None` if they encode none.
    pub fn from_words(words: &[i32]) -> Option<Self> {
        let mut reader = Reader(words.iter());
        let task = Self::read(&mut reader)?;
        reader.0.next().is_none().then_some(task)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn examples() -> impl Iterator<Item = Task> {
        Task::NAMES.iter().flat_map(|name| Task::examples_of(name))
    }

    #[test]
    fn every_example_has_a_kernel_and_minimal_buffers() {
        for task in examples() {
            let (read, written) = task.smallest_buffers();
            assert!(task.check(&read, &written), "{task:?}");
            assert!(choose(&task).is_some(), "{task:?}");
            let is_empty = read.iter().chain(&written).any(|length| *length == 0);
            assert!(task.steps() > 0 || is_empty, "{task:?}");
            for i in 0..read.len() + written.len() {
                let (mut read, mut written) = (read.clone(), written.clone());
                let length = read.iter_mut().chain(&mut written).nth(i).unwrap();
                // An empty buffer cannot be shorter.
                let Some(fewer) = length.checked_sub(1) else { continue };
                *length = fewer;
                assert!(!task.check(&read, &written), "{task:?}: {i}");
            }
        }
    }

    #[test]
    fn every_task_has_an_example_with_an_empty_buffer() {
        for name in Task::NAMES {
            let is_empty = |task: &Task| {
                let (read, written) = task.smallest_buffers();
                read.iter().chain(&written).any(|length| *length == 0)
            };
            assert!(Task::examples_of(name).iter().any(is_empty), "{name}");
        }
    }

    #[test]
    fn every_benchmark_has_a_kernel_and_a_unique_name() {
        let benchmarks = Task::benchmarks();
        for (i, (name, task)) in benchmarks.iter().enumerate() {
            let (read, written) = task.smallest_buffers();
            assert!(task.check(&read, &written) && choose(task).is_some(), "{name}");
            assert!(benchmarks[..i].iter().all(|(other, _)| other != name), "{name}");
        }
        for name in Task::NAMES {
            assert!(benchmarks.iter().any(|(_, task)| task.name() == *name), "{name}");
        }
    }

    #[test]
    fn every_example_round_trips_through_words() {
        for task in examples() {
            let words = task.to_words().unwrap();
            assert_eq!(Task::from_words(&words).as_ref(), Some(&task));
            for length in 0..words.len() {
                assert_eq!(Task::from_words(&words[..length]), None);
            }
        }
        assert_eq!(Task::from_words(&[0, 11, 0, i32::MAX, 1]), None);
        assert_eq!(Task::from_words(&[-1]), None);
    }

    #[test]
    fn every_task_has_an_example_in_another_layout() {
        for name in Task::NAMES {
            let changes_with_layout = |task: &Task| {
                let reversed = task.clone().laid_out(|rank| (0..rank).rev().collect());
                let (read, written) = reversed.smallest_buffers();
                reversed != *task && reversed.check(&read, &written)
            };
            assert!(Task::examples_of(name).iter().any(changes_with_layout), "{name}");
        }
    }

    #[test]
    fn a_task_is_run_by_its_own_kernels_only() {
        let example = |name| Task::examples_of(name).into_iter().next().unwrap();
        let (dot, sort) = (example("dot"), example("sort"));
        let kernel = choose(&dot).unwrap();
        let mut scratch = crate::scratch::Scratch::default();
        let mut context = Context { scratch: &mut scratch, tick: &mut |_| true, packed_operand: None };
        assert_eq!(run_with(kernel, &sort, &[], &mut [], &mut context), Err(KernelError::WrongKernel));
        assert_eq!(run_with(kernel, &dot, &[], &mut [], &mut context), Err(KernelError::InvalidTask));
    }
}
