"""One kind of registry for everything that can be plugged in."""

import difflib
import importlib
import importlib.metadata
import pkgutil
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar, cast

from simworld.errors import InputError, NotRegisteredError

T = TypeVar("T")
S = TypeVar("S")

ENTRY_POINT_GROUP = "simworld"


class Registry(Generic[T]):
    """Named things of one kind: scenes, render back ends, exporters, models, metrics, executors.

    They come from three places: the decorator `register`, the modules of a package of ours (each
    is imported at the first look-up, so a new file needs no edit elsewhere), and the entry points
    of other distributions in the group `simworld`, named `SECTION.NAME`, each loaded when it is
    first asked for.

    Args:
        kind: What one thing is called in messages, such as `"model"`.
        section: The first part of the entry points' names, such as `"models"`.
        package: The package whose modules register themselves, such as `"simworld.models"`.

    Example:
        >>> shapes: Registry[type] = Registry("shape", "shapes")
        >>> @shapes.register("ball")
        ... class Ball: ...
        >>> shapes["ball"].__name__, list(shapes)
        ('Ball', ['ball'])
    """

    def __init__(self, kind: str, section: str, package: str | None = None) -> None:
        self._kind = kind
        self._section = section
        self._package = package
        self._things: dict[str, T] = {}
        self._entry_points: dict[str, importlib.metadata.EntryPoint] = {}
        self._discovered = False

    def register(self, name: str) -> Callable[[S], S]:
        """Register what follows under a name and return it; a taken name is an InputError."""

        def add(thing: S) -> S:
            self._refuse_duplicate(name, getattr(thing, "__module__", repr(thing)))
            self._things[name] = cast(T, thing)
            return thing

        return add

    def __getitem__(self, name: str) -> T:
        """Return the thing of that name.

        Raises:
            NotRegisteredError: There is none; the message names the nearest ones.
            InputError: Its entry point cannot be loaded.
        """
        self._discover()
        if name in self._entry_points and name not in self._things:
            self._load(name)
        if name not in self._things:
            near = difflib.get_close_matches(name, self._names(), n=3)
            every = f"choose from: {', '.join(self._names()) or 'none yet'}"
            hint = f"did you mean {' or '.join(near)}?" if near else every
            raise NotRegisteredError(f"expected a registered {self._kind}, found {name!r}; {hint}")
        return self._things[name]

    def __contains__(self, name: object) -> bool:
        """Tell whether something has that name."""
        return name in self._names()

    def __iter__(self) -> Iterator[str]:
        """Go through the names, sorted."""
        return iter(self._names())

    def __len__(self) -> int:
        """Count the names."""
        return len(self._names())

    def _names(self) -> list[str]:
        self._discover()
        return sorted(self._things.keys() | self._entry_points.keys())

    def _refuse_duplicate(self, name: str, source: str) -> None:
        for taken in (self._things, self._entry_points):
            if name in taken:
                raise InputError(
                    f"expected a new name for a {self._kind}, found {name!r} (from {source}), "
                    f"which is taken by {repr(taken[name])[:80]}; rename one of them"
                )

    def _discover(self) -> None:
        if self._discovered:
            return
        self._discovered = True
        if self._package is not None:
            package = importlib.import_module(self._package)
            for module in sorted(info.name for info in pkgutil.iter_modules(package.__path__)):
                importlib.import_module(f"{self._package}.{module}")
        for point in importlib.metadata.entry_points(group=ENTRY_POINT_GROUP):
            section, _, name = point.name.partition(".")
            if section == self._section:
                self._refuse_duplicate(name, f"entry point {point.value}")
                self._entry_points[name] = point

    def _load(self, name: str) -> None:
        point = self._entry_points[name]
        try:
            self._things[name] = point.load()
        except Exception as error:  # a plug-in may fail in any way; the cause is chained
            raise InputError(
                f"expected the {self._kind} {name!r} at {point.value}, found {error!r}; "
                "mend or uninstall the plug-in"
            ) from error
