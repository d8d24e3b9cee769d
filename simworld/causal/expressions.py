"""Small readable expressions from which truth tables are made.

An expression such as `"impact and floor == 'bare'"` is read once, checked against the parents'
domains and turned into a table; nothing of it is executed later, and a file holds the table.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Literal

from simworld.causal.variables import BINARY, Value, Variable, unknown_name
from simworld.errors import InputError

ALLOWED = (
    "names of variables, int and string constants, and, or, not, ==, !=, parentheses; "
    "a variable with values other than 0 and 1 only in a comparison"
)

Domains = Mapping[str, tuple[Value, ...]]


@dataclass(frozen=True, slots=True)
class Declaration:
    """A condition or an event whose table is still to be made from its expression."""

    name: str
    kind: Literal["condition", "event"]
    expression: str

    def resolve(self, domains: Domains) -> Variable:
        """Return the variable, its table evaluated over the parents' domains.

        The parents are the names in the expression, in the order of first appearance.

        Raises:
            InputError: The expression holds something that is not allowed, a name that no
                variable has, or a constant that its variable never takes.
        """
        body = self._parse()
        self._check_truth(body, domains)
        parents = tuple(dict.fromkeys(_names(body)))
        rows = product(*(domains[parent] for parent in parents))
        table = tuple(
            (*row, int(_holds(body, dict(zip(parents, row, strict=True))))) for row in rows
        )
        return Variable(self.name, self.kind, BINARY, parents, table)

    def _parse(self) -> ast.expr:
        try:
            return ast.parse(self.expression.strip(), mode="eval").body
        except (SyntaxError, ValueError) as error:
            raise self._error(f"found {self.expression!r}, which cannot be read") from error

    def _check_truth(self, node: ast.expr, domains: Domains) -> None:
        """Check that `node` is built of what is allowed and is either true or false."""
        match node:
            case ast.BoolOp(values=parts):
                for part in parts:
                    self._check_truth(part, domains)
            case ast.UnaryOp(op=ast.Not(), operand=part):
                self._check_truth(part, domains)
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
                self._check_comparison(left, right, domains)
            case ast.Name(id=name):
                domain = self._domain(name, domains)
                if domain != BINARY:
                    raise self._error(
                        f"found {name!r} as a truth value, but its values are {domain}"
                    )
            case ast.Constant(value=value) if type(value) is int and value in BINARY:
                pass
            case _:
                raise self._error(f"found {ast.unparse(node)!r}")

    def _check_comparison(self, left: ast.expr, right: ast.expr, domains: Domains) -> None:
        """Check that both sides are names or constants that can ever be equal."""
        values = [self._side_values(side, domains) for side in (left, right)]
        if not set(values[0]) & set(values[1]):
            raise self._error(
                f"found {ast.unparse(left)!r} compared with {ast.unparse(right)!r}, whose values "
                f"{values[0]} and {values[1]} are never equal"
            )

    def _side_values(self, side: ast.expr, domains: Domains) -> tuple[Value, ...]:
        match side:
            case ast.Name(id=name):
                return self._domain(name, domains)
            case ast.Constant(value=int() | str() as value) if not isinstance(value, bool):
                return (value,)
            case _:
                raise self._error(f"found {ast.unparse(side)!r} in a comparison")

    def _domain(self, name: str, domains: Domains) -> tuple[Value, ...]:
        if name not in domains:
            raise unknown_name(name, domains, f"equation of {self.name!r}")
        return domains[name]

    def _error(self, found: str) -> InputError:
        return InputError(f"equation of {self.name!r}: {found}; allowed are {ALLOWED}")


def exogenous(name: str, domain: tuple[Value, ...] = BINARY) -> Variable:
    """Declare a variable that the context sets to one of the levels in `domain`."""
    return Variable(name, "exogenous", tuple(domain))


def condition(name: str, expression: str) -> Declaration:
    """Declare a standing condition, such as `condition("hard_floor", "floor == 'bare'")`."""
    return Declaration(name, "condition", expression)


def event(name: str, expression: str) -> Declaration:
    """Declare an event, such as `event("shatter", "impact and hard_floor")`."""
    return Declaration(name, "event", expression)


def _names(node: ast.expr) -> list[str]:
    """Return the names in `node` in reading order, with repetitions."""
    names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
    return [part.id for part in sorted(names, key=lambda part: (part.lineno, part.col_offset))]


def _holds(node: ast.expr, values: Mapping[str, Value]) -> bool:
    """Return the truth of a checked expression under `values`."""
    match node:
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(_holds(part, values) for part in parts)
        case ast.BoolOp(values=parts):
            return any(_holds(part, values) for part in parts)
        case ast.UnaryOp(operand=part):
            return not _holds(part, values)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return (_side(left, values) == _side(right, values)) is isinstance(op, ast.Eq)
        case _:
            return bool(_side(node, values))


def _side(node: ast.expr, values: Mapping[str, Value]) -> object:
    match node:
        case ast.Name(id=name):
            return values[name]
        case _:
            return ast.literal_eval(node)
