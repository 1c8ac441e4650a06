use super::*;

/// Source, pairs with 0 to 4 half points, both bounds, their model, and the log-likelihood ratio as it was printed.
type Case = (&'static str, [u64; 5], f64, f64, SprtModel, &'static str);

/// Log-likelihood ratios that were published with the counts they belong to.
///
/// - `fishtest`: <https://tests.stockfishchess.org/tests/view/ID>, as quoted in the Stockfish pull request `#N`. Bounds in braces
///   (2020) were logistic, bounds in angle brackets (since 2021) normalized.
/// - `OpenBench`: test pages of OpenBench servers, as quoted in pull requests; its bounds are normalized.
/// - `fastchess`: reports of fastchess as quoted in issues and pull requests, and cases of its tests (`sprt_test.cpp`).
/// - `monty`: <https://montytest.muzhen.org/tests/stats/69d3c8dc7c5b3724e29d2712>, which shows several models side by side.
#[rustfmt::skip]
const PUBLISHED: [Case; 32] = [
    ("fishtest 5f4cb5e8ba100690c5cc5d25, #3098", [491, 7345, 29693, 7670, 465], -0.25, 1.25, SprtModel::Logistic, "2.96"),
    ("fishtest 5f4dbc2eba100690c5cc5dac, #3098", [53, 2220, 21459, 2445, 47], 0.25, 1.25, SprtModel::Logistic, "2.97"),
    ("fishtest 5f9c7bbc6a2c112b60691d4d, #3209", [253, 4282, 17604, 4431, 286], -0.25, 1.25, SprtModel::Logistic, "2.94"),
    ("fishtest 5f9d01f06a2c112b60691d87, #3209", [58, 3302, 33130, 3518, 84], 0.25, 1.25, SprtModel::Logistic, "2.97"),
    ("fishtest 5f5007d6ba100690c5cc5ea9, #3103", [293, 5085, 20082, 5070, 326], -1.25, 0.25, SprtModel::Logistic, "2.95"),
    ("fishtest 5f31219090816720665374ec, #2971", [17, 253, 1042, 337, 39], -0.5, 1.5, SprtModel::Logistic, "2.96"),
    ("fishtest 5f3127f79081672066537502, #2971", [11, 407, 3238, 513, 11], 0.25, 1.75, SprtModel::Logistic, "2.93"),
    ("fishtest 5e1c9afed12216a2857e6401, #2493", [424, 2948, 5832, 3045, 460], -1.0, 3.0, SprtModel::Logistic, "2.94"),
    ("fishtest 5e1ceb9975be933c8fe635a3, #2493", [1284, 17437, 55536, 18085, 1292], 0.0, 2.0, SprtModel::Logistic, "2.94"),
    ("fishtest 60b1034787a1a67ae56c47b6, #3514", [264, 5737, 31270, 5964, 269], -0.5, 2.5, SprtModel::Normalized, "2.97"),
    ("fishtest 60b1ae0b87a1a67ae56c487c, #3514", [29, 2205, 35000, 2392, 34], 0.5, 3.5, SprtModel::Normalized, "2.94"),
    ("fishtest 612768165318138ee1204977, #3679", [117, 4287, 9664, 4481, 135], -0.5, 2.5, SprtModel::Normalized, "2.95"),
    ("fishtest 6127dc8d62d20cf82b5ad196, #3679", [11, 1383, 3682, 1571, 17], 0.5, 3.5, SprtModel::Normalized, "2.94"),
    ("fishtest 62468c301f682ea45ce3b3b9, #3972", [327, 8113, 21317, 8168, 347], -2.25, 0.25, SprtModel::Normalized, "2.96"),
    ("fishtest 631ba0ff74bc4fe483a99db3, #4160", [12, 2318, 9925, 2598, 3], 0.5, 2.5, SprtModel::Normalized, "2.95"),
    ("fishtest 68a65d8ab6fb3300203bc825, #6255", [317, 12094, 28735, 12231, 319], -1.75, 0.25, SprtModel::Normalized, "2.96"),
    ("fishtest 68a8f45cb6fb3300203bcb5e, #6255", [47, 9917, 26934, 10064, 45], -1.75, 0.25, SprtModel::Normalized, "2.94"),
    ("OpenBench, PlentyChess #95", [46, 936, 2083, 1043, 63], 0.0, 5.0, SprtModel::Normalized, "2.91"),
    ("OpenBench, PlentyChess #155", [49, 989, 1891, 903, 31], 0.0, 3.0, SprtModel::Normalized, "-2.26"),
    ("OpenBench, PlentyChess #211", [1, 3, 32, 87, 164], 0.0, 3.0, SprtModel::Normalized, "2.93"),
    ("OpenBench, PlentyChess #334", [214, 8992, 19871, 9102, 235], 0.0, 2.5, SprtModel::Normalized, "0.16"),
    ("OpenBench, byte-knight #168", [19, 120, 346, 223, 28], -5.0, 0.0, SprtModel::Normalized, "3.00"),
    ("OpenBench, calvin #301", [34, 635, 1322, 712, 50], 0.0, 5.0, SprtModel::Normalized, "2.27"),
    ("fastchess, Serendipity #55", [283, 1151, 2214, 1221, 281], -5.0, 3.0, SprtModel::Normalized, "2.95"),
    ("fastchess, Lynx #1899", [235, 1384, 2521, 1341, 239], -5.0, 0.0, SprtModel::Logistic, "1.69"),
    ("fastchess #882, a cell seen and three not", [77, 1, 0, 0, 0], -1000.0, -500.0, SprtModel::Normalized, "-2.95"),
    ("fastchess #882, far from even", [72, 10, 0, 0, 0], -1000.0, -500.0, SprtModel::Normalized, "-2.97"),
    ("fastchess normalized pentanomial 1", [365, 16618, 36229, 16974, 390], 0.0, 2.0, SprtModel::Normalized, "2.25"),
    ("fastchess normalized pentanomial 2", [127, 4883, 10712, 5150, 104], -1.75, 0.25, SprtModel::Normalized, "3.01"),
    ("fastchess logistic pentanomial 1", [223, 9863, 21279, 10037, 246], 0.5, 2.5, SprtModel::Logistic, "-3.07"),
    ("fastchess logistic pentanomial 2", [871, 26175, 55983, 26678, 821], 0.0, 2.0, SprtModel::Logistic, "-4.98"),
    ("monty, normalized (exact)", [13, 37, 50, 25, 3], 0.0, 4.0, SprtModel::Normalized, "-0.54912"),
];

/// The value with as many digits as the published text.
fn rounded(value: f64, like: &str) -> String {
    let digits = like.split_once('.').map_or(0, |(_, digits)| digits.len());
    format!("{value:.digits$}")
}

fn test(elo0: f64, elo1: f64, model: SprtModel) -> Sprt {
    Sprt::new(elo0, elo1, 0.05, 0.05, model).expect("a good test")
}

#[test]
fn ratios_of_pairs_agree_with_published_ones_to_the_digits_given() {
    for (source, counts, elo0, elo1, model, published) in PUBLISHED {
        let llr = test(elo0, elo1, model).llr(&Pentanomial::new(counts));
        assert_eq!(rounded(llr, published), published, "{source}: {llr}");
    }
}

/// If all results are alike, the equations can be solved by hand. fastchess's tests have such cases, too, but its iteration is
/// known not to find their solution (its issue #879), so they are not among those above.
#[test]
fn results_that_are_all_alike_agree_with_the_solution_by_hand() {
    let per_deviation = 800.0 / std::f64::consts::LN_10;
    let sprt = test(0.0, 5.0, SprtModel::Normalized);
    // Every pair won: half the pairs would be lost under elo0; under elo1 wins and losses give the lead, in deviations of a pair.
    let lead = 5.0 / per_deviation * 2f64.sqrt();
    let wins = 0.5 * (1.0 + lead / (1.0 + lead * lead).sqrt());
    let llr = sprt.llr(&Pentanomial::new([0, 0, 0, 0, 104]));
    assert!((llr - 104.0 * (2.0 * wins).ln()).abs() < 1e-3, "{llr}");
    // Every pair even: that is what elo0 allows best; elo1 needs a few wins, and the fewer, the smaller the deviation.
    let llr = sprt.llr(&Pentanomial::new([0, 0, 16_700, 0, 0]));
    assert!((llr + 16_700.0 * (1.0 + lead * lead).ln()).abs() < 1e-2, "{llr}");
    // Every pair won, in Elo: the log-likelihood of a win is that of two hypothetical coins.
    let llr = test(0.0, 5.0, SprtModel::Logistic).llr(&Pentanomial::new([0, 0, 0, 0, 104]));
    assert!((llr - 104.0 * (2.0 * score_of_elo(5.0)).ln()).abs() < 1e-3, "{llr}");
}

#[test]
fn bounds_are_walds() {
    // Every page above shows (-2.94, 2.94) or, with a beta of 0.1, (-2.25, 2.89).
    let bounds = |alpha, beta| {
        let (low, high) = Sprt::new(0.0, 5.0, alpha, beta, SprtModel::Logistic).expect("a good test").bounds();
        format!("{low:.2} {high:.2}")
    };
    assert_eq!(bounds(0.05, 0.05), "-2.94 2.94");
    assert_eq!(bounds(0.05, 0.1), "-2.25 2.89");
    assert_eq!(bounds(0.1, 0.05), "-2.89 2.25");
}

#[test]
fn results_decide() {
    let sprt: Sprt = "elo0=0 elo1=5".parse().expect("a test");
    for (counts, decision) in [
        ([0; 5], Decision::Continue),
        ([0, 3, 9, 4, 0], Decision::Continue),
        ([10, 200, 500, 300, 30], Decision::H1),
        ([30, 300, 500, 200, 10], Decision::H0),
        ([0, 0, 0, 0, 500], Decision::H1),
        ([500, 0, 0, 0, 0], Decision::H0),
    ] {
        assert_eq!(sprt.decide(sprt.llr(&Pentanomial::new(counts))), decision, "{counts:?}");
    }
    let (low, high) = sprt.bounds();
    assert_eq!([low, high, 0.0].map(|llr| sprt.decide(llr)), [Decision::H0, Decision::H1, Decision::Continue]);
}

#[test]
fn the_ratio_is_a_number_for_all_results() {
    for model in [SprtModel::Logistic, SprtModel::Normalized] {
        for (elo0, elo1) in [(0.0, 5.0), (-5.0, 0.0), (-1000.0, 1000.0), (0.0, 1e-9)] {
            for cell in 0..5 {
                for count in [0, 1, 1_000_000] {
                    let mut counts = [0; 5];
                    counts[cell] = count;
                    let llr = test(elo0, elo1, model).llr(&Pentanomial::new(counts));
                    assert!(llr.is_finite(), "{model} {elo0} {elo1} {counts:?}: {llr}");
                }
            }
        }
    }
}

#[test]
fn the_other_side_sees_the_opposite() {
    for model in [SprtModel::Logistic, SprtModel::Normalized] {
        let pairs = Pentanomial::new([13, 37, 50, 25, 3]);
        let (here, there) = (test(-2.0, 3.0, model), test(-3.0, 2.0, model));
        let (llr, reversed) = (here.llr(&pairs), there.llr(&pairs.reversed()));
        assert!((llr + reversed).abs() < 1e-6, "{model}: {llr} {reversed}");
    }
}

#[test]
fn texts_are_read() {
    for (text, shown) in [
        ("elo0=0 elo1=5", "elo0=0 elo1=5 alpha=0.05 beta=0.05 model=logistic"),
        (
            " elo1=2.5,elo0=-1.75  beta=0.1 model=normalized ",
            "elo0=-1.75 elo1=2.5 alpha=0.05 beta=0.1 model=normalized",
        ),
        ("alpha=0.01 elo0=0 elo1=5 beta=0.02 model=logistic", "elo0=0 elo1=5 alpha=0.01 beta=0.02 model=logistic"),
    ] {
        let sprt: Sprt = text.parse().expect(text);
        assert_eq!(sprt.to_string(), shown);
        assert_eq!(shown.parse(), Ok(sprt), "what is written is read back");
    }
}

#[test]
fn wrong_texts_are_named() {
    for (text, needle) in [
        ("", "elo0 is missing"),
        ("elo0=0", "elo1 is missing"),
        ("elo0=0 elo1", "`elo1` is not a setting"),
        ("elo0=0 elo1=x", "`x` is not a valid number for elo1: expected a value like elo1=5"),
        ("elo0=0 elo1=", "`` is not a valid number for elo1"),
        ("elo0=5 elo1=0", "cannot use elo0=5: it is not below elo1=0"),
        ("elo0=5 elo1=5", "cannot use elo0=5: it is not below elo1=5"),
        ("elo0=0 elo1=nan", "cannot use elo1=NaN: it is out of range"),
        ("elo0=-1e9 elo1=0", "cannot use elo0=-1000000000: it is out of range"),
        ("elo0=0 elo1=5 alpha=0", "alpha=0 is not a valid error rate"),
        ("elo0=0 elo1=5 beta=0.5", "beta=0.5 is not a valid error rate"),
        ("elo0=0 elo1=5 alpha=5%", "`5%` is not a valid number for alpha"),
        ("elo0=0 elo1=5 gamma=1", "cannot use the setting `gamma`"),
        ("elo0=0 elo0=1 elo1=5", "`elo0`: it is given twice"),
        ("elo0=0 elo1=5 model=bayes", "`bayes` is not a valid model"),
        ("elo0=0 elo1=5 model=logistic model=logistic", "`model`: it is given twice"),
    ] {
        let message = text.parse::<Sprt>().expect_err(text).to_string();
        assert!(message.contains(needle), "{text}: {message}");
    }
}
