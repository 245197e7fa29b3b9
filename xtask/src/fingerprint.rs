//! A fingerprint of the sources in a folder. The build script of the library includes this file too: the worker knows the fingerprint
//! of the kernels it was built with, and each kernel module carries that of its own.

use std::path::Path;
use std::{fs, io};

/// FNV-1a of the names and contents of the files in a folder, in order of their names.
pub fn fingerprint(folder: &Path) -> io::Result<String> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for path in paths {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        for byte in name.into_bytes().into_iter().chain([0]).chain(fs::read(&path)?).chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    Ok(format!("{hash:016x}"))
}
