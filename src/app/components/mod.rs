//! The pieces of the page. Each shows part of the state and sends actions; none decides anything about an array.

pub mod cell_panel;
pub mod chips;
pub mod compare;
pub mod dialogs;
pub mod embed_field;
pub mod facts;
pub mod files;
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
pub mod player;
pub mod remedies;
pub mod select;
pub mod share;
pub mod size;
pub mod spec_bar;
pub mod strip_panel;
pub mod tools;
pub mod wheel;
