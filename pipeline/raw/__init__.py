# SPDX-License-Identifier: Apache-2.0
"""What comes from people and other projects: raw files, their adapters, verdicts, the taxonomy."""
