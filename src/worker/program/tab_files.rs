//! The files that were chosen in this tab, by number. Workers get them by reference and read them in parts.

use std::cell::RefCell;

use web_sys::File;

use super::wire::{Argument, Query};
use crate::worker::channel::Buffers;

thread_local! {
    static FILES: RefCell<Vec<File>> = const { RefCell::new(Vec::new()) };
}

/// Keeps a file; returns its index.
pub fn keep(file: File) -> u32 {
    FILES.with_borrow_mut(|files| {
        files.push(file);
        u32::try_from(files.len() - 1).unwrap_or(u32::MAX)
    })
}

fn add(buffers: &mut Buffers, numbers: impl Iterator<Item = u32>) {
    FILES.with_borrow(|files| {
        for file in numbers.filter_map(|number| files.get(number as usize)) {
            buffers.copy_file(file);
        }
    });
}

/// Buffers with the files of these numbers.
pub(super) fn file_buffers(numbers: &[u32]) -> Buffers {
    let mut buffers = Buffers::default();
    add(&mut buffers, numbers.iter().copied());
    buffers
}

/// Buffers with the text of a job, then its files in the order of [`super::wire::Job::files`].
pub(super) fn job_buffers(text: &str, files: &[u32]) -> Buffers {
    let mut buffers = Buffers::from_text(text);
    add(&mut buffers, files.iter().copied());
    buffers
}

/// Buffers with the file of a query, if it has one.
pub(super) fn query_buffers(query: &Query) -> Buffers {
    let mut buffers = Buffers::default();
    if let Query::Assign(request) = query {
        add(&mut buffers, std::iter::once(request.number));
    }
    buffers
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
