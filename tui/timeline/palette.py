"""The terminal's fixed colours, and the nearest of them to any colour."""

from __future__ import annotations

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


def distance(a: RGB, b: RGB) -> int:
    """How different two colours look: squared, weighted for the eye ("redmean")."""
    mean = (a[0] + b[0]) // 2
    red, green, blue = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    return ((512 + mean) * red * red >> 8) + 4 * green * green + ((767 - mean) * blue * blue >> 8)


@lru_cache(maxsize=4096)
def nearest_256(colour: RGB) -> int:
    """The entry from 16 to 255 that looks most like ``colour``."""
    return min(range(16, 256), key=lambda index: distance(colour, rgb_of_256(index)))


def visible(colour: RGB, ground: RGB, least: float = 3.0) -> RGB:
    """``colour``, lightened as far as it takes to stand out from ``ground``."""
    for percent in range(0, 101, 5):
        lighter = (
            colour[0] + (255 - colour[0]) * percent // 100,
            colour[1] + (255 - colour[1]) * percent // 100,
            colour[2] + (255 - colour[2]) * percent // 100,
        )
        if contrast(lighter, ground) >= least:
            return lighter
    return 255, 255, 255


def luminance(colour: RGB) -> float:
    """Relative luminance, 0 black to 1 white (WCAG)."""
    linear = [c / 3294.6 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: RGB, b: RGB) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG)."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)
