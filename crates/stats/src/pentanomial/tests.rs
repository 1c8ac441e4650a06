use super::*;
use crate::Trinomial;

/// Figures that were published with the counts they belong to: Elo, its margin, normalized Elo, its margin, likelihood of superiority
/// (per cent), share of even pairs (per cent), pairs ratio. A dash where nothing was published.
///
/// - `fastchess`: reports of fastchess, quoted in releases, issues and pull requests of the repositories named, and cases of its
///   tests (`elo_test.cpp`).
/// - `fishtest`: <https://tests.stockfishchess.org>, quoted in the Stockfish pull request or wiki page named.
#[rustfmt::skip]
const PUBLISHED: [(&str, [u64; 5], [&str; 7]); 17] = [
    ("fastchess, Dual 0.3.2, first", [16, 82, 222, 150, 61], ["52.08", "14.57", "75.87", "20.90", "100.00", "41.81", "2.15"]),
    ("fastchess, Dual 0.3.2, second", [49, 48, 154, 49, 60], ["11.10", "21.86", "12.92", "25.38", "84.08", "42.78", "1.12"]),
    ("fastchess, Axiom 2.0.0", [84, 112, 318, 184, 302], ["90.22", "14.49", "99.23", "15.23", "100.00", "31.80", "2.48"]),
    ("fastchess #807", [30, 6, 18, 0, 6], ["-168.40", "73.37", "-170.08", "62.16", "0.00", "30.00", "0.17"]),
    ("fastchess, Lynx #1899", [235, 1384, 2521, 1341, 239], ["-1.06", "4.05", "-1.67", "6.37", "30.33", "44.07", "0.98"]),
    ("fastchess, books #72", [0, 183, 642, 175, 0], ["-1.39", "6.44", "-3.29", "15.23", "33.62", "64.20", "0.96"]),
    ("fastchess, RubiChess #523", [8, 633, 1558, 804, 6], ["9.64", "4.36", "19.42", "8.78", "100.00", "51.78", "1.26"]),
    ("fastchess, Serendipity #55", [283, 1151, 2214, 1221, 281], ["2.23", "4.50", "3.32", "6.71", "83.40", "42.99", "1.05"]),
    ("fastchess #1007, a winner", [5, 5, 36, 22, 22], ["101.21", "42.63", "128.22", "50.76", "-", "40.0", "-"]),
    ("fastchess #1007, a loser", [4, 5, 4, 0, 0], ["-190.85", "103.99", "-313.17", "133.55", "-", "30.8", "-"]),
    ("fastchess #882", [72, 10, 0, 0, 0], ["-600.97", "118.46", "-1409.98", "53.17", "0.00", "0.00", "0.00"]),
    ("fastchess EloPentanomial 1", [34, 54, 63, 64, 75], ["55.58", "27.65", "57.94", "28.28", "100.00", "-", "-"]),
    ("fastchess EloPentanomial 2", [332, 433, 498, 333, 334], ["-8.64", "10.33", "-9.17", "10.96", "5.05", "-", "-"]),
    ("fastchess EloPentanomial 3", [7895, 8757, 5685, 568, 9999], ["-21.04", "2.95", "-19.01", "2.65", "-", "-", "-"]),
    ("fishtest 631836b437f41b13973d7da1, #4160", [39, 5335, 18992, 5622, 12], ["1.35", "1.2", "3.13", "2.8", "98.6", "-", "1.05"]),
    ("fishtest, stalemate book, #6255", [1, 137, 4659, 203, 0], ["2.22", "1.3", "12.00", "6.8", "100.0", "-", "1.47"]),
    ("fishtest, Regression-Tests 2022-05-14", [18, 1850, 25507, 2580, 45], ["4.54", "0.8", "16.29", "2.8", "-", "-", "1.41"]),
];

#[test]
fn figures_agree_with_published_ones_to_the_digits_given() {
    for (source, counts, published) in PUBLISHED {
        let pairs = Pentanomial::new(counts);
        let (elo, normalized) = (pairs.elo(), pairs.normalized_elo());
        let percent = |share: Option<f64>| 100.0 * share.expect("pairs were played");
        let ours = [
            elo.value,
            elo.margin(),
            normalized.value,
            normalized.margin(),
            percent(Some(pairs.los())),
            percent(pairs.draw_ratio()),
            pairs.pairs_ratio().expect("not all pairs were even"),
        ];
        for (value, published) in ours.into_iter().zip(published).filter(|(_, published)| *published != "-") {
            let digits = published.split_once('.').map_or(0, |(_, digits)| digits.len());
            assert_eq!(
                format!("{value:.digits$}").trim_start_matches("-0.00"),
                published.trim_start_matches("-0.00"),
                "{source}"
            );
        }
    }
}

#[test]
fn results_are_counted() {
    let (mut pairs, mut games) = (Pentanomial::default(), Trinomial::default());
    [4, 3, 2, 2, 1].into_iter().for_each(|half_points| pairs.add(half_points));
    [(Some(true), 4), (None, 4), (Some(false), 2)]
        .into_iter()
        .for_each(|(won, count)| (0..count).for_each(|_| games.add(won)));
    assert_eq!((pairs, games), (Pentanomial::new([0, 1, 2, 1, 1]), Trinomial::new(4, 4, 2)));
    assert_eq!((pairs.pairs(), pairs.games(), games.games()), (5, 10, 10));
    assert_eq!((pairs.points(), games.points()), (6.0, 6.0));
    assert!((pairs.score() - 0.6).abs() < 1e-12 && (games.score() - 0.6).abs() < 1e-12);
    assert_eq!((pairs.draw_ratio(), games.draw_ratio()), (Some(0.4), Some(0.4)));
    assert_eq!(pairs.pairs_ratio(), Some(2.0));
    let mut both = pairs;
    both += pairs.reversed();
    assert_eq!(both, Pentanomial::new([1, 2, 4, 2, 1]));
    assert_eq!(both.to_string(), "[1, 2, 4, 2, 1]");
    assert_eq!(Trinomial::default().score(), 0.5);
}

#[test]
fn without_scatter_the_interval_is_still_that_of_the_pairs() {
    // Seven pairs of one kind: others may be as frequent as 1 - 0.025^(1/7) = 0.4096.
    let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
    for (counts, elo, interval, los) in [
        ([0; 5], 0.0, [low, high], 0.5),
        ([0, 0, 7, 0, 0], 0.0, [-151.2, 151.2], 0.5),
        ([0, 0, 0, 0, 7], high, [63.5, high], 1.0),
        ([7, 0, 0, 0, 0], low, [low, -63.5], 0.0),
    ] {
        let pairs = Pentanomial::new(counts);
        let found = pairs.elo();
        assert_eq!((found.value, pairs.los()), (elo, los), "{counts:?}");
        for (found, expected) in [found.low, found.high].into_iter().zip(interval) {
            assert!(found == expected || (found - expected).abs() < 0.05, "{counts:?}: {found} and not {expected}");
        }
        assert_eq!(pairs.normalized_elo(), Estimate { value: elo, ..Estimate::UNKNOWN }, "{counts:?}");
    }
    assert_eq!((Pentanomial::default().draw_ratio(), Pentanomial::default().pairs_ratio()), (None, None));
}

#[test]
fn the_second_player_sees_the_opposite() {
    let pairs = Pentanomial::new([16, 82, 222, 150, 61]);
    let other = pairs.reversed();
    for (here, there) in [(pairs.elo(), other.elo()), (pairs.normalized_elo(), other.normalized_elo())] {
        assert!((here.value + there.value).abs() < 1e-9 && (here.low + there.high).abs() < 1e-9, "{here} {there}");
    }
    assert!((pairs.los() + other.los() - 1.0).abs() < 1e-9);
}

#[test]
fn conclusions_need_twenty_pairs() {
    for (counts, expected) in
        [([0; 5], false), ([19, 0, 0, 0, 0], false), ([4, 4, 4, 4, 4], true), ([0, 0, 21, 0, 0], true)]
    {
        assert_eq!(Pentanomial::new(counts).is_conclusive(), expected, "{counts:?}");
    }
}
