"""A causal graph as inline SVG, drawn for one world: filled nodes happened, hollow ones did not."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

NODE_WIDTH_PX = 126
NODE_HEIGHT_PX = 40
COLUMN_GAP_PX = 28
ROW_GAP_PX = 34
MARGIN_PX = 6

Edge = Mapping[str, Any]
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class World:
    """What happened in one rollout, and what was done to it.

    Attributes:
        values: variable name -> its value.
        done: variables set by an intervention; their incoming edges are drawn cut.
        changed: variables whose value differs from the other world's.
    """

    values: Mapping[str, Any]
    done: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()


def draw(nodes: Sequence[str], edges: Sequence[Edge], world: World, title: str) -> Markup:
    """Draw the graph top to bottom, causes above effects.

    Args:
        nodes: variable names, in the order they are declared.
        edges: mappings with `from`, `to` and `role` (triggers, enables or prevents).
        world: the values that fill the nodes.
        title: what a screen reader is told.

    Returns:
        One `<svg>` element; its colours come from the page's style sheet.
    """
    inner = [edge for edge in edges if edge["from"] in nodes and edge["to"] in nodes]
    rows = _rows(nodes, inner)
    place = _place(rows)
    columns = max((len(row) for row in rows), default=1)
    width = 2 * MARGIN_PX + columns * NODE_WIDTH_PX + (columns - 1) * COLUMN_GAP_PX
    height = 2 * MARGIN_PX + len(rows) * NODE_HEIGHT_PX + (len(rows) - 1) * ROW_GAP_PX
    parts = [_edge(place, edge, world) for edge in inner]
    parts += [_node(name, place[name], world) for name in nodes]
    return Markup(
        '<svg class="graph" role="img" viewBox="0 0 {} {}" style="max-width:{}px">'
        "<title>{}</title>{}</svg>"
    ).format(width, height, width, title, Markup("").join(parts))


def _rows(nodes: Sequence[str], edges: Sequence[Edge]) -> list[list[str]]:
    """Lay each node one row below its lowest parent; a root stands just above its first child."""
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from((edge["from"], edge["to"]) for edge in edges)
    order = list(nx.topological_sort(graph))
    depth: dict[str, int] = {}
    for name in order:
        depth[name] = max((depth[parent] + 1 for parent in graph.predecessors(name)), default=0)
    for name in order:
        if not list(graph.predecessors(name)) and list(graph.successors(name)):
            depth[name] = min(depth[child] for child in graph.successors(name)) - 1
    rows: list[list[str]] = [[] for _ in range(max(depth.values(), default=0) + 1)]
    for name in nodes:
        rows[depth[name]].append(name)
    for above, row in itertools.pairwise(rows):
        column = {name: index for index, name in enumerate(above)}
        near = {
            name: [column[parent] for parent in graph.predecessors(name) if parent in column]
            for name in row
        }
        row[:] = _ordered(near)
    return rows


def _ordered(near: Mapping[str, Sequence[int]]) -> list[str]:
    """Put nodes below their parents' columns, and those without parents on both sides of them."""
    linked = sorted((n for n in near if near[n]), key=lambda n: sum(near[n]) / len(near[n]))
    alone = [n for n in near if not near[n]]
    half = len(alone) // 2
    return alone[:half] + linked + alone[half:]


def _place(rows: Sequence[Sequence[str]]) -> dict[str, Point]:
    """Give each node's top left corner, in px, every row centred."""
    step = NODE_WIDTH_PX + COLUMN_GAP_PX
    widest = max((len(row) for row in rows), default=1)
    return {
        name: (
            MARGIN_PX + (column + (widest - len(names)) / 2) * step,
            MARGIN_PX + row * (NODE_HEIGHT_PX + ROW_GAP_PX),
        )
        for row, names in enumerate(rows)
        for column, name in enumerate(names)
    }


def _edge(place: Mapping[str, Point], edge: Edge, world: World) -> Markup:
    """Draw a curve from below the cause to above the effect, round the nodes of rows between."""
    (x1, y1), (x2, y2) = place[edge["from"]], place[edge["to"]]
    x1, x2 = x1 + NODE_WIDTH_PX / 2, x2 + NODE_WIDTH_PX / 2
    y1, y2 = y1 + NODE_HEIGHT_PX, y2 - 5
    bend = (y2 - y1) / 2
    row_px = NODE_HEIGHT_PX + ROW_GAP_PX
    aside = 0.0
    if y2 - y1 > row_px and x1 == x2:
        aside = NODE_WIDTH_PX / 2 + COLUMN_GAP_PX / 2
    path = (
        f"M{x1:g},{y1:g} C{x1 + aside * 1.6:g},{y1 + bend:g} "
        f"{x2 + aside * 1.6:g},{y2 - bend:g} {x2:g},{y2:g}"
    )
    cut = edge["to"] in world.done
    tip = (
        f"M{x2 - 7:g},{y2 + 2:g} h14"
        if edge["role"] == "prevents"
        else f"M{x2 - 5:g},{y2 - 5:g} L{x2:g},{y2 + 3:g} L{x2 + 5:g},{y2 - 5:g}"
    )
    return Markup('<g class="edge {}{}"><path d="{}"/><path class="tip" d="{}"/></g>').format(
        edge["role"], " cut" if cut else "", path, tip
    )


def _node(name: str, corner: Point, world: World) -> Markup:
    x, y = corner
    value = world.values.get(name)
    state = "unknown" if value is None else "on" if value else "off"
    marks = [mark for mark in ("done", "changed") if name in getattr(world, mark)]
    label = f"do({name} := {value})" if name in world.done else f"{name} = {value}"
    text = Markup('<text x="{}" y="{}"{}>{}</text>')
    fit = Markup(' textLength="{}" lengthAdjust="spacingAndGlyphs"').format(NODE_WIDTH_PX - 14)
    squeezed = fit if len(label) > 15 else Markup("")
    return Markup(
        '<g class="node {}"><rect x="{}" y="{}" width="{}" height="{}" rx="9"/>{}</g>'
    ).format(
        " ".join([state, *marks]),
        f"{x:g}",
        f"{y:g}",
        NODE_WIDTH_PX,
        NODE_HEIGHT_PX,
        text.format(
            f"{x + NODE_WIDTH_PX / 2:g}", f"{y + NODE_HEIGHT_PX / 2:g}", squeezed, escape(label)
        ),
    )
