//! The words of the tutorial. Figures are put between them by the chapters, and tests hold what the words claim of them.

pub(super) const MINIMAX_BEFORE: &str = "\
White is to move and looks three plies ahead: two moves of its own, two replies to each, two answers to each reply. Only the
eight positions at the end are judged; the judgement is in pawns and seen by the side that made the last move. Everything
above follows from one rule: a position is worth as much as its best move, and what is good for one side is as bad for the
other. So a value changes its sign on its way up.

In the diagram every node that was judged shows, in this order: when it was (in parentheses), its value, two thresholds in
brackets, the comparison that decided, and the outcome. The right threshold is the best value so far among the siblings; the
left one is for the next chapter. An asterisk marks the line that both sides would choose.";

pub(super) const MINIMAX_AFTER: &str = "\
The capture on d3 wins a piece at once and is worth 3.250: Black finds the better of two defences. The knight's check looks
like nothing on the board, but it is worth 9.000: both replies lose the queen. No move was left out, so all fourteen positions
were judged.

How does the program know the line afterwards? It noted every node that became the best of its siblings, in the order this
happened. Reading that list once, from its end, is enough:";

pub(super) const SCAN_AFTER: &str = "\
Whatever became best last at ply 1 is the move; before it in the list stands the reply that made its value, and so on.";

pub(super) const CUTOFF_BEFORE: &str = "\
White has found a move worth 12, a mate that nothing prevents. The other move is tried next. Its first reply already keeps
White from more than 0. How bad the other replies are for White does not matter any more: the move is refuted, and the
search drops it. That is all there is to alpha-beta. The left threshold says what the other side already has elsewhere, two
plies higher up: a value that reaches it cuts.";

pub(super) const CUTOFF_AFTER: &str = "\
Moves that stand in the diagram without numbers were created and never judged, or never came into being. Equality is enough
for a cutoff: a value that only equals what is there already cannot change the choice.

The next tree has the same shape in a real ending. One of the lines that are never looked at ends in mate, and that does no
harm: the opponent would not go there.";

pub(super) const MATE_AFTER: &str = "\
A cutoff loses nothing. The value of the root and a best line are those of minimax, whatever was left out.";

pub(super) const ORDER_BEFORE: &str = "\
How much is left out depends on luck: a strong move that comes first sets a threshold which the later ones do not reach. Here
is the second tree again with its two moves exchanged.";

pub(super) const STATIC_BEFORE: &str = "\
A program cannot know the best move before it searches, but it can guess. The first tree once more: now every position gets a
static score when it is created, and moves are tried in the order of that guess. The guess is never part of the result.";

pub(super) const NUMBERS_BEFORE: &str = "\
With b moves in each position and d plies, minimax looks at b to the power of d positions; with a perfect order, alpha-beta
needs about twice the square root of that. The order here is a guess: the static evaluation after the move, less three pawns
if the piece can be won where it went. Nodes are moves made; the three searches must agree on the value, and they do.";

pub(super) const NUMBERS_AFTER: &str = "\
The evaluation is the engine's own, asked at the end of every line, in the middle of an exchange as well: a real search goes
on until captures are settled (quiescence). Its order is better too, because it learns while it searches.";

pub(super) const SELECTIVE_BEFORE: &str = "\
So far every line was as long as every other. A real search spends its effort: lines that matter are followed further (check,
the only reply, one move that stands out), others are searched less deep (moves late in the order), and some are not searched
at all, because a bound or an exchange calculation says that they will not matter. Such a rule is a bet. Alpha-beta never
changes the answer, a rule may; what it saves is spent on depth.

Below, the first line is the engine with every rule off, the textbook above with quiescence and a learning move order. Each
further line switches on one rule alone; the last is everything together.";

pub(super) const SELECTIVE_AFTER: &str = "\
Rules work together, so their effects do not add up: most of them are worth more when the others are on. Aspiration shows why:
a window around the last value saves work where the value stays inside, and costs a second search where it does not. What it comes
to in one position is chance, and a table that remembers the first search changes it again. What each is worth
in solved problems and in games is in docs/rules.md.";

pub(super) const BUDGETS_BEFORE: &str = "\
So every line has a budget and every move a price: a check or the push of a passed pawn to the seventh rank costs half a ply or
less, a dull move up to three. The line ends when the budget is spent. That follows combinations far, but there is a trap: the defender pays too. One dull move of
the defender between two forcing moves of the attacker costs more than both, and the line ends before its point: a horizon
of a new kind.

The remedy of the same authors is a budget for each side. A move is charged to the side that makes it, and the line goes on
while either side has something left (profile `sex-1989`). That keeps very many lines alive; here a blend of both amounts decides,
which is ours (profile `sex-two`). Black's b-pawn queens by force, and White has a free choice
among dull moves on the way:";

pub(super) const BUDGETS_AFTER: &str = "\
With one budget the push is seen later, because White's quiet replies eat what Black's moves need. The price
of two budgets is nodes: lines are kept alive that a shared budget would have ended. Which of the two is better at equal
nodes is a question for suites and games: docs/results/rules.md. `quarterply window search --profile sex-two --fen FEN`
shows both budgets of every node.";

pub(super) const QUIESCENCE_BEFORE: &str = "\
A search that ends at a fixed depth ends in the middle of things. One ply deep, the last move here may be the queen taking a
knight: the evaluation counts a knight won, and the pawn that takes the queen lies beyond the horizon.";

pub(super) const QUIESCENCE_BETWEEN: &str = "\
So a search does not end at its depth. From there on it looks at forcing moves only, mostly captures, and the side to move
may always stop and take the static value, because nobody is forced to capture. That is quiescence. Below, every depth is
searched without it and with it, by a textbook search that judges positions alike.";

pub(super) const QUIESCENCE_AFTER: &str = "\
Without quiescence the program takes the knight where its search ends with its own move. With it, the recapture is always seen.
The price is in the last column: most nodes of a real search are nodes of quiescence, and rules of their own keep them few:
captures that lose material on their square, and captures that cannot lift the value to alpha, are left out.";

pub(super) const NULL_BEFORE: &str = "\
If the side to move could pass and would still be so well off that the move before is refuted, then a real move will refute it
too, since passing is nearly always worse than the best move. So before any move the search passes, lets the opponent move
twice in a row, and looks some plies less deep. If even that reaches beta, the node is ended there.";

pub(super) const NULL_BETWEEN: &str = "\
The bet is lost where passing would be best: in zugzwang. White mates in two moves here, but only because Black must move.";

pub(super) const NULL_AFTER: &str = "\
With the null move the search believes that Black can wait. Programs do not pass where a side has nothing but pawns; here Black
has a bishop, and that guard does not help. Such positions are rare enough that every strong program takes the bet.";

pub(super) const REDUCTIONS_BEFORE: &str = "\
With a good order the best move is nearly always among the first. So late moves are searched less deep first, with a window
that only asks whether they are better than what is known. Nearly all are not, and that is cheap to hear. One that seems to
be better is searched again at full depth. Here is the middlegame of chapter 4, without and with reductions:";

pub(super) const REDUCTIONS_AFTER: &str = "\
What is saved grows with the depth, because reductions add up along a line. What is risked is a quiet move late in the order
whose point lies deeper than the reduced search sees. How much to reduce is the knob that programs turn most: by depth and place
in the order, less where the window is open, more where one move was expected to refute, by the history of the move.";

pub(super) const EXTENSIONS_BEFORE: &str = "\
The opposite bet: some moves cost less than a ply, so that lines with them go deeper. A check leaves few replies, and a series of
checks may end in mate, far beyond the depth of quiet moves. White's knight goes to g4 here, and an attack that rests on
checks wins. With one more ply for every check it comes into sight earlier:";

pub(super) const EXTENSIONS_AFTER: &str = "\
Extensions are paid for in nodes at every iteration, also where they find nothing. So today's programs extend little and
choose with care: a check that does not lose material, the only reply, the one move that stands out from all others.";

pub(super) const PRICES_BEFORE: &str = "\
Nothing says that a move must cost a ply, a quarter less or a half more. Search by interestingness (Levy, Broughton and Taylor,
1989; profile sex) prices every move by its kind. These are the first moves of the middlegame of chapter 4 with what they
are charged:";

pub(super) const REALIZATION_BEFORE: &str = "\
Realization probability (Tsuruoka, Yokoyama and Chikayama, 2002; profile realization) asks of every move how likely it is to be
played. A line is followed as far as it may really come about: a move of chance P costs -log2 P bits, and so many bits make a
ply. The chances were learned from the program's own games. The same moves as before, with the prices of this scheme:";

pub(super) const REALIZATION_AFTER: &str = "\
Likely moves cost less than a ply, unlikely ones two and more. What both sides avoid in games looks
unlikely also where it wins, so a dear move that beats alpha is searched again at the price of a ply. How well the chances
fit is in docs/realization.md.";

pub(super) const END: &str = "
Where to go from here
---------------------

  quarterply window model data/models/example-5.json --format log      every comparison in words
  quarterply window model --new 2x2x2                                  a tree of your own
  quarterply window search --fen FEN --depth 8                         the engine's tree, with every decision
  quarterply window why MOVE --fen FEN                                 why a move is not the best
  quarterply window diff --fen FEN --profile default --profile falcon  where two searches differ";
