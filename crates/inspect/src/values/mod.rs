//! Values of a run as numbers: statistics, histograms, differences in ulps, and the first NaN, infinity and growth of a run.
//!
//! - [`statistics`]: extremes, mean and counts of an array in one pass; [`histogram`]: its elements in bins.
//! - [`ulps`]: distance of two elements; [`difference`]: two values element by element, within a [`Tolerance`].
//! - [`numerics`]: the first NaN, the first infinity and the largest growth in magnitude of a run, found while it runs.
//! - [`non_finite`]: the first NaN or infinity of an array.
//! - [`mod@parts`]: the arrays of a tuple.
//!
//! Padding is never counted. All orders and indices are logical, whatever the layout.

mod cells;
pub mod difference;
pub mod histogram;
pub mod non_finite;
pub mod numerics;
pub mod parts;
mod recorder;
pub mod statistics;
pub mod ulps;

pub use difference::{ArrayDifference, Difference, DifferentCell, Distance, Kind, Tolerance, compare};
pub use histogram::{Histogram, Scale};
pub use non_finite::{NonFinite, first_non_finite};
pub use numerics::{Growth, NonFiniteEvent, NumericsObserver};
pub use parts::{Part, parts};
pub use recorder::Recorder;
pub use statistics::Statistics;
