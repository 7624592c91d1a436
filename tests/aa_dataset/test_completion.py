# SPDX-License-Identifier: Apache-2.0
"""`aa completion`: the scripts complete what the parser accepts, in real shells."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess

import pytest

from aa_dataset.cli import main
from aa_dataset.cli.completion import SHELLS, described_commands
from aa_dataset.cli.program import argument_parser

COMMANDS = {one.name: one for one in described_commands(argument_parser())}


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    """The script of every shell as a file."""
    folder = tmp_path_factory.mktemp("completion")
    for shell in SHELLS:
        with (folder / shell).open("w") as stream, pytest.MonkeyPatch.context() as patch:
            patch.setattr("sys.stdout", stream)
            assert main(["completion", shell]) == 0
    return folder


def shell_path(name: str) -> str:
    """Return a shell of this machine, or skip."""
    path = shutil.which(os.environ.get(f"AA_{name.upper()}", name))
    if path is None:
        pytest.skip(f"no {name} on this machine")
    return path


def bash(script, *words: str, before: str = "") -> list[str]:
    """Return what bash offers for the last word of a command line."""
    line = " ".join(map(shlex.quote, words))
    program = (
        f"{before}source {shlex.quote(str(script))}; COMP_WORDS=({line}); "
        f"COMP_CWORD={len(words) - 1}; _aa; printf '%s\\n' \"${{COMPREPLY[@]}}\"; complete -p aa"
    )
    done = subprocess.run(
        [shell_path("bash"), "--norc", "--noprofile", "-c", program],
        capture_output=True, text=True, check=True, env={"PATH": ""},
    )  # fmt: skip
    assert done.stderr == ""
    *offered, registered = done.stdout.splitlines()
    assert registered == "complete -o default -F _aa aa"
    return [word for word in offered if word]


def test_bash_completes_commands(scripts):
    assert bash(scripts / "bash", "aa", "") == [word for word, _ in COMMANDS[""].words]
    assert bash(scripts / "bash", "aa", "sc") == ["score"]
    assert {"info", "score", "cite", "completion", "fetch"} <= {
        word for word, _ in COMMANDS[""].words
    }


def test_bash_completes_the_options_of_every_command(scripts):
    for name, command in COMMANDS.items():
        if name in ("", "sources", "fetch"):  # the pipeline has the options of the last two
            continue
        spelled = [word for option in command.options for word in option.names]
        assert bash(scripts / "bash", "aa", *name.split(), "-") == spelled, name


def test_bash_completes_values_also_after_an_equals_sign(scripts):
    expected = ["tree", "assignment", "name", "geometry"]
    assert bash(scripts / "bash", "aa", "score", "p", "--pairing", "") == expected
    assert bash(scripts / "bash", "aa", "score", "--pairing", "=", "t") == ["tree"]
    assert bash(scripts / "bash", "aa", "score", "--pairing", "=") == expected


def test_bash_completes_words_in_their_place_only(scripts):
    assert "noise" in bash(scripts / "bash", "aa", "baseline", "")
    assert bash(scripts / "bash", "aa", "baseline", "noise", "") == []
    assert bash(scripts / "bash", "aa", "split", "") == ["export", "import"]
    assert bash(scripts / "bash", "aa", "split", "ex") == ["export"]
    assert "--out" in bash(scripts / "bash", "aa", "split", "export", "--")
    assert bash(scripts / "bash", "aa", "completion", "") == list(SHELLS)


def test_bash_leaves_what_it_does_not_know_to_file_names(scripts):
    """An empty answer makes readline complete files, because of `-o default`."""
    assert bash(scripts / "bash", "aa", "score", "") == []
    assert bash(scripts / "bash", "aa", "score", "p", "--out", "") == []
    assert bash(scripts / "bash", "aa", "nothing", "") == []


def test_zsh_completes_with_the_same_function(scripts):
    program = (
        f"source {shlex.quote(str(scripts / 'zsh'))}; (( $+functions[_aa] )) && "
        "[[ ${_comps[aa]} == *_bash_complete*_aa* ]] && print registered"
    )
    done = subprocess.run(
        [shell_path("zsh"), "-f", "-c", program],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("registered\n", "")


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("aa sc", ["score"]),
        ("aa split ", ["export", "import"]),
        ("aa score p --pairing t", ["tree"]),
        ("aa score p --pairi", ["--pairing"]),
        ("aa split export x --ou", ["--out"]),
        ("aa completion b", ["bash"]),
    ],
)
def test_fish_completes(scripts, line, offered):
    program = f"source {shlex.quote(str(scripts / 'fish'))}; complete -C {shlex.quote(line)}"
    done = subprocess.run(
        [shell_path("fish"), "--no-config", "-c", program],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert [found.split("\t")[0] for found in done.stdout.splitlines()] == offered


def test_an_unknown_shell_is_a_usage_error(capsys):
    with pytest.raises(SystemExit) as ending:
        main(["completion", "tcsh"])
    assert ending.value.code == 2
    assert "bash" in capsys.readouterr().err
