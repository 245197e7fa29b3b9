// example by the ComputationBuilder, from HLO.

use std::error::Error;

use xla_playground::hlo::{ComputationBuilder, Evaluator, Module};
use xla_playground::ops::{AttrValue, Attrs};

fn region() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("region");
    let a = b.parameter(0, &"s32[]".parse()?, "a")?;
    let b_2 = b.parameter(1, &"s32[]".parse()?, "b")?;
    let p = b.lt(a, b_2, &[])?;
    Ok(b.build_with_root(p)?)
}

fn example() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("example");
    let x = b.parameter(0, &"s32[5]{0}".parse()?, "x")?;
    let r = b.instruction("sort", &[x], Attrs::new().with("dimensions", AttrValue::Ints(vec![0].into())).with("to_apply", AttrValue::Computation(b.computation(&region()?)?)), Some(&"s32[5]{0}".parse()?))?;
    Ok(b.build_with_root(r)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let module = example()?;
    let result = Evaluator::new(&module).run(&[
        "s32[5]{0} {3, 1, 4, 1, 5}".parse()?,
    ])?;
    println!("{result}");
    Ok(())
}
