"""Wrappers: any base model, given less or otherwise than the protocol would give it.

`current_segment:perception` is perception that is shown the current segment alone; what it loses
by that is what the benchmark asks beyond one segment. Events that a model sees as claims go with
the frames in which they begin, and a blank picture shows none.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

from simworld.models import MODELS, make_model
from simworld.models.base import Answer, Event, Item, Model, Sees, Span, is_told
from simworld.rng import stream
from simworld.video import VideoFacts, probe

View = Callable[[Item], Item]


class Wrapped:
    """A base model behind a view of each item. It sees what its base sees.

    Attributes:
        informed: Whether the view has to know the truth; the base is never handed it by that.
    """

    def __init__(self, name: str, view: View, base: str, informed: bool) -> None:
        self._base: Model = make_model(base)
        self._view = view
        self.name = f"{name}:{base}"
        self.sees: Sees = self._base.sees
        self.informed = informed or is_told(self._base)

    def answer(self, item: Item) -> Answer:
        """Let the base answer what is left of the item."""
        seen = self._view(item)
        return self._base.answer(seen if is_told(self._base) else replace(seen, truth=None))


def _register(name: str, informed: bool = False) -> Callable[[View], View]:
    def add(view: View) -> View:
        @MODELS.register(name)
        def make(base: str) -> Model:
            return Wrapped(name, view, base, informed)

        return view

    return add


@_register("caption_only")
def caption_only(item: Item) -> Item:
    """Read the captions of what would be shown, as far as the file has them; see no picture."""
    shown = tuple(_blank(span) for span in item.shown) or (Span(0, 0, 0),)
    told = " ".join(item.captions)
    view = replace(item, question=f"{told} {item.question}".strip())
    return _showing(replace(view, prompt=f"{told}\n{item.prompt}".strip()), shown)


@_register("single_frame")
def single_frame(item: Item) -> Item:
    """See one frame alone, the middle one of the last segment or scene shown."""
    *earlier, last = _spans(item)
    middle = (last.start_frame + last.stop_frame) // 2
    frame = replace(last, start_frame=middle, stop_frame=middle + 1)
    return _showing(item, (*map(_blank, earlier), frame))


@_register("current_segment")
def current_segment(item: Item) -> Item:
    """See the current segment alone, none of what came before; of scenes, the last."""
    return _showing(item, _spans(item)[-1:])


@_register("full_video")
def full_video(item: Item) -> Item:
    """See the whole video at once: what comes before and after the segments, without a number."""
    if not item.shown:
        return item
    first, last = item.shown[0].start_frame, item.shown[-1].stop_frame
    before, after = Span(0, 0, first), Span(0, last, _facts(item.video).frame_count)
    rest = [span for span in (before, after) if span.start_frame < span.stop_frame]
    return _showing(item, sorted((*item.shown, *rest), key=lambda span: span.start_frame))


@_register("shuffled_segments")
def shuffled_segments(item: Item) -> Item:
    """See segments under each other's numbers; a whole video is cut in four and put together anew.

    The order is drawn, and never the right one.
    """
    spans = item.shown or _quarters(item)
    if len(spans) < 2:
        return item
    rng = stream(*item.seed, "shuffled_segments")
    order = rng.permutation(len(spans)).tolist()
    if order == sorted(order):
        order = [*order[1:], order[0]]
    frames = [(spans[k].start_frame, spans[k].stop_frame) for k in order]
    shown = [Span(s.index, *pair) for s, pair in zip(spans, frames, strict=True)]
    return _showing(item, shown)


@_register("reversed_clips")
def reversed_clips(item: Item) -> Item:
    """See everything played backwards: what came last comes first."""
    claims = item.claims and replace(
        item.claims,
        events=tuple(replace(e, start_step=-e.start_step) for e in item.claims.events),
    )
    return replace(item, backwards=not item.backwards, claims=claims)


@_register("mute_cause", informed=True)
def mute_cause(item: Item) -> Item:
    """See a blank picture while the cause is to be seen."""
    return item if item.truth is None else _without(item, item.truth.cause_s)


@_register("mute_effect", informed=True)
def mute_effect(item: Item) -> Item:
    """See a blank picture while the effect is to be seen."""
    return item if item.truth is None else _without(item, item.truth.effect_s)


def _spans(item: Item) -> tuple[Span, ...]:
    return item.shown or (Span(0, 0, _facts(item.video).frame_count),)


def _quarters(item: Item) -> tuple[Span, ...]:
    count = _facts(item.video).frame_count
    cuts = pairwise(count * k // 4 for k in range(5))
    return tuple(Span(0, start, stop) for start, stop in cuts)


def _without(item: Item, hidden_s: tuple[float, float] | None) -> Item:
    """Blank the frames `[start, stop)` seconds; what is left keeps its numbers."""
    if hidden_s is None:
        return item
    start, stop = (round(second * float(_facts(item.video).fps)) for second in hidden_s)
    shown: list[Span] = []
    for span in _spans(item):
        before = replace(span, stop_frame=max(span.start_frame, min(span.stop_frame, start)))
        after = replace(span, start_frame=min(span.stop_frame, max(span.start_frame, stop)))
        kept = [part for part in (before, after) if part.start_frame < part.stop_frame]
        shown += kept or [_blank(span)]
    return _showing(item, shown)


def _blank(span: Span) -> Span:
    return replace(span, stop_frame=span.start_frame)


def _showing(item: Item, shown: Sequence[Span]) -> Item:
    """Show these spans and no others; of the events, those that begin in them."""
    claims = item.claims and replace(
        item.claims, events=tuple(e for e in item.claims.events if _begins_in(e, shown))
    )
    return replace(item, shown=tuple(shown), claims=claims)


def _begins_in(event: Event, shown: Sequence[Span]) -> bool:
    return any(span.start_frame <= event.start_frame < span.stop_frame for span in shown)


@cache
def _facts(video: Path) -> VideoFacts:
    return probe(video)
