"""Causal2Needles' files: what write, protocol and metrics share.

The benchmark is a folder: `annotations.json` (clips and narration of every movie),
`questions/SOURCE/{1needle,1needle_noncausal,2needle}/MOVIE.json` (texts mapped to positional
lists), `videos/SOURCE/MOVIE.mp4`; and, ours, `windows.json`: the scenes that each question shows,
which the authors' code draws anew at each run. Predictions are JSON lines, one answer a line.

What the authors' code takes is taken here; `written.py` demands more of our own files.
"""

import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar, get_args

from pydantic import Field, model_validator

from simworld.benchmarks.rows import Row, check_row, nearest, read_json, read_rows
from simworld.errors import InputError
from simworld.models.base import Status

Kind = Literal["1needle", "1needle_noncausal", "2needle"]
Task = Literal["1needle", "1needle_noncausal", "2needle_vg", "2needle_id"]
Order = Literal["forward", "reverse"]

KINDS: tuple[Kind, ...] = get_args(Kind)
KINDS_ASKED: Mapping[Task, Kind] = {
    "1needle": "1needle",
    "1needle_noncausal": "1needle_noncausal",
    "2needle_vg": "2needle",
    "2needle_id": "2needle",
}
"""The question file of each task."""
EXPANSION = 5
"""Clips shown besides those from cause to effect, before and after them together."""
MAX_DISTANCE = 21
"""Noncausal questions whose effect lies further behind its cause are not asked."""

R = TypeVar("R", bound=Row)

_ANNOTATION_KEYS = {"symon": "en"}

Text = Annotated[str, Field(min_length=1)]
Index = Annotated[int, Field(ge=0)]
Pair = Annotated[tuple[Index, Index], Field(strict=False)]
TwoTexts = Annotated[tuple[str, str], Field(strict=False)]


@dataclass(frozen=True, slots=True)
class Clip:
    """One clip of a movie: what a sentence of the narration is about."""

    begin_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class TwoParts:
    """What a 2-needle question adds to its pair.

    Attributes:
        cause_text: Replaces the cause's sentence in the narration.
        effect_text: Replaces the effect's sentence in the narration.
        image_question: The image description question, its four options inline.
        image_answer: Its right letter.
        part1: Visual grounding: the part that the effect's clip answers.
        part2: Visual grounding: the part that the cause's clip answers.
    """

    cause_text: str
    effect_text: str
    image_question: str
    image_answer: str
    part1: str
    part2: str


@dataclass(frozen=True, slots=True)
class Question:
    """One entry of a question file. `cause` and `effect` are clip indices, from 0."""

    text: str
    cause: int
    effect: int
    parts: TwoParts | None = None

    @property
    def distance(self) -> int:
        """Number of clips from the cause to the effect."""
        return self.effect - self.cause


@dataclass(frozen=True, slots=True)
class Window:
    """The clips `first` to `last`, both shown; `left` of them lie before the cause."""

    left: int
    first: int
    last: int

    @classmethod
    def around(cls, question: Question, padding: int, clips: int) -> Self:
        """Return the window for a drawn padding, 0 to EXPANSION, cut at the movie's ends."""
        left = min(padding, question.cause)
        last = min(question.effect + EXPANSION - left, clips - 1)
        return cls(left, question.cause - left, last)

    def __len__(self) -> int:
        """Count the clips."""
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class Movie:
    """One movie, its questions in the order of their files, and their windows if drawn."""

    source: str
    movie_id: str
    clips: tuple[Clip, ...]
    texts: tuple[str, ...]
    questions: Mapping[Kind, tuple[Question, ...]]
    windows: Mapping[tuple[Kind, str], Window] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the other files call it, such as `yms/0001`."""
        return f"{self.source}/{self.movie_id}"

    @property
    def duration_s(self) -> float:
        """End of the last clip."""
        return max((clip.end_s for clip in self.clips), default=0.0)

    def each(self) -> Iterator[tuple[Kind, Question]]:
        """Go through all questions, kind by kind."""
        return ((kind, q) for kind in KINDS for q in self.questions.get(kind, ()))


class Prediction(Row):
    """One answer. Without `status` it is read from `output`; no output is an error of the model."""

    video: Text
    task: Task
    order: Order
    question: Text
    output: str | None
    status: Status | None = None

    @model_validator(mode="after")
    def _check_output(self) -> Self:
        if self.output is None and self.status in ("ok", "unparsed"):
            raise ValueError(
                f"expected an output with status {self.status!r}, found null; give the model's "
                "words, or status refused, truncated or error"
            )
        return self

    @property
    def key(self) -> tuple[str, Task, Order, str]:
        """What a row is found by."""
        return self.video, self.task, self.order, self.question


class _Clip(Row, extra="ignore"):
    begin_time: float
    end_time: float


class _Movie(Row, extra="ignore"):
    annotations: Annotated[tuple[_Clip, ...], Field(strict=False)]
    texts: Annotated[tuple[str, ...], Field(strict=False)]


class _OneNeedle(Row):
    pair: Pair


class _TwoNeedles(Row):
    pair: Pair
    sentences: TwoTexts
    image: TwoTexts
    parts: TwoTexts


class _Window(Row):
    left: Index
    first: Index
    last: Index


def read_folder(folder: Path) -> list[Movie]:
    """Read every movie that has a question file, synthetic or real, ordered by name.

    Extra keys, further list entries and empty question files are no error, nor is the annotation
    key `en` of the source `symon`. Without a `windows.json` no movie has windows; with one, every
    question has its own, by the authors' rule.

    Raises:
        InputError: A file is missing or is not what it must be; one line says where and why.
    """
    paths = sorted((folder / "questions").glob("*/*/*.json"))
    paths = [path for path in paths if path.parent.name in KINDS]
    if not paths:
        raise InputError(
            f"{folder}: expected question files questions/SOURCE/KIND/MOVIE.json with KIND "
            f"{', '.join(KINDS)}, found none; give the folder that holds annotations.json"
        )
    annotations_path = folder / "annotations.json"
    annotations = _mapping(read_json(annotations_path), str(annotations_path))
    movies = []
    for (source, movie_id), files in groupby(sorted(paths, key=_movie_key), key=_movie_key):
        movie = _read_movie(annotations, annotations_path, source, movie_id)
        questions = {_kind(path): _read_questions(path, movie) for path in sorted(files)}
        clips = tuple(Clip(clip.begin_time, clip.end_time) for clip in movie.annotations)
        movies.append(Movie(source, movie_id, clips, movie.texts, questions))
    windows_path = folder / "windows.json"
    return _with_windows(movies, windows_path) if windows_path.exists() else movies


def _movie_key(path: Path) -> tuple[str, str]:
    return path.parent.parent.name, path.stem


def _kind(path: Path) -> Kind:
    return next(kind for kind in KINDS if kind == path.parent.name)


def _read_movie(annotations: Mapping[str, Any], path: Path, source: str, movie_id: str) -> _Movie:
    key = _ANNOTATION_KEYS.get(source, source)
    movies = annotations.get(key)
    if not isinstance(movies, dict) or movie_id not in movies:
        raise InputError(
            f"{path}: expected the movie {movie_id!r} under {key!r}, since it has questions, found "
            f"{'no such movie' if isinstance(movies, dict) else 'no such key'}; add it"
        )
    return check_row(movies[movie_id], _Movie, f"{path}, {key}/{movie_id}")


def _read_questions(path: Path, movie: _Movie) -> tuple[Question, ...]:
    entries = _mapping(read_json(path), str(path))
    clips = min(len(movie.annotations), len(movie.texts))
    return tuple(_read_question(text, slots, clips, path) for text, slots in entries.items())


def _read_question(text: str, slots: Any, clips: int, path: Path) -> Question:
    where = f"{path}, question {reprlib.repr(text)}"
    if path.parent.name == "2needle":
        row = _slots(slots, _TwoNeedles, where)
        question = Question(text, *row.pair, TwoParts(*row.sentences, *row.image, *row.parts))
    else:
        question = Question(text, *_slots(slots, _OneNeedle, where).pair)
    if not question.cause < question.effect < clips:
        raise InputError(
            f"{where}: expected cause < effect, both among the movie's {clips} clips numbered from "
            f"0, found {question.cause} and {question.effect}; mend the pair"
        )
    return question


def _slots(slots: Any, kind: type[R], where: str) -> R:
    """Check a positional list, entry by entry; entries beyond the named ones are not read."""
    if not isinstance(slots, list):
        raise InputError(f"{where}: expected a list, found {reprlib.repr(slots)}; write the lists")
    return check_row(dict(zip(kind.model_fields, slots, strict=False)), kind, where)


def _with_windows(movies: Sequence[Movie], path: Path) -> list[Movie]:
    document = _mapping(read_json(path), str(path))
    _refuse_strangers(document, [movie.name for movie in movies], "movie", str(path))
    return [_with_own_windows(movie, document.get(movie.name, {}), path) for movie in movies]


def _with_own_windows(movie: Movie, document: Any, path: Path) -> Movie:
    where = f"{path}, {movie.name}"
    kinds = _mapping(document, where)
    _refuse_strangers(kinds, KINDS, "kind", where)
    windows: dict[tuple[Kind, str], Window] = {}
    for kind in KINDS:
        questions = movie.questions.get(kind, ())
        entries = _mapping(kinds.get(kind, {}), f"{where}, {kind}")
        _refuse_strangers(entries, [q.text for q in questions], "question", f"{where}, {kind}")
        for question in questions:
            there = f"{where}, {kind}, question {reprlib.repr(question.text)}"
            if question.text not in entries:
                raise InputError(f"{there}: expected its window, found none; draw it")
            windows[kind, question.text] = _window(entries[question.text], question, movie, there)
    return replace(movie, windows=windows)


def _window(entry: Any, question: Question, movie: Movie, where: str) -> Window:
    row = check_row(entry, _Window, where)
    window = Window(row.left, row.first, row.last)
    limit = min(EXPANSION, question.cause)
    wanted = Window.around(question, min(row.left, limit), len(movie.clips))
    if window != wanted:
        raise InputError(
            f"{where}: expected left at most {limit}, and with it first {wanted.first} and last "
            f"{wanted.last} (cause {question.cause}, effect {question.effect}, {len(movie.clips)} "
            f"clips), found {window.left}, {window.first} and {window.last}; draw the window again"
        )
    return window


def windows_document(movies: Iterable[Movie]) -> dict[str, dict[str, dict[str, dict[str, int]]]]:
    """Return what windows.json holds: movie, kind, question, then left, first and last."""
    document: dict[str, dict[str, dict[str, dict[str, int]]]] = {}
    for movie in movies:
        for (kind, text), window in movie.windows.items():
            document.setdefault(movie.name, {}).setdefault(kind, {})[text] = asdict(window)
    return document


def read_predictions(path: Path, truth: Sequence[Movie] | None = None) -> list[Prediction]:
    """Read a predictions file, and check it against the questions that it answers if given.

    Raises:
        InputError: The file is missing or not such a file, answers a question twice, or answers
            one that the truth does not have; one line says where and why.
    """
    seen: dict[tuple[str, Task, Order, str], int] = {}
    rows = []
    movies = None if truth is None else {movie.name: movie for movie in truth}
    for number, row in read_rows(path, Prediction):
        where = f"{path}, line {number}"
        if movies is not None:
            _check_known(row, movies, where)
        if row.key in seen:
            raise InputError(
                f"{where}: expected one answer to {reprlib.repr(row.question)} of {row.video} in "
                f"task {row.task}, {row.order}, found line {seen[row.key]} as well; remove one"
            )
        seen[row.key] = number
        rows.append(row)
    return rows


def _check_known(row: Prediction, movies: Mapping[str, Movie], where: str) -> None:
    _refuse_strangers([row.video], list(movies), "movie", where)
    kind = KINDS_ASKED[row.task]
    texts = [question.text for question in movies[row.video].questions.get(kind, ())]
    _refuse_strangers([row.question], texts, f"{kind} question of {row.video}", where)
    if row.order == "reverse" and row.task != "2needle_vg":
        raise InputError(
            f"{where}: expected the order forward, since only 2needle_vg is asked in reverse, "
            f"found reverse in task {row.task}; remove the row"
        )


def _refuse_strangers(names: Iterable[str], known: Sequence[str], what: str, where: str) -> None:
    for name in names:
        if name not in known:
            near = nearest(name, known)
            hint = f"the nearest is {reprlib.repr(near)}" if near else "there is none at all"
            raise InputError(
                f"{where}: expected a {what} of the folder, found {reprlib.repr(name)}; {hint}"
            )


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InputError(
            f"{where}: expected a JSON object, found {reprlib.repr(value)}; write the format's own"
        )
    return value
