"""The same counterfactuals, answered by dowhy.gcm and by our model.

DoWhy wants an older scipy than ours, so it is no part of the developers' tools:
`make test-dowhy` installs it in an environment of its own and runs this file there.
"""

from itertools import product

import pytest

from simworld.errors import InputError
from simworld.interop import to_dowhy
from simworld.scene import library

SCENES = library()
PER_SCENE = 24

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def gcm():
    return pytest.importorskip("dowhy.gcm")


def drawn(name):
    """Some contexts' levels, and the showcase's."""
    scene = SCENES[name]
    fixed = [scene.showcase] + [{}] * (PER_SCENE - 1)
    for instance, levels in enumerate(fixed):
        context = scene.draw(0, "train", instance, fixed=levels).levels
        yield {n: context[n] for n in scene.scm.exogenous}


def interventions(scm):
    """do() of each variable alone, then of each two neighbours in the order."""
    for name in scm.order:
        for value in scm[name].domain:
            yield {name: value}
    for one, other in zip(scm.endogenous, scm.endogenous[1:], strict=False):
        for values in product((0, 1), (0, 1)):
            yield dict(zip((one, other), values, strict=True))


@pytest.mark.parametrize("name", SCENES)
def test_counterfactuals_of_what_was_observed_are_equal(gcm, name):
    import pandas

    scm = SCENES[name].scm
    model, contexts = to_dowhy(scm), list(drawn(name))
    observed = pandas.DataFrame([scm.evaluate(context) for context in contexts])
    for do in ({}, *interventions(scm)):
        acts = {n: lambda _, value=value: value for n, value in do.items()}
        found = gcm.counterfactual_samples(model, acts, observed_data=observed)
        expected = [scm.evaluate(context, do) for context in contexts]
        assert found[list(scm.order)].to_dict("records") == expected, do


def test_a_null_intervention_gives_back_what_was_observed(gcm):
    import pandas

    scm = SCENES["racing_balls"].scm
    observed = pandas.DataFrame([scm.evaluate(c) for c in drawn("racing_balls")])
    found = gcm.counterfactual_samples(to_dowhy(scm), {}, observed_data=observed)
    assert found[list(observed)].to_dict("records") == observed.to_dict("records")


def test_what_the_model_cannot_have_given_is_refused(gcm):
    import pandas

    scm = SCENES["falling_cup"].scm
    values = scm.evaluate(next(iter(drawn("falling_cup"))))
    wrong = pandas.DataFrame([values | {"shatter": 1 - values["shatter"]}])
    with pytest.raises(InputError, match="observed data: expected shatter = "):
        gcm.counterfactual_samples(to_dowhy(scm), {}, observed_data=wrong)


def test_interventional_samples_keep_to_the_weights(gcm):
    scm = SCENES["falling_cup"].scm
    name = scm.exogenous[0]
    one, *others = scm[name].domain
    weights = {name: {one: 1.0, **dict.fromkeys(others, 0.0)}}
    model = to_dowhy(scm, weights, seed=1)
    drawn = gcm.interventional_samples(model, {}, num_samples_to_draw=50)
    assert set(drawn[name]) == {one}
    again = gcm.interventional_samples(to_dowhy(scm, weights, 1), {}, num_samples_to_draw=50)
    assert drawn.equals(again[list(drawn)])
    for _, row in drawn.iterrows():
        context = {n: row[n] for n in scm.exogenous}
        assert row.to_dict() == scm.evaluate(context)
