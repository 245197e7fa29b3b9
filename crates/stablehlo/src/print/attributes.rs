//! Attributes of HLO as those of `StableHLO`.

use xla_hlo::module::Instruction;
use xla_ops::AttrValue;

/// `array<i64: 1, 2>`.
pub(super) fn array(numbers: impl IntoIterator<Item = i64>) -> String {
    let numbers: Vec<String> = numbers.into_iter().map(|number| number.to_string()).collect();
    if numbers.is_empty() { "array<i64>".to_owned() } else { format!("array<i64: {}>", numbers.join(", ")) }
}

/// A list of numbers; empty if it is not set.
pub(super) fn ints(instruction: &Instruction, name: &str) -> Vec<i64> {
    match instruction.attrs.get(name) {
        Some(AttrValue::Ints(numbers)) => numbers.to_vec(),
        Some(AttrValue::Int(number)) => vec![*number],
        _ => Vec::new(),
    }
}

/// The integer of an attribute; the first of a list.
pub(super) fn int(instruction: &Instruction, name: &str) -> Option<i64> {
    ints(instruction, name).first().copied()
}

/// Whether a flag is set.
pub(super) fn flag(instruction: &Instruction, name: &str) -> bool {
    matches!(instruction.attrs.get(name), Some(AttrValue::Bool(true)))
}

/// The keyword of an attribute.
pub(super) fn word(instruction: &Instruction, name: &str) -> Option<&'static str> {
    match instruction.attrs.get(name)? {
        AttrValue::Keyword(word) => Some(word),
        _ => None,
    }
}

/// The fields of `#stablehlo.gather<…>` or `#stablehlo.scatter<…>`.
pub(super) fn fields(instruction: &Instruction, names: &[(&str, &str)]) -> String {
    let mut fields = Vec::new();
    for (name, hlo) in names {
        let numbers = ints(instruction, hlo);
        if !numbers.is_empty() {
            let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
            fields.push(format!("{name} = [{}]", numbers.join(", ")));
        }
    }
    if let Some(vector) = int(instruction, "index_vector_dim") {
        fields.push(format!("index_vector_dim = {vector}"));
    }
    fields.join(", ")
}

/// An attribute of integer rows as a dense matrix, short rows padded with -1.
pub(super) fn matrix(instruction: &Instruction, name: &str) -> Option<String> {
    let Some(AttrValue::IntLists(rows)) = instruction.attrs.get(name) else { return None };
    let width = rows.iter().map(|row| row.as_slice().len()).max().unwrap_or(0);
    let texts: Vec<String> = rows
        .iter()
        .map(|row| {
            let filled = row.iter().copied().chain(std::iter::repeat(-1)).take(width);
            format!("[{}]", filled.map(|number| number.to_string()).collect::<Vec<_>>().join(", "))
        })
        .collect();
    let text = if rows.is_empty() { String::new() } else { format!("[{}]", texts.join(", ")) };
    Some(format!("{name} = dense<{text}> : tensor<{}x{width}xi64>", rows.len()))
}

/// The window, with the names of an op's strides and dilations.
pub(super) fn window(instruction: &Instruction, [strides, base, dilations]: [&str; 3]) -> Vec<String> {
    let Some(AttrValue::Window(dims)) = instruction.attrs.get("window") else { return Vec::new() };
    let mut attributes = vec![format!("{strides} = {}", array(dims.iter().map(|dim| dim.stride)))];
    if !base.is_empty() {
        attributes.push(format!("{base} = {}", array(dims.iter().map(|dim| dim.base_dilation))));
    }
    if !dilations.is_empty() {
        attributes.push(format!("{dilations} = {}", array(dims.iter().map(|dim| dim.window_dilation))));
    }
    let pads: Vec<String> = dims.iter().map(|dim| format!("[{}, {}]", dim.pad_low, dim.pad_high)).collect();
    attributes.push(format!("padding = dense<[{}]> : tensor<{}x2xi64>", pads.join(", "), dims.len()));
    attributes
}

/// The precision of two operands.
pub(super) fn precision(instruction: &Instruction) -> String {
    let Some(AttrValue::Text(text)) = instruction.attrs.get("operand_precision") else {
        return String::new();
    };
    let words: Vec<String> = text
        .trim_matches(['{', '}'])
        .split(',')
        .map(|word| format!("#stablehlo<precision {}>", word.trim().to_ascii_uppercase()))
        .collect();
    format!(", precision_config = [{}]", words.join(", "))
}
