//! Modified WebAssembly modules, as a host or a browser could make them fail: less memory, a trapping export, other
//! sources.

/// A module, divided into sections.
struct Module(Vec<(u8, Vec<u8>)>);

fn number(bytes: &[u8], at: &mut usize) -> usize {
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
    let length = number(bytes, at);
    *at += length;
    &bytes[*at - length..*at]
}

impl Module {
    fn read(bytes: &[u8]) -> Self {
        let (mut at, mut sections) = (8, Vec::new());
        while at < bytes.len() {
            let id = bytes[at];
            at += 1;
            let length = number(bytes, &mut at);
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

/// The module with a memory that can grow to at most `pages` pages of 64 KiB.
pub fn with_little_memory(bytes: &[u8], more: usize) -> Vec<u8> {
    let mut module = Module::read(bytes);
    let memory = module.section(5);
    let mut at = 2;
    let least = number(memory, &mut at);
    *memory = [vec![1, 1], leb(least), leb(least + more)].concat();
    module.write()
}

/// The module with an export whose body is `unreachable`.
pub fn trapping(bytes: &[u8], export: &str) -> Vec<u8> {
    let mut module = Module::read(bytes);
    let (imports, mut at) = (module.section(2).clone(), 0);
    let mut imported = 0;
    for _ in 0..number(&imports, &mut at) {
        name(&imports, &mut at);
        name(&imports, &mut at);
        assert_eq!(imports[at], 0, "only functions are imported");
        at += 1;
        number(&imports, &mut at);
        imported += 1;
    }
    let (exports, mut at) = (module.section(7).clone(), 0);
    let mut found = None;
    for _ in 0..number(&exports, &mut at) {
        let is_it = name(&exports, &mut at) == export.as_bytes();
        at += 1;
        let index = number(&exports, &mut at);
        found = found.or(is_it.then_some(index));
    }
    let wanted = found.expect("the export") - imported;
    let (code, mut at) = (module.section(10).clone(), 0);
    let count = number(&code, &mut at);
    let mut bodies = leb(count);
    for body in 0..count {
        let length = number(&code, &mut at);
        let own = &code[at..at + length];
        at += length;
        let own = if body == wanted { &[0, 0, 0x0b] } else { own };
        bodies.extend(leb(own.len()));
        bodies.extend(own);
    }
    *module.section(10) = bodies;
    module.write()
}

/// The module with the fingerprint of other sources.
pub fn of_other_sources(bytes: &[u8]) -> Vec<u8> {
    let mut module = Module::read(bytes);
    let mark = b"\x07sources";
    let section = module.0.iter_mut().find(|(id, content)| *id == 0 && content.starts_with(mark));
    let (_, content) = section.expect("the module says its sources");
    let last = content.last_mut().unwrap();
    *last = if *last == b'0' { b'1' } else { b'0' };
    module.write()
}
