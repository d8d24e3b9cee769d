"""What clips show, layer by layer: how far away it is, which way it looks, what shadows change.

Three exporters, `depth`, `normals` and `shadows`. Each writes one file a clip, `CLIP.npz`, for
`numpy.load`, with the arrays below; T frames of H x W pixels, all taken at pixels' centres. A
clip is simulated and drawn again for it, and must have the very ids that its suite holds; object
k of `objects` is that of id k + 1.

- `depth_m` (T, H, W) [float32]: distance along the camera's axis in metres, between the near and
  the far plane of `camera`; infinite in the background.
- `normals` (T, H, W, 3) [float32]: unit vectors in the world; 0 in the background. On curved
  bodies they are smooth.
- `shadows` (T, N, H, W) [bool]: whether the pixel would have another colour if the object cast no
  shadow; its shadow on itself counts as well. With `objects` (N,) [str].
"""

import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from simworld.clock import frames_in
from simworld.errors import CheckError, InputError
from simworld.executors import Workers
from simworld.export import EXPORTERS
from simworld.recipe import VideoSettings
from simworld.render.base import DetailedRenderer, Frame, make_renderer
from simworld.scene import Context, load_scene
from simworld.store import Suite
from simworld.truth import FACTUAL
from simworld.video import read_ids
from simworld.world.simulate import simulate
from simworld.world.spec import Camera

Look = Callable[[DetailedRenderer, Frame], NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Layer:
    """One array of a clip: how it is got from a renderer and its frame, its type and range."""

    name: str
    dtype: type[np.generic]
    look: Look
    within: Callable[[NDArray[Any], Frame, Camera], bool]


def _depth_within(depth_m: NDArray[Any], frame: Frame, camera: Camera) -> bool:
    some = depth_m[frame.ids > 0]
    between = (some >= camera.near_m * (1 - 1e-5)) & (some <= camera.far_m)
    return bool(between.all() and np.isinf(depth_m[frame.ids == 0]).all())


def _normals_within(normals: NDArray[Any], frame: Frame, camera: Camera) -> bool:
    length = np.linalg.norm(normals, axis=-1)
    return bool(np.allclose(length, frame.ids > 0, atol=1e-5))


LAYERS = {
    "depth": Layer("depth_m", np.float32, lambda _, frame: frame.depth_m, _depth_within),
    "normals": Layer("normals", np.float32, lambda drawn, _: drawn.normals(), _normals_within),
    "shadows": Layer("shadows", np.bool_, lambda drawn, _: drawn.shadows(), lambda *_: True),
}


@EXPORTERS.register("depth")
def depth(suite: Suite, target: Path) -> None:
    """Write each clip's depth."""
    _export(suite, target, "depth")


@EXPORTERS.register("normals")
def normals(suite: Suite, target: Path) -> None:
    """Write each clip's normals."""
    _export(suite, target, "normals")


@EXPORTERS.register("shadows")
def shadows(suite: Suite, target: Path) -> None:
    """Write which pixels each object's shadow changes."""
    _export(suite, target, "shadows")


@dataclass(frozen=True, slots=True)
class _Job:
    """One clip to draw again."""

    folder: Path
    target: Path
    layer: str
    scene: str
    context: Context
    video: VideoSettings


def _export(suite: Suite, target: Path, layer: str) -> None:
    target.mkdir()
    jobs = []
    for clip in suite.clip_ids:
        truth = suite.truth(clip)
        context, video = Context.from_json(truth["context"]), VideoSettings(**truth["video"])
        path = target / f"{clip}.npz"
        jobs.append(_Job(suite.clip(clip), path, layer, truth["scene"], context, video))
    with Workers() as workers:
        workers.map(_draw_again, jobs)


def _draw_again(job: _Job) -> None:
    """Simulate a clip and write one layer of it, frame by frame."""
    layer, video = LAYERS[job.layer], job.video
    spec = load_scene(job.scene).world(job.context, FACTUAL)
    rollout, size = simulate(spec, "end"), (video.width, video.height)
    stored = read_ids(job.folder / "ids.mkv")
    with (
        make_renderer(video.renderer, spec, rollout.bodies, size) as renderer,
        zipfile.ZipFile(job.target, "w") as archive,
    ):
        if not isinstance(renderer, DetailedRenderer):
            raise InputError(f"the renderer {video.renderer} draws no {job.layer}; use raster")
        frames = frames_in(rollout.steps, video.steps_per_frame)
        if job.layer == "shadows":
            with _entry(archive, "objects") as file:
                np.lib.format.write_array(file, np.array(renderer.objects), allow_pickle=False)
        with _entry(archive, layer.name) as file:
            for number in range(frames):
                frame = renderer.render(rollout.states[number * video.steps_per_frame, :, :7])
                if len(stored) != frames or not np.array_equal(frame.ids, stored[number]):
                    raise CheckError(f"expected the ids of {job.folder} in frame {number}")
                array = layer.look(renderer, frame)
                _check(array, layer, frame, renderer, spec.camera)
                if number == 0:
                    _write_head(file, layer, (frames, *array.shape))
                file.write(array.tobytes())


def _check(
    array: NDArray[Any], layer: Layer, frame: Frame, renderer: DetailedRenderer, camera: Camera
) -> None:
    """Refuse an array that is not as declared."""
    plane = frame.ids.shape
    shapes = {"depth_m": plane, "normals": (*plane, 3), "shadows": (len(renderer.objects), *plane)}
    if (
        array.shape != shapes[layer.name]
        or array.dtype != layer.dtype
        or not layer.within(array, frame, camera)
    ):
        raise CheckError(
            f"expected {layer.name} as {shapes[layer.name]} {np.dtype(layer.dtype)} within its "
            f"range, found {array.shape} {array.dtype}, {array.min()} to {array.max()}"
        )


def _entry(archive: zipfile.ZipFile, name: str) -> IO[bytes]:
    """Open an array's entry, with a fixed date and system in its head."""
    entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
    entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
    entry.external_attr = 0o644 << 16
    return archive.open(entry, "w", force_zip64=True)


def _write_head(file: IO[bytes], layer: Layer, shape: tuple[int, ...]) -> None:
    descr = np.lib.format.dtype_to_descr(np.dtype(layer.dtype))
    head = {"descr": descr, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, head)
