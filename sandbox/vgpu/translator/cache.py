"""The translation cache: one shared object per unit, written atomically, never changed."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath


@dataclass(frozen=True)
class Key:
    """What an object is a translation of. The cache's folder stands for the translator's version. ``quick``: the one
    that is made first, in less time and of slower code."""

    kind: str
    target: str
    image_sha256: str
    unit: str
    flavour: str = ""
    quick: bool = False

    @property
    def image_folder(self) -> PurePosixPath:
        """Of all that is translated of one image in one flavour, relative to the cache."""
        return PurePosixPath(self.kind, self.target, self.image_sha256, self.flavour)

    @property
    def path(self) -> PurePosixPath:
        """Of the object, relative to the cache; the same as ``common/translation_client.cpp`` computes."""
        return self.image_folder / (
            hashlib.sha256(self.unit.encode()).hexdigest()[:32] + (".quick.so" if self.quick else ".so")
        )


class Cache:
    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)

    def holds(self, key: Key) -> bool:
        return (self.root / key.path).is_file()

    def note_ahead_done(self, key: Key) -> None:
        """Tell clients that there is nothing more to translate ahead for this image."""
        folder = self.root / key.image_folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "ahead-done").touch()

    def store(self, key: Key, built: Path) -> None:
        """Copy ``built`` to its place. Readers see it complete or not at all."""
        place = self.root / key.path
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=place.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as target, built.open("rb") as source:
                shutil.copyfileobj(source, target)
            os.chmod(name, 0o555)  # noqa: PTH101 (no Path object yet)
            os.rename(name, place)  # noqa: PTH104
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
