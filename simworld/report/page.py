"""Write a suite's page: one static HTML file that works from disk, without a server."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simworld.report.graph import World, draw
from simworld.store import Suite, read_json, write_text

Json = dict[str, Any]

MOVED_M = 0.001
"""An object that moved no further has its box hidden at first."""


def write_page(suite_dir: Path, runs: Sequence[Path] = ()) -> Path:
    """Write `index.html` into a suite, with every twin, its graph, questions and the runs' scores.

    Args:
        suite_dir: a finished suite folder.
        runs: folders written by an evaluation of this suite.

    Returns:
        The page's path. Video, style and data are found relative to it or embedded in it.

    Raises:
        InputError: a file that a suite must have is missing or unreadable.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("simworld.report"), autoescape=True, undefined=StrictUndefined
    )
    assets = Path(__file__).parent / "templates"
    suite = Suite(suite_dir)
    html = environment.get_template("page.html.j2").render(
        name=suite_dir.resolve().name,
        manifest=suite.manifest,
        twins=_twins(suite),
        stories=_stories(suite),
        results=[_results(run) for run in runs],
        style=Markup((assets / "style.css").read_text("utf-8")),
        script=Markup((assets / "player.js").read_text("utf-8")),
    )
    page = suite_dir / "index.html"
    write_text(page, html)
    return page


def _twins(suite: Suite) -> list[Json]:
    questions: dict[str, list[Json]] = {}
    for question in suite.questions():
        questions.setdefault(question["clip"], []).append(question)
    return [_twin(suite, row, questions) for row in suite.twins()]


def _twin(suite: Suite, row: Json, questions: dict[str, list[Json]]) -> Json:
    """Bring together all that the page says about one twin."""
    clips = [_clip(suite, row[role]) for role in ("factual", "counterfactual")]
    mechanism = suite.mechanism(row["scene"])
    nodes = [v["name"] for v in mechanism["variables"] if v["kind"] != "exogenous"]
    done = frozenset(_done(row["intervention"]))
    changed = frozenset(row["changed"])
    worlds = [World(clips[0]["truth"]["values"], changed=changed)]
    worlds.append(World(clips[1]["truth"]["values"], done=done, changed=changed))
    roles = ("factual", "counterfactual")
    return {
        **row,
        "clips": [
            {
                "role": role,
                "id": clip["id"],
                "video": clip["player"]["video"],
                "graph": draw(nodes, mechanism["edges"], world, f"Causal graph, {role} world"),
                "questions": questions.get(clip["id"], []),
            }
            for role, clip, world in zip(roles, clips, worlds, strict=True)
        ],
        "player": {
            "fps": clips[0]["truth"]["video"]["fps"],
            "divergence_frame": row["divergence_frame"],
            "clips": [clip["player"] for clip in clips],
        },
    }


def _stories(suite: Suite) -> list[Json]:
    """Bring together the videos of each story, the factual one first."""
    stories: dict[str, Json] = {}
    for video in suite.story_ids:
        truth = suite.truth(video)
        story = stories.setdefault(
            truth["story"],
            {
                "name": truth["story"],
                "scenes": [one["scene"].partition("-")[0] for one in truth["episodes"]],
                "things": [f"the {link['thing']}" for link in truth["links"]],
                "videos": [],
            },
        )
        story["videos"].append(_story_video(suite, video, truth))
    return list(stories.values())


def _story_video(suite: Suite, video: str, truth: Json) -> Json:
    saved = [f"the {k['thing']}" for k in truth["links"] if not truth["values"][k["lost"]]]
    spans = suite.spans(video)
    starts = [span["start_frame"] / truth["video"]["fps"] for span in spans]
    return {
        "id": video,
        "title": f"Here {saved[0]} does not drop" if saved else "As it went",
        "spans": [
            {**span, "start_s": start, "clock": f"{int(start) // 60}:{int(start) % 60:02d}"}
            for span, start in zip(spans, starts, strict=True)
        ],
        "questions": [row for row in suite.questions() if row["clip"] == video],
    }


def _done(intervention: str) -> list[str]:
    """Name the variables that an intervention's text sets.

    >>> _done("do(bump := 0, slide := 1)")
    ['bump', 'slide']
    """
    inner = intervention.removeprefix("do(").removesuffix(")")
    return [part.split(":=")[0].strip() for part in inner.split(",") if ":=" in part]


def _clip(suite: Suite, clip_id: str) -> Json:
    """Read one clip's truth, and what the player needs of it: boxes, segments, events."""
    import numpy as np

    with np.load(suite.clip(clip_id) / "tracks.npz", allow_pickle=False) as tracks:
        names = tracks["names"].tolist()
        boxes = tracks["visible_xyxy_px"]
        position_m = tracks["position_m"]
    absent = np.isnan(boxes).any(axis=-1)
    filled_m = np.where(np.isnan(position_m), position_m[:1], position_m)
    moves = (np.ptp(filled_m, axis=0) > MOVED_M).any(axis=-1)
    rounded = np.nan_to_num(boxes).round().astype(int).tolist()
    return {
        "id": clip_id,
        "truth": suite.truth(clip_id),
        "player": {
            "video": f"clips/{clip_id}/video.mp4",
            "names": names,
            "moving": [name for name, moved in zip(names, moves, strict=True) if moved],
            "boxes": [
                [None if gone else box for box, gone in zip(frame, hidden, strict=True)]
                for frame, hidden in zip(rounded, absent.tolist(), strict=True)
            ],
            "segments": suite.segments(clip_id),
            "events": suite.events(clip_id),
        },
    }


def _results(run: Path) -> Json:
    """Shape one run's results as a table: a row for each model, a cell for each metric."""
    models = read_json(run / "results.json")
    first = next(iter(models.values()))
    settings = ", ".join(f"{key} {value}" for key, value in first["settings"].items())
    counted = "questions" if first["benchmark"] in ("castbench", "decisions") else "videos"
    return {
        "caption": f"{first['benchmark']}: {first['n']} {counted}, {settings}",
        "metrics": list(first["metrics"]),
        "rows": [
            {
                "model": name,
                "sees": result["sees"],
                "cells": [_cell(metric) for metric in result["metrics"].values()],
            }
            for name, result in models.items()
        ],
    }


def _cell(metric: Json) -> Json:
    value, low, high = metric["value"], metric["ci_low"], metric["ci_high"]
    return {
        "value": "not asked" if value is None else f"{value:.3f}",
        "interval": "" if low is None else f"{low:.3f} to {high:.3f}",
    }
