import hashlib
import subprocess
import sys

import numpy as np
import pytest

from simworld.rng import stream


def draws(*key: str | int) -> list[int]:
    return stream(*key).integers(2**62, size=4).tolist()


def test_a_stream_is_pcg64_seeded_by_the_sha256_of_its_keys_json():
    entropy = int(hashlib.sha256(b'[0,"train","m\\u00fcg",3]').hexdigest(), 16)
    expected = np.random.Generator(np.random.PCG64(entropy)).integers(2**62, size=4).tolist()
    assert draws(0, "train", "müg", 3) == expected


def test_zero_is_a_seed_and_differs_from_one_and_from_its_text():
    assert draws(0, "a") == draws(0, "a")
    assert len({tuple(draws(*key)) for key in [(0, "a"), (1, "a"), ("0", "a"), ("a", 0)]}) == 4


def test_parts_do_not_run_together():
    assert draws("ab", "c") != draws("a", "bc")
    assert draws("a", "b") != draws('a","b')


def test_another_process_with_another_hash_seed_draws_the_same():
    code = "from simworld.rng import stream; print(stream(7, 'mug').integers(2**62))"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONHASHSEED": "123"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(run.stdout) == stream(7, "mug").integers(2**62)


@pytest.mark.parametrize("key", [(), (1.0,), (True,), (None,), (np.int64(3),)])
def test_other_keys_are_refused(key):
    with pytest.raises(TypeError, match="str and int"):
        stream(*key)
