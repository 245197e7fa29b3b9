//! The Ops screen: a catalogue of ops, one experiment at a time, and the provenance of every cell of its result.
//!
//! Nothing here depends on an op: the catalogue is the registry, the form has an editor per kind of attribute, and
//! highlights and formulas come from the ops' bodies through [`crate::state::experiment`]. Read [`page`] first.

mod about;
mod animation;
mod attributes;
mod catalogue;
mod chain;
mod copy_as;
mod dialogs;
mod documents;
mod draft_field;
mod editions;
mod editors;
mod facts;
mod flow;
mod inner_steps;
mod loop_states;
mod meta;
mod moving;
pub mod page;
mod panel;
mod pictures;
mod program;
mod running;
mod selection;
mod stage;
mod standing;
mod stepping;
mod unreadable;
mod values_editor;
mod working_line;
mod world;
