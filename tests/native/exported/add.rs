// example by the ComputationBuilder, from HLO.

use std::error::Error;

use xla_playground::hlo::{ComputationBuilder, Evaluator, Module};

fn example() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("example");
    let a = b.parameter(0, &"f32[2]{0}".parse()?, "a")?;
    let b_2 = b.parameter(1, &"f32[2]{0}".parse()?, "b")?;
    let r = b.add(a, b_2, &[])?;
    Ok(b.build_with_root(r)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let module = example()?;
    let result = Evaluator::new(&module).run(&[
        "f32[2]{0} {1, 2}".parse()?,
        "f32[2]{0} {0.5, -2}".parse()?,
    ])?;
    println!("{result}");
    Ok(())
}
