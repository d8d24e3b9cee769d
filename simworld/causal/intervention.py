"""Interventions: which variables are set to which values, and their text form."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from simworld.causal.variables import Value, check_name, check_value
from simworld.errors import InputError


@dataclass(frozen=True, slots=True)
class Intervention(Mapping[str, Value]):
    """A do(): each named variable is cut from its parents and set to the value.

    It is a mapping from names to values, hashable, and equal to another one that sets the same
    variables to the same values. In text, a string value is written as a Python string literal.

    Attributes:
        assignments: Pairs (name, value), sorted by name.

    Raises:
        InputError: A name is no identifier, a value is no int or str, or a name stands twice.

    Example:
        >>> str(Intervention.of({"hard_floor": 1, "bump": 0}))
        'do(bump := 0, hard_floor := 1)'
        >>> str(Intervention.of({"floor": "rug"}))
        "do(floor := 'rug')"
    """

    assignments: tuple[tuple[str, Value], ...] = ()

    def __post_init__(self) -> None:
        """Check and sort the assignments."""
        for name, value in self.assignments:
            check_name(name)
            check_value(name, value)
        names = [name for name, _ in self.assignments]
        if len(set(names)) < len(names):
            raise InputError(f"an intervention sets each variable once, found {names}")
        object.__setattr__(self, "assignments", tuple(sorted(self.assignments)))

    @classmethod
    def of(cls, values: Mapping[str, Value]) -> Self:
        """Return the intervention that sets each key to its value."""
        return cls(tuple(values.items()))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read the text form back.

        Raises:
            InputError: The text is not of the form `do(name := value, ...)`.

        Example:
            >>> Intervention.parse("do(bump := 0)")["bump"]
            0
        """
        try:
            return cls(tuple(_read_assignments(text)))
        except (SyntaxError, ValueError) as error:
            raise InputError(
                "an intervention must read do(), do(bump := 0) or "
                f"do(bump := 0, floor := 'rug'), found {text!r}"
            ) from error

    def __str__(self) -> str:
        """Return the text form, such as `do(bump := 0)`."""
        return f"do({', '.join(f'{name} := {value!r}' for name, value in self.assignments)})"

    def __getitem__(self, name: str) -> Value:
        """Return the value that `name` is set to."""
        return dict(self.assignments)[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, sorted."""
        return (name for name, _ in self.assignments)

    def __len__(self) -> int:
        """Return how many variables are set."""
        return len(self.assignments)

    def __or__(self, other: Mapping[str, Value]) -> "Intervention":
        """Return the joint intervention.

        Raises:
            InputError: Both set a variable, to different values.
        """
        for name in self.keys() & other.keys():
            if self[name] != other[name]:
                raise InputError(
                    f"one intervention cannot set {name!r} to both {self[name]!r} and "
                    f"{other[name]!r}"
                )
        return Intervention.of({**self, **other})


def _read_assignments(text: str) -> Iterator[tuple[str, Value]]:
    """Yield the pairs; `do(a := 0, b := 1)` happens to be a Python call expression."""
    match ast.parse(text.strip(), mode="eval").body:
        case ast.Call(func=ast.Name(id="do"), args=args, keywords=[]):
            for arg in args:
                if not isinstance(arg, ast.NamedExpr):
                    raise ValueError("not an assignment")
                yield arg.target.id, ast.literal_eval(arg.value)
        case _:
            raise ValueError("not a call of do")
