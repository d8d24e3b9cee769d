"""What things are made of: how a surface of each material takes light."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from simworld.errors import InputError
from simworld.world.spec import Body, Bottle, Box, Mug, Sphere, Vase


@dataclass(frozen=True, slots=True)
class Material:
    """A texture and a finish.

    `texture` is a name in `textures.PATTERNS`; its tones 0 to 1 multiply the body's colour by
    `dark` to `bright`. `gloss` is the strength of the sun's highlight, whose exponent is
    2 ** `sharpness`; `mirror` the share of light from around that is mirrored head-on (Schlick's
    approximation does the rest). `clear` is the share of light that goes through; what lets some
    through is glass, drawn over what stands behind it. A `tinted` mirror has the body's colour.
    """

    texture: str = "plain"
    dark: float = 1.0
    bright: float = 1.0
    gloss: float = 0.0
    sharpness: int = 4
    mirror: float = 0.0
    clear: float = 0.0
    tinted: bool = False


MATERIALS: dict[str, Material] = {
    "paint": Material(gloss=0.08, sharpness=4),
    "plastic": Material(gloss=0.45, sharpness=5, mirror=0.02),
    "rubber": Material(gloss=0.06, sharpness=3),
    "ceramic": Material(gloss=0.8, sharpness=6, mirror=0.05),
    "glass": Material(bright=1.3, gloss=0.9, sharpness=7, mirror=0.06, clear=0.32),
    "steel": Material(gloss=0.7, sharpness=5, mirror=0.55, tinted=True),
    "wood": Material("wood", dark=0.5, bright=1.5),
    "checker": Material("checker", dark=0.45, bright=1.1, gloss=0.1),
    "tiles": Material("tiles", dark=0.62, bright=1.06),
    "fabric": Material("fabric", dark=0.55, bright=1.1),
    "marble": Material("marble", dark=0.5, bright=1.12, gloss=0.35, sharpness=6, mirror=0.03),
}

ROOM_M = 1.0
"""Half the side from which on a static box is taken for a floor or a wall."""


def material_of(body: Body) -> str:
    """Name what a body is made of: what its spec says, else what its looks suggest.

    Raises:
        InputError: The spec names a material that there is not.
    """
    if body.material is None:
        return _likely(body)
    if body.material not in MATERIALS:
        near = difflib.get_close_matches(body.material, MATERIALS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"choose from: {', '.join(MATERIALS)}"
        raise InputError(f"body {body.name}: no material is called {body.material!r}; {hint}")
    return body.material


def _likely(body: Body) -> str:
    still = body.mass_kg == 0
    match body.shape:
        case _ if body.color == "steel":
            return "steel"
        case Mug() | Vase():
            return "glass" if body.breakable and body.breakable.peak_m_s else "ceramic"
        case Bottle():
            return "glass"
        case Sphere():
            return "plastic"
        case Box((x, y, _)) if still and body.soft is None and min(x, y) >= ROOM_M:
            return "tiles"
        case Box() if still and body.soft is not None:
            return "fabric"
        case _ if body.color == "brown":
            return "wood"
        case _:
            return "paint"
