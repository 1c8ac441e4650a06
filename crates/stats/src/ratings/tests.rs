use super::*;

fn pairing(first: usize, second: usize, result: (u64, u64, u64)) -> Pairing {
    Pairing { first, second, result: Trinomial::new(result.0, result.1, result.2) }
}

/// Citations between Biometrika, Communications in Statistics, JASA and JRSS-B (Stigler 1994): the cited journal has won.
fn journals() -> Vec<Pairing> {
    vec![
        pairing(0, 1, (730, 0, 33)),
        pairing(0, 2, (498, 0, 320)),
        pairing(0, 3, (221, 0, 284)),
        pairing(1, 2, (68, 0, 813)),
        pairing(1, 3, (17, 0, 276)),
        pairing(2, 3, (142, 0, 325)),
    ]
}

#[test]
fn journals_are_rated_as_published() {
    // Turner and Firth, Bradley-Terry Models in R, Journal of Statistical Software 48(9), 2012, section 2.1: estimates and standard
    // errors in natural logarithms with Biometrika at zero.
    let ratings = rate(4, &journals(), Anchor::Player(0)).expect("linked");
    assert!(!ratings.draws_added);
    let per_unit = ELO_PER_TENFOLD / std::f64::consts::LN_10;
    for (player, published) in [(1, "-2.94907 0.10255"), (2, "-0.47957 0.06059"), (3, "0.26895 0.07083")] {
        let Estimate { value, .. } = ratings.players[player];
        let error = ratings.players[player].margin() / quantile();
        assert_eq!(format!("{:.5} {:.5}", value / per_unit, error / per_unit), published, "{player}");
    }
    assert_eq!(ratings.players[0].margin(), 0.0);
}

#[test]
fn the_anchor_moves_the_values_only() {
    let (mean, player) = (rate(4, &journals(), Anchor::Mean), rate(4, &journals(), Anchor::Player(2)));
    let (mean, player) = (mean.expect("linked").players, player.expect("linked").players);
    assert!(mean.iter().map(|rating| rating.value).sum::<f64>().abs() < 1e-6);
    for (a, b) in mean.iter().zip(&player) {
        assert!((a.value - mean[2].value - b.value).abs() < 1e-6, "{a} {b}");
    }
}

#[test]
fn two_players_get_the_difference_of_their_match() {
    let result = Trinomial::new(869, 357, 646);
    let ratings = rate(2, &[Pairing { first: 0, second: 1, result }], Anchor::Player(1)).expect("linked").players;
    let direct = result.elo();
    assert!((ratings[0].value - direct.value).abs() < 1e-6, "{} {direct}", ratings[0]);
    assert!((ratings[0].margin() - direct.margin()).abs() < 0.05, "{} {direct}", ratings[0]);
}

#[test]
fn results_may_come_in_pieces_and_from_either_side() {
    let whole = [pairing(0, 1, (5, 4, 3)), pairing(1, 2, (2, 2, 2))];
    let pieces =
        [pairing(1, 0, (3, 0, 5)), pairing(0, 1, (0, 4, 0)), pairing(2, 1, (2, 2, 2)), pairing(2, 0, (0, 0, 0))];
    assert_eq!(rate(3, &whole, Anchor::Mean), rate(3, &pieces, Anchor::Mean));
}

#[test]
fn clean_scores_get_a_finite_rating_and_are_marked() {
    for results in [
        vec![pairing(0, 1, (10, 0, 0))],
        vec![pairing(0, 1, (10, 0, 0)), pairing(1, 2, (3, 3, 3)), pairing(0, 2, (8, 0, 0))],
        vec![pairing(0, 1, (3, 3, 3)), pairing(1, 2, (0, 0, 9)), pairing(0, 2, (0, 0, 9))],
    ] {
        let count = results.iter().map(|pairing| pairing.second).max().map_or(0, |last| last + 1);
        let ratings = rate(count, &results, Anchor::Mean).expect("linked");
        assert!(ratings.draws_added, "{results:?}");
        assert!(ratings.players.iter().all(|r| r.value.abs() < 1000.0 && r.margin().is_finite()), "{ratings:?}");
    }
    let drawn = rate(2, &[pairing(0, 1, (0, 10, 0))], Anchor::Mean).expect("linked");
    assert!(!drawn.draws_added && drawn.players[0].value == 0.0 && drawn.players[0].margin() > 1.0, "{drawn:?}");
}

#[test]
fn players_without_a_link_are_named() {
    let results = [pairing(0, 1, (1, 1, 1)), pairing(2, 3, (1, 1, 1)), pairing(1, 2, (0, 0, 0))];
    assert_eq!(rate(4, &results, Anchor::Mean), Err(RatingsError::NotLinked(2)));
    assert_eq!(rate(1, &results[..1], Anchor::Mean), Err(RatingsError::Unknown(1, 0)));
    assert_eq!(rate(2, &results[..1], Anchor::Player(9)), Err(RatingsError::Unknown(9, 1)));
    assert_eq!(rate(0, &[], Anchor::Mean), Ok(Ratings { players: vec![], draws_added: false }));
    assert_eq!(rate(1, &[], Anchor::Mean).map(|ratings| ratings.players.len()), Ok(1));
}
