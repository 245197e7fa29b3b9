// example by the ComputationBuilder, from HLO.

use std::error::Error;

use xla_playground::hlo::{ComputationBuilder, Evaluator, Module};

fn example() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("example");
    let x = b.parameter(0, &"s32[2,3]{1,0}".parse()?, "x")?;
    let r = b.transpose(x, &[1, 0])?;
    Ok(b.build_with_root(r)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let module = example()?;
    let result = Evaluator::new(&module).run(&[
        "s32[2,3]{1,0} { { 1, 2, 3 }, { 4, 5, 6 } }".parse()?,
    ])?;
    println!("{result}");
    Ok(())
}
