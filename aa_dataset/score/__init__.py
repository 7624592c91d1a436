# SPDX-License-Identifier: Apache-2.0
"""Scoring: read predictions, pair joints, measure, aggregate, report.

`evaluate.evaluate` is the way in; ``aa score`` is the same as a command.
"""
