# SPDX-License-Identifier: Apache-2.0
"""The error of a backend that does not work here."""

from __future__ import annotations

from aa_dataset.errors import ArenaError


class BackendUnavailableError(ArenaError):
    """A requested rendering backend does not work on this machine."""

    def __init__(self, backend: str):
        super().__init__(
            f"The rendering backend {backend!r} does not work on this machine. For egl install "
            "the Debian packages libegl1 libegl-mesa0 libgl1 libgl1-mesa-dri and leave "
            "PYOPENGL_PLATFORM unset; or choose embree (render.backend in config.yaml), which "
            "needs only `pip install embreex`."
        )
