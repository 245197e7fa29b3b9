// example by the ComputationBuilder, from HLO.

use std::error::Error;

use xla_playground::hlo::{ComputationBuilder, Evaluator, Module};

fn example() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("example");
    let a = b.parameter(0, &"f32[5]{0}".parse()?, "a")?;
    let r = b.slice(a, &[2], &[4])?;
    Ok(b.build_with_root(r)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let module = example()?;
    let result = Evaluator::new(&module).run(&[
        "f32[5]{0} {0, 1, 2, 3, 4}".parse()?,
    ])?;
    println!("{result}");
    Ok(())
}
