# SPDX-License-Identifier: Apache-2.0
"""Scoring: read predictions, pair joints, measure, aggregate, report.

`evaluate.evaluate` is the entry point; ``aa score`` is the command. A prediction passes these
rooms and modules in this order:

==============================  =================================================================
read                            `readers`, `budgets`, `method`, `parameters`
brought into the object frame   `registration`, `truth_shape`
one object                      `objects`, `pairing`, `imputation`, `charges`, `trees`, `rest`
its rows                        `rows`
a run                           `evaluate`, `crew` (processes), `parts` (what is finished)
a result                        `result`: tables, means, intervals, summary, report
for a person                    `explain` (one object), `comparison` (methods)
==============================  =================================================================

`baselines` writes predictions, `simulated` the truth in the formats of methods. `presets` computes
what other projects report, and `published` has the numbers of the paper.
"""
