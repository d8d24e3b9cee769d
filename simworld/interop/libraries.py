"""Causal models as objects of pgmpy and causal-learn, which the extra `causal` brings."""

from itertools import product
from typing import Any

from simworld.causal import SCM
from simworld.errors import MissingDependencyError
from simworld.interop.weights import EVEN, Weights, shares


def to_pgmpy(scm: SCM, weights: Weights = EVEN) -> Any:
    """Return a pgmpy `DiscreteBayesianNetwork` with the model's own levels as states.

    Args:
        scm: The model.
        weights: How often each level of an exogenous variable is drawn.

    Raises:
        MissingDependencyError: pgmpy is not installed.
        InputError: The weights are not valid.
    """
    try:
        from pgmpy.factors.discrete import TabularCPD
        from pgmpy.models import DiscreteBayesianNetwork
    except ImportError as error:
        raise missing("a pgmpy model", "pgmpy", "causal") from error
    network = DiscreteBayesianNetwork()
    network.add_nodes_from(scm.order)
    network.add_edges_from(scm.graph().edges)
    drawn = shares(scm, weights)
    for name in scm.order:
        variable, parents = scm[name], scm.parents(name)
        columns = [list(drawn[name].values())] if name in drawn else _columns(scm, name)
        network.add_cpds(
            TabularCPD(
                name,
                len(variable.domain),
                [list(row) for row in zip(*columns, strict=True)],
                evidence=list(parents),
                evidence_card=[len(scm[parent].domain) for parent in parents],
                state_names={other: list(scm[other].domain) for other in (name, *parents)},
            )
        )
    return network


def to_causal_learn(scm: SCM) -> Any:
    """Return the causal graph as causal-learn's `GeneralGraph`, to hold a found graph against.

    Raises:
        MissingDependencyError: causal-learn is not installed.
    """
    try:
        from causallearn.graph.Edge import Edge
        from causallearn.graph.Endpoint import Endpoint
        from causallearn.graph.GeneralGraph import GeneralGraph
        from causallearn.graph.GraphNode import GraphNode
    except ImportError as error:
        raise missing("a causal-learn graph", "causal-learn", "causal") from error
    nodes = {name: GraphNode(name) for name in scm.order}
    graph = GeneralGraph(list(nodes.values()))
    for parent, child in scm.graph().edges:
        graph.add_edge(Edge(nodes[parent], nodes[child], Endpoint.TAIL, Endpoint.ARROW))
    return graph


def _columns(scm: SCM, name: str) -> list[list[float]]:
    """Return, for each setting of the parents, the last running fastest, zeros and a one."""
    variable = scm[name]
    results = {row[:-1]: row[-1] for row in variable.table}
    settings = product(*(scm[parent].domain for parent in variable.parents))
    return [[float(value == results[s]) for value in variable.domain] for s in settings]


def missing(what: str, package: str, extra: str) -> MissingDependencyError:
    """Return the error for an extra that is not installed."""
    return MissingDependencyError(
        f"{what} needs the package {package}, found none; "
        f"install it with: pip install 'simworld[{extra}]'"
    )
