# SPDX-License-Identifier: Apache-2.0
"""What the Hub and the file server on loopback hold for the tests of `aa fetch`."""

from __future__ import annotations

import hashlib

META = b'{"name": "a box"}'


PACKED = {"box_1/meta.json": META, "box_1/model.urdf": b"<robot/>" * 50, "box_2/meta.json": META}


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
