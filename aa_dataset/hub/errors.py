# SPDX-License-Identifier: Apache-2.0
"""What can go wrong between here and the Hub, each as a sentence with the next step."""

from __future__ import annotations

from aa_dataset.errors import ArenaError

LOGIN = "Log in with `hf auth login` or set HF_TOKEN."
_AGAIN = "Run the same again: what is complete is kept."
_TRANSPORTS = ("httpx", "httpx2", "httpcore", "httpcore2", "requests", "urllib3")


class HubError(ArenaError, OSError):
    """The Hub did not do what it was asked for."""


class DownloadError(HubError):
    """A file or a fact could not be got from the Hub."""


class NotCachedError(DownloadError):
    """Something is not in the cache, and the network may not be used."""


class DamagedFileError(DownloadError):
    """The Hub sent other bytes than the digest says."""


class UploadError(HubError):
    """A release could not be published."""


def status_of(error: BaseException) -> int | None:
    """Return the status of the HTTP answer that an error of the client is about."""
    return getattr(getattr(error, "response", None), "status_code", None)


def is_transport(error: BaseException) -> bool:
    """Return whether a connection failed, as opposed to an answer that refuses."""
    module = type(error).__module__.split(".")[0]
    broken = module in _TRANSPORTS or isinstance(error, ConnectionError | TimeoutError)
    return broken and status_of(error) is None and not is_offline(error)


def is_unreachable(error: BaseException) -> bool:
    """Return whether nobody answers at all, so that trying again soon is of no use."""
    return is_transport(error) and type(error).__name__ in (
        "ConnectError", "ConnectTimeout", "ProxyError", "ConnectionRefusedError",
    )  # fmt: skip


def is_offline(error: BaseException) -> bool:
    """Return whether the client refused because of ``HF_HUB_OFFLINE``."""
    return type(error).__name__ == "OfflineModeIsEnabled"


def reason_of(error: BaseException, *, repo_id: str, revision: str = "") -> str:
    """Return why a request failed and what to do, in one or two sentences."""
    from huggingface_hub import constants, errors

    status, server = status_of(error), constants.ENDPOINT
    if is_offline(error):
        return "HF_HUB_OFFLINE is set. Unset it to use the network."
    if isinstance(error, errors.GatedRepoError):
        return f"the repository is gated. Accept its terms at {server}/datasets/{repo_id}. {LOGIN}"
    if isinstance(error, errors.RevisionNotFoundError):
        return f"{repo_id} has no revision {revision!r}. Check it, or omit `revision`."
    if isinstance(error, errors.RepositoryNotFoundError):
        return f"{repo_id} does not exist or is private. Check the name. {LOGIN}"
    if isinstance(error, errors.EntryNotFoundError):
        return f"{repo_id} has no such file; it is not a release, or an incomplete one."
    if status is not None:
        return _status_reason(status, server)
    if is_transport(error) and not is_unreachable(error):
        return f"the connection breaks again and again ({summary(error)}). {_AGAIN}"
    if is_transport(error):
        return (
            f"{server} is not reachable ({summary(error)}). Check the network and HF_ENDPOINT. "
            f"{_AGAIN}"
        )
    return not_the_hub(summary(error))


def _status_reason(status: int, server: str) -> str:
    if status == 401:
        return f"{server} does not accept the token (401): it is wrong or expired. {LOGIN}"
    if status == 403:
        return f"{server} denies access (403). Check the rights of your token. {LOGIN}"
    if status == 429:
        return f"{server} limits the number of requests (429). Wait some minutes. {_AGAIN}"
    if status >= 500:
        return f"{server} has a problem (error {status}). Wait some minutes. {_AGAIN}"
    return f"{server} answers with status {status}. Check the name and HF_ENDPOINT."


def not_the_hub(found: str) -> str:
    """Return the sentence about an answer that the Hub does not give, such as a login page."""
    from huggingface_hub import constants

    return (
        f"the answer of {constants.ENDPOINT} is not one of the Hub ({found}). Check HF_ENDPOINT, "
        "and whether the network asks for a login or a proxy."
    )


def summary(error: BaseException) -> str:
    """Return type and first line of an error."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return ": ".join([type(error).__name__, *lines[:1]]).rstrip(".")
