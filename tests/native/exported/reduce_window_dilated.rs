// example by the ComputationBuilder, from HLO.

use std::error::Error;

use xla_playground::hlo::{ComputationBuilder, Evaluator, Module};
use xla_playground::ops::attrs::WindowDim;

fn region() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("region");
    let a = b.parameter(0, &"f32[]".parse()?, "a")?;
    let b_2 = b.parameter(1, &"f32[]".parse()?, "b")?;
    let c = b.add(a, b_2, &[])?;
    Ok(b.build_with_root(c)?)
}

fn example() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("example");
    let x = b.parameter(0, &"f32[5]{0}".parse()?, "x")?;
    let i = b.parameter(1, &"f32[]".parse()?, "i")?;
    let r = b.reduce_window_with_general_padding(x, i, &region()?, &[WindowDim { size: 2, base_dilation: 2, window_dilation: 2, ..WindowDim::default() }])?;
    Ok(b.build_with_root(r)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let module = example()?;
    let result = Evaluator::new(&module).run(&[
        "f32[5]{0} {10, 11, 12, 13, 14}".parse()?,
        "f32[] 0".parse()?,
    ])?;
    println!("{result}");
    Ok(())
}
