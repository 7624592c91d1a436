# SPDX-License-Identifier: Apache-2.0
"""Why an object scores as it does: its edit script, its joints, and drawings of both trees."""
