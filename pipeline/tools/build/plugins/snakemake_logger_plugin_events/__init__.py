# SPDX-License-Identifier: Apache-2.0
"""Snakemake logger plugin that writes the events of jobs as lines of JSON.

The progress bar and the report of a failure read them (`pipeline.tools.build.events`). Snakemake
finds the plugin by the name of this package; its own log is unchanged.
"""

from __future__ import annotations

import json
import os
from logging import LogRecord
from pathlib import Path
from typing import Any

from snakemake_interface_logger_plugins.base import LogHandlerBase
from snakemake_interface_logger_plugins.common import LogEvent

# Environment variable with the file that the events are appended to.
VARIABLE = "AA_SNAKEMAKE_EVENTS"
FIELDS = {
    LogEvent.RUN_INFO: {"stats": "jobs"},
    LogEvent.JOB_INFO: {"jobid": "job", "rule_name": "rule"},
    LogEvent.JOB_FINISHED: {"job_id": "job"},
    LogEvent.JOB_ERROR: {"jobid": "job", "rule_name": "rule", "log": "logs"},
}


class LogHandler(LogHandlerBase):
    """Appends a line per event of a job."""

    writes_to_stream = False
    writes_to_file = False
    has_filter = True
    has_formatter = True
    needs_rulegraph = False

    def emit(self, record: LogRecord) -> None:
        """Write one event."""
        event: Any = getattr(record, "event", None)
        path = os.environ.get(VARIABLE)
        if event not in FIELDS or not path:
            return
        facts = {ours: getattr(record, theirs) for theirs, ours in FIELDS[event].items()}
        with Path(path).open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"event": str(event), **facts}, default=str) + "\n")
