# SPDX-License-Identifier: Apache-2.0
"""Input from people and other projects: raw files, their adapters, curation, the taxonomy."""
