"""Put CaST-Bench's questions to a model, with evidence asked for, given, or neither; score it."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, cast, get_args

from simworld.benchmarks.castbench.metrics import Observation, Settings, result, sizes_px
from simworld.benchmarks.castbench.protocol import Chain, Reply, prompt, read_reply, write_reply
from simworld.benchmarks.castbench.schema import FILE_NAME, Evidence, Question, read_truth
from simworld.errors import InputError
from simworld.models.base import Item, Model, Part, Truth, is_told
from simworld.models.journal import Keep, Row, ask_anew
from simworld.models.payload import ClaimStore

CHAINS: tuple[Chain, ...] = get_args(Chain)


class CastBenchRun:
    """Every question once in each chain: `none`, `self`, `given`, or one of them alone.

    The metrics are those of `self`, the only one in which a model names evidence; of the others
    there is `accuracy_none` and `accuracy_given`.
    """

    FILE_NAME: ClassVar[str] = FILE_NAME
    SETTINGS: ClassVar[tuple[str, ...]] = ("chain", "preset", "bbox_format")

    def __init__(self, truth_path: Path, settings: Mapping[str, str], seed: int) -> None:
        """Read the truth.

        Raises:
            InputError: The file or a setting is not what it must be.
        """
        rest = dict(settings)
        self._chain = rest.pop("chain", "all")
        if self._chain not in (*CHAINS, "all"):
            known = ", ".join((*CHAINS, "all"))
            raise InputError(f"expected chain to be one of {known}, found {self._chain!r}")
        self.chains = CHAINS if self._chain == "all" else (cast(Chain, self._chain),)
        self.scoring = Settings(**rest, seed=seed)  # type: ignore[arg-type]  # checked there
        self.truth = read_truth(truth_path)
        self._videos = truth_path.parent / "videos"

    @property
    def settings(self) -> dict[str, Any]:
        """The settings, plain JSON data."""
        return {"chain": self._chain} | asdict(self.scoring)

    def run(
        self,
        model: Model,
        store: ClaimStore | None,
        told: Callable[[int, int], None],
        keep: Keep = ask_anew,
    ) -> tuple[list[Row], dict[str, Any]]:
        """Ask a model everything; return its answers in the authors' format, and its result."""
        sizes = self._sizes_px(model)
        rows: list[Row] = []
        observed: dict[Chain, list[Observation]] = {chain: [] for chain in self.chains}
        for chain in self.chains:
            for question in self.truth:
                item = self._item(question, chain, model, store)
                rows.append(keep(_asked(item), partial(_answered, model, item)))
                reply = self._reply(rows[-1]["predict"], model, sizes.get(question.video))
                observed[chain].append(Observation(question, reply, rows[-1]["status"]))
                told(len(rows), len(self.chains) * len(self.truth))
        return rows, self._result(observed)

    def _item(
        self, question: Question, chain: Chain, model: Model, store: ClaimStore | None
    ) -> Item:
        return Item(
            benchmark="castbench",
            question_id=question.qa_id,
            mode=chain,
            prompt=prompt(question, chain),
            question=question.question,
            options={letter: text for letter, text in question.options.items()},
            video=self._videos / question.video,
            shown=(),
            previous_id=None,
            seed=(self.scoring.seed, "castbench", question.qa_id, chain),
            claims=store.claims(question.proof, question.qa_id) if store else None,
            truth=_truth(question, chain) if is_told(model) else None,
        )

    def _sizes_px(self, model: Model) -> dict[str, tuple[int, int]]:
        thousandths = model.sees == "media" and self.scoring.bbox_format.endswith("n1000")
        return sizes_px(self.truth, self._videos) if thousandths else {}

    def _reply(self, said: str, model: Model, size_px: tuple[int, int] | None) -> Reply:
        """Read an answer; the setting of boxes is about models that look, the others copy."""
        bbox_format = self.scoring.bbox_format if model.sees == "media" else "xyxy_px"
        return read_reply(said, bbox_format, size_px)

    def _result(self, observed: Mapping[Chain, Sequence[Observation]]) -> dict[str, Any]:
        results = {chain: result(found, self.scoring) for chain, found in observed.items()}
        whole = results.get("self") or next(iter(results.values())) | {"metrics": {}, "strata": {}}
        others = {
            f"accuracy_{chain}": found["metrics"]["accuracy"]
            for chain, found in results.items()
            if chain != "self"
        }
        statuses: Counter[str] = Counter()
        for found in results.values():
            statuses.update(found["status_counts"])
        return whole | {
            "settings": {"chain": self._chain} | whole["settings"],
            "status_counts": dict(statuses),
            "metrics": whole["metrics"] | others,
        }


def _truth(question: Question, chain: Chain) -> Truth:
    """Say what is right: the letter and, where it is asked for, the evidence."""
    spans = sorted((e.start_s, e.end_s + 1) for e in question.evidences)
    evidences = question.evidences if chain == "self" else ()
    parts = (Part("answer", question.answer, tuple(question.options)),)
    return Truth(
        question.answer,
        write_reply(question.answer, evidences),
        (*parts, Part("evidence", "right")) if evidences else parts,
        partial(_word, evidences),
        spans[0] if spans else None,
        spans[-1] if spans else None,
    )


def _word(evidences: Sequence[Evidence], keys: Sequence[str]) -> str:
    """Word an answer; wrong evidence is the right one at a time when none of it is right."""
    letter, *found = keys
    if found == ["right"] or not evidences:
        return write_reply(letter, evidences)
    later_s = max(e.end_s for e in evidences) + 1 - min(e.start_s for e in evidences)
    moved = [
        replace(
            evidence,
            start_s=evidence.start_s + later_s,
            end_s=evidence.end_s + later_s,
            boxes_xyxy_px={t + later_s: box for t, box in evidence.boxes_xyxy_px.items()},
        )
        for evidence in evidences
    ]
    return write_reply(letter, moved)


def _asked(item: Item) -> Row:
    """Return what a line of the authors' predictions file says of a question, and our own keys."""
    return {"prompt": item.prompt, "qa_id": item.question_id, "chain": item.mode}


def _answered(model: Model, item: Item) -> Row:
    answer = model.answer(item)
    said = answer.raw if answer.raw is not None else write_reply(answer.choice, ())
    return {"predict": said, "status": answer.status}
