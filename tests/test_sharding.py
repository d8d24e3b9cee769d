"""Shards share a recipe's work, and what comes out is what one run makes."""

import multiprocessing
from contextlib import ExitStack

import pytest

from simworld.errors import InputError
from simworld.ownership import Shard, owned
from simworld.recipe import load_recipe
from simworld.suite import generate

RECIPE = """
name = "shared"
[video]
width = 96
height = 64
[truth]
sieve_draws = 0
reference_contexts = 1
[[scenes]]
scene = "drop_hatch"
groups = 2
[[scenes]]
scene = "conveyor"
groups = 1
"""


@pytest.fixture
def recipe(tmp_path):
    path = tmp_path / "shared.toml"
    path.write_text(RECIPE, encoding="utf-8")
    return path


def test_three_shards_make_what_one_run_makes(recipe, tmp_path):
    whole = generate(recipe, tmp_path / "whole", workers=2)
    found = [generate(recipe, tmp_path / "parts", workers=1, shard=f"{k}/3") for k in (3, 1, 2)]
    assert [one.get("unfinished") for one in found] == [4, 2, None]
    assert found[-1]["digest"] == whole["digest"]
    assert generate(recipe, tmp_path / "parts", workers=1)["digest"] == whole["digest"]


@pytest.mark.parametrize("text", ["0/2", "3/2", "2", "a/b", "1/2/3", "-1/2", ""])
def test_what_is_no_shard_is_refused(text):
    with pytest.raises(InputError, match="expected a shard such as 2/8"):
        Shard.parse(text)


@pytest.mark.parametrize("count", [1, 3, 7])
def test_every_item_is_some_shards(count):
    items = list(range(17))
    shares = [Shard(k, count).share(items) for k in range(1, count + 1)]
    assert sorted(item for share in shares for item in share) == items


def hold(recipe, out, shard, held, done):
    with owned(out, load_recipe(recipe), {}, shard):
        held.set()
        done.wait(20)


@pytest.mark.parametrize(
    ("first", "second", "free"),
    [
        (Shard(1, 2), Shard(2, 2), True),
        (Shard(1, 2), Shard(1, 2), False),
        (Shard(1, 2), None, False),
        (None, Shard(1, 2), False),
        (None, None, False),
    ],
)
def test_other_shards_may_be_at_work_and_no_other_run(
    recipe, tmp_path, monkeypatch, first, second, free
):
    monkeypatch.setattr("simworld.ownership.PATIENCE_S", 0.2)
    context = multiprocessing.get_context("spawn")
    held, done = context.Event(), context.Event()
    args = (recipe, tmp_path / "out", first, held, done)
    other = context.Process(target=hold, args=args)
    other.start()
    assert held.wait(30)
    with ExitStack() as stack:
        stack.callback(other.join)
        stack.callback(done.set)
        if free:
            stack.enter_context(owned(tmp_path / "out", load_recipe(recipe), {}, second))
        else:
            with pytest.raises(InputError, match="no other run is at work in"):
                stack.enter_context(owned(tmp_path / "out", load_recipe(recipe), {}, second))


def test_a_shard_that_begins_leaves_what_another_is_writing(recipe, tmp_path):
    out = tmp_path / "out"
    loaded = load_recipe(recipe)
    with owned(out, loaded, {}, Shard(1, 2)):
        partial = out / "clips" / ".a-clip.partial"
        partial.mkdir(parents=True)
        with owned(out, loaded, {}, Shard(2, 2)):
            assert partial.is_dir()
    with owned(out, loaded, {}, Shard(2, 2)):
        assert not partial.exists()
