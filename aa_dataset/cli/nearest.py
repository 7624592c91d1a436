# SPDX-License-Identifier: Apache-2.0
"""``aa nearest``: rank the objects of a library by kinematic distance to a given one."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aa_dataset.cli.arguments import add_json, add_library, add_norms
from aa_dataset.cli.terminal import say, say_json, table
from aa_dataset.errors import ArenaError

if TYPE_CHECKING:
    from aa_dataset.dataset import Dataset
    from aa_dataset.kinematics.trees import KinematicTree
    from aa_dataset.metric import Neighbor
    from aa_dataset.score.parameters import Parameters


def add_to(commands: Any) -> None:
    """Add the command and its options."""
    parser = commands.add_parser("nearest", help="find kinematically similar objects (E_alpha^phi)")
    parser.add_argument("object", metavar="OBJECT", help="object id, URDF, or its folder")
    add_library(parser)
    parser.add_argument("--count", type=int, default=10, help="neighbors to show; default 10")
    parser.add_argument("--split", help="search one split only, such as train")
    add_norms(parser)
    parser.add_argument("--budget", type=int, help="search steps per tree distance")
    add_json(parser)
    parser.set_defaults(run=run_nearest)


def run_nearest(arguments: argparse.Namespace) -> int:
    """Rank the library by exact tree distance and print the nearest objects."""
    from aa_dataset.load import load_default
    from aa_dataset.metric.tree.work import DEFAULT_BUDGET
    from aa_dataset.score.parameters import Parameters

    if arguments.count < 1:
        raise ArenaError(f"--count is {arguments.count}; it must be at least 1.")
    dataset = load_default(arguments.library, arguments.split)
    budget = DEFAULT_BUDGET if arguments.budget is None else arguments.budget
    parameters = Parameters(arguments.alpha, arguments.kappa, budget=budget)
    name, tree = _query_tree(arguments.object, dataset)
    found = rank(tree, dataset, arguments.count, parameters, without=name)
    if arguments.json:
        split = arguments.split and dataset.catalog.resolve_split(arguments.split)
        say_json(_json_content(name, dataset, split, parameters, found))
    else:
        say(_result_lines(name, dataset, parameters, found))
    return 0


def rank(
    tree: KinematicTree, dataset: Dataset, count: int, parameters: Parameters, *, without: str
) -> list[Neighbor]:
    """Return the nearest objects except `without`; ties are sorted by object id."""
    from aa_dataset.metric import SplitNorm, nearest_objects

    others = [item.tree for item in dataset if item.object_id != without]
    return nearest_objects(
        tree,
        others,
        k=count,
        norm=SplitNorm(parameters.alpha),
        compactify=parameters.kappa,
        budget=parameters.budget,
    )


def _query_tree(text: str, dataset: Dataset) -> tuple[str, KinematicTree]:
    """Return the name and tree of a library object or of a URDF file."""
    from aa_dataset.format.layout import ObjectLayout
    from aa_dataset.kinematics.urdf_tree import read_tree

    path = ObjectLayout(Path(text)).urdf if Path(text).is_dir() else Path(text)
    if path.is_file():
        return str(text), read_tree(path)
    item = dataset.catalog.row_of(text)
    return text, dataset.catalog.tree(item)


def _json_content(
    name: str,
    dataset: Dataset,
    split: str | None,
    parameters: Parameters,
    found: list[Neighbor],
) -> dict[str, Any]:
    from aa_dataset.score.parameters import METRIC_VERSION

    return {
        "object": name,
        "dataset": {
            "name": dataset.name,
            "revision": dataset.revision,
            "split": split,
            "objects": len(dataset),
        },
        "metric_version": METRIC_VERSION,
        "parameters": {key: getattr(parameters, key) for key in ("alpha", "kappa", "budget")},
        "neighbors": [
            {
                "object_id": neighbor.name,
                "category": dataset[neighbor.name].category,
                "distance": neighbor.distance,
                "exact": neighbor.exact,
            }
            for neighbor in found
        ],
    }


def _result_lines(
    name: str, dataset: Dataset, parameters: Parameters, found: list[Neighbor]
) -> list[str]:
    kappa = "pi" if parameters.kappa == math.pi else f"{parameters.kappa:g}"
    head = f"{name}: tree distance E_alpha^phi, alpha = {parameters.alpha:g} /m, kappa = {kappa}"
    rows = [
        (
            neighbor.name,
            dataset[neighbor.name].category,
            f"{neighbor.distance:.6g}",
            "exact" if neighbor.exact else "upper bound, budget exhausted",
        )
        for neighbor in found
    ]
    return [head, *table(("object", "category", "distance", "proof"), rows)]
