"""Recipes: what to generate, read from TOML and checked before anything runs."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from simworld.clock import steps_per_frame
from simworld.errors import InputError

SHIPPED = Path(__file__).resolve().parent / "recipes"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class VideoSettings(_Strict):
    """How clips are drawn; sizes in pixels.

    Clips show what happens `slow_motion` times slower than it did; a second is a second of the
    video.
    """

    width: int = Field(default=320, ge=16, le=4096)
    height: int = Field(default=240, ge=16, le=4096)
    fps: int = Field(default=12, ge=1, le=240)
    slow_motion: int = Field(default=1, ge=1, le=240)
    renderer: str = "raster"

    @property
    def steps_per_frame(self) -> int:
        """How many physics steps pass from one frame to the next."""
        return steps_per_frame(self.fps * self.slow_motion)


class TruthSettings(_Strict):
    """How hard truth is tested.

    `sieve_draws` tables under noise of up to `sieve_noise` (share of each setting's range) for
    each clip; edges and non-edges shown in `reference_contexts` contexts of each scene.
    """

    sieve_draws: int = Field(default=8, ge=0)
    sieve_noise: float = Field(default=0.02, ge=0.0, le=1.0)
    reference_contexts: int = Field(default=3, ge=1)


class SceneSettings(_Strict):
    """How much of one scene: `groups` of one factual clip and its twins each.

    A twin is `remove_cause:STAGED`, a staged intervention of the scene, or `remove_cause` for each
    of them that changes the context drawn; `swap_cause:NAME`, `retime:NAME` or `parameter:NAME`, a
    variation of the scene; or `nuisance`.
    `levels` holds settings at a level; `slow_motion` is this scene's own, else the recipe's.
    """

    scene: str
    groups: int = Field(ge=1)
    twins: tuple[str, ...] = ()
    levels: dict[str, str] = {}
    slow_motion: int | None = Field(default=None, ge=1, le=240)

    @field_validator("twins")
    @classmethod
    def _each_once(cls, twins: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(twins)) < len(twins):
            raise ValueError("each twin may stand once only")
        return twins


class StorySettings(_Strict):
    """Long videos of several episodes: `videos` of them, each with its counterfactual ones.

    In each, `links` times a thing is lost in one episode that a later one would have in its way;
    `fillers` further episodes have nothing to do with that; 2-needle questions take three of them
    for every two links. `slow_motion` is their own, else the recipe's.
    """

    videos: int = Field(ge=1)
    links: int = Field(default=2, ge=1)
    fillers: int = Field(default=4, ge=0)
    slow_motion: int | None = Field(default=None, ge=1, le=240)


class Recipe(_Strict):
    """A whole suite.

    `scale` multiplies the groups of each scene and the videos of each story, rounded up; reading
    a recipe does so and leaves 1.
    """

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]*$")
    seed: int = Field(default=0, ge=0)
    split: Literal["train", "held_out"] = "train"
    scale: float = Field(default=1.0, gt=0.0, allow_inf_nan=False)
    video: VideoSettings = VideoSettings()
    truth: TruthSettings = TruthSettings()
    scenes: tuple[SceneSettings, ...] = ()
    stories: tuple[StorySettings, ...] = ()

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.scenes and not self.stories:
            raise ValueError("expected at least one [[scenes]] or [[stories]]")
        return self

    def scaled(self) -> Recipe:
        """Return the recipe with its numbers multiplied, at scale 1."""

        def times(count: int) -> int:
            return math.ceil(count * self.scale)

        scenes = (s.model_copy(update={"groups": times(s.groups)}) for s in self.scenes)
        stories = (s.model_copy(update={"videos": times(s.videos)}) for s in self.stories)
        update = {"scale": 1.0, "scenes": tuple(scenes), "stories": tuple(stories)}
        return self.model_copy(update=update)

    def video_of(self, settings: SceneSettings) -> VideoSettings:
        """Return how the clips of one scene are drawn."""
        slow = settings.slow_motion
        return self.video if slow is None else self.video.model_copy(update={"slow_motion": slow})


def shipped_recipes() -> tuple[str, ...]:
    """Name the recipes that come with the package."""
    return tuple(sorted(path.stem for path in SHIPPED.glob("*.toml")))


def load_recipe(recipe: str | Path, overrides: Sequence[str] = ()) -> Recipe:
    """Read a recipe: a TOML file, or a shipped recipe's name.

    Args:
        recipe: Path or name.
        overrides: Settings as `seed=1` or `video.fps=24`; values are TOML.

    Raises:
        InputError: It is not there, is no TOML, or has a setting that is not what it must be.
    """
    path = Path(recipe)
    if not path.is_file() and (SHIPPED / f"{recipe}.toml").is_file():
        path = SHIPPED / f"{recipe}.toml"
    if not path.is_file():
        raise InputError(
            f"expected a recipe's TOML file or one of the shipped recipes "
            f"({', '.join(shipped_recipes())}), found neither at {recipe}"
        )
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"expected TOML in {path}, found: {error}") from error
    for override in overrides:
        _set(data, override)
    try:
        return Recipe.model_validate(data).scaled()
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the recipe"
        raise InputError(
            f"recipe {path}: {where}: {first['msg']}; found {first.get('input')!r}"
        ) from error


def _set(data: dict[str, Any], override: str) -> None:
    key, equals, text = override.partition("=")
    if not equals:
        raise InputError(f"expected an override such as seed=1 or video.fps=24, found {override!r}")
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError, KeyError):
        value = text
    *tables, last = key.strip().split(".")
    for table in tables:
        data = data.setdefault(table, {})
        if not isinstance(data, dict):
            raise InputError(f"override {override!r}: {table} is no table of the recipe")
    data[last] = value
