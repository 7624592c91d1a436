# SPDX-License-Identifier: Apache-2.0
"""The files of objects: packed in tars, unpacked in the cache, checked by digest."""
