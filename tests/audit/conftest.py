import shutil
from contextlib import nullcontext

import pytest

from simworld.audit import audit, inspection, replays, twins
from simworld.store import Suite, sha256_of


@pytest.fixture
def forged(small_suite, tmp_path):
    """A copy of the small suite, to be changed."""
    folder = tmp_path / "suite"
    shutil.copytree(small_suite, folder)
    return folder


@pytest.fixture(scope="session")
def done():
    """What audits of this session have simulated and filmed already."""
    return {}


@pytest.fixture
def inspect(workers, done, monkeypatch):
    """Audit a folder; a world that an earlier audit simulated or filmed is not done again.

    The key of a simulation is a digest of its whole world, that of a film its context and the
    bytes of its videos, so a changed suite is simulated and compared as it is.
    """
    simulate, film = replays.simulate_worlds, inspection.film_all
    find = twins.find_different_pixel

    def simulate_once(pool, scenes_dir, worlds, progress):
        new = {digest: setting for digest, setting in worlds.items() if digest not in done}
        done.update(simulate(pool, scenes_dir, new, progress))
        return {digest: done[digest] for digest in worlds}

    def film_once(pool, jobs):
        keys = [
            (
                job.scene,
                job.context.digest(),
                job.video,
                *(sha256_of(job.folder / name) for name in ("video.mp4", "ids.mkv")),
            )
            for job in jobs
        ]
        new = [k for k, key in enumerate(keys) if key not in done]
        for index, footage in film(pool, [jobs[k] for k in new]):
            done[keys[new[index]]] = footage
        return [(k, done[key]) for k, key in enumerate(keys)]

    def find_once(pool, job):
        key = tuple((spec.digest(), poses.tobytes()) for spec, _, poses in job.worlds)
        if key not in done:
            done[key] = find(pool, job)
        return done[key]

    monkeypatch.setattr(twins, "find_different_pixel", find_once)
    monkeypatch.setattr(replays, "simulate_worlds", simulate_once)
    monkeypatch.setattr(inspection, "film_all", film_once)
    monkeypatch.setattr(inspection, "Workers", lambda _: nullcontext(workers))
    return audit


@pytest.fixture(scope="session")
def small(small_suite):
    return Suite(small_suite)
