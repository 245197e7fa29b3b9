//! The files that were chosen in this tab, by number. Workers get them by reference and read them in parts.

use std::cell::RefCell;

use web_sys::File;

use super::wire::{Argument, Job, Query};
use crate::worker::channel::Buffers;

thread_local! {
    static FILES: RefCell<Vec<File>> = const { RefCell::new(Vec::new()) };
}

/// Keeps a file; returns its number.
pub fn keep(file: File) -> u32 {
    FILES.with_borrow_mut(|files| {
        files.push(file);
        u32::try_from(files.len() - 1).unwrap_or(u32::MAX)
    })
}

fn buffers(numbers: impl Iterator<Item = u32>) -> Buffers {
    let mut buffers = Buffers::default();
    FILES.with_borrow(|files| {
        for file in numbers.filter_map(|number| files.get(number as usize)) {
            buffers.copy_file(file);
        }
    });
    buffers
}

/// The files with these numbers.
pub(super) fn of_numbers(numbers: &[u32]) -> Buffers {
    buffers(numbers.iter().copied())
}

/// The files of a job in the order of [`Job::files`].
pub(super) fn of_job(job: &Job) -> Buffers {
    buffers(job.files.iter().copied())
}

/// The file of a query.
pub(super) fn of_query(query: &Query) -> Buffers {
    match query {
        Query::Assign(request) => buffers(std::iter::once(request.number)),
        _ => Buffers::default(),
    }
}

/// The numbers of the files of arguments, each once.
pub fn numbers(arguments: &[Argument]) -> Vec<u32> {
    let numbers = arguments.iter().filter_map(|argument| match argument {
        Argument::File(file) => file.number,
        _ => None,
    });
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    let count = FILES.with_borrow(Vec::len);
    numbers.retain(|number| (*number as usize) < count);
    numbers
}
