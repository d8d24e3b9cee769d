"""What clips show, layer by layer: how far it is, which way it looks, where it goes, its shadows.

Four exporters, `depth`, `normals`, `flow` and `shadows`. Each writes one file a clip, `CLIP.npz`,
for `numpy.load`, with the arrays below; T frames of H x W pixels, all taken at pixels' centres. A
clip is simulated and drawn again for it, and must have the very ids that its suite holds; object
k of `objects` is that of id k + 1.

- `depth_m` (T, H, W) [float32]: distance along the camera's axis in metres, between the near and
  the far plane of `camera`; infinite in the background.
- `normals` (T, H, W, 3) [float32]: unit vectors in the world; 0 in the background. On curved
  bodies they are smooth.
- `flow_px` (T, H, W, 2) [float32]: how many pixels to the right and down what is shown moves until
  the next frame; 0 in the background, NaN of a body that is not there any more in the next frame,
  as of what breaks, and of all bodies in the last frame.
- `shadows` (T, N, H, W) [bool]: whether the pixel would have another colour if the object cast no
  shadow; its shadow on itself counts as well. With `objects` (N,) [str].

A story's video is its episodes' clips one after the other, which its `truth.json` names; so are its
layers.
"""

import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from simworld.errors import CheckError, InputError
from simworld.executors import Workers
from simworld.export import EXPORTERS
from simworld.export.flow import optical_flow
from simworld.filming import poses_of
from simworld.recipe import VideoSettings
from simworld.render.base import DetailedRenderer, Frame, Poses, make_renderer
from simworld.render.camera import View, view_of
from simworld.scene import Context, load_scene
from simworld.store import Suite
from simworld.truth import FACTUAL
from simworld.video import read_ids
from simworld.world.simulate import simulate


@dataclass(frozen=True, slots=True)
class Shot:
    """A frame, the renderer that has just drawn it, and the poses in it and in the next one."""

    frame: Frame
    renderer: DetailedRenderer
    poses: Poses
    after: Poses
    view: View


@dataclass(frozen=True, slots=True)
class Layer:
    """One array of a clip: how it is got from a shot, its type and range."""

    name: str
    dtype: type[np.generic]
    look: Callable[[Shot], NDArray[Any]]
    within: Callable[[NDArray[Any], Shot], bool]


def _depth_within(depth_m: NDArray[Any], shot: Shot) -> bool:
    ids, view = shot.frame.ids, shot.view
    some = depth_m[ids > 0]
    between = (some >= view.near_m * (1 - 1e-5)) & (some <= view.far_m)
    return bool(between.all() and np.isinf(depth_m[ids == 0]).all())


def _normals_within(normals: NDArray[Any], shot: Shot) -> bool:
    length = np.linalg.norm(normals, axis=-1)
    return bool(np.allclose(length, shot.frame.ids > 0, atol=1e-5))


def _flow(shot: Shot) -> NDArray[np.float32]:
    bodies = shot.renderer.bodies()
    return optical_flow(shot.frame.depth_m, bodies, shot.poses, shot.after, shot.view)


def _flow_within(flow_px: NDArray[Any], shot: Shot) -> bool:
    return bool((flow_px[shot.frame.ids == 0] == 0).all() and not np.isinf(flow_px).any())


LAYERS = {
    "depth": Layer("depth_m", np.float32, lambda shot: shot.frame.depth_m, _depth_within),
    "normals": Layer("normals", np.float32, lambda shot: shot.renderer.normals(), _normals_within),
    "flow": Layer("flow_px", np.float32, _flow, _flow_within),
    "shadows": Layer("shadows", np.bool_, lambda shot: shot.renderer.shadows(), lambda *_: True),
}


@EXPORTERS.register("depth")
def depth(suite: Suite, target: Path) -> None:
    """Write each clip's depth."""
    _export(suite, target, "depth")


@EXPORTERS.register("normals")
def normals(suite: Suite, target: Path) -> None:
    """Write each clip's normals."""
    _export(suite, target, "normals")


@EXPORTERS.register("flow")
def flow(suite: Suite, target: Path) -> None:
    """Write how what each pixel shows moves from frame to frame."""
    _export(suite, target, "flow")


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
    scenes_dir: Path | None
    context: Context
    video: VideoSettings


def _export(suite: Suite, target: Path, layer: str) -> None:
    target.mkdir()
    jobs = []
    for clip in suite.clip_ids:
        truth = suite.truth(clip)
        context, video = Context.from_json(truth["context"]), VideoSettings(**truth["video"])
        path = target / f"{clip}.npz"
        source = truth["scene"], suite.scenes_dir
        jobs.append(_Job(suite.clip(clip), path, layer, *source, context, video))
    with Workers() as workers:
        workers.map(_draw_again, jobs)


def _draw_again(job: _Job) -> None:
    """Simulate a clip and write one layer of it, frame by frame."""
    layer, video = LAYERS[job.layer], job.video
    spec = load_scene(job.scene, job.scenes_dir).world(job.context, FACTUAL)
    rollout, size = simulate(spec, "end"), (video.width, video.height)
    stored, view = read_ids(job.folder / "ids.mkv"), view_of(spec.camera, size)
    poses = np.stack([*poses_of(rollout, video.steps_per_frame)])
    after = np.concatenate([poses[1:], np.full_like(poses[:1], np.nan)])
    with (
        make_renderer(video.renderer, spec, rollout.bodies, size) as renderer,
        zipfile.ZipFile(job.target, "w") as archive,
    ):
        if not isinstance(renderer, DetailedRenderer):
            raise InputError(f"the renderer {video.renderer} draws no {job.layer}; use raster")
        if job.layer == "shadows":
            with _entry(archive, "objects") as file:
                np.lib.format.write_array(file, np.array(renderer.objects), allow_pickle=False)
        with _entry(archive, layer.name) as file:
            for number in range(len(poses)):
                frame = renderer.render(poses[number])
                if len(stored) != len(poses) or not np.array_equal(frame.ids, stored[number]):
                    raise CheckError(f"expected the ids of {job.folder} in frame {number}")
                shot = Shot(frame, renderer, poses[number], after[number], view)
                array = layer.look(shot)
                _check(array, layer, shot)
                if number == 0:
                    _write_head(file, layer, (len(poses), *array.shape))
                file.write(array.tobytes())


def _check(array: NDArray[Any], layer: Layer, shot: Shot) -> None:
    """Refuse an array that is not as declared."""
    plane = shot.frame.ids.shape
    shapes = {
        "depth_m": plane,
        "normals": (*plane, 3),
        "flow_px": (*plane, 2),
        "shadows": (len(shot.renderer.objects), *plane),
    }
    if (
        array.shape != shapes[layer.name]
        or array.dtype != layer.dtype
        or not layer.within(array, shot)
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
