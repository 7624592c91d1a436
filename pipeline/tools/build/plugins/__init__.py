# SPDX-License-Identifier: Apache-2.0
"""A folder of its own, which Snakemake's process gets on its path to find the plugin in it."""
