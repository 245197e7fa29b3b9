//! Programs of the site that the screen offers. Their text is fetched when one is opened.

/// A program of the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Its name in links.
    pub name: &'static str,
    /// Its file.
    pub file: &'static str,
    /// The message key of its title.
    pub title: &'static str,
    /// The message key of what it shows.
    pub about: &'static str,
}

/// All samples, in the order they are offered.
pub const SAMPLES: [Sample; 7] = [
    Sample {
        name: "softmax",
        file: "programs/softmax.hlo",
        title: "program-sample-softmax",
        about: "program-sample-softmax-about",
    },
    Sample {
        name: "attention",
        file: "programs/attention.hlo",
        title: "program-sample-attention",
        about: "program-sample-attention-about",
    },
    Sample {
        name: "resnet18",
        file: "programs/resnet18.hlo",
        title: "program-sample-resnet",
        about: "program-sample-resnet-about",
    },
    Sample {
        name: "convnet-gradient",
        file: "programs/convnet-gradient.hlo",
        title: "program-sample-convnet",
        about: "program-sample-convnet-about",
    },
    Sample {
        name: "scan",
        file: "programs/scan.hlo",
        title: "program-sample-scan",
        about: "program-sample-scan-about",
    },
    Sample {
        name: "tpu",
        file: "programs/tpu.hlo",
        title: "program-sample-tpu",
        about: "program-sample-tpu-about",
    },
    Sample {
        name: "out-of-memory",
        file: "programs/out-of-memory.txt",
        title: "program-sample-memory",
        about: "program-sample-memory-about",
    },
];

impl Sample {
    /// The sample with this name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        SAMPLES.iter().find(|sample| sample.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::{Language, Message};

    #[test]
    fn every_sample_has_its_file_and_its_words() {
        for sample in SAMPLES {
            assert_eq!(Sample::by_name(sample.name), Some(&sample));
            assert!(std::path::Path::new("static").join(sample.file).exists(), "{}", sample.file);
            for key in [sample.title, sample.about] {
                for language in Language::all() {
                    assert_ne!(Message::program(key).localize(language), key);
                }
            }
        }
    }
}
