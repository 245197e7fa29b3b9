//! Shortens the import names that a WebAssembly module and its JavaScript share.
//!
//! wasm-bindgen names each import by its function and a hash, in both files: 16 digits that do not compress. Nothing else reads
//! these names.

use std::collections::BTreeMap;

use crate::Result;

/// The id of the import section.
const IMPORT_SECTION: u8 = 2;

/// Renames the imports of every `x_bg.wasm` and of its script `x.js`; `files` is keyed by path without content hash.
///
/// # Errors
///
/// A module has no script, or either cannot be read.
pub fn shorten_import_names(files: &mut BTreeMap<String, Vec<u8>>) -> Result<()> {
    let modules: Vec<String> =
        files.keys().filter_map(|path| path.strip_suffix("_bg.wasm")).map(str::to_owned).collect();
    for module in modules {
        let (wasm_path, script_path) = (format!("{module}_bg.wasm"), format!("{module}.js"));
        let (Some(wasm), Some(js)) = (files.get(&wasm_path), files.get(&script_path)) else {
            return Err(format!("{wasm_path} has no {script_path}").into());
        };
        let (wasm, names) = rename_imports(wasm).map_err(|error| format!("{wasm_path}: {error}"))?;
        let js = rename_in_script(std::str::from_utf8(js)?, &names)
            .map_err(|error| format!("{script_path}: {error}"))?;
        files.insert(wasm_path, wasm);
        files.insert(script_path, js.into_bytes());
    }
    Ok(())
}

/// Gives a module short import names; returns it, and these names by the original ones.
fn rename_imports(wasm: &[u8]) -> Result<(Vec<u8>, BTreeMap<String, String>)> {
    let mut names = BTreeMap::new();
    let wasm = with_renamed_imports(wasm, &mut |name| {
        let next = names.len();
        names.entry(name.to_owned()).or_insert_with(|| short_name(next)).clone()
    })?;
    Ok((wasm, names))
}

/// A module with renamed imports.
pub fn with_renamed_imports(wasm: &[u8], rename: &mut dyn FnMut(&str) -> String) -> Result<Vec<u8>> {
    let mut reader = Reader { bytes: wasm, at: 0 };
    let mut out = reader.take(8)?.to_vec();
    while reader.at < wasm.len() {
        let id = reader.byte()?;
        let length = reader.read_leb128_u32()?;
        let content = reader.take(length)?;
        let renamed =
            if id == IMPORT_SECTION { rename_import_section(content, rename)? } else { content.to_vec() };
        out.push(id);
        push_leb128(&mut out, renamed.len());
        out.extend(renamed);
    }
    Ok(out)
}

fn rename_import_section(section: &[u8], rename: &mut dyn FnMut(&str) -> String) -> Result<Vec<u8>> {
    let mut reader = Reader { bytes: section, at: 0 };
    let mut out = Vec::new();
    let count = reader.read_leb128_u32()?;
    push_leb128(&mut out, count);
    for _ in 0..count {
        let length = reader.read_leb128_u32()?;
        let module = reader.take(length)?;
        let length = reader.read_leb128_u32()?;
        let name = std::str::from_utf8(reader.take(length)?)?;
        for part in [module, rename(name).as_bytes()] {
            push_leb128(&mut out, part.len());
            out.extend(part);
        }
        let kind = reader.byte()?;
        // wasm-bindgen imports functions only.
        if kind != 0 {
            return Err(format!("`{name}` is an import of kind {kind}, not a function").into());
        }
        out.push(kind);
        let type_index = reader.read_leb128_u32()?;
        push_leb128(&mut out, type_index);
    }
    Ok(out)
}

/// `a` to `z`, then `aa` and so on.
fn short_name(number: usize) -> String {
    let (before, letter) = (number / 26, b'a' + u8::try_from(number % 26).unwrap_or(0));
    let mut name = if before == 0 { String::new() } else { short_name(before - 1) };
    name.push(letter.into());
    name
}

/// Gives the imports in a script their short names.
///
/// # Errors
///
/// The script does not define an import.
fn rename_in_script(script: &str, names: &BTreeMap<String, String>) -> Result<String> {
    let mut out = String::new();
    let mut renamed = 0;
    for line in script.lines() {
        let import = line.split_once(": function(");
        match import.and_then(|(name, rest)| Some((names.get(name.trim_start())?, rest))) {
            Some((short, rest)) => {
                renamed += 1;
                out.extend([short, ": function(", rest, "\n"]);
            }
            None => out.extend([line, "\n"]),
        }
    }
    if renamed == names.len() {
        Ok(out)
    } else {
        Err(format!("defines {renamed} of {} imports", names.len()).into())
    }
}

/// Reads the binary format.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let taken = self.at.checked_add(length).and_then(|end| self.bytes.get(self.at..end));
        self.at += length;
        taken.ok_or_else(|| "the module ends too early".into())
    }

    fn byte(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    /// Reads an unsigned LEB128 of 32 bits.
    fn read_leb128_u32(&mut self) -> Result<usize> {
        let mut number = 0;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            number |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err("the LEB128 number is too long".into())
    }
}

fn push_leb128(out: &mut Vec<u8>, number: usize) {
    let mut rest = number;
    while rest > 0x7f {
        out.push(u8::try_from(rest & 0x7f).unwrap_or(0) | 0x80);
        rest >>= 7;
    }
    out.push(u8::try_from(rest).unwrap_or(0));
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "\
/**
 * Words.
 */
export function f() {
    const import0 = {
        // A comment.
        __wbg_call_0123456789abcdef: function(arg0) {
            return `${arg0}`;
        },
        __wbg_then_0123456789abcdef: function() { return handleError(function () {
        }, arguments); },
    };
}
";

    /// A module that imports these functions and ends with a custom section.
    fn module(imports: &[&str]) -> Vec<u8> {
        let mut section = vec![];
        push_leb128(&mut section, imports.len());
        for name in imports {
            for part in ["./a_bg.js", name] {
                push_leb128(&mut section, part.len());
                section.extend(part.bytes());
            }
            section.extend([0, 0x85, 1]);
        }
        let mut module = b"\0asm\x01\0\0\0".to_vec();
        module.push(IMPORT_SECTION);
        push_leb128(&mut module, section.len());
        module.extend(section);
        module.extend([0, 3, 1, b'x', 7]);
        module
    }

    #[test]
    fn module_and_script_agree_on_short_names() {
        let long = ["__wbg_call_0123456789abcdef", "__wbg_then_0123456789abcdef"];
        let mut files = BTreeMap::from([
            ("a_bg.wasm".to_owned(), module(&[long[0], long[1], long[0]])),
            ("a.js".to_owned(), SCRIPT.into()),
            ("k.wasm".to_owned(), b"any".to_vec()),
        ]);
        shorten_import_names(&mut files).unwrap();
        assert_eq!(files["a_bg.wasm"], module(&["a", "b", "a"]));
        assert_eq!(files["k.wasm"], b"any");
        let script = SCRIPT
            .replace(&format!("        {}", long[0]), "a")
            .replace(&format!("        {}", long[1]), "b");
        assert_eq!(String::from_utf8_lossy(&files["a.js"]), script);
    }

    #[test]
    fn names_are_distinct() {
        let names: Vec<String> = (0..2000).map(short_name).collect();
        assert_eq!(
            (names[0].as_str(), names[25].as_str(), names[26].as_str(), names[702].as_str()),
            ("a", "z", "aa", "aaa")
        );
        assert_eq!(names.iter().collect::<std::collections::BTreeSet<_>>().len(), names.len());
    }

    #[test]
    fn unsupported_modules_and_scripts_are_errors() {
        let shortened = |wasm: Vec<u8>, script: &str| {
            shorten_import_names(&mut BTreeMap::from([
                ("a_bg.wasm".to_owned(), wasm),
                ("a.js".to_owned(), script.into()),
            ]))
        };
        let wasm = module(&["__wbg_call_0123456789abcdef"]);
        assert!(shortened(wasm.clone(), SCRIPT).is_ok());
        assert!(shortened(wasm.clone(), "").is_err(), "an import that the script does not define");
        assert!(shortened(wasm[..20].to_vec(), SCRIPT).is_err(), "a truncated module");
        let mut table = wasm;
        let kind = table.len() - 8;
        table[kind] = 1;
        assert!(shortened(table, SCRIPT).is_err(), "an import that is not a function");
        assert!(
            shorten_import_names(&mut BTreeMap::from([("a_bg.wasm".to_owned(), vec![])])).is_err(),
            "a module without a script"
        );
    }
}
