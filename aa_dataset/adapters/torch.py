# SPDX-License-Identifier: Apache-2.0
"""PyTorch: a dataset by number, a stream with shards for workers, and batches of ragged joints.

Both give one `Sample` per object. Objects have different numbers of joints: `padded` makes them
equal with a mask, `flat` puts them one after the other with offsets. Either goes into a
`DataLoader` as ``collate_fn``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from aa_dataset.dataset import Dataset
from aa_dataset.errors import ArgumentError, MissingExtraError
from aa_dataset.kinematics.joints import JointType
from aa_dataset.objects import ArticulatedObject

try:
    import torch
    from torch.utils import data
except ImportError as error:
    raise MissingExtraError("the torch adapter", "torch", error) from error

Sample = dict[str, Any]
Transform = Callable[[ArticulatedObject, Sample], Any]

# What a joint has, in the order of `ArticulatedObject.joints`, and the value of one that pads: it
# is fixed, so no loss depends on it.
JOINT_FIELDS = ("screws", "limits", "types", "masses", "centers", "inertias")
TYPES = {kind: number for number, kind in enumerate(JointType)}


@dataclass(frozen=True, slots=True)
class Reader:
    """Makes the sample of an object.

    A sample is a dict with ``object_id`` and, for its j movable joints and n points, the tensors
    ``screws`` (j, 6), ``limits`` (j, 2), ``types`` (j,), ``masses`` (j,), ``centers`` (j, 3),
    ``inertias`` (j, 3, 3), and ``points`` (n, 3), ``normals`` (n, 3), ``links`` (n,) if there are
    points. All are float32 or int64 in the object frame at rest, in m, rad and kg.

    Attributes
    ----------
    points : int
        Points on the surface, 0 for none (extra ``mesh``).
    seed : int
        Of the points.
    transform : function of object and sample, optional
        Its result takes the place of the sample; it may add fields, or read files.
    """

    points: int = 0
    seed: int = 0
    transform: Transform | None = None

    def __call__(self, item: ArticulatedObject) -> Any:
        """Return the sample of an object."""
        sample: Sample = {"object_id": item.object_id, **_joint_tensors(item)}
        if self.points:
            drawn = item.sample_points(self.points, self.seed)
            sample["points"] = torch.from_numpy(drawn.points.astype(np.float32))
            sample["normals"] = torch.from_numpy(drawn.normals.astype(np.float32))
            sample["links"] = torch.from_numpy(drawn.link)
        return sample if self.transform is None else self.transform(item, sample)


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
        self.dataset, self.read = dataset, Reader(points, seed, transform)

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
        self.dataset, self.read = dataset, Reader(points, seed, transform)
        self.shuffle, self.rank, self.world_size = shuffle, rank, world_size
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Choose the order of the next iteration; call it before every epoch."""
        self.epoch = epoch

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


def padded(samples: Sequence[Sample]) -> Sample:
    """Return b samples as one: joints as tensors (b, most, ...) with a ``mask`` (b, most).

    Joints that pad have zero screws and limits: they are fixed. Other tensors, all of one shape,
    are stacked; what is no tensor becomes a list.
    """
    most = max((len(sample["types"]) for sample in samples), default=0)

    def full(name: str) -> torch.Tensor:
        values = [sample[name] for sample in samples]
        out: torch.Tensor = values[0].new_zeros((len(values), most, *values[0].shape[1:]))
        for row, value in zip(out, values, strict=True):
            row[: len(value)] = value
        return out

    counts = torch.tensor([len(sample["types"]) for sample in samples])
    joints = {name: full(name) for name in JOINT_FIELDS}
    return {**_others(samples), **joints, "mask": torch.arange(most) < counts[:, None]}


def flat(samples: Sequence[Sample]) -> Sample:
    """Return b samples as one: joints as tensors (n, ...) with ``offsets`` (b + 1,).

    The joints of sample k are rows ``offsets[k]:offsets[k + 1]``, and ``owner`` (n,) has the
    sample of every joint. Other tensors are stacked; what is no tensor becomes a list.
    """
    counts = torch.tensor([len(sample["types"]) for sample in samples])
    joints = {name: torch.cat([sample[name] for sample in samples]) for name in JOINT_FIELDS}
    offsets = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    owner = torch.repeat_interleave(torch.arange(len(samples)), counts)
    return {**_others(samples), **joints, "offsets": offsets, "owner": owner}


def _others(samples: Sequence[Mapping[str, Any]]) -> Sample:
    """Return all fields that are not of joints, stacked or listed."""
    names = [name for name in samples[0] if name not in JOINT_FIELDS]
    columns = {name: [sample[name] for sample in samples] for name in names}
    return {
        name: torch.stack(column) if isinstance(column[0], torch.Tensor) else column
        for name, column in columns.items()
    }


def _joint_tensors(item: ArticulatedObject) -> dict[str, torch.Tensor]:
    joints = item.joints
    bodies = [joint.body for joint in joints]
    zero = np.zeros((3, 3))
    columns = {
        "screws": (np.array([joint.screw for joint in joints]), (6,)),
        "limits": (np.array([joint.limits for joint in joints]), (2,)),
        "masses": (np.array([body.mass if body else 0.0 for body in bodies]), ()),
        "centers": (np.array([body.center if body else zero[0] for body in bodies]), (3,)),
        "inertias": (np.array([body.inertia if body else zero for body in bodies]), (3, 3)),
    }
    tensors = {
        name: torch.from_numpy(values.reshape(-1, *shape).astype(np.float32))
        for name, (values, shape) in columns.items()
    }
    types = torch.tensor([TYPES[joint.type] for joint in joints], dtype=torch.int64)
    return {**tensors, "types": types}
