# SPDX-License-Identifier: Apache-2.0
"""The command behind `make library`: one lock, one plan, progress, and a summary at the end."""
