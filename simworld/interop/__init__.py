"""Causal models in the forms that other programs take: files as text, and their own objects.

Each function takes an `SCM`, such as `load_scene("falling_cup").scm`, or one read from a suite by
`SCM.from_json(suite.mechanism("falling_cup")["variables"])`.
"""

from simworld.interop.gcm import to_dowhy
from simworld.interop.libraries import to_causal_learn, to_pgmpy
from simworld.interop.text import to_bif, to_dot, to_gml, to_node_link, to_tetrad
from simworld.interop.weights import Weights

__all__ = [
    "Weights",
    "to_bif",
    "to_causal_learn",
    "to_dot",
    "to_dowhy",
    "to_gml",
    "to_node_link",
    "to_pgmpy",
    "to_tetrad",
]
