# SPDX-License-Identifier: Apache-2.0
"""Reads an untrusted MJCF file with everything that it includes as one document."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from aa_dataset.errors import UrdfError
from aa_dataset.untrusted.safe_xml import XmlBudget, parse_xml
from pipeline.base.errors import Rejection
from pipeline.base.reasons import Reason
from pipeline.raw.files import RawFiles

# Bodies are nested in MJCF, so a chain of links needs as many levels.
DEEPEST = 200
MOST_FILES = 200


def read_included(
    files: RawFiles, model: str, most_bytes: int
) -> tuple[Element, dict[Element, str]]:
    """Return the root of a model with its includes, and the files of included elements.

    Parameters
    ----------
    files : RawFiles
        The object's files.
    model : str
        The name of the model among them.
    most_bytes : int
        Of the model and all files that it includes.

    Returns
    -------
    Element
        The document, in which every `<include>` is replaced by what it includes.
    dict of Element to str
        The included file of every element that names a file.

    Raises
    ------
    Rejection
        If a file cannot be read, or the document is beyond a limit.
    """
    includer = _Includer(files, model, most_bytes)
    return includer.read(), includer.homes


class _Includer:
    """Resolves includes; a file is included at most once, as in MuJoCo, so growth is bounded."""

    def __init__(self, files: RawFiles, model: str, most_bytes: int) -> None:
        self._files, self._model, self._left = files, model, most_bytes
        self._elements = XmlBudget().max_elements
        self._seen: set[str] = set()
        self.homes: dict[Element, str] = {}  # the included file of an element that names a file

    def read(self) -> Element:
        root = self._parse(self._model)
        self._fill(root, self._model, 0)
        return root

    def _parse(self, name: str) -> Element:
        if name in self._seen or len(self._seen) >= MOST_FILES:
            detail = f"{name} is included twice, or one of more than {MOST_FILES} files."
            raise Rejection(Reason.MJCF_INVALID, detail)
        self._seen.add(name)
        data = self._files.read(name, most=max(self._left, 1))
        self._left -= len(data)
        try:
            root = parse_xml(data, XmlBudget(max_bytes=len(data), max_depth=DEEPEST))
        except UrdfError as error:
            raise Rejection(Reason(error.code), f"{name}: {error.detail}") from None
        self._elements -= sum(1 for _ in root.iter())
        if self._elements < 0:
            raise Rejection(Reason.XML_TOO_LARGE, f"{name}: the model has too many elements.")
        return root

    def _fill(self, parent: Element, name: str, depth: int) -> None:
        """Replace every `<include>` below an element by the children of the file's root."""
        if depth > DEEPEST:
            detail = f"{name}: elements nest deeper than {DEEPEST} levels."
            raise Rejection(Reason.XML_TOO_DEEP, detail)
        filled: list[Element] = []
        for child in parent:
            if child.tag != "include":
                if name != self._model and child.get("file"):
                    self.homes[child] = name
                self._fill(child, name, depth + 1)
                filled.append(child)
                continue
            place = self._place(child.get("file", ""), name)
            root = self._parse(place)
            self._fill(root, place, depth)
            filled += root
        parent[:] = filled

    def _place(self, written: str, name: str) -> str:
        """Return the file of an include: beside the model, else beside the including file."""
        places = [self._files.resolve(written, beside=self._model)]
        if name != self._model:
            places.append(self._files.resolve(written, beside=name))
        for place in places:
            if self._files.has(place):
                return place
        raise Rejection(Reason.MJCF_INVALID, f"{name} includes {written!r}, which does not exist.")
