"""Each scene's causal graph and model, in the formats of programs that reason about causes."""

from collections.abc import Callable
from pathlib import Path

from simworld.causal import SCM
from simworld.errors import InputError
from simworld.export import EXPORTERS
from simworld.interop import to_bif, to_dot, to_gml, to_node_link, to_tetrad
from simworld.store import Suite, write_json, write_text


@EXPORTERS.register("gml")
def gml(suite: Suite, target: Path) -> None:
    """Write each scene's graph as `SCENE.gml`, for networkx, Gephi, igraph and DoWhy."""
    _write(suite, target, "gml", lambda scm, _: to_gml(scm))


@EXPORTERS.register("dot")
def dot(suite: Suite, target: Path) -> None:
    """Write each scene's graph as `SCENE.dot`, for Graphviz."""
    _write(suite, target, "dot", to_dot)


@EXPORTERS.register("bif")
def bif(suite: Suite, target: Path) -> None:
    """Write each scene's model as `SCENE.bif`, for pgmpy and bnlearn.

    A suite does not say how often a setting is drawn, so all levels weigh alike.
    """
    _write(suite, target, "bif", to_bif)


@EXPORTERS.register("causal_learn")
def causal_learn(suite: Suite, target: Path) -> None:
    """Write each scene's graph as `SCENE.txt`, for causal-learn and Tetrad."""
    _write(suite, target, "txt", lambda scm, _: to_tetrad(scm))


@EXPORTERS.register("node_link")
def node_link(suite: Suite, target: Path) -> None:
    """Write each scene's graph as `SCENE.json`, for networkx and D3."""
    for scene in scenes_of(suite):
        write_json(target / f"{scene}.json", to_node_link(model_of(suite, scene)))


def scenes_of(suite: Suite) -> tuple[str, ...]:
    """Name the suite's scenes.

    Raises:
        InputError: There is none.
    """
    if not suite.scenes:
        raise InputError(
            f"expected the models of one scene or more in {suite.folder / 'mechanisms'}, found "
            "none; run the same generate again to finish the suite"
        )
    return suite.scenes


def model_of(suite: Suite, scene: str) -> SCM:
    """Read a scene's model as the suite has it."""
    return SCM.from_json(suite.mechanism(scene)["variables"])


def _write(suite: Suite, target: Path, suffix: str, text: Callable[[SCM, str], str]) -> None:
    for scene in scenes_of(suite):
        write_text(target / f"{scene}.{suffix}", text(model_of(suite, scene), scene))
