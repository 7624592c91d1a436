# SPDX-License-Identifier: Apache-2.0
"""Score profiles as a picture inside an HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from aa_dataset.score.comparison.draws import Estimate
from aa_dataset.score.comparison.measures import MEASURES
from aa_dataset.score.comparison.profiles import Curve, Profile
from aa_dataset.untrusted.foreign_text import plain_line

_WIDTH, _HEIGHT = 720, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 12, 10, 44
_COLORS = 8
# Methods beyond the colors differ by dashes.
_DASHES = ("", "6 3", "2 3", "8 3 2 3")
_TICKS = 4


def profile_figure(profile: Profile) -> Iterator[str]:
    """Yield the picture of one profile with its legend; bands are pointwise 95 % intervals."""
    measure = MEASURES[profile.key]
    unit = f" [{measure.unit}]" if measure.unit else ""
    yield "<figure>"
    yield (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="Share of objects below a '
        f'threshold of {measure.plain}; the table above has numbers">'
    )
    yield from _axes(profile, f"threshold of {measure.plain}{unit}")
    for k, curve in enumerate(profile.curves):
        yield _band(profile, curve, k)
    for k, curve in enumerate(profile.curves):
        yield _line(profile, curve, k)
    yield '</svg><figcaption><ul class="legend">'
    for k, curve in enumerate(profile.curves):
        name = escape(plain_line(curve.name)) + ("†" if curve.dagger else "")
        stroke = f'<line x1="0" y1="5" x2="32" y2="5" class="curve" {_pen(k)}/>'
        yield f'<li><svg viewBox="0 0 32 10" aria-hidden="true">{stroke}</svg>{name}</li>'
    yield "</ul></figcaption></figure>"


def _x(profile: Profile, threshold: float) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * threshold / profile.thresholds[-1]


def _y(percent: float) -> float:
    return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - percent / 100)


def _points(pairs: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in pairs)


def _pen(place: int) -> str:
    dash = _DASHES[(place // _COLORS) % len(_DASHES)]
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'style="stroke:var(--c{place % _COLORS})"{dashed}'


def _axes(profile: Profile, title: str) -> Iterator[str]:
    bottom, right = _y(0), _WIDTH - _RIGHT
    for k in range(_TICKS + 1):
        percent = 100 * k / _TICKS
        y = _y(percent)
        yield f'<line class="axis" x1="{_LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}"/>'
        yield f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{percent:g} %</text>'
        threshold = profile.thresholds[-1] * k / _TICKS
        x = _x(profile, threshold)
        anchor = "end" if k == _TICKS else "middle"
        yield f'<text x="{x:.1f}" y="{bottom + 16:.1f}" text-anchor="{anchor}">{threshold:g}</text>'
    middle = (_LEFT + right) / 2
    yield f'<text x="{middle:.1f}" y="{_HEIGHT - 6}" text-anchor="middle">{title}</text>'


def _band(profile: Profile, curve: Curve, place: int) -> str:
    above = [(_x(profile, t), _y(s.high)) for t, s in _pairs(profile, curve)]
    below = [(_x(profile, t), _y(s.low)) for t, s in _pairs(profile, curve)]
    color = f"fill:var(--c{place % _COLORS})"
    return f'<polygon class="band" style="{color}" points="{_points([*above, *below[::-1]])}"/>'


def _line(profile: Profile, curve: Curve, place: int) -> str:
    points = [(_x(profile, t), _y(s.value)) for t, s in _pairs(profile, curve)]
    return f'<polyline class="curve" {_pen(place)} points="{_points(points)}"/>'


def _pairs(profile: Profile, curve: Curve) -> list[tuple[float, Estimate]]:
    return list(zip(profile.thresholds, curve.shares, strict=True))
