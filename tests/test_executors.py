"""Work runs in spawned processes of one arithmetic, all of it, and failures are told plainly."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from simworld.errors import InputError, SimworldError
from simworld.executors import TUNABLES, Workers, in_worker


def started_with(name: str) -> str | None:
    """The value of a variable when this process was started, as the C library read it."""
    pairs = Path("/proc/self/environ").read_bytes().decode().split("\0")
    return next((p.partition("=")[2] for p in pairs if p.startswith(f"{name}=")), None)


def double(number: int) -> int:
    return 2 * number


def add(one: int, other: int) -> int:
    return one + other


def fail(number: int) -> int:
    if number == 3:
        raise InputError("expected no 3, found 3")
    return number


def die_at_first(task: tuple[Path, int]) -> int:
    """Kill this worker, once for each marker; say how many processes have tried."""
    marker, number = task
    if number == 0:
        tries = len(marker.read_text()) if marker.exists() else 0
        marker.write_text("x" * (tries + 1))
        if tries == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return tries
    time.sleep(0.02)
    return number


def die(number: int) -> int:
    if number == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_workers_start_with_the_arithmetic_that_all_machines_share(workers):
    assert workers.call(started_with, "GLIBC_TUNABLES") == TUNABLES
    assert {"-AVX2", "-FMA"} <= set(TUNABLES.partition("=")[2].split(","))
    assert workers.call(started_with, "OMP_NUM_THREADS") == "1"
    assert workers.call(in_worker)


def test_the_process_that_the_user_started_is_left_alone(workers):
    workers.call(double, 1)
    assert not in_worker()
    assert os.environ.get("GLIBC_TUNABLES") != TUNABLES


def test_call_passes_every_argument(workers):
    assert workers.call(add, 2, 3) == 5
    assert workers.call(os.getpid) != os.getpid()


def test_each_yields_every_task_once_with_its_index(workers):
    assert sorted(workers.each(double, range(25))) == [(k, 2 * k) for k in range(25)]


def test_map_keeps_the_tasks_order(workers):
    assert workers.map(double, [5, 3, 9, 1]) == [10, 6, 18, 2]
    assert workers.map(double, []) == []


def test_an_error_of_a_task_crosses_over_and_the_workers_go_on(workers):
    with pytest.raises(InputError, match=r"^expected no 3, found 3$"):
        workers.map(fail, range(9))
    assert workers.map(double, [1, 2]) == [2, 4]


def test_a_task_whose_worker_was_killed_runs_again_and_none_is_lost(tmp_path):
    with Workers(2) as workers:
        found = workers.map(die_at_first, [(tmp_path / "marker", k) for k in range(12)])
    assert found == [1, *range(1, 12)]  # the first one's second try


def test_two_tasks_that_are_killed_once_each_are_both_forgiven(tmp_path):
    tasks = [(tmp_path / f"marker{k}", k % 5) for k in range(10)]
    with Workers(2) as workers:
        assert workers.map(die_at_first, tasks) == [1, 1, 2, 3, 4] * 2


def test_a_task_that_kills_its_worker_twice_is_named_in_one_clear_error():
    with Workers(2) as workers:
        with pytest.raises(SimworldError, match=r"died over this task, and again .* task: 4$"):
            workers.map(die, range(8))
        assert workers.map(double, [1, 2, 3]) == [2, 4, 6]  # the pool is whole again


def test_a_call_that_kills_its_worker_is_no_other_error():
    with Workers(1) as workers, pytest.raises(SimworldError, match="died over this task"):
        workers.call(die, 4)


def test_an_interruption_does_not_wait_for_what_is_under_way() -> None:
    with pytest.raises(KeyboardInterrupt), Workers(1) as workers:
        results = workers.each(time.sleep, [0, 60, 60])
        next(results)
        interrupted_s = time.perf_counter()
        raise KeyboardInterrupt
    assert time.perf_counter() - interrupted_s < 10


def test_a_script_without_a_guard_runs_once(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from simworld.executors import Workers\n"
        "print('once', flush=True)\n"
        "with Workers(1) as workers:\n"
        "    print(workers.call(abs, -3))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert done.stdout == "once\n3\n"
