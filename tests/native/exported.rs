//! Exported Rust programs of examples, compiled and run here: each returns the example's result, and equals the
//! current export.
//!
//! Running these tests with `EXPORTED=write` rewrites programs whose text has changed.

#![allow(clippy::unwrap_used, reason = "tests may panic")]
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

/// Checks the program, in the file `name`, of an op's first example with this text.
fn check(name: &str, (opcode, text): (&str, &str), program: &str, module: &Module) {
    let presets = preset::all().filter(|preset| preset.meta.opcode == opcode);
    let experiment = presets.map(|preset| preset.experiment()).find(|e| e.text.contains(text)).unwrap();
    let original = parse(&experiment.text).into_module().unwrap();
    let arguments: Vec<Literal> = arguments(&experiment, &original).unwrap();
    let text = export(&original, &arguments, Language::Rust, Edition::Current).unwrap().text;
    if std::env::var("EXPORTED").is_ok_and(|wish| wish == "write") {
        fs::write(format!("{}/tests/native/exported/{name}.rs", env!("CARGO_MANIFEST_DIR")), &text).unwrap();
    } else {
        assert_eq!(text, program);
    }
    let run = |module: &Module| Evaluator::new(module).run(&arguments).unwrap();
    let (got, want) = (run(module), run(&original));
    assert_eq!((got.shape().to_string(), got.to_string()), (want.shape().to_string(), want.to_string()));
}

macro_rules! programs {
    ($($name:ident $opcode:literal $text:literal;)*) => {$(
        mod $name {
            include!(concat!("exported/", stringify!($name), ".rs"));

            #[test]
            fn it_gives_the_result_of_the_example() {
                let name = stringify!($name);
                let program = include_str!(concat!("exported/", stringify!($name), ".rs"));
                super::check(name, ($opcode, $text), program, &example().unwrap());
                main().unwrap();
            }
        }
    )*};
}

programs! {
    add "add" "";
    transpose "transpose" "";
    dot "dot" "";
    reduce "reduce" "";
    reduce_window "reduce-window" "";
    reduce_window_same "reduce-window" "pad=1_1";
    reduce_window_dilated "reduce-window" "rhs_dilate=2";
    convolution "convolution" "";
    convolution_padding "convolution" "pad=1_0x0_1";
    convolution_same "convolution" "pad=0_1x0_1";
    convolution_groups "convolution" "feature_group_count=2";
    convolution_reversed "convolution" "rhs_reversal";
    gather "gather" "";
    scatter "scatter" "";
    pad "pad" "";
    slice "slice" "";
    iota "iota" "";
    sort "sort" "";
    conditional "conditional" "";
    select_and_scatter "select-and-scatter" "";
    tuple "tuple" "";
}
