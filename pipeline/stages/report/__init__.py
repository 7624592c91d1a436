# SPDX-License-Identifier: Apache-2.0
"""The stage `report`: a page that shows the library of this build, its figures and the paper's."""
