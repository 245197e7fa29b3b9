//! The Ops screen: a catalogue of ops, one experiment at a time, and the provenance of every cell of its result.
//!
//! Nothing here depends on an op, except the selection of `gallery`: the catalogue is the registry, the form has an editor
//! per kind of attribute, and highlights and formulas come from the ops' semantics through [`crate::state::experiment`]. Read [`page`] first.

mod about;
mod animation;
mod attributes;
mod builder_forms;
mod catalogue;
mod cell_editing;
mod cell_step_bar;
mod chain;
mod constants;
mod copy_as;
mod dialogs;
mod disclosure;
mod documents;
mod draft_field;
mod editions;
mod editors;
mod entry_edition;
mod facts;
mod field_problem;
mod fields;
mod gallery;
mod hlo_editor;
mod host;
mod in_text;
mod instruction_view;
mod invalid_values;
mod layout_array;
mod lists;
mod loop_play;
mod loop_states;
mod meta;
mod moving;
mod next_op;
mod op_opener;
mod open_in_program;
pub mod page;
mod panel_fields;
mod paste_program;
mod pictures;
mod program_graph;
mod run_notice;
mod run_section;
mod running;
mod scroll_anchor;
mod selection;
mod signature;
mod stage;
mod stepping;
mod typed_values;
mod values_editor;
