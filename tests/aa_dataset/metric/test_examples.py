# SPDX-License-Identifier: Apache-2.0
"""Every public function shows an example, and every example prints the output beside it."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

from aa_dataset import metric
from aa_dataset.metric import losses

LOSSES = ("invariant_loss", "prismatic_screws", "revolute_screws", "smooth_loss", "soft_min_loss")
FUNCTIONS = [
    *(
        getattr(metric, name)
        for name in metric.__all__
        if inspect.isfunction(getattr(metric, name))
    ),
    *(getattr(losses, name) for name in LOSSES),
]
# The compiled modules have no examples, and importing them needs numba.
MODULES = sorted(
    found.name
    for found in pkgutil.walk_packages(metric.__path__, "aa_dataset.metric.")
    if "._compiled" not in found.name
)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_every_public_function_has_an_example(function):
    assert ">>> " in (function.__doc__ or ""), "add an `Examples` section to its docstring"


@pytest.mark.parametrize("name", MODULES)
def test_examples_print_the_documented_output(name):
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0


def test_there_are_as_many_examples_as_functions():
    finder = doctest.DocTestFinder(exclude_empty=True)
    tests = [t for name in MODULES for t in finder.find(importlib.import_module(name))]
    assert sum(bool(t.examples) for t in tests) >= len(FUNCTIONS) > 20
