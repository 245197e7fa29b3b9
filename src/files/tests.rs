//! Files as `NumPy` saves them, and invalid files.

use std::cell::Cell;
use std::io::Cursor;

use test_support::numpy::{Member, npy, npy_of_version, npz};

use super::*;
use crate::array::literal::Equality;
use crate::i18n::Language;

const MIB: u64 = 1 << 20;

fn shapes(texts: &[&str]) -> Vec<Shape> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

/// The values of a file as text, or its error as the rule and the sentence.
fn read_within(max_bytes: u64, form: Format, bytes: &[u8], parameters: &[&str]) -> Result<String, String> {
    let shapes = shapes(parameters);
    let shapes: Vec<&Shape> = shapes.iter().collect();
    let length = Some(bytes.len() as u64);
    let mut reader = ArgumentReader::new(max_bytes, &|| false);
    match reader.read("x", form, &mut Cursor::new(bytes), length, &shapes) {
        Ok(values) => Ok(values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")),
        Err(FileError::Rejected { rule, message }) => {
            let sentence = message.localize(Language::ENGLISH).replace(['\u{2068}', '\u{2069}'], "");
            Err(format!("{rule}: {sentence}"))
        }
        Err(FileError::Cancelled) => Err("stopped".to_owned()),
    }
}

fn read(form: Format, bytes: &[u8], parameters: &[&str]) -> Result<String, String> {
    read_within(MIB, form, bytes, parameters)
}

fn text(bytes: &[u8]) -> String {
    read(Format::Npy, bytes, &[]).unwrap_or_else(|error| error)
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn formats_are_recognized_by_file_names() {
    assert_eq!(Format::of_name("weights/W.NPZ"), Some(Format::Npz));
    assert_eq!(Format::of_name("f32[2] {1, 2.5}"), None);
    assert_eq!(Format::of_name("1.5"), None);
}

#[test]
fn arrays_of_numpy_are_read() {
    let little: Vec<u8> = (1..=6_i16).flat_map(i16::to_le_bytes).collect();
    let big: Vec<u8> = (1..=6_i16).flat_map(i16::to_be_bytes).collect();
    let c_order = "{ { 1, 2, 3 }, { 4, 5, 6 } }";
    assert_eq!(text(&npy("<i2", "(2, 3)", &little)), c_order);
    assert_eq!(text(&npy(">i2", "(2, 3)", &big)), c_order);
    assert_eq!(text(&npy_of_version(2, "<i2", false, "(2L, 3L)", &little)), c_order);
    assert_eq!(text(&npy_of_version(3, "<i2", false, "(2, 3)", &little)), c_order);
    let fortran = "{ { 1, 3, 5 }, { 2, 4, 6 } }";
    assert_eq!(text(&npy_of_version(1, "<i2", true, "(2, 3)", &little)), fortran);
    assert_eq!(text(&npy_of_version(1, ">i2", true, "(2, 3)", &big)), fortran);
    assert_eq!(text(&npy("<i2", "(1,)", &[1, 0])), "{1}");
    assert_eq!(text(&npy(">i2", "()", &[1, 2])), "258");
    assert!(read(Format::Npy, &npy("<f4", "(0, 3)", &[]), &["f32[0,3]"]).is_ok());
    // Each part of a complex number has its own byte order.
    let parts = [1.0_f32.to_be_bytes(), (-2.0_f32).to_be_bytes()].concat();
    assert_eq!(text(&npy(">c8", "()", &parts)), "(1, -2)");
    let parts = [1.0_f64.to_be_bytes(), (-2.0_f64).to_be_bytes()].concat();
    assert_eq!(text(&npy(">c16", "(1,)", &parts)), "{(1, -2)}");
    // NumPy has no bfloat16: JAX saves raw bytes, whose type is that of the parameter.
    let halves = npy("|V2", "(2,)", &[0x80, 0x3f, 0x00, 0xc0]);
    assert_eq!(read(Format::Npy, &halves, &["bf16[2]"]).unwrap(), "{1, -2}");
    assert!(text(&halves).contains("NumPy type |V2"), "{}", text(&halves));
    let nibbles = npy("|V1", "(2,)", &[0x07, 0xf8]);
    assert_eq!(read(Format::Npy, &nibbles, &["s4[2]"]).unwrap(), "{7, -8}");
}

#[test]
fn many_chunks_are_one_array() {
    let values: Vec<f64> = (0..20_000).map(f64::from).collect();
    let little: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let big: Vec<u8> = values.iter().flat_map(|value| value.to_be_bytes()).collect();
    let read_file = |file: &[u8], form| {
        let mut reader = ArgumentReader::new(MIB, &|| false);
        let shapes = shapes(&["f64[20000]"]);
        reader.read("x", form, &mut Cursor::new(file), None, &[&shapes[0]]).unwrap().remove(0)
    };
    let Literal::Array(array) = read_file(&npy("<f8", "(20000,)", &little), Format::Npy) else { panic!() };
    assert_eq!(array.to_row_major::<f64>().unwrap().unwrap(), values);
    let again = read_file(&npy(">f8", "(20000,)", &big), Format::Npy);
    assert!(Literal::Array(array.clone()).equals(&again, Equality::Bits));
    assert!(Literal::Array(array).equals(&read_file(&little, Format::Raw), Equality::Bits));
}

#[test]
fn files_that_are_no_arrays_are_rejected_with_their_reason() {
    let data = floats(&[1.0; 6]);
    for (file, expected) in [
        (npy("<f4", "(2, 4)", &data), "x has 24 bytes of elements, but f32[2,4] takes 32"),
        (npy("<f4", "(2,)", &data), "x has 24 bytes of elements, but f32[2] takes 8"),
        (npy("<U3", "(2,)", &data), "type <U3"),
        (npy("<f4", "2", &data), "its header cannot be read"),
        (npy_of_version(4, "<f4", false, "(6,)", &data), "its header cannot be read"),
        (b"\x93NUMPY\x01\x00\xff\xff{".to_vec(), "its header cannot be read"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec(), "its header cannot be read"),
        (Vec::new(), "its header cannot be read"),
    ] {
        let error = read(Format::Npy, &file, &[]).unwrap_err();
        assert!(error.starts_with("array-file: x") && error.contains(expected), "{error}");
    }
    // A shape that no array has is rejected for itself, not for its bytes.
    for shape in ["(-2, -3)", "(9223372036854775807, 4)", "(9223372036854775807, 9223372036854775807, 0, 2)"]
    {
        let error = read(Format::Npy, &npy("<f4", shape, &data), &[]).unwrap_err();
        assert!(error.starts_with("shape-") && !error.contains("-1") && error.contains(": x: "), "{error}");
    }
    let dimensions = "1, ".repeat(10_000);
    let error = read(Format::Npy, &npy("<f4", &format!("({dimensions})"), &data[..4]), &[]).unwrap_err();
    assert!(error.contains(": x: "), "{error}");
}

#[test]
fn a_pipe_without_a_length_ends_where_its_array_does() {
    let read_file = |bytes: &[u8]| {
        let mut reader = ArgumentReader::new(MIB, &|| false);
        reader.read("x", Format::Npy, &mut Cursor::new(bytes), None, &[])
    };
    let file = npy("<f4", "(3,)", &floats(&[1.0, 2.0, 3.0]));
    assert_eq!(read_file(&file).unwrap()[0].to_string(), "{1, 2, 3}");
    let sentence = |bytes: &[u8]| match read_file(bytes) {
        Err(FileError::Rejected { message, .. }) => message.localize(Language::ENGLISH),
        other => panic!("{other:?}"),
    };
    assert!(sentence(&[&file[..], &[0]].concat()).contains("has more data"));
    assert!(sentence(&file[..file.len() - 1]).contains("bytes of elements"));
}

#[test]
fn bytes_are_values_of_their_type_or_rejected() {
    let booleans = [0, 1, 2, 255];
    assert_eq!(text(&npy("|b1", "(4,)", &booleans)), "{0, 1, 1, 1}");
    assert_eq!(read(Format::Raw, &booleans, &["pred[4]"]).unwrap(), "{0, 1, 1, 1}");
    for (shape, bytes, expected) in [
        ("s4[3]", [0x07, 0xf8, 0xff], "{7, -8, -1}"),
        ("u4[3]", [0, 9, 15], "{0, 9, 15}"),
        ("s2[3]", [1, 0xfe, 0xff], "{1, -2, -1}"),
        ("f4e2m1fn[3]", [0, 2, 0x0a], "{0, 1, -1}"),
    ] {
        assert_eq!(read(Format::Raw, &bytes, &[shape]).unwrap(), expected, "{shape}");
    }
    for (shape, byte) in [("s4[3]", 0x08), ("u4[3]", 0x10), ("s2[3]", 2), ("f4e2m1fn[3]", 0x10)] {
        let error = read(Format::Raw, &[0, 0, byte], &[shape]).unwrap_err();
        let expected = format!("byte 2 of the elements in x is {byte}, which is not a value of");
        assert!(error.contains(&expected), "{error}");
    }
    // Layouts that pack elements, or space them.
    assert_eq!(read(Format::Raw, &[0x21, 0x0f], &["s4[3]{0:E(4)}"]).unwrap(), "{1, 2, -1}");
    assert!(read(Format::Raw, &[0x21, 0x1f], &["s4[3]{0:E(4)}"]).unwrap_err().contains("byte 1"));
    assert_eq!(read(Format::Raw, &[2, 0, 0xff, 0xff], &["s8[2]{0:E(16)}"]).unwrap(), "{2, -1}");
    assert!(read(Format::Raw, &[2, 0, 0xff, 1], &["s8[2]{0:E(16)}"]).unwrap_err().contains("byte 3"));
    assert!(read(Format::Raw, &[0], &[]).unwrap_err().contains("no array parameter"));
}

#[test]
fn archives_of_numpy_are_read() {
    let a = npy("<f4", "(2,)", &floats(&[1.0, 2.0]));
    let b = npy("<i4", "()", &[7, 0, 0, 0]);
    let parameters = ["f32[2]", "s32[]"];
    for first in [Member::stored("a.npy", &a), Member::deflated("a.npy", &a)] {
        for is_wide in [false, true] {
            for comment in [&b""[..], b"of a run", b"PK\x05\x06 is the signature of the record before"] {
                let file = npz(&[first.clone(), Member::deflated("b.npy", &b)], is_wide, comment);
                assert_eq!(read(Format::Npz, &file, &parameters).unwrap(), "{1, 2} 7");
            }
        }
    }
    // Folders are not members.
    let folder = Member::stored("weights/", &[]);
    let file = npz(&[folder.clone(), Member::stored("weights/b.npy", &b)], false, &[]);
    assert_eq!(read(Format::Npz, &file, &["s32[]"]).unwrap(), "7");
    assert!(read(Format::Npz, &npz(&[folder], false, &[]), &["s32[]"]).unwrap_err().contains("no arrays"));
    assert!(read(Format::Npz, &npz(&[], false, &[]), &["s32[]"]).unwrap_err().contains("no arrays"));
}

#[test]
fn damaged_archives_are_rejected() {
    let a = npy("<f4", "(2,)", &floats(&[1.0, 2.0]));
    let read_file = |member: Member| read(Format::Npz, &npz(&[member], false, &[]), &["f32[2]"]).unwrap_err();
    let good = Member::deflated("a.npy", &a);
    for broken in [
        Member { crc: good.crc ^ 1, ..good.clone() },
        Member { crc: 0, ..Member::stored("a.npy", &a) },
        Member { packed: good.packed[..good.packed.len() - 1].to_vec(), ..good.clone() },
        Member { packed: vec![0xff; 9], ..good.clone() },
        Member { packed: a[1..].to_vec(), ..Member::stored("a.npy", &a) },
        Member { size: u32::MAX - 1, ..good.clone() },
    ] {
        let error = read_file(broken);
        assert!(error.starts_with("array-file: x/a.npy is damaged"), "{error}");
    }
    // One that is longer or shorter than stated has another number of elements.
    for size in [good.size - 1, good.size + 1] {
        let error = read_file(Member { size, ..good.clone() });
        assert!(error.contains("x/a.npy has"), "{error}");
    }
    let unsupported = read_file(Member { method: 12, ..good.clone() });
    assert!(unsupported.contains("method other than deflate"), "{unsupported}");
    let text = read_file(Member::stored("README", b"weights"));
    assert!(text.contains("x/README is not an array"), "{text}");

    let file = npz(std::slice::from_ref(&good), false, &[]);
    let mut header = file.clone();
    header[0] ^= 1;
    assert!(read(Format::Npz, &header, &["f32[2]"]).unwrap_err().contains("x/a.npy is damaged"));
    let mut directory = file.clone();
    let at = file.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    directory[at] ^= 1;
    for broken in [&directory[..], &file[..file.len() - 1], &file[1..], b"PK", &[0; 64], b""] {
        let error = read(Format::Npz, broken, &["f32[2]"]).unwrap_err();
        assert!(error.contains("x is not an archive") || error.contains("damaged"), "{error}");
    }
    // A comment that does not reach the end of the file.
    assert!(read(Format::Npz, &[&file[..], b"more"].concat(), &["f32[2]"]).is_err());
}

#[test]
fn archives_take_no_more_than_their_parameters_and_the_memory_limit() {
    let zeros = |count: usize| npy("|u1", &format!("({count},)"), &vec![0; count]);
    let big = Member::deflated("big.npy", &zeros(3 << 20));
    let small = Member::deflated("small.npy", &zeros(4));
    let read_file = |members: &[Member], parameters: &[&str]| {
        read(Format::Npz, &npz(members, false, &[]), parameters).unwrap_err()
    };
    let error = read_file(std::slice::from_ref(&big), &["u8[4]"]);
    assert!(error.contains("u8[3145728], which is larger than its parameter u8[4]"), "{error}");
    let error = read_file(&[big], &["u8[3145728]"]);
    assert!(error.contains("x/big.npy takes more than the 1 MiB"), "{error}");
    // The members together.
    let half = Member::deflated("half.npy", &zeros(600 << 10));
    let error = read_file(&[half.clone(), half], &["u8[614400]"; 2]);
    assert!(error.contains("x/half.npy takes more than the 1 MiB"), "{error}");
    // Members without a parameter are not inflated.
    let damaged = Member { packed: vec![0xff; 9], ..small.clone() };
    let error = read_file(&[small.clone(), damaged], &["u8[4]"]);
    assert!(error.contains("x contains 2 arrays, but 1 parameter has no argument yet"), "{error}");
    assert!(read_file(&[small], &[]).contains("1 array, but 0 parameters have"));
}

#[test]
fn values_of_several_files_share_the_memory_limit() {
    let mut reader = ArgumentReader::new(MIB, &|| false);
    let file = npy("|u1", "(600000,)", &vec![0; 600_000]);
    let mut read_file = || reader.read("x", Format::Npy, &mut Cursor::new(&file), None, &[]);
    assert!(read_file().is_ok());
    assert!(read_file().is_err());
    let json = br#"{"shape": "s8[2]", "values": [1, 2]}"#;
    assert_eq!(read(Format::Json, json, &[]).unwrap(), "{1, 2}");
    assert!(read_within(16, Format::Json, json, &[]).unwrap_err().contains("takes more than"));
}

#[test]
fn reading_stops() {
    let polls = Cell::new(0);
    let is_cancelled = || {
        polls.set(polls.get() + 1);
        polls.get() > 3
    };
    let file = npz(&[Member::deflated("a.npy", &npy("|u1", "(800000,)", &vec![0; 800_000]))], false, &[]);
    let parameter: Shape = "u8[800000]".parse().unwrap();
    let mut reader = ArgumentReader::new(MIB, &is_cancelled);
    let stopped = reader.read("x", Format::Npz, &mut Cursor::new(&file), None, &[&parameter]);
    assert_eq!(stopped, Err(FileError::Cancelled));
    assert_eq!(polls.get(), 4);
}

#[test]
fn written_files_are_read_back_with_the_same_bits() {
    let shapes = [
        "f32[2,3]{0,1} {{1,2,nan},{-0,5,inf}}",
        "bf16[3]{0:T(2)} {1,2,3.5}",
        "pred[2]{0} {true,false}",
        "s4[2,2]{1,0:E(4)} {{-8,7},{0,1}}",
        "c64[1]{0} {(1,-2)}",
        "u64[] 18446744073709551615",
        "s32[0,4]{1,0} {}",
    ];
    let values: Vec<Literal> = shapes.iter().map(|text| text.parse().unwrap()).collect();
    let arrays: Vec<&crate::array::ArrayLiteral> = values.iter().filter_map(Literal::as_array).collect();
    let parameters: Vec<Shape> = values.iter().map(Literal::shape).collect();
    for (array, parameter) in arrays.iter().zip(&parameters) {
        let bytes = write::npy(array).unwrap();
        assert_eq!(Format::of_content(&bytes), Some(Format::Npy));
        let length = Some(bytes.len() as u64);
        let mut reader = ArgumentReader::new(MIB, &|| false);
        let read = reader.read("x", Format::Npy, &mut Cursor::new(&bytes), length, &[parameter]).unwrap();
        assert!(
            read[0].equals(&Literal::Array((*array).clone()), Equality::Bits),
            "{parameter}: {}",
            read[0]
        );
    }
    let named = arrays.iter().enumerate().map(|(index, array)| (format!("x.{index}"), *array));
    let bytes = write::npz(named).unwrap().unwrap();
    assert_eq!(Format::of_content(&bytes), Some(Format::Npz));
    let members = ArgumentReader::names("x", &mut Cursor::new(&bytes)).unwrap();
    assert_eq!((members.len(), members[1].as_str()), (7, "x.1.npy"));
    let shapes: Vec<&Shape> = parameters.iter().collect();
    let mut reader = ArgumentReader::new(MIB, &|| false);
    let read = reader.read("x", Format::Npz, &mut Cursor::new(&bytes), None, &shapes).unwrap();
    assert!(read.iter().zip(&values).all(|(read, value)| read.equals(value, Equality::Bits)));
}
