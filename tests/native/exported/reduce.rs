// example by the ComputationBuilder, from HLO.

use std::error::Error;

use xla_playground::hlo::{ComputationBuilder, Evaluator, Module};

fn region() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("region");
    let a = b.parameter(0, &"s32[]".parse()?, "a")?;
    let b_2 = b.parameter(1, &"s32[]".parse()?, "b")?;
    let c = b.add(a, b_2, &[])?;
    Ok(b.build_with_root(c)?)
}

fn example() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("example");
    let x = b.parameter(0, &"s32[2,3]{1,0}".parse()?, "x")?;
    let i = b.parameter(1, &"s32[]".parse()?, "i")?;
    let r = b.reduce(x, i, &region()?, &[0])?;
    Ok(b.build_with_root(r)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let module = example()?;
    let result = Evaluator::new(&module).run(&[
        "s32[2,3]{1,0} { { 1, 2, 3 }, { 4, 5, 6 } }".parse()?,
        "s32[] 0".parse()?,
    ])?;
    println!("{result}");
    Ok(())
}
