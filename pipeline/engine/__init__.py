# SPDX-License-Identifier: Apache-2.0
"""What runs a build: settings, the plan of what must run, and the worker processes."""
