# SPDX-License-Identifier: Apache-2.0
"""The progress of a build: what it expects is counted once, not every second."""

from __future__ import annotations

import json
from pathlib import Path

from pipeline.base import layout
from pipeline.tools.build.events import Events
from pipeline.tools.build.progress import Progress


def test_inventories_are_counted_once_the_plan_is_known(elsewhere: Path) -> None:
    events = Events(Path("events.jsonl"))
    progress = Progress(events)
    progress._update()  # nothing is planned, and no inventory exists yet
    assert progress._bar.total == 0
    layout.INDEX.parent.mkdir(parents=True)
    layout.INDEX.write_text('{"local": 1}')
    inventory = layout.inventory("local", "0000")
    inventory.parent.mkdir()
    inventory.write_text("a\nb\nc\n")
    events.path.write_text(
        json.dumps({"event": "run_info", "jobs": {"ingest": 1, "verify": 1}}) + "\n"
    )
    progress._update()
    assert progress._bar.total == 6  # three objects in each of two stages
    inventory.unlink()
    progress._update()
    assert progress._bar.total == 6
