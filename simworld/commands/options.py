"""Options that several commands have in common."""

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on stdout, all else on stderr.")
]
Seed = Annotated[int, typer.Option(help="Seed of the models' draws and of the intervals.")]
Scenes = Annotated[
    Path | None,
    typer.Option("--scenes", metavar="DIR", help="A folder with scene scripts of your own."),
]
