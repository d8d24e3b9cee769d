"""Where work runs: spawned worker processes that compute the same bits on every machine.

glibc picks its sin, cos and exp by what the processor has; with AVX2 and FMA hidden, every
x86-64 machine with the same glibc takes the same ones. That must be set before a process
starts, so physics and pixels are never computed in the process that the user started.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType
from typing import Any, TypeVar

from simworld.errors import SimworldError

TUNABLES = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F,-AVX2_Usable,-FMA_Usable"
"""Value of GLIBC_TUNABLES in every worker."""

Task = TypeVar("Task")
Result = TypeVar("Result")


def in_worker() -> bool:
    """Tell whether this process computes with the workers' arithmetic."""
    return os.environ.get("GLIBC_TUNABLES") == TUNABLES


@contextmanager
def _worker_environment() -> Iterator[None]:
    wanted = {"GLIBC_TUNABLES": TUNABLES, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _main_module_hidden() -> Iterator[None]:
    """Keep a new process from importing the user's script, which would run it again there.

    So a script may call simworld without a guard; tasks are functions of imported modules.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


class _WorkerProcess(SpawnProcess):
    """A process that starts in the workers' environment, whenever the pool starts it."""

    def start(self) -> None:
        with _worker_environment(), _main_module_hidden():
            super().start()


class _WorkerContext(SpawnContext):
    Process = _WorkerProcess


def _end_with_parent(parent: int) -> None:
    """Let a worker end soon after the process that started it, however that one ended."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


class Workers:
    """A pool of spawned workers; use it as a context manager.

    A worker that is killed breaks the whole pool of the standard library: then the pool is made
    anew, and each task that was under way runs once more, alone, to tell which one it was.
    """

    def __init__(self, count: int | None = None) -> None:
        """Start `count` workers, by default one for each processor."""
        self.count = count or os.cpu_count() or 1
        self._pool = self._start()

    def _start(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            self.count,
            mp_context=_WorkerContext(),
            initializer=_end_with_parent,
            initargs=(os.getpid(),),
        )

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        if error is not None:  # nobody waits any more for what is under way
            for process in list(self._pool._processes.values()):
                process.terminate()
        self._pool.shutdown(cancel_futures=True)

    def call(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Run `function(*arguments)` in a worker and return what it returns."""
        return self.map(functools.partial(_spread, function), [arguments])[0]

    def map(self, function: Callable[[Task], Result], tasks: Iterable[Task]) -> list[Result]:
        """Run `function` on every task; return the results in the tasks' order."""
        return [result for _, result in sorted(self.each(function, tasks), key=lambda r: r[0])]

    def each(
        self, function: Callable[[Task], Result], tasks: Iterable[Task]
    ) -> Iterator[tuple[int, Result]]:
        """Run `function` on every task; yield (index, result) in order of completion.

        Raises:
            SimworldError: A task killed its worker twice.
            Exception: Whatever a task raises, once.
        """
        waiting = deque(enumerate(tasks))
        running: dict[Future[Result], tuple[int, Task]] = {}
        try:
            while waiting or running:
                try:
                    while waiting and len(running) <= self.count:  # one more, so that none idles
                        future = self._pool.submit(function, waiting[0][1])
                        running[future] = waiting.popleft()
                    done, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        result = future.result()
                        yield running.pop(future)[0], result
                except BrokenProcessPool:
                    self._restart()
                    suspects, running = running, {}
                    for future, (index, task) in suspects.items():
                        ended = future.done() and future.exception() is None
                        yield index, future.result() if ended else self._run_alone(function, task)
        finally:
            for future in running:
                future.cancel()

    def _restart(self) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._pool = self._start()

    def _run_alone(self, function: Callable[[Task], Result], task: Task) -> Result:
        try:
            return self._pool.submit(function, task).result()
        except BrokenProcessPool as error:
            self._restart()
            raise SimworldError(
                "a worker process died over this task, and again when it ran alone; perhaps "
                f"there is too little memory. The task: {repr(task)[:200]}"
            ) from error


def _spread(function: Callable[..., Result], arguments: tuple[Any, ...]) -> Result:
    return function(*arguments)
