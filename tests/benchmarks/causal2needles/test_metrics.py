import json
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simworld.benchmarks.causal2needles.metrics import METRICS, floors, result, score
from simworld.benchmarks.causal2needles.prompts import choices, words
from simworld.benchmarks.causal2needles.protocol import asks, draw_windows, settle
from simworld.benchmarks.causal2needles.schema import (
    Clip,
    Movie,
    Question,
    TwoParts,
    Window,
    read_folder,
    windows_document,
)
from simworld.errors import InputError
from simworld.models.base import Answer

PARTS = TwoParts("Cause.", "Effect.", "Q A. B. C. D.", "C", "P1?", "P2?")
VG = [name for name in METRICS if name.startswith("vg")]


@pytest.fixture
def folder(write_folder, document, two_needles):
    """Write two movies, of 80 and 700 s, with windows drawn by seed 5; 14 answers, 1 left out."""
    one = {"A?": [[6, 10]], "B?": [[1, 9]]}
    two = {"C?": two_needles(2, 5, "B", "1"), "D?": two_needles(0, 12, "D", "2")}
    noncausal = {"E?": [[6, 10]], "F?": [[6, 10]]}
    files = {
        "annotations.json": {"yms": {"0001": document(20), "0002": document(35, 20.0)}},
        "questions/yms/1needle/0001.json": one,
        "questions/yms/1needle/0002.json": {"A?": [[20, 25]]},
        "questions/yms/1needle_noncausal/0001.json": noncausal,
        "questions/yms/1needle_noncausal/0002.json": {"G?": [[3, 30]]},
        "questions/yms/2needle/0001.json": two,
        "questions/yms/2needle/0002.json": {"C?": two_needles(7, 14, "B", "3")},
    }
    root = write_folder(files)
    movies = draw_windows(read_folder(root), seed=5)
    (root / "windows.json").write_text(json.dumps(windows_document(movies)), encoding="utf-8")
    return root


def row(ask, output, **extra):
    return {
        "video": ask.movie.name,
        "task": ask.task,
        "order": ask.order,
        "question": ask.question.text,
        "output": output,
    } | extra


def right_row(ask, **extra):
    return row(ask, words(ask, ask.right), **extra)


@pytest.fixture
def scored(folder, tmp_path, write_rows):
    def run(make, **options):
        rows = [made for ask in asks(read_folder(folder)) if (made := make(ask)) is not None]
        return score(folder, write_rows(tmp_path / "p.jsonl", rows), **options)

    return run


def values(document):
    return {name: metric["value"] for name, metric in document["metrics"].items()}


def test_right_answers_score_one_everywhere(scored):
    document = scored(right_row)
    assert values(document) == dict.fromkeys(METRICS, 1.0)
    assert document["benchmark"] == "causal2needles" and document["n"] == 2
    assert document["status_counts"] == {
        "ok": 14, "unparsed": 0, "refused": 0, "truncated": 0, "error": 0,
    }  # fmt: skip
    assert document["left_out"] == 1
    ns = {name: metric["n"] for name, metric in document["metrics"].items()}
    assert ns == dict.fromkeys(METRICS, 3) | {"noncausal_1n": 2}


def test_a_document_worked_out_by_hand(scored):
    def make(ask):
        part1, part2 = (*ask.right, "")[:2]
        match ask.task, ask.order, ask.movie.movie_id, ask.question.text:
            case "1needle_noncausal", _, _, "F?":
                return row(ask, "no idea")
            case "1needle", _, "0002", _:
                return row(ask, None)
            case "1needle", _, _, "B?":
                return row(ask, "", status="refused")
            case "2needle_vg", "forward", _, "C?":
                return row(ask, f"Scene {part1} for Part 1.")
            case "2needle_vg", "reverse", "0001", "C?":
                return row(ask, f"Scene {part2} for Part 2 and Scene 99 for Part 1.")
            case "2needle_vg", "reverse", _, "D?":
                return row(ask, "9 and 9")
            case "2needle_id", _, _, "D?":
                return row(ask, "A blue thing: D")
        return right_row(ask)

    document = scored(make)
    assert values(document) == pytest.approx({
        "noncausal_1n": 1 / 2, "causal_1n": 1 / 3,
        "vg_forward_part1": 1.0, "vg_forward_part2": 1 / 3, "vg_forward_both": 1 / 3,
        "vg_reverse_part1": 1 / 3, "vg_reverse_part2": 2 / 3, "vg_reverse_both": 1 / 3,
        "vg_avg_part1": 2 / 3, "vg_avg_part2": 1 / 2, "vg_avg_both": 1 / 3,
        "id_2n": 2 / 3,
    })  # fmt: skip
    assert document["status_counts"] == {
        "ok": 10, "unparsed": 2, "refused": 1, "truncated": 0, "error": 1,
    }  # fmt: skip
    distance = document["strata"]["distance"]
    assert list(distance) == ["3-5", "6-8", "12-21"]
    assert values(distance["3-5"])["causal_1n"] == 1 / 2
    assert values(distance["12-21"])["vg_reverse_both"] == 0.0
    assert values(distance["12-21"])["causal_1n"] is None
    assert distance["6-8"]["metrics"]["vg_avg_part1"]["value"] == 1.0
    duration = document["strata"]["duration"]
    assert list(duration) == ["60-180 s", "600+ s"]
    assert values(duration["600+ s"])["causal_1n"] == 0.0
    assert [part["n"] for part in duration.values()] == [1, 1]


def test_movies_are_what_intervals_draw(scored):
    metrics = scored(right_row)["metrics"]
    assert metrics["causal_1n"]["ci_low"] == pytest.approx(0.025**0.5)  # 2 movies, 3 questions
    assert metrics["noncausal_1n"]["ci_low"] == pytest.approx(0.025)

    def first_movie_alone(ask):
        return right_row(ask) if ask.movie.movie_id == "0001" else row(ask, "0")

    found = scored(first_movie_alone)["metrics"]["causal_1n"]
    assert (found["ci_low"], found["ci_high"]) == (0.0, 1.0)


def test_a_run_is_whole_or_absent(scored):
    document = scored(lambda ask: right_row(ask) if ask.order == "reverse" else None)
    got = values(document)
    assert {name for name, value in got.items() if value is not None} == {
        "vg_reverse_part1", "vg_reverse_part2", "vg_reverse_both",
    }  # fmt: skip
    assert document["floors"]["vg_avg_both"] == {"chance": None, "constant": None}
    assert document["left_out"] == 0
    said = r"found none to 'A\?' \(yms/0001, 1needle, forward\), 'A\?' \(yms/0002, 1needle, forw"
    with pytest.raises(InputError, match=said):
        scored(lambda ask: None if ask.question.text == "A?" else right_row(ask))


def test_a_file_without_rows_or_a_folder_without_windows_is_refused(folder, scored):
    with pytest.raises(InputError, match="expected answers to the questions of one run at least"):
        scored(lambda ask: None)
    (folder / "windows.json").unlink()
    with pytest.raises(InputError, match=r"windows\.json, found none; which scenes were shown"):
        score(folder, folder / "p.jsonl")


def test_an_answer_to_a_question_that_is_left_out_is_not_counted(folder, tmp_path, write_rows):
    asked = [ask for ask in asks(read_folder(folder)) if ask.task == "1needle_noncausal"]
    rows = [right_row(ask) for ask in asked]
    extra = row(asked[0], "1") | {"video": "yms/0002", "question": "G?"}
    document = score(folder, write_rows(tmp_path / "p.jsonl", [*rows, extra]))
    assert document["metrics"]["noncausal_1n"]["n"] == 2 and document["left_out"] == 1


def test_the_order_of_the_rows_changes_nothing_and_the_document_is_strict_json(
    folder, tmp_path, write_rows
):
    rows = [right_row(ask) for ask in asks(read_folder(folder))]
    rows[3]["output"] = "0"
    one = score(folder, write_rows(tmp_path / "1.jsonl", rows))
    other = score(folder, write_rows(tmp_path / "2.jsonl", rows[::-1]))
    assert json.dumps(one, allow_nan=False) == json.dumps(other, allow_nan=False)


# The floors


def unclipped(distances=(4,), paddings=range(6), kind="2needle"):
    """Return one movie with a question for each distance and each padding, none of them cut."""
    questions, windows = [], {}
    for distance, padding in product(distances, paddings):
        q = Question(f"{distance}/{padding}?", 20, 20 + distance, PARTS if "2" in kind else None)
        questions.append(q)
        windows[kind, q.text] = Window.around(q, padding, 80)
    clips = tuple(Clip(2.0 * i, 2.0 * i + 2) for i in range(80))
    return Movie("yms", "0001", clips, ("S.",) * 80, {kind: tuple(questions)}, windows)


def test_chance_is_one_over_the_mean_number_of_scenes_and_its_square():
    floor = floors(asks([unclipped((3, 5))]))  # 9 and 11 scenes
    for name in VG:
        assert floor[name]["chance"] == pytest.approx(1 / 100 if "both" in name else 1 / 10)
    assert floor["id_2n"] == {"chance": 0.25, "constant": 1.0}  # every answer is C here
    assert floor["causal_1n"] == {"chance": None, "constant": None}


@pytest.mark.parametrize("distance", [3, 4, 10, 21])
def test_a_constant_answer_finds_one_needle_in_six_whatever_the_distance(distance):
    floor = floors(asks([unclipped((distance,), kind="1needle")]))
    assert floor["causal_1n"]["constant"] == pytest.approx(1 / 6)
    assert floor["causal_1n"]["chance"] == pytest.approx(1 / (distance + 6))
    vg = floors(asks([unclipped((distance,))]))
    assert [vg[name]["constant"] for name in VG] == pytest.approx([1 / 6] * len(VG))


def test_over_many_distances_the_cause_keeps_its_sixth_and_the_effect_does_not():
    floor = floors(asks([unclipped(range(3, 22))]))
    assert floor["vg_forward_part2"]["constant"] == pytest.approx(1 / 6)
    assert floor["vg_reverse_part1"]["constant"] == pytest.approx(1 / 6)
    assert floor["vg_forward_part1"]["constant"] == pytest.approx(1 / 19)
    assert floor["vg_reverse_part2"]["constant"] == pytest.approx(1 / 19)
    assert floor["vg_forward_both"]["constant"] == pytest.approx(1 / (6 * 19))
    assert floor["vg_avg_part1"]["constant"] == pytest.approx((1 / 6 + 1 / 19) / 2)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 6), st.integers(1, 3), st.integers(0, 5)), min_size=1, max_size=6
    )
)
def test_a_floor_is_what_the_best_constant_answer_scores(drawn):
    questions, windows = [], {}
    for i, (cause, distance, padding) in enumerate(drawn):
        q = Question(f"{i}?", cause, cause + distance, PARTS)
        questions.append(q)
        windows["2needle", q.text] = Window.around(q, padding, 10)
    clips = tuple(Clip(2.0 * i, 2.0 * i + 2) for i in range(10))
    movie = Movie("yms", "m", clips, ("S.",) * 10, {"2needle": tuple(questions)}, windows)
    asked = list(asks([movie]))
    floor = floors(asked)
    for order in ("forward", "reverse"):
        run = [a for a in asked if a.task == "2needle_vg" and a.order == order]
        said = {choice for a in run for choice in choices(a)}
        steps = [[settle(a, Answer(choice)).right for a in run] for choice in sorted(said)]
        for part, measure in (("part1", lambda r: r[0]), ("part2", lambda r: r[1]), ("both", all)):
            best = max(sum(measure(right) for right in rights) for rights in steps)
            assert floor[f"vg_{order}_{part}"]["constant"] == pytest.approx(best / len(run))


@settings(max_examples=25, deadline=None)
@given(st.randoms(use_true_random=False))
def test_bounds_that_every_run_keeps(random):
    movie = unclipped((3, 8, 15))
    steps = [settle(ask, Answer(random.choice(choices(ask)))) for ask in asks([movie])]
    got = values(result([movie], steps, 0))
    for order in ("forward", "reverse", "avg"):
        part1, part2, both = (got[f"vg_{order}_{part}"] for part in ("part1", "part2", "both"))
        assert max(0, part1 + part2 - 1) - 1e-9 <= both <= min(part1, part2)
    for part in ("part1", "part2", "both"):
        mean = (got[f"vg_forward_{part}"] + got[f"vg_reverse_{part}"]) / 2
        assert got[f"vg_avg_{part}"] == pytest.approx(mean)
