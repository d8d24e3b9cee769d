"""Bodies that many scenes share: a floor, a table, balls and blocks."""

from __future__ import annotations

from simworld.world.spec import Body, Box, Sphere, Vec3


def floor(color: str = "beige", friction: float = 0.6, restitution: float = 0.5) -> Body:
    """Return a wide static floor whose top is at height 0."""
    return Body(
        "floor",
        Box((6.0, 6.0, 0.1)),
        (0.0, 0.0, -0.1),
        friction=friction,
        restitution=restitution,
        color=color,
    )


def table(
    low_m: tuple[float, float],
    high_m: tuple[float, float],
    top_m: float,
    color: str = "brown",
    friction: float = 0.5,
) -> tuple[Body, ...]:
    """Return a static table: the body `table`, and four legs that are parts of that thing.

    Args:
        low_m: Its corner of least x and y.
        high_m: Its corner of greatest x and y.
        top_m: Height of its upper side; the top is 4 cm thick.
        color: Of top and legs.
        friction: Of the top.
    """
    (x0, y0), (x1, y1) = low_m, high_m
    middle = ((x0 + x1) / 2, (y0 + y1) / 2, top_m - 0.02)
    top = Box(((x1 - x0) / 2, (y1 - y0) / 2, 0.02))
    height = (top_m - 0.04) / 2
    corners = [(x, y) for x in (x0 + 0.05, x1 - 0.05) for y in (y0 + 0.05, y1 - 0.05)]
    legs = [
        Body(f"leg_{i}", Box((0.025, 0.025, height)), (x, y, height), color=color, thing="table")
        for i, (x, y) in enumerate(corners)
    ]
    return (Body("table", top, middle, friction=friction, color=color), *legs)


def ball(
    name: str,
    color: str,
    position_m: Vec3,
    radius_m: float = 0.05,
    mass_kg: float = 0.3,
    restitution: float = 0.5,
) -> Body:
    """Return a ball that rolls freely."""
    return Body(
        name,
        Sphere(radius_m),
        position_m,
        mass_kg=mass_kg,
        friction=0.05,
        restitution=restitution,
        color=color,
    )
