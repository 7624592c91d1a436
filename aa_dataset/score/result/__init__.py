# SPDX-License-Identifier: Apache-2.0
"""The result of a scoring run: two tables, and everything that follows from them.

`record.Result` is the result; `record.write_result` and `record.read_result` are its folder.

====================  =========================================================================
the two tables        `scores` (all names), `tables` (schemas), `checks` (of untrusted tables)
means and intervals   `arrays`, `groups`, `statistics`, `resampling`, `summary`
readers and frames    `intake` (counts of a run), `intake_report`
for a person          `report`, `warnings`
two results           `comparable`
====================  =========================================================================
"""
