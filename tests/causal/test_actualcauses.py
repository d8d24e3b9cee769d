"""The search for actual causes against another program's, the package `actualcauses`."""

from functools import partial
from itertools import product

import numpy as np
import pytest

from simworld.causal import SCM, Variable, verdicts
from simworld.scene import library

SCENES = library()
FEW = 8
SMALL = [name for name in SCENES if len(SCENES[name].scm.endogenous) <= FEW]


def causes_elsewhere(scm: SCM, context: dict, effect: str) -> dict[frozenset[str], int]:
    """Each minimal cause with the size of its smallest witness, by exhaustive beam search."""
    package = pytest.importorskip("actualcauses")
    names = [name for name in scm.endogenous if name != effect] + [effect]
    actual = scm.evaluate(context)

    class Model(package.SystemModel):
        def __call__(self, u, e=()):
            values = scm.evaluate(context, dict(e))
            return [values[name] for name in names]

    stays = Model(phi=lambda s: float(s[-1] == actual[effect]), psi=sum)
    other = package.SCM(names, [], [(0, 1)] * len(names), [], stays)
    other.find_causes(max_steps=-1, beam_size=-1)
    found = zip(other.causes, other.witnesses, strict=True)
    return {frozenset(cause): len(witness) for cause, witness in found}


def assert_same_causes(scm: SCM, context: dict) -> None:
    given = {n: context[n] for n in scm.exogenous}
    elsewhere = {effect: causes_elsewhere(scm, given, effect) for effect in scm.events}
    for verdict in verdicts(scm, partial(scm.evaluate, given)):
        causes = {c: w for c, w in elsewhere[verdict.effect].items() if verdict.cause in c}
        assert verdict.actual == (frozenset({verdict.cause}) in causes), verdict
        assert (verdict.cause_set is not None) == bool(causes), verdict
        if verdict.cause_set is not None:
            assert causes[frozenset(verdict.cause_set)] == len(verdict.witness), verdict
            size = len(verdict.cause_set) + len(verdict.witness)
            assert size == min(len(c) + w for c, w in causes.items()), verdict


@pytest.mark.parametrize("name", SMALL)
def test_each_scenes_causes_are_the_same(name):
    scene = SCENES[name]
    assert_same_causes(scene.scm, dict(scene.draw(0, "train", 0, fixed=scene.showcase).levels))
    assert_same_causes(scene.scm, dict(scene.draw(0, "train", 1).levels))


@pytest.mark.parametrize("seed", range(40))
def test_causes_in_models_with_any_tables_are_the_same(seed):
    draws = np.random.default_rng(seed)
    variables: list[Variable] = []
    for name in "abcdef"[: draws.integers(3, 7)]:
        parents = tuple(v.name for v in variables if draws.random() < 0.5)
        rows = product((0, 1), repeat=len(parents))
        table = tuple((*row, int(draws.integers(2))) for row in rows)
        variables.append(Variable(name, "event", (0, 1), parents, table))
    assert_same_causes(SCM(tuple(variables)), {})
