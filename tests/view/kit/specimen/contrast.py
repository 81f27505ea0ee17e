"""How far two colours stand apart, as WCAG 2.2 measures it."""

from __future__ import annotations

from collections.abc import Sequence


def linear(colour: str) -> list[float]:
    """Red, green and blue as light."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]


def written(rgb: Sequence[float]) -> str:
    """Light as a colour."""
    light = [min(1.0, max(0.0, value)) for value in rgb]
    return "#" + "".join(
        f"{round(255 * (12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055)):02x}" for c in light
    )


def luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, two: str) -> float:
    low, high = sorted((luminance(one), luminance(two)))
    return (high + 0.05) / (low + 0.05)
