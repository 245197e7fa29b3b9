//! Files as `NumPy` saves them: arrays (`.npy`) and archives of them (`.npz`).

use miniz_oxide::deflate::compress_to_vec;

/// A `.npy` file of this version: `descr` is the type with its byte order, `shape` a Python tuple.
pub fn npy_of_version(version: u8, descr: &str, is_fortran: bool, shape: &str, elements: &[u8]) -> Vec<u8> {
    let is_fortran = if is_fortran { "True" } else { "False" };
    let header = format!("{{'descr': '{descr}', 'fortran_order': {is_fortran}, 'shape': {shape}, }}\n");
    let length = u32::try_from(header.len()).unwrap_or(0).to_le_bytes();
    let width = if version == 1 { 2 } else { 4 };
    [b"\x93NUMPY", &[version, 0][..], &length[..width], header.as_bytes(), elements].concat()
}

/// A `.npy` file of the first version, in C order.
pub fn npy(descr: &str, shape: &str, elements: &[u8]) -> Vec<u8> {
    npy_of_version(1, descr, false, shape, elements)
}

/// A member of an archive.
#[derive(Clone, Debug)]
pub struct Member {
    /// The name of the member in the archive.
    pub name: String,
    /// Its bytes as they are in the archive.
    pub packed: Vec<u8>,
    /// 0 for stored, 8 for deflated.
    pub method: u16,
    /// The length that the archive states.
    pub size: u32,
    /// The CRC-32 that the archive states.
    pub crc: u32,
}

/// CRC-32, a bit at a time.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |c, _| if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 })
    })
}

impl Member {
    /// A member that is stored.
    pub fn stored(name: &str, content: &[u8]) -> Self {
        let size = u32::try_from(content.len()).unwrap_or(u32::MAX);
        Self { name: name.to_owned(), packed: content.to_vec(), method: 0, size, crc: crc(content) }
    }

    /// A member that is deflated.
    pub fn deflated(name: &str, content: &[u8]) -> Self {
        Self { packed: compress_to_vec(content, 9), method: 8, ..Self::stored(name, content) }
    }

    /// The numbers that both headers have, with lengths.
    fn numbers(&self, packed: u32, size: u32, extra: usize) -> Vec<u8> {
        let name = u16::try_from(self.name.len()).unwrap_or(0);
        let extra = u16::try_from(extra).unwrap_or(0);
        let method = self.method.to_le_bytes();
        let numbers = [self.crc, packed, size].map(u32::to_le_bytes).concat();
        [&[20, 0, 0, 0], &method[..], &[0; 4], &numbers, &name.to_le_bytes(), &extra.to_le_bytes()].concat()
    }
}

/// An archive; `is_wide` for one in which every number that can have 64 bits has them (zip64).
pub fn npz(members: &[Member], is_wide: bool, comment: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut directory = Vec::new();
    for member in members {
        let (start, packed) = (file.len(), u32::try_from(member.packed.len()).unwrap_or(0));
        let name = member.name.as_bytes();
        file.extend([b"PK\x03\x04", &member.numbers(packed, member.size, 0)[..], name].concat());
        file.extend(&member.packed);
        let wide = [u64::from(member.size), u64::from(packed), start as u64].map(u64::to_le_bytes).concat();
        let extra = if is_wide { [&[1, 0, 24, 0], &wide[..]].concat() } else { Vec::new() };
        let narrow = |number: u32| if is_wide { u32::MAX } else { number };
        let numbers = member.numbers(narrow(packed), narrow(member.size), extra.len());
        let start = narrow(u32::try_from(start).unwrap_or(0)).to_le_bytes();
        directory.extend([b"PK\x01\x02\x14\0", &numbers[..], &[0; 10], &start, name, &extra].concat());
    }
    let (start, bytes) = (file.len(), directory.len());
    file.extend(directory);
    let count = u16::try_from(members.len()).unwrap_or(0);
    let comment_bytes = u16::try_from(comment.len()).unwrap_or(0).to_le_bytes();
    let narrow = |number: usize| u32::try_from(number).unwrap_or(0).to_le_bytes();
    let (mut counts, mut location) = (count.to_le_bytes(), [narrow(bytes), narrow(start)].concat());
    if is_wide {
        let end = (file.len() as u64).to_le_bytes();
        let numbers = [count.into(), count.into(), bytes as u64, start as u64].map(u64::to_le_bytes);
        file.extend([b"PK\x06\x06\x2c\0\0\0\0\0\0\0", &[0; 12][..], &numbers.concat()].concat());
        file.extend([b"PK\x06\x07\0\0\0\0", &end[..], &[1, 0, 0, 0]].concat());
        (counts, location) = ([0xff; 2], vec![0xff; 8]);
    }
    file.extend([b"PK\x05\x06\0\0\0\0", &counts[..], &counts, &location, &comment_bytes, comment].concat());
    file
}
