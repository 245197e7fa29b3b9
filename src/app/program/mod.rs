//! The Program screen: a whole program as text, structure and values. Read [`page`] first.
//!
//! The page has no parser and no module: `reading` and `running` hold the answers of two workers ([`crate::worker::program`]).
//! The views draw them:
//! - side by side `text_pane` (with its `editor`), `structure_pane` (outline and neighbourhood) and `value_pane` (run and
//!   values, on the simulated `devices`);
//! - `graph`, the data flow of a whole computation; `costs`; `compare`, two programs; `cutout`, extracted instructions and
//!   reduced programs.
//!
//! `view_tabs` selects the view; `view_props` has the properties that most views share. `tasks` runs other programs; `opening` is
//! the screen without a program.

mod answers;
mod array_files;
mod breadcrumb;
mod code_line;
mod compare;
mod costs;
mod cutout;
mod details_view;
mod devices;
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
mod trail;
mod value_pane;
mod value_view;
mod view_props;
mod view_tabs;
mod virtual_list;
