# SPDX-License-Identifier: Apache-2.0
"""PyTorch: a dataset by number, a stream with shards for workers, and batches of ragged joints.

Both give one `Sample` per object. Objects have different numbers of joints: `padded` makes them
equal with a mask, `flat` puts them one after the other with offsets. Either goes into a
`DataLoader` as ``collate_fn``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.dataset import Dataset
from aa_dataset.errors import ArgumentError, MissingExtraError
from aa_dataset.metric.losses import smooth_loss
from aa_dataset.objects import ArticulatedObject

try:
    import torch
    from torch.nn.utils.rnn import pad_sequence
    from torch.utils import data
except ImportError as error:
    raise MissingExtraError("the torch adapter", "torch", error) from error

Sample = dict[str, Any]
Transform = Callable[[ArticulatedObject, Sample], Any]

JOINT_FIELDS = ("screws", "limits", "types", "masses", "centers", "inertias")


class Reader:
    """Makes the sample of an object of one library.

    A sample is a dict with ``object_id`` and, for its j movable joints and n points, the tensors
    ``screws`` (j, 6), ``limits`` (j, 2), ``types`` (j,), ``masses`` (j,), ``centers`` (j, 3),
    ``inertias`` (j, 3, 3), and ``points`` (n, 3), ``normals`` (n, 3), ``links`` (n,) if there are
    points. All are float32 or int64 in the object frame at rest, in m, rad and kg; joints are in
    the order of the joints table, types as in `JointArrays` and links as in `PointSample`.

    Parameters
    ----------
    dataset : Dataset
        A selection of the library.
    points : int
        Points on the surface, 0 for none (extra ``mesh``).
    seed : int
        Of the points.
    transform : function of object and sample, optional
        Its result takes the place of the sample; it may add fields, or read files.
    """

    def __init__(
        self,
        dataset: Dataset,
        *,
        points: int = 0,
        seed: int = 0,
        transform: Transform | None = None,
    ):
        self.dataset, self.points, self.seed, self.transform = dataset, points, seed, transform
        self._joints = _Joints.of(dataset)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without the arrays, which a worker makes itself."""
        return _reader, (self.dataset, self.points, self.seed, self.transform)

    def __call__(self, item: ArticulatedObject) -> Any:
        """Return the sample of an object."""
        sample: Sample = {"object_id": item.object_id, **self._joints.tensors(item.row)}
        if self.points:
            drawn = item.sample_points(self.points, self.seed)
            sample["points"] = torch.from_numpy(drawn.points.astype(np.float32))
            sample["normals"] = torch.from_numpy(drawn.normals.astype(np.float32))
            sample["links"] = torch.from_numpy(drawn.link)
        return sample if self.transform is None else self.transform(item, sample)


def _reader(dataset: Dataset, points: int, seed: int, transform: Transform | None) -> Reader:
    return Reader(dataset, points=points, seed=seed, transform=transform)


@dataclass(frozen=True, slots=True, eq=False)
class _Joints:
    """The joints of a whole library; those of row k are ``starts[k]:starts[k + 1]``."""

    columns: dict[str, NDArray[Any]]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, dataset: Dataset) -> _Joints:
        arrays = Dataset(dataset.catalog).joint_arrays()
        names = (name for name in JOINT_FIELDS if name != "types")
        columns = {name: getattr(arrays, name).astype(np.float32) for name in names}
        columns |= {
            name: np.nan_to_num(columns[name]) for name in ("masses", "centers", "inertias")
        }
        return cls({**columns, "types": arrays.types}, arrays.starts)

    def tensors(self, row: int) -> dict[str, torch.Tensor]:
        """Return the joints of one object; copies, because a view would be sent with the whole."""
        span = slice(self.starts[row], self.starts[row + 1])
        return {name: torch.from_numpy(self.columns[name][span].copy()) for name in JOINT_FIELDS}


class ObjectDataset(data.Dataset[Any]):
    """The samples of a selection by number, for `DataLoader` with its own order and samplers.

    Parameters
    ----------
    dataset : Dataset
    points, seed, transform
        As for `Reader`.
    """

    def __init__(
        self,
        dataset: Dataset,
        *,
        points: int = 0,
        seed: int = 0,
        transform: Transform | None = None,
    ):
        self.dataset = dataset
        self.read = Reader(dataset, points=points, seed=seed, transform=transform)

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, index: int) -> Any:
        """Return the sample of one object."""
        return self.read(self.dataset[index])


class ObjectStream(data.IterableDataset[Any]):
    """The samples of a selection one after another; every worker has a part of the objects.

    With `workers` processes of a `DataLoader` and `world_size` training processes, each object
    comes once per epoch: worker w of rank r has the objects at places ``r + world_size * w``, and
    then every ``world_size * workers``-th.

    Parameters
    ----------
    dataset : Dataset
    shuffle : bool
        Whether every epoch has an order of its own, the same in all processes; see `set_epoch`.
    rank, world_size : int
        Of this training process.
    points, seed, transform
        As for `Reader`; the seed is that of the order as well.
    """

    def __init__(
        self,
        dataset: Dataset,
        *,
        shuffle: bool = False,
        rank: int = 0,
        world_size: int = 1,
        points: int = 0,
        seed: int = 0,
        transform: Transform | None = None,
    ):
        if not 0 <= rank < world_size:
            raise ArgumentError(f"`rank` is {rank}; it must be from 0 to {world_size - 1}.")
        self.dataset = dataset
        self.read = Reader(dataset, points=points, seed=seed, transform=transform)
        self.shuffle, self.rank, self.world_size = shuffle, rank, world_size
        # Shared, because workers that stay alive between epochs have copies of everything else.
        self._epoch = torch.zeros((), dtype=torch.int64)
        self._epoch.share_memory_()  # type: ignore[no-untyped-call]

    @property
    def epoch(self) -> int:
        """The epoch whose order the next iteration has."""
        return int(self._epoch)

    def set_epoch(self, epoch: int) -> None:
        """Choose the order of the next iteration; call it before every epoch."""
        self._epoch.fill_(epoch)

    def __len__(self) -> int:
        """Return the number of objects of this rank, over all its workers."""
        return len(range(self.rank, len(self.dataset), self.world_size))

    def __iter__(self) -> Iterator[Any]:
        info = data.get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        chosen = self.dataset
        if self.shuffle:
            # Two numbers in one seed: the order of one epoch is no other seed's of another epoch.
            chosen = chosen.shuffle(self.read.seed * 1_000_003 + self.epoch)
        part = chosen[self.rank + self.world_size * worker :: self.world_size * workers]
        return map(self.read, part)


def loader(dataset: Dataset, batch_size: int = 16, *, workers: int = 0, **options: Any) -> Any:
    """Return a `DataLoader` of a selection in its order, with batches as `padded` makes them.

    Parameters
    ----------
    dataset : Dataset
        For batches in another order, pass ``dataset.shuffle(seed)``.
    batch_size, workers : int
        Objects of a batch, and processes that read them.
    options
        `points`, `seed` and `transform`, as for `Reader`.
    """
    samples = ObjectDataset(dataset, **options)
    return data.DataLoader(samples, batch_size, num_workers=workers, collate_fn=padded)


def joint_loss(
    guess: torch.Tensor, batch: Mapping[str, torch.Tensor], *, compactify: float = math.pi
) -> torch.Tensor:
    """Return the mean of `smooth_loss` over the joints that a batch has, (); nan if it has none.

    Parameters
    ----------
    guess : (b, 8) or (b, k, 8) float
        Unit screw (omega, v) and limits, rad and m, in the object frame: of the first joint of
        every object, or of the first k.
    batch : mapping
        What `padded` returns of b objects. Joints that pad count for nothing.
    compactify : float
        The scale kappa of ranges, so that endless joints have a loss, too.
    """
    several = guess if guess.ndim == 3 else guess[:, None]
    told = batch["mask"][:, : several.shape[1]]
    truth = [batch[name][:, : several.shape[1]][told] for name in ("screws", "limits")]
    parts = several[:, : told.shape[1]][told]
    screws, limits = parts[:, :6], parts[:, 6:]
    loss = smooth_loss((screws, limits), (truth[0], truth[1]), compactify=compactify)
    return torch.mean(loss)


def padded(samples: Sequence[Sample]) -> Sample:
    """Return b samples as one: joints as tensors (b, most, ...) with a ``mask`` (b, most).

    Joints that pad have zero screws and limits: they are fixed. Other tensors, all of one shape,
    are stacked; what is no tensor becomes a list.
    """
    counts = torch.tensor([len(sample["types"]) for sample in samples])
    joints = {name: pad_sequence([one[name] for one in samples], True) for name in JOINT_FIELDS}
    mask = torch.arange(joints["types"].shape[1]) < counts[:, None]
    return _sent({**_others(samples), **joints, "mask": mask})


def flat(samples: Sequence[Sample]) -> Sample:
    """Return b samples as one: joints as tensors (n, ...) with ``offsets`` (b + 1,).

    The joints of sample k are rows ``offsets[k]:offsets[k + 1]``, and ``owner`` (n,) has the
    sample of every joint. Other tensors are stacked; what is no tensor becomes a list.
    """
    counts = torch.tensor([len(sample["types"]) for sample in samples])
    joints = {name: torch.cat([sample[name] for sample in samples]) for name in JOINT_FIELDS}
    offsets = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    owner = torch.repeat_interleave(torch.arange(len(samples)), counts)
    return _sent({**_others(samples), **joints, "offsets": offsets, "owner": owner})


class _Parcel(dict[str, Any]):
    """A batch that a worker sends: what it has of joints is small and travels in the message.

    Every other tensor has a file in shared memory, which takes longer to make than to fill.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        small = {name: self[name].numpy() for name in _SMALL if name in self}
        return _unpacked, (list(self), small, {k: v for k, v in self.items() if k not in small})


_SMALL = (*JOINT_FIELDS, "mask", "offsets", "owner")


def _sent(batch: Sample) -> Sample:
    return batch if data.get_worker_info() is None else _Parcel(batch)


def _unpacked(names: Sequence[str], small: Mapping[str, Any], large: Sample) -> Sample:
    whole = {**{name: torch.from_numpy(value) for name, value in small.items()}, **large}
    return {name: whole[name] for name in names}


def _others(samples: Sequence[Mapping[str, Any]]) -> Sample:
    """Return all fields that are not of joints, stacked or listed."""
    names = [name for name in samples[0] if name not in JOINT_FIELDS]
    columns = {name: [sample[name] for sample in samples] for name in names}
    return {
        # Stacked by torch itself, which puts the tensors of a worker into shared memory at once.
        name: data.default_collate(column) if isinstance(column[0], torch.Tensor) else column
        for name, column in columns.items()
    }
