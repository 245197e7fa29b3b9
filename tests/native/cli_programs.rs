//! `diff`, `cut` and `shrink`, run as by a user or a script.

use std::fs;
use std::path::PathBuf;

use crate::cli_hlo::run;

/// A file with this text in a folder of this test, which is new.
fn file(folder: &str, name: &str, text: &[u8]) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cli-programs").join(folder);
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

const A: &str = "HloModule a
ENTRY e {
  x = f32[3] parameter(0)
  y = exponential(x)
  z = multiply(y, y)
  w = negate(x)
  ROOT t = tuple(z, w)
}
";
const B: &str = "HloModule b
ENTRY e {
  p.1 = f32[3] parameter(0)
  n.2 = negate(p.1)
  y.3 = exponential(p.1)
  c.4 = copy(y.3)
  z.5 = multiply(c.4, y.3)
  z.6 = add(z.5, p.1)
  ROOT t.7 = tuple(z.6, n.2)
}
";

#[test]
fn diff_describes_what_changed() {
    let b = file("diff", "b.hlo", B.as_bytes());
    let (code, out, error) = run(&["diff", "-", &b], A);
    assert_eq!((code, error.as_str()), (0, ""), "{out}");
    let expected = "5 instructions correspond, 0 without any difference
changed multiply × 1: operand 0, name
  z → z.5; operand 0 %y → %c.4
changed tuple × 1: operand 0, name
  t → t.7; operand 0 %z → %z.6
inserted add × 1
  z.6
inserted copy × 1
  c.4
";
    assert!(out.starts_with(expected), "{out}");
    let (_, out, _) = run(
        &["diff", "-", &file("diff", "a.hlo", A.replace("y ", "k ").replace("(y, y", "(k, k").as_bytes())],
        A,
    );
    assert!(out.ends_with("The programs compute the same with the same operations\n"), "{out}");
}

#[test]
fn diff_finds_the_first_value_that_differs() {
    let b = file("diff-values", "b.hlo", B.replace("negate(p.1)", "abs(p.1)").as_bytes());
    let (code, out, _) = run(&["diff", "-", &b, "--arg", "f32[3] {1, -2, 3}"], A);
    assert_eq!(code, 0);
    let begins: Vec<&str> = out.lines().filter(|line| line.starts_with("the difference begins")).collect();
    // The tuple differs because an element does.
    assert!(begins.len() == 1 && out.contains("t → t.7 also differs"), "{out}");
    assert!(begins[0].contains("w → n.2: 2 of 3 elements, first at [0]: -1 and 1"), "{out}");
    let (_, out, _) = run(&["diff", "-", &file("diff-values", "a.hlo", A.as_bytes()), "--random", "3"], A);
    assert!(out.ends_with("5 values compared: 0 differ, 0 without a counterpart\n"), "{out}");
    let (code, _, error) = run(&["diff", "-", "--values", "missing.npz"], A);
    assert!(code == 2 && error.contains("missing.npz"), "{error}");
}

/// An archive as `numpy.savez` writes it: members are stored, not compressed.
fn npz(arrays: &[(&str, &[f32])]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, values) in arrays {
        let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({},), }}", values.len());
        let header = format!("{header:<117}\n");
        let mut member = b"\x93NUMPY\x01\x00".to_vec();
        member.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
        member.extend(header.as_bytes());
        member.extend(values.iter().flat_map(|x| x.to_le_bytes()));
        let name = format!("{name}.npy");
        let size = u32::try_from(member.len()).unwrap().to_le_bytes();
        let mut fields = vec![20, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let checksum = crc32(&member).to_le_bytes();
        fields.extend(checksum.iter().chain(&size).chain(&size));
        fields.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
        fields.extend([0, 0]);
        let offset = u32::try_from(bytes.len()).unwrap();
        bytes.extend(b"PK\x03\x04");
        bytes.extend(&fields);
        bytes.extend(name.as_bytes());
        bytes.extend(&member);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&fields);
        directory.extend([0; 10]);
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (count, start) = (u16::try_from(arrays.len()).unwrap().to_le_bytes(), bytes.len());
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend(count.iter().chain(&count));
    bytes.extend(u32::try_from(directory.len()).unwrap().to_le_bytes());
    bytes.extend(u32::try_from(start).unwrap().to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0xEDB8_8320 } else { 0 })
    };
    !bytes.iter().fold(!0, step)
}

#[test]
fn values_from_elsewhere_are_compared_by_name() {
    let next = 2.0_f32.next_up();
    let text =
        "HloModule m ENTRY e { x.1 = f32[2] parameter(0) dbl.2 = add(x.1, x.1) ROOT r.3 = negate(dbl.2) }";
    let archive = npz(&[("dbl_2", &[next, 4.0]), ("%r.3", &[-2.0, -4.0]), ("other", &[1.0])]);
    let values = file("values", "values.npz", &archive);
    let arguments = ["diff", "-", "--values", &values, "--arg", "f32[2] {1, 2}"];
    let (code, out, error) = run(&arguments, text);
    assert_eq!(code, 0, "{error}");
    assert!(out.starts_with("2 values compared: 1 differ, 1 without a counterpart\n"), "{out}");
    assert!(out.contains("begins at dbl.2: 1 of 2 elements, first at [0]: 2 and 2.0000002"), "{out}");
    assert!(error.contains("other"), "{error}");
    let (_, out, _) = run(&[&arguments[..], &["--ulp", "1"]].concat(), text);
    assert!(out.starts_with("2 values compared: 0 differ"), "{out}");
    // The same by shrinking: the difference begins at the addition.
    let property = format!("differs:{values}");
    let (code, out, error) = run(&["shrink", "-", "--while", &property, "--arg", "f32[2] {1, 2}"], text);
    assert_eq!(code, 0, "{error}");
    assert!(out.contains("ROOT dbl.2 = f32[2]{0} add(x.1, x.1)") && !out.contains("negate"), "{out}");
    assert!(error.contains("2 → 1 instruction after"), "{error}");
}

#[test]
fn random_start_indices_are_in_bounds() {
    let text = "HloModule m ENTRY e { x = f32[10,2] parameter(0) i = s32[6,1] parameter(1)
        ROOT g = gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1,
        slice_sizes={1,2} }";
    let (code, out, error) = run(&["cut", "-", "--select", "g", "--random", "3"], text);
    assert_eq!(code, 0, "{error}");
    let argument = out.lines().find(|line| line.starts_with("// argument 1: ")).unwrap();
    let values = argument.split_once(" {").unwrap().1;
    let starts: Vec<i64> =
        values.split(|c: char| !c.is_ascii_digit() && c != '-').filter_map(|n| n.parse().ok()).collect();
    assert_eq!(starts.len(), 6, "{out}");
    assert!(starts.iter().all(|start| (0..10).contains(start)), "{starts:?}");
}

#[test]
fn cut_prints_a_program_with_its_arguments() {
    let (code, out, _) = run(&["cut", "-", "--select", "z,%t"], A);
    assert_eq!(code, 0);
    assert!(
        out.contains("y = f32[3]{0} parameter(0)") && out.contains("w = f32[3]{0} parameter(1)"),
        "{out}"
    );
    let argument = "f32[3] {0, 1, 2}";
    let select = ["cut", "-", "--select", "z", "--arg", argument, "--constants", "0"];
    let (code, out, _) = run(&select, A);
    assert_eq!(code, 0);
    let recorded = out.lines().next().unwrap();
    let argument = recorded.strip_prefix("// argument 0: ").unwrap();
    // Comments and all, it is a program.
    let (code, result, error) = run(&["eval", "-", "--arg", argument], &out);
    assert_eq!((code, error.as_str()), (0, ""));
    assert!(result.starts_with("f32[3]{0} {1, 7.389") && result.contains(", 54.598"), "{result}");
    let (_, out, _) = run(&["cut", "-", "--select", "z", "--arg", "f32[3] {0, 1, 2}"], A);
    assert!(out.contains("y = f32[3]{0} constant({1, 2.718"), "{out}");
    let (code, _, error) = run(&["cut", "-", "--select", "z,nothing"], A);
    assert!(code == 2 && error.contains("no instruction nothing"), "{error}");
    let (code, _, error) = run(&["cut", "-", "--select", "z", "--computation", "f"], A);
    assert!(code == 2 && error.contains("no computation f"), "{error}");
}

#[test]
fn shrink_reduces_a_nan_an_infinity_and_an_error() {
    let text =
        "HloModule m ENTRY e { x = f32[4,8] parameter(0) a = abs(x) n = negate(a) l = log(n) s = sine(l)
        c = f32[] constant(1e30) b = f32[4,8] broadcast(c), dimensions={} p = multiply(b, b) q = add(p, a)
        ROOT t = tuple(s, q) }";
    for (property, instruction) in [("nan", "log("), ("inf", "multiply(")] {
        let (code, out, error) = run(&["shrink", "-", "--while", property, "--random", "1"], text);
        assert_eq!(code, 0, "{error}");
        assert!(out.contains(&format!("f32[1,1]{{1,0}} {instruction}")), "{out}");
        assert!(
            error.contains("6 → 1 instruction after") || error.contains("7 → 1 instruction after"),
            "{error}"
        );
        assert!(error.contains("no further instruction can be removed"), "{error}");
    }
    let failing = text.replace("sine(l)", "f32[4,8] custom-call(l), custom_call_target=\"gone\"");
    let (code, out, error) = run(&["shrink", "-", "--while", "error", "--random", "1"], &failing);
    assert!(
        code == 0 && out.contains("custom_call_target=\"gone\"") && !out.contains("log("),
        "{out}{error}"
    );
    let (code, _, error) = run(&["shrink", "-", "--while", "error", "--random", "1"], text);
    assert!(code == 2 && error.contains("does not have this problem"), "{error}");
    let (code, _, error) = run(&["shrink", "-", "--while", "nan"], text);
    assert!(code == 2 && error.contains("--random"), "{error}");
    let (code, _, error) = run(&["shrink", "-", "--while", "slow"], text);
    assert!(code == 2 && error.contains("expected nan, inf, error"), "{error}");
}

#[test]
fn shrink_against_another_module_finds_where_they_differ() {
    let other = file(
        "shrink",
        "b.hlo",
        B.replace("negate(p.1)", "abs(p.1)").replace("add(z.5", "subtract(z.5").as_bytes(),
    );
    let property = format!("differs:{other}");
    let (code, out, error) = run(&["shrink", "-", "--while", &property, "--arg", "f32[3] {1, -2, 3}"], A);
    assert_eq!(code, 0, "{error}");
    assert!(out.contains("ROOT w = f32[3]{0} negate(x)") && out.contains("// argument 0: "), "{out}");
}
