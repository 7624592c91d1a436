# SPDX-License-Identifier: Apache-2.0
"""The simulators with contacts, as the judge's tests have them."""

from tests.aa_dataset.judge.conftest import simulator

__all__ = ["simulator"]
