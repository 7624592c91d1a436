# SPDX-License-Identifier: Apache-2.0
"""The eleven stages of a build, in the order of the Snakefile."""
