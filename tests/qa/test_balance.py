"""Blocks of worlds in which each option is right once: exact, whatever the truth tables are."""

from collections import Counter, defaultdict
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from simworld.qa.balance import balance, balanceable, left_out, unbalanced
from simworld.qa.items import Evidence, Option, Question

STATEMENTS = "stuvwxyz"


def candidate(number: int, truth: dict[str, bool], scene: str = "s", benchmark: str = "castbench"):
    """Make a world's open candidate: which statements are right there, which wrong."""
    options = [
        Option(
            f"{name} 1.",
            name,
            right,
            None if right else "negation_polarity",
            (f"c{number}:r",),
            wordings=(f"{name} 1.", f"{name} 2."),
            evidence=(Evidence(name, "ball", 0, 2, name),) if right else (),
        )
        for name, right in truth.items()
    ]
    asked = ("What, in video {video}?", "In video {video}, what?")
    return Question(f"{scene}-{number:04d}", f"{scene}{number}", benchmark, "k", 1, asked[0],
                    tuple(options), (), wordings=asked)  # fmt: skip


def alone(right: str, offered: str = STATEMENTS[:6]) -> dict[str, bool]:
    return {name: name == right for name in offered}


truths = st.lists(
    st.dictionaries(st.sampled_from(STATEMENTS), st.booleans(), min_size=1), min_size=1, max_size=40
)


@settings(max_examples=150, deadline=None)
@given(truths, st.integers(0, 3))
def test_each_option_is_right_in_equally_many_worlds_and_wrong_in_the_others(tables, seed):
    six = [candidate(100 + k, alone(name), scene="six") for k, name in enumerate("stuvwx")]
    made = [candidate(number, table) for number, table in enumerate(tables)]
    blocks = defaultdict(list)
    for question in balance([*made, *six], seed=seed):
        known = {**dict(enumerate(tables)), **{100 + k: alone(n) for k, n in enumerate("stuvwx")}}
        table = known[int(question.group.rpartition("-")[2])]
        right, *wrong = question.options
        assert table[right.claim] and not any(table[option.claim] for option in wrong)
        assert [e.event for e in question.evidence] == [right.claim]
        assert not question.wordings and not right.wordings and not right.evidence
        texts = frozenset(option.text for option in question.options)
        blocks[question.group[:3], question.question, texts].append(right.text)
    assert blocks
    for (_, _, texts), answers in blocks.items():
        assert 4 <= len(texts) <= 6
        assert Counter(answers) == dict.fromkeys(texts, len(answers) // len(texts))


def test_six_worlds_that_differ_make_a_block_and_a_seventh_is_left_out():
    worlds = [candidate(k, alone(name)) for k, name in enumerate("stuvwxs")]
    chosen = balance(worlds, seed=0)
    assert sorted(question.options[0].claim for question in chosen) == list("stuvwx")
    assert len({question.question for question in chosen}) == 1
    [drop] = left_out(worlds, chosen)
    assert drop.clip in {"s0", "s6"} and drop.kind == "k" and "too few worlds" in drop.reason


def test_what_is_not_settled_in_a_world_is_no_option_there():
    worlds = [candidate(k, alone(name)) for k, name in enumerate("stuvw")]
    worlds.append(candidate(5, alone("x", "stuvx")))
    claims = {o.claim for q in balance(worlds, seed=0) for o in q.options}
    assert claims == set("stuvw")


def test_worlds_of_two_scenes_never_share_a_block():
    worlds = [candidate(k, alone(name), scene="ab"[k % 2]) for k, name in enumerate("stuvwx")]
    others = [candidate(10 + k, alone(name), scene="c") for k, name in enumerate("stuv")]
    assert {q.clip[0] for q in balance([*worlds, *others], seed=0)} == {"c"}


def test_what_is_closed_passes_and_a_suite_too_small_keeps_what_it_can_ask():
    small = candidate(0, {**alone("s", STATEMENTS), "t": True})
    poor = candidate(1, alone("s", "stuv"))
    closed = Question("g-0000", "c", "decisions", "repair", 1, "?", (), ())
    kept, other = balance([small, poor, closed], seed=0)
    assert other == closed
    assert kept.clip == small.clip and len(kept.options) == 6
    assert [option.right for option in kept.options] == [True] + [False] * 5


def test_a_candidate_is_read_back_as_it_was():
    one = candidate(0, alone("s"))
    assert Question.from_json(one.to_json()) == one


def test_more_groups_of_other_scenes_change_no_block():
    worlds = [candidate(k, alone(name)) for k, name in enumerate("stuvwx")]
    others = [candidate(k, alone(name), scene="z") for k, name in enumerate("stuvwx")]
    assert balance([*worlds, *others], seed=0)[:6] == balance(worlds, seed=0)


def test_blocks_that_miss_a_world_are_uneven():
    worlds = [candidate(k, alone(name)) for k, name in enumerate("stuvwx")]
    chosen = balance(worlds, seed=0)
    assert unbalanced(chosen) == [] and balanceable(worlds) == ["castbench"]
    assert unbalanced(chosen[1:]) == ["castbench"]
    assert balanceable(worlds[:3]) == []


def test_worlds_of_a_group_are_asked_alike_where_a_suite_is_too_small():
    offered = STATEMENTS[:7]
    tables = [alone("s", offered), alone("s", offered), alone("t", offered), alone("u", "uvw")]
    made = [replace(candidate(k, table), group="s-0000") for k, table in enumerate(tables)]
    first, same, other = balance([*made, candidate(9, alone("z", "yz"))], seed=0)
    assert [q.clip for q in (first, same, other)] == ["s0", "s1", "s2"]  # the rest has no six
    texts = [frozenset(option.text for option in q.options) for q in (first, same, other)]
    assert len(set(texts)) == 1 and len(texts[0]) == 6
    right = [[o.claim for o in q.options if o.right] for q in (first, same, other)]
    assert right == [["s"], ["s"], ["t"]]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.sampled_from([True, False, None]), min_size=8, max_size=8),
                min_size=1, max_size=3))  # fmt: skip
def test_too_small_a_suite_asks_only_what_is_so(tables):
    known = [
        {name: so for name, so in zip(STATEMENTS, table, strict=True) if so is not None}
        for table in tables
    ]
    made = [replace(candidate(k, table), group="s-0000") for k, table in enumerate(known)]
    for question in balance(made, seed=0):
        table = known[int(question.clip[1:])]
        assert [table[option.claim] for option in question.options] == [True, *[False] * 5]
