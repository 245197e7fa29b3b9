// example by the ComputationBuilder, from HLO.

use std::error::Error;

use xla_playground::hlo::{ComputationBuilder, Evaluator, Module};
use xla_playground::ops::{AttrValue, Attrs};

fn example() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("example");
    let x = b.parameter(0, &"s32[3,2]{1,0}".parse()?, "x")?;
    let i = b.parameter(1, &"s32[2]{0}".parse()?, "i")?;
    let r = b.instruction("gather", &[x, i], Attrs::new().with("offset_dims", AttrValue::Ints(vec![1].into())).with("collapsed_slice_dims", AttrValue::Ints(vec![0].into())).with("start_index_map", AttrValue::Ints(vec![0].into())).with("index_vector_dim", AttrValue::Int(1)).with("slice_sizes", AttrValue::Ints(vec![1, 2].into())), Some(&"s32[2,2]{1,0}".parse()?))?;
    Ok(b.build_with_root(r)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let module = example()?;
    let result = Evaluator::new(&module).run(&[
        "s32[3,2]{1,0} { { 1, 2 }, { 3, 4 }, { 5, 6 } }".parse()?,
        "s32[2]{0} {2, 0}".parse()?,
    ])?;
    println!("{result}");
    Ok(())
}
