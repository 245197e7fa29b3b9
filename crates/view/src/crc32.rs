//! CRC-32 as PNG and zip use it (ISO 3309).

use std::sync::OnceLock;

/// The bytes of a step of [`Crc32::update`]: their remainders are independent of each other.
const STEP_BYTES: usize = 8;

/// For each byte of a step, the remainders of all its values; the last byte is first.
type Tables = [[u32; 256]; STEP_BYTES];

/// The tables, computed at first use: as a constant they would be incompressible kilobytes of every program.
fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| {
        let mut tables = [[0; 256]; STEP_BYTES];
        for (value, entry) in (0..).zip(&mut tables[0]) {
            *entry = (0..8).fold(value, |remainder: u32, _| {
                let next = remainder >> 1;
                if remainder & 1 == 1 { 0xedb8_8320 ^ next } else { next }
            });
        }
        for table in 1..STEP_BYTES {
            for value in 0..256 {
                let before = tables[table - 1][value];
                tables[table][value] = tables[0][low_byte(before)] ^ (before >> 8);
            }
        }
        tables
    })
}

fn low_byte(word: u32) -> usize {
    usize::from(word.to_le_bytes()[0])
}

/// The checksum of the bytes so far.
///
/// ```
/// # use xla_view::crc32::Crc32;
/// let mut crc = Crc32::default();
/// crc.update(b"12345");
/// crc.update(b"6789");
/// assert_eq!(crc.value(), 0xcbf4_3926);
/// // Eight bytes at a time or one: the checksum is the same.
/// let bytes: Vec<u8> = (0..=255).collect();
/// let mut crc = Crc32::default();
/// bytes.chunks(3).for_each(|part| crc.update(part));
/// assert_eq!((crc.value(), Crc32::checksum(&bytes)), (0x2905_8c73, 0x2905_8c73));
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
        let tables = tables();
        let (steps, rest) = bytes.as_chunks::<STEP_BYTES>();
        for step in steps {
            let mut step = *step;
            for (byte, crc) in step.iter_mut().zip(self.0.to_le_bytes()) {
                *byte ^= crc;
            }
            let remainders = step.iter().zip(tables.iter().rev());
            self.0 = remainders.fold(0, |crc, (byte, table)| crc ^ table[usize::from(*byte)]);
        }
        for byte in rest {
            self.0 = tables[0][low_byte(self.0 ^ u32::from(*byte))] ^ (self.0 >> 8);
        }
    }

    /// The checksum of the data so far.
    pub fn value(self) -> u32 {
        !self.0
    }
}
