"""The same questions, answered by pgmpy, by causal-learn and by our model."""

import sys
from itertools import product

import pytest

from simworld.errors import MissingDependencyError
from simworld.interop import to_bif, to_causal_learn, to_dowhy, to_pgmpy, to_tetrad
from simworld.scene import library

# Those libraries warn of one another's changes.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")

SCENES = library()
ASKED = ["billiard_fork", "falling_cup", "racing_balls"]


def contexts(scm):
    """Every setting of the exogenous variables."""
    domains = [scm[name].domain for name in scm.exogenous]
    return [dict(zip(scm.exogenous, levels, strict=True)) for levels in product(*domains)]


@pytest.mark.parametrize(
    ("make", "package", "extra"),
    [
        (to_pgmpy, "pgmpy", "causal"),
        (to_causal_learn, "causallearn", "causal"),
        (to_dowhy, "dowhy", "dowhy"),
    ],
)
def test_a_missing_extra_is_one_line_that_mends_it(monkeypatch, make, package, extra):
    for module in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingDependencyError, match=rf"pip install 'simworld\[{extra}\]'"):
        make(SCENES["falling_cup"].scm)


@pytest.mark.parametrize("name", ASKED)
def test_pgmpys_interventional_shares_are_those_over_all_contexts(name):
    pytest.importorskip("pgmpy")
    from pgmpy.inference import CausalInference

    scm = SCENES[name].scm
    weights = {n: {v: k + 1 for k, v in enumerate(scm[n].domain)} for n in scm.exogenous}
    network = to_pgmpy(scm, weights)
    assert network.check_model()
    infer = CausalInference(network)
    for cause, value in product(scm.endogenous, (0, 1)):
        effects = sorted(scm.descendants(cause))
        for effect in effects[-2:]:
            factor = infer.query([effect], do={cause: value}, show_progress=False)
            expected = total = 0
            for context in contexts(scm):
                weight = 1
                for n, level in context.items():
                    weight *= weights[n][level]
                total += weight
                expected += weight * scm.evaluate(context, {cause: value})[effect]
            got = factor.get_value(**{effect: 1})
            assert got == pytest.approx(expected / total, abs=1e-12), (cause, value, effect)


@pytest.mark.parametrize("name", ASKED)
def test_pgmpy_reads_from_bif_what_it_is_given(name):
    pytest.importorskip("pgmpy")
    from pgmpy.readwrite import BIFReader

    scm = SCENES[name].scm
    read = BIFReader(string=to_bif(scm, name)).get_model()
    made = to_pgmpy(scm)
    assert set(read.edges) == set(made.edges) == set(scm.graph().edges)
    for variable in scm.order:
        one, other = read.get_cpds(variable), made.get_cpds(variable)
        assert (one.get_values() == other.get_values()).all()
        assert one.get_evidence() == other.get_evidence()
        assert one.state_names == {n: [str(v) for v in vs] for n, vs in other.state_names.items()}


@pytest.mark.parametrize("name", SCENES)
def test_causal_learn_has_the_edges_and_reads_them_from_tetrads_text(name, tmp_path):
    pytest.importorskip("causallearn")
    from causallearn.utils.TXT2GeneralGraph import txt2generalgraph

    scm = SCENES[name].scm
    (tmp_path / "graph.txt").write_text(to_tetrad(scm))
    for graph in (to_causal_learn(scm), txt2generalgraph(str(tmp_path / "graph.txt"))):
        nodes = {node.get_name(): node for node in graph.get_nodes()}
        assert list(nodes) == list(scm.order)
        directed = {
            (one, other)
            for one, other in product(nodes, nodes)
            if graph.is_directed_from_to(nodes[one], nodes[other])
        }
        assert directed == set(scm.graph().edges)
