"""The commands that show what there is: scenes, clips, suites."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from simworld import console
from simworld.commands.options import Json, Scenes

if TYPE_CHECKING:
    from simworld.scene import Scene


def add_to(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command()(scenes)
    app.command()(show)
    app.command()(report)


def scenes(scenes_dir: Scenes = None, json: Json = False) -> None:
    """List the scenes: name, tags, variables, edges."""
    from simworld.scene import library

    with console.stdout_kept(json) as stdout:
        found = library(scenes_dir)
        rows = [_scene_row(found[name]) for name in found]
        if json:
            console.write_json(rows, stdout)
            return
        cells = [
            [
                row["name"],
                ", ".join(row["tags"]),
                ", ".join(row["variables"]),
                "\n".join(f"{edge['from']} {edge['role']} {edge['to']}" for edge in row["edges"]),
            ]
            for row in rows
        ]
        console.print_table("Scenes", ["name", "tags", "variables", "edges"], cells)


def show(
    clip: Annotated[
        Path,
        typer.Argument(metavar="CLIP", help="A clip's folder, or a story's video's, in a suite."),
    ],
    frames: Annotated[
        Path | None, typer.Option(metavar="PNG", help="Where a clip's contact sheet goes.")
    ] = None,
    json: Json = False,
) -> None:
    """Tell a clip's events, causes and questions; draw its key frames on one sheet."""
    from simworld.report.clip import clip_tables, read_clip
    from simworld.report.sheet import write_sheet

    with console.stdout_kept(json) as stdout:
        known = read_clip(clip)
        if json:
            console.write_json(known, stdout)
        else:
            for table in clip_tables(known):
                console.print_table(*table)
        if frames is not None:
            sheet = write_sheet(clip, frames)
            if not json:
                typer.echo(sheet)


def report(
    suite: Annotated[Path, typer.Argument(metavar="DIR", help="A suite folder.")],
) -> None:
    """Write a suite's page: its twins, stories and questions, and the scores under its runs/."""
    from simworld.report import write_page

    runs = sorted(path.parent for path in (suite / "runs").glob("*/results.json"))
    typer.echo(write_page(suite, runs))


def _scene_row(scene: Scene) -> dict[str, Any]:
    """Say what a scene declares; edges between its conditions and events only."""
    variables = scene.scm.endogenous
    graph = scene.scm.graph()
    return {
        "name": scene.name,
        "version": scene.version,
        "summary": scene.summary,
        "tags": list(scene.tags),
        "settings": list(scene.scm.exogenous),
        "variables": list(variables),
        "edges": [
            {"from": cause, "to": effect, "role": graph.edges[cause, effect]["role"]}
            for cause, effect in graph.edges
            if cause in variables
        ],
    }
