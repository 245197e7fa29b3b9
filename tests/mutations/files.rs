//! Mutated files of arrays, as text in which each character is a byte.

use test_support::Random;
use test_support::numpy::{Member, npy, npy_of_version, npz};

/// Numbers that lengths and offsets are overwritten with.
const NUMBERS: [u64; 12] = [
    0,
    1,
    0x7f,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0xffff_ffff,
    1 << 33,
    i64::MAX as u64,
    u64::MAX - 8,
    u64::MAX,
];

/// Parts of headers.
const PIECES: [&str; 14] = [
    "(2,)",
    "(-2, 3)",
    "(9223372036854775807,)",
    "(4294967296, 4294967296)",
    "(67108864,)",
    "()",
    "True",
    ">f4",
    "|V2",
    "|b1",
    "PK\u{1}\u{2}",
    "PK\u{3}\u{4}",
    "PK\u{5}\u{6}",
    "PK\u{6}\u{6}",
];

/// The arrays to mutate.
pub fn arrays() -> Vec<Vec<u8>> {
    let bytes: Vec<u8> = (0..48).collect();
    let mut arrays: Vec<Vec<u8>> =
        [("|b1", 48), ("<i2", 24), (">i4", 12), ("<f4", 12), (">c8", 6), ("|V2", 24)]
            .map(|(of, count)| npy(of, &format!("({count},)"), &bytes))
            .into();
    arrays.push(npy("<f8", "()", &bytes[..8]));
    arrays.push(npy_of_version(2, ">f2", true, "(4, 6)", &bytes));
    arrays.push(npy_of_version(3, "<u1", false, "(0, 3)", &[]));
    arrays.push(npy("|u1", "(70000,)", &vec![7; 70_000]));
    arrays
}

fn mutate(file: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(file.len());
    let end = (at + random.below(12)).min(file.len());
    match random.below(6) {
        0 => file.truncate(at),
        1 => drop(file.drain(at..end)),
        2 => {
            let piece = random.pick(&PIECES).chars().map(|c| u8::try_from(c).unwrap());
            file.splice(at..end, piece);
        }
        3 => {
            let copied = file[at..end].to_vec();
            let to = random.below(file.len());
            file.splice(to..to, copied);
        }
        4 => {
            let number = NUMBERS[random.below(NUMBERS.len())].to_le_bytes();
            let width = 1 << random.below(4);
            file[at..].iter_mut().zip(&number[..width]).for_each(|(byte, part)| *byte = *part);
        }
        _ => {
            if let Some(byte) = file.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
    }
}

fn mutated(mut file: Vec<u8>, random: &mut Random) -> Vec<u8> {
    for _ in 0..random.below(4) {
        mutate(&mut file, random);
    }
    file
}

/// A file: an array, or an archive of mutated arrays that is mutated itself.
pub fn file(arrays: &[Vec<u8>], number: u64) -> String {
    let random = &mut Random::new(number);
    let array = |random: &mut Random| mutated(arrays[random.below(arrays.len())].clone(), random);
    let file = if random.one_in(2) {
        array(random)
    } else {
        let member = |_| {
            let name = random.pick(&["a.npy", "weights/b.npy", "folder/", ""]);
            let content = array(random);
            let is_stored = random.one_in(2);
            if is_stored { Member::stored(name, &content) } else { Member::deflated(name, &content) }
        };
        let members: Vec<Member> = (0..3).map(member).collect();
        let members = &members[..=random.below(members.len())];
        let comment = random.pick(&["", "PK\u{5}\u{6}", "of a run"]);
        mutated(npz(members, random.one_in(2), comment.as_bytes()), random)
    };
    file.into_iter().map(char::from).collect()
}

/// The bytes of a file that is text.
pub fn bytes(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(c).unwrap()).collect()
}
