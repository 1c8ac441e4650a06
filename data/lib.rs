//! The test suites and model trees that are part of the program, so that a first run needs no file. Their READMEs say how they were
//! made.

#![forbid(unsafe_code)]

/// Name and contents of each suite, in EPD.
pub const SUITES: [(&str, &str); 3] = [
    ("quarterply-24", include_str!("suites/quarterply-24.epd")),
    ("quarterply-tactics", include_str!("suites/quarterply-tactics.epd")),
    ("quarterply-holdout", include_str!("suites/quarterply-holdout.epd")),
];

/// Names of model trees with the contents of their files.
macro_rules! models {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("models/", $name, ".json")))),*]
    };
}

/// Name and contents of each model tree, in JSON.
pub const MODELS: [(&str, &str); 10] = models!(
    "example-1" "example-2" "example-3" "example-4" "example-5"
    "deep-cutoff" "early-leaf" "order-matters" "quiet-pin" "zugzwang"
);

/// The model trees of the tutorial, in JSON, in its order.
pub const EXAMPLES: [&str; 5] = [MODELS[0].1, MODELS[1].1, MODELS[2].1, MODELS[3].1, MODELS[4].1];
