// example by the ComputationBuilder, from HLO.

use std::error::Error;

use xla_playground::hlo::{ComputationBuilder, Evaluator, Module};
use xla_playground::ops::{AttrValue, Attrs};

fn region() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("region");
    let a = b.parameter(0, &"f32[]".parse()?, "a")?;
    let b_2 = b.parameter(1, &"f32[]".parse()?, "b")?;
    let p = b.instruction("compare", &[a, b_2], Attrs::new().with("direction", AttrValue::Word("LT")).with("type", AttrValue::Word("TOTALORDER")), Some(&"pred[]".parse()?))?;
    Ok(b.build_with_root(p)?)
}

fn example() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("example");
    let x = b.parameter(0, &"f32[7]{0}".parse()?, "x")?;
    let r = b.instruction("sort", &[x], Attrs::new().with("dimensions", AttrValue::Ints(vec![0].into())).with("to_apply", AttrValue::Computation(b.computation(&region()?)?)), Some(&"f32[7]{0}".parse()?))?;
    Ok(b.build_with_root(r)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let module = example()?;
    let result = Evaluator::new(&module).run(&[
        "f32[7]{0} {3, nan, -1, 0, -0.0, inf, 2}".parse()?,
    ])?;
    println!("{result}");
    Ok(())
}
