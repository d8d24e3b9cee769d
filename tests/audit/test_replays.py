"""What the audit simulates together in a large scene is what it would simulate alone."""

from simworld.audit.replays import Result, Setting, run_settings
from simworld.causal import Intervention
from simworld.scene import load_scene

DOS = ("do()", "do(fall_3 := 0)", "do(fall_3 := 0, fall_4 := 1)", "do(push := 0)", "do(knock := 0)")


def both_ways() -> tuple[tuple[Result, ...], tuple[Result, ...]]:
    """Run some dominoes, and a cup between them, in one job and in one job each."""
    settings = [
        Setting(name, scene.draw(0, "train", 0, fixed=scene.showcase), {}, Intervention.parse(do))
        for name, dos in (("domino_run", DOS), ("falling_cup", ("do()", "do(bump := 0)")))
        for scene in [load_scene(name)]
        for do in dos
    ]
    mixed = (*settings[::2], *settings[1::2])
    return (
        run_settings((None, mixed)),
        tuple(result for one in mixed for result in run_settings((None, (one,)))),
    )


def test_together_gives_each_world_what_alone_does(workers):
    together, alone = workers.call(both_ways)
    assert together == alone
    assert len({outcome.digest for outcome in together}) == len(together)
