//! Values of a run as numbers: statistics, histograms, differences in ulps, and what a run's values do over its course.
//!
//! - [`statistics`]: extremes, mean and counts of an array in one pass; [`histogram`]: its elements in bins.
//! - [`ulps`]: distance of two elements; [`difference`]: two values element by element, within a [`Tolerance`].
//! - [`course`]: the first NaN, the first infinity and the largest relative jump of a run, while it runs.
//! - [`mod@parts`]: the arrays of a tuple.
//!
//! Padding is never counted. All orders and indices are logical, whatever the layout.

mod cells;
pub mod course;
pub mod difference;
pub mod histogram;
pub mod parts;
mod recorder;
pub mod statistics;
pub mod ulps;

pub use course::{Course, CourseEvent, Jump};
pub use difference::{ArrayDifference, Difference, DifferentCell, Kind, Tolerance, compare};
pub use histogram::{Histogram, Scale};
pub use parts::{Part, parts};
pub use recorder::Recorder;
pub use statistics::Statistics;
