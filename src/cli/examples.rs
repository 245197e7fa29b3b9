//! Examples in the help of each command, and in its manual page. `tests/native/cli_help.rs` runs every line.

/// The examples of a command: each line as it is typed.
macro_rules! examples {
    ($($line:literal)+) => { concat!("Examples:", $("\n  ", $line),+) };
}

pub(super) const PROGRAM: &str = examples! {
    "xla-playground layout 'f32[2,3]{0,1}'"
    "xla-playground eval program.hlo --arg 'f32[2] {1, 2}'"
    "xla-playground help eval"
};
pub(super) const LAYOUT: &str = examples! {
    "xla-playground layout 'f32[2,3]{0,1}'"
    "xla-playground layout 'f32[2,3]{0,1}' --padded 3,5 --pad-value zero"
    "xla-playground layout 'bf16[16,256]{1,0:T(8,128)(2,1)}' --json"
};
pub(super) const INDEX: &str = examples! { "xla-playground index 'f32[2,3]{0,1}' 1,2" };
pub(super) const AT: &str = examples! { "xla-playground at 'f32[2,3]{0,1}' 5" };
pub(super) const SVG: &str = examples! { "xla-playground svg 'f32[2,3]{0,1}' > array.svg" };
pub(super) const EVAL: &str = examples! {
    "xla-playground eval program.hlo --arg 'f32[2] {1, 2}'"
    "xla-playground eval program.hlo --arg x.npy --json"
    "xla-playground eval program.hlo --arg x.npy --trace"
    "xla-playground eval - --arg 'f32[2] {1, 2}' < program.hlo"
    "xla-playground eval --batch cases.jsonl"
};
pub(super) const FMT: &str = examples! {
    "xla-playground fmt program.hlo"
    "xla-playground fmt program.hlo --to stablehlo"
};
pub(super) const CHECK: &str = examples! {
    "xla-playground check program.hlo"
    "xla-playground check program.hlo --fix > fixed.hlo"
};
pub(super) const DIFF: &str = examples! {
    "xla-playground diff program.hlo other.hlo"
    "xla-playground diff program.hlo other.hlo --random 1 --ulp 4"
};
pub(super) const CUT: &str = examples! { "xla-playground cut program.hlo --select sum --random 1" };
pub(super) const SHRINK: &str = examples! { "xla-playground shrink nan.hlo --while nan --random 1" };
pub(super) const EXPORT: &str = examples! {
    "xla-playground export 'f32[2,3]{0,1}' --picture > array.svg"
    "xla-playground export program.hlo --arg x.npy > page.html"
    "xla-playground export program.hlo --random 1 --picture > result.svg"
};
pub(super) const INSPECT: &str = examples! {
    "xla-playground inspect program.hlo"
    "xla-playground inspect program.hlo --by op --json"
};
#[cfg(not(target_os = "wasi"))]
pub(super) const SERVE: &str = examples! { "xla-playground serve program.hlo --no-open" };
pub(super) const COMPLETIONS: &str = examples! {
    "xla-playground completions bash > completions.bash"
    "xla-playground completions zsh > _xla-playground"
};
pub(super) const MAN: &str = examples! {
    "xla-playground man"
    "xla-playground man eval"
    "xla-playground man --folder pages"
};
