"""`draw(loss)`: a picture of a trace, or of a graph that nobody recorded; notebooks show it, `save` writes it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from autograd_lab.compiler.compiled import Compiled, OptimizedModule
from autograd_lab.display.afterwards import tensors_in, trace_of
from autograd_lab.display.target import PICTURES, SUFFIXES, file_target, writing
from autograd_lab.events import ErrorRaised, Where
from autograd_lab.findings.diagnosis import aside
from autograd_lab.findings.finding import NOTE, Finding
from autograd_lab.trace import Trace, write_whole
from autograd_lab.view.alternative_text import alternative_to
from autograd_lab.view.graph.facts.fault import culprits_at
from autograd_lab.view.kit.font import text_width
from autograd_lab.view.kit.headline import Headline, said
from autograd_lab.view.kit.language import check_theme
from autograd_lab.view.kit.no_gc import undisturbed
from autograd_lab.view.languages.speaking import translated
from autograd_lab.view.pages.film_findings import in_words
from autograd_lab.view.picture_file import picture_file, png_file
from autograd_lab.view.png import PngUnavailable
from autograd_lab.view.scene import Scene, make_scene
from autograd_lab.view.slide import MARGIN, SUB, WIDTH
from autograd_lab.view.svg import to_svg
from autograd_lab.view.torchviz.gv import to_gv

Bundle = tuple[dict[str, Any], dict[str, Any]]


class Picture:
    """A scene at one step. Notebooks show it as PNG, or SVG where there is no PNG, with its caption for a text."""

    def __init__(
        self, trace: Trace, scene: Scene, step: int, theme: str = "light", scale: float = 2.0, poster: bool = False
    ) -> None:
        self.trace, self.scene, self.step, self.theme, self.scale = trace, scene, step, theme, scale
        self.poster = poster

    def __repr__(self) -> str:
        return f"<Picture of step {self.step} of {self.scene.steps}: {self.scene.caption(self.step)}>"

    @property
    def svg(self) -> str:
        """The picture as SVG."""
        return to_svg(self.scene, self.step, theme=self.theme, poster=self.poster)

    def png(self, scale: float | None = None) -> bytes:
        """The picture as PNG, `scale` pixels to a px: at 2 a slide is 2560 × 1440. Its headline and its caption are
        inside, as `Title` and `Description`. Raises PngUnavailable without resvg-py.
        """
        return png_file(self.svg, self.scale if scale is None else scale)

    def pdf(self) -> bytes:
        """The picture as a page of PDF: vectors, with words that can be searched. Raises PdfUnavailable without the
        extra `export`.
        """
        return picture_file(self.svg, ".pdf")

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write it, by suffix: .png, .svg, .pdf, .gv or the trace itself as .jsonl; the file appears whole or not.

        Raises ValueError for another suffix, OSError where nothing can be written, PdfUnavailable and PngUnavailable
        where the package for it is missing.
        """
        target = file_target(Path(path), SUFFIXES)
        with writing(target):
            match target.suffix.lower():
                case suffix if suffix in PICTURES:
                    write_whole(target, picture_file(self.svg, suffix, self.scale))
                case ".jsonl" | ".gz":
                    self.trace.save(target)
                case _:
                    write_whole(target, to_gv(self.scene, self.step).encode())
        return target

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Bundle:
        return _bundle(self)


class Drawing:
    """An SVG that is no graph, such as a strip. Notebooks show it as PNG, or as it is where there is no PNG."""

    def __init__(self, name: str, svg: str) -> None:
        self.name, self.svg = name, svg

    def __repr__(self) -> str:
        return f"<Drawing: {self.name}>"

    def png(self, scale: float = 1.5) -> bytes:
        """The drawing as PNG, `scale` pixels to a px. Raises PngUnavailable without resvg-py."""
        return png_file(self.svg, scale)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Bundle:
        return _bundle(self)


def _bundle(shown: Picture | Drawing) -> Bundle:
    """What a notebook shows, and what it says of the image to those who cannot see it."""
    bundle: dict[str, Any] = {"text/plain": repr(shown)}
    try:
        bundle["image/png"] = shown.png()
    except PngUnavailable:
        bundle["image/svg+xml"] = shown.svg
    return bundle, {"image/png": {"alt": alternative_to(shown.svg) or repr(shown)}}


def told_by(thing: Any, params: Any = None) -> Trace:
    """The trace that a thing is, that of how it was compiled, or one of what can be known of the graph behind it."""
    if isinstance(thing, Trace):
        return thing
    if isinstance(thing, Compiled | OptimizedModule):
        return thing.trace
    return trace_of(*tensors_in(thing), params=params)


def conclude(scene: Scene, poster: bool = False) -> None:
    """Have the last picture of a run say what is wrong with it, if no error at a node of its graph has; or the line to
    blame is in an iteration that is not shown."""
    stills = scene.poster if poster else scene.stills
    silent = [finding for finding in aside(scene.trace) if finding.severity != NOTE]
    if stills is not None and silent and not _is_seen(scene):
        stills.conclusion = _headline_of(silent[0])


def conclude_with(picture: Picture, finding: Finding) -> None:
    """Have a picture, of whatever step, say a finding in the place of the lesson of its step."""
    stills = picture.scene.poster if picture.poster else picture.scene.stills
    if stills is not None:
        stills.conclusion, stills.concluded = _headline_of(finding), picture.step


def _headline_of(finding: Finding) -> Headline:
    """What one sees of a finding, and below that the line that brought it about, or else in words what did."""
    finding = in_words(finding)
    told = [_told(each.words, each.where) for each in finding.cause if each.where is not None]
    told += [each.words for each in finding.cause if text_width(each.words, SUB) <= WIDTH - 2 * MARGIN]
    sentence = finding.sentence.rstrip(".:").replace("`", "")
    return Headline(sentence, _first_part(sentence), said(*(text.replace("`", "") for text in told[:1])))


def _first_part(sentence: str) -> str:
    """What comes before the first colon, comma or bracket that is not inside of code.

    >>> _first_part("f(a, b).mean() has no history, so there is nothing to go back through")
    'f(a, b).mean() has no history'
    """
    ends = (match.start() for match in re.finditer(r": |, | \(", sentence))
    whole = (sentence[:end] for end in ends if sentence[:end].count("(") == sentence[:end].count(")"))
    return next(whole, sentence)


def _is_seen(scene: Scene) -> bool:
    """Whether an error stopped at a node, and the picture knows which line did it."""
    if not any(isinstance(event, ErrorRaised) and event.node is not None for event in scene.trace):
        return False
    return scene.trace.course is None or any(culprits_at(scene.state(scene.steps))[1:])


def _told(words: str, where: Where) -> str:
    """What is said of a line, with as much of the line as there is room for below a headline."""
    texts = (f"{words}: {where}    {where.text}", f"{words}: {translated(f'line {where.line}', 'card')}", words)
    return next((text for text in texts if text_width(text, SUB) <= WIDTH - 2 * MARGIN), words)


def _step_of(scene: Scene, moment: str) -> int:
    return scene.steps if moment == "end" else scene.moments[moment]


@undisturbed
def draw(
    thing: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    step: int | None = None,
    at: str | None = None,
    params: Any = None,
    theme: str = "light",
    scale: float = 2.0,
    poster: bool = False,
    **options: Any,
) -> Picture:
    """A picture of a trace, of a function that `compile` gave, or of the graph behind tensors of this engine or of
    PyTorch, recorded or not.

    It is drawn after `step` events, or `at` a moment (forward, backward, end, error), by default after all. Without a
    recording, `params` (a dict, or a module) gives names to leaves. `options` are those of `make_scene` (`view`,
    `direction`, `root`, `depth`, `expand`, …). A recording has a `theme`: "light", "dark", or "grey" for print. As a
    `poster` it is a sheet of A3, or larger, with every op that there is room for and all of the code. It is written to
    `path` if that is given, by its suffix: .png (`scale` pixels to a px), .svg, .pdf, .gv or .jsonl.

    Raises NothingToDraw if nothing requires grad, RuntimeError if nothing of a compiled function was captured,
    TypeError for what is no tensor, ValueError for an unknown option or theme or a moment that there is not, IndexError
    for a step that there is not.
    """
    check_theme(theme)
    trace = told_by(thing, params)
    scene = make_scene(trace, **options)
    if step is not None and not 0 <= step <= scene.steps:
        raise IndexError(f"there are steps 0 to {scene.steps}, no step {step}")
    if step is not None and at is not None:
        raise ValueError(f"step={step} and at={at!r} both say when: give one of them")
    moment = at or "end"
    if moment != "end" and moment not in scene.moments:
        raise ValueError(f"this run has no moment {at!r}; it has {', '.join(scene.moments)}")
    conclude(scene, poster)
    picture = Picture(trace, scene, _step_of(scene, moment) if step is None else step)
    picture.theme, picture.scale, picture.poster = theme, scale, poster
    if path is not None:
        picture.save(path)
    return picture
