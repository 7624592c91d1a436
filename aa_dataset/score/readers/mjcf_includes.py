# SPDX-License-Identifier: Apache-2.0
"""An MJCF file of a prediction with everything that it includes, within limits."""

from __future__ import annotations

import posixpath
from xml.etree.ElementTree import Element

from aa_dataset.score.budgets import XML, PredictionError
from aa_dataset.score.readers.folder_files import PredictionFiles
from aa_dataset.untrusted.safe_xml import XmlBudget, parse_xml

# Bodies are nested in MJCF, so a chain of links needs as many levels.
DEEPEST = 200
MOST_FILES = 200


def read_included(files: PredictionFiles, name: str) -> Element:
    """Return the root of a file in which every `<include>` is what it includes.

    As in MuJoCo, names are relative to the first file, and a file is included at most once.
    """
    reader = _Reader(files, name)
    root = reader.parsed(name)
    reader.fill(root, 0)
    return root


class _Reader:
    def __init__(self, files: PredictionFiles, model: str):
        self._files, self._folder = files, posixpath.dirname(model)
        self._bytes, self._elements = XML.max_bytes, XML.max_elements
        self._seen: set[str] = set()

    def parsed(self, name: str) -> Element:
        where = self._files.shown_path(name)
        if name in self._seen or len(self._seen) >= MOST_FILES:
            raise PredictionError(
                f"{where} is included twice, or one of more than {MOST_FILES} files. Write the "
                "model as one file."
            )
        self._seen.add(name)
        data = self._files.read(name, self._bytes)
        self._bytes -= len(data)
        root = parse_xml(data, XmlBudget(XML.max_bytes, DEEPEST, self._elements))
        self._elements -= sum(1 for _ in root.iter())
        return root

    def fill(self, parent: Element, depth: int) -> None:
        """Replace every `<include>` below an element by the children of the file's root."""
        if depth > DEEPEST:
            raise PredictionError(f"its elements nest deeper than {DEEPEST} levels. Nest fewer.")
        filled: list[Element] = []
        for child in parent:
            if child.tag != "include":
                self.fill(child, depth + 1)
                filled.append(child)
                continue
            root = self.parsed(self._place(child.get("file", "")))
            self.fill(root, depth + 1)
            filled += root
        parent[:] = filled

    def _place(self, written: str) -> str:
        path = posixpath.normpath(posixpath.join(self._folder, written.replace("\\", "/")))
        if path not in self._files.names:
            raise PredictionError(
                f"it includes {written!r:.80}, which is not in the prediction's folder. Put it "
                "there."
            )
        return path
