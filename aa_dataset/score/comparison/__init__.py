# SPDX-License-Identifier: Apache-2.0
"""Comparison of results: the paper's tables, paired differences, profiles, agreement of scores.

`report.compare` computes everything, the modules of `writers` write it; ``aa compare`` is the
command.
"""
