"""The law of agreement, and what else must hold of every scene in the library.

For every context and every single intervention that has a handle, the declared model and the
physics give every condition and event the same value.
"""

from dataclasses import dataclass, replace

import pytest

from simworld.causal import Intervention, Unreachable
from simworld.declarations import faults
from simworld.errors import PlausibilityError
from simworld.rehearsal import single_settings
from simworld.scene import Context, Scene, Split, library, load_scene
from simworld.truth import FACTUAL
from simworld.world.rollout import Outcome
from simworld.world.simulate import simulate, simulate_all
from simworld.world.spec import WorldSpec

NAMES = list(library())
ATTEMPTS = 5
SIEVE_DRAWS = 1


@dataclass(frozen=True)
class Case:
    """Which context of a scene: everything happens, or as it is drawn; with noise or without."""

    scene: str
    split: Split = "train"
    instance: int = 0
    showcase: bool = False
    noise_draw: int = 0

    def __str__(self) -> str:
        return f"{self.scene}-{self.split}-{self.instance}-noise{self.noise_draw}"


@dataclass(frozen=True)
class Table:
    """What the physics gives under every single intervention that can be brought about."""

    context: Context
    outcomes: dict[Intervention, Outcome]


def table_of(case: Case) -> Table:
    """Simulate everything for the first context that is plausible throughout, as clips do."""
    scene = load_scene(case.scene)
    reason = None
    for attempt in range(ATTEMPTS):
        fixed = scene.showcase if case.showcase else {}
        context = scene.draw(0, case.split, case.instance, attempt, fixed)
        if case.noise_draw:
            noise = (0, case.split, case.instance, attempt, case.noise_draw)
            context = context.shifted(scene.noise(*noise, share=0.02))
        try:
            return Table(context, simulate_table(scene, context))
        except PlausibilityError as error:
            reason = error
    raise AssertionError(f"{case}: no context of {ATTEMPTS} is plausible; the last: {reason}")


def simulate_table(scene: Scene, context: Context) -> dict[Intervention, Outcome]:
    """Simulate every single intervention; what changes nothing alone, from its first step on."""
    outcomes = {FACTUAL: simulate(scene.world(context, FACTUAL), "settled").outcome}
    values = outcomes[FACTUAL].values
    alike: dict[str, dict[Intervention, WorldSpec]] = {}
    for do in single_settings(scene):
        try:
            spec = scene.world(context, do)
        except Unreachable:
            continue
        if all(values[name] == value for name, value in do.items()):
            outcomes[do] = simulate(spec, "settled").outcome
        else:
            alike.setdefault(replace(spec, armed={}).digest(), {})[do] = spec
    for specs in alike.values():
        armings = [spec.armed for spec in specs.values()]
        results = simulate_all(next(iter(specs.values())), armings, "settled")
        for do, result in zip(specs, results, strict=True):
            if isinstance(result, PlausibilityError):
                raise result
            outcomes[do] = result.outcome
    return outcomes


FAST = [Case(name, showcase=True) for name in NAMES]
DRAWN = [Case(n, split, k) for n in NAMES for split, k in (("train", 1), ("held_out", 2))]
NOISY = [Case(n, showcase=True, noise_draw=k + 1) for n in NAMES for k in range(SIEVE_DRAWS)]
CASES = [
    *(pytest.param(case, id=str(case)) for case in FAST),
    *(pytest.param(case, id=str(case), marks=pytest.mark.slow) for case in (*DRAWN, *NOISY)),
]


@pytest.fixture(scope="module")
def tables(workers, request):
    """Make each case's table when it is asked for, all chosen cases of its kind at once."""
    made: dict[Case, Table] = {}
    chosen = {
        item.callspec.params["case"]
        for item in request.session.items
        if "case" in getattr(getattr(item, "callspec", None), "params", {})
    }

    def get(case: Case) -> Table:
        if case not in made:
            kind = FAST if case in FAST else [*DRAWN, *NOISY]
            batch = [other for other in kind if other in chosen]
            made.update(zip(batch, workers.map(table_of, batch), strict=True))
        return made[case]

    return get


@pytest.mark.parametrize("case", CASES)
def test_model_and_physics_agree_under_every_single_intervention(tables, case):
    scm, table = load_scene(case.scene).scm, tables(case)
    for do, outcome in table.outcomes.items():
        declared = scm.evaluate(table.context.levels, do)
        assert outcome.values == {name: declared[name] for name in sorted(scm.endogenous)}, str(do)
        assert not outcome.void, str(do)


@pytest.mark.parametrize("case", CASES)
def test_what_is_no_ancestor_changes_no_value(tables, case):
    scm, outcomes = load_scene(case.scene).scm, tables(case).outcomes
    before = outcomes[FACTUAL].values
    for do, outcome in outcomes.items():
        below = {*do, *(name for cause in do for name in scm.descendants(cause))}
        for name in set(scm.endogenous) - below:
            assert outcome.values[name] == before[name], f"{do} changed {name}"


@pytest.mark.parametrize("case", CASES)
def test_doing_what_happens_anyway_changes_no_bit(tables, case):
    outcomes = tables(case).outcomes
    before = outcomes[FACTUAL]
    same = [do for do in outcomes if do and all(before.values[n] == x for n, x in do.items())]
    assert len(same) >= len(before.values) / 2
    for do in same:
        assert outcomes[do].digest == before.digest, str(do)


@pytest.mark.parametrize("case", CASES)
def test_every_event_can_be_prevented(tables, case):
    scm, outcomes = load_scene(case.scene).scm, tables(case).outcomes
    for name in scm.events:
        assert outcomes[Intervention.of({name: 0})].values[name] == 0


@pytest.mark.parametrize("case", CASES)
def test_events_come_before_their_deadlines_and_after_their_causes(tables, case):
    scene, table = load_scene(case.scene), tables(case)
    deadlines = scene.world(table.context, FACTUAL).deadlines
    onsets = table.outcomes[FACTUAL].onsets
    for name, step in onsets.items():
        assert 0 < step <= deadlines[name]
        for cause in set(scene.scm.parents(name)) & onsets.keys():
            if scene.scm.edge_role(cause, name) == "triggers":
                assert onsets[cause] <= step, f"{cause} -> {name}"


@pytest.mark.parametrize("case", CASES)
def test_a_force_waits_until_its_event_would_have_come_by_itself(tables, case):
    scene, table = load_scene(case.scene), tables(case)
    onsets = table.outcomes[FACTUAL].onsets
    spec = scene.world(table.context, FACTUAL)
    for handle in spec.handles:
        if handle.value == 1:
            assert onsets.get(handle.variable, 0) < handle.step <= spec.deadlines[handle.variable]


# What a script declares


@pytest.fixture(params=NAMES)
def scene(request):
    return load_scene(request.param)


@pytest.fixture
def shown(scene):
    """The context in which everything happens."""
    return scene.draw(0, "train", 0, fixed=scene.showcase)


def test_nothing_that_it_declares_is_amiss(scene):
    assert list(faults(scene)) == []


def test_its_showcase_shows_key_events(scene, shown):
    values = scene.scm.evaluate(shown.levels)
    assert sum(values[name] for name in scene.key_events) >= 2


def not_passive(name: str) -> list[str]:
    """Name what a handle changes that has nothing to change, in each world that a twin shows."""
    scene, found = load_scene(name), []
    shown = scene.draw(0, "train", 0, fixed=scene.showcase)
    for changed in (*scene.staged, *scene.variations):
        context = shown.at(changed.levels)
        bare = simulate(scene.world(context, FACTUAL), "settled").outcome
        for event, value in bare.values.items():
            do = Intervention.of({event: value})
            try:
                spec = scene.world(context, do)
            except Unreachable:
                continue
            if spec.armed and simulate(spec, "settled").outcome.digest != bare.digest:
                found.append(f"{changed.name}: {do}")
    return found


@pytest.fixture(scope="module")
def impassive(workers):
    return dict(zip(NAMES, workers.map(not_passive, NAMES), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_handle_without_anything_to_do_does_nothing_in_any_twins_world(impassive, name):
    assert impassive[name] == []
