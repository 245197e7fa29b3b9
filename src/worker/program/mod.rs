//! The Program screen's workers. The module is never on the page's thread: the *query worker* holds the text and the parsed
//! module and answers queries about them, the *runner* computes values and is terminated on cancel.
//!
//! - [`wire`]: the types of both channels.
//! - [`queries`]: answers queries about the text and its module; [`details`]: about one instruction; [`editing`]: those of the
//!   editor.
//! - [`graph`] and further views, each with a file of wire types: what it answers from a [`loaded`] program.
//! - [`running`]: a run, and the values of its instructions; [`planned_run`]: those of a large program, by the plans of
//!   [`planned`], whose module is `plan_module`, an instance of it for each program (`plan_instance`), and more in further workers
//!   (`plan_peers` in the runner, `plan_peer_handler` in those); [`window`]: the part of an array that the page shows, around the
//!   cell of `cell_target` if a button leads to one; `saving`: a value as a file.
//! - [`arguments`]: the values of parameters; [`argument_files`]: those from files; `assigning`: which array of a file
//!   belongs to which parameter.
//! - `tracing`: the source cells and the uses of a cell, in the values of one call (`frames`); `timeline`: an instruction over
//!   all its executions; `events`: the executions with the first NaN, the first infinity and the largest growth.
//! - `workload`: an estimate of what a run computes.
//! - `devices`: the simulated devices of a program; `call_index`: the calls of a run, by which executions are numbered.
//! - `search_index`: the index of searches, built ahead in steps.
//! - `sources`, `source_marks`: source lines and their instructions; `memory_report`: reports of memory.
//! - [`parsing`]: a text as a module; [`compare`]: the structure of two texts compared.
//! - [`task`]: runs of other programs: values compared, instructions cut out, programs shrunk.
//! - `query_client`, `runner` and `tasks`: the clients on the page.

pub mod argument_files;
pub mod arguments;
mod assigning;
mod call_index;
mod cell_target;
pub mod compare;
pub mod costs;
pub mod details;
mod devices;
pub mod editing;
pub mod environment;
mod events;
mod frames;
pub mod graph;
pub mod graph_walk;
pub mod graph_window;
pub mod ids;
pub mod loaded;
pub mod located;
mod memory_report;
pub mod parsing;
pub mod planned;
pub mod planned_run;
pub mod queries;
pub mod running;
mod saving;
mod search_index;
pub mod shapes;
mod source_marks;
mod sources;
pub mod statistics;
pub mod task;
mod timeline;
mod trace_page;
mod tracing;
pub mod window;
pub mod wire;
mod workload;

#[cfg(target_os = "unknown")]
mod blob_file;
#[cfg(target_os = "unknown")]
mod plan_instance;
#[cfg(target_os = "unknown")]
mod plan_module;
#[cfg(target_os = "unknown")]
pub(super) mod plan_peer_handler;
#[cfg(target_os = "unknown")]
mod plan_peers;
#[cfg(target_os = "unknown")]
pub mod query_client;
#[cfg(target_os = "unknown")]
pub(super) mod query_handler;
#[cfg(target_os = "unknown")]
pub mod runner;
#[cfg(target_os = "unknown")]
pub(super) mod running_handler;
#[cfg(target_os = "unknown")]
pub mod tab_files;
#[cfg(target_os = "unknown")]
pub(super) mod task_handler;
#[cfg(target_os = "unknown")]
pub mod tasks;
