import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simworld.benchmarks.castbench.schema import QUESTION_TYPES, Evidence, Question, read_truth
from simworld.benchmarks.castbench.strict import truth_text
from simworld.errors import CheckError

BALL = Evidence("ball", 0, 1, {0: (0, 5, 20, 30), 1: (4, 5, 319, 239)}, "It rolls.")
QUESTION = Question(
    qa_id="q1",
    video="videos/v1.mp4",
    question="Why did the mug break in video 1?",
    question_type="Causal Explanation",
    scene_category="falling_cup",
    options={letter: f"Because of {letter}." for letter in "ABCDEF"},
    answer="F",
    evidences=(BALL, Evidence("mug", 59, 61, dict.fromkeys((59, 60, 61), (1, 2, 3, 4)))),
    size_px=(320, 240),
    duration_s=61.5,
    group="g",
)


def test_a_line_is_what_the_authors_reader_expects():
    row = json.loads(truth_text([QUESTION]))
    assert list(row)[:7] == [
        "video", "question", "question_type", "scene_category", "options", "answer", "evidence",
    ]  # fmt: skip
    assert (row["answer"], row["qa_id"], row["width"], row["height"]) == ("F", "q1", 320, 240)
    assert json.loads(row["evidence"]) == [
        {
            "evidence_start_time": "00:00",
            "evidence_end_time": "00:01",
            "evidence_instance_id": "ball",
            "evidence_rationale": "It rolls.",
            "bboxes_in_range": {"0": "[0, 5, 20, 30]", "1": "[4, 5, 319, 239]"},
        },
        {
            "evidence_start_time": "00:59",
            "evidence_end_time": "01:01",
            "evidence_instance_id": "mug",
            "evidence_rationale": "",
            "bboxes_in_range": dict.fromkeys(["59", "60", "61"], "[1, 2, 3, 4]"),
        },
    ]


boxes = st.builds(
    lambda x, y, w, h: (x, y, x + w, y + h),
    st.integers(0, 300), st.integers(0, 200), st.integers(1, 19), st.integers(1, 39),
)  # fmt: skip
evidences = st.builds(
    lambda name, start, found: Evidence(
        name, start, start + len(found) - 1, dict(enumerate(found, start)), name * 2
    ),
    st.text(min_size=1, max_size=5),
    st.integers(0, 5000),
    st.lists(boxes, min_size=2, max_size=4),
)


@settings(deadline=None)
@given(st.lists(st.lists(evidences, min_size=1, max_size=3), min_size=1, max_size=4))
def test_what_is_written_reads_back_the_same(tmp_path_factory, found):
    path = tmp_path_factory.mktemp("cast") / "castbench_hf.jsonl"
    questions = [
        replace(
            QUESTION, qa_id=f"q{i}", question=f"Why in video {i}?", evidences=tuple(items),
            question_type=QUESTION_TYPES[i % 4], duration_s=6000.0, scene="s", proof=f"p{i}",
        )
        for i, items in enumerate(found)
    ]  # fmt: skip
    path.write_text(truth_text(questions), encoding="utf-8")
    assert read_truth(path) == questions


def test_a_question_text_that_repeats_is_refused_with_both_lines():
    others = [replace(QUESTION, qa_id=f"q{i}", question=f"Why in video {i}?") for i in (2, 3)]
    with pytest.raises(CheckError, match=r"every question text once, found 'Why .*' in lines 1 an"):
        truth_text([QUESTION, *others, replace(QUESTION, qa_id="q4")])
    with pytest.raises(CheckError, match="every qa_id once, found 'q1' in lines 1 and 2"):
        truth_text([QUESTION, replace(others[0], qa_id="q1")])


def with_boxes(**changes):
    return {"evidences": (replace(BALL, **changes),)}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"question": "Why?\nOptions:"}, "the question on one line"),
        ({"question": ""}, "the question on one line"),
        ({"question_type": "Why (Causal Reasons)"}, "one of Causal Explanation, Counterfactual"),
        ({"options": dict.fromkeys("ABCDEF", "x")}, "four to six options from A on"),
        ({"options": {"A": "x", "B": "y", "C": "z"}}, "four to six options from A on"),
        ({"options": {"A": "w", "B": "x", "C": "y", "F": "z"}}, "four to six options from A on"),
        ({"answer": "G"}, "an answer among the options"),
        ({"video": "/v.mp4"}, "a video inside the folder"),
        ({"video": "v.avi"}, "a video inside the folder"),
        ({"size_px": None}, "the video's size and duration, found none"),
        ({"evidences": ()}, "at least one evidence"),
        (with_boxes(instance=""), "a name for the instance, found none; name it (evidence 1)"),
        (with_boxes(end_s=0), "two or more seconds within the 61.5 s shown, found 0 to 0"),
        (with_boxes(start_s=60, end_s=62), "two or more seconds within the 61.5 s shown"),
        (with_boxes(end_s=2), "a box at every second of 0 to 2 alone, found second 2 to differ"),
        (with_boxes(boxes_xyxy_px={1: (1, 2, 3, 4)}), "found second 0 to differ"),
        (with_boxes(boxes_xyxy_px={0: (1, 2, 1, 4), 1: (1, 2, 3, 4)}), "with area inside 320x240"),
        (with_boxes(boxes_xyxy_px={0: (1, 2, 320, 4), 1: (1, 2, 3, 4)}), "with area inside"),
        (with_boxes(boxes_xyxy_px={0: (1, 2, 3, 4), 1: (1, 2, 3.5, 4)}), "at second 1"),
    ],
)
def test_what_would_lose_points_under_the_authors_scorer_is_refused(changes, said):
    with pytest.raises(CheckError) as caught:
        truth_text([replace(QUESTION, qa_id="q0", question="Why?"), replace(QUESTION, **changes)])
    assert str(caught.value).startswith("castbench_hf.jsonl, line 2: expected ")
    assert said in str(caught.value)
