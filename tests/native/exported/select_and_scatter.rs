// example by the ComputationBuilder, from HLO.

use std::error::Error;

use xla_playground::hlo::builder::Padding;
use xla_playground::hlo::{ComputationBuilder, Evaluator, Module};

fn region() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("region");
    let a = b.parameter(0, &"f32[]".parse()?, "a")?;
    let b_2 = b.parameter(1, &"f32[]".parse()?, "b")?;
    let c = b.ge(a, b_2, &[])?;
    Ok(b.build_with_root(c)?)
}

fn region_2() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("region_2");
    let a_2 = b.parameter(0, &"f32[]".parse()?, "a")?;
    let b_3 = b.parameter(1, &"f32[]".parse()?, "b")?;
    let c_2 = b.add(a_2, b_3, &[])?;
    Ok(b.build_with_root(c_2)?)
}

fn example() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("example");
    let x = b.parameter(0, &"f32[4,6]{1,0}".parse()?, "x")?;
    let s = b.parameter(1, &"f32[2,2]{1,0}".parse()?, "s")?;
    let i = b.parameter(2, &"f32[]".parse()?, "i")?;
    let r = b.select_and_scatter(x, &region()?, &[2, 3], &[2, 3], Padding::Valid, s, i, &region_2()?)?;
    Ok(b.build_with_root(r)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let module = example()?;
    let result = Evaluator::new(&module).run(&[
        "f32[4,6]{1,0} { { 7, 2, 5, 3, 10, 2 }, { 3, 8, 9, 3, 4, 2 }, { 1, 5, 7, 5, 6, 1 }, { 0, 6, 2, 7, 2, 8 } }".parse()?,
        "f32[2,2]{1,0} { { 2, 6 }, { 3, 1 } }".parse()?,
        "f32[] 0".parse()?,
    ])?;
    println!("{result}");
    Ok(())
}
