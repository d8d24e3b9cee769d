"""CaST-Bench's protocol: what is asked, and how an answer is read.

An answer is JSON: the instances that are the evidence, each with spans and a box at every second,
and then the option's letter. It is read exactly as the authors' scorer reads it, odd as that is in
places, so that scores can be compared; nothing is repaired and nothing is guessed.
"""

import ast
import json
import math
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from simworld.benchmarks.castbench.schema import (
    LETTERS,
    Box,
    Evidence,
    Question,
    clock_text,
    four_numbers,
    has_area,
)

Chain = Literal["none", "self", "given"]
BoxFormat = Literal["xyxy_px", "yxyx_px", "xyxy_n1000", "yxyx_n1000"]

MAX_SECOND = 10**9
"""Later times count as this one; the authors' scorer runs out of memory long before."""

MAX_BLOCKS = 1000
"""So many blocks that say nothing are tried; an answer is not looked for behind them."""

_FAR = 1e12


@dataclass(frozen=True, slots=True)
class Reply:
    """What an answer says.

    Attributes:
        choice: The letter, whether or not there is such an option; None if none could be read.
        instances: The evidences of each instance, in the order of the answer.
    """

    choice: str | None
    instances: tuple[tuple[Evidence, ...], ...]


_EVIDENCE_SHAPE = """\
{"instances": [{"instance_name": "<name>", "evidences": [{"evidence_start_time": "<mm:ss>", \
"evidence_end_time": "<mm:ss>", "evidence_rationale": "<one sentence>", \
"bboxes_in_time_range": {"<mm:ss>": [x1, y1, x2, y2]}}]}], "answer_choice": "<letter>"}
Give at most three evidences in all. Times are whole seconds, both ends inclusive; give a box at \
each of them, in pixels of the video, as whole numbers."""


def prompt(question: Question, chain: Chain) -> str:
    """Write what a model that reads is told besides the video.

    `chain` says where the evidence comes from: `none`, the bare answer is asked for; `self`, the
    model names its own evidence first; `given`, it is told the true evidence (when and where, and
    what is to be seen there as far as that does not give the answer away).
    """
    options = [f"{key}: {question.options[key]}" for key in LETTERS if key in question.options]
    lines = ["Watch the video and answer a multiple-choice question about it."]
    lines += ["", f"Question: {question.question}", "", "Options:", *options, ""]
    if chain == "given":
        lines += ["Look at this evidence:", *_given(question), ""]
    if chain == "self":
        lines += ["First find the evidence in the video. Reply with one JSON object, no more:"]
        lines += [_EVIDENCE_SHAPE]
    else:
        lines += ["Reply with one JSON object, no more:", '{"answer_choice": "<letter>"}']
    return "\n".join(lines)


def _given(question: Question) -> list[str]:
    """Describe the true evidence without the instances' names, which often are the answer."""
    numbers: dict[str, int] = {}
    lines = []
    for evidence in question.evidences:
        number = numbers.setdefault(evidence.instance, len(numbers) + 1)
        span = f"{clock_text(evidence.start_s)} to {clock_text(evidence.end_s)}"
        kept = " ".join(_harmless_sentences(evidence.rationale, question))
        lines.append(f"- object {number}, {span}{': ' if kept else ''}{kept}")
        lines += [
            f"  {clock_text(second)} {list(map(int, evidence.boxes_xyxy_px[second]))}"
            for second in sorted(evidence.boxes_xyxy_px)
        ]
    return lines


def _harmless_sentences(text: str, question: Question) -> list[str]:
    """Drop each sentence that shares more words with the right option than with any other."""
    wrong = [option for key, option in question.options.items() if key != question.answer]

    def gives_away(sentence: str) -> bool:
        words = _words(sentence)
        shared = len(words & _words(question.options[question.answer]))
        return shared > max((len(words & _words(option)) for option in wrong), default=0)

    sentences = re.split(r"(?<=[.!?])\s+", text.strip())
    return [sentence for sentence in sentences if sentence and not gives_away(sentence)]


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def asked_question(prompt: str) -> str | None:
    """Cut the question out of a prompt in the authors' layout; None if it has another."""
    text = prompt.partition("Question:")[2].lstrip()
    question, mark, _ = text.partition("\nOptions:")
    return question.strip() if mark else None


def write_reply(choice: str | None, evidences: Iterable[Evidence]) -> str:
    """Write an answer as the benchmark wants it.

    Example:
        >>> write_reply("C", [])
        '{"instances": [], "answer_choice": "C"}'
    """
    instances: dict[str, list[dict[str, Any]]] = {}
    for evidence in evidences:
        boxes = evidence.boxes_xyxy_px
        instances.setdefault(evidence.instance, []).append(
            {
                "evidence_start_time": clock_text(evidence.start_s),
                "evidence_end_time": clock_text(evidence.end_s),
                "evidence_rationale": evidence.rationale,
                "bboxes_in_time_range": {
                    clock_text(second): list(map(int, boxes[second])) for second in sorted(boxes)
                },
            }
        )
    items = [{"instance_name": name, "evidences": rows} for name, rows in instances.items()]
    return json.dumps({"instances": items, "answer_choice": choice})


def read_reply(
    raw: str, bbox_format: BoxFormat = "xyxy_px", size_px: tuple[int, int] | None = None
) -> Reply:
    """Read an answer as the authors' scorer does.

    What comes before the first `</think>` is dropped. Of the outermost `{...}` blocks (braces in
    strings count as braces) the first is read that is JSON or else a Python literal, so that a
    trailing comma passes and a `//` comment does not, and that has `instances` or
    `answer_choice`. Blocks inside one that cannot be read are not tried. The choice must be one
    letter, in either case: `E.` is none. Times are read by `read_second`; of two boxes at one
    second of an evidence the later counts, even if it has no area.

    Args:
        raw: What the model said.
        bbox_format: Order of a box's numbers, and whether they are pixels or thousandths.
        size_px: Width and height of the video, for thousandths.

    Example:
        >>> read_reply('My answer: {"answer_choice": "c", "instances": [], }').choice
        'C'
    """
    block = _first_block(raw)
    if block is None:
        return Reply(None, ())
    choice = block.get("answer_choice")
    choice = choice.strip().upper() if isinstance(choice, str) else ""
    instances = block.get("instances")
    return Reply(
        choice if len(choice) == 1 and "A" <= choice <= "Z" else None,
        tuple(
            tuple(
                _evidence(item, bbox_format, size_px)
                for item in _items(instance.get("evidences"))
                if isinstance(item, dict)
            )
            for instance in (instances if isinstance(instances, list) else ())
            if isinstance(instance, dict)
        ),
    )


def _first_block(raw: str) -> Mapping[Any, Any] | None:
    before, mark, after = raw.partition("</think>")
    text = after if mark else before
    start = depth = tried = 0
    for brace in re.finditer(r"[{}]", text):
        if brace.group() == "{":
            start = start if depth else brace.start()
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0:
                block = _parse(text[start : brace.end()])
                if isinstance(block, dict) and ("instances" in block or "answer_choice" in block):
                    return block
                tried += 1
                if tried == MAX_BLOCKS:
                    return None
    return None


def _parse(text: str) -> Any:
    """Parse JSON, else a Python literal, else return None."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd escapes in strings
            return ast.literal_eval(text)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _items(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()


def _evidence(
    item: Mapping[Any, Any], bbox_format: BoxFormat, size_px: tuple[int, int] | None
) -> Evidence:
    given = item.get("bboxes_in_time_range")
    boxes: dict[int, Box] = {}
    for key, value in (given if isinstance(given, dict) else {}).items():
        box = _box(value, bbox_format, size_px)
        second = read_second(key)
        boxes.pop(second, None)
        if box is not None:
            boxes[second] = box
    return Evidence(
        "",
        read_second(item.get("evidence_start_time")),
        read_second(item.get("evidence_end_time")),
        boxes,
    )


def read_second(value: Any) -> int:
    """Read a time as the authors' scorer does: numbers as seconds, else by groups of digits.

    One group is seconds, two are minutes and seconds, three or more begin with hours; none is 0.
    So `00:05.7` is five minutes and seven seconds.

    Example:
        >>> [read_second(value) for value in ("00:07", "7.9", "1:00:07", "00:05.7", None)]
        [7, 7, 3607, 307, 0]
    """
    try:
        text = "" if value is None else str(value).strip()
    except (ValueError, RecursionError):  # a number of thousands of digits, hundreds of brackets
        return 0
    try:
        return min(abs(int(float(text))), MAX_SECOND)
    except (ValueError, OverflowError):
        pass
    total = 0.0
    for digits in re.findall(r"\d+", text)[:3]:
        total = total * 60 + float(digits)
    return int(min(total, MAX_SECOND))


def _box(value: Any, bbox_format: BoxFormat, size_px: tuple[int, int] | None) -> Box | None:
    """Return a box as xyxy pixels; None if it is none or has no area."""
    box = four_numbers(value)
    if box is None:
        return None
    x1, y1, x2, y2 = box
    if bbox_format.startswith("yxyx"):
        x1, y1, x2, y2 = y1, x1, y2, x2
    if bbox_format.endswith("n1000"):
        if size_px is None:
            raise TypeError(f"{bbox_format} boxes were read without the size of the video")
        width, height = size_px
        x1, x2 = _thousandths(x1, width), _thousandths(x2, width)
        y1, y2 = _thousandths(y1, height), _thousandths(y2, height)
    if bbox_format != "xyxy_px":
        x1, y1, x2, y2 = map(math.trunc, (x1, y1, x2, y2))
    box = (float(x1), float(y1), float(x2), float(y2))
    return box if has_area(box) else None


def _thousandths(number: float, side_px: int) -> float:
    """Return thousandths of a side in whole pixels; what is far beyond any side stays finite."""
    return round(max(-_FAR, min(number, _FAR)) * side_px / 1000)
