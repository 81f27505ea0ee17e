"""How fast this is beside others, as ratios within one run: `python -m tests.bench engine`, `pictures` or so."""

from __future__ import annotations

import argparse
import os

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def main() -> None:
    for name in THREADS:  # before numpy is imported: two threads that wait for each other measure the waiting
        os.environ.setdefault(name, "1")
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench",
        description="Compare with PyTorch and with Python peers, interleaved in one run. Install what is to be "
        "compared (pip install --group bench); what is missing is left out.",
        epilog="example: python -m tests.bench engine --only W1 W3 --rounds 30",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="engine | memory | …")
    engine = commands.add_parser("engine", help="forward, backward and training steps, recorder off and on")
    engine.add_argument("--rounds", type=int, default=12, help="rounds, of which the best and the median count (12)")
    engine.add_argument("--only", nargs="*", default=[], metavar="W", help="only these workloads, such as W1 W3")
    engine.add_argument("--no-peers", action="store_true", help="PyTorch alone, not HIPS autograd, micrograd, tinygrad")
    commands.add_parser("bytecodes", help="bytecodes of a step, for the table that a test holds the engine to")
    commands.add_parser("floors", help="recording beside a listener that finds out nothing: what is left to save")
    compile = commands.add_parser("compile", help="compiled functions, pass by pass, beside PyTorch's")
    compile.add_argument("--rounds", type=int, default=8, help="rounds, of which the best counts (8)")
    compile.add_argument("--only", default="", help="only rows whose name contains this")
    compile.add_argument("--no-inductor", dest="inductor", action="store_false", help="without torch.compile")
    memory = commands.add_parser("memory", help="bytes held after forward and backward, and graphs of great depth")
    memory.add_argument("--depth", type=int, default=100_000, help="nodes of the deep chain (100000)")
    techniques = commands.add_parser("techniques", help="half precision and checkpoints: bytes and time, with / plain")
    techniques.add_argument("--rounds", type=int, default=10, help="rounds, of which the best counts (10)")
    pictures = commands.add_parser("pictures", help="from a model to SVG and PNG, beside torchviz and others")
    pictures.add_argument("--rounds", type=int, default=5, help="rounds, of which the median counts (5)")
    pictures.add_argument("--patience", type=float, default=30, help="seconds after which a peer is stopped (30)")
    pictures.add_argument("--only", default="", help="only rows whose name contains this")
    page = commands.add_parser("page", help="pages of 20 to 5,000 nodes: size, making, first paint, steps in Chromium")
    page.add_argument("--nodes", type=int, nargs="+", default=[20, 200, 1000, 5000], help="nodes (20 200 1000 5000)")
    page.add_argument("--rounds", type=int, default=3, help="times that each page is opened (3)")
    recording = commands.add_parser("recording", help="a training step of PyTorch models, recorded and not")
    recording.add_argument("--rounds", type=int, default=5, help="rounds, of which the median counts (5)")
    recording.add_argument("--only", default="", help="only models whose name contains this")
    movies = commands.add_parser("movies", help="patches of a movie beside whole pictures, and GIF files")
    movies.add_argument("--only", default="", help="only examples whose name contains this")
    vote = commands.add_parser("vote", help="how long the votes of a class take to be counted")
    vote.add_argument("--phones", type=int, default=200, help="browsers that vote in one moment (200)")
    class_ = commands.add_parser("hub", help="time and memory of a class on JupyterHub")
    class_.add_argument("--students", type=int, default=8, help="servers that start at once (8)")
    options = parser.parse_args()
    if options.command == "engine":
        from tests.bench import engine as chosen
    elif options.command == "bytecodes":
        from tests.bench import bytecodes as chosen
    elif options.command == "floors":
        from tests.bench import floors as chosen
    elif options.command == "compile":
        from tests.bench import compile as chosen
    elif options.command == "memory":
        from tests.bench import memory as chosen
    elif options.command == "techniques":
        from tests.bench import techniques as chosen
    elif options.command == "pictures":
        from tests.bench import pictures as chosen
    elif options.command == "movies":
        from tests.bench import movies as chosen
    elif options.command == "page":
        from tests.bench import page as chosen
    elif options.command == "hub":
        from tests.bench import hub as chosen
    elif options.command == "vote":
        from tests.bench import vote as chosen
    else:
        from tests.bench import recording as chosen
    chosen.run(options)


if __name__ == "__main__":
    main()
