// example by the ComputationBuilder, from HLO.

use std::error::Error;

use xla_playground::hlo::{ComputationBuilder, Evaluator, Module};

fn example() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("example");
    let a = b.parameter(0, &"s32[2,2]{1,0}".parse()?, "a")?;
    let b_2 = b.parameter(1, &"s32[2,2]{1,0}".parse()?, "b")?;
    let r = b.dot_general([a, b_2], [&[1], &[0]], [&[], &[]])?;
    Ok(b.build_with_root(r)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let module = example()?;
    let result = Evaluator::new(&module).run(&[
        "s32[2,2]{1,0} { { 1, 2 }, { 3, 4 } }".parse()?,
        "s32[2,2]{1,0} { { 5, 6 }, { 7, 8 } }".parse()?,
    ])?;
    println!("{result}");
    Ok(())
}
