"""The commands that ask whether a benchmark measures what it says."""

from pathlib import Path
from typing import Annotated

import typer

from simworld import console
from simworld.commands.options import Json, Seed

Folder = Annotated[
    Path, typer.Argument(metavar="DIR", help="A suite, or one benchmark's folder, real or not.")
]


def add_to(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command()(probe)
    app.command()(recover)


def probe(
    folder: Folder,
    figure: Annotated[
        Path | None,
        typer.Option(metavar="HTML", help="Where table and figure go, as one page."),
    ] = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Hold shortcuts against chance: models that look at nothing, or are shown too little."""
    from simworld.probes import probe as run_probes
    from simworld.report.tables import probe_tables

    with console.stdout_kept(json) as stdout:
        with console.progress() as progress:
            found = run_probes(folder, seed=seed, progress=progress)
        if figure is not None:
            from simworld.report.probes import write_probes

            write_probes(found, figure)
        if json:
            console.write_json(found, stdout)
            return
        for table in probe_tables(found):
            console.print_table(*table)
        if figure is not None:
            typer.echo(figure)


def recover(folder: Folder, seed: Seed = 0, json: Json = False) -> None:
    """Say of every metric whether it recovers the competence of models that have a known one."""
    from simworld.recovery import recover as run_recovery
    from simworld.report.tables import recovery_tables

    with console.stdout_kept(json) as stdout:
        with console.progress() as progress:
            found = run_recovery(folder, seed=seed, progress=progress)
        if json:
            console.write_json(found, stdout)
            return
        for table in recovery_tables(found):
            console.print_table(*table)
