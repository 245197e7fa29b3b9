// example by the ComputationBuilder, from HLO.

use std::error::Error;

use xla_playground::hlo::builder::Padding;
use xla_playground::hlo::{ComputationBuilder, Evaluator, Module};

fn example() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("example");
    let x = b.parameter(0, &"f32[1,1,4,4]{3,2,1,0}".parse()?, "x")?;
    let w = b.parameter(1, &"f32[1,1,2,2]{3,2,1,0}".parse()?, "w")?;
    let same = b.conv(x, w, &[1, 1], Padding::Same)?;
    Ok(b.build_with_root(same)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let module = example()?;
    let result = Evaluator::new(&module).run(&[
        "f32[1,1,4,4]{3,2,1,0} { { { { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 10, 11, 12 }, { 13, 14, 15, 16 } } } }".parse()?,
        "f32[1,1,2,2]{3,2,1,0} { { { { 1, 2 }, { 3, 4 } } } }".parse()?,
    ])?;
    println!("{result}");
    Ok(())
}
