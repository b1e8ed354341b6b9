"""Scales from numbers to places along an axis, and the ticks of an axis."""

import math
from dataclasses import dataclass

#: Ticks that differ by less than this share of their size would have the same text, and are one tick.
SAME = 1e-5


@dataclass(frozen=True)
class Scale:
    """Places in per cent of the length of an axis, from `low` to `high`.

    Parameters
    ----------
    low, high : float
    is_log : bool, default=False
        Equal ratios are equally far apart; both ends must be positive.

    Examples
    --------
    >>> Scale(0, 20).place(5), Scale(1, 100, is_log=True).place(10), Scale(0, 20).place(30)
    (25.0, 50.0, 100.0)
    """

    low: float
    high: float
    is_log: bool = False

    def place(self, value: float) -> float:
        """Return where a value lies; values outside lie at an end."""
        low, high, value = map(math.log, (self.low, self.high, max(value, self.low))) if self.is_log else (
            self.low, self.high, value
        )  # fmt: skip
        share = 0.0 if high == low else (value - low) / (high - low)
        return round(100 * min(max(share, 0.0), 1.0), 2)

    def ticks(self, n_most: int = 6) -> list[float]:
        """Return round numbers along the axis.

        Examples
        --------
        >>> Scale(0, 13).ticks(), Scale(0.03, 20, is_log=True).ticks(), Scale(85, 300, is_log=True).ticks()
        ([0.0, 5.0, 10.0], [0.03, 0.1, 0.3, 1.0, 3.0, 10.0], [100.0, 200.0])
        """
        return _log_ticks(self.low, self.high, n_most) if self.is_log else _linear_ticks(self.low, self.high, n_most)


def number(value: float) -> str:
    """Write a number for a tick: short, without an exponent where people would write none.

    Examples
    --------
    >>> number(0.1), number(20), number(5000), number(1e-05), number(2.5e6)
    ('0.1', '20', '5,000', '1e-05', '2,500,000')
    """
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}"


def _linear_ticks(low: float, high: float, n_most: int) -> list[float]:
    raw = (high - low) / max(n_most - 1, 1)
    if raw <= SAME * max(abs(low), abs(high)):
        return [low]
    unit = 10.0 ** math.floor(math.log10(raw))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    decimals = 1 - math.floor(math.log10(step))
    return [round(place * step, decimals) for place in range(first, last + 1)]


def _log_ticks(low: float, high: float, n_most: int) -> list[float]:
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in ((1, 2, 5), (1, 3), (1,)):
        shown = [round(f * 10.0**e, 12) for e in exponents for f in factors if low <= f * 10.0**e <= high]
        if len(shown) <= n_most:
            return shown
    return shown[:: math.ceil(len(shown) / n_most)]
