"""What other programs read, read back by programs that are not ours."""

import json

import networkx as nx
import pytest

from simworld.causal import SCM, condition, event, exogenous
from simworld.errors import InputError
from simworld.interop import to_bif, to_dot, to_gml, to_node_link, to_tetrad
from simworld.scene import library

SCENES = library()
CUP = SCM.build(
    [
        exogenous("ball"),
        exogenous("floor", ("bare", "rug")),
        event("fall", "ball"),
        condition("hard_floor", "floor == 'bare'"),
        event("shatter", "fall and hard_floor"),
        event("stay", "not fall"),
    ]
)


@pytest.mark.parametrize("name", SCENES)
def test_gml_and_node_link_give_the_graph_back(name):
    graph = SCENES[name].scm.graph()
    data = json.loads(json.dumps(to_node_link(SCENES[name].scm)))
    for again in (
        nx.parse_gml(to_gml(SCENES[name].scm)),
        nx.node_link_graph(data, edges="edges"),
    ):
        assert type(again) is nx.DiGraph
        assert dict(again.nodes(data=True)) == dict(graph.nodes(data=True))
        assert list(again.edges(data=True)) == list(graph.edges(data=True))


def test_dot_says_kinds_and_roles():
    assert to_dot(CUP, "cup").splitlines() == [
        'digraph "cup" {',
        '  "ball" [shape="plaintext"];',
        '  "floor" [shape="plaintext"];',
        '  "fall" [shape="ellipse"];',
        '  "hard_floor" [shape="box"];',
        '  "shatter" [shape="ellipse"];',
        '  "stay" [shape="ellipse"];',
        '  "ball" -> "fall" [label="triggers"];',
        '  "floor" -> "hard_floor" [label="sets"];',
        '  "fall" -> "shatter" [label="triggers"];',
        '  "hard_floor" -> "shatter" [label="enables"];',
        '  "fall" -> "stay" [label="prevents", arrowhead="tee"];',
        "}",
    ]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # pydot's, of its parser
@pytest.mark.parametrize("name", SCENES)
def test_dot_is_read_by_pydot(name):
    pydot = pytest.importorskip("pydot")
    (read,) = pydot.graph_from_dot_data(to_dot(SCENES[name].scm, name))
    edges = {(e.get_source().strip('"'), e.get_destination().strip('"')) for e in read.get_edges()}
    assert edges == set(SCENES[name].scm.graph().edges)
    assert {n.get_name().strip('"') for n in read.get_nodes()} == set(SCENES[name].scm.order)


def test_tetrads_lines():
    assert to_tetrad(CUP).splitlines() == [
        "Graph Nodes:",
        "ball;floor;fall;hard_floor;shatter;stay",
        "",
        "Graph Edges:",
        "1. ball --> fall",
        "2. floor --> hard_floor",
        "3. fall --> shatter",
        "4. hard_floor --> shatter",
        "5. fall --> stay",
    ]


def test_bif_holds_levels_weights_and_tables():
    text = to_bif(CUP, "cup", {"floor": {"bare": 3, "rug": 1}})
    assert text.startswith("network cup {\n}\n")
    assert "variable floor {\n  type discrete [ 2 ] { bare, rug };\n}\n" in text
    assert "probability ( ball ) {\n  table 0.5, 0.5;\n}\n" in text
    assert "probability ( floor ) {\n  table 0.75, 0.25;\n}\n" in text
    assert "  (bare) 0.0, 1.0;\n  (rug) 1.0, 0.0;\n" in text
    assert "probability ( shatter | fall, hard_floor ) {\n  (0, 0) 1.0, 0.0;\n" in text


def test_a_level_that_bif_cannot_hold_is_refused():
    scm = SCM.build([exogenous("floor", ("bare", "a rug")), event("e", "floor == 'bare'")])
    with pytest.raises(InputError, match="level 'a rug' of 'floor' cannot be written in BIF"):
        to_bif(scm)
    scm = SCM.build([exogenous("floor", (1, "1")), event("e", "floor == '1'")])
    with pytest.raises(InputError, match="cannot tell its levels"):
        to_bif(scm)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"fall": {0: 1, 1: 1}}, r"names of exogenous variables \(ball, floor\), found 'fall'"),
        ({"floor": {"bare": 1}}, "weights of 'floor': expected a number"),
        ({"floor": {"bare": 0, "rug": 0}}, "not all 0"),
        ({"floor": {"bare": 2, "rug": -1}}, "at least 0"),
    ],
)
def test_wrong_weights_are_named(weights, message):
    with pytest.raises(InputError, match=message):
        to_bif(CUP, weights=weights)
