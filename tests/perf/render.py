"""What pixels cost, against pybullet's renderer, the floor of the job, and the encoder alone.

    python -m tests.perf.render [--json] [--rounds N]

One scene: floor, table, eight solids, a mug and the thirty shards of another; 480 x 320 unless
said, all with colour, shadows, ids and depth, ours with smooth edges, textures and what objects
cover as well. Both sides are timed in turn, in one worker, in milliseconds of processor time;
medians. In a typical clip a tenth of the image is touched by what moves or by its shadow.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import numba
import numpy as np

from simworld.annotate.tracker import Tracker
from simworld.executors import Workers
from simworld.render.raster.renderer import RasterRenderer
from simworld.video import IdWriter, VideoWriter
from simworld.world.engine import load_pybullet
from simworld.world.meshes import props
from simworld.world.spec import Body, Box, Breakable, Camera, Cylinder, Mug, Sphere, WorldSpec
from simworld.yuv import rgb_to_yuv420

TOP_M = 0.75
CAMERA = Camera((0.95, -0.95, 1.35), (0.0, 0.0, 0.72), fov_deg=42.0)
SOLIDS = (
    Box((0.045, 0.045, 0.045)), Box((0.03, 0.05, 0.06)), Box((0.06, 0.03, 0.02)), Sphere(0.045),
    Sphere(0.035), Cylinder(0.035, 0.10), Cylinder(0.05, 0.05), Sphere(0.028),
)  # fmt: skip
COLORS = ("red", "blue", "green", "yellow", "purple", "steel", "orange", "white")
SHARDS = 30
TYPICAL = tuple(k for k in range(39) if k % 5 < 3)
"""Of the bodies that can move, those that do in a typical clip: with their shadows they touch a
tenth of the image from frame to frame."""

SIZE, LARGE = (480, 320), (640, 480)
FPS, SECONDS = 24, 10


def scene() -> tuple[WorldSpec, tuple[str, ...], np.ndarray]:
    """Return the world, its bodies in order, and their poses at rest."""
    bodies = [
        Body("floor", Box((3.0, 3.0, 0.05)), (0.0, 0.0, -0.05), color="beige"),
        Body("table", Box((0.6, 0.4, 0.02)), (0.0, 0.0, TOP_M - 0.02), color="brown"),
    ]
    for k in range(4):
        place = (0.54 * (k % 2 * 2 - 1), 0.34 * (k // 2 * 2 - 1), (TOP_M - 0.04) / 2)
        leg = Box((0.025, 0.025, (TOP_M - 0.04) / 2))
        bodies.append(Body(f"leg_{k}", leg, place, color="brown", thing="table"))
    for k, shape in enumerate(SOLIDS):
        place = (-0.3 + 0.2 * (k % 4), -0.15 + 0.3 * (k // 4), TOP_M + 0.06)
        bodies.append(Body(f"solid_{k}", shape, place, mass_kg=0.05, color=COLORS[k]))
    mug = Mug(0.04, 0.1)
    bodies.append(Body("mug", mug, (0.0, -0.02, TOP_M + 0.05), mass_kg=0.2, color="white",
                       material="ceramic"))  # fmt: skip
    broken = Breakable(1.0, sectors=SHARDS // 2, rings=2)
    bodies.append(Body("cup", Mug(0.05, 0.12), (0.0, 0.0, 1.0), mass_kg=0.2, color="grey",
                       breakable=broken, material="ceramic"))  # fmt: skip
    names = (*(body.name for body in bodies), *(f"cup#{k}" for k in range(SHARDS)))
    poses = np.full((len(names), 7), np.nan)
    for row, body in enumerate(bodies[:-1]):
        poses[row] = [*body.position_m, *body.quat_xyzw]
    for k in range(SHARDS):
        place = [-0.4 + 0.16 * (k % 6), -0.27 + 0.13 * (k // 6), TOP_M + 0.02]
        poses[len(bodies) + k] = [*place, 0.0, 0.0, 0.0, 1.0]
    return WorldSpec(tuple(bodies), (), CAMERA, duration_steps=1, detectors={}), names, poses


def moved(rest: np.ndarray, frame: int, who: Sequence[int]) -> np.ndarray:
    """Return the poses of a frame: `who` of the movable bodies drift, hop and turn."""
    poses = rest.copy()
    movable = [row for row in range(6, len(rest)) if not np.isnan(rest[row, 0])]
    for k in who:
        row, phase = movable[k], 0.13 * frame + k
        poses[row, :3] += [0.05 * math.sin(phase), 0.05 * math.cos(1.3 * phase), 0.0]
        poses[row, 2] += 0.03 * abs(math.sin(0.7 * phase))
        poses[row, 3:] = [0.0, 0.0, math.sin(0.2 * phase), math.cos(0.2 * phase)]
    return poses


class Tiny:
    """pybullet's renderer on the same meshes, with its own shadows."""

    def __init__(self, spec: WorldSpec, names: tuple[str, ...], size: tuple[int, int]) -> None:
        self.bullet, self.size = load_pybullet(), size
        self.client = self.bullet.connect(self.bullet.DIRECT)
        self.bodies = []
        for prop in props(spec, names):
            shape = self.bullet.createVisualShape(
                self.bullet.GEOM_MESH,
                vertices=prop.mesh.vertices_m[prop.mesh.faces].reshape(-1, 3).tolist(),
                indices=list(range(prop.mesh.faces.size)),
                normals=prop.mesh.corner_normals().reshape(-1, 3).tolist(),
                rgbaColor=[0.6, 0.6, 0.6, 1.0],
            )
            self.bodies.append(self.bullet.createMultiBody(0.0, -1, shape, [0.0, 0.0, -100.0]))
        camera = spec.camera
        self.view = self.bullet.computeViewMatrix(camera.eye_m, camera.target_m, camera.up)
        self.lens = self.bullet.computeProjectionMatrixFOV(
            camera.fov_deg, size[0] / size[1], camera.near_m, camera.far_m
        )
        self.light = spec.light_direction

    def render(self, poses: np.ndarray) -> None:
        for body, pose in zip(self.bodies, poses.tolist(), strict=True):
            if pose[0] == pose[0]:
                self.bullet.resetBasePositionAndOrientation(body, pose[:3], pose[3:])
        self.bullet.getCameraImage(
            *self.size,
            viewMatrix=self.view,
            projectionMatrix=self.lens,
            lightDirection=self.light,
            lightDistance=8.0,
            shadow=1,
            renderer=self.bullet.ER_TINY_RENDERER,
        )


@numba.njit(error_model="numpy")
def test_depths(nearness: np.ndarray, face: np.ndarray, value: float) -> None:
    for i in range(len(nearness)):
        key = np.float32(value)
        nearer = key > nearness[i]
        nearness[i] = key if nearer else nearness[i]
        face[i] = i if nearer else face[i]


@numba.njit(error_model="numpy")
def shade(table: np.ndarray, out: np.ndarray) -> None:
    """150 operations and 20 look-ups for each of 230 thousand pixels."""
    one, mask = np.float32(1.0001), len(table) - 1
    for i in range(len(out)):
        total = np.float32(i)
        for k in range(20):
            total += table[(i * 7 + k * 131) & mask]
        for _ in range(65):
            total = total * one + one
        out[i] = total


def floor_of_the_job() -> Callable[[int], None]:
    """Return what must be done at the least at 640 x 480, whatever the method."""
    nearness, face = np.zeros(1_536_000, np.float32), np.zeros(1_536_000, np.int32)
    table, out = np.ones(1 << 14, np.float32), np.zeros(230_000, np.float32)
    buffers = np.zeros(31_000_000, np.uint8)

    def run(frame: int) -> None:
        test_depths(nearness, face, 1.0 + frame)
        shade(table, out)
        buffers[:] = frame & 1

    return run


def time_in_turn(
    ways: dict[str, Callable[[int], None]], rounds: int, block: int = 1
) -> dict[str, float]:
    """Return the median milliseconds of each way over rounds, the first one left out.

    Each way runs for `block` frames in a row, as a clip's frames do, before the next one does.
    """
    took: dict[str, list[float]] = {way: [] for way in ways}
    for start in range(0, (rounds + 1) * block, block):
        for way, run in ways.items():
            for frame in range(start, start + block):
                began = time.process_time()
                run(frame)
                if start:
                    took[way].append(1e3 * (time.process_time() - began))
    return {way: statistics.median(times) for way, times in took.items()}


def measure_frames(rounds: int) -> dict[str, float]:
    """Time single frames."""
    spec, names, rest = scene()
    movers = range(sum(not np.isnan(row[0]) for row in rest) - 6)
    still, turning = (RasterRenderer(spec, names, SIZE) for _ in range(2))
    large, tiny = RasterRenderer(spec, names, LARGE), Tiny(spec, names, SIZE)

    def all_moving(renderer: RasterRenderer) -> Callable[[int], None]:
        def run(frame: int) -> None:
            eye = (0.95 + 0.002 * math.sin(0.1 * frame), -0.95, 1.35)
            renderer.aim(Camera(eye, CAMERA.target_m, fov_deg=42.0))
            renderer.render(moved(rest, frame, movers))

        return run

    took = time_in_turn(
        {
            "typical": lambda frame: still.render(moved(rest, frame, TYPICAL)),
            "moving": all_moving(turning),
            "tiny": lambda frame: tiny.render(moved(rest, frame, movers)),
            "large": all_moving(large),
            "floor": floor_of_the_job(),
        },
        rounds,
        block=6,
    )
    return took


def film(folder: Path) -> None:
    """Make a clip as it is made for a suite: video, lossless ids and tracks."""
    spec, names, rest = scene()
    renderer, tracker = RasterRenderer(spec, names, SIZE), Tracker(spec, names, SIZE)
    with (
        VideoWriter(folder / "video.mp4", SIZE, FPS) as pictures,
        IdWriter(folder / "ids.mkv", SIZE, FPS, len(renderer.objects)) as ids,
    ):
        for number in range(FPS * SECONDS):
            poses = moved(rest, number, TYPICAL)
            frame = renderer.render(poses)
            pictures.write(frame.rgb)
            ids.write(frame.ids)
            tracker.add(frame.ids, poses, frame.amodal)
    tracker.build().save(folder / "tracks.npz")


def copy_and_encode(frames: np.ndarray, planes: list[np.ndarray], folder: Path) -> None:
    """Copy the frames, and let libx264 (veryfast, one thread) encode what they are as YUV."""
    import av

    kept = np.empty_like(frames[0])
    with av.open(str(folder / "plain.mp4"), "w") as file:
        options = {"preset": "veryfast", "crf": "20", "x264-params": "threads=1"}
        stream = file.add_stream("libx264", rate=FPS, options=options)
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        stream.thread_count = 1
        for number, (rgb, yuv) in enumerate(zip(frames, planes, strict=True)):
            kept[:] = rgb
            frame = av.VideoFrame.from_ndarray(yuv, format="yuv420p")
            frame.pts, frame.time_base = number, Fraction(1, FPS)
            file.mux(stream.encode(frame))
        file.mux(stream.encode(None))


def measure_clip(rounds: int) -> dict[str, float]:
    """Time whole clips."""
    spec, names, rest = scene()
    renderer = RasterRenderer(spec, names, SIZE)
    numbers = range(FPS * SECONDS)
    frames = np.stack([renderer.render(moved(rest, n, TYPICAL)).rgb for n in numbers])
    planes = [rgb_to_yuv420(rgb) for rgb in frames]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return time_in_turn(
            {
                "clip": lambda _: film(folder),
                "encode": lambda _: copy_and_encode(frames, planes, folder),
            },
            rounds,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=8)
    chosen = parser.parse_args()
    from tests.perf.render import measure_clip as clip
    from tests.perf.render import measure_frames as single

    with Workers(1) as pool:
        ms = pool.call(single, chosen.rounds) | pool.call(clip, max(3, chosen.rounds // 2))
    pairs = {
        "typical_vs_tiny": ("typical", "tiny"),
        "moving_vs_tiny": ("moving", "tiny"),
        "moving_vs_floor": ("large", "floor"),
        "clip_vs_copy_and_x264": ("clip", "encode"),
    }
    rows = [
        {"name": name, "ours": ms[a], "theirs": ms[b], "ratio": ms[a] / ms[b], "unit": "ms"}
        for name, (a, b) in pairs.items()
    ]
    if chosen.json:
        machine = f"{platform.platform()}, {platform.processor() or platform.machine()}"
        print(json.dumps({"machine": machine, "rows": rows}))
        return
    for row in rows:
        ours, theirs, ratio = row["ours"], row["theirs"], row["ratio"]
        print(f"{row['name']:24} {ours:8.1f} {theirs:8.1f} ms  {ratio:.3f}  ({1 / ratio:.1f} x)")


if __name__ == "__main__":
    main()
