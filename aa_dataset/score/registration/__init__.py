# SPDX-License-Identifier: Apache-2.0
"""From the frame of a method to the object frame: explicit, recorded, never silent."""

from aa_dataset.score.registration.record import (
    IDENTITY,
    Identity,
    Registrar,
    Registration,
    RegistrationSource,
    registered,
)

__all__ = [
    "IDENTITY",
    "Identity",
    "Registrar",
    "Registration",
    "RegistrationSource",
    "registered",
]
