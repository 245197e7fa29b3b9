//! The Program screen: a whole program as text, structure and values. Read [`page`] first.
//!
//! The page has no parser and no module: `reading` and `running` hold what two workers answered
//! ([`crate::worker::program`]), and the panes draw it. `text_pane` is the text with its `editor`, `structure_pane` outline and
//! neighbourhood, `value_pane` run and values; `opening` is the screen without a program. [`compare`] compares two programs,
//! [`cutout`] cuts instructions out and shrinks the program; their runs are `tasks`.

mod array_files;
mod breadcrumb;
mod code_line;
mod compare;
mod cutout;
mod details_view;
mod editor;
mod file_input;
mod neighbourhood;
mod opening;
mod outline;
pub mod page;
mod parameters;
mod problems;
mod reading;
mod running;
mod save_value;
mod search;
mod statistics_view;
mod structure_pane;
mod tasks;
mod text_pane;
mod value_pane;
mod value_view;
mod view_tabs;
mod virtual_list;
