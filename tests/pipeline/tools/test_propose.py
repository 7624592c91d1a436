# SPDX-License-Identifier: Apache-2.0
"""`python -m pipeline propose`: proposals from the rules, or a model behind a loopback server."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from pipeline.__main__ import main
from tests.kit.labeled_library import PICTURE, write_labeled_library

SECRET = "not-to-be-shown"


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("AA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("AA_LIBRARY", raising=False)
    monkeypatch.chdir(tmp_path)
    return write_labeled_library(tmp_path / "library")


class Model:
    """An OpenAI-compatible service with replies that the test chooses."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.status, self.content = 200, '{"category": "grill"}'
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                model.answer(self)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}/v1"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        assert handler.path == "/v1/chat/completions"
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        self.asked.append(json.loads(body))
        self.keys.append(handler.headers["Authorization"])
        reply = json.dumps({"choices": [{"message": {"content": self.content}}]}).encode()
        handler.send_response(self.status)
        if self.status == 302:
            handler.send_header("Location", f"{self.address}/elsewhere")
        handler.send_header("Content-Length", str(len(reply)))
        handler.end_headers()
        handler.wfile.write(reply)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Model]:
    service = Model()
    thread = threading.Thread(target=service.server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setenv("AA_LLM_ENDPOINT", service.address)
    monkeypatch.setenv("AA_LLM_MODEL", "a-model")
    monkeypatch.setenv("AA_LLM_KEY", SECRET)
    yield service
    service.server.shutdown()
    service.server.server_close()


def run(capsys: Any, *words: str) -> tuple[int, str, str]:
    status = main(["propose", *words])
    said = capsys.readouterr()
    return status, said.out, said.err


def proposals(path: str = "proposals.tsv") -> list[list[str]]:
    return [line.split("\t") for line in Path(path).read_text().splitlines()][1:]


def test_propose_sends_name_description_and_preview(
    library: Path, model: Model, capsys: Any
) -> None:
    model.content = (
        'Sure: {"category": "Hand Mill", "supercategory": "Kitchen & Cooking", "why": "a\\tb\\nc"}'
    )
    status, out, err = run(capsys, "--out", "proposals.tsv")
    assert status == 0 and "2 proposals added" in out and "reviews.tsv" in out
    text, picture = model.asked[1]["messages"][1]["content"]
    assert "the local-quern" in text["text"] and "Grinds grain." in text["text"]
    assert "Lighting: task_lamp" in text["text"] and "uncategorized" not in text["text"]
    sent = picture["image_url"]["url"].removeprefix("data:image/png;base64,")
    assert base64.b64decode(sent) == PICTURE
    assert model.asked[0]["model"] == "a-model" and model.keys == [f"Bearer {SECRET}"] * 2
    assert SECRET not in out + err
    row = ["local-mill", "hand_mill", "hand_mill", "Kitchen & Cooking", "a-model", "a b c"]
    assert proposals()[0] == row


def test_propose_sends_one_request_and_respects_the_limit(
    library: Path, model: Model, capsys: Any
) -> None:
    for _ in range(3):
        run(capsys, "--out", "proposals.tsv", "--limit", "1")
    assert len(model.asked) == 2
    assert [row[0] for row in proposals()] == ["local-mill", "local-quern"]


@pytest.mark.parametrize("content", ["I cannot.", "{}", '{"category": "///"}', "[" * 5000 + "{}"])
def test_a_reply_without_a_category_is_skipped_with_a_message(
    library: Path, model: Model, capsys: Any, content: str
) -> None:
    model.content = content
    status, out, err = run(capsys, "--out", "proposals.tsv")
    assert status == 1 and "0 proposals added" in out and "local-quern" in err
    assert not Path("proposals.tsv").exists()


def test_an_invented_supercategory_is_not_taken_over(
    library: Path, model: Model, capsys: Any
) -> None:
    model.content = '{"category": "quern", "supercategory": "Stones"}'
    run(capsys, "--out", "proposals.tsv")
    assert proposals()[0][2:4] == ["quern", ""]


@pytest.mark.parametrize("status", [401, 500, 302])
def test_a_refusal_ends_the_run_with_a_sentence(
    library: Path, model: Model, capsys: Any, status: int
) -> None:
    model.status = status
    code, _, err = run(capsys, "--out", "proposals.tsv")
    assert code == 2 and f"status {status}" in err and "AA_LLM_KEY" in err
    assert SECRET not in err and len(model.asked) == 1


def test_a_key_that_cannot_be_sent_is_not_shown(
    library: Path, model: Model, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AA_LLM_KEY", f"{SECRET}\n")
    code, _, err = run(capsys, "--out", "proposals.tsv")
    assert code == 2 and SECRET not in err


def test_without_an_endpoint_the_next_step_is_printed(
    library: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AA_LLM_ENDPOINT", raising=False)
    status, _, err = run(capsys)
    assert status == 2 and "AA_LLM_ENDPOINT" in err
    status, _, err = run(capsys, "--without-model")
    assert status == 2 and "--out" in err  # there is no folder taxonomy/ here


def test_the_rules_can_propose_without_a_model(library: Path, capsys: Any) -> None:
    status, _, _ = run(capsys, "--without-model", "--out", "proposals.tsv")
    assert status == 0
    assert [row[:5] for row in proposals()] == [
        ["local-mill", "hand_mill", "hand_mill", "", "rules"],
        ["local-quern", "quern", "quern", "", "rules"],
    ]


@pytest.mark.parametrize(
    "content", [b"\xff\xfe", b"somebody's notes\n", b"object_id\tlabel\tcategory"]
)
def test_a_file_that_is_not_of_proposals_is_refused_and_kept(
    library: Path, capsys: Any, content: bytes
) -> None:
    """A row without a line break before it would be glued to the last one."""
    Path("notes.tsv").write_bytes(content)
    assert main(["propose", "--without-model", "--out", "notes.tsv"]) == 2
    assert "notes.tsv" in capsys.readouterr().err
    assert Path("notes.tsv").read_bytes() == content
