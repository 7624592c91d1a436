# SPDX-License-Identifier: Apache-2.0
"""Textures: JPEG and PNG files that every viewer supports keep their bytes, others become PNG."""

from __future__ import annotations

import hashlib
import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO

import numpy as np
from PIL import Image, UnidentifiedImageError

from pipeline.base.errors import Rejection
from pipeline.base.reasons import Reason
from pipeline.shapes.jpeg import MOST_SCANS, has_many_scans, is_plain

_OPEN = Image.open  # which `named_formats` replaces
_PNG = b"\x89PNG\r\n\x1a\n"
_MAGIC = {b"\xff\xd8\xff": ".jpg", _PNG: ".png"}
# Some viewers show CMYK inverted, others not at all; pyrender refuses gray with alpha.
_SHOWN = ("L", "P", "RGB", "RGBA")
_BIT_DEPTH = 24  # offset of the byte in a PNG, whose first chunk is always the header
MIME = {".jpg": "image/jpeg", ".png": "image/png"}
# Formats of textures. Pillow would also open formats that start other programs, such as EPS,
# independent of the file name. TGA comes last, because it has no signature.
FORMATS = ("PNG", "JPEG", "BMP", "GIF", "TIFF", "WEBP", "PPM", "TGA")


@dataclass(frozen=True, slots=True)
class Picture:
    """The bytes of a decodable JPEG or PNG file and whether a pixel of it is translucent."""

    data: bytes
    is_translucent: bool = False
    name: str = field(init=False)

    def __post_init__(self) -> None:
        suffix = next(end for magic, end in _MAGIC.items() if self.data.startswith(magic))
        digest = hashlib.sha256(self.data).hexdigest()[:12]
        object.__setattr__(self, "name", f"texture_{digest}{suffix}")

    @property
    def mime(self) -> str:
        """Return the media type."""
        return MIME[self.name[-4:]]


class NotAPicture(ValueError):
    """Bytes that no decoder accepts."""


@dataclass(slots=True)
class PictureBudget:
    """Remaining pixels of one object's budget; counted before a picture is decoded."""

    pixels: int

    def spend(self, image: Image.Image, name: str) -> None:
        """Count the pixels of one more picture; reject it if too few are left."""
        self.pixels -= image.width * image.height
        if self.pixels < 0:
            raise _too_many(name, f"{image.width} x {image.height} pixels")


def _too_many(name: str, what: str) -> Rejection:
    return Rejection(
        Reason.TOO_MANY_PIXELS, f"{name}: {what}, more than the object's budget has left."
    )


def read_picture(data: bytes, name: str, budget: PictureBudget) -> Picture:
    """Check a picture by decoding it once; keep its bytes if every simulator reads them.

    Raises
    ------
    NotAPicture
        If it cannot be decoded.
    Rejection
        `too_many_pixels`, before decoding.
    """
    image = _decoded(data, name, budget)
    is_translucent = _is_translucent(image)
    if image.mode in _SHOWN and _is_read_everywhere(data):
        return Picture(data, is_translucent)
    return Picture(_png(image), is_translucent)


def with_mask(picture: Picture, mask: bytes, name: str, budget: PictureBudget) -> Picture:
    """Return a picture whose alpha is the brightness of another one (`map_d` of a material)."""
    image = _decoded(picture.data, name, budget).convert("RGB")
    alpha = _decoded(mask, name, budget)
    band = alpha.getchannel("A") if "A" in alpha.getbands() else _eight_bits(alpha).convert("L")
    image.putalpha(band.resize(image.size))
    return Picture(_png(image), _is_translucent(image))


def open_picture(stream: IO[bytes], name: str = "a picture") -> Image.Image:
    """Open a picture of a supported format; nothing is decoded yet.

    Raises
    ------
    Rejection
        `too_many_pixels`, if it is a JPEG with too many scans.
    """
    _require_few_scans(stream, name)
    return _OPEN(stream, formats=FORMATS)


def _require_few_scans(stream: IO[bytes], name: str) -> None:
    stream.seek(0)  # as Pillow does
    if has_many_scans(stream.read()):
        raise Rejection(
            Reason.TOO_MANY_PIXELS,
            f"{name}: a JPEG of more than {MOST_SCANS} scans, each of which goes over all pixels; "
            "save it anew.",
        )


@contextmanager
def named_formats() -> Iterator[None]:
    """Let other packages open only pictures of these formats, within one thread."""
    original = Image.open
    Image.open = open_picture  # type: ignore[assignment]
    try:
        yield
    finally:
        Image.open = original


def _decoded(data: bytes, name: str, budget: PictureBudget) -> Image.Image:
    try:
        with warnings.catch_warnings():
            # Pillow warns of large pictures by its own limit; ours is the budget.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = open_picture(io.BytesIO(data), name)
            budget.spend(image, name)
            image.load()
    except Image.DecompressionBombError as error:
        raise _too_many(name, str(error)) from None
    except (MemoryError, Rejection):
        raise
    except UnidentifiedImageError:  # whose own words have an address in memory
        raise NotAPicture(f"it has none of the formats {', '.join(FORMATS)}") from None
    except Exception as error:  # decoders raise various errors
        raise NotAPicture(f"{type(error).__name__}: {error}") from error
    return image


def _is_translucent(image: Image.Image) -> bool:
    if "A" not in image.getbands() and "transparency" not in image.info:
        return False
    whole = image if "A" in image.getbands() else image.convert("RGBA")
    return bool(np.asarray(whole.getchannel("A")).min(initial=255) < 255)


def _is_read_everywhere(data: bytes) -> bool:
    """Return whether Bullet reads it too: no PNG of 1, 2, 4 or 16 bits, no progressive JPEG."""
    if data.startswith(_PNG):
        return data[_BIT_DEPTH] == 8
    return data.startswith(tuple(_MAGIC)) and is_plain(data)


def _eight_bits(image: Image.Image) -> Image.Image:
    """Return a gray picture of 16 bits as one of 8; Pillow would clip every value above 255."""
    if not image.mode.startswith("I"):
        return image
    levels = np.clip(np.asarray(image, dtype=np.int64), 0, 65535)
    return Image.fromarray(np.rint(levels / 257).astype(np.uint8))


def _png(image: Image.Image) -> bytes:
    image = _eight_bits(image)
    has_alpha = "A" in image.getbands() or "transparency" in image.info
    buffer = io.BytesIO()
    image.convert("RGBA" if has_alpha else "RGB").save(buffer, "PNG")
    return buffer.getvalue()


def opaque(picture: Picture) -> Picture:
    """Return a picture without its alpha, for a surface that is declared opaque."""
    if not picture.is_translucent:
        return picture
    return Picture(_png(open_picture(io.BytesIO(picture.data)).convert("RGBA").convert("RGB")))
