# SPDX-License-Identifier: Apache-2.0
"""The collision shapes that `normalize` hands to `annotate`: one file of numbers in its tar.

They are in the tar and not in the table of records, because a stage reads that table whole: the
shapes of a shard may be larger than its memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from pipeline.shapes.pieces import Piece

COLLISIONS = "collisions.arrow"
SCHEMA = pa.schema(
    [
        pa.field("mesh", pa.string(), nullable=False),
        pa.field("vertices", pa.large_list(pa.float64()), nullable=False),
        pa.field("faces", pa.large_list(pa.int32()), nullable=False),
    ]
)


@dataclass(frozen=True, slots=True, eq=False)
class CollisionShapes:
    """The collision shapes of one object, in their link frames.

    Attributes
    ----------
    pieces : mapping of str to Piece
        By the mesh that the URDF names for the shape; vertices [m] are on the object's grid.
        `annotate` writes these meshes, of convex parts.
    """

    pieces: Mapping[str, Piece]

    def to_bytes(self) -> bytes:
        """Return the shapes as an Arrow stream, one row each."""
        pieces = self.pieces.values()
        columns = [
            pa.array(self.pieces, pa.string()),
            _lists([piece.vertices for piece in pieces], SCHEMA.field("vertices").type),
            _lists([piece.faces for piece in pieces], SCHEMA.field("faces").type),
        ]
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, SCHEMA) as stream:
            stream.write_batch(pa.record_batch(columns, schema=SCHEMA))
        return bytes(sink.getvalue())

    @classmethod
    def from_bytes(cls, data: bytes) -> CollisionShapes:
        """Return the shapes of an Arrow stream."""
        batch = pa.ipc.open_stream(data).read_next_batch()
        vertices, faces = (_rows(batch.column(name)) for name in ("vertices", "faces"))
        # Products of the numbers of two vertices do not fit into 32 bits.
        pieces = [Piece(v, f.astype(np.int64)) for v, f in zip(vertices, faces, strict=True)]
        return cls(dict(zip(batch.column("mesh").to_pylist(), pieces, strict=True)))


def names_with_collisions(files: Mapping[str, bytes]) -> set[str]:
    """Return the files of a normalized object, with the meshes that `annotate` is to write."""
    stream = pa.ipc.open_stream(files[COLLISIONS])
    return {*files} - {COLLISIONS} | {*stream.read_next_batch().column("mesh").to_pylist()}


def _lists(rows: Sequence[np.ndarray], kind: pa.LargeListType) -> pa.LargeListArray:
    """Return arrays (n, 3) as lists of their numbers."""
    offsets = np.cumsum([0, *(row.size for row in rows)], dtype=np.int64)
    number = kind.value_type.to_pandas_dtype()
    flat = np.concatenate([np.zeros(0, number), *(row.reshape(-1).astype(number) for row in rows)])
    return pa.LargeListArray.from_arrays(pa.array(offsets), pa.array(flat))


def _rows(column: pa.LargeListArray) -> list[np.ndarray]:
    """Return lists as arrays (n, 3), which share their memory with the column."""
    values, ends = column.values.to_numpy(), column.offsets.to_numpy()
    return [part.reshape(-1, 3) for part in np.split(values, ends[1:-1])] if len(column) else []
