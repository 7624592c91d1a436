# SPDX-License-Identifier: Apache-2.0
"""Runs a notebook and keeps its outputs: ``PYTHONPATH=. python docs/notebook.py FILE``.

The cells run in this process, one after the other, as Jupyter would run them: what a cell prints is
a stream, and its last expression a result with every form that it offers. Nothing else here needs
Jupyter, so this does not either.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# What a result may offer beside its text: the method of Jupyter's protocol by the type.
FORMS = {"text/html": "_repr_html_", "image/png": "_repr_png_"}


def read(path: Path) -> dict[str, Any]:
    """Return a notebook."""
    return dict(json.loads(path.read_text(encoding="utf-8")))


def write(path: Path, notebook: dict[str, Any]) -> None:
    """Write a notebook as Jupyter does."""
    text = json.dumps(notebook, indent=1, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8")


def outputs(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Run all code cells in one namespace and return the outputs of each."""
    names: dict[str, Any] = {"__name__": "__main__"}
    return [_run("".join(cell["source"]), names, k) for k, cell in enumerate(code(notebook), 1)]


def code(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the code cells."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def _run(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    said, value = io.StringIO(), None
    with contextlib.redirect_stdout(said):
        exec(compile(tree, f"cell {number}", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
    found: list[dict[str, Any]] = []
    if said.getvalue():
        lines = said.getvalue().splitlines(keepends=True)
        found.append({"name": "stdout", "output_type": "stream", "text": lines})
    if value is not None:
        found.append(
            {
                "data": dict(_forms(value)),
                "execution_count": number,
                "metadata": {},
                "output_type": "execute_result",
            }
        )
    return found


def _forms(value: Any) -> Iterator[tuple[str, list[str] | str]]:
    for kind, method in FORMS.items():
        form = getattr(value, method, lambda: None)()
        if isinstance(form, bytes):
            yield kind, base64.b64encode(form).decode()
        elif form is not None:
            yield kind, form.splitlines(keepends=True)
    # An address in memory differs from run to run.
    yield "text/plain", re.sub(r" at 0x[0-9A-Fa-f]+", "", repr(value)).splitlines(keepends=True)


def markdown(notebook: dict[str, Any]) -> str:
    """Return the notebook as a page: its text, its code, and what the code gave."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        parts += [_shown(output) for output in cell.get("outputs", ())]
    return "\n\n".join(parts) + "\n"


def _shown(output: dict[str, Any]) -> str:
    if output["output_type"] == "stream":
        return f"```text\n{''.join(output['text']).rstrip()}\n```"
    data = output["data"]
    if "text/html" in data:
        return f"<div>{''.join(data['text/html'])}</div>".replace("\n", " ")
    if "image/png" in data:
        return (
            f'<img alt="a picture of the object" src="data:image/png;base64,{data["image/png"]}">'
        )
    return f"```text\n{''.join(data['text/plain']).rstrip()}\n```"


def main(path: Path) -> None:
    """Run a notebook and replace its outputs."""
    notebook = read(path)
    for number, (cell, found) in enumerate(
        zip(code(notebook), outputs(notebook), strict=True), start=1
    ):
        cell |= {"outputs": found, "execution_count": number}
    write(path, notebook)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
