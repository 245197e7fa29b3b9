//! The source cells of every cell of a value, in a few bytes per cell.
//!
//! Per cell of the value: the number of reads, then two numbers per read. The first is the array times the number of roles, plus
//! the role. The second is the zigzag-encoded difference between the read cell and the previous one in the same array. All
//! numbers are LEB128. The encoding of a cell does not depend on other cells, so that any cell can be decoded alone.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use crate::bug::OrBug as _;
use crate::ops::Role;

/// A read of a source cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// The index of the array among the arrays of all operands.
    pub array: usize,
    /// The row-major linear index of the cell.
    pub cell: u64,
    /// The role of the source cell.
    pub role: Role,
}

/// The number of a role in the encoding.
pub fn role_number(role: Role) -> usize {
    Role::ALL.iter().position(|other| *other == role).or_bug(0, "a role that is not listed")
}

/// The role with a number; `None` if there is none.
pub fn role_of_number(number: usize) -> Option<Role> {
    Role::ALL.get(number).copied()
}

/// Appends a number in LEB128.
fn write_leb128(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

/// Appends the reads of the next cell.
pub fn write_cell(bytes: &mut Vec<u8>, reads: &[Read]) {
    let mut previous = BTreeMap::new();
    write_leb128(bytes, reads.len() as u64);
    for read in reads {
        write_leb128(bytes, (read.array * Role::ALL.len() + role_number(read.role)) as u64);
        let previous_cell = previous.insert(read.array, read.cell).unwrap_or_default();
        let difference = read.cell.wrapping_sub(previous_cell).cast_signed();
        write_leb128(bytes, ((difference << 1) ^ (difference >> 63)).cast_unsigned());
    }
}

/// Decodes LEB128 numbers.
struct Decoder<'a> {
    bytes: &'a [u8],
    /// The position of the next byte.
    position: usize,
}

impl Decoder<'_> {
    /// The next number; `None` at the end, or if it exceeds 64 bits.
    fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes.get(self.position)?;
            self.position += 1;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}

/// The encoded reads of all cells of a value.
#[derive(Clone, Debug)]
pub struct Reads {
    bytes: Vec<u8>,
    /// The position of each cell's reads in `bytes`.
    starts: Vec<usize>,
    /// The cells that read each source cell, by array and cell. Collected on first use: most instructions are never hovered.
    uses: OnceCell<BTreeMap<(usize, u64), Vec<usize>>>,
}

impl Reads {
    /// Checks and indexes the reads of `cells` cells. `arrays` are the numbers of cells of the source arrays. `None` if the bytes
    /// are malformed.
    pub fn new(bytes: Vec<u8>, cells: u64, arrays: &[u64]) -> Option<Self> {
        let mut starts = Vec::new();
        let mut decoder = Decoder { bytes: &bytes, position: 0 };
        for _ in 0..cells {
            starts.push(decoder.position);
            decode_cell(&mut decoder, |read| {
                arrays.get(read.array).is_some_and(|size| read.cell < *size).then_some(())
            })?;
        }
        (decoder.position == bytes.len()).then_some(Self { bytes, starts, uses: OnceCell::new() })
    }

    /// The reads of a cell; empty if there is no such cell.
    pub fn of_cell(&self, cell: usize) -> Vec<Read> {
        let mut reads = Vec::new();
        if let Some(start) = self.starts.get(cell) {
            // `new` has checked that they are well-formed.
            let _ = decode_cell(&mut Decoder { bytes: &self.bytes, position: *start }, |read| {
                reads.push(read);
                Some(())
            });
        }
        reads
    }

    /// The cells that were computed from a source cell, without duplicates, ascending.
    pub fn uses(&self, array: usize, cell: u64) -> &[usize] {
        let uses = self.uses.get_or_init(|| {
            let mut uses = BTreeMap::<_, Vec<usize>>::new();
            for number in 0..self.starts.len() {
                for read in self.of_cell(number) {
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

/// Decodes the reads of one cell, and passes each to `visit`; `None` if they are malformed or `visit` rejects one.
fn decode_cell(decoder: &mut Decoder, mut visit: impl FnMut(Read) -> Option<()>) -> Option<()> {
    let mut previous = BTreeMap::new();
    for _ in 0..decoder.number()? {
        let token = usize::try_from(decoder.number()?).ok()?;
        let array = token / Role::ALL.len();
        let zigzag = decoder.number()?;
        let difference = (zigzag >> 1) ^ (zigzag & 1).wrapping_neg();
        let cell = previous.get(&array).copied().unwrap_or(0_u64).wrapping_add(difference);
        previous.insert(array, cell);
        visit(Read { array, cell, role: role_of_number(token % Role::ALL.len())? })?;
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
        for (index, cell) in cells.iter().enumerate().rev() {
            assert_eq!(reads.of_cell(index), *cell);
        }
        assert_eq!(reads.of_cell(3), []);
        assert_eq!(reads.uses(1, 300), [0]);
        assert_eq!(reads.uses(0, 5), [0; 0]);
    }

    #[test]
    fn every_role_has_a_number_of_its_own() {
        for (index, each) in Role::ALL.into_iter().enumerate() {
            assert_eq!(role_number(each), index);
            assert_eq!(role_of_number(index), Some(each));
        }
        assert_eq!(role_of_number(Role::ALL.len()), None);
    }

    #[test]
    fn malformed_reads_are_refused() {
        let mut bytes = Vec::new();
        write_cell(&mut bytes, &[read(0, 3, Role::Value)]);
        let rejected =
            |bytes: &[u8], cells, arrays: &[u64]| Reads::new(bytes.to_vec(), cells, arrays).is_none();
        assert!(!rejected(&bytes, 1, &[4]));
        assert!(rejected(&bytes, 1, &[3]), "a cell that does not exist");
        assert!(rejected(&bytes, 1, &[]), "an array that does not exist");
        assert!(rejected(&bytes, 2, &[4]), "a cell without reads");
        assert!(rejected(&bytes, 0, &[4]), "bytes that belong to no cell");
        assert!(rejected(&bytes[..2], 1, &[4]), "truncated");
        assert!(rejected(&[0xff; 16], 1, &[4]), "an endless number");
        assert!(rejected(&[1, 9, 0xff, 0xff], 1, &[4]));
        // A count that no memory could hold ends where the bytes end.
        assert!(rejected(&[0xff, 0xff, 0xff, 0xff, 0x7f], 1, &[4]));
    }
}
