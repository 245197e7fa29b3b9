// example by the ComputationBuilder, from HLO.

use std::error::Error;

use xla_playground::hlo::{ComputationBuilder, Evaluator, Module};
use xla_playground::ops::{AttrValue, Attrs};

fn example() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("example");
    let x = b.parameter(0, &"s32[2,3]{1,0}".parse()?, "x")?;
    let r = b.instruction("transpose", &[x], Attrs::new().with("dimensions", AttrValue::Ints(vec![1, 0].into())), Some(&"s32[3,2]{1,0}".parse()?))?;
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
