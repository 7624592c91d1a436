# SPDX-License-Identifier: Apache-2.0
"""What a reconstruction method is given of an object: meshes, views, clouds, a sentence."""
