import time

import pytest

from simworld.executors import Workers


def test_an_interruption_does_not_wait_for_what_is_under_way() -> None:
    with pytest.raises(KeyboardInterrupt), Workers(1) as workers:
        results = workers.each(time.sleep, [0, 60, 60])
        next(results)
        interrupted_s = time.perf_counter()
        raise KeyboardInterrupt
    assert time.perf_counter() - interrupted_s < 10
