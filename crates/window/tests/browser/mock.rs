//! A made-up search for tests of the page: plain alpha-beta on material with a little noise, and rules that speak at random.

use quarterply_engine::rules::Rule;
use quarterply_engine::score::Depth;
use quarterply_engine::shakmaty::fen::Fen;
use quarterply_engine::shakmaty::san::SanPlus;
use quarterply_engine::shakmaty::uci::UciMove;
use quarterply_engine::shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position, Role};
use quarterply_window::View;
use quarterply_window::view::{About, Builder, Deed, Judged, Kind, Mark, NO_SCORE, Row, Type, flag};

/// A position with much to do for both sides.
pub const FEN: &str = "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 4 8";

/// Random numbers that are always the same.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

struct Mock {
    builder: Builder,
    random: Random,
    rows_max: usize,
}

/// A tree of about `rows` rows.
pub fn view(rows: usize) -> View {
    let start: Chess = FEN.parse::<Fen>().expect("valid").into_position(CastlingMode::Chess960).expect("legal");
    let mut about = About::search(FEN.to_owned());
    about.profile = "default".to_owned();
    about.purposes = vec!["", "the first move, with the whole window", "is it better than the best so far?"];
    let mut mock = Mock { builder: Builder::new(about), random: Random(88_172_645_463_325_252), rows_max: rows };
    let root = mock.builder.push(Row { flags: flag::LINE, ..Row::default() }, &[]);
    let mut value = 0;
    for depth in 2..12 {
        if mock.builder.len() >= mock.rows_max {
            break;
        }
        let why = mock.builder.text(&format!("depth {depth}"));
        let pass = Row { level: 1, kind: Kind::Pass, why, depth: Depth::plies(depth).0, ..Row::default() };
        let place = mock.builder.push(pass, &[]);
        value = mock.node(&start, 2, 1, depth, -30_000, 30_000);
        mock.set(place, |row| row.value = value);
    }
    mock.set(root, |row| row.value = value);
    let mut view = mock.builder.finish();
    view.about.nodes = u64::from(view.rows[0].nodes);
    view.about.value = i32::from(value);
    view.about.depth = 6;
    view
}

impl Mock {
    fn set(&mut self, place: usize, change: impl FnOnce(&mut Row)) {
        change(self.builder.row(place).expect("pushed"));
    }

    /// Searches the moves of a position and returns its value for the side to move.
    fn node(&mut self, position: &Chess, level: u16, ply: u16, depth: i32, mut alpha: i16, beta: i16) -> i16 {
        let mut moves = position.legal_moves();
        moves.sort_by_key(|mv| !mv.is_capture());
        let mut best = -30_000 + ply as i16;
        for (index, mv) in moves.into_iter().enumerate() {
            let full = self.builder.len() >= self.rows_max;
            if index > 3 && !mv.is_capture() && (full || self.random.chance(55)) {
                self.skip(position, mv, level, ply);
                continue;
            }
            if full && index > 0 {
                break;
            }
            let value = self.try_move(position, mv, (level, ply, depth), (alpha, beta), index);
            best = best.max(value);
            if value >= beta {
                break;
            }
            alpha = alpha.max(value);
        }
        best
    }

    fn name(&mut self, position: &Chess, mv: Move) -> u16 {
        let san = SanPlus::from_move(position.clone(), mv).to_string();
        self.builder.mv(&san, &UciMove::from_move(mv, CastlingMode::Standard).to_string())
    }

    fn skip(&mut self, position: &Chess, mv: Move, level: u16, ply: u16) {
        let rule = if self.random.chance(60) { Rule::LateMovePruning } else { Rule::Futility };
        let why = self.builder.text("31 + 60 + 2 x 95 = 281 <= alpha 312");
        let row = Row { level, ply, kind: Kind::Unsearched, mv: self.name(position, mv), why, ..Row::default() };
        self.builder.push(row, &[Mark { rule: rule as u8, deed: Deed::Skipped, amount: 0 }]);
    }

    fn try_move(&mut self, position: &Chess, mv: Move, (level, ply, depth): (u16, u16, i32), (alpha, beta): (i16, i16), index: usize) -> i16 {
        let name = self.name(position, mv);
        let mut child = position.clone();
        child.play_unchecked(mv);
        let mut marks = self.prices(&child, index);
        let guess = -material(&child) + self.random.below(41) as i16 - 20;
        let cut = depth <= 1 || (depth < 4 && self.random.chance(25));
        if cut {
            let rule = [Rule::StandPat, Rule::ReverseFutility, Rule::Table, Rule::NullMove][self.random.below(4) as usize];
            marks.push(Mark { rule: rule as u8, deed: Deed::Cut, amount: 0 });
        }
        let cost = Depth::ONE_PLY.0 + marks.iter().map(|mark| mark.amount).sum::<i32>();
        let why = if cut { self.builder.text("312 - 3 x 78 = 78 >= beta 51") } else { 0 };
        let row = Row {
            level, ply, mv: name, alpha, beta, guess, cost, why,
            kind: if depth <= 1 { Kind::Quiet } else { Kind::Node },
            nodes: if cut { 1 + self.random.below(9) as u32 } else { 1 },
            depth: Depth::plies(depth - 1).0 - marks.iter().map(|mark| mark.amount).sum::<i32>(),
            expected: if index == 0 { Type::Pv } else { Type::Cut },
            purpose: if index == 0 { 1 } else { 2 },
            stage: if mv.is_capture() { 2 } else { 3 },
            order: self.random.below(9000) as i32,
            ..Row::default()
        };
        let place = self.builder.push(row, &marks);
        let value = if cut { guess } else { -self.node(&child, level + 1, ply + 1, depth - 1, -beta, -alpha) };
        let judged = if value >= beta { Judged::Cutoff } else if value > alpha { Judged::Best } else { Judged::NotBest };
        self.set(place, |row| {
            row.value = value;
            row.judged = judged;
            row.found = if value >= beta { Type::All } else if value > alpha { Type::Pv } else { Type::Cut };
            row.nodes = row.nodes.max(1);
            debug_assert_ne!(value, NO_SCORE);
        });
        value
    }

    fn prices(&mut self, child: &Chess, index: usize) -> Vec<Mark> {
        let mut marks = Vec::new();
        let mut price = |rule: Rule, quarters| {
            marks.push(Mark { rule: rule as u8, deed: Deed::Priced, amount: Depth::quarters(quarters).0 });
        };
        if child.is_check() {
            price(Rule::Check, -3);
        }
        if self.random.chance(8) {
            price(Rule::Recapture, -2);
        }
        if index > 2 {
            price(Rule::LateMoveReduction, 1 + self.random.below(6) as i32);
        }
        marks
    }
}

/// Material for the side to move in hundredths of a pawn.
fn material(position: &Chess) -> i16 {
    let worth = |role: Role| match role {
        Role::Pawn => 100,
        Role::Knight | Role::Bishop => 310,
        Role::Rook => 500,
        Role::Queen => 920,
        Role::King => 0,
    };
    let board = position.board();
    let side = |color| board.by_color(color).into_iter().filter_map(|s| board.role_at(s)).map(worth).sum::<i16>();
    side(position.turn()) - side(!position.turn())
}

/// What the position after `fen` is called in FEN.
pub fn normal(fen: &str) -> String {
    let position: Chess = fen.parse::<Fen>().expect("valid").into_position(CastlingMode::Chess960).expect("legal");
    Fen::from_position(&position, EnPassantMode::Legal).to_string()
}
