// example by the ComputationBuilder, from HLO.

use std::error::Error;

use xla_playground::hlo::{ComputationBuilder, Evaluator, Module};
use xla_playground::ops::{AttrValue, Attrs};

fn region() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("region");
    let a = b.parameter(0, &"s32[]".parse()?, "a")?;
    let b_2 = b.parameter(1, &"s32[]".parse()?, "b")?;
    let c = b.add(a, b_2, &[])?;
    Ok(b.build_with_root(c)?)
}

fn example() -> Result<Module, Box<dyn Error>> {
    let b = ComputationBuilder::new("example");
    let x = b.parameter(0, &"s32[3,2]{1,0}".parse()?, "x")?;
    let i = b.parameter(1, &"s32[2]{0}".parse()?, "i")?;
    let u = b.parameter(2, &"s32[2,2]{1,0}".parse()?, "u")?;
    let r = b.instruction("scatter", &[x, i, u], Attrs::new().with("update_window_dims", AttrValue::Ints(vec![1].into())).with("inserted_window_dims", AttrValue::Ints(vec![0].into())).with("scatter_dims_to_operand_dims", AttrValue::Ints(vec![0].into())).with("index_vector_dim", AttrValue::Int(1)).with("to_apply", AttrValue::Computation(b.computation(&region()?)?)), Some(&"s32[3,2]{1,0}".parse()?))?;
    Ok(b.build_with_root(r)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let module = example()?;
    let result = Evaluator::new(&module).run(&[
        "s32[3,2]{1,0} { { 1, 2 }, { 3, 4 }, { 5, 6 } }".parse()?,
        "s32[2]{0} {2, 0}".parse()?,
        "s32[2,2]{1,0} { { 10, 20 }, { 30, 40 } }".parse()?,
    ])?;
    println!("{result}");
    Ok(())
}
