//! Modifies WebAssembly modules to simulate failures: a memory limit, a trapping export, a build of other sources.

/// A module, divided into sections.
struct Module(Vec<(u8, Vec<u8>)>);

/// Reads an unsigned LEB128 number.
fn read_leb(bytes: &[u8], at: &mut usize) -> usize {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = bytes[*at];
        *at += 1;
        value |= usize::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            return value;
        }
    }
}

/// Encodes an unsigned LEB128 number.
fn leb(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = u8::try_from(value & 0x7f).unwrap();
        value >>= 7;
        bytes.push(if value == 0 { low } else { low | 0x80 });
        if value == 0 {
            return bytes;
        }
    }
}

fn name<'a>(bytes: &'a [u8], at: &mut usize) -> &'a [u8] {
    let length = read_leb(bytes, at);
    *at += length;
    &bytes[*at - length..*at]
}

impl Module {
    fn read(bytes: &[u8]) -> Self {
        let (mut at, mut sections) = (8, Vec::new());
        while at < bytes.len() {
            let id = bytes[at];
            at += 1;
            let length = read_leb(bytes, &mut at);
            sections.push((id, bytes[at..at + length].to_vec()));
            at += length;
        }
        Self(sections)
    }

    fn write(&self) -> Vec<u8> {
        let mut bytes = b"\0asm\x01\0\0\0".to_vec();
        for (id, content) in &self.0 {
            bytes.push(*id);
            bytes.extend(leb(content.len()));
            bytes.extend(content);
        }
        bytes
    }

    fn section(&mut self, id: u8) -> &mut Vec<u8> {
        &mut self.0.iter_mut().find(|(of, _)| *of == id).expect("the module has the section").1
    }
}

/// The module with a memory that can grow by at most `pages` pages of 64 KiB.
pub fn with_memory_limit(bytes: &[u8], pages: usize) -> Vec<u8> {
    let mut module = Module::read(bytes);
    let memory = module.section(5);
    let mut at = 2;
    let minimum = read_leb(memory, &mut at);
    *memory = [vec![1, 1], leb(minimum), leb(minimum + pages)].concat();
    module.write()
}

/// The module with the body of an exported function replaced by `unreachable`.
pub fn with_trapping_export(bytes: &[u8], export: &str) -> Vec<u8> {
    let mut module = Module::read(bytes);
    let (imports, mut at) = (module.section(2).clone(), 0);
    let mut imported = 0;
    for _ in 0..read_leb(&imports, &mut at) {
        name(&imports, &mut at);
        name(&imports, &mut at);
        assert_eq!(imports[at], 0, "only functions are imported");
        at += 1;
        read_leb(&imports, &mut at);
        imported += 1;
    }
    let (exports, mut at) = (module.section(7).clone(), 0);
    let mut found = None;
    for _ in 0..read_leb(&exports, &mut at) {
        let is_match = name(&exports, &mut at) == export.as_bytes();
        at += 1;
        let index = read_leb(&exports, &mut at);
        found = found.or(is_match.then_some(index));
    }
    let trapping = found.expect("the module has the export") - imported;
    let (code, mut at) = (module.section(10).clone(), 0);
    let count = read_leb(&code, &mut at);
    let mut bodies = leb(count);
    for body in 0..count {
        let length = read_leb(&code, &mut at);
        let original = &code[at..at + length];
        at += length;
        // No locals, `unreachable`, `end`.
        let content = if body == trapping { &[0, 0, 0x0b] } else { original };
        bodies.extend(leb(content.len()));
        bodies.extend(content);
    }
    *module.section(10) = bodies;
    module.write()
}

/// The module with a different source fingerprint, as if it was built from other sources.
pub fn with_other_fingerprint(bytes: &[u8]) -> Vec<u8> {
    let mut module = Module::read(bytes);
    // The name of the custom section, after its length.
    let name = b"\x07sources";
    let section = module.0.iter_mut().find(|(id, content)| *id == 0 && content.starts_with(name));
    let (_, content) = section.expect("the module has a fingerprint");
    let last = content.last_mut().unwrap();
    *last = if *last == b'0' { b'1' } else { b'0' };
    module.write()
}
