# SPDX-License-Identifier: Apache-2.0
"""The lists of packages with hashes: complete, without an address, and really obeyed."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from tests.kit.places import REPOSITORY
from tests.loopback import Loopback

REQUIREMENTS = REPOSITORY / "requirements"
LISTS = ("backend", "build", "docs", "torch", "dev", "judges")
# Whose publishers have neither a wheel nor a source archive; docs/supply_chain.md names them too.
NOWHERE = {"linux_x86_64": set(), "linux_aarch64": {"embreex", "drake", "sapien"}}
PACKAGE = re.compile(
    r"(?m)^(?P<name>[a-z0-9-]+)==(?P<version>\S+) \\\n"
    r"(?P<hashes>(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)"
    r"(?P<files>(?:    # \S+\n)+)(?:    # no file for (?P<without>.*)\n)?"
)


def load_tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hashes", REPOSITORY / ".ci/hashes.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["hashes"] = module  # where its dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


tool = load_tool()


def packages(name: str) -> dict[str, re.Match[str]]:
    text = (REQUIREMENTS / f"{name}.txt").read_text()
    rest = PACKAGE.sub("", text).splitlines()
    assert [line for line in rest if line[:1] != "#"] == ["-r build.txt"] * (
        name in ("dev", "judges")
    )
    return {found["name"]: found for found in PACKAGE.finditer(text)}


@pytest.fixture(scope="module")
def listed() -> dict[str, dict[str, re.Match[str]]]:
    return {name: packages(name) for name in LISTS}


def test_every_pin_is_listed_and_nothing_else(
    listed: dict[str, dict[str, re.Match[str]]],
) -> None:
    """After a change of constraints.txt: `python .ci/hashes.py`."""
    pins = tool.read_pins((REPOSITORY / "constraints.txt").read_text())
    versions = {(n, found["version"]) for one in listed.values() for n, found in one.items()}
    assert versions == set(pins.items())
    shared = set().union(*(listed[name] for name in ("build", "backend", "torch")))
    assert not shared & (listed["dev"].keys() | listed["judges"].keys())


@pytest.mark.parametrize("python", [(3, 11), (3, 12), (3, 13)])
@pytest.mark.parametrize("machine", ["linux_x86_64", "linux_aarch64"])
def test_every_package_has_a_file_for_both_machines(
    listed: dict[str, dict[str, re.Match[str]]], python: tuple[int, int], machine: str
) -> None:
    target = tool.Target(python, machine)
    lacking = set()
    for name, found in ((n, f) for one in listed.values() for n, f in one.items()):
        files = re.findall(r"# (\S+)", found["files"])
        assert len(files) == len(set(files)) == found["hashes"].count("--hash")
        assert all(tool._is_of(file, name, found["version"]) for file in files)
        if not any(tool.serves(file, target) for file in files):
            assert target.title in found["without"].split()
            lacking.add(name)
    assert lacking == NOWHERE[machine]


def test_the_page_lists_packages_without_a_file() -> None:
    page = (REPOSITORY / "docs/supply_chain.md").read_text()
    assert all(f"`{name}`" in page for name in NOWHERE["linux_aarch64"])


def test_the_page_counts_the_packages(listed: dict[str, dict[str, re.Match[str]]]) -> None:
    page = (REPOSITORY / "docs/supply_chain.md").read_text()
    for name, found in listed.items():
        assert f"| `requirements/{name}.txt` | {len(found)}" in page, name


def test_no_file_names_an_index() -> None:
    files = [*REQUIREMENTS.glob("*"), *(REPOSITORY / ".ci").glob("*.*")]
    files += [REPOSITORY / name for name in ("constraints.txt", "Makefile", "pyproject.toml")]
    assert len(files) > 6
    for path in files:
        text = path.read_text()
        assert "://" not in text and "--index" not in text and "--extra-index" not in text, path


def test_source_archives_are_listed_only_where_a_wheel_is_missing() -> None:
    everywhere = ["a-1-py3-none-any.whl", "a-1.tar.gz"]
    assert tool.chosen_files(everywhere) == everywhere[:1]
    some = ["a-1-cp311-cp311-manylinux_2_17_x86_64.whl", "a-1.tar.gz", "a-1-cp311-cp311-win32.whl"]
    assert tool.chosen_files(some) == sorted(some[:2])
    assert tool.chosen_files(["a-1-cp39-cp39-manylinux_2_17_x86_64.whl", "a-1.zip"]) == ["a-1.zip"]


def test_hashes_come_from_the_index_and_the_folders_that_pip_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tiny-1.0+cpu-py3-none-any.whl").write_bytes(b"by hand")
    (tmp_path / "other-1.0-py3-none-any.whl").write_bytes(b"other")
    names = ["tiny-1.0-py3-none-any.whl", "tiny-1.0.1-py3-none-any.whl", "tiny-1.0.exe"]
    rows = [f'<a href="../../f/{name}#sha256={"a" * 64}">{name}</a>' for name in names]
    page = "".join([*rows, '<a href="../../f/tiny-1.0.tar.gz">without</a>'])
    with Loopback({"/simple/tiny/": page.encode()}) as index:
        monkeypatch.setenv("PIP_INDEX_URL", f"{index.address}/simple")
        monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
        monkeypatch.setenv("NO_PROXY", "*")
        tool._pip_options.cache_clear()
        found = tool.index_files("tiny", "1.0")
        tool._pip_options.cache_clear()
    by_hand = hashlib.sha256(b"by hand").hexdigest()
    assert found == {names[0]: "a" * 64, "tiny-1.0+cpu-py3-none-any.whl": by_hand}


def write_wheel(folder: Path, name: str, version: str = "1.0", needs: str = "") -> Path:
    """Write a wheel with one module, which may need another package."""
    about = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    about += f"Requires-Dist: {needs}\n" if needs else ""
    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": f"VERSION = {version!r}\n".encode(),
        f"{info}/METADATA": about.encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = [f"{key},sha256={digest(data)},{len(data)}" for key, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*rows, f"{info}/RECORD,,", ""]).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for key, data in files.items():
            archive.writestr(key, data)
    return path


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


# A package that needs no setuptools, which no test can download.
PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "mine"
version = "1.0"
"""
BACKEND = """
import shutil, pathlib
NAME = "mine-1.0-py3-none-any.whl"
def build_editable(folder, settings=None, metadata=None):
    shutil.copy(pathlib.Path(__file__).parent / NAME, folder)
    return NAME
"""


@pytest.fixture(scope="module")
def empty_environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with pip alone, made by make; it takes seconds."""
    folder = tmp_path_factory.mktemp("environment")
    shutil.copy(REPOSITORY / "Makefile", folder)
    command = ["make", ".venv/bin/python", f"PYTHON={sys.executable}"]
    subprocess.run(command, cwd=folder, capture_output=True, check=True)
    return folder / ".venv"


def copy_environment(folder: Path, target: Path) -> None:
    """Copy a virtual environment; its programs name the Python that runs them by its path."""
    shutil.copytree(folder, target, symlinks=True)
    for program in (target / "bin").glob("pip*"):
        program.write_text(program.read_text().replace(str(folder), str(target)))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the Makefile of this one and lists of tiny packages."""
    root, wheels = tmp_path / "project", tmp_path / "wheels"
    (root / "requirements").mkdir(parents=True)
    wheels.mkdir()
    for name, package in (("backend", "tool"), ("build", "lib"), ("dev", "extra")):
        wheel = write_wheel(wheels, package)
        files = {wheel.name: hashlib.sha256(wheel.read_bytes()).hexdigest()}
        text = tool.render(package, "1.0", files)
        (root / f"requirements/{name}.txt").write_text(text)
    index = tmp_path / "simple/torch"  # which tells digests, as a folder of wheels does not
    index.mkdir(parents=True)
    builds = [write_wheel(index, "torch"), write_wheel(wheels, "torch", "1.0+cpu")]
    files = {one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in builds}
    link = f"{builds[0].name}#sha256={files[builds[0].name]}"
    (index / "index.html").write_text(f'<a href="{link}">{builds[0].name}</a>')
    (root / "requirements/torch.txt").write_text(tool.render("torch", "1.0", files))
    (root / "constraints.txt").write_text("torch==1.0\n")
    write_wheel(root, "mine")
    shutil.copy(REPOSITORY / "Makefile", root)
    (root / "pyproject.toml").write_text(PROJECT)
    (root / "backend.py").write_text(BACKEND)
    return root


def make(
    project: Path, target: str = ".venv/build", **more: str
) -> subprocess.CompletedProcess[str]:
    settings = {
        "PIP_INDEX_URL": (project.parent / "simple").as_uri(),
        "PIP_FIND_LINKS": str(project.parent / "wheels"),
        **more,
    }
    environment = {**os.environ, **settings, "PIP_CONFIG_FILE": os.devnull, "PYTHONPATH": ""}
    return subprocess.run(
        ["make", target, f"PYTHON={sys.executable}"],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
    )


def other_hash(text: str) -> str:
    first = text[text.index("sha256:") + 7]
    return text.replace(f"sha256:{first}", f"sha256:{'10'[first == '1']}")


def test_make_checks_every_hash(project: Path, empty_environment: Path) -> None:
    copy_environment(empty_environment, project / ".venv")
    lies = [
        ("backend", other_hash, "DO NOT MATCH THE HASHES"),
        ("build", other_hash, "DO NOT MATCH THE HASHES"),
        ("build", lambda text: "lib==1.0\n", "Hashes are required"),
    ]
    for which, lie, words in lies:
        path = project / f"requirements/{which}.txt"
        honest = path.read_text()
        path.write_text(lie(honest))
        done = make(project)
        assert done.returncode != 0 and words in done.stderr
        assert not {"lib.py", "mine.py"} & installed(project)
        assert not (project / ".venv/build").exists()
        path.write_text(honest)
    done = make(project)
    assert done.returncode == 0, done.stderr
    assert {"tool.py", "lib.py", "mine.py"} <= installed(project)

    path = project / "requirements/torch.txt"
    honest = path.read_text()
    path.write_text(re.sub("sha256:[0-9a-f]{64}", f"sha256:{'0' * 64}", honest))
    done = make(project, ".venv/dev")
    assert done.returncode != 0 and "DO NOT MATCH THE HASHES" in done.stderr
    assert "torch.py" not in installed(project) and not (project / ".venv/dev").exists()
    path.write_text(honest)
    done = make(project, ".venv/dev")
    assert done.returncode == 0, done.stderr
    (module,) = project.glob(".venv/lib/*/site-packages/torch.py")
    assert module.read_text() == "VERSION = '1.0+cpu'\n"  # as pip prefers it without digests


# A source archive whose build leaves a trace.
TRAP = """
import os, pathlib
def trap(*_, **__):
    pathlib.Path(os.environ["AA_TRACE"]).write_text("ran")
    raise SystemExit("trapped")
get_requires_for_build_wheel = prepare_metadata_for_build_wheel = build_wheel = trap
"""


def write_trap(folder: Path, name: str) -> None:
    """Write a source archive without a digest that anybody knows."""
    project = PROJECT.replace('"mine"', f'"{name}"')
    about = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
    with tarfile.open(folder / f"{name}-1.0.tar.gz", "w:gz") as archive:
        for key, text in {"pyproject.toml": project, "backend.py": TRAP, "PKG-INFO": about}.items():
            info = tarfile.TarInfo(f"{name}-1.0/{key}")
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))


def test_no_source_archive_without_a_digest_is_built(
    project: Path, tmp_path: Path, empty_environment: Path
) -> None:
    """Of torch, whose build pip chooses, and of the libraries that such a build wants."""
    copy_environment(empty_environment, project / ".venv")
    wheels, trace = tmp_path / "wheels", tmp_path / "trace"
    index = tmp_path / "simple/torch"
    kept = {path: path.read_bytes() for path in (*index.iterdir(), *wheels.glob("torch-*"))}
    for path in kept:
        path.unlink()
    (index / "index.html").write_text("")
    write_trap(wheels, "torch")
    done = make(project, ".venv/dev", AA_TRACE=str(trace))
    assert not trace.exists(), done.stderr
    assert done.returncode != 0 and "torch" in done.stderr
    (wheels / "torch-1.0.tar.gz").unlink()

    (index / "index.html").write_bytes(kept[index / "index.html"])
    wheel = write_wheel(wheels, "torch", "1.0+cpu", needs="cards")
    files = {wheel.name: hashlib.sha256(wheel.read_bytes()).hexdigest()}
    (project / "requirements/torch.txt").write_text(tool.render("torch", "1.0", files))
    write_trap(wheels, "cards")
    done = make(project, ".venv/dev", AA_TRACE=str(trace))
    assert not trace.exists(), done.stderr
    assert done.returncode != 0 and "cards" in done.stderr
    assert not (project / ".venv/dev").exists()
    write_wheel(wheels, "cards")
    done = make(project, ".venv/dev", AA_TRACE=str(trace))
    assert done.returncode == 0 and "cards.py" in installed(project), done.stderr
    assert not trace.exists()


@pytest.mark.parametrize("name", ["build", "judges"])
def test_make_stops_where_a_list_lacks_a_package(
    project: Path, name: str, empty_environment: Path
) -> None:
    copy_environment(
        empty_environment, project / {"build": ".venv", "judges": ".venv-judges"}[name]
    )
    wheel = write_wheel(project.parent / "wheels", "lib", needs="absent")
    files = {wheel.name: hashlib.sha256(wheel.read_bytes()).hexdigest()}
    (project / f"requirements/{name}.txt").write_text(tool.render("lib", "1.0", files))
    target = {"build": ".venv/build", "judges": ".venv-judges/ready"}[name]
    done = make(project, target)
    assert done.returncode != 0 and "lib 1.0 requires absent" in done.stdout
    assert not (project / target).exists()


def installed(project: Path) -> set[str]:
    return {one.name for one in project.glob(".venv/lib/*/site-packages/*.py")}
