"""A suite's folder: where things are, and how they are written so that nothing is half there.

A file is written under a temporary name in its own folder, flushed to the disk, and renamed.
Knows no generator: what writes benchmarks and what judges them read suites through here.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from simworld.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LOCK = ".lock"
"""The file that a run holds while it works in a suite's folder; shards' own begin so, too."""

SCHEMA = 1
"""Version of the files' shapes; stands in every manifest and truth file."""


def canonical(data: Any) -> str:
    """Return JSON text that is the same for the same data: sorted keys, no spaces."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest_of(data: Any) -> str:
    """Return the sha256 of data's canonical JSON."""
    return hashlib.sha256(canonical(data).encode()).hexdigest()


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file."""
    hasher = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            hasher.update(block)
    return hasher.hexdigest()


def write_text(path: Path, text: str) -> None:
    """Write a file as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    with partial.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def write_json(path: Path, data: Any) -> None:
    """Write one JSON document, readable and canonical in order."""
    write_text(path, json.dumps(data, sort_keys=True, indent=1, allow_nan=False) + "\n")


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write one JSON document a line, keys in the order given."""
    write_text(path, "".join(json.dumps(row, allow_nan=False) + "\n" for row in rows))


def link_file(source: Path, target: Path) -> None:
    """Put a file at a second place at once: by a hard link, or a copy where there can be none.

    Raises:
        InputError: The source is not there.
    """
    if not source.is_file():
        raise InputError(
            f"expected the file {source}, found none; run the same generate again to finish it"
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists() and target.samefile(source):
        return
    partial = target.with_name(f".{target.name}.partial")
    partial.unlink(missing_ok=True)
    try:
        os.link(source, partial)
    except OSError:
        shutil.copyfile(source, partial)
    partial.replace(target)


def read_json(path: Path) -> Any:
    """Read one JSON document.

    Raises:
        InputError: The file is not there or is no JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            f"expected the file {path}, found none; is this a suite that simworld generated to "
            "its end? Run the same generate again to finish it"
        ) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"expected JSON in {path}, found: {error}") from error


def read_jsonl(path: Path) -> Iterator[Any]:
    """Read one JSON document a line.

    Raises:
        InputError: The file is not there or a line is no JSON.
    """
    if not path.is_file():
        raise InputError(f"expected the file {path}, found none")
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                yield json.loads(line)
            except (ValueError, RecursionError) as error:
                raise InputError(f"expected JSON in {path}, line {number}: {error}") from error


class Suite:
    """Paths and files of one suite's folder."""

    def __init__(self, folder: Path, scenes_dir: Path | None = None) -> None:
        """Name the folder, and one with scene scripts of the user's own; nothing is read yet."""
        self.folder, self.scenes_dir = folder, scenes_dir

    @property
    def manifest(self) -> dict[str, Any]:
        """The manifest."""
        found: dict[str, Any] = read_json(self.folder / "manifest.json")
        return found

    @property
    def recipe(self) -> dict[str, Any]:
        """The recipe that it is made from."""
        found: dict[str, Any] = read_json(self.folder / "recipe.json")
        return found

    @property
    def clip_ids(self) -> tuple[str, ...]:
        """Every clip's id, sorted."""
        clips = self.folder / "clips"
        return tuple(sorted(path.name for path in clips.glob("[!.]*") if path.is_dir()))

    @property
    def scenes(self) -> tuple[str, ...]:
        """Name every scene that has a mechanism file, sorted."""
        return tuple(sorted(path.stem for path in (self.folder / "mechanisms").glob("*.json")))

    def clip(self, clip_id: str) -> Path:
        """Return the folder of a clip, or of a story's video."""
        clip, story = self.folder / "clips" / clip_id, self.folder / "stories" / clip_id
        return story if story.is_dir() else clip

    @property
    def story_ids(self) -> tuple[str, ...]:
        """Every story video's id, sorted."""
        return tuple(sorted(path.name for path in (self.folder / "stories").glob("[!.]*")))

    def truth(self, clip_id: str) -> dict[str, Any]:
        """Read a clip's truth."""
        found: dict[str, Any] = read_json(self.clip(clip_id) / "truth.json")
        return found

    def events(self, clip_id: str) -> list[dict[str, Any]]:
        """Read a clip's events."""
        found: list[dict[str, Any]] = read_json(self.clip(clip_id) / "events.json")
        return found

    def segments(self, clip_id: str) -> list[dict[str, Any]]:
        """Read a clip's segments."""
        found: list[dict[str, Any]] = read_json(self.clip(clip_id) / "segments.json")
        return found

    def spans(self, clip_id: str) -> list[dict[str, Any]]:
        """Read a clip's scene spans."""
        found: list[dict[str, Any]] = read_json(self.clip(clip_id) / "spans.json")
        return found

    def removals(self, clip_id: str) -> list[dict[str, Any]]:
        """Read what is left of a clip's world without some of its objects."""
        found: list[dict[str, Any]] = read_json(self.clip(clip_id) / "removals.json")
        return found

    def visible_boxes(self, clip_id: str) -> dict[str, NDArray[np.float32]]:
        """Read each object's visible box in every frame, (T, 4), half-open pixels, NaN unseen.

        Raises:
            InputError: The tracks are not there, or lack the names or the boxes.
        """
        import numpy as np

        path = self.clip(clip_id) / "tracks.npz"
        try:
            with np.load(path, allow_pickle=False) as tracks:
                boxes = tracks["visible_xyxy_px"]
                return {str(name): boxes[:, k] for k, name in enumerate(tracks["names"])}
        except (OSError, KeyError, ValueError, BadZipFile) as error:
            raise InputError(f"expected tracks in {path}, found: {error}") from error

    def mechanism(self, scene: str) -> dict[str, Any]:
        """Read what is proven of a scene."""
        found: dict[str, Any] = read_json(self.folder / "mechanisms" / f"{scene}.json")
        return found

    def questions(self) -> list[dict[str, Any]]:
        """Read every question."""
        return list(read_jsonl(self.folder / "questions.jsonl"))

    def twins(self) -> list[dict[str, Any]]:
        """Read every twin."""
        return list(read_jsonl(self.folder / "twins.jsonl"))

    def artefacts(self) -> dict[str, str]:
        """Return the sha256 of every file that the manifest answers for, by relative path."""
        own = {"manifest.json", "index.html"}
        paths = sorted(path for path in self.folder.rglob("*") if path.is_file())
        names = {path.relative_to(self.folder).as_posix(): path for path in paths}
        return {
            name: sha256_of(path)
            for name, path in names.items()
            if name not in own and not name.startswith(("runs/", LOCK)) and ".partial" not in name
        }
