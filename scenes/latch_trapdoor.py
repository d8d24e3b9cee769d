"""Latch and trapdoor: a vase stands on a trapdoor, and either of two balls can press its button.

The red ball or the blue ball rolls into the yellow button; at the next beat the trapdoor's two
flaps swing down, the vase drops through the hole and breaks on the floor. Whichever ball it is, its
hit is a but-for cause of all that follows, through the opening alone: the flaps start at the same
beat and move alike, so that the vase falls in the same way to the last bit. Swapping the ball
changes the cause and leaves the outcome's picture as it was. A white ball rolls into a can, which
is no cause of anything.
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
from simworld.world.detectors import Broke, CanBreak, Detector, DroppedBelow, Touched, Turned
from simworld.world.furniture import ball, floor
from simworld.world.handles import (
    ForceBreak,
    ForceLaunch,
    ForceStart,
    ForceToss,
    Handle,
    HoldNear,
    HoldPast,
    KeepStill,
    KeepWhole,
)
from simworld.world.movers import Mover
from simworld.world.spec import (
    STEPS_PER_S,
    Body,
    Box,
    Breakable,
    Camera,
    Cylinder,
    Launch,
    Vase,
    WorldSpec,
)

TOP_M = 0.5
"""Height of the deck's upper side."""
HOLE_X_M, HOLE_Y_M, HOLE_M = 0.28, -0.50, 0.11
"""Where the hole at the deck's front is, and half its width."""
DECK_X_M, DECK_Y_M = 0.62, (HOLE_Y_M - HOLE_M, 0.66)
BUTTON_X_M, BUTTON_M = -0.30, 0.04
BALL_M = 0.05
RUN_M = 0.45
"""From where a ball rests to where it meets the button."""
VASE = Vase(radius_m=0.06, height_m=0.18)
GLASS = Breakable(peak_m_s=1.2, rings=3)
STEEL = Breakable(peak_m_s=None)
BEAT_STEPS, SWING_STEPS = 64, 24

SETTINGS = (
    Choice("red_ball", {"rolls": 0.6, "rests": 0.4}),
    Choice("blue_ball", {"rolls": 0.4, "rests": 0.6}),
    Choice("vase_material", {"glass": 0.8, "steel": 0.2}),
    Choice("white_ball", {"rolls": 0.8, "rests": 0.2}),
    Range("speed", "m/s", {"brisk": Band(1.18, 1.24, held_out=(1.24, 1.26))}),
    Range("red_start", "s", {"usual": Band(0.19, 0.22, held_out=(0.22, 0.23))}),
    Range("blue_start", "s", {"usual": Band(0.22, 0.25, held_out=(0.25, 0.26))}),
    Range("white_start", "s", {"usual": Band(0.15, 0.45, held_out=(0.45, 0.50))}),
    Range("vase_mass", "kg", {"usual": Band(0.36, 0.40, held_out=(0.40, 0.41))}),
)

NUISANCES = (
    Nuisance("vase_color", words=("green", "purple", "orange")),
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("red_from", words=("back", "front")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)

MODEL = (
    condition("brittle_vase", "vase_material == 'glass'"),
    event("knock", "white_ball == 'rolls'"),
    event("red_hit", "red_ball == 'rolls'"),
    event("blue_hit", "blue_ball == 'rolls'"),
    event("open", "red_hit or blue_hit"),
    event("fall", "open"),
    event("shatter", "fall and brittle_vase"),
)

DETECTORS: dict[str, Detector] = {
    "brittle_vase": CanBreak("vase"),
    "knock": Touched("white_ball", ("can",)),
    "red_hit": Touched("button", ("red_ball",)),
    "blue_hit": Touched("button", ("blue_ball",)),
    "open": Turned("flap_left", degrees=3.0),
    "fall": DroppedBelow("vase", height_m=TOP_M - 0.02),
    "shatter": Broke("vase"),
}

DEADLINES = {
    "knock": 330,
    "red_hit": 235,
    "blue_hit": 235,
    "open": 285,
    "fall": 455,
    "shatter": 510,
}


def handles(back: float) -> tuple[Handle, ...]:
    """Return a prevent handle for each event, and a force handle where physics allows one.

    With the trapdoor shut the vase can only be made to fall by a throw over the deck's edge.
    """
    return (
        HoldNear("knock", "white_ball", "can", gap_m=0.02),
        HoldNear("red_hit", "red_ball", "button", gap_m=0.02),
        HoldNear("blue_hit", "blue_ball", "button", gap_m=0.02),
        KeepStill("open", "flap_left"),
        KeepStill("open", "flap_right"),
        HoldPast("fall", "vase", (0.0, 0.0, -1.0), limit_m=-TOP_M - VASE.height_m / 2 + 0.01),
        KeepWhole("shatter", "vase"),
        ForceLaunch("knock", "white_ball", 225, (-1.4, 0.0, 0.0)),
        ForceLaunch("red_hit", "red_ball", 168, (0.0, -back * 2.4, 0.0)),
        ForceLaunch("blue_hit", "blue_ball", 168, (0.0, back * 2.4, 0.0)),
        ForceStart("open", "flap_left", 265),
        ForceStart("open", "flap_right", 265),
        ForceToss("fall", "vase", 315, x_m=0.85, lift_m_s=2.0, rise_steps=20),
        ForceBreak("shatter", "vase", 505),
    )


def deck() -> list[Body]:
    """Return a static deck on legs, with a square hole at its front."""
    thick, left, right = 0.02, HOLE_X_M - HOLE_M, HOLE_X_M + HOLE_M
    front, back = DECK_Y_M
    parts = {
        "deck_left": ((-DECK_X_M, left), (front, back)),
        "deck_right": ((right, DECK_X_M), (front, back)),
        "deck_back": ((left, right), (HOLE_Y_M + HOLE_M, back)),
    }
    tops = [
        Body(name, Box(((x1 - x0) / 2, (y1 - y0) / 2, thick)),
             ((x0 + x1) / 2, (y0 + y1) / 2, TOP_M - thick), color="brown", thing="deck")
        for name, ((x0, x1), (y0, y1)) in parts.items()
    ]  # fmt: skip
    high = TOP_M / 2 - thick
    legs = [
        Body(f"leg_{k}", Box((0.025, 0.025, high)), (x, y, high), color="brown", thing="deck")
        for k, (x, y) in enumerate(
            (x, y) for x in (-0.57, 0.57) for y in (front + 0.05, back - 0.05)
        )
    ]
    return tops + legs


def flap(name: str, side: float) -> Body:
    """Return one half of the trapdoor: the one on the left (-1) or on the right (1)."""
    size = Box((HOLE_M / 2 - 0.001, HOLE_M - 0.003, 0.01))
    place = (HOLE_X_M + side * HOLE_M / 2, HOLE_Y_M, TOP_M - 0.01)
    return Body(name, size, place, friction=0.3, color="black", thing="trapdoor")


def swing(name: str, side: float) -> Mover:
    """Return how a flap swings down, at the first beat after the button was hit."""
    spin = (0.0, -side * math.radians(80) * STEPS_PER_S / SWING_STEPS, 0.0)
    return Mover(name, Touched("button", ("red_ball", "blue_ball")), SWING_STEPS, spin_rad_s=spin,
                 pivot_m=(HOLE_X_M + side * HOLE_M, HOLE_Y_M, TOP_M - 0.02),
                 every_steps=BEAT_STEPS)  # fmt: skip


def build(c: Context) -> WorldSpec:
    """Build the deck with the trapdoor, the vase on it, the button and the two balls."""
    back = 1.0 if c.word("red_from") == "back" else -1.0
    glass = c.level("vase_material") == "glass"
    ball_y, ball_z = BUTTON_M + BALL_M + RUN_M, TOP_M + BALL_M
    bodies = (
        floor(c.word("floor_color")),
        *deck(),
        flap("flap_left", -1.0),
        flap("flap_right", 1.0),
        Body("vase", VASE, (HOLE_X_M, HOLE_Y_M, TOP_M + VASE.height_m / 2), friction=0.1,
             restitution=0.4, mass_kg=c.number("vase_mass"),
             breakable=GLASS if glass else STEEL,
             color=c.word("vase_color") if glass else "steel"),
        Body("button", Box((BUTTON_M, BUTTON_M, BUTTON_M)),
             (BUTTON_X_M, 0.0, TOP_M + BUTTON_M), color="yellow"),
        ball("red_ball", "red", (BUTTON_X_M, back * ball_y, ball_z)),
        ball("blue_ball", "blue", (BUTTON_X_M, -back * ball_y, ball_z)),
        Body("can", Cylinder(0.06, 0.16), (-0.45, -0.75, 0.08), color="steel"),
        ball("white_ball", "white", (0.05, -0.75, 0.05)),
    )  # fmt: skip
    speed = c.number("speed")
    moves = {
        "red": (0.0, -back * speed, 0.0),
        "blue": (0.0, back * speed, 0.0),
        "white": (-1.0, 0.0, 0.0),
    }
    launches = tuple(
        Launch(f"{color}_ball", round(STEPS_PER_S * c.number(f"{color}_start")), velocity)
        for color, velocity in moves.items()
        if c.level(f"{color}_ball") == "rolls"
    )
    return WorldSpec(
        bodies=bodies,
        actions=(swing("flap_left", -1.0), swing("flap_right", 1.0), *launches),
        camera=camera(c.amount("camera_turn")),
        duration_steps=560,
        detectors=DETECTORS,
        handles=handles(back),
        deadlines=DEADLINES,
    )


def camera(turn_deg: float) -> Camera:
    """Return the camera, in front of the deck and above it, moved sideways for a turn."""
    return Camera(eye_m=(0.25 + 0.035 * turn_deg, -2.3, 1.2), target_m=(0.0, -0.2, 0.36))


THINGS = {
    "vase": "the vase", "red_ball": "the red ball", "blue_ball": "the blue ball",
    "button": "the button", "trapdoor": "the trapdoor", "white_ball": "the white ball",
    "can": "the can", "deck": "the deck", "floor": "the floor",
}  # fmt: skip


SCENE = Scene(
    name="latch_trapdoor",
    version=1,
    summary=__doc__,
    tags=("latch", "chain", "enabling", "decoy"),
    settings=SETTINGS,
    nuisances=NUISANCES,
    model=MODEL,
    build=build,
    conditions={"brittle_vase": {1: {"vase_material": "glass"}, 0: {"vase_material": "steel"}}},
    staged=(
        Staged("red_ball_rests", "red_hit", 0, {"red_ball": "rests"},
               "The red ball is not rolled.", "the red ball had not been rolled"),
        Staged("steel_vase", "brittle_vase", 0, {"vase_material": "steel"},
               "The vase is of steel.", "the vase had been made of steel"),
        Staged("white_ball_rests", "knock", 0, {"white_ball": "rests"},
               "The white ball is not rolled.", "the white ball had not been rolled"),
    ),
    variations=(
        Variation("blue_instead", "swap_cause",
                  {"red_ball": "rests", "blue_ball": "rolls"},
                  "The blue ball is rolled at the button instead of the red one.",
                  keeps=("open", "fall", "shatter")),
    ),
    phrases={
        "knock": Phrase("the white ball rolls into the can", "the white ball rolled into the can",
                        "the white ball never touched the can", "the white ball hit the can",
                        ("white_ball", "can"), also=("the white ball ran into the can",)),
        "red_hit": Phrase("the red ball hits the button", "the red ball hit the button",
                          "the red ball never touched the button",
                          "the red ball hit the button", ("red_ball", "button"),
                          also=("the red ball rolled into the button",)),
        "blue_hit": Phrase("the blue ball hits the button", "the blue ball hit the button",
                           "the blue ball never touched the button",
                           "the blue ball hit the button", ("blue_ball", "button"),
                           also=("the blue ball rolled into the button",)),
        "open": Phrase("the trapdoor opens", "the trapdoor opened", "the trapdoor stayed shut",
                       "the trapdoor open", ("trapdoor",), also=("the trapdoor swung open",)),
        "fall": Phrase("the vase drops from the deck", "the vase dropped from the deck",
                       "the vase stayed up on the deck", "the vase drop from the deck",
                       ("vase",), also=("the vase fell from the deck",)),
        "shatter": Phrase("the vase breaks into pieces", "the vase broke into pieces",
                          "the vase stayed whole", "the vase break", ("vase",)),
        "brittle_vase": Phrase("the vase is made of glass", "the vase was made of glass",
                               "the vase was made of steel", "", ("vase",)),
    },
    things=THINGS,
    showcase={"red_ball": "rolls", "blue_ball": "rests", "vase_material": "glass",
              "white_ball": "rolls"},
    key_events=("open", "fall", "shatter"),
    opening=Opening(
        about="vase",
        right={
            "holds(brittle_vase)": "the glass vase stands on the shut trapdoor",
            "not(holds(brittle_vase))": "the steel vase stands on the shut trapdoor",
        },
    ),
    asked={"open": ("open",), "fall": ("fall",), "shatter": ("shatter",)},
    others={
        **hits(THINGS, ("white_ball", "button"), ("red_ball", "vase"), ("blue_ball", "vase"),
               ("white_ball", "vase"), ("red_ball", "can"), ("blue_ball", "can"),
               ("red_ball", "blue_ball"), ("red_ball", "trapdoor"), ("blue_ball", "trapdoor"),
               ("white_ball", "trapdoor"), ("vase", "can"), ("vase", "white_ball"),
               ("vase", "button"), ("vase", "floor")),
    },
)  # fmt: skip
