use super::fit::{self, CostFit};
use super::page;
use super::sample;
use super::sample::{Examples, LateMoveExample, Root, SampleError, Sampling, collect};
use crate::train::testing::{EACH, play, rewrite, sampled_positions};
use quarterply_datagen::read::Archive;
use quarterply_datagen::record::StoredMove;
use quarterply_datagen::viriformat::encode_move;
use quarterply_engine::params::Parameters;
use quarterply_engine::position::Game;
use quarterply_engine::rules::learned_cost::{Features, WEIGHTS};
use quarterply_engine::score::Depth;
use quarterply_engine::search::pool::Control;
use quarterply_engine::shakmaty::CastlingMode;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use std::path::Path;

const ONE: i32 = 1024;

fn feature(name: &str) -> usize {
    WEIGHTS.coefficients.iter().position(|known| known.name == name).expect(name)
}

/// Examples whose odds (bits) are -3, -2 for each doubling of the number beyond the first, and +4 with a check; the history means nothing.
fn made_up(count: usize, seed: u64) -> Vec<LateMoveExample> {
    let mut chance = ChaCha8Rng::seed_from_u64(seed);
    let mut example = || {
        let mut features: Features = [0; WEIGHTS.coefficients.len()];
        let (doublings, check) = (chance.random_range(1..=4), chance.random_bool(0.3));
        features[feature("bias")] = ONE;
        features[feature("number")] = doublings * ONE;
        features[feature("check")] = if check { ONE } else { 0 };
        features[feature("history")] = chance.random_range(-ONE..=ONE);
        let odds = -1.0 - f64::from(doublings) + if check { 4.0 } else { 0.0 };
        let mattered = chance.random_bool(1.0 / (1.0 + (-odds).exp2()));
        LateMoveExample { features, depth: Depth::plies(6), formula: Depth(512 * doublings), mattered }
    };
    (0..count).map(|_| example()).collect()
}

fn fitted() -> (Examples, CostFit) {
    let examples = Examples { train: made_up(20_000, 1), held_out: made_up(5_000, 2), ..Examples::default() };
    let fit = fit::fit(&examples);
    (examples, fit)
}

#[test]
fn a_known_model_is_found_again() {
    let (_, fit) = fitted();
    for (name, weight) in [("bias", -1.0), ("number", -1.0), ("check", 4.0), ("history", 0.0), ("cut", 0.0)] {
        let (found, error) = (fit.weights[feature(name)], fit.errors[feature(name)]);
        assert!((found - weight).abs() < 0.25, "{name}: {found} +- {error}");
        let rounded = fit.coefficients[feature(name)];
        assert!((f64::from(rounded) / 1024.0 - found).abs() < 0.001, "{name}: {rounded}");
    }
    assert!(fit.params.on);
    assert!(fit.learned < fit.formula - 0.05 && fit.formula < fit.constant, "{fit:?}");
    assert!((fit.learned - fit.train).abs() < 0.02);
    for bin in &fit.bins {
        let share = bin.mattered as f64 / bin.count as f64;
        assert!((share - bin.predicted).abs() < 0.06, "{bin:?}");
    }
}

#[test]
fn the_learned_reductions_take_off_as_much_as_the_formula_and_most_from_rare_moves() {
    let (_, fit) = fitted();
    let sum =
        |value: &dyn Fn(&fit::ChanceBin) -> f64| fit.bins.iter().map(|bin| value(bin) * bin.count as f64).sum::<f64>();
    let (formula, learned) = (sum(&|bin| bin.formula), sum(&|bin| bin.learned));
    assert!((learned / formula - 1.0).abs() < 0.05, "{learned} {formula}");
    let (first, last) = (fit.bins.first().expect("a bin"), fit.bins.last().expect("a bin"));
    assert!(first.learned > last.learned + 0.5, "{first:?} {last:?}");
}

#[test]
fn the_page_names_origin_and_weights() {
    let (examples, fit) = fitted();
    let page = page::page(&fit, &examples, &["<origin>".to_owned()]).expect("drawn").replace("<wbr>", "");
    assert!(page.contains("&lt;origin&gt;") && page.matches("<svg").count() == 1);
    assert!(WEIGHTS.coefficients.iter().all(|coefficient| page.contains(coefficient.name)));
}

fn roots() -> Vec<Root> {
    [
        "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 6 5",
        "r2q1rk1/1b2bppp/p2ppn2/1p6/3QP3/1BN1B3/PPP2PPP/R4RK1 w - - 2 13",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "2rq1rk1/pb2bppp/1p2pn2/8/2BP4/P1N1PN2/1B3PPP/2RQ1RK1 b - - 0 14",
    ]
    .iter()
    .zip(0..)
    .map(|(fen, group)| Root { game: Game::standard(fen).expect("legal"), group })
    .collect()
}

fn sample(rate: f64, nodes: u64, threads: usize) -> Result<Examples, SampleError> {
    let sampling = Sampling { nodes, rate, hash: 1, holdout_every: 3, seed: 5 };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| collect(&roots(), &Parameters::default(), &sampling, &Control::default(), |_| ()))
}

#[test]
fn examples_come_from_real_searches_and_repeat() {
    let examples = sample(0.3, 30_000, 2).expect("enough examples");
    assert_eq!(examples, sample(0.3, 30_000, 1).expect("the same"));
    let all: Vec<&LateMoveExample> = examples.train.iter().chain(&examples.held_out).collect();
    let mattered = all.iter().filter(|example| example.mattered).count();
    assert!(all.len() > 2000 && mattered * 4 < all.len(), "{mattered} of {}", all.len());
    assert!(examples.audit_nodes > 0 && examples.positions == 4);
    let (bias, number) = (feature("bias"), feature("number"));
    assert!(all.iter().all(|example| example.features[bias] == ONE && example.features[number] >= ONE));
    assert!(all.iter().all(|example| example.depth >= Depth::plies(2) && example.formula >= Depth::ZERO));
}

#[test]
fn too_little_to_learn_from_is_an_error() {
    let error = sample(0.001, 500, 1).expect_err("nothing is sampled").to_string();
    assert!(error.contains("give more positions or more --nodes"), "{error}");
    let examples = Examples { train: made_up(20_000, 1), ..Examples::default() };
    assert!(matches!(sample::checked(examples), Err(SampleError::NothingHeldOut)));
}

/// All positions of the games in a folder.
fn roots_in(folder: &Path) -> Vec<Root> {
    let archive = Archive::open(&[folder]).expect("games");
    sample::roots(&mut archive.batches(), usize::MAX, 1).expect("positions")
}

#[test]
fn sampled_positions_belong_to_the_game_that_was_searched() {
    const GAMES: u64 = 4;
    let folder = tempfile::tempdir().expect("a folder");
    let [games, drawn] = ["games", "drawn"].map(|name| folder.path().join(name));
    play(&games, GAMES);
    let slots = sampled_positions(&games, &drawn).iter().filter(|slot| !slot.steps.is_empty()).count();
    let groups: Vec<u64> = roots_in(&drawn).iter().map(|root| root.group).collect();
    assert!(groups.len() <= slots && groups.len() > (GAMES * EACH / 2) as usize, "{groups:?}");
    assert_eq!((groups.iter().min(), groups.iter().max()), (Some(&1), Some(&GAMES)));
}

#[test]
fn positions_have_the_castling_mode_of_their_game() {
    let line =
        Game::from_fen("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", CastlingMode::Chess960)
            .expect("a position");
    let raw = encode_move(line.position().legal_moves()[0]);
    let folder = tempfile::tempdir().expect("a folder");
    let [games, other] = ["games", "other"].map(|name| folder.path().join(name));
    play(&games, 1);
    rewrite(&games, &other, |game| {
        (game.start, game.mode) = (line.position().chess().clone(), CastlingMode::Chess960);
        game.steps = vec![StoredMove { raw, score: 0 }];
    });
    assert_eq!(
        roots_in(&other).iter().map(|root| root.game.castling_mode()).collect::<Vec<_>>(),
        [CastlingMode::Chess960]
    );
}
