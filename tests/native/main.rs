//! The page's state, workers, exports, links and the terminal program, natively.

#![cfg(not(target_os = "unknown"))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, reason = "tests may panic")]

mod bombs;
mod catalogues;
mod cli;
mod cli_devices;
mod cli_export;
mod cli_help;
mod cli_hlo;
mod cli_inspect;
mod cli_language;
mod cli_limits;
mod cli_lowering;
mod cli_programs;
mod cli_serve;
mod copied_slices;
mod documents;
mod empty_arrays;
mod experiment;
mod export;
mod exported;
mod foreign_text;
mod golden;
mod goldens;
mod history;
mod kernel_causes;
mod limits;
mod lowering;
mod next_ops;
mod opening;
mod permalink;
mod plan;
mod program_devices;
mod program_files;
mod program_screen;
mod random;
mod session;
mod shape_fields;
mod speed;
mod stablehlo;
mod uses;
mod view;
mod worker;
mod worker_shards;
mod world;
