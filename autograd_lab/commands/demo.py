"""`autograd-lab demo`: a demonstration for a class, and votes on its questions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from socket import socket
from typing import Annotated

import typer

from autograd_lab.classroom.demos.demo import BUNDLED, Demo, load, make, run, title_of
from autograd_lab.classroom.demos.folder import FILES, presenter_page, write_demo
from autograd_lab.classroom.demos.lesson_questions import lesson_vote
from autograd_lab.classroom.demos.questions import QuestionError
from autograd_lab.commands.browser import Opened, hand_over, open_once_served
from autograd_lab.commands.exits import complaints
from autograd_lab.commands.listed import command_file
from autograd_lab.commands.options import Language, RealTorch, ScriptArguments, is_file
from autograd_lab.commands.terminal import say
from autograd_lab.display.script import TorchMissing, find_script
from autograd_lab.display.script import examples as bundled_examples
from autograd_lab.display.target import Misuse, folder_target, writing
from autograd_lab.view.kit.numeral import bytes_text

LOOPBACK = "127.0.0.1"
"""The address that only this machine itself can reach."""

EPILOG = """\b
Examples:
  autograd-lab demo                                     lists the demos that come along
  autograd-lab demo arriving-at-b                       a folder: pages to play and present, slide, trace, key
  autograd-lab demo arriving-at-b --open                … and opens its page in your browser
  autograd-lab demo arriving-at-b --vote --host 0.0.0.0 lets everybody in this network vote; Ctrl-C ends it
  autograd-lab demo L3.P1 --vote                        a question of a lesson; all of lesson 3: L3
  autograd-lab demo my_script.py -o lecture3            a demo of your own; questions are comments, such as
                                                          # ? What is b.grad now?
                                                          #   a) 4
                                                          #   b) 9 *          the star marks what is right"""
app = command_file()


def listing() -> str:
    """The demos that come along, one a line, with their titles."""
    width = max(map(len, BUNDLED))
    return "\n".join(f"{name:{width}}  {title_of(name)}" for name in BUNDLED)


def _named(incomplete: str) -> list[str]:
    """What a shell completes a demo to; nothing where a file begins so, for then it completes that."""
    return [] if is_file(incomplete) else [name for name in BUNDLED if name.startswith(incomplete)]


@app.command(epilog=EPILOG)
def demo(
    program: Annotated[
        str | None, typer.Argument(metavar="NAME|SCRIPT", help="A demo, or a script.", autocompletion=_named)
    ] = None,
    arguments: ScriptArguments = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Into which folder.  [default: NAME]")] = None,
    torch: RealTorch = False,
    vote: Annotated[bool, typer.Option("--vote", help="Let a class vote on its questions, in their browsers.")] = False,
    host: Annotated[str, typer.Option(help="With --vote: who can reach it; 0.0.0.0 is the whole network.")] = LOOPBACK,
    port: Annotated[int, typer.Option(min=0, max=65535, help="With --vote; 0 is any free one.")] = 8765,
    votes: Annotated[
        Path | None, typer.Option(help="With --vote: where votes are kept until Ctrl-C.  [default: NAME.votes]")
    ] = None,
    class_size: Annotated[
        int | None,
        typer.Option(min=1, max=2000, help="With --vote: how many find room.  [default: 200]"),
    ] = None,
    opened: Opened = False,
    language: Language = None,
) -> None:
    """Make a demo for a class: a page that plays it, a slide, a trace, the teacher's key. Without a name, list them."""
    if program is None:
        say(listing())
        return
    with complaints():
        if vote:
            asked = lesson_vote(program) or demo_of(program, arguments or [], torch)
            hold_vote(asked, (host, port), votes or Path(f"{asked.name}.votes"), class_size, opened)
            return
        folder = folder_target(output or Path(Path(program).stem), "a demo fills a folder")
        made = demo_of(program, arguments or [], torch)
        say(made.complaint, err=True, nl=False)
        with writing(folder):
            files = list(write_demo(made, folder))
        for file in files:
            say(f"{file}  {bytes_text(file.stat().st_size)}, {FILES[file.name]}")
        hand_over(files[0], opened)


def demo_of(program: str, arguments: list[str], torch: bool, examples: bool = False) -> Demo:
    """A demo that comes along, or one made of a program, or of a bundled example. Raises Misuse, OSError."""
    try:
        if program in BUNDLED:
            return run(program, torch=True) if torch else load(program)
        path = Path(program)
        if examples and not path.exists() and path.stem in bundled_examples():
            path = find_script(program)
        if not path.is_file():
            raise Misuse(f"there is no file {program}; demos that come along are {', '.join(BUNDLED)}")
        return make(path, arguments, torch)
    except (QuestionError, SyntaxError, UnicodeDecodeError) as error:
        raise Misuse(f"{program}: {error}") from None
    except TorchMissing as error:
        raise Misuse(str(error)) from None


def hold_vote(demo: Demo, where: tuple[str, int], votes: Path, class_size: int | None, opened: bool) -> None:
    """Let a class vote on the questions of a demo until Ctrl-C; if it ends otherwise, it goes on next time."""
    try:
        from autograd_lab.classroom.vote.ballots import Kept, Unkept
        from autograd_lab.classroom.vote.poll import Poll
        from autograd_lab.classroom.vote.roll import Refused
        from autograd_lab.classroom.vote.room import Room
        from autograd_lab.classroom.vote.serve import address_of, listen, serve
    except ImportError as error:
        raise Misuse(f"a vote needs more packages ({error.name}): pip install 'autograd-lab[classroom]'") from None
    with _listening(listen, *where) as listening:
        try:
            Poll(demo.questions)  # a demo without questions leaves no file
            kept = Kept(votes)
            room = Room(Poll(demo.questions, kept), presenter_page(demo))
        except (Refused, Unkept) as error:
            raise Misuse(str(error)) from None
        if class_size is not None:
            room.poll.resize(class_size)
        address = address_of(listening)
        say(f"You:      {address}/{room.teacher}/\nStudents: {address}/{room.students}/")
        say(f"{'Goes on with the' if len(room.poll.roll) else 'The'} votes in {votes}. Ctrl-C ends the vote.")
        if opened:
            open_once_served(f"{address}/{room.teacher}/")
        over = serve(room, listening)
    say("\n".join(room.poll.summary()))
    if over:
        kept.remove()
    else:
        kept.close()
        say(f"The same command goes on with the vote; to begin anew, delete {votes}.")


def _listening(listen: Callable[[str, int], socket], host: str, port: int) -> socket:
    try:
        return listen(host, port)
    except OSError as error:
        why = error.strerror or error
        raise Misuse(f"cannot listen at {host}:{port}: {why}; choose with --host and --port") from None
