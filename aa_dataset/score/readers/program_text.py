# SPDX-License-Identifier: Apache-2.0
"""Values that a program of a language model assigns to names; nothing is ever executed.

Only the text between a name and the bracket that closes its value is looked at. It is parsed as an
expression, and its nodes are read one by one: numbers, texts, lists, dictionaries, calls of `dict`.
Size and depth are limited before the parser sees the text.
"""

from __future__ import annotations

import ast
import re
from typing import Any, TypeGuard

from aa_dataset.score.budgets import PredictionError

MOST_TEXT = 1_000_000  # characters of a value
MOST_DEPTH = 12  # nested brackets
_OPEN, _CLOSE = "([{", ")]}"
_NUMBER = re.compile(r"\d{1,9}")


def assigned(program: str, name: str, where: str) -> Any:
    """Return the value of the first ``name = ...``; None without any.

    Numbers, texts, lists, tuples, dictionaries and ``dict(key=value)`` become Python values.
    """
    found = re.search(rf"(?<![\w.]){re.escape(name)}[ \t]*=(?!=)[ \t]*", program)
    if not found:
        return None
    value = _value_text(program, found.end(), f"{where}, `{name}`")
    return _read(value, f"{where}, `{name}`")


def _value_text(program: str, start: int, where: str) -> str:
    """Return the text of a value: a whole number, or all up to the bracket that closes it."""
    if plain := _NUMBER.match(program, start):
        return plain[0]
    depth, quote = 0, ""
    for place in range(start, min(len(program), start + MOST_TEXT)):
        letter = program[place]
        if quote:
            quote = "" if letter in (quote, "\n") else quote
        elif letter in "'\"":
            quote = letter
        elif letter in _OPEN:
            depth += 1
        elif letter in _CLOSE:
            depth -= 1
        if depth > MOST_DEPTH:
            raise PredictionError(f"{where} nests deeper than {MOST_DEPTH} brackets.")
        if depth <= 0:
            if letter not in _CLOSE:
                break
            return program[start : place + 1]
    raise PredictionError(f"{where} is not a list or a dictionary that is closed. Complete it.")


def _read(value: str, where: str) -> Any:
    if "\\" in value:  # the parser would warn about unknown escapes
        raise PredictionError(f"{where} has a backslash. Remove it.")
    try:
        return _node(ast.parse(value, mode="eval").body, where)
    # The parser raises the last two for what nests too deeply without brackets, such as signs.
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise PredictionError(f"{where} is not a plain value of Python. Correct it.") from None


def _node(node: ast.expr, where: str) -> Any:
    """Return the value of a node; brackets limit how deep they nest."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float, str):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd | ast.USub):
        value = _node(node.operand, where)
        if type(value) in (int, float):
            return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.List | ast.Tuple):
        return [_node(item, where) for item in node.elts]
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return _dictionary([(_key(key, where), _node(item, where)) for key, item in pairs], where)
    if _is_dict_call(node):
        named = [(item.arg, _node(item.value, where)) for item in node.keywords]
        return _dictionary(named, where)
    raise PredictionError(
        f"{where} has {ast.unparse(node)[:60]!r}, which is no number, text, list or `dict(...)`. "
        "Write its value."
    )


def _is_dict_call(node: ast.expr) -> TypeGuard[ast.Call]:
    """Return whether a node is ``dict(key=value)``."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "dict"
        and not node.args
        and all(item.arg for item in node.keywords)
    )


def _key(key: ast.expr | None, where: str) -> Any:
    value = None if key is None else _node(key, where)
    if type(value) not in (int, str):
        raise PredictionError(f"{where} has a key that is no whole number or text. Correct it.")
    return value


def _dictionary(pairs: list[tuple[Any, Any]], where: str) -> dict[Any, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise PredictionError(f"{where} has one key twice. Keep one of them.")
    return found
