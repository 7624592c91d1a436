# SPDX-License-Identifier: Apache-2.0
"""A folder that is added to the path of Snakemake's process, so that it finds the plugin."""
