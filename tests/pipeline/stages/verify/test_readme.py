# SPDX-License-Identifier: Apache-2.0
"""Contract: README table, code and config of the stage say the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from pipeline.base import layout
from pipeline.base.errors import ConfigError
from pipeline.base.reasons import LATE_CODES, Code
from pipeline.engine.checked_yaml import read_yaml
from pipeline.engine.config import parse_config
from pipeline.stages.verify.upright import load_rules
from tests.kit.places import REPOSITORY


def codes_used(folder: Path) -> set[str]:
    """Return the codes that the sources of one stage name."""
    texts = (path.read_text() for path in sorted(folder.rglob("*.py")))
    return {str(Code[name]) for text in texts for name in re.findall(r"\bCode\.([A-Z_]+)", text)}


def table(repository: Path) -> dict[str, tuple[str, str, str]]:
    """Return severity, rejects and why by code."""
    rows = {}
    for line in (repository / "pipeline/stages/verify/README.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and cells[0].startswith("`"):
            assert cells[0] not in rows
            rows[cells[0].strip("`")] = (cells[1], cells[2], cells[3])
    return rows


def test_every_code_of_the_stage_is_in_the_table_with_a_reason() -> None:
    rows = table(REPOSITORY)
    assert set(rows) == codes_used(REPOSITORY / "pipeline/stages/verify")
    assert all(why for _, _, why in rows.values())


def test_the_default_list_is_the_one_of_the_table() -> None:
    config = yaml.safe_load((REPOSITORY / "config.yaml").read_text())
    rows = table(REPOSITORY)
    assert {rejects for _, rejects, _ in rows.values()} == {"yes", "no"}
    assert {code for code, row in rows.items() if row[1] == "yes"} == set(
        config["verify"]["reject"]
    )


def test_the_number_of_upright_rules_is_documented() -> None:
    text = (REPOSITORY / "pipeline/stages/verify/README.md").read_text()
    assert f"names {len(load_rules())} categories" in text


def test_codes_of_stages_after_verify_are_listed_as_late() -> None:
    late = {
        code
        for stage in ("annotate", "render", "deduplicate")
        for code in codes_used(REPOSITORY / "pipeline/stages" / stage)
    }
    assert late == set(map(str, LATE_CODES))


@pytest.mark.parametrize(
    ("code", "problem"),
    [("duplicate_kept", "is found after verify"), ("no_such_code", "is not a code"),
     ("mesh_missing", "is not a code")],
)  # fmt: skip
def test_a_code_that_cannot_reject_stops_the_build(
    workspace: Path, code: str, problem: str
) -> None:
    config = read_yaml(layout.CONFIG)
    config["verify"]["reject"].append(code)
    with pytest.raises(ConfigError, match=f"verify.reject: '{code}' {problem}"):
        parse_config(config)


def test_codes_of_earlier_stages_may_reject(workspace: Path) -> None:
    config = read_yaml(layout.CONFIG)
    config["verify"]["reject"] += ["texture_missing", "label_unknown", "limit_invented"]
    parse_config(config)
