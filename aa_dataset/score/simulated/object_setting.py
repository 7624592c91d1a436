# SPDX-License-Identifier: Apache-2.0
"""What a method would be shown of an object of the library."""

from __future__ import annotations

import numpy as np

from aa_dataset.metric import contract
from aa_dataset.objects import ArticulatedObject
from aa_dataset.score.charges import price_truth
from aa_dataset.score.objects import in_name_order
from aa_dataset.score.parameters import Parameters
from aa_dataset.score.registration.normalization import InputShape
from aa_dataset.score.rows import main_joint
from aa_dataset.score.simulated.setting import Setting
from aa_dataset.score.truth_shape import object_triangles


def setting_of(item: ArticulatedObject, seed: int = 0) -> Setting:
    """Return shape, category and main joint of an object."""
    triangles = object_triangles(item)
    corners = np.concatenate([some.reshape(-1, 3) for some in triangles.values()])
    return Setting(
        item.object_id, item.category, InputShape.of(corners), triangles, _main(item), seed
    )


def _main(item: ArticulatedObject) -> str:
    """Return the joint of the protocol `one-joint`, empty if nothing moves."""
    truth = price_truth(contract(in_name_order(item.tree)), Parameters())
    found = main_joint(truth)
    return "" if found is None else truth.skeleton.joints[found].name
