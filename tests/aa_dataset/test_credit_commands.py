# SPDX-License-Identifier: Apache-2.0
"""`aa cite` and `aa licenses`: exactly the sources and licenses of a selection, each entry once."""

from __future__ import annotations

import contextlib
import json
import re

import pytest
import yaml

from aa_dataset import load_dataset
from aa_dataset.cli import main
from aa_dataset.errors import LibraryError
from aa_dataset.format.credits import PAPER, entry_key, parse_bibtex
from pipeline.engine.sources import load_sources, read_citations
from tests.kit.library_folder import write_seal
from tests.kit.places import REPOSITORY

SHARED = "@misc{Shared2020,\n  title = {Both},\n}"
OWN = "@book{Own2021,\n  title = {A {Brace}},\n}"
CREDITS = {
    "generated": {"title": "Made here", "citation": "Shared 2020", "bibtex": [SHARED]},
    "local": {"title": "Yours", "citation": "Own 2021; Shared 2020", "bibtex": [OWN, SHARED]},
    "absent": {"title": "Not here", "citation": "No 2022", "bibtex": ["@misc{No2022,\n}"]},
}


@pytest.fixture
def credited(library):
    write_seal(library, credits=CREDITS)
    return str(library)


def said(capsys, *words):
    assert main(words) == 0
    return capsys.readouterr().out


def test_a_whole_library_cites_all_of_its_sources_and_no_other(credited, capsys):
    text = said(capsys, "cite", credited)
    assert [*parse_bibtex(text)] == [
        "He2026ArticulateArena", "aa_dataset", "Shared2020", "Own2021",
    ]  # fmt: skip
    assert text.index("% generated, 3 objects: Shared 2020") < text.index("% local, 2 objects")


def test_a_selection_cites_its_own_sources_alone(credited, capsys):
    keys = parse_bibtex(said(capsys, "cite", credited, "--source", "generated"))
    assert "Shared2020" in keys and "Own2021" not in keys
    found = json.loads(said(capsys, "cite", credited, "--source", "local", "--json"))
    assert [*found["sources"]] == ["local"]
    assert found["sources"]["local"]["bibtex"] == [OWN, SHARED]


def test_the_entry_of_the_library_names_its_revision_and_the_selection(credited, capsys):
    entry = parse_bibtex(said(capsys, "cite", credited, "--split", "train"))["aa_dataset"]
    dataset = load_dataset(credited, "train", verbose=False)
    assert dataset.revision in entry and f"{len(dataset)} objects" in entry


def test_a_library_without_citations_says_so(library, capsys):
    text = said(capsys, "cite", str(library))
    assert "% generated, 3 objects: its build names no citation" in text
    assert len(parse_bibtex(text)) == 2


def test_the_paper_is_that_of_the_citation_file():
    cited = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text())["preferred-citation"]
    names = [f"{one['family-names']}, {one['given-names']}" for one in cited["authors"]]
    assert f"author = {{{' and '.join(names)}}}" in PAPER
    assert cited["title"] in PAPER.replace("{", "").replace("}", "")
    assert cited["journal"] in PAPER and f"year = {{{cited['year']}}}" in PAPER


def test_every_entry_of_the_repository_is_cited_and_has_what_a_style_needs():
    with contextlib.chdir(REPOSITORY):
        entries, sources = read_citations(), load_sources()
    assert {key for source in sources.values() for key in source.cites} == {*entries}
    for key, entry in entries.items():
        fields = re.findall(r"^  (\w+) = \{", entry, re.M)
        assert {"title", "author", "year"} <= {*fields}, key
        assert {"journal", "booktitle"} & {*fields}, key


@pytest.mark.parametrize(
    "text", ["", "text", "@misc{a,\n", "@misc{a,\n}}", "@misc{a,\n}\n@misc{b,\n}", "@misc{,\n}"]
)
def test_what_is_no_single_entry_is_refused(text):
    with pytest.raises(ValueError, match="not one BibTeX entry"):
        entry_key(text)


def test_a_key_of_two_entries_is_refused():
    with pytest.raises(ValueError, match="a appears twice"):
        parse_bibtex("@misc{a,\n}\n\n@book{a,\n}\n")


BROKEN = {
    "a list": [],
    "a text per source": {"generated": "cite me"},
    "a field more": {"generated": CREDITS["generated"] | {"more": ""}},
    "a title that is a number": {"generated": CREDITS["generated"] | {"title": 5}},
    "an entry that is none": {"generated": CREDITS["generated"] | {"bibtex": ["cite me"]}},
    "a long text": {"generated": CREDITS["generated"] | {"citation": "x" * 20_001}},
    "many entries": {"generated": CREDITS["generated"] | {"bibtex": [SHARED] * 51}},
}


@pytest.mark.parametrize("case", BROKEN)
def test_credits_that_no_build_writes_are_a_sentence(library, case):
    write_seal(library, credits=BROKEN[case])
    with pytest.raises(LibraryError, match=r"library\.json.*credits|library\.json.*BibTeX"):
        load_dataset(library, verbose=False)


def test_licenses_are_those_of_the_selection_with_a_line_per_author(credited, capsys):
    dataset = load_dataset(credited, verbose=False)
    found = json.loads(said(capsys, "licenses", credited, "--json"))
    assert {one["license"]: one["objects"] for one in found} == dataset.licenses
    for terms in found:
        assert sum(line["objects"] for line in terms["credit"]) == terms["objects"]
    train = json.loads(said(capsys, "licenses", credited, "--split", "train", "--json"))
    assert sum(one["objects"] for one in train) == len(dataset.split("train"))


def test_licenses_print_the_terms_and_the_lines_to_copy(credited, capsys):
    text = said(capsys, "licenses", credited, "--license", "CC0-1.0")
    count = load_dataset(credited, verbose=False).licenses["CC0-1.0"]
    assert text.startswith(f"CC0-1.0: {count} objects\n  Public domain; credit is a courtesy.\n")
    assert "Text: https://spdx.org/licenses/CC0-1.0.html" in text
    assert re.search(r"^    Made here by .*, CC0-1.0, \d+ objects", text, re.M)


def test_unknown_terms_are_no_invitation(credited, capsys):
    spelled = load_dataset(credited, verbose=False).licenses
    closed = next(name for name in spelled if name != "CC0-1.0")
    text = said(capsys, "licenses", credited, "--license", closed)
    assert "credit to give" in text


def test_an_unknown_split_or_license_is_a_sentence(credited, capsys):
    for words in (("--split", "nothing"), ("--license", "MIT-0")):
        assert main(["cite", credited, *words]) == 2
        assert "aa: " in capsys.readouterr().err
