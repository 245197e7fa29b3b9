//! The state of the Program screen: the program, the selection, and the arguments of its parameters.

pub mod handoff;
pub mod link;
mod packing;
pub mod references;
pub mod samples;
pub mod session;
pub mod source_text;
pub mod stepping;
pub mod view;

/// Maximum characters of the name of a file that is saved.
const MAX_FILE_NAME_CHARS: usize = 80;

/// The name of a module as that of a file, without extension.
pub fn file_name(module: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = module.chars().take(MAX_FILE_NAME_CHARS).map(safe).collect();
    if name.is_empty() { "program".to_owned() } else { name }
}

/// Maximum bytes of a file that is opened; the parser has its own limit, with a diagnostic.
pub const MAX_FILE_BYTES: u32 = 64 << 20;
