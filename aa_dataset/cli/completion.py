# SPDX-License-Identifier: Apache-2.0
"""``aa completion``: print a script that completes commands, options and their values in a shell.

The script is made from the parser itself and needs neither Python nor a package when it runs: a
press of the Tab key costs no start of an interpreter. Values that only a library knows, such as
object ids, are not completed; where no word fits, the shell completes file names.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import shorten
from typing import Any

from aa_dataset.cli.terminal import say

SHELLS = ("bash", "zsh", "fish")
_INSTALL = (
    'bash: eval "$(aa completion bash)" in ~/.bashrc; zsh: the same with zsh in ~/.zshrc, after '
    "compinit; fish: aa completion fish > ~/.config/fish/completions/aa.fish"
)
_WORD = re.compile(r"[A-Za-z0-9@%+=:,./_-]+")


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its spellings, its help, the words that it takes (None: no value at all)."""

    names: tuple[str, ...]
    help: str
    values: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Command:
    """One command or verb: its words, its help, its options, and what may stand after it."""

    path: tuple[str, ...]
    help: str
    options: tuple[Option, ...]
    words: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        """The words of the command, separated by spaces."""
        return " ".join(self.path)


def add_to(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "completion",
        help="print a script that completes `aa` in a shell",
        description=f"Print a script that completes `aa`. {_INSTALL}.",
    )
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))
    parser.set_defaults(run=run_completion)


def run_completion(arguments: argparse.Namespace) -> int:
    """Print the script of one shell."""
    from aa_dataset.cli.program import argument_parser

    found = list(described_commands(argument_parser()))
    writers = {"bash": _bash_lines, "zsh": _zsh_lines, "fish": _fish_lines}
    say(writers[arguments.shell](found))
    return 0


def described_commands(
    parser: argparse.ArgumentParser, path: tuple[str, ...] = (), about: str = ""
) -> Iterator[Command]:
    """Yield a parser and all parsers below it, each with what its help shows."""
    options, words = [], []
    inner: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            inner = dict(action.choices)
            helps = {one.dest: one.help or "" for one in action._choices_actions}
            words += [(name, helps.get(name, "")) for name in inner]
        elif action.option_strings:
            takes = action.nargs != 0
            values = tuple(map(str, action.choices or ())) if takes else None
            options.append(Option(tuple(action.option_strings), action.help or "", values))
        elif action.choices:
            words += [(str(choice), "") for choice in action.choices]
    yield Command(path, about, tuple(options), tuple(words))
    for name, below in inner.items():
        yield from described_commands(below, (*path, name), dict(words)[name])


def _bash_lines(commands: list[Command]) -> Iterator[str]:
    """Yield a function of bash; zsh runs the same through bashcompinit."""
    nested = sorted({one.path[0] for one in commands if len(one.path) > 1})
    yield "_aa() {"
    yield '    local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"'
    yield "    local command= words= place=1"
    yield '    if [[ "$cur" == "=" ]]; then cur=""'
    yield '    elif [[ "$prev" == "=" ]]; then prev="${COMP_WORDS[COMP_CWORD-2]}"; fi'
    yield '    if (( COMP_CWORD > 1 )); then command="${COMP_WORDS[1]}"; place=2; fi'
    yield f'    case "$command" in {"|".join(nested)})'
    yield '        if (( COMP_CWORD > 2 )); then command+=" ${COMP_WORDS[2]}"; place=3; fi ;;'
    yield "    esac"
    yield '    case "$command $prev" in'
    yield from _value_lines(commands)
    yield "    esac"
    yield '    case "$command" in'
    for command in commands:
        names = [name for option in command.options for name in option.names]
        words = [word for word, _ in command.words]
        yield f'        "{command.name}") if [[ "$cur" == -* ]]; then words="{_plain(names)}"'
        yield f'            elif (( COMP_CWORD == place )); then words="{_plain(words)}"; fi ;;'
    yield "    esac"
    yield '    COMPREPLY=($(compgen -W "$words" -- "$cur"))'
    yield "}"
    yield "complete -o default -F _aa aa"


def _value_lines(commands: list[Command]) -> Iterator[str]:
    """Yield the cases of options that take a value: the words that it may be, or file names."""
    free = []
    for command in commands:
        for option in command.options:
            spelled = [f'"{command.name} {name}"' for name in option.names]
            if option.values:
                words = f'compgen -W "{_plain(option.values)}" -- "$cur"'
                yield f"        {'|'.join(spelled)}) COMPREPLY=($({words})); return ;;"
            elif option.values is not None:
                free += spelled
    yield f"        {'|'.join(free)}) COMPREPLY=(); return ;;"


def _zsh_lines(commands: list[Command]) -> Iterator[str]:
    yield "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }"
    yield "autoload -Uz bashcompinit && bashcompinit"
    yield from _bash_lines(commands)


def _fish_lines(commands: list[Command]) -> Iterator[str]:
    yield "complete -c aa -e"
    for command in commands:
        seen = [f"__fish_seen_subcommand_from {word}" for word in command.path]
        after = [word for word, _ in command.words]
        if after and not (command.path and _is_plain_choice(command, commands)):
            seen.append(f"not __fish_seen_subcommand_from {' '.join(after)}")
        test = f"-n {_quoted('; and '.join(seen))}" if seen else ""
        for word, text in command.words:
            yield f"complete -c aa {test} -f -a {_quoted(word)} -d {_quoted(_brief(text))}"
        for option in command.options:
            yield f"complete -c aa {test} {_fish_option(option)} -d {_quoted(_brief(option.help))}"


def _is_plain_choice(command: Command, commands: list[Command]) -> bool:
    """Return whether the words after a command are values, not verbs with options of their own."""
    return not any(one.path[: len(command.path)] == command.path != one.path for one in commands)


def _fish_option(option: Option) -> str:
    spelled = [
        f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names
    ]
    if option.values is None:
        return " ".join(spelled)
    values = f" -f -a {_quoted(' '.join(option.values))}" if option.values else ""
    return f"{' '.join(spelled)} -r{values}"


def _brief(text: str) -> str:
    """Return the beginning of a help text, without what the parser fills in."""
    return shorten(text.replace("%%", "%").split("; ")[0].split(" (")[0], 70, placeholder="")


def _plain(words: tuple[str, ...] | list[str]) -> str:
    """Return words for a list between double quotes; ours have no character that a shell reads."""
    return " ".join(word for word in words if _WORD.fullmatch(word))


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
