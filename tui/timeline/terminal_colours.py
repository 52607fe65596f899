"""The terminal's fixed colours, and the nearest of them to any colour."""

from __future__ import annotations

import math
from functools import lru_cache

RGB = tuple[int, int, int]

GROUND: RGB = (0x0E, 0x13, 0x18)
"""The ground that the colours were chosen on; what a picture is painted on."""
CUBE = (0, 95, 135, 175, 215, 255)
"""Levels of the 6x6x6 cube, palette entries 16 to 231."""
ANSI_16: tuple[RGB, ...] = (
    (0, 0, 0), (170, 0, 0), (0, 170, 0), (170, 85, 0),
    (0, 0, 170), (170, 0, 170), (0, 170, 170), (170, 170, 170),
    (85, 85, 85), (255, 85, 85), (85, 255, 85), (255, 255, 85),
    (85, 85, 255), (255, 85, 255), (85, 255, 255), (255, 255, 255),
)  # fmt: skip
"""What the sixteen named colours look like on a plain terminal (each terminal has its own)."""


def rgb_of_256(index: int) -> RGB:
    """The colour of a palette entry; 0 to 15 as on a plain terminal."""
    if index < 16:
        return ANSI_16[index]
    if index >= 232:
        level = 8 + 10 * (index - 232)
        return level, level, level
    index -= 16
    return CUBE[index // 36], CUBE[index // 6 % 6], CUBE[index % 6]


def distance(a: RGB, b: RGB) -> float:
    """How different two colours look: in Oklab, where 0.02 is just noticed and 1 is black against white."""
    return math.dist(oklab(a), oklab(b))


@lru_cache(maxsize=4096)
def oklab(colour: RGB) -> tuple[float, float, float]:
    """Lightness and the two opponent hues of a colour (Ottosson 2020)."""
    red, green, blue = map(linear, colour)
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    medium = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


@lru_cache(maxsize=4096)
def nearest_256(colour: RGB) -> int:
    """The entry from 16 to 255 that looks most like ``colour``."""
    return min(range(16, 256), key=lambda index: distance(colour, rgb_of_256(index)))


def visible(colour: RGB, ground: RGB, least: float = 3.0) -> RGB:
    """``colour``, lightened as far as it takes to stand out from ``ground``."""
    for percent in range(0, 101, 5):
        red, green, blue = (level + (255 - level) * percent // 100 for level in colour)
        if contrast((red, green, blue), ground) >= least:
            return red, green, blue
    return 255, 255, 255


def linear(level: int) -> float:
    """An sRGB level, 0 to 255, as a share of light."""
    return level / 3294.6 if level <= 10 else float(((level / 255 + 0.055) / 1.055) ** 2.4)


def luminance(colour: RGB) -> float:
    """Relative luminance, 0 black to 1 white (WCAG)."""
    red, green, blue = map(linear, colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a: RGB, b: RGB) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG)."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)
