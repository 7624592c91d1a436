# SPDX-License-Identifier: Apache-2.0
"""Prepares rendering: installs Mesa's EGL if it is missing and this user is root."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from aa_dataset.render.backend import available

PACKAGES = ("libegl1", "libegl-mesa0", "libgl1", "libgl1-mesa-dri")


def main() -> None:
    """Install the packages with apt if root, else print which backend is used instead."""
    if available("egl"):
        return
    if os.geteuid() == 0 and shutil.which("apt-get") and _install():
        available.cache_clear()
        if available("egl"):
            return
    sys.stderr.write(
        "EGL is not available: previews are drawn by the embree backend. For EGL, install the "
        f"Debian packages {' '.join(PACKAGES)}.\n"
    )


def _install() -> bool:
    sys.stderr.write(f"installing {' '.join(PACKAGES)} for rendering\n")
    _run_quietly("apt-get", "update")
    return _run_quietly("apt-get", "install", "--yes", "--no-install-recommends", *PACKAGES)


def _run_quietly(*words: str) -> bool:
    quiet = subprocess.DEVNULL
    return subprocess.run(words, stdout=quiet, stderr=quiet, check=False).returncode == 0


if __name__ == "__main__":
    main()
