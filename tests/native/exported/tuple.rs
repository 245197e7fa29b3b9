// example by the ComputationBuilder, from HLO.

use std::error::Error;

use xla_playground::hlo::{ComputationBuilder, Evaluator, Module};

fn example() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("example");
    let v = b.parameter(0, &"f32[10]{0}".parse()?, "v")?;
    let s = b.parameter(1, &"s32[]".parse()?, "s")?;
    let t = b.tuple(&[v, s])?;
    Ok(b.build_with_root(t)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let module = example()?;
    let result = Evaluator::new(&module).run(&[
        "f32[10]{0} {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}".parse()?,
        "s32[] 5".parse()?,
    ])?;
    println!("{result}");
    Ok(())
}
