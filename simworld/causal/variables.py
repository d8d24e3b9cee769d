"""One variable of a structural causal model: its kind, its domain and its truth table."""

import difflib
import keyword
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Literal

from simworld.errors import InputError

Value = int | str
Kind = Literal["exogenous", "condition", "event"]
Row = tuple[Value, ...]

BINARY: tuple[Value, ...] = (0, 1)
KINDS = ("exogenous", "condition", "event")

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable and the mechanism that sets it.

    Attributes:
        name: An ASCII identifier, so that it can stand in `do(name := 0)` and in expressions.
        kind: `exogenous` (given by the context), `condition` (stands all along) or `event`.
        domain: The values it can take; conditions and events are binary, `(0, 1)`.
        parents: The variables that its mechanism reads; none for an exogenous variable.
        table: One row `(*parent_values, value)` per combination of the parents' values.

    Raises:
        InputError: The name, kind, domain or table cannot be those of a variable.
    """

    name: str
    kind: Kind
    domain: tuple[Value, ...] = BINARY
    parents: tuple[str, ...] = ()
    table: tuple[Row, ...] = ()

    def __post_init__(self) -> None:
        """Check what can be checked without knowing the other variables."""
        check_name(self.name)
        if self.kind not in KINDS:
            raise InputError(f"{self.name!r}: kind must be one of {KINDS}, found {self.kind!r}")
        if not self.domain or len(set(self.domain)) < len(self.domain):
            raise InputError(
                f"{self.name!r}: the domain must hold distinct values, found {self.domain}"
            )
        for value in self.domain:
            check_value(self.name, value)
        if self.kind == "exogenous":
            if self.parents or self.table:
                raise InputError(
                    f"{self.name!r} is exogenous: it takes its value from the context and can "
                    f"have no parents and no table, found parents {self.parents}"
                )
        elif self.domain != BINARY:
            raise InputError(
                f"{self.name!r}: the domain of a condition or an event must be (0, 1), "
                f"found {self.domain}"
            )
        if len(set(self.parents)) < len(self.parents):
            raise InputError(f"{self.name!r}: parents must be distinct, found {self.parents}")

    def check_table(self, parent_domains: list[tuple[Value, ...]]) -> None:
        """Check that the table has exactly one valid row per setting of the parents.

        Raises:
            InputError: A row has the wrong length or a value outside a domain, stands twice,
                or is missing.
        """
        domains = [*parent_domains, self.domain]
        seen: set[Row] = set()
        for row in self.table:
            if len(row) != len(domains):
                raise InputError(
                    f"table of {self.name!r}: each row must hold {len(domains)} values "
                    f"{(*self.parents, self.name)}, found {row}"
                )
            for column, value, domain in zip((*self.parents, self.name), row, domains, strict=True):
                if value not in domain:
                    raise InputError(
                        f"table of {self.name!r}, row {row}: {column!r} must be one of {domain}, "
                        f"found {value!r}"
                    )
            if row[:-1] in seen:
                raise InputError(
                    f"table of {self.name!r}: two rows for {self.parents} = {row[:-1]}; keep one"
                )
            seen.add(row[:-1])
        for setting in product(*parent_domains):
            if setting not in seen:
                raise InputError(
                    f"table of {self.name!r}: no row for {self.parents} = {setting}; add one"
                )


def check_name(name: object) -> None:
    """Raise InputError unless `name` is an ASCII identifier and no Python keyword."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise InputError(
            f"a variable's name must be letters, digits and underscores, start with no digit and "
            f"be no Python keyword, found {name!r}"
        )


def check_value(name: str, value: object) -> None:
    """Raise InputError unless `value` is a plain int or a str."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise InputError(
            f"a value of {name!r} must be an int or a str, found {value!r} ({type(value).__name__})"
        )


def unknown_name(name: str, known: Iterable[str], where: str) -> InputError:
    """Return the error for a name that no variable has, with the nearest one."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"the variables are {', '.join(names)}"
    return InputError(f"{where}: no variable is called {name!r}; {hint}")
