"""A ball rolls into a box, and the box slides. The smallest scene that there can be."""

from simworld.causal import event
from simworld.scene import Band, Choice, Context, Nuisance, Opening, Phrase, Range, Scene, Staged
from simworld.world.detectors import Slid, Touched
from simworld.world.handles import ForceLaunch, HoldMoved, HoldNear
from simworld.world.spec import Body, Box, Camera, Launch, Sphere, WorldSpec


def build(c: Context) -> WorldSpec:
    """Build a floor, a ball and a box."""
    speed = c.number("speed")
    rolls = c.level("ball") == "rolls"
    return WorldSpec(
        bodies=(
            Body("floor", Box((2.0, 2.0, 0.1)), (0.0, 0.0, -0.1), friction=0.8, color="beige"),
            Body("box", Box((0.08, 0.08, 0.08)), (0.0, 0.0, 0.08), mass_kg=0.3, friction=0.3,
                 color=c.word("box_color")),
            Body("ball", Sphere(0.06), (-0.5, 0.0, 0.06), mass_kg=0.3, friction=0.05,
                 restitution=0.5, color="red"),
        ),
        actions=(Launch("ball", 60, (speed, 0.0, 0.0)),) if rolls else (),
        camera=Camera(eye_m=(0.0, -1.6, 0.8), target_m=(-0.1, 0.0, 0.05)),
        duration_steps=360,
        # What counts as each event. A detector sees the motion, never the context.
        detectors={
            "roll": Slid("ball", "floor", 0.05),
            "bump": Touched("box", ("ball",)),
            "slide": Slid("box", "floor", 0.02),
        },
        # How each event is prevented and, where that can be, forced, touching nothing else. A force
        # fires at a fixed step, once its event can no longer come by itself.
        handles=(
            HoldMoved("roll", "ball", distance_m=0.001),
            HoldNear("bump", "ball", "box", gap_m=0.02),
            HoldMoved("slide", "box", distance_m=0.001),
            ForceLaunch("roll", "ball", 100, (speed, 0.0, 0.0)),
            ForceLaunch("slide", "box", 210, (0.8, 0.0, 0.0)),
        ),
        # By when each event has happened or never will; causes first.
        deadlines={"roll": 120, "bump": 200, "slide": 230},
    )  # fmt: skip


SCENE = Scene(
    name="nudge",
    version=1,
    summary=__doc__,
    tags=("chain",),
    # What can differ from world to world. The model below sees levels only, never a number.
    settings=(
        Choice("ball", {"rolls": 0.7, "rests": 0.3}),
        Range("speed", "m/s", {"brisk": Band(1.3, 1.6, held_out=(1.6, 1.7))}),
    ),
    # What must not matter.
    nuisances=(Nuisance("box_color", words=("blue", "green")),),
    # What causes what.
    model=(event("roll", "ball == 'rolls'"), event("bump", "roll"), event("slide", "bump")),
    build=build,
    conditions={},
    # Interventions that a viewer can believe, for the twins that are shown.
    staged=(Staged("ball_rests", "roll", 0, {"ball": "rests"}, "The red ball is not rolled."),),
    # The words: present, past, the past denied, the bare verb, and who takes part.
    phrases={
        "roll": Phrase("the red ball rolls", "the red ball rolled", "the red ball never moved",
                       "the red ball roll", ("ball",)),
        "bump": Phrase("the red ball bumps the box", "the red ball bumped the box",
                       "the red ball never touched the box", "the red ball bump the box",
                       ("ball", "box")),
        "slide": Phrase("the box slides", "the box slid", "the box never moved", "the box move",
                        ("box",)),
    },
    things={"box": "the box", "ball": "the red ball", "floor": "the floor"},
    # Levels at which everything happens.
    showcase={"ball": "rolls"},
    # Where a clip is cut into segments, what is seen before, and what may be asked.
    key_events=("roll", "bump"),
    opening=Opening("box",
                    {"touches(box, floor, 1)": "the box stands on the floor"}),
    asked={"roll": ("roll",), "bump": ("slide",)},
)  # fmt: skip
