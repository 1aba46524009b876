"""Effect sizes in words: numbers in the units of the data, thresholds, and sentences about clusters."""

from collections.abc import Mapping
from math import ceil, floor, isfinite, log10
from typing import Any

DASH = "–"  # missing value
BARS = " ▁▂▃▄▅▆▇█"
ENGINES = {"python": "Python", "r": "R"}
DIGITS = 3  # significant digits of a number at least
LARGE = 1e7  # from here on in scientific notation


def numbers(*values: float) -> list[str]:
    """Numbers to be compared, with the same decimals: few, but enough to tell them apart.

    Examples
    --------
    >>> numbers(1115.7, 585.3), numbers(2.982, 1.5567), numbers(1000.2, 1000.9), numbers(2.5e9, 1.0)
    (['1,116', '585'], ['2.98', '1.56'], ['1,000.20', '1,000.90'], ['2.5e+09', '1'])
    """
    finite = [value for value in values if isfinite(value)]
    largest = max((abs(value) for value in finite), default=0.0)
    gap = max(finite, default=0.0) - min(finite, default=0.0)
    if not 1 / LARGE < largest < LARGE:
        return [f"{value:.{DIGITS}g}" if isfinite(value) else DASH for value in values]
    decimals = DIGITS - 1 - floor(log10(largest))
    if gap > 0:
        decimals = max(decimals, min(1 + ceil(-log10(gap)), 9))
    decimals = max(decimals, 0)
    if all(float(value).is_integer() for value in finite):
        decimals = 0
    return [f"{value:,.{decimals}f}" if isfinite(value) else DASH for value in values]


def share(value: float) -> str:
    """A share in per cent, with a decimal below one.

    Examples
    --------
    >>> share(0.314), share(0.004), share(0.0), share(0.9996)
    ('31%', '0.4%', '0%', '>99%')
    """
    if not isfinite(value):
        return DASH
    if 0.995 < value < 1:
        return ">99%"
    return f"{value:.1%}" if 0 < value < 0.01 else f"{value:.0%}"


def value_texts(effect: Mapping[Any, Any]) -> tuple[str, str]:
    """Means of the cluster and of its reference, medians with a heavy tail, or shares of the level."""
    if effect["level"]:
        return f"{effect['level']} {share(effect['value'])}", share(effect["reference_value"])
    here, there = numbers(*centers(effect))
    return here, there


def centers(effect: Mapping[Any, Any]) -> tuple[float, float]:
    """Means, or medians of a feature with a heavy tail."""
    if effect["heavy_tail"]:
        return effect["median"], effect["reference_median"]
    return effect["value"], effect["reference_value"]


def difference_text(effect: Mapping[Any, Any]) -> str:
    """The difference of the means or medians, or of the shares in percentage points."""
    if effect["level"]:
        return f"{100 * effect['difference']:+z.0f} pp"
    here, there = centers(effect)
    value = here - there
    if not isfinite(value):
        return DASH
    [text] = numbers(abs(value))
    return f"{'-' if value < 0 else '+'}{text}"


def size_text(effect: Mapping[Any, Any]) -> str:
    """Cliff's delta, or Cramér's V of a category."""
    if effect["level"]:
        return f"V {effect['cramers_v']:.2f}" if isfinite(effect["cramers_v"]) else DASH
    return f"{effect['cliffs_delta']:+z.2f}" if isfinite(effect["cliffs_delta"]) else DASH


def standardized_text(effect: Mapping[Any, Any]) -> str:
    """Hedges' g; "" for a category."""
    return f"{effect['hedges_g']:+z.1f}" if isfinite(effect["hedges_g"]) else ""


def interval_text(effect: Mapping[Any, Any]) -> str:
    """95% interval of the difference of means or shares; "" if medians are shown."""
    low, high = effect["difference_low"], effect["difference_high"]
    if effect["heavy_tail"] or not (isfinite(low) and isfinite(high)):
        return ""
    if effect["level"]:
        return f"{100 * low:+z.0f} to {100 * high:+z.0f} pp"
    texts = numbers(abs(low), abs(high))
    signs = ["-" if value < 0 else "+" for value in (low, high)]
    return " to ".join(sign + text for sign, text in zip(signs, texts, strict=True))


def condition_text(effect: Mapping[Any, Any]) -> str:
    """The best condition on this feature alone; "" if there is none."""
    if effect["direction"] == "=":
        return f"= {effect['level']}"
    if not effect["direction"] or not isfinite(effect["threshold"]):
        return ""
    return f"{effect['direction']} {threshold_text(effect)}"


def threshold_text(effect: Mapping[Any, Any]) -> str:
    """The threshold of the condition, or the level below it."""
    return effect["threshold_level"] or threshold(effect["threshold"])


def threshold(value: float) -> str:
    """A threshold with all its digits.

    Examples
    --------
    >>> threshold(1234.5), threshold(2.115)
    ('1,234.5', '2.115')
    """
    return f"{value:,.10g}" if abs(value) < LARGE else f"{value:g}"


def named(cluster: object) -> str:
    """Name of a cluster in a sentence: "north", but "cluster 2".

    Examples
    --------
    >>> named("north"), named("2"), named("rest")
    ('north', 'cluster 2', 'rest')
    """
    name = str(cluster)
    return f"cluster {name}" if name[-1:].isdigit() else name
