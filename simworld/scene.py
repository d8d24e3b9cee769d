"""What a scene script is: settings, a causal model, how to build the world, and words for it.

A script is one Python file that defines `SCENE`, a `Scene`. It knows neither pybullet nor the
folders of a suite. Declarations use the levels of settings only; the world is built from their
values. Scripts are found in the library, in a folder that the user names, and in packages. A scene
that comes in sizes is named with one: `domino_run-24` is the run of 24 dominoes.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from simworld import rng
from simworld.causal import SCM, Declaration, Intervention, Unreachable, Value, exogenous
from simworld.errors import InputError, NotRegisteredError, SimworldError
from simworld.registry import Registry
from simworld.settings import Band, Choice, Context, Nuisance, Range, Split
from simworld.words import Opening, Phrase, Staged, Variant, Variation, hits
from simworld.world.handles import ForceLaunch
from simworld.world.spec import Body, WorldSpec

__all__ = [
    "Band",
    "Choice",
    "Context",
    "Nuisance",
    "Opening",
    "Phrase",
    "Range",
    "Scene",
    "Split",
    "Staged",
    "Variant",
    "Variation",
    "hits",
    "library",
    "load_scene",
]


@dataclass(frozen=True)
class Scene:
    """A scene: everything that its script declares.

    Attributes:
        name: Its name, the script's file name.
        version: To be raised whenever the same context gives another world or truth.
        summary: What a viewer sees, and which verdict the literature gives.
        tags: Structures that it shows, such as `chain`.
        settings: Exogenous settings that decide what happens.
        nuisances: Exogenous settings that must not.
        model: Conditions and events with their equations, in causal order.
        build: From a context to a world in which no handle is armed.
        conditions: For each condition and value, the levels that bring it about.
        staged: Interventions that can be shown.
        variations: Twins that swap a cause, change a time, or change a property.
        phrases: Words for each condition and event.
        things: The noun phrase of each visible object, with its article.
        showcase: Levels at which every event happens.
        key_events: Events at whose onsets a clip is cut into segments, in causal order.
        opening: What is seen before the first key event.
        asked: For each key event, the events whose cause may be asked for in its segment, the
            most telling first.
        variants: Other phrases, where some values call for them.
        because: For an edge, a clause that says how the cause brings about the effect.
        others: Words for contacts that are no variable, such as `hit(yellow_box, mug)`, and that
            may be said to have happened where they did not.
        lacks: The name of a staging that puts one more thing there, which stands for its being
            left over from an earlier episode of a story; None if no episode can go before.
        form: Makes the scene in another form, such as a size, or for another scene, which may be
            one of a folder of the user's own; None for most scenes. The name of what it makes
            ends in a hyphen and the form.
    """

    name: str
    version: int
    summary: str
    tags: tuple[str, ...]
    settings: tuple[Choice | Range, ...]
    nuisances: tuple[Nuisance, ...]
    model: tuple[Declaration, ...]
    build: Callable[[Context], WorldSpec]
    conditions: Mapping[str, Mapping[int, Mapping[str, str]]]
    staged: tuple[Staged, ...]
    phrases: Mapping[str, Phrase]
    things: Mapping[str, str]
    showcase: Mapping[str, str]
    key_events: tuple[str, ...]
    opening: Opening
    asked: Mapping[str, tuple[str, ...]]
    variants: tuple[Variant, ...] = ()
    variations: tuple[Variation, ...] = ()
    because: Mapping[tuple[str, str], str] = field(default_factory=dict)
    others: Mapping[str, Phrase] = field(default_factory=dict)
    lacks: str | None = None
    form: Callable[[str, Path | None], Scene | None] | None = None

    def __post_init__(self) -> None:
        """Refuse names that the scene does not have.

        Raises:
            InputError: A name is unknown, or a condition or event has no words.
        """
        scm = self.scm
        known = {
            "phrases": (self.phrases, scm.endogenous),
            "key_events": (self.key_events, scm.events),
            "asked": (self.asked, self.key_events),
            "events asked about": ([e for asked in self.asked.values() for e in asked], scm.events),
            "conditions": (self.conditions, [n for n in scm.endogenous if n not in scm.events]),
            "staged": ([staged.variable for staged in self.staged], scm.endogenous),
            "variations": ([e for v in self.variations for e in v.keeps], scm.events),
            "lacks": ([self.lacks] if self.lacks else [], [s.name for s in self.staged]),
        }
        for where, (names, allowed) in known.items():
            for name in names:
                if name not in allowed:
                    raise InputError(
                        f"scene {self.name}: {where}: expected one of {', '.join(allowed)}, "
                        f"found {name!r}"
                    )
        for name in scm.endogenous:
            if name not in self.phrases:
                raise InputError(f"scene {self.name}: expected words for {name} in phrases")

    @functools.cached_property
    def scm(self) -> SCM:
        """The declared causal model."""
        outer = [exogenous(s.name, s.levels) for s in self.settings if len(s.levels) > 1]
        return SCM.build([*outer, *self.model])

    def draw(
        self,
        seed: int,
        split: Split,
        instance: int,
        attempt: int = 0,
        fixed: Mapping[str, str] = MappingProxyType({}),
    ) -> Context:
        """Draw a context; each setting from its own named stream of randomness.

        Args:
            seed: Root seed; 0 is a seed.
            split: Which part of each band to draw from.
            instance: Index of the instance.
            attempt: Counts redraws after a rejection.
            fixed: Settings held at a level, nuisances at a word.

        Raises:
            InputError: The scene has no such setting or level.
        """
        self.check_levels(fixed)
        key = (seed, split, self.name, instance, attempt)
        levels: dict[str, str] = {}
        numbers: dict[str, float] = {}
        for setting in self.settings:
            weights = (
                setting.weights
                if isinstance(setting, Choice)
                else {level: band.weight for level, band in setting.bands.items()}
            )
            draw = float(rng.stream(*key, setting.name, 0).random()) * sum(weights.values())
            levels[setting.name] = fixed.get(setting.name, _pick(weights, draw))
            if isinstance(setting, Range):
                for level, band in setting.bands.items():
                    name = f"{setting.name}.{level}"
                    low, high = (band.low, band.high) if split == "train" else band.held_out
                    numbers[name] = float(rng.stream(*key, name, 0).uniform(low, high))
        nuisances = {n.name: _draw_nuisance(n, key, fixed) for n in self.nuisances}
        return Context(levels, numbers, nuisances)

    def noise(
        self, seed: int, split: Split, instance: int, attempt: int, draw: int, share: float
    ) -> dict[str, float]:
        """Draw small noise for every continuous setting: up to `share` of its range each way.

        `draw` counts from 1; noise is keyed by it and by the setting's name.
        """
        key = (seed, split, self.name, instance, attempt)
        noise = {}
        for setting in self.settings:
            if isinstance(setting, Range):
                for level, band in setting.bands.items():
                    name = f"{setting.name}.{level}"
                    unit = float(rng.stream(*key, name, draw).uniform(-1.0, 1.0))
                    noise[name] = unit * share * (band.high - band.low)
        return noise

    def world(self, context: Context, do: Intervention) -> WorldSpec:
        """Build the world of a context under an intervention.

        Conditions and settings change the specification; events arm a handle.

        Raises:
            Unreachable: No handle brings about one of the values.
        """
        names = {setting.name for setting in self.settings}
        levels = {name: str(value) for name, value in do.items() if name in names}
        given = self.scm.evaluate(context.at(levels).levels)
        armed: dict[str, int] = {}
        for name, value in do.items():
            if name in self.conditions:
                if given[name] != value:
                    levels.update(self.conditions[name][int(value)])
            elif name not in names:
                armed[name] = int(value)
        try:
            spec = self.build(context.at(levels))
        except SimworldError as error:
            raise InputError(f"scene {self.name}: {error}") from error
        except (Exception, SystemExit) as error:  # it may fail in any way; the cause is chained
            raise InputError(
                f"scene {self.name}: build fails with {error!r} at the levels "
                f"{dict(context.at(levels).levels)}; mend the script"
            ) from error
        values = self.scm.evaluate(context.levels, do)
        reachable = {
            (handle.variable, handle.value)
            for handle in spec.handles
            if not (isinstance(handle, ForceLaunch) and values.get(handle.unless))
        }
        for name, value in armed.items():
            if (name, value) not in reachable:
                rest = Intervention.of({key: item for key, item in do.items() if key != name})
                if self.scm.evaluate(context.levels, rest)[name] != value:
                    raise Unreachable(f"{self.name} has no handle for {name} := {value}")
        return replace(spec, armed=armed)

    @functools.cached_property
    def lacking(self) -> Body:
        """The body of the thing that the staging of `lacks` puts there.

        Raises:
            InputError: That staging does not put one thing there in the showcase.
        """
        context = self.draw(0, "train", 0, fixed=self.showcase)
        levels = next((s.levels for s in self.staged if s.name == self.lacks), {})
        usual, other = (self.build(c).bodies for c in (context, context.at(levels)))
        pairs = zip(usual, other, strict=True)
        more = [two for one, two in pairs if two.present and not one.present]
        if len(more) != 1:
            raise InputError(
                f"scene {self.name}: expected {self.lacks} to put one body there, found {len(more)}"
            )
        return more[0]

    def phrase(self, variable: str, values: Mapping[str, Value]) -> Phrase:
        """Return the words for a variable in a world of these values."""
        for variant in self.variants:
            if variant.variable == variable and variant.when.items() <= values.items():
                return variant.phrase
        return self.phrases[variable]

    def check_levels(self, levels: Mapping[str, str]) -> None:
        """Refuse a setting, or a level of one, that the scene does not have.

        Nuisances that are words count as settings.
        """
        known = {setting.name: setting.levels for setting in self.settings}
        known |= {nuisance.name: nuisance.words for nuisance in self.nuisances if nuisance.words}
        for name, level in levels.items():
            if name not in known:
                raise InputError(
                    f"scene {self.name}: expected one of the settings {', '.join(sorted(known))}, "
                    f"found {name!r}"
                )
            if level not in known[name]:
                raise InputError(
                    f"scene {self.name}: setting {name} has the levels {', '.join(known[name])}; "
                    f"found {level!r}"
                )


def _pick(weights: Mapping[str, float], draw: float) -> str:
    for level, weight in weights.items():
        draw -= weight
        if draw < 0:
            return level
    return level


def _draw_nuisance(
    nuisance: Nuisance, key: tuple[str | int, ...], fixed: Mapping[str, str]
) -> str | float:
    if nuisance.name in fixed:
        return fixed[nuisance.name]
    generator = rng.stream(*key, nuisance.name, 0)
    if nuisance.words:
        return nuisance.words[int(generator.integers(len(nuisance.words)))]
    return float(generator.uniform(*nuisance.between))


def library_folder() -> Path:
    """Return the folder of the shipped scene scripts, in a checkout or an installed wheel."""
    package = Path(__file__).resolve().parent
    checkout = package.parent / "scenes"
    return checkout if (checkout / "falling_cup.py").is_file() else package / "scenes"


def library(scenes_dir: Path | None = None) -> Registry[Scene]:
    """Return every scene: shipped, of installed packages, and of the user's own folder.

    Raises:
        InputError: A folder or script is not what it must be, or two scenes share a name.
    """
    scenes: Registry[Scene] = Registry("scene", "scenes")
    scripts: dict[str, Path] = {}
    for folder in _folders(scenes_dir):
        for path in sorted(folder.glob("[!_]*.py")):
            if path.stem in scripts:
                raise InputError(
                    f"expected a new name for the scene in {path}, found that of "
                    f"{scripts[path.stem]}; rename one of them"
                )
            scripts[path.stem] = path
            scene = _load_script(path)
            scenes.register(scene.name)(scene)
    return scenes


def _folders(scenes_dir: Path | None) -> list[Path]:
    folders = [library_folder(), *([scenes_dir] if scenes_dir else [])]
    for folder in folders:
        if not folder.is_dir():
            raise InputError(f"expected a folder of scene scripts at {folder}, found none")
    return folders


@functools.lru_cache(maxsize=256)
def load_scene(name: str, scenes_dir: Path | None = None) -> Scene:
    """Load one scene by name, in a form if the name ends in one; once in each process.

    Raises:
        NotRegisteredError: No scene has that name, or it does not come in that form.
        InputError: A script is not what it must be, or does not come in that size.
    """
    scripts = _scripts(name, scenes_dir)
    if len(scripts) == 1:
        return _load_script(scripts[0])
    whole, form = _whole_and_form(name, scenes_dir)
    if form and not scripts:
        make = load_scene(whole, scenes_dir).form
        scene = make(form, scenes_dir) if make is not None else None
        if scene is not None and scene.name == name:
            return scene
    scenes = library(scenes_dir)
    try:
        return scenes[name]
    except NotRegisteredError as error:
        hint = "" if scenes_dir else "; for one of your own, give its folder with --scenes DIR"
        raise NotRegisteredError(f"{error}{hint}") from None


def _scripts(name: str, scenes_dir: Path | None) -> list[Path]:
    return [path for f in _folders(scenes_dir) if (path := f / f"{name}.py").is_file()]


def _whole_and_form(name: str, scenes_dir: Path | None) -> tuple[str, str]:
    """Return the longest beginning of a name, up to a hyphen, that has a script; and the rest."""
    words = name.split("-")
    for count in range(len(words) - 1, 0, -1):
        whole = "-".join(words[:count])
        if _scripts(whole, scenes_dir):
            return whole, "-".join(words[count:])
    return name, ""


def script_digest(name: str, scenes_dir: Path | None = None) -> str:
    """Return the sha256 of a scene's script, "" for a scene of an installed package."""
    whole, _ = _whole_and_form(name, scenes_dir)
    scripts = _scripts(name, scenes_dir) or _scripts(whole, scenes_dir)
    return hashlib.sha256(scripts[0].read_bytes()).hexdigest() if scripts else ""


def _load_script(path: Path) -> Scene:
    spec = importlib.util.spec_from_file_location(f"simworld_scene_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise InputError(f"expected a Python file at {path}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look up their annotations
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # it may fail in any way; the cause is chained
        raise InputError(f"the scene script {path} does not load: {error!r}; mend it") from error
    scene = getattr(module, "SCENE", None)
    if not isinstance(scene, Scene):
        raise InputError(f"expected {path} to define SCENE, a simworld.scene.Scene")
    if scene.name != path.stem:
        raise InputError(f"expected the scene in {path} to be named {path.stem}: {scene.name!r}")
    return scene
