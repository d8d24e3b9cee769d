"""How far two instances agree in time and space, and which belong together.

All of it as CaST-Bench's scorer has it. Seconds are whole and spans inclusive.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from simworld.benchmarks.castbench.schema import Box, Evidence


@dataclass(frozen=True, slots=True)
class Timeline:
    """One instance over time: from its first evidence's start to its last one's end.

    Attributes:
        start_s: First whole second.
        end_s: Last whole second, inclusive; before `start_s` if there is no evidence.
        boxes_xyxy_px: Its box at the seconds that have one.
    """

    start_s: int
    end_s: int
    boxes_xyxy_px: Mapping[int, Box]


def timeline(evidences: Sequence[Evidence]) -> Timeline:
    """Join the evidences of one instance.

    A box outside its own evidence's span does not count; of several at one second the largest
    does, the first among equals.
    """
    if not evidences:
        return Timeline(0, -1, {})
    boxes: dict[int, Box] = {}
    for evidence in evidences:
        for second, box in evidence.boxes_xyxy_px.items():
            inside = evidence.start_s <= second <= evidence.end_s
            if inside and (second not in boxes or _area(box) > _area(boxes[second])):
                boxes[second] = box
    return Timeline(min(e.start_s for e in evidences), max(e.end_s for e in evidences), boxes)


def timelines(evidences: Iterable[Evidence]) -> list[Timeline]:
    """Join evidences by the name of their instance, in order of first mention."""
    by_name: dict[str, list[Evidence]] = {}
    for evidence in evidences:
        by_name.setdefault(evidence.instance, []).append(evidence)
    return [timeline(group) for group in by_name.values()]


def overlap_s(a: Timeline, b: Timeline) -> int:
    """Return the number of whole seconds that lie in both spans."""
    return max(0, min(a.end_s, b.end_s) - max(a.start_s, b.start_s) + 1)


def t_iou(a: Timeline, b: Timeline) -> float:
    """Return the temporal IoU: seconds in both spans over seconds from the first to the last."""
    union = max(a.end_s, b.end_s) - min(a.start_s, b.start_s) + 1
    return overlap_s(a, b) / union if union > 0 else 0.0


def mean_s_iou(a: Timeline, b: Timeline) -> float:
    """Return the mean box IoU over the seconds in both spans; a second without a box counts 0."""
    overlap = overlap_s(a, b)
    first, last = max(a.start_s, b.start_s), min(a.end_s, b.end_s)
    both = sorted(t for t in a.boxes_xyxy_px.keys() & b.boxes_xyxy_px.keys() if first <= t <= last)
    total = sum(_box_iou(a.boxes_xyxy_px[t], b.boxes_xyxy_px[t]) for t in both)
    return total / overlap if overlap else 0.0


def v_iou(a: Timeline, b: Timeline) -> float:
    """Return the spatio-temporal IoU: temporal IoU times mean box IoU (`cast_coverage`)."""
    return t_iou(a, b) * mean_s_iou(a, b)


def match(
    predicted: Sequence[Timeline], true: Sequence[Timeline], eps_overlap_s: int, by_v_iou: bool
) -> list[tuple[int, int]]:
    """Pair predicted with true instances, the best pair first, each instance once.

    A pair needs `eps_overlap_s` common seconds and a score above 0. Ties go to the longer overlap,
    then to the earlier predicted, then to the earlier true instance.

    Args:
        predicted: Predicted instances.
        true: True instances.
        eps_overlap_s: Least number of common seconds.
        by_v_iou: Whether a pair's score is its v_iou, or else its mean_s_iou.
    """
    score = v_iou if by_v_iou else mean_s_iou
    candidates = []
    for i, a in enumerate(predicted):
        for j, b in enumerate(true):
            overlap = overlap_s(a, b)
            if overlap >= max(1, eps_overlap_s) and (value := score(a, b)) > 0:
                candidates.append((-value, -overlap, i, j))
    pairs: list[tuple[int, int]] = []
    for _, _, i, j in sorted(candidates):
        if all(i != p and j != t for p, t in pairs):
            pairs.append((i, j))
    return pairs


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _box_iou(a: Box, b: Box) -> float:
    """Return the IoU of two boxes with area, as half-open rectangles."""
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    inter = width * height
    return inter / (_area(a) + _area(b) - inter)
