"""Drop hatch: a marble runs into a button, a hatch slides away, and what stands on it drops.

A chain through a mechanism: the marble hits the button, the hatch slides away, the brick drops
into the bin below. The brick may stand on the shelf beside the hatch, then the hatch opens all the
same and nothing drops: that the brick stands on the hatch enables its drop, and is no cause of the
hatch's opening. A cube slides into a can meanwhile, which is no cause of anything.

In a story this is how a thing gets lost: what drops into the bin is not there when a later episode
would have it in the way. The scene comes in forms for each scene that lacks such a thing, with
that scene's own thing on the hatch, and the cube or a ball of some colour beside it, as in
`drop_hatch-ramp_gate-pink_ball`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from simworld.causal import Declaration, condition, event
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
    load_scene,
)
from simworld.world.detectors import Detector, Moved, StartsBeyond, Touched
from simworld.world.furniture import ball, floor
from simworld.world.handles import ForceLaunch, ForceStart, Handle, HoldNear, KeepStill
from simworld.world.movers import Mover
from simworld.world.spec import Body, Box, Camera, Cylinder, Launch, Shape, WorldSpec

HATCH, SHELF = Box((0.09, 0.14, 0.006)), Box((0.09, 0.14, 0.006))
HATCH_Z_M = 0.30
SHELF_X_M = -0.22
BIN_M = (0.13, 0.17, 0.05)
"""Half extents of the bin, inside; it stands under the hatch."""
SLIDE_M_S, SLIDE_STEPS = 2.0, 36
LANE_M = -0.40
"""The y of the lane in front, with the button at one end and the can at the other."""


@dataclass(frozen=True)
class Load:
    """What stands on the hatch: its name, its shape with the half height, and its colour."""

    name: str
    shape: Shape
    half_height_m: float
    color: str


@dataclass(frozen=True)
class Bystander:
    """What runs into the can: its body, what it does, and how fast it is sent off.

    All of them arrive at the same time, so that none is seen in another part of the video.
    """

    body: Body
    goes: str
    went: str
    speed_m_s: float

    @property
    def name(self) -> str:
        """The body's name."""
        return self.body.name

    @property
    def words(self) -> str:
        """What it is called."""
        return f"the {self.name.replace('_', ' ')}"


CUBE = Bystander(
    Body("cube", Box((0.04,) * 3), (0.30, LANE_M, 0.04), mass_kg=0.3, friction=0.15,
         restitution=0.1, color="yellow"),
    "slides", "slid", 2.0,
)  # fmt: skip
BYSTANDERS = {
    CUBE.name: CUBE,
    **{
        f"{color}_ball": Bystander(
            ball(f"{color}_ball", color, (0.30, LANE_M, 0.05), restitution=0.1),
            "rolls", "rolled", 1.85,
        )
        for color in ("white", "yellow", "pink", "green", "blue")
    },
}  # fmt: skip
"""By name; that of a form of the scene ends in one of these."""


def settings(bystander: Bystander) -> tuple[Choice | Range, ...]:
    """Return the settings."""
    name, goes = bystander.name, bystander.goes
    return (
        Choice("marble", {"rolls": 0.75, "rests": 0.25}),
        Choice("place", {"hatch": 0.8, "shelf": 0.2}),
        Choice(name, {goes: 0.7, "rests": 0.3}),
        Range("marble_speed", "m/s", {"brisk": Band(1.4, 1.6, held_out=(1.6, 1.65))}),
        Range("marble_start", "s", {"early": Band(0.10, 0.14, held_out=(0.14, 0.15)),
                                    "late": Band(0.60, 0.66, held_out=(0.66, 0.68))}),
        Range(f"{name}_start", "s", {"usual": Band(0.36, 0.38, held_out=(0.38, 0.385))}),
    )  # fmt: skip


NUISANCES = (
    Nuisance("marble_color", words=("purple", "orange", "red")),
    Nuisance("floor_color", words=("grey", "beige")),
    Nuisance("camera_turn", between=(-8.0, 8.0)),
)


def model(bystander: Bystander) -> tuple[Declaration, ...]:
    """Return the equations."""
    return (
        condition("loaded", "place == 'hatch'"),
        event("knock", f"{bystander.name} == '{bystander.goes}'"),
        event("press", "marble == 'rolls'"),
        event("open", "press"),
        event("drop", "open and loaded"),
    )


DEADLINES = {"knock": 290, "press": 260, "open": 285, "drop": 420}


def handles(load: Load, bystander: Bystander) -> tuple[Handle, ...]:
    """Return a prevent handle for each event, and a force handle where physics allows one.

    No hatch lets a thing drop that does not stand on it.
    """
    return (
        HoldNear("knock", bystander.name, "can", gap_m=0.02),
        HoldNear("press", "marble", "button", gap_m=0.02),
        KeepStill("open", "hatch"),
        HoldNear("drop", load.name, "bin", gap_m=0.02),
        ForceLaunch("knock", bystander.name, 160, (1.1 * bystander.speed_m_s, 0.0, 0.0)),
        ForceLaunch("press", "marble", 212, (-2.2, 0.0, 0.0)),
        ForceStart("open", "hatch", 270),
    )


def the_bin() -> tuple[Body, ...]:
    """Return the bin's bottom and its four sides."""
    x, y, z = BIN_M
    sides = {
        "bin_left": ((0.008, y, z), (-x, 0.0, z)),
        "bin_right": ((0.008, y, z), (x, 0.0, z)),
        "bin_front": ((x, 0.008, z), (0.0, -y, z)),
        "bin_back": ((x, 0.008, z), (0.0, y, z)),
    }
    return (
        Body("bin", Box((x, y, 0.006)), (0.0, 0.0, 0.006), restitution=0.0, color="blue"),
        *(
            Body(name, Box(half), place, restitution=0.0, color="blue", thing="bin")
            for name, (half, place) in sides.items()
        ),
    )


def stand() -> tuple[Body, ...]:
    """Return the hatch, the shelf beside it, and the posts behind that hold them up."""
    posts = [
        Body(f"post_{k}", Box((0.015, 0.015, HATCH_Z_M / 2)), (x, 0.20, HATCH_Z_M / 2),
             color="black", thing="frame")
        for k, x in enumerate((-0.33, 0.11))
    ]  # fmt: skip
    return (
        Body("hatch", HATCH, (0.0, 0.0, HATCH_Z_M), friction=0.02, restitution=0.0, color="white"),
        Body("shelf", SHELF, (SHELF_X_M, 0.0, HATCH_Z_M), restitution=0.0, color="brown"),
        *posts,
    )


def builder(load: Load, bystander: Bystander) -> Callable[[Context], WorldSpec]:
    """Return what builds the scene with one thing on its hatch and one beside it."""

    def build(c: Context) -> WorldSpec:
        on_hatch = c.level("place") == "hatch"
        top = HATCH_Z_M + HATCH.half_extents_m[2]
        bodies = (
            floor(c.word("floor_color"), restitution=0.1),
            *the_bin(),
            *stand(),
            Body(load.name, load.shape,
                 (0.0 if on_hatch else SHELF_X_M, 0.0, top + load.half_height_m), mass_kg=0.5,
                 friction=0.4, restitution=0.0, color=load.color),
            Body("button", Box((0.02, 0.06, 0.06)), (-0.20, LANE_M, 0.06), restitution=0.1,
                 color="steel"),
            ball("marble", c.word("marble_color"), (0.13, LANE_M, 0.05)),
            bystander.body,
            Body("can", Cylinder(0.06, 0.16), (0.62, LANE_M, 0.08), color="steel"),
        )  # fmt: skip
        away = Mover("hatch", Touched("marble", ("button",)), SLIDE_STEPS, (0.0, SLIDE_M_S, 0.0))
        starts = {
            "marble": ("rolls", -c.number("marble_speed")),
            bystander.name: (bystander.goes, bystander.speed_m_s),
        }
        launches = tuple(
            Launch(name, round(240 * c.number(f"{name}_start")), (speed, 0.0, 0.0))
            for name, (level, speed) in starts.items()
            if c.level(name) == level
        )
        return WorldSpec(
            bodies=bodies,
            actions=(away, *launches),
            camera=camera(c.amount("camera_turn")),
            duration_steps=480,
            detectors=detectors(load, bystander),
            handles=handles(load, bystander),
            deadlines=DEADLINES,
        )

    return build


def detectors(load: Load, bystander: Bystander) -> dict[str, Detector]:
    """Return what tells each condition and event."""
    return {
        "loaded": StartsBeyond(load.name, x_m=-0.1),
        "knock": Touched(bystander.name, ("can",)),
        "press": Touched("marble", ("button",)),
        "open": Moved("hatch", distance_m=0.06),
        "drop": Touched(load.name, ("bin",)),
    }


def camera(turn_deg: float) -> Camera:
    """Return the camera, in front of the hatch and above it, moved sideways for a turn."""
    return Camera(eye_m=(0.10 + 0.025 * turn_deg, -1.42, 0.74), target_m=(0.16, -0.05, 0.14))


def make_scene(load: Load, bystander: Bystander, name: str) -> Scene:
    """Declare the scene with one thing on its hatch and one beside it."""
    thing, the_thing = load.name, f"the {load.name}"
    other, the_other = bystander.name, bystander.words
    goes, went = f"{the_other} {bystander.goes}", f"{the_other} {bystander.went}"
    things = {
        thing: the_thing, "hatch": "the hatch", "shelf": "the shelf", "bin": "the bin",
        "button": "the button", "marble": "the marble", other: the_other, "can": "the can",
        "floor": "the floor",
    }  # fmt: skip
    return Scene(
        name=name,
        version=2,
        summary=(__doc__ or "").replace("brick", thing).replace("A cube slides", f"A{goes[3:]}"),
        tags=("chain", "hatch", "enabling", "decoy", "carries"),
        settings=settings(bystander),
        nuisances=NUISANCES,
        model=model(bystander),
        build=builder(load, bystander),
        conditions={"loaded": {1: {"place": "hatch"}, 0: {"place": "shelf"}}},
        staged=(
            Staged("marble_rests", "press", 0, {"marble": "rests"}, "The marble is not rolled.",
                   "the marble had not been rolled"),
            Staged("on_the_shelf", "loaded", 0, {"place": "shelf"},
                   f"T{the_thing[1:]} stands on the shelf beside the hatch.",
                   f"{the_thing} had stood on the shelf beside the hatch"),
            Staged(f"{other}_rests", "knock", 0, {other: "rests"},
                   f"T{the_other[1:]} is not pushed.", f"{the_other} had not been pushed"),
        ),
        variations=(
            Variation("marble_late", "retime", {"marble_start": "late"},
                      f"The marble is rolled after {the_other} is pushed."),
            Variation("marble_early", "retime", {"marble_start": "early"},
                      f"The marble is rolled before {the_other} is pushed."),
        ),
        phrases={
            "knock": Phrase(f"{goes} into the can", f"{went} into the can",
                            f"{the_other} never touched the can", f"{the_other} hit the can",
                            (other, "can"), also=(f"{the_other} ran into the can",)),
            "press": Phrase("the marble hits the button", "the marble hit the button",
                            "the marble never touched the button", "the marble hit the button",
                            ("marble", "button"), also=("the marble rolled into the button",)),
            "open": Phrase("the hatch slides away", "the hatch slid away", "the hatch stayed shut",
                           "the hatch open", ("hatch",), also=("the hatch opened",)),
            "drop": Phrase(f"{the_thing} drops into the bin", f"{the_thing} dropped into the bin",
                           f"{the_thing} stayed up", f"{the_thing} drop into the bin",
                           (thing, "bin"), also=(f"{the_thing} fell into the bin",)),
            "loaded": Phrase(f"{the_thing} stands on the hatch", f"{the_thing} stood on the hatch",
                             f"{the_thing} stood on the shelf", "", (thing, "hatch")),
        },
        things=things,
        showcase={"marble": "rolls", "place": "hatch", other: bystander.goes},
        key_events=("open", "drop"),
        opening=opening(thing),
        asked={"open": ("open",), "drop": ("drop",)},
        others={
            **hits(things, ("marble", "can"), (other, "button"), ("marble", thing),
                   (other, thing), ("marble", "bin"), (other, "bin"), ("marble", other),
                   (thing, "floor"), (thing, "shelf"), (thing, "can"), (thing, "button"),
                   ("marble", "hatch"), (other, "hatch")),
        },
        form=for_scene,
    )  # fmt: skip


def opening(thing: str) -> Opening:
    """Return what is seen first, and what is asked about it."""
    return Opening(
        about=thing,
        right={
            "holds(loaded)": f"the {thing} stands on the hatch, above the bin",
            "not(holds(loaded))": f"the {thing} stands on the shelf, beside the hatch",
        },
    )  # fmt: skip


def for_scene(name: str, scenes_dir: Path | None) -> Scene | None:
    """Return the form with another scene's thing on the hatch, and the bystander named last.

    None if that scene lacks no thing, or there is no such bystander.
    """
    target, _, bystander = name.rpartition("-")
    scene = load_scene(target, scenes_dir) if bystander in BYSTANDERS else None
    if scene is None or scene.lacks is None:
        return None
    body = scene.lacking
    shape = body.shape
    half = shape.half_extents_m[2] if isinstance(shape, Box) else shape.height_m / 2
    load = Load(body.name, shape, half, body.color)
    return make_scene(load, BYSTANDERS[bystander], f"{SCENE.name}-{name}")


SCENE = make_scene(Load("brick", Box((0.025, 0.08, 0.04)), 0.04, "brick"), CUBE, "drop_hatch")
