# SPDX-License-Identifier: Apache-2.0
"""The figures: files that stand alone, the same bytes twice, and words where nothing is drawn."""

from __future__ import annotations

import gc
import io
import re
import struct
import zlib
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

from pipeline.stages.report.figures import Figure, draw_figures
from pipeline.stages.report.figures.canvas import looks
from pipeline.stages.report.figures.composition import read_preview
from pipeline.stages.report.tables import LEFT_OUT, LibraryTables, StageCost, read_tables
from pipeline.stages.report.trees import object_tree
from tests.kit.library_folder import build_library, tar_fragment
from tests.kit.report_tables import random_tables, report_tables

pytest.importorskip("matplotlib")
NAMES = ["composition", "category_sizes", "joints_per_object", "depth", "ranges", "pitches",
         "sizes", "inertia", "findings", "coverage", "costs"]  # fmt: skip


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> LibraryTables:
    """A small true library, without measurements."""
    root = build_library(tmp_path_factory.mktemp("report") / "library")
    return read_tables(root, root / "absent")


def by_name(figures: tuple[Figure, ...]) -> dict[str, Figure]:
    return {figure.name: figure for figure in figures}


def test_every_figure_is_one_svg_that_needs_no_other_file(library: LibraryTables) -> None:
    figures = draw_figures(library)
    assert [figure.name for figure in figures] == NAMES
    for figure in figures:
        assert figure.title and figure.caption.endswith(".")
        root = ElementTree.fromstring(figure.svg)
        assert root.tag.endswith("svg")
        links = [value for node in root.iter() for key, value in node.attrib.items()
                 if key.endswith("href")]  # fmt: skip
        assert all(link.startswith(("#", "data:image/png;base64,")) for link in links)
        assert not any(node.tag.endswith("}text") for node in root.iter())  # outlines, no font
        assert not re.search(r"\b20\d\d-\d\d-\d\d\b", figure.svg)


def test_the_same_tables_give_the_same_bytes(library: LibraryTables) -> None:
    for tables in (library, random_tables(3)):
        expected = draw_figures(tables)
        assert all(draw_figures(tables) == expected for _ in range(4))


def test_settings_of_the_user_change_nothing(library: LibraryTables) -> None:
    import matplotlib

    expected = draw_figures(library)
    changed = {"font.size": 30, "axes.facecolor": "red", "svg.fonttype": "none"}
    with matplotlib.rc_context(changed):
        assert draw_figures(library) == expected
        assert matplotlib.rcParams["font.size"] == 30


def test_an_empty_library_has_words_in_place_of_plots() -> None:
    figures = draw_figures(report_tables())
    assert [figure.name for figure in figures] == NAMES
    shown = by_name(figures)
    assert shown["coverage"].caption == "The library has no evaluation split."
    assert all(ElementTree.fromstring(figure.svg) is not None for figure in figures)


def test_one_object_of_one_category_without_anything_else() -> None:
    row = {"object_id": "a-1", "source": "a", "category": "pliers", "supercategory": "Tools"}
    figures = by_name(draw_figures(report_tables(objects=[row])))
    assert "1 categories by rank" in figures["category_sizes"].caption
    assert "a-1" in figures["composition"].caption


def test_a_stage_too_short_to_be_seen_is_no_error() -> None:
    costs = (StageCost("ingest", 1, 0.0, 0.0, 0),)
    assert by_name(draw_figures(report_tables(costs=costs)))["costs"].svg


def test_names_with_signs_of_formulas_are_drawn_as_they_are() -> None:
    row = {"object_id": "a-1", "source": "$\\frac{", "category": "$x$", "supercategory": "a_$b^"}
    reject = {"source": "<b>&", "stage": "ingest", "code": "$\\bad"}
    assert len(draw_figures(report_tables(objects=[row], rejects=[reject]))) == len(NAMES)


def test_more_sources_than_colors_differ_in_their_hatch() -> None:
    seen = looks([f"source_{k}" for k in range(20)])
    assert len({(look.color, look.hatch) for look in seen.values()}) == 20


def test_a_picture_is_small_and_absent_where_the_library_has_none(library: LibraryTables) -> None:
    picture = read_preview(library, 0)
    assert picture is not None and picture.shape == (240, 240, 3)
    bare = report_tables(objects=[{"object_id": "a-1"}])
    assert read_preview(bare, 0) is None
    lost = report_tables(
        objects=[{"object_id": "a-1", "shard": "a-0000", "offset": 0, "size": 512}],
        root=Path("absent"),
    )
    assert read_preview(lost, 0) is None


def test_a_damaged_picture_and_joints_that_are_no_tree_are_gaps(tmp_path: Path) -> None:
    stream = io.BytesIO()
    Image.new("RGB", (8, 8)).save(stream, "PNG")
    data = bytearray(stream.getvalue())
    data[16:24] = struct.pack(">II", 30_000, 30_000)  # pixels that Pillow refuses to unpack
    data[29:33] = struct.pack(">I", zlib.crc32(data[12:29]))
    fragment = tar_fragment("a-1", {"preview.png": bytes(data)})
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "a-0000.tar").write_bytes(fragment + bytes(1024))
    row = {"object_id": "a-1", "shard": "a-0000", "offset": 0, "size": len(fragment)}
    assert read_preview(report_tables(objects=[row], root=tmp_path), 0) is None
    joints = [{"object_id": "a-1", "joint": "j", "type": "revolute", "parent": "a", "child": "a"}]
    tables = report_tables(objects=[{"object_id": "a-1", "category": "pliers"}], joints=joints)
    assert object_tree(tables, "a-1") is None and len(draw_figures(tables)) == len(NAMES)


def test_no_drawing_stays_in_memory(library: LibraryTables) -> None:
    from matplotlib.figure import Figure as Sheet

    for _ in range(2):
        draw_figures(library)
    gc.collect()
    assert not [one for one in gc.get_objects() if isinstance(one, Sheet)]


def test_tables_have_the_columns_of_the_schema_but_the_largest(library: LibraryTables) -> None:
    assert "object_id" in library.objects.column_names
    for name, columns in LEFT_OUT.items():
        assert not {*columns} & {*getattr(library, name).column_names}


def test_costs_are_sums_over_the_jobs_of_a_stage(tmp_path: Path) -> None:
    head = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"
    for name, line in {
        "verify/made/0000": "2.5\t0:00:02\t100.0\t1\t1\t1\t1\t1\t1\t2.0\n",
        "verify/made/0001": "4.0\t0:00:04\t50.0\t1\t1\t1\t1\t1\t1\t3.0\n",
        "ingest/made/0000": "0.25\t0:00:00\tNA\tNA\tNA\tNA\tNA\tNA\tNA\tNA\n",
        "split/all": "torn\n",
    }.items():
        path = tmp_path / "benchmarks" / f"{name}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(head + line)
    root = build_library(tmp_path / "library")
    assert read_tables(root, tmp_path / "benchmarks").costs == (
        StageCost("ingest", 1, 0.25, 0.0, 0),
        StageCost("verify", 2, 6.5, 5.0, 100 * 2**20),
    )
