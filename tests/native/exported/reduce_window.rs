// example by the ComputationBuilder, from HLO.

use std::error::Error;

use xla_playground::hlo::builder::Padding;
use xla_playground::hlo::{ComputationBuilder, Evaluator, Module};

fn region() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("region");
    let y = b.parameter(0, &"f32[]".parse()?, "y")?;
    let x = b.parameter(1, &"f32[]".parse()?, "x")?;
    let m = b.max(y, x, &[])?;
    Ok(b.build_with_root(m)?)
}

fn example() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("example");
    let x_2 = b.parameter(0, &"f32[4,6]{1,0}".parse()?, "x")?;
    let i = b.parameter(1, &"f32[]".parse()?, "i")?;
    let r = b.reduce_window(x_2, i, &region()?, &[2, 3], &[2, 3], Padding::Valid)?;
    Ok(b.build_with_root(r)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let module = example()?;
    let result = Evaluator::new(&module).run(&[
        "f32[4,6]{1,0} { { 1, 2, 3, 4, 5, 6 }, { 7, 8, 9, 10, 11, 12 }, { 13, 14, 15, 16, 17, 18 }, { 19, 20, 21, 22, 23, 24 } }".parse()?,
        "f32[] -inf".parse()?,
    ])?;
    println!("{result}");
    Ok(())
}
