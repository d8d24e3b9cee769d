"""Draw docs/scenes-N.jpg: every scene of the library in four frames, as a viewer sees it.

    python -m tests.sheets

A row is a scene in its showcase context: the beginning, a moment after the first, a middle and
the last of its events.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from simworld.executors import Workers
from simworld.render.base import make_renderer
from simworld.scene import library_folder, load_scene
from simworld.truth import FACTUAL
from simworld.world.simulate import simulate

SIZE = (240, 180)
AFTER_STEPS = 24
ROWS = 9
DOCS = Path(__file__).resolve().parents[1] / "docs"


def frames_of(name: str) -> np.ndarray:
    """Simulate a scene's showcase and draw its four frames side by side; runs in a worker."""
    scene = load_scene(name)
    spec = scene.world(scene.draw(0, "train", 0, fixed=scene.showcase), FACTUAL)
    rollout = simulate(spec, "end")
    onsets = sorted(rollout.outcome.onsets.values())
    moments = [onsets[0], onsets[len(onsets) // 2], onsets[-1]]
    steps = [0, *(min(step + AFTER_STEPS, rollout.steps) for step in moments)]
    with make_renderer("raster", spec, rollout.bodies, SIZE) as renderer:
        return np.concatenate(
            [renderer.render(rollout.states[step, :, :7]).rgb for step in steps], axis=1
        )


def main() -> None:
    from PIL import Image, ImageDraw

    from tests.sheets import frames_of as importable

    names = sorted(path.stem for path in library_folder().glob("[a-z]*.py"))
    with Workers(1) as workers:
        strips = workers.map(importable, names)
    for page, start in enumerate(range(0, len(names), ROWS), start=1):
        sheet = Image.fromarray(np.concatenate(strips[start : start + ROWS]))
        pen = ImageDraw.Draw(sheet)
        for row, name in enumerate(names[start : start + ROWS]):
            pen.text((5, row * SIZE[1] + 3), name, fill=(24, 24, 28))
        sheet.save(DOCS / f"scenes-{page}.jpg", quality=88)


if __name__ == "__main__":
    main()
