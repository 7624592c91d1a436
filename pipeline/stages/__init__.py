# SPDX-License-Identifier: Apache-2.0
"""The ten stages of a build, in the order of the Snakefile."""
