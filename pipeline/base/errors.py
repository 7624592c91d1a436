# SPDX-License-Identifier: Apache-2.0
"""The errors of the pipeline: `Rejection` for a broken object, other classes for the rest."""

from __future__ import annotations

from pathlib import Path

from pipeline.base.reasons import Reason


class PipelineError(Exception):
    """Root of every error that the pipeline raises on purpose."""


class ConfigError(PipelineError):
    """The configuration is not usable; raised before the first job."""


class AccountingError(PipelineError):
    """A stage lost or invented an object: ids in differ from ids out and rejects."""


class DamagedFileError(PipelineError):
    """A file of the build is truncated or changed; it is removed, so that it is made again."""

    def __init__(self, path: Path, problem: str):
        self.path, self.problem = path, problem
        super().__init__(
            f"{path} is damaged ({problem}) and was removed; `make library` makes it again."
        )

    def __reduce__(self) -> tuple[type[DamagedFileError], tuple[Path, str]]:
        return DamagedFileError, (self.path, self.problem)


class ChangedDuringBuildError(PipelineError):
    """An input changed after planning, so that a job may have read two versions."""

    def __init__(self, what: str):
        self.what = what
        super().__init__(
            f"{what} changed while the build ran. Nothing was written; run `make library` again."
        )

    def __reduce__(self) -> tuple[type[ChangedDuringBuildError], tuple[str]]:
        return ChangedDuringBuildError, (self.what,)


class Rejection(PipelineError):
    """One object is rejected; the shard continues."""

    def __init__(self, reason: Reason, detail: str):
        self.reason, self.detail = reason, detail
        super().__init__(f"{reason}: {detail}")

    def __reduce__(self) -> tuple[type[Rejection], tuple[Reason, str]]:
        return Rejection, (self.reason, self.detail)


class MissingPackageError(PipelineError):
    """An optional package is needed and not installed; no object is the cause."""

    def __init__(self, what: str, extra: str):
        self.what, self.extra = what, extra
        super().__init__(
            f"{what} need a package that is not installed. "
            f"Run `pip install 'aa-dataset[{extra}]'` and `make library` again."
        )

    def __reduce__(self) -> tuple[type[MissingPackageError], tuple[str, str]]:
        return MissingPackageError, (self.what, self.extra)


class WorkerKilledError(PipelineError):
    """A worker was killed from outside; its object is not the cause."""

    def __init__(self, object_id: str, signal_name: str):
        self.object_id, self.signal_name = object_id, signal_name
        super().__init__(
            f"The worker of {object_id} was killed from outside by {signal_name}, and again when "
            "it ran alone. Nothing was written, so the next `make library` runs this shard again. "
            "If nobody killed it, the machine ran out of memory (see the system log): run with "
            "fewer --cores, or lower budgets.memory_gb, which rejects such an object."
        )

    def __reduce__(self) -> tuple[type[WorkerKilledError], tuple[str, str]]:
        return WorkerKilledError, (self.object_id, self.signal_name)


class MemoryLimitError(PipelineError):
    """The shell allows a process less memory than the config grants to every object."""

    def __init__(self, limit: int, gigabytes: float):
        self.limit, self.gigabytes = limit, gigabytes
        super().__init__(
            f"`ulimit -v` allows a process {limit:,} bytes of memory, but budgets.memory_gb in "
            f"config.yaml grants {int(gigabytes * 2**30):,} to every object. Raise the limit "
            "(`ulimit -v unlimited`), or lower budgets.memory_gb."
        )

    def __reduce__(self) -> tuple[type[MemoryLimitError], tuple[int, float]]:
        return MemoryLimitError, (self.limit, self.gigabytes)


class MachineError(PipelineError):
    """The system failed, and no object is the cause: a full disk, too many open files."""
