# SPDX-License-Identifier: Apache-2.0
"""The command ``aa``: a module per command, `terminal` for what they print."""

from aa_dataset.cli.program import main

__all__ = ["main"]
