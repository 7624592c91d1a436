# SPDX-License-Identifier: Apache-2.0
"""Checks of the triangles: each gives one finding per object, with the links and their shares."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from pipeline.base.reasons import Code, Finding, Severity
from pipeline.stages.verify.evidence import Evidence
from pipeline.stages.verify.shapes import LinkShape

SHOWN = 3  # links named in a finding
# Shares of a link's triangles or edges: most exported meshes have a few such.
DEGENERATE, DOUBLED, NONMANIFOLD = 0.05, 0.05, 0.05


def check_finite(evidence: Evidence) -> Iterator[Finding]:
    """Find links whose coordinates are not numbers; normalize rejects them, so none is expected."""
    if evidence.not_finite:
        detail = f"{_links(evidence.not_finite)}: coordinates that are not numbers."
        yield Finding(Code.MESH_NOT_FINITE, detail, Severity.ERROR)


def check_degenerate(evidence: Evidence) -> Iterator[Finding]:
    """Find links with many triangles without area."""
    shares = _shares(evidence, lambda shape: shape.flat.sum() / len(shape.faces))
    yield from _above(shares, DEGENERATE, Code.MESH_DEGENERATE, "of the triangles have no area")


def check_doubled(evidence: Evidence) -> Iterator[Finding]:
    """Find links with many duplicate triangles, independent of their winding."""
    shares = _shares(evidence, lambda shape: shape.repeated / len(shape.faces))
    what = "of the triangles repeat another one"
    yield from _above(shares, DOUBLED, Code.MESH_DOUBLED, what, Severity.INFO)


def check_manifold(evidence: Evidence) -> Iterator[Finding]:
    """Find links with many edges at which three or more faces meet."""
    shares = _shares(evidence, lambda shape: _share_of_edges(shape, lambda uses: uses > 2))
    what = "of the edges have three or more faces"
    yield from _above(shares, NONMANIFOLD, Code.MESH_NONMANIFOLD, what, Severity.INFO)


def check_open(evidence: Evidence) -> Iterator[Finding]:
    """Find links with an edge at which a surface ends; materials of one link count together."""
    shares = _shares(evidence, lambda shape: _share_of_edges(shape, lambda uses: uses == 1))
    what = "of the edges have one face, so the surface is not closed"
    yield from _above(shares, 0.0, Code.MESH_OPEN, what, Severity.INFO)


def check_inverted(evidence: Evidence) -> Iterator[Finding]:
    """Find links with closed parts whose faces all point inward."""
    shares = _shares(evidence, lambda shape: float(shape.inverted.mean()) if len(shape.inverted)
                     else 0.0)  # fmt: skip
    what = "of the connected parts are closed and inside out"
    yield from _above(shares, 0.0, Code.MESH_INVERTED, what)


def _share_of_edges(shape: LinkShape, select: Callable[..., object]) -> float:
    uses = shape.edges.uses
    return float(select(uses).mean()) if len(uses) else 0.0  # type: ignore[attr-defined]


def _shares(evidence: Evidence, figure: Callable[[LinkShape], float]) -> dict[str, float]:
    return {link: float(figure(shape)) for link, shape in evidence.shapes.items()}


def _above(
    shares: Mapping[str, float],
    least: float,
    code: Code,
    what: str,
    severity: Severity = Severity.WARNING,
) -> Iterator[Finding]:
    """Yield one finding about the links whose share exceeds `least`, the worst link first."""
    links = sorted((link for link in shares if shares[link] > least), key=lambda n: -shares[n])
    if links:
        worst = f"{100 * shares[links[0]]:.3g} %"
        detail = f"{_links(links)}: {'up to ' if len(links) > 1 else ''}{worst} {what}."
        yield Finding(code, detail, severity)


def _links(names: list[str] | tuple[str, ...]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"link{'s' if len(names) > 1 else ''} {', '.join(names[:SHOWN])}{more}"
