# SPDX-License-Identifier: Apache-2.0
"""Finds objects of equal content across the whole library and keeps one of each."""
