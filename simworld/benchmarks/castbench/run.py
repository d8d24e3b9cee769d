"""Put CaST-Bench's questions to a model, with evidence asked for, given, or neither; score it."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, get_args

from simworld.benchmarks.castbench.metrics import Observation, Settings, result, sizes_px
from simworld.benchmarks.castbench.protocol import Chain, Reply, prompt, read_reply, write_reply
from simworld.benchmarks.castbench.schema import FILE_NAME, Question, read_truth
from simworld.errors import InputError
from simworld.models.base import Answer, Item, Model, Truth
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
        self._settings = Settings(**rest, seed=seed)  # type: ignore[arg-type]  # checked there
        self._truth = read_truth(truth_path)
        self._videos = truth_path.parent / "videos"

    @property
    def settings(self) -> dict[str, Any]:
        """The settings, plain JSON data."""
        return {"chain": self._chain} | asdict(self._settings)

    def run(
        self, model: Model, store: ClaimStore | None, told: Callable[[int, int], None]
    ) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Ask a model everything; return its answers in the authors' format, and its result."""
        chains = CHAINS if self._chain == "all" else [c for c in CHAINS if c == self._chain]
        sizes = self._sizes_px(model)
        rows: list[dict[str, Any]] = []
        observed: dict[Chain, list[Observation]] = {chain: [] for chain in chains}
        for chain in chains:
            for question in self._truth:
                item = self._item(question, chain, model, store)
                answer = model.answer(item)
                reply = self._reply(answer, model, sizes.get(question.video))
                observed[chain].append(Observation(question, reply, answer.status))
                rows.append(_row(item, answer))
                told(len(rows), len(chains) * len(self._truth))
        return rows, self._result(observed)

    def _item(
        self, question: Question, chain: Chain, model: Model, store: ClaimStore | None
    ) -> Item:
        evidences = question.evidences if chain == "self" else ()
        truth = Truth(question.answer, write_reply(question.answer, evidences))
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
            seed=(self._settings.seed, "castbench", question.qa_id, chain),
            claims=store.claims(question.proof, question.qa_id) if store else None,
            truth=truth if model.sees == "truth" else None,
        )

    def _sizes_px(self, model: Model) -> dict[str, tuple[int, int]]:
        thousandths = model.sees == "media" and self._settings.bbox_format.endswith("n1000")
        return sizes_px(self._truth, self._videos) if thousandths else {}

    def _reply(self, answer: Answer, model: Model, size_px: tuple[int, int] | None) -> Reply:
        """Read an answer; the setting of boxes is about models that look, the others copy."""
        if answer.raw is None:
            return Reply(answer.choice, ())
        bbox_format = self._settings.bbox_format if model.sees == "media" else "xyxy_px"
        return read_reply(answer.raw, bbox_format, size_px)

    def _result(self, observed: Mapping[Chain, Sequence[Observation]]) -> dict[str, Any]:
        results = {chain: result(found, self._settings) for chain, found in observed.items()}
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


def _row(item: Item, answer: Answer) -> dict[str, Any]:
    """Return an answer as a line of the authors' predictions file, with our own keys."""
    said = answer.raw if answer.raw is not None else write_reply(answer.choice, ())
    return {
        "prompt": item.prompt,
        "predict": said,
        "qa_id": item.question_id,
        "chain": item.mode,
        "status": answer.status,
    }
