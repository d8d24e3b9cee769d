"""Roles read from tables: the same as the model's own reading, on tables with known roles."""

import pytest

from simworld.audit.mechanisms import edge_role
from simworld.causal import SCM, condition, event, exogenous
from simworld.scene import load_scene


def test_roles_are_those_of_the_equations():
    scm = SCM.build(
        [
            exogenous("floor", ("bare", "rug")),
            exogenous("throw"),
            exogenous("guard"),
            condition("hard", "floor == 'bare'"),
            event("fly", "throw"),
            event("catch", "guard"),
            event("smash", "fly and hard and not catch"),
        ]
    )
    assert edge_role(scm, "floor", "hard") == "sets"
    assert edge_role(scm, "throw", "fly") == "triggers"
    assert edge_role(scm, "hard", "smash") == "enables"
    assert edge_role(scm, "catch", "smash") == "prevents"


@pytest.mark.parametrize("child", load_scene("falling_cup").scm.endogenous)
def test_the_falling_cup_has_the_roles_that_its_graph_says(child):
    scm = load_scene("falling_cup").scm
    graph = scm.graph()
    for parent in scm.parents(child):
        assert edge_role(scm, parent, child) == graph.edges[parent, child]["role"]
