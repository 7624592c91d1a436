# SPDX-License-Identifier: Apache-2.0
"""The ground truth in the formats of methods: what each format costs before any method runs."""
