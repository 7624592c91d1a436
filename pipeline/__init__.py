# SPDX-License-Identifier: Apache-2.0
"""Stages that turn raw sources into the library."""
