# SPDX-License-Identifier: Apache-2.0
"""The ways to bring predictions into the object frame, by the names of ``--registration``."""

from __future__ import annotations

from aa_dataset.dataset import Dataset
from aa_dataset.errors import ArenaError
from aa_dataset.score.registration.estimated import Estimated
from aa_dataset.score.registration.inputs import Inputs
from aa_dataset.score.registration.record import Identity, Registrar, RegistrationSource
from aa_dataset.score.registration.stated import Stated

MODES = ("identity", "stated", "bbox", "icp")


def registrar_named(mode: str, dataset: Dataset, inputs: Inputs) -> Registrar:
    """Return a registrar; an unknown name raises `ArenaError` with the known ones.

    Parameters
    ----------
    mode : str
        One of `MODES`.
    dataset : Dataset
        The objects whose shapes an estimate uses.
    inputs : Inputs
        Size and place of the meshes that the method was given.
    """
    if mode not in MODES:
        raise ArenaError(f"there is no registration {mode!r}. Choose from {', '.join(MODES)}.")
    if mode == "identity":
        return Identity()
    if mode == "stated":
        return Stated(inputs)
    return Estimated(RegistrationSource(mode), Stated(inputs), dataset)
