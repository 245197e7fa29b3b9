//! The source cells of every cell of a value, encoded in a few bytes each.
//!
//! Per cell, in the order of the value's cells: the number of reads, then each read as the number of the array it was
//! read from with its role, and the distance to the previous read of that array. All numbers are LEB128; distances are
//! zigzag-encoded. The encoding of a cell does not depend on other cells, so any cell can be decoded alone.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use crate::bug::OrBug as _;
use crate::ops::Role;

/// A cell that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// The number of the array among the arrays of all operands.
    pub array: usize,
    /// The row-major linear index of the cell.
    pub cell: u64,
    /// Its role for the result.
    pub role: Role,
}

/// The number of a role in the encoding.
pub fn role_number(role: Role) -> usize {
    Role::ALL.iter().position(|other| *other == role).or_bug(0, "a role that is not listed")
}

/// The role of a number; `None` if there is none.
pub fn role(number: usize) -> Option<Role> {
    Role::ALL.get(number).copied()
}

fn write_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

/// Appends the reads of the next cell.
pub fn write_cell(bytes: &mut Vec<u8>, reads: &[Read]) {
    let mut previous = BTreeMap::new();
    write_number(bytes, reads.len() as u64);
    for read in reads {
        write_number(bytes, (read.array * Role::ALL.len() + role_number(read.role)) as u64);
        let before = previous.insert(read.array, read.cell).unwrap_or_default();
        let distance = read.cell.wrapping_sub(before).cast_signed();
        write_number(bytes, ((distance << 1) ^ (distance >> 63)).cast_unsigned());
    }
}

/// A position in encoded bytes.
struct Decoder<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Decoder<'_> {
    fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}

/// The encoded reads of all cells, with the position of each.
#[derive(Clone, Debug)]
pub struct Reads {
    bytes: Vec<u8>,
    starts: Vec<usize>,
    /// The cells that read each cell; collected when it is first asked for, since most instructions are never hovered.
    uses: OnceCell<BTreeMap<(usize, u64), Vec<usize>>>,
}

impl Reads {
    /// Checks the reads of `cells` cells of arrays with these numbers of cells; `None` if they are malformed.
    pub fn new(bytes: Vec<u8>, cells: u64, arrays: &[u64]) -> Option<Self> {
        let mut starts = Vec::new();
        let mut decoder = Decoder { bytes: &bytes, at: 0 };
        for _ in 0..cells {
            starts.push(decoder.at);
            decode(&mut decoder, |read| {
                arrays.get(read.array).is_some_and(|size| read.cell < *size).then_some(())
            })?;
        }
        (decoder.at == bytes.len()).then_some(Self { bytes, starts, uses: OnceCell::new() })
    }

    /// The reads of a cell; empty if there is no such cell.
    pub fn of(&self, cell: usize) -> Vec<Read> {
        let mut reads = Vec::new();
        if let Some(start) = self.starts.get(cell) {
            // They were decoded before.
            let _ = decode(&mut Decoder { bytes: &self.bytes, at: *start }, |read| {
                reads.push(read);
                Some(())
            });
        }
        reads
    }

    /// The cells that were computed from a cell, each once, in order.
    pub fn uses(&self, array: usize, cell: u64) -> &[usize] {
        let uses = self.uses.get_or_init(|| {
            let mut uses = BTreeMap::<_, Vec<usize>>::new();
            for number in 0..self.starts.len() {
                for read in self.of(number) {
                    let cells = uses.entry((read.array, read.cell)).or_default();
                    if cells.last() != Some(&number) {
                        cells.push(number);
                    }
                }
            }
            uses
        });
        uses.get(&(array, cell)).map_or(&[], Vec::as_slice)
    }
}

fn decode(decoder: &mut Decoder, mut each: impl FnMut(Read) -> Option<()>) -> Option<()> {
    let mut previous = BTreeMap::new();
    for _ in 0..decoder.number()? {
        let token = usize::try_from(decoder.number()?).ok()?;
        let array = token / Role::ALL.len();
        let zigzag = decoder.number()?;
        let distance = (zigzag >> 1) ^ (zigzag & 1).wrapping_neg();
        let cell = previous.get(&array).copied().unwrap_or(0_u64).wrapping_add(distance);
        previous.insert(array, cell);
        each(Read { array, cell, role: role(token % Role::ALL.len())? })?;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(array: usize, cell: u64, role: Role) -> Read {
        Read { array, cell, role }
    }

    #[test]
    fn every_cell_is_decoded_alone() {
        let cells = [
            vec![
                read(0, 7, Role::Lhs),
                read(1, 0, Role::Rhs),
                read(0, 6, Role::Lhs),
                read(1, 300, Role::Rhs),
            ],
            vec![],
            vec![read(2, 1 << 40, Role::Choice)],
        ];
        let mut bytes = Vec::new();
        for cell in &cells {
            write_cell(&mut bytes, cell);
        }
        let reads = Reads::new(bytes, 3, &[8, 301, (1 << 40) + 1]).unwrap();
        for (number, cell) in cells.iter().enumerate().rev() {
            assert_eq!(reads.of(number), *cell);
        }
        assert_eq!(reads.of(3), []);
        assert_eq!(reads.uses(1, 300), [0]);
        assert_eq!(reads.uses(0, 5), [0; 0]);
    }

    #[test]
    fn every_role_has_a_number_of_its_own() {
        for (number, each) in Role::ALL.into_iter().enumerate() {
            assert_eq!(role_number(each), number);
            assert_eq!(role(number), Some(each));
        }
        assert_eq!(role(Role::ALL.len()), None);
    }

    #[test]
    fn malformed_reads_are_refused() {
        let mut bytes = Vec::new();
        write_cell(&mut bytes, &[read(0, 3, Role::Value)]);
        let refused =
            |bytes: &[u8], cells, arrays: &[u64]| Reads::new(bytes.to_vec(), cells, arrays).is_none();
        assert!(!refused(&bytes, 1, &[4]));
        assert!(refused(&bytes, 1, &[3]), "a cell that does not exist");
        assert!(refused(&bytes, 1, &[]), "an array that does not exist");
        assert!(refused(&bytes, 2, &[4]), "a cell without reads");
        assert!(refused(&bytes, 0, &[4]), "bytes that belong to no cell");
        assert!(refused(&bytes[..2], 1, &[4]), "truncated");
        assert!(refused(&[0xff; 16], 1, &[4]), "an endless number");
        assert!(refused(&[1, 9, 0xff, 0xff], 1, &[4]));
        // A count that no memory could hold ends where the bytes end.
        assert!(refused(&[0xff, 0xff, 0xff, 0xff, 0x7f], 1, &[4]));
    }
}
