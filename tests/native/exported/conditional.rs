// example by the ComputationBuilder, from HLO.

use std::error::Error;

use xla_playground::hlo::{ComputationBuilder, Evaluator, Module};
use xla_playground::ops::{AttrValue, Attrs};

fn region() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("region");
    let x = b.parameter(0, &"f32[2]{0}".parse()?, "x")?;
    let y = b.neg(x)?;
    Ok(b.build_with_root(y)?)
}

fn region_2() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("region_2");
    let x_2 = b.parameter(0, &"f32[2]{0}".parse()?, "x")?;
    let y_2 = b.add(x_2, x_2, &[])?;
    Ok(b.build_with_root(y_2)?)
}

fn example() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("example");
    let p = b.parameter(0, &"pred[]".parse()?, "p")?;
    let v = b.parameter(1, &"f32[2]{0}".parse()?, "v")?;
    let r = b.instruction("conditional", &[p, v, v], Attrs::new().with("true_computation", AttrValue::Computation(b.computation(&region()?)?)).with("false_computation", AttrValue::Computation(b.computation(&region_2()?)?)), Some(&"f32[2]{0}".parse()?))?;
    Ok(b.build_with_root(r)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let module = example()?;
    let result = Evaluator::new(&module).run(&[
        "pred[] true".parse()?,
        "f32[2]{0} {1, 2}".parse()?,
    ])?;
    println!("{result}");
    Ok(())
}
