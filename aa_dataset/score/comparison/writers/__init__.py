# SPDX-License-Identifier: Apache-2.0
"""A comparison as text, Markdown, LaTeX, CSV, JSON or an HTML page; foreign text is escaped."""
