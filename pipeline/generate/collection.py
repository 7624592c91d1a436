# SPDX-License-Identifier: Apache-2.0
"""Makes the whole generated collection: a raw source folder like any other."""

import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path

from tqdm import tqdm

from pipeline.base.errors import PipelineError
from pipeline.generate.emit import emit, object_files, remove
from pipeline.generate.layout import SourceLayout, object_name
from pipeline.generate.registry import family_categories, family_names

Member = tuple[str, int]


def members(count: int) -> list[Member]:
    """Return (family, index within family) of each object.

    Laps go round the sorted families; a family with n categories takes part in the first n laps of
    every round, so that a round holds each category of each family once.
    """
    if count < 0:
        raise ValueError(f"The generated collection cannot have {count} objects.")
    sizes = {name: len(family_categories(name)) for name in family_names()}
    lap = [(name, k) for k in range(max(sizes.values())) for name in sizes if sizes[name] > k]
    rounds = (divmod(i, len(lap)) for i in range(count))
    return [(lap[k][0], r * sizes[lap[k][0]] + lap[k][1]) for r, k in rounds]


def generate_collection(
    root: Path, *, seed: int, count: int, workers: int = 1, progress: bool | None = None
) -> list[str]:
    """Write the collection of this seed and count to a folder, and nothing else.

    Objects that exist with the same bytes are not written again; object folders of another
    collection and leftovers of killed runs are removed; other files are left alone.

    Parameters
    ----------
    root : Path
        Folder of the raw source, made if absent.
    seed : int
        Any integer >= 0; together with family and index it determines an object.
    count : int
        Number of objects.
    workers : int
        Processes; 1 works in this one.
    progress : bool, optional
        Whether to show a bar on stderr; by default only on a terminal.

    Returns
    -------
    list of str
        The object ids within the source, in order of generation.
    """
    root.mkdir(parents=True, exist_ok=True)
    wanted = members(count)
    names = [object_name(*member) for member in wanted]
    _remove_unwanted(root, keep=set(names))
    hidden = not (sys.stderr.isatty() if progress is None else progress)
    bar = tqdm(total=count, desc="generate", unit="object", file=sys.stderr, disable=hidden)
    with bar:
        for _ in _write_all(partial(_make_object, root=root, seed=seed), wanted, workers):
            bar.update()
    return names


def _make_object(member: Member, *, root: Path, seed: int) -> None:
    family, index = member
    files = object_files(family, index, seed=seed)
    emit(root, object_name(family, index), files=files)


def _write_all(make: partial[None], wanted: list[Member], workers: int) -> Iterator[None]:
    if workers <= 1:
        yield from map(make, wanted)
        return
    try:
        with ProcessPoolExecutor(max_workers=workers) as pool:
            yield from pool.map(make, wanted, chunksize=8)
    except BrokenProcessPool:
        raise PipelineError(
            "A worker process of the generator was killed. If nobody killed it, the machine ran "
            "out of memory. Finished objects are kept: run the command again."
        ) from None


def _remove_unwanted(root: Path, *, keep: set[str]) -> None:
    layout = SourceLayout(root)
    for leftover in layout.leftovers():
        shutil.rmtree(leftover)
    for name in layout.objects():
        if name not in keep:
            remove(root, name)
