//! A fingerprint of the sources below a folder. The library's build script includes this file too: the worker
//! compares the fingerprint of the kernel sources that it was built with to that of each kernel module.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// All files below a folder, sorted by path.
pub fn files_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    Ok(files)
}

/// FNV-1a of the names and contents of the files below a folder, sorted by path; 16 hexadecimal digits.
pub fn fingerprint(folder: &Path) -> io::Result<String> {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for path in files_below(folder)? {
        // Path separators differ between systems.
        let relative = path.strip_prefix(folder).unwrap_or(&path);
        let name: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
        for byte in name.join("/").into_bytes().into_iter().chain([0]).chain(fs::read(&path)?).chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    Ok(format!("{hash:016x}"))
}
