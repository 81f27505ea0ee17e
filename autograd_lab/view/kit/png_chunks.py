"""The chunks that a PNG consists of (W3C, Portable Network Graphics, third edition, 2025)."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(kind: bytes, content: bytes) -> bytes:
    """One chunk with its length and its checksum."""
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Kind and content of each chunk."""
    at = len(SIGNATURE)
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        at += 12 + length


def with_words(png: bytes, words: Mapping[str, str]) -> bytes:
    """The same picture with texts that programs find under their keywords, such as `Title` and `Description`."""
    told = b"".join(chunk(b"iTXt", _words(key, text)) for key, text in words.items() if text)
    end = len(SIGNATURE) + len(chunk(b"IHDR", bytes(13)))  # the header comes first, always, and has always this size
    return png[:end] + told + png[end:]


def words_of(png: bytes) -> dict[str, str]:
    """The texts of a picture by their keywords."""
    told = (content for kind, content in chunks(png) if kind == b"iTXt")
    return {key.decode("latin-1"): rest[2:].split(b"\0", 2)[-1].decode() for key, _, rest in map(_parted, told)}


def _words(key: str, text: str) -> bytes:
    """Uncompressed, of no language and with no translated keyword."""
    return key.encode("latin-1") + b"\0\0\0\0\0" + text.encode("utf-8", "replace")


def _parted(content: bytes) -> tuple[bytes, bytes, bytes]:
    return content.partition(b"\0")
