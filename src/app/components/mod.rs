//! The components of the page. Each shows a part of the state and dispatches actions; none contains logic about
//! arrays.

pub mod array_panel;
pub mod cell_panel;
pub mod chips;
pub mod compare;
pub mod derivation_line;
pub mod dialogs;
pub mod embed_field;
pub mod facts;
pub mod files;
pub mod focus_keeper;
pub mod follow;
pub mod form;
pub mod frame;
pub mod grid_canvas;
pub mod grid_panel;
pub mod header;
pub mod help;
pub mod legend;
pub mod link_field;
pub mod minimap;
pub mod modal;
pub mod page_export;
pub mod player;
pub mod problems;
pub mod remedies;
pub mod select;
pub mod share;
pub mod size;
pub mod skip_link;
pub mod spec_bar;
pub mod strip_panel;
pub mod tools;
pub mod tuple_tabs;
pub mod wheel;
pub mod window;
