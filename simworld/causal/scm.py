"""The structural causal model: variables, their graph, and evaluation under do()."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Any, Literal, Self

from simworld.causal.expressions import Declaration
from simworld.causal.variables import BINARY, Kind, Row, Value, Variable, unknown_name
from simworld.errors import InputError

if TYPE_CHECKING:
    import networkx as nx

EdgeRole = Literal["triggers", "enables", "prevents", "sets"]


@dataclass(frozen=True, slots=True)
class SCM:
    """A structural causal model with finite domains and truth tables.

    Attributes:
        variables: As declared.

    Raises:
        InputError: A name stands twice, a parent is unknown, the graph has a cycle, or a table
            is not complete and within the domains.

    Example:
        >>> from simworld.causal import SCM, condition, event, exogenous
        >>> scm = SCM.build([
        ...     exogenous("ball"),
        ...     exogenous("floor", ("bare", "rug")),
        ...     event("fall", "ball"),
        ...     condition("hard_floor", "floor == 'bare'"),
        ...     event("shatter", "fall and hard_floor"),
        ... ])
        >>> context = {"ball": 1, "floor": "bare"}
        >>> scm.evaluate(context)["shatter"]
        1
        >>> scm.evaluate(context, {"fall": 0})["shatter"]
        0
    """

    variables: tuple[Variable, ...]
    _by_name: dict[str, Variable] = field(init=False, repr=False, compare=False)
    _order: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _mechanisms: dict[str, dict[Row, Value]] = field(init=False, repr=False, compare=False)
    _ancestors: dict[str, frozenset[str]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the model and index it."""
        by_name = {variable.name: variable for variable in self.variables}
        if len(by_name) < len(self.variables):
            names = [variable.name for variable in self.variables]
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(f"each variable is declared once, found {twice!r} more than once")
        for variable in self.variables:
            for parent in variable.parents:
                if parent not in by_name:
                    raise unknown_name(parent, by_name, f"parents of {variable.name!r}")
            if variable.kind != "exogenous":
                variable.check_table([by_name[parent].domain for parent in variable.parents])
        order = _topological_order(self.variables)
        ancestors: dict[str, frozenset[str]] = {}
        for name in order:
            parents = by_name[name].parents
            ancestors[name] = frozenset(parents).union(*(ancestors[parent] for parent in parents))
        mechanisms = {
            name: {row[:-1]: row[-1] for row in by_name[name].table}
            for name in order
            if by_name[name].kind != "exogenous"
        }
        object.__setattr__(self, "_by_name", by_name)
        object.__setattr__(self, "_order", order)
        object.__setattr__(self, "_ancestors", ancestors)
        object.__setattr__(self, "_mechanisms", mechanisms)

    @classmethod
    def build(cls, declarations: Iterable[Variable | Declaration]) -> Self:
        """Make the model from declarations; an equation may name variables declared after it."""
        declared = list(declarations)
        domains = {
            item.name: item.domain if isinstance(item, Variable) else BINARY for item in declared
        }
        return cls(
            tuple(
                item if isinstance(item, Variable) else item.resolve(domains) for item in declared
            )
        )

    @classmethod
    def from_json(cls, rows: Iterable[Mapping[str, Any]]) -> Self:
        """Read the model back from `to_json()`.

        Raises:
            InputError: A row is no variable, or the model is not valid.
        """
        return cls(tuple(_variable_from_json(row) for row in rows))

    def to_json(self) -> list[dict[str, Any]]:
        """Return one JSON object per variable: name, kind, domain, parents, table."""
        return [
            {
                "name": variable.name,
                "kind": variable.kind,
                "domain": list(variable.domain),
                "parents": list(variable.parents),
                "table": [list(row) for row in variable.table],
            }
            for variable in self.variables
        ]

    @property
    def order(self) -> tuple[str, ...]:
        """All names, parents before children, else as declared."""
        return self._order

    @property
    def exogenous(self) -> tuple[str, ...]:
        """The variables that the context sets, in `order`."""
        return tuple(name for name in self._order if self.kind(name) == "exogenous")

    @property
    def endogenous(self) -> tuple[str, ...]:
        """The conditions and events, in `order`."""
        return tuple(name for name in self._order if self.kind(name) != "exogenous")

    @property
    def events(self) -> tuple[str, ...]:
        """The events, in `order`."""
        return tuple(name for name in self._order if self.kind(name) == "event")

    def __getitem__(self, name: str) -> Variable:
        """Return the variable called `name`; raise InputError if there is none."""
        if name not in self._by_name:
            raise unknown_name(name, self._order, "model")
        return self._by_name[name]

    def kind(self, name: str) -> Kind:
        """Return the kind of a variable."""
        return self[name].kind

    def parents(self, name: str) -> tuple[str, ...]:
        """Return the variables that the mechanism of `name` reads, in its order."""
        return self[name].parents

    def children(self, name: str) -> tuple[str, ...]:
        """Return the variables whose mechanisms read `name`, in `order`."""
        parent = self[name].name
        return tuple(child for child in self._order if parent in self._by_name[child].parents)

    def ancestors(self, name: str) -> frozenset[str]:
        """Return everything upstream of `name`, exogenous variables included, itself not."""
        return self._ancestors[self[name].name]

    def descendants(self, name: str) -> frozenset[str]:
        """Return everything downstream of `name`, itself not."""
        ancestor = self[name].name
        return frozenset(other for other in self._order if ancestor in self._ancestors[other])

    def evaluate(
        self, context: Mapping[str, Value], do: Mapping[str, Value] | None = None
    ) -> dict[str, Value]:
        """Return the value of every variable.

        Args:
            context: The level of each exogenous variable; a name that the model does not have is
                passed over, so that the levels of nuisances may stand in it.
            do: An intervention; exogenous variables may be in it.

        Raises:
            InputError: The context lacks an exogenous variable or sets another one, a name in
                `do` is unknown, or a value lies outside its domain.
        """
        do = do or {}
        for name in do:
            if name not in self._by_name:
                raise unknown_name(name, self._order, "intervention")
        for name in context:
            if name in self._mechanisms:
                raise InputError(
                    f"context: {name!r} is no exogenous variable; set it by an intervention"
                )
        values: dict[str, Value] = {}
        for name in self._order:
            if name in do:
                values[name] = self._checked(name, do[name], "intervention")
            elif name in self._mechanisms:
                setting = tuple(values[parent] for parent in self._by_name[name].parents)
                values[name] = self._mechanisms[name][setting]
            elif name in context:
                values[name] = self._checked(name, context[name], "context")
            else:
                raise InputError(
                    f"context: no value for {name!r}; give one of {self._by_name[name].domain}"
                )
        return values

    def graph(self) -> nx.DiGraph[str]:
        """Return the causal graph; nodes have a `kind`, edges a `role`."""
        import networkx as nx

        graph: nx.DiGraph[str] = nx.DiGraph()
        for name in self._order:
            graph.add_node(name, kind=self.kind(name))
        for child in self._order:
            for parent in self.parents(child):
                graph.add_edge(parent, child, role=self.edge_role(parent, child))
        return graph

    def edge_role(self, parent: str, child: str) -> EdgeRole:
        """Return what the edge does.

        `prevents` if setting the parent from 0 to 1 turns the child off under some setting of its
        other parents; else `enables` if the parent is a standing condition; else `triggers`. An
        exogenous parent whose levels are not 0 and 1 `sets` the child.

        Raises:
            InputError: There is no such edge.
        """
        if parent not in self.parents(child):
            raise InputError(
                f"no edge {parent} -> {child}: the parents of {child!r} are {self.parents(child)}"
            )
        if self[parent].domain != BINARY:
            return "sets"
        at = self.parents(child).index(parent)
        mechanism = self._mechanisms[child]
        for setting, value in mechanism.items():
            if setting[at] == 0 and value == 1:
                toggled = (*setting[:at], 1, *setting[at + 1 :])
                if mechanism[toggled] == 0:
                    return "prevents"
        return "enables" if self.kind(parent) == "condition" else "triggers"

    def _checked(self, name: str, value: Value, where: str) -> Value:
        """Return `value` as it stands in the domain of `name`."""
        domain = self._by_name[name].domain
        if value not in domain:
            raise InputError(f"{where}: {name!r} must be one of {domain}, found {value!r}")
        return domain[domain.index(value)]


def _topological_order(variables: tuple[Variable, ...]) -> tuple[str, ...]:
    """Return the names, parents first, else as declared; raise InputError on a cycle."""
    rank = {variable.name: index for index, variable in enumerate(variables)}
    sorter = TopologicalSorter({variable.name: variable.parents for variable in variables})
    try:
        sorter.prepare()
    except CycleError as error:
        cycle = " -> ".join(error.args[1])
        raise InputError(f"the graph must have no cycle, found {cycle}; drop an edge") from error
    order: list[str] = []
    ready: list[tuple[int, str]] = []
    while sorter.is_active():
        for name in sorter.get_ready():
            heapq.heappush(ready, (rank[name], name))
        _, name = heapq.heappop(ready)
        order.append(name)
        sorter.done(name)
    return tuple(order)


def _variable_from_json(row: Mapping[str, Any]) -> Variable:
    try:
        return Variable(
            name=row["name"],
            kind=row["kind"],
            domain=tuple(row["domain"]),
            parents=tuple(row["parents"]),
            table=tuple(tuple(values) for values in row["table"]),
        )
    except (KeyError, TypeError) as error:
        raise InputError(
            f"a variable must be an object with name, kind, domain, parents and table, found {row}"
        ) from error
