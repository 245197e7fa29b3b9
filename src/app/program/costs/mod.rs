//! The costs view: what the program costs in operations, bytes and memory, and which layouts cause it.
//!
//! `report` asks the query worker for one part after the other; `chart` is the memory over time, `lists` are the ranked lists, in which
//! every row leads to its instruction.

mod amounts;
mod chart;
mod lists;
mod ranked;
mod report;
mod view;

pub use view::CostsView;
