# SPDX-License-Identifier: Apache-2.0
"""One object of the library: facts come from the tables, files are unpacked on first access."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aa_dataset.assets.contents import PICTURES
from aa_dataset.assets.unpacked import cached_folder, given_folder
from aa_dataset.errors import ArenaError, LibraryError, ShapeError, optional
from aa_dataset.format.layout import GLB, PREVIEW, ObjectLayout
from aa_dataset.kinematics.joints import Joint
from aa_dataset.kinematics.states import State, posed, random_state
from aa_dataset.kinematics.trees import KinematicTree
from aa_dataset.library.catalog import Catalog
from aa_dataset.library.gallery import Card, gallery, table
from aa_dataset.library.link_boxes import link_boxes

if TYPE_CHECKING:
    from aa_dataset.geometry.sampling import PointSample
    from aa_dataset.render.camera import Camera
    from aa_dataset.render.glb import Model

Array = NDArray[np.float64]


class ArticulatedObject:
    """A view of one row of the objects table; cheap to create, copy and pickle.

    All geometry is in the object frame at rest: z up, in meters (true scale if `is_metric`), with
    the origin at the center of the bounding box of all visual geometry.
    """

    __slots__ = ("_catalog", "_row", "_tree")

    def __init__(self, catalog: Catalog, row: int):
        self._catalog, self._row = catalog, row
        self._tree: KinematicTree | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as library and row, so that spawned workers can load it."""
        return ArticulatedObject, (self._catalog, self._row)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ArticulatedObject) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        moving = self.fact("joints_movable")
        return f"<{self.object_id}: {self.name}, {self.category}, {moving} movable joints>"

    def _repr_html_(self) -> str:
        """Return the picture of the object and its joints, for notebooks."""
        joints = [
            (j.name, str(j.type), *("" if math.isinf(end) else f"{end:.4g}" for end in j.limits))
            for j in self.joints
        ]
        head = ("joint", "type", "lower", "upper")
        return gallery(repr(self)[1:-1], [self.card()]) + table(head, joints)

    def card(self) -> Card:
        """Return what a notebook shows of the object; without a picture if it cannot be read."""
        try:
            picture = self.read(PREVIEW)
        except ArenaError:
            picture = b""
        movable = self.fact("joints_movable")
        count = f"{movable} movable joint{'s' * (movable != 1)}"
        return Card(picture, (self.object_id, self.category, count, self.license))

    def _identity(self) -> tuple[str, str]:
        return self.revision, self.object_id

    @property
    def revision(self) -> str:
        """Revision of the object's library."""
        return self._catalog.seal.revision

    @property
    def row(self) -> int:
        """Row in the objects table."""
        return self._row

    def fact(self, column: str) -> Any:
        """Return the value of one column of the objects table (see `aa_dataset.format.schema`)."""
        return self._catalog.fact(self._row, column)

    @property
    def object_id(self) -> str:
        """Stable id, ``<source>-<id in the source>``."""
        return str(self.fact("object_id"))

    @property
    def name(self) -> str:
        """Human-readable name."""
        return str(self.fact("name"))

    @property
    def description(self) -> str:
        """One sentence, empty if the source has none."""
        return str(self.fact("description"))

    @property
    def category(self) -> str:
        """Category of the taxonomy."""
        return str(self.fact("category"))

    @property
    def supercategory(self) -> str:
        """One of the 15 supercategories."""
        return str(self.fact("supercategory"))

    @property
    def source(self) -> str:
        """Raw source."""
        return str(self.fact("source"))

    @property
    def license(self) -> str:
        """SPDX identifier, or ``unknown``."""
        return str(self.fact("license"))

    @property
    def attribution(self) -> str:
        """Whom to credit."""
        return str(self.fact("attribution"))

    @property
    def is_metric(self) -> bool:
        """Whether lengths are true meters."""
        return bool(self.fact("is_metric"))

    @property
    def floor_z(self) -> float:
        """Lowest point at rest [m]; raise the object by ``-floor_z`` to put it on a floor."""
        return float(self.fact("floor_z"))

    @property
    def extents(self) -> Array:
        """Size of the bounding box of all visual geometry at rest, (3,) [m]."""
        return np.array(self.fact("extents"), dtype=float)

    @property
    def content_sha256(self) -> str:
        """Digest of URDF, meshes and textures."""
        return str(self.fact("content_sha256"))

    @property
    def provenance(self) -> dict[str, str | None]:
        """Origin of the object's facts and further fields of its source, as strings.

        Values that are not strings in the source are JSON; None if a field has no value.
        """
        pairs = self.fact("provenance")
        fields = dict(pairs)
        if len(fields) != len(pairs):
            raise LibraryError(
                f"object {self.object_id!r}: its provenance has a duplicate field. Run "
                "`make library` to rebuild the library, or download it again."
            )
        return fields

    @property
    def tree(self) -> KinematicTree:
        """Kinematic tree from the tables; each movable joint has the body that it moves."""
        if self._tree is None:
            self._tree = self._catalog.tree(self._row)
        return self._tree

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The movable joints, parents before children."""
        return self.tree.movable

    @property
    def link_boxes(self) -> dict[str, tuple[Array, Array]]:
        """Lower and upper corner (3,) [m] of the links that have visual geometry, at rest."""
        return link_boxes(self._catalog, self._row)

    def pose(self, q: State | None = None) -> dict[str, Array]:
        """Return the displacement of every link from rest, object frame.

        Parameters
        ----------
        q : mapping of joint name to float or (n,) float, or (m,) or (n, m) float [rad or m]
            One state or n of them; an array has a column for each of the m `joints`. Joints
            without a value stay at rest, mimic joints follow. Default: rest.

        Returns
        -------
        dict of str to (4, 4) float, or (n, 4, 4)
        """
        return posed(self.tree, {} if q is None else q)

    def random_configuration(self, seed: int = 0) -> dict[str, float]:
        """Return a random state within limits and couplings [rad or m], for `pose` and the rest.

        It depends on the seed and on the names of object and joints; see `random_state`.
        """
        return random_state(self.tree, seed, self.object_id)

    def meshes(self, q: State | None = None) -> dict[str, Any]:
        """Return one `trimesh.Trimesh` per link with geometry, object frame [m] (extra ``mesh``).

        They are at rest or in the state `q`, one state as for `pose`, and have the colors of the
        materials; `scene` has the textures.
        """
        _require_geometry("mesh")
        from aa_dataset.geometry.meshes import link_meshes

        return link_meshes(self._model(textures=False), self._placements(q))

    def scene(self, q: State | None = None) -> Any:
        """Return a `trimesh.Scene` at rest or in the state `q` (extra ``mesh``).

        It has a node per link with the link's name, below it a mesh per material, with textures.
        """
        _require_geometry("mesh")
        from aa_dataset.geometry.meshes import posed_scene

        return posed_scene(self._model(), self._placements(q))

    def sample_points(self, n: int = 2048, seed: int = 0, q: State | None = None) -> PointSample:
        """Return n points on the visual geometry with normals and links (extra ``mesh``).

        They are spread by area and depend on the object, `n` and `seed`. In another state `q` they
        are the same points of the material, moved. All digits are the same on every machine.
        """
        _require_geometry("mesh")
        from aa_dataset.geometry.sampling import sample_surface

        model = self._model(textures=False)
        links = self._catalog.links(self._row) if self._tree is None else self._tree.links
        sample = sample_surface(model, links, n, seed, self.object_id)
        return sample if q is None else sample.moved(self._placements(q))

    def render(
        self,
        q: State | None = None,
        *,
        size: int = 512,
        camera: Camera | None = None,
        backend: str = "auto",
    ) -> NDArray[np.uint8]:
        """Return a picture (size, size, 3), drawn like the previews (extra ``render``).

        Parameters
        ----------
        q : one state as for `pose`
            Default: rest.
        size : int
            Width and height in pixels.
        camera : aa_dataset.render.camera.Camera, optional
            Pass one camera for a film. By default, this state fills the picture.
        backend : {"auto", "egl", "embree"}
            OpenGL by pyrender, or rays by embreex.
        """
        _require_geometry("render")
        from aa_dataset.geometry.pictures import picture

        shown = self._model()
        return picture(shown, self._placements(q), size=size, camera=camera, backend=backend)

    def _model(self, *, textures: bool = True) -> Model:
        from aa_dataset.render.glb import read_glb

        return read_glb(self.read(GLB), textures=textures)

    def _placements(self, q: State | None) -> dict[str, Array]:
        """Return the displacement (4, 4) of every link in one state."""
        placements = self.pose(q)
        shape = placements[self.tree.root].shape
        if shape != (4, 4):
            raise ShapeError("q", shape[:-2], ())
        return placements

    @property
    def folder(self) -> Path:
        """Folder with the object's files in the cache, unpacked if absent or damaged.

        A published object is downloaded first, by itself. An open library checks the files on
        first access.
        """
        catalog, row = self._catalog, self._row
        target = catalog.access.cache.unpacked(catalog.seal.edition, self.object_id)
        if target not in catalog.known_folders:
            cached_folder(target, catalog.place(row), fetch=lambda: catalog.asset(row))
            catalog.known_folders.add(target)
        return target

    @property
    def urdf_path(self) -> Path:
        """The URDF, next to its meshes."""
        return self._require_file(ObjectLayout(self.folder).urdf)

    @property
    def glb_path(self) -> Path:
        """The object at rest as one GLB, one node per link; y is up and z is the front.

        Nodes below the root node ``Object`` are in the object frame, where z is up.
        """
        return self._require_file(ObjectLayout(self.folder).glb)

    @property
    def preview(self) -> Path:
        """Picture of the object at rest."""
        return self._require_file(ObjectLayout(self.folder).preview)

    @property
    def preview_open(self) -> Path:
        """Picture of the object with every joint at the end of its travel."""
        return self._require_file(ObjectLayout(self.folder).preview_open)

    @property
    def preview_parts(self) -> Path:
        """Picture at rest, every link in the color of `drawing.link_colors`; the base is gray."""
        return self._require_file(ObjectLayout(self.folder).preview_parts)

    @property
    def strip(self) -> Path:
        """Animation (WebP) that moves the joints one after the other."""
        return self._require_file(ObjectLayout(self.folder).strip)

    def _require_file(self, path: Path) -> Path:
        if path.is_file():
            return path
        why = "`files()` lists its files."
        if path.name in PICTURES and self.fact("preview_backend") is None:
            why = "it could not be drawn; `findings` says why under the code preview_failed."
        raise LibraryError(f"object {self.object_id!r} has no {path.name}; {why}")

    def files(self) -> tuple[str, ...]:
        """Return the names of the object's files, without unpacking them."""
        return self._catalog.asset(self._row).names()

    def read(self, name: str) -> bytes:
        """Return the contents of one file, read from the tar without unpacking it."""
        return self._catalog.read(self._row, name)

    def unpack(self, folder: Path) -> Path:
        """Write the object's files to ``folder`` unless they are there already; return it.

        A folder with other files is an error: it may hold a user's work.
        """
        given_folder(folder, self._catalog.asset(self._row))
        return folder


def _require_geometry(extra: str) -> None:
    """Raise with the command that installs Pillow, which reads textures, if it is absent."""
    optional("PIL.Image", "the geometry of an object", extra)
