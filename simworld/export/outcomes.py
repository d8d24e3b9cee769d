"""Every rollout of a suite as a row of a table: what was set, what was done, what came out.

For each scene a folder with `outcomes.csv`, a row for each rollout, and `contexts.csv`, a row for
each context with its numbers and nuisances. In `outcomes.csv`:

- `rollout`: its id; `clips`: the clips whose truth rests on it, none if only the mechanism does;
- `context`: the context's digest, as in `contexts.csv`; `noisy`: 1 if noise was added to it;
- `means`: `handle`, or `staged:NAME`, whose world is one of other settings with nothing done to it;
- `void`: 1 if the handle failed, so that nothing may be concluded from it;
- `do`: the intervention; `targets`: the variables that it sets, none in an observation;
- a column for each setting with its level, then one for each condition and event with its value.

Lists are separated by spaces.
"""

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from simworld.causal import SCM, Intervention
from simworld.errors import InputError
from simworld.export import EXPORTERS
from simworld.export.models import model_of, scenes_of
from simworld.store import Suite, write_text

COLUMNS = ("rollout", "clips", "context", "noisy", "means", "void", "do", "targets")


@EXPORTERS.register("outcomes")
def outcomes(suite: Suite, target: Path) -> None:
    """Write each scene's `outcomes.csv` and `contexts.csv`."""
    clips: defaultdict[str, list[str]] = defaultdict(list)
    for clip in suite.clip_ids:
        clips[suite.truth(clip)["scene"]].append(clip)
    for scene in scenes_of(suite):
        scm = model_of(suite, scene)
        rows: dict[str, dict[str, Any]] = {}
        contexts: dict[str, dict[str, Any]] = {}
        for clip, record in _records(suite, scene, clips[scene]):
            contexts |= record["contexts"]
            for rollout, run in record["rollouts"].items():
                row = rows.setdefault(rollout, _row(scm, rollout, run, record["contexts"]))
                row["clips"] = f"{row['clips']} {clip}".strip()
        names = (*COLUMNS, *scm.exogenous, *scm.endogenous)
        _write(target / scene / "outcomes.csv", names, (rows[key] for key in sorted(rows)))
        settings = [
            {"context": digest, **context["numbers"], **context["nuisances"]}
            for digest, context in sorted(contexts.items())
        ]
        _write(target / scene / "contexts.csv", tuple(settings[0]), settings)


def _records(
    suite: Suite, scene: str, clips: Iterable[str]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield what holds rollouts of a scene: its mechanism, then each clip's truth."""
    yield "", suite.mechanism(scene)
    for clip in clips:
        yield clip, suite.truth(clip)


def _row(
    scm: SCM, rollout: str, run: Mapping[str, Any], contexts: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a rollout's row; a setting that was done to has the value that it was set to."""
    do = Intervention.parse(run["do"])
    levels = contexts[run["context"]]["levels"]
    return {
        "rollout": rollout,
        "clips": "",
        "context": run["context"],
        "noisy": int(bool(run["noise"])),
        "means": run["means"],
        "void": int(run["void"]),
        "do": run["do"],
        "targets": " ".join(do),
        **{name: do.get(name, levels[name]) for name in scm.exogenous},
        **{name: run["values"][name] for name in scm.endogenous},
    }


def _write(path: Path, names: tuple[str, ...], rows: Iterable[Mapping[str, Any]]) -> None:
    if len(set(names)) < len(names):
        raise InputError(
            f"expected variables that are named unlike the columns {', '.join(COLUMNS)}, found "
            f"{', '.join(names)}; rename the variable"
        )
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(path, text.getvalue())
