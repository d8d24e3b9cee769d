"""Causal graphs and models as text, in the formats that other programs read."""

from typing import Any

from simworld.causal import SCM, Value
from simworld.errors import InputError
from simworld.interop.weights import EVEN, Weights, shares

_SHAPES = {"exogenous": "plaintext", "condition": "box", "event": "ellipse"}
_BREAKS_BIF = set(" \t\n\"'(){}[];,|/")


def to_gml(scm: SCM) -> str:
    """Return the causal graph as GML, which networkx, Gephi, igraph and DoWhy read.

    Example:
        >>> from simworld.causal import SCM, event, exogenous
        >>> scm = SCM.build([exogenous("match"), event("fire", "match")])
        >>> 'kind "exogenous"' in to_gml(scm)
        True
    """
    import networkx as nx

    return "\n".join(nx.generate_gml(scm.graph())) + "\n"


def to_dot(scm: SCM, name: str = "model") -> str:
    """Return the causal graph in DOT, to be drawn by Graphviz.

    Settings are bare words, conditions boxes, events ellipses; what prevents ends in a bar.

    Example:
        >>> from simworld.causal import SCM, event, exogenous
        >>> scm = SCM.build([exogenous("match"), event("fire", "match")])
        >>> print(to_dot(scm).splitlines()[-2])
          "match" -> "fire" [label="triggers"];
    """
    lines = [f'digraph "{name}" {{']
    for variable in scm.order:
        lines.append(f'  "{variable}" [shape="{_SHAPES[scm.kind(variable)]}"];')
    for child in scm.order:
        for parent in scm.parents(child):
            role = scm.edge_role(parent, child)
            head = ', arrowhead="tee"' if role == "prevents" else ""
            lines.append(f'  "{parent}" -> "{child}" [label="{role}"{head}];')
    return "\n".join([*lines, "}"]) + "\n"


def to_node_link(scm: SCM) -> dict[str, Any]:
    """Return the causal graph as node-link JSON data, which networkx and D3 read.

    `networkx.node_link_graph(data, edges="edges")` gives the graph back.

    Example:
        >>> from simworld.causal import SCM, event, exogenous
        >>> scm = SCM.build([exogenous("match"), event("fire", "match")])
        >>> to_node_link(scm)["edges"]
        [{'role': 'triggers', 'source': 'match', 'target': 'fire'}]
    """
    import networkx as nx

    data: dict[str, Any] = nx.node_link_data(scm.graph(), edges="edges")
    return data


def to_tetrad(scm: SCM) -> str:
    """Return the causal graph in Tetrad's text format, which causal-learn reads as well.

    Example:
        >>> from simworld.causal import SCM, event, exogenous
        >>> scm = SCM.build([exogenous("match"), event("fire", "match")])
        >>> print(to_tetrad(scm).splitlines()[-1])
        1. match --> fire
    """
    edges = [(parent, child) for child in scm.order for parent in scm.parents(child)]
    lines = ["Graph Nodes:", ";".join(scm.order), "", "Graph Edges:"]
    lines += [f"{k}. {parent} --> {child}" for k, (parent, child) in enumerate(edges, start=1)]
    return "\n".join(lines) + "\n"


def to_bif(scm: SCM, name: str = "model", weights: Weights = EVEN) -> str:
    """Return the model as a Bayesian network in BIF, which pgmpy and bnlearn read.

    Each mechanism is a table of zeros and ones: what happens is certain once the settings are
    given, and only those have probabilities.

    Args:
        scm: The model.
        name: What the network is called.
        weights: How often each level of an exogenous variable is drawn.

    Raises:
        InputError: A level cannot be written in BIF, or the weights are not valid.

    Example:
        >>> from simworld.causal import SCM, event, exogenous
        >>> scm = SCM.build([exogenous("match"), event("fire", "match")])
        >>> print(to_bif(scm).splitlines()[-2])
          (1) 0.0, 1.0;
    """
    blocks = [f"network {name} {{\n}}\n"]
    for variable in scm.order:
        domain = scm[variable].domain
        levels = ", ".join(_level(variable, value) for value in domain)
        if len({str(value) for value in domain}) < len(domain):
            raise InputError(f"{variable!r}: BIF cannot tell its levels {domain} apart")
        kind = f"  type discrete [ {len(domain)} ] {{ {levels} }};\n"
        blocks.append(f"variable {variable} {{\n{kind}}}\n")
    for variable, levels_shares in shares(scm, weights).items():
        row = ", ".join(str(share) for share in levels_shares.values())
        blocks.append(f"probability ( {variable} ) {{\n  table {row};\n}}\n")
    blocks += [_mechanism(scm, variable) for variable in scm.endogenous]
    return "".join(blocks)


def _mechanism(scm: SCM, name: str) -> str:
    """Return the probability block of a condition or an event."""
    variable = scm[name]
    if not variable.parents:
        row = ", ".join(str(float(value == variable.table[0][-1])) for value in variable.domain)
        return f"probability ( {name} ) {{\n  table {row};\n}}\n"
    rows = [
        f"  ({', '.join(map(str, setting))}) "
        + ", ".join(str(float(value == result)) for value in variable.domain)
        + ";\n"
        for *setting, result in variable.table
    ]
    return f"probability ( {name} | {', '.join(variable.parents)} ) {{\n{''.join(rows)}}}\n"


def _level(name: str, value: Value) -> str:
    text = str(value)
    if not text or set(text) & _BREAKS_BIF:
        raise InputError(
            f"level {value!r} of {name!r} cannot be written in BIF; expected no spaces, quotes, "
            "brackets or other punctuation in it; rename the level"
        )
    return text
