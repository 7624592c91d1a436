# SPDX-License-Identifier: Apache-2.0
"""The torch adapter: samples, shards of workers, and batches of ragged joints."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from aa_dataset import load_dataset
from aa_dataset.dataset import Dataset
from aa_dataset.errors import ArgumentError
from tests.kit.inputs_library import build_inputs_library

torch = pytest.importorskip("torch", reason="the extra `torch` is not installed")
from torch.utils.data import DataLoader  # noqa: E402

from aa_dataset.adapters.torch import (  # noqa: E402
    JOINT_FIELDS,
    ObjectDataset,
    ObjectStream,
    flat,
    joint_loss,
    loader,
    padded,
)
from aa_dataset.metric.losses import smooth_loss  # noqa: E402


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    root = build_inputs_library(tmp_path_factory.mktemp("torch") / "library")
    return load_dataset(root, verbose=False)


def ids(batch: object) -> object:
    return batch["object_id"]  # type: ignore[index]


def test_a_sample_has_the_joints_and_points_of_the_object(dataset: Dataset) -> None:
    samples = ObjectDataset(dataset, points=32, seed=3)
    assert len(samples) == len(dataset)
    for item, sample in zip(dataset.filter(joints=(1, None)), map(samples.__getitem__, (1, 2, 3)),
                            strict=True):  # fmt: skip
        assert sample["object_id"] == item.object_id
        for k, joint in enumerate(item.joints):
            np.testing.assert_allclose(sample["screws"][k], joint.screw, atol=1e-6)
            np.testing.assert_allclose(sample["limits"][k], joint.limits, rtol=1e-6)
            np.testing.assert_allclose(sample["inertias"][k], joint.body.inertia, atol=1e-6)
            assert sample["masses"][k] == pytest.approx(joint.body.mass)
        assert sample["screws"].dtype == torch.float32 and sample["types"].dtype == torch.int64
        expected = item.sample_points(32, 3)
        np.testing.assert_allclose(sample["points"], expected.points, atol=1e-6)
        np.testing.assert_allclose(sample["normals"], expected.normals, atol=1e-6)
        assert sample["links"].tolist() == expected.link.tolist()


def test_an_object_without_joints_has_empty_tensors(dataset: Dataset) -> None:
    sample = ObjectDataset(dataset)[0]
    assert [tuple(sample[name].shape) for name in JOINT_FIELDS] == [
        (0, 6), (0, 2), (0,), (0,), (0, 3), (0, 3, 3),
    ]  # fmt: skip


def test_padded_batches_have_a_mask(dataset: Dataset) -> None:
    samples = ObjectDataset(dataset, points=8)
    chosen = [samples[k] for k in (1, 2, 3)]
    batch = padded(chosen)
    counts = [len(item.joints) for item in dataset[1:4]]
    assert batch["mask"].sum(dim=1).tolist() == counts and batch["mask"].shape[1] == max(counts)
    assert batch["points"].shape == (3, 8, 3) and ids(batch) == dataset.object_ids[1:4]
    for k, sample in enumerate(chosen):
        for name in JOINT_FIELDS:
            assert torch.equal(batch[name][k][batch["mask"][k]], sample[name])
            assert not batch[name][k][~batch["mask"][k]].any()
    # The padding is a fixed joint: it adds nothing to a loss of two equal batches.
    pair = (batch["screws"], batch["limits"])
    losses = smooth_loss(pair, pair, compactify=math.pi)
    assert losses[~batch["mask"]].abs().max() < 1e-4


def test_flat_batches_have_offsets(dataset: Dataset) -> None:
    samples = ObjectDataset(dataset)
    chosen = [samples[k] for k in (1, 0, 3, 2)]
    batch = flat(chosen)
    starts = batch["offsets"].tolist()
    assert starts[0] == 0 and starts[-1] == len(batch["screws"]) == len(batch["owner"])
    for k, sample in enumerate(chosen):
        part = slice(starts[k], starts[k + 1])
        assert (batch["owner"][part] == k).all()
        for name in JOINT_FIELDS:
            assert torch.equal(batch[name][part], sample[name])


def test_the_loader_makes_padded_batches_in_order(dataset: Dataset) -> None:
    chosen = dataset.filter(joints=(1, None))
    batches = list(loader(chosen, 2, points=8, seed=5))
    assert [ids(batch) for batch in batches] == [chosen.object_ids[:2], chosen.object_ids[2:]]
    expected = padded([ObjectDataset(chosen, points=8, seed=5)[k] for k in (0, 1)])
    assert torch.equal(batches[0]["points"], expected["points"])


@pytest.mark.parametrize("count", [1, 2, 30])
def test_the_loss_is_the_mean_over_the_joints_that_are_there(dataset: Dataset, count: int) -> None:
    """Joint by joint: an object has fewer joints than were guessed, or more, or none."""
    batch = next(iter(loader(dataset, 4)))
    torch.manual_seed(0)
    guess = torch.randn(4, count, 8, requires_grad=True)
    losses = [
        smooth_loss(
            (guess[k, n, :6], guess[k, n, 6:]),
            (torch.tensor(joint.screw).float(), torch.tensor(joint.limits).float()),
            compactify=math.pi,
        )
        for k, item in enumerate(dataset)
        for n, joint in enumerate(item.joints[:count])
    ]
    found = joint_loss(guess, batch)
    torch.testing.assert_close(found, torch.stack(losses).mean(), rtol=1e-5, atol=1e-6)
    if count == 1:
        torch.testing.assert_close(found, joint_loss(guess[:, 0], batch))
    found.backward()
    told = [[n < len(item.joints) for n in range(count)] for item in dataset]
    assert ((guess.grad != 0).any(dim=-1) <= torch.tensor(told)).all() and guess.grad.any()


def test_a_transform_takes_the_place_of_the_sample(dataset: Dataset) -> None:
    samples = ObjectDataset(dataset, transform=lambda item, sample: (item.category, len(sample)))
    assert samples[1] == (dataset[1].category, 7)


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("world_size", [1, 2])
def test_every_object_comes_once_per_epoch(dataset: Dataset, workers: int, world_size: int) -> None:
    for is_shuffled in (False, True):
        found: list[str] = []
        for rank in range(world_size):
            stream = ObjectStream(dataset, shuffle=is_shuffled, rank=rank, world_size=world_size)
            loader = DataLoader(stream, batch_size=2, num_workers=workers, collate_fn=padded)
            own = [name for batch in loader for name in ids(batch)]
            assert len(own) == len(stream)
            found += own
        assert Counter(found) == Counter(dataset.object_ids)


def test_more_workers_than_objects(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[str] = []
    for worker in range(5):
        info = SimpleNamespace(id=worker, num_workers=5)
        monkeypatch.setattr(torch.utils.data, "get_worker_info", lambda info=info: info)
        found += [sample["object_id"] for sample in ObjectStream(dataset)]
    assert found == dataset.object_ids and len(found) == 4


def test_epochs_have_orders_of_their_own(dataset: Dataset) -> None:
    stream = ObjectStream(dataset, shuffle=True, seed=1)

    def order(epoch: int) -> list[str]:
        stream.set_epoch(epoch)
        return [sample["object_id"] for sample in stream]

    assert order(0) == order(0)
    assert len({tuple(order(epoch)) for epoch in range(8)}) > 4


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_workers_that_stay_alive_hear_of_the_epoch(dataset: Dataset, context: str) -> None:
    stream = ObjectStream(dataset, shuffle=True, seed=1)
    loader = DataLoader(
        stream,
        num_workers=1,
        collate_fn=padded,
        persistent_workers=True,
        multiprocessing_context=context,
    )
    for epoch in range(4):
        stream.set_epoch(epoch)
        found = [name for batch in loader for name in ids(batch)]
        assert found == [sample["object_id"] for sample in stream]
    assert stream.epoch == 3


@pytest.mark.parametrize("collate", [padded, flat])
def test_workers_give_what_one_process_gives(dataset: Dataset, collate: object) -> None:
    """Parts of a batch travel in two ways and arrive as a plain dict, also without joints."""
    shown = ObjectDataset(dataset.filter(joints=(1, None)), points=16)
    samples = shown if collate is flat else ObjectDataset(dataset)
    alone, together = (
        list(DataLoader(samples, batch_size=3, num_workers=workers, collate_fn=collate))
        for workers in (0, 2)
    )
    for one, other in zip(alone, together, strict=True):
        assert type(other) is dict and list(one) == list(other)
        for name, value in one.items():
            if isinstance(value, torch.Tensor):
                assert torch.equal(value, other[name])
            else:
                assert value == other[name]


def test_pickles_leave_the_arrays_out(dataset: Dataset) -> None:
    samples = ObjectDataset(dataset, points=8, seed=2)
    text = pickle.dumps((samples, ObjectStream(dataset[1:])))
    assert len(text) < 3000
    again, stream = pickle.loads(text)
    assert torch.equal(again[1]["points"], samples[1]["points"])
    assert torch.equal(next(iter(stream))["limits"], samples[1]["limits"])


def test_a_rank_that_is_none_is_a_sentence(dataset: Dataset) -> None:
    with pytest.raises(ArgumentError, match="must be from 0 to 1"):
        ObjectStream(dataset, rank=2, world_size=2)


def test_a_missing_extra_is_a_sentence_with_the_command() -> None:
    """In a process of its own, because torch cannot be imported twice."""
    code = "import sys; sys.modules['torch'] = None; from aa_dataset.adapters import torch"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "MissingExtraError" in done.stderr
    assert "pip install 'aa-dataset[torch]'" in done.stderr


def test_importing_the_adapters_imports_none_of_them() -> None:
    code = (
        "import sys, aa_dataset.adapters, aa_dataset.dataset\n"
        "print([n for n in ('torch', 'datasets', 'yourdfpy', 'trimesh') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
