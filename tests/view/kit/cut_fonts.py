"""Cuts the faces of the pictures anew: `python -m tests.view.kit.cut_fonts NODE_MODULES DEJAVU_SANS_TTF`.

NODE_MODULES is the folder in which `npm i inter-ui@4 firacode@6` has put its packages, DEJAVU_SANS_TTF a file of
Debian's `fonts-dejavu-core`; fontTools and brotli have to be installed. Equal sources give equal bytes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[3] / "autograd_lab" / "view" / "kit" / "fonts"
WIDE = (
    "0020-007E,00A0-017F,0192,02C6-02DD,0300-0304,0307,0308,0370-03FF,0400-045F,1D2C-1D6A,2010-205E,2070-209F,20AC,"
    "2102,210B-2113,2115,211D,2122,2124,2135,2150-215F,2190-21FF,2200-22FF,2300-230F,2318,2322,2323,2329,232A,23CE,"
    "2500-25FF,2600,2605,2606,2610-2612,2639,263A,2660-2666,2690,2691,2693,2699,26A0,26A1,26D3,2701-2704,2708-270F,"
    "2713-2718,271A-271D,2731-2733,2744,2764,2776-2794,2798-27AF,27C2,27E8,27E9,27F5-27FF,2A00-2A06,2A09,2A2F,"
    "2B05-2B07,FFFD"
)
"""What a picture of an autograd graph may say."""
PAGE = {*range(32, 127), *map(ord, "·×−…‖∂→←²√Σ≈–∞≠≤≥↩✓₀₁₂ⁿα")}
"""What most pages say; the system has the rest."""
LETTERS = {*map(ord, "¡¿«»ªº‘’“”„‹›"), *range(0xC0, 0x180)} - {*map(ord, "×÷"), *PAGE}
"""What pages in other languages of Europe say besides."""
DROP = ["GDEF", "GSUB", "GPOS", "kern", "gasp", "MATH", "STAT", "DSIG", "meta", "MVAR", "HVAR", "FFTM"]
FACES = {
    "regular": "AutogradSans-Regular",
    "bold": "AutogradSans-SemiBold",
    "mono": "AutogradMono-Regular",
    "rest": "DejaVuSans-rest",
}
UNITS = 2048


def wide() -> Iterator[int]:
    """The code points of WIDE."""
    for part in WIDE.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first, 16), int(last or first, 16) + 1)


def bake(font: Any) -> None:
    """Tabular digits and the l with a tail become what the characters mean, so no feature is needed."""
    gsub, swap = font["GSUB"].table, {}
    for record in gsub.FeatureList.FeatureRecord:
        if record.FeatureTag in ("tnum", "cv05"):
            for index in record.Feature.LookupListIndex:
                for table in gsub.LookupList.Lookup[index].SubTable:
                    swap.update(getattr(getattr(table, "ExtSubTable", table), "mapping", {}))
    for table in font["cmap"].tables:
        for code, glyph in list(table.cmap.items()):
            if glyph in swap and (48 <= code < 58 or chr(code) in "+-−=×÷·.,:lI<>±"):
                table.cmap[code] = swap[glyph]


def cut(path: Path, characters: Iterable[int], family: str, style: str) -> Any:
    """A face with these characters alone, without kerning, ligatures and hints."""
    from fontTools import subset
    from fontTools.ttLib import TTFont

    font = TTFont(path, recalcTimestamp=False)
    if "Inter" in path.name:
        bake(font)
    options = subset.Options(
        layout_features=["mark"], hinting=False, glyph_names=False, name_IDs=[0, 1, 2, 4, 6, 13, 14]
    )
    options.drop_tables += DROP
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=characters)
    cutter.subset(font)
    names = font["name"]
    for number, text in ((1, family), (2, style), (4, f"{family} {style}"), (6, f"{family}-{style}".replace(" ", ""))):
        names.removeNames(nameID=number)
        names.setName(text, number, 3, 1, 0x409)
    return font


def page_face(path: Path, characters: Iterable[int]) -> Any:
    """One face for all weights of a page, of few characters and coarse units: a page carries it along."""
    from fontTools.ttLib.scaleUpem import scale_upem
    from fontTools.varLib import instancer

    font = cut(path, characters, "Autograd Sans", "Regular")
    font = instancer.instantiateVariableFont(font, {"opsz": 14, "wght": (400, 600)})
    scale_upem(font, 256)
    font.flavor = "woff2"
    return font


def advances(name: str) -> dict[int, int]:
    """The width of each character of a face, in 1/2048 em."""
    from fontTools.ttLib import TTFont

    font = TTFont(FOLDER / f"{name}.ttf")
    units = font["head"].unitsPerEm
    return {
        code: round(font["hmtx"][glyph][0] * UNITS / units, 2) for code, glyph in sorted(font.getBestCmap().items())
    }


def in_runs(widths: dict[int, int]) -> list[list[float]]:
    """`[first code point, width, width, …]` for each run of neighbours."""
    runs = groupby(enumerate(widths), lambda pair: pair[1] - pair[0])
    codes = [[code for _, code in run] for _, run in runs]
    return [[run[0], *(int(w) if (w := widths[code]) == int(w) else w for code in run)] for run in codes]


def main(modules: Path, dejavu: Path) -> None:
    """Write all faces, and their widths."""
    for style in ("Regular", "SemiBold"):
        font = cut(modules / f"inter-ui/web/Inter-{style}.woff2", wide(), "Autograd Sans", style)
        font.flavor = None
        font.save(FOLDER / f"AutogradSans-{style}.ttf")
    mono = cut(modules / "firacode/distr/ttf/FiraCode-Regular.ttf", wide(), "Autograd Mono", "Regular")
    mono.save(FOLDER / "AutogradMono-Regular.ttf")
    variable = modules / "inter-ui/variable/InterVariable.woff2"
    page_face(variable, PAGE).save(FOLDER / "AutogradSans-page.woff2")
    page_face(variable, LETTERS).save(FOLDER / "AutogradSans-letters.woff2")
    # Only what the others lack: a renderer that finds a whole text in another face draws all of it in that one.
    both = advances(FACES["regular"]).keys() & advances(FACES["mono"]).keys()
    cut(dejavu, set(wide()) - both, "DejaVu Sans rest", "Book").save(FOLDER / "DejaVuSans-rest.ttf")
    table = {face: in_runs(advances(name)) for face, name in FACES.items()}
    lines = ",\n".join(f'"{face}": {json.dumps(runs, separators=(",", ":"))}' for face, runs in table.items())
    (FOLDER / "widths.json").write_text("{\n" + lines + "\n}\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
