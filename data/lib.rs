//! The test suites and model trees that are part of the program, so that a first run needs no file. Their READMEs say how they were
//! made.

#![forbid(unsafe_code)]

/// Name and contents of each suite, in EPD.
pub const SUITES: [(&str, &str); 3] = [
    ("quarterply-24", include_str!("suites/quarterply-24.epd")),
    ("quarterply-tactics", include_str!("suites/quarterply-tactics.epd")),
    ("quarterply-holdout", include_str!("suites/quarterply-holdout.epd")),
];

/// The model trees of the tutorial, in JSON, in its order.
pub const EXAMPLES: [&str; 5] = [
    include_str!("models/example-1.json"),
    include_str!("models/example-2.json"),
    include_str!("models/example-3.json"),
    include_str!("models/example-4.json"),
    include_str!("models/example-5.json"),
];

/// Name and contents of each model tree, in JSON.
pub const MODELS: [(&str, &str); 10] = [
    ("example-1", EXAMPLES[0]),
    ("example-2", EXAMPLES[1]),
    ("example-3", EXAMPLES[2]),
    ("example-4", EXAMPLES[3]),
    ("example-5", EXAMPLES[4]),
    ("deep-cutoff", include_str!("models/deep-cutoff.json")),
    ("early-leaf", include_str!("models/early-leaf.json")),
    ("order-matters", include_str!("models/order-matters.json")),
    ("quiet-pin", include_str!("models/quiet-pin.json")),
    ("zugzwang", include_str!("models/zugzwang.json")),
];
