use super::*;
use crate::testing::game;

#[test]
fn games_come_back() {
    for number in 1..200 {
        let game = game(number);
        assert_eq!(GameRecord::decode(number, &game.encode()), Ok(game));
    }
}

#[test]
fn bytes_that_are_not_a_game_are_refused() {
    let good = game(7).encode();
    let edited = |edit: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        edit(&mut bytes);
        GameRecord::decode(1, &bytes).expect_err("no game").to_string()
    };
    for (message, expected) in [
        (edited(&|b| b.truncate(9)), "it ends after 9 bytes"),
        (edited(&|b| b.truncate(b.len() - 4)), "without its terminator"),
        (edited(&|b| b.extend([1, 2, 3])), "3 bytes follow"),
        (edited(&|b| b.extend([0; 8])), "8 bytes follow"),
        (edited(&|b| b[RESULT] = 3), "the result: code 3 is unknown"),
        (edited(&|b| b[EXTRA] = 11), "the ending: code 11 is unknown"),
        (edited(&|b| b[0] = 0), "cannot read the start position"),
    ] {
        assert!(message.contains(expected), "{message} / {expected}");
    }
}

#[test]
fn numbers_of_endings_and_outcomes_are_their_places() {
    assert!(Ending::ALL.iter().enumerate().all(|(index, ending)| *ending as usize == index));
    assert!(GameOutcome::ALL.iter().enumerate().all(|(index, outcome)| *outcome as usize == index));
    assert_eq!(GameOutcome::ALL.map(GameOutcome::points), [0.0, 0.5, 1.0]);
}
