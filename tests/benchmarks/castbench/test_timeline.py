from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simworld.benchmarks.castbench.schema import Evidence
from simworld.benchmarks.castbench.timeline import (
    Timeline,
    match,
    mean_s_iou,
    t_iou,
    timeline,
    timelines,
    v_iou,
)

SMALL, LARGE, OTHER = (0, 0, 10, 10), (0, 0, 20, 10), (5, 0, 15, 10)


def still(start, end, box=SMALL):
    return Timeline(start, end, dict.fromkeys(range(start, end + 1), box))


def test_one_pair_worked_out_by_hand():
    # Seconds 2 to 5 against 4 to 9: 2 of 8 in common; box IoU 1/3 at 4, no box at 5.
    a = Timeline(2, 5, {4: SMALL, 2: SMALL})
    b = still(4, 9, OTHER)
    assert t_iou(a, b) == 2 / 8
    assert mean_s_iou(a, b) == pytest.approx(1 / 6)
    assert v_iou(a, b) == pytest.approx(1 / 24)


def test_spans_are_inclusive_and_touching_boxes_do_not_overlap():
    assert t_iou(still(3, 3), still(3, 3)) == 1.0
    assert t_iou(still(3, 4), still(5, 6)) == 0.0
    assert v_iou(still(3, 4), still(3, 4, (10, 0, 20, 10))) == 0.0


def test_an_instance_without_evidence_or_with_its_end_first_overlaps_nothing():
    assert timeline(()) == Timeline(0, -1, {})
    for empty in (timeline(()), Timeline(5, 2, {}), Timeline(9, 0, {})):
        assert t_iou(empty, still(0, 9)) == v_iou(empty, still(0, 9)) == 0.0
        assert match([empty], [still(0, 9)], 1, False) == []


def test_a_timeline_spans_its_evidences_and_takes_the_largest_box_inside_its_own_span():
    found = timeline(
        [
            Evidence("a", 6, 7, {6: SMALL, 7: LARGE, 8: LARGE}),
            Evidence("a", 2, 3, {2: SMALL, 3: SMALL, 6: LARGE}),
            Evidence("a", 3, 3, {3: LARGE}),
            Evidence("a", 7, 7, {7: SMALL}),
            Evidence("a", 2, 2, {2: OTHER}),
        ]
    )
    assert found == Timeline(2, 7, {2: SMALL, 3: LARGE, 6: SMALL, 7: LARGE})


def test_instances_are_joined_by_name():
    found = timelines([Evidence("a", 1, 2, {}), Evidence("b", 0, 9, {}), Evidence("a", 7, 8, {})])
    assert found == [Timeline(1, 8, {}), Timeline(0, 9, {})]


def test_time_is_free_so_that_an_answer_cannot_exhaust_memory():
    endless = Timeline(0, 10**9, {0: SMALL})
    assert v_iou(endless, still(0, 1)) == pytest.approx(1e-9)


box = st.tuples(*[st.integers(0, 5)] * 2, *[st.integers(1, 5)] * 2).map(
    lambda b: (b[0], b[1], b[0] + b[2], b[1] + b[3])
)
evidence = st.builds(
    lambda start, length, boxes: Evidence("x", start, start + length, boxes),
    st.integers(0, 8),
    st.integers(0, 5),
    st.dictionaries(st.integers(0, 13), box, min_size=2),
)
instance = st.lists(evidence, min_size=1, max_size=3)


def counted_v_iou(predicted, true):
    """Count pixels and seconds one by one, in exact fractions."""
    spans, pixels = [], []
    for evidences in (predicted, true):
        first, last = min(e.start_s for e in evidences), max(e.end_s for e in evidences)
        spans.append({t for t in range(100) if first <= t <= last})
        by_second = {}
        for t in range(100):
            sets = [
                {(x, y) for x in range(x1, x2) for y in range(y1, y2)}
                for e in evidences
                if e.start_s <= t <= e.end_s and t in e.boxes_xyxy_px
                for x1, y1, x2, y2 in [e.boxes_xyxy_px[t]]
            ]
            by_second[t] = max(sets, key=len, default=set())
        pixels.append(by_second)
    common = spans[0] & spans[1]
    hull = range(min(spans[0] | spans[1]), max(spans[0] | spans[1]) + 1)
    total = Fraction(0)
    for t in common:
        a, b = pixels[0][t], pixels[1][t]
        total += Fraction(len(a & b), len(a | b)) if a and b else 0
    return Fraction(len(common), len(hull)) * (total / len(common) if common else 0)


@given(instance, instance)
def test_v_iou_equals_a_count_of_pixels_and_seconds(predicted, true):
    expected = float(counted_v_iou(predicted, true))
    assert v_iou(timeline(predicted), timeline(true)) == pytest.approx(expected, abs=1e-12)
    assert v_iou(timeline(true), timeline(predicted)) == pytest.approx(expected, abs=1e-12)


def test_too_short_an_overlap_is_no_match():
    assert match([still(0, 4)], [still(4, 9)], 1, False) == [(0, 0)]
    assert match([still(0, 4)], [still(4, 9)], 2, False) == []


def test_the_best_boxes_match_first_and_with_coverage_the_best_v_iou():
    truth = [still(0, 9)]
    exact_but_brief, all_along = still(0, 1), still(0, 9, OTHER)
    assert match([all_along, exact_but_brief], truth, 2, False) == [(1, 0)]
    assert match([all_along, exact_but_brief], truth, 2, True) == [(0, 0)]


def test_ties_go_to_the_longer_overlap_then_to_the_earlier_instance():
    assert match([still(0, 1), still(0, 2)], [still(0, 9)], 2, False) == [(1, 0)]
    assert match([still(0, 2)], [still(1, 2), still(0, 2)], 2, False) == [(0, 1)]
    twins = [still(0, 2), still(0, 2)]
    assert match(twins, twins, 2, False) == [(0, 0), (1, 1)]
    assert match(twins, [still(0, 2)], 2, False) == [(0, 0)]


@settings(deadline=None)
@given(
    st.lists(instance.map(timeline), max_size=4),
    st.lists(instance.map(timeline), max_size=4),
    st.integers(1, 2),
    st.booleans(),
)
def test_matching_is_the_assignment_that_no_better_pair_could_improve(
    predicted, true, eps, coverage
):
    score = v_iou if coverage else mean_s_iou

    def rank(i, j):
        a, b = predicted[i], true[j]
        common = min(a.end_s, b.end_s) - max(a.start_s, b.start_s) + 1
        return (score(a, b), common, -i, -j) if common >= eps and score(a, b) > 0 else None

    pairs = match(predicted, true, eps, coverage)
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
    all_pairs = [(i, j) for i in range(len(predicted)) for j in range(len(true))]
    for i, j in all_pairs:
        if rank(i, j) is None:
            assert (i, j) not in pairs
        elif (i, j) not in pairs:
            rivals = [rank(*pair) for pair in pairs if pair[0] == i or pair[1] == j]
            assert any(rival > rank(i, j) for rival in rivals)
