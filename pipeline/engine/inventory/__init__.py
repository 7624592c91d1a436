# SPDX-License-Identifier: Apache-2.0
"""What a build depends on, as small files that change only when their content does."""
