//! Exported Rust programs of examples, compiled and run here: each returns the example's result, and equals the
//! current export.
//!
//! Running these tests with `EXPORTED=write` rewrites programs whose text has changed.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(
    clippy::many_single_char_names,
    clippy::needless_pass_by_value,
    reason = "the programs are as they are exported"
)]

use std::fs;

use xla_playground::array::{Edition, Literal};
use xla_playground::hlo::export::export;
use xla_playground::hlo::{Evaluator, Module, parse};
use xla_playground::ops::Language;
use xla_playground::state::experiment::arguments::arguments;
use xla_playground::state::experiment::preset;

/// Checks the program of an op's first example.
fn check(opcode: &str, program: &str, module: &Module) {
    let preset = preset::all().find(|preset| preset.meta.opcode == opcode).unwrap();
    let experiment = preset.experiment();
    let original = parse(&experiment.text).into_module().unwrap();
    let arguments: Vec<Literal> = arguments(&experiment, &original).unwrap();
    let text = export(&original, &arguments, Language::Rust, Edition::Now).unwrap().text;
    if std::env::var("EXPORTED").is_ok_and(|wish| wish == "write") {
        let name = opcode.replace('-', "_");
        fs::write(format!("{}/tests/exported/{name}.rs", env!("CARGO_MANIFEST_DIR")), &text).unwrap();
    } else {
        assert_eq!(text, program);
    }
    let run = |module: &Module| Evaluator::new(module).run(&arguments).unwrap();
    let (got, want) = (run(module), run(&original));
    assert_eq!((got.shape().to_string(), got.to_string()), (want.shape().to_string(), want.to_string()));
}

macro_rules! programs {
    ($($name:ident $opcode:literal;)*) => {$(
        mod $name {
            include!(concat!("exported/", stringify!($name), ".rs"));

            #[test]
            fn it_gives_the_result_of_the_example() {
                super::check($opcode, include_str!(concat!("exported/", stringify!($name), ".rs")), &example().unwrap());
                main().unwrap();
            }
        }
    )*};
}

programs! {
    add "add";
    transpose "transpose";
    dot "dot";
    reduce "reduce";
    reduce_window "reduce-window";
    convolution "convolution";
    gather "gather";
    scatter "scatter";
    pad "pad";
    slice "slice";
    iota "iota";
    sort "sort";
    conditional "conditional";
    select_and_scatter "select-and-scatter";
    tuple "tuple";
}
