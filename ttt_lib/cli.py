"""The command ``ttt``: matches, exact results, the ledger, figures, and a game at the terminal.

Bad input ends with exit status 2 and one line on stderr.  With ``--json`` a
command prints one JSON object on stdout and nothing else.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ttt_lib import __version__
from ttt_lib.evidence.command import Parser, folder_named, run_command, stops_at_once
from ttt_lib.ultimate.board.rules import RULES

if TYPE_CHECKING:
    from ttt_lib.game.match import MatchResult


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status.

    In a process of its own, where no arguments are given here, Ctrl-C ends at once what writes
    nothing.
    """

    def asked(options: argparse.Namespace) -> None:
        with stops_at_once() if arguments is None and options.at_once else nullcontext():
            options.run(options)

    top = parser()
    _complete(top)
    return run_command(top, asked, arguments)


def _complete(top: argparse.ArgumentParser) -> None:
    """Answer a shell that asks for completions: ``eval "$(register-python-argcomplete ttt)"``."""
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete

        argcomplete.autocomplete(top)


def whole(text: str) -> int:
    """Read a whole number; its thousands may be set apart, as in ``4_000_000`` or ``4,000,000``.

    Raises
    ------
    ArgumentTypeError
        If it is not a whole number in plain digits.
    """
    grouped = re.fullmatch(r"-?[1-9][0-9]{0,2}(_[0-9]{3})+|-?[1-9][0-9]{0,2}(,[0-9]{3})+", text)
    return int(re.sub("[_,]", "", text)) if grouped else int(_plain(text, int))


def number(text: str) -> float:
    """Read a number.

    Raises
    ------
    ArgumentTypeError
        If it is not a number in plain digits.
    """
    return _plain(text, float)


def _plain(text: str, kind: type) -> float:
    from ttt_lib.catalog import plain_number

    try:
        return plain_number(text, kind, text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def seed(text: str) -> int:
    """Read a seed.

    Raises
    ------
    ArgumentTypeError
        If it is not a whole number, or is negative.
    """
    value = whole(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"a seed can't be negative: {value}")
    return value


def board(text: str) -> str:
    """Read the name of a board or of another game.

    Raises
    ------
    ArgumentTypeError
        If it is neither, or a board that is far too large.
    """
    from ttt_lib.catalog import BOARDS, GAMES, family

    if family(text) != BOARDS:
        return text
    others = " or ".join(f"{name}[:RULES]" for name in GAMES if name != BOARDS)
    return _size(text, f", or {others}")


def grid(text: str) -> str:
    """Read the name of a board of lines and cells, for what knows no other game.

    Raises
    ------
    ArgumentTypeError
        If it is none, or far too large.
    """
    return _size(text, "; no other game can be searched here")


def _size(text: str, others: str) -> str:
    """Read the size of a board; ``others``: what a message says of other games."""
    size = text.replace("X", "x")
    if not re.fullmatch(r"[0-9]+(x[0-9]+)*", size):
        told = f"unknown board size {text!r}: write it like 3x3, 4x4 or 4x4x4{others}"
        raise argparse.ArgumentTypeError(told)
    if max(map(len, size.split("x"))) > 4:
        raise argparse.ArgumentTypeError(f"{text} is too large: an edge has at most four digits")
    return size


def document(text: str) -> int:
    """Read the number of a document.

    Raises
    ------
    ArgumentTypeError
        If there is no such document, or the table that lists them can't be read.
    """
    from ttt_lib.evidence.documents import documents

    number = whole(text)
    try:
        known = documents()
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if number not in known:
        raise argparse.ArgumentTypeError(
            f"no document {number}; choose one of {', '.join(map(str, known))}"
        )
    return number


def _documents(**_: Any) -> list[str]:
    """The numbers of the documents, for completion."""
    from ttt_lib.evidence.documents import documents

    return [str(number) for number in documents()]


def parser() -> Parser:
    """The parser of all commands."""
    about = "Five ways to teach a machine Tic-Tac-Toe."
    top = Parser(prog="ttt", description=about)
    top.add_argument("--version", action="version", version=f"ttt {__version__}")
    commands = top.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser)
    for add in (
        _add_exact,
        _add_worst,
        _add_match,
        _add_ising_curve,
        _add_claims,
        _add_figures,
        _add_data,
        _add_bench,
        _add_play,
        _add_agents,
        _add_perft,
        _add_solve,
        _add_spectral,
        _add_ultimate,
    ):
        add(commands)
    return top


def _command(
    commands: Any, name: str, run: Any, about: str, *, has_json: bool = True, at_once: bool = True
) -> Parser:
    # argparse reads a percent sign in `help`, but not in `description`, as a format.
    added: Parser = commands.add_parser(name, help=about.replace("%", "%%"), description=about)
    added.set_defaults(run=run, at_once=at_once)
    if has_json:
        added.add_argument("--json", action="store_true", help="print one JSON object")
    return added


AN_AGENT = "an agent (see 'ttt agents')"
A_RULE_SET = f"{RULES[0]} (default), {', '.join(RULES[1:])}"
A_BOARD = f"3x3 (default), 4x4, 4x4x4, ..., ultimate, or ultimate:RULES; rules: {A_RULE_SET}"
A_DEVICE = "device for a residual network: cpu (default) or cuda"
ITS_SEED = "seed of the agent's choices (default: another in each game)"
"""Help of arguments that several commands have."""


def show(options: argparse.Namespace, found: dict[str, Any], text: str) -> None:
    """Print a result as text, or as one JSON object if that was asked for."""
    print(json.dumps(found, allow_nan=False) if options.json else text)


def _add_exact(commands: Any) -> None:
    command = _command(
        commands, "exact", _exact, "exact probabilities of a 3x3 match, from X's side"
    )
    command.add_argument("x", metavar="X_AGENT", help="agent that begins (see 'ttt agents')")
    command.add_argument("o", metavar="O_AGENT", help="agent that answers")


def _exact(options: argparse.Namespace) -> None:
    from ttt_lib.catalog import typed_agent
    from ttt_lib.game.board import Grid
    from ttt_lib.game.exact import exact_match
    from ttt_lib.game.gametree import solve

    outcome = exact_match(typed_agent(options.x), typed_agent(options.o), solve(Grid(3)))._asdict()
    found = {"x": options.x, "o": options.o, **{k: str(v) for k, v in outcome.items()}}
    lines = [f"{name:<5}{value!s:>24}  = {float(value):.6f}" for name, value in outcome.items()]
    show(options, found, "\n".join(lines))


def _add_worst(commands: Any) -> None:
    about = (
        "worst result that some opponent can reach, by exhaustive play, with a shortest such game"
    )
    command = _command(commands, "worst", _worst, about)
    command.add_argument("agent", metavar="AGENT", help=AN_AGENT)
    command.add_argument("--side", choices=("x", "o"), required=True, help="the agent's side")
    command.add_argument(
        "--board", type=grid, default="3x3", help="3x3, 4x4, 4x4x4, ... (default 3x3)"
    )
    command.add_argument(
        "--nodes", type=whole, help="give up after this many positions (default 20 million)"
    )


def _worst(options: argparse.Namespace) -> None:
    from ttt_lib.catalog import typed_agent
    from ttt_lib.game.budget import OutOfNodesError
    from ttt_lib.game.worst import NODES, worst

    side, nodes = 1 if options.side == "x" else -1, options.nodes
    nodes = NODES if nodes is None else nodes
    player = typed_agent(options.agent, options.board)
    try:
        found = worst(player, side, nodes=nodes, progress=sys.stderr.isatty())
    except OutOfNodesError:
        raise ValueError(f"not decided within {nodes:,} positions: raise --nodes") from None
    word = {1: "it wins every game", 0: "it can be held to a draw", -1: "it can lose"}[found.worst]
    text = f"{word}; moves {' '.join(map(str, found.line))}"
    show(options, {"worst": found.worst, "line": found.line}, text)


def _add_match(commands: Any) -> None:
    about = "simulated match with 95% Wilson intervals, from A's side"
    command = _command(commands, "match", _match, about)
    command.add_argument("a", metavar="A", help=AN_AGENT)
    command.add_argument("b", metavar="B", help="its opponent")
    command.add_argument("--board", type=board, default="3x3", help=A_BOARD)
    command.add_argument("--games", type=whole, default=1000, help="number of games (default 1000)")
    command.add_argument("--seed", type=seed, default=0, help="seed (default 0)")
    command.add_argument(
        "--sides", choices=("alternate", "first"), default="alternate",
        help="alternate (default): the two take turns at beginning; first: A always begins",
    )  # fmt: skip
    command.add_argument(
        "--openings", type=whole, default=0, metavar="PLIES",
        help="begin with up to PLIES random moves, none of which ends the game, and play each "
        "opening from both sides (default 0)",
    )  # fmt: skip


def _match(options: argparse.Namespace) -> None:
    from ttt_lib.catalog import typed_agent
    from ttt_lib.game.match import longest_opening, match, warm_up

    _check_pairs(options)
    a, b = (typed_agent(name, options.board) for name in (options.a, options.b))
    most = longest_opening(a.game)
    if options.openings > most:
        raise ValueError(
            f"--openings {options.openings} is too many for {a.game.name}: at most {most}"
        )
    for player in (a, b):
        warm_up(player)
    result = match(
        a,
        b,
        options.games,
        rng=options.seed,
        sides=options.sides,
        openings=options.openings,
        progress=sys.stderr.isatty(),
    )
    if result.warning:
        paired = options.sides == "alternate" and options.games % 2 == 0
        more = "" if paired else ", with an even number of --games and --sides alternate"
        print(f"ttt: {result.warning} (--openings {min(4, most)}{more})", file=sys.stderr)
    request = {k: getattr(options, k) for k in ("a", "b", "board", "seed", "sides", "openings")}
    show(options, {**result.as_dict(), **request}, _match_as_text(result))


def _check_pairs(options: argparse.Namespace) -> None:
    """Refuse openings in a match whose games don't come in pairs: each opening is played twice."""
    if options.openings > 0:
        if options.games % 2:
            raise ValueError(f"--openings needs an even --games, not {options.games:,}")
        if options.sides != "alternate":
            raise ValueError("--openings needs --sides alternate")


def _match_as_text(result: MatchResult) -> str:
    """Shares of the results and the score with their intervals, and the speed, a line each."""
    found, (low, high) = result.as_dict(), result.score_interval
    lines = [
        f"{name:<5}{found[name]:>8}  {found[name] / result.games:7.2%}"
        f"  [{interval.low:.2%}, {interval.high:.2%}]"
        for name, interval in result.intervals.items()
    ]
    of = " over pairs" if result.pairs else ""
    score = f"score {result.score:7.3f}  [{low:.3f}, {high:.3f}]{of}"
    rate = found["games_per_second"]
    speed = f"{rate:{'.0f' if rate >= 100 else '.3g'}} games per second"
    return "\n".join([*lines, score, speed])


def _add_ising_curve(commands: Any) -> None:
    about = "exact result of document 4's player for every bias b in [0, 1]"
    command = _command(commands, "ising-curve", _ising_curve, about)
    command.add_argument(
        "--board", type=str.lower, default="3x3", help="3x3 (default), or 4x4 from a stored table"
    )
    command.add_argument(
        "--energy", choices=("equation", "published"), default="equation",
        help="that of the document's equation (default), or that of its published program",
    )  # fmt: skip
    command.add_argument("--side", choices=("x", "o"), default="o", help="its side (default o)")
    command.add_argument(
        "--opponent", choices=("random", "minimax", "ising"), default="random",
        help="its opponent (default random; ising: itself)",
    )  # fmt: skip


CURVE = "range of b; the player's chances throughout it; closed form of its lower end"
"""What stands above the lines of a curve."""


def _ising_curve(options: argparse.Namespace) -> None:
    from ttt_lib.ising import curve

    given = (options.energy, options.side, options.opponent)
    if options.board not in ("3x3", "4x4"):
        raise ValueError(f"the exact curve is known on 3x3 and 4x4, not {options.board!r}")
    small = options.board == "3x3"
    rows = curve.rows_of(curve.named(*given)) if small else curve.stored(*given)
    show(options, curve.as_json(rows), f"{CURVE}\n{curve.as_text(rows)}")


def _add_claims(commands: Any) -> None:
    from ttt_lib.evidence.verdicts import VERDICTS

    command = _command(commands, "claims", _claims, "what became of every published number")
    asked = command.add_argument(
        "--document", type=document, metavar="N", help="list one document, by its number"
    )
    asked.completer = _documents  # type: ignore[attr-defined]  # argcomplete looks for it
    command.add_argument(
        "--find", metavar="TEXT",
        help="list what mentions a number or words, in our value and the reason, too",
    )  # fmt: skip
    command.add_argument(
        "--verdict",
        metavar="VERDICT",
        help=f"only the claims with that verdict: {', '.join(VERDICTS)}",
    )
    command.add_argument(
        "--csv", action="store_true", help="print a table, one claim per line; not with --json"
    )


def _claims(options: argparse.Namespace) -> None:
    from ttt_lib.evidence import claims, scorecard, store
    from ttt_lib.people.play import terminal_colour

    if options.csv and options.json:
        raise ValueError("--csv and --json exclude each other: choose one")
    rows = claims.load_results()
    if not rows and not claims.results_path().exists():
        raise ValueError(f"no ledger here: {store.missing(claims.results_path())}")
    names = list(rows[0]) if rows else list(claims.CONTRACT)
    rows = _chosen(options, rows)
    if options.csv:
        _as_csv(rows, names)
        return
    if options.document or options.verdict is not None or options.find is not None:
        text = "\n".join(map(scorecard.line, rows)) or "no claim in the ledger matches"
    else:
        text = scorecard.as_text(rows)
    told = [{key: row[key] for key in claims.CONTRACT if key in row} for row in rows]
    show(
        options,
        {"claims": told},
        terminal_colour.painted(text, terminal_colour.VERDICTS, sys.stdout),
    )


def _chosen(options: argparse.Namespace, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The claims that the options ask for."""
    from ttt_lib.evidence import scorecard
    from ttt_lib.evidence.verdicts import VERDICTS

    if options.document:
        rows = [row for row in rows if row["document"] == options.document]
    if options.verdict is not None:
        wanted = options.verdict.lower()
        if wanted not in VERDICTS:
            raise ValueError(f"unknown verdict {options.verdict!r}: {', '.join(VERDICTS)}")
        rows = [row for row in rows if row["verdict"] == wanted]
    return rows if options.find is None else scorecard.find(rows, options.find)


def _as_csv(rows: Sequence[dict[str, Any]], names: Sequence[str]) -> None:
    """Print claims as CSV below the names of their fields; lists as JSON."""
    out = csv.DictWriter(sys.stdout, names, lineterminator="\n", extrasaction="ignore")
    out.writeheader()
    for row in rows:
        out.writerow({k: json.dumps(v) if isinstance(v, list) else v for k, v in row.items()})


def _add_figures(commands: Any) -> None:
    about = "redraw figures (all, or the named ones)"
    command = _command(commands, "figures", _figures, about, at_once=False)
    command.add_argument("names", metavar="NAME", nargs="*", help="a figure (see --list)")
    command.add_argument(
        "--list", action="store_true", help="list what each figure shows and its source"
    )


def _add_data(commands: Any) -> None:
    _command(commands, "data", _data, "list stored long runs that today's code might not reproduce")


def _data(options: argparse.Namespace) -> None:
    from ttt_lib.evidence import provenance, store

    try:
        store.manifest()
    except ValueError as error:  # which names the file alone
        raise ValueError(f"{error}, in {store.data_dir()}{store.override()}") from None
    except FileNotFoundError as error:
        raise ValueError(store.missing(Path(error.filename))) from None
    found = provenance.ordered()
    print(provenance.as_json(found) if options.json else provenance.as_text(found))


def _figures(options: argparse.Namespace) -> None:
    from ttt_lib.evidence import figures, store

    for name in options.names:
        figures.entry(name)
    if options.list:
        entries = [figures.entry(name) for name in options.names or figures.manifest()]
        listed = "\n".join(figures.describe(one.name) for one in entries)
        show(options, {"figures": [asdict(one) for one in entries]}, listed)
        return
    store.checkout("to redraw figures")
    figures.check_sources(options.names or figures.manifest())
    paths = [str(path) for path in figures.build(options.names or None, figures.folder())]
    show(options, {"files": paths}, "\n".join(paths))


def _add_bench(commands: Any) -> None:
    about = "speed of the kernels beside reference loops, as ratios"
    _command(commands, "bench", _bench, about, at_once=False)  # it compiles in a temporary folder


def _bench(options: argparse.Namespace) -> None:
    from ttt_lib.evidence import bench, store
    from ttt_lib.ultimate.bench import INPUTS

    for file in INPUTS:  # before it measures for half a minute
        store.present(file)
    found = bench.run(progress=sys.stderr.isatty())
    show(options, found, bench.as_text(found))


def _add_play(commands: Any) -> None:
    about = "play against an agent: type the number of a cell, or undo, hint, scores, quit or help"
    command = _command(commands, "play", _play, about, has_json=False, at_once=False)
    command.add_argument("agent", metavar="AGENT", help=AN_AGENT)
    command.add_argument("--board", type=board, default="3x3", help=A_BOARD)
    command.add_argument("--side", choices=("x", "o"), default="x", help="your side (default x)")
    command.add_argument("--seed", type=seed, default=None, help=ITS_SEED)


def _play(options: argparse.Namespace) -> None:
    if sys.stdin is None:
        raise ValueError("there is no standard input to read moves from")
    with stops_at_once():
        from ttt_lib.catalog import typed_agent
        from ttt_lib.people.play.terminal import play

        player = typed_agent(options.agent, options.board)
    play(player, 1 if options.side == "x" else -1, rng=options.seed)


def _add_agents(commands: Any) -> None:
    _command(commands, "agents", _agents, "list all agents with their options")


def _agents(options: argparse.Namespace) -> None:
    from ttt_lib.catalog import AGENTS, SAFETY, VALUES, choices

    found = {
        name: {"options": e.options, "values": VALUES.get(name, {}), "about": e.about}
        for name, e in AGENTS.items()
    }
    lines = [
        f"\n{'':<14}".join(
            filter(None, (name.ljust(12) + e.about, e.usage or "(no options)", choices(name)))
        )
        for name, e in AGENTS.items()
    ]
    rule = f"{SAFETY + 'NAME':<12}any agent on an n^d board: win at once, else block, else ask it"
    show(options, {"agents": found}, "\n".join([*lines, rule]))


def _add_perft(commands: Any) -> None:
    about = "number of move sequences of Ultimate, by depth"
    command = _command(commands, "perft", _perft, about)
    command.add_argument("--depth", type=whole, required=True, help="largest number of moves")
    limit = "give up where a depth would have more (default 4 billion)"
    command.add_argument("--leaves", type=whole, default=4 * 10**9, help=limit)
    _add_position(command, required=False)


def _add_position(command: Parser, *, required: bool) -> None:
    where = (
        "a position in quotation marks: its 81 cells (x, o or .) row by row, the side to move "
        "(x or o), and the sub-board that it must move in (0 to 8 row by row; - for any); under "
        "keep-playing nine letters may follow that say who won each sub-board first"
    )
    command.add_argument("--rules", default=RULES[0], help=f"rules of Ultimate: {A_RULE_SET}")
    default = "" if required else " (default: the start)"
    command.add_argument("--position", required=required, help=where + default)


def _perft(options: argparse.Namespace) -> None:
    from ttt_lib.ultimate import cli_positions

    given = options.depth, options.position, options.rules, options.leaves
    show(options, *cli_positions.perft(*given, begin=lambda: _waits("counting")))


def _add_solve(commands: Any) -> None:
    about = "result, distance and best move of an Ultimate position under best play"
    command = _command(commands, "solve", _solve, about)
    _add_position(command, required=True)
    command.add_argument(
        "--nodes",
        type=whole,
        default=None,
        help="give up after this many nodes (default 200 million, about a minute)",
    )


def _solve(options: argparse.Namespace) -> None:
    from ttt_lib.ultimate import cli_positions

    given = options.position, options.rules, options.nodes
    show(options, *cli_positions.solve(*given, begin=lambda: _waits("solving")))


def _waits(work: str) -> None:
    """Tell who waits at a terminal what is going on, and how to stop it."""
    if sys.stderr.isatty():
        print(f"ttt: {work}; Ctrl-C stops it", file=sys.stderr)


def _add_spectral(commands: Any) -> None:
    from ttt_lib.spectral.flags import add_arguments

    about = "train and judge the linear policy on cosine features (document 2)"
    add_arguments(_command(commands, "spectral", _spectral, about), whole, number)


def _spectral(options: argparse.Namespace) -> None:
    from ttt_lib.spectral import cli as command

    found = command.study(options)
    show(options, found, command.as_text(found))


MAX_THREADS = 1024
TRAINING = (
    ("--threads", 1, None, "threads of self-play (default 1); on a GPU, processes"),
    ("--games", None, None, ("games against UCT (1,000 iterations) per strength measurement "
     "(default 40 for a table net, 0 for a residual one)")),
    ("--history", 0, "K", "keep the network of every K-th iteration (default 0: of none)"),
    ("--micro-batch", None, "N", ("learn a batch in parts of N samples, which takes less memory "
     "(default: all at once); a residual network's batch normalisation then sees each part alone")),
)  # fmt: skip
EVALUATION = (
    ("--simulations", 200, None, "simulations of the network's search per move (default 200)"),
    ("--iterations", 1000, None, "iterations of UCT per move (default 1000; 0: random play)"),
    ("--games", 100, None, "number of games, an even one (default 100)"),
    ("--solver", 0, None, ("number of playable cells up to which endgames are solved (default 0: "
     "the network plays alone)")),
)  # fmt: skip
"""Whole numbers among the options: flag, default, what stands for it in the help, the help."""


def _add_numbers(
    command: Parser, numbers: Iterable[tuple[str, int | None, str | None, str]]
) -> None:
    for flag, default, metavar, about in numbers:
        command.add_argument(flag, type=whole, default=default, metavar=metavar, help=about)


def _add_ultimate(commands: Any) -> None:
    about = "train, measure and play the agent of document 5"
    group: Parser = commands.add_parser("ultimate", help=about, description=about)
    parts = group.add_subparsers(required=True, metavar="ACTION", parser_class=Parser)
    about = "train from scratch, or resume"
    command = _command(parts, "train", _ultimate_train, about, at_once=False)
    command.add_argument(
        "--config",
        help="quick (default): some minutes; notebook: a minute; large: half an hour; "
        "lite: an hour; resnet, published: residual networks, a small one and the document's",
    )
    command.add_argument(
        "--seed", type=seed, default=None, help="seed (default 0; with --resume, the run's own)"
    )
    about = "folder of the run (default ultimate-run)"
    command.add_argument("--out", type=folder_named, default="ultimate-run", help=about)
    _add_numbers(command, TRAINING)
    command.add_argument("--device", default="cpu", help=A_DEVICE)
    command.add_argument("--resume", action="store_true", help="go on where the run stopped")
    command = _command(parts, "evaluate", _ultimate_evaluate, "match against UCT, paired openings")
    command.add_argument(
        "--checkpoint", default=None, help="a checkpoint's file (default: the stored networks)"
    )
    _add_numbers(command, EVALUATION)
    command.add_argument("--seed", type=seed, default=0, help="seed (default 0)")
    command.add_argument("--device", default="cpu", help=A_DEVICE)
    about = "play Ultimate against the agent of document 5, or another one"
    command = _command(parts, "play", _play, about, has_json=False, at_once=False)
    command.add_argument("--agent", default="alphazero", help=f"{AN_AGENT}; default alphazero")
    command.add_argument("--side", choices=("x", "o"), default="x", help="your side (default x)")
    command.add_argument("--seed", type=seed, default=None, help=ITS_SEED)
    command.set_defaults(board="ultimate")


def _ultimate_train(options: argparse.Namespace) -> None:
    from ttt_lib.ultimate import cli_training

    if not 1 <= options.threads <= MAX_THREADS:
        raise ValueError(f"--threads must be in 1..{MAX_THREADS:,}, not {options.threads:,}")
    found = cli_training.run(
        options.config, options.seed, options.out, options.threads, options.resume,
        options.games, options.device, options.history, options.micro_batch,
    )  # fmt: skip
    show(options, *found)


def _ultimate_evaluate(options: argparse.Namespace) -> None:
    from ttt_lib.ultimate import cli_training

    if options.checkpoint == "":
        raise ValueError("--checkpoint names no file")
    path = None if options.checkpoint is None else Path(options.checkpoint)
    show(options, *cli_training.evaluate(
        path, options.simulations, options.iterations, options.games, options.seed,
        solver=options.solver, device=options.device,
    ))  # fmt: skip
