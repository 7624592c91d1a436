# SPDX-License-Identifier: Apache-2.0
"""The table of all baselines on a split, as Markdown, with the sentences that read it."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from aa_dataset.dataset import Dataset
from aa_dataset.score.baselines.folder import require_free
from aa_dataset.score.baselines.registry import BASELINES, Options, by_name, write_baseline
from aa_dataset.score.evaluate import Plan, evaluate_into
from aa_dataset.score.method import find_method
from aa_dataset.score.parameters import Parameters
from aa_dataset.score.readers import open_predictions
from aa_dataset.score.result.record import Result
from aa_dataset.score.result.scores import ALL_JOINTS
from aa_dataset.score.result.statistics import HEADLINE, OF_OBJECTS, RATE, SHARE

NAMES = tuple(baseline.name for baseline in BASELINES)
SIGMAS = (0.05, 0.1, 0.2, 0.4)
HEAD = ("baseline", "Gen %", "success %", "E_B [m]", "E_alpha^phi", "tree")
# Column, statistic, protocol, factor and unit of every number of a row.
_NUMBERS = (
    ("scored", SHARE, "", 100.0),
    ("parallel_safe_success", RATE, ALL_JOINTS, 100.0),
    ("e_b", HEADLINE, ALL_JOINTS, 1.0),
    ("e_alpha_phi", HEADLINE, ALL_JOINTS, 1.0),
    ("e_alpha_phi_tree", OF_OBJECTS, "", 1.0),
)
WIDTH = 116
SUCCESS, TREE = 1, len(_NUMBERS) - 1


@dataclass(frozen=True, slots=True)
class Number:
    """A mean with its interval; nan if undefined."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        """Return the mean to three digits, with the ends of the interval to two in brackets."""
        mean = _rounded(self.mean)
        if mean == _rounded(self.low) == _rounded(self.high):
            return mean
        return f"{mean} [{_rounded(self.low, 2)}, {_rounded(self.high, 2)}]"


@dataclass(frozen=True, slots=True)
class BaselineRow:
    """One baseline of the table: what it is called, whether it uses the truth, its numbers."""

    name: str
    marked_name: str
    numbers: tuple[Number, ...]


def rows_of_all(
    dataset: Dataset,
    folder: Path,
    *,
    seed: int = 0,
    only: Collection[str] = NAMES,
    tell: Callable[[str], object] = lambda text: None,
) -> list[BaselineRow]:
    """Write and score every baseline into a folder; return the rows of the table.

    Parameters
    ----------
    dataset : Dataset
        What is predicted and scored, with the default parameters.
    folder : Path
        Absent or empty; receives ``predictions/NAME`` and ``results/NAME``.
    seed : int
        Passed to every baseline.
    only : collection of str
        Baselines by name; default all.
    tell : callable
        Receives the name of each baseline before it starts.
    """
    require_free(folder)
    folder.mkdir(exist_ok=True)
    for name in ("predictions", "results"):
        (folder / name).mkdir()
    rows = []
    for name, options in choices(seed):
        if name not in only:
            continue
        label = by_name(name).label(options)
        tell(label)
        rows.append(_row(name, options, dataset, folder))
    return rows


def choices(seed: int) -> list[tuple[str, Options]]:
    """Return the baselines in the order of the table."""
    return [
        ("ground-truth", Options(seed)),
        ("rewritten", Options(seed)),
        *(("noise", Options(seed, sigma=sigma)) for sigma in SIGMAS),
        ("drop", Options(seed)),
        ("spurious", Options(seed)),
        ("wrong-type", Options(seed)),
        ("nearest", Options(seed)),
        ("mean-joint", Options(seed)),
        ("null", Options(seed)),
    ]


def _row(name: str, options: Options, dataset: Dataset, folder: Path) -> BaselineRow:
    label = by_name(name).label(options)
    place = label.replace(" ", "-")
    predictions = folder / "predictions" / place
    write_baseline(name, dataset, predictions, options=options)
    plan = Plan(
        dataset,
        open_predictions(predictions),
        Parameters(),
        find_method(predictions),
        workers=None,
        progress=True,
    )
    result, _ = evaluate_into(folder / "results" / place, plan)
    numbers = tuple(_number(result, *words) for words in _NUMBERS)
    return BaselineRow(label, result.method.marked_name, numbers)


def _number(result: Result, score: str, statistic: str, protocol: str, factor: float) -> Number:
    """Return one aggregate, of the first scale that the split has: metric before other objects."""
    found = result.summary.find(score, statistic, protocol=protocol)
    if found is None:
        nothing = float("nan")
        return Number(nothing, nothing, nothing)
    return Number(found.estimate * factor, found.low * factor, found.high * factor)


def title_of(dataset: Dataset) -> str:
    """Return how the table names its objects: by split and number."""
    return f"`{dataset.label.removeprefix('split ')}`, {len(dataset)} objects"


def markdown(rows: Sequence[BaselineRow], title: str) -> str:
    """Return the table and the sentences that read it.

    Parameters
    ----------
    rows : sequence of BaselineRow
        From `rows_of_all`.
    title : str
        What was predicted, from `title_of`.
    """
    lines = [f"| {' | '.join(HEAD)} |", f"|---|{'---:|' * (len(HEAD) - 1)}"]
    lines += [row_line(row) for row in rows]
    text = (textwrap.fill(part, WIDTH, break_on_hyphens=False) for part in _reading(rows, title))
    return "\n".join([*lines, "", *text]) + "\n"


def rows_content(rows: Sequence[BaselineRow], title: str) -> dict[str, Any]:
    """Return the table as JSON types; a number that is undefined is None."""
    columns = [score for score, *_ in _NUMBERS]
    found = []
    for row in rows:
        numbers = [
            {end: None if math.isnan(value) else value for end, value in asdict(number).items()}
            for number in row.numbers
        ]
        found.append({"name": row.name, **dict(zip(columns, numbers, strict=True))})
    return {"title": title, "rows": found}


def row_line(row: BaselineRow) -> str:
    """Return one line of the table."""
    mark = row.marked_name.removeprefix(row.name)
    return f"| {' | '.join([f'`{row.name}`{mark}', *map(str, row.numbers)])} |"


def _reading(rows: Sequence[BaselineRow], title: str) -> list[str]:
    """Return what the table says, with the numbers of its rows."""
    trees = {row.name: row.numbers[TREE].mean for row in rows}
    shown = {name: _rounded(mean) for name, mean in trees.items()}
    (rewritten,) = (row.numbers[SUCCESS].mean for row in rows if row.name == "rewritten")
    return [
        f"All on {title}; every joint, success in `parallel_safe`, lower is better except for Gen "
        "and success, 95 % intervals over objects; † uses the truth.",
        "Read the tree column like this: an object whose joints are all fixed costs "
        f"{shown['null']}, one joint of the usual kind of the category still "
        f"{shown['mean-joint']}, and the joints of the most similar training object "
        f"{shown['nearest']}, {_among_noises(trees)}. A method that stays above `nearest` has "
        "gained nothing over looking up a similar object. `rewritten` moves exactly like the "
        f"truth, so every E is 0, but {_rounded(rewritten)} % of its joints succeed: the "
        "success rate compares the origins of slides, which do not change a motion.",
    ]


def _among_noises(trees: dict[str, float]) -> str:
    """Return between which sizes of noise `nearest` lies."""
    names = [f"noise {sigma:g}" for sigma in SIGMAS]
    below = [name for name in names if trees[name] <= trees["nearest"]]
    if not below:
        return f"less than `{names[0]}`"
    if below[-1] == names[-1]:
        return f"more than `{names[-1]}`"
    return f"between `{below[-1]}` and `{names[names.index(below[-1]) + 1]}`"


def _rounded(value: float, digits: int = 3) -> str:
    """Return a number to some significant digits; below 1e-9 it is rounding and shown as 0."""
    if math.isnan(value):
        return "undefined"
    if abs(value) < 1e-9:
        return "0"
    if abs(value) >= 10 ** (digits - 1):
        return f"{value:.0f}"
    return f"{value:#.{digits}g}".rstrip(".")
