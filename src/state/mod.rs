//! What the visitor has set, as plain data: one document, the actions that change it, and its link.
