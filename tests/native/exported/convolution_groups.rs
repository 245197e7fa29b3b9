// example by the ComputationBuilder, from HLO.

use std::error::Error;

use xla_playground::hlo::builder::ConvConfig;
use xla_playground::hlo::{ComputationBuilder, Evaluator, Module};

fn example() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("example");
    let x = b.parameter(0, &"s32[2,2,3]{2,1,0}".parse()?, "x")?;
    let w = b.parameter(1, &"s32[2,1,2]{2,1,0}".parse()?, "w")?;
    let r = b.conv_general(x, w, &ConvConfig { feature_group_count: 2, ..ConvConfig::default() })?;
    Ok(b.build_with_root(r)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let module = example()?;
    let result = Evaluator::new(&module).run(&[
        "s32[2,2,3]{2,1,0} { { { 1, 2, 3 }, { 4, 5, 6 } }, { { 1, 0, 1 }, { 0, 1, 0 } } }".parse()?,
        "s32[2,1,2]{2,1,0} { { { 1, 1 } }, { { 1, -1 } } }".parse()?,
    ])?;
    println!("{result}");
    Ok(())
}
