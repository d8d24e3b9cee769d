import re
from xml.etree import ElementTree

import pytest

from simworld.report.graph import World, draw

CHAIN = [
    {"from": "bump", "to": "fall", "role": "triggers"},
    {"from": "fall", "to": "shatter", "role": "triggers"},
    {"from": "hard_floor", "to": "shatter", "role": "enables"},
]
NODES = ["hard_floor", "bump", "fall", "shatter"]


def top(svg: str, label: str) -> float:
    """Read the y of the text that begins with `label`."""
    texts = [t for t in ElementTree.fromstring(svg).iter("text") if t.text and t.text in label]
    return float(texts[0].attrib["y"])


def test_causes_stand_above_effects() -> None:
    svg = draw(NODES, CHAIN, World({"bump": 1, "fall": 1, "shatter": 0, "hard_floor": 0}), "t")
    heights = [top(svg, text) for text in ("bump = 1", "fall = 1", "shatter = 0")]
    assert heights == sorted(heights)
    assert top(svg, "hard_floor = 0") == heights[1], "a root stands just above its first child"


def test_nodes_are_filled_by_what_happened() -> None:
    world = World({"bump": 0, "fall": 0, "shatter": 0, "hard_floor": 1}, frozenset({"bump"}))
    svg = draw(NODES, CHAIN, world, "t")
    assert svg.count('class="node on"') == 1
    assert svg.count('class="node off"') == 2
    assert svg.count('class="node off done"') == 1
    assert "do(bump := 0)" in svg


def test_incoming_edges_of_what_was_done_are_cut() -> None:
    svg = draw(NODES, CHAIN, World({}, done=frozenset({"shatter"})), "t")
    assert re.findall(r'class="edge (\w+ ?\w*)"', svg) == [
        "triggers",
        "triggers cut",
        "enables cut",
    ]


def test_edges_to_what_is_not_drawn_are_left_out() -> None:
    edges = [*CHAIN, {"from": "ball_released", "to": "bump", "role": "triggers"}]
    assert draw(NODES, edges, World({}), "t") == draw(NODES, CHAIN, World({}), "t")


@pytest.mark.parametrize("title", ["<b>", "a & b"])
def test_texts_are_escaped(title: str) -> None:
    root = ElementTree.fromstring(draw(NODES, CHAIN, World({}), title))
    assert root[0].text == title
