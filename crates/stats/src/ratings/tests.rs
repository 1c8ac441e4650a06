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
    let table = CrossTable::new(4, &journals());
    let ratings = table.likeliest();
    let scatter = table.scatter(&ratings);
    let per_unit = ELO_PER_TENFOLD / std::f64::consts::LN_10;
    for (player, published) in [(1, "-2.94907 0.10255"), (2, "-0.47957 0.06059"), (3, "0.26895 0.07083")] {
        let value = (ratings[player] - ratings[0]) / per_unit;
        let error = (scatter[(player, player)] + scatter[(0, 0)] - 2.0 * scatter[(player, 0)]).sqrt();
        assert_eq!(format!("{value:.5} {error:.5}"), published, "{player}");
    }
}

#[test]
fn ratings_have_a_mean_of_zero_and_intervals() {
    let Ratings { players, draws_added } = rate(4, &journals()).expect("linked");
    assert!(!draws_added && players.iter().map(|rating| rating.value).sum::<f64>().abs() < 1e-6, "{players:?}");
    // Of two players with the same result from either side, each has half the difference of their match, and half its margin.
    let ratings = rate(2, &[pairing(0, 1, (869, 357, 646))]).expect("linked").players;
    assert_eq!(ratings.iter().map(ToString::to_string).collect::<Vec<_>>(), ["+20.8 +- 7.1", "-20.8 +- 7.1"]);
}

#[test]
fn results_may_come_in_pieces_and_from_either_side() {
    let whole = [pairing(0, 1, (5, 4, 3)), pairing(1, 2, (2, 2, 2))];
    let pieces =
        [pairing(1, 0, (3, 0, 5)), pairing(0, 1, (0, 4, 0)), pairing(2, 1, (2, 2, 2)), pairing(2, 0, (0, 0, 0))];
    assert_eq!(rate(3, &whole), rate(3, &pieces));
}

#[test]
fn clean_scores_get_a_finite_rating_and_are_marked() {
    for results in [
        vec![pairing(0, 1, (10, 0, 0))],
        vec![pairing(0, 1, (10, 0, 0)), pairing(1, 2, (3, 3, 3)), pairing(0, 2, (8, 0, 0))],
        vec![pairing(0, 1, (3, 3, 3)), pairing(1, 2, (0, 0, 9)), pairing(0, 2, (0, 0, 9))],
    ] {
        let count = results.iter().map(|pairing| pairing.second).max().map_or(0, |last| last + 1);
        let ratings = rate(count, &results).expect("linked");
        assert!(ratings.draws_added, "{results:?}");
        assert!(ratings.players.iter().all(|r| r.value.abs() < 1000.0 && r.margin().is_finite()), "{ratings:?}");
    }
    let drawn = rate(2, &[pairing(0, 1, (0, 10, 0))]).expect("linked");
    assert!(!drawn.draws_added && drawn.players[0].value == 0.0 && drawn.players[0].margin() > 1.0, "{drawn:?}");
}

#[test]
fn only_linked_players_are_rated() {
    let results = [pairing(0, 1, (1, 1, 1)), pairing(2, 3, (1, 1, 1)), pairing(1, 2, (0, 0, 0))];
    assert_eq!(rate(4, &results), None, "no game links the last two to the others");
    assert_eq!(rate(1, &results[..1]), None, "there is no player 1");
    assert_eq!(rate(0, &[]), Some(Ratings { players: vec![], draws_added: false }));
    assert_eq!(rate(1, &[]).map(|ratings| ratings.players.len()), Some(1));
}
