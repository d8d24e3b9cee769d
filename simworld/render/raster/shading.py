"""From what samples show to colours: which points to shade, their surface, light and colour.

Light is linear and its display the square root: close to sRGB, and the same bits everywhere.
A point is lit by the sun, by the sky above and by the ground below; glossy ones mirror the sky.
References: Blinn, Models of light reflection (SIGGRAPH 1977); Schlick, An inexpensive BRDF
model (1994) for how mirrors grow at grazing angles.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simworld.jit import Array, Real, Whole, compiled, inlined
from simworld.render.raster.points import (
    BLUE,
    CHUNK,
    CLEAR_B,
    CLEAR_G,
    CLEAR_R,
    FACING,
    FOOT,
    GREEN,
    LIT,
    NX,
    NY,
    NZ,
    PX,
    PY,
    PZ,
    RED,
    TONE,
    WEIGHT,
    U,
    V,
    X,
    Y,
)
from simworld.render.raster.samples import LOW, SAMPLE_X, SAMPLE_Y, SAMPLES, UP, face_at

ALIKE = 0.9
"""Faces of one object whose normals have at least this cosine are shaded as one surface."""

ONE, HALF, ZERO = np.float32(1.0), np.float32(0.5), np.float32(0.0)
QUARTER, LEVELS = np.float32(0.25), np.float32(255.0)

TINT = np.float32(0.3)
"""Share of what glass lets through that does not take its colour."""

SUN = (np.float32(0.88), np.float32(0.85), np.float32(0.79))
AMBIENT = (np.float32(0.13), np.float32(0.13), np.float32(0.13))
SKYLIGHT = (np.float32(0.19), np.float32(0.21), np.float32(0.25))
"""Light from the sun, from all around, and what the sky adds to a surface that looks up."""

GROUND = (np.float32(0.20), np.float32(0.19), np.float32(0.18))
HORIZON = (np.float32(0.78), np.float32(0.80), np.float32(0.82))
ZENITH = (np.float32(0.42), np.float32(0.54), np.float32(0.70))
"""What mirrors show below, ahead and above, linear."""


@compiled
def list_dirty(dirty: Array, found: Array) -> int:
    """List the dirty pixels in `found` (P,) [int32]; return how many there are."""
    count = 0
    words = dirty.view(np.uint64)
    for word in range(len(words)):
        if words[word] != 0:
            for p in range(8 * word, 8 * word + 8):
                found[count] = p
                count += dirty[p]
    return count


@compiled
def collect(
    start: int,
    stop: int,
    width: int,
    dirty: Array,
    nearest: Array,
    object_of_face: Array,
    normals: Array,
    sky: Array,
    looked_up: Array,
    rgb: Array,
    tri: Array,
    pixel: Array,
    sample: Array,
    points: Array,
) -> tuple[int, int]:
    """Gather the points of the pixels dirty[start:stop] until a chunk is full.

    A pixel whose samples show one surface is shaded once, at its centre; else once for each
    surface among its four outer samples, in their order, then for each surface of glass before
    them (with negative weight). `sample` is -1 where no shadow is looked up. Pixels that show
    nothing but sky are written at once.

    Returns:
        How many points there are, and where in `dirty` to go on.
    """
    count, glassy = 0, nearest.shape[0] > 1
    shown = np.empty(SAMPLES, np.int64)
    y = dirty[start] // width
    for at in range(start, stop):
        p = np.uint64(dirty[at])
        if count > CHUNK - 2 * SAMPLES:
            return count, at
        if p >= np.uint64((y + 1) * width):
            y = np.int64(p) // width
        x, first = np.int64(p) - y * width, np.uint64(SAMPLES) * p
        glass = glassy and _glass_ahead(nearest, first)
        centre, other = nearest[0, first], np.uint64(0)
        for s in range(np.uint64(1), np.uint64(SAMPLES)):
            other |= (nearest[0, first + s] ^ centre) & LOW
        if other == 0 or _one_surface(nearest, first, object_of_face, normals):
            looked_up[0, p] = 0
            if centre == 0 and not glass:
                for k in range(3):
                    rgb[p, k] = sky[y, 3 + k]
                continue
            i = np.uint64(count)
            tri[i], pixel[i], sample[i] = face_at(centre), p, 0
            points[X + i], points[Y + i] = x + SAMPLE_X[0], y + SAMPLE_Y[0]
            points[WEIGHT + i] = ONE
            count += 1
        else:
            looked_up[0, p] = -1
            for s in range(np.uint64(1), np.uint64(SAMPLES)):
                looked_up[s, p] = 0
                shown[s] = face_at(nearest[0, first + s])
            count = _add_surfaces(
                count, x, y, p, ONE, shown, object_of_face, normals, tri, pixel, sample, points
            )
        if glass:
            for s in range(np.uint64(1), np.uint64(SAMPLES)):
                shown[s] = face_at(nearest[1, first + s]) if _ahead(nearest, first + s) else -1
            count = _add_surfaces(
                count, x, y, p, -ONE, shown, object_of_face, normals, tri, pixel, sample, points
            )
    return count, stop


@inlined
def _ahead(nearest: Array, at: Whole) -> Any:
    """Tell whether a sample shows glass before what is opaque."""
    return (nearest[1, at] >> UP) > (nearest[0, at] >> UP)


@inlined
def _glass_ahead(nearest: Array, first: Whole) -> bool:
    """Tell whether any outer sample of a pixel shows glass before what is opaque."""
    ahead = False
    for s in range(np.uint64(1), np.uint64(SAMPLES)):
        ahead |= _ahead(nearest, first + s)
    return ahead


@inlined
def _one_surface(nearest: Array, first: Whole, object_of_face: Array, normals: Array) -> bool:
    """Tell whether the samples of a pixel, of various faces, show one surface."""
    one, a = True, face_at(nearest[0, first])
    for s in range(np.uint64(1), np.uint64(SAMPLES)):
        one &= _alike(a, face_at(nearest[0, first + s]), object_of_face, normals)
    return one


@inlined
def _alike(a: Whole, b: Whole, object_of_face: Array, normals: Array) -> Any:
    """Tell whether two faces are one, or belong to one object and look nearly the same way."""
    i, j = np.uint64(max(a, 0)), np.uint64(max(b, 0))
    cosine = (
        normals[i, 0] * normals[j, 0]
        + normals[i, 1] * normals[j, 1]
        + normals[i, 2] * normals[j, 2]
    )
    both = (a >= 0) & (b >= 0)
    return (a == b) | (both & (object_of_face[i] == object_of_face[j]) & (cosine > ALIKE))


@inlined
def _add_surfaces(
    count: int,
    x: int,
    y: int,
    p: Whole,
    sign: Real,
    shown: Array,
    object_of_face: Array,
    normals: Array,
    tri: Array,
    pixel: Array,
    sample: Array,
    points: Array,
) -> int:
    """Add a point for each surface among the outer samples; `sign` is negative for glass.

    A sample belongs to the first one before it that shows its surface and none's itself. All
    are written down, those that belong to others to be written over: a branch that cannot be
    foreseen takes longer.
    """
    a, b, c, d = shown[1], shown[2], shown[3], shown[4]
    ab, ac = _alike(a, b, object_of_face, normals), _alike(a, c, object_of_face, normals)
    ad, bc = _alike(a, d, object_of_face, normals), _alike(b, c, object_of_face, normals)
    bd, cd = _alike(b, d, object_of_face, normals), _alike(c, d, object_of_face, normals)
    bc, bd = bc & (not ab) & (not ac), bd & (not ab) & (not ad)
    cd = cd & (not ac) & (not bc) & (not ad) & (not bd)
    shares = (1 + ab + ac + ad, 1 + bc + bd, 1 + cd, 1)
    heads = (True, not ab, not (ac | bc), not (ad | bd | cd))
    for s in range(4):
        face, i = shown[s + 1], np.uint64(count)
        tri[i], pixel[i] = face, p
        sample[i] = -1 if (sign < ZERO) | (face < 0) else s + 1
        points[X + i], points[Y + i] = x + SAMPLE_X[s + 1], y + SAMPLE_Y[s + 1]
        points[WEIGHT + i] = sign * QUARTER * np.float32(shares[s])
        count += heads[s] & ((face >= 0) | (sign > ZERO))
    return count


@compiled
def _run(tri: Array, start: int, count: int) -> int:
    """Return where the run of points on one face that begins at `start` ends."""
    stop = start + 1
    while stop < count and tri[stop] == tri[start]:
        stop += 1
    return stop


@compiled
def surface(
    count: int, rays: Array, tri: Array, origins: Array, planes: Array, points: Array
) -> None:
    """Set place, normal and texture place of each point.

    `rays` (3, 3) [float32] are the ray of pixel place (0, 0) at depth 1 and its steps along x
    and y, as columns.
    """
    start = 0
    while start < count:
        stop = _run(tri, start, count)
        if tri[start] >= 0:
            first, last = np.uint64(start), np.uint64(stop)
            _surface_run(first, last, tri[start], rays, origins, planes, points)
        start = stop


@inlined
def _surface_run(
    start: Whole, stop: Whole, f: int, rays: Array, origins: Array, planes: Array, points: Array
) -> None:
    x0, y0 = origins[f, 0], origins[f, 1]
    ka, kb, kc = planes[f, 0], planes[f, 1], planes[f, 2]
    xa, xb, xc = planes[f, 3], planes[f, 4], planes[f, 5]
    ya, yb, yc = planes[f, 6], planes[f, 7], planes[f, 8]
    za, zb, zc = planes[f, 9], planes[f, 10], planes[f, 11]
    ua, ub, uc = planes[f, 12], planes[f, 13], planes[f, 14]
    va, vb, vc = planes[f, 15], planes[f, 16], planes[f, 17]
    r00, r01, r02 = rays[0, 0], rays[0, 1], rays[0, 2]
    r10, r11, r12 = rays[1, 0], rays[1, 1], rays[1, 2]
    r20, r21, r22 = rays[2, 0], rays[2, 1], rays[2, 2]
    for i in range(start, stop):
        x, y = points[X + i], points[Y + i]
        dx, dy = x - x0, y - y0
        depth = ONE / (ka * dx + kb * dy + kc)
        points[PX + i] = (r00 + r01 * x + r02 * y) * depth
        points[PY + i] = (r10 + r11 * x + r12 * y) * depth
        points[PZ + i] = (r20 + r21 * x + r22 * y) * depth
        nx = xa * dx + xb * dy + xc
        ny = ya * dx + yb * dy + yc
        nz = za * dx + zb * dy + zc
        scale = ONE / np.sqrt(nx * nx + ny * ny + nz * nz)
        points[NX + i], points[NY + i], points[NZ + i] = nx * scale, ny * scale, nz * scale
        u = (ua * dx + ub * dy + uc) * depth
        v = (va * dx + vb * dy + vc) * depth
        points[U + i], points[V + i] = u, v
        ux, uy = (ua - u * ka) * depth, (ub - u * kb) * depth
        vx, vy = (va - v * ka) * depth, (vb - v * kb) * depth
        points[FOOT + i] = max(ux * ux + vx * vx, uy * uy + vy * vy) * HALF


@compiled
def light(
    count: int,
    sun: tuple[float, float, float],
    tri: Array,
    body_of_face: Array,
    color: Array,
    tones: Array,
    finish: Array,
    tinted: Array,
    points: Array,
) -> None:
    """Set each point's colour; of glass, what it adds and what it lets through."""
    start = 0
    while start < count:
        body = -1 if tri[start] < 0 else body_of_face[tri[start]]
        stop = start + 1
        while stop < count and body == (-1 if tri[stop] < 0 else body_of_face[tri[stop]]):
            stop += 1
        if body >= 0:
            first, last = np.uint64(start), np.uint64(stop)
            _matt_run(first, last, body, color, tones, points)
            if finish[body, 0] > ZERO or finish[body, 2] > ZERO:
                _glossy_run(first, last, sun, body, color, finish, tinted, points)
        start = stop


@compiled
def _matt_run(
    start: Whole, stop: Whole, body: int, color: Array, tones: Array, points: Array
) -> None:
    red, green, blue = color[body, 0], color[body, 1], color[body, 2]
    dark, more = tones[body, 0], tones[body, 1]
    for i in range(start, stop):
        tone = dark + more * points[TONE + i]
        lit = points[FACING + i] * points[LIT + i]
        up = points[NZ + i] * HALF + HALF
        points[RED + i] = red * tone * (SUN[0] * lit + AMBIENT[0] + SKYLIGHT[0] * up)
        points[GREEN + i] = green * tone * (SUN[1] * lit + AMBIENT[1] + SKYLIGHT[1] * up)
        points[BLUE + i] = blue * tone * (SUN[2] * lit + AMBIENT[2] + SKYLIGHT[2] * up)


@compiled
def _glossy_run(
    start: Whole,
    stop: Whole,
    sun: tuple[float, float, float],
    body: int,
    color: Array,
    finish: Array,
    tinted: Array,
    points: Array,
) -> None:
    gloss, sharpness = finish[body, 0], np.int64(finish[body, 1])
    mirror, clear = finish[body, 2], finish[body, 3]
    keep = ONE - clear
    cr, cg, cb = color[body, 0], color[body, 1], color[body, 2]
    tr, tg, tb = (cr, cg, cb) if tinted[body] else (ONE, ONE, ONE)
    sx, sy, sz = np.float32(sun[0]), np.float32(sun[1]), np.float32(sun[2])
    for i in range(start, stop):
        nx, ny, nz = points[NX + i], points[NY + i], points[NZ + i]
        px, py, pz = points[PX + i], points[PY + i], points[PZ + i]
        scale = ONE / np.sqrt(px * px + py * py + pz * pz)
        px, py, pz = px * scale, py * scale, pz * scale
        across = px * nx + py * ny + pz * nz
        hx, hy, hz = sx - px, sy - py, sz - pz
        half = max(nx * hx + ny * hy + nz * hz, ZERO)
        shine = half * half / (hx * hx + hy * hy + hz * hz)
        for _ in range(sharpness - 1):
            shine *= shine
        shine *= gloss * points[LIT + i]
        if points[FACING + i] == ZERO:
            shine = ZERO
        graze = min(max(ONE + across, ZERO), ONE)
        fresnel = mirror
        if mirror > ZERO:
            fresnel += (ONE - mirror) * (graze * graze * graze * graze * graze)
        up = pz - np.float32(2.0) * across * nz
        sky = min(max(up * np.float32(1.4), ZERO), ONE)
        near = min(max(up * np.float32(3.0) + HALF, ZERO), ONE)
        er = GROUND[0] + (HORIZON[0] + (ZENITH[0] - HORIZON[0]) * sky - GROUND[0]) * near
        eg = GROUND[1] + (HORIZON[1] + (ZENITH[1] - HORIZON[1]) * sky - GROUND[1]) * near
        eb = GROUND[2] + (HORIZON[2] + (ZENITH[2] - HORIZON[2]) * sky - GROUND[2]) * near
        rest = (ONE - fresnel) * keep
        points[RED + i] = points[RED + i] * rest + fresnel * er * tr + shine
        points[GREEN + i] = points[GREEN + i] * rest + fresnel * eg * tg + shine
        points[BLUE + i] = points[BLUE + i] * rest + fresnel * eb * tb + shine
        through = (ONE - fresnel) * clear
        points[CLEAR_R + i] = through * (TINT + (ONE - TINT) * cr)
        points[CLEAR_G + i] = through * (TINT + (ONE - TINT) * cg)
        points[CLEAR_B + i] = through * (TINT + (ONE - TINT) * cb)
