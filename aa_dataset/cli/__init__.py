# SPDX-License-Identifier: Apache-2.0
"""The command ``aa``: one module per command; `terminal` prints."""

from aa_dataset.cli.program import main

__all__ = ["main"]
