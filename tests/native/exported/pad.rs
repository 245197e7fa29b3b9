// example by the ComputationBuilder, from HLO.

use std::error::Error;

use xla_playground::hlo::{ComputationBuilder, Evaluator, Module};
use xla_playground::ops::{AttrValue, Attrs};
use xla_playground::ops::attrs::PaddingDim;

fn example() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("example");
    let x = b.parameter(0, &"s32[2,3]{1,0}".parse()?, "x")?;
    let v = b.parameter(1, &"s32[]".parse()?, "v")?;
    let r = b.instruction("pad", &[x, v], Attrs::new().with("padding", AttrValue::Padding([PaddingDim { low: 1, high: 1, interior: 0 }, PaddingDim { low: 2, high: 2, interior: 0 }].into_iter().collect())), Some(&"s32[4,7]{1,0}".parse()?))?;
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
