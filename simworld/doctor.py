"""What this machine has and lacks for simworld, and the line that mends each lack."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

NEEDED_PYTHON = (3, 11)
SPARE_BYTES = 10**9
VIDEO_FRAMES = 3


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at.

    Attributes:
        name: what was looked at.
        ok: whether it is as it should be.
        found: what there is, in words.
        mend: the line that mends it; empty where nothing is wrong.
        needed: whether simworld cannot work without it.
    """

    name: str
    ok: bool
    found: str
    mend: str = ""
    needed: bool = True

    def __str__(self) -> str:
        """Say it on one line, and the mending on another."""
        mark = "ok  " if self.ok else "LACK" if self.needed else "note"
        return f"{mark} {self.name}: {self.found}" + (f"\n     {self.mend}" if self.mend else "")

    def to_json(self) -> dict[str, object]:
        """Return the finding as plain JSON data."""
        return asdict(self)


def examine() -> list[Finding]:
    """Look at Python, the platform, the dependencies, physics, video, processors and disk."""
    findings = [_python(), _system(), *_dependencies()]
    if all(finding.ok for finding in findings if finding.needed):
        findings += [_physics(), _video()]
    return [*findings, _processors(), _disk()]


def _python() -> Finding:
    version = platform.python_version()
    if sys.version_info < NEEDED_PYTHON:
        return Finding("python", False, version, "install Python 3.11 and make a new environment")
    if sys.version_info[:2] == NEEDED_PYTHON:
        return Finding("python", True, version)
    mend = "pybullet has wheels up to Python 3.11: with a later one pip compiles it"
    return Finding("python", False, version, mend, needed=False)


def _system() -> Finding:
    """Tell whether this is the platform on which the bits of a suite are promised."""
    libc, version = platform.libc_ver()
    found = f"{platform.system()} {platform.machine()}, {libc or 'no glibc'} {version}".strip()
    if platform.system() == "Linux" and platform.machine() == "x86_64" and libc == "glibc":
        return Finding("platform", True, found)
    mend = "suites can be made here, but their digests are promised on x86-64 Linux with glibc only"
    return Finding("platform", False, found, mend, needed=False)


def _dependencies() -> Iterator[Finding]:
    """Look up each package that simworld requires, extras left out."""
    for requirement in importlib.metadata.requires("simworld") or []:
        wanted, _, marker = requirement.partition(";")
        if "extra" in marker:
            continue
        name = re.split(r"[^\w.-]", wanted, maxsplit=1)[0]
        try:
            yield Finding(name, True, importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            mend = f"{sys.executable} -m pip install '{wanted.strip()}'"
            yield Finding(name, False, "not installed", mend)


def _physics() -> Finding:
    """Let a ball fall for half a second in a worker and compare with g t^2 / 2."""
    from simworld.executors import Workers

    try:
        with Workers(1) as workers:
            fall_m = workers.call(_fall_m)
    except Exception as error:
        mend = f"{sys.executable} -m pip install --force-reinstall pybullet"
        return Finding("physics", False, f"a worker cannot simulate: {error}", mend)
    expected_m = 9.81 * 0.5**2 / 2
    ok = abs(fall_m - expected_m) < 0.02
    found = f"a ball fell {fall_m:.3f} m in half a second (free fall: {expected_m:.3f} m)"
    return Finding("physics", ok, found)


def _fall_m() -> float:
    """Simulate the falling ball; runs in a worker."""
    from simworld.world.simulate import simulate
    from simworld.world.spec import Body, Camera, Sphere, WorldSpec

    ball = Body("ball", Sphere(0.1), (0.0, 0.0, 5.0), mass_kg=1.0)
    camera = Camera(eye_m=(3.0, 0.0, 1.0), target_m=(0.0, 0.0, 1.0))
    rollout = simulate(WorldSpec((ball,), (), camera, duration_steps=120, detectors={}))
    height_m = rollout.states[:, rollout.index("ball"), 2]
    return float(height_m[0] - height_m[-1])


def _video() -> Finding:
    """Write a tiny video and count its frames by decoding it."""
    import numpy as np

    from simworld.video import VideoWriter, probe

    frame = np.zeros((32, 48, 3), np.uint8)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "video.mp4"
        try:
            with VideoWriter(path, (48, 32), fps=12) as writer:
                for _ in range(VIDEO_FRAMES):
                    writer.write(frame)
            count = probe(path).frame_count
        except Exception as error:
            mend = f"{sys.executable} -m pip install --force-reinstall av"
            return Finding("video", False, f"cannot encode H.264: {error}", mend)
    found = f"{count} of {VIDEO_FRAMES} frames came back from H.264"
    return Finding("video", count == VIDEO_FRAMES, found)


def _processors() -> Finding:
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return Finding("processors", True, str(count))


def _disk() -> Finding:
    free = shutil.disk_usage(Path.cwd()).free
    found = f"{free / 1e9:.1f} GB free in {Path.cwd()}"
    if free > SPARE_BYTES:
        return Finding("disk", True, found)
    return Finding("disk", False, found, "make room, or give --out on another disk", needed=False)
