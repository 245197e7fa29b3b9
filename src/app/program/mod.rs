//! The Program screen: a whole program as text, structure and values. Read [`page`] first.
//!
//! The page has no parser and no module: `reading` and `running` hold the answers of two workers
//! ([`crate::worker::program`]), and the views draw them: text, structure and values side by side, `graph` the data flow of a
//! whole computation, `costs` what it costs, `compare` two programs, `cutout` instructions cut out and programs shrunk.
//! `view_tabs` chooses the view, `view_props` is what most of them get; runs of other programs are `tasks`. `text_pane` is the
//! text with its `editor`, `structure_pane` outline and neighbourhood, `value_pane` run and values; `opening` is the screen
//! without a program.

mod answers;
mod array_files;
mod breadcrumb;
mod code_line;
mod compare;
mod costs;
mod cutout;
mod details_view;
mod editor;
mod executions;
mod file_input;
mod graph;
mod instruction_name;
mod neighbourhood;
mod opening;
mod outline;
pub mod page;
mod parameters;
mod paste_field;
mod problems;
mod reading;
mod report_view;
mod running;
mod save_value;
mod search;
mod selected_part;
mod share;
mod source_mark;
mod source_view;
mod statistics_view;
mod stepping;
mod structure_pane;
mod tasks;
mod text_pane;
mod trace_view;
mod value_pane;
mod value_view;
mod view_props;
mod view_tabs;
mod virtual_list;
