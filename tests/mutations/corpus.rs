//! The valid texts to mutate.

use std::fs;
use std::path::Path;

use serde_json::Value as Json;
use xla_playground::array::Shape;
use xla_playground::array::literal::Literal;
use xla_playground::array::value::text::Exactness;
use xla_playground::hlo::{PrintOptions, parse};
use xla_playground::ops;
use xla_playground::state::document::Document;
use xla_playground::state::experiment::{self, preset};
use xla_playground::state::presets::PRESETS;
use xla_playground::state::speed::setup::Setup;
use xla_playground::state::{permalink, speed};

/// Texts up to this many bytes are mutated often, longer ones seldom.
const MAX_SHORT_BYTES: usize = 700;

/// All seeds, by parser.
pub struct Corpus {
    /// Modules up to [`MAX_SHORT_BYTES`] bytes.
    pub short: Vec<String>,
    /// Longer modules, which are mutated seldom.
    pub long: Vec<String>,
    /// Shapes with layouts.
    pub shapes: Vec<String>,
    /// Shapes followed by literals.
    pub literals: Vec<String>,
    /// `StableHLO`, in both printed forms.
    pub stablehlo: Vec<String>,
    /// The plain form of links, each after its version.
    pub links: Vec<(&'static str, String)>,
}

/// The lines of the data files in `folders` as JSON.
fn cases(folders: &[&str]) -> Vec<Json> {
    let data = test_support::data();
    let mut files: Vec<_> = folders
        .iter()
        .flat_map(|folder| fs::read_dir(data.join(folder)).unwrap().map(|entry| entry.unwrap().path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    files.sort();
    let texts = files.iter().map(|file| fs::read_to_string(file).unwrap());
    texts
        .flat_map(|text| text.lines().map(|line| serde_json::from_str(line).unwrap()).collect::<Vec<Json>>())
        .collect()
}

fn field(case: &Json, name: &str) -> Option<String> {
    Some(case.get(name)?.as_str()?.to_owned())
}

fn modules() -> Vec<String> {
    let data = test_support::data().join("hlo-samples");
    let mut samples: Vec<_> = fs::read_dir(data).unwrap().map(|entry| entry.unwrap().path()).collect();
    samples.sort();
    let is_hlo = |path: &Path| path.extension().is_some_and(|extension| extension == "hlo");
    let mut texts: Vec<String> =
        samples.iter().filter(|path| is_hlo(path)).map(|path| fs::read_to_string(path).unwrap()).collect();
    for case in cases(&["goldens", "hlo-samples"]) {
        texts.extend(["hlo", "printed"].iter().filter_map(|name| field(&case, name)));
    }
    for op in ops::all() {
        for example in op.meta().examples {
            let text = format!("HloModule m\nENTRY e {{\n{}\n}}\n", example.hlo);
            texts.push(parse(&text).module.text(PrintOptions::LONG));
            texts.push(text);
        }
    }
    texts
}

/// Every constant's shape and value, and the zeros of small shapes.
fn literals(modules: &[String], shapes: &[String]) -> Vec<String> {
    let mut literals = Vec::new();
    for line in modules.iter().flat_map(|text| text.lines()).filter(|line| line.contains(" constant(")) {
        if let Some((_, rest)) = line.split_once(" = ")
            && let Some((shape, rest)) = rest.split_once(" constant(")
            && let Some((value, _)) = rest.rsplit_once(')')
        {
            literals.push(format!("{shape} {value}"));
        }
    }
    let small = |text: &String| {
        let shape: Shape = text.parse().ok()?;
        let count = xla_playground::array::shape_util::elements_in(&shape)?;
        let zeros = Literal::zeros(&shape).ok().filter(|_| count < 64)?;
        Some(zeros.text_with_shape(Exactness::RoundTrip))
    };
    literals.extend(shapes.iter().filter_map(small));
    literals.sort();
    literals.dedup();
    literals
}

fn links() -> Vec<(&'static str, String)> {
    // Plain links are short; mutations add the omitted fields.
    let plain = |link: &str, version: &str| {
        let rest = link.strip_prefix(version)?.strip_prefix('/')?;
        Some(
            rest.replace('+', " ")
                .replace("%0A", "\n")
                .replace("%22", "\"")
                .replace("%25", "%")
                .replace("%3E", ">"),
        )
    };
    let mut links = Vec::new();
    for preset in PRESETS {
        let shape = xla_playground::array::text::parse(preset.spec).shape.unwrap();
        let link = permalink::write(&Document::with_shape(shape));
        links.extend(plain(&link, "v1").map(|plain| ("v1", plain)));
    }
    let fields =
        ";i=1;v=typed.1 2 3;with={0,1:T(2,2)};axes=0.1;pos=0.1;by=value;show=bytes;line=32;at=3;pins=1.2";
    links.extend(
        ["f32[2,3]", "(s8[4], bf16[8,16]{1,0:T(8,128)(2,1)})"]
            .map(|shape| ("v1", format!("{shape}{fields}"))),
    );
    for experiment in
        preset::all().map(|preset| preset.experiment()).chain(ops::all().flat_map(preset::host_examples))
    {
        let mut text = experiment.text.replace('%', "%25").replace(';', "%3B");
        text.push_str(";v0=random.3;v1=typed.{1, 2};focus=a;i=1;at=2");
        links.push(("ops1", text));
        let link = experiment::link::write(&experiment);
        links.extend(plain(&link, "ops1").map(|plain| ("ops1", plain)));
    }
    for op in speed::ops::OPS {
        let link = speed::link::write(&Setup::new(op));
        links.extend(plain(&link, "speed1").map(|plain| ("speed1", plain)));
    }
    links
}

impl Corpus {
    /// Parses and writes all seeds.
    pub fn new() -> Self {
        let texts = modules();
        let mut shapes: Vec<String> = PRESETS.iter().map(|preset| preset.spec.to_owned()).collect();
        let data = test_support::data();
        for file in ["layout_text.jsonl", "layout_text_more.jsonl", "layouts.jsonl"] {
            let lines = fs::read_to_string(data.join(file)).unwrap();
            shapes
                .extend(lines.lines().filter_map(|line| field(&serde_json::from_str(line).unwrap(), "text")));
        }
        let literals = literals(&texts, &shapes);
        let (short, long) = texts.into_iter().partition(|text| text.len() <= MAX_SHORT_BYTES);
        let programs = cases(&["stablehlo"]);
        let forms = |case: &Json| ["mlir", "generic"].map(|form| field(case, form));
        let stablehlo = programs.iter().flat_map(forms).flatten().collect();
        Self { short, long, shapes, literals, stablehlo, links: links() }
    }
}
