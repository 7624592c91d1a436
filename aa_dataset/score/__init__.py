# SPDX-License-Identifier: Apache-2.0
"""Scoring: read predictions, pair joints, measure, aggregate, report.

`evaluate.evaluate` is the entry point; ``aa score`` is the command.
"""
