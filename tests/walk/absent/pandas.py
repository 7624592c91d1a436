# SPDX-License-Identifier: Apache-2.0
"""In the place of pandas, which `make library` does not install.

pyarrow imports it at the first array wherever it is installed, which took a fifth of the time of
a small build.
"""

raise ImportError("a build does without pandas")
