# SPDX-License-Identifier: Apache-2.0
"""Reads the job events of a running Snakemake, which our logger plugin writes."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.tools.build.plugins.snakemake_logger_plugin_events import VARIABLE

PLUGINS = Path(__file__).with_name("plugins")
ARGUMENTS = ("--logger", "events")  # finds `snakemake_logger_plugin_events` on the path


def plugin_environment(path: Path) -> dict[str, str]:
    """Return the variables with which Snakemake finds the plugin and the plugin its file."""
    paths = [str(PLUGINS), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(paths), VARIABLE: str(path.absolute())}


@dataclass(slots=True)
class Events:
    """The events of one build so far, read from a file that grows.

    Attributes
    ----------
    path : Path
        Lines of JSON, one per event.
    planned, finished : dict of str to int
        Jobs by rule.
    running : str
        The rule of the job that started last.
    failed_logs : list of str
        Logs of the jobs that failed, in the order of their failure.
    """

    path: Path
    planned: dict[str, int] = field(default_factory=dict)
    finished: dict[str, int] = field(default_factory=dict)
    running: str = ""
    failed_logs: list[str] = field(default_factory=list)
    _rules: dict[str, str] = field(default_factory=dict)
    _read: int = 0

    def update(self) -> None:
        """Read what was written since the last call; an incomplete last line waits."""
        if not self.path.is_file():
            return
        with self.path.open("rb") as stream:
            stream.seek(self._read)
            data = stream.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines():
            self._record_event(json.loads(line))

    def _record_event(self, event: dict[str, object]) -> None:
        job, rule = str(event.get("job")), str(event.get("rule"))
        match event["event"]:
            case "run_info" if isinstance(event["jobs"], dict):
                self.planned = {name: int(count) for name, count in event["jobs"].items()}
            case "job_info":
                self._rules[job] = self.running = rule
            case "job_finished":
                rule = self._rules.get(job, "")
                self.finished[rule] = self.finished.get(rule, 0) + 1
            case "job_error" if isinstance(event["logs"], list):
                self.failed_logs += [str(path) for path in event["logs"]]
