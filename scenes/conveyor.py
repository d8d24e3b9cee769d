"""Conveyor: a button starts a belt, which drops a blue box and then a red one off its end.

A common cause that acts through a mechanism: the white ball hits the button, the belt runs, and
two boxes that stand on it fall off its end one after the other. The blue box falls just before the
red one, from the same belt, and is no cause of it; the button is a cause of both. The red box may
stand before the belt, then the belt carries nothing but the blue one: that the red box stands on
the belt enables its fall. Once it falls, the red box hits the floor. A yellow ball rolls into a can
meanwhile, which is no cause of anything.
"""

import math

from simworld.causal import condition, event
from simworld.scene import (
    Band,
    Choice,
    Context,
    Nuisance,
    Opening,
    Phrase,
    Range,
    Scene,
    Staged,
    Variation,
    hits,
)
from simworld.world.detectors import Detector, DroppedBelow, StartsBeyond, Touched
from simworld.world.furniture import ball, floor
from simworld.world.handles import (
    ForceLaunch,
    ForceToss,
    Handle,
    HoldNear,
    HoldPast,
)
from simworld.world.movers import Mover
from simworld.world.spec import Body, Box, Camera, Cylinder, Launch, Quat, WorldSpec

BELT_TOP_M, BELT_HALF_M, BELT_M_S = 0.25, 0.45, 0.55
"""Height of the belt, half its length, and how fast it runs."""
BOX_M = 0.045
BLUE_AT_M, RED_AT_M, BESIDE_M = 0.26, -0.10, -0.58
"""The x of the boxes; the red one may stand on the shelf before the belt."""
ROW_M = 0.08
"""The boxes stand in two rows, so far to either side of the belt's middle."""
SIDE_LANE_M = -0.45

SETTINGS = (
    Choice("white_ball", {"rolls": 0.8, "rests": 0.2}),
    Choice("red_place", {"belt": 0.75, "shelf": 0.25}),
    Choice("yellow_ball", {"rolls": 0.7, "rests": 0.3}),
    Range("white_speed", "m/s", {"brisk": Band(1.4, 1.6, held_out=(1.6, 1.65))}),
    Range("white_start", "s", {"usual": Band(0.05, 0.10, held_out=(0.10, 0.11))}),
    Range("yellow_start", "s", {"early": Band(0.45, 0.50, held_out=(0.50, 0.51)),
                                "late": Band(1.05, 1.10, held_out=(1.10, 1.11))}),
    Range("red_mass", "kg", {"usual": Band(0.25, 0.35, held_out=(0.35, 0.37))}),
)  # fmt: skip

NUISANCES = (
    Nuisance("can_color", words=("green", "purple", "orange")),
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)

MODEL = (
    condition("on_belt", "red_place == 'belt'"),
    event("knock", "yellow_ball == 'rolls'"),
    event("press", "white_ball == 'rolls'"),
    event("blue_fall", "press"),
    event("red_fall", "press and on_belt"),
    event("impact", "red_fall"),
)

DETECTORS: dict[str, Detector] = {
    "on_belt": StartsBeyond("red_box", x_m=-BELT_HALF_M),
    "knock": Touched("yellow_ball", ("can",)),
    "press": Touched("white_ball", ("button",)),
    "blue_fall": DroppedBelow("blue_box", height_m=BELT_TOP_M),
    "red_fall": DroppedBelow("red_box", height_m=BELT_TOP_M),
    "impact": Touched("red_box", ("floor",)),
}

DEADLINES = {
    "knock": 440,
    "press": 125,
    "blue_fall": 385,
    "red_fall": 550,
    "impact": 640,
}


def handles() -> tuple[Handle, ...]:
    """Return a prevent handle for each event, and a force handle where physics allows one.

    The red box cannot be made to hit the floor without falling.
    """
    return (
        HoldNear("knock", "yellow_ball", "can", gap_m=0.02),
        HoldNear("press", "white_ball", "button", gap_m=0.02),
        HoldPast("blue_fall", "blue_box", (1.0, 0.0, 0.0), limit_m=BELT_HALF_M - 0.07),
        HoldPast("red_fall", "red_box", (1.0, 0.0, 0.0), limit_m=BELT_HALF_M - 0.07),
        HoldPast("impact", "red_box", (0.0, 0.0, -1.0), limit_m=-0.18),
        ForceLaunch("knock", "yellow_ball", 350, (1.4, 0.0, 0.0)),
        ForceLaunch("press", "white_ball", 85, (2.0, 0.0, 0.0)),
        ForceToss("blue_fall", "blue_box", 268, x_m=0.65, lift_m_s=1.8, rise_steps=20),
        ForceToss("red_fall", "red_box", 425, x_m=0.65, lift_m_s=2.0, rise_steps=20),
    )


def conveyor() -> tuple[Body, ...]:
    """Return the belt with its rollers and legs, and the shelf that stands before it."""
    lying: Quat = (math.sin(math.pi / 4), 0.0, 0.0, math.cos(math.pi / 4))
    rollers = [
        Body(f"roller_{k}", Cylinder(0.03, 0.30), (x, 0.0, BELT_TOP_M - 0.034), lying,
             friction=0.1, color="steel", thing="frame")
        for k, x in enumerate((-BELT_HALF_M, BELT_HALF_M))
    ]  # fmt: skip
    legs = [
        Body(f"leg_{k}", Box((0.02, 0.13, 0.10)), (x, 0.0, 0.10), color="steel", thing="frame")
        for k, x in enumerate((-0.3, 0.3))
    ]
    return (
        Body("belt", Box((BELT_HALF_M, 0.16, 0.015)), (0.0, 0.0, BELT_TOP_M - 0.015),
             friction=0.9, restitution=0.1, color="black"),
        *rollers,
        *legs,
        Body("shelf", Box((0.09, 0.16, BELT_TOP_M / 2)), (BESIDE_M, 0.0, BELT_TOP_M / 2),
             color="brown"),
    )  # fmt: skip


def build(c: Context) -> WorldSpec:
    """Build the belt with its boxes, and in front a lane with the button and the can."""
    red_x = RED_AT_M if c.level("red_place") == "belt" else BESIDE_M
    box_z = BELT_TOP_M + BOX_M
    bodies = (
        floor(c.word("floor_color"), restitution=0.3),
        *conveyor(),
        Body(
            "button",
            Box((0.02, 0.06, 0.07)),
            (-0.10, SIDE_LANE_M, 0.07),
            restitution=0.1,
            color="blue",
        ),
        Body("can", Cylinder(0.06, 0.16), (0.50, SIDE_LANE_M, 0.08), color=c.word("can_color")),
        Body(
            "blue_box",
            Box((BOX_M,) * 3),
            (BLUE_AT_M, ROW_M, box_z),
            mass_kg=0.3,
            friction=0.6,
            restitution=0.2,
            color="blue",
        ),
        Body(
            "red_box",
            Box((BOX_M,) * 3),
            (red_x, -ROW_M, box_z),
            mass_kg=c.number("red_mass"),
            friction=0.6,
            restitution=0.2,
            color="red",
        ),
        ball("white_ball", "white", (-0.42, SIDE_LANE_M, 0.05)),
        ball("yellow_ball", "yellow", (0.14, SIDE_LANE_M, 0.05)),
    )
    pressed = Touched("white_ball", ("button",))
    run = Mover("belt", pressed, 600, (BELT_M_S, 0.0, 0.0), in_place=True)
    rolls = {"white_ball": ("white_start", c.number("white_speed")),
             "yellow_ball": ("yellow_start", 1.4)}  # fmt: skip
    launches = tuple(
        Launch(name, round(240 * c.number(start)), (speed, 0.0, 0.0))
        for name, (start, speed) in rolls.items()
        if c.level(name) == "rolls"
    )
    return WorldSpec(
        bodies=bodies,
        actions=(run, *launches),
        camera=camera(c.amount("camera_turn")),
        duration_steps=660,
        detectors=DETECTORS,
        handles=handles(),
        deadlines=DEADLINES,
    )


def camera(turn_deg: float) -> Camera:
    """Return the camera, in front of the belt and above it, moved sideways for a turn."""
    return Camera(eye_m=(0.10 + 0.03 * turn_deg, -1.65, 1.15), target_m=(0.08, -0.05, 0.12))


THINGS = {
    "belt": "the belt", "shelf": "the shelf", "blue_box": "the blue box", "red_box": "the red box",
    "button": "the button", "white_ball": "the white ball", "yellow_ball": "the yellow ball",
    "can": "the can", "floor": "the floor",
}  # fmt: skip

SCENE = Scene(
    name="conveyor",
    version=1,
    summary=__doc__,
    tags=("fork", "common_cause", "conveyor", "enabling", "decoy"),
    settings=SETTINGS,
    nuisances=NUISANCES,
    model=MODEL,
    build=build,
    conditions={"on_belt": {1: {"red_place": "belt"}, 0: {"red_place": "shelf"}}},
    staged=(
        Staged("white_ball_rests", "press", 0, {"white_ball": "rests"},
               "The white ball is not rolled.", "the white ball had not been rolled"),
        Staged("on_the_shelf", "on_belt", 0, {"red_place": "shelf"},
               "The red box stands on the shelf before the belt.",
               "the red box had stood on the shelf before the belt"),
        Staged("yellow_ball_rests", "knock", 0, {"yellow_ball": "rests"},
               "The yellow ball is not rolled.", "the yellow ball had not been rolled"),
    ),
    variations=(
        Variation("yellow_late", "retime", {"yellow_start": "late"},
                  "The yellow ball is rolled after the blue box has fallen."),
        Variation("yellow_early", "retime", {"yellow_start": "early"},
                  "The yellow ball is rolled before the blue box falls."),
    ),
    phrases={
        "knock": Phrase("the yellow ball rolls into the can",
                        "the yellow ball rolled into the can",
                        "the yellow ball never touched the can",
                        "the yellow ball hit the can", ("yellow_ball", "can"),
                        also=("the yellow ball ran into the can",)),
        "press": Phrase("the white ball hits the button", "the white ball hit the button",
                        "the white ball never touched the button",
                        "the white ball hit the button", ("white_ball", "button"),
                        also=("the white ball rolled into the button",)),
        "blue_fall": Phrase("the blue box falls off the belt", "the blue box fell off the belt",
                            "the blue box did not fall", "the blue box fall off the belt",
                            ("blue_box",), also=("the blue box dropped off the belt",)),
        "red_fall": Phrase("the red box falls off the belt", "the red box fell off the belt",
                           "the red box did not fall", "the red box fall off the belt",
                           ("red_box",), also=("the red box dropped off the belt",)),
        "impact": Phrase("the red box hits the floor", "the red box hit the floor",
                         "the red box never reached the floor", "the red box hit the floor",
                         ("red_box", "floor"), also=("the red box landed on the floor",)),
        "on_belt": Phrase("the red box stands on the belt", "the red box stood on the belt",
                          "the red box stood on the shelf", "", ("red_box", "belt")),
    },
    things=THINGS,
    showcase={"white_ball": "rolls", "red_place": "belt", "yellow_ball": "rolls"},
    key_events=("blue_fall", "red_fall"),
    opening=Opening(
        about="red_box",
        right={
            "holds(on_belt)": "the red box stands on the belt, behind the blue one",
            "not(holds(on_belt))": "the red box stands on the shelf before the belt",
        },
    ),
    asked={"blue_fall": ("blue_fall",), "red_fall": ("red_fall", "impact")},
    others={
        **hits(THINGS, ("white_ball", "can"), ("yellow_ball", "button"), ("white_ball", "belt"),
               ("yellow_ball", "belt"), ("white_ball", "red_box"), ("white_ball", "blue_box"),
               ("yellow_ball", "red_box"), ("yellow_ball", "blue_box"), ("red_box", "blue_box"),
               ("red_box", "can"), ("blue_box", "can"), ("red_box", "belt"),
               ("blue_box", "belt"), ("red_box", "shelf"), ("white_ball", "yellow_ball")),
        "hit(blue_box, floor)": Phrase("the blue box hits the floor", "the blue box hit the floor",
                                       participants=("blue_box", "floor")),
    },
)  # fmt: skip
