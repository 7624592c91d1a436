# SPDX-License-Identifier: Apache-2.0
"""Brings the shards together: the tables and the asset tars of the library."""
