//! CRC-32 as PNG and zip use it (ISO 3309).

/// The remainders of all bytes.
const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut remainder: u32 = 0;
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            let next = remainder >> 1;
            remainder = if remainder & 1 == 1 { 0xedb8_8320 ^ next } else { next };
            bit += 1;
        }
        table[byte] = remainder;
        byte += 1;
        #[allow(clippy::cast_possible_truncation, reason = "at most 256")]
        {
            remainder = byte as u32;
        }
    }
    table
}

/// The checksum of the bytes so far.
///
/// ```
/// # use xla_view::crc32::Crc32;
/// let mut crc = Crc32::default();
/// crc.update(b"12345");
/// crc.update(b"6789");
/// assert_eq!(crc.value(), 0xcbf4_3926);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Crc32(u32);

impl Default for Crc32 {
    fn default() -> Self {
        Self(u32::MAX)
    }
}

impl Crc32 {
    /// The checksum of these bytes.
    pub fn checksum(bytes: &[u8]) -> u32 {
        let mut crc = Self::default();
        crc.update(bytes);
        crc.value()
    }

    /// Appends bytes to the checked data.
    pub fn update(&mut self, bytes: &[u8]) {
        let step = |crc: u32, byte: &u8| TABLE[usize::from(crc.to_le_bytes()[0] ^ byte)] ^ (crc >> 8);
        self.0 = bytes.iter().fold(self.0, step);
    }

    /// The checksum of the data so far.
    pub fn value(self) -> u32 {
        !self.0
    }
}
