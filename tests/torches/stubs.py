"""Empty libraries in the place of CUDA's, so that the CPU part of a PyTorch wheel can be imported without CUDA.

The wheels of PyPI are linked against some twenty libraries of 2 GB, of which an op on the CPU calls nothing. A stub has
the name, the symbols and the symbol versions that PyTorch's own libraries ask for; each of its functions returns 999,
which is "unknown error" to CUDA. Needs gcc, readelf and nm.
"""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from pathlib import Path

OWN = ("libtorch", "libc10", "libcaffe", "libshm")
CUDA = re.compile(
    r"(cudnn|cublas|cusparse|cusolver|cufft|curand|nccl|nvrtc|nvshmem|cupti|cuFile|nvtx|nvJitLink|cu[A-Z])"
)
SYSTEM = re.compile(r"lib(c|m|dl|pthread|rt|stdc\+\+|gcc_s|gomp|util|z|quadmath)\.so|ld-linux")

Versions = dict[str, set[str]]
"""Symbols by their version; those without one are under the empty name."""


def write_stubs(site_packages: Path) -> list[str]:
    """Write the libraries that are missing beside PyTorch's own, and return their names.

    Raises CalledProcessError if the compiler fails, FileNotFoundError if there is none.
    """
    folder = site_packages / "torch" / "lib"
    needed, symbols = set[str](), defaultdict[str, Versions](lambda: defaultdict(set))
    for library in sorted(folder.glob("*.so*")):
        if library.name.startswith(OWN):
            needed |= set(re.findall(r"NEEDED.*\[(.*?)\]", _said("readelf", "-d", library)))
            _collect(library, symbols)
    missing = sorted(name for name in needed if not (folder / name).exists() and not SYSTEM.match(name))
    unversioned = symbols.pop("", {}).get("", set())
    for name in missing:
        _compile(folder / name, symbols[name], unversioned if name == missing[0] else set())
    return missing


def _said(*command: str | Path) -> str:
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=True).stdout


def _collect(library: Path, symbols: dict[str, Versions]) -> None:
    """Note which symbols a library wants of which other one; of those without a version, nobody says."""
    whose: dict[str, str] = {}
    for file, version in re.findall(r"File: (\S+)|Name: (\S+)", _said("readelf", "-V", "-W", library)):
        current = file or current  # noqa: F821  a version comes after the file that it is of
        if version:
            whose.setdefault(version, current)
    for line in _said("nm", "-D", "--undefined-only", library).splitlines():
        name, _, version = line.split()[-1].partition("@")
        version = version.lstrip("@")
        if version:
            symbols[whose.get(version, "?")][version].add(name)
        elif CUDA.match(name):
            symbols[""][""].add(name)


def _compile(target: Path, versions: Versions, more: set[str]) -> None:
    names = sorted(set().union(*versions.values(), more))
    source, script = target.with_suffix(".stub.c"), target.with_suffix(".stub.map")
    source.write_text("\n".join([f"int {name}(void) {{ return 999; }}" for name in names] or ["int nothing;"]))
    options = [f"-Wl,-soname,{target.name}"]
    if versions:
        blocks = (
            f"{version} {{ global: {' '.join(f'{one};' for one in sorted(of))} }};" for version, of in versions.items()
        )
        script.write_text("\n".join(blocks))
        options.append(f"-Wl,--version-script={script}")
    subprocess.run(["gcc", "-w", "-shared", "-fPIC", "-o", target, *options, source], check=True)
    source.unlink()
    script.unlink(missing_ok=True)
