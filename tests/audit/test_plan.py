"""What the audit expects a suite to hold."""

from simworld.audit.plan import plan
from simworld.audit.report import Findings
from simworld.recipe import Recipe
from simworld.scene import Context, load_scene
from simworld.store import Suite, read_json, write_json


def planned(folder, twins):
    suite, findings = Suite(folder), Findings()
    recipe = Recipe.model_validate(suite.manifest["recipe"])
    [one] = recipe.scenes
    scenes = (one.model_copy(update={"twins": twins}),)
    groups = plan(suite, recipe.model_copy(update={"scenes": scenes}), None, findings)
    return groups, findings.failures


def test_remove_cause_alone_plans_each_staged_change_of_the_context_shown(forged):
    [group], failures = planned(forged, ("remove_cause",))
    context = Context.from_json(Suite(forged).truth(group.factual)["context"])
    changing = [
        f"{group.group}-{one.name.replace('_', '-')}"
        for one in load_scene(group.scene.name).staged
        if any(context.levels[name] != level for name, level in one.levels.items())
    ]
    assert [twin.clip for twin in group.twins] == changing and len(changing) > 3
    assert not failures


def test_remove_cause_alone_needs_the_context_shown(forged):
    [group], _ = planned(forged, ())
    path = forged / "clips" / group.factual / "truth.json"
    write_json(path, {k: v for k, v in read_json(path).items() if k != "context"})
    assert len(planned(forged, ("remove_cause",))[1]) == 1
    assert not planned(forged, ("remove_cause:rug",))[1]
