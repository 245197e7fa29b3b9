//! The graph view: the data flow of a whole computation, and the selected instruction beside it.
//!
//! The query worker lays out and culls (`worker::program::graph`); `drawing` asks it for the part that the `camera` shows, and
//! `surface` draws that and turns pointer and keys into moves of the camera and steps along the edges.

mod camera;
mod describe;
mod drawing;
mod surface;
mod tools;
mod view;

pub use view::GraphView;
