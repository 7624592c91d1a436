# SPDX-License-Identifier: Apache-2.0
"""Stages that turn raw sources into the library."""

import sys

# `python -m pipeline` puts the current folder first on the path. Where this package came from
# elsewhere, modules of that folder must not run; `sys` is built in, any other import could be one.
if (
    sys.argv[:1] == ["-m"]  # as long as Python looks for the module to run
    and not sys.flags.safe_path
    and __file__ != f"{sys.path[0]}/pipeline/__init__.py"
):
    del sys.path[0]
