# SPDX-License-Identifier: Apache-2.0
"""What knows meshes, pictures and the formats that hold them."""
